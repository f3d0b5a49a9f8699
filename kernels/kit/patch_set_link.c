/* SPDX-License-Identifier: MIT
 * What goes from patch to patch before a step: ghost cells, means of finer cells.
 */
#include "patch_set_internal.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

static int32_t stride(const struct patch *p, int axis)
{
	return axis == 0 ? 1 : axis == 1 ? p->pitch : p->plane;
}

struct linker {
	struct patch_set *set;
	struct patch_near near;
	size_t capacity;
	bool reflect;
	int32_t *owner; /* of each cell of a face: -1 boundary, 2 patch + (it is coarser) */
	size_t owner_cells;
};

static void add_link(struct linker *l, const struct patch_link *link)
{
	size_t count = (size_t)l->set->links;
	GROW(l->set->link, count, l->capacity);
	l->set->link[l->set->links++] = *link;
}

/* Cells [a, a + count_a) x [b, b + count_b) of a face of patch `target`, all of one owner. */
static void link_face(struct linker *l, int target, int axis, int side, int32_t owner, int32_t a,
		      int32_t b, int32_t count_a, int32_t count_b)
{
	const struct patch *p = &l->set->patch[target];
	const int axis_a = axis == 0 ? 1 : 0, axis_b = axis == 2 ? 1 : 2;
	struct patch_link link = { .target = target,
				   .source = owner < 0 ? target : owner / 2,
				   .kind = owner < 0   ? LINK_REFLECT
					   : owner & 1 ? LINK_COARSE
						       : LINK_COPY,
				   .phase = 1,
				   .count_a = count_a,
				   .count_b = count_b,
				   .target_a = stride(p, axis_a),
				   .target_b = stride(p, axis_b) };
	int32_t cell[3];
	cell[axis] = side ? p->n[axis] : -1;
	cell[axis_a] = a;
	cell[axis_b] = b;
	link.target_at = (int32_t)patch_offset(p, cell[0], cell[1], cell[2]);
	link.inward = (side ? -1 : 1) * stride(p, axis);
	const struct patch *q = &l->set->patch[link.source];
	link.source_a = stride(q, axis_a);
	link.source_b = stride(q, axis_b);
	if (link.kind == LINK_REFLECT) {
		if (!l->reflect)
			return;
		link.source_at = link.target_at + link.inward;
	} else {
		const int up = link.kind == LINK_COARSE;
		link.odd_a = up & (p->at[axis_a] + a);
		link.odd_b = up & (p->at[axis_b] + b);
		for (int k = 0; k < 3; k++)
			cell[k] = ((p->at[k] + cell[k]) >> up) - q->at[k];
		link.source_at = (int32_t)patch_offset(q, cell[0], cell[1], cell[2]);
	}
	add_link(l, &link);
}

/* Marks cells of a face that lie in patch `source`, `up` levels coarser. */
static void mark_face(struct linker *l, const struct patch *ghost, int axis, int up, int source)
{
	const int axis_a = axis == 0 ? 1 : 0, axis_b = axis == 2 ? 1 : 2;
	const struct patch *q = &l->set->patch[source];
	int32_t begin[3], end[3];
	for (int k = 0; k < 3; k++) {
		const int32_t low = q->at[k] << up, high = (q->at[k] + q->n[k]) << up;
		begin[k] = (low > ghost->at[k] ? low : ghost->at[k]) - ghost->at[k];
		end[k] = (high < ghost->at[k] + ghost->n[k] ? high : ghost->at[k] + ghost->n[k]) -
			 ghost->at[k];
		if (begin[k] >= end[k])
			return;
	}
	for (int32_t b = begin[axis_b]; b < end[axis_b]; b++)
		for (int32_t a = begin[axis_a]; a < end[axis_a]; a++) {
			int32_t *owner = &l->owner[b * ghost->n[axis_a] + a];
			*owner = *owner < 0 ? 2 * source + up : *owner;
		}
}

static void mark_faces(struct linker *l, int target, const struct patch *ghost, int axis, int up)
{
	const int32_t *found;
	int32_t low[3], high[3];

	for (int k = 0; k < 3; k++) {
		low[k] = ghost->at[k] >> up;
		high[k] = ((ghost->at[k] + ghost->n[k] - 1) >> up) + 1;
	}
	const int count = patch_near_find(&l->near, ghost->level - up, low, high, &found);
	for (int k = 0; k < count; k++)
		if (found[k] != target)
			mark_face(l, ghost, axis, up, found[k]);
}

