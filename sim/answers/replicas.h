/* SPDX-License-Identifier: MIT
 * An answer's runs: a measurement is the median of ten, and in each the threads land where they
 * land.
 */
#ifndef WARPREEL_REPLICAS_H
#define WARPREEL_REPLICAS_H

#include "planned_run.h"
#include "range_times.h"
#include "sim/engine/simulation.h"
#include "traces/format/trace.h"

/* How long the program's own ranges take, replica by replica. */
struct timeline;
struct range_sums {
	struct range_times times;
	struct timeline *timeline; /* gets those of the first replica; NULL: none */
	double *ps;		   /* borrowed */
	int replicas;
};

/*
 * The mean over several seeds, the timeline that of the first. (The mean, since two ways of
 * running, the host or the device ahead, may both be stable, and the median of few runs is either.)
 * One run, every cost at its median, when the platform knows no spread or `replicas` is 1.
 *
 * `run`: where it leaves iterations out, the sum is that of all of them, and *error what that may
 * be off by, of 1 (two standard errors); NULL: the schedule is all. `ranges`: NULL where nobody
 * asks. -1 after a message.
 */
int replicas_run(struct simulation_setup *setup, int replicas, const struct planned_run *run,
		 struct simulation_result *sum, struct range_sums *ranges, double *error);

#endif
