/* SPDX-License-Identifier: MIT */
#include "patch_near.h"

#include <stdlib.h>

#include "traces/base/util.h"

enum { SIZES = 32 }; /* of a level: box sides below 2, 4, 8 ... */

static int32_t shelf_of(const struct near_box *box)
{
	int32_t most = 1, size = 0;

	for (int axis = 0; axis < 3; axis++)
		most = box->n[axis] > most ? box->n[axis] : most;
	while (most >>= 1)
		size++;
	return box->level * SIZES + size;
}

static int32_t floor_div(int32_t a, int32_t b)
{
	return a / b - (a % b < 0);
}

static int ascending(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* By shelf, z, y, x, and place in the set. */
static int by_place(const void *x, const void *y)
{
	const struct near_place *a = x, *b = y;
	int order = ascending(a->shelf, b->shelf);

	for (int axis = 2; axis >= 0 && !order; axis--)
		order = ascending(a->cell[axis], b->cell[axis]);
	return order ? order : ascending(a->box, b->box);
}

static int by_number(const void *x, const void *y)
{
	return ascending(*(const int32_t *)x, *(const int32_t *)y);
}

static void find_sides(struct patch_near *near, const struct near_box *box, int count)
{
	for (int k = 0; k < count; k++)
		if (box[k].level >= 0 && (box[k].level + 1) * SIZES > near->shelves)
			near->shelves = (box[k].level + 1) * SIZES;
	near->side = xcalloc((size_t)near->shelves + 1, sizeof(*near->side));
	for (int k = 0; k < count; k++)
		for (int axis = 0; axis < 3 && box[k].level >= 0; axis++) {
			int32_t *side = &near->side[shelf_of(&box[k])][axis];
			*side = box[k].n[axis] > *side ? box[k].n[axis] : *side;
		}
}

/* The cells that the places of each shelf have. */
static void find_extents(struct patch_near *near)
{
	near->extent = xcalloc((size_t)near->shelves + 1, sizeof(*near->extent));
	for (int k = 0; k < near->count; k++) {
		const struct near_place *p = &near->place[k];
		struct near_extent *extent = &near->extent[p->shelf];
		const bool first = k == 0 || near->place[k - 1].shelf != p->shelf;

		for (int axis = 0; axis < 3; axis++) {
			if (first || p->cell[axis] < extent->low[axis])
				extent->low[axis] = p->cell[axis];
			if (first || p->cell[axis] > extent->high[axis])
				extent->high[axis] = p->cell[axis];
		}
	}
}

void patch_near_init(struct patch_near *near, const struct near_box *box, int count)
{
	*near = (struct patch_near){
		.place = xcalloc((size_t)count + 1, sizeof(*near->place)),
		.found = xcalloc((size_t)count + 1, sizeof(*near->found)),
	};
	find_sides(near, box, count);
	for (int k = 0; k < count; k++) {
		struct near_place place = { .box = k };

		if (box[k].level < 0)
			continue;
		place.shelf = shelf_of(&box[k]);
		for (int axis = 0; axis < 3; axis++)
			place.cell[axis] =
				floor_div(box[k].at[axis], near->side[place.shelf][axis]);
		near->place[near->count++] = place;
	}
	qsort(near->place, (size_t)near->count, sizeof(*near->place), by_place);
	find_extents(near);
}

void patch_near_release(struct patch_near *near)
{
	free(near->place);
	free(near->side);
	free(near->extent);
	free(near->found);
	*near = (struct patch_near){ 0 };
}

/* The first place that is not before this one. */
static int lower_bound(const struct patch_near *near, const struct near_place *place)
{
	int begin = 0, end = near->count;

	while (begin < end) {
		const int middle = begin + (end - begin) / 2;

		if (by_place(&near->place[middle], place) < 0)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

/* A row of cells along x, from `first` to the one in column `last`. */
static int find_row(const struct patch_near *near, const struct near_place *first, int32_t last,
		    int count)
{
	for (int k = lower_bound(near, first); k < near->count; k++) {
		const struct near_place *p = &near->place[k];

		if (p->shelf != first->shelf || p->cell[2] != first->cell[2] ||
		    p->cell[1] != first->cell[1] || p->cell[0] > last)
			break;
		near->found[count++] = p->box;
	}
	return count;
}

/* The first place of a shelf, or of the next one that has any. */
static int shelf_begin(const struct patch_near *near, int32_t shelf)
{
	const struct near_place first = { .shelf = shelf,
					  .cell = { INT32_MIN, INT32_MIN, INT32_MIN } };

	return lower_bound(near, &first);
}

/* Those of one shelf, behind the `count` that were found before. */
static int find_near(const struct patch_near *near, int32_t shelf, const int32_t low[3],
		     const int32_t high[3], int count)
{
	struct near_place first = { .shelf = shelf, .box = -1 };
	const struct near_extent *extent = &near->extent[shelf];
	int32_t begin[3], end[3];

	if (!near->side[shelf][0])
		return count;
	for (int axis = 0; axis < 3; axis++) { /* what meets it begins up to a side before it */
		const int32_t side = near->side[shelf][axis];

		begin[axis] = floor_div(low[axis] - side + 1, side);
		end[axis] = floor_div(high[axis] - 1, side);
		if (begin[axis] < extent->low[axis])
			begin[axis] = extent->low[axis];
		if (end[axis] > extent->high[axis])
			end[axis] = extent->high[axis];
		if (begin[axis] > end[axis])
			return count;
	}
	const int64_t rows = ((int64_t)end[2] - begin[2] + 1) * ((int64_t)end[1] - begin[1] + 1);
	const int all = shelf_begin(near, shelf), until = shelf_begin(near, shelf + 1);

	if (rows > until - all) { /* large beside those of the shelf: all of them are fewer */
		for (int k = all; k < until; k++)
			near->found[count++] = near->place[k].box;
		return count;
	}
	first.cell[0] = begin[0];
	for (int32_t z = begin[2]; z <= end[2]; z++)
		for (int32_t y = begin[1]; y <= end[1]; y++) {
			first.cell[2] = z;
			first.cell[1] = y;
			count = find_row(near, &first, end[0], count);
		}
	return count;
}

int patch_near_find(struct patch_near *near, int32_t level, const int32_t low[3],
		    const int32_t high[3], const int32_t **found)
{
	int count = 0;

	*found = near->found;
	if (level < 0 || level >= near->shelves / SIZES)
		return 0;
	for (int32_t size = 0; size < SIZES; size++)
		count = find_near(near, level * SIZES + size, low, high, count);
	qsort(near->found, (size_t)count, sizeof(*near->found), by_number);
	return count;
}
