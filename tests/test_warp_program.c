/* SPDX-License-Identifier: MIT
 * Control flow recovered from counts: whatever the shape of the code, warps run each instruction as
 * often as the profile says.
 */
#include "sm_kit.h"

enum { BLOCKS = 200 };

/* Instructions that BLOCKS blocks of one warp issue. */
static double issued(struct kit *kit)
{
	struct warp_program program;
	struct sm_run run;
	struct sm_device d = round_device();
	kit_program(kit, &program);
	kit_run(&d, &program, BLOCKS, 16, 0, &run);
	double n = (double)run.instructions;
	sm_run_release(&run);
	warp_program_release(&program);
	return n;
}

static double profiled(const struct kit *kit)
{
	double sum = 0;
	for (size_t k = 0; k < kit->profile.instruction_count; k++)
		sum += (double)kit->instruction[k].warps;
	return sum * BLOCKS / KIT_WARPS;
}

static void check(struct kit *kit, double tolerance)
{
	double found = issued(kit), wanted = profiled(kit);
	if (fabs(found - wanted) > tolerance)
		fail_msg("%g instructions, the profile has %g", found, wanted);
}

static void straight_code_is_run_once(void **state)
{
	(void)state;
	struct kit kit;
	kit_begin(&kit, 32);
	for (int k = 0; k < 5; k++)
		kit_add(&kit, "IADD3 R0, R0, R1, RZ", 2, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	check(&kit, 0.5);
}

static void operands_take_the_ports_of_their_banks(void **state)
{
	static const struct {
		const char *text;
		int cycles;
	} code[] = {
		{ "DFMA R8, R2, R4, R6", 3 }, /* three pairs, each a register of either bank */
		{ "DFMA R8, R2.reuse, R4.reuse, R6", 3 },
		{ "DFMA R10, R2, R4, R6", 1 }, /* two are kept */
		{ "DMUL R8, R8, R8", 1 },      /* read once */
		{ "DADD R8, R8, UR4", 1 },
		{ "DADD R8, R8, R2", 2 },
		{ "FFMA R0, R2, R4, R6", 3 }, /* all of the even bank */
		{ "FFMA R0, R2, R5, R7", 2 },
		{ "FFMA R0, R2, R2, R7.reuse", 1 },
		{ "FFMA R0, R3, c[0x0][0x210], R7", 1 }, /* kept, in another place of the text */
		{ "MUFU.RSQ R0, R2", 1 },
	};
	(void)state;
	struct kit kit;
	struct warp_program program;
	kit_begin(&kit, 32);
	for (size_t k = 0; k < sizeof(code) / sizeof(code[0]); k++)
		kit_add(&kit, code[k].text, 2, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_program(&kit, &program);
	for (size_t k = 0; k < sizeof(code) / sizeof(code[0]); k++)
		if (program.step[k].port_cycles != code[k].cycles)
			fail_msg("%s: %d cycles", code[k].text, program.step[k].port_cycles);
	warp_program_release(&program);
}

/* Of 8 sectors a store, L2 sees half; the second store is come back to. */
static void stores_to_one_sector_are_joined(void **state)
{
	struct kit kit;
	struct warp_program program;
	(void)state;
	for (int counted = 0; counted < 2; counted++) {
		kit_begin(&kit, 32);
		for (int k = 0; k < 2; k++)
			kit_add(&kit, "STG.E.128 [R2.64], R4", 1, NO_SCOREBOARD, 0,
				k ? 3 * KIT_WARPS : KIT_WARPS)
				->sectors_global = 8 * (k ? 3 : 1) * KIT_WARPS;
		kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
		kit.profile.l1_store_sectors = counted ? 32 * KIT_WARPS : -1;
		kit.profile.l2_write_sectors = counted ? 16 * KIT_WARPS : -1;
		kit_program(&kit, &program);
		assert_true(fabs(program.l2_write_bytes - 4 * 8 * 32 / (counted + 1)) < 1e-3);
		assert_true(fabs(program.strips - 0.75) < 1e-6);
		warp_program_release(&program);
	}
}

/* A quarter of its lines is not in L1: a load of two goes to L2 for one of them oftener than that.
 */
static void a_load_waits_for_any_line_that_l1_lacks(void **state)
{
	static const struct {
		int lines;
		float asks;
	} load[] = { { 1, 0.25f }, { 2, 0.4375f }, { 32, 0.9999f } };

	(void)state;
	for (size_t k = 0; k < sizeof(load) / sizeof(load[0]); k++) {
		struct kit kit;
		struct warp_program program;

		kit_begin(&kit, 32);
		struct profile_instruction *in =
			kit_add(&kit, "LDG.E R0, [R2.64]", 1, 0, 0, KIT_WARPS);
		in->sectors_global = 32 * KIT_WARPS;
		in->tags_global = load[k].lines * KIT_WARPS;
		kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
		kit.profile.l1_load_sectors = 32 * KIT_WARPS;
		kit.profile.l2_read_sectors = 8 * KIT_WARPS;
		kit_program(&kit, &program);
		assert_float_equal(program.step[0].l2_share, 0.25, 1e-6);
		assert_float_equal(program.step[0].l2_asks, load[k].asks, 1e-4);
		assert_true(fabs(program.l2_read_bytes - 8 * 32) < 1e-6);
		warp_program_release(&program);
	}
}

static void a_guard_sends_its_share_of_warps_home(void **state)
{
	(void)state;
	struct kit kit;
	kit_begin(&kit, 32);
	kit_add(&kit, "ISETP.GE.AND P0, PT, R0, R1, PT", 4, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(&kit, "@P0 EXIT", 5, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(&kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 0, KIT_WARPS / 4 * 3);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS / 4 * 3);
	check(&kit, 2.5);
}

static void one_of_two_sides_runs(void **state)
{
	(void)state;
	struct kit kit;
	kit_begin(&kit, 32);
	kit_add(&kit, "@P0 BRA 0x40", 5, NO_SCOREBOARD, 0, KIT_WARPS);	      /* 0x00 */
	kit_add(&kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 0, KIT_WARPS / 5); /* 0x10 */
	kit_add(&kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 0, KIT_WARPS / 5);
	kit_add(&kit, "BRA 0x60", 5, NO_SCOREBOARD, 0, KIT_WARPS / 5);			  /* 0x30 */
	kit_add(&kit, "FMUL R0, R0, R1", 4, NO_SCOREBOARD, 0, KIT_WARPS - KIT_WARPS / 5); /* 0x40 */
	kit_add(&kit, "FMUL R0, R0, R1", 4, NO_SCOREBOARD, 0, KIT_WARPS - KIT_WARPS / 5);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS); /* 0x60 */
	check(&kit, 4);
}

static void both_sides_run_where_warps_diverge(void **state)
{
	(void)state;
	struct kit kit;
	kit_begin(&kit, 32);
	kit_add(&kit, "@P0 BRA 0x30", 5, NO_SCOREBOARD, 0, KIT_WARPS); /* 0x00 */
	kit_add(&kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 0,
		KIT_WARPS); /* 0x10: all warps have threads here */
	kit_add(&kit, "BRA 0x40", 5, NO_SCOREBOARD, 0, KIT_WARPS);	  /* 0x20 */
	kit_add(&kit, "FMUL R0, R0, R1", 4, NO_SCOREBOARD, 0, KIT_WARPS); /* 0x30: and here */
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);		  /* 0x40 */
	check(&kit, 2.5);
}

static void a_loop_runs_as_often_as_counted(void **state)
{
	(void)state;
	struct kit kit;
	kit_begin(&kit, 32);
	kit_add(&kit, "MOV R0, RZ", 2, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(&kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 0,
		10 * KIT_WARPS + KIT_WARPS / 2); /* 10.5 rounds on average */
	kit_add(&kit, "@P0 BRA 0x10", 5, NO_SCOREBOARD, 0, 10 * KIT_WARPS + KIT_WARPS / 2);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	check(&kit, 6);
}

static void a_loop_left_in_its_middle_runs_as_often_as_counted(void **state)
{
	(void)state;
	struct kit kit;
	kit_begin(&kit, 32);
	kit_add(&kit, "MOV R0, RZ", 2, NO_SCOREBOARD, 0, KIT_WARPS);	      /* 0x00 */
	kit_add(&kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 0, 8 * KIT_WARPS); /* 0x10 */
	kit_add(&kit, "@P0 BRA 0x50", 5, NO_SCOREBOARD, 0, 8 * KIT_WARPS);    /* 0x20 */
	kit_add(&kit, "FMUL R0, R0, R1", 4, NO_SCOREBOARD, 0, 7 * KIT_WARPS); /* 0x30 */
	kit_add(&kit, "BRA 0x10", 5, NO_SCOREBOARD, 0, 7 * KIT_WARPS);	      /* 0x40 */
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);		      /* 0x50 */
	check(&kit, 2.5);
}

/* Every warp goes round eight times, and not the first to come once and the last very often. */
static void an_exit_in_a_loop_is_taken_after_as_many_rounds_by_every_warp(void **state)
{
	(void)state;
	struct kit kit;
	struct warp_program program;
	kit_begin(&kit, 32);
	kit_add(&kit, "MOV R0, RZ", 2, NO_SCOREBOARD, 0, KIT_WARPS);	      /* 0x00 */
	kit_add(&kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 0, 8 * KIT_WARPS); /* 0x10 */
	kit_add(&kit, "@!P0 EXIT", 5, NO_SCOREBOARD, 0, 8 * KIT_WARPS);	      /* 0x20 */
	kit_add(&kit, "BRA 0x10", 5, NO_SCOREBOARD, 0, 7 * KIT_WARPS);	      /* 0x30 */
	check(&kit, 2.5);
	kit_program(&kit, &program);
	assert_int_equal(program.step[2].flow, FLOW_LEAVE);
	assert_int_equal(program.step[2].target, NEVER_STEP);
	assert_float_equal(program.step[2].share, 8, 1e-6);
	warp_program_release(&program);
}

static void a_loop_in_a_loop_runs_as_often_as_counted(void **state)
{
	(void)state;
	struct kit kit;
	kit_begin(&kit, 32);
	kit_add(&kit, "MOV R0, RZ", 2, NO_SCOREBOARD, 0, KIT_WARPS);	       /* 0x00 */
	kit_add(&kit, "MOV R1, RZ", 2, NO_SCOREBOARD, 0, 4 * KIT_WARPS);       /* 0x10 */
	kit_add(&kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 0, 12 * KIT_WARPS); /* 0x20 */
	kit_add(&kit, "@P0 BRA 0x20", 5, NO_SCOREBOARD, 0, 12 * KIT_WARPS);    /* 0x30 */
	kit_add(&kit, "@P1 BRA 0x10", 5, NO_SCOREBOARD, 0, 4 * KIT_WARPS);     /* 0x40 */
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	check(&kit, 2.5);
}

/* A loop with two ways back is one; what it calls is as far in as the call, and further. */
static void instructions_know_how_many_loops_are_around_them(void **state)
{
	static const struct {
		const char *text;
		int depth;
	} code[] = { { "MOV R0, RZ", 0 },	   /* 0x00 */
		     { "MOV R1, RZ", 1 },	   /* 0x10: head of the outer loop */
		     { "FADD R0, R0, R1", 2 },	   /* 0x20: of the inner one */
		     { "@P0 BRA 0x20", 2 },	   /* 0x30 */
		     { "@P1 BRA 0x20", 2 },	   /* 0x40 */
		     { "CALL.REL.NOINC 0x90", 1 }, /* 0x50 */
		     { "@P2 BRA 0x10", 1 },	   /* 0x60 */
		     { "FADD R2, R2, R1", 0 },	   /* 0x70 */
		     { "EXIT", 0 },		   /* 0x80 */
		     { "FADD R3, R3, R1", 2 },	   /* 0x90: a loop in a function */
		     { "@P3 BRA 0x90", 2 },	   /* 0xa0 */
		     { "RET.REL.NODEC R4 0x0", 1 } };
	struct kit kit;
	struct warp_program program;
	(void)state;
	kit_begin(&kit, 32);
	for (size_t k = 0; k < sizeof(code) / sizeof(code[0]); k++)
		kit_add(&kit, code[k].text, 4, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_program(&kit, &program);
	for (size_t k = 0; k < program.count; k++)
		assert_int_equal(program.step[k].depth, code[k].depth);
	assert_int_equal(program.depths, 2);
	assert_true(program.instructions_at[1] == 4 && program.instructions_at[2] == 5);
	warp_program_release(&program);
}

static void a_loop_with_fewer_rounds_than_warps_runs_as_often_as_counted(void **state)
{
	(void)state;
	for (int guarded = 0; guarded < 2;
	     guarded++) { /* a branch right before the head, or the code that leads to it */
		struct kit kit;
		kit_begin(&kit, 32);
		kit_add(&kit, guarded ? "@P1 BRA 0x30" : "MOV R0, RZ", 5, NO_SCOREBOARD, 0,
			KIT_WARPS);
		kit_add(&kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 0, KIT_WARPS / 4); /* 0x10 */
		kit_add(&kit, "@P0 BRA 0x10", 5, NO_SCOREBOARD, 0, KIT_WARPS / 4);
		kit_add(&kit, "FMUL R0, R0, R1", 4, NO_SCOREBOARD, 0, KIT_WARPS); /* 0x30 */
		kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
		check(&kit, 2.5);
	}
}

static void a_kernel_may_have_any_number_of_loops(void **state)
{
	enum { MANY = 60 };
	(void)state;
	struct kit kit;
	struct warp_program program;
	kit_begin(&kit, 32);
	for (int k = 0; k < MANY; k++) {
		char text[32];
		snprintf(text, sizeof(text), "@P0 BRA 0x%x", 16 * k);
		kit_add(&kit, "", 5, NO_SCOREBOARD, 0, (1 + k % 3) * (int64_t)KIT_WARPS)->text =
			xstrdup(text);
	}
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	check(&kit, 0.5);
	kit_program(&kit, &program);
	assert_int_equal(program.loops, MANY);
	warp_program_release(&program);
	for (int k = 0; k < MANY; k++)
		free((char *)kit.instruction[k].text);
}

static void a_call_comes_back(void **state)
{
	(void)state;
	struct kit kit;
	kit_begin(&kit, 32);
	kit_add(&kit, "CALL.REL.NOINC 0x30", 5, NO_SCOREBOARD, 0, KIT_WARPS);	/* 0x00 */
	kit_add(&kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 0, KIT_WARPS);	/* 0x10 */
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);			/* 0x20 */
	kit_add(&kit, "FMUL R0, R0, R1", 4, NO_SCOREBOARD, 0, KIT_WARPS);	/* 0x30 */
	kit_add(&kit, "RET.REL.NODEC R20 0x0", 5, NO_SCOREBOARD, 0, KIT_WARPS); /* 0x40 */
	check(&kit, 0.5);
}

static void a_profile_in_which_nothing_ran_is_refused(void **state)
{
	(void)state;
	struct kit kit;
	struct warp_program program;
	struct said said;
	kit_begin(&kit, 32);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, 0);
	said_begin(&said);
	int rc = warp_program_build(&program, &kit.profile, "some.wrt");
	assert_non_null(
		strstr(said_end(&said),
		       "some.wrt: the profile of kernel 'hand' says that nothing was executed"));
	assert_int_equal(rc, -1);
	warp_program_release(&program);
}

