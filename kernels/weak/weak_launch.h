/* SPDX-License-Identifier: MIT
 * Arguments of the launches of the image solvers, and their implementations on the CPU.
 */
#ifndef WARPREEL_WEAK_LAUNCH_H
#define WARPREEL_WEAK_LAUNCH_H

#include "kernels/weak/weak.h"

struct launch_geometry;

/* Words that a launch leaves behind. */
enum { WEAK_BOARD_CHANGE /* bits of a float */, WEAK_BOARD_STEPS, WEAK_BOARD_WORDS = 8 };

/* Steps on a grid; arrays lie as struct weak_problem has them. */
struct weak_launch {
	float *values, *next;
	const float *constants;
	uint32_t *board;
	struct weak_grid grid;
	struct weak_terms terms;
	float omega;	 /* of the reference */
	float tolerance; /* of the residual; negative: all steps */
	int32_t rule, steps;
};

void weak_reference_cpu(const void *args);

#endif
