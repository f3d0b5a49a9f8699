/* SPDX-License-Identifier: MIT */
#ifndef WARPREEL_CALL_PARTS_H
#define WARPREEL_CALL_PARTS_H

#include "model/platform/benchmark_terms.h"
#include "traces/base/util.h"

/* host.call_quantiles: the mean of a part of the calls, the slowest left out. */
static inline double mean_of_part(const double *calls, size_t count, int part)
{
	const double parts = TERM_CALL_PARTS;
	return mean_between(calls, count, part / parts,
			    part < TERM_CALL_PARTS - 1 ? (part + 1) / parts : TERM_CALLS_KEPT);
}

#endif
