/* SPDX-License-Identifier: MIT
 * The driver of the image solvers, written once on struct machine, from the host's grid and back to
 * it. Several GPUs each have their rows of blocks, and write borders into each other's memory.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/output.h"
#include "traces/base/util.h"
#include "weak_launch.h"
#include "weak_work.h"

static struct weak_work *work_of(const struct solver_work *work)
{
	return (struct weak_work *)(uintptr_t)work;
}

void *weak_address(const struct weak_work *w, uint32_t buffer)
{
	return weak_ops(w)->address(w->base.m, buffer);
}

int64_t weak_values_bytes(const struct weak_work *w)
{
	return weak_values(&w->problem.grid) * weak_fields(w->problem.rule) *
	       (int64_t)sizeof(float);
}

int64_t weak_constants_bytes(const struct weak_work *w)
{
	return 2 * weak_values(&w->problem.grid) * (int64_t)sizeof(float);
}

int64_t weak_status_bytes(void)
{
	return WEAK_STATUS_WORDS * (int64_t)sizeof(uint32_t);
}

static int64_t pack_bytes(const struct weak_work *w)
{
	return weak_pack_values(&w->problem.grid) * (int64_t)sizeof(float);
}

static int64_t order_bytes(const struct weak_work *w)
{
	return weak_blocks(&w->problem.grid) * (int64_t)sizeof(int32_t);
}

static int64_t ages_bytes(const struct weak_work *w)
{
	return (WEAK_AGES + 4 * weak_blocks(&w->problem.grid)) * (int64_t)sizeof(uint32_t);
}

static int64_t watch_bytes(const struct weak_work *w)
{
	const int words = w->params->phases ? WEAK_PACE_WORDS : WEAK_WATCH_WORDS;
	return words * weak_blocks(&w->problem.grid) * (int64_t)sizeof(uint64_t);
}

bool weak_fixed(const struct weak_work *w)
{
	return w->params->steps > 0 || w->base.warming;
}

/* Pictures say how large a grid is, not the configuration. */
const struct solver_column weak_columns[] = {
	{ "iterations", COLUMN_INT, WEAK_AT(steps), 0 },
	{ 0 },
};

/* A scheme that launches, and so many steps. */
const struct option_standard weak_planned[] = { { "scheme", "base" }, { "steps", "100" }, { 0 } };

bool weak_open_ended(const void *params)
{
	return !((const struct weak_params *)params)->steps;
}

uint32_t weak_stream(const struct solver_work *work, uint32_t gpu)
{
	return work_of(work)->gpu[gpu].stream;
}

/* Whether the machine can do what the scheme does; -1 after a message. */
static int check_machine(const struct weak_work *w)
{
	const struct weak_params *p = w->params;
	const struct machine_ops *ops = weak_ops(w);
	if (!p->method->geometry && !ops->computes)
		return report("scheme %s is a CPU program: it launches nothing that could be "
			      "planned or timed; warpreel solve runs it",
			      p->scheme);
	if (!p->method->geometry && ops->on_device)
		return report("scheme %s is a CPU program: --backend cpu", p->scheme);
	if (w->base.gpus > 1 && p->method->several && !ops->on_device)
		return report("scheme %s on several GPUs is run, not planned: its blocks wait for "
			      "each other's memory: --backend cuda",
			      p->scheme);
	if (weak_watched(p) && ops->computes && !ops->on_device)
		return report("--%s reads a GPU's clocks: --backend cuda",
			      p->watch ? "watch" : "phases");
	if (!ops->computes && !p->steps)
		return report("a plan does not compute, so it cannot know when to stop: give "
			      "--steps");
	return 0;
}

