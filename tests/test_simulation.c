/* SPDX-License-Identifier: MIT
 * The simulator on schedules small enough to work out by hand: everything is free but what the test
 * prices.
 */
#include "simulation_kit.h"

static void kernels_of_one_stream_run_back_to_back(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 1);
	next_thread(b, 0);
	for (int k = 0; k < 10; k++)
		add_launch(&b->schedule, 0, 500);
	NEAR(end(b), 5000);
	set(&b->platform, "stream.kernel_gap_ns", 40); /* between kernels, not after the last */
	NEAR(end(b), 5000 + 9 * 40);
	set(&b->platform, "stream.start_latency_ns",
	    700); /* of the first only: the others are queued by then */
	NEAR(end(b), 700 + 5000 + 9 * 40);
}

static void short_kernels_are_bound_by_their_launches(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 1);
	next_thread(b, 0);
	for (int k = 0; k < 10; k++)
		add_launch(&b->schedule, 0, 500);
	set(&b->platform, "host.launch_ns", 2000);
	set(&b->platform, "host.launch_idle_ns", 2000);
	set(&b->platform, "stream.start_latency_ns", 100);
	NEAR(end(b), 10 * 2000 + 100 + 500);
}

static void a_launch_into_an_idle_stream_has_its_own_price(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 1);
	next_thread(b, 0);
	set(&b->platform, "host.launch_ns", 1000);
	set(&b->platform, "host.launch_idle_ns", 3000);
	for (int k = 0; k < 3; k++)
		add_launch(&b->schedule, 0, 100000);
	NEAR(end(b), 3000 + 300000);
}

static void a_sync_wakes_its_thread_after_the_stream_is_empty(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 1);
	next_thread(b, 0);
	set(&b->platform, "host.sync_wake_ns", 300);
	set(&b->platform, "host.sync_idle_ns", 20);
	add_launch(&b->schedule, 0, 1000);
	add(b, OP_SYNC, 0, 0);
	NEAR(end(b), 1300);
	add(b, OP_SYNC, 0, 0); /* nothing to wait for */
	NEAR(end(b), 1320);
}

static void think_time_passes_while_the_device_works(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 1);
	next_thread(b, 0);
	set(&b->platform, "host.sync_wake_ns", 300);
	set(&b->platform, "host.sync_idle_ns", 20);
	add_launch(&b->schedule, 0, 1000);
	schedule_add_op(&b->schedule, OP_SYNC, 0, 0)->before_ps = 400 * 1000;
	NEAR(end(b), 1300); /* still running: its end decides */
	b->schedule.op[1].before_ps = 5000 * 1000;
	NEAR(end(b), 5020); /* long over: the sync finds the stream empty */
}

static void a_gpu_sync_waits_for_all_its_streams_and_no_other_gpu(void **state)
{
	struct bench *b = *state;
	with_streams(b, 2, 2);
	next_thread(b, 0);
	set(&b->platform, "copy.h2d.ns", 1); /* constant */
	b->schedule.gpu_count = 2;
	add_copy(&b->schedule, 0, COPY_D2D, 0, 0, 1000);
	add_copy(&b->schedule, 1, COPY_D2D, 0, 0, 3000);
	add_copy(&b->schedule, 2, COPY_D2D, 1, 1, 9000);
	add(b, OP_SYNC_GPU, NO_STREAM, 0);
	add_host(b, 500);
	add(b, OP_SYNC, 2, 0);
	add_host(b, 1);
	NEAR(end(b), 9001);
	b->schedule.op[5].kind =
		OP_SYNC; /* on GPU 0's stream instead: what is left is host time after 3000 */
	b->schedule.op[5].stream = 0;
	NEAR(end(b), 9000);
}

static void kernels_of_unknown_geometry_share_no_gpu_and_small_grids_do(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 2);
	next_thread(b, 0);
	add_launch(&b->schedule, 0, 1000);
	add_launch(&b->schedule, 1, 1000);
	NEAR(end(b), 2000);
	b->schedule.shape[0].grid[0] = 40; /* of 100 SMs; equal launches share the shape */
	b->schedule.shape[0].grid[1] = b->schedule.shape[0].grid[2] = 1;
	NEAR(end(b), 1000);
	b->schedule.shape[0].grid[0] = 60; /* a program of others: its first block has room */
	NEAR(end(b), 1000);
	b->schedule.shape[0].grid[0] = 100;
	NEAR(end(b), 2000);
	b->schedule.shape[0].grid[0] = 60; /* a plan of ours: two of them are too many */
	b->schedule.config = xstrdup("size=60");
	NEAR(end(b), 2000);
}

