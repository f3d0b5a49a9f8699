/* SPDX-License-Identifier: MIT
 * Counts of launches that nobody counted: from profiles that follow the law, exactly; from others
 * with a doubt that says why.
 */
#include "traces/profiles/profile_derive.h"
#include "profile_kit.h"
#include "trace_kit.h"

#include <math.h>

struct shape {
	uint32_t x, y, blocks;
	int32_t steps;
};
static double warps_of(const struct shape *s)
{
	return s->x * s->y / 32.0;
}

/* Executions by the warps of a block. */
typedef double counts_law(size_t instruction, double warps, double steps);

/* As a tree reduction: the head by each warp, the loop in each step, its middle by w + 4 warps in
 * all, the store by one. */
static double tree(size_t i, double w, double s)
{
	return i < 4 ? w : i == 4 || i == 6 ? w * s : i == 5 ? w + 4 : i == 7 ? 1 : i == 8 ? w : 0;
}

/* A loop unrolled by four. */
static double unrolled(size_t i, double w, double s)
{
	return i < 4 || i == 7 || i == 8 ? w : i < 7 ? w * s / 4 : 0;
}

/* What no law of ours has. */
static double square(size_t i, double w, double s)
{
	return i < 4 ? w : w * w + s;
}

static void add_shape(struct trace *t, int64_t id, const struct shape *s, int32_t path,
		      counts_law *law)
{
	struct trace_profile *p = add_kit_profile(t, id, "toy", s->blocks, s->x);

	p->block[1] = s->y;
	p->path = path;
	p->steps = s->steps;
	p->points = (int64_t)s->blocks * (3 * (int64_t)warps_of(s) + 2);
	p->l2_read_sectors = 10 * id;
	for (uint32_t i = 0; i < KIT_CODE; i++) {
		int64_t warps = llround(law(i, warps_of(s), s->steps) * s->blocks);

		if (warps)
			*trace_add_profile_instruction(t) = (struct trace_profile_instruction){
				.profile = id,
				.offset_bytes = 16 * i,
				.warps = warps,
				.threads = i == 5 ? 31 * warps : 32 * warps,
				.sectors_global = 8 * warps,
				.sectors_global_ideal = -1,
				.tags_global = warps,
				.wavefronts_shared = 3 * warps
			};
	}
}

/* Profiles of these shapes, ids from 1. */
static void profiles_of(struct kernel_profiles *all, const struct shape *shape, size_t count,
			int32_t path, counts_law *law)
{
	struct trace t;

	trace_init(&t);
	add_kit_code(&t, "_Z4toysPf");
	for (size_t i = 0; i < count; i++)
		add_shape(&t, (int64_t)i + 1, &shape[i], path, law);
	kernel_profiles_init(all);
	assert_int_equal(kernel_profiles_add_trace(all, &t, "x"), 0);
	trace_release(&t);
}

static void derive(const struct kernel_profiles *all, const struct shape *s, int32_t path,
		   struct profile_derived *d)
{
	const struct launch_geometry g = { .grid = { s->blocks, 1, 1 },
					   .block = { s->x, s->y, 1 },
					   .path = path,
					   .steps = s->steps };
	bool exact;
	const struct kernel_profile *nearest = kernel_profiles_find(all, "toy", &g, &exact);

	assert_non_null(nearest);
	assert_false(exact);
	profile_derive(all, nearest, &g, d);
}

static void check_law(const struct profile_derived *d, const struct shape *s, counts_law *law)
{
	double blocks = d->profile.geometry.grid[0];

	assert_int_equal(d->profile.geometry.block[0], s->x);
	assert_int_equal(d->profile.geometry.block[1], s->y);
	assert_true(fabs((double)d->profile.points / blocks - (3 * warps_of(s) + 2)) < 1e-3);
	for (size_t i = 0; i < KIT_CODE; i++) {
		const struct profile_instruction *got = &d->profile.instruction[i];
		double warps = law(i, warps_of(s), s->steps);

		if (fabs((double)got->warps / blocks - warps) > 1e-3 ||
		    fabs((double)got->sectors_global / blocks - 8 * warps) > 1e-2 ||
		    fabs((double)got->wavefronts_shared / blocks - 3 * warps) > 1e-2 ||
		    fabs((double)got->threads / blocks - (i == 5 ? 31 : 32) * warps) > 1e-1)
			fail_msg("instruction %zu: %g warps a block, not %g", i,
				 (double)got->warps / blocks, warps);
	}
}

