/* SPDX-License-Identifier: MIT
 * Several calibrations made one: machines of a kind differ, and so do processes on one of them
 * (docs/lab/devices.md).
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/output.h"
#include "traces/base/util.h"
#include "calibrate_results.h"
#include "model/platform/platform_internal.h"

#define AXIS_TOLERANCE                                                                             \
	0.25 /* where a curve is measured may be measured itself (durations of kernels), and       \
		differs a little then */

struct merge {
	struct platform *file; /* [count] */
	size_t count;
	bool traced; /* a file has a pass under the recorder */
	struct results *results;
};

/* One key: its numbers in every file that has it, number by number. */
struct column {
	const struct platform *file; /* that had it first */
	const struct platform_entry *entry;
	struct number_list *list; /* [files] */
	size_t files;
};

static bool is_traced(const struct platform *file)
{
	return platform_entry_find(file, "tracer.outside_ns") ||
	       platform_entry_find(file, "tracer.stream_period_ns");
}

/* What a file says and counts: gaps between kernels are guesses where no recorder told how long the
 * kernels are. */
static const struct platform_entry *entry_of(const struct merge *m, size_t f, const char *key)
{
	return m->traced && !is_traced(&m->file[f]) &&
			       !strncmp(key, "stream.kernel_gap", strlen("stream.kernel_gap"))
		       ? NULL
		       : platform_entry_find(&m->file[f], key);
}

static bool must_agree(const struct platform_entry *entry)
{
	return entry->spec->kind == KEY_TEXT || !strncmp(entry->key, "device.", 7);
}

/* Names of visits, each once. */
static char *words_of_both(const char *a, const char *b)
{
	char *all = xstrdup(a), *rest = xstrdup(b), *at = rest, *word;
	while ((word = strsep(&at, " ")) != NULL) {
		char *padded = xprintf(" %s ", all), *wanted = xprintf(" %s ", word);
		if (*word && !strstr(padded, wanted)) {
			char *longer = xprintf("%s %s", all, word);
			free(all);
			all = longer;
		}
		free(padded);
		free(wanted);
	}
	free(rest);
	return all;
}

static int merge_words(const struct merge *m, const struct platform_entry *first,
		       const struct platform *owner)
{
	char *text = xstrdup(first->text);
	int rc = 0;
	for (size_t f = 0; f < m->count && !rc; f++) {
		const struct platform_entry *other = platform_entry_find(&m->file[f], first->key);
		if (other && !strcmp(first->key, "platform.input_visits")) {
			char *both = words_of_both(text, other->text);
			free(text);
			text = both;
		} else if (other && strcmp(other->text, text)) {
			rc = report(
				"%s: '%s' is '%s', but '%s' in %s: not the same kind of machine",
				m->file[f].path, first->key, other->text, text, owner->path);
		}
	}
	if (!rc)
		results_add(m->results, first->key, NULL, NULL, 0, text);
	free(text);
	return rc;
}

/* A curve over what was measured, such as durations of kernels, may have a point more or less:
 * those too near each other are one. */
static bool has_measured_places(const struct platform_key *spec)
{
	const struct platform_key *axis = spec->flags & KEY_ASCENDING ? spec
					  : spec->pairs ? platform_key_find(spec->pairs)
							: NULL;
	return axis && axis->flags & KEY_ASCENDING && !strcmp(axis->unit, "ns");
}

static int add_numbers(struct column *column, const struct platform *file,
		       const struct platform_entry *entry)
{
	struct number_list *list = &column->list[column->files];
	const double tolerance = has_measured_places(entry->spec) ? AXIS_TOLERANCE : 0;
	char bad[48];
	if (number_list_parse(list, entry->text, bad))
		return report("%s: '%s': '%s' is not a number", file->path, entry->key, bad);
	if (column->files && list->count != column->list[0].count &&
	    has_measured_places(entry->spec)) {
		free(list->value); /* the curve of the first stays that of the others with as many
				      points */
		*list = (struct number_list){ 0 };
		return 0;
	}
	column->files++;
	if (list->count != column->list[0].count)
		return report("%s: '%s' has %zu entries, but %zu in %s", file->path, entry->key,
			      list->count, column->list[0].count, column->file->path);
	for (size_t i = 0; i < list->count && entry->spec->flags & KEY_ASCENDING; i++)
		if (fabs(list->value[i] - column->list[0].value[i]) >
		    tolerance * fabs(column->list[0].value[i]))
			return report(
				"%s: '%s' has %g for %g in %s: not measured at the same places",
				file->path, entry->key, list->value[i], column->list[0].value[i],
				column->file->path);
	return 0;
}

