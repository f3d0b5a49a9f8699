/* SPDX-License-Identifier: MIT
 * The `warps` kernel model: profiles of kernels (what one launch does), the device's inside (what
 * that costs), and what earlier launches left in L2, put together into the time of a launch. Equal
 * launches are computed once.
 *
 * A faster part lets warps run in another order, and that order may be a worse one (Graham 1969).
 * But what ran in some order on the slower device can run in it on the faster one, which has only
 * to wait, and to leave multiprocessors that it has more of without blocks: where nothing of a
 * changed device is slower than it was, no answer is longer than the unchanged device's, and where
 * nothing is faster, none is shorter.
 */
#ifndef WARPREEL_WARPS_H
#define WARPREEL_WARPS_H

#include "model/platform/platform.h"
#include "traces/profiles/profile_derive.h"
#include "traces/schedule/schedule.h"
#include "warps_answer.h"

struct warps;

struct warps_options {
	const char *profiles; /* a trace with kernel profiles; NULL = those shipped for `data` */
	const char *data;     /* folder under traces/data */
	const struct platform *before; /* the platform without what was set, made ideal or written
					  into a copy of its file; NULL = nothing was */
	const struct sm_device *counted_on; /* the device the profiles were counted on; NULL = that
					       of the platform */
	bool strict;			    /* an unknown instruction is an error */
	bool allow_extrapolation;	    /* counts in doubt (profile_derive.h) */
};

/* NULL after a message: no [sm] section, no profiles. `platform` is borrowed. */
struct warps *warps_new(const struct platform *platform, const struct warps_options *options);
void warps_free(struct warps *warps);
const char *warps_where(const struct warps *warps);  /* they were looked for; borrowed */
const char *warps_source(const struct warps *warps); /* files the profiles came from; borrowed */

/* Whether there are any, without a message. */
bool warps_profiled(const struct warps_options *options);

/* Whether all launches of the schedule have counts without doubt. */
bool warps_sure(struct warps *warps, const struct schedule *schedule);

/* Whether a kernel has a profile, of whatever launch. */
bool warps_profile(const struct warps *warps, const char *kernel);
/* Whether a launch's kernel has one, and its grid is known. */
bool warps_knows(const struct warps *warps, const struct schedule *schedule,
		 const struct schedule_shape *shape);

/* A kernel of the schedule's launches that has no profile but one that nobody counted; NULL = none
 * has. Borrowed of the schedule. */
const char *warps_derived(const struct warps *warps, const struct schedule *schedule);

/* A kernel of the schedule's launches that has no profile; NULL = each has one. Borrowed of the
 * schedule. */
const char *warps_missing(const struct warps *warps, const struct schedule *schedule);

/* Forgets what was counted of this very launch (kernel, grid, block). Before anything is asked. */
void warps_forget(struct warps *warps, const char *kernel, const struct schedule_shape *shape);

/* From now on another schedule's launches are asked for. Before the first question about every
 * schedule. */
void warps_schedule(struct warps *warps);
/* Device time of a launch in ns, as the tracer would report it. -1 after a message. *extrapolated
 * is set when that was needed. */
int warps_duration(struct warps *warps, const struct schedule *schedule,
		   const struct schedule_shape *shape, double *duration_ns, bool *extrapolated);
/*
 * Notes the schedule's launches that no time is known of, and plays what is pending in so many
 * processes: the questions that follow are answered at once, and as they would have been. A
 * schedule that launches a kernel without profile is passed over. -1 after a message. After
 * warps_schedule.
 */
int warps_note(struct warps *warps, const struct schedule *schedule);
void warps_play_pending(struct warps *warps, int processes);
/* How many launches it took time to answer: the distinct ones so far. */
size_t warps_computed(const struct warps *warps);
/* Bytes of a launch that L2 does not have or does not keep, by what earlier launches touched; 0
 * where the launch carries no footprint. */
double warps_dram_bytes(struct warps *warps, const struct schedule *schedule,
			const struct schedule_shape *shape);
/* What a launch that is played as duration_ns asks of its GPU beside others (struct kernel_crowd;
 * room: 1 where it fills the GPU by itself). *as_many: how many at once; from two to as many as
 * fill the GPU 32 times, it says how many were played. -1 after a message. */
int warps_crowd(struct warps *warps, const struct schedule *schedule,
		const struct schedule_shape *shape, double duration_ns, double *room, double *busy,
		double *as_many);
/* warps_duration with everything that led to it; `device` replaces the platform's (NULL = its own).
 * Release with grid_answer_release(&answer->grid). */
int warps_explain(struct warps *warps, const struct schedule *schedule,
		  const struct schedule_shape *shape, const struct sm_device *device,
		  struct warps_answer *answer);

#endif
