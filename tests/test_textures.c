/* SPDX-License-Identifier: MIT
 * Texture loads: what they ask of L1 and L2, which no counter of an instruction says, and how long
 * the texture units have to do.
 */
#include "sm_kit.h"
enum { LOADS = 16 };

static void channels_of_a_texel_are_four_bytes_each(void **state)
{
	static const struct {
		const char *text;
		int bytes;
	} cases[] = {
		{ "TLD.LZ RZ, R8, R8, UR4, 0x0, 1D, 0x1", 4 },
		{ "@!P1 TLD.LZ RZ, R8, R8, UR4, 0x0, 1D, 0x3 ;", 8 },
		{ "TEX.B.LL R6, R4, R4, UR4, 0x0, 2D, 0xf", 16 },
		{ "TEX.SCR R6, R4, R4, UR4, 0x0, 2D", 4 }, /* names none */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sass_instruction in;

		sass_decode(&in, cases[i].text, (uint64_t[2]){ 0, 0 }, 0);
		assert_true(in.is_texture);
		assert_int_equal(in.access_bytes, cases[i].bytes);
	}
}

/* Loads of `text` by every thread of every warp, then the end. */
static void fetch(struct kit *kit, uint32_t threads, const char *text)
{
	kit_begin(kit, threads);
	for (int k = 0; k < LOADS; k++)
		kit_add(kit, text, 1, 0, 0, KIT_WARPS)->sectors_global = 0;
	kit_add(kit, "EXIT", 1, NO_SCOREBOARD, 1, KIT_WARPS);
}

static const char word[] = "TLD.LZ RZ, R8, R8, UR4, 0x0, 1D, 0x1",
		  two[] = "TLD.LZ RZ, R8, R8, UR4, 0x0, 1D, 0x3";

/* 32 texels of 8 bytes are 8 sectors, 2 lines, of 16 loads 128 sectors a warp. */
static void texels_lie_side_by_side_where_nobody_counted(void **state)
{
	struct kit kit;

	(void)state;
	fetch(&kit, 128, two);
	kernel_profile_mend_sectors(&kit.profile);
	assert_int_equal(kit.instruction[3].sectors_global, 8 * KIT_WARPS);
	assert_int_equal(kit.instruction[3].tags_global, 2 * KIT_WARPS);
	assert_int_equal(kit.profile.l1_load_sectors, -1);
}

/* Each warp also loads 40 sectors by address, and 232 come from L2: 192 are of textures, 12 a load.
 */
static void what_l2_counted_beyond_other_loads_is_of_textures(void **state)
{
	struct kit kit;
	struct warp_program program;

	(void)state;
	fetch(&kit, 128, two);
	kit.profile.l1_load_sectors = 40 * (int64_t)KIT_WARPS;
	kit.profile.l2_read_sectors = 232 * (int64_t)KIT_WARPS;
	kernel_profile_mend_sectors(&kit.profile);
	assert_int_equal(kit.instruction[0].sectors_global, 12 * KIT_WARPS);
	assert_int_equal(kit.instruction[0].tags_global, 3 * KIT_WARPS);
	assert_int_equal(kit.profile.l1_load_sectors, 232 * KIT_WARPS);
	kit_program(&kit, &program);
	assert_true(fabs(program.l2_read_bytes - 192 * 32) < 1e-6);
	assert_true(fabsf(program.step[0].texels - 64) < 1e-6f);
	warp_program_release(&program);
}

/* L2 counted fewer than the texels have: L1 had the others, and the engine asks L2 for the share.
 */
static void l1_has_texels_that_l2_did_not_count(void **state)
{
	struct kit kit;
	struct warp_program program;

	(void)state;
	fetch(&kit, 128, two);
	kit.profile.l1_load_sectors = 0;
	kit.profile.l2_read_sectors = 32 * (int64_t)KIT_WARPS;
	kernel_profile_mend_sectors(&kit.profile);
	assert_int_equal(kit.instruction[0].sectors_global, 8 * KIT_WARPS);
	kit_program(&kit, &program);
	assert_true(fabsf(program.step[0].l2_share - 0.25f) < 1e-6f);
	warp_program_release(&program);
}

static void loads_by_address_stay_as_they_were_counted(void **state)
{
	struct kit kit;

	(void)state;
	kit_begin(&kit, 128);
	kit_add(&kit, "LDG.E R0, [R2.64]", 1, 0, 0, KIT_WARPS)->sectors_global = 0;
	kit.profile.l1_load_sectors = 0;
	kit.profile.l2_read_sectors = 7;
	kernel_profile_mend_sectors(&kit.profile);
	assert_int_equal(kit.instruction[0].sectors_global, 0);
	assert_int_equal(kit.profile.l1_load_sectors, 0);
}

/* A block of 32 warps that loads from L1 alone. */
static double cycles_of(const char *text, double interval, int lanes)
{
	struct kit kit;
	struct warp_program program;
	struct sm_device d = round_device();
	struct sm_run run;
	double cycles;

	fetch(&kit, 1024, text);
	for (int k = 0; k < LOADS; k++)
		kit.instruction[k].threads = (int64_t)lanes * KIT_WARPS;
	kit.profile.l1_load_sectors = kit.profile.l2_read_sectors = 0;
	kernel_profile_mend_sectors(&kit.profile);
	d.texture_interval = interval;
	kit_program(&kit, &program);
	kit_run(&d, &program, 1, 1, 0, &run);
	cycles = run.cycles;
	sm_run_release(&run);
	warp_program_release(&program);
	return cycles;
}

/* 32 warps of 16 loads each: 512 loads, one after the other through the units of the whole
 * multiprocessor, four texels of 32 bits a cycle; then the last one's latency, 30 cycles. */
static void texture_units_take_four_texels_a_cycle(void **state)
{
	static const struct {
		const char *text;
		double interval;
		int lanes;
		double each;
	} cases[] = {
		{ word, 8, 32, 8 },   { two, 8, 32, 16 }, { word, 8, 16, 4 },
		{ word, 16, 32, 16 }, { word, 0, 32, 1 }, /* not known: as a load by address, a line
							   */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const double cycles = cycles_of(cases[i].text, cases[i].interval, cases[i].lanes),
			     wanted = 512 * cases[i].each + 30;
		if (fabs(cycles - wanted) > 0.03 * wanted)
			fail_msg("case %zu: %g cycles, not %g", i, cycles, wanted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(channels_of_a_texel_are_four_bytes_each),
		cmocka_unit_test(texels_lie_side_by_side_where_nobody_counted),
		cmocka_unit_test(what_l2_counted_beyond_other_loads_is_of_textures),
		cmocka_unit_test(l1_has_texels_that_l2_did_not_count),
		cmocka_unit_test(loads_by_address_stay_as_they_were_counted),
		cmocka_unit_test(texture_units_take_four_texels_a_cycle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
