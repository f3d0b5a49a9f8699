/* SPDX-License-Identifier: MIT
 * The driver of local modified SOR, written once on struct machine: one GPU or strips of rows, from
 * the host's grid and back to it.
 *
 * Strips are exact: 2b halo rows for b iterations without communication, each sweep consumes one
 * (as in red-black SOR). Points beyond the strip have the values their owner has, so that they may
 * take part in the norm.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "traces/base/util.h"
#include "lmsor_geometry.h"
#include "lmsor_grid.h"
#include "lmsor_work.h"

static struct lmsor_work *work_of(const struct solver_work *work)
{
	return (struct lmsor_work *)(uintptr_t)work;
}

/* All that an iteration finds: u, the norms before the first, the terms. */
static int up(struct solver_work *work, struct machine_thread *t)
{
	struct lmsor_work *r = work_of(work);
	const uint32_t stream = r->domain.parts.part[t->gpu].stream;
	return domain_up(&r->domain, t) ||
			       lmsor_copy_norms(r, t, stream, 0, (int)lmsor_slots(r), false) ||
			       lmsor_launch_terms(r, t)
		       ? -1
		       : 0;
}

static int core(struct solver_work *work, struct machine_thread *t)
{
	return lmsor_iterate(work_of(work), t);
}

static int make_own(struct lmsor_work *r, uint32_t g)
{
	struct machine *m = r->base.m;
	const struct machine_ops *ops = m->ops;
	const struct lmsor_method *method = r->params.method;
	const int64_t stored_rows = r->domain.parts.part[g].stored_rows,
		      norms = lmsor_slots(r) * (int64_t)sizeof(uint64_t);
	struct lmsor_own *own = &r->own[g];
	if ((lmsor_arrays(method->stored) &&
	     ops->buffer(m, g, SPACE_DEVICE,
			 stored_rows * r->domain.parts.row_bytes * lmsor_arrays(method->stored),
			 &own->terms)) ||
	    ops->buffer(m, g, SPACE_DEVICE, norms, &own->norm) ||
	    ops->buffer(m, g, SPACE_PINNED, norms, &own->h_norm))
		return -1;
	if (method->whole)
		return ops->buffer(m, g, SPACE_DEVICE,
				   8 * lmsor_mailbox_words(lmsor_bands(r->params.size - 2)),
				   &own->mailboxes);
	if (r->params.check_every != CHECK_DEVICE)
		return 0;
	for (int k = 0; k < 2; k++)
		if (ops->event(m, g, &own->event[k]) ||
		    (r->base.gpus > 1 &&
		     ops->buffer(m, g, SPACE_DEVICE, stored_rows * r->domain.parts.row_bytes,
				 &own->saved[k])))
			return -1;
	return ops->stream(m, g, &own->aside);
}

static void fill(struct solver_work *work, uint64_t seed)
{
	const struct lmsor_work *r = work_of(work);
	(void)seed; /* the problem has its own start values */
	lmsor_grid_fill(r->domain.grid.h_cells, r->params.size, r->params.p.h);
}

/* The norms that go up at the begin of every run. */
static int restart(struct solver_work *work)
{
	struct lmsor_work *r = work_of(work);
	for (uint32_t g = 0; g < work->gpus && work->m->ops->computes; g++) {
		uint64_t *norm = lmsor_slot(r, r->own[g].h_norm, 0);
		memset(norm, 0, (size_t)lmsor_slots(r) * sizeof(*norm));
		if (!r->params.method->whole)
			norm[0] = lmsor_bits(DBL_MAX); /* nothing has ended yet */
	}
	return parts_restart(&r->domain.parts);
}

/* max|u| of the last iteration, where it was checked. */
static double last_norm(const struct lmsor_work *r)
{
	double norm;
	memcpy(&norm, &r->norm, sizeof(norm));
	return r->norm ? norm : NAN;
}