static void link_faces(struct linker *l, int target)
{
	const struct patch *p = &l->set->patch[target];
	for (int face = 0; face < 6; face++) {
		const int axis = face / 2, side = face % 2;
		const int axis_a = axis == 0 ? 1 : 0, axis_b = axis == 2 ? 1 : 2;
		const int32_t na = p->n[axis_a], nb = p->n[axis_b];
		const size_t cells = (size_t)na * (size_t)nb;
		struct patch ghost = *p;
		ghost.at[axis] = side ? p->at[axis] + p->n[axis] : p->at[axis] - 1;
		ghost.n[axis] = 1;
		if (cells > l->owner_cells) {
			l->owner = xrealloc(l->owner, cells, sizeof(*l->owner));
			l->owner_cells = cells;
		}
		memset(l->owner, 0xff, cells * sizeof(*l->owner));
		for (int up = 0; up < 2 && !p->group; up++)
			mark_faces(l, target, &ghost, axis, up);
		/* Rectangles of one owner each: as far as they go along a, then along b. */
		for (int32_t b = 0; b < nb; b++)
			for (int32_t a = 0; a < na; a++) {
				const int32_t owner = l->owner[b * na + a];
				int32_t to_a = a, to_b = b;
				if (owner == -2)
					continue;
				while (to_a < na && l->owner[b * na + to_a] == owner)
					to_a++;
				for (bool same = true; same && to_b < nb;) {
					for (int32_t k = a; k < to_a && same; k++)
						same = l->owner[to_b * na + k] == owner;
					for (int32_t k = a; k < to_a && same; k++)
						l->owner[to_b * na + k] = -2;
					to_b += same;
				}
				link_face(l, target, axis, side, owner, a, b, to_a - a, to_b - b);
			}
	}
}

/* The cells of patch `coarse` that finer patches cover. */
static void link_averages(struct linker *l, int coarse)
{
	const struct patch *p = &l->set->patch[coarse];
	const int32_t *found;
	int32_t low[3], high[3];
	if (p->group)
		return;
	for (int axis = 0; axis < 3; axis++) {
		low[axis] = 2 * p->at[axis] - 1;
		high[axis] = 2 * (p->at[axis] + p->n[axis]) + 1;
	}
	const int count = patch_near_find(&l->near, p->level + 1, low, high, &found);
	for (int n = 0; n < count; n++) {
		const int fine = found[n];
		const struct patch *q = &l->set->patch[fine];
		struct cut cut;
		if (!cut_of(q, 1, p, &cut))
			continue;
		for (int32_t k = cut.begin[2]; k < cut.end[2]; k++)
			add_link(l, &(struct patch_link){
					    .target = coarse,
					    .source = fine,
					    .kind = LINK_AVERAGE,
					    .count_a = cut.end[0] - cut.begin[0],
					    .count_b = cut.end[1] - cut.begin[1],
					    .target_at = (int32_t)patch_offset(
						    p, cut.begin[0] - p->at[0],
						    cut.begin[1] - p->at[1], k - p->at[2]),
					    .target_a = 1,
					    .target_b = p->pitch,
					    .source_at = (int32_t)patch_offset(
						    q, 2 * cut.begin[0] - q->at[0],
						    2 * cut.begin[1] - q->at[1], 2 * k - q->at[2]),
					    .source_a = 1,
					    .source_b = q->pitch,
					    .source_c = q->plane });
	}
}

void patch_set_link(struct patch_set *set, bool reflect)
{
	struct linker l = { .set = set, .reflect = reflect };
	near_of(&l.near, set);
	free(set->link);
	set->link = NULL;
	set->links = 0;
	for (int level = set->levels - 1; level > 0; level--) /* finest first: means of means */
		for (int k = 0; k < set->count; k++)
			if (set->patch[k].level == level - 1)
				link_averages(&l, k);
	for (int k = 0; k < set->count && (reflect || set->connected); k++)
		link_faces(&l, k);
	free(l.owner);
	patch_near_release(&l.near);
}
