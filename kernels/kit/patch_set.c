/* SPDX-License-Identifier: MIT
 * Sets of patches from their text, and what must hold of one.
 */
#include "patch_set_internal.h"

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

static int report_patch(const char *text, const struct patch *p, const char *what)
{
	return report("patches '%s': level %d's patch of %d.%d.%d cells at %d.%d.%d %s", text,
		      p->level, p->n[0], p->n[1], p->n[2], p->at[0], p->at[1], p->at[2], what);
}

/* The cells of `patch` in its own level, or in the level before (up 1). */
static int find_near(struct patch_near *near, const struct patch *p, int up, const int32_t **found)
{
	int32_t low[3], high[3];

	for (int axis = 0; axis < 3; axis++) {
		low[axis] = p->at[axis] >> up;
		high[axis] = (p->at[axis] + p->n[axis]) >> up;
	}
	return patch_near_find(near, p->level - up, low, high, found);
}

static int check_patch(const struct patch_set *set, int a, struct patch_near *near,
		       const char *text)
{
	const struct patch *p = &set->patch[a];
	const int32_t *found;
	struct cut cut;
	int64_t covered = 0;

	for (int axis = 0; axis < 3 && p->level; axis++)
		if (p->at[axis] % 2 || p->n[axis] % 2)
			return report_patch(text, p, "is not whole cells of the level before");
	for (int k = find_near(near, p, 0, &found); k-- > 0;)
		if (found[k] < a && cut_of(p, 0, &set->patch[found[k]], &cut))
			return report_patch(text, p, "overlaps another of its level");
	for (int k = find_near(near, p, 1, &found); k-- > 0;)
		if (cut_of(p, 1, &set->patch[found[k]], &cut))
			covered += cut_cells(&cut);
	if (p->level && covered * 8 != patch_cells(p))
		return report_patch(text, p, "does not lie within the level before");
	return 0;
}

static int check_levels(const struct patch_set *set, const char *text)
{
	struct patch_near near;
	int failed = 0;

	near_of(&near, set);
	for (int a = 0; a < set->count && !failed; a++)
		if (!set->patch[a].group)
			failed = check_patch(set, a, &near, text);
	patch_near_release(&near);
	return failed;
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
