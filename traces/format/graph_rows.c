/* SPDX-License-Identifier: MIT */
#include "graph_rows.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/trace_map.h"
#include "traces/base/util.h"

/* When a launch of a graph was seen: by a node's begin, or by its call. */
struct seen_launch {
	int64_t process, graph, at_ns, correlation;
};

enum { GRAPH_UNKNOWN = -1 };

/* CUPTI: the upper half of a node's id is its graph's. */
static int64_t graph_of(int64_t node)
{
	return node >> 32;
}

static int compare_seen(const void *left, const void *right)
{
	const struct seen_launch *a = left, *b = right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->graph != b->graph)
		return a->graph < b->graph ? -1 : 1;
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return (a->correlation > b->correlation) - (a->correlation < b->correlation);
}

/* The last of a graph at or before that time; NULL: none. */
static const struct seen_launch *last_seen(const struct seen_launch *seen, size_t count,
					   int64_t process, int64_t graph, int64_t at_ns)
{
	const struct seen_launch key = { process, graph, at_ns, INT64_MAX };
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare_seen(&seen[middle], &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low && seen[low - 1].process == process && seen[low - 1].graph == graph
		       ? &seen[low - 1]
		       : NULL;
}

static bool within_body(const struct trace_kernel *kernel)
{
	return kernel->correlation == 0 && kernel->graph_node != -1;
}

static size_t collect(const struct trace *t, struct seen_launch *seen)
{
	struct map worked = { 0 }; /* (process, correlation) with rows */
	size_t count = 0;

#define ADD(array)                                                                                 \
	for (size_t i = 0; i < t->array##_count; i++) {                                            \
		const int64_t process = process_of(t->array[i].global_pid);                        \
		map_put(&worked, process, t->array[i].correlation, 1);                             \
		if (t->array[i].graph_node != -1 && t->array[i].correlation > 0)                   \
			seen[count++] =                                                            \
				(struct seen_launch){ process, graph_of(t->array[i].graph_node),   \
						      t->array[i].start_ns,                        \
						      t->array[i].correlation };                   \
	}
	ADD(kernel)
	ADD(memcpy)
#undef ADD
	for (size_t i = 0; i < t->memset_count; i++)
		map_put(&worked, process_of(t->memset[i].global_pid), t->memset[i].correlation, 1);
	for (size_t i = 0; i < t->api_count; i++) {
		const int64_t process = process_of(t->api[i].global_tid);

		if (strstr(trace_text(t, t->api[i].name), "GraphLaunch") &&
		    t->api[i].return_value == 0 &&
		    map_get(&worked, process, t->api[i].correlation) == MAP_NONE)
			seen[count++] =
				(struct seen_launch){ process, GRAPH_UNKNOWN, t->api[i].start_ns,
						      t->api[i].correlation };
	}
	map_release(&worked);
	return count;
}

/* They were counted as device records without the call that issued them. */
static void regain(struct trace *t, size_t joined)
{
	for (size_t i = 0; i < t->loss_count; i++) {
		struct trace_loss *loss = &t->loss[i];

		if (strcmp(trace_text(t, loss->kind), "orphan-device-records") != 0)
			continue;
		loss->count -= loss->count < (int64_t)joined ? loss->count : (int64_t)joined;
		if (!loss->count)
			*loss = t->loss[--t->loss_count];
		return;
	}
}

size_t trace_join_graph_rows(struct trace *t)
{
	struct seen_launch *seen;
	size_t count, joined = 0, i = 0;

	while (i < t->kernel_count && !within_body(&t->kernel[i]))
		i++;
	if (i == t->kernel_count)
		return 0;
	seen = xmalloc((t->kernel_count + t->memcpy_count + t->api_count) * sizeof(*seen));
	count = collect(t, seen);
	qsort(seen, count, sizeof(*seen), compare_seen);
	for (; i < t->kernel_count; i++) {
		struct trace_kernel *k = &t->kernel[i];
		const int64_t process = process_of(k->global_pid);
		const struct seen_launch *launch = NULL;

		if (!within_body(k))
			continue;
		launch = last_seen(seen, count, process, graph_of(k->graph_node), k->start_ns);
		if (!launch)
			launch = last_seen(seen, count, process, GRAPH_UNKNOWN, k->start_ns);
		if (!launch)
			continue;
		k->correlation = launch->correlation;
		joined++;
	}
	free(seen);
	regain(t, joined);
	return joined;
}
