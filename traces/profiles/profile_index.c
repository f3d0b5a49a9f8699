/* SPDX-License-Identifier: MIT */
#include "profile_index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_profile.h"
#include "traces/base/file_seal.h"
#include "traces/base/table_read.h"
#include "traces/base/util.h"

enum { COLUMN_FILE, COLUMN_BYTES, COLUMN_SUM, COLUMN_PROFILES, COLUMN_SYMBOL, COLUMN_KERNEL };
enum { COLUMN_COUNT = COLUMN_KERNEL + 1 };
static const char *const column_name[COLUMN_COUNT] = { "file",	   "bytes",  "checksum",
						       "profiles", "symbol", "kernel" };

struct indexing {
	struct profile_index *index;
	char *const *files;
	const struct file_seal *seal;
	size_t count;
	bool *has; /* rows */
	bool fits;
};

static int add_row(void *context, const struct table_row *row)
{
	struct indexing *g = context;
	int64_t profiles;
	size_t file = 0;
	if (parse_i64(row->of[COLUMN_PROFILES], &profiles) || profiles < 1 || profiles > UINT16_MAX)
		return -1;
	while (file < g->count && strcmp(file_base_name(g->files[file]), row->of[COLUMN_FILE]))
		file++;
	int is = file_seal_is(file < g->count ? &g->seal[file] : NULL, row->of[COLUMN_BYTES],
			      row->of[COLUMN_SUM]);
	if (is < 1) {
		g->fits = false;
		return is;
	}
	g->has[file] = true;
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
	if (!count)
		return 0;
	char *path = file_index_of(files[0]);
	struct file_seal *seal = xcalloc(count, sizeof(*seal));
	struct indexing g = { .index = index,
			      .files = files,
			      .seal = seal,
			      .count = count,
			      .has = xcalloc(count, sizeof(*g.has)),
			      .fits = path != NULL };
	int rc = 0;
	for (size_t k = 0; k < count && g.fits; k++)
		g.fits = !file_seal_of(files[k], &seal[k]);
	if (g.fits)
		rc = table_read(path, &format, NULL, add_row, &g);
	for (size_t k = 0; k < count; k++)
		g.fits &= g.has[k];
	if (rc || !g.fits)
		profile_index_release(index);
	free(g.has);
	free(seal);
	free(path);
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

static bool is_field(const char *text)
{
	return !strpbrk(text, "\t\n");
}

static int write_rows(FILE *out, const char *path, const struct file_seal *seal,
		      const struct kernel_profile *profile, size_t count)
{
	for (size_t k = 0; k < count; k++) {
		const struct kernel_profile *p = &profile[k];
		size_t before = 0, like = 0;
		if (!is_field(p->kernel) || !is_field(p->symbol))
			return report("%s: the name of kernel '%s' is no column of a table", path,
				      p->kernel);
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
