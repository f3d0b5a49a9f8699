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

static struct timed_kind sweep_of(int64_t points)
{
	return (struct timed_kind){ "sweep", 0, { 32, 8, 1 }, points };
}

static double ratio(const struct timed_launches *t, struct timed_kind kind)
{
	return timed_launches_ratio(t, &kind, false);
}

static void add(struct timed_launches *t, int64_t points, double measured_ns, double played_ns)
{
	const struct timed_kind kind = sweep_of(points);
	timed_launches_add(t, &kind, measured_ns, played_ns);
}

/* Of one timed launch that took 1.21 times what is played and weighs `weight`. */
static double by_one(double weight)
{
	return exp(weight * log(1.21) / (0.5 + weight));
}

static void ratios_by_hand(void **state)
{
	struct timed_launches t = { 0 };
	(void)state;
	/* Nobody timed anything, or this kernel, or its points or block are not known. */
	near(ratio(&t, sweep_of(100)), 1, 0);
	add(&t, 100, 1210, 1000);
	near(ratio(&t, (struct timed_kind){ "swee", 0, { 32, 8, 1 }, 100 }), 1, 0);
	near(ratio(&t, sweep_of(0)), 1, 0);
	near(ratio(&t, (struct timed_kind){ "sweep", 0, { 0, 0, 0 }, 100 }), 1, 0);
	/* One launch of as many points weighs twice what the model does. */
	near(ratio(&t, sweep_of(100)), by_one(1), 1e-12);
	near(by_one(1), pow(1.21, 2.0 / 3), 1e-12);
	/* Ten times as many, either way. */
	const double weight = exp(-pow(log(10), 2) / 2);
	near(ratio(&t, sweep_of(1000)), by_one(weight), 1e-12);
	near(ratio(&t, sweep_of(10)), by_one(weight), 1e-12);
	/* Far away it is as played. */
	near(ratio(&t, sweep_of(100000000)), 1, 1e-12);
	/* Of two that contradict each other it is the model that is right. */
	add(&t, 100, 1000, 1210);
	near(ratio(&t, sweep_of(100)), 1, 1e-12);
	timed_launches_release(&t);
}

static void other_code_of_a_kernel(void **state)
{
	struct timed_launches t = { 0 };
	(void)state;
	add(&t, 100, 1210, 1000);
	/* Another path is other code, but nobody timed that; one that is not known is any. */
	const struct timed_kind other = { "sweep", 1, { 32, 8, 1 }, 100 };
	near(ratio(&t, other), by_one(1), 1e-12);
	near(ratio(&t, (struct timed_kind){ "sweep", -1, { 32, 8, 1 }, 100 }), by_one(1), 1e-12);
	/* A block of other sides is further off, even of as many threads. */
	const double weight = exp(-pow(log(2), 2));
	near(ratio(&t, (struct timed_kind){ "sweep", 0, { 16, 16, 1 }, 100 }), by_one(weight),
	     1e-12);
	timed_launches_add(&t, &other, 1000, 1000); /* now it says for itself */
	near(ratio(&t, other), 1, 0);
	near(ratio(&t, sweep_of(100)), by_one(1), 1e-12);
	timed_launches_release(&t);
}

static void a_row_does_not_answer_itself(void **state)
{
	struct timed_launches t = { 0 };
	const struct timed_kind kind = sweep_of(100);
	(void)state;
	add(&t, 100, 2000, 1000);
	add(&t, 101, 3000, 1000); /* nearly as many: it may be of the same timing */
	near(timed_launches_ratio(&t, &kind, true), 1, 0);
	add(&t, 103, 1210, 1000);
	const double others = timed_launches_ratio(&t, &kind, true);
	assert_true(others > 1.13 && others < by_one(1));
	assert_true(timed_launches_ratio(&t, &kind, false) > 1.2);
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
	const struct timed_kind a = { "a", -1, { 1024, 1, 1 }, 7 },
				b = { "b", 2147483647, { 1, 2, 64 }, INT64_C(1) << 40 };
	timed_launches_add(&t, &a, 1500, 1000);
	timed_launches_add(&t, &b, 2000.5, 4000);
	assert_int_equal(timed_launches_write(&t, path), 0);
	assert_int_equal(timed_launches_read(&back, path), 0);
	assert_int_equal(back.count, 2);
	assert_string_equal(back.device, t.device);
	for (size_t k = 0; k < 2; k++) {
		assert_string_equal(back.row[k].kernel, t.row[k].kernel);
		assert_int_equal(back.row[k].kind.path, t.row[k].kind.path);
		assert_memory_equal(back.row[k].kind.block, t.row[k].kind.block,
				    sizeof(t.row[k].kind.block));
		assert_int_equal(back.row[k].kind.points, t.row[k].kind.points);
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
		cmocka_unit_test(other_code_of_a_kernel),
		cmocka_unit_test(a_row_does_not_answer_itself),
		cmocka_unit_test(a_table_comes_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
