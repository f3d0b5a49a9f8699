/* SPDX-License-Identifier: MIT
 * From one multiprocessor to a launch, against times worked out by hand.
 */
#include "sm_kit.h"

static double grid_cycles(struct kit *kit, const struct sm_device *d, int sm_count, int64_t blocks)
{
	struct warp_program program;
	struct grid_answer answer;
	kit_program(kit, &program);
	const struct grid_launch launch = { .program = &program, .blocks = blocks };
	assert_int_equal(grid_time(d, sm_count, &launch, &answer), 0);
	double cycles = answer.cycles;
	grid_answer_release(&answer);
	warp_program_release(&program);
	return cycles;
}

static void a_long_launch_goes_on_at_its_pace_although_blocks_end_in_bursts(void **state)
{
	(void)state;
	struct kit kit;
	struct sm_device d = round_device();
	d.block_slots = 8;
	kit_chain(&kit, 128, 50, "FADD R0, R0, R1", 15);
	double cycles =
		grid_cycles(&kit, &d, 1, 8 * 500); /* eight side by side, each as if alone */
	assert_true(fabs(cycles / (500 * (50 * 15 + 1)) - 1) < 0.001);
}

static void the_last_multiprocessor_begins_late(void **state)
{
	(void)state;
	struct kit kit;
	struct sm_device d = round_device();
	kit_chain(&kit, 128, 50, "FADD R0, R0, R1", 4);
	d.block_fill_cycles = 100;
	double one = grid_cycles(&kit, &d, 10, 1);
	assert_true(fabs(grid_cycles(&kit, &d, 10, 10) - one - 90) < 1e-9);
	assert_true(fabs(grid_cycles(&kit, &d, 10, 6) - one - 50) < 1e-9);
}

/* Eight columns on 132 multiprocessors: every 132nd block is four columns on. */
static void half_of_the_multiprocessors_have_no_first_and_last_column(void **state)
{
	(void)state;
	const struct grid_kinds kinds = { .grid = { 8, 128 } };
	for (int most = 0; most < 2; most++) {
		const int64_t sm = grid_kinds_sm(&kinds, 132, 8, most);
		bool *rim = grid_kinds_of(&kinds, 132, sm, 8);
		int rims = 0;
		for (int k = 0; k < 8; k++)
			rims += rim[k];
		assert_int_equal(rims, most ? 5 : 0); /* the first row is at the rim, too */
		assert_true(sm + 7 * 132 < 8 * 128);  /* it has as many blocks as any */
		free(rim);
	}
}

/* Blocks are beside each other, each as if alone. */
static void a_launch_that_is_there_at_once_takes_as_long_as_its_slower_blocks(void **state)
{
	(void)state;
	struct kit kit[3]; /* within, at the rim, on average */
	struct warp_program program[3];
	struct grid_answer answer;
	struct sm_device d = round_device();
	d.block_slots = 8;
	for (int k = 0; k < 3; k++) {
		kit_chain(&kit[k], 32, 50, "FADD R0, R0, R1", (int[]){ 4, 10, 7 }[k]);
		kit_program(&kit[k], &program[k]);
	}
	struct grid_launch launch = { .program = &program[2],
				      .kinds = { &program[0], &program[1], { 6, 1 } },
				      .blocks = 6 };
	assert_int_equal(grid_time(&d, 3, &launch, &answer), 0);
	assert_true(fabs(answer.cycles - (50 * 10 + 1)) < 2);
	grid_answer_release(&answer);
	launch.kinds.grid[0] = 60; /* waves: how many of each one has is not known */
	launch.blocks = 60;
	assert_int_equal(grid_time(&d, 3, &launch, &answer), 0);
	assert_true(fabs(answer.cycles / (20 / 8.0 * (50 * 7 + 1)) - 1) < 0.3);
	grid_answer_release(&answer);
	for (int k = 0; k < 3; k++)
		warp_program_release(&program[k]);
}

/* Every fourth warp goes a long way, and a multiprocessor has one or two: it is one of the others
 * whose first warp is the fourth. In waves it counts no more than how often it is gone. */
