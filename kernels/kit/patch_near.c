/* SPDX-License-Identifier: MIT */
#include "patch_near.h"

#include <stdlib.h>

#include "traces/base/util.h"

static int32_t floor_div(int32_t a, int32_t b)
{
	return a / b - (a % b < 0);
}

static int ascending(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* By level, z, y, x, and place in the set. */
static int by_place(const void *x, const void *y)
{
	const struct near_place *a = x, *b = y;
	int order = ascending(a->level, b->level);

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
		if (box[k].level >= near->levels)
			near->levels = box[k].level + 1;
	near->side = xcalloc((size_t)near->levels + 1, sizeof(*near->side));
	for (int k = 0; k < count; k++)
		for (int axis = 0; axis < 3 && box[k].level >= 0; axis++) {
			int32_t *side = &near->side[box[k].level][axis];
			*side = box[k].n[axis] > *side ? box[k].n[axis] : *side;
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
		struct near_place place = { .level = box[k].level, .box = k };

		if (place.level < 0)
			continue;
		for (int axis = 0; axis < 3; axis++)
			place.cell[axis] =
				floor_div(box[k].at[axis], near->side[place.level][axis]);
		near->place[near->count++] = place;
	}
	qsort(near->place, (size_t)near->count, sizeof(*near->place), by_place);
}

void patch_near_release(struct patch_near *near)
{
	free(near->place);
	free(near->side);
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

		if (p->level != first->level || p->cell[2] != first->cell[2] ||
		    p->cell[1] != first->cell[1] || p->cell[0] > last)
			break;
		near->found[count++] = p->box;
	}
	return count;
}

static int find_level(const struct patch_near *near, int32_t level)
{
	int count = 0;

	for (int k = 0; k < near->count; k++)
		if (near->place[k].level == level)
			near->found[count++] = near->place[k].box;
	return count;
}

int patch_near_find(struct patch_near *near, int32_t level, const int32_t low[3],
		    const int32_t high[3], const int32_t **found)
{
	struct near_place first = { .level = level, .box = -1 };
	int32_t begin[3], end[3];
	int count = 0;

	*found = near->found;
	if (level < 0 || level >= near->levels || !near->side[level][0])
		return 0;
	for (int axis = 0; axis < 3; axis++) { /* what meets it begins up to a side before it */
		const int32_t side = near->side[level][axis];

		begin[axis] = floor_div(low[axis] - side + 1, side);
		end[axis] = floor_div(high[axis] - 1, side);
	}
	if (((int64_t)end[2] - begin[2] + 1) * ((int64_t)end[1] - begin[1] + 1) > near->count) {
		count = find_level(near, level);
	} else {
		first.cell[0] = begin[0];
		for (int32_t z = begin[2]; z <= end[2]; z++)
			for (int32_t y = begin[1]; y <= end[1]; y++) {
				first.cell[2] = z;
				first.cell[1] = y;
				count = find_row(near, &first, end[0], count);
			}
	}
	qsort(near->found, (size_t)count, sizeof(*near->found), by_number);
	return count;
}
