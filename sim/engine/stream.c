/* SPDX-License-Identifier: MIT
 * A stream plays its commands in order: when the one before has ended, its gap has passed and the
 * call has reached the device. What a kernel, a wait and a copy do then: stream_kernels.c,
 * stream_waits.c, copy_engine.c.
 */
#include "sim_internal.h"

#include <assert.h>
#include <stdlib.h>

#include "traces/base/util.h"

/*
 * Idle time of a GPU between commands belongs to the host when a launch had not been issued yet,
 * and to synchronization when the stream waited for an event or the issuing thread was itself
 * blocked; the caller says which.
 */
void gpu_account(struct sim *s, uint16_t gpu, sim_time now, bool waiting)
{
	struct sim_gpu *g = &s->gpu[gpu];
	sim_time from = g->accounted_ps > s->core_begin_ps ? g->accounted_ps : s->core_begin_ps;
	sim_time to = now < g->closed_ps ? now : g->closed_ps;
	if (now > g->accounted_ps)
		g->accounted_ps = now;
	if (to <= from)
		return;
	sim_time *part = g->kernels  ? &g->sum.kernel_ps
			 : g->copies ? &g->sum.transfer_ps
			 : waiting   ? &g->sum.sync_ps
				     : &g->sum.host_ps;
	*part += to - from;
}

void stream_arm(struct sim *s, uint32_t stream, sim_time at, enum stream_state state)
{
	struct sim_stream *st = &s->stream[stream];
	st->state = (uint8_t)state;
	event_queue_push(&s->queue, at, RANK_STREAM, stream, ++st->stamp);
}

static void stream_step(struct sim *s, uint32_t stream, sim_time now);

/* Whether the run has come to the end of what can be counted: said once, and it ends. */
static bool at_the_end_of_time(struct sim *s, sim_time now)
{
	if (now >= SIM_LAST && !s->error)
		s->error = report("the run takes longer than the simulator can count, %.0f hours",
				  (double)SIM_LAST / 3.6e15);
	return now >= SIM_LAST;
}

/* A copy or memset by itself takes what it adds to its stream, a kernel or a node of a graph what
 * its record says. */
static bool ends_as_recorded(const struct schedule_op *op)
{
	return op->kind == OP_LAUNCH || op->flags & OP_IN_GRAPH || schedule_begins_graph(op);
}

/* The head is done at `now`: take it off, tell those who waited for it. */
static void retire(struct sim *s, uint32_t stream, sim_time now)
{
	struct sim_stream *st = &s->stream[stream];
	struct sim_gpu *gpu = &s->gpu[st->gpu];
	struct command *command = stream_head(st);
	const struct schedule_op *op = &s->schedule->op[command->op];
	uint32_t woken = NONE32;
	switch ((enum op_kind)op->kind) {
	case OP_LAUNCH:
		gpu_account(s, st->gpu, now, false);
		gpu->kernels--;
		gpu->sm_used = gpu->kernels ? gpu->sm_used - st->share : 0;
		woken = fifo_pop(s, &gpu->waiting_kernels_head);
		break;
	case OP_COPY:
	case OP_MEMSET:
		woken = copy_end(s, stream, now);
		st->awake_ps = now;
		break;
	case OP_RECORD:
		s->instance[command->instance].after_copy = st->last_was_copy;
		event_recorded(s, command->instance, now);
		break;
	case OP_WAIT:
		wait_end(s, stream, now);
		break;
	case OP_UNSEEN: /* what passes until a kernel behind it begins is in the hole it left */
		gpu_account(s, st->gpu, now, true);
		st->gap_ps = st->kernel_gap_ps = 0;
		break;
	default:
		break;
	}
	if (s->observer && s->observer->device_op)
		s->observer->device_op(s->observer->arg, stream, op, command->op, st->start_ps,
				       now);
	st->blocked_seen_ps = command->blocked_ps;
	st->head++;
	st->count--;
	st->free_ps = now;
	st->state = STREAM_IDLE;
	if (st->space_thread != NONE32 && st->count < s->queue_depth)
		thread_wake_list(s, &st->space_thread, now);
	if (stream_empty(st)) {
		const sim_time awake =
			now + (ends_as_recorded(op) ? s->recorded_wake_ps : s->wake_ps);
		thread_wake_list(s, &st->sync_thread, awake);
		if (gpu->sync_threads != NONE32 && gpu_empty(s, st->gpu))
			thread_wake_list(s, &gpu->sync_threads, awake);
	}
	if (woken != NONE32)
		stream_step(s, woken, now);
	if (op->kind == OP_LAUNCH)
		while (s->any_room && gpu->waiting_kernels_head != NONE32 &&
		       gpu->sm_used < 1.0 - 1e-9)
			stream_step(s, fifo_pop(s, &gpu->waiting_kernels_head), now);
}

/* Within a graph the device goes on by itself: as it did when it was recorded, less what the
 * recorder adds. */