static void a_launch_that_is_there_at_once_takes_as_long_as_the_longest_way(void **state)
{
	enum { LONG = 50, STALL = 10 };
	struct sm_device d = round_device();
	struct kit kit;
	(void)state;
	kit_begin(&kit, 32);
	kit_add(&kit, "@P0 BRA 0x330", 1, NO_SCOREBOARD, 0, KIT_WARPS); /* over what follows */
	for (int k = 0; k < LONG; k++)
		kit_add(&kit, "FADD R0, R0, R1", STALL, NO_SCOREBOARD, 0, KIT_WARPS / 4);
	kit_add(&kit, "FADD R2, R2, R3", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	for (int64_t blocks = 10; blocks <= 20; blocks += 10)
		assert_true(fabs(grid_cycles(&kit, &d, 10, blocks) / (LONG * STALL) - 1) < 0.05);
	d.block_slots = 1;
	/* two waves: it may be the last that goes there */
	assert_true(fabs(grid_cycles(&kit, &d, 10, 20) / (LONG * STALL) - 1) < 0.05);
	assert_true(fabs(grid_cycles(&kit, &d, 10, 400) / (40 * LONG * STALL / 4) - 1) < 0.1);
}

/* Rounds of 600 cycles with `in` rounds of an inner loop each. */
static double nested(const struct sm_device *d, int64_t out, int64_t in)
{
	enum { LONG = 40, STALL = 15 };
	struct kit kit;
	kit_begin(&kit, 32);
	kit_add(&kit, "MOV R1, RZ", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	for (int k = 0; k < LONG; k++)
		kit_add(&kit, "FADD R0, R0, R1", STALL, NO_SCOREBOARD, 0, out * KIT_WARPS);
	kit_add(&kit, "FADD R2, R2, R1", 4, NO_SCOREBOARD, 0, out * in * KIT_WARPS);
	kit_add(&kit, "@P0 BRA 0x290", 5, NO_SCOREBOARD, 0, out * in * KIT_WARPS);
	kit_add(&kit, "@P1 BRA 0x10", 5, NO_SCOREBOARD, 0, out * KIT_WARPS);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	return grid_cycles(&kit, d, 1, 1);
}

/* Those that are played whole say what a round and an inner round take. */
static void loops_in_loops_that_are_cut_take_as_long_as_their_rounds(void **state)
{
	(void)state;
	const struct sm_device d = round_device();
	const double a = nested(&d, 10, 100), inner = (nested(&d, 10, 200) - a) / 1000,
		     outer = (nested(&d, 20, 100) - a) / 10 - 100 * inner;
	assert_true(outer > 500 && inner > 5 && inner < 20);
	static const int64_t rounds[][2] = { { 48, 200000 }, { 100000, 60 }, { 2000, 3000 } };
	for (int k = 0; k < 3; k++) {
		const double out = (double)rounds[k][0], in = (double)rounds[k][1];
		assert_true(
			fabs(nested(&d, rounds[k][0], rounds[k][1]) / (out * (outer + in * inner)) -
			     1) < 0.005);
	}
}

static void a_launch_without_blocks_is_an_error_and_leaves_nothing(void **state)
{
	(void)state;
	struct kit kit;
	struct sm_device d = round_device();
	struct warp_program program;
	struct grid_answer answer;
	struct sm_run run;
	struct said said;
	kit_chain(&kit, 128, 50, "FADD R0, R0, R1", 4);
	kit_program(&kit, &program);
	const struct grid_launch launch = { .program = &program };
	const struct sm_job job = { .program = &program, .resident = 1 };
	const struct sm_setup setup = {
		.device = &d, .job = &job, .job_count = 1, .memory = { .sharers = 1 }
	};
	said_begin(&said);
	assert_int_equal(grid_time(&d, 10, &launch, &answer), -1);
	assert_says(&said, "a launch without blocks");
	said_begin(&said);
	assert_int_equal(sm_engine_run(&setup, &run), -1);
	assert_says(&said, "no block fits");
	assert_null(run.block);
	warp_program_release(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_launch_goes_on_at_its_pace_although_blocks_end_in_bursts),
		cmocka_unit_test(the_last_multiprocessor_begins_late),
		cmocka_unit_test(half_of_the_multiprocessors_have_no_first_and_last_column),
		cmocka_unit_test(a_launch_that_is_there_at_once_takes_as_long_as_its_slower_blocks),
		cmocka_unit_test(a_launch_that_is_there_at_once_takes_as_long_as_the_longest_way),
		cmocka_unit_test(loops_in_loops_that_are_cut_take_as_long_as_their_rounds),
		cmocka_unit_test(a_launch_without_blocks_is_an_error_and_leaves_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
