/* SPDX-License-Identifier: MIT */
#include "refine.h"

#include <math.h>

static bool on(const struct sm_device *device, enum mechanism_id id)
{
	return mechanism_on(&device->mechanisms, id);
}

/*
 * L2 takes reads and writes side by side, and yet reads hold up its writes: by what a copy takes
 * longer than its writes alone (sm_turnarounds). More where they find what was written there, which
 * one partition alone has; and more again for what goes round beyond l2_near_bytes.
 */
double refine_l2_beside_writes(const struct sm_device *d, const struct traffic *t)
{
	const double apart = on(d, MECHANISM_L2_COPY) ? d->l2.turnaround_s : 0,
		     rewritten = on(d, MECHANISM_L2_REWRITTEN) ? d->l2_updated_turnaround_s : apart,
		     beyond = on(d, MECHANISM_L2_WIDE) ? d->l2_wide_turnaround_s : rewritten;
	double turnaround_s =
		apart + (t->written - t->wide) * (rewritten - apart) + t->wide * (beyond - apart);
	return isinf(d->l2.read_bytes_per_s) || isinf(d->l2.write_bytes_per_s)
		       ? 0
		       : turnaround_s * d->l2.read_bytes_per_s;
}

double refine_l2_far_dirty(const struct sm_device *d, const struct traffic *t)
{
	return on(d, MECHANISM_L2_FAR_DIRTY) ? d->l2_far_dirty_share * t->dirty : 0;
}

/* Of L2, by what all of them and one of them do of atomics. */
static double slices_of(const struct sm_device *d)
{
	return d->atomic_rate_per_s / (1e9 / d->atomic_same_interval_ns);
}

/*
 * Atomics on few lines meet in few slices of L2. Lines fall on slices as if at random, so the
 * fullest of S slices has about m + sqrt(2 m ln S) of L lines, m = L / S (balls into bins: Raab and
 * Steger 1998), and all wait for it.
 */
double refine_atomics_per_s(const struct sm_device *d, const struct traffic *t)
{
	const double lines = t->atomic_lines;
	double slice = 1e9 / d->atomic_same_interval_ns, slices = slices_of(d);
	if (!(lines > 0) || !(d->atomic_same_interval_ns > 0) || isinf(d->atomic_rate_per_s) ||
	    slices <= 1 || !on(d, MECHANISM_ATOMIC_SLICES))
		return d->atomic_rate_per_s;
	double mean = lines / slices, fullest = mean + sqrt(2 * mean * log(slices));
	double rate = slice * lines / (fullest > 1 ? fullest : 1);
	return rate < d->atomic_rate_per_s ? rate : d->atomic_rate_per_s;
}

/*
 * That fullest slice has the bytes that all slices have, too, and takes them in turn: beside a copy
 * of memory, atomics on one address take as long as by themselves, or somewhat longer, and the part
 * of the copy's time that a slice is busy with it (measured: calibrate_sm_flow.cu).
 */
double refine_atomic_beside(const struct sm_device *d, const struct traffic *t)
{
	const double alone_ns = d->atomic_same_interval_ns,
		     beside_ns = d->atomic_beside_interval_ns;
	if (!(t->atomic_lines > 0) || !(alone_ns > 0) || isinf(d->atomic_rate_per_s) ||
	    !(d->dram_slice_share > 0) || !on(d, MECHANISM_ATOMIC_BESIDE))
		return 0;
	return beside_ns > alone_ns ? beside_ns / alone_ns : 1;
}

double refine_slice_lines(const struct sm_device *d)
{
	const double slices = slices_of(d);
	return slices > 1 && isfinite(slices) ? 1 / slices : 1;
}

double refine_dram_turnaround_s(const struct sm_device *d, const struct traffic *t,
				double read_share)
{
	const double reads =
		read_share < 1 ? read_share / (1 - read_share) : INFINITY; /* for each write */
	return sm_dram_turnaround_s(d, reads, t->updated, t->strips);
}
