/* SPDX-License-Identifier: MIT */
#include "residency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

enum { OCCURRENCES = 6, LAUNCHES_MAX = 4096 };

/*
 * A range of a buffer, the clock of the slice that touched it last, which way that went, what share
 * of it was still in L2 then, what share is there and has been written since it came, and what
 * share that slice wrote. Ranges of a buffer do not overlap; the list is in the order of the
 * clocks, so that the bytes from a range to its end are those touched since (stack distance:
 * Mattson et al. 1970).
 */
struct touched {
	uint32_t buffer;
	int64_t begin, end;
	int64_t clock;
	double kept, written, dirty;
	bool backward;
};
struct history {
	struct touched *range;
	size_t count, capacity;
	int64_t clock;
};
struct slice_sums {
	double read, read_hit, write, write_hit;
};
struct sums {
	struct slice_sums slice[RESIDENCY_SLICES];
	double distance, touched, reversed, written, dirty, stored, updated, farthest;
	int seen;
};

double residency_hits(const struct sm_device *d, double bytes)
{
	size_t n = d->l2_reuse_bytes.count;
	const double *x = d->l2_reuse_bytes.value, *y = d->l2_reuse_hits.value;
	if (!n || bytes <= x[0])
		return n ? y[0] : 0;
	for (size_t k = 1; k < n; k++)
		if (bytes <= x[k])
			return y[k - 1] +
			       (y[k] - y[k - 1]) * (bytes - x[k - 1]) / (x[k] - x[k - 1]);
	return y[n - 1];
}

/*
 * The same of bytes that were touched one after the other, the last of them `from` bytes ago and
 * the first `to`, and come again. In the same order, all of them are `to` away. In the other, the
 * k-th is k: and what L2 keeps of that is less than the distance alone says.
 */
static double hits_of(const struct sm_device *d, bool reversed, double from, double to)
{
	double kept = d->l2_reversed_bytes - from;
	if (!reversed || !(d->l2_reversed_bytes > 0) ||
	    !mechanism_on(&d->mechanisms, MECHANISM_REVERSED_SWEEP))
		return residency_hits(d, to);
	return kept <= 0 ? 0 : kept < to - from ? kept / (to - from) : 1;
}

/* The part of an access that the launch is at in its slice-th part of RESIDENCY_SLICES. */
static struct schedule_access part_of(const struct schedule_access *access, int slice)
{
	struct schedule_access part = *access;
	int64_t at = access->mode & ACCESS_BACKWARD ? RESIDENCY_SLICES - 1 - slice : slice;
	int64_t begin = access->bytes * at / RESIDENCY_SLICES,
		end = access->bytes * (at + 1) / RESIDENCY_SLICES;
	part.offset_bytes += begin;
	part.bytes = end - begin;
	return part;
}

static bool overlap(const struct touched *r, const struct schedule_access *a, int64_t *begin,
		    int64_t *end)
{
	if (r->buffer != a->buffer)
		return false;
	*begin = a->offset_bytes > r->begin ? a->offset_bytes : r->begin;
	*end = a->offset_bytes + a->bytes < r->end ? a->offset_bytes + a->bytes : r->end;
	return *begin < *end;
}

/*
 * What of the access is in L2, and what of it is still there since it was written, if only every
 * `period`-th touch writes it: where it was out between, it has been written back, and will be
 * again.
 */
struct found {
	double bytes, hit, unwritten, distance, reversed, written, dirty, farthest;
};

static double power(double base, double exponent)
{
	double result = 1;
	for (; exponent >= 0.5; exponent--)
		result *= base;
	return result;
}

static struct found look_up(const struct history *h, const struct schedule_access *a,
			    const struct sm_device *device, double period)
{
	struct found found = { 0 };
	double since = 0, later = 0; /* bytes touched then or later; later */
	/* Ranges of a buffer do not overlap: when all is found, nothing is found before. */
	for (size_t k = h->count; k-- > 0 && found.bytes < (double)a->bytes;) {
		const struct touched *r = &h->range[k];
		const bool reversed = r->backward != !!(a->mode & ACCESS_BACKWARD);
		if (k + 1 == h->count || h->range[k + 1].clock != r->clock) {
			later = since;
			for (size_t j = k + 1; j-- > 0 && h->range[j].clock == r->clock;)
				since += (double)(h->range[j].end - h->range[j].begin);
		}
		int64_t begin, end;
		if (!overlap(r, a, &begin, &end))
			continue;
		double bytes = (double)(end - begin),
		       hits = hits_of(device, reversed, later, since);
		found.bytes += bytes;
		found.hit += bytes * hits;
		found.unwritten += bytes * hits * power(r->kept, period - 1);
		found.distance += bytes * since;
		found.written += bytes * hits * r->written;
		found.dirty += bytes * hits * r->dirty;
		found.farthest = since > found.farthest ? since : found.farthest;
		found.reversed += reversed ? bytes : 0;
	}
	return found;
}

/* Makes room for one more range at `k`. */
static void open_gap(struct history *h, size_t k)
{
	GROW(h->range, h->count, h->capacity);
	memmove(&h->range[k + 1], &h->range[k], (h->count - k) * sizeof(*h->range));
	h->count++;
}

