/* SPDX-License-Identifier: MIT */
#include "calibrate_results.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/lines.h"
#include "traces/base/util.h"
#include "model/platform/platform_internal.h"

static double *copy_numbers(const double *values, size_t count)
{
	double *copy = values && count ? xmalloc(count * sizeof(*copy)) : NULL;
	if (copy)
		memcpy(copy, values, count * sizeof(*copy));
	return copy;
}

void results_add(struct results *results, const char *key, const double *values,
		 const double *spread, size_t count, const char *how)
{
	GROW(results->item, results->count, results->capacity);
	results->item[results->count++] = (struct result){
		.key = xstrdup(key),
		.values = copy_numbers(values, count),
		.spread = copy_numbers(spread, count),
		.count = values ? count : 0,
		.how = xstrdup(how),
	};
}

void results_release(struct results *results)
{
	for (size_t i = 0; i < results->count; i++) {
		free(results->item[i].key);
		free(results->item[i].values);
		free(results->item[i].spread);
		free(results->item[i].how);
	}
	free(results->item);
	*results = (struct results){ 0 };
}

struct result *results_find(const struct results *results, const char *key)
{
	for (size_t i = 0; i < results->count; i++)
		if (!strcmp(results->item[i].key, key))
			return &results->item[i];
	return NULL;
}

void results_add_bases(struct results *results)
{
	for (size_t i = 0, count = results->count; i < count; i++) {
		const struct platform_key *key = platform_key_find(results->item[i].key);
		if (!key || !(key->flags & KEY_BASE) || platform_key_is_base(results->item[i].key))
			continue;
		char *name = xprintf("base.%s", results->item[i].key);
		results_add(results, name, results->item[i].values, NULL, results->item[i].count,
			    "as it was beside the finer measurements");
		free(name);
	}
}

static void write_numbers(FILE *out, const double *values, size_t count)
{
	for (size_t i = 0; values && i < count; i++)
		fprintf(out, "%s%.17g", i ? " " : "", values[i]);
}

int results_write_raw(const struct results *results, FILE *out)
{
	for (size_t i = 0; i < results->count; i++) {
		const struct result *item = &results->item[i];
		fprintf(out, "%s\t", item->key);
		write_numbers(out, item->values, item->count);
		fputc('\t', out);
		write_numbers(out, item->spread, item->count);
		fprintf(out, "\t%s\n", item->how);
	}
	return ferror(out) ? -1 : 0;
}

static int read_line(struct results *results, char *line, const char *path, size_t number)
{
	char *field[4], bad[48];
	struct number_list values = { 0 }, spread = { 0 };
	int rc = 0;
	line[strcspn(line, "\n")] = 0;
	for (int i = 0; i < 4; i++)
		if (!(field[i] = strsep(&line, "\t")))
			return report("%s: line %zu has no four fields", path, number);
	if (number_list_parse(&values, field[1], bad) || number_list_parse(&spread, field[2], bad))
		rc = report("%s: line %zu: '%s' is not a number", path, number, bad);
	else if (spread.count && spread.count != values.count)
		rc = report("%s: line %zu: %zu values with %zu spreads", path, number, values.count,
			    spread.count);
	else
		results_add(results, field[0], values.value, spread.value, values.count, field[3]);
	free(values.value);
	free(spread.value);
	return rc;
}

int results_read_raw(struct results *results, const char *path)
{
	struct lines lines;
	int rc = 0, more = 0;
	if (lines_open(&lines, path))
		return -1;
	while (!rc && (more = lines_next(&lines)) > 0)
		rc = read_line(results, lines.text, path, (size_t)lines.number);
	lines_close(&lines);
	return rc || more < 0 ? -1 : 0;
}

/* A line break goes before the column limit: readers of .ini files know continued lines, not long
 * ones. */
static void write_wrapped(FILE *out, const char *key, const double *values, size_t count)
{
	int column = fprintf(out, "%s =", key);
	for (size_t i = 0; i < count; i++) {
		char number[40];
		const char *form =
			values[i] == floor(values[i]) && fabs(values[i]) < 1e15 ? "%.0f" : "%.6g";
		int length = snprintf(number, sizeof(number), form, values[i]);
		bool wrap = column + 1 + length > 110;
		column = (wrap ? 7 : column) + 1 + length;
		fprintf(out, "%s%s", wrap ? "\n\t" : " ", number);
	}
	fputc('\n', out);
}

