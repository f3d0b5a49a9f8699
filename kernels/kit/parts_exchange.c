/* SPDX-License-Identifier: MIT
 * How borders of parts are exchanged: GPU to GPU, through host memory, by a thread a GPU or by one
 * for all.
 */
#include "parts_internal.h"

/* A step of an exchange, on GPU t->gpu. */
typedef int exchange_step(const struct parts *s, struct machine_thread *t, int64_t cycle, int which,
			  int phase);

/* GPU to GPU: borders are pushed into the neighbours' halos, ordered by events; counters only say
 * that an event has been recorded. */
static int peer_begin(const struct parts *s, struct machine_thread *t, int64_t cycle, int which,
		      int phase)
{
	const struct part *me = &s->part[t->gpu];
	(void)which;
	return s->m->ops->record(t, me->stream, me->phase[phase].done) ||
			       parts_post(s, t, me->phase[phase].done_count, cycle + 1)
		       ? -1
		       : 0;
}

static int peer_send(const struct parts *s, struct machine_thread *t, int64_t cycle, int which,
		     int phase)
{
	const struct machine_ops *ops = s->m->ops;
	const struct part *me = &s->part[t->gpu];
	enum side order[2];
	const int sides = parts_sides(s, t->gpu, phase, order);
	for (int k = 0; k < sides; k++) {
		const struct part *peer = &s->part[parts_neighbour(s, t->gpu, order[k])];
		const struct rectangle from = parts_border(s, me, order[k], false),
				       to = parts_border(s, peer, parts_opposite(order[k]), true);
		const struct machine_copy copy = {
			.source = me->buffer[which],
			.target = peer->buffer[which],
			.source_offset_bytes = from.offset_bytes,
			.target_offset_bytes = to.offset_bytes,
			.row_bytes = from.row_bytes,
			.rows = from.rows,
			.source_pitch_bytes = s->row_bytes,
			.target_pitch_bytes = s->row_bytes,
		};
		if (parts_await(s, t, peer->phase[phase].done_count, cycle + 1) ||
		    ops->wait(t, me->stream, peer->phase[phase].done) ||
		    ops->copy(t, me->stream, &copy))
			return -1;
	}
	return ops->record(t, me->stream, me->phase[phase].sent) ||
			       parts_post(s, t, me->phase[phase].sent_count, cycle + 1)
		       ? -1
		       : 0;
}

static int peer_end(const struct parts *s, struct machine_thread *t, int64_t cycle, int which,
		    int phase)
{
	const struct part *me = &s->part[t->gpu];
	enum side order[2];
	const int sides = parts_sides(s, t->gpu, phase, order);
	(void)which;
	for (int k = 0; k < sides; k++) {
		const struct part *peer = &s->part[parts_neighbour(s, t->gpu, order[k])];
		if (parts_await(s, t, peer->phase[phase].sent_count, cycle + 1) ||
		    s->m->ops->wait(t, me->stream, peer->phase[phase].sent))
			return -1;
	}
	return 0;
}

/* A border to its staging, and a neighbour's staging to the halo. */
static int stage_down(const struct parts *s, struct machine_thread *t, uint32_t stream,
		      enum side side, int which)
{
	const struct part *me = &s->part[t->gpu];
	const struct rectangle from = parts_border(s, me, side, false);
	const struct machine_copy down = {
		.source = me->buffer[which],
		.target = me->stage[side],
		.row_bytes = from.row_bytes,
		.rows = from.rows,
		.source_offset_bytes = from.offset_bytes,
		.source_pitch_bytes = s->row_bytes,
		.target_pitch_bytes = from.row_bytes,
	};
	return s->m->ops->copy(t, stream, &down);
}

static int stage_up(const struct parts *s, struct machine_thread *t, uint32_t stream,
		    enum side side, int which)
{
	const struct part *me = &s->part[t->gpu];
	const struct rectangle to = parts_border(s, me, side, true);
	const struct machine_copy up = {
		.source = s->part[parts_neighbour(s, t->gpu, side)].stage[parts_opposite(side)],
		.target = me->buffer[which],
		.row_bytes = to.row_bytes,
		.rows = to.rows,
		.target_offset_bytes = to.offset_bytes,
		.source_pitch_bytes = to.row_bytes,
		.target_pitch_bytes = s->row_bytes,
	};
	return s->m->ops->copy(t, stream, &up);
}

