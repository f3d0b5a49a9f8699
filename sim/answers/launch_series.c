/* SPDX-License-Identifier: MIT */
#include "launch_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

/*
 * A series has so many launches of so many blocks: less are played each. So many of it are played.
 * A line that misses one of these by more than the pace's own error is none.
 */
enum { LAUNCHES_LEAST = 24, BLOCKS_LEAST = 1 << 17, PLAYED = 8, ALONE_MOST = 2 };
static const double LINE_ERROR = 0.01;

struct launch_line {
	uint32_t *shape; /* [count] of the schedule, by blocks; owned */
	uint32_t count, capacity;
	bool asked, straight, extrapolated;
	double begin_ns, ns_each; /* of blocks */
};

static double blocks_of(const struct schedule_shape *s)
{
	return (double)s->grid[0] * s->grid[1] * s->grid[2];
}

/* Alike but for the rows they update. */
static bool alike(const struct schedule *schedule, const struct schedule_shape *a,
		  const struct schedule_shape *b)
{
	if (a->kernel != b->kernel || a->columns != b->columns || a->path != b->path ||
	    a->steps != b->steps || a->shared_bytes != b->shared_bytes ||
	    a->resident_bytes != b->resident_bytes || a->access_count != b->access_count ||
	    memcmp(a->block, b->block, sizeof(a->block)) || a->grid[0] != b->grid[0] ||
	    a->grid[2] != b->grid[2])
		return false;
	for (uint32_t k = 0; k < a->access_count; k++)
		if (schedule->access[a->first_access + k].buffer !=
			    schedule->access[b->first_access + k].buffer ||
		    schedule->access[a->first_access + k].mode !=
			    schedule->access[b->first_access + k].mode)
			return false;
	return true;
}

static void add(struct series_model *m, const struct schedule *schedule, uint32_t shape)
{
	const struct schedule_shape *s = &schedule->shape[shape];
	uint32_t k = 0;
	if (blocks_of(s) < BLOCKS_LEAST || !s->rows)
		return;
	while (k < m->count && !alike(schedule, &schedule->shape[m->line[k].shape[0]], s))
		k++;
	if (k == m->count) {
		if (m->count == m->capacity) {
			m->capacity = m->capacity ? 2 * m->capacity : 16;
			m->line = xrealloc(m->line, m->capacity, sizeof(*m->line));
		}
		m->line[m->count++] = (struct launch_line){ 0 };
	}
	struct launch_line *line = &m->line[k];
	if (line->count == line->capacity) {
		line->capacity = line->capacity ? 2 * line->capacity : 16;
		line->shape = xrealloc(line->shape, line->capacity, sizeof(*line->shape));
	}
	/* Few are out of order: rows grow fewer from launch to launch. */
	uint32_t at = line->count++;
	for (; at > 0 && blocks_of(&schedule->shape[line->shape[at - 1]]) > blocks_of(s); at--)
		line->shape[at] = line->shape[at - 1];
	line->shape[at] = shape;
	m->of_shape[shape] = (int32_t)k;
}

/* Least squares through what is left of the points; the one farthest off, as a share of itself. */
static double fit(struct launch_line *line, const double *x, const double *y, const bool *left,
		  int *farthest)
{
	double n = 0, mean_x = 0, mean_y = 0, xy = 0, xx = 0, most = 0;
	for (int k = 0; k < PLAYED; k++) {
		n += left[k];
		mean_x += left[k] * x[k];
		mean_y += left[k] * y[k];
	}
	mean_x /= n;
	mean_y /= n;
	for (int k = 0; k < PLAYED; k++) {
		xy += left[k] * (x[k] - mean_x) * (y[k] - mean_y);
		xx += left[k] * (x[k] - mean_x) * (x[k] - mean_x);
	}
	line->ns_each = xx > 0 ? xy / xx : 0;
	line->begin_ns = mean_y - line->ns_each * mean_x;
	for (int k = 0; k < PLAYED; k++) {
		const double off = fabs(line->begin_ns + line->ns_each * x[k] - y[k]) / y[k];
		if (left[k] && off > most) {
			most = off;
			*farthest = k;
		}
	}
	return most;
}

