/* SPDX-License-Identifier: MIT
 * The order of things in every run of every solver.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid_file.h"
#include "solver.h"
#include "traces/base/util.h"
#include "traces/format/annotate.h"

struct run {
	const struct solver *solver;
	struct solver_work *work;
	struct machine_thread *threads; /* [(1 + HELPERS_A_GPU) * work->gpus] */
	int asked;			/* iterations by the parameters */
};

static struct solver_work *work_new(const struct solver *solver, const void *params,
				    struct machine *m, uint32_t gpus, bool steady)
{
	struct solver_work *work = xcalloc(1, solver->work_bytes);
	*work = (struct solver_work){
		.params = params, .m = m, .gpus = gpus, .steady = steady, .cycle = 1
	};
	return work;
}

static int sync_stream(const struct run *run, struct machine_thread *t)
{
	return run->work->m->ops->sync(t, run->solver->stream(run->work, t->gpu));
}

/* A mark that all threads pass together, unless there is one and no family has more. */
static int begin_mark(const struct run *run, struct machine_thread *t, enum mark mark)
{
	const struct machine_ops *ops = run->work->m->ops;
	const bool one = run->solver->alone && run->work->gpus == 1;
	return ops->mark(t, mark) || (!one && ops->barrier(t)) ? -1 : 0;
}

static int nothing(struct solver_work *work, struct machine_thread *t)
{
	(void)work;
	(void)t;
	return 0;
}

/* `step` of every GPU that the thread drives, then a wait for each. */
static int on_each(const struct run *run, struct machine_thread *t,
		   int (*step)(struct solver_work *work, struct machine_thread *t))
{
	const struct solver_work *w = run->work;
	if (!w->one_thread)
		return step(run->work, t) || sync_stream(run, t) ? -1 : 0;
	for (uint32_t g = 0; g < w->gpus; g++)
		if (w->m->ops->drive(t, g) || step(run->work, t))
			return -1;
	for (uint32_t g = 0; g < w->gpus; g++)
		if (w->m->ops->drive(t, g) || sync_stream(run, t))
			return -1;
	return w->m->ops->drive(t, 0);
}

/* A helper passes marks with the others, and has none of its own. */
static int helper_body(const struct run *run, struct machine_thread *t)
{
	const struct machine_ops *ops = run->work->m->ops;
	return ops->barrier(t) || ops->barrier(t) || run->solver->help(run->work, t) ? -1 : 0;
}

static int body(struct machine_thread *t, void *arg)
{
	const struct run *run = arg;
	const struct solver *s = run->solver;
	const struct machine_ops *ops = run->work->m->ops;
	if (t->index >= run->work->gpus)
		return helper_body(run, t);
	if (begin_mark(run, t, MARK_TOTAL_BEGIN) || on_each(run, t, s->up) ||
	    begin_mark(run, t, MARK_CORE_BEGIN) || s->core(run->work, t) ||
	    on_each(run, t, nothing) || ops->mark(t, MARK_CORE_END))
		return -1;
	if (s->down && on_each(run, t, s->down))
		return -1;
	return ops->mark(t, MARK_TOTAL_END);
}

/* Means over an iteration, over an exchange but for kernels; the slowest GPU's of each (thesis,
 * 6.2.1). */
static void take_times(const struct solver_work *w, struct solver_result *result)
{
	result->timed = w->timed && w->m->ops->computes;
	for (uint32_t g = 0; result->timed && g < w->gpus; g++) {
		const struct machine_times t = machine_stopwatch_times(w->m, g);
		const double iterations = w->iterations, cycles = iterations / w->cycle;
		struct machine_times *most = &result->times;
		most->kernel_ns = fmax(most->kernel_ns, t.kernel_ns / iterations);
		most->transfer_ns = fmax(most->transfer_ns, t.transfer_ns / cycles);
		most->sync_ns = fmax(most->sync_ns, t.sync_ns / cycles);
		most->communication_ns = fmax(most->communication_ns, t.communication_ns / cycles);
	}
}

/* One run; times are those between the last threads to pass the marks. */
static int run_once(struct run *run, struct solver_result *result)
{
	struct solver_work *w = run->work;
	int64_t last[MARK_COUNT] = { INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN };
	*result = (struct solver_result){ .residual = NAN, .extra = { NAN, NAN, NAN, NAN } };
	const uint32_t threads = w->one_thread ? 1 : w->gpus;
	if ((run->solver->restart && run->solver->restart(w)) ||
	    w->m->ops->run(w->m, threads + w->helpers, body, run, run->threads))
		return -1;
	for (uint32_t g = 0; g < threads; g++)
		for (int mark = 0; mark < MARK_COUNT; mark++)
			if (run->threads[g].mark_ns[mark] > last[mark])
				last[mark] = run->threads[g].mark_ns[mark];
	result->core_ns = last[MARK_CORE_END] - last[MARK_CORE_BEGIN];
	result->total_ns = last[MARK_TOTAL_END] - last[MARK_TOTAL_BEGIN];
	result->iterations = w->iterations;
	result->asked = run->asked;
	result->cycle = w->cycle;
	take_times(w, result);
	if (run->solver->result)
		run->solver->result(w, result);
	return 0;
}

