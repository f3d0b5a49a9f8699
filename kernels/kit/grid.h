/* SPDX-License-Identifier: MIT
 * The whole grid on the host, row-major: its size as options say it, start values, checksum,
 * residual. Rows are shared among host threads; the result does not depend on how many.
 */
#ifndef WARPREEL_GRID_H
#define WARPREEL_GRID_H

#include <stdbool.h>
#include <stdint.h>

struct grid {
	void *h_cells; /* planes x rows x columns floats or doubles; borrowed */
	int64_t rows, columns;
	bool f64;
	int64_t planes; /* 0: two dimensions */
};

/* Reads N or ROWSxCOLUMNS; -1 after a message. */
int grid_parse_size(const char *text, int64_t *rows, int64_t *columns);

/* Every point, boundary too, gets a value in [0, 1) with 24 random bits made from (seed, row,
 * column): the same in both precisions. Rows of later planes count on from those of the first. */
void grid_fill(const struct grid *grid, uint64_t seed);

/* Checksum of all points in row order; *residual = max |mean of the neighbours - u| over the
 * interior, in double: 0.25 (w + e + n + s) - u in two dimensions. */
uint64_t grid_check(const struct grid *grid, double *residual);

#endif
