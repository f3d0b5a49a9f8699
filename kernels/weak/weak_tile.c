/* SPDX-License-Identifier: MIT */
#include "weak_tile.h"

#include <string.h>

#include "kernels/kit/vector_clones.h"
#include "traces/base/util.h"

static float *global(float *array, const struct weak_launch *l, int block, int field, int row,
		     int column)
{
	const struct weak_place p = weak_place_of(&l->grid, block);
	return array + field * weak_values(&l->grid) +
	       weak_at(&l->grid, p.plane, p.down * WEAK_ROWS + row,
		       p.across * WEAK_COLUMNS + column);
}

static bool all_kept(const struct weak_launch *l, int block)
{
	const float *weight = global((float *)(uintptr_t)l->constants, l, block, 1, 0, 0);
	for (int row = 0; row < WEAK_ROWS; row++)
		for (int column = 0; column < WEAK_COLUMNS; column++)
			if (weight[row * weak_pitch(&l->grid) + column] > 0)
				return false;
	return true;
}

void weak_tile_load(struct weak_tile *tile, const struct weak_launch *l, int block)
{
	tile->block = block;
	tile->done = 0;
	tile->idle = all_kept(l, block);
	for (int field = 0; field < weak_fields(l->rule); field++)
		for (int row = -1; row <= WEAK_ROWS; row++)
			memcpy(tile->u[field][row + 1], global(l->values, l, block, field, row, -1),
			       sizeof(tile->u[field][0]));
}

void weak_tile_store_row(const struct weak_tile *tile, const struct weak_launch *l, int row)
{
	for (int field = 0; field < weak_fields(l->rule); field++)
		memcpy(global(l->next, l, tile->block, field, row, 0), &tile->u[field][row + 1][1],
		       WEAK_COLUMNS * sizeof(float));
}

void weak_tile_store(const struct weak_tile *tile, const struct weak_launch *l)
{
	for (int row = 0; row < WEAK_ROWS; row++)
		weak_tile_store_row(tile, l, row);
	if (l->combine)
		weak_tile_send(tile, l);
}

bool weak_talks(const struct weak_launch *l, int side)
{
	return l->talk == WEAK_FOUR_WAYS || (l->talk == WEAK_UP_DOWN && side < 2);
}

/* The nodes of a side (0 up, 1 down, 2 left, 3 right) that lie from `from` to below `to` of the
 * border: the rows first, as the threads of a GPU take them. */
struct range {
	int first, end;
};

static struct range range_of(int side, int from, int to)
{
	const int length = side < 2 ? WEAK_COLUMNS : WEAK_ROWS,
		  start = side < 2 ? side * WEAK_COLUMNS
				   : 2 * WEAK_COLUMNS + (side - 2) * WEAK_ROWS;
	struct range r = { from - start, to - start };
	r.first = r.first < 0 ? 0 : r.first;
	r.end = r.end > length ? length : r.end;
	return r;
}

static void send_side(const struct weak_tile *tile, const struct weak_launch *l, int side,
		      struct range r)
{
	for (int field = 0; field < weak_fields(l->rule) && r.first < r.end; field++) {
		const float(*u)[WEAK_TILE_PITCH] = tile->u[field];
		if (side < 2) {
			memcpy(global(l->values, l, tile->block, field, side * (WEAK_ROWS - 1),
				      r.first),
			       &u[side ? WEAK_ROWS : 1][1 + r.first],
			       (size_t)(r.end - r.first) * sizeof(float));
			continue;
		}
		const int column = side == 3 ? WEAK_COLUMNS - 1 : 0;
		float *to = l->combine ? l->pack + weak_pack_at(&l->grid, field, tile->block,
								side - 2, 0)
				       : global(l->values, l, tile->block, field, 0, column);
		const int pitch = l->combine ? 1 : weak_pitch(&l->grid);
		for (int row = r.first; row < r.end; row++)
			to[row * pitch] = u[row + 1][column + 1];
	}
}

void weak_tile_send_nodes(const struct weak_tile *tile, const struct weak_launch *l, int from,
			  int to)
{
	for (int side = 0; side < 4; side++)
		if (weak_talks(l, side))
			send_side(tile, l, side, range_of(side, from, to));
}

