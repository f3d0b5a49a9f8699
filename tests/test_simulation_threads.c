/* SPDX-License-Identifier: MIT
 * Host threads of the simulator: awaits, barriers, and queues that are full.
 */
#include "simulation_kit.h"

static void an_await_ends_with_the_post_that_reaches_its_value(void **state)
{
	struct bench *b = *state;
	with_streams(b, 2, 1);
	b->schedule.counter_count = 1;
	next_thread(b, 0);
	add_counter_op(b, OP_AWAIT, 0, 2, OP_SPIN);
	add_host(b, 10);
	next_thread(b, 1);
	add_host(b, 1000);
	add_counter_op(b, OP_POST, 0, 1, OP_SPIN);
	add_host(b, 1000);
	add_counter_op(b, OP_POST, 0, 2, OP_SPIN);
	NEAR(end(b), 2010);
	set(&b->platform, "host.wake_spin_ns", 60); /* counted from the post's begin */
	set(&b->platform, "host.wake_block_ns", 900);
	NEAR(end(b), 2070);
	for (int64_t k = 0; k < b->schedule.op_count; k++)
		b->schedule.op[k].flags = 0;
	NEAR(end(b), 2910);
}

static void an_await_of_what_was_posted_long_ago_has_its_own_price(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 1);
	b->schedule.counter_count = 1;
	next_thread(b, 0);
	add_counter_op(b, OP_POST, 0, 1, OP_SPIN);
	add_counter_op(b, OP_AWAIT, 0, 1, OP_SPIN);
	add_host(b, 100);
	set(&b->platform, "host.wake_spin_ns", 900);
	NEAR(end(b), 100);
	set(&b->platform, "host.await_ready_ns", 40);
	NEAR(end(b), 140);
	set(&b->platform, "host.post_ns", 3);
	NEAR(end(b), 143);
}

static void a_barrier_lets_all_go_with_the_last(void **state)
{
	struct bench *b = *state;
	with_streams(b, 3, 1);
	b->schedule.barrier_count = 1;
	for (uint16_t g = 0; g < 3; g++) {
		next_thread(b, g);
		add_host(b, 1000 * g);
		add(b, OP_BARRIER, NO_STREAM, 0);
		add_host(b, 100);
	}
	set(&b->platform, "host.barrier_ns", 25);
	NEAR(end(b), 2125);
}

static void a_schedule_that_cannot_end_says_who_waits_for_what(void **state)
{
	struct bench *b = *state;
	struct simulation_result result;
	struct said said;
	with_streams(b, 1, 1);
	b->schedule.counter_count = 5;
	next_thread(b, 0);
	add_launch(&b->schedule, 0, 1000);
	add_counter_op(b, OP_AWAIT, 4, 1, OP_SPIN);
	said_begin(&said);
	assert_int_equal(simulate_observed(&b->schedule, &b->platform, NULL, &result), -1);
	assert_says(&said, "thread 'host 0' waits for counter 4");
	simulation_result_release(&result);
}

static void a_full_queue_holds_the_host_back_and_loses_nothing(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 1);
	next_thread(b, 0);
	set(&b->platform, "host.queue_depth", 4);
	for (int k = 0; k < 20; k++)
		add_launch(&b->schedule, 0, 1000);
	add_host(b, 300); /* the twentieth launch fits when sixteen are over */
	NEAR(end(b), 20000);
	b->schedule.op[20].duration_ps = 10000 * 1000;
	NEAR(end(b), 16000 + 10000);
}

static void think_time_before_a_full_queue_counts_once(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 1);
	next_thread(b, 0);
	set(&b->platform, "host.queue_depth", 2);
	for (int k = 0; k < 3; k++)
		add_launch(&b->schedule, 0, 1000);
	b->schedule.op[2].before_ps = 600 * 1000;
	add_host(b, 5000);
	NEAR(end(b), 1000 + 5000);
}

static void two_threads_held_back_by_one_queue_both_go_on(void **state)
{
	struct bench *b = *state;
	with_streams(b, 1, 1);
	set(&b->platform, "host.queue_depth", 2);
	for (int t = 0; t < 2; t++) {
		next_thread(b, 0);
		for (int k = 0; k < 5; k++)
			add_launch(&b->schedule, 0, 1000);
	}
	NEAR(end(b), 10000);
}

struct host_seen {
	int times[8];
	sim_time start[8], end[8];
};

static void see_host(void *arg, uint32_t thread, const struct schedule_op *op, int64_t index,
		     sim_time start, sim_time end)
{
	struct host_seen *seen = arg;
	(void)thread;
	(void)op;
	assert_in_range(index, 0, 7);
	seen->times[index]++;
	seen->start[index] = start;
	seen->end[index] = end;
}

static void a_call_held_back_by_a_full_queue_is_seen_once_and_whole(void **state)
{
	struct bench *b = *state;
	struct simulation_result result;
	struct host_seen seen = { 0 };
	const struct observer observer = { .arg = &seen, .host_op = see_host };
	with_streams(b, 1, 1);
	next_thread(b, 0);
	set(&b->platform, "host.queue_depth", 2);
	for (int k = 0; k < 4; k++)
		add_launch(&b->schedule, 0, 1000);
	assert_int_equal(simulate_observed(&b->schedule, &b->platform, &observer, &result), 0);
	simulation_result_release(&result);
	for (int k = 0; k < 4; k++)
		assert_int_equal(seen.times[k], 1);
	assert_true(seen.end[1] == 0 && seen.start[2] == 0 && seen.end[2] == 1000000 &&
		    seen.start[3] == 1000000 && seen.end[3] == 2000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_await_ends_with_the_post_that_reaches_its_value),
		TEST(an_await_of_what_was_posted_long_ago_has_its_own_price),
		TEST(a_barrier_lets_all_go_with_the_last),
		TEST(a_schedule_that_cannot_end_says_who_waits_for_what),
		TEST(a_full_queue_holds_the_host_back_and_loses_nothing),
		TEST(think_time_before_a_full_queue_counts_once),
		TEST(two_threads_held_back_by_one_queue_both_go_on),
		TEST(a_call_held_back_by_a_full_queue_is_seen_once_and_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
