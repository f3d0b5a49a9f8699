/* SPDX-License-Identifier: MIT
 * From the start values to the end: steps and checks as the host asks the machine for them.
 */
#include <string.h>

#include "traces/base/util.h"
#include "weak_launch.h"
#include "weak_work.h"

void weak_fill_pack(const struct weak_problem *p, float *pack)
{
	for (int field = 0; field < weak_fields(p->rule); field++)
		for (int block = 0; block < weak_blocks(&p->grid); block++) {
			const struct weak_place at = weak_place_of(&p->grid, block);
			for (int side = 0; side < 2; side++)
				for (int row = 0; row < WEAK_ROWS; row++)
					pack[weak_pack_at(&p->grid, field, block, side, row)] =
						*weak_value(p, field, at.plane,
							    at.down * WEAK_ROWS + row,
							    at.across * WEAK_COLUMNS +
								    side * (WEAK_COLUMNS - 1));
		}
}

/* The arrays of GPU g, as `self` beside it writes into them: all change theirs over alike. */
static struct weak_peer peer(const struct weak_work *w, const struct weak_gpu *self, uint32_t g)
{
	const struct weak_gpu *gpu = &w->gpu[g];
	const int to = w->params->method->synchronous ? !self->current : self->current;
	return (struct weak_peer){ weak_address(w, gpu->values[self->current]),
				   weak_address(w, gpu->values[to]), weak_address(w, gpu->ages) };
}

/* Arguments but for the steps. */
static struct weak_launch arguments(const struct weak_work *w, uint32_t g, uint32_t number)
{
	const struct weak_params *p = w->params;
	const struct weak_scheme *s = p->method;
	const struct weak_gpu *gpu = &w->gpu[g];
	const int to = s->synchronous ? !gpu->current : gpu->current;
	const int32_t *order = weak_address(w, gpu->order);
	struct weak_launch l = {
		.values = weak_address(w, gpu->values[gpu->current]),
		.next = weak_address(w, gpu->values[to]),
		.pack = weak_address(w, gpu->pack),
		.constants = weak_address(w, gpu->constants),
		.status = weak_address(w, gpu->status),
		.order = order ? order + gpu->first : NULL,
		.blocks = gpu->blocks,
		.ages = p->ages || s->whole ? weak_address(w, gpu->ages) : NULL,
		.watch = weak_watched(p) ? weak_address(w, gpu->watch) : NULL,
		.grid = w->problem.grid,
		.terms = w->problem.terms,
		.omega = (float)w->omega,
		.tolerance = weak_fixed(w) ? -1 : (float)w->residual_wanted,
		.exchange = p->exchange,
		.number = number,
		.resident = p->resident,
		.communicating = (uint16_t)p->threads,
		.rule = (uint8_t)w->problem.rule,
		.inner = (uint8_t)p->inner_order,
		.talk = (uint8_t)s->talk,
		.combine = s->combine,
		.paced = p->phases != NULL,
		.gpu = (uint8_t)g,
		.gpus = (uint8_t)w->base.gpus,
	};
	if (g > 0)
		l.above = peer(w, gpu, g - 1);
	if (g + 1 < w->base.gpus)
		l.below = peer(w, gpu, g + 1);
	for (uint32_t k = 0; s->whole && k < w->base.gpus && k < WEAK_GPUS; k++)
		l.all_status[k] = weak_address(w, w->gpu[k].status);
	return l;
}

/* Of a launch of so many steps. */
static struct weak_launch steps_of(const struct weak_work *w, uint32_t g, uint32_t number,
				   int steps)
{
	struct weak_launch l = arguments(w, g, number);
	l.steps = steps;
	l.every = w->params->method->talk == WEAK_SILENT ? steps : w->params->exchange;
	return l;
}

