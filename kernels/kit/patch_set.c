/* SPDX-License-Identifier: MIT */
#include "patch_set.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

/* ---- text ---- */

struct reader {
	struct patch_set *set;
	size_t capacity;
	const char *at, *text;
};

static int not_a_set(const struct reader *r)
{
	return report("patches '%s': at '%.20s' stands none of COUNTxSIDES, X.Y.Z*SIDES and "
		      "LEVEL@I.J.K:SIDES",
		      r->text, r->at);
}

static int number(struct reader *r, int32_t *value)
{
	char *end;
	const long parsed = strtol(r->at, &end, 10);
	if (end == r->at || *r->at == '+' || *r->at == ' ' || parsed < -(1 << 24) ||
	    parsed > 1 << 24)
		return -1;
	r->at = end;
	*value = (int32_t)parsed;
	return 0;
}

/* N, or X.Y.Z. */
static int triple(struct reader *r, int32_t value[3])
{
	if (number(r, &value[0]))
		return -1;
	value[1] = value[2] = value[0];
	if (*r->at != '.')
		return 0;
	for (int axis = 1; axis < 3; axis++) {
		if (*r->at != '.')
			return -1;
		r->at++;
		if (number(r, &value[axis]))
			return -1;
	}
	return 0;
}

static int add(struct reader *r, const struct patch *patch)
{
	struct patch_set *set = r->set;
	for (int axis = 0; axis < 3; axis++)
		if (patch->n[axis] < 1 || patch->n[axis] > PATCH_SIDE_MOST)
			return report("patches '%s': a side of %d cells is outside 1 to %d",
				      r->text, patch->n[axis], PATCH_SIDE_MOST);
	if (set->count == PATCHES_MOST)
		return report("patches '%s': more than %d patches", r->text, PATCHES_MOST);
	size_t count = (size_t)set->count;
	GROW(set->patch, count, r->capacity);
	set->patch[set->count++] = *patch;
	set->cells += patch_cells(patch);
	set->largest = patch_cells(patch) > set->largest ? patch_cells(patch) : set->largest;
	set->levels = patch->level >= set->levels ? patch->level + 1 : set->levels;
	set->connected |= patch->group == 0;
	return 0;
}

static int alone(struct reader *r, int32_t count)
{
	struct patch patch = { 0 };
	r->at++;
	if (triple(r, patch.n))
		return not_a_set(r);
	if (count < 1)
		return report("patches '%s': %d patches are none", r->text, count);
	for (int32_t k = 0; k < count; k++) {
		patch.group = 1 + r->set->count;
		if (add(r, &patch))
			return -1;
	}
	return 0;
}

static int box(struct reader *r, const int32_t many[3])
{
	struct patch patch = { 0 };
	r->at++;
	if (triple(r, patch.n))
		return not_a_set(r);
	for (int axis = 0; axis < 3; axis++)
		if (many[axis] < 1)
			return report("patches '%s': %d patches are none", r->text, many[axis]);
	for (int32_t k = 0; k < many[2]; k++)
		for (int32_t j = 0; j < many[1]; j++)
			for (int32_t i = 0; i < many[0]; i++) {
				patch.at[0] = i * patch.n[0];
				patch.at[1] = j * patch.n[1];
				patch.at[2] = k * patch.n[2];
				if (add(r, &patch))
					return -1;
			}
	return 0;
}

static int one_at(struct reader *r, int32_t level)
{
	struct patch patch = { .level = level };
	r->at++;
	if (triple(r, patch.at) || *r->at != ':')
		return not_a_set(r);
	r->at++;
	if (triple(r, patch.n))
		return not_a_set(r);
	if (level < 0 || level >= PATCH_LEVELS)
		return report("patches '%s': level %d is outside 0 to %d", r->text, level,
			      PATCH_LEVELS - 1);
	return add(r, &patch);
}

/* ---- what must hold ---- */