static double median_at(const struct column *column, size_t i, double from)
{
	double *value = xmalloc(column->files * sizeof(*value));
	for (size_t f = 0; f < column->files; f++)
		value[f] = isnan(from) ? column->list[f].value[i]
				       : fabs(column->list[f].value[i] - from);
	double median = median_of(value, column->files);
	free(value);
	return median;
}

static void add_medians(const struct merge *m, const struct column *column)
{
	const size_t count = column->list[0].count;
	double *value = xmalloc((count + 1) * sizeof(*value)),
	       *spread = xmalloc((count + 1) * sizeof(*spread));
	for (size_t i = 0; i < count; i++) {
		value[i] = median_at(column, i, NAN);
		if (column->entry->spec->kind == KEY_INTEGER)
			value[i] = floor(value[i] + 0.5);
		spread[i] = median_at(column, i, value[i]);
	}
	char *how = xprintf("median of %zu: %s", column->files, column->entry->spec->help);
	/* A single file's number deviates from nothing, nor does a place that was chosen. */
	bool varies = column->files > 1 && (!(column->entry->spec->flags & KEY_ASCENDING) ||
					    has_measured_places(column->entry->spec));
	results_add(m->results, column->entry->key, value, varies ? spread : NULL, count, how);
	free(how);
	free(value);
	free(spread);
}

static int merge_numbers(const struct merge *m, const struct platform_entry *first,
			 const struct platform *owner)
{
	struct column column = { .file = owner,
				 .entry = first,
				 .list = xcalloc(m->count, sizeof(*column.list)) };
	int rc = 0;
	for (size_t f = 0; f < m->count && !rc; f++) {
		const struct platform_entry *entry = entry_of(m, f, first->key);
		rc = entry ? add_numbers(&column, &m->file[f], entry) : 0;
	}
	if (!rc)
		add_medians(m, &column);
	for (size_t f = 0; f < column.files; f++)
		free(column.list[f].value);
	free(column.list);
	return rc;
}

/* What the file before had was merged with it. */
static bool had_before(const struct merge *m, size_t file, const char *key)
{
	for (size_t f = 0; f < file; f++)
		if (entry_of(m, f, key))
			return true;
	return false;
}

static int merge(const struct merge *m)
{
	int rc = 0;
	for (size_t f = 0; f < m->count; f++)
		for (size_t i = 0; i < m->file[f].entry_count && !rc; i++) {
			const struct platform_entry *entry = &m->file[f].entry[i];
			if (!entry_of(m, f, entry->key) || had_before(m, f, entry->key) ||
			    !strcmp(entry->key, "platform.name") ||
			    platform_key_is_base(entry->key)) /* made anew */
				continue;
			rc = must_agree(entry) ? merge_words(m, entry, &m->file[f])
					       : merge_numbers(m, entry, &m->file[f]);
		}
	return rc;
}

int calibrate_merge(struct results *results, const char *paths, const char *output)
{
	struct merge m = { .results = results };
	char *rest = xstrdup(paths), *at = rest, *path;
	size_t capacity = 0;
	int rc = 0;
	while (!rc && (path = strsep(&at, ",")) != NULL) {
		GROW(m.file, m.count, capacity);
		rc = platform_read_part(&m.file[m.count], path);
		m.count += rc == 0;
		for (size_t f = 0; !rc && f + 1 < m.count; f++)
			if (!strcmp(m.file[f].path, m.file[m.count - 1].path))
				rc = report("--merge: '%s' is given twice", path);
	}
	for (size_t f = 0; f < m.count && !rc; f++)
		m.traced |= is_traced(&m.file[f]);
	for (size_t f = 0; f < m.count && !rc && output; f++)
		rc = output_differs(output, m.file[f].path);
	if (!rc && m.count < 2)
		rc = report("--merge: '%s' is one file; there is nothing to merge it with", paths);
	if (!rc)
		rc = merge(&m);
	for (size_t f = 0; f < m.count; f++)
		platform_release(&m.file[f]);
	free(m.file);
	free(rest);
	return rc;
}
