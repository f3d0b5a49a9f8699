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

/* The strip from the host or back to it, by way of the row-major staging unless it lies that way
 * itself. */
static int transfer(struct lmsor_work *r, struct machine_thread *t, bool up)
{
	const struct strip_part *part = &r->strips.part[t->gpu];
	const bool rows = r->params->method->rows;
	return (!rows && !up && lmsor_launch_layout(r, t, false)) ||
			       strips_transfer(&r->strips, t, r->host_grid, r->host_row_bytes,
					       rows ? part->grid : r->own[t->gpu].upload,
					       rows ? r->strips.row_bytes : r->host_row_bytes,
					       up) ||
			       (!rows && up && lmsor_launch_layout(r, t, true))
		       ? -1
		       : 0;
}

/* All that an iteration finds: u, the terms, the norms before the first. */
static int set_up(struct lmsor_work *r, struct machine_thread *t)
{
	const uint32_t stream = r->strips.part[t->gpu].stream;
	return transfer(r, t, true) ||
			       lmsor_copy_norms(r, t, stream, 0, (int)lmsor_slots(r), false) ||
			       lmsor_launch_terms(r, t) || lmsor_ops(r)->sync(t, stream)
		       ? -1
		       : 0;
}

static int thread_body(struct machine_thread *t, void *arg)
{
	struct lmsor_work *r = arg;
	const struct machine_ops *ops = lmsor_ops(r);
	const uint32_t stream = r->strips.part[t->gpu].stream;
	if (ops->mark(t, MARK_TOTAL_BEGIN) || ops->barrier(t) || set_up(r, t) ||
	    ops->mark(t, MARK_CORE_BEGIN) || ops->barrier(t))
		return -1;
	if (lmsor_iterate(r, t))
		return -1;
	return ops->sync(t, stream) || ops->mark(t, MARK_CORE_END) || transfer(r, t, false) ||
			       ops->sync(t, stream) || ops->mark(t, MARK_TOTAL_END)
		       ? -1
		       : 0;
}

static int make_own(struct lmsor_work *r, uint32_t g)
{
	struct machine *m = r->strips.m;
	const struct machine_ops *ops = m->ops;
	const struct lmsor_method *method = r->params->method;
	const int64_t stored_rows = r->strips.part[g].stored_rows,
		      norms = lmsor_slots(r) * (int64_t)sizeof(uint64_t);
	struct lmsor_own *own = &r->own[g];
	if ((lmsor_arrays(method->stored) &&
	     ops->buffer(m, g, SPACE_DEVICE,
			 stored_rows * r->strips.row_bytes * lmsor_arrays(method->stored),
			 &own->terms)) ||
	    (!method->rows &&
	     ops->buffer(m, g, SPACE_DEVICE, stored_rows * r->host_row_bytes, &own->upload)) ||
	    ops->buffer(m, g, SPACE_DEVICE, norms, &own->norm) ||
	    ops->buffer(m, g, SPACE_PINNED, norms, &own->h_norm))
		return -1;
	if (method->whole)
		return ops->buffer(m, g, SPACE_DEVICE,
				   8 * lmsor_mail_words(lmsor_bands(r->params->size - 2)),
				   &own->mail);
	if (r->params->check_every != CHECK_DEVICE)
		return 0;
	for (int k = 0; k < 2; k++)
		if (ops->event(m, g, &own->event[k]) ||
		    (r->strips.gpus > 1 &&
		     ops->buffer(m, g, SPACE_DEVICE, stored_rows * r->strips.row_bytes,
				 &own->saved[k])))
			return -1;
	return ops->stream(m, g, &own->aside);
}

/* A fixed number of iterations asks for nothing more. */
static bool has_converged(const struct lmsor_work *r)
{
	return r->fixed || (r->ended && r->norm <= lmsor_bits(r->params->tolerance));
}

