/* SPDX-License-Identifier: MIT
 * What CUDA has beyond launches and copies, on the simulator: waits that poll, work that no row is
 * there of, launches that begin early, graphs with branches, kernels beside others.
 */
#include "simulation_kit.h"

static struct schedule_op *last(struct bench *b)
{
	return &b->schedule.op[b->schedule.op_count - 1];
}

/* Queries of 300 ns each begin when the launch returns, at 1000; the kernel is done at 1000 + 5000,
 * which is seen `way back` later. The first query at or after that says so when it returns. */
static void a_wait_that_polls_ends_with_the_first_query_that_finds_it_done(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 1);
	next_thread(b, 0);
	b->schedule.event_count = 1;
	add_launch(&b->schedule, 0, 5000);
	add(b, OP_RECORD, 0, 0);
	add(b, OP_SYNC_EVENT, NO_STREAM, 0);
	last(b)->flags = OP_SPIN;
	last(b)->duration_ps = 300000;
	add_host(b, 100);
	set(&b->platform, "host.launch_ns", 1000);
	set(&b->platform, "host.launch_idle_ns", 1000);
	set(&b->platform, "host.sync_wake_ns", 7000); /* of a thread that sleeps: not asked */
	NEAR(end(b), 1000 + 17 * 300 + 300 + 100);
}

static void a_poll_of_what_is_done_takes_one_query(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 1);
	next_thread(b, 0);
	b->schedule.event_count = 1;
	add_launch(&b->schedule, 0, 500);
	add(b, OP_RECORD, 0, 0);
	add_host(b, 9000);
	add(b, OP_SYNC_EVENT, NO_STREAM, 0);
	last(b)->flags = OP_SPIN;
	last(b)->duration_ps = 300000;
	add_host(b, 100);
	NEAR(end(b), 9000 + 300 + 100);
}

/* The stream stands, the thread does not: 2000 of kernel, 3000 unseen, 2000 of kernel. */
static void unseen_work_holds_its_stream_alone(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 2);
	next_thread(b, 0);
	add_launch(&b->schedule, 0, 2000);
	add(b, OP_UNSEEN, 0, 0);
	last(b)->duration_ps = 3000000;
	add_launch(&b->schedule, 0, 2000);
	NEAR(end(b), 7000);
	set(&b->platform, "stream.kernel_gap_ns", 900); /* is in the hole that was recorded */
	NEAR(end(b), 7000);
	add_launch(&b->schedule, 1, 2500);
	NEAR(end(b), 7000);
}

static void nothing_passes_before_an_early_launch(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 1);
	next_thread(b, 0);
	for (int k = 0; k < 3; k++)
		add_launch(&b->schedule, 0, 2000);
	set(&b->platform, "stream.kernel_gap_ns", 900);
	NEAR(end(b), 3 * 2000 + 2 * 900);
	for (int k = 1; k < 3; k++)
		b->schedule.op[k].flags = OP_EARLY;
	NEAR(end(b), 3 * 2000);
}

/* Stream 0: A, then what waits for both branches; stream 1: B of the same graph, longer. Records,
 * waits and their latencies are free between nodes of a graph. */
static void branches_of_a_graph_run_beside_each_other_and_are_waited_for(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 2);
	next_thread(b, 0);
	b->schedule.event_count = 2;
	set(&b->platform, "stream.event_same_ns", 5000);
	set(&b->platform, "stream.kernel_gap_ns", 900);
	set(&b->platform, "host.launch_ns", 1000);
	set(&b->platform, "host.launch_idle_ns", 1000);
	set(&b->platform, "host.record_ns", 2000);
	set(&b->platform, "host.wait_ns", 2000);
	const uint8_t within = OP_IN_GRAPH | OP_INFERRED;
	add_launch(&b->schedule, 0, 1000); /* fork */
	add(b, OP_RECORD, 0, 0);
	last(b)->flags = within;
	add_launch(&b->schedule, 0, 2000);
	last(b)->flags = OP_IN_GRAPH;
	add(b, OP_WAIT, 1, 0);
	last(b)->flags = within;
	add_launch(&b->schedule, 1, 6000);
	last(b)->flags = OP_IN_GRAPH | OP_BESIDE; /* whose shapes are unknown fill the GPU */
	last(b)->value = 100000;
	add(b, OP_RECORD, 1, 1);
	last(b)->flags = within;
	add(b, OP_WAIT, 0, 1);
	last(b)->flags = within;
	add_launch(&b->schedule, 0, 3000); /* behind the graph */
	NEAR(end(b), 1000 + 1000 + 100 + 6000 + 900 + 3000);
}

/* 132 blocks a kernel on 132 multiprocessors that hold eight each: room for eight. In a plan of a
 * solver's the second waits. */
static void kernels_begin_where_their_first_block_has_room(void **state)
{
	(void)state;
	for (int ours = 0; ours < 2; ours++) {
		struct platform platform;
		struct schedule s;
		assert_int_equal(platform_read(&platform, "model/platforms/h200x4.ini"), 0);
		const struct schedule_shape shape = { .grid = { (uint32_t)platform.sm_count, 1, 1 },
						      .block = { 256, 1, 1 },
						      .registers = 16,
						      .points = 1000000, /* ns here */
						      .path = -1,
						      .steps = -1 };
		schedule_init(&s);
		s.gpu_count = 1;
		s.config = ours ? xstrdup("size=8x8") : NULL;
		schedule_add_kernel(&s, "k");
		schedule_add_thread(&s, "host", 0);
		for (uint16_t k = 0; k < 2; k++) {
			schedule_add_stream(&s, 0, k);
			schedule_add_op(&s, OP_LAUNCH, k, schedule_add_shape(&s, &shape, NULL, 0));
		}
		const double ns = end_ns(&s, &platform);
		if (ours)
			assert_true(ns > 2000000);
		else
			assert_true(ns < 1100000);
		schedule_release(&s);
		platform_release(&platform);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_wait_that_polls_ends_with_the_first_query_that_finds_it_done),
		TEST(a_poll_of_what_is_done_takes_one_query),
		TEST(unseen_work_holds_its_stream_alone),
		TEST(nothing_passes_before_an_early_launch),
		TEST(branches_of_a_graph_run_beside_each_other_and_are_waited_for),
		cmocka_unit_test(kernels_begin_where_their_first_block_has_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
