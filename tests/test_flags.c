/* SPDX-License-Identifier: MIT
 * Blocks that wait for each other's flags inside a launch: fences, and loops that look. The device
 * has one latency of L2, 200 cycles there and back.
 */
#include "sm_kit.h"

/* flag_ns: sm.l2_flag_ns. */
static double cycles_beside(struct kit *kit, bool known, double flag_ns)
{
	struct warp_program program;
	struct sm_device d = round_device();
	struct sm_run run;
	double cycles;

	d.mechanisms.off[MECHANISM_NEIGHBOUR_FLAGS] = !known;
	d.l2_flag_ns = flag_ns;
	kit_program(kit, &program);
	kit_run(&d, &program, 1, 1, 0, &run);
	cycles = run.cycles;
	sm_run_release(&run);
	warp_program_release(&program);
	return cycles;
}

static double cycles_of(struct kit *kit, bool known)
{
	return cycles_beside(kit, known, 0);
}

static void store(struct kit *kit)
{
	kit_add(kit, "ST.E [R4.64], R0", 1, NO_SCOREBOARD, 0, KIT_WARPS)->sectors_global =
		KIT_WARPS;
}

/* A store, a fence, and 100 cycles of additions: beside the store's way without the fence, behind
 * it with one. */
static void a_fence_holds_its_warp_until_l2_has_what_was_written(void **state)
{
	static const char *const fences[] = { "MEMBAR.ALL.GPU", "MEMBAR.SC.SYS", "MEMBAR.SC.CTA" };
	static const double wanted[] = { 300, 300, 200 };

	(void)state;
	for (int k = 0; k < 3; k++) {
		struct kit kit;

		kit_begin(&kit, 32);
		store(&kit);
		kit_add(&kit, fences[k], 1, NO_SCOREBOARD, 0, KIT_WARPS);
		for (int n = 0; n < 25; n++)
			kit_add(&kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 0, KIT_WARPS);
		kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
		const double cycles = cycles_of(&kit, true);
		if (fabs(cycles - wanted[k]) > 10)
			fail_msg("%s: %g cycles, not %g", fences[k], cycles, wanted[k]);
		assert_true(fabs(cycles_of(&kit, false) - 200) < 10);
	}
}