/* Short runs, at least one, until the clocks are up: outside every measurement. */
static int warm_up(struct run *run, int warm_up_ms)
{
	struct solver_work *w = run->work;
	const int full = w->iterations, few = w->warm ? w->warm : 4 * w->cycle;
	const int64_t until = monotonic_ns() + (int64_t)warm_up_ms * 1000000;
	struct solver_result ignored;
	int rc;
	w->iterations = few < full ? few : full;
	w->warming = true;
	do {
		rc = run_once(run, &ignored);
	} while (!rc && monotonic_ns() < until);
	w->iterations = full;
	w->warming = false;
	return rc;
}

/* Tells the recorder, if there is one, that a run begins; solver NULL: that it ended. */
static void note_run(const char *solver, const char *config, uint32_t gpus)
{
	const struct warpreel_annotate *annotate = machine_annotate();
	if (annotate)
		annotate->run(solver, config, gpus);
}

/* What the recorder is told: with the number of iterations, which planning the run anew needs. */
static int config_of(struct run *run, char config[CONFIG_BYTES])
{
	const struct solver *s = run->solver;
	struct solver_result result;
	s->config(run->work->params, config);
	if (!run->work->m->ops->computes || !s->open_ended || !s->open_ended(run->work->params) ||
	    !machine_annotate())
		return 0;
	if (run_once(run, &result)) /* one run to learn the count */
		return -1;
	const size_t length = strlen(config);
	snprintf(config + length, CONFIG_BYTES - length, " iterations=%lld",
		 (long long)result.iterations);
	return 0;
}

/* Start values: from a file, or random. */
static int fill(struct run *run, const struct solver_request *request)
{
	const struct solver *s = run->solver;
	struct solver_work *w = run->work;
	if (!w->m->ops->computes || !s->fill)
		return 0;
	if (request->start)
		return grid_file_read(request->start, s->grid(w));
	s->fill(w, request->seed);
	return 0;
}

static int keep(struct run *run, const struct solver_request *request)
{
	const struct solver *s = run->solver;
	return (request->result && grid_file_write(request->result, s->grid(run->work))) ||
			       (request->picture &&
				grid_file_picture(request->picture, s->grid(run->work)))
		       ? -1
		       : 0;
}

static int measure(struct run *run, const struct solver_request *request,
		   struct solver_result *results)
{
	const struct solver *s = run->solver;
	struct solver_work *w = run->work;
	const bool computes = w->m->ops->computes;
	char config[CONFIG_BYTES];
	if ((request->start || request->result || request->picture) && !s->grid)
		return report("solver %s has no grid to read or write", s->name);
	if (s->begin(w) || (w->timed && machine_stopwatch_set(w->m, w->gpus)) || fill(run, request))
		return -1;
	run->asked = w->iterations;
	if (request->iterations > 0 && request->iterations < w->iterations)
		w->iterations = (int)request->iterations;
	if ((w->m->ops->warms_up && request->warm_up_ms >= 0 &&
	     warm_up(run, request->warm_up_ms)) ||
	    config_of(run, config))
		return -1;
	for (int k = 0; k < request->repeat; k++) {
		if (fill(run, request))
			return -1;
		note_run(s->name, config, w->gpus);
		if (run_once(run, &results[k]))
			return -1;
		note_run(NULL, NULL, 0);
		if (computes && request->verify && (k == 0 || k == request->repeat - 1) &&
		    s->check(w, &results[k]))
			return -1;
	}
	return computes ? keep(run, request) : 0;
}

int solver_run(const struct solver *solver, const void *params, struct machine *m, uint32_t gpus,
	       const struct solver_request *request, struct solver_result *results)
{
	struct run run = { solver, work_new(solver, params, m, gpus, false),
			   xcalloc((1 + HELPERS_A_GPU) * (size_t)gpus, sizeof(*run.threads)), 0 };
	int rc = measure(&run, request, results);
	machine_stopwatch_remove(m);
	solver->end(run.work);
	free(run.work);
	free(run.threads);
	return rc;
}

/* ---- kernels alone ---- */

static int up_body(struct machine_thread *t, void *arg)
{
	const struct solver_steady *steady = arg;
	return steady->solver->up(steady->work, t) || steady->work->m->ops->sync(t, steady->stream)
		       ? -1
		       : 0;
}

int solver_steady_begin(struct solver_steady *steady, const struct solver *solver,
			const void *params, struct machine *m)
{
	struct machine_thread thread;
	*steady = (struct solver_steady){ .solver = solver };
	if (!solver->iterate)
		return report("solver %s cannot be timed by its kernels", solver->name);
	struct solver_work *work = steady->work = work_new(solver, params, m, 1, true);
	if (solver->begin(work))
		goto fail;
	steady->stream = solver->stream(work, 0);
	if (m->ops->computes) { /* a plan shall hold the iterations alone */
		if (solver->fill)
			solver->fill(work, 1);
		if ((solver->restart && solver->restart(work)) ||
		    m->ops->run(m, 1, up_body, steady, &thread))
			goto fail;
	}
	return 0;
fail:
	solver_steady_end(steady);
	return -1;
}

int solver_steady_iterate(struct machine_thread *t, void *arg)
{
	const struct solver_steady *steady = arg;
	return steady->solver->iterate(steady->work, t);
}

void solver_steady_end(struct solver_steady *steady)
{
	if (!steady->work)
		return;
	steady->solver->end(steady->work);
	free(steady->work);
	steady->work = NULL;
}