static void result(struct solver_work *work, struct solver_result *result)
{
	const struct lmsor_work *r = work_of(work);
	result->iterations = r->done;
	/* A fixed number of iterations asks for nothing more. */
	result->unconverged =
		!lmsor_fixed(r) && !(r->ended && r->norm <= lmsor_bits(r->params.tolerance));
	result->extra[0] = (double)r->params.real_points;
	result->extra[1] = (double)r->params.imaginary_points;
	result->extra[2] = last_norm(r);
}

static int check(struct solver_work *work, struct solver_result *result)
{
	const struct lmsor_work *r = work_of(work);
	result->checksum = lmsor_grid_check(r->domain.grid.h_cells, r->params.size, &r->params.p,
					    &result->residual, &result->extra[2]);
	return 0;
}

/* Whether the machine can do what the method does; -1 after a message. */
static int check_machine(const struct lmsor_work *r)
{
	const struct lmsor_params *p = &r->params;
	const struct lmsor_method *method = p->method;
	const struct machine_ops *ops = r->base.m->ops;
	if (method->whole && r->base.steady)
		return report("kernel %s has no launch of an iteration that could be timed: "
			      "warpreel solve times its runs",
			      p->kernel);
	if (method->whole && !ops->computes)
		return report("kernel %s makes all iterations in one launch, which no kernel model "
			      "knows: it has no plan",
			      p->kernel);
	if (!method->geometry && !ops->computes)
		return report("kernel %s is a CPU program: it launches nothing that could be "
			      "planned or timed; warpreel solve runs it",
			      p->kernel);
	if (!method->geometry && ops->on_device)
		return report("kernel %s is a CPU program: --backend cpu", p->kernel);
	if (!ops->computes && !lmsor_fixed(r))
		return report("a plan does not compute, so it cannot know when to stop: give "
			      "--iterations");
	return 0;
}

static int begin(struct solver_work *work)
{
	struct lmsor_work *r = work_of(work);
	struct lmsor_params *p = &r->params;
	*p = *(const struct lmsor_params *)work->params;
	if (work->steady)
		p->iterations = 1;
	work->iterations = p->iterations ? p->iterations : p->max_iterations;
	work->cycle = p->border;
	r->own = xcalloc(work->gpus, sizeof(*r->own));
	r->domain = (struct domain){ .rows = p->size,
				     .columns = p->size,
				     .halo = 2 * (int64_t)p->border,
				     .f64 = true,
				     .peer = p->peer,
				     .layout = p->method->rows ? LAYOUT_ROWS : LAYOUT_SPLIT,
				     .pitch = p->method->rows ? p->size : 0 };
	if (check_machine(r) || domain_make(&r->domain, work->m, work->gpus))
		return -1;
	for (uint32_t g = 0; g < work->gpus; g++)
		if (make_own(r, g))
			return -1;
	return 0;
}

static void end(struct solver_work *work)
{
	domain_work_end(work);
	free(work_of(work)->own);
}

static bool open_ended(const void *params)
{
	return !((const struct lmsor_params *)params)->iterations;
}

/* Every iteration has the norm of the first for its own: the greatest of all, which costs the same.
 */
static int iterate(struct solver_work *work, struct machine_thread *t)
{
	struct lmsor_work *r = work_of(work);
	const bool norm = r->params.check_every <= 1;
	return lmsor_launch_sweep(r, t, 0, 0, norm ? 1 : -1, false) ||
			       lmsor_launch_sweep(r, t, 1, 0, norm ? 1 : -1, false)
		       ? -1
		       : 0;
}

static const struct option_standard planned[] = { { "iterations", "100" }, { 0 } };

static const char *const extra_names[] = { "real_points", "imaginary_points", "max_u", NULL };

extern const struct solver solver_lmsor;
const struct solver solver_lmsor = {
	SOLVER_NAMED(lmsor),
	.summary = "2D convection-diffusion, local modified SOR with red-black ordering, until "
		   "max|u| is small",
	.columns = lmsor_columns,
	.planned = planned,
	.extra_names = extra_names,
	.open_ended = open_ended,
	.begin = begin,
	.end = end,
	.stream = domain_work_stream,
	.fill = fill,
	.restart = restart,
	.up = up,
	.core = core,
	.down = domain_work_down,
	.result = result,
	.check = check,
	.iterate = iterate,
};
