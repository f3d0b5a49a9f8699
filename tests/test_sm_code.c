/* SPDX-License-Identifier: MIT
 * Code and parameters that are not at hand, against times worked out by hand.
 */
#include "sm_kit.h"

/* A line of parameters costs whoever asks for it first; an LDC raises a scoreboard, so only who
 * needs the value waits; a ULDC could not. */
static void lines_of_parameters_come_when_asked_for(void **state)
{
	static const char *const text[] = { "ULDC UR4, c[0x0][0x210]", "ULDC UR5, c[0x0][0x23c]",
					    "ULDC UR6, c[0x0][0x240]", "ULDC UR4, c[0x0][0x210]" };
	struct kit kit;
	struct sm_device d = round_device();
	double none[5], cold[5];
	(void)state;
	for (int n = 0; n <= 4; n++) {
		kit_begin(&kit, 32);
		for (int k = 0; k < n; k++)
			kit_add(&kit, text[k], 1, NO_SCOREBOARD, 0, KIT_WARPS);
		kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
		d.constant_cold_cycles = 0;
		none[n] = kit_cycles(&kit, &d, 1, 1, 0);
		d.constant_cold_cycles = 100;
		cold[n] = kit_cycles(&kit, &d, 1, 1, 0);
	}
	assert_true(cold[0] == none[0]);
	assert_true(cold[1] > none[1] + 90 && cold[1] <= none[1] + 100);
	assert_true(cold[2] - cold[1] <= none[2] - none[1]); /* the same line */
	assert_true(cold[3] - cold[2] > 90 && cold[3] - cold[2] <= 100 + none[3] - none[2]);
	assert_true(cold[4] - cold[3] <= none[4] - none[3]);
	assert_true(kit_cycles(&kit, &d, 2, 1, 0) <
		    cold[4] + none[4] + d.block_start_cycles + 1); /* the second block has them */

	for (int needs = 0; needs < 2; needs++) { /* the exit waits for it or does not */
		kit_begin(&kit, 32);
		kit_add(&kit, "LDC R1, c[0x0][0x28]", 1, 0, 0, KIT_WARPS);
		kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, needs ? 1 : 0, KIT_WARPS);
		double cycles = kit_cycles(&kit, &d, 1, 1, 0);
		assert_true(needs ? cycles >= 100 && cycles < 110 : cycles < 10);
	}
}

/* 40 instructions are 5 lines, 19 cycles apart. Code that issues every cycle waits for each; code
 * that takes 32 cycles a line waits for the first alone, since the next ones come meanwhile. */
static void code_that_is_not_there_is_waited_for(void **state)
{
	(void)state;
	struct kit kit;
	struct sm_device d = round_device();
	d.code_bytes = 32768;
	d.code_line_cycles = 19;
	kit_chain(&kit, 32, 39, "FADD R0, R0, R1", 1);
	assert_true(fabs(kit_cycles(&kit, &d, 1, 1, 0) - (5 * 19 + 8)) < 1e-9);
	kit_chain(&kit, 32, 39, "FADD R0, R0, R1", 4);
	assert_true(fabs(kit_cycles(&kit, &d, 1, 1, 0) - (19 + 39 * 4 + 1)) < 1e-9);
}

/* A loop of so many lines but for its first instruction, gone through so many times, one
 * instruction a cycle. */
static double loop_cycles(int lines, int rounds, double jump)
{
	struct kit kit;
	struct sm_device d = round_device();

	d.code_bytes = 4 * 128; /* one set */
	d.code_line_cycles = 19;
	d.code_jump_cycles = jump;
	d.latency[SASS_CONTROL] = 1;
	kit_begin(&kit, 32);
	kit_add(&kit, "MOV R1, RZ", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	for (int k = 0; k < 8 * lines - 2; k++)
		kit_add(&kit, "FADD R0, R1, R2", 1, NO_SCOREBOARD, 0, rounds * KIT_WARPS);
	kit_add(&kit, "@P0 BRA 0x10", 1, NO_SCOREBOARD, 0, rounds * KIT_WARPS);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	return kit_cycles(&kit, &d, 1, 1, 0);
}

/* What fits stays, with the line behind the loop, which is fetched as well. Of six lines none is
 * there when it is wanted again: a jump, six lines, and seven more issues of the last. */
static void code_that_fits_stays(void **state)
{
	(void)state;
	const double fits = loop_cycles(3, 3, 50) - loop_cycles(3, 2, 50),
		     does_not = loop_cycles(6, 3, 50) - loop_cycles(6, 2, 50);

	assert_true(fabs(fits - (3 * 8 - 1)) < 1e-9);
	assert_true(fabs(does_not - (50 + 6 * 19 + 7)) < 1e-9);
	assert_true(fabs(loop_cycles(6, 3, 70) - loop_cycles(6, 3, 50) - 2 * 20) < 1e-9);
}

/* Ten rounds, nine of which jump back. */
static void who_jumps_waits_for_what_it_jumped_to(void **state)
{
	(void)state;
	double cycles[2];
	for (int dear = 0; dear < 2; dear++) {
		struct kit kit;
		struct sm_device d = round_device();
		d.latency[SASS_CONTROL] = dear ? 25 : 5;
		kit_begin(&kit, 32);
		kit_add(&kit, "MOV R0, RZ", 4, NO_SCOREBOARD, 0, KIT_WARPS);
		kit_add(&kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 0, 10 * KIT_WARPS);
		kit_add(&kit, "@P0 BRA 0x10", 5, NO_SCOREBOARD, 0, 10 * KIT_WARPS);
		kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
		cycles[dear] = kit_cycles(&kit, &d, 1, 1, 0);
	}
	assert_true(fabs(cycles[0] - (4 + 10 * 9 + 1)) < 1e-9);
	assert_true(fabs(cycles[1] - cycles[0] - 9 * 20) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_parameters_come_when_asked_for),
		cmocka_unit_test(code_that_is_not_there_is_waited_for),
		cmocka_unit_test(code_that_fits_stays),
		cmocka_unit_test(who_jumps_waits_for_what_it_jumped_to),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
