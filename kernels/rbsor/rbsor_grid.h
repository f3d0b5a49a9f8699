/* SPDX-License-Identifier: MIT
 * The whole grid on the host, row-major: start values, checksum, residual. Rows are shared among
 * host threads; the result does not depend on how many.
 */
#ifndef WARPREEL_RBSOR_GRID_H
#define WARPREEL_RBSOR_GRID_H

#include <stdbool.h>
#include <stdint.h>

struct rbsor_grid {
	void *h_cells; /* rows x columns floats or doubles; borrowed */
	int64_t rows, columns;
	bool f64;
};

/* Every point, boundary too, gets a value in [0, 1) with 24 random bits made from (seed, row,
 * column): the same in both precisions. */
void rbsor_grid_fill(const struct rbsor_grid *grid, uint64_t seed);

/* Checksum of all points in row order; *residual = max |0.25 (w + e + n + s) - u| over the
 * interior, in double. */
uint64_t rbsor_grid_check(const struct rbsor_grid *grid, double *residual);

#endif
