/* SPDX-License-Identifier: MIT
 * Calls made while their thread captures a stream into a graph: they add nodes to the graph and ask the GPU for nothing.
 *
 * What is assumed: a capture ends on the thread that began it (a relaxed one may end elsewhere: its calls are then not
 * taken for captured). API rows do not name streams, so a call between begin and end that did lead to a row of its own
 * is one on another stream; that is for those who ask to find out.
 */
#include <stdlib.h>

#include "schedule_load.h"
#include "util.h"

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

/*
 * `order` is all calls by thread and time. depth[i] becomes how many captures begin at order[i], less those that ended
 * before it. Captures of one thread may lie within each other, as do the driver's calls below the runtime's.
 */
static void find_captures(const struct trace *t, const enum call_kind *kind, const uint32_t *order, int32_t *depth)
{
	uint32_t *open = xmalloc((t->api_count + 1) * sizeof(*open)); /* where each capture not yet ended began */
	size_t opened = 0;

	for (uint32_t i = 0; i < t->api_count; i++) {
		const struct trace_api *a = &t->api[order[i]];

		if (i && a->global_tid != t->api[order[i - 1]].global_tid)
			opened = 0;
		if (kind[a->name] == CALL_CAPTURE && a->start_ns != -1 && a->return_value == 0) {
			open[opened++] = i;
		} else if (kind[a->name] == CALL_CAPTURE_END && opened) { /* one that failed ends it, too */
			depth[open[--opened]]++;
			depth[i]--;
		}
	}
	free(open);
}

bool *captured_calls(const struct trace *trace)
{
	enum call_kind *kind = xmalloc((trace->string_count + 1) * sizeof(*kind));
	bool *captured = xcalloc(trace->api_count + 1, sizeof(*captured)), any = false;
	uint32_t *order;
	int32_t *depth, now = 0;

	for (size_t i = 0; i < trace->string_count; i++) {
		kind[i] = call_of_name(trace->string[i]).kind;
		any |= kind[i] == CALL_CAPTURE;
	}
	if (!any) {
		free(kind);
		return captured;
	}
	order = xmalloc((trace->api_count + 1) * sizeof(*order));
	depth = xcalloc(trace->api_count + 1, sizeof(*depth));
	for (size_t i = 0; i < trace->api_count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, trace->api_count, sizeof(*order), compare_calls, (void *)(uintptr_t)trace);
	find_captures(trace, kind, order, depth);
	for (size_t i = 0; i < trace->api_count; i++) {
		now += depth[i];
		captured[order[i]] = now > 0;
	}
	free(order);
	free(depth);
	free(kind);
	return captured;
}
