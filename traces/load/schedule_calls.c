/* SPDX-License-Identifier: MIT
 * What the calls of a recording took the host, by what they ask for: a median of each sort, because
 * the recorder now and then hands over its buffers within a call.
 */
#include <stdlib.h>

#include "schedule_load.h"
#include "traces/base/util.h"

/* CALLS_AT_LEAST: of fewer calls the median says more of the first, which is slow, than of any
 * other. STRETCH: with 200, errors of the recordings that move are half a point more or less. */
enum { CALLS_AT_LEAST = 20, STRETCH = 100 };

void load_call_took(struct load *load, int64_t op, int64_t ns)
{
	if (op == load->schedule->op_count || ns < 0)
		return; /* it asked for nothing */
	GROW(load->took, load->took_count, load->took_capacity);
	load->took[load->took_count++] = (struct took){ op, ns };
}

/* Which waits are for another GPU's event: a stream of it records that one. */
static void tell_waits_apart(struct schedule *schedule)
{
	uint16_t *gpu = xcalloc(schedule->event_count + 1, sizeof(*gpu));
	for (int64_t k = 0; k < schedule->op_count; k++)
		if (schedule->op[k].kind == OP_RECORD)
			gpu[schedule->op[k].object] = schedule->stream[schedule->op[k].stream].gpu;
	for (int64_t k = 0; k < schedule->op_count; k++) {
		struct schedule_op *op = &schedule->op[k];
		if (op->kind == OP_WAIT && gpu[op->object] != schedule->stream[op->stream].gpu)
			op->flags |= OP_OTHER_GPU;
	}
	free(gpu);
}

struct sorted {
	enum schedule_call call;
	size_t at; /* in the order of the threads' calls */
	int64_t ns;
};

static int by_call_and_place(const void *left, const void *right)
{
	const struct sorted *a = left, *b = right;
	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static int by_time(const void *left, const void *right)
{
	const struct sorted *a = left, *b = right;
	return (a->ns > b->ns) - (a->ns < b->ns);
}

/*
 * For some 30 ms after it went to work, and again after a pause, a program's recorded calls are one
 * and a half times as slow as later (docs/lab/programs.md). What one takes is what it takes when
 * that is over: the least of the medians of STRETCH calls in a row.
 */
static int64_t settled_ns(struct sorted *call, size_t count)
{
	int64_t least = INT64_MAX;
	for (size_t first = 0; first < count; first += STRETCH) {
		const size_t left = count - first, here = left < 2 * STRETCH ? left : STRETCH;
		qsort(call + first, here, sizeof(*call), by_time);
		const int64_t median = call[first + here / 2].ns;
		least = median < least ? median : least;
		if (here == left)
			break;
	}
	return least;
}

/*
 * On virtual GPUs most calls come after a wait for the turn, some 0.1 ms, and are one and a half
 * times as slow as on GPUs of their own. The tenth that took least are made as there.
 */
static int64_t tenth_ns(struct sorted *call, size_t count)
{
	qsort(call, count, sizeof(*call), by_time);
	return call[count / 10].ns;
}

enum { SLOWER_MOST = 4 }; /* beyond that something else came between */

/* How many times as long as that each call took: so much longer is what the recorder does around
 * it. */
static void tell_slower(const struct load *load, const int64_t usual_ns[CALL_OF_COUNT])
{
	struct schedule *schedule = load->schedule;
	schedule->slower = xcalloc((size_t)schedule->op_count + 1, sizeof(*schedule->slower));
	for (size_t k = 0; k < load->took_count; k++) {
		const int64_t op = load->took[k].op,
			      usual = usual_ns[schedule_call_of(schedule, &schedule->op[op])];
		const double times = usual > 0 ? (double)load->took[k].ns / (double)usual : 1;
		schedule->slower[op] = (float)(times > SLOWER_MOST ? SLOWER_MOST : times);
	}
}

static void note_first_launches(struct load *load)
{
	struct schedule *schedule = load->schedule;
	for (size_t k = 0; k < load->took_count; k++) {
		if (!(schedule->op[load->took[k].op].flags & OP_FIRST))
			continue;
		GROW(schedule->first, schedule->first_count, schedule->first_capacity);
		schedule->first[schedule->first_count++] =
			(struct schedule_first){ load->took[k].op, load->took[k].ns };
	}
}

void load_calls_finish(struct load *load)
{
	int64_t usual_ns[CALL_OF_COUNT] = { 0 };
	struct schedule *schedule = load->schedule;
	struct sorted *all = xmalloc((load->took_count + 1) * sizeof(*all));
	tell_waits_apart(schedule);
	for (size_t k = 0; k < load->took_count; k++)
		all[k] = (struct sorted){ schedule_call_of(schedule,
							   &schedule->op[load->took[k].op]),
					  k, load->took[k].ns };
	qsort(all, load->took_count, sizeof(*all), by_call_and_place);
	for (size_t first = 0, end; first < load->took_count; first = end) {
		for (end = first + 1; end < load->took_count && all[end].call == all[first].call;)
			end++;
		usual_ns[all[first].call] = (schedule->virtual_gpus > 1 ? tenth_ns : settled_ns)(
			all + first, end - first);
		if (end - first >= CALLS_AT_LEAST)
			schedule->call_recorded_ns[all[first].call] = usual_ns[all[first].call];
	}
	if (schedule->virtual_gpus > 1)
		tell_slower(load, usual_ns);
	note_first_launches(load);
	free(all);
}