static sim_time untraced_pause(const struct sim *s, const struct schedule_op *op)
{
	if (!(op->flags & OP_IN_GRAPH))
		return 0;
	const bool kernels = op->kind == OP_LAUNCH && graph_node_before(op)->kind == OP_LAUNCH;
	const sim_time more = op->kind == OP_LAUNCH && op->flags & OP_TURN ? s->tracer_turn_ps
			      : kernels					   ? s->tracer_pause_ps
									   : s->graph_pause_ps;
	return op->value > more ? op->value - more : 0;
}

/* Starts the head if its time has come, else arranges to be woken. Called whenever something it may
 * wait for has happened. */
static void stream_step(struct sim *s, uint32_t stream, sim_time now)
{
	struct sim_stream *st = &s->stream[stream];
	if (stream_empty(st)) {
		st->state = STREAM_IDLE;
		return;
	}
	const struct command *command = stream_head(st);
	const struct schedule_op *op = &s->schedule->op[command->op];
	sim_time start = st->free_ps;
	if (op->kind == OP_LAUNCH) {
		/* Switching engines back after a copy is only in the way of a kernel that stood
		 * waiting. */
		const sim_time gap = op->flags & OP_EARLY		? 0
				     : command->submit_ps > st->free_ps ? st->kernel_gap_ps
									: st->gap_ps;
		const sim_time seen = op->value - (st->last_was_copy ? s->graph_pause_ps : 0);
		const sim_time pause = op->value > 0 && seen < gap ? (seen > 0 ? seen : 0) : gap;
		start += op->flags & OP_IN_GRAPH && s->graph_pauses ? untraced_pause(s, op) : pause;
		if (command->submit_ps + s->delay_ps[DELAY_START] > start)
			start = command->submit_ps + s->delay_ps[DELAY_START];
	} else {
		if (copy_plays_as_recorded(s, op))
			start += untraced_pause(s, op);
		/* A copy's way to the device is part of its price, a graph's is not. */
		const sim_time there =
			command->submit_ps + (begins_graph(s, op) ? s->delay_ps[DELAY_START] : 0);
		if (there > start)
			start = there;
	}
	if (start > now) {
		stream_arm(s, stream, start, STREAM_PENDING);
		return;
	}
	switch ((enum op_kind)op->kind) {
	case OP_LAUNCH:
		kernel_begin(s, stream, now);
		break;
	case OP_COPY:
	case OP_MEMSET:
		copy_begin(s, stream, now);
		break;
	case OP_WAIT:
		wait_begin(s, stream, now);
		break;
	case OP_UNSEEN:
		gpu_account(s, st->gpu, now, false);
		st->start_ps = now;
		stream_arm(s, stream, now + (op->duration_ps > 0 ? op->duration_ps : 0),
			   STREAM_RUNNING);
		break;
	default: /* OP_RECORD */
		st->start_ps = now;
		stream_arm(s, stream,
			   now + (op->flags & OP_INFERRED ? 0
				  : op->flags & OP_TIMED  ? s->delay_ps[DELAY_TIMED_RECORD]
							  : s->delay_ps[DELAY_RECORD]),
			   STREAM_RUNNING);
		break;
	}
}

void stream_push(struct sim *s, uint32_t stream, const struct command *command)
{
	struct sim_stream *st = &s->stream[stream];
	if (st->count == st->capacity) {
		uint32_t capacity = st->capacity ? st->capacity * 2 : 64;
		struct command *ring = xmalloc(capacity * sizeof(*ring));
		for (uint32_t k = 0; k < st->count; k++)
			ring[(st->head + k) & (capacity - 1)] =
				st->ring[(st->head + k) & (st->capacity - 1)];
		free(st->ring);
		st->ring = ring;
		st->capacity = capacity;
	}
	st->ring[(st->head + st->count++) & (st->capacity - 1)] = *command;
	copy_called(s, stream, command);
	enum op_kind kind = (enum op_kind)s->schedule->op[command->op].kind;
	if (kind == OP_LAUNCH || kind == OP_COPY)
		doorbell(s, st->gpu, command->submit_ps);
	if (st->count == 1)
		stream_arm(s, stream,
			   command->submit_ps > st->free_ps ? command->submit_ps : st->free_ps,
			   STREAM_PENDING);
}

void stream_event(struct sim *s, uint32_t stream, sim_time now, uint32_t stamp)
{
	struct sim_stream *st = &s->stream[stream];
	if (st->stamp != stamp || at_the_end_of_time(s, now))
		return;
	if (st->state == STREAM_RUNNING)
		retire(s, stream, now);
	if (st->state == STREAM_IDLE || st->state == STREAM_PENDING)
		stream_step(s, stream, now);
}

void stream_flow_end(struct sim *s, uint32_t stream, sim_time now)
{
	assert(s->stream[stream].state == STREAM_RUNNING);
	if (at_the_end_of_time(s, now))
		return;
	retire(s, stream, now);
	if (s->stream[stream].state == STREAM_IDLE)
		stream_step(s, stream, now);
}

bool gpu_empty(const struct sim *s, uint16_t gpu)
{
	for (uint32_t stream = 0; stream < s->schedule->stream_count; stream++)
		if (s->stream[stream].gpu == gpu && s->stream[stream].count)
			return false;
	return true;
}
