/* SPDX-License-Identifier: MIT
 * Which launches the recorder counts (recorder_profile_shape.c): by name, by the one shape asked
 * for, and by how many grids there were.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "traces/recorder/recorder_profile_shape.c"

struct recorder recorder;

void profile_write_cubins(struct profile *profile, const char *symbol)
{
	(void)profile;
	(void)symbol;
}

static struct launch_call launch(uint32_t grid, uint32_t block, uint32_t shared)
{
	return (struct launch_call){ .grid = { grid, 1, 1 },
				     .block = { block, 1, 1 },
				     .dynamic_shared_bytes = shared };
}

static uint32_t found(struct profile *profile, const char *symbol, uint32_t grid, uint32_t block,
		      uint32_t shared)
{
	const struct launch_call call = launch(grid, block, shared);

	return profile_find_shape(profile, symbol, &call, NULL);
}

static void forget(struct profile *profile)
{
	for (uint32_t i = 0; i < profile->shape_count; i++)
		free(profile->shape[i].symbol);
	free(profile->shape);
	for (uint32_t i = 0; i < profile->others; i++)
		free(profile->other[i]);
}

static void launches_of_one_grid_are_one_shape_and_other_grids_are_others(void **state)
{
	struct profile profile = { 0 };

	(void)state;
	assert_int_equal(found(&profile, "_Z3st7Pf", 64, 256, 0), 0);
	assert_int_equal(found(&profile, "_Z3st7Pf", 128, 256, 0), 1);
	assert_int_equal(found(&profile, "_Z4histPj", 64, 256, 0), 2);
	assert_int_equal(found(&profile, "_Z3st7Pf", 64, 256, 0), 0);
	forget(&profile);
}

static void a_kernel_is_found_by_its_symbol_or_the_name_in_it(void **state)
{
	static char by_name[] = "st7", by_pattern[] = "hist\nsp*";
	struct profile profile = { .kernels = by_name };
	char lines[64];

	(void)state;
	assert_int_equal(found(&profile, "_Z3st7Pf", 64, 256, 0), 0);
	assert_int_equal(found(&profile, "_Z4histPj", 64, 256, 0), SPOOL_NONE);
	assert_int_equal(found(&profile, "_Z4histPj", 32, 256, 0), SPOOL_NONE);
	assert_int_equal(found(&profile, "plain", 32, 256, 0), SPOOL_NONE);
	/* for whoever asked in vain: each once, as far as there is room */
	profile_list_others(&profile, lines, sizeof(lines));
	assert_string_equal(lines, "hist\nplain\n");
	profile_list_others(&profile, lines, 6);
	assert_string_equal(lines, "hist\n");
	forget(&profile);
	profile = (struct profile){ .kernels = by_pattern };
	assert_int_equal(found(&profile, "_Z3st7Pf", 64, 256, 0), SPOOL_NONE);
	assert_int_equal(found(&profile, "_Z4histPj", 64, 256, 0), 0);
	assert_int_equal(found(&profile, "_Z4spmvPi", 64, 256, 0), 1);
	forget(&profile);
}

static void where_one_shape_is_asked_for_no_other_is_counted(void **state)
{
	struct profile profile = { .only = { 128, 1, 1, 256, 1, 1, 48 }, .only_one = true };

	(void)state;
	assert_int_equal(found(&profile, "_Z3st7Pf", 64, 256, 48), SPOOL_NONE);
	assert_int_equal(found(&profile, "_Z3st7Pf", 128, 128, 48), SPOOL_NONE);
	assert_int_equal(found(&profile, "_Z3st7Pf", 128, 256, 0), SPOOL_NONE);
	assert_int_equal(found(&profile, "_Z3st7Pf", 128, 256, 48), 0);
	forget(&profile);
}

static void past_so_many_grids_of_a_kernel_no_other_is_counted(void **state)
{
	struct profile profile = { .grids = 2 };

	(void)state;
	assert_int_equal(found(&profile, "_Z3st7Pf", 1, 256, 0), 0);
	assert_int_equal(found(&profile, "_Z3st7Pf", 2, 256, 0), 1);
	assert_int_equal(found(&profile, "_Z3st7Pf", 3, 256, 0), SPOOL_NONE);
	assert_int_equal(found(&profile, "_Z3st7Pf", 2, 256, 0), 1);
	assert_int_equal(found(&profile, "_Z3st7Pf", 3, 128, 0), 3); /* another block */
	forget(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launches_of_one_grid_are_one_shape_and_other_grids_are_others),
		cmocka_unit_test(a_kernel_is_found_by_its_symbol_or_the_name_in_it),
		cmocka_unit_test(where_one_shape_is_asked_for_no_other_is_counted),
		cmocka_unit_test(past_so_many_grids_of_a_kernel_no_other_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
