/* SPDX-License-Identifier: MIT
 * One half-row of the split layout in plain C, and the greatest |u| of it. Written so that a
 * compiler makes vectors of it: the kind of storage is a constant wherever this is inlined, and
 * nothing in the loops depends on the step before.
 */
#ifndef WARPREEL_LMSOR_ROW_H
#define WARPREEL_LMSOR_ROW_H

#include <stddef.h>
#include <string.h>

#include "lmsor_terms.h"

#define LMSOR_FINITE_END 0x7ff0000000000000u /* the bits of infinity */
#define LMSOR_NEVER UINT64_MAX

/* Whether the sweep has to be done at all. */
static inline bool lmsor_goes_on(const struct lmsor_sweep *sweep)
{
	if (!sweep->norm || sweep->stop_at == LMSOR_NEVER)
		return true;
	return sweep->norm[-1] > sweep->stop_at && sweep->norm[-1] < LMSOR_FINITE_END;
}

static inline __attribute__((always_inline)) void
lmsor_row_update(const struct lmsor_sweep *sweep, int32_t row, enum lmsor_stored stored)
{
	const struct lmsor_problem problem = sweep->problem;
	const int64_t pitch = sweep->pitch, half = pitch / 2, plane = sweep->strip_rows * half;
	const int32_t colour = sweep->colour, global = sweep->first_row + row,
		      p = (global + colour) & 1;
	const int32_t end = ((sweep->columns - 2 - p) >> 1) + 1;
	double *line = sweep->grid + row * pitch;
	double *restrict own = line + colour * half;
	const double *restrict other = line + (1 - colour) * half;
	const double *restrict north = other - pitch, *restrict south = other + pitch;
	const double *restrict west = other - 1 + p, *restrict east = other + p;
	const double *restrict term =
		stored == STORED_NONE
			? NULL
			: sweep->terms + colour * lmsor_arrays(stored) * plane + row * half;
	const struct lmsor_pair vertical = lmsor_pair_of(lmsor_drift(&problem, global));

	for (int32_t k = 1 - p; k < end; k++) {
		double omega, l, r, t = vertical.after, b = vertical.before;

		if (stored == STORED_ALL) {
			omega = term[k];
			l = term[k + plane];
			r = term[k + 2 * plane];
			t = term[k + 3 * plane];
			b = term[k + 4 * plane];
		} else if (stored == STORED_TWO) {
			omega = term[k];
			l = lmsor_before(term[k + plane]);
			r = lmsor_after(term[k + plane]);
			t = lmsor_after(term[k + 2 * plane]);
			b = lmsor_before(term[k + 2 * plane]);
		} else {
			const double drift = lmsor_drift(&problem, 2 * k + p);

			l = lmsor_before(drift);
			r = lmsor_after(drift);
			omega = stored == STORED_OMEGA
					? term[k]
					: lmsor_relaxation(&problem, colour, sqrt(fabs(l * r)),
							   vertical.root,
							   l * r >= 0 && vertical.positive);
		}
		own[k] = lmsor_update(own[k], omega, l, r, t, b, west[k], east[k], south[k],
				      north[k]);
	}
}

static inline __attribute__((always_inline)) uint64_t
lmsor_row_norm(const struct lmsor_sweep *sweep, int32_t row)
{
	const int32_t p = (sweep->first_row + row + sweep->colour) & 1,
		      end = ((sweep->columns - 2 - p) >> 1) + 1;
	const double *own =
		sweep->grid + (int64_t)row * sweep->pitch + sweep->colour * (sweep->pitch / 2);
	int64_t most = 0;

	for (int32_t k = 1 - p; k < end; k++) {
		int64_t bits;
		memcpy(&bits, &own[k], sizeof(bits));
		bits &= INT64_MAX;
		most = bits > most ? bits : most;
	}
	return (uint64_t)most;
}

#endif
