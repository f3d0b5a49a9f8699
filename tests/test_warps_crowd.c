/* SPDX-License-Identifier: MIT
 * What a launch asks of its GPU beside others: among many like it, its part of one launch that has
 * the blocks of all.
 */
#include "support.h"

#include <math.h>

#include "sim/gpu/kernel_model.h"
#include "sim/gpu/warps.h"

static struct platform platform;

static int setup(void **state)
{
	(void)state;
	return platform_read(&platform, "h200x4");
}

static int teardown(void **state)
{
	(void)state;
	platform_release(&platform);
	return 0;
}

/* The launch of a set of patches of 64^3, alone, and what it asks beside others, *as_many at once.
 */
static double launch_ns(int patches, const char *kernel, struct kernel_crowd *crowd,
			double *as_many)
{
	const struct warps_options options = { .data = "h200x4" };
	char config[256];
	struct schedule schedule;
	bool extrapolated = false;
	double ns;
	struct warps *warps = warps_new(&platform, &options);
	assert_non_null(warps);
	snprintf(config, sizeof(config),
		 "patches=%dx64 block=4.4.4 method=jacobi kernel=%s ghost=zero order=whole "
		 "iterations=1",
		 patches, kernel);
	schedule_init(&schedule);
	assert_int_equal(solver_plan_steady("patches", config, &schedule), 0);
	warps_schedule(warps);
	assert_int_equal(warps_duration(warps, &schedule, &schedule.shape[0], &ns, &extrapolated),
			 0);
	assert_int_equal(warps_crowd(warps, &schedule, &schedule.shape[0], ns, &crowd->room,
				     &crowd->busy, as_many),
			 0);
	schedule_release(&schedule);
	warps_free(warps);
	return ns;
}

static void a_launch_among_many_takes_its_part_of_one_that_has_all(void **state)
{
	static const char *const kernels[] = { "gemv-a", "gemv-c" };
	(void)state;
	for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
		enum { PATCHES = 4 };
		struct kernel_crowd one, all;
		double as_many = PATCHES, none = 1;
		const double alone = launch_ns(1, kernels[k], &one, &as_many),
			     whole = launch_ns(PATCHES, kernels[k], &all, &none),
			     part = one.busy * alone * PATCHES / whole;
		assert_true(as_many == PATCHES && one.busy > 0.2 && one.busy < 1);
		if (fabs(part - 1) > 0.01)
			fail_msg("%s: %g of it", kernels[k], part);
		assert_true(one.room == 1);
	}
}

/* 128 blocks of 396 that the GPU holds. */
static void a_launch_of_few_blocks_leaves_the_others_room(void **state)
{
	struct kernel_crowd one;
	double as_many = 1000;
	(void)state;
	launch_ns(1, "sine", &one, &as_many);
	assert_true(fabs(one.room - 128.0 / 396) < 1e-9 && one.busy < 0.5);
	assert_true(fabs(as_many * one.room - 32) < 1e-9);
}

static void a_launch_that_fills_the_gpu_by_itself_leaves_nothing(void **state)
{
	struct kernel_crowd all;
	double as_many = 8;
	(void)state;
	launch_ns(192, "gemv-c", &all, &as_many);
	assert_true(all.busy == 1 && all.room == 1 && as_many == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_launch_among_many_takes_its_part_of_one_that_has_all),
		cmocka_unit_test(a_launch_of_few_blocks_leaves_the_others_room),
		cmocka_unit_test(a_launch_that_fills_the_gpu_by_itself_leaves_nothing),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
