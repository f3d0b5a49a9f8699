/* SPDX-License-Identifier: MIT
 * Which record of an event a wait waits for. CUPTI numbers events, and programs destroy, create and
 * record them again, so the same event id stands for many records; CUPTI's sync id names one
 * record, on drivers that give it. Whatever the driver gives, the trace gets numbers of its own:
 * one for each record, unique in the trace, and on each wait the number of the record it met.
 */
#include "spool_rows.h"

#include <stdlib.h>
#include <string.h>
#include "traces/base/util.h"

/* A record or a wait, placed in the order of the host calls that made them. */
struct moment {
	uint64_t sync_id, host_ns;
	uint32_t event_id, index; /* into spool->event */
};

static bool given(uint64_t sync_id)
{
	return sync_id && sync_id != UINT64_MAX && sync_id != SPOOL_NONE;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_host(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;
	int order = compare(x->host_ns, y->host_ns);

	return order ? order : compare(x->index, y->index);
}

static int by_sync_id(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;
	int order = compare(x->sync_id, y->sync_id);

	return order ? order : by_host(a, b);
}

static int by_event_id(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;
	int order = compare(x->event_id, y->event_id);

	return order ? order : by_host(a, b);
}

static uint64_t host_time(const struct spool_calls *calls, uint32_t correlation,
			  uint64_t otherwise_ns)
{
	const struct spool_api *call = spool_calls_find(calls, correlation);

	return call ? call->start_ns : otherwise_ns;
}

/* First of `moments` (sorted by `order`) that is not before `key`. */
static size_t lower_bound(const struct moment *moments, size_t count, const struct moment *key,
			  int (*order)(const void *, const void *))
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (order(&moments[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The record a wait met: the latest before it in host order among those with its sync id, if CUPTI
 * gave one, else among those of its event. NULL: the event was never recorded before the wait
 * (which CUDA allows: such a wait waits for nothing).
 */
static const struct moment *met(const struct moment *by_sync, const struct moment *by_event,
				size_t count, const struct spool_sync *wait, uint64_t host_ns)
{
	struct moment key = { .sync_id = wait->event_sync_id,
			      .event_id = wait->event_id,
			      .host_ns = host_ns,
			      .index = UINT32_MAX };
	size_t at;

	if (given(key.sync_id)) {
		const struct moment *only;

		at = lower_bound(by_sync, count, &key, by_sync_id);
		if (at && by_sync[at - 1].sync_id == key.sync_id)
			return &by_sync[at - 1];
		only = at < count && by_sync[at].sync_id == key.sync_id ? &by_sync[at] : NULL;
		if (only) /* times disagree, the number does not */
			return only;
	}
	at = lower_bound(by_event, count, &key, by_event_id);
	return at && by_event[at - 1].event_id == key.event_id ? &by_event[at - 1] : NULL;
}

static void add_wait(struct trace *trace, const struct spool *spool,
		     const struct spool_calls *calls, const struct spool_sync *wait,
		     int64_t event_sync_id)
{
	const struct spool_row_source with = { trace, spool, calls };
	struct trace_sync *out = trace_add_sync(trace);

	spool_row_sync(out, wait, &with);
	out->device = -1;
	for (size_t i = 0; i < spool->context_count; i++)
		if (spool->context[i].context == wait->context)
			out->device = spool_id(spool->context[i].device);
	out->global_pid = (int64_t)spool->pid << 24;
	out->event_sync_id = event_sync_id;
}

void spool_pair_events(struct trace *trace, const struct spool *spool,
		       const struct spool_calls *calls)
{
	const struct spool_row_source with = { trace, spool, calls };
	size_t count = spool->event_count;
	struct moment *by_sync = xcalloc(count + 1, sizeof(*by_sync)),
		      *by_event = xcalloc(count + 1, sizeof(*by_event));
	uint64_t unmet = 0;

	for (size_t i = 0; i < count; i++) {
		const struct spool_event *event = &spool->event[i];
		struct trace_event *out = trace_add_event(trace);

		by_sync[i] = (struct moment){ .sync_id = event->event_sync_id,
					      .event_id = event->event_id,
					      .index = (uint32_t)i,
					      .host_ns = host_time(calls, event->correlation, 0) };
		spool_row_event(out, event, &with);
		out->global_pid = (int64_t)spool->pid << 24;
		out->event_sync_id = (int64_t)i + 1;
	}
	memcpy(by_event, by_sync, count * sizeof(*by_event));
	qsort(by_sync, count, sizeof(*by_sync), by_sync_id);
	qsort(by_event, count, sizeof(*by_event), by_event_id);
	for (size_t i = 0; i < spool->sync_count; i++) {
		const struct spool_sync *wait = &spool->sync[i];
		const struct moment *record = NULL;

		if (wait->sync_type == 1 || wait->sync_type == 2) {
			record = met(by_sync, by_event, count, wait,
				     host_time(calls, wait->correlation, wait->start_ns));
			unmet += !record;
		}
		add_wait(trace, spool, calls, wait, record ? (int64_t)record->index + 1 : -1);
	}
	if (unmet) {
		char *text = xprintf("%llu", (unsigned long long)unmet);

		trace_set_meta(trace, "waits_without_record", text);
		free(text);
	}
	free(by_sync);
	free(by_event);
}
