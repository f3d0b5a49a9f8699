/* SPDX-License-Identifier: MIT */
#include "warps_phases.h"

#include <math.h>

static const double PHASE_LEAST = 0.1; /* of misses: less of a difference is none */

double warps_share(double part, double whole)
{
	return whole <= 0 ? 0 : part < whole ? part / whole : 1;
}

static double mean(const double *x, int from, int to)
{
	double sum = 0;
	for (int k = from; k < to; k++)
		sum += x[k];
	return to > from ? sum / (to - from) : 0;
}

void warps_split(struct warps_answer *a)
{
	const struct residency_shape *m = &a->memory;
	double whole_read = mean(m->read_miss, 0, RESIDENCY_SLICES), whole_write = mean(m->write_miss, 0, RESIDENCY_SLICES), best = 0;
	double read_scale = whole_read > 0 ? a->launch.l2_miss_share / whole_read : 0, write_scale = whole_write > 0 ? a->launch.dram_write_share / whole_write : 0;
	int cut = 0;
	for (int k = 1; k < RESIDENCY_SLICES; k++) {
		double difference = mean(m->read_miss, 0, k) - mean(m->read_miss, k, RESIDENCY_SLICES);
		double explained = difference * difference * k * (RESIDENCY_SLICES - k);
		if (fabs(difference) > PHASE_LEAST && explained > best)
			best = explained, cut = k;
	}
	a->phases = cut ? 2 : 1;
	a->phase[0] = (struct warps_phase){ 1, a->launch.l2_miss_share, a->launch.dram_write_share };
	a->phase[1] = (struct warps_phase){ 0 };
	if (!cut)
		return;
	a->phase[0].share = (double)cut / RESIDENCY_SLICES;
	a->phase[1].share = 1 - a->phase[0].share;
	for (int k = 0; k < 2; k++) {
		a->phase[k].l2_miss_share = warps_share(read_scale * mean(m->read_miss, k ? cut : 0, k ? RESIDENCY_SLICES : cut), 1);
		a->phase[k].dram_write_share = warps_share(write_scale * mean(m->write_miss, k ? cut : 0, k ? RESIDENCY_SLICES : cut), 1);
	}
}
