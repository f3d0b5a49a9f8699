/* SPDX-License-Identifier: MIT
 * Patches near a box, against going through all of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "kernels/kit/patch_near.h"

enum { BOXES = 300, SEARCHES = 500 };

static uint32_t drawn(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % below;
}

static bool meets(const struct near_box *p, const int32_t low[3], const int32_t high[3])
{
	for (int axis = 0; axis < 3; axis++)
		if (p->at[axis] >= high[axis] || p->at[axis] + p->n[axis] <= low[axis])
			return false;
	return true;
}

/* Sides differ, corners are below zero too, every tenth box is left out. */
static void all_that_meet_are_found(void **state)
{
	struct near_box box[BOXES] = { 0 };
	struct patch_near near;
	uint32_t seed = 7;
	int met = 0, found_small = 0, small = 0; /* of levels whose boxes are */

	(void)state;
	for (int k = 0; k < BOXES; k++) {
		box[k].level = k % 10 == 9 ? -1 : (int32_t)drawn(&seed, 3);
		for (int axis = 0; axis < 3; axis++) {
			box[k].at[axis] = (int32_t)drawn(&seed, 200) - 100;
			box[k].n[axis] = 1 + (int32_t)drawn(&seed, box[k].level == 2 ? 90 : 12);
		}
	}
	patch_near_init(&near, box, BOXES);
	for (int n = 0; n < SEARCHES; n++) {
		const int32_t level = (int32_t)drawn(&seed, 5) - 1, *found;
		int32_t low[3], high[3];

		for (int axis = 0; axis < 3; axis++) {
			low[axis] = (int32_t)drawn(&seed, 240) - 120;
			high[axis] = low[axis] + 1 + (int32_t)drawn(&seed, 40);
		}
		const int count = patch_near_find(&near, level, low, high, &found);
		int at = 0;

		found_small += level < 2 ? count : 0;
		for (int k = 0; k < BOXES; k++) {
			const bool here = at < count && found[at] == k;

			if (here)
				assert_true(box[k].level == level);
			at += here;
			small += level >= 0 && level < 2 && box[k].level == level;
			if (level >= 0 && box[k].level == level && meets(&box[k], low, high)) {
				assert_true(here);
				met++;
			}
		}
		assert_int_equal(at, count); /* ascending, each once */
	}
	assert_true(met > SEARCHES / 5);
	assert_true(found_small < small / 3);
	patch_near_release(&near);
}

static void nothing_is_near_where_nothing_is(void **state)
{
	struct patch_near near;
	const int32_t low[3] = { 0 }, high[3] = { 8, 8, 8 }, *found;
	const struct near_box high_up = { .level = 3, .n = { 1, 1, 1 } };

	(void)state;
	patch_near_init(&near, NULL, 0);
	assert_int_equal(patch_near_find(&near, 0, low, high, &found), 0);
	patch_near_release(&near);
	patch_near_init(&near, &high_up, 1);
	for (int32_t level = -1; level < 6; level++)
		assert_int_equal(patch_near_find(&near, level, low, high, &found), level == 3);
	patch_near_release(&near);
}

/* One box as large as all others together does not bring these with it. */
static void a_large_box_leaves_small_ones_apart(void **state)
{
	struct near_box box[1001] = { 0 };
	struct patch_near near;
	const int32_t low[3] = { 500 }, high[3] = { 510, 10, 10 }, *found;

	(void)state;
	for (int k = 0; k < 1000; k++)
		box[k] = (struct near_box){ .at = { k * 10 }, .n = { 10, 10, 10 } };
	box[1000] = (struct near_box){ .n = { 10000, 10, 10 } };
	patch_near_init(&near, box, 1001);
	const int count = patch_near_find(&near, 0, low, high, &found);

	assert_in_range(count, 2, 4);
	assert_int_equal(found[count - 1], 1000);
	patch_near_release(&near);
}

/* side^3 boxes of n^3 cells, one beside the other from the origin on; how many. */
static int cube_of_boxes(struct near_box *box, int side, int n)
{
	for (int k = 0; k < side * side * side; k++)
		box[k] = (struct near_box){ .at = { k % side * n, k / side % side * n,
						    k / side / side * n },
					    .n = { n, n, n } };
	return side * side * side;
}

/* Boxes of side 216 and a single one of side 2: a search around a large one looks at that one, not
 * at each of the rows that the large one is long in its cells. In rows it took 15 s. */
static void a_small_box_is_not_looked_for_row_by_row(void **state)
{
	enum { SIDE = 37, LONG = 216 };
	struct near_box *box = calloc(SIDE * SIDE * SIDE + 1, sizeof(*box));
	struct patch_near near;
	const int32_t *found;
	const clock_t begin = clock();
	int count = 0, holders = 0;

	(void)state;
	assert_non_null(box);
	count += cube_of_boxes(box, SIDE, LONG);
	box[count++] = (struct near_box){ .at = { 900, 900, 900 }, .n = { 2, 2, 2 } };
	patch_near_init(&near, box, count);
	for (int k = 0; k < count; k++) {
		const int32_t high[3] = { box[k].at[0] + box[k].n[0], box[k].at[1] + box[k].n[1],
					  box[k].at[2] + box[k].n[2] };
		const int n = patch_near_find(&near, 0, box[k].at, high, &found);

		assert_in_range(n, 1, 9);
		holders += found[n - 1] == count - 1 && k < count - 1;
	}
	assert_in_range(holders, 1, 27); /* of the small one: at most those around it */
	assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 5);
	patch_near_release(&near);
	free(box);
}

/* Many small boxes in a corner: those far away do not look at their rows. */
static void small_boxes_elsewhere_are_passed_over(void **state)
{
	enum { SIDE = 36, LONG = 575, SMALL = 16, SHORT = 21 };
	struct near_box *box = calloc(SIDE * SIDE * SIDE + SMALL * SMALL * SMALL, sizeof(*box));
	struct patch_near near;
	const int32_t *found;
	const clock_t begin = clock();
	int count = 0, first_small, holders = 0;

	(void)state;
	assert_non_null(box);
	count += cube_of_boxes(box, SIDE, LONG);
	first_small = count;
	count += cube_of_boxes(box + count, SMALL, SHORT);
	patch_near_init(&near, box, count);
	for (int k = 0; k < first_small; k++) {
		const int32_t high[3] = { box[k].at[0] + LONG, box[k].at[1] + LONG,
					  box[k].at[2] + LONG };
		const int n = patch_near_find(&near, 0, box[k].at, high, &found);

		assert_true(n > 0);
		holders += found[n - 1] >= first_small;
		if (k == 0)
			assert_int_equal(found[n - 1], count - 1);
	}
	assert_int_equal(holders, 1);
	assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 1);
	patch_near_release(&near);
	free(box);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_meet_are_found),
		cmocka_unit_test(nothing_is_near_where_nothing_is),
		cmocka_unit_test(a_large_box_leaves_small_ones_apart),
		cmocka_unit_test(a_small_box_is_not_looked_for_row_by_row),
		cmocka_unit_test(small_boxes_elsewhere_are_passed_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
