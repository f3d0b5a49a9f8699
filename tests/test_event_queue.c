/* SPDX-License-Identifier: MIT
 * The event queue: order is time, rank, serial, whatever order events come in.
 */
#include "support.h"

#include <stdlib.h>

static void equal_times_pop_by_rank_then_by_serial(void **state)
{
	struct event_queue queue;
	struct event event;
	(void)state;
	event_queue_init(&queue);
	event_queue_push(&queue, 5, RANK_THREAD, 1, 0);
	event_queue_push(&queue, 5, RANK_STREAM, 2, 0);
	event_queue_push(&queue, 5, RANK_FLOW, 3, 0);
	event_queue_push(&queue, 5, RANK_STREAM, 4, 0);
	event_queue_push(&queue, 4, RANK_THREAD, 5, 0);
	const uint32_t expected[] = { 5, 3, 2, 4, 1 };
	for (size_t k = 0; k < 5; k++) {
		assert_true(event_queue_pop(&queue, &event));
		assert_int_equal(event.target, expected[k]);
	}
	assert_false(event_queue_pop(&queue, &event));
	event_queue_release(&queue);
}

static void ten_thousand_events_in_any_order_come_out_sorted(void **state)
{
	struct event_queue queue;
	struct event event, last = { .at_ps = -1 };
	(void)state;
	event_queue_init(&queue);
	srand(1);
	for (uint32_t k = 0; k < 10000; k++)
		event_queue_push(&queue, rand() % 1000, (enum event_rank)(rand() % 3), k, 0);
	size_t count = 0;
	while (event_queue_pop(&queue, &event)) {
		assert_true(event.at_ps > last.at_ps ||
			    (event.at_ps == last.at_ps && event.order > last.order));
		last = event;
		count++;
	}
	assert_int_equal(count, 10000);
	event_queue_release(&queue);
}

static void events_pushed_between_pops_keep_their_place(void **state)
{
	struct event_queue queue;
	struct event event;
	(void)state;
	event_queue_init(&queue);
	sim_time now = 0;
	srand(2);
	for (uint32_t k = 0; k < 100; k++)
		event_queue_push(&queue, rand() % 50, RANK_STREAM, k, 0);
	for (uint32_t k = 0; k < 5000; k++) {
		assert_true(event_queue_pop(&queue, &event));
		assert_true(event.at_ps >= now);
		now = event.at_ps;
		event_queue_push(&queue, now + rand() % 50, RANK_STREAM, k, 0);
	}
	event_queue_release(&queue);
}

static void ties_are_counted_within_a_rank_only(void **state)
{
	struct event_queue queue;
	struct event event;
	(void)state;
	event_queue_init(&queue);
	for (int k = 0; k < 3; k++)
		event_queue_push(&queue, 7, RANK_FLOW, 0, 0);
	event_queue_push(&queue, 7, RANK_THREAD, 0, 0);
	event_queue_push(&queue, 8, RANK_THREAD, 0, 0);
	while (event_queue_pop(&queue, &event))
		;
	assert_int_equal(queue.tie_count, 2);
	event_queue_release(&queue);
}

static void next_tells_the_time_of_the_coming_event(void **state)
{
	struct event_queue queue;
	struct event event;
	(void)state;
	event_queue_init(&queue);
	assert_true(event_queue_next(&queue) == SIM_NEVER);
	event_queue_push(&queue, 9, RANK_FLOW, 0, 3);
	assert_true(event_queue_next(&queue) == 9);
	assert_true(event_queue_pop(&queue, &event));
	assert_int_equal(event_rank(&event), RANK_FLOW);
	assert_int_equal(event.stamp, 3);
	assert_true(event_queue_next(&queue) == SIM_NEVER);
	event_queue_release(&queue);
}

static void what_is_later_than_can_be_counted_comes_last(void **state)
{
	struct event_queue queue;
	struct event event;
	(void)state;
	event_queue_init(&queue);
	event_queue_push(&queue, INT64_MAX, RANK_FLOW, 1, 0);
	event_queue_push(&queue, SIM_LAST - 1, RANK_FLOW, 2, 0);
	assert_true(event_queue_pop(&queue, &event) && event.target == 2);
	assert_true(event_queue_pop(&queue, &event) && event.target == 1 &&
		    event.at_ps == SIM_LAST);
	event_queue_release(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_times_pop_by_rank_then_by_serial),
		cmocka_unit_test(ten_thousand_events_in_any_order_come_out_sorted),
		cmocka_unit_test(events_pushed_between_pops_keep_their_place),
		cmocka_unit_test(ties_are_counted_within_a_rank_only),
		cmocka_unit_test(what_is_later_than_can_be_counted_comes_last),
		cmocka_unit_test(next_tells_the_time_of_the_coming_event),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
