/* SPDX-License-Identifier: MIT
 * Which branches a block's warps take alike, on code written down by hand.
 */
#include "support.h"

#include <stdint.h>

#include "traces/profiles/sass_uniform.h"

enum { MOST = 16 };

struct line {
	const char *text;
	size_t target; /* 0: goes nowhere */
	int alike;     /* -1: no guard to ask for */
};

static void check(const struct line *line, size_t count)
{
	const char *text[MOST];
	size_t target[MOST];
	bool alike[MOST];

	for (size_t k = 0; k < count; k++) {
		text[k] = line[k].text;
		target[k] = line[k].target ? line[k].target : SIZE_MAX;
	}
	sass_uniform(text, target, count, alike);
	for (size_t k = 0; k < count; k++)
		if (line[k].alike >= 0)
			assert_int_equal(alike[k], line[k].alike);
}

#define CHECK(...)                                                                                 \
	do {                                                                                       \
		const struct line lines_[] = { __VA_ARGS__ };                                      \
		check(lines_, sizeof(lines_) / sizeof(lines_[0]));                                 \
	} while (0)

static void a_block_s_place_and_parameters_are_alike(void **state)
{
	(void)state;
	CHECK({ "S2R R18, SR_CTAID.X ;", 0, -1 }, { "ULDC UR4, c[0x0][0x0] ;", 0, -1 },
	      { "LDC R3, c[0x0][0x258] ;", 0, -1 }, { "VIADDMNMX R14, R18, R3, UR4, PT ;", 0, -1 },
	      { "ISETP.GE.AND P0, PT, R14, 0x1, PT ;", 0, -1 }, { "@!P0 EXIT ;", 0, 1 },
	      { "ISETP.EQ.OR P1, PT, R3, RZ, !P0 ;", 0, -1 }, { "@P1 BRA 0x80 ;", 8, 1 },
	      { "EXIT ;", 0, -1 });
}

static void a_thread_s_place_and_what_comes_of_it_are_not(void **state)
{
	(void)state;
	CHECK({ "S2R R0, SR_TID.X ;", 0, -1 }, { "SHF.R.S32.HI R1, RZ, 0x5, R0 ;", 0, -1 },
	      { "R2UR UR4, R1 ;", 0, -1 }, { "UISETP.NE.AND UP0, UPT, UR4, URZ, UPT ;", 0, -1 },
	      { "PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0 ;", 0, -1 }, { "@P0 EXIT ;", 0, 0 },
	      { "LDG.E R0, desc[UR6][R2.64] ;", 0, -1 },
	      { "ISETP.NE.AND P1, PT, R0, RZ, PT ;", 0, -1 }, { "@P1 EXIT ;", 0, 0 },
	      { "MOV R0, 0x3 ;", 0, -1 }, { "ISETP.NE.AND P1, PT, R0, RZ, PT ;", 0, -1 },
	      { "@P1 EXIT ;", 0, 1 });
}

static void what_only_some_warps_set_is_not_alike(void **state)
{
	(void)state;
	CHECK({ "S2R R0, SR_TID.X ;", 0, -1 }, { "MOV R1, 0x1 ;", 0, -1 },
	      { "ISETP.GE.AND P0, PT, R0, 0x20, PT ;", 0, -1 }, { "@P0 BRA 0x50 ;", 5, 0 },
	      { "MOV R1, 0x2 ;", 0, -1 }, { "ISETP.NE.AND P1, PT, R1, 0x1, PT ;", 0, -1 },
	      { "@P1 EXIT ;", 0, 0 }, { "EXIT ;", 0, -1 });
}

/* R1 is alike at first, and not any more when the loop comes back. */
static void a_loop_brings_back_what_differs(void **state)
{
	(void)state;
	CHECK({ "S2R R0, SR_TID.X ;", 0, -1 }, { "LDC R2, c[0x0][0x210] ;", 0, -1 },
	      { "MOV R1, 0x1 ;", 0, -1 }, { "ISETP.NE.AND P1, PT, R1, 0x1, PT ;", 0, -1 },
	      { "@P1 EXIT ;", 0, 0 }, { "IADD3 R1, R1, R0, RZ ;", 0, -1 },
	      { "ISETP.NE.AND P2, PT, R2, RZ, PT ;", 0, -1 }, { "@P2 BRA 0x30 ;", 3, 1 },
	      { "EXIT ;", 0, -1 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_s_place_and_parameters_are_alike),
		cmocka_unit_test(a_thread_s_place_and_what_comes_of_it_are_not),
		cmocka_unit_test(what_only_some_warps_set_is_not_alike),
		cmocka_unit_test(a_loop_brings_back_what_differs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