/* What the host sends up at the begin of every run. */
static void fill_host(struct lmsor_work *r)
{
	for (uint32_t g = 0; g < r->strips.gpus && r->runs; g++) {
		uint64_t *norm = lmsor_slot(r, r->own[g].h_norm, 0);
		memset(norm, 0, (size_t)lmsor_slots(r) * sizeof(*norm));
		if (!r->params->method->whole)
			norm[0] = lmsor_bits(DBL_MAX); /* nothing has ended yet */
	}
	if (r->runs)
		lmsor_grid_fill(lmsor_ops(r)->address(r->strips.m, r->host_grid), r->params->size,
				r->params->p.h);
}

/* max|u| of the last iteration, where it was looked at. */
static double last_norm(const struct lmsor_work *r)
{
	double norm;
	memcpy(&norm, &r->norm, sizeof(norm));
	return r->norm ? norm : NAN;
}

/* One timed run; its threads' marks give the times. */
static int run_once(struct lmsor_work *r, struct machine_thread *threads,
		    struct solver_result *result)
{
	int64_t core_ns, total_ns;
	fill_host(r);
	if (strips_run(&r->strips, thread_body, r, threads, &core_ns, &total_ns))
		return -1;
	*result = (struct solver_result){
		.core_ns = core_ns,
		.total_ns = total_ns,
		.iterations = r->done,
		.residual = NAN,
		.unconverged = !has_converged(r),
		.extra = { (double)r->params->real_points, (double)r->params->imaginary_points,
			   last_norm(r) },
	};
	return 0;
}

static void look_at_grid(const struct lmsor_work *r, struct solver_result *result)
{
	const struct lmsor_params *p = r->params;
	double most;
	result->checksum = lmsor_grid_check(lmsor_ops(r)->address(r->strips.m, r->host_grid),
					    p->size, &p->p, &result->residual, &most);
	result->extra[2] = most;
}

/* Short runs, at least one, until the clocks are up: outside every measurement. */
static int warm_up(struct lmsor_work *r, struct machine_thread *threads, int warm_up_ms)
{
	const int limit = r->limit;
	const bool fixed = r->fixed;
	const int64_t until = monotonic_ns() + (int64_t)warm_up_ms * 1000000;
	struct solver_result ignored;
	int rc;
	r->limit = limit < 4 * r->params->border ? limit : 4 * r->params->border;
	r->fixed = true;
	do {
		rc = run_once(r, threads, &ignored);
	} while (!rc && monotonic_ns() < until);
	r->limit = limit;
	r->fixed = fixed;
	return rc;
}

static int make_run(struct lmsor_work *r, const struct lmsor_params *p, struct machine *m,
		    uint32_t gpus)
{
	const struct lmsor_method *method = p->method;
	r->params = p;
	r->limit = p->iterations ? p->iterations : p->max_iterations;
	r->fixed = p->iterations > 0;
	/* Split halves hold (columns + 1) / 2 points and one beyond, so that an east neighbour may
	 * always be read. */
	r->pitch = method->rows ? p->size : (p->size + 2 + 127) / 128 * 128;
	r->host_row_bytes = p->size * 8;
	r->strips = (struct strips){ .m = m,
				     .gpus = gpus,
				     .rows = p->size,
				     .halo = 2 * (int64_t)p->border,
				     .row_bytes = r->pitch * 8,
				     .peer = p->peer };
	r->own = xcalloc(gpus, sizeof(*r->own));
	if (method->whole && !strcmp(m->ops->name, "plan"))
		return report("kernel %s makes all iterations in one launch, which no kernel model "
			      "knows: it has no plan",
			      p->kernel);
	if (!method->geometry && !strcmp(m->ops->name, "plan"))
		return report("kernel %s is a CPU program: it launches nothing that could be "
			      "planned or timed; warpreel solve runs it",
			      p->kernel);
	if (!method->geometry && strcmp(m->ops->name, "cpu"))
		return report("kernel %s is a CPU program: --backend cpu", p->kernel);
	if (m->ops->buffer(m, 0, SPACE_PINNED, p->size * r->host_row_bytes, &r->host_grid) ||
	    strips_make(&r->strips))
		return -1;
	r->runs = m->ops->address(m, r->host_grid) != NULL;
	if (!r->runs && !r->fixed)
		return report("a plan does not compute, so it cannot know when to stop: give "
			      "--iterations");
	for (uint32_t g = 0; g < gpus; g++)
		if (make_own(r, g))
			return -1;
	return 0;
}

