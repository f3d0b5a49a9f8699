/* SPDX-License-Identifier: MIT
 * Block relaxation in use: until the residual is small, by itself, as the smoother of a multigrid
 * V-cycle, and as the preconditioner of conjugate gradients. A host program, a patch at a time,
 * each by itself: what it tells is iterations, and seconds of one CPU thread.
 *
 * Coarser levels halve the sides as long as all are even; the operator there has the same stencil,
 * its right-hand side is four times the mean of eight residuals, and corrections come back by
 * trilinear interpolation. Conjugate gradients are flexible (beta from the change of the residual),
 * since neither Gauss-Seidel nor a cycle of these transfers is symmetric.
 */
#ifndef WARPREEL_PATCHES_SOLVE_H
#define WARPREEL_PATCHES_SOLVE_H

#include "patches_params.h"

struct patches_solve {
	const struct patches_params *params;
	const struct patches_box *box; /* of the values below */
	double *u;
	const double *f;
	uint32_t seed;
	/* by patches_solve_cpu */
	int iterations; /* at most as many as params says */
	bool converged; /* ||f - A u|| is at most tolerance times what it was */
};

/* args points to a pointer to struct patches_solve. */
void patches_solve_cpu(const void *args);

#endif
