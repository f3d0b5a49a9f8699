/* SPDX-License-Identifier: MIT
 * The multi-GPU driver of red-black SOR, written once on struct machine.
 *
 * A cycle is `border` iterations without communication, then a border exchange. The exact scheme
 * keeps 2b halo rows and lets each colour consume one: sweep c of a cycle of s sweeps updates s - 1
 * - c rows beyond the strip. The thesis' scheme keeps b rows and consumes one an iteration, both
 * colours over the same rows, which is not red-black SOR.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "rbsor_work.h"

enum { GRAPH_CYCLES = 10 };

/* Two launches an iteration: kernels paper and tuned. */
static int sweeps(struct domain_work *w, struct machine_thread *t, int iterations)
{
	const struct rbsor_params *p = w->base.params;
	for (int k = 0; k < iterations; k++)
		for (int colour = 0; colour < 2; colour++) {
			const int left = p->thesis ? iterations - 1 - k
						   : 2 * iterations - 1 - (2 * k + colour);
			if (rbsor_launch_sweep(w, t, colour, left))
				return -1;
		}
	return 0;
}

/* Passes as deep as may be, from one buffer to the other: kernels fused, temporal and
 * trapezoid. */
static int passes(struct domain_work *w, struct machine_thread *t, int iterations)
{
	const struct rbsor_params *p = w->base.params;
	int *current = &w->domain.current[t->gpu];
	while (iterations > 0) {
		const struct rbsor_pass_kernel *kernel = rbsor_pass_kernel_of(
			iterations < p->pass_depth ? iterations : p->pass_depth, p->trapezoid);
		iterations -= kernel->depth;
		if (rbsor_launch_pass(w, t, kernel, *current, 2 * (int64_t)iterations))
			return -1;
		*current = 1 - *current;
	}
	return 0;
}

/* One launch: kernel persistent. */
static int loop(struct domain_work *w, struct machine_thread *t, int iterations)
{
	w->domain.current[t->gpu] = rbsor_loop_result(iterations);
	return rbsor_launch_loop((struct rbsor_work *)w, t, iterations);
}

static int core(struct solver_work *work, struct machine_thread *t)
{
	const struct rbsor_params *p = work->params;
	if (p->store && work->gpus > 1)
		return rbsor_store_core((struct rbsor_work *)work, t);
	return domain_work_cycles(work, t, p->persistent ? loop : p->passes ? passes : sweeps);
}

static int up(struct solver_work *work, struct machine_thread *t)
{
	const struct rbsor_params *p = work->params;
	if (domain_work_up(work, t))
		return -1;
	return p->persistent ? rbsor_flags_up((struct rbsor_work *)work, t) : 0;
}

/* The launches of an iteration; where one launch makes several iterations, that one. */
static int iterate(struct solver_work *work, struct machine_thread *t)
{
	struct domain_work *w = (struct domain_work *)work;
	const struct rbsor_params *p = work->params;
	const struct rbsor_pass_kernel *pass = rbsor_pass_kernel_of(p->pass_depth, p->trapezoid);
	return p->persistent ? loop(w, t, p->grid.iterations)
	       : p->passes   ? rbsor_launch_pass(w, t, pass, 0, 0)
			     : sweeps(w, t, 1);
}

static int restart(struct solver_work *work)
{
	return domain_work_restart(work) || rbsor_store_restart((struct rbsor_work *)work) ? -1 : 0;
}

static void end(struct solver_work *work)
{
	free(((struct rbsor_work *)work)->border);
	domain_work_end(work);
}

/* A launch reads rows of a part that lie in one texture. */
static int check_texture(const struct domain *domain)
{
	const struct parts *parts = &domain->parts;
	const int64_t most = parts->m->ops->texture_elements(parts->m, 0);
	for (uint32_t g = 0; g < parts->gpus && most >= 0; g++) {
		const struct part *part = &parts->part[g];
		const int64_t elements = part->stored_rows * domain->pitch;
		if (elements > most)
			return report(
				"kernel texture: the part of GPU %u has %lld elements (%lld "
				"rows of %lld with what aligns them), and a texture of linear "
				"memory takes %lld: more GPUs, or kernel paper",
				g, (long long)elements, (long long)part->stored_rows,
				(long long)domain->pitch, (long long)most);
	}
	return 0;
}

static int begin(struct solver_work *work)
{
	const struct rbsor_params *p = work->params;
	struct rbsor_work *r = (struct rbsor_work *)work;
	struct domain *domain = &r->w.domain;
	stencil_begin(&r->w, &p->grid, rbsor_halo_rows(p));
	if ((p->passes && work->gpus == 1) || p->persistent) /* nothing to exchange */
		work->cycle = work->iterations;
	work->timed = domain->pageable = p->timed;
	work->one_thread = domain->one_thread = p->one_thread;
	if (p->graph) {
		r->w.graph_cycles = GRAPH_CYCLES;
		work->cycle = work->gpus > 1 || !p->passes ? p->grid.border : p->pass_depth;
		work->warm = (GRAPH_CYCLES + 1) * work->cycle;
	}
	domain->buffers = p->passes || p->persistent ? 2 : 1;
	domain->layout = p->tuned ? LAYOUT_SPLIT : LAYOUT_ROWS;
	domain->free_order = !strcmp(p->order, "free");
	domain->pageable_staging = !strcmp(p->staging, "pageable");
	domain->workers = p->workers;
	domain->messages = p->messages;
	domain->channel = p->by->channel;
	if (domain_make(domain, work->m, work->gpus) || (p->persistent && rbsor_flags_make(r)) ||
	    (p->texture && check_texture(domain)) ||
	    (p->store && work->gpus > 1 && rbsor_store_make(r)))
		return -1;
	if (p->by->waits_so)
		domain->parts.policy = p->by->policy;
	work->helpers = domain->parts.helpers;
	return 0;
}

extern const struct solver solver_rbsor;
const struct solver solver_rbsor = {
	SOLVER_NAMED(rbsor),
	.summary = "2D Laplace, Dirichlet boundary, red-black SOR on strips or blocks",
	.columns = stencil_columns,
	DOMAIN_WORK_PLAIN_CALLBACKS,
	.ways = rbsor_ways,
	.take = rbsor_take,
	.begin = begin,
	.end = end,
	.restart = restart,
	.up = up,
	.core = core,
	.iterate = iterate,
};