/* A GPU's buffers, and its share of the rows of blocks. */
static int make_gpu(struct weak_work *w, uint32_t g)
{
	const struct weak_params *p = w->params;
	struct machine *m = w->base.m;
	const struct machine_ops *ops = m->ops;
	struct weak_gpu *gpu = &w->gpu[g];
	const int rows = w->problem.grid.planes * w->problem.grid.down,
		  across = w->problem.grid.across, gpus = (int)w->base.gpus;
	gpu->first = rows * (int)g / gpus * across;
	gpu->blocks = gpus > 1 ? rows * ((int)g + 1) / gpus * across - gpu->first : 0;
	if (ops->stream(m, g, &gpu->stream) ||
	    ops->buffer(m, g, SPACE_DEVICE, weak_values_bytes(w), &gpu->values[0]) ||
	    (p->method->synchronous &&
	     ops->buffer(m, g, SPACE_DEVICE, weak_values_bytes(w), &gpu->values[1])) ||
	    ops->buffer(m, g, SPACE_DEVICE, pack_bytes(w), &gpu->pack) ||
	    ops->buffer(m, g, SPACE_DEVICE, ages_bytes(w), &gpu->ages) ||
	    (weak_watched(p) && ops->buffer(m, g, SPACE_DEVICE, watch_bytes(w), &gpu->watch)) ||
	    ops->buffer(m, g, SPACE_DEVICE, order_bytes(w), &gpu->order) ||
	    ops->buffer(m, g, SPACE_DEVICE, weak_constants_bytes(w), &gpu->constants) ||
	    ops->buffer(m, g, SPACE_DEVICE, weak_status_bytes(), &gpu->status) ||
	    ops->buffer(m, g, SPACE_PINNED, weak_status_bytes(), &gpu->h_status))
		return -1;
	/* Borders go to those beside; where one launch makes all steps, all meet. */
	for (uint32_t peer = 0; peer < w->base.gpus; peer++)
		if (peer != g && (p->method->whole || peer + 1 == g || g + 1 == peer) &&
		    ops->peer_access(m, g, peer))
			return -1;
	return 0;
}

int weak_begin(struct weak_work *w)
{
	const struct weak_params *p = w->params;
	struct machine *m = w->base.m;
	const struct machine_ops *ops = m->ops;
	const int rows = w->problem.grid.planes * w->problem.grid.down;
	weak_problem_measure(&w->problem);
	w->gpu = xcalloc(w->base.gpus, sizeof(*w->gpu));
	w->base.iterations = p->steps ? p->steps : p->max_steps;
	w->base.cycle = 1;
	w->residual_wanted = p->by_error ? p->tolerance * (1 - w->problem.factor) : p->tolerance;
	/* What eq. (4) asks of a node bends with the node's own values: over-relaxed it swings. */
	w->omega = w->problem.rule == WEAK_POISSON ? weak_best_omega(w->problem.factor) : 1;
	if ((uint32_t)rows < w->base.gpus)
		return report("%u GPUs for %d rows of blocks: each wants one", w->base.gpus, rows);
	if (check_machine(w) || ops->buffer(m, 0, SPACE_PINNED, pack_bytes(w), &w->h_pack) ||
	    ops->buffer(m, 0, SPACE_PINNED, ages_bytes(w), &w->h_ages) ||
	    (weak_watched(p) && ops->buffer(m, 0, SPACE_PINNED, watch_bytes(w), &w->h_watch)) ||
	    ops->buffer(m, 0, SPACE_PINNED, order_bytes(w), &w->h_order) ||
	    ops->buffer(m, 0, SPACE_PINNED, weak_values_bytes(w), &w->h_values) ||
	    ops->buffer(m, 0, SPACE_PINNED, weak_constants_bytes(w), &w->h_constants))
		return -1;
	for (uint32_t g = 0; g < w->base.gpus; g++)
		if (make_gpu(w, g))
			return -1;
	return 0;
}

void weak_end(struct weak_work *w)
{
	weak_problem_release(&w->problem);
	free(w->gpu);
}

void weak_fill(struct solver_work *work, uint64_t seed)
{
	const struct weak_work *w = work_of(work);
	(void)seed; /* pictures are their own start */
	memcpy(weak_address(w, w->h_values), w->problem.values, (size_t)weak_values_bytes(w));
	memcpy(weak_address(w, w->h_constants), w->problem.constants,
	       (size_t)weak_constants_bytes(w));
	weak_order(&w->problem.grid, w->params->method->order, weak_address(w, w->h_order));
	weak_fill_pack(&w->problem, weak_address(w, w->h_pack));
}

int weak_restart(struct solver_work *work)
{
	struct weak_work *w = work_of(work);
	for (uint32_t g = 0; g < work->gpus; g++) {
		w->gpu[g].done = 0;
		w->gpu[g].change = NAN;
		if (weak_ops(w)->computes)
			memset(weak_address(w, w->gpu[g].h_status), 0, (size_t)weak_status_bytes());
	}
	if (weak_ops(w)->computes) {
		memset(weak_address(w, w->h_ages), 0, (size_t)ages_bytes(w));
		if (weak_watched(w->params))
			memset(weak_address(w, w->h_watch), 0, (size_t)watch_bytes(w));
	}
	return 0;
}