/* Read and write counters, a mutex and a condition variable each. */
int parts_exchange_side(const struct parts *s, struct machine_thread *t, uint32_t stream,
			enum side side, int64_t cycle, int which)
{
	const struct machine_ops *ops = s->m->ops;
	const struct part *me = &s->part[t->gpu],
			  *peer = &s->part[parts_neighbour(s, t->gpu, side)];
	const enum side theirs = parts_opposite(side);
	return parts_await(s, t, me->read[side], cycle) || stage_down(s, t, stream, side, which) ||
			       ops->sync(t, stream) ||
			       parts_post(s, t, me->written[side], cycle + 1) ||
			       parts_await(s, t, peer->written[theirs], cycle + 1) ||
			       stage_up(s, t, stream, side, which) || ops->sync(t, stream) ||
			       parts_post(s, t, peer->read[theirs], cycle + 1)
		       ? -1
		       : 0;
}

static int exchange_host(const struct parts *s, struct machine_thread *t, int64_t cycle, int which,
			 int phase)
{
	const struct part *me = &s->part[t->gpu];
	enum side order[2];
	const int sides = parts_sides(s, t->gpu, phase, order);
	if (me->has_workers && sides == PART_WORKERS)
		return parts_workers_exchange(s, t, cycle, phase);
	for (int k = 0; k < sides; k++)
		if (parts_exchange_side(s, t, me->stream, order[k], cycle, which))
			return -1;
	return 0;
}

/* The same by one thread: all borders down, all up. */
static int all_down(const struct parts *s, struct machine_thread *t, int64_t cycle, int which,
		    int phase)
{
	enum side order[2];
	const int sides = parts_sides(s, t->gpu, phase, order);
	(void)cycle;
	for (int k = 0; k < sides; k++)
		if (stage_down(s, t, s->part[t->gpu].stream, order[k], which))
			return -1;
	return 0;
}

static int all_up(const struct parts *s, struct machine_thread *t, int64_t cycle, int which,
		  int phase)
{
	enum side order[2];
	const int sides = parts_sides(s, t->gpu, phase, order);
	(void)cycle;
	for (int k = 0; k < sides; k++)
		if (stage_up(s, t, s->part[t->gpu].stream, order[k], which))
			return -1;
	return 0;
}

static int wait_all(const struct parts *s, struct machine_thread *t, int64_t cycle, int which,
		    int phase)
{
	(void)cycle;
	(void)which;
	(void)phase;
	return s->m->ops->sync(t, s->part[t->gpu].stream);
}

enum { PEER_STEPS = 3, HOST_STEPS = 4 };
static exchange_step *const peer_steps[PEER_STEPS] = { peer_begin, peer_send, peer_end };
static exchange_step *const host_steps[HOST_STEPS] = { all_down, wait_all, all_up, wait_all };

static int exchange_peer(const struct parts *s, struct machine_thread *t, int64_t cycle, int which,
			 int phase)
{
	for (int k = 0; k < PEER_STEPS; k++)
		if (peer_steps[k](s, t, cycle, which, phase))
			return -1;
	return 0;
}

int parts_exchange(struct parts *s, struct machine_thread *t, int64_t cycle, int which)
{
	for (int phase = 0; phase < PART_PHASES; phase++) {
		if (parts_count(s, phase) == 1)
			continue;
		if (s->messages ? parts_messages_exchange(s, t, which, phase)
		    : s->peer	? exchange_peer(s, t, cycle, which, phase)
				: exchange_host(s, t, cycle, which, phase))
			return -1;
	}
	return 0;
}

int parts_exchange_all(struct parts *s, struct machine_thread *t, const int *which)
{
	exchange_step *const *steps = s->peer ? peer_steps : host_steps;
	const int count = s->peer ? PEER_STEPS : HOST_STEPS;
	for (int phase = 0; phase < PART_PHASES; phase++)
		for (int k = 0; k < count && parts_count(s, phase) > 1; k++)
			for (uint32_t g = 0; g < s->gpus; g++)
				if (s->m->ops->drive(t, g) || steps[k](s, t, 0, which[g], phase))
					return -1;
	return 0;
}
