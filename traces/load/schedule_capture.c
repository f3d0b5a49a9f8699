/* SPDX-License-Identifier: MIT
 * Calls made while their process captures a stream into a graph: they add nodes to the graph and
 * ask the GPU for nothing. Which of them did so nobody says: a call that led to a row of its own is
 * one on another stream, which is for those who ask to find out.
 */
#include <stdlib.h>

#include "traces/format/capture_windows.h"
#include "schedule_load.h"
#include "traces/base/util.h"

static int compare_calls(const void *left, const void *right, void *context)
{
	const struct trace *t = context;
	uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
	const struct trace_api *a = &t->api[x], *b = &t->api[y];

	if (a->global_tid != b->global_tid)
		return a->global_tid < b->global_tid ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void find_captures(const struct trace *t, const enum call_kind *kind,
			  struct capture_windows *windows)
{
	uint32_t *order =
		xmalloc((t->api_count + 1) * sizeof(*order)); /* all calls by thread and time */

	for (size_t i = 0; i < t->api_count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, t->api_count, sizeof(*order), compare_calls, (void *)(uintptr_t)t);
	for (size_t i = 0; i < t->api_count; i++) {
		const struct trace_api *a = &t->api[order[i]];

		if (i && a->global_tid != t->api[order[i - 1]].global_tid)
			capture_windows_thread(windows);
		if (kind[a->name] == CALL_CAPTURE && a->start_ns != -1 && a->return_value == 0)
			capture_windows_begin(windows, a->start_ns);
		else if (kind[a->name] == CALL_CAPTURE_END) /* one that failed ends it, too */
			capture_windows_end(windows, process_of(a->global_tid), a->start_ns);
	}
	capture_windows_finish(windows);
	free(order);
}

bool *captured_calls(const struct trace *trace)
{
	enum call_kind *kind = xmalloc((trace->string_count + 1) * sizeof(*kind));
	bool *captured = xcalloc(trace->api_count + 1, sizeof(*captured)), any = false;
	struct capture_windows windows = { 0 };

	for (size_t i = 0; i < trace->string_count; i++) {
		kind[i] = call_of_name(trace->string[i]).kind;
		any |= kind[i] == CALL_CAPTURE;
	}
	if (any)
		find_captures(trace, kind, &windows);
	for (size_t i = 0; i < trace->api_count && windows.count; i++)
		captured[i] = capture_windows_hold(&windows, process_of(trace->api[i].global_tid),
						   trace->api[i].start_ns);
	capture_windows_release(&windows);
	free(kind);
	return captured;
}
