/* SPDX-License-Identifier: MIT */
#include "residency.h"

#include <stdlib.h>
#include <string.h>

#include "../traces/util.h"

enum { OCCURRENCES = 6, LAUNCHES_MAX = 4096 };

/* A range of a buffer and the clock when it was last touched. Ranges of a buffer do not overlap. */
struct touched { uint32_t buffer; int64_t begin, end; double clock; };
struct history { struct touched *range; size_t count, capacity; double clock; };
struct sums { double read_hit, read, write_hit, write, distance, touched; int seen; };

double residency_hits(const struct sm_device *d, double bytes)
{
	size_t n = d->l2_reuse_bytes.count;
	const double *x = d->l2_reuse_bytes.value, *y = d->l2_reuse_hits.value;
	if (!n || bytes <= x[0])
		return n ? y[0] : 0;
	for (size_t k = 1; k < n; k++)
		if (bytes <= x[k])
			return y[k - 1] + (y[k] - y[k - 1]) * (bytes - x[k - 1]) / (x[k] - x[k - 1]);
	return y[n - 1];
}

static void push(struct history *h, struct touched range)
{
	if (range.begin >= range.end)
		return;
	if (h->count == h->capacity) {
		h->capacity = h->capacity ? 2 * h->capacity : 32;
		h->range = xrealloc(h->range, h->capacity, sizeof(*h->range));
	}
	h->range[h->count++] = range;
}

/* Bytes of the access found in the history, those still in L2, and the sum of their distances. */
static void look_up(const struct history *h, const struct schedule_access *a, const struct sm_device *device, double *hit, double *found,
		    double *distance)
{
	for (size_t k = 0; k < h->count; k++) {
		const struct touched *r = &h->range[k];
		int64_t begin = a->offset_bytes > r->begin ? a->offset_bytes : r->begin;
		int64_t end = a->offset_bytes + a->bytes < r->end ? a->offset_bytes + a->bytes : r->end;
		if (r->buffer != a->buffer || begin >= end)
			continue;
		double since = h->clock - r->clock;
		*hit += (double)(end - begin) * residency_hits(device, since);
		*distance += (double)(end - begin) * since;
		*found += (double)(end - begin);
	}
}

/* Marks a range as touched now; returns how many of its bytes this launch had not touched yet. */
static double touch(struct history *h, const struct schedule_access *a, double now)
{
	int64_t begin = a->offset_bytes, end = begin + a->bytes;
	double fresh = (double)a->bytes;
	size_t count = h->count;
	for (size_t k = 0; k < count; k++) {
		struct touched r = h->range[k];
		int64_t from = begin > r.begin ? begin : r.begin, to = end < r.end ? end : r.end;
		if (r.buffer != a->buffer || from >= to)
			continue;
		if (r.clock == now)
			fresh -= (double)(to - from);
		h->range[k] = (struct touched){ r.buffer, r.begin, from, r.clock };
		push(h, (struct touched){ r.buffer, to, r.end, r.clock });
	}
	push(h, (struct touched){ a->buffer, begin, end, now });
	size_t kept = 0;
	for (size_t k = 0; k < h->count; k++)
		if (h->range[k].begin < h->range[k].end)
			h->range[kept++] = h->range[k];
	h->count = kept;
	return fresh;
}

static void walk_launch(struct history *h, const struct schedule *schedule, const struct schedule_shape *shape, const struct sm_device *device,
			struct sums *sums)
{
	const struct schedule_access *access = &schedule->access[shape->first_access];
	struct sums one = { 0 };
	for (uint32_t k = 0; k < shape->access_count; k++) {
		double found = 0;
		if (access[k].mode & ACCESS_READ) {
			one.read += (double)access[k].bytes;
			look_up(h, &access[k], device, &one.read_hit, &one.touched, &one.distance);
		}
		if (access[k].mode & ACCESS_WRITE) {
			double ignored = 0;
			one.write += (double)access[k].bytes;
			look_up(h, &access[k], device, &one.write_hit, &found, &ignored);
		}
	}
	double now = h->clock, fresh = 0;
	for (uint32_t k = 0; k < shape->access_count; k++)
		fresh += touch(h, &access[k], now);
	h->clock = now + fresh;
	sums->seen++;
	sums->read += one.read;
	sums->read_hit += one.read_hit;
	sums->write += one.write;
	sums->write_hit += one.write_hit;
	sums->distance += one.distance;
	sums->touched += one.touched;
}

void residency_build(struct residency *residency, const struct schedule *schedule, const struct sm_device *device)
{
	*residency = (struct residency){ .count = schedule->shape_count };
	residency->shape = xcalloc(schedule->shape_count + 1, sizeof(*residency->shape));
	/* The first launch of a shape finds what came before its loop, which the others do not: it counts only where it is the only one. */
	struct sums *firsts = xcalloc(schedule->shape_count + 1, sizeof(*firsts)), *later = xcalloc(schedule->shape_count + 1, sizeof(*later));
	int *seen = xcalloc(schedule->shape_count + 1, sizeof(*seen));
	for (uint32_t t = 0; t < schedule->thread_count; t++) {
		struct history history = { 0 };
		int launches = 0;
		memset(seen, 0, schedule->shape_count * sizeof(*seen));
		for (int64_t k = 0; k < schedule->thread[t].op_count && launches < LAUNCHES_MAX; k++) {
			const struct schedule_op *op = &schedule->op[schedule->thread[t].first_op + k];
			if (op->kind != OP_LAUNCH || seen[op->object] > OCCURRENCES)
				continue;
			launches++;
			walk_launch(&history, schedule, &schedule->shape[op->object], device,
				    seen[op->object]++ ? &later[op->object] : &firsts[op->object]);
		}
		free(history.range);
	}
	for (uint32_t k = 0; k < schedule->shape_count; k++) {
		const struct schedule_shape *shape = &schedule->shape[k];
		struct residency_shape *out = &residency->shape[k];
		const struct sums *sums = later[k].seen ? &later[k] : &firsts[k];
		double times = sums->seen ? sums->seen : 1;
		double read = sums->read / times, write = sums->write / times;
		/* ranges may hold more than a launch touches in them, every other point say: the driver knows the bytes */
		if (shape->dram_bytes > 0) {
			read = read < (double)shape->dram_bytes ? read : (double)shape->dram_bytes;
			write = (double)shape->dram_bytes - read < write ? (double)shape->dram_bytes - read : write;
		}
		out->read_bytes = read;
		out->write_bytes = write;
		out->read_miss_bytes = sums->read > 0 ? read * (1 - sums->read_hit / sums->read) : 0;
		out->write_miss_bytes = sums->write > 0 ? write * (1 - sums->write_hit / sums->write) : 0;
		out->distance_bytes = sums->touched > 0 ? sums->distance / sums->touched : -1;
	}
	free(firsts);
	free(later);
	free(seen);
}

void residency_release(struct residency *residency)
{
	free(residency->shape);
	*residency = (struct residency){ 0 };
}
