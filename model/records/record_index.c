/* SPDX-License-Identifier: MIT */
#include "record_index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/file_seal.h"
#include "traces/base/table_read.h"
#include "traces/base/util.h"

enum {
	COLUMN_FILE,
	COLUMN_BYTES,
	COLUMN_SUM,
	COLUMN_KERNEL,
	COLUMN_ROWS,
	COLUMN_COLUMNS,
	COLUMN_LAUNCHES,
	COLUMN_DURATION,
	COLUMN_GAP,
	COLUMN_COUNT
};
static const char *const column_name[COLUMN_COUNT] = { "file",	   "bytes",	  "checksum",
						       "kernel",   "rows",	  "columns",
						       "launches", "duration_ns", "gap_ns" };

struct indexing {
	char *const *files;
	const struct file_seal *seal;
	struct profile *part; /* of each file */
	size_t count;
	bool fits;
};

static int add_row(void *context, const struct table_row *row)
{
	struct indexing *g = context;
	char **of = row->of;
	struct profile_row shape;
	size_t file = 0;
	if (parse_i64(of[COLUMN_ROWS], &shape.rows) ||
	    parse_i64(of[COLUMN_COLUMNS], &shape.columns) ||
	    parse_i64(of[COLUMN_LAUNCHES], &shape.launches) ||
	    parse_double(of[COLUMN_DURATION], &shape.duration_ns) ||
	    parse_double(of[COLUMN_GAP], &shape.gap_ns) || shape.rows < 1 || shape.columns < 1 ||
	    shape.launches < 1 || !(shape.duration_ns > 0) || !(shape.gap_ns >= -1))
		return -1;
	while (file < g->count && strcmp(file_base_name(g->files[file]), of[COLUMN_FILE]))
		file++;
	int is = file_seal_is(file < g->count ? &g->seal[file] : NULL, of[COLUMN_BYTES],
			      of[COLUMN_SUM]);
	if (is < 1) {
		g->fits = false;
		return is;
	}
	profile_add_row(&g->part[file], of[COLUMN_KERNEL], &shape);
	return 0;
}

/* In the order of the files, as if each had been read. */
static void add_parts(struct profile *profile, const struct indexing *g)
{
	for (size_t f = 0; f < g->count; f++) {
		for (size_t k = 0; k < g->part[f].kernel_count; k++)
			for (size_t i = 0; i < g->part[f].kernel[k].row_count; i++)
				profile_add_row(profile, g->part[f].kernel[k].name,
						&g->part[f].kernel[k].row[i]);
		profile_end_file(profile, g->files[f]);
	}
}

int record_index_add(struct profile *profile, char *const *files, size_t count)
{
	static const struct table_format format = { column_name, COLUMN_COUNT, COLUMN_COUNT,
						    "a recorded shape of a file",
						    "recorded kernels" };
	char *path = count ? file_index_of(files[0]) : NULL;
	struct file_seal *seal = xcalloc(count + 1, sizeof(*seal));
	struct indexing g = { .files = files,
			      .seal = seal,
			      .part = xcalloc(count + 1, sizeof(*g.part)),
			      .count = count,
			      .fits = path != NULL };
	int rc = 0;
	for (size_t k = 0; k < count; k++) {
		profile_init(&g.part[k]);
		g.fits = g.fits && !file_seal_of(files[k], &seal[k]);
	}
	if (g.fits)
		rc = table_read(path, &format, NULL, add_row, &g);
	for (size_t k = 0; k < count; k++)
		g.fits &= g.part[k].kernel_count > 0;
	if (!rc && g.fits)
		add_parts(profile, &g);
	for (size_t k = 0; k < count; k++)
		profile_release(&g.part[k]);
	free(g.part);
	free(seal);
	free(path);
	return rc ? -1 : g.fits;
}

static int write_rows(FILE *out, const char *path, const struct profile *profile)
{
	struct file_seal seal;
	if (file_seal_of(path, &seal))
		return report("%s: cannot read its end", path);
	for (size_t k = 0; k < profile->kernel_count; k++) {
		const struct profile_kernel *kernel = &profile->kernel[k];
		if (strpbrk(kernel->name, "\t\n"))
			return report("%s: the name of kernel '%s' is no column of a table", path,
				      kernel->name);
		for (size_t i = 0; i < kernel->row_count; i++)
			fprintf(out,
				"%s\t%" PRId64 "\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64
				"\t%.17g\t%.17g\n",
				file_base_name(path), seal.bytes, seal.sum, kernel->name,
				kernel->row[i].rows, kernel->row[i].columns,
				kernel->row[i].launches, kernel->row[i].duration_ns,
				kernel->row[i].gap_ns);
	}
	return 0;
}

int record_index_write(FILE *out, char *const *files, size_t count)
{
	int rc = 0;
	for (int c = 0; c < COLUMN_COUNT; c++)
		fprintf(out, "%s%c", column_name[c], c + 1 < COLUMN_COUNT ? '\t' : '\n');
	for (size_t k = 0; k < count && !rc; k++) {
		struct profile one;
		profile_init(&one);
		rc = profile_add_file(&one, files[k]);
		if (!rc)
			rc = write_rows(out, files[k], &one);
		profile_release(&one);
	}
	return rc;
}