static void a_stream_waits_for_the_record_that_was_latest_when_it_asked(void **state)
{
	struct bench *b = *state;
	with_streams(b, 2, 1);
	b->schedule.event_count = 1;
	next_thread(b, 0);
	add_launch(&b->schedule, 0, 1000);
	add(b, OP_RECORD, 0, 0);
	add(b, OP_WAIT, 1, 0); /* GPU 1 waits for this record ... */
	add_launch(&b->schedule, 0, 50000);
	add(b, OP_RECORD, 0, 0); /* ... and not for this one */
	add_launch(&b->schedule, 1, 200);
	add(b, OP_SYNC, 1, 0);
	add(b, OP_MARK, NO_STREAM, MARK_CORE_BEGIN);
	set(&b->platform, "stream.event_peer_ns", 70);
	set(&b->platform, "stream.event_same_ns", 7);
	struct simulation_result result;
	assert_int_equal(simulate_observed(&b->schedule, &b->platform, NULL, &result), 0);
	simulation_result_release(&result);
	NEAR((double)result.end_ps / 1000, 51000);
	add(b, OP_MARK, NO_STREAM, MARK_CORE_END);
	b->schedule.op[3].object = HOST_WORK_GIVEN;
	b->schedule.op[3].kind = OP_HOST; /* without the long kernel the wait's end shows */
	b->schedule.op[3].duration_ps = 0;
	NEAR(end(b), 1000 + 70 + 200);
	b->schedule.stream[1].gpu = 0;
	NEAR(end(b), 1000 + 7 + 200);
}

static void a_wait_for_an_event_never_recorded_passes_and_is_counted(void **state)
{
	struct bench *b = *state;
	struct simulation_result result;
	with_streams(b, 1, 1);
	b->schedule.event_count = 1;
	next_thread(b, 0);
	add(b, OP_WAIT, 0, 0);
	add_launch(&b->schedule, 0, 1000);
	assert_int_equal(simulate_observed(&b->schedule, &b->platform, NULL, &result), 0);
	NEAR((double)result.end_ps / 1000, 1000);
	assert_int_equal(result.waits_never_recorded, 1);
	simulation_result_release(&result);
}

static void records_and_satisfied_waits_cost_the_stream_their_price(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 1);
	b->schedule.event_count = 1;
	next_thread(b, 0);
	add_launch(&b->schedule, 0, 1000);
	add(b, OP_RECORD, 0, 0);
	add(b, OP_WAIT, 0, 0);
	add_launch(&b->schedule, 0, 1000);
	set(&b->platform, "stream.record_ns", 30);
	set(&b->platform, "stream.wait_ns", 5);
	NEAR(end(b), 1000 + 30 + 5 + 1000);
	b->schedule.op[1].flags |= OP_TIMED;
	NEAR(end(b), 1000 + 30 + 5 + 1000);
	set(&b->platform, "stream.timed_record_ns", 200);
	NEAR(end(b), 1000 + 200 + 5 + 1000);
}

static void an_event_sync_returns_when_the_record_is_reached(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 1);
	b->schedule.event_count = 1;
	next_thread(b, 0);
	add_launch(&b->schedule, 0, 1000);
	add(b, OP_RECORD, 0, 0);
	add_launch(&b->schedule, 0, 200);
	add(b, OP_SYNC_EVENT, NO_STREAM, 0);
	add_host(b, 5000);
	NEAR(end(b), 6000);
	set(&b->platform, "host.sync_wake_ns", 300);
	set(&b->platform, "host.sync_idle_ns", 20);
	NEAR(end(b), 6300);
	b->schedule.op[2].object = HOST_WORK_GIVEN;
	b->schedule.op[2].kind = OP_HOST; /* has happened when the thread asks */
	b->schedule.op[2].duration_ps = 2000 * 1000;
	NEAR(end(b), 2000 + 20 + 5000);
}

/* GPU 0's kernel of so many ns, whose event GPU 1 comes to wait for at `asked_ns`, and then runs
 * one of 200. */
static double event_latency_ns(int64_t kernel_ns, int64_t asked_ns, bool signal_known)
{
	struct bench b;
	schedule_init(&b.schedule);
	platform_of(&b.platform, "free");
	with_streams(&b, 2, 1);
	b.schedule.event_count = 1;
	next_thread(&b, 0);
	add_launch(&b.schedule, 0, kernel_ns);
	add(&b, OP_RECORD, 0, 0);
	add_host(&b, asked_ns);
	add(&b, OP_WAIT, 1, 0);
	add_launch(&b.schedule, 1, 200);
	set(&b.platform, "stream.event_peer_ns", 70);
	if (signal_known)
		set(&b.platform, "tracer.recorded_start_latency_ns",
		    1);			     /* the signal itself takes nothing then */
	b.platform.base->event_peer_ns = 70; /* as measured, no edit */
	double end_ = end(&b);
	schedule_release(&b.schedule);
	platform_release(&b.platform);
	return end_;
}

