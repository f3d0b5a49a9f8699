/* SPDX-License-Identifier: MIT
 * From a spool to a trace: device work, calls, and the account of what is missing. Names, events,
 * notes and the machine have files of their own (spool_*.c).
 */
#include "traces/format/capture_windows.h"
#include "traces/format/graph_rows.h"
#include "spool_rows.h"
#include "spool_virtual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "traces/base/util.h"

int32_t spool_id(uint32_t id)
{
	return id > INT32_MAX ? -1 : (int32_t)id;
}

int64_t spool_ns(uint64_t ns)
{
	return ns && ns <= INT64_MAX ? (int64_t)ns : -1;
}

void spool_lose(struct trace *trace, const char *kind, uint64_t count, const char *detail)
{
	struct trace_loss *out;

	if (!count)
		return;
	out = trace_add_loss(trace);
	out->kind = trace_string(trace, kind);
	out->count = (int64_t)count;
	out->detail = trace_string(trace, detail);
}

void spool_lose_damage(struct trace *trace, const struct spool *spool)
{
	spool_lose(trace, "truncated-spool", spool->truncated_bytes,
		   "bytes of an unfinished chunk at the end of the spool");
	spool_lose(trace, "skipped-bytes", spool->skipped_bytes,
		   "bytes in the middle of the spool that are no chunk");
	spool_lose(trace, "damaged-chunks", spool->damaged_chunks,
		   "chunks whose checksum does not fit");
	spool_lose(trace, "missing-chunks", spool->missing_chunks,
		   "gaps in the numbers of the chunks");
	spool_lose(trace, "bad-records", spool->bad_records, "records of impossible size");
	spool_lose(trace, "unknown-spool-records", spool->unknown_records,
		   "records of a type this program does not know");
	spool_lose(trace, "no-end", !spool->ended,
		   "the process did not end in order: the last records are missing");
}

/* ---- the zero of time ---- */

static void shift(uint64_t *ns, uint64_t base_ns)
{
	*ns = *ns > base_ns ? *ns - base_ns : 0;
}

static void lower(uint64_t *least_ns, uint64_t ns)
{
	if (ns && ns < *least_ns)
		*least_ns = ns;
}

/* Where recording began, or the earliest time there is in a spool that lost its beginning. */
static uint64_t session_start(const struct spool *spool)
{
	uint64_t least_ns = UINT64_MAX;

	for (size_t i = 0; i < spool->time_count; i++)
		lower(&least_ns, spool->time[i].cupti_ns);
	if (least_ns != UINT64_MAX)
		return least_ns;
	for (size_t i = 0; i < spool->api_count; i++)
		lower(&least_ns, spool->api[i].start_ns);
	for (size_t i = 0; i < spool->kernel_count; i++)
		lower(&least_ns, spool->kernel[i].start_ns);
	for (size_t i = 0; i < spool->host_op_count; i++)
		lower(&least_ns, spool->host_op[i].start_ns);
	return least_ns == UINT64_MAX ? 0 : least_ns;
}