/* The first range that an access meets. Most were touched lately, so it is looked for from the
 * end; ranges of a buffer do not overlap. */
static size_t first_met(const struct history *h, const struct schedule_access *a)
{
	int64_t there = a->bytes, begin, end;
	size_t first = h->count;
	for (size_t k = h->count; k-- > 0 && there > 0;)
		if (overlap(&h->range[k], a, &begin, &end)) {
			there -= end - begin;
			first = k;
		}
	return first;
}

/* Takes a range out of the history wherever it is; what is left of others stays in its place. */
static void forget(struct history *h, const struct schedule_access *a)
{
	size_t k = first_met(h, a), left = k;
	int64_t there = a->bytes;
	for (; k < h->count && there > 0; k++) {
		int64_t begin, end;
		if (!overlap(&h->range[k], a, &begin, &end)) {
			h->range[left++] = h->range[k];
			continue;
		}
		const struct touched r = h->range[k];
		there -= end - begin;
		if (left == k && r.begin < begin && end < r.end) /* two are left of it */
			open_gap(h, k++);
		if (r.begin < begin) {
			h->range[left] = r;
			h->range[left++].end = begin;
		}
		if (end < r.end) {
			h->range[left] = r;
			h->range[left++].begin = end;
		}
	}
	if (left != k)
		memmove(&h->range[left], &h->range[k], (h->count - k) * sizeof(*h->range));
	h->count -= k - left;
}

static void touch(struct history *h, const struct schedule_access *a, double kept, double written,
		  double dirty)
{
	forget(h, a);
	const struct touched now = {
		a->buffer, a->offset_bytes, a->offset_bytes + a->bytes,	  h->clock, kept,
		written,   dirty,	    !!(a->mode & ACCESS_BACKWARD)
	};
	GROW(h->range, h->count, h->capacity);
	if (now.begin < now.end)
		h->range[h->count++] = now;
}

/* Of the bytes of an access that writes, those the launch reads too. */
static double read_too(const struct schedule_access *access, uint32_t count,
		       const struct schedule_access *write)
{
	double bytes = 0;
	for (uint32_t k = 0; k < count; k++) {
		const struct touched read = { access[k].buffer,
					      access[k].offset_bytes,
					      access[k].offset_bytes + access[k].bytes,
					      0,
					      0,
					      0,
					      0,
					      false };
		int64_t begin, end;
		if (access[k].mode & ACCESS_READ && overlap(&read, write, &begin, &end))
			bytes += (double)(end - begin);
	}
	return bytes < (double)write->bytes ? bytes : (double)write->bytes;
}

/* Ranges may hold more than a launch touches in them, every other point say: the driver knows the
 * bytes. */
static void asked_of(const struct schedule *schedule, const struct schedule_shape *shape,
		     double *range_bytes, double *read, double *write)
{
	*read = *write = *range_bytes = 0;
	for (uint32_t k = 0; k < shape->access_count; k++) {
		const struct schedule_access *a = &schedule->access[shape->first_access + k];
		*read += a->mode & ACCESS_READ ? (double)a->bytes : 0;
		*write += a->mode & ACCESS_WRITE ? (double)a->bytes : 0;
	}
	*range_bytes = *write;
	if (shape->dram_bytes > 0) {
		*read = *read < (double)shape->dram_bytes ? *read : (double)shape->dram_bytes;
		*write = (double)shape->dram_bytes - *read < *write
				 ? (double)shape->dram_bytes - *read
				 : *write;
	}
}

static void walk_launch(struct history *h, const struct schedule *schedule,
			const struct schedule_shape *shape, const struct sm_device *device,
			struct sums *sums)
{
	const struct schedule_access *access = &schedule->access[shape->first_access];
	double range_bytes, read, write;
	asked_of(schedule, shape, &range_bytes, &read, &write);
	double period = write > 0 ? range_bytes / write : 1;
	double *kept = xcalloc(2 * (size_t)shape->access_count + 1, sizeof(*kept)),
	       *written = kept + shape->access_count;
	for (int i = 0; i < RESIDENCY_SLICES; i++) {
		struct slice_sums *slice = &sums->slice[i];
		h->clock++;
		for (uint32_t k = 0; k < shape->access_count; k++) {
			struct schedule_access part = part_of(&access[k], i);
			struct found found = look_up(h, &part, device,
						     access[k].mode & ACCESS_WRITE ? period : 1);
			kept[k] = part.bytes > 0 ? found.hit / (double)part.bytes : 0;
			written[k] = access[k].mode & ACCESS_WRITE ? 1
				     : part.bytes > 0 ? found.written / (double)part.bytes
						      : 0;
			if (access[k].mode & ACCESS_READ) {
				slice->read += (double)part.bytes;
				slice->read_hit += found.hit;
				sums->distance += found.distance;
				sums->touched += found.bytes;
				sums->reversed += found.reversed;
				sums->written += found.written;
				sums->dirty += found.dirty;
				sums->farthest = found.farthest > sums->farthest ? found.farthest
										 : sums->farthest;
			}
			if (access[k].mode & ACCESS_WRITE) {
				slice->write += (double)part.bytes;
				slice->write_hit += found.unwritten;
			}
		}
		for (uint32_t n = 0; n < 2 * shape->access_count;
		     n++) { /* what is both read and written has been written last */
			const uint32_t k = n % shape->access_count,
				       writes = access[k].mode & ACCESS_WRITE;
			struct schedule_access part = part_of(&access[k], i);
			if ((writes != 0) == (n >= shape->access_count))
				touch(h, &part, kept[k], written[k], writes ? 1 / period : 0);
		}
	}
	for (uint32_t k = 0; k < shape->access_count; k++)
		if (access[k].mode & ACCESS_WRITE) {
			sums->stored += (double)access[k].bytes;
			sums->updated += read_too(access, shape->access_count, &access[k]);
		}
	free(kept);
	sums->seen++;
}

