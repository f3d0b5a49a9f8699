/* SPDX-License-Identifier: MIT */
#include "profile_index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_profile.h"
#include "traces/base/file_index.h"
#include "traces/base/file_seal.h"
#include "traces/base/table_read.h"
#include "traces/base/util.h"

enum { COLUMN_FILE, COLUMN_BYTES, COLUMN_SUM, COLUMN_PROFILES, COLUMN_SYMBOL, COLUMN_KERNEL };
enum { COLUMN_COUNT = COLUMN_KERNEL + 1 };
static const char *const column_name[COLUMN_COUNT] = { "file",	   "bytes",  "checksum",
						       "profiles", "symbol", "kernel" };

struct indexing {
	struct profile_index *index;
	struct file_index files;
};

static int add_row(void *context, const struct table_row *row)
{
	struct indexing *g = context;
	int64_t profiles;
	size_t file;
	if (parse_i64(row->of[COLUMN_PROFILES], &profiles) || profiles < 1 || profiles > UINT16_MAX)
		return -1;
	int rc = file_index_row(&g->files, row->of[COLUMN_FILE], row->of[COLUMN_BYTES],
				row->of[COLUMN_SUM], &file);
	if (rc < 1)
		return rc;
	GROW(g->index->row, g->index->count, g->index->capacity);
	g->index->row[g->index->count++] =
		(struct profile_index_row){ .file = (uint32_t)file,
					    .symbol = xstrdup(row->of[COLUMN_SYMBOL]),
					    .kernel = xstrdup(row->of[COLUMN_KERNEL]),
					    .profiles = (size_t)profiles };
	return 0;
}

int profile_index_read(struct profile_index *index, char *const *files, size_t count)
{
	static const struct table_format format = { column_name, COLUMN_COUNT, COLUMN_COUNT,
						    "a kernel of a file", "profiled kernels" };
	*index = (struct profile_index){ 0 };
	struct indexing g = { .index = index };
	file_index_open(&g.files, files, count);
	int rc = g.files.path ? table_read(g.files.path, &format, NULL, add_row, &g) : 0;
	if (rc || !file_index_serves(&g.files))
		profile_index_release(index);
	file_index_release(&g.files);
	return rc;
}

void profile_index_release(struct profile_index *index)
{
	for (size_t k = 0; k < index->count; k++) {
		free(index->row[k].symbol);
		free(index->row[k].kernel);
	}
	free(index->row);
	*index = (struct profile_index){ 0 };
}

static int write_rows(FILE *out, const char *path, const struct file_seal *seal,
		      const struct kernel_profile *profile, size_t count)
{
	for (size_t k = 0; k < count; k++) {
		const struct kernel_profile *p = &profile[k];
		size_t before = 0, like = 0;
		if (file_index_column(path, p->kernel) || file_index_column(path, p->symbol))
			return -1;
		for (size_t i = 0; i < count; i++)
			if (!strcmp(profile[i].kernel, p->kernel) &&
			    !strcmp(profile[i].symbol, p->symbol)) {
				before += i < k;
				like++;
			}
		if (!before)
			fprintf(out, "%s\t%" PRId64 "\t%s\t%zu\t%s\t%s\n", file_base_name(path),
				seal->bytes, seal->sum, like, p->symbol, p->kernel);
	}
	return 0;
}

int profile_index_write(FILE *out, char *const *files, size_t count)
{
	struct kernel_profiles all;
	int rc = 0;
	kernel_profiles_init(&all);
	for (int c = 0; c < COLUMN_COUNT; c++)
		fprintf(out, "%s%c", column_name[c], c < COLUMN_KERNEL ? '\t' : '\n');
	for (size_t k = 0; k < count && !rc; k++) {
		const size_t known = all.count;
		struct file_seal seal;
		rc = kernel_profiles_add_file(&all, files[k]); /* against those before, too */
		if (!rc && file_seal_of(files[k], &seal))
			rc = report("%s: cannot read its end", files[k]);
		if (!rc)
			rc = write_rows(out, files[k], &seal, all.profile + known,
					all.count - known);
	}
	kernel_profiles_release(&all);
	return rc;
}
