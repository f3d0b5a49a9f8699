/* SPDX-License-Identifier: MIT
 * Copies of a GPU's streams at its engines: each engine makes one at a time.
 */
#include "sim_internal.h"

#include "traces/base/util.h"

static int engine_of(const struct sim *s, const struct schedule_copy *copy)
{
	static const uint8_t engine[COPY_KIND_COUNT] = {
		[COPY_H2D] = ENGINE_H2D,   [COPY_D2H] = ENGINE_D2H,   [COPY_PEER] = ENGINE_PEER,
		[COPY_D2D] = ENGINE_LOCAL, [COPY_H2H] = ENGINE_LOCAL, [COPY_MEMSET] = ENGINE_LOCAL,
	};
	return s->platform->copy_engines == 1 && engine[copy->kind] != ENGINE_LOCAL
		       ? ENGINE_H2D
		       : engine[copy->kind];
}

/* The engine of a command that is a copy and needs one, else ENGINE_LOCAL. */
static int engine_asked(const struct sim *s, const struct command *command)
{
	const struct schedule_op *op = &s->schedule->op[command->op];
	return op->kind == OP_COPY || op->kind == OP_MEMSET
		       ? engine_of(s, &s->schedule->copy[op->object])
		       : ENGINE_LOCAL;
}

struct at_engine {
	const struct sim *s;
	int engine;
	uint32_t last; /* the stream whose copy has just ended, and is its head still */
	sim_time now;
};

/* Whether the next copy of a stream may begin on the engine. */
static bool stands_at(const void *arg, uint32_t stream)
{
	const struct at_engine *at = arg;
	const struct sim *s = at->s;
	const struct sim_stream *st = &s->stream[stream];
	const struct command *behind = &st->ring[(st->head + 1) & (st->capacity - 1)];
	if (stream == at->last)
		return st->count > 1 && behind->submit_ps <= at->now &&
		       engine_asked(s, behind) == at->engine;
	return st->state == STREAM_QUEUED &&
	       engine_asked(s, &st->ring[st->head & (st->capacity - 1)]) == at->engine;
}

/* Who gets the engine on which `stream` has just copied; NONE32: nobody yet, or that stream, which
 * goes on by itself. */
static uint32_t next_on_engine(struct sim *s, uint32_t stream, sim_time now)
{
	const struct sim_stream *st = &s->stream[stream];
	struct sim_gpu *gpu = &s->gpu[st->gpu];
	const struct at_engine at = { s, st->engine, stream, now };
	if (!s->channels.count)
		return fifo_pop(s, &gpu->engine_head[st->engine]);
	if (st->engine == ENGINE_LOCAL)
		return NONE32;
	copy_channels_pop(&s->channels, st->gpu, st->engine, stream);
	const uint32_t next =
		copy_channels_next(&s->channels, st->gpu, st->engine, stream, stands_at, &at);
	return next == stream ? NONE32 : next;
}

void copy_begin(struct sim *s, uint32_t stream, sim_time now)
{
	struct sim_stream *st = &s->stream[stream];
	struct sim_gpu *gpu = &s->gpu[st->gpu];
	const struct schedule_op *op = &s->schedule->op[stream_head(st)->op];
	const struct schedule_copy *copy = &s->schedule->copy[op->object];
	int engine = engine_of(s, copy);
	if (engine != ENGINE_LOCAL && gpu->engine_user[engine] != NONE32) {
		st->state = STREAM_QUEUED;
		if (!s->channels.count)
			fifo_push(s, &gpu->engine_head[engine], &gpu->engine_tail[engine], stream);
		return;
	}
	gpu_account(s, st->gpu, now, stream_head(st)->blocked_ps > st->blocked_seen_ps);
	const struct command *command = stream_head(st);
	const struct copy_place place = {
		.queued = st->state == STREAM_QUEUED,
		.behind_same = st->last_was_copy && st->engine == engine &&
			       command->submit_ps <= st->free_ps,
		.copy = op->object,
		.now = now,
		.called_ps = command->called_ps,
		.submit_ps = command->submit_ps,
		.free_ps = st->free_ps,
		.behind_copy = st->last_was_copy,
		.recorded_ps = copy_plays_as_recorded(s, op) ? op->duration_ps : -1
	};
	const sim_time cost = s->copies->copy(s->copy_model, &place);
	gpu->copies++;
	gpu->engine_user[engine] = stream;
	st->engine = (uint8_t)engine;
	st->gap_ps = st->kernel_gap_ps + s->copies->switch_back(s->copy_model, op->object);
	st->last_was_copy = true;
	st->start_ps = now;
	st->state = STREAM_RUNNING;
	if (cost >= SIM_COST_MOST && !s->error)
		s->error = report("a copy of %lld bytes takes longer than the simulator can count",
				  (long long)copy->bytes);
	links_start(&s->links, &s->queue, now, stream, copy, cost);
}

uint32_t copy_end(struct sim *s, uint32_t stream, sim_time now)
{
	const struct sim_stream *st = &s->stream[stream];
	struct sim_gpu *gpu = &s->gpu[st->gpu];
	gpu_account(s, st->gpu, now, false);
	gpu->copies--;
	gpu->engine_user[st->engine] = NONE32;
	return next_on_engine(s, stream, now);
}

void copy_called(struct sim *s, uint32_t stream, const struct command *command)
{
	if (!s->channels.count)
		return;
	const int engine = engine_asked(s, command);
	if (engine != ENGINE_LOCAL)
		copy_channels_push(&s->channels, s->stream[stream].gpu, (uint32_t)engine, stream);
}
