/* SPDX-License-Identifier: MIT
 * What is wrong with the work of the devices.
 */
#include "trace_check_internal.h"

#include <stdlib.h>

#include "traces/base/util.h"

/* What kernels, copies and memsets have in common. Returns the run whose call asked for it. */
static const struct trace_run *check_work(struct checking *c, int64_t start_ns, int64_t end_ns,
					  int32_t device, int32_t stream, int64_t global_pid,
					  int64_t correlation)
{
	uint32_t row = map_get(&c->api, process_of(global_pid), correlation);
	const struct trace_run *run;
	int64_t call_ns;

	check_times(c, start_ns, end_ns);
	c->count[UNKNOWN_DEVICE] += map_get(&c->gpu, device, 0) == MAP_NONE;
	c->count[UNKNOWN_STREAM] += stream < 0;
	map_put(&c->work, process_of(global_pid), correlation, 1);
	if (row == MAP_NONE) {
		c->count[ORPHAN_WORK]++;
		return NULL;
	}
	call_ns = c->t->api[row].start_ns;
	if (call_ns == -1 || start_ns == -1 || end_ns == -1)
		return NULL;
	c->count[BEFORE_CALL] += start_ns < call_ns;
	run = check_run_of(c->t, call_ns);
	c->count[OUTSIDE_RUN] +=
		run && (start_ns < run->start_ns || (run->end_ns != -1 && end_ns > run->end_ns));
	return run;
}

void check_device(struct checking *c)
{
	const struct trace *t = c->t;
	struct map kernels = { 0 }, footprints = { 0 };

	for (size_t i = 0; i < t->footprint_count; i++)
		map_put(&footprints, process_of(t->footprint[i].global_pid),
			t->footprint[i].correlation, 1);
	for (size_t i = 0; i < t->kernel_count; i++) {
		const struct trace_kernel *k = &t->kernel[i];
		const struct trace_run *run = check_work(c, k->start_ns, k->end_ns, k->device,
							 k->stream, k->global_pid, k->correlation);

		if (map_put(&kernels, process_of(k->global_pid), k->correlation, 1) != MAP_NONE &&
		    k->graph_node == -1)
			c->count[DUPLICATE]++;
		if (run && run->solver && !c->predicted &&
		    map_get(&footprints, process_of(k->global_pid), k->correlation) == MAP_NONE)
			c->count[NO_FOOTPRINT]++;
	}
	for (size_t i = 0; i < t->footprint_count; i++)
		c->count[LONE_FOOTPRINT] +=
			map_get(&kernels, process_of(t->footprint[i].global_pid),
				t->footprint[i].correlation) == MAP_NONE;
	for (size_t i = 0; i < t->memcpy_count; i++) {
		const struct trace_memcpy *m = &t->memcpy[i];

		check_work(c, m->start_ns, m->end_ns, m->device, m->stream, m->global_pid,
			   m->correlation);
	}
	for (size_t i = 0; i < t->memset_count; i++) {
		const struct trace_memset *m = &t->memset[i];

		check_work(c, m->start_ns, m->end_ns, m->device, m->stream, m->global_pid,
			   m->correlation);
	}
	map_release(&kernels);
	map_release(&footprints);
}

static int compare_stream_order(const void *left, const void *right, void *context)
{
	const struct trace *t = context;
	uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
	const struct trace_kernel *a = &t->kernel[x], *b = &t->kernel[y];

	if (a->global_pid != b->global_pid)
		return a->global_pid < b->global_pid ? -1 : 1;
	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

void check_overlap(struct checking *c)
{
	const struct trace *t = c->t;
	uint32_t *order = xmalloc((t->kernel_count + 1) * sizeof(*order));
	size_t count = 0;

	for (size_t i = 0; i < t->kernel_count; i++)
		if (t->kernel[i].graph_node == -1 && t->kernel[i].start_ns != -1 &&
		    t->kernel[i].end_ns != -1)
			order[count++] = (uint32_t)
				i; /* nodes of a graph may share a stream number and overlap */
	qsort_r(order, count, sizeof(*order), compare_stream_order, (void *)(uintptr_t)t);
	for (size_t i = 1; i < count; i++) {
		const struct trace_kernel *a = &t->kernel[order[i - 1]], *b = &t->kernel[order[i]];

		c->count[OVERLAP] += a->global_pid == b->global_pid && a->context == b->context &&
				     a->stream == b->stream && b->start_ns < a->end_ns;
	}
	free(order);
}

static int compare_block(const void *left, const void *right)
{
	const struct trace_block *a = left, *b = right;

	if (a->launch != b->launch)
		return a->launch < b->launch ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

void check_blocks(struct checking *c)
{
	const struct trace *t = c->t;
	struct trace_block *block = xmalloc((t->block_count + 1) * sizeof(*block));
	struct map grids = { 0 };

	for (size_t i = 0; i < t->kernel_count; i++) {
		const struct trace_kernel *k = &t->kernel[i];
		uint64_t blocks = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];

		map_put(&grids, process_of(k->global_pid), k->correlation,
			blocks < MAP_NONE ? (uint32_t)blocks : MAP_NONE - 1);
	}
	for (size_t i = 0; i < t->block_count; i++)
		block[i] = t->block[i];
	qsort(block, t->block_count, sizeof(*block), compare_block);
	for (size_t i = 0; i < t->block_count; i++) {
		const struct trace_block *b = &block[i];
		uint32_t blocks = b->correlation == -1 ? MAP_NONE
						       : map_get(&grids, process_of(b->global_pid),
								 b->correlation);

		c->count[LONE_BLOCK] += b->correlation != -1 && blocks == MAP_NONE;
		c->count[BLOCK_TIMES] += b->end_ns < b->begin_ns ||
					 (b->begin_clock != -1 && b->end_clock < b->begin_clock) ||
					 b->block >= blocks ||
					 (i > 0 && compare_block(b - 1, b) == 0);
	}
	map_release(&grids);
	free(block);
}
