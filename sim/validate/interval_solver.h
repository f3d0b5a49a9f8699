/* SPDX-License-Identifier: MIT
 * Classes of runs are wide or narrow by what bounds a run, and that holds for all solvers together.
 * But one solver is answered better than another in the same class. How much better is what its own
 * `interval` rows say.
 */
#ifndef WARPREEL_INTERVAL_SOLVER_H
#define WARPREEL_INTERVAL_SOLVER_H

#include "interval_ways.h"
#include "validation.h"

/* How many half-widths from the answer nine in ten lie, of *n distances: the split-conformal rank
 * (n + 1) 0.9 (Papadopoulos et al. 2002; Lei et al. 2018). 1 and *n = 0 where there are too few.
 * Sorts them. */
double interval_times(double *halves, size_t *n);
/* How many half-widths of its interval the ratio measured / predicted of a row like that lies from
 * 1: of its class, or unfamiliar, and its solver. */
double interval_halves_of(const struct intervals *intervals, const char *set,
			  const struct validation_row *row, bool unfamiliar, double ratio);
/*
 * How many times as wide, of logarithms, as their classes the intervals of planned runs of `solver`
 * must be for nine in ten of its n `interval` rows to lie inside. 1 and *n = 0 where there are too
 * few.
 */
double interval_solver_times(const struct validation *validation, const struct ways *ways,
			     const struct intervals *intervals, const char *solver, size_t *n);

#endif