int weak_copy(const struct weak_work *w, struct machine_thread *t, uint32_t source, uint32_t target,
	      int64_t bytes)
{
	return weak_ops(w)->copy(
		t, w->gpu[t->gpu].stream,
		&(struct machine_copy){
			.source = source, .target = target, .row_bytes = bytes, .rows = 1 });
}

int weak_up(struct solver_work *work, struct machine_thread *t)
{
	struct weak_work *w = work_of(work);
	struct weak_gpu *gpu = &w->gpu[t->gpu];
	gpu->current = 0;
	if (weak_copy(w, t, w->h_values, gpu->values[0], weak_values_bytes(w)) ||
	    /* Margins and nodes that keep their values are in both. */
	    (w->params->method->synchronous &&
	     weak_copy(w, t, w->h_values, gpu->values[1], weak_values_bytes(w))) ||
	    weak_copy(w, t, w->h_constants, gpu->constants, weak_constants_bytes(w)) ||
	    weak_copy(w, t, w->h_pack, gpu->pack, pack_bytes(w)) ||
	    weak_copy(w, t, w->h_order, gpu->order, order_bytes(w)) ||
	    weak_copy(w, t, w->h_ages, gpu->ages, ages_bytes(w)) ||
	    (weak_watched(w->params) && weak_copy(w, t, w->h_watch, gpu->watch, watch_bytes(w))) ||
	    weak_copy(w, t, gpu->h_status, gpu->status, weak_status_bytes()))
		return -1;
	return 0;
}

/* A GPU's own rows of every field: of one plane, or the rest of one and what follows. */
static int values_down(const struct weak_work *w, struct machine_thread *t)
{
	const struct weak_grid *g = &w->problem.grid;
	const struct weak_gpu *gpu = &w->gpu[t->gpu];
	const int rows = gpu->blocks / g->across, first = gpu->first / g->across;
	for (int field = 0; field < weak_fields(w->problem.rule); field++)
		for (int row = first; row < first + rows; row++) {
			const int64_t at = (field * weak_values(g) +
					    weak_at(g, row / g->down, row % g->down * WEAK_ROWS,
						    -WEAK_MARGIN)) *
					   (int64_t)sizeof(float);
			const struct machine_copy copy = {
				.source = gpu->values[gpu->current],
				.target = w->h_values,
				.source_offset_bytes = at,
				.target_offset_bytes = at,
				.row_bytes =
					(int64_t)weak_pitch(g) * WEAK_ROWS * (int64_t)sizeof(float),
				.rows = 1,
			};
			if (weak_ops(w)->copy(t, gpu->stream, &copy))
				return -1;
		}
	return 0;
}

int weak_down(struct solver_work *work, struct machine_thread *t)
{
	const struct weak_work *w = work_of(work);
	const struct weak_gpu *gpu = &w->gpu[t->gpu];
	if (work->gpus > 1)
		return values_down(w, t);
	return weak_copy(w, t, gpu->values[gpu->current], w->h_values, weak_values_bytes(w)) ||
			       (w->params->ages &&
				weak_copy(w, t, gpu->ages, w->h_ages, ages_bytes(w))) ||
			       (weak_watched(w->params) &&
				weak_copy(w, t, gpu->watch, w->h_watch, watch_bytes(w)))
		       ? -1
		       : 0;
}

void weak_result(struct solver_work *work, struct solver_result *result)
{
	const struct weak_work *w = work_of(work);
	result->iterations = w->gpu[0].done;
	result->any_order = w->params->method->any;
	/* A fixed number of steps asks for nothing more. */
	result->unconverged = !weak_fixed(w) && !((double)w->gpu[0].change <= w->residual_wanted);
}

struct weak_problem weak_after(const struct weak_work *w)
{
	struct weak_problem after = w->problem;
	after.values = weak_address(w, w->h_values);
	return after;
}

int weak_check(const struct weak_work *w, struct solver_result *result)
{
	const struct weak_problem after = weak_after(w);
	result->residual = weak_residual(&after);
	result->checksum = weak_checksum(&after);
	return weak_write_notes(w);
}
