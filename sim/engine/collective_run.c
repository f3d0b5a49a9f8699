/* SPDX-License-Identifier: MIT
 * Launches that are one collective: each waits on its GPU until the last has begun, then all have
 * done its work together. A launch that is part of several (a group of sends and receives) does
 * each when that one's partners have begun, and ends with the last.
 */
#include "sim_internal.h"

#include "sim/copies/ring_price.h"
#include "traces/base/util.h"

static const struct schedule_collective *collective_of(const struct sim *s, size_t participant)
{
	return &s->schedule->collective[s->schedule->participant[participant].collective];
}

/* As the schedule says; a plan does not know it. */
void collectives_init(struct sim *s)
{
	for (uint32_t k = 0; k < s->schedule->collective_count; k++) {
		const struct schedule_collective *c = &s->schedule->collective[k];
		const double price_ps = c->work_ps < 0 ? ring_price_ps(c, s->platform) : 0;
		s->collective[k].first_waiting = NONE32;
		s->collective[k].work_ps = c->work_ps >= 0	      ? c->work_ps
					   : price_ps < SIM_COST_MOST ? (sim_time)price_ps
								      : SIM_COST_MOST;
	}
}

static bool is_of(const struct sim *s, size_t participant, int64_t op)
{
	return participant < s->schedule->participant_count &&
	       s->schedule->participant[participant].op == op;
}

/* How long a launch lasts whose partners have all begun. */
sim_time collective_work(const struct sim *s, int64_t op)
{
	sim_time most = 0;
	for (size_t m = schedule_participant_of(s->schedule, op); is_of(s, m, op); m++) {
		const sim_time work = s->collective[s->schedule->participant[m].collective].work_ps;
		most = work > most ? work : most;
	}
	return most;
}

/* All have come. */
static void start(struct sim *s, const struct sim_collective *c, sim_time work_ps, sim_time now)
{
	for (uint32_t m = c->first_waiting; m != NONE32; m = s->participant_next[m]) {
		const uint32_t stream = s->schedule->op[s->schedule->participant[m].op].stream;
		struct sim_stream *st = &s->stream[stream];
		if (!st->works) { /* until now it did no work */
			gpu_account(s, st->gpu, now, true);
			s->gpu[st->gpu].kernels++;
			st->works = true;
		}
		st->collectives_end_ps = now + work_ps > st->collectives_end_ps
						 ? now + work_ps
						 : st->collectives_end_ps;
		if (!--st->collectives_left)
			stream_arm(s, stream, st->collectives_end_ps, STREAM_RUNNING);
	}
}

void collective_begin(struct sim *s, uint32_t stream, int64_t op, sim_time now)
{
	const size_t first = schedule_participant_of(s->schedule, op);
	struct sim_stream *st = &s->stream[stream];
	st->state = STREAM_WAITING;
	st->works = false;
	st->collectives_left = 0;
	st->collectives_end_ps = now;
	for (size_t m = first; is_of(s, m, op); m++)
		st->collectives_left++;
	for (size_t m = first; is_of(s, m, op); m++) {
		struct sim_collective *c = &s->collective[s->schedule->participant[m].collective];
		s->participant_next[m] = c->first_waiting;
		c->first_waiting = (uint32_t)m;
		if (++c->arrived == collective_of(s, m)->participants) {
			start(s, c, c->work_ps, now);
			c->first_waiting = NONE32;
		}
	}
}

int collective_report(const struct sim *s)
{
	for (uint32_t k = 0; k < s->schedule->collective_count; k++) {
		const uint32_t m = s->collective[k].first_waiting;
		if (m == NONE32)
			continue;
		const struct schedule_op *op = &s->schedule->op[s->schedule->participant[m].op];
		return report("the schedule cannot end: '%s' on GPU %u waits for %u more of its "
			      "%u partners and nothing is left to happen",
			      s->schedule->kernel[s->schedule->collective[k].kernel],
			      s->stream[op->stream].gpu,
			      s->schedule->collective[k].participants - s->collective[k].arrived,
			      s->schedule->collective[k].participants);
	}
	return 0;
}
