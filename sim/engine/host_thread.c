/* SPDX-License-Identifier: MIT
 * A host thread plays its operations: it pays for each call, blocks where the call blocks, and
 * wakes with the measured wake-up cost. It runs ahead by itself until another event of the
 * simulation is due earlier.
 */
#include "sim_internal.h"

void thread_wake(struct sim *s, uint32_t thread, sim_time at)
{
	struct sim_thread *t = &s->thread[thread];
	t->blocked_ps += at - t->before_ps;
	event_queue_push(&s->queue, at, RANK_THREAD, thread, ++t->stamp);
}

void thread_wake_list(struct sim *s, uint32_t *first, sim_time at)
{
	uint32_t thread = *first;
	*first = NONE32;
	while (thread != NONE32) {
		uint32_t next = s->thread[thread].next_waiter;
		thread_wake(s, thread, at);
		thread = next;
	}
}

/* When a loop of queries, of duration_ps each, that began at `began` knows of what was done at
 * `done`: the first query after the host can see it says so. */
static sim_time poll_end(const struct sim *s, const struct schedule_op *op, sim_time began,
			 sim_time done)
{
	const sim_time seen = done + s->seen_ps, period = op->duration_ps > 0 ? op->duration_ps : 1;
	const sim_time failed = seen > began ? (seen - began + period - 1) / period : 0;
	return began + (failed + 1) * period;
}

void thread_wake_event(struct sim *s, uint32_t *first, sim_time done)
{
	uint32_t thread = *first;
	*first = NONE32;
	while (thread != NONE32) {
		const struct sim_thread *t = &s->thread[thread];
		const struct schedule_op *op = &s->schedule->op[t->pc - 1];
		const uint32_t next = t->next_waiter;
		thread_wake(s, thread,
			    op->flags & OP_SPIN ? poll_end(s, op, t->before_ps, done)
						: done + s->wake_ps);
		thread = next;
	}
}

static void block(struct sim *s, uint32_t thread, uint32_t *list)
{
	struct sim_thread *t = &s->thread[thread];
	t->before_ps = t->now_ps;
	t->next_waiter = *list;
	*list = thread;
}

/* Is the next thing this thread puts into the same stream a copy? It stands within the next few
 * operations if at all. */
static bool copy_follows(const struct sim *s, uint32_t thread, int64_t index)
{
	const struct schedule_op *op = s->schedule->op;
	for (int64_t k = index + 1; k < s->thread[thread].end && k < index + 8; k++)
		if (op[k].stream == op[index].stream)
			return op[k].kind == OP_COPY;
	return false;
}

/* A call that puts a command into a stream. Returns false when the queue was full and the thread
 * blocked before it. */
static bool issue(struct sim *s, uint32_t thread, const struct schedule_op *op, int64_t index)
{
	struct sim_thread *t = &s->thread[thread];
	struct sim_stream *st = &s->stream[op->stream];
	if (st->count >= s->queue_depth) {
		block(s, thread, &st->space_thread);
		return false;
	}
	struct command command = { .op = index, .instance = NONE32, .called_ps = t->now_ps };
	if (op->kind == OP_UNSEEN || op->flags & OP_INFERRED)
		;			  /* no call of the program's */
	else if (op->flags & OP_IN_GRAPH) /* the first has paid for most of it */
		t->now_ps += s->host->node(s->host_model, op);
	else
		t->now_ps += s->host->call(s->host_model, thread, op, st->count,
					   index + s->schedule->thread[thread].left_out);
	if (s->graph_pauses && op->kind == OP_COPY && schedule_begins_graph(op) &&
	    t->now_ps < command.called_ps + op->value - s->delay_ps[DELAY_START])
		t->now_ps = command.called_ps + op->value - s->delay_ps[DELAY_START];
	command.submit_ps = t->now_ps;
	command.blocked_ps = t->blocked_ps;
	if (op->kind == OP_RECORD) {
		command.instance = s->instance_count++;
		s->instance[command.instance] = (struct sim_instance){ .done_ps = SIM_NEVER,
								       .gpu = st->gpu,
								       .first_stream = NONE32,
								       .first_thread = NONE32 };
		s->latest[op->object] = command.instance;
	} else if (op->kind == OP_WAIT) {
		command.instance = s->latest[op->object];
		command.before_copy = copy_follows(s, thread, index);
		s->waits_never_recorded += command.instance == NONE32;
	}
	stream_push(s, op->stream, &command);
	return true;
}