static void a_block_follows_from_three_others(void **state)
{
	static const struct shape known[] = { { 64, 1, 1000, 6 },
					      { 128, 1, 500, 7 },
					      { 256, 1, 250, 8 } };
	static const struct shape asked[] = {
		{ 512, 1, 125, 9 }, { 1024, 1, 7, 10 }, { 32, 1, 9, 5 }, { 256, 1, 250, 80 }
	};
	struct kernel_profiles all;
	struct profile_derived d;

	(void)state;
	profiles_of(&all, known, 3, 0, tree);
	for (size_t k = 0; k < sizeof(asked) / sizeof(asked[0]); k++) {
		derive(&all, &asked[k], 0, &d);
		assert_null(d.doubt);
		assert_int_equal(d.base_count, 3);
		check_law(&d, &asked[k], tree);
		profile_derived_release(&d);
	}
	kernel_profiles_release(&all);
}

static void two_blocks_do_for_a_kernel_without_steps_and_one_more_length_for_one_with(void **state)
{
	static const struct shape flat[] = { { 32, 2, 10, 0 }, { 32, 8, 10, 0 } },
				  flat_asked = { 32, 16, 3, 0 };
	static const struct shape loop[] = { { 256, 1, 10, 64 }, { 256, 1, 10, 512 } },
				  loop_asked = { 256, 1, 90, 100 };
	struct kernel_profiles all;
	struct profile_derived d;

	(void)state;
	profiles_of(&all, flat, 2, 0, tree);
	derive(&all, &flat_asked, 0, &d);
	assert_null(d.doubt);
	check_law(&d, &flat_asked, tree);
	profile_derived_release(&d);
	kernel_profiles_release(&all);
	profiles_of(&all, loop, 2, 0, tree);
	derive(&all, &loop_asked, 0, &d);
	assert_null(d.doubt);
	check_law(&d, &loop_asked, tree);
	assert_int_equal(d.base[0]->geometry.steps, 64);
	profile_derived_release(&d);
	kernel_profiles_release(&all);
}

static void a_block_of_as_many_warps_follows_from_one(void **state)
{
	static const struct shape known[] = { { 128, 1, 40, 0 } }, asked = { 32, 4, 5, 0 };
	struct kernel_profiles all;
	struct profile_derived d;

	(void)state;
	profiles_of(&all, known, 1, 2, tree);
	derive(&all, &asked, 2, &d);
	assert_null(d.doubt);
	check_law(&d, &asked, tree);
	profile_derived_release(&d);
	kernel_profiles_release(&all);
}

static void what_does_not_follow_says_why(void **state)
{
	static const struct shape known[] = {
		{ 64, 1, 1000, 6 }, { 128, 1, 500, 7 }, { 256, 1, 250, 8 }, { 1024, 1, 60, 9 }
	};
	static const struct {
		size_t profiles;
		counts_law *law;
		int32_t path; /* of the profiles */
		struct shape asked;
		int32_t path_asked;
		const char *doubt;
	} cases[] = {
		{ 1, tree, 0, { 512, 1, 125, 9 }, 0, "too few blocks and steps were profiled" },
		{ 2, tree, 0, { 512, 1, 125, 9 }, 0, "too few blocks and steps were profiled" },
		{ 3, tree, 0, { 512, 1, 125, 9 }, 4, "path 4 was not profiled" },
		{ 3,
		  tree,
		  -1,
		  { 512, 1, 125, 9 },
		  4,
		  "this block was not profiled, and what a warp does may depend on it" },
		{ 3,
		  tree,
		  0,
		  { 512, 1, 125, -1 },
		  0,
		  "this block was not profiled, and what a warp does may depend on it" },
		{ 3,
		  tree,
		  0,
		  { 16, 8, 500, 7 },
		  0,
		  "too few blocks and steps were profiled" }, /* two rows a warp */
		{ 4,
		  square,
		  0,
		  { 512, 1, 125, 9 },
		  0,
		  "its profiles contradict each other: by those of block 64x1x1 and 6 steps it "
		  "is " },
	};
	struct kernel_profiles all;
	struct profile_derived d;

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		profiles_of(&all, known, cases[k].profiles, cases[k].path, cases[k].law);
		derive(&all, &cases[k].asked, cases[k].path_asked, &d);
		if (!d.doubt || strncmp(d.doubt, cases[k].doubt, strlen(cases[k].doubt)))
			fail_msg("case %zu: %s", k, d.doubt ? d.doubt : "no doubt");
		/* and still there are counts of all warps */
		assert_int_equal(d.profile.instruction[0].warps,
				 llround(warps_of(&cases[k].asked)) * d.profile.geometry.grid[0]);
		profile_derived_release(&d);
		kernel_profiles_release(&all);
	}
}