void weak_tile_send(const struct weak_tile *tile, const struct weak_launch *l)
{
	weak_tile_send_nodes(tile, l, 0, WEAK_BORDER);
}

static void receive_side(struct weak_tile *tile, const struct weak_launch *l, int side,
			 struct range r)
{
	const int beside = weak_beside(&l->grid, tile->block, side);
	if (beside < 0)
		return;
	for (int field = 0; field < weak_fields(l->rule) && r.first < r.end; field++) {
		float(*u)[WEAK_TILE_PITCH] = tile->u[field];
		if (side < 2) {
			memcpy(&u[side ? WEAK_ROWS + 1 : 0][1 + r.first],
			       global(l->values, l, tile->block, field, side ? WEAK_ROWS : -1,
				      r.first),
			       (size_t)(r.end - r.first) * sizeof(float));
			continue;
		}
		const int column = side == 3 ? WEAK_COLUMNS : -1;
		const float *from =
			l->combine ? l->pack + weak_pack_at(&l->grid, field, beside, side == 2, 0)
				   : global(l->values, l, tile->block, field, 0, column);
		const int pitch = l->combine ? 1 : weak_pitch(&l->grid);
		for (int row = r.first; row < r.end; row++)
			u[row + 1][column + 1] = from[row * pitch];
	}
}

void weak_tile_receive_side(struct weak_tile *tile, const struct weak_launch *l, int side)
{
	receive_side(tile, l, side, range_of(side, 0, WEAK_BORDER));
}

void weak_tile_receive_nodes(struct weak_tile *tile, const struct weak_launch *l, int from, int to)
{
	for (int side = 0; side < 4; side++)
		if (weak_talks(l, side))
			receive_side(tile, l, side, range_of(side, from, to));
}

void weak_tile_receive(struct weak_tile *tile, const struct weak_launch *l)
{
	weak_tile_receive_nodes(tile, l, 0, WEAK_BORDER);
}

void weak_tile_take_nodes(struct weak_tile *tile, const struct weak_tile *received,
			  const struct weak_launch *l, int from, int to)
{
	for (int side = 0; side < 4; side++) {
		const struct range r = range_of(side, from, to);
		if (!weak_talks(l, side) || weak_beside(&l->grid, tile->block, side) < 0)
			continue;
		for (int field = 0; field < weak_fields(l->rule); field++)
			for (int k = r.first; k < r.end; k++) {
				const int row = side == 0   ? 0
						: side == 1 ? WEAK_ROWS + 1
							    : k + 1,
					  column = side < 2    ? k + 1
						   : side == 2 ? 0
							       : WEAK_COLUMNS + 1;
				tile->u[field][row][column] = received->u[field][row][column];
			}
	}
}

/* ---- steps ---- */

typedef float weak_row[WEAK_COLUMNS];

/* What a row of nodes becomes; `new` is apart from the grid, so that it is computed as a vector. */
static inline __attribute__((always_inline)) void
row_of(const struct weak_tile *tile, const struct weak_launch *l, int rule, int row,
       const float *asked, const float *weight, weak_row new_u, weak_row new_v)
{
	const float *u = &tile->u[0][row + 1][1], *north = u - WEAK_TILE_PITCH,
		    *south = u + WEAK_TILE_PITCH;
	const float *v = &tile->u[1][row + 1][1], *north_v = v - WEAK_TILE_PITCH,
		    *south_v = v + WEAK_TILE_PITCH;
	for (int c = 0; c < WEAK_COLUMNS; c++) {
		if (rule == WEAK_POISSON) {
			new_u[c] = weak_poisson_update(u[c], north[c], south[c], u[c - 1], u[c + 1],
						       asked[c], weight[c]);
			continue;
		}
		const struct weak_pair own = { u[c], v[c] },
				       sum = { (north[c] + south[c]) + (u[c - 1] + u[c + 1]),
					       (north_v[c] + south_v[c]) + (v[c - 1] + v[c + 1]) };
		const struct weak_pair next =
			weak_shape_update(own, sum, asked[c], weight[c], &l->terms);
		new_u[c] = next.f;
		new_v[c] = next.g;
	}
}

