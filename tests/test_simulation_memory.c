/* SPDX-License-Identifier: MIT
 * Kernels and copies that share a GPU's memory, and kernels that share its multiprocessors, worked
 * out by hand: everything is free but the work itself, memory has 1 byte a ns.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>

static double given_bytes(struct kernel_model *model, const struct schedule *schedule,
			  const struct schedule_shape *shape)
{
	(void)model;
	(void)schedule;
	return (double)shape->dram_bytes;
}

static const struct kernel_model_ops knowing_model = { .name = "knowing",
						       .summary = "what a kernel takes and moves",
						       .cost = given_cost,
						       .dram_bytes = given_bytes };

/* The part that it keeps busy, in hundredths; a multiprocessor holds two of its blocks. */
static int given_crowd(struct kernel_model *model, const struct schedule *schedule,
		       const struct schedule_shape *shape, uint32_t streams, double duration_ns,
		       struct kernel_crowd *crowd)
{
	(void)model;
	assert_true(duration_ns > 0);
	assert_int_equal(streams, schedule->stream_count / schedule->gpu_count);
	crowd->room = fmin(shape->grid[0] / 200.0, 1);
	crowd->busy = (double)shape->rows / 100;
	return 0;
}

static const struct kernel_model_ops busy_model = { .name = "busy",
						    .summary = "and what it keeps busy",
						    .cost = given_cost,
						    .dram_bytes = given_bytes,
						    .crowd = given_crowd };

struct bench {
	struct schedule schedule;
	struct platform platform;
};

/* `streams` streams on each GPU, a host thread for all. */
static void begin(struct bench *b, uint32_t gpus, uint32_t streams)
{
	schedule_init(&b->schedule);
	platform_of(&b->platform, "free");
	b->platform.sm_count = 100;
	b->platform.sm.present = true;
	b->platform.sm.dram.read_bytes_per_s = 1e9;
	b->schedule.gpu_count = gpus;
	for (uint32_t g = 0; g < gpus; g++)
		for (uint32_t s = 0; s < streams; s++)
			schedule_add_stream(&b->schedule, (uint16_t)g, s);
	schedule_add_thread(&b->schedule, "host", 0);
}

static void launch_blocks(struct bench *b, uint16_t stream, int64_t ns, int64_t bytes,
			  uint32_t blocks, int32_t busy)
{
	const struct schedule_shape shape = { .kernel = schedule_add_kernel(&b->schedule, "kernel"),
					      .points = ns,
					      .dram_bytes = bytes,
					      .rows = busy,
					      .path = -1,
					      .grid = { blocks, 1, 1 },
					      .block = { 32, 1, 1 } };
	schedule_add_op(&b->schedule, OP_LAUNCH, stream,
			schedule_add_shape(&b->schedule, &shape, NULL, 0));
}

/* Takes `ns`, moves `bytes`, and half of the multiprocessors. */
static void launch(struct bench *b, uint16_t stream, int64_t ns, int64_t bytes)
{
	launch_blocks(b, stream, ns, bytes, 50, 0);
}

static double end_by(struct bench *b, const struct kernel_model_ops *ops)
{
	struct simulation_result result;
	struct kernel_model model = { .ops = ops, .platform = &b->platform };
	const struct simulation_setup setup = { .schedule = &b->schedule,
						.platform = &b->platform,
						.model = &model };
	assert_int_equal(schedule_validate(&b->schedule, "test"), 0);
	assert_int_equal(simulation_run(&setup, &result), 0);
	simulation_result_release(&result);
	return (double)result.end_ps / 1000;
}

static void finish(struct bench *b)
{
	schedule_release(&b->schedule);
	platform_release(&b->platform);
}

static void kernels_that_ask_for_little_run_as_alone(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, 1, 2);
	launch(&b, 0, 1000, 500);
	launch(&b, 1, 1000, 500);
	NEAR(end_by(&b, &knowing_model), 1000);
	finish(&b);
}

static void kernels_that_ask_for_too_much_share(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, 1, 2);
	launch(&b, 0, 1000, 1000);
	launch(&b, 1, 1000, 1000);
	NEAR(end_by(&b, &knowing_model), 2000);
	NEAR(end_by(&b, &given_model), 1000); /* a model that does not know what they move */
	b.platform.sm.present = false;
	NEAR(end_by(&b, &knowing_model), 1000);
	finish(&b);
}