static void write_result(const struct result *item, const char *key, FILE *out)
{
	if (!item->count) {
		fprintf(out, "%s = %s\n", key, item->how);
		return;
	}
	fprintf(out, "# %s\n", item->how);
	write_wrapped(out, key, item->values, item->count);
	if (!item->spread)
		return;
	char *spread_key = xprintf("%s_mad", key);
	write_wrapped(out, spread_key, item->spread, item->count);
	free(spread_key);
}

static char *text_of_result(const struct result *item)
{
	char *text = xstrdup("");
	for (size_t k = 0; k < item->count; k++) {
		char *longer = xprintf("%s%s%.17g", text, k ? " " : "", item->values[k]);
		free(text);
		text = longer;
	}
	return text;
}

struct texts { /* of the results, while they are asked for */
	const struct results *results;
	char *text[2]; /* owned; the last two */
	size_t next;
};

static const char *text_in_results(const void *from, const char *key)
{
	struct texts *texts = (struct texts *)from;
	const struct result *item = results_find(texts->results, key);
	if (!item || !item->count)
		return NULL;
	char **text = &texts->text[texts->next++ % 2];
	free(*text);
	*text = text_of_result(item);
	return *text;
}

/* Whether a key was measured as it follows from others: within both spreads where these are no
 * excuse, or as near as benchmarks come. */
static bool follows(const struct results *results, const struct result *item)
{
	const double near = 0.005, far = 0.1;
	struct texts texts = { .results = results };
	char *text = platform_key_follows(item->key, text_in_results, &texts), bad[48];
	const char *of = platform_key_source(item->key);
	const struct result *source = of ? results_find(results, of) : NULL;
	struct number_list list = { 0 };
	bool alike = text && !number_list_parse(&list, text, bad) && list.count == item->count;
	for (size_t k = 0; alike && k < list.count; k++) {
		const double spread =
			(item->spread ? item->spread[k] : 0) +
			(source && source->spread && k < source->count ? source->spread[k] : 0);
		alike = fabs(item->values[k] - list.value[k]) <=
			fmax(fmin(spread, far * fabs(list.value[k])), near * fabs(list.value[k]));
	}
	free(list.value);
	free(texts.text[0]);
	free(texts.text[1]);
	free(text);
	return alike;
}

/* Keys of one section, or of all, in the order of the table; those of [base.*] by themselves. */
static void write_keys(const struct results *results, const char *only, bool base, FILE *out)
{
	char section[64] = "";
	for (const struct platform_key *key = platform_keys; key->name; key++) {
		for (size_t i = 0; i < results->count; i++) {
			const struct result *item = &results->item[i];
			const char *name = strrchr(item->key, '.') + 1;
			char own[64];
			snprintf(own, sizeof(own), "%.*s", (int)(name - 1 - item->key), item->key);
			if (platform_key_find(item->key) != key || (only && strcmp(own, only)) ||
			    platform_key_is_base(item->key) != base || follows(results, item))
				continue;
			if (strcmp(section, own)) {
				strcpy(section, own);
				if (!only)
					fprintf(out, "\n[%s]\n", section);
			}
			write_result(item, name, out);
		}
	}
}

static void warn_of_unknown(const struct results *results)
{
	for (size_t i = 0; i < results->count; i++)
		if (!platform_key_find(results->item[i].key) &&
		    !platform_key_is_evidence(results->item[i].key))
			report_warning(
				"'%s' was measured but platform files have no such key: left out",
				results->item[i].key);
}

int results_write_section(const struct results *results, const char *section, FILE *out)
{
	write_keys(results, section, platform_key_is_base(section), out);
	return ferror(out) || fflush(out) ? -1 : 0;
}

int results_write_platform(const struct results *results, const char *provenance, FILE *out)
{
	fputs("# A platform measured by warpreel calibrate; warpreel-platform(5) describes every "
	      "key. X_mad is the median absolute\n"
	      "# deviation of the batches X is the median of.\n",
	      out);
	warn_of_unknown(results);
	write_keys(results, NULL, false, out);
	write_keys(results, NULL, true, out);
	fprintf(out, "\n[provenance]\n%s", provenance);
	return ferror(out) || fflush(out) ? -1 : 0;
}
