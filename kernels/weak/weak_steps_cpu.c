/* SPDX-License-Identifier: MIT
 * The launches of the eight schemes on the CPU.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "weak_problem.h"
#include "weak_tile.h"

static void raise_word(uint32_t *word, float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	*word = bits > *word ? bits : *word; /* of what is not negative; a NaN is above all */
}

/* As the launch after this one finds it. */
static uint32_t *change_word(const struct weak_launch *l)
{
	l->status[WEAK_STATUS_CHANGE + (l->number + 1) % 3] = 0;
	return l->status + WEAK_STATUS_CHANGE + l->number % 3;
}

/* The step at which a block's borders were written, beside them. */
static void stamp(const struct weak_launch *l, int block, int done)
{
	for (int side = 0; side < 4 && l->ages; side++)
		l->ages[WEAK_AGES + 4 * block + side] =
			l->number * (uint32_t)l->steps + (uint32_t)done;
}

static void note_ages(const struct weak_launch *l, int block, int done)
{
	for (int side = 0; side < 4 && l->ages; side++) {
		const int beside = weak_beside(&l->grid, block, side);
		if (beside < 0 || !weak_talks(l, side))
			continue;
		const int age = (int)(l->number * (uint32_t)l->steps + (uint32_t)done -
				      l->ages[WEAK_AGES + 4 * beside + (side ^ 1)]) +
				WEAK_AGE_ZERO;
		l->ages[age < 0 ? 0 : age >= WEAK_AGES ? WEAK_AGES - 1 : age]++;
	}
}

/* The rows of nodes that other GPUs read. */
static void store_beside(const struct weak_tile *tile, const struct weak_launch *l)
{
	const int row = tile->block / l->grid.across, first = l->order[0] / l->grid.across,
		  last = first + weak_own_blocks(l) / l->grid.across - 1;
	struct weak_launch there = *l;
	if (row == first && l->above.next) {
		there.next = l->above.next;
		weak_tile_store_row(tile, &there, 0);
	}
	if (row == last && l->below.next) {
		there.next = l->below.next;
		weak_tile_store_row(tile, &there, WEAK_ROWS - 1);
	}
}

void weak_steps_cpu(const void *args)
{
	const struct weak_launch *l = args;
	const int blocks = weak_own_blocks(l),
		  places = l->resident && l->resident < blocks ? l->resident : blocks;
	struct weak_tile *tile = xcalloc((size_t)places, sizeof(*tile));
	const bool checks = l->next != l->values; /* synchronous steps tell what they changed */
	uint32_t *change = checks ? change_word(l) : NULL;
	for (int id = 0; id < blocks; id += places) {
		const int here = blocks - id < places ? blocks - id : places;
		for (int k = 0; k < here; k++)
			weak_tile_load(&tile[k], l, l->order[id + k]);
		for (int done = 0; done < l->steps;) {
			const int to = l->steps - done < l->every ? l->steps : done + l->every;
			for (int k = 0; k < here; k++)
				for (int s = done; s < to; s++) {
					const bool check = checks && s == l->steps - 1;
					const float by = weak_tile_step(&tile[k], l, check);
					if (check)
						raise_word(change, by);
				}
			done = to;
			if (done == l->steps)
				break;
			for (int k = 0; k < here; k++) {
				weak_tile_send(&tile[k], l);
				stamp(l, tile[k].block, done);
			}
			for (int k = 0; k < here; k++) {
				weak_tile_receive(&tile[k], l);
				note_ages(l, tile[k].block, done);
			}
		}
		for (int k = 0; k < here; k++) {
			weak_tile_store(&tile[k], l);
			store_beside(&tile[k], l);
		}
	}
	free(tile);
}

/* What weak_residual says, in the float of the GPU. */
void weak_residual_cpu(const void *args)
{
	const struct weak_launch *l = args;
	const struct weak_problem p = {
		.rule = l->rule,
		.grid = l->grid,
		.terms = l->terms,
		.rows = l->grid.down * WEAK_ROWS,
		.columns = l->grid.across * WEAK_COLUMNS,
		.values = l->values,
		.constants = (float *)(uintptr_t)l->constants,
	};
	raise_word(change_word(l), (float)weak_residual(&p));
}

/* Synchronous steps, of which the last checks. */
void weak_graph_cpu(const void *args)
{
	const struct weak_launch *l = args;
	struct weak_launch one = *l;
	one.steps = one.every = 1;
	for (int k = 0; k < l->steps; k++) {
		/* What is not looked at is raised where nobody reads. */
		one.number = k == l->steps - 1 ? l->number : l->number + 2;
		weak_steps_cpu(&one);
		float *swap = one.values;
		one.values = one.next;
		one.next = swap;
	}
}

/* Synchronous steps, all in one launch, looking every `every` of them. */
void weak_whole_cpu(const void *args)
{
	const struct weak_launch *l = args;
	const size_t bytes = (size_t)(weak_values(&l->grid) * weak_fields(l->rule)) * sizeof(float);
	struct weak_launch one = *l;
	int done = 0;
	float change = INFINITY;
	one.steps = one.every = 1;
	one.resident = 0;
	one.talk = WEAK_SILENT;
	one.combine = 0;
	one.ages = NULL;
	while (done < l->steps) {
		uint32_t bits;
		one.number = (uint32_t)done;
		l->status[WEAK_STATUS_CHANGE + done % 3] = 0;
		weak_steps_cpu(&one);
		bits = l->status[WEAK_STATUS_CHANGE + done % 3];
		memcpy(&change, &bits, sizeof(change));
		float *swap = one.values;
		one.values = one.next;
		one.next = swap;
		done++;
		if ((done % l->every == 0 || done == l->steps) && !(change > l->tolerance))
			break;
	}
	if (one.values != l->values)
		memcpy(l->values, one.values, bytes);
	memset(l->status, 0, 3 * sizeof(*l->status));
	raise_word(l->status + WEAK_STATUS_CHANGE, change);
	l->status[WEAK_STATUS_STEPS] = (uint32_t)done;
}
