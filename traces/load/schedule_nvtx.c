/* SPDX-License-Identifier: MIT
 * Where NVTX ranges begin and end among the operations. A replay has no clock of the recorded run:
 * it knows when each operation began and ended, and a range's ends lie between two such instants.
 */
#include <stdlib.h>

#include "schedule_load.h"
#include "traces/base/util.h"
#include "traces/format/nvtx_order.h"

struct nvtx_end {
	int64_t tid, at_ns;
	size_t range;
	bool is_end;
};

static int compare_ends(const void *left, const void *right)
{
	const struct nvtx_end *a = left, *b = right;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	if (a->range != b->range)
		return a->range < b->range ? -1 : 1;
	return a->is_end - b->is_end;
}

static void add_range(struct load *load, const struct trace_nvtx *row, int64_t occurrence)
{
	struct schedule *s = load->schedule;
	const int64_t at_ns[] = { row->start_ns, row->end_ns };

	GROW(s->nvtx, s->nvtx_count, s->nvtx_capacity);
	for (int k = 0; k < 2; k++)
		load->nvtx_end[load->nvtx_ends++] =
			(struct nvtx_end){ row->global_tid, at_ns[k], s->nvtx_count, k };
	s->nvtx[s->nvtx_count++] =
		(struct schedule_nvtx){ .name = xstrdup(trace_text(load->trace, row->text)),
					.occurrence = occurrence,
					.global_tid = row->global_tid,
					.thread = UINT32_MAX,
					.recorded_ps = to_ps(row->end_ns - row->start_ns) };
}

void load_nvtx(struct load *load, int run)
{
	const struct trace *t = load->trace;
	const struct trace_nvtx *first_open = NULL;
	struct nvtx_order order;
	size_t open = 0;

	nvtx_order_make(&order, t);
	load->nvtx_end = xmalloc((2 * order.count + 1) * sizeof(*load->nvtx_end));
	for (size_t i = 0; i < order.count; i++) {
		const struct trace_nvtx *row = order.row[i];

		if (run >= 0 && (row->start_ns < load->begin_ns || row->start_ns > load->end_ns))
			continue;
		if (nvtx_is_mark(row) || nvtx_is_range(row)) {
			add_range(load, row, order.occurrence[i]);
			continue;
		}
		first_open = first_open ? first_open : row;
		open++;
	}
	if (open)
		report_warning("%s: nvtx row %zu: range '%s' never closes: left out%s", load->path,
			       (size_t)(first_open - t->nvtx) + 1, trace_text(t, first_open->text),
			       open > 1 ? ", and others like it" : "");
	qsort(load->nvtx_end, load->nvtx_ends, sizeof(*load->nvtx_end), compare_ends);
	nvtx_order_release(&order);
}

void load_nvtx_thread(struct load *load, int64_t global_tid)
{
	size_t low = 0, high = load->nvtx_ends;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (load->nvtx_end[middle].tid < global_tid)
			low = middle + 1;
		else
			high = middle;
	}
	load->nvtx_next = low;
	load->nvtx_ns = load->begin_ns;
	load->nvtx_instant = -1;
	for (; low < load->nvtx_ends && load->nvtx_end[low].tid == global_tid; low++)
		load->schedule->nvtx[load->nvtx_end[low].range].thread =
			load->schedule->thread_count - 1;
}

static bool next_is(const struct load *load, int64_t until_ns)
{
	const struct nvtx_end *next = &load->nvtx_end[load->nvtx_next];

	return load->nvtx_next < load->nvtx_ends && next->at_ns <= until_ns &&
	       load->schedule->nvtx[next->range].thread == load->schedule->thread_count - 1;
}

static void place_next(struct load *load, struct schedule_instant instant)
{
	const struct nvtx_end *next = &load->nvtx_end[load->nvtx_next++];
	struct schedule_nvtx *range = &load->schedule->nvtx[next->range];

	*(next->is_end ? &range->end : &range->begin) = instant;
}

/* Before the thread's first instant and after its last: as far from it as recorded. */
static void place_outside(struct load *load, int64_t until_ns)
{
	while (next_is(load, until_ns)) {
		const int64_t rest_ns = load->nvtx_end[load->nvtx_next].at_ns - load->nvtx_ns;

		place_next(load,
			   (struct schedule_instant){ .after = load->nvtx_instant,
						      .before = load->nvtx_instant,
						      .rest_ps = rest_ns < 0 ? -to_ps(-rest_ns)
									     : to_ps(rest_ns) });
	}
}

void load_nvtx_until(struct load *load, int64_t at_ns, int64_t instant)
{
	if (load->nvtx_instant == -1)
		place_outside(load, load->begin_ns);
	at_ns = at_ns > load->nvtx_ns ? at_ns : load->nvtx_ns;
	while (next_is(load, at_ns)) {
		const int64_t past_ns = load->nvtx_end[load->nvtx_next].at_ns - load->nvtx_ns,
			      all_ns = at_ns - load->nvtx_ns;

		place_next(load,
			   (struct schedule_instant){
				   .after = load->nvtx_instant,
				   .before = instant,
				   .share = all_ns > 0 ? (double)past_ns / (double)all_ns : 1 });
	}
	load->nvtx_ns = at_ns;
	load->nvtx_instant = instant;
}

void load_nvtx_rest(struct load *load)
{
	place_outside(load, INT64_MAX);
}

void load_nvtx_release(struct load *load)
{
	free(load->nvtx_end);
}
