/* SPDX-License-Identifier: MIT
 * A wait ends when its stream has noticed that the record it names has happened. The host putting
 * work into a stream of that GPU makes it poll at once.
 */
#include "sim_internal.h"

/* When the operation behind the head reached, or will reach, the device; SIM_NEVER while it has not
 * been issued. */
static sim_time next_submit(const struct sim_stream *st)
{
	return st->count > 1 ? st->ring[(st->head + 1) & (st->capacity - 1)].submit_ps : SIM_NEVER;
}

/* Whether the stream has come to a wait so long after that was called that its channel sleeps. */
static bool asleep(const struct sim *s, const struct sim_stream *st, const struct command *wait)
{
	return st->start_ps - wait->submit_ps >= s->delay_ps[DELAY_ASLEEP];
}

/* From the event being complete to the waiting stream going on. */
static sim_time event_latency(const struct sim *s, const struct sim_instance *in,
			      const struct sim_stream *st, const struct command *wait)
{
	if (within_graph(&s->schedule->op[wait->op]))
		return 0;
	const struct event_place place = { .same_gpu = in->gpu == st->gpu,
					   .next_to_copy = in->after_copy || wait->before_copy,
					   .asleep = asleep(s, st, wait),
					   .done_ps = in->done_ps,
					   .next_ps = next_submit(st),
					   .since_ps = st->start_ps,
					   .rung_ps = s->gpu[st->gpu].rung_ps };
	return s->copies->event(s->copy_model, &place);
}

/* A wait's event is complete and will be noticed at `at`, or earlier when the host rings. */
static void notice(struct sim *s, uint32_t stream, sim_time done, sim_time at)
{
	struct sim_stream *st = &s->stream[stream];
	s->gpu[st->gpu].noticing++;
	st->notice_ps = at;
	st->done_ps = done;
	stream_arm(s, stream, at, STREAM_RUNNING);
}

void doorbell_heard(struct sim *s, uint16_t gpu, sim_time now)
{
	sim_time heard = now + s->delay_ps[DELAY_RUNG];
	for (uint32_t stream = 0; stream < s->schedule->stream_count; stream++) {
		struct sim_stream *st = &s->stream[stream];
		if (st->gpu != gpu || heard >= st->notice_ps || now < st->done_ps)
			continue;
		st->notice_ps = heard;
		stream_arm(s, stream, heard, STREAM_RUNNING);
	}
}

void event_recorded(struct sim *s, uint32_t instance, sim_time at)
{
	struct sim_instance *in = &s->instance[instance];
	in->done_ps = at;
	uint32_t waiter = in->first_stream;
	in->first_stream = NONE32;
	while (waiter != NONE32) {
		struct sim_stream *st = &s->stream[waiter];
		uint32_t next = st->next_waiter;
		sim_time late = event_latency(s, in, st, stream_head(st));
		gpu_account(s, st->gpu, at, true);
		notice(s, waiter, at, at + late); /* the wait itself ends then */
		waiter = next;
	}
	thread_wake_event(s, &in->first_thread, at);
}

/*
 * A wait whose event is complete when the stream comes to it. Another GPU's event has to be read
 * there. A channel that is awake has done so before, as is one that has just seen another such
 * event; the driver leaves out a wait for what was complete at the call; and while the stream turns
 * back from a copy, reading takes no time.
 */
static sim_time passing(const struct sim *s, const struct sim_instance *in,
			const struct sim_stream *st, const struct command *wait)
{
	const sim_time here = s->delay_ps[DELAY_WAIT], there = s->delay_ps[DELAY_WAIT_PEER];
	if (within_graph(&s->schedule->op[wait->op]))
		return 0;
	if (in->gpu == st->gpu || !asleep(s, st, wait) || in->done_ps <= wait->called_ps)
		return here;
	return st->awake_ps && st->start_ps - st->awake_ps < there ? here : there;
}

void wait_begin(struct sim *s, uint32_t stream, sim_time now)
{
	struct sim_stream *st = &s->stream[stream];
	const struct command *command = stream_head(st);
	st->start_ps = now;
	if (command->instance == NONE32) { /* CUDA: an event never recorded counts as complete */
		stream_arm(s, stream, now, STREAM_RUNNING);
		return;
	}
	struct sim_instance *in = &s->instance[command->instance];
	if (in->done_ps == SIM_NEVER) {
		gpu_account(s, st->gpu, now, false);
		st->state = STREAM_WAITING;
		st->next_waiter = in->first_stream;
		in->first_stream = stream;
		return;
	}
	sim_time seen = in->done_ps + event_latency(s, in, st, command);
	const sim_time passed = now + passing(s, in, st, command);
	sim_time end = passed > seen ? passed : seen;
	if (end > now)
		gpu_account(s, st->gpu, now, false);
	if (seen > now)
		notice(s, stream, in->done_ps, end);
	else
		stream_arm(s, stream, end, STREAM_RUNNING);
}

void wait_end(struct sim *s, uint32_t stream, sim_time now)
{
	struct sim_stream *st = &s->stream[stream];
	const uint32_t instance = stream_head(st)->instance;
	if (instance != NONE32 && s->instance[instance].gpu != st->gpu)
		st->awake_ps = now;
	if (!st->notice_ps)
		return;
	gpu_account(s, st->gpu, now, true);
	s->gpu[st->gpu].noticing--;
	st->notice_ps = 0;
}
