/* SPDX-License-Identifier: MIT
 * Two machines answer a run differently: how much of that is their hosts, their links, their
 * devices. Each part is exchanged in every order of the three; its share is the mean over the
 * orders (Shapley 1953), so that shares add up and no order is favoured.
 */
#ifndef WARPREEL_PARTS_OF_DIFFERENCE_H
#define WARPREEL_PARTS_OF_DIFFERENCE_H

#include "bound.h"
#include "predict.h"

struct machine_answer {
	double core_us, core_lo_us, core_hi_us;
	const char *kernel_model; /* static */
	bool extrapolated, hypothetical;
	struct bound bound;
};

/* What answers the plan unasked on the machine that the options name. -1 after a message. */
int machine_answer(const struct program *program, const struct predictor_options *options,
		   struct planned_run *run, struct machine_answer *answer);

enum { DIFFERENCE_HOST, DIFFERENCE_LINK, DIFFERENCE_DEVICE, DIFFERENCE_PARTS };
struct parts_of_difference {
	double us[DIFFERENCE_PARTS]; /* of B's core loop less A's */
};

int parts_of_difference(const struct program *program, const struct predictor_options *options,
			struct planned_run *run, const char *a, const char *b,
			struct parts_of_difference *difference);

#endif
