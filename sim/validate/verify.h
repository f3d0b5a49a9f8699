/* SPDX-License-Identifier: MIT
 * How far off answers for a platform file are on the machine it tells of: small runs, measured and
 * predicted, set the width of its intervals.
 */
#ifndef WARPREEL_VERIFY_H
#define WARPREEL_VERIFY_H

#include "traces/program/program.h"

/*
 * Runs those lines of `list` (SOLVER GPUS CONFIGURATION) that `gpus` GPUs are enough for, prints a
 * row each, and writes section [interval] of the platform file at `path`: the widths that
 * measured / predicted - 1 of the runs gives (interval_fit.h). -1 after a message: fewer than
 * VERIFY_LEAST could be run and predicted, and the file is as it was.
 */
enum { VERIFY_LEAST = 5 };
int verify_platform(const struct program *program, const char *path, const char *backend,
		    const char *list, uint32_t gpus, const char *command);

#endif
