/* SPDX-License-Identifier: MIT
 * How a sweep is cut: subdomains (6), tiles (8), along one axis. Both axes are cut alike and
 * independently, so that subdomain (s, t) and tile (p, r) are products.
 *
 * Layer q of a sweep counts from 0. Subdomain s of `count`, each `width` points wide, has at layer
 * q
 *
 *     [s width + 1 + q - shift, (s + 1) width + q - shift]
 *
 * but the first begins at 1 and the last ends at `points` in every layer. The paper leaves two
 * things open, and its own statements pull apart, so that both are here:
 *
 *   PLANES_CENTRED  (6) moved by half of what the planes drift in a sweep: border subdomains have
 *                   as many points as the others to within half a row a layer ("roughly the same
 *                   number"). Forward the shift is floor(K / 2), backward K - 1 - floor(K / 2): the
 *                   planes of a backward sweep are those of the forward sweep before it in reverse
 *                   order of layers, so that mirrored subdomains of two adjacent sweeps "access the
 *                   same set of points" (section V, Figure 2).
 *   PLANES_PRINTED  (6) as printed, shift 0, in each sweep's own coordinates: border subdomains are
 *                   (K - 1) / 2 rows a layer thicker and thinner, and planes of sweeps in turn lean
 *                   away from each other. Converges faster: seams are in other places.
 *
 * A subdomain has `parts` tiles along the axis. The last is the border tile, which begins at
 *
 *     (s + 1) width - shift - q
 *
 * in layer q: 1 + 2 q points wide, what is before it (T11's side) width - 1 - 2 q, the largest
 * that lets K = floor(width / 2) (section IV-C). With more than two parts, those before it have
 * planes `step` apart (8), and merged they are that first tile: values do not depend on it.
 *
 * Why tiles of one index are independent, and which layer a neighbour's value is of: the paper's
 * section IV-C; tests/test_mlssor_tiles.c looks at every point.
 */
#ifndef WARPREEL_MLSSOR_TILES_H
#define WARPREEL_MLSSOR_TILES_H

#include "mlssor.h"

struct mlssor_axis {
	int32_t points; /* of the mesh */
	int32_t width;	/* of a subdomain */
	int32_t count;	/* subdomains */
	int32_t layers, shift;
	int32_t parts, step;
};

/* Points [begin, end); empty when they are equal. */
struct mlssor_range {
	int32_t begin, end;
};

MLSSOR_SHARED int32_t mlssor_shift(int32_t layers, int32_t backward)
{
	return backward ? layers - 1 - layers / 2 : layers / 2;
}

MLSSOR_SHARED struct mlssor_axis mlssor_axis_of(int32_t points, int32_t width,
						const struct mlssor_sweep *sweep)
{
	const struct mlssor_axis axis = { points,	width,	      points / width, sweep->layers,
					  sweep->shift, sweep->parts, sweep->step };
	return axis;
}

MLSSOR_SHARED struct mlssor_axis mlssor_rows(const struct mlssor_sweep *sweep)
{
	return mlssor_axis_of(sweep->rows, sweep->height, sweep);
}

MLSSOR_SHARED struct mlssor_axis mlssor_columns(const struct mlssor_sweep *sweep)
{
	return mlssor_axis_of(sweep->columns, sweep->width, sweep);
}

/* Of subdomain s at layer q. */
MLSSOR_SHARED struct mlssor_range mlssor_subdomain(const struct mlssor_axis *axis, int32_t s,
						   int32_t q)
{
	const int32_t drift = q - axis->shift;
	const struct mlssor_range range = { s == 0 ? 1 : s * axis->width + 1 + drift,
					    s == axis->count - 1
						    ? axis->points + 1
						    : (s + 1) * axis->width + 1 + drift };
	return range;
}

/* Of tile `part` of it. */
MLSSOR_SHARED struct mlssor_range mlssor_tile(const struct mlssor_axis *axis, int32_t s,
					      int32_t part, int32_t q)
{
	const int32_t border = (s + 1) * axis->width - axis->shift - q,
		      after = axis->parts - 1 - part; /* parts after this one */
	struct mlssor_range range = mlssor_subdomain(axis, s, q);

	if (after > 0)
		range.end = border - (after - 1) * axis->step;
	if (part > 0 && border - after * axis->step > range.begin)
		range.begin = border - after * axis->step;
	if (range.end < range.begin)
		range.end = range.begin;
	return range;
}

/* The point that is index 0 of the box of a tile: what is before its first point in the layer where
 * it is widest. A box has width + 1 points or, of border tiles, 2 layers + 1. */
MLSSOR_SHARED int32_t mlssor_box(const struct mlssor_axis *axis, int32_t s, int32_t part)
{
	return part < axis->parts - 1 ? s * axis->width - axis->shift
				      : (s + 1) * axis->width - axis->shift - axis->layers;
}
MLSSOR_SHARED int32_t mlssor_box_points(const struct mlssor_axis *axis, int32_t part)
{
	return part < axis->parts - 1 ? axis->width + 1 : 2 * axis->layers + 1;
}

/* Where a sweep's point (0, 0) lies and how far its next row and column are, in elements. */
struct mlssor_view {
	float *origin;
	int64_t row, column;
};
MLSSOR_SHARED struct mlssor_view mlssor_view_of(const struct mlssor_sweep *sweep)
{
	const int64_t first_row = sweep->backward ? sweep->rows + 1 - sweep->first_row
						  : -sweep->first_row,
		      first_column = sweep->backward ? sweep->columns + 1 : 0;
	const struct mlssor_view view = { sweep->grid + first_row * sweep->pitch + first_column,
					  sweep->backward ? -(int64_t)sweep->pitch : sweep->pitch,
					  sweep->backward ? -1 : 1 };
	return view;
}

#endif
