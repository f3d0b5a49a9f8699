/* SPDX-License-Identifier: MIT
 * Kernel profiles of several traces as one: counted in parts, where a process can count only one
 * launch (docs/recorder.md).
 */
#ifndef WARPREEL_PROFILE_JOIN_H
#define WARPREEL_PROFILE_JOIN_H

#include "traces/format/trace.h"

/*
 * Adds the profiles of `in` to `out`. A launch shape that `out` has already gets what it lacks:
 * counters, or the counts of its instructions. -1 after a message naming `file`: a symbol with
 * other code than in `out`.
 */
int profile_join(struct trace *out, const struct trace *in, const char *file);

#endif
