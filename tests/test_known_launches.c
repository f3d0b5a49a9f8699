/* SPDX-License-Identifier: MIT
 * Launches that were played are found again, and no others.
 */
#include "support.h"

#include "sim/gpu/known_launches.h"

enum { MANY = 1000 };

static struct known_launch numbered(int k)
{
	struct known_launch launch = { .played.cycles = k };
	launch.blocks = k % 10 + 1;
	launch.traffic.work_scale = 1 + k / 10 * 1e-9;
	return launch;
}

static void each_is_found_by_all_that_is_asked_of_it(void **state)
{
	(void)state;
	struct known_launches known = { 0 };
	const struct known_launch first = numbered(0);
	assert_null(known_launches_find(&known, &first));
	for (int k = 0; k < MANY; k++) {
		const struct known_launch new = numbered(k);
		assert_null(known_launches_find(&known, &new));
		known_launches_add(&known, &new);
	}
	assert_int_equal(known.count, MANY);
	for (int k = 0; k < MANY; k++) {
		struct known_launch like = numbered(k);
		like.played.cycles = -1; /* not part of what it is known by */
		const struct known_launch *found = known_launches_find(&known, &like);
		assert_non_null(found);
		assert_true(found->played.cycles == k);
	}
	known_launches_release(&known);
}

static void counts_of_another_profile_are_another_launch(void **state)
{
	(void)state;
	struct known_launches known = { 0 };
	const struct kernel_profile profile[2] = { { .kernel = "a" }, { .kernel = "b" } };
	struct known_launch launch = numbered(7);
	launch.profile = &profile[0];
	known_launches_add(&known, &launch);
	assert_non_null(known_launches_find(&known, &launch));
	launch.profile = &profile[1];
	assert_null(known_launches_find(&known, &launch));
	known_launches_release(&known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_found_by_all_that_is_asked_of_it),
		cmocka_unit_test(counts_of_another_profile_are_another_launch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
