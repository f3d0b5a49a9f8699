/* SPDX-License-Identifier: MIT
 * Launches timed alone: what they say of others, by hand, and their table.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "model/records/timed_launches.h"

static void near(double value, double wanted, double most)
{
	assert_true(fabs(value - wanted) <= most);
}

static void ratios_by_hand(void **state)
{
	struct timed_launches t = { 0 };
	(void)state;
	/* Nobody timed anything, or this kernel, or it has no points. */
	near(timed_launches_ratio(&t, "sweep", 100, false), 1, 0);
	timed_launches_add(&t, "sweep", 100, 1210, 1000);
	near(timed_launches_ratio(&t, "swee", 100, false), 1, 0);
	near(timed_launches_ratio(&t, "sweep", 0, false), 1, 0);
	/* One launch of as many points weighs as the model: half way, of logarithms. */
	near(timed_launches_ratio(&t, "sweep", 100, false), 1.1, 1e-12);
	/* Twice as many: exp(-1/2) of it. */
	const double weight = exp(-0.5);
	near(timed_launches_ratio(&t, "sweep", 200, false), exp(weight * log(1.21) / (1 + weight)),
	     1e-12);
	near(timed_launches_ratio(&t, "sweep", 50, false),
	     timed_launches_ratio(&t, "sweep", 200, false), 1e-12);
	/* Far away it is as played. */
	near(timed_launches_ratio(&t, "sweep", 100000, false), 1, 1e-12);
	/* Of two that contradict each other it is the model that is right. */
	timed_launches_add(&t, "sweep", 100, 1000, 1210);
	near(timed_launches_ratio(&t, "sweep", 100, false), 1, 1e-12);
	timed_launches_release(&t);
}

static void a_row_does_not_answer_itself(void **state)
{
	struct timed_launches t = { 0 };
	(void)state;
	timed_launches_add(&t, "sweep", 100, 2000, 1000);
	timed_launches_add(&t, "sweep", 101, 3000,
			   1000); /* nearly as many: it may be of the same timing */
	near(timed_launches_ratio(&t, "sweep", 100, true), 1, 0);
	timed_launches_add(&t, "sweep", 103, 1210, 1000);
	const double others = timed_launches_ratio(&t, "sweep", 100, true);
	assert_true(others > 1.09 && others < 1.1);
	assert_true(timed_launches_ratio(&t, "sweep", 100, false) > 1.2);
	timed_launches_release(&t);
}

static void a_table_comes_back(void **state)
{
	struct timed_launches t = { 0 }, back;
	char path[] = "/tmp/warpreel-timed-XXXXXX";
	(void)state;
	const int file = mkstemp(path);
	assert_true(file >= 0);
	close(file);
	t.device = strdup("A GPU of its own");
	timed_launches_add(&t, "a", 7, 1500, 1000);
	timed_launches_add(&t, "b", INT64_C(1) << 40, 2000.5, 4000);
	assert_int_equal(timed_launches_write(&t, path), 0);
	assert_int_equal(timed_launches_read(&back, path), 0);
	assert_int_equal(back.count, 2);
	assert_string_equal(back.device, t.device);
	for (size_t k = 0; k < 2; k++) {
		assert_string_equal(back.row[k].kernel, t.row[k].kernel);
		assert_int_equal(back.row[k].points, t.row[k].points);
		near(back.row[k].measured_ns, t.row[k].measured_ns, 0);
		near(back.row[k].played_ns, t.row[k].played_ns, 0);
	}
	timed_launches_release(&back);
	timed_launches_release(&t);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ratios_by_hand),
		cmocka_unit_test(a_row_does_not_answer_itself),
		cmocka_unit_test(a_table_comes_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
