/* SPDX-License-Identifier: MIT */
#include "thesis_times.h"

#include <math.h>
#include <stdlib.h>

#include "traces/base/util.h"

struct watched { /* a GPU and the thread that drives it */
	bool in_core;
	sim_time core_begin_ps, core_ps, kernel_ps, copy_ps, sync_ps, waited_ps;
	sim_time before_ps; /* begin of the record before a launch */
	sim_time launch_ps; /* begin of a launch that may yet be waited for; -1: none */
	int64_t record_op;  /* which record that was */
};

struct thesis_watch {
	const struct schedule *schedule;
	struct observer observer;
	uint32_t gpus;
	struct watched *gpu; /* [gpus] */
};

static void device_op(void *arg, uint32_t stream, const struct schedule_op *op, int64_t index,
		      sim_time start, sim_time end)
{
	struct thesis_watch *w = arg;
	struct watched *g = &w->gpu[w->schedule->stream[stream].gpu];
	(void)index;
	if (g->in_core && op->kind == OP_LAUNCH)
		g->kernel_ps += end - start;
	else if (g->in_core && op->kind == OP_COPY)
		g->copy_ps += end - start;
}

static void mark(struct watched *g, uint32_t which, sim_time now)
{
	if (which == MARK_TOTAL_BEGIN) { /* another run, when the first was too short */
		*g = (struct watched){ .launch_ps = -1, .record_op = -2 };
	} else if (which == MARK_CORE_BEGIN) {
		g->in_core = true;
		g->core_begin_ps = now;
	} else if (which == MARK_CORE_END) {
		g->in_core = false;
		g->core_ps = now - g->core_begin_ps;
	}
}

/* The pattern record, launch, record, sync: what --timing thesis makes of a launch. */
static void host_op(void *arg, uint32_t thread, const struct schedule_op *op, int64_t index,
		    sim_time start, sim_time end)
{
	struct thesis_watch *w = arg;
	struct watched *g = &w->gpu[w->schedule->thread[thread].gpu];
	switch (op->kind) {
	case OP_MARK:
		mark(g, op->object, end);
		break;
	case OP_POST:
	case OP_AWAIT:
		g->sync_ps += g->in_core ? end - start : 0;
		g->launch_ps = -1;
		break;
	case OP_RECORD:
		if (g->launch_ps < 0) {
			g->before_ps = start;
			g->record_op = index;
		}
		break;
	case OP_LAUNCH:
		g->launch_ps = index == g->record_op + 1 ? g->before_ps : -1;
		break;
	case OP_SYNC:
		if (g->in_core && g->launch_ps >= 0)
			g->waited_ps += end - g->launch_ps;
		g->launch_ps = -1;
		break;
	default:
		g->launch_ps = -1;
		break;
	}
}

struct thesis_watch *thesis_watch_new(const struct schedule *schedule)
{
	struct thesis_watch *w = xcalloc(1, sizeof(*w));
	w->schedule = schedule;
	w->gpus = schedule->gpu_count;
	w->gpu = xcalloc(w->gpus + 1, sizeof(*w->gpu));
	for (uint32_t g = 0; g < w->gpus; g++) {
		w->gpu[g].launch_ps = -1;
		w->gpu[g].record_op = -2;
	}
	w->observer = (struct observer){ w, device_op, host_op };
	return w;
}

void thesis_watch_free(struct thesis_watch *w)
{
	if (w)
		free(w->gpu);
	free(w);
}

const struct observer *thesis_watch_observer(const struct thesis_watch *w)
{
	return &w->observer;
}

struct thesis_times thesis_watch_times(const struct thesis_watch *w,
				       const struct simulation_result *result, int64_t iterations,
				       int64_t border)
{
	const double iteration = iterations > 0 ? 1e-9 / (double)iterations : NAN,
		     exchange = iteration * (double)(border > 0 ? border : 1);
	sim_time kernel = 0, sync = 0, copy = 0, rest = 0;
	for (uint32_t k = 0; k < w->gpus; k++) {
		const struct watched *g = &w->gpu[k];
		const sim_time computes = g->waited_ps ? g->waited_ps : g->kernel_ps,
			       left = g->core_ps - computes;
		kernel = g->kernel_ps > kernel ? g->kernel_ps : kernel;
		sync = g->sync_ps > sync ? g->sync_ps : sync;
		copy = g->copy_ps > copy ? g->copy_ps : copy;
		rest = left > rest ? left : rest;
	}
	return (struct thesis_times){ (double)kernel * iteration, (double)sync * exchange,
				      (double)copy * exchange, (double)rest * exchange,
				      (double)result->total_ps * 1e-12 };
}
