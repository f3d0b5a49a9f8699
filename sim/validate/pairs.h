/* SPDX-License-Identifier: MIT
 * Pairs measured at once (pairs.tsv, as `warpreel time --pairs` writes it), and what the model
 * `warps` says of them.
 */
#ifndef WARPREEL_PAIRS_H
#define WARPREEL_PAIRS_H

#include "sim/gpu/contention.h"
#include "sim/answers/predict.h"

struct pair_row {
	char *name, *side[2]; /* owned; a side is "SOLVER KEY=VALUE..." or "copy=d2d BYTES" */
	double calls[2], launches[2]; /* launches or copies of a call */
	double alone_ns[2];	      /* of a whole branch */
	double both_ns, mad_ns;
};

struct pairs {
	struct pair_row *row;
	size_t count, capacity;
}; /* owned */

/* -1 after a message naming file and line. Columns are found by name in the header. */
int pairs_read(struct pairs *pairs, const char *path);
void pairs_release(struct pairs *pairs);

struct pair_answer {
	double alone_ns[2]; /* of a branch, by the model */
	double both_ns;
	double both_of_alone_ns; /* the same slowing, of the measured times alone */
	bool extrapolated;
};
int pair_predict(const struct program *program, struct predictor *predictor,
		 const struct pair_row *row, struct pair_answer *answer);

#endif
