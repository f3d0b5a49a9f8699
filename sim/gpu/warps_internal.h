/* SPDX-License-Identifier: MIT
 * What the model `warps` holds, for its own files.
 */
#ifndef WARPREEL_WARPS_INTERNAL_H
#define WARPREEL_WARPS_INTERNAL_H

#include "traces/profiles/profile_library.h"
#include "derived_profiles.h"
#include "known_launches.h"
#include "warps.h"

struct built {
	const struct kernel_profile *profile;
	struct warp_program program;
};

/* A phase that is to be played. */
struct pending {
	struct warps_answer answer;
	int phase;
	struct known_launch known;
};

/* A shape of the present schedule: replicas of a run ask for it again. */
struct answered {
	bool known, extrapolated;
	double duration_ns;
};

struct warps {
	const struct platform *platform;
	struct warps_options options;
	struct profile_library profiles;
	char *where; /* they are: a file, or a pattern of files; owned */
	struct built *built;
	size_t built_count, built_capacity;
	struct derived_profiles derived;
	struct known_launches known;
	size_t computed; /* launches of which something was played */
	struct pending *pending;
	size_t pending_count, pending_capacity;
	struct known_launches pending_known; /* the same, to be found */
	struct residency residency;
	struct answered *answered; /* by shape of the schedule; NULL = nothing was asked yet */
};

/* Which profile, which geometry, and what memory is asked for. -1 after a message. */
int warps_prepare(struct warps *w, const struct schedule *schedule,
		  const struct schedule_shape *shape, struct warps_answer *a);

#endif
