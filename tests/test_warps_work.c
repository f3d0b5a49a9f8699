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

/* Asked for its duration alone, which is remembered. */
static double duration_of(struct bench *b, double times)
{
	struct schedule_shape *shape = &b->schedule.shape[0];
	const int64_t points = shape->points;
	double ns = 0;
	bool extrapolated = false;
	shape->points = (int64_t)((double)points * times);
	warps_schedule(b->warps);
	assert_int_equal(warps_duration(b->warps, &b->schedule, shape, &ns, &extrapolated), 0);
	shape->points = points;
	return ns;
}

/* 1/256 of the work is a step (traffic_rounded). */
static void launches_that_differ_by_less_than_a_step_are_played_once(void **state)
{
	struct bench *b = *state;
	const double one = duration_of(b, 1);
	const size_t played = warps_computed(b->warps);
	assert_true(duration_of(b, 1.0005) == one);
	assert_int_equal(warps_computed(b->warps), played);
	assert_true(asked(b, 1.0005).grid.duration_ns == one);
	assert_true(duration_of(b, 1.5) != one);
	assert_int_equal(warps_computed(b->warps), played + 1);
}

static void traffic_is_rounded_and_its_bytes_are_not(void **state)
{
	(void)state;
	const struct traffic t = { .l2_read_bytes = 1e9 + 1,
				   .l2_write_bytes = 3,
				   .l2_miss_share = 0.8122,
				   .dram_write_share = 1,
				   .over_read = 1,
				   .over_write = 1.2501,
				   .work_scale = 1.0435,
				   .written = 0.9971,
				   .updated = 0.505,
				   .atomic_lines = 17 };
	const struct traffic r = traffic_rounded(&t), again = traffic_rounded(&r);
	assert_true(r.l2_read_bytes == t.l2_read_bytes && r.l2_write_bytes == t.l2_write_bytes);
	assert_true(r.l2_miss_share == 52 / 64.0 && r.dram_write_share == 1);
	assert_true(r.over_read == 1 && r.over_write == 1.25 && r.work_scale == 134 / 128.0);
	assert_true(r.written == 1 && r.updated == 0.5 && r.dirty == 0);
	assert_true(r.atomic_lines == t.atomic_lines);
	assert_memory_equal(&again, &r, sizeof(r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_launch_of_the_profiled_size_does_the_profiled_work),
		cmocka_unit_test(bytes_follow_the_points),
		cmocka_unit_test(launches_that_differ_by_less_than_a_step_are_played_once),
		cmocka_unit_test(traffic_is_rounded_and_its_bytes_are_not),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
