/* SPDX-License-Identifier: MIT */
#include "machine_timing.h"

#include "traces/base/util.h"

void machine_timing_fill(struct machine_timing *timing, const double *ns)
{
	const size_t count = (size_t)timing->repeats;

	timing->median_ns = median_of(ns, count);
	timing->mad_ns = mad_of(ns, count);
	timing->min_ns = quantile_of(ns, count, 0);
	timing->max_ns = quantile_of(ns, count, 1);
}
