/* SPDX-License-Identifier: MIT */
#include "splits.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

const char *const split_name[SPLIT_COUNT] = { "development", "interval", "blind" };

/* Of the table; "since" and "why" are for readers. */
enum {
	COLUMN_PLATFORM,
	COLUMN_SET,
	COLUMN_GPUS,
	COLUMN_CONFIG,
	COLUMN_SPLIT,
	COLUMN_COUNTS,
	COLUMN_COUNT,
	MOST_COLUMNS = 16
};
static const char *const column_name[COLUMN_COUNT] = { "platform", "set",   "gpus",
						       "config",   "split", "counts" };

static char *text_or_any(const char *text)
{
	return strcmp(text, "*") ? xstrdup(text) : NULL;
}

static int add_row(struct splits *splits, char *field[], const int column[COLUMN_COUNT])
{
	const char *gpus = field[column[COLUMN_GPUS]], *counts = field[column[COLUMN_COUNTS]];
	const char *platform = field[column[COLUMN_PLATFORM]];
	int64_t value = 0;
	int split = 0;
	while (split < SPLIT_COUNT && strcmp(split_name[split], field[column[COLUMN_SPLIT]]))
		split++;
	if (split == SPLIT_COUNT || (strcmp(counts, "-") && strcmp(counts, "left-out")) ||
	    (strcmp(gpus, "*") && (parse_i64(gpus, &value) || value < 1 || value > 64)))
		return -1;
	if (strcmp(platform, "*") && strcmp(platform, splits->platform))
		return 0;
	GROW(splits->row, splits->count, splits->capacity);
	splits->row[splits->count++] = (struct splits_row){
		.platform = text_or_any(platform),
		.set = text_or_any(field[column[COLUMN_SET]]),
		.config = text_or_any(field[column[COLUMN_CONFIG]]),
		.gpus = (int)value,
		.split = (enum split)split,
		.counts_left_out = strcmp(counts, "-") != 0,
	};
	return 0;
}

static int find_columns(char *field[], int count, int column[COLUMN_COUNT], const char *path)
{
	for (int c = 0; c < COLUMN_COUNT; c++) {
		column[c] = -1;
		for (int f = 0; f < count; f++)
			column[c] = strcmp(field[f], column_name[c]) ? column[c] : f;
		if (column[c] < 0)
			return report("%s: there is no column '%s'", path, column_name[c]);
	}
	return 0;
}

int splits_read(struct splits *splits, const char *path, const char *platform)
{
	FILE *file = fopen(path, "r");
	if (!file)
		return report("cannot open '%s': %s", path, strerror(errno));
	splits->platform = xstrdup(platform);
	char *line = NULL, *field[MOST_COLUMNS];
	size_t capacity = 0;
	int rc = 0, column[COLUMN_COUNT], fields = 0;
	for (int number = 1; !rc && getline(&line, &capacity, file) > 0; number++) {
		if (line[0] == '#')
			continue;
		int count = split_tabs(line, field, MOST_COLUMNS);
		if (!fields) {
			fields = count;
			rc = find_columns(field, count, column, path);
		} else if (count != fields || add_row(splits, field, column)) {
			rc = report("%s:%d: not a line of %d columns that puts something into "
				    "development, interval or blind",
				    path, number, fields);
		}
	}
	if (!rc && !fields)
		rc = report("%s: holds no table of splits", path);
	free(line);
	fclose(file);
	return rc;
}

void splits_release(struct splits *splits)
{
	for (size_t k = 0; k < splits->count; k++) {
		free(splits->row[k].platform);
		free(splits->row[k].set);
		free(splits->row[k].config);
	}
	free(splits->row);
	free(splits->platform);
	*splits = (struct splits){ 0 };
}

static bool set_matches(const char *named, const char *set)
{
	const bool planned = !strcmp(set, "size") || !strcmp(set, "gpus");
	return !named || !strcmp(named, set) || (planned && !strcmp(named, "planned")) ||
	       ((planned || !strcmp(set, "replay")) && !strcmp(named, "runs"));
}

static const struct splits_row *row_of(const struct splits *splits, const char *set, int gpus,
				       const char *config)
{
	for (size_t k = splits->count; k-- > 0;) {
		const struct splits_row *row = &splits->row[k];
		if (set_matches(row->set, set) && (!row->gpus || row->gpus == gpus) &&
		    (!row->config || (config && !strcmp(row->config, config))))
			return row;
	}
	return NULL;
}

enum split splits_find(const struct splits *splits, const char *set, int gpus, const char *config)
{
	const struct splits_row *row = row_of(splits, set, gpus, config);
	return row ? row->split : SPLIT_DEVELOPMENT;
}

bool splits_counts_left_out(const struct splits *splits, const char *config)
{
	const struct splits_row *row = row_of(splits, "kernels", 1, config);
	return row && row->counts_left_out;
}
