/* SPDX-License-Identifier: MIT
 * What the program noted: host operations, runs, data footprints; and its NVTX ranges.
 */
#include "spool_rows.h"

#include <stdlib.h>
#include <string.h>
#include "traces/base/util.h"

static int64_t global_tid(const struct spool *spool, uint32_t tid)
{
	return (int64_t)spool->pid << 24 | (tid & 0xffffff);
}

/* ---- footprints ---- */

/* The first call of thread `tid` at or after `at_ns` that launches a kernel, or calls->count. */
static size_t next_launch(const struct spool_calls *calls, const struct spool *spool, uint32_t tid,
			  uint64_t at_ns)
{
	size_t low = 0, high = calls->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct spool_api *call = &calls->call[middle];

		if (call->tid < tid || (call->tid == tid && call->start_ns < at_ns))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < calls->count && calls->call[low].tid == tid; low++)
		if (spool_is_launch(spool_text(spool, calls->call[low].name), false))
			return low;
	return calls->count;
}

static struct trace_footprint *add_row(struct trace *trace, const struct spool *spool,
				       const struct spool_footprint *note, uint32_t correlation)
{
	const struct spool_row_source with = { trace, spool, NULL };
	struct trace_footprint *out = trace_add_footprint(trace);

	spool_row_footprint(out, note, &with);
	out->correlation = correlation;
	out->global_pid = (int64_t)spool->pid << 24;
	out->path = out->steps = -1;
	return out;
}

/* A row an access; a launch that names none still has one row, of mode 0 and no bytes, for its
 * shape. */
static void add_footprint(struct trace *trace, const struct spool *spool, size_t index,
			  uint32_t correlation)
{
	const struct spool_footprint *note = &spool->footprint[index];
	uint32_t left = note->access_count;

	if (!left)
		add_row(trace, spool, note, correlation);
	for (size_t i = spool->first_access[index]; left && i < spool->access_count; i++) {
		const struct spool_access *access = &spool->access[i];

		for (uint32_t j = 0; j < access->count && j < 2 && left; j++, left--) {
			struct trace_footprint *out = add_row(trace, spool, note, correlation);

			out->buffer = access->access[j].buffer;
			out->mode = access->access[j].mode;
			out->offset_bytes = access->access[j].offset_bytes;
			out->bytes = access->access[j].bytes;
			out->path = (int32_t)(access->path_plus_one - 1);
			out->steps = (int32_t)(access->steps_plus_one - 1);
		}
	}
}

static void convert_footprints(struct trace *trace, const struct spool *spool,
			       const struct spool_calls *calls)
{
	uint32_t *claim =
		xcalloc(calls->count + 1, sizeof(*claim)); /* of each call: footprint number + 1 */
	uint64_t astray = 0;

	for (size_t i = 0; i < spool->footprint_count; i++) {
		size_t call = next_launch(calls, spool, spool->footprint[i].tid,
					  spool->footprint[i].at_ns);

		if (call == calls->count) {
			astray++;
			continue;
		}
		if (claim[call]) { /* the later note is the nearer one */
			astray++;
			if (spool->footprint[claim[call] - 1].at_ns > spool->footprint[i].at_ns)
				continue;
		}
		claim[call] = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < calls->count; i++)
		if (claim[i])
			add_footprint(trace, spool, claim[i] - 1, calls->call[i].correlation);
	spool_lose(trace, "footprints-without-launch", astray,
		   "no recorded launch follows the note on its thread");
	free(claim);
}

/* ---- NVTX ---- */

static int by_id(const void *a, const void *b)
{
	const struct spool_marker *x = *(const struct spool_marker *const *)a,
				  *y = *(const struct spool_marker *const *)b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->timestamp_ns < y->timestamp_ns ? -1 : x->timestamp_ns > y->timestamp_ns;
}

static void add_range(struct trace *trace, const struct spool *spool,
		      const struct spool_marker *start, int64_t end_ns)
{
	const char *domain = spool_text(spool, start->domain),
		   *text = spool_text(spool, start->text);
	char *full = *domain ? xprintf("%s: %s", domain, text) : NULL;
	struct trace_nvtx *out = trace_add_nvtx(trace);

	out->start_ns = spool_ns(start->timestamp_ns);
	out->end_ns = end_ns;
	out->text = trace_string(trace, full ? full : text);
	out->global_tid = global_tid(spool, start->tid);
	free(full);
}