static void release_run(struct lmsor_work *r)
{
	strips_release(&r->strips);
	free(r->own);
}

/* What the recorder is told: with the number of iterations, which planning the run anew needs. */
static void note_config(const struct lmsor_params *p, int iterations, char config[CONFIG_BYTES])
{
	struct lmsor_params counted = *p;
	counted.iterations = iterations;
	lmsor_config(&counted, config);
}

int lmsor_run(const void *params, struct machine *m, uint32_t gpus,
	      const struct solver_request *request, struct solver_result *results)
{
	const struct lmsor_params *p = params;
	struct lmsor_work r = { 0 };
	int rc = -1, iterations = p->iterations;
	struct machine_thread *threads = xcalloc(gpus, sizeof(*threads));
	if (make_run(&r, p, m, gpus))
		goto out;
	if (r.runs && strcmp(m->ops->name, "cpu") && request->warm_up_ms >= 0 &&
	    warm_up(&r, threads, request->warm_up_ms))
		goto out;
	if (r.runs && !iterations &&
	    machine_annotate()) { /* recorded: one run to learn the count */
		if (run_once(&r, threads, &results[0]))
			goto out;
		iterations = r.done;
	}
	char config[CONFIG_BYTES];
	note_config(p, iterations, config);
	for (int k = 0; k < request->repeat; k++) {
		solver_note_run("lmsor", config, gpus);
		if (run_once(&r, threads, &results[k]))
			goto out;
		solver_note_run(NULL, NULL, 0);
		if (r.runs && request->verify && (k == 0 || k == request->repeat - 1))
			look_at_grid(&r, &results[k]);
	}
	rc = 0;
out:
	release_run(&r);
	free(threads);
	return rc;
}

static int steady_body(struct machine_thread *t, void *arg)
{
	return set_up(arg, t);
}

int lmsor_steady_begin(const void *params, struct machine *m, void **state, uint32_t *stream)
{
	struct lmsor_work *r = xcalloc(1, sizeof(*r));
	struct machine_thread thread;
	struct lmsor_params *one =
		xmalloc(sizeof(*one)); /* a norm slot is all an iteration here needs */
	*one = *(const struct lmsor_params *)params;
	one->iterations = 1;
	*state = r;
	if (one->method->whole) {
		report("kernel %s has no launch of an iteration that could be timed: warpreel "
		       "solve times its runs",
		       one->kernel);
		goto fail;
	}
	if (make_run(r, one, m, 1))
		goto fail;
	fill_host(r);
	if (r->runs &&
	    m->ops->run(m, 1, steady_body, r, &thread)) /* a plan shall hold the iterations alone */
		goto fail;
	*stream = r->strips.part[0].stream;
	return 0;
fail:
	r->params = one;
	lmsor_steady_end(r);
	*state = NULL;
	return -1;
}

/* Every iteration has the norm of the first for its own: the greatest of all, which costs the same.
 */
int lmsor_steady_iterate(void *state, struct machine_thread *t)
{
	struct lmsor_work *r = state;
	const bool norm = r->params->check_every <= 1;
	return lmsor_launch_sweep(r, t, 0, 0, norm ? 1 : -1, false) ||
			       lmsor_launch_sweep(r, t, 1, 0, norm ? 1 : -1, false)
		       ? -1
		       : 0;
}

void lmsor_steady_end(void *state)
{
	struct lmsor_work *r = state;
	free((void *)(uintptr_t)r->params);
	release_run(r);
	free(r);
}
