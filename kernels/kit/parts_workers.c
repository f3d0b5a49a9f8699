/* SPDX-License-Identifier: MIT
 * Boss and workers (Spampinato, Figure 5.24): borders through host memory, where a part between two
 * neighbours has a thread for each border. Its own thread, the boss, asks both for an exchange and
 * waits for both; parts at the ends exchange by themselves. In blocks one worker has north and
 * west, the other south and east, in the phases in which the part has both neighbours.
 */
#include "parts_internal.h"

static bool in_the_middle(const struct parts *s, uint32_t gpu, int phase)
{
	enum side order[2];
	return parts_count(s, phase) > 1 && parts_sides(s, gpu, phase, order) == PART_WORKERS;
}

/* Grows from exchange to exchange. */
static int64_t number_of(int64_t cycle, int phase)
{
	return PART_PHASES * cycle + phase + 1;
}

int parts_workers_make(struct parts *s, uint32_t gpu)
{
	const struct machine_ops *ops = s->m->ops;
	struct part *part = &s->part[gpu];
	part->has_workers = in_the_middle(s, gpu, 0) || in_the_middle(s, gpu, 1);
	if (!part->has_workers)
		return 0;
	s->helpers += PART_WORKERS;
	if (ops->event(s->m, gpu, &part->computed))
		return -1;
	for (int k = 0; k < PART_WORKERS; k++)
		if (ops->stream(s->m, gpu, &part->worker[k].stream))
			return -1;
	return 0;
}

int parts_workers_restart(struct parts *s, uint32_t gpu)
{
	struct part *part = &s->part[gpu];
	for (int k = 0; k < PART_WORKERS && part->has_workers; k++)
		if (s->m->ops->counter(s->m, &part->worker[k].go) ||
		    s->m->ops->counter(s->m, &part->worker[k].gone))
			return -1;
	return 0;
}

int parts_workers_exchange(const struct parts *s, struct machine_thread *t, int64_t cycle,
			   int phase)
{
	const struct part *me = &s->part[t->gpu];
	const int64_t number = number_of(cycle, phase);
	if (s->m->ops->record(t, me->stream, me->computed))
		return -1;
	for (int k = 0; k < PART_WORKERS; k++)
		if (parts_post(s, t, me->worker[k].go, number))
			return -1;
	for (int k = 0; k < PART_WORKERS; k++)
		if (parts_await(s, t, me->worker[k].gone, number))
			return -1;
	return 0;
}

/* The part that has helper `number`, and which of its workers that is. */
static uint32_t employer(const struct parts *s, uint32_t number, int *worker)
{
	uint32_t gpu = 0;
	*worker = (int)(number % PART_WORKERS);
	for (uint32_t before = number / PART_WORKERS;; gpu++)
		if (s->part[gpu].has_workers && before-- == 0)
			return gpu;
}

int parts_help(struct parts *s, struct machine_thread *t, uint32_t number, int64_t exchanges,
	       const int *which)
{
	const struct machine_ops *ops = s->m->ops;
	int worker;
	const uint32_t gpu = employer(s, number, &worker);
	const struct part *me = &s->part[gpu];
	const uint32_t stream = me->worker[worker].stream;
	if (ops->drive(t, gpu))
		return -1;
	for (int64_t cycle = 0; cycle < exchanges; cycle++)
		for (int phase = 0; phase < PART_PHASES; phase++) {
			const enum side side = (enum side)((phase == 0 ? NORTH : WEST) + worker);
			const int64_t asked = number_of(cycle, phase);
			if (in_the_middle(s, gpu, phase) &&
			    (parts_await(s, t, me->worker[worker].go, asked) ||
			     ops->wait(t, stream, me->computed) ||
			     parts_exchange_side(s, t, stream, side, cycle, which[gpu]) ||
			     parts_post(s, t, me->worker[worker].gone, asked)))
				return -1;
		}
	return 0;
}