static void a_wait_that_has_just_begun_notices_sooner_than_a_long_one(void **state)
{
	(void)state;
	NEAR(event_latency_ns(1000, 0, true), 1000 + 70 + 200);
	NEAR(event_latency_ns(1000, 930, true), 1000 + 70 + 200);
	NEAR(event_latency_ns(1000, 960, true), 1000 + 40 + 200);
	NEAR(event_latency_ns(30, 0, true), 30 + 30 + 200);
	NEAR(event_latency_ns(1000, 1500, true), 1500 + 200); /* complete when it asks */
	NEAR(event_latency_ns(1000, 960, false),
	     1000 + 70 + 200); /* never measured: all of it is the signal's way */
}

static void a_blocking_copy_returns_when_it_is_done(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 1);
	next_thread(b, 0);
	add_copy(&b->schedule, 0, COPY_H2D, 0xffff, 0, 1000);
	add_host(b, 400);
	NEAR(end(b), 1000);
	b->schedule.op[0].flags = OP_BLOCKING;
	NEAR(end(b), 1400);
}

/* On streams of their own; a third stream is free. */
static void one_copy_each_way(struct bench *b)
{
	with_streams(b, 1, 3);
	next_thread(b, 0);
	add_copy(&b->schedule, 0, COPY_H2D, 0xffff, 0, 1000);
	add_copy(&b->schedule, 1, COPY_D2H, 0, 0xffff, 1000);
	NEAR(end(b), 1000);
}

static void copies_share_an_engine_by_direction(void **state)
{
	struct bench *b = *state;
	one_copy_each_way(b);
	add_copy(&b->schedule, 2, COPY_H2D, 0xffff, 0,
		 1000); /* behind the first, on another stream */
	NEAR(end(b), 2000);
}

static void the_directions_take_turns_where_one_engine_copies(void **state)
{
	struct bench *b = *state;
	one_copy_each_way(b);
	set(&b->platform, "device.copy_engines", 1);
	NEAR(end(b), 2000);
	add_copy(&b->schedule, 2, COPY_D2D, 0, 0, 1000); /* no engine's work */
	NEAR(end(b), 2000);
}

/* Stream 0 has two copies and then a kernel of 3000, stream 1 a copy between the two; the host asks
 * for the second copy of stream 0 so much later. */
static double two_channels_ns(struct bench *b, int64_t later_ns)
{
	with_streams(b, 1, 2);
	next_thread(b, 0);
	add_copy(&b->schedule, 0, COPY_H2D, 0xffff, 0, 1000);
	add_copy(&b->schedule, 1, COPY_H2D, 0xffff, 0, 1000);
	if (later_ns)
		add_host(b, later_ns);
	add_copy(&b->schedule, 0, COPY_H2D, 0xffff, 0, 1000);
	add_launch(&b->schedule, 0, 3000);
	return end(b);
}

static void an_engine_makes_the_copies_of_a_channel_before_it_turns_to_the_next(void **state)
{
	struct bench *b = *state;
	NEAR(two_channels_ns(b, 0), 2 * 1000 + 3000);
	b->platform.mechanisms.off[MECHANISM_COPY_CHANNEL] = true;
	NEAR(end(b), 3 * 1000 + 3000);
}

static void an_engine_turns_to_the_next_channel_when_one_has_no_copy_yet(void **state)
{
	struct bench *b = *state;
	NEAR(two_channels_ns(b, 1500), 3 * 1000 + 3000);
}

/* The third stream shares the channel of the first, whose copy waits for a kernel. */
static void a_copy_that_waits_lets_those_behind_it_in_its_channel_pass(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 3);
	next_thread(b, 0);
	add_launch(&b->schedule, 0, 5000);
	add_copy(&b->schedule, 0, COPY_H2D, 0xffff, 0, 1000);
	add_copy(&b->schedule, 1, COPY_H2D, 0xffff, 0, 1000);
	add_copy(&b->schedule, 2, COPY_H2D, 0xffff, 0, 1000);
	add_launch(&b->schedule, 2, 5000);
	b->platform.copy_channels = 2;
	NEAR(end(b), 5000 + 5000); /* kernels take turns */
}

/* Streams 0 and 2 share a channel of two: their copies come first, and in the order of the calls.
 */
static void streams_of_a_channel_take_turns_as_they_were_called(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 3);
	next_thread(b, 0);
	for (int round = 0; round < 2; round++)
		for (uint16_t stream = 0; stream < 3; stream++)
			add_copy(&b->schedule, stream, COPY_H2D, 0xffff, 0, 1000);
	add_launch(&b->schedule, 0, 9000); /* begins when its second copy is there */
	b->platform.copy_channels = 2;
	NEAR(end(b), 3 * 1000 + 9000);
	b->platform.copy_channels = 1;
	NEAR(end(b), 4 * 1000 + 9000);
	b->platform.copy_channels = 0;
	NEAR(end(b), 2 * 1000 + 9000);
}