struct cut {
	int32_t begin[3], end[3];
};

/* The cells of `a` seen `up` levels coarser that are in `b`; false when there are none. */
static bool cut_of(const struct patch *a, int up, const struct patch *b, struct cut *cut)
{
	for (int axis = 0; axis < 3; axis++) {
		const int32_t begin = a->at[axis] >> up, end = (a->at[axis] + a->n[axis]) >> up;
		cut->begin[axis] = begin > b->at[axis] ? begin : b->at[axis];
		cut->end[axis] = end < b->at[axis] + b->n[axis] ? end : b->at[axis] + b->n[axis];
		if (cut->begin[axis] >= cut->end[axis])
			return false;
	}
	return true;
}

static int64_t cut_cells(const struct cut *cut)
{
	int64_t cells = 1;
	for (int axis = 0; axis < 3; axis++)
		cells *= cut->end[axis] - cut->begin[axis];
	return cells;
}

static int report_patch(const char *text, const struct patch *p, const char *what)
{
	return report("patches '%s': level %d's patch of %d.%d.%d cells at %d.%d.%d %s", text,
		      p->level, p->n[0], p->n[1], p->n[2], p->at[0], p->at[1], p->at[2], what);
}

static int check_levels(const struct patch_set *set, const char *text)
{
	struct cut cut;
	for (int a = 0; a < set->count; a++) {
		const struct patch *p = &set->patch[a];
		int64_t covered = 0;
		if (p->group)
			continue;
		for (int axis = 0; axis < 3 && p->level; axis++)
			if (p->at[axis] % 2 || p->n[axis] % 2)
				return report_patch(text, p,
						    "is not whole cells of the level before");
		for (int b = 0; b < set->count; b++) {
			const struct patch *q = &set->patch[b];
			if (q->group || b == a)
				continue;
			if (b < a && q->level == p->level && cut_of(p, 0, q, &cut))
				return report_patch(text, p, "overlaps another of its level");
			if (q->level == p->level - 1 && cut_of(p, 1, q, &cut))
				covered += cut_cells(&cut);
		}
		if (p->level && covered * 8 != patch_cells(p))
			return report_patch(text, p, "does not lie within the level before");
	}
	return 0;
}

int patch_set_read(struct patch_set *set, const char *text)
{
	struct reader r = { .set = set, .at = text, .text = text };
	*set = (struct patch_set){ 0 };
	for (;;) {
		int32_t first[3];
		if (triple(&r, first))
			return not_a_set(&r);
		const bool single = first[0] == first[1] && first[1] == first[2];
		const int rc = *r.at == '*'		? box(&r, first)
			       : *r.at == 'x' && single ? alone(&r, first[0])
			       : *r.at == '@' && single ? one_at(&r, first[0])
							: not_a_set(&r);
		if (rc)
			return -1;
		if (!*r.at)
			return check_levels(set, text);
		if (*r.at++ != '+') {
			r.at--;
			return not_a_set(&r);
		}
	}
}

void patch_set_release(struct patch_set *set)
{
	free(set->patch);
	free(set->link);
	free(set->gpu_cells);
	free(set->gpu_elements);
	*set = (struct patch_set){ 0 };
}

/* ---- GPUs ---- */

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

/* ---- links ---- */

static int32_t stride(const struct patch *p, int axis)
{
	return axis == 0 ? 1 : axis == 1 ? p->pitch : p->plane;
}

struct linker {
	struct patch_set *set;
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
			for (int q = 0; q < l->set->count; q++)
				if (!l->set->patch[q].group && q != target &&
				    l->set->patch[q].level == p->level - up)
					mark_face(l, &ghost, axis, up, q);
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
	for (int fine = 0; fine < l->set->count && !p->group; fine++) {
		const struct patch *q = &l->set->patch[fine];
		struct cut cut;
		if (q->group || q->level != p->level + 1 || !cut_of(q, 1, p, &cut))
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
}
