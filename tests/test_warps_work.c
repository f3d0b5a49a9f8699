/* SPDX-License-Identifier: MIT
 * How much a warp of a launch has to do against one of the profiled launch: bytes follow the
 * points, not the warps, where both know theirs.
 */
#include "support.h"

#include <math.h>

#include "sim/gpu/warps.h"

struct bench {
	struct platform platform;
	struct warps *warps;
	struct schedule schedule;
};

static int setup(void **state)
{
	static struct bench b;
	const struct warps_options options = { .data = "h200x4", .allow_extrapolation = true };
	if (platform_read(&b.platform, "h200x4") || !(b.warps = warps_new(&b.platform, &options)))
		return -1;
	schedule_init(&b.schedule);
	*state = &b;
	return solver_plan_steady("rbsor",
				  "size=514x514 precision=f32 kernel=tuned scheme=exact border=1 "
				  "transport=peer iterations=20",
				  &b.schedule);
}

static int teardown(void **state)
{
	struct bench *b = *state;
	schedule_release(&b->schedule);
	warps_free(b->warps);
	platform_release(&b->platform);
	return 0;
}

/* Of the plan's first launch, were it of so many times the points. */
static struct warps_answer asked(struct bench *b, double times)
{
	struct schedule_shape *shape = &b->schedule.shape[0];
	const int64_t points = shape->points;
	struct warps_answer a;
	shape->points = (int64_t)((double)points * times);
	warps_schedule(b->warps);
	assert_int_equal(warps_explain(b->warps, &b->schedule, shape, NULL, &a), 0);
	shape->points = points;
	grid_answer_release(&a.grid);
	return a;
}

static void a_launch_of_the_profiled_size_does_the_profiled_work(void **state)
{
	const struct warps_answer a = asked(*state, 1);
	assert_null(a.derived); /* it was counted */
	assert_true(a.profile->points > 0);
	assert_true(fabs(a.launch.traffic.work_scale - 1) < 1e-3);
}

static void bytes_follow_the_points(void **state)
{
	struct bench *b = *state;
	const struct warps_answer whole = asked(b, 1), half = asked(b, 0.5), unknown = asked(b, 0);
	assert_true(b->schedule.shape[0].points % 2 == 0);
	assert_true(fabs(half.launch.traffic.work_scale / whole.launch.traffic.work_scale - 0.5) <
		    1e-9);
	assert_true(whole.launch.traffic.l2_read_bytes > 0 &&
		    fabs(half.launch.traffic.l2_read_bytes / whole.launch.traffic.l2_read_bytes -
			 0.5) < 1e-9);
	assert_true(whole.launch.traffic.l2_write_bytes > 0 &&
		    fabs(half.launch.traffic.l2_write_bytes / whole.launch.traffic.l2_write_bytes -
			 0.5) < 1e-9);
	assert_true(unknown.launch.traffic.work_scale ==
		    1); /* who does not know its points does as much as its warps would */
	assert_true(half.grid.duration_ns <= whole.grid.duration_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_launch_of_the_profiled_size_does_the_profiled_work),
		cmocka_unit_test(bytes_follow_the_points),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
