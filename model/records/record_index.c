/* SPDX-License-Identifier: MIT */
#include "record_index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/file_index.h"
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
	COLUMN_THREADS, /* an index of an earlier version has none, nor the next */
	COLUMN_SHARED,
	COLUMN_COUNT
};
static const char *const column_name[COLUMN_COUNT] = { "file",	   "bytes",	  "checksum",
						       "kernel",   "rows",	  "columns",
						       "launches", "duration_ns", "gap_ns",
						       "threads",  "shared_bytes" };

struct indexing {
	struct file_index files;
	struct profile *part; /* of each file */
};

static int add_row(void *context, const struct table_row *row)
{
	struct indexing *g = context;
	char **of = row->of;
	struct profile_row shape = { 0 };
	size_t file;
	if (parse_i64(of[COLUMN_ROWS], &shape.rows) ||
	    parse_i64(of[COLUMN_COLUMNS], &shape.columns) ||
	    parse_i64(of[COLUMN_LAUNCHES], &shape.launches) ||
	    parse_double(of[COLUMN_DURATION], &shape.duration_ns) ||
	    parse_double(of[COLUMN_GAP], &shape.gap_ns) || shape.rows < 1 || shape.columns < 1 ||
	    shape.launches < 1 || !(shape.duration_ns > 0) || !(shape.gap_ns >= -1) ||
	    (of[COLUMN_THREADS] && parse_i64(of[COLUMN_THREADS], &shape.form.threads)) ||
	    (of[COLUMN_SHARED] && parse_i64(of[COLUMN_SHARED], &shape.form.shared_bytes)) ||
	    shape.form.threads < 0 || shape.form.shared_bytes < 0)
		return -1;
	int rc =
		file_index_row(&g->files, of[COLUMN_FILE], of[COLUMN_BYTES], of[COLUMN_SUM], &file);
	if (rc < 1)
		return rc;
	profile_add_row(&g->part[file], of[COLUMN_KERNEL], &shape);
	return 0;
}

/* In the order of the files, as if each had been read. */
static void add_parts(struct profile *profile, const struct indexing *g)
{
	for (size_t f = 0; f < g->files.count; f++) {
		for (size_t k = 0; k < g->part[f].kernel_count; k++)
			for (size_t i = 0; i < g->part[f].kernel[k].row_count; i++)
				profile_add_row(profile, g->part[f].kernel[k].name,
						&g->part[f].kernel[k].row[i]);
		profile_end_file(profile, g->files.files[f]);
	}
}

int record_index_add(struct profile *profile, char *const *files, size_t count)
{
	static const struct table_format format = { column_name, COLUMN_COUNT, COLUMN_THREADS,
						    "a recorded shape of a file",
						    "recorded kernels" };
	struct indexing g = { .part = xcalloc(count + 1, sizeof(*g.part)) };
	file_index_open(&g.files, files, count);
	for (size_t k = 0; k < count; k++)
		profile_init(&g.part[k]);
	int rc = g.files.path ? table_read(g.files.path, &format, NULL, add_row, &g) : 0;
	const bool serves = file_index_serves(&g.files);
	if (!rc && serves)
		add_parts(profile, &g);
	for (size_t k = 0; k < count; k++)
		profile_release(&g.part[k]);
	free(g.part);
	file_index_release(&g.files);
	return rc ? -1 : serves;
}

static int write_rows(FILE *out, const char *path, const struct profile *profile)
{
	struct file_seal seal;
	if (file_seal_of(path, &seal))
		return report("%s: cannot read its end", path);
	for (size_t k = 0; k < profile->kernel_count; k++) {
		const struct profile_kernel *kernel = &profile->kernel[k];
		if (file_index_column(path, kernel->name))
			return -1;
		for (size_t i = 0; i < kernel->row_count; i++)
			fprintf(out,
				"%s\t%" PRId64 "\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64
				"\t%.17g\t%.17g\t%" PRId64 "\t%" PRId64 "\n",
				file_base_name(path), seal.bytes, seal.sum, kernel->name,
				kernel->row[i].rows, kernel->row[i].columns,
				kernel->row[i].launches, kernel->row[i].duration_ns,
				kernel->row[i].gap_ns, kernel->row[i].form.threads,
				kernel->row[i].form.shared_bytes);
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
