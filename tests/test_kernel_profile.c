/* SPDX-License-Identifier: MIT
 * Kernel profiles: read from a trace as they were written, found for a launch.
 */
#include "traces/profiles/profile_derive.h"
#include "profile_kit.h"
#include "trace_kit.h"

static void a_profile_comes_back_from_a_file(void **state)
{
	static const char *const names[] = { "profile.sqlite", "profile.sqlite.zst" };

	(void)state;
	for (int n = 0; n < 2; n++) {
		char *path = in_directory(names[n]);
		struct kernel_profiles all;
		const struct kernel_profile *p;
		struct trace t;

		trace_init(&t);
		fill_profile(&t);
		assert_int_equal(trace_write(&t, path), 0);
		trace_release(&t);
		kernel_profiles_init(&all);
		assert_int_equal(kernel_profiles_add_file(&all, path), 0);
		assert_int_equal(all.count, 1);
		assert_string_equal(all.source, path);
		p = all.profile;
		assert_string_equal(p->kernel, "toy");
		assert_string_equal(p->symbol, "_Z4toysPf");
		assert_string_equal(p->isa, "sm_90");
		assert_int_equal(p->geometry.grid[0], 8);
		assert_int_equal(p->geometry.block[0], 64);
		assert_int_equal(p->geometry.path, -1);
		assert_int_equal(p->registers, 20);
		assert_int_equal(p->dram_read_bytes, 1536);
		assert_int_equal(p->dram_write_bytes, -1);
		assert_int_equal(profile_warps(p), 16);
		assert_int_equal(profile_block_threads(p), 64);
		assert_int_equal(p->instruction_count, KIT_CODE);
		for (size_t i = 0; i < p->instruction_count; i++) {
			assert_int_equal(p->instruction[i].offset, 16 * i);
			assert_int_equal(p->instruction[i].code[0], kit_code[i].low);
			assert_int_equal(p->instruction[i].code[1], kit_code[i].high);
			assert_string_equal(p->instruction[i].text, kit_code[i].text);
			assert_int_equal(p->instruction[i].warps, kit_code[i].warps);
			assert_int_equal(p->instruction[i].threads, kit_code[i].threads);
		}
		assert_int_equal(p->instruction[4].wavefronts_shared, 512);
		assert_int_equal(p->instruction[9].wavefronts_shared, 0); /* it did not run */
		kernel_profiles_release(&all);
		free(path);
	}
}

static void what_was_not_counted_is_unknown(void **state)
{
	struct kernel_profiles all;
	struct trace t;

	(void)state;
	trace_init(&t);
	fill_profile(&t);
	t.profile_instruction_count = 0;
	kernel_profiles_init(&all);
	assert_int_equal(kernel_profiles_add_trace(&all, &t, "x"), 0);
	for (size_t i = 0; i < all.profile[0].instruction_count; i++)
		assert_int_equal(all.profile[0].instruction[i].warps, -1);
	kernel_profiles_release(&all);
	trace_release(&t);
}

static void two_files_make_one_set_unless_they_disagree(void **state)
{
	struct kernel_profiles all;
	struct trace first, second;
	char *said;

	(void)state;
	trace_init(&first);
	trace_init(&second);
	fill_profile(&first);
	fill_profile(&second);
	second.profile[0].kernel = trace_string(&second, "other");
	kernel_profiles_init(&all);
	assert_int_equal(kernel_profiles_add_trace(&all, &first, "a"), 0);
	assert_int_equal(kernel_profiles_add_trace(&all, &second, "b"), 0);
	assert_int_equal(all.count, 2);
	assert_string_equal(all.source, "a,b");
	hear();
	assert_int_equal(kernel_profiles_add_trace(&all, &first, "c"), -1);
	said = heard();
	assert_non_null(strstr(said, "c: kernel toy: a launch that a,b has, too"));
	free(said);
	kernel_profiles_release(&all);
	second.profile[0].isa = trace_string(&second, "sm_100");
	kernel_profiles_init(&all);
	assert_int_equal(kernel_profiles_add_trace(&all, &first, "a"), 0);
	hear();
	assert_int_equal(kernel_profiles_add_trace(&all, &second, "b"), -1);
	said = heard();
	assert_non_null(strstr(
		said, "b: kernel other: code of sm_100, but the profiles of a are of sm_90"));
	free(said);
	kernel_profiles_release(&all);
	trace_release(&first);
	trace_release(&second);
}

static void a_trace_without_profiles_is_refused_as_a_file_only(void **state)
{
	char *path = in_directory("none.sqlite"), *said;
	struct kernel_profiles all;
	struct trace t;

	(void)state;
	trace_init(&t);
	trace_set_meta(&t, "command", "x");
	assert_int_equal(trace_write(&t, path), 0);
	kernel_profiles_init(&all);
	assert_int_equal(kernel_profiles_add_trace(&all, &t, "x"), 0);
	hear();
	assert_int_equal(kernel_profiles_add_file(&all, path), -1);
	said = heard();
	assert_non_null(strstr(said, "none.sqlite: holds no kernel profiles"));
	free(said);
	kernel_profiles_release(&all);
	trace_release(&t);
	free(path);
}

