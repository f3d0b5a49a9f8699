/* SPDX-License-Identifier: MIT */
#include "nvtx_order.h"

#include <stdlib.h>

#include "traces/base/trace_map.h"
#include "traces/base/util.h"

int nvtx_by_begin(const void *left, const void *right)
{
	const struct trace_nvtx *a = *(const struct trace_nvtx *const *)left,
				*b = *(const struct trace_nvtx *const *)right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->global_tid != b->global_tid)
		return a->global_tid < b->global_tid ? -1 : 1;
	return a < b ? -1 : a > b;
}

void nvtx_order_make(struct nvtx_order *order, const struct trace *trace)
{
	struct map seen = { 0 };

	*order = (struct nvtx_order){ .row = xmalloc((trace->nvtx_count + 1) * sizeof(*order->row)),
				      .occurrence = xmalloc((trace->nvtx_count + 1) *
							    sizeof(*order->occurrence)) };
	for (size_t i = 0; i < trace->nvtx_count; i++)
		if (trace->nvtx[i].start_ns != -1)
			order->row[order->count++] = &trace->nvtx[i];
	qsort(order->row, order->count, sizeof(*order->row), nvtx_by_begin);
	for (size_t i = 0; i < order->count; i++) {
		uint32_t before = nvtx_is_mark(order->row[i])
					  ? MAP_NONE
					  : map_intern(&seen, order->row[i]->text, 0, 0);

		order->occurrence[i] = before == MAP_NONE ? -1 : (int64_t)before;
		if (before != MAP_NONE)
			map_put(&seen, order->row[i]->text, 0, before + 1);
	}
	map_release(&seen);
}

void nvtx_order_release(struct nvtx_order *order)
{
	free(order->row);
	free(order->occurrence);
	*order = (struct nvtx_order){ 0 };
}
