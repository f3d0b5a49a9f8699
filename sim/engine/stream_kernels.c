/* SPDX-License-Identifier: MIT
 * A kernel starts when multiprocessors are free, and takes what the kernel model says.
 */
#include "sim_internal.h"

#include "traces/base/util.h"

static sim_time kernel_cost(struct sim *s, const struct schedule_op *op, sim_time *gap)
{
	uint32_t shape = op->object;
	const struct schedule_shape *what = &s->schedule->shape[shape];
	bool known = s->shape_ps[shape] >= 0;
	if (op->flags & OP_COLLECTIVE) {
		const sim_time work = collective_work(s, op - s->schedule->op);
		*gap = ps_of_ns(kernel_model_gap(s->model, s->schedule, what, (double)work / 1000));
		return work;
	}
	*gap = s->shape_gap_ps[shape];
	if (known && !s->model->ops->per_launch)
		return s->shape_ps[shape];
	double ns = 0;
	if (s->model->ops->cost(s->model, s->schedule, what, op, &ns)) {
		s->error = -1;
		ns = 0;
	}
	sim_time cost = ps_of_ns(ns);
	if (cost == SIM_COST_MOST && !s->error)
		s->error = report("kernel '%s' takes %g s, longer than the simulator can count",
				  s->schedule->kernel[what->kernel], ns * 1e-9);
	if (!known)
		*gap = ps_of_ns(kernel_model_gap(s->model, s->schedule, what, ns));
	s->shape_ps[shape] = cost;
	s->shape_gap_ps[shape] = *gap;
	return cost;
}

/* What a launch asks of its GPU beside others; where none meets another, nothing is asked. */
static void look_at_crowd(struct sim *s, const struct schedule_op *op)
{
	struct kernel_crowd crowd;
	sim_time gap;
	if (!s->kernels_meet || op->flags & OP_COLLECTIVE || s->shape_busy[op->object] > 0)
		return;
	const sim_time cost = kernel_cost(s, op, &gap);
	if (s->error)
		return;
	const struct schedule_shape *shape = &s->schedule->shape[op->object];
	if (s->model->ops->crowd(s->model, s->schedule, shape, s->kernel_streams[shape->kernel],
				 (double)cost / 1000, &crowd)) {
		s->error = -1;
		return;
	}
	s->shape_share[op->object] = crowd.room;
	s->shape_busy[op->object] = crowd.busy;
}

void kernel_begin(struct sim *s, uint32_t stream, sim_time now)
{
	struct sim_stream *st = &s->stream[stream];
	struct sim_gpu *gpu = &s->gpu[st->gpu];
	const struct schedule_op *op = &s->schedule->op[stream_head(st)->op];
	const bool meets = op->flags & OP_COLLECTIVE;
	look_at_crowd(s, op);
	/* The few blocks that wait for other GPUs must not hold up what these wait for. */
	double share = meets ? 0 : s->shape_share[op->object];
	const bool room = s->any_room ? gpu->sm_used < 1.0 - 1e-9 || op->flags & OP_BESIDE
				      : gpu->sm_used + share <= 1.0 + 1e-9;
	if (gpu->kernels && !room) {
		st->state = STREAM_QUEUED;
		fifo_push(s, &gpu->waiting_kernels_head, &gpu->waiting_kernels_tail, stream);
		return;
	}
	sim_time gap, cost = kernel_cost(s, op, &gap);
	gpu_account(s, st->gpu, now, stream_head(st)->blocked_ps > st->blocked_seen_ps);
	st->share = share;
	st->gap_ps = st->kernel_gap_ps = gap;
	st->kernel_ps = cost;
	st->last_was_copy = false;
	st->start_ps = now;
	if (meets) {
		collective_begin(s, stream, stream_head(st)->op, now);
		return;
	}
	gpu->kernels++;
	gpu->sm_used += share;
	if (!s->shares_memory) {
		stream_arm(s, stream, now + cost, STREAM_RUNNING);
		return;
	}
	const struct schedule_shape *shape = &s->schedule->shape[op->object];
	st->state = STREAM_RUNNING;
	links_start_kernel(&s->links, &s->queue, now, stream, st->gpu,
			   s->model->ops->dram_bytes(s->model, s->schedule, shape),
			   s->shape_busy[op->object], cost);
}
