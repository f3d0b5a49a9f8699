/* SPDX-License-Identifier: MIT
 * Which GPU has which patches, and where in its memory they lie.
 */
#include "patch_set.h"

#include <stdlib.h>

#include "traces/base/util.h"

struct order {
	int64_t cells;
	int patch;
};

static int larger_first(const void *x, const void *y)
{
	const struct order *a = x, *b = y;
	return a->cells != b->cells ? (a->cells < b->cells) - (a->cells > b->cells)
				    : (a->patch > b->patch) - (a->patch < b->patch);
}

static void deal_alone(struct patch_set *set, uint32_t gpus)
{
	struct order *order = xcalloc((size_t)set->count, sizeof(*order));
	int64_t *cells = xcalloc(gpus, sizeof(*cells));
	for (int k = 0; k < set->count; k++)
		order[k] = (struct order){ patch_cells(&set->patch[k]), k };
	qsort(order, (size_t)set->count, sizeof(*order), larger_first);
	for (int k = 0; k < set->count; k++) {
		uint32_t least = 0;
		for (uint32_t g = 1; g < gpus; g++)
			least = cells[g] < cells[least] ? g : least;
		set->patch[order[k].patch].gpu = least;
		cells[least] += order[k].cells;
	}
	free(order);
	free(cells);
}

/* Each border of a share falls where the sum of cells is nearest to it; nobody stays without. */
static void deal_in_order(struct patch_set *set, uint32_t gpus)
{
	int64_t before = 0;
	uint32_t gpu = 0;
	for (int k = 0, own = 0; k < set->count; k++, own++) {
		const int64_t cells = patch_cells(&set->patch[k]);
		const bool full =
			2 * (before + cells) * gpus - cells * gpus > 2 * set->cells * (gpu + 1);
		const bool last_chance = set->count - k == (int)(gpus - 1 - gpu);
		if (own && gpu + 1 < gpus && (full || last_chance)) {
			gpu++;
			own = 0;
		}
		set->patch[k].gpu = gpu;
		before += cells;
	}
}

int patch_set_place(struct patch_set *set, uint32_t gpus)
{
	if ((uint32_t)set->count < gpus)
		return report("%d patch%s on %u GPUs: a patch is not cut, so that some would have "
			      "none",
			      set->count, set->count == 1 ? "" : "es", gpus);
	if (set->connected)
		deal_in_order(set, gpus);
	else
		deal_alone(set, gpus);
	free(set->gpu_cells);
	free(set->gpu_elements);
	set->gpu_cells = xcalloc(gpus, sizeof(*set->gpu_cells));
	set->gpu_elements = xcalloc(gpus, sizeof(*set->gpu_elements));
	for (int k = 0; k < set->count; k++) {
		struct patch *p = &set->patch[k];
		/* The ghost cell before a row is the last element of the row before. */
		p->pitch = (p->n[0] + 2 + 3) / 4 * 4;
		p->plane = p->pitch * (p->n[1] + 2);
		p->first_cell = set->gpu_cells[p->gpu];
		p->origin = set->gpu_elements[p->gpu] + 4 + p->pitch + p->plane;
		set->gpu_cells[p->gpu] += (patch_cells(p) + 15) / 16 * 16;
		set->gpu_elements[p->gpu] += ((int64_t)p->plane * (p->n[2] + 2) + 4 + 15) / 16 * 16;
	}
	return 0;
}
