/* SPDX-License-Identifier: MIT
 * What cores give: a number of additions that a core can make, for each core there is; and the
 * thread may run where it could before.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "traces/base/core_share.h"

enum { MOST = 1024, LEAST_ADDITIONS = 10, MOST_ADDITIONS = 16000 };

static void a_core_makes_as_many_additions_as_a_core_can(void **state)
{
	(void)state;
	for (int k = 0; k < 20; k++)
		assert_in_range(core_additions(), LEAST_ADDITIONS, MOST_ADDITIONS);
}

static void every_core_is_looked_at_and_the_thread_is_free_again(void **state)
{
	cpu_set_t before, after;
	uint32_t additions[MOST];

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	const int count = core_additions_of_host(additions, MOST);
	assert_int_equal(count, CPU_COUNT(&before));
	for (int k = 0; k < count; k++)
		assert_in_range(additions[k], LEAST_ADDITIONS, MOST_ADDITIONS);
	assert_int_equal(core_additions_of_host(additions, 1), 1);
	assert_int_equal(core_additions_of_host(additions, 0), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_core_makes_as_many_additions_as_a_core_can),
		cmocka_unit_test(every_core_is_looked_at_and_the_thread_is_free_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