static void who_is_left_runs_at_its_own_pace_again(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, 1, 2);
	launch(&b, 0, 1000, 1000);
	launch(&b, 1, 3000, 3000);
	NEAR(end_by(&b, &knowing_model), 4000); /* half pace until 2000, then 2000 more */
	finish(&b);
}

static void alone_nothing_is_slowed_whatever_it_asks(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, 2, 2);
	launch(&b, 0, 1000, 5000); /* more than memory has: a cache was not thought of */
	launch(&b, 2, 1000, 1000); /* the other GPU's memory is another */
	NEAR(end_by(&b, &knowing_model), 1000);
	launch(&b, 3, 1000, 1000); /* beside that one: to 2000; the first is still alone */
	launch(&b, 0, 1000, 5000);
	NEAR(end_by(&b, &knowing_model), 2000);
	finish(&b);
}

static void a_copy_within_a_gpu_reads_and_writes(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, 1, 2);
	b.platform.sm.dram.read_bytes_per_s = 3e9;
	launch(&b, 0, 1000, 2500); /* 2.5 + 2 asked of 3: both at two thirds */
	add_copy(&b.schedule, 1, COPY_D2D, 0, 0, 1000);
	NEAR(end_by(&b, &knowing_model), 1500);
	finish(&b);
}

static void a_copy_from_the_host_writes(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, 1, 2);
	b.platform.sm.dram.read_bytes_per_s = 3e9;
	launch(&b, 0, 1000, 2750); /* 2.75 + 1 asked of 3: four fifths */
	add_copy(&b.schedule, 1, COPY_H2D, 0, 0, 1000);
	NEAR(end_by(&b, &knowing_model), 1250);
	finish(&b);
}

static void kernels_that_keep_little_busy_run_at_once(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, 1, 2);
	launch_blocks(&b, 0, 1000, 0, 100, 40);
	launch_blocks(&b, 1, 1000, 0, 100, 60);
	NEAR(end_by(&b, &busy_model), 1000);
	finish(&b);
}

static void kernels_that_keep_too_much_busy_stretch_each_other(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, 1, 3);
	launch_blocks(&b, 0, 1000, 0, 60, 50);
	launch_blocks(&b, 1, 1000, 0, 60, 50);
	launch_blocks(&b, 2, 1000, 0, 60, 50);
	NEAR(end_by(&b, &busy_model), 1500);
	finish(&b);
	begin(&b, 1,
	      2); /* 1.2 asked of 1: the short one until 600, when 500 of the other are left */
	launch_blocks(&b, 0, 1000, 0, 60, 80);
	launch_blocks(&b, 1, 500, 0, 60, 40);
	NEAR(end_by(&b, &busy_model), 1100);
	finish(&b);
}

static void memory_binds_where_it_is_asked_for_more(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, 1, 2);
	launch_blocks(&b, 0, 1000, 1000, 60, 60); /* twice what memory has, 1.2 times the rest */
	launch_blocks(&b, 1, 1000, 1000, 60, 60);
	NEAR(end_by(&b, &busy_model), 2000);
	finish(&b);
}

static void a_kernel_without_room_for_a_block_waits(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, 1, 2);
	launch_blocks(&b, 0, 1000, 0, 200, 50);
	launch_blocks(&b, 1, 1000, 0, 1, 1);
	NEAR(end_by(&b, &busy_model), 2000);
	finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_that_ask_for_little_run_as_alone),
		cmocka_unit_test(kernels_that_ask_for_too_much_share),
		cmocka_unit_test(who_is_left_runs_at_its_own_pace_again),
		cmocka_unit_test(alone_nothing_is_slowed_whatever_it_asks),
		cmocka_unit_test(a_copy_within_a_gpu_reads_and_writes),
		cmocka_unit_test(a_copy_from_the_host_writes),
		cmocka_unit_test(kernels_that_keep_little_busy_run_at_once),
		cmocka_unit_test(kernels_that_keep_too_much_busy_stretch_each_other),
		cmocka_unit_test(memory_binds_where_it_is_asked_for_more),
		cmocka_unit_test(a_kernel_without_room_for_a_block_waits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
