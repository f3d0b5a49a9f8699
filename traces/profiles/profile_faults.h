/* SPDX-License-Identifier: MIT
 * What can be wrong with the kernel profiles of a trace: found once, for the reader, which refuses
 * the first, and for the checker, which counts.
 */
#ifndef WARPREEL_PROFILE_FAULTS_H
#define WARPREEL_PROFILE_FAULTS_H

#include "traces/format/trace.h"

enum profile_fault {
	FAULT_FOREIGN,	     /* another profile version, or code this program cannot decode */
	FAULT_CODE,	     /* no code, a gap in it, or an instruction twice */
	FAULT_ALONE,	     /* counts of an instruction or a profile that is not there */
	FAULT_CONTRADICTION, /* counts that do not add up */
	FAULT_DUPLICATE,     /* a profile or a count twice */
	FAULT_KIND_COUNT
};

/* Called for each fault with what it is about, as text ("kernel scale, profile 3: ..."). */
typedef void profile_fault_found(void *context, enum profile_fault fault, const char *what);
void profile_faults(const struct trace *trace, profile_fault_found *found, void *context);

/* Warps of a grid; -1 when that is no grid that can be launched. */
int64_t profile_grid_warps(const uint32_t grid[3], const uint32_t block[3]);

#endif
