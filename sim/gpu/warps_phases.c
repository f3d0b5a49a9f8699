/* SPDX-License-Identifier: MIT */
#include "warps_phases.h"

#include <math.h>

static const double PHASE_LEAST = 0.1; /* of misses: less of a difference is none */

static double mean(const double *x, int from, int to)
{
	double sum = 0;
	for (int k = from; k < to; k++)
		sum += x[k];
	return to > from ? sum / (to - from) : 0;
}

static const double MIXED_LEAST = 0.02; /* of what is asked that is found, or not: less is none */

/*
 * Of what earlier launches touched, L2 has a part, anywhere: as much time goes by as if what it
 * lacks came first and what it has then. A byte that is fetched keeps L2 as long as it keeps DRAM,
 * and lets no other through.
 */
static void mix(struct warps_answer *a, double missing, bool on)
{
	const double reads = a->launch.traffic.l2_miss_share,
		     writes = a->launch.traffic.dram_write_share;
	if (!on || missing < MIXED_LEAST || missing > 1 - MIXED_LEAST)
		return;
	a->phases = 2;
	a->phase[0] = (struct warps_phase){ missing, traffic_share(reads, missing),
					    traffic_share(writes, missing) };
	a->phase[1] = (struct warps_phase){
		1 - missing,
		traffic_share(reads - missing * a->phase[0].l2_miss_share, 1 - missing),
		traffic_share(writes - missing * a->phase[0].dram_write_share, 1 - missing)
	};
}

void warps_split(struct warps_answer *a, const struct mechanism_set *on)
{
	const struct residency_shape *m = &a->memory;
	double whole_read = mean(m->read_miss, 0, RESIDENCY_SLICES),
	       whole_write = mean(m->write_miss, 0, RESIDENCY_SLICES), best = 0;
	double read_scale = whole_read > 0 ? a->launch.traffic.l2_miss_share / whole_read : 0,
	       write_scale = whole_write > 0 ? a->launch.traffic.dram_write_share / whole_write : 0;
	int cut = 0;
	for (int k = 1; k < RESIDENCY_SLICES && mechanism_on(on, MECHANISM_SWEEP_PHASES); k++) {
		double difference =
			mean(m->read_miss, 0, k) - mean(m->read_miss, k, RESIDENCY_SLICES);
		double explained = difference * difference * k * (RESIDENCY_SLICES - k);
		if (fabs(difference) > PHASE_LEAST && explained > best)
			best = explained, cut = k;
	}
	a->phases = cut ? 2 : 1;
	a->phase[0] = (struct warps_phase){ 1, a->launch.traffic.l2_miss_share,
					    a->launch.traffic.dram_write_share };
	a->phase[1] = (struct warps_phase){ 0 };
	if (!cut) {
		mix(a, whole_read > 0 ? whole_read : whole_write,
		    mechanism_on(on, MECHANISM_PARTIAL_HITS));
		return;
	}
	a->phase[0].share = (double)cut / RESIDENCY_SLICES;
	a->phase[1].share = 1 - a->phase[0].share;
	for (int k = 0; k < 2; k++) {
		a->phase[k].l2_miss_share = traffic_share(
			read_scale * mean(m->read_miss, k ? cut : 0, k ? RESIDENCY_SLICES : cut),
			1);
		a->phase[k].dram_write_share = traffic_share(
			write_scale * mean(m->write_miss, k ? cut : 0, k ? RESIDENCY_SLICES : cut),
			1);
	}
}
