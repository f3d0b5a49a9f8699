/* SPDX-License-Identifier: MIT
 * Counts of a launch between those of two others whose blocks differ in what they have to do.
 */
#include "traces/profiles/profile_rim.h"
#include "profile_kit.h"
#include "trace_kit.h"

#include <math.h>

/* Blocks of 128 threads: each runs the first two instructions with four warps, and the others with
 * so many as have points. */
static void add_blocks(struct trace *t, int64_t id, uint32_t blocks, int64_t points, int64_t warps)
{
	struct trace_profile *p = add_kit_profile(t, id, "toy", blocks, 128);

	p->path = 0;
	p->points = blocks * points;
	for (uint32_t i = 0; i < KIT_CODE; i++) {
		const int64_t all = blocks * (i < 2 ? 4 : warps);

		*trace_add_profile_instruction(t) = (struct trace_profile_instruction){
			.profile = id, .offset_bytes = 16 * i, .warps = all, .threads = 32 * all
		};
	}
}

/* 1000 blocks of 2048 points run their third instruction with four warps, 500 of 1024 with one. Of
 * 1536 points a block it is 2.5; below 512 there would be less than none; and without points, or
 * with next to none, the grid's rim tells nothing. */
static void blocks_half_empty_run_what_lies_between(void **state)
{
	static const struct {
		int64_t points;
		bool told;
		double warps;
	} cases[] = { { 800 * 2048, true, 4 }, { 800 * 1536, true, 2.5 }, { 800 * 1024, true, 1 },
		      { 800 * 512, true, 0 },  { 1, false, 0 },		  { 0, false, 0 } };
	const struct launch_geometry g = { .grid = { 800, 1, 1 }, .block = { 128, 1, 1 } };
	struct kernel_profiles all;
	struct trace t;

	(void)state;
	trace_init(&t);
	add_kit_code(&t, "_Z4toysPf");
	add_blocks(&t, 1, 500, 1024, 1);
	add_blocks(&t, 2, 1000, 2048, 4);
	kernel_profiles_init(&all);
	assert_int_equal(kernel_profiles_add_trace(&all, &t, "x"), 0);
	trace_release(&t);
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct profile_derived d = { 0 };
		bool exact;
		const struct kernel_profile *nearest =
			kernel_profiles_find(&all, "toy", &g, &exact);
		const struct profile_rim rim = profile_rim_of(nearest, &g, cases[k].points);
		const bool told = profile_between(&all, nearest, &g, &rim, &d);

		assert_true(exact);
		assert_int_equal(told, cases[k].told);
		if (told) {
			const double blocks = d.profile.geometry.grid[0];

			assert_true(fabs((double)d.profile.instruction[0].warps / blocks - 4) <
				    0.01);
			assert_true(fabs((double)d.profile.instruction[2].warps / blocks -
					 cases[k].warps) < 0.01);
		}
		profile_derived_release(&d);
	}
	kernel_profiles_release(&all);
}

/* A grid whose blocks run the third instruction 6 times, those of the first row 20 times more and
 * those of the last column once more. */
static void add_grid(struct trace *t, int64_t id, uint32_t columns, uint32_t rows)
{
	struct trace_profile *p = add_kit_profile(t, id, "toy", columns, 128);

	p->grid[1] = rows;
	p->path = 0;
	for (uint32_t i = 0; i < KIT_CODE; i++) {
		const int64_t all =
			i == 2 ? 6 * columns * rows + 20 * columns + rows : 4 * columns * rows;

		*trace_add_profile_instruction(t) = (struct trace_profile_instruction){
			.profile = id, .offset_bytes = 16 * i, .warps = all, .threads = 32 * all
		};
	}
}

/* Of two grids as wide as high nobody knows rows from columns; a third one tells. */
static void three_grids_tell_rows_from_columns(void **state)
{
	static const struct {
		uint32_t columns, rows;
	} wanted[] = { { 32, 8 }, { 8, 32 }, { 16, 16 } };
	(void)state;
	for (int grids = 2; grids <= 3; grids++) {
		struct kernel_profiles all;
		struct trace t;

		trace_init(&t);
		add_kit_code(&t, "_Z4toysPf");
		add_grid(&t, 1, 8, 8);
		add_grid(&t, 2, 64, 64);
		if (grids > 2)
			add_grid(&t, 3, 64, 8);
		kernel_profiles_init(&all);
		assert_int_equal(kernel_profiles_add_trace(&all, &t, "x"), 0);
		trace_release(&t);
		for (size_t k = 0; k < sizeof(wanted) / sizeof(wanted[0]); k++) {
			const double x = wanted[k].columns, y = wanted[k].rows;
			const struct launch_geometry g = { .grid = { wanted[k].columns,
								     wanted[k].rows, 1 },
							   .block = { 128, 1, 1 } };
			struct profile_derived d = { 0 };
			bool exact;
			const struct kernel_profile *nearest =
				kernel_profiles_find(&all, "toy", &g, &exact);
			const struct profile_rim rim = profile_rim_of(nearest, &g, 0);

			assert_true(profile_between(&all, nearest, &g, &rim, &d));
			assert_int_equal(d.base_count, grids);
			const double off = (double)d.profile.instruction[2].warps /
						   d.profile.geometry.grid[0] -
					   (6 + 20 / y + 1 / x);
			if (grids > 2)
				assert_true(fabs(off) < 0.01);
			else
				assert_true((fabs(off) < 0.1) == (x == y));
			profile_derived_release(&d);
		}
		kernel_profiles_release(&all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_half_empty_run_what_lies_between),
		cmocka_unit_test(three_grids_tell_rows_from_columns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
