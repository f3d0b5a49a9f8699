/* SPDX-License-Identifier: MIT
 * A host thread plays its operations: it pays for each call, blocks where the call blocks, and
 * wakes with the measured wake-up cost. It runs ahead by itself until another event of the
 * simulation is due earlier.
 */
#include "host_cost.h"
#include "sim/engine/sim_internal.h"

/* splitmix64's finaliser (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/*
 * Commands waiting in a stream up to which the device counts as keeping up with the host. The loops
 * the loop_* lists were measured in put three to seven commands into a stream before the device is
 * through (model/calibrate/calibrate_loops.cu); the bursts put in hundreds.
 */
enum { SHALLOW = 8 };

/* So many calls of the same kind right before it make a call one of a burst: code and data of one
 * kind are at hand then, in a mixed loop they are not. */
enum { BURST = 2 };

/* One call in so many is among the slowest, which host.call_quantiles leave out: its thread was
 * interrupted. */
enum { SLOWEST = 500 };

/* cost * part / 65536, rounded down, without the product of both */
static sim_time times_part(sim_time cost, uint32_t part)
{
	return (cost >> 16) * part + ((cost & 0xffff) * part >> 16);
}

static uint64_t drawn(const struct sim *s, uint32_t thread, int64_t draw)
{
	return mix(s->seed ^ mix((uint64_t)draw + 0x9e3779b97f4a7c15u * (thread + 1)));
}

sim_time thread_cost(const struct sim *s, uint32_t thread, sim_time cost, const uint32_t *part,
		     int64_t draw)
{
	if (!s->call_count)
		return cost;
	return times_part(times_part(cost, s->thread[thread].part),
			  part[drawn(s, thread, draw) % s->call_count]);
}

/*
 * What a call is expected to cost. host.call_quantiles are of calls over their thread's trimmed
 * mean, as most of the lists are: with the slowest, calls take a few per cent more than that. Costs
 * that are plain means, a loop's time over its calls, have the slow ones in them: bursts, and
 * launches in a loop of nothing else.
 */
struct expected {
	sim_time cost;
	bool mean;
};

/* What this call takes more because its thread was interrupted; plain means have that in them, too.
 */
static sim_time interruption(const struct sim *s, uint32_t thread, const struct expected *expected,
			     int64_t draw)
{
	return !expected->mean && s->call_count && (drawn(s, thread, draw) >> 32) % SLOWEST == 0
		       ? s->slowest_ps
		       : 0;
}

