/* SPDX-License-Identifier: MIT */
#include "lmsor_grid.h"

#include <stdbool.h>
#include <stdlib.h>

#include "traces/base/util.h"
#include "kernels/kit/grid.h"
#include "lmsor_terms.h"

void lmsor_grid_fill(double *h_u, int size, double h)
{
	for (int64_t j = 0; j < size; j++) {
		const double y = (double)j * h;
		const bool edge = j == 0 || j == size - 1;
		for (int64_t i = 0; i < size; i++) {
			const double x = (double)i * h;
			h_u[j * size + i] = edge || i == 0 || i == size - 1
						    ? 0.0
						    : x * y * (1.0 - x) * (1.0 - y);
		}
	}
}

uint64_t lmsor_grid_check(double *h_u, int size, const struct lmsor_problem *problem,
			  double *residual, double *most)
{
	double laplace;
	double *drift = xcalloc((size_t)size, sizeof(*drift));
	for (int k = 0; k < size; k++)
		drift[k] = lmsor_drift(problem, k);
	*residual = *most = 0;
	for (int64_t j = 1; j < size - 1; j++) {
		const double b = lmsor_before(drift[j]), t = lmsor_after(drift[j]);
		const double *u = h_u + j * size;
		for (int64_t i = 1; i < size - 1; i++) {
			const double l = lmsor_before(drift[i]), r = lmsor_after(drift[i]);
			const double off = fabs((l * u[i - 1] + r * u[i + 1]) +
						(t * u[i + size] + b * u[i - size]) - u[i]);
			*residual = larger_or_nan(*residual, off);
			*most = larger_or_nan(*most, fabs(u[i]));
		}
	}
	free(drift);
	const struct grid grid = { h_u, size, size, true, 0 };
	return grid_check(&grid, &laplace);
}