static void the_profile_of_a_launch_agrees_in_path_then_block_then_grid(void **state)
{
	static const struct {
		int64_t id;
		uint32_t blocks, threads;
		int32_t path;
	} profiles[] = { { 1, 8, 64, 0 },
			 { 2, 800, 64, 0 },
			 { 3, 100, 128, 0 },
			 { 4, 100, 256, 1 },
			 { 5, 50, 512, -1 } };
	static const struct {
		uint32_t blocks, threads;
		int32_t path;
		uint32_t found_blocks, found_threads;
		bool exact;
	} cases[] = {
		{ 8, 64, 0, 8, 64, true },
		{ 79, 64, 0, 8, 64, true }, /* 79 / 8 is less than 800 / 79 */
		{ 81, 64, 0, 800, 64, true },
		{ 100000, 64, 0, 800, 64, true },
		{ 1, 128, 0, 100, 128, true },
		{ 100, 32, 0, 8, 64, false },  /* the nearest block */
		{ 8, 64, 1, 100, 256, false }, /* path before block */
		{ 8, 64, 7, 50, 512, false },
		{ 50, 512, 7, 50, 512, true }, /* a path nobody noted agrees with any */
		{ 8, 64, -1, 8, 64, true },
		{ 90, 256, -1, 100, 256, true },
	};
	struct launch_geometry geometry = { .grid = { 1, 1, 1 },
					    .block = { 1, 1, 1 },
					    .steps = -1 };
	struct kernel_profiles all;
	struct trace t;
	bool exact = true;

	(void)state;
	trace_init(&t);
	add_kit_code(&t, "_Z4toysPf");
	for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
		add_kit_profile(&t, profiles[i].id, "toy", profiles[i].blocks, profiles[i].threads)
			->path = profiles[i].path;
	kernel_profiles_init(&all);
	assert_int_equal(kernel_profiles_add_trace(&all, &t, "x"), 0);
	assert_null(kernel_profiles_find(&all, "toy", &geometry,
					 NULL)); /* only hardware counters so far */
	for (size_t i = 0; i < all.count; i++)
		all.profile[i].instruction[0].warps = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct kernel_profile *p;

		geometry.grid[0] = cases[i].blocks;
		geometry.block[0] = cases[i].threads;
		geometry.path = cases[i].path;
		p = kernel_profiles_find(&all, "toy", &geometry, &exact);
		assert_non_null(p);
		if (p->geometry.grid[0] != cases[i].found_blocks ||
		    p->geometry.block[0] != cases[i].found_threads || exact != cases[i].exact)
			fail_msg("case %zu: %u blocks of %u threads, %s", i, p->geometry.grid[0],
				 p->geometry.block[0], exact ? "exact" : "not exact");
	}
	assert_null(kernel_profiles_find(&all, "toyota", &geometry, &exact));
	assert_false(exact);
	assert_non_null(kernel_profiles_find(&all, "_Z4toysPf", &geometry, NULL));
	kernel_profiles_release(&all);
	trace_release(&t);
}

static void opcodes_nobody_knows_are_named_once(void **state)
{
	struct kernel_profiles all;
	struct trace t;
	int64_t executed;
	char *names;

	(void)state;
	trace_init(&t);
	fill_profile(&t);
	t.profile_code[1].text = trace_string(&t, "FOO.E R8, [R2]");
	t.profile_code[4].text = trace_string(&t, "FOO R1, R2");
	t.profile_code[5].text = trace_string(&t, "FOOBAR R1, R2");
	t.profile_code[9].text = trace_string(&t, "NEVERRAN");
	kernel_profiles_init(&all);
	assert_int_equal(kernel_profiles_add_trace(&all, &t, "x"), 0);
	assert_int_equal(profile_unknown_opcodes(&all.profile[0], &names, &executed), 2);
	assert_string_equal(names, "FOO, FOOBAR");
	assert_int_equal(executed, 16 + 64 + 64);
	free(names);
	kernel_profiles_release(&all);
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_comes_back_from_a_file),
		cmocka_unit_test(what_was_not_counted_is_unknown),
		cmocka_unit_test(two_files_make_one_set_unless_they_disagree),
		cmocka_unit_test(a_trace_without_profiles_is_refused_as_a_file_only),
		cmocka_unit_test(the_profile_of_a_launch_agrees_in_path_then_block_then_grid),
		cmocka_unit_test(opcodes_nobody_knows_are_named_once),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
