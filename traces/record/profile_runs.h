/* SPDX-License-Identifier: MIT
 * The runs of a command that its kernel profiles take: one a kind of counters, or, where CUPTI
 * counts no more at once, one a part of them or one a function.
 */
#ifndef WARPREEL_PROFILE_RUNS_H
#define WARPREEL_PROFILE_RUNS_H

#include <stdbool.h>
#include "traces/base/options.h"
#include "traces/profiles/profile_merge.h"

struct profile_options {
	const char *output, *recorder, *passes_of;
	struct text_list kernel; /* patterns of names and symbols; none: all */
	int grids, runs;
	bool keep_spool, verbose, join, one_by_one;
};

/*
 * Makes the runs and adds what they left to `merge`; the number of spools goes onto *spools.
 * Signals must be held (target.h): an interrupted command is not run again. The exit code, after a
 * message where a run failed; what was counted until then is in `merge`.
 */
int profile_runs(struct profile_merge *merge, const struct profile_options *options,
		 const char *recorder, char **command, int *spools);

#endif
