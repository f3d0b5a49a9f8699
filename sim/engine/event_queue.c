/* SPDX-License-Identifier: MIT
 * A 4-ary heap of events by value.
 */
#include "event_queue.h"

#include <assert.h>
#include <stdlib.h>

#include "traces/base/util.h"

static inline bool before(const struct event *a, const struct event *b)
{
	return a->at_ps < b->at_ps || (a->at_ps == b->at_ps && a->order < b->order);
}

void event_queue_init(struct event_queue *queue)
{
	*queue = (struct event_queue){ .last.at_ps = -1 };
}

void event_queue_release(struct event_queue *queue)
{
	free(queue->heap);
	event_queue_init(queue);
}

void event_queue_push(struct event_queue *queue, sim_time at_ps, enum event_rank rank,
		      uint32_t target, uint32_t stamp)
{
	assert(at_ps >= 0);
	at_ps = at_ps < SIM_LAST ? at_ps : SIM_LAST;
	GROW(queue->heap, queue->count, queue->capacity);
	struct event event = { at_ps, (uint64_t)rank << 56 | queue->serial++, target, stamp };
	size_t hole = queue->count++;
	while (hole) {
		size_t parent = (hole - 1) / 4;
		if (!before(&event, &queue->heap[parent]))
			break;
		queue->heap[hole] = queue->heap[parent];
		hole = parent;
	}
	queue->heap[hole] = event;
}

bool event_queue_pop(struct event_queue *queue, struct event *event)
{
	if (!queue->count)
		return false;
	*event = queue->heap[0];
	assert(event->at_ps >= queue->last.at_ps);
	queue->tie_count +=
		event->at_ps == queue->last.at_ps && event->order >> 56 == queue->last.order >> 56;
	queue->last = *event;
	struct event moved = queue->heap[--queue->count];
	size_t hole = 0;
	for (;;) {
		size_t child = 4 * hole + 1,
		       end = child + 4 < queue->count ? child + 4 : queue->count;
		if (child >= queue->count)
			break;
		size_t least = child;
		for (size_t k = child + 1; k < end; k++)
			if (before(&queue->heap[k], &queue->heap[least]))
				least = k;
		if (!before(&queue->heap[least], &moved))
			break;
		queue->heap[hole] = queue->heap[least];
		hole = least;
	}
	if (queue->count)
		queue->heap[hole] = moved;
	return true;
}
