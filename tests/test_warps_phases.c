/* SPDX-License-Identifier: MIT
 * How a launch of which L2 has a part is cut in two: where it turns, and where what is found lies
 * anywhere.
 */
#include "support.h"

#include <math.h>

#include "sim/gpu/warps_phases.h"

static const struct mechanism_set all_on;

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-12;
}

/* Slices before `cut` miss the one share, those from there on the other; of what the launch asks of
 * L2, a half of that counts. */
static struct warps_answer launch_of(double before, double after, int cut)
{
	struct warps_answer a = { 0 };
	double mean = 0;
	for (int k = 0; k < RESIDENCY_SLICES; k++) {
		a.memory.read_miss[k] = a.memory.write_miss[k] = k < cut ? before : after;
		mean += a.memory.read_miss[k] / RESIDENCY_SLICES;
	}
	a.launch.traffic.l2_miss_share = mean / 2;
	a.launch.traffic.dram_write_share = mean / 4;
	return a;
}

static void moves_as_much(const struct warps_answer *a)
{
	double share = 0, read = 0, written = 0;
	for (int k = 0; k < a->phases; k++) {
		share += a->phase[k].share;
		read += a->phase[k].share * a->phase[k].l2_miss_share;
		written += a->phase[k].share * a->phase[k].dram_write_share;
	}
	assert_true(near(share, 1) && near(read, a->launch.traffic.l2_miss_share) &&
		    near(written, a->launch.traffic.dram_write_share));
}

static void what_lies_anywhere_comes_first(void **state)
{
	(void)state;
	struct warps_answer a = launch_of(0.4, 0.4, 0);
	warps_split(&a, &all_on);
	assert_int_equal(a.phases, 2);
	assert_true(near(a.phase[0].share, 0.4) && near(a.phase[0].l2_miss_share, 0.5) &&
		    near(a.phase[0].dram_write_share, 0.25));
	assert_true(near(a.phase[1].l2_miss_share, 0) && near(a.phase[1].dram_write_share, 0));
	moves_as_much(&a);
}

/* More is written back than was fetched: the rest of it goes with what is found. */
static void nothing_written_is_lost(void **state)
{
	(void)state;
	struct warps_answer a = launch_of(0.25, 0.25, 0);
	a.launch.traffic.dram_write_share = 0.7;
	warps_split(&a, &all_on);
	assert_int_equal(a.phases, 2);
	assert_true(near(a.phase[0].dram_write_share, 1) && near(a.phase[1].dram_write_share, 0.6));
	moves_as_much(&a);
}

static void all_and_nothing_are_one(void **state)
{
	static const double missing[] = { 0, 0.01, 0.99, 1 };
	(void)state;
	for (size_t k = 0; k < sizeof(missing) / sizeof(missing[0]); k++) {
		struct warps_answer a = launch_of(missing[k], missing[k], 0);
		warps_split(&a, &all_on);
		assert_int_equal(a.phases, 1);
		moves_as_much(&a);
	}
}

static void a_launch_that_turns_is_cut_there(void **state)
{
	(void)state;
	struct warps_answer a = launch_of(0, 1, 8);
	warps_split(&a, &all_on);
	assert_int_equal(a.phases, 2);
	assert_true(near(a.phase[0].share, 0.25) && near(a.phase[0].l2_miss_share, 0) &&
		    near(a.phase[1].l2_miss_share, 0.5));
	moves_as_much(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_lies_anywhere_comes_first),
		cmocka_unit_test(nothing_written_is_lost),
		cmocka_unit_test(all_and_nothing_are_one),
		cmocka_unit_test(a_launch_that_turns_is_cut_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
