/* SPDX-License-Identifier: MIT
 * NVTX ranges in the order of their begins, and which occurrence of its name each is.
 */
#ifndef WARPREEL_NVTX_ORDER_H
#define WARPREEL_NVTX_ORDER_H

#include "trace.h"

struct nvtx_order {
	const struct trace_nvtx **row; /* those that have a begin; owned */
	int64_t *occurrence;	       /* of each, from 0; -1: a mark; owned */
	size_t count;
};
void nvtx_order_make(struct nvtx_order *order, const struct trace *trace);
void nvtx_order_release(struct nvtx_order *order);

/* Compares pointers to rows, for qsort: by begin, thread, place in the table. */
int nvtx_by_begin(const void *left, const void *right);

/* A mark is a range whose end is its begin; one that never closes has -1 as its end. */
static inline bool nvtx_is_mark(const struct trace_nvtx *row)
{
	return row->end_ns == row->start_ns;
}
static inline bool nvtx_is_range(const struct trace_nvtx *row)
{
	return row->start_ns != -1 && row->end_ns > row->start_ns;
}

#endif