static void profiles_that_agree_with_the_law_raise_no_doubt(void **state)
{
	static const struct shape known[] = {
		{ 64, 1, 1000, 6 }, { 128, 1, 500, 7 }, { 256, 1, 250, 8 }, { 1024, 1, 60, 10 }
	};
	static const struct shape asked = { 512, 1, 125, 9 };
	struct kernel_profiles all;
	struct profile_derived d;

	(void)state;
	profiles_of(&all, known, 4, 0, tree);
	derive(&all, &asked, 0, &d);
	assert_null(d.doubt);
	check_law(&d, &asked, tree);
	profile_derived_release(&d);
	kernel_profiles_release(&all);
}

/* Counts that bend with the steps, as those of blocks that march from a rim do. */
static double bent(size_t i, double w, double s)
{
	return i < 1 ? w : w * (s + s * s / 100);
}

/* A line through 100 and 120 steps is off by (110 - 100) (120 - 110) / 100 = 1 of 231 at 110 steps,
 * by 24 of 96 at 60, and by 111 of 4 at 4: what the third profile says comes down with the product
 * of distances. */
static void a_profile_far_off_says_less_of_a_launch_between_its_bases(void **state)
{
	static const struct shape known[] = { { 128, 1, 1000, 4 },
					      { 128, 1, 500, 100 },
					      { 128, 1, 500, 120 } },
				  between = { 128, 1, 400, 110 }, below = { 128, 1, 400, 60 };
	struct kernel_profiles all;
	struct profile_derived d;

	(void)state;
	profiles_of(&all, known, 3, 0, bent);
	derive(&all, &between, 0, &d);
	assert_null(d.doubt);
	profile_derived_release(&d);
	derive(&all, &below, 0, &d);
	assert_non_null(d.doubt);
	assert_non_null(strstr(d.doubt, "by those of block 128x1x1 and 4 steps it is 33 % off"));
	profile_derived_release(&d);
	kernel_profiles_release(&all);
}

static void fewer_steps_than_a_loop_runs_at_once_are_doubted(void **state)
{
	static const struct shape known[] = { { 32, 2, 100, 16 },
					      { 32, 4, 100, 8 },
					      { 32, 8, 100, 4 } };
	static const struct shape asked = { 32, 16, 100, 2 }, fine = { 32, 1, 100, 32 };
	struct kernel_profiles all;
	struct profile_derived d;

	(void)state;
	profiles_of(&all, known, 3, 0, unrolled);
	derive(&all, &fine, 0, &d);
	assert_null(d.doubt);
	check_law(&d, &fine, unrolled);
	profile_derived_release(&d);
	derive(&all, &asked, 0, &d);
	assert_string_equal(d.doubt, "it has fewer steps than the loops of its profiles run at "
				     "once, in 20 % of its instructions");
	check_law(&d, &asked, unrolled); /* half a round is a round of half the warps */
	profile_derived_release(&d);
	kernel_profiles_release(&all);
}

static void a_kernel_whose_profiles_have_no_steps_has_none(void **state)
{
	static const struct shape known[] = { { 64, 1, 100, 0 }, { 256, 1, 100, 0 } };
	static const struct shape asked = { 512, 1, 100, -1 }, meant = { 512, 1, 100, 0 };
	struct kernel_profiles all;
	struct profile_derived d;

	(void)state;
	profiles_of(&all, known, 2, 0, tree);
	derive(&all, &asked, 0, &d); /* recorded by who did not note steps */
	assert_null(d.doubt);
	check_law(&d, &meant, tree);
	profile_derived_release(&d);
	kernel_profiles_release(&all);
}

static void caches_are_those_of_the_nearest_grid(void **state)
{
	/* the fourth has as many steps of warps as is asked for, the third is nearest in shape */
	static const struct shape known[] = { { 64, 1, 1000, 6 },
					      { 128, 1, 10, 7 },
					      { 256, 1, 10, 8 },
					      { 64, 1, 12000, 6 },
					      { 128, 1, 4100, 7 } };
	static const struct shape asked = { 512, 1, 1000, 9 };
	struct kernel_profiles all;
	struct profile_derived d;

	(void)state;
	profiles_of(&all, known, 5, 0, tree);
	derive(&all, &asked, 0, &d);
	assert_null(d.doubt);
	check_law(&d, &asked, tree);
	assert_ptr_equal(d.memory, &all.profile[3]);
	assert_int_equal(d.profile.l2_read_sectors, 40);
	assert_ptr_equal(d.base[0], &all.profile[2]);
	profile_derived_release(&d);
	kernel_profiles_release(&all);
}

