/* SPDX-License-Identifier: MIT
 * The driver of the image solvers, written once on struct machine: one GPU, from the host's grid
 * and back to it.
 */
#include <math.h>
#include <string.h>

#include "traces/base/util.h"
#include "weak_launch.h"
#include "weak_work.h"

static struct weak_work *work_of(const struct solver_work *work)
{
	return (struct weak_work *)(uintptr_t)work;
}

static const struct machine_ops *ops_of(const struct weak_work *w)
{
	return w->base.m->ops;
}

static void *address(const struct weak_work *w, uint32_t buffer)
{
	return ops_of(w)->address(w->base.m, buffer);
}

static int64_t values_bytes(const struct weak_work *w)
{
	return weak_values(&w->problem.grid) * weak_fields(w->problem.rule) *
	       (int64_t)sizeof(float);
}

static int64_t constants_bytes(const struct weak_work *w)
{
	return 2 * weak_values(&w->problem.grid) * (int64_t)sizeof(float);
}

static int64_t board_bytes(void)
{
	return WEAK_BOARD_WORDS * (int64_t)sizeof(uint32_t);
}

static bool fixed(const struct weak_work *w)
{
	return w->params->steps > 0 || w->base.warming;
}

bool weak_open_ended(const void *params)
{
	return !((const struct weak_params *)params)->steps;
}

uint32_t weak_stream(const struct solver_work *work, uint32_t gpu)
{
	(void)gpu;
	return work_of(work)->stream;
}

/* Whether the machine can do what the scheme does; -1 after a message. */
static int check_machine(const struct weak_work *w)
{
	const struct weak_params *p = w->params;
	const struct machine_ops *ops = ops_of(w);
	if (!p->method->geometry && !ops->computes)
		return report("scheme %s is a CPU program: it launches nothing that could be "
			      "planned or timed; warpreel solve runs it",
			      p->scheme);
	if (!p->method->geometry && ops->on_device)
		return report("scheme %s is a CPU program: --backend cpu", p->scheme);
	if (!ops->computes && !p->steps)
		return report("a plan does not compute, so it cannot know when to stop: give "
			      "--steps");
	return 0;
}

int weak_begin(struct weak_work *w)
{
	const struct weak_params *p = w->params;
	struct machine *m = w->base.m;
	const struct machine_ops *ops = m->ops;
	weak_problem_measure(&w->problem);
	w->base.iterations = p->steps ? p->steps : p->max_steps;
	w->base.cycle = 1;
	w->residual_wanted = p->by_error ? p->tolerance * (1 - w->problem.factor) : p->tolerance;
	/* What eq. (4) asks of a node bends with the node's own values: over-relaxed it swings. */
	w->omega = w->problem.rule == WEAK_POISSON ? weak_best_omega(w->problem.factor) : 1;
	if (check_machine(w) || ops->stream(m, 0, &w->stream) ||
	    ops->buffer(m, 0, SPACE_DEVICE, values_bytes(w), &w->values) ||
	    ops->buffer(m, 0, SPACE_PINNED, values_bytes(w), &w->h_values) ||
	    ops->buffer(m, 0, SPACE_DEVICE, constants_bytes(w), &w->constants) ||
	    ops->buffer(m, 0, SPACE_PINNED, constants_bytes(w), &w->h_constants) ||
	    ops->buffer(m, 0, SPACE_DEVICE, board_bytes(), &w->board) ||
	    ops->buffer(m, 0, SPACE_PINNED, board_bytes(), &w->h_board))
		return -1;
	return 0;
}

void weak_end(struct weak_work *w)
{
	weak_problem_release(&w->problem);
}

void weak_fill(struct solver_work *work, uint64_t seed)
{
	const struct weak_work *w = work_of(work);
	(void)seed; /* pictures are their own start */
	memcpy(address(w, w->h_values), w->problem.values, (size_t)values_bytes(w));
	memcpy(address(w, w->h_constants), w->problem.constants, (size_t)constants_bytes(w));
}

int weak_restart(struct solver_work *work)
{
	struct weak_work *w = work_of(work);
	w->done = 0;
	w->change = NAN;
	return 0;
}

static int copy(const struct weak_work *w, struct machine_thread *t, uint32_t source,
		uint32_t target, int64_t bytes)
{
	return ops_of(w)->copy(
		t, w->stream,
		&(struct machine_copy){
			.source = source, .target = target, .row_bytes = bytes, .rows = 1 });
}

int weak_up(struct solver_work *work, struct machine_thread *t)
{
	const struct weak_work *w = work_of(work);
	return copy(w, t, w->h_values, w->values, values_bytes(w)) ||
			       copy(w, t, w->h_constants, w->constants, constants_bytes(w))
		       ? -1
		       : 0;
}

int weak_down(struct solver_work *work, struct machine_thread *t)
{
	const struct weak_work *w = work_of(work);
	return copy(w, t, w->values, w->h_values, values_bytes(w));
}

static int launch_whole(struct weak_work *w, struct machine_thread *t)
{
	const struct weak_scheme *s = w->params->method;
	const struct weak_launch args = {
		.values = address(w, w->values),
		.constants = address(w, w->constants),
		.board = address(w, w->board),
		.grid = w->problem.grid,
		.terms = w->problem.terms,
		.omega = (float)w->omega,
		.tolerance = fixed(w) ? -1 : (float)w->residual_wanted,
		.rule = w->problem.rule,
		.steps = w->base.iterations,
	};
	const struct machine_launch launch = {
		.name = s->name[w->problem.rule],
		.cpu = s->cpu,
		.args = &args,
		.args_bytes = sizeof(args),
		.geometry = s->geometry,
		.rows = w->problem.rows,
		.columns = w->problem.columns,
		.points = w->problem.free_nodes,
		.dram_bytes = 2 * values_bytes(w) + constants_bytes(w),
		.resident_bytes = values_bytes(w) + constants_bytes(w),
	};
	return ops_of(w)->launch(t, w->stream, &launch);
}

int weak_core(struct solver_work *work, struct machine_thread *t)
{
	struct weak_work *w = work_of(work);
	if (launch_whole(w, t) || copy(w, t, w->board, w->h_board, board_bytes()) ||
	    ops_of(w)->sync(t, w->stream))
		return -1;
	if (ops_of(w)->computes) {
		const uint32_t *board = address(w, w->h_board);
		w->done = (int)board[WEAK_BOARD_STEPS];
		memcpy(&w->change, &board[WEAK_BOARD_CHANGE], sizeof(w->change));
	}
	return 0;
}

void weak_result(struct solver_work *work, struct solver_result *result)
{
	const struct weak_work *w = work_of(work);
	result->iterations = w->done;
	/* A fixed number of steps asks for nothing more. */
	result->unconverged = !fixed(w) && !((double)w->change <= w->residual_wanted);
}

struct weak_problem weak_after(const struct weak_work *w)
{
	struct weak_problem after = w->problem;
	after.values = address(w, w->h_values);
	return after;
}

void weak_check(const struct weak_work *w, struct solver_result *result)
{
	const struct weak_problem after = weak_after(w);
	result->residual = weak_residual(&after);
	result->checksum = weak_checksum(&after);
}
