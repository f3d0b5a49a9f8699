/* SPDX-License-Identifier: MIT
 * The part of a schedule that repeats. An iterating run asks for the same again and again: its unit
 * is what every thread does between an iteration and the next that is like it, counters and barriers
 * counted on. A run with fewer of them begins and ends alike.
 */
#ifndef WARPREEL_SCHEDULE_REPEAT_H
#define WARPREEL_SCHEDULE_REPEAT_H

#include <stdbool.h>

#include "schedule.h"

struct schedule_repeat {
	uint32_t threads;
	int64_t *unit; /* [threads] operations of a unit, 0 where a thread does nothing in it; owned */
	int64_t *tail; /* [threads] operations behind the last unit; owned */
	int64_t unit_operations; /* of all threads */
	int64_t count;		 /* units that stand one behind the other before the tail */
};

/*
 * The unit by which `longer` is longer than `shorter`, two plans of one run with fewer and more
 * iterations; count is that of `longer`. False: they differ by something else, or by what does not
 * stand twice in `longer`; nothing is to be released then.
 */
bool schedule_repeat_find(struct schedule_repeat *repeat, const struct schedule *shorter,
			  const struct schedule *longer);
/*
 * The unit by which a schedule repeats itself, with none to compare it with: the shortest of each
 * thread, as many of them as make equal counts. False: it does not.
 */
bool schedule_repeat_search(struct schedule_repeat *repeat, const struct schedule *schedule);
/* How many units stand before the tails of another plan of that run; 0: it does not repeat so. */
int64_t schedule_repeat_count(const struct schedule_repeat *repeat, const struct schedule *schedule);
void schedule_repeat_release(struct schedule_repeat *repeat);

/*
 * `schedule` with so many of its last units left out, fewer than count. It borrows all but `op` and
 * `thread` of `schedule`: release it with schedule_cut_release.
 */
void schedule_cut(struct schedule *cut, const struct schedule *schedule,
		  const struct schedule_repeat *repeat, int64_t units);
void schedule_cut_release(struct schedule *cut);
/* Numbers the operations as if so many units more had been there. */
void schedule_number_as_whole(struct schedule *schedule, const struct schedule_repeat *repeat,
			      int64_t units);

#endif