static void what_was_not_measured_stays_so(void **state)
{
	static const struct shape known[] = { { 64, 1, 100, 0 }, { 256, 1, 100, 0 } },
				  asked = { 512, 1, 100, 0 };
	struct kernel_profiles all;
	struct profile_derived d;

	(void)state;
	profiles_of(&all, known, 2, 0, tree);
	derive(&all, &asked, 0, &d);
	assert_int_equal(d.profile.instruction[0].sectors_global_ideal, -1);
	assert_int_equal(d.profile.instruction[KIT_CODE - 1].sectors_global_ideal,
			 0); /* it never ran */
	profile_derived_release(&d);
	kernel_profiles_release(&all);
}

static void profiles_of_another_build_or_path_say_nothing(void **state)
{
	static const struct shape here = { 64, 1, 100, 0 }, there = { 256, 1, 100, 0 },
				  asked = { 512, 1, 100, 0 };
	static const struct {
		uint32_t length;
		uint64_t other;
		int32_t path;
	} cases[] = { { 2, 0, 0 }, { KIT_CODE, 1, 0 }, { KIT_CODE, 0, 1 } };

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct kernel_profiles all;
		struct profile_derived d;
		struct trace t;

		profiles_of(&all, &there, 1, 0, tree);
		trace_init(&t);
		for (uint32_t i = 0; i < cases[k].length; i++)
			*trace_add_profile_code(&t) = (struct trace_profile_code){
				.symbol = trace_string(&t, "_Z4toysPf"),
				.offset_bytes = 16 * i,
				.code_low = (int64_t)(kit_code[i].low ^ cases[k].other),
				.code_high = (int64_t)kit_code[i].high,
				.text = trace_string(&t, kit_code[i].text)
			};
		add_kit_profile(&t, 1, "toy", here.blocks, here.x)->path = cases[k].path;
		*trace_add_profile_instruction(&t) = (struct trace_profile_instruction){
			.profile = 1, .warps = 200, .threads = 6400
		};
		assert_int_equal(kernel_profiles_add_trace(&all, &t, "y"), 0);
		trace_release(&t);
		derive(&all, &asked, 0, &d);
		assert_string_equal(d.doubt, "too few blocks and steps were profiled");
		assert_int_equal(d.base_count, 1);
		assert_int_equal(d.profile.instruction_count, KIT_CODE);
		profile_derived_release(&d);
		kernel_profiles_release(&all);
	}
}

static void a_loop_of_another_length_was_not_counted(void **state)
{
	static const struct shape known[] = { { 256, 1, 10, 64 },
					      { 256, 1, 10, 512 },
					      { 128, 1, 10, 100 } };
	struct launch_geometry g = { .grid = { 10, 1, 1 }, .block = { 256, 1, 1 }, .steps = 512 };
	struct kernel_profiles all;
	bool exact;

	(void)state;
	profiles_of(&all, known, 3, 0, tree);
	assert_int_equal(kernel_profiles_find(&all, "toy", &g, &exact)->geometry.steps, 512);
	assert_true(exact);
	g.steps = 400;
	assert_int_equal(kernel_profiles_find(&all, "toy", &g, &exact)->geometry.steps, 512);
	assert_false(exact);
	g.steps = 90; /* half as many warps, and nearly as many steps: further than 64 */
	assert_int_equal(kernel_profiles_find(&all, "toy", &g, &exact)->geometry.steps, 64);
	assert_false(exact);
	kernel_profiles_drop(&all, "toy", &g); /* nothing is of that length */
	assert_int_equal(all.count, 3);
	g.steps = 64;
	kernel_profiles_drop(&all, "toy", &g);
	assert_int_equal(all.count, 2);
	kernel_profiles_release(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_follows_from_three_others),
		cmocka_unit_test(
			two_blocks_do_for_a_kernel_without_steps_and_one_more_length_for_one_with),
		cmocka_unit_test(a_block_of_as_many_warps_follows_from_one),
		cmocka_unit_test(what_does_not_follow_says_why),
		cmocka_unit_test(profiles_that_agree_with_the_law_raise_no_doubt),
		cmocka_unit_test(a_profile_far_off_says_less_of_a_launch_between_its_bases),
		cmocka_unit_test(fewer_steps_than_a_loop_runs_at_once_are_doubted),
		cmocka_unit_test(a_kernel_whose_profiles_have_no_steps_has_none),
		cmocka_unit_test(caches_are_those_of_the_nearest_grid),
		cmocka_unit_test(what_was_not_measured_stays_so),
		cmocka_unit_test(profiles_of_another_build_or_path_say_nothing),
		cmocka_unit_test(a_loop_of_another_length_was_not_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