static int launch(const struct weak_work *w, struct machine_thread *t, const char *name,
		  void (*cpu)(const void *args),
		  void (*geometry)(const void *args, struct launch_geometry *geometry),
		  const struct weak_launch *args)
{
	const struct weak_gpu *gpu = &w->gpu[t->gpu];
	const uint32_t
		from = gpu->values[gpu->current],
		to = gpu->values[w->params->method->synchronous ? !gpu->current : gpu->current];
	const int64_t share = w->base.gpus, values = weak_values_bytes(w) / share,
		      constants = weak_constants_bytes(w) / share;
	const struct machine_launch request = {
		.name = name,
		.cpu = cpu,
		.args = args,
		.args_bytes = sizeof(*args),
		.geometry = geometry,
		.rows = w->problem.rows,
		.columns = w->problem.columns,
		.points = w->problem.free_nodes / share * (args->steps ? args->steps : 1),
		.dram_bytes = 2 * values + constants,
		.resident_bytes = 2 * values + constants,
		.access_count = 4,
		.access = {
			{ from, ACCESS_READ, 0, values },
			{ gpu->constants, ACCESS_READ, 0, constants },
			{ to, ACCESS_WRITE, 0, values },
			/* one word, raised by every warp */
			{ gpu->status, ACCESS_READ | ACCESS_WRITE, 0, sizeof(uint32_t) },
		},
	};
	return weak_ops(w)->launch(t, gpu->stream, &request);
}

/* What a launch has found, after `done` steps, on all GPUs; -1 after a message. */
static int check(struct weak_work *w, struct machine_thread *t, int done, uint32_t number)
{
	struct weak_gpu *gpu = &w->gpu[t->gpu];
	const struct machine_ops *ops = weak_ops(w);
	if (weak_copy(w, t, gpu->status, gpu->h_status, weak_status_bytes()) ||
	    ops->sync(t, gpu->stream))
		return -1;
	gpu->done = done;
	if (ops->computes) {
		const uint32_t *status = weak_address(w, gpu->h_status);
		memcpy(&gpu->change, status + WEAK_STATUS_CHANGE + number % 3, sizeof(gpu->change));
	}
	if (w->base.gpus == 1)
		return 0;
	/* Borders have come when all are here. Who is a check ahead writes into the other word. */
	gpu->changed[number & 1] = gpu->change;
	if (ops->barrier(t))
		return -1;
	for (uint32_t g = 0; g < w->base.gpus && ops->computes; g++)
		gpu->change = (float)larger_or_nan((double)gpu->change,
						   (double)w->gpu[g].changed[number & 1]);
	return 0;
}

int weak_steady(struct solver_work *work, struct machine_thread *t)
{
	struct weak_work *w = (struct weak_work *)work;
	const struct weak_scheme *s = w->params->method;
	struct weak_gpu *gpu = &w->gpu[t->gpu];
	if (!s->synchronous || s->whole)
		return report("scheme %s cannot be timed by its kernels, which go on where the "
			      "last stopped; base can",
			      w->params->scheme);
	/* There and back. */
	for (uint32_t number = 0; number < 2; number++) {
		const struct weak_launch args = steps_of(w, t->gpu, number, 1);
		if (launch(w, t, s->name[w->problem.rule], s->cpu, s->geometry, &args))
			return -1;
		gpu->current = !gpu->current;
	}
	return 0;
}

static const char *const residual_names[] = { "poisson_residual", "shape_residual" };

int weak_core(struct solver_work *work, struct machine_thread *t)
{
	struct weak_work *w = (struct weak_work *)work;
	const struct weak_params *p = w->params;
	const struct weak_scheme *s = p->method;
	struct weak_gpu *gpu = &w->gpu[t->gpu];
	uint32_t number = 0;
	if (s->whole) {
		struct weak_launch args = arguments(w, t->gpu, 0);
		args.steps = w->base.iterations;
		args.every = p->host_sync;
		if (launch(w, t, s->name[w->problem.rule], s->cpu, s->geometry, &args) ||
		    check(w, t, w->base.iterations, 0))
			return -1;
		if (weak_ops(w)->computes) {
			const uint32_t *status = weak_address(w, gpu->h_status);
			gpu->done = (int)status[WEAK_STATUS_STEPS];
		}
		return 0;
	}
	for (int done = 0; done < w->base.iterations; number++) {
		const int left = w->base.iterations - done;
		const struct weak_launch args =
			steps_of(w, t->gpu, number, left < p->host_sync ? left : p->host_sync);
		if (launch(w, t, s->name[w->problem.rule], s->cpu, s->geometry, &args))
			return -1;
		done += args.steps;
		if (s->synchronous)
			gpu->current = (gpu->current + args.steps) & 1;
		else if (launch(w, t, residual_names[w->problem.rule], weak_residual_cpu,
				weak_residual_geometry, &args))
			return -1;
		if (check(w, t, done, number))
			return -1;
		if (weak_ops(w)->computes && !weak_fixed(w) &&
		    !((double)gpu->change > w->residual_wanted))
			break;
	}
	return 0;
}
