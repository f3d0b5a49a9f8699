/* SPDX-License-Identifier: MIT
 * How wide intervals are: fitted to the errors of rows of the validation, and written to
 * model/intervals/<platform>.tsv (model/records/interval.h).
 */
#ifndef WARPREEL_INTERVAL_FIT_H
#define WARPREEL_INTERVAL_FIT_H

#include <stddef.h>

#include "sim/validate/blind.h"
#include "sim/validate/validation.h"

/* The width that n values of measured / predicted - 1 give; sorts them. */
void interval_widths(double *ratio, size_t n, double *low, double *high);

/*
 * Gives development rows the widths that others than their own kin have, where widths are fitted to
 * development rows: programs of others (one whose name differs by the number at its end is the
 * same), and planned runs of kernels that no interval row runs (kin: the same solver and kernel),
 * these as much wider or narrower as their solver is. solvers: what says so.
 */
void validation_leave_out(struct validation *validation, const struct intervals *solvers);
/*
 * Writes the table: per class the 5 % and 95 % quantiles, widened for few points, of `interval`
 * rows of model `default`, and of `warps` and `scaled` for the classes that are theirs; of the
 * development rows of programs of others, and of kernels without interval rows; and the kernels
 * that have them; per solver how many times as wide as its class a run is (interval_solver.h). Then
 * how many times as wide the next answer's interval is (interval_unseen.h), by `blind`, which may
 * be NULL. -1 after a message.
 */
int validation_fit_intervals(const struct validation *validation, const struct blind *blind,
			     const char *path);

#endif
