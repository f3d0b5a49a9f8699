/* SPDX-License-Identifier: MIT */
#include "sweep_best.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

struct group {
	char *key;
	struct sweep_row best;
	int64_t points;
	double second_us, least_lo_us; /* of the others */
};

struct groups {
	const char *by;
	struct group *group;
	size_t count, capacity;
};

/* The columns that rows can be grouped by: `whole` NULL where it is a text, at `offset`. */
#define SWEEP_TEXT(column)
#define SWEEP_WHOLE(column)                                                                        \
	static int64_t whole_##column(const struct sweep_row *row)                                 \
	{                                                                                          \
		return row->column;                                                                \
	}
#define SWEEP_REAL(column, digits)
#include "sweep_columns.def"
#undef SWEEP_TEXT
#undef SWEEP_WHOLE
static const struct {
	const char *name;
	size_t offset;
	int64_t (*whole)(const struct sweep_row *row);
} columns[] = {
#define SWEEP_TEXT(column) { #column, offsetof(struct sweep_row, column), NULL },
#define SWEEP_WHOLE(column) { #column, 0, whole_##column },
#include "sweep_columns.def"
#undef SWEEP_TEXT
#undef SWEEP_WHOLE
#undef SWEEP_REAL
};

/* The text of a column that rows can be grouped by; NULL: there is none of that name. */
static const char *column_text(const struct sweep_row *row, const char *name, char text[32])
{
	size_t k = 0;
	while (k < sizeof(columns) / sizeof(columns[0]) && strcmp(columns[k].name, name))
		k++;
	if (k == sizeof(columns) / sizeof(columns[0]))
		return NULL;
	if (!columns[k].whole)
		return (const char *)row + columns[k].offset;
	snprintf(text, 32, "%lld", (long long)columns[k].whole(row));
	return text;
}

/* What column_text() knows. */
static const char groups[] = ""
#define SWEEP_TEXT(column) " " #column
#define SWEEP_WHOLE(column) " " #column
#define SWEEP_REAL(column, digits)
#include "sweep_columns.def"
#undef SWEEP_TEXT
#undef SWEEP_WHOLE
#undef SWEEP_REAL
	;

/* "8192\t4" of "rows,gpus"; NULL after a message. Owned by the caller. */
static char *key_of(const struct sweep_row *row, const char *by)
{
	char *names = xstrdup(by), *key = xstrdup(""), *save, text[32];
	if (!strcmp(by, "all"))
		*names = 0;
	for (char *name = strtok_r(names, ",", &save); name && key;
	     name = strtok_r(NULL, ",", &save)) {
		const char *value = column_text(row, name, text);
		char *longer = value ? xprintf("%s%s\t", key, value) : NULL;
		if (!value)
			report("--best: a sweep's table has no column '%s' to group by; there are "
			       "all%s",
			       name, groups);
		free(key);
		key = longer;
	}
	free(names);
	return key;
}

int sweep_best_check(const char *by)
{
	const struct sweep_row row = { 0 };
	char *key = key_of(&row, by);
	free(key);
	return key ? 0 : -1;
}

static struct group *group_of(struct groups *g, char *key)
{
	for (size_t k = g->count; k-- > 0;) /* rows of a group stand together, most of the time */
		if (!strcmp(g->group[k].key, key)) {
			free(key);
			return &g->group[k];
		}
	GROW(g->group, g->count, g->capacity);
	g->group[g->count] = (struct group){
		.key = key, .best.core_us = INFINITY, .second_us = INFINITY, .least_lo_us = INFINITY
	};
	return &g->group[g->count++];
}

static int take(void *arg, const struct sweep_row *row)
{
	struct groups *g = arg;
	if (!row->answered)
		return 0;
	struct group *group = group_of(g, key_of(row, g->by));
	struct sweep_row worse = *row;
	if (row->core_us < group->best.core_us) {
		worse = group->best;
		group->best = *row;
	}
	if (group->points++) {
		group->second_us = fmin(group->second_us, worse.core_us);
		group->least_lo_us = fmin(group->least_lo_us, worse.core_lo_us);
	}
	return 0;
}

int sweep_best_print(struct sweep_store *store, const char *by, FILE *out)
{
	struct groups g = { .by = by };
	int rc = sweep_store_each(store, take, &g);
	const bool all = !strcmp(by, "all");
	char *names = xstrdup(all ? "" : by);
	for (char *at = names; *at; at++)
		*at = *at == ',' ? '\t' : *at;
	if (!rc)
		fprintf(out,
			"%s%spoints\tcore_us\tcore_lo_us\tcore_hi_us\tbehind_second_pct\t"
			"regret_most_pct\tsolver\tgpus\tplatform\tset\tconfig\n",
			names, all ? "" : "\t");
	for (size_t k = 0; k < g.count && !rc; k++) {
		const struct group *one = &g.group[k];
		const struct sweep_row *b = &one->best;
		const double regret = fmax(0, 100 * (b->core_hi_us / one->least_lo_us - 1));
		fprintf(out, "%s%lld\t%.3f\t%.3f\t%.3f\t%.2f\t%.2f\t%s\t%u\t%s\t%s\t%s\n", one->key,
			(long long)one->points, b->core_us, b->core_lo_us, b->core_hi_us,
			one->points > 1 ? 100 * (one->second_us / b->core_us - 1) : 0,
			one->points > 1 ? regret : 0, b->solver, b->gpus, b->platform, b->set,
			b->config);
	}
	for (size_t k = 0; k < g.count; k++)
		free(g.group[k].key);
	free(g.group);
	free(names);
	return rc;
}