/* Nobody in the warp takes the fence, but in the first of four. */
static void only_warps_that_take_a_fence_are_held(void **state)
{
	struct kit kit;

	(void)state;
	kit_begin(&kit, 32);
	store(&kit);
	kit_add(&kit, "@!P0 MEMBAR.ALL.GPU", 1, NO_SCOREBOARD, 0, KIT_WARPS)->threads = 0;
	for (int n = 0; n < 25; n++)
		kit_add(&kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	assert_true(fabs(cycles_of(&kit, true) - 200) < 10);
}

enum { LOOK = 3 }; /* which instruction of meet() */

/* What a block does that tells others it has come, and waits for them; went round `rounds` times.
 */
static void meet(struct kit *kit, const char *load, const char *acquire, int rounds)
{
	kit_begin(kit, 32);
	store(kit);
	kit_add(kit, "MEMBAR.ALL.GPU", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(kit, "ST.E.STRONG.GPU [R6.64], R1", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(kit, load, 4, 0, 0, rounds * KIT_WARPS)->sectors_global = rounds * KIT_WARPS;
	kit_add(kit, acquire, 6, NO_SCOREBOARD, 1, rounds * KIT_WARPS);
	kit_add(kit, "@!P0 BRA 0x30", 10, NO_SCOREBOARD, 0, rounds * KIT_WARPS);
	kit_add(kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
}

/* 200 until the fence is through, and at once the flag and the first look at it: nothing is waited
 * for, 200 more. A second warp of the block did not fence, looks from the beginning, and waits. */
static void who_looks_behind_its_own_fence_finds_the_flag(void **state)
{
	struct kit kit;

	(void)state;
	meet(&kit, "LD.E.STRONG.GPU R2, [R8.64]", "CCTL.IVALL", 1);
	assert_true(fabs(cycles_of(&kit, true) - 420) < 20);
}

/*
 * Two warps; the first takes the fence. The other looks at about 6 cycles, the fence is through at
 * 200, the flag in L2 at 300, a round is 200 + 20 cycles, its first phase 0.618 or 0.236 (for
 * either warp may be the first to look): seen at 300 + 0.236..0.618 x 220, and known 100 later.
 */
static void who_looks_before_waits_for_a_round_of_the_loop(void **state)
{
	struct kit kit;
	double cycles;

	(void)state;
	meet(&kit, "LD.E.STRONG.GPU R2, [R8.64]", "CCTL.IVALL", 1);
	kit.profile.geometry.block[0] = 64;
	kit.profile.geometry.grid[0] /= 2;
	kit.instruction[1].threads = kit.instruction[2].threads = KIT_WARPS / 2;
	cycles = cycles_of(&kit, true);
	if (cycles < 400 + 0.236 * 220 - 15 || cycles > 400 + 0.618 * 220 + 25)
		fail_msg("%g cycles", cycles);
}

/* Nine rounds counted by a slow profiler, or one: the same wait. A loop without the acquire is
 * work: it is gone through nine times. */
static void how_often_a_look_was_counted_does_not_matter(void **state)
{
	static const char strong[] = "LD.E.STRONG.GPU R2, [R8.64]";
	struct kit once, often, work;

	(void)state;
	meet(&once, strong, "CCTL.IVALL", 1);
	meet(&often, strong, "CCTL.IVALL", 9);
	meet(&work, strong, "NOP", 9);
	assert_true(fabs(cycles_of(&once, true) - cycles_of(&often, true)) < 2);
	assert_true(cycles_of(&work, true) > 200 + 9 * 200);
	meet(&work, "LD.E R2, [R8.64]", "CCTL.IVALL", 9);
	assert_true(cycles_of(&work, true) > 200 + 9 * 200);
}

/* One block, and 400 cycles a flag: half of them later it is raised, at 400, and known half a round
 * of the loop, and a way to L2 and back, behind that. A look asks for two sectors of a line. */
static void flags_side_by_side_are_one_after_the_other(void **state)
{
	struct kit kit;
	double cycles;

	(void)state;
	meet(&kit, "LD.E.STRONG.GPU R2, [R8.64]", "CCTL.IVALL", 1);
	kit.instruction[LOOK].sectors_global = 2 * KIT_WARPS;
	kit.instruction[LOOK].tags_global = KIT_WARPS;
	cycles = cycles_beside(&kit, true, 400);
	if (fabs(cycles - (400 + 200 + 0.618 * 220 + 20)) > 20)
		fail_msg("%g cycles", cycles);
	assert_true(cycles_beside(&kit, false, 400) == cycles_of(&kit, false));
}

/* Each sector that a look asks for is of another line. */
static void flags_in_lines_of_their_own_wait_for_none(void **state)
{
	struct kit kit;

	(void)state;
	meet(&kit, "LD.E.STRONG.GPU R2, [R8.64]", "CCTL.IVALL", 1);
	kit.instruction[LOOK].sectors_global = kit.instruction[LOOK].tags_global = 2 * KIT_WARPS;
	assert_true(cycles_beside(&kit, true, 400) == cycles_of(&kit, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fence_holds_its_warp_until_l2_has_what_was_written),
		cmocka_unit_test(only_warps_that_take_a_fence_are_held),
		cmocka_unit_test(who_looks_behind_its_own_fence_finds_the_flag),
		cmocka_unit_test(who_looks_before_waits_for_a_round_of_the_loop),
		cmocka_unit_test(how_often_a_look_was_counted_does_not_matter),
		cmocka_unit_test(flags_side_by_side_are_one_after_the_other),
		cmocka_unit_test(flags_in_lines_of_their_own_wait_for_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
