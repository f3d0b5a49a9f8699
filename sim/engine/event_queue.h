/* SPDX-License-Identifier: MIT
 * Pending events, popped in the order time, rank, serial: equal times are decided on purpose, never
 * by the heap. Time is integer picoseconds. The queue knows nothing of what an event means.
 */
#ifndef WARPREEL_EVENT_QUEUE_H
#define WARPREEL_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/time/sim_time.h"

/* Within one instant devices finish before hosts look, so that a host that asks "done?" at the very
 * moment gets a yes. Links are shared out when all of an instant has happened. */
enum event_rank { RANK_FLOW, RANK_STREAM, RANK_THREAD, RANK_SHARE };

struct event {
	sim_time at_ps;
	uint64_t order;	 /* rank << 56 | serial */
	uint32_t target; /* stream, thread or flow */
	uint32_t stamp;	 /* lets a target recognise an event it no longer wants */
};

struct event_queue {
	struct event *heap; /* owned */
	size_t count, capacity;
	uint64_t serial;
	int64_t tie_count; /* pops at the same instant and rank as the one before */
	struct event last;
};

void event_queue_init(struct event_queue *queue);
void event_queue_release(struct event_queue *queue);
void event_queue_push(struct event_queue *queue, sim_time at_ps, enum event_rank rank,
		      uint32_t target, uint32_t stamp);
bool event_queue_pop(struct event_queue *queue, struct event *event);
static inline enum event_rank event_rank(const struct event *event)
{
	return (enum event_rank)(event->order >> 56);
}
static inline sim_time event_queue_next(const struct event_queue *queue)
{
	return queue->count ? queue->heap[0].at_ps : SIM_NEVER;
}

#endif
