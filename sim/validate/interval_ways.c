/* SPDX-License-Identifier: MIT */
#include "interval_ways.h"

#include <stdlib.h>
#include <string.h>

#include "sets.h"
#include "splits.h"
#include "traces/base/util.h"
#include "traces/program/program.h"

static bool planned(const struct validation_row *row)
{
	return !strcmp(row->model, "default") && *row->family && set_within(row->set, "planned");
}

static struct way *way_find(const struct ways *w, const char *name)
{
	for (size_t i = 0; i < w->count; i++)
		if (!strcmp(w->known[i].name, name))
			return &w->known[i];
	return NULL;
}

void ways_find(struct ways *w, const struct validation *v)
{
	*w = (struct ways){ .of = xcalloc(v->count + 1, sizeof(*w->of)), .rows = v->count };
	for (size_t k = 0; k < v->count; k++) {
		const struct validation_row *row = &v->row[k];
		if (!planned(row))
			continue;
		w->of[k] = v->program->column(row->solver, row->config, (uint32_t)row->gpus, "way");
		if (!w->of[k] || strcmp(row->split, split_name[SPLIT_INTERVAL]) != 0)
			continue;
		struct way *way = way_find(w, w->of[k]);
		if (!way) {
			GROW(w->known, w->count, w->capacity);
			way = &w->known[w->count++];
			*way = (struct way){ .name = w->of[k] };
		}
		way->points++;
	}
}

void ways_release(struct ways *w)
{
	for (size_t k = 0; k < w->rows; k++)
		free(w->of[k]);
	free(w->of);
	free(w->known);
}

bool ways_unfamiliar(const struct ways *w, size_t k)
{
	const struct way *way = w->of[k] ? way_find(w, w->of[k]) : NULL;
	return w->of[k] && (!way || way->points < WAYS_LEAST);
}