static void copies_overlap_kernels_of_another_stream(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 2);
	next_thread(b, 0);
	add_launch(&b->schedule, 0, 3000);
	add_copy(&b->schedule, 1, COPY_D2H, 0, 0xffff, 2000);
	NEAR(end(b), 3000);
}

static void marks_frame_the_core_loop_from_the_last_thread_ready(void **state)
{
	struct bench *b = *state;
	struct simulation_result result;
	with_streams(b, 2, 1);
	for (uint16_t g = 0; g < 2; g++) {
		next_thread(b, g);
		add(b, OP_MARK, NO_STREAM, MARK_TOTAL_BEGIN);
		add_host(b, 100 + 100 * g);
		add(b, OP_MARK, NO_STREAM, MARK_CORE_BEGIN);
		add_launch(&b->schedule, g, 1000);
		add(b, OP_SYNC, g, 0);
		add(b, OP_MARK, NO_STREAM, MARK_CORE_END);
		add_host(b, 50);
		add(b, OP_MARK, NO_STREAM, MARK_TOTAL_END);
	}
	assert_int_equal(simulate_observed(&b->schedule, &b->platform, NULL, &result), 0);
	NEAR((double)result.core_ps / 1000, 1000);
	NEAR((double)result.total_ps / 1000, 1250);
	/* GPU 0 began its kernel 100 ns before the core loop began, and waited for GPU 1 at the end
	 */
	NEAR((double)result.gpu[0].kernel_ps / 1000, 900);
	NEAR((double)result.gpu[1].kernel_ps / 1000, 1000);
	simulation_result_release(&result);
}

static void what_takes_longer_than_can_be_counted_is_an_error(void **state)
{
	struct bench *b = *state;
	struct simulation_result result;
	struct said said;
	set(&b->platform, "copy.d2h.ns", 1e9);
	with_streams(b, 1, 2);
	next_thread(b, 0);
	add_copy(&b->schedule, 0, COPY_D2H, 0, 0xffff, INT64_MAX);
	add_copy(&b->schedule, 1, COPY_D2H, 0, 0xffff, INT64_MAX);
	set(&b->platform, "share.d2h.bytes_per_s", 1);
	said_begin(&said);
	assert_int_equal(simulate_observed(&b->schedule, &b->platform, NULL, &result), -1);
	assert_says(
		&said,
		"a copy of 9223372036854775807 bytes takes longer than the simulator can count");
}

static void so_is_a_run_of_many_that_each_could_be(void **state)
{
	struct bench *b = *state;
	struct simulation_result result;
	struct said said;
	with_streams(b, 1, 1);
	next_thread(b, 0);
	for (int k = 0; k < 700; k++)
		add_launch(&b->schedule, 0, 999000000000);
	said_begin(&said);
	assert_int_equal(simulate_observed(&b->schedule, &b->platform, NULL, &result), -1);
	assert_says(&said, "the run takes longer than the simulator can count, 160 hours");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(kernels_of_one_stream_run_back_to_back),
		TEST(short_kernels_are_bound_by_their_launches),
		TEST(a_launch_into_an_idle_stream_has_its_own_price),
		TEST(a_sync_wakes_its_thread_after_the_stream_is_empty),
		TEST(think_time_passes_while_the_device_works),
		TEST(a_gpu_sync_waits_for_all_its_streams_and_no_other_gpu),
		TEST(kernels_of_unknown_geometry_share_no_gpu_and_small_grids_do),
		TEST(a_stream_waits_for_the_record_that_was_latest_when_it_asked),
		TEST(a_wait_for_an_event_never_recorded_passes_and_is_counted),
		TEST(records_and_satisfied_waits_cost_the_stream_their_price),
		TEST(an_event_sync_returns_when_the_record_is_reached),
		TEST(a_wait_that_has_just_begun_notices_sooner_than_a_long_one),
		TEST(a_blocking_copy_returns_when_it_is_done),
		TEST(copies_share_an_engine_by_direction),
		TEST(the_directions_take_turns_where_one_engine_copies),
		TEST(an_engine_makes_the_copies_of_a_channel_before_it_turns_to_the_next),
		TEST(an_engine_turns_to_the_next_channel_when_one_has_no_copy_yet),
		TEST(a_copy_that_waits_lets_those_behind_it_in_its_channel_pass),
		TEST(streams_of_a_channel_take_turns_as_they_were_called),
		TEST(copies_overlap_kernels_of_another_stream),
		TEST(what_takes_longer_than_can_be_counted_is_an_error),
		TEST(so_is_a_run_of_many_that_each_could_be),
		TEST(marks_frame_the_core_loop_from_the_last_thread_ready),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