static void fill(struct residency_shape *out, const struct schedule *schedule,
		 const struct schedule_shape *shape, const struct sm_device *device,
		 const struct sums *sums)
{
	double range_bytes, part = 1.0 / RESIDENCY_SLICES;
	asked_of(schedule, shape, &range_bytes, &out->read_bytes, &out->write_bytes);
	for (int i = 0; i < RESIDENCY_SLICES; i++) {
		const struct slice_sums *s = &sums->slice[i];
		out->read_miss[i] = s->read > 0 ? 1 - s->read_hit / s->read : 0;
		out->write_miss[i] = s->write > 0 ? 1 - s->write_hit / s->write : 0;
		out->read_miss_bytes += out->read_miss[i] * out->read_bytes * part;
		out->write_miss_bytes += out->write_miss[i] * out->write_bytes * part;
	}
	out->reversed = sums->touched > 0 ? sums->reversed / sums->touched : 0;
	double read_hit = 0;
	for (int i = 0; i < RESIDENCY_SLICES; i++)
		read_hit += sums->slice[i].read_hit;
	/* Launches that hardly differ are the same. */
	out->written = read_hit > 0 ? round(1024 * sums->written / read_hit) / 1024 : 0;
	out->dirty = read_hit > 0 ? round(1024 * sums->dirty / read_hit) / 1024 : 0;
	/* So many of all that goes round are more than L2 has near, in whatever order they come. */
	double beyond = device->l2_near_bytes > 0 && sums->farthest > device->l2_near_bytes
				? 1 - device->l2_near_bytes / sums->farthest
				: 0;
	out->wide = round(1024 * beyond * out->written) / 1024;
	out->updated = sums->stored > 0 ? sums->updated / sums->stored : 0;
	out->distance_bytes = sums->touched > 0 ? sums->distance / sums->touched : -1;
}

/* The launches of a thread on one GPU, whose L2 knows of no others. */
static void walk_thread(const struct schedule *schedule, const struct sm_device *device, uint32_t t,
			uint16_t gpu, struct sums firsts[], struct sums later[], int seen[])
{
	const struct schedule_thread *thread = &schedule->thread[t];
	struct history history = { 0 };
	int launches = 0;
	memset(seen, 0, schedule->shape_count * sizeof(*seen));
	for (int64_t k = 0; k < thread->op_count && launches < LAUNCHES_MAX; k++) {
		const struct schedule_op *op = &schedule->op[thread->first_op + k];
		if (op->kind != OP_LAUNCH || schedule->stream[op->stream].gpu != gpu ||
		    seen[op->object] > OCCURRENCES)
			continue;
		launches++;
		if (seen[op->object] == 2)
			later[op->object] = (struct sums){ 0 };
		walk_launch(&history, schedule, &schedule->shape[op->object], device,
			    seen[op->object]++ ? &later[op->object] : &firsts[op->object]);
	}
	free(history.range);
}

void residency_build(struct residency *residency, const struct schedule *schedule,
		     const struct sm_device *device)
{
	*residency = (struct residency){ .count = schedule->shape_count };
	residency->shape = xcalloc(schedule->shape_count + 1, sizeof(*residency->shape));
	/*
	 * The first launch of a shape finds what came before its loop, and the second what the
	 * first had touched for the first time: they count only where there are no others.
	 */
	struct sums *firsts = xcalloc(schedule->shape_count + 1, sizeof(*firsts)),
		    *later = xcalloc(schedule->shape_count + 1, sizeof(*later));
	int *seen = xcalloc(schedule->shape_count + 1, sizeof(*seen));
	for (uint32_t t = 0; t < schedule->thread_count; t++)
		for (uint16_t gpu = 0; gpu < schedule->gpu_count; gpu++)
			walk_thread(schedule, device, t, gpu, firsts, later, seen);
	for (uint32_t k = 0; k < schedule->shape_count; k++)
		fill(&residency->shape[k], schedule, &schedule->shape[k], device,
		     later[k].seen ? &later[k] : &firsts[k]);
	free(firsts);
	free(later);
	free(seen);
}

void residency_release(struct residency *residency)
{
	free(residency->shape);
	*residency = (struct residency){ 0 };
}