void thread_wake(struct sim *s, uint32_t thread, sim_time at)
{
	struct sim_thread *t = &s->thread[thread];
	sim_time waited = at - t->before_ps;
	t->blocked_ps += waited;
	for (int kind = 0; kind < HOST_COST_COUNT && waited > s->warm_ps; kind++)
		if (t->waited_ps[kind] < waited)
			t->waited_ps[kind] = waited;
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

static void block(struct sim *s, uint32_t thread, uint32_t *list)
{
	struct sim_thread *t = &s->thread[thread];
	t->before_ps = t->now_ps;
	t->next_waiter = *list;
	*list = thread;
}

static struct expected issue_cost(const struct sim *s, struct sim_thread *t,
				  const struct schedule_op *op)
{
	uint32_t ahead = s->stream[op->stream].count;
	int kind = host_cost_of(s->schedule, op);
	t->in_a_row = kind == t->last_kind ? t->in_a_row + 1 : 0;
	t->last_kind = kind;
	const bool burst = mechanism_on(&s->platform->mechanisms, MECHANISM_BURSTS) &&
			   ahead > SHALLOW && t->in_a_row >= BURST,
		   several = s->schedule->thread_count > 1;
	const sim_time *cost = burst ? s->host_ps : s->loop_ps;
	if (op->kind != OP_LAUNCH)
		return (struct expected){ cost[host_cost_of(s->schedule, op)], burst };
	if (mechanism_on(&s->platform->mechanisms, MECHANISM_LAUNCH_PLAIN) &&
	    t->in_a_row >= BURST && !burst) /* among launches, not among other calls */
		return (struct expected){ s->launch_plain_ps, true };
	if (ahead == 1 && several &&
	    mechanism_on(&s->platform->mechanisms, MECHANISM_LAUNCH_SECOND))
		return (struct expected){ s->launch_second_ps, false };
	return ahead == 0 && mechanism_on(&s->platform->mechanisms, MECHANISM_LAUNCH_IDLE)
		       ? (struct expected){ cost[HOST_LAUNCH_IDLE], false }
		       : (struct expected){ cost[HOST_LAUNCH], burst || !several };
}

/* What a call costs more than others of its kind because its thread has stood waiting since the
 * last one, or never made one. */
static sim_time cold_cost(const struct sim *s, struct sim_thread *t, const struct schedule_op *op)
{
	const struct platform *p = s->platform;
	int kind = host_cost_of(s->schedule, op);
	bool first = !(t->made >> kind & 1) && mechanism_on(&p->mechanisms, MECHANISM_COLD_FIRST);
	sim_time waited = t->waited_ps[kind];
	if (!first && !waited)
		return 0;
	t->made |= 1u << kind;
	t->waited_ps[kind] = 0;
	const struct number_list *list =
		first && p->cold_first[kind].count ? &p->cold_first[kind] : &p->cold[kind];
	const struct curve more = { p->cold_waited, *list };
	return list->count && (waited || list != &p->cold[kind])
		       ? ps_of_ns(curve_at_linear(&more, (double)waited * 1e-3))
		       : 0;
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
	if (st->count >= (uint32_t)s->platform->queue_depth &&
	    mechanism_on(&s->platform->mechanisms, MECHANISM_QUEUE_DEPTH)) {
		block(s, thread, &st->space_thread);
		return false;
	}
	struct command command = { .op = index, .instance = NONE32, .called_ps = t->now_ps };
	if (!(op->flags & OP_IN_GRAPH)) { /* the first has paid for all */
		const struct expected expected = issue_cost(s, t, op);
		const uint32_t *part = expected.mean ? s->mean_part : s->call_part;
		t->now_ps +=
			thread_cost(s, thread, expected.cost + cold_cost(s, t, op), part, index) +
			interruption(s, thread, &expected, index);
	}
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

/* Plays one operation; false when the thread blocked (pc then points to what it does next). */
static bool play(struct sim *s, uint32_t thread)
{
	struct sim_thread *t = &s->thread[thread];
	const struct schedule_op *op = &s->schedule->op[t->pc];
	switch ((enum op_kind)op->kind) {
	case OP_LAUNCH:
	case OP_COPY:
	case OP_MEMSET:
	case OP_RECORD:
	case OP_WAIT:
		if (!issue(s, thread, op, t->pc))
			return false;
		if (!(op->flags & OP_BLOCKING))
			break;
		t->pc++;
		block(s, thread, &s->stream[op->stream].sync_thread);
		return false;
	case OP_SYNC:
		t->last_kind = -1;
		if (stream_empty(&s->stream[op->stream])) {
			t->now_ps += s->host_ps[HOST_SYNC_IDLE];
			break;
		}
		t->pc++;
		block(s, thread, &s->stream[op->stream].sync_thread);
		return false;
	case OP_SYNC_EVENT: {
		t->last_kind = -1;
		uint32_t instance = s->latest[op->object];
		if (instance == NONE32 || s->instance[instance].done_ps != SIM_NEVER) {
			t->now_ps += s->host_ps[HOST_SYNC_IDLE];
			break;
		}
		t->pc++;
		block(s, thread, &s->instance[instance].first_thread);
		return false;
	}
	case OP_SYNC_GPU:
		t->last_kind = -1;
		if (gpu_empty(s, (uint16_t)op->object)) {
			t->now_ps += s->host_ps[HOST_SYNC_IDLE];
			break;
		}
		t->pc++;
		block(s, thread, &s->gpu[op->object].sync_threads);
		return false;
	case OP_POST: {
		struct sim_counter *c = &s->counter[op->object];
		bool spin = op->flags & OP_SPIN;
		if (op->value > c->value)
			c->value = op->value;
		sim_time seen =
			t->now_ps + thread_cost(s, thread,
						s->host_ps[spin ? HOST_WAKE_SPIN : HOST_WAKE_BLOCK],
						s->call_part, ~t->pc); /* from the post's begin */
		t->now_ps += s->host_ps[spin ? HOST_POST : HOST_POST_BLOCK];
		/* wake those whose value is reached */
		uint32_t waiter = c->first_thread;
		c->first_thread = NONE32;
		while (waiter != NONE32) {
			struct sim_thread *w = &s->thread[waiter];
			uint32_t next = w->next_waiter;
			if (s->schedule->op[w->pc - 1].value <= c->value) {
				thread_wake(s, waiter, seen);
			} else {
				w->next_waiter = c->first_thread;
				c->first_thread = waiter;
			}
			waiter = next;
		}
		break;
	}
	case OP_AWAIT: {
		struct sim_counter *c = &s->counter[op->object];
		if (c->value >= op->value) {
			t->now_ps += s->host_ps[HOST_AWAIT_READY];
			break;
		}
		t->pc++;
		block(s, thread, &c->first_thread);
		return false;
	}
	case OP_BARRIER: {
		struct sim_barrier *b = &s->barrier[op->object];
		if (++b->arrived < s->schedule->thread_count) {
			t->pc++;
			block(s, thread, &b->first_thread);
			return false;
		}
		t->now_ps += s->host_ps[HOST_BARRIER];
		thread_wake_list(s, &b->first_thread, t->now_ps);
		break;
	}
	case OP_HOST:
		t->now_ps += op->duration_ps > 0 ? op->duration_ps : 0;
		break;
	case OP_MARK:
		mark(s, thread, op->object);
		break;
	case OP_KIND_COUNT:
		break;
	}
	t->pc++;
	return true;
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
