/* SPDX-License-Identifier: MIT */
#include "splits.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sets.h"
#include "traces/base/table_read.h"
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
	COLUMN_COUNT
};
static const char *const column_name[COLUMN_COUNT] = { "platform", "set",   "gpus",
						       "config",   "split", "counts" };

static char *text_or_any(const char *text)
{
	return strcmp(text, "*") ? xstrdup(text) : NULL;
}

static int add_row(void *context, const struct table_row *row)
{
	struct splits *splits = context;
	char **of = row->of;
	const char *gpus = of[COLUMN_GPUS], *counts = of[COLUMN_COUNTS];
	const char *platform = of[COLUMN_PLATFORM];
	int64_t value = 0;
	int split = 0;
	while (split < SPLIT_COUNT && strcmp(split_name[split], of[COLUMN_SPLIT]))
		split++;
	if (split == SPLIT_COUNT || (strcmp(counts, "-") && strcmp(counts, "left-out")) ||
	    (strcmp(gpus, "*") && (parse_i64(gpus, &value) || value < 1 || value > 64)))
		return -1;
	if (strcmp(platform, "*") && strcmp(platform, splits->platform))
		return 0;
	GROW(splits->row, splits->count, splits->capacity);
	splits->row[splits->count++] = (struct splits_row){
		.platform = text_or_any(platform),
		.set = text_or_any(of[COLUMN_SET]),
		.config = text_or_any(of[COLUMN_CONFIG]),
		.gpus = (int)value,
		.split = (enum split)split,
		.counts_left_out = strcmp(counts, "-") != 0,
	};
	return 0;
}

int splits_read(struct splits *splits, const char *path, const char *platform)
{
	static const struct table_format format = {
		column_name, COLUMN_COUNT, COLUMN_COUNT,
		"a line that puts something into development, interval or "
		"blind,",
		"splits"
	};
	splits->platform = xstrdup(platform);
	return table_read(path, &format, NULL, add_row, splits);
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

static const struct splits_row *row_of(const struct splits *splits, const char *set, int gpus,
				       const char *config)
{
	for (size_t k = splits->count; k-- > 0;) {
		const struct splits_row *row = &splits->row[k];
		if ((!row->set || set_within(set, row->set)) && (!row->gpus || row->gpus == gpus) &&
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