static void unknown_opcodes_are_counted_and_the_first_is_named(void **state)
{
	(void)state;
	struct kit kit;
	struct warp_program program;
	kit_begin(&kit, 32);
	kit_add(&kit, "FROBNICATE R0, R1", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_program(&kit, &program);
	assert_int_equal(program.unknown, KIT_WARPS);
	assert_string_equal(program.first_unknown, "FROBNICATE");
	warp_program_release(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(straight_code_is_run_once),
		cmocka_unit_test(operands_take_the_ports_of_their_banks),
		cmocka_unit_test(stores_to_one_sector_are_joined),
		cmocka_unit_test(a_load_waits_for_any_line_that_l1_lacks),
		cmocka_unit_test(a_guard_sends_its_share_of_warps_home),
		cmocka_unit_test(one_of_two_sides_runs),
		cmocka_unit_test(both_sides_run_where_warps_diverge),
		cmocka_unit_test(a_loop_runs_as_often_as_counted),
		cmocka_unit_test(a_loop_left_in_its_middle_runs_as_often_as_counted),
		cmocka_unit_test(an_exit_in_a_loop_is_taken_after_as_many_rounds_by_every_warp),
		cmocka_unit_test(a_loop_in_a_loop_runs_as_often_as_counted),
		cmocka_unit_test(instructions_know_how_many_loops_are_around_them),
		cmocka_unit_test(a_loop_with_fewer_rounds_than_warps_runs_as_often_as_counted),
		cmocka_unit_test(a_kernel_may_have_any_number_of_loops),
		cmocka_unit_test(a_call_comes_back),
		cmocka_unit_test(a_profile_in_which_nothing_ran_is_refused),
		cmocka_unit_test(unknown_opcodes_are_counted_and_the_first_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
