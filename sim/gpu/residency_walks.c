/* SPDX-License-Identifier: MIT */
#include "residency_walks.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

enum { OCCURRENCES = 7, LAUNCHES_MAX = 4096 };

static size_t count_of(const struct schedule *schedule)
{
	return (size_t)schedule->thread_count * schedule->gpu_count;
}

/* The launches of a thread; seen: of each GPU and shape. */
static void collect(const struct schedule *schedule, uint32_t t, struct residency_walk *of_gpu,
		    int *seen)
{
	const struct schedule_thread *thread = &schedule->thread[t];
	memset(seen, 0, (size_t)schedule->gpu_count * schedule->shape_count * sizeof(*seen));
	for (int64_t k = 0; k < thread->op_count; k++) {
		const struct schedule_op *op = &schedule->op[thread->first_op + k];
		if (op->kind != OP_LAUNCH)
			continue;
		const uint16_t gpu = schedule->stream[op->stream].gpu;
		struct residency_walk *walk = &of_gpu[gpu];
		int *times = &seen[(size_t)gpu * schedule->shape_count + op->object];
		if (*times >= OCCURRENCES || walk->count >= LAUNCHES_MAX)
			continue;
		(*times)++;
		GROW(walk->shape, walk->count, walk->capacity);
		walk->shape[walk->count++] = op->object;
	}
}

struct residency_walk *residency_walks(const struct schedule *schedule)
{
	enum { NOBODY = 0, MANY = -1 };
	const size_t count = count_of(schedule), shapes = schedule->shape_count;
	struct residency_walk *walks = xcalloc(count + 1, sizeof(*walks));
	int *seen = xcalloc(schedule->gpu_count * shapes + 1, sizeof(*seen));
	int64_t *owner = xcalloc(shapes + 1, sizeof(*owner)); /* a walk, from 1 on */
	for (uint32_t t = 0; t < schedule->thread_count; t++)
		collect(schedule, t, &walks[(size_t)t * schedule->gpu_count], seen);
	for (size_t w = 0; w < count; w++)
		for (size_t k = 0; k < walks[w].count; k++) {
			int64_t *of = &owner[walks[w].shape[k]];
			*of = *of == NOBODY || *of == (int64_t)w + 1 ? (int64_t)w + 1 : MANY;
		}
	for (size_t w = 0; w < count; w++) {
		walks[w].sole = true;
		for (size_t k = 0; k < walks[w].count; k++)
			walks[w].sole &= owner[walks[w].shape[k]] != MANY;
	}
	free(owner);
	free(seen);
	return walks;
}

void residency_walks_release(struct residency_walk *walks, const struct schedule *schedule)
{
	for (size_t w = 0; w < count_of(schedule); w++)
		free(walks[w].shape);
	free(walks);
}

/* Names of one side and the other that stand for each other, from 1 on; 0: not yet. */
struct pairs {
	uint32_t *of_a, *of_b;
};

static struct pairs pairs_new(size_t count)
{
	return (struct pairs){ xcalloc(count + 1, sizeof(uint32_t)),
			       xcalloc(count + 1, sizeof(uint32_t)) };
}

static void pairs_release(struct pairs *pairs)
{
	free(pairs->of_a);
	free(pairs->of_b);
}

static bool paired(struct pairs *pairs, uint32_t a, uint32_t b)
{
	if (!pairs->of_a[a] && !pairs->of_b[b]) {
		pairs->of_a[a] = b + 1;
		pairs->of_b[b] = a + 1;
	}
	return pairs->of_a[a] == b + 1 && pairs->of_b[b] == a + 1;
}

static bool shapes_alike(const struct schedule *schedule, const struct schedule_shape *a,
			 const struct schedule_shape *b, struct pairs *buffers)
{
	if (a->access_count != b->access_count || a->dram_bytes != b->dram_bytes)
		return false;
	for (uint32_t k = 0; k < a->access_count; k++) {
		const struct schedule_access *one = &schedule->access[a->first_access + k],
					     *other = &schedule->access[b->first_access + k];
		if (one->mode != other->mode || one->offset_bytes != other->offset_bytes ||
		    one->bytes != other->bytes || !paired(buffers, one->buffer, other->buffer))
			return false;
	}
	return true;
}

static size_t buffers_of(const struct schedule *schedule, const struct residency_walk *walk)
{
	size_t count = 0;
	for (size_t k = 0; k < walk->count; k++) {
		const struct schedule_shape *shape = &schedule->shape[walk->shape[k]];
		for (uint32_t i = 0; i < shape->access_count; i++) {
			const size_t buffer = schedule->access[shape->first_access + i].buffer;
			count = buffer + 1 > count ? buffer + 1 : count;
		}
	}
	return count;
}

bool residency_walks_alike(const struct schedule *schedule, const struct residency_walk *a,
			   const struct residency_walk *b)
{
	if (a->count != b->count || !a->sole || !b->sole)
		return false;
	const size_t of_a = buffers_of(schedule, a), of_b = buffers_of(schedule, b);
	struct pairs shapes = pairs_new(schedule->shape_count),
		     buffers = pairs_new(of_a > of_b ? of_a : of_b);
	bool alike = true;
	for (size_t k = 0; k < a->count && alike; k++) {
		const uint32_t one = a->shape[k], other = b->shape[k];
		const bool first = !shapes.of_a[one];
		alike = paired(&shapes, one, other) &&
			(!first || shapes_alike(schedule, &schedule->shape[one],
						&schedule->shape[other], &buffers));
	}
	pairs_release(&shapes);
	pairs_release(&buffers);
	return alike;
}