static void mark(struct sim *s, uint32_t thread, uint32_t which)
{
	struct sim_thread *t = &s->thread[thread];
	t->mark_ps[which] = t->now_ps;
	if (which == MARK_CORE_BEGIN && ++s->core_begun == s->core_threads)
		s->core_begin_ps = t->now_ps;
	if (which != MARK_CORE_END)
		return;
	const bool last =
		++s->core_ended ==
		s->core_threads; /* the core loop ends for GPUs, too, whose threads mark none */
	for (uint16_t gpu = 0; gpu < s->schedule->gpu_count; gpu++) {
		if (gpu != s->schedule->thread[thread].gpu &&
		    !(last && s->gpu[gpu].closed_ps == SIM_NEVER))
			continue;
		gpu_account(s, gpu, t->now_ps, false);
		s->gpu[gpu].closed_ps = t->now_ps;
	}
}

/* The thread goes on behind this operation when one of `list` is woken. */
static bool block_behind(struct sim *s, uint32_t thread, uint32_t *list)
{
	s->thread[thread].pc++;
	block(s, thread, list);
	return false;
}

/* A call that waits for what is done already, or does not return before it is. */
static bool synchronize(struct sim *s, uint32_t thread, bool done, uint32_t *list)
{
	s->host->synchronised(s->host_model, thread);
	if (!done)
		return block_behind(s, thread, list);
	s->thread[thread].now_ps += s->host->other(s->host_model, HOST_SYNC_IDLE);
	return true;
}

static bool synchronize_event(struct sim *s, uint32_t thread, const struct schedule_op *op)
{
	struct sim_thread *t = &s->thread[thread];
	const uint32_t instance = s->latest[op->object];
	const sim_time done = instance == NONE32 ? 0 : s->instance[instance].done_ps;
	if (done == SIM_NEVER || !(op->flags & OP_SPIN))
		return synchronize(s, thread, done != SIM_NEVER,
				   instance == NONE32 ? NULL : &s->instance[instance].first_thread);
	s->host->synchronised(s->host_model, thread);
	t->now_ps = poll_end(s, op, t->now_ps, done);
	return true;
}

/* Raises a counter, and wakes the threads whose value is reached. */
static void post(struct sim *s, uint32_t thread, const struct schedule_op *op)
{
	struct sim_thread *t = &s->thread[thread];
	struct sim_counter *c = &s->counter[op->object];
	const bool spin = op->flags & OP_SPIN, message = op->flags & OP_MESSAGE;
	if (op->value > c->value)
		c->value = op->value;
	const sim_time seen =
		message ? t->now_ps
			: t->now_ps +
				  s->host->wake(s->host_model, thread,
						spin ? HOST_WAKE_SPIN : HOST_WAKE_BLOCK,
						~(t->pc + s->schedule->thread[thread].left_out));
	/* from the post's begin */
	if (!message)
		t->now_ps += s->host->other(s->host_model, spin ? HOST_POST : HOST_POST_BLOCK);
	uint32_t waiter = c->first_thread;
	c->first_thread = NONE32;
	while (waiter != NONE32) {
		struct sim_thread *w = &s->thread[waiter];
		const uint32_t next = w->next_waiter;
		if (s->schedule->op[w->pc - 1].value <= c->value) {
			thread_wake(s, waiter, seen);
		} else {
			w->next_waiter = c->first_thread;
			c->first_thread = waiter;
		}
		waiter = next;
	}
}

static bool await(struct sim *s, uint32_t thread, const struct schedule_op *op)
{
	struct sim_counter *c = &s->counter[op->object];
	if (c->value < op->value)
		return block_behind(s, thread, &c->first_thread);
	if (!(op->flags & OP_MESSAGE))
		s->thread[thread].now_ps += s->host->other(s->host_model, HOST_AWAIT_READY);
	return true;
}

