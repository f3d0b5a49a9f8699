/* SPDX-License-Identifier: MIT
 * Which way warps go where counts say how many, and the machine code whose choice it is.
 */
#include "sm_kit.h"

/* Every other round has the chain: of all warps, or of every other warp, and so all rounds. */
static void warps_that_meet_go_the_way_of_their_block(void **state)
{
	enum { ROUNDS = 8, LONG = 10, STALL = 15 };
	(void)state;
	struct sm_device d = round_device();
	double cycles[3];
	for (int own = 0; own < 3; own++) {
		struct kit kit;
		kit_begin(&kit, 64);
		kit_add(&kit, own == 1 ? "S2R R0, SR_TID.X" : "S2R R0, SR_CTAID.X", 1,
			NO_SCOREBOARD, 0, KIT_WARPS);
		kit_add(&kit, "MOV R3, RZ", 1, NO_SCOREBOARD, 0, KIT_WARPS);
		kit_add(&kit, "ISETP.NE.AND P0, PT, R0, RZ, PT", 1, NO_SCOREBOARD, 0,
			ROUNDS * KIT_WARPS);
		kit_add(&kit, "ISETP.NE.AND P1, PT, R3, c[0x0][0x210], PT", 1, NO_SCOREBOARD, 0,
			ROUNDS * KIT_WARPS);
		kit_add(&kit, "@P0 BRA 0xf0", 1, NO_SCOREBOARD, 0, ROUNDS * KIT_WARPS);
		for (int k = 0; k < LONG; k++)
			kit_add(&kit, "FADD R1, R1, R2", STALL, NO_SCOREBOARD, 0,
				ROUNDS * KIT_WARPS / 2);
		kit_add(&kit, "BAR.SYNC 0x0", 1, NO_SCOREBOARD, 0, ROUNDS * KIT_WARPS);
		kit_add(&kit, "@P1 BRA 0x20", 5, NO_SCOREBOARD, 0, ROUNDS * KIT_WARPS);
		kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
		if (own == 2)
			d.mechanisms.off[MECHANISM_BLOCK_BRANCHES] = true;
		cycles[own] = kit_cycles(&kit, &d, 1, 1, 0);
	}
	assert_true(fabs(cycles[1] - cycles[0] - ROUNDS / 2 * LONG * STALL) < 80);
	assert_true(cycles[2] == cycles[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(warps_that_meet_go_the_way_of_their_block),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
