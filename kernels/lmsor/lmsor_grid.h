/* SPDX-License-Identifier: MIT
 * The whole grid on the host, row-major: start values, and what is said about the final one.
 */
#ifndef WARPREEL_LMSOR_GRID_H
#define WARPREEL_LMSOR_GRID_H

#include <stdint.h>

#include "lmsor.h"

/* u = x y (1 - x) (1 - y), zero on the boundary (section 4). */
void lmsor_grid_fill(double *h_u, int size, double h);

/* Checksum of all points in row order. *residual = max |l w + r e + t s + b n - u| over the
 * interior, *most = max |u| there. */
uint64_t lmsor_grid_check(double *h_u, int size, const struct lmsor_problem *problem,
			  double *residual, double *most);

#endif
