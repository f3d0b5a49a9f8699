/* SPDX-License-Identifier: MIT */
#include "trace_trim.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/trace_map.h"
#include "traces/base/util.h"

struct window {
	const struct trace_run *run;
	size_t count;
};

/* Runs are in time order and do not overlap. A row belongs to a run when it starts within it. */
static bool inside(const struct window *window, int64_t at_ns)
{
	size_t low = 0, high = window->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (window->run[middle].start_ns <= at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	const struct trace_run *run = low ? &window->run[low - 1] : NULL;
	return run && (run->end_ns < 0 || at_ns <= run->end_ns);
}

static int compare_i64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static bool among(const int64_t *sorted, size_t count, int64_t value)
{
	return bsearch(&value, sorted, count, sizeof(value), compare_i64) != NULL;
}

#define COPY_ROWS(table, condition)                                                                \
	for (size_t k = 0; k < trace->table##_count; k++) {                                        \
		const struct trace_##table *row = &trace->table[k];                                \
		if (condition)                                                                     \
			*trace_add_##table(out) = *row;                                            \
	}

static int compare_runs(const void *a, const void *b)
{
	const struct trace_run *x = a, *y = b;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

void trace_trim(struct trace *out, const struct trace *trace, size_t first, size_t count)
{
	size_t *run = xmalloc((count + 1) * sizeof(*run));
	for (size_t k = 0; k < count; k++)
		run[k] = first + k;
	trace_trim_to(out, trace, run, count);
	free(run);
}

void trace_trim_to(struct trace *out, const struct trace *trace, const size_t *run, size_t count)
{
	struct trace_run *runs = xmalloc((count + 1) * sizeof(*runs));
	const struct window window = { runs, count };
	for (size_t k = 0; k < count; k++)
		runs[k] = trace->run[run[k]];
	qsort(runs, count, sizeof(*runs), compare_runs);
	for (size_t k = 1; k < trace->string_count; k++) /* same order, so that indices stay */
		trace_string(out, trace->string[k]);
	/* Device rows go with the call that made them, whenever the device got to them. */
	int64_t *correlation = xmalloc((trace->api_count + 1) * sizeof(*correlation));
	size_t kept = 0;
	for (size_t k = 0; k < trace->api_count; k++)
		if (inside(&window, trace->api[k].start_ns))
			correlation[kept++] = trace->api[k].correlation;
	qsort(correlation, kept, sizeof(*correlation), compare_i64);
	COPY_ROWS(api, inside(&window, row->start_ns))
	COPY_ROWS(kernel, among(correlation, kept, row->correlation))
	COPY_ROWS(memcpy, among(correlation, kept, row->correlation))
	COPY_ROWS(memset, among(correlation, kept, row->correlation))
	COPY_ROWS(sync, among(correlation, kept, row->correlation))
	COPY_ROWS(event, among(correlation, kept, row->correlation))
	COPY_ROWS(footprint, among(correlation, kept, row->correlation))
	COPY_ROWS(block, row->correlation == -1 || among(correlation, kept, row->correlation))
	COPY_ROWS(host_op, inside(&window, row->start_ns))
	COPY_ROWS(collective, inside(&window, row->start_ns))
	COPY_ROWS(overhead, inside(&window, row->start_ns))
	COPY_ROWS(core, inside(&window, row->at_ns))
	COPY_ROWS(nvtx, inside(&window, row->start_ns))
	COPY_ROWS(gpu, true)
	COPY_ROWS(thread, true)
	COPY_ROWS(stream, true)
	COPY_ROWS(meta, true)
	COPY_ROWS(link, true)
	COPY_ROWS(clock, true)
	COPY_ROWS(loss, true)
	COPY_ROWS(prediction, true)
	COPY_ROWS(profile, true)
	COPY_ROWS(profile_code, true)
	COPY_ROWS(profile_instruction, true)
	for (size_t k = 0; k < count; k++)
		*trace_add_run(out) = trace->run[run[k]];
	trace_set_meta(out, "trimmed", "to its runs");
	free(correlation);
	free(runs);
}

void trace_trim_code(struct trace *trace)
{
	const uint32_t nop = trace_string(trace, "NOP");
	struct map symbols = { 0 }, counted = { 0 }, counting = { 0 }, whole = { 0 };

	for (size_t i = 0; i < trace->profile_count; i++)
		map_put(&symbols, trace->profile[i].id, 0, trace->profile[i].symbol);
	for (size_t i = 0; i < trace->profile_instruction_count; i++) {
		const struct trace_profile_instruction *row = &trace->profile_instruction[i];
		map_put(&counted, map_get(&symbols, row->profile, 0), row->offset_bytes, 1);
		map_put(&counting, row->profile, 0, 1);
	}
	for (size_t i = 0; i < trace->profile_count; i++)
		if (map_get(&counting, trace->profile[i].id, 0) == MAP_NONE)
			map_put(&whole, trace->profile[i].symbol, 0, 1);
	for (size_t i = 0; i < trace->profile_code_count; i++) {
		struct trace_profile_code *row = &trace->profile_code[i];
		if (map_get(&counted, row->symbol, row->offset_bytes) != MAP_NONE ||
		    map_get(&whole, row->symbol, 0) != MAP_NONE)
			continue;
		row->text = nop;
		row->code_low = row->code_high = 0;
	}
	map_release(&whole);
	map_release(&counting);
	map_release(&counted);
	map_release(&symbols);
}
