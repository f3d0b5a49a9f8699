/* SPDX-License-Identifier: MIT
 * What a trace says about the clocks of its GPUs. CUPTI puts every GPU's timestamps on one clock,
 * each GPU by its own fit, so two GPUs can disagree. A wait on GPU B for an event of GPU A proves
 * that what follows it began after what preceded the event ended: the difference, as recorded, is a
 * true delay plus B's clock error minus A's. With waits in both directions the error is bounded
 * from both sides: half the difference of the two smallest delays, give or take half their sum
 * (Cristian's argument).
 */
#include "spool_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "traces/base/trace_map.h"
#include "traces/base/util.h"

enum { GPUS_MAX = 64 };

/* One piece of work on a stream, in the order the host issued it. */
struct work {
	int64_t issued_ns, start_ns, end_ns; /* end -1: not known */
	int64_t event_sync_id; /* > 0: an event record or a wait, no work of its own */
	int32_t device, context, stream;
	bool wait;
};

static int by_stream(const void *a, const void *b)
{
	const struct work *x = a, *y = b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->issued_ns < y->issued_ns ? -1 : x->issued_ns > y->issued_ns;
}

static int64_t issued(const struct trace *trace, const struct map *calls, int64_t correlation)
{
	uint32_t call = map_get(calls, correlation, 0);

	return call == MAP_NONE ? -1 : trace->api[call].start_ns;
}

static void add(struct work *work, size_t *count, int64_t issued_ns, int32_t device,
		int32_t context, int32_t stream, int64_t start_ns, int64_t end_ns,
		int64_t event_sync_id, bool wait)
{
	if (issued_ns < 0)
		return;
	work[(*count)++] = (struct work){ .issued_ns = issued_ns,
					  .start_ns = start_ns,
					  .end_ns = end_ns,
					  .device = device,
					  .context = context,
					  .stream = stream,
					  .event_sync_id = event_sync_id,
					  .wait = wait };
}

/* All that happened on streams, sorted by stream and then by the host's order. */
static struct work *collect(const struct trace *trace, size_t *count)
{
	struct work *work =
		xcalloc(trace->kernel_count + trace->memcpy_count + trace->memset_count +
				trace->event_count + trace->sync_count + 1,
			sizeof(*work));
	struct map calls = { 0 };

	for (size_t i = 0; i < trace->api_count; i++)
		map_put(&calls, trace->api[i].correlation, 0, (uint32_t)i);
	*count = 0;
#define ADD_WORK(table)                                                                            \
	for (size_t i = 0; i < trace->table##_count; i++)                                          \
		add(work, count, issued(trace, &calls, trace->table[i].correlation),               \
		    trace->table[i].device, trace->table[i].context, trace->table[i].stream,       \
		    trace->table[i].start_ns, trace->table[i].end_ns, 0, false);
	ADD_WORK(kernel)
	ADD_WORK(memcpy)
	ADD_WORK(memset)
#undef ADD_WORK
	for (size_t i = 0; i < trace->event_count; i++)
		add(work, count, issued(trace, &calls, trace->event[i].correlation),
		    trace->event[i].device, trace->event[i].context, trace->event[i].stream, -1, -1,
		    trace->event[i].event_sync_id, false);
	for (size_t i = 0; i < trace->sync_count; i++)
		if (trace->sync[i].sync_type == 2 && trace->sync[i].event_sync_id > 0)
			add(work, count, issued(trace, &calls, trace->sync[i].correlation),
			    trace->sync[i].device, trace->sync[i].context, trace->sync[i].stream,
			    -1, -1, trace->sync[i].event_sync_id, true);
	map_release(&calls);
	if (*count)
		qsort(work, *count, sizeof(*work), by_stream);
	return work;
}

static bool same_stream(const struct work *a, const struct work *b)
{
	return a->context == b->context && a->stream == b->stream;
}

/* The last work before item `at` on its stream that ended, or NULL. */
static const struct work *before(const struct work *work, size_t at)
{
	for (size_t i = at; i-- > 0 && same_stream(&work[i], &work[at]);)
		if (!work[i].event_sync_id)
			return work[i].end_ns >= 0 ? &work[i] : NULL;
	return NULL;
}

static const struct work *after(const struct work *work, size_t count, size_t at)
{
	for (size_t i = at + 1; i < count && same_stream(&work[i], &work[at]); i++)
		if (!work[i].event_sync_id)
			return work[i].start_ns >= 0 ? &work[i] : NULL;
	return NULL;
}

struct delays {
	int64_t least_ns[GPUS_MAX][GPUS_MAX];
	uint64_t count[GPUS_MAX][GPUS_MAX];
};

static void gather(struct delays *delays, const struct work *work, size_t count)
{
	struct map records = { 0 };

	for (size_t i = 0; i < count; i++)
		if (work[i].event_sync_id && !work[i].wait)
			map_put(&records, work[i].event_sync_id, 0, (uint32_t)i);
	for (size_t i = 0; i < count; i++) {
		uint32_t record =
			work[i].wait ? map_get(&records, work[i].event_sync_id, 0) : MAP_NONE;
		const struct work *cause = record == MAP_NONE ? NULL : before(work, record),
				  *effect = cause ? after(work, count, i) : NULL;
		int64_t delay_ns;

		if (!effect || cause->device == effect->device || cause->device < 0 ||
		    effect->device < 0 || cause->device >= GPUS_MAX || effect->device >= GPUS_MAX)
			continue;
		delay_ns = effect->start_ns - cause->end_ns;
		if (!delays->count[cause->device][effect->device]++ ||
		    delay_ns < delays->least_ns[cause->device][effect->device])
			delays->least_ns[cause->device][effect->device] = delay_ns;
	}
	map_release(&records);
}

void spool_measure_skew(struct trace *trace)
{
	struct delays *delays = xcalloc(1, sizeof(*delays));
	size_t count, pairs = 0;
	struct work *work = collect(trace, &count);
	uint64_t backwards = 0;

	gather(delays, work, count);
	free(work);
	for (int a = 0; a < GPUS_MAX; a++)
		for (int b = a + 1; b < GPUS_MAX; b++) {
			int64_t there_ns = delays->least_ns[a][b], back_ns = delays->least_ns[b][a],
				skew_ns;
			char key[64], *text;

			if (!delays->count[a][b] || !delays->count[b][a])
				continue;
			pairs++;
			skew_ns = (there_ns - back_ns) / 2;
			backwards += there_ns + back_ns < 0;
			snprintf(key, sizeof(key), "clock_skew_%d_%d", a, b);
			text = xprintf(
				"GPU %d reads %lld ns later than GPU %d, +- %lld ns, from %llu "
				"waits",
				b, (long long)skew_ns, a, (long long)((there_ns + back_ns) / 2),
				(unsigned long long)(delays->count[a][b] + delays->count[b][a]));
			trace_set_meta(trace, key, text);
			free(text);
			for (size_t i = 0; a == 0 && i < trace->clock_count; i++)
				if (trace->clock[i].device == b)
					trace->clock[i].skew_ns = skew_ns;
		}
	for (size_t i = 0; pairs && i < trace->clock_count; i++)
		if (trace->clock[i].device == 0)
			trace->clock[i].skew_ns =
				0; /* by definition: the others are measured against it */
	trace_set_meta(
		trace, "clock_skew",
		pairs ? "measured: waits between GPUs in both directions bound it (clock_skew_A_B)"
		      : "not measured: no two GPUs wait for each other in both directions");
	spool_lose(
		trace, "clock-contradiction", backwards,
		"pairs of GPUs whose clocks drifted apart during the run: effects precede causes");
	free(delays);
}
