/* SPDX-License-Identifier: MIT */
#include "range_times.h"

#include <math.h>
#include <stdlib.h>

#include "traces/base/util.h"

static int compare_instants(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

/* The first instant that is not before this one. */
static size_t place_of(const struct range_times *times, int64_t instant)
{
	size_t low = 0, high = times->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (times->instant[middle] < instant)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* An operation that took no time may not be told of: then it was when the one before had ended. */
static void pass(struct range_times *times, struct range_thread *thread, int64_t before)
{
	while (thread->next < thread->end && times->instant[thread->next] < before)
		times->at_ps[thread->next++] = thread->now_ps;
}

static void on_host(void *arg, uint32_t number, const struct schedule_op *op, int64_t index,
		    sim_time start, sim_time end)
{
	struct range_times *times = arg;
	struct range_thread *thread = &times->thread[number];
	const struct observer *other = times->other;
	pass(times, thread, 2 * index);
	thread->now_ps = start;
	pass(times, thread, 2 * index + 1);
	thread->now_ps = end;
	pass(times, thread, 2 * index + 2);
	if (other && other->host_op)
		other->host_op(other->arg, number, op, index, start, end);
}

static void on_device(void *arg, uint32_t stream, const struct schedule_op *op, int64_t index,
		      sim_time start, sim_time end)
{
	const struct observer *other = ((struct range_times *)arg)->other;
	if (other && other->device_op)
		other->device_op(other->arg, stream, op, index, start, end);
}

void range_times_init(struct range_times *times, const struct schedule *schedule)
{
	size_t kept = 0;
	*times = (struct range_times){
		.observer = { times, on_device, on_host },
		.schedule = schedule,
		.instant = xcalloc(4 * schedule->nvtx_count + 1, sizeof(*times->instant)),
		.at_ps = xcalloc(4 * schedule->nvtx_count + 1, sizeof(*times->at_ps)),
		.thread = xcalloc(schedule->thread_count + 1, sizeof(*times->thread))
	};
	for (size_t i = 0; i < schedule->nvtx_count; i++) {
		const struct schedule_nvtx *range = &schedule->nvtx[i];
		const int64_t wanted[] = { range->begin.after, range->begin.before,
					   range->end.after, range->end.before };
		for (int k = 0; k < 4 && range->thread != UINT32_MAX; k++)
			if (wanted[k] >= 0)
				times->instant[times->count++] = wanted[k];
	}
	qsort(times->instant, times->count, sizeof(*times->instant), compare_instants);
	for (size_t i = 0; i < times->count; i++)
		if (!i || times->instant[i] != times->instant[i - 1])
			times->instant[kept++] = times->instant[i];
	times->count = kept;
}

void range_times_begin(struct range_times *times, const struct observer *other)
{
	times->other = other;
	for (uint32_t t = 0; t < times->schedule->thread_count; t++) {
		const struct schedule_thread *thread = &times->schedule->thread[t];
		times->thread[t] = (struct range_thread){
			.next = place_of(times, 2 * thread->first_op),
			.end = place_of(times, 2 * (thread->first_op + thread->op_count))
		};
	}
}

static sim_time at(const struct range_times *times, const struct schedule_instant *instant)
{
	sim_time after = instant->after < 0 ? 0 : times->at_ps[place_of(times, instant->after)],
		 before = instant->before < 0 ? 0 : times->at_ps[place_of(times, instant->before)];
	return after + (sim_time)llround(instant->share * (double)(before - after)) +
	       instant->rest_ps;
}

void range_times_of(struct range_times *times, const struct schedule_nvtx *range, sim_time *begin,
		    sim_time *end)
{
	pass(times, &times->thread[range->thread], INT64_MAX);
	*begin = at(times, &range->begin);
	*end = at(times, &range->end);
}

void range_times_release(struct range_times *times)
{
	free(times->instant);
	free(times->at_ps);
	free(times->thread);
	*times = (struct range_times){ 0 };
}
