/* SPDX-License-Identifier: MIT
 * Phases of launches (warps_phases.h) that were played, and how long they take: each by all that a
 * play reads, so that equal ones are played once, whoever asks first.
 */
#ifndef WARPREEL_KNOWN_LAUNCHES_H
#define WARPREEL_KNOWN_LAUNCHES_H

#include "warps_answer.h"

struct known_launch {
	const struct kernel_profile *profile; /* its counts; they stay where they are */
	int64_t blocks; /* as played; 0: more than were played, however many */
	double sharers; /* likewise, as in struct grid_launch */
	uint32_t block_threads, shared_bytes; /* of one: static and dynamic */
	int64_t on_device;		      /* 0: as it is; 1: as it was before it was changed */
	uint64_t at_rim[2];		      /* grid_kinds_bits; 0 where blocks are alike */
	double code_bytes;		      /* as in struct grid_launch */
	struct traffic traffic;		      /* of the phase; what no play reads is 0 */
	struct grid_played played; /* not part of what it is known by: the phase for all of it */
};

struct known_launches {
	struct known_launch *launch; /* in the order in which they were added */
	size_t count, capacity;
	size_t *first, buckets; /* a hash table of numbers in `launch`, from 1 on; 0 = none */
	size_t *next, next_capacity;
}; /* owned; all zero = none */

/* NULL = it is not known. Borrowed until the next one is added. */
const struct known_launch *known_launches_find(const struct known_launches *known,
					       const struct known_launch *like);
void known_launches_add(struct known_launches *known, const struct known_launch *launch);
void known_launches_release(struct known_launches *known);

#endif
