/* SPDX-License-Identifier: MIT
 * Launches that are one collective: each waits on its GPU until the last has begun, then all end
 * together.
 */
#include "sim_internal.h"

#include "traces/base/util.h"

sim_time meeting_work(const struct sim *s, int64_t op)
{
	return s->schedule->collective[schedule_collective_of(s->schedule, op)].work_ps;
}

void meeting_begin(struct sim *s, uint32_t stream, int64_t op, sim_time now)
{
	const uint32_t number = schedule_collective_of(s->schedule, op);
	const struct schedule_collective *what = &s->schedule->collective[number];
	struct sim_collective *c = &s->collective[number];
	s->stream[stream].state = STREAM_WAITING;
	s->stream[stream].next_waiter = c->first_stream;
	c->first_stream = stream;
	if (++c->arrived < what->participants)
		return;
	for (uint32_t next, at = c->first_stream; at != NONE32; at = next) {
		struct sim_stream *st = &s->stream[at];
		next = st->next_waiter;
		gpu_account(s, st->gpu, now, true); /* until now it did no work */
		s->gpu[st->gpu].kernels++;
		stream_arm(s, at, now + what->work_ps, STREAM_RUNNING);
	}
	c->first_stream = NONE32;
}

int meeting_report(const struct sim *s)
{
	for (uint32_t k = 0; k < s->schedule->collective_count; k++)
		if (s->collective[k].first_stream != NONE32)
			return report(
				"the schedule cannot end: '%s' on GPU %u waits for %u more of its "
				"%u partners and nothing is left to happen",
				s->schedule->kernel[s->schedule->collective[k].kernel],
				s->stream[s->collective[k].first_stream].gpu,
				s->schedule->collective[k].participants - s->collective[k].arrived,
				s->schedule->collective[k].participants);
	return 0;
}