/* Plays a few; one or two that are off the line, as the first launch of a run is which finds L2 as
 * nobody after it, stand by themselves. */
static int ask(struct series_model *m, const struct schedule *schedule, struct launch_line *line)
{
	struct kernel_model *model = &m->remembered.base;
	double x[PLAYED], y[PLAYED];
	bool left[PLAYED];
	const bool before = model->extrapolated;
	int farthest = 0;
	model->extrapolated = false;
	for (uint32_t k = 0; k < PLAYED; k++) {
		const uint32_t shape = line->shape[k * (line->count - 1) / (PLAYED - 1)];
		if (m->inner->cost(model, schedule, &schedule->shape[shape], NULL, &y[k]))
			return -1;
		x[k] = blocks_of(&schedule->shape[shape]);
		left[k] = true;
	}
	line->asked = true;
	for (int alone = 0; alone <= ALONE_MOST && !line->straight; alone++) {
		line->straight = fit(line, x, y, left, &farthest) <= LINE_ERROR;
		if (!line->straight) {
			left[farthest] = false;
			m->of_shape[line->shape[(uint32_t)farthest * (line->count - 1) /
						(PLAYED - 1)]] = -1;
		}
	}
	line->extrapolated = model->extrapolated;
	model->extrapolated = before;
	return 0;
}

static int cost(struct kernel_model *model, const struct schedule *schedule,
		const struct schedule_shape *shape, const struct schedule_op *op,
		double *duration_ns)
{
	struct series_model *m = (struct series_model *)model;
	int32_t *const which = &m->of_shape[shape - schedule->shape];
	struct launch_line *line = *which < 0 ? NULL : &m->line[*which];
	if (!line || line->count < LAUNCHES_LEAST)
		return m->inner->cost(model, schedule, shape, op, duration_ns);
	if (!line->asked && ask(m, schedule, line))
		return -1;
	if (!line->straight || *which < 0)
		return m->inner->cost(model, schedule, shape, op, duration_ns);
	model->extrapolated |= line->extrapolated;
	*duration_ns = line->begin_ns + line->ns_each * blocks_of(shape);
	return 0;
}

static double dram_bytes(struct kernel_model *model, const struct schedule *schedule,
			 const struct schedule_shape *shape)
{
	return ((struct series_model *)model)->inner->dram_bytes(model, schedule, shape);
}

static int crowd(struct kernel_model *model, const struct schedule *schedule,
		 const struct schedule_shape *shape, uint32_t streams, double duration_ns,
		 struct kernel_crowd *answer)
{
	return ((struct series_model *)model)
		->inner->crowd(model, schedule, shape, streams, duration_ns, answer);
}

static const struct kernel_model_ops series_ops = {
	.name = "warps",
	.summary = "as the model of that name, with lines through launches of ever fewer rows",
	.from_profiles = true,
	.cost = cost,
	.dram_bytes = dram_bytes,
	.crowd = crowd,
};

void launch_series_use(struct series_model *m, const struct schedule *schedule)
{
	bool any = false;
	m->of_shape = xmalloc((schedule->shape_count + 1) * sizeof(*m->of_shape));
	for (uint32_t k = 0; k < schedule->shape_count; k++) {
		m->of_shape[k] = -1;
		add(m, schedule, k);
	}
	for (uint32_t k = 0; k < m->count; k++)
		any |= m->line[k].count >= LAUNCHES_LEAST;
	if (!any)
		return;
	m->inner = m->remembered.base.ops;
	m->remembered.base.ops = &series_ops;
}

void launch_series_release(struct series_model *m)
{
	for (uint32_t k = 0; k < m->count; k++)
		free(m->line[k].shape);
	free(m->line);
	free(m->of_shape);
}
