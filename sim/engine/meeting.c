/* SPDX-License-Identifier: MIT
 * Launches that are one collective: each waits on its GPU until the last has begun, then all have
 * done its work together. A launch that is part of several (a group of sends and receives) does
 * each when that one's partners have begun, and ends with the last.
 */
#include "sim_internal.h"

#include "traces/base/util.h"

static const struct schedule_collective *collective_of(const struct sim *s, size_t meeting)
{
	return &s->schedule->collective[s->schedule->meeting[meeting].collective];
}

static bool is_of(const struct sim *s, size_t meeting, int64_t op)
{
	return meeting < s->schedule->meeting_count && s->schedule->meeting[meeting].op == op;
}

/* How long a launch lasts whose partners have all begun. */
sim_time meeting_work(const struct sim *s, int64_t op)
{
	sim_time most = 0;
	for (size_t m = schedule_meeting_of(s->schedule, op); is_of(s, m, op); m++)
		most = collective_of(s, m)->work_ps > most ? collective_of(s, m)->work_ps : most;
	return most;
}

/* All have come. */
static void start(struct sim *s, const struct sim_collective *c, sim_time work_ps, sim_time now)
{
	for (uint32_t m = c->first_meeting; m != NONE32; m = s->meeting_next[m]) {
		const uint32_t stream = s->schedule->op[s->schedule->meeting[m].op].stream;
		struct sim_stream *st = &s->stream[stream];
		if (!st->met) { /* until now it did no work */
			gpu_account(s, st->gpu, now, true);
			s->gpu[st->gpu].kernels++;
			st->met = true;
		}
		st->meetings_end_ps =
			now + work_ps > st->meetings_end_ps ? now + work_ps : st->meetings_end_ps;
		if (!--st->meetings_left)
			stream_arm(s, stream, st->meetings_end_ps, STREAM_RUNNING);
	}
}

void meeting_begin(struct sim *s, uint32_t stream, int64_t op, sim_time now)
{
	const size_t first = schedule_meeting_of(s->schedule, op);
	struct sim_stream *st = &s->stream[stream];
	st->state = STREAM_WAITING;
	st->met = false;
	st->meetings_left = 0;
	st->meetings_end_ps = now;
	for (size_t m = first; is_of(s, m, op); m++)
		st->meetings_left++;
	for (size_t m = first; is_of(s, m, op); m++) {
		struct sim_collective *c = &s->collective[s->schedule->meeting[m].collective];
		s->meeting_next[m] = c->first_meeting;
		c->first_meeting = (uint32_t)m;
		if (++c->arrived == collective_of(s, m)->participants) {
			start(s, c, collective_of(s, m)->work_ps, now);
			c->first_meeting = NONE32;
		}
	}
}

int meeting_report(const struct sim *s)
{
	for (uint32_t k = 0; k < s->schedule->collective_count; k++) {
		const uint32_t m = s->collective[k].first_meeting;
		if (m == NONE32)
			continue;
		const struct schedule_op *op = &s->schedule->op[s->schedule->meeting[m].op];
		return report("the schedule cannot end: '%s' on GPU %u waits for %u more of its "
			      "%u partners and nothing is left to happen",
			      s->schedule->kernel[s->schedule->collective[k].kernel],
			      s->stream[op->stream].gpu,
			      s->schedule->collective[k].participants - s->collective[k].arrived,
			      s->schedule->collective[k].participants);
	}
	return 0;
}
