/* SPDX-License-Identifier: MIT
 * Local modified SOR in plain C, one thread: the paper's CPU program, and the reference every
 * kernel on the split layout must agree with to the last bit. Build with -ffp-contract=off.
 */
#include "lmsor_row.h"

static inline __attribute__((always_inline)) void sweep_split(const struct lmsor_sweep *sweep,
							      enum lmsor_stored stored)
{
	uint64_t most = 0;

	if (!lmsor_goes_on(sweep))
		return;
	for (int32_t row = sweep->row_begin; row < sweep->row_end; row++) {
		lmsor_row_update(sweep, row, stored);
		uint64_t norm = sweep->norm ? lmsor_row_norm(sweep, row) : 0;
		most = norm > most ? norm : most;
	}
	if (sweep->norm && most > *sweep->norm)
		*sweep->norm = most;
}

void lmsor_all_cpu(const void *args)
{
	sweep_split(args, STORED_ALL);
}

void lmsor_two_cpu(const void *args)
{
	sweep_split(args, STORED_TWO);
}

void lmsor_none_cpu(const void *args)
{
	sweep_split(args, STORED_NONE);
}

void lmsor_omega_cpu(const void *args)
{
	sweep_split(args, STORED_OMEGA);
}

void lmsor_rows_cpu(const void *args)
{
	const struct lmsor_sweep *sweep = args;
	const int64_t pitch = sweep->pitch, plane = sweep->strip_rows * pitch;
	uint64_t most = 0;

	if (!lmsor_goes_on(sweep))
		return;
	for (int32_t row = sweep->row_begin; row < sweep->row_end; row++) {
		double *u = sweep->grid + row * pitch;
		const double *omega = sweep->terms + row * pitch, *l = omega + plane,
			     *r = l + plane, *t = r + plane, *b = t + plane;
		const int32_t p = (sweep->first_row + row + sweep->colour) & 1;

		for (int32_t i = 2 - p; i < sweep->columns - 1; i += 2) {
			const double v =
				lmsor_update(u[i], omega[i], l[i], r[i], t[i], b[i], u[i - 1],
					     u[i + 1], u[i + pitch], u[i - pitch]);
			uint64_t bits;

			u[i] = v;
			memcpy(&bits, &v, sizeof(bits));
			bits &= INT64_MAX;
			most = bits > most ? bits : most;
		}
	}
	if (sweep->norm && most > *sweep->norm)
		*sweep->norm = most;
}

void lmsor_persistent_cpu(const void *args)
{
	const struct lmsor_loop *loop = args;
	uint64_t norm = 0;
	int32_t done = 0;
	bool ended = false;

	while (!ended && done < loop->iterations) {
		struct lmsor_sweep sweep = {
			.grid = loop->grid,
			.norm = &norm,
			.stop_at = LMSOR_NEVER,
			.pitch = loop->pitch,
			.columns = loop->columns,
			.row_begin = loop->row_begin,
			.row_end = loop->row_end,
			.first_row = loop->first_row,
			.problem = loop->problem,
		};

		norm = 0;
		for (sweep.colour = 0; sweep.colour < 2; sweep.colour++)
			lmsor_none_cpu(&sweep);
		if (++done % loop->check_every == 0 && loop->stop_at != LMSOR_NEVER)
			ended = norm <= loop->stop_at || norm >= LMSOR_FINITE_END;
	}
	loop->scoreboard[SCOREBOARD_DONE] = (uint64_t)done;
	loop->scoreboard[SCOREBOARD_NORM] = norm;
}

/* The five terms of one point in the order of the planes of STORED_ALL; STORED_TWO has the drifts
 * instead. */
static void terms_of(const struct lmsor_setup *s, int32_t row, int32_t column, double term[5])
{
	const int32_t global = s->first_row + row, colour = (global + column) & 1;
	const double hf = lmsor_drift(&s->problem, column), hg = lmsor_drift(&s->problem, global);
	const struct lmsor_pair x = lmsor_pair_of(hf), y = lmsor_pair_of(hg);

	term[0] = lmsor_relaxation(&s->problem, colour, x.root, y.root, x.positive && y.positive);
	term[1] = s->stored == STORED_TWO ? hf : x.before;
	term[2] = s->stored == STORED_TWO ? hg : x.after;
	term[3] = y.after;
	term[4] = y.before;
}

void lmsor_terms_cpu(const void *args)
{
	const struct lmsor_setup *s = args;
	const int arrays = lmsor_arrays((enum lmsor_stored)s->stored);
	const int64_t half = s->pitch / 2, plane = s->strip_rows * half;
	double term[5];

	for (int32_t row = 0; row < s->strip_rows; row++)
		for (int32_t colour = 0; colour < 2; colour++)
			for (int32_t k = 0; k < half; k++) {
				terms_of(s, row, 2 * k + ((s->first_row + row + colour) & 1), term);
				for (int a = 0; a < arrays; a++)
					s->terms[(colour * arrays + a) * plane + row * half + k] =
						term[a];
			}
}

void lmsor_terms_rows_cpu(const void *args)
{
	const struct lmsor_setup *s = args;
	const int64_t plane = (int64_t)s->strip_rows * s->pitch;
	double term[5];

	for (int32_t row = 0; row < s->strip_rows; row++)
		for (int32_t i = 0; i < s->pitch; i++) {
			terms_of(s, row, i, term);
			for (int a = 0; a < 5; a++)
				s->terms[a * plane + (int64_t)row * s->pitch + i] = term[a];
		}
}