/* All times count from the session's start, which is 1 ns: 0 goes on to mean unknown. */
static void rebase(struct spool *spool)
{
	uint64_t start_ns = session_start(spool), base_ns = start_ns ? start_ns - 1 : 0;

#define SHIFT_SPAN(table)                                                                          \
	for (size_t i = 0; i < spool->table##_count; i++) {                                        \
		shift(&spool->table[i].start_ns, base_ns);                                         \
		shift(&spool->table[i].end_ns, base_ns);                                           \
	}
	SHIFT_SPAN(kernel)
	SHIFT_SPAN(memcpy)
	SHIFT_SPAN(memset)
	SHIFT_SPAN(api)
	SHIFT_SPAN(queries)
	SHIFT_SPAN(sync)
	SHIFT_SPAN(overhead)
	SHIFT_SPAN(host_op)
	SHIFT_SPAN(collective)
	SHIFT_SPAN(message)
#undef SHIFT_SPAN
#define SHIFT_POINT(table, field)                                                                  \
	for (size_t i = 0; i < spool->table##_count; i++)                                          \
		shift(&spool->table[i].field, base_ns);
	SHIFT_POINT(event, timestamp_ns)
	SHIFT_POINT(marker, timestamp_ns)
	SHIFT_POINT(time, cupti_ns)
	SHIFT_POINT(clock, at_ns)
	SHIFT_POINT(core, at_ns) SHIFT_POINT(run, at_ns) SHIFT_POINT(footprint, at_ns)
#undef SHIFT_POINT
}

/* ---- threads ---- */

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * A global thread id has room for 24 bits. Where CUPTI could not give the system's ids, it gave
 * half a pointer: those threads are numbered from 1 in the order of what it gave.
 */
static void renumber_threads(struct spool *spool)
{
	uint32_t *tids = xcalloc(spool->api_count + spool->queries_count + spool->host_op_count +
					 spool->collective_count + spool->message_count +
					 spool->footprint_count + spool->marker_count +
					 spool->overhead_count + spool->core_count +
					 spool->thread_count + 1,
				 sizeof(*tids)),
		 most = 0;
	size_t count = 0, kept = 0;

#define SEE(table)                                                                                 \
	for (size_t i = 0; i < spool->table##_count; i++)                                          \
		tids[count++] = spool->table[i].tid;
#define RENUMBER(table)                                                                            \
	for (size_t i = 0; i < spool->table##_count; i++)                                          \
		if (spool->table[i].tid)                                                           \
			spool->table[i].tid = (uint32_t)((const uint32_t *)bsearch(                \
								 &spool->table[i].tid, tids, kept, \
								 sizeof(*tids), compare_u32) -     \
							 tids) +                                   \
					      1;
	SEE(api)
	SEE(queries)
	SEE(host_op)
	SEE(collective)
	SEE(message)
	SEE(footprint)
	SEE(marker)
	SEE(overhead) SEE(core) SEE(thread) qsort(tids, count, sizeof(*tids), compare_u32);
	for (size_t i = 0; i < count; i++) {
		most = tids[i] > most ? tids[i] : most;
		if (tids[i] && (!kept || tids[i] != tids[kept - 1]))
			tids[kept++] = tids[i];
	}
	if (most > 0xffffff) {
		RENUMBER(api)
		RENUMBER(queries)
		RENUMBER(host_op)
		RENUMBER(collective)
		RENUMBER(message)
		RENUMBER(footprint)
		RENUMBER(marker) RENUMBER(overhead) RENUMBER(core) RENUMBER(thread)
	}
#undef SEE
#undef RENUMBER
	free(tids);
}

/* ---- device work ---- */

static void convert_kernels(struct trace *trace, const struct spool *spool,
			    const struct spool_calls *calls)
{
	const struct spool_row_source with = { trace, spool, calls };
	uint32_t *demangled = xcalloc(spool->string_count + 1, sizeof(*demangled)),
		 *brief = xcalloc(spool->string_count + 1, sizeof(*brief));

	for (size_t i = 0; i < spool->kernel_count; i++) {
		const struct spool_kernel *kernel = &spool->kernel[i];
		struct trace_kernel *out = trace_add_kernel(trace);
		uint32_t name = kernel->name < spool->string_count ? kernel->name : 0;

		if (name && !demangled[name] && spool->string[name]) {
			char *full, *part;

			spool_name(spool->string[name], &full, &part);
			demangled[name] = trace_string(trace, full);
			brief[name] = trace_string(trace, part);
			free(full);
			free(part);
		}
		spool_row_kernel(out, kernel, &with);
		out->global_pid = (int64_t)spool->pid << 24;
		out->demangled_name = name && demangled[name] ? demangled[name]
							      : trace_string(trace, "(name lost)");
		out->short_name = name && brief[name] ? brief[name] : out->demangled_name;
	}
	free(demangled);
	free(brief);
}

static void convert_copies(struct trace *trace, const struct spool *spool,
			   const struct spool_calls *calls)
{
	enum { HTOD = 1, DTOH = 2, HTOA = 3, ATOH = 4, HTOH = 9, PTOP = 10 };
	const struct spool_row_source with = { trace, spool, calls };

	for (size_t i = 0; i < spool->memcpy_count; i++) {
		const struct spool_memcpy *copy = &spool->memcpy[i];
		struct trace_memcpy *out = trace_add_memcpy(trace);
		bool between_gpus = copy->peer;
		int kind = copy->copy_kind;

		spool_row_memcpy(out, copy, &with);
		out->global_pid = (int64_t)spool->pid << 24;
		if (copy->peer) {
			out->source_device = spool_id(copy->source_device);
			out->target_device = spool_id(copy->target_device);
			if (out->source_device != out->target_device)
				kind = trace_copy_kind_of(PTOP, out->source_kind, out->target_kind);
			between_gpus = kind != HTOD && kind != DTOH && kind != HTOH;
		}
		if (!between_gpus) {
			out->source_device =
				kind == HTOD || kind == HTOA || kind == HTOH ? -1 : out->device;
			out->target_device =
				kind == DTOH || kind == ATOH || kind == HTOH ? -1 : out->device;
		}
		out->copy_kind = kind;
	}
}

static void convert_memsets(struct trace *trace, const struct spool *spool,
			    const struct spool_calls *calls)
{
	const struct spool_row_source with = { trace, spool, calls };

	for (size_t i = 0; i < spool->memset_count; i++) {
		struct trace_memset *out = trace_add_memset(trace);

		spool_row_memset(out, &spool->memset[i], &with);
		out->global_pid = (int64_t)spool->pid << 24;
	}
}

/* ---- calls and overhead ---- */

static void convert_calls(struct trace *trace, const struct spool *spool,
			  const struct spool_calls *calls)
{
	const struct spool_row_source with = { trace, spool, calls };
	char *text = xprintf("%zu", spool->api_count - calls->count),
	     *queries = xprintf("%llu", (unsigned long long)calls->query_count);

	for (size_t i = 0; i < calls->count; i++) {
		const struct spool_api *call = &calls->call[i];
		struct trace_api *out = trace_add_api(trace);
		const char *name = spool_text(spool, call->name);

		spool_row_api(out, call, &with);
		out->global_tid = (int64_t)spool->pid << 24 | (call->tid & 0xffffff);
		out->name = trace_string(trace, *name ? name : "(name lost)");
		out->event_class = call->driver != 0;
		out->queries = calls->before[i].calls < UINT32_MAX
				       ? (uint32_t)calls->before[i].calls
				       : UINT32_MAX;
		out->queries_ns =
			calls->before[i].ns < INT64_MAX ? (int64_t)calls->before[i].ns : INT64_MAX;
	}
	trace_set_meta(trace, "driver_calls_beneath_runtime_calls", text);
	trace_set_meta(trace, "calls_that_only_asked", queries);
	free(text);
	free(queries);
	for (size_t i = 0; i < spool->overhead_count; i++) {
		const struct spool_overhead *overhead = &spool->overhead[i];
		struct trace_overhead *out = trace_add_overhead(trace);

		spool_row_overhead(out, overhead, &with);
		out->global_tid =
			overhead->tid ? (int64_t)spool->pid << 24 | (overhead->tid & 0xffffff) : -1;
	}
	for (size_t i = 0; i < spool->core_count; i++) {
		struct trace_core *out = trace_add_core(trace);

		spool_row_core(out, &spool->core[i], &with);
		out->global_tid = (int64_t)spool->pid << 24 | (spool->core[i].tid & 0xffffff);
	}
}

/* ---- what is missing ---- */

/* Correlation ids of all kernels, ascending: those that a launch call must be found in. */
static uint32_t *kernel_correlations(const struct spool *spool, const struct spool_calls *calls)
{
	uint32_t *list = xcalloc(spool->kernel_count + 1, sizeof(*list));

	for (size_t i = 0; i < spool->kernel_count; i++)
		list[i] = spool_calls_correlation(calls, spool->kernel[i].correlation);
	qsort(list, spool->kernel_count, sizeof(*list), compare_u32);
	return list;
}

static void find_captures(const struct spool *spool, const struct spool_calls *calls,
			  struct capture_windows *windows)
{
	for (size_t i = 0; i < calls->count; i++) { /* by thread and time */
		const struct spool_api *call = &calls->call[i];
		const char *name = spool_text(spool, call->name);

		if (i && call->tid != calls->call[i - 1].tid)
			capture_windows_thread(windows);
		if (strstr(name, "StreamBeginCapture") && !call->return_value)
			capture_windows_begin(windows, (int64_t)call->start_ns);
		else if (strstr(name, "StreamEndCapture"))
			capture_windows_end(windows, 0, (int64_t)call->start_ns);
	}
	capture_windows_finish(windows);
}

/* Launch calls that succeeded and left no kernel. Calls into a stream that is being captured leave
 * none by design. */
static uint64_t launches_without_kernel(const struct spool *spool, const struct spool_calls *calls)
{
	uint32_t *kernels = kernel_correlations(spool, calls);
	struct capture_windows windows = { 0 };
	uint64_t count = 0;

	find_captures(spool, calls, &windows);
	for (size_t i = 0; i < calls->count; i++) {
		const struct spool_api *call = &calls->call[i];

		if (!call->return_value && spool_is_launch(spool_text(spool, call->name), false) &&
		    !capture_windows_hold(&windows, 0, (int64_t)call->start_ns) &&
		    !bsearch(&call->correlation, kernels, spool->kernel_count, sizeof(*kernels),
			     compare_u32))
			count++;
	}
	capture_windows_release(&windows);
	free(kernels);
	return count;
}

struct tally {
	uint64_t zero, orphans, backwards;
};

static void tally(struct tally *tally, const struct spool_calls *calls, uint64_t start_ns,
		  uint64_t end_ns, uint32_t correlation)
{
	const struct spool_api *call = spool_calls_find(calls, correlation);

	tally->zero += !start_ns || !end_ns;
	tally->orphans += !call;
	tally->backwards += call && start_ns && start_ns < call->start_ns;
}

static void account(struct trace *trace, const struct spool *spool, const struct spool_calls *calls)
{
	const struct spool_row_source with = { trace, spool, calls };
	struct tally total = { 0 };

	for (size_t i = 0; i < spool->kernel_count; i++)
		tally(&total, calls, spool->kernel[i].start_ns, spool->kernel[i].end_ns,
		      spool->kernel[i].correlation);
	for (size_t i = 0; i < spool->memcpy_count; i++)
		tally(&total, calls, spool->memcpy[i].start_ns, spool->memcpy[i].end_ns,
		      spool->memcpy[i].correlation);
	for (size_t i = 0; i < spool->memset_count; i++)
		tally(&total, calls, spool->memset[i].start_ns, spool->memset[i].end_ns,
		      spool->memset[i].correlation);
	spool_lose(trace, "zero-timestamps", total.zero,
		   "device records whose start or end CUPTI does not know");
	spool_lose(trace, "orphan-device-records", total.orphans,
		   "kernels, copies and memsets without the call that issued them");
	spool_lose(trace, "starts-before-call", total.backwards,
		   "device work that starts before the call that issued it: clocks disagree");
	spool_lose(trace, "launches-without-kernel", launches_without_kernel(spool, calls),
		   "launch calls that succeeded, with no kernel record");
	spool_lose_damage(trace, spool);
	for (size_t i = 0; i < spool->loss_count; i++)
		if (spool->loss[i].count)
			spool_row_loss(trace_add_loss(trace), &spool->loss[i], &with);
}

static void convert_meta(struct trace *trace, const struct spool *spool)
{
	const struct spool_row_source with = { trace, spool, NULL };
	char text[64];

	trace_set_meta(trace, "kind", "recorded");
	snprintf(text, sizeof(text), "%u", spool->pid);
	trace_set_meta(trace, "pid", text);
	snprintf(text, sizeof(text), "%zu", spool->bytes);
	trace_set_meta(trace, "spool_bytes", text);
	for (size_t i = 0; i < spool->meta_count; i++) {
		struct trace_meta meta;

		spool_row_meta(&meta, &spool->meta[i], &with);
		trace_set_meta(trace, trace_text(trace, meta.key), trace_text(trace, meta.value));
	}
}

void spool_convert(struct trace *trace, struct spool *spool)
{
	struct spool_calls calls;

	rebase(spool);
	renumber_threads(spool);
	spool_virtual_prepare(trace, spool);
	spool_calls_make(&calls, spool);
	convert_meta(trace, spool);
	spool_virtual_copies(trace, spool, &calls);
	convert_kernels(trace, spool, &calls);
	convert_copies(trace, spool, &calls);
	convert_memsets(trace, spool, &calls);
	convert_calls(trace, spool, &calls);
	spool_pair_events(trace, spool, &calls);
	spool_convert_notes(trace, spool, &calls);
	spool_convert_blocks(trace, spool, &calls);
	spool_convert_machine(trace, spool);
	account(trace, spool, &calls);
	trace_join_graph_rows(trace);
	if (!trace_virtual_gpus(trace)) /* else they have one clock */
		spool_measure_skew(trace);
	spool_calls_release(&calls);
}

int spool_to_trace(struct trace *trace, const char *path)
{
	struct spool spool;
	int result = spool_read(&spool, path);

	if (!result)
		spool_convert(trace, &spool);
	spool_release(&spool);
	return result;
}