/* CUPTI gives a range as two markers of one id. */
static void convert_nvtx(struct trace *trace, const struct spool *spool)
{
	const struct spool_marker **marker = xcalloc(spool->marker_count + 1, sizeof(*marker));
	uint64_t open = 0;

	for (size_t i = 0; i < spool->marker_count; i++)
		marker[i] = &spool->marker[i];
	qsort(marker, spool->marker_count, sizeof(*marker), by_id);
	for (size_t i = 0; i < spool->marker_count; i++) {
		const struct spool_marker *next =
			i + 1 < spool->marker_count ? marker[i + 1] : NULL;

		if (marker[i]->flags & SPOOL_MARKER_INSTANT) {
			add_range(trace, spool, marker[i], spool_ns(marker[i]->timestamp_ns));
		} else if (marker[i]->flags & SPOOL_MARKER_START) {
			bool closed =
				next && next->id == marker[i]->id && next->flags & SPOOL_MARKER_END;

			add_range(trace, spool, marker[i],
				  closed ? spool_ns(next->timestamp_ns) : -1);
			open += !closed;
			i += closed;
		}
	}
	spool_lose(trace, "open-ranges", open, "NVTX ranges that begin and never end");
	free(marker);
}

/* ---- the rest ---- */

static int by_time(const void *a, const void *b)
{
	const struct spool_run *x = a, *y = b;

	return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

static void convert_runs(struct trace *trace, const struct spool *spool)
{
	const struct spool_row_source with = { trace, spool, NULL };
	struct spool_run *run = xcalloc(spool->run_count + 1, sizeof(*run));
	struct trace_run *open = NULL;

	if (spool->run_count)
		memcpy(run, spool->run, spool->run_count * sizeof(*run));
	qsort(run, spool->run_count, sizeof(*run), by_time);
	for (size_t i = 0; i < spool->run_count; i++) {
		if (!run[i].solver) {
			if (open)
				open->end_ns = spool_ns(run[i].at_ns);
			open = NULL;
			continue;
		}
		open = trace_add_run(trace);
		spool_row_run(open, &run[i], &with);
		open->start_ns = spool_ns(run[i].at_ns);
		open->end_ns = -1;
	}
	free(run);
}

static void convert_thread_names(struct trace *trace, const struct spool *spool)
{
	const struct spool_row_source with = { trace, spool, NULL };

	for (size_t i = 0; i < spool->thread_count; i++) {
		int64_t tid = global_tid(spool, spool->thread[i].tid);
		struct trace_thread *out = NULL;

		for (size_t j = 0; j < trace->thread_count && !out; j++)
			if (trace->thread[j].global_tid == tid)
				out = &trace->thread[j];
		if (!out)
			out = trace_add_thread(trace);
		out->global_tid = tid;
		spool_row_thread(out, &spool->thread[i], &with);
	}
}

static int32_t device_of(const struct spool *spool, uint32_t context)
{
	for (size_t i = 0; i < spool->context_count; i++)
		if (spool->context[i].context == context)
			return spool_id(spool->context[i].device);
	return -1;
}

static void convert_collectives(struct trace *trace, const struct spool *spool)
{
	const struct spool_row_source with = { trace, spool, NULL };

	for (size_t i = 0; i < spool->collective_count; i++) {
		const struct spool_collective *note = &spool->collective[i];
		struct trace_collective *out = trace_add_collective(trace);

		spool_row_collective(out, note, &with);
		out->global_tid = global_tid(spool, note->tid);
		out->device = device_of(spool, note->context);
		out->correlation = -1;
	}
}

static void convert_messages(struct trace *trace, const struct spool *spool)
{
	const struct spool_row_source with = { trace, spool, NULL };

	for (size_t i = 0; i < spool->message_count; i++) {
		struct trace_message *out = trace_add_message(trace);

		spool_row_message(out, &spool->message[i], &with);
		out->global_tid = global_tid(spool, spool->message[i].tid);
	}
}

void spool_convert_notes(struct trace *trace, const struct spool *spool,
			 const struct spool_calls *calls)
{
	const struct spool_row_source with = { trace, spool, calls };

	for (size_t i = 0; i < spool->host_op_count; i++) {
		const struct spool_host_op *note = &spool->host_op[i];
		struct trace_host_op *out = trace_add_host_op(trace);

		spool_row_host_op(out, note, &with);
		out->global_tid = global_tid(spool, note->tid);
	}
	convert_collectives(trace, spool);
	convert_messages(trace, spool);
	convert_footprints(trace, spool, calls);
	convert_nvtx(trace, spool);
	convert_runs(trace, spool);
	convert_thread_names(trace, spool);
}
