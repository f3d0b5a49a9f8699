/* SPDX-License-Identifier: MIT
 * Time and arithmetic together: a case of traces/program/chaos.h played on places that take time,
 * so that the answer is seconds and steps both.
 *
 * Events are a block's begin at a place, its sending, its receiving, and the end of its steps
 * between two exchanges. Values written are there for whoever reads later. Durations are costs of a
 * table times two random factors: one of the place, one of each phase.
 */
#ifndef WARPREEL_COSIM_H
#define WARPREEL_COSIM_H

#include "traces/program/chaos.h"

/* Nanoseconds; a table "key value", one a line: cosim_costs_read. */
struct cosim_costs {
	int multiprocessors;
	double step_ns;			 /* of a block alone on its multiprocessor */
	double step_more_ns;		 /* more, for each other block there */
	double exchange_ns[CHAOS_KINDS]; /* half of it sends, half receives */
	double together_ns[CHAOS_KINDS]; /* by the threads that compute */
	double begin_ns, end_ns;	 /* loading a block, storing it */
	double meet_ns;			 /* the barrier of a block's threads after each phase */
	double spread_ns;		 /* from the first block's begin to the last one's */
	double round_ns; /* from the last block's end to the first begin of the next round */
	double place_spread, phase_spread; /* standard deviations, relative */
};

/* -1 after a message that names the file and the line. */
int cosim_costs_read(struct cosim_costs *costs, const char *path);

enum { COSIM_AGES = 512, COSIM_AGE_ZERO = 256 };

struct cosim_result {
	int64_t steps;
	double seconds;
	double left; /* as the last look said */
	bool unconverged;
	int64_t age[COSIM_AGES]; /* borders by how many steps they were behind, from -256 */
};

/* One run; `seed` chooses the random factors. The same bytes from the same seed. */
void cosim_run(struct chaos_case *c, const struct cosim_costs *costs, uint64_t seed,
	       struct cosim_result *result);

#endif