static inline __attribute__((always_inline)) float change_of(const float *old, const float *new)
{
	float most = 0;
	for (int c = 0; c < WEAK_COLUMNS; c++) {
		const float by = fabsf(new[c] - old[c]);
		most = by > most || by != by ? by : most;
	}
	return most;
}

typedef uint32_t float_bits __attribute__((may_alias));

/* Of a row only the nodes of one colour; by bits and in place, which is a vector's work. */
static inline __attribute__((always_inline)) void merge(float *row, const float *restrict new,
							int parity)
{
	const uint32_t even = parity ? 0 : UINT32_MAX, odd = ~even;
	float_bits *restrict to = (float_bits *)row;
	const float_bits *from = (const float_bits *)new;
	for (int c = 0; c < WEAK_COLUMNS; c++) {
		const uint32_t mask = c & 1 ? odd : even;
		to[c] = (to[c] & ~mask) | (from[c] & mask);
	}
}

/* Wider vectors where the processor has them, for quotients and roots; the same bits, since nothing
 * is contracted. */
#define WEAK_WIDE VECTOR_CLONES("avx2", "default")

static inline __attribute__((always_inline)) float
step(struct weak_tile *tile, const struct weak_launch *l, int rule, int inner, bool check)
{
	const float *asked = global((float *)(uintptr_t)l->constants, l, tile->block, 0, 0, 0),
		    *weight = asked + weak_values(&l->grid);
	const int pitch = weak_pitch(&l->grid), fields = rule == WEAK_SHAPE ? 2 : 1;
	weak_row computed[WEAK_FIELDS][WEAK_ROWS];
	float most = 0;
	for (int colour = 0; colour < (inner == WEAK_JACOBI ? 1 : 2); colour++) {
		for (int row = 0; row < WEAK_ROWS; row++) {
			row_of(tile, l, rule, row, asked + row * pitch, weight + row * pitch,
			       computed[0][row], computed[1][row]);
			if (inner == WEAK_JACOBI)
				continue;
			/* Nodes of a colour do not read each other: a row may go in at once. */
			for (int field = 0; field < fields; field++) {
				float *to = &tile->u[field][row + 1][1];
				weak_row old;
				if (check)
					memcpy(old, to, sizeof(old));
				merge(to, computed[field][row], (row + colour) & 1);
				if (check)
					most = (float)larger_or_nan((double)most,
								    (double)change_of(old, to));
			}
		}
	}
	for (int row = 0; row < WEAK_ROWS && inner == WEAK_JACOBI; row++)
		for (int field = 0; field < fields; field++) {
			float *to = &tile->u[field][row + 1][1];
			if (check)
				most = (float)larger_or_nan(
					(double)most, (double)change_of(to, computed[field][row]));
			memcpy(to, computed[field][row], sizeof(weak_row));
		}
	tile->done++;
	return most;
}

WEAK_WIDE static float poisson_jacobi(struct weak_tile *tile, const struct weak_launch *l,
				      bool check)
{
	return step(tile, l, WEAK_POISSON, WEAK_JACOBI, check);
}

WEAK_WIDE static float poisson_red_black(struct weak_tile *tile, const struct weak_launch *l,
					 bool check)
{
	return step(tile, l, WEAK_POISSON, WEAK_RED_BLACK, check);
}

WEAK_WIDE static float shape_jacobi(struct weak_tile *tile, const struct weak_launch *l, bool check)
{
	return step(tile, l, WEAK_SHAPE, WEAK_JACOBI, check);
}

WEAK_WIDE static float shape_red_black(struct weak_tile *tile, const struct weak_launch *l,
				       bool check)
{
	return step(tile, l, WEAK_SHAPE, WEAK_RED_BLACK, check);
}

float weak_tile_step(struct weak_tile *tile, const struct weak_launch *l, bool check)
{
	static float (*const steps[2][2])(struct weak_tile *, const struct weak_launch *,
					  bool) = { { poisson_jacobi, poisson_red_black },
						    { shape_jacobi, shape_red_black } };
	if (!tile->idle)
		return steps[l->rule][l->inner](tile, l, check);
	tile->done++;
	return 0;
}