/* The last thread to arrive wakes the others. */
static bool barrier(struct sim *s, uint32_t thread, const struct schedule_op *op)
{
	struct sim_thread *t = &s->thread[thread];
	struct sim_barrier *b = &s->barrier[op->object];
	if (++b->arrived < s->schedule->thread_count)
		return block_behind(s, thread, &b->first_thread);
	t->now_ps += s->host->other(s->host_model, HOST_BARRIER);
	thread_wake_list(s, &b->first_thread, t->now_ps);
	return true;
}

/* Work of the thread that is no command of a stream. */
static sim_time host_work(struct sim *s, uint32_t thread, const struct schedule_op *op)
{
	const struct sim_thread *t = &s->thread[thread];
	switch (op->object) {
	case HOST_WORK_TEXTURE:
		return s->host->other(s->host_model, HOST_TEXTURE);
	case HOST_WORK_LIBRARY:
		return s->host->call(s->host_model, thread, op, 0,
				     t->pc + s->schedule->thread[thread].left_out);
	default:
		return op->duration_ps > 0 ? op->duration_ps : 0;
	}
}

/* Plays one operation; false when the thread blocked (pc then points to what it does next). */
static bool play(struct sim *s, uint32_t thread)
{
	struct sim_thread *t = &s->thread[thread];
	const struct schedule_op *op = &s->schedule->op[t->pc];
	bool went_on = true;
	switch ((enum op_kind)op->kind) {
	case OP_LAUNCH:
	case OP_COPY:
	case OP_MEMSET:
	case OP_RECORD:
	case OP_WAIT:
	case OP_UNSEEN:
		if (!issue(s, thread, op, t->pc))
			return false;
		if (op->kind != OP_LAUNCH && op->flags & OP_BLOCKING)
			went_on = block_behind(s, thread, &s->stream[op->stream].sync_thread);
		break;
	case OP_SYNC:
		went_on = synchronize(s, thread, stream_empty(&s->stream[op->stream]),
				      &s->stream[op->stream].sync_thread);
		break;
	case OP_SYNC_EVENT:
		went_on = synchronize_event(s, thread, op);
		break;
	case OP_SYNC_GPU:
		went_on = synchronize(s, thread, gpu_empty(s, (uint16_t)op->object),
				      &s->gpu[op->object].sync_threads);
		break;
	case OP_POST:
		post(s, thread, op);
		break;
	case OP_AWAIT:
		went_on = await(s, thread, op);
		break;
	case OP_BARRIER:
		went_on = barrier(s, thread, op);
		break;
	case OP_HOST:
		t->now_ps += host_work(s, thread, op);
		break;
	case OP_MARK:
		mark(s, thread, op->object);
		break;
	case OP_KIND_COUNT:
		break;
	}
	t->pc += went_on ? 1 : 0;
	return went_on;
}

void thread_run(struct sim *s, uint32_t thread, sim_time now)
{
	struct sim_thread *t = &s->thread[thread];
	const struct observer *observer = s->observer && s->observer->host_op ? s->observer : NULL;
	sim_time blocked_at = t->before_ps;
	bool again = blocked_at >= 0 && t->thought; /* the queue was full: the call at pc is still
						       to be made, and began when it blocked */
	if (observer && !again && blocked_at >= 0 && blocked_at < now)
		observer->host_op(observer->arg, thread, &s->schedule->op[t->pc - 1], t->pc - 1,
				  blocked_at, now);
	t->before_ps = -1;
	t->now_ps = now;
	while (t->pc < t->end) {
		int64_t index = t->pc;
		if (!t->thought) { /* once, also when a full queue makes it try again */
			t->now_ps += s->schedule->op[index].before_ps;
			t->thought = true;
		}
		if (t->now_ps > event_queue_next(&s->queue)) { /* others are due first */
			event_queue_push(&s->queue, t->now_ps, RANK_THREAD, thread, ++t->stamp);
			return;
		}
		sim_time start = again ? blocked_at : t->now_ps;
		again = false;
		bool goes_on = play(s, thread);
		t->thought = t->pc == index;
		if (!goes_on)
			return;
		if (observer)
			observer->host_op(observer->arg, thread, &s->schedule->op[index], index,
					  start, t->now_ps);
	}
	t->done = true;
	s->threads_left--;
}
