/* SPDX-License-Identifier: MIT */
#include "profile_index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel_profile.h"
#include "traces/base/table_read.h"
#include "traces/base/util.h"

enum { COLUMN_FILE, COLUMN_BYTES, COLUMN_SUM, COLUMN_PROFILES, COLUMN_SYMBOL, COLUMN_KERNEL };
enum { COLUMN_COUNT = COLUMN_KERNEL + 1, SUM_BYTES = 4, SUM_DIGITS = 2 * SUM_BYTES };
static const char *const column_name[COLUMN_COUNT] = { "file",	   "bytes",  "checksum",
						       "profiles", "symbol", "kernel" };

/* What a file is known by. */
struct seal {
	int64_t bytes;
	char sum[SUM_DIGITS + 1];
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* -1: it is not there, or too short for one. */
static int seal_of(const char *path, struct seal *seal)
{
	unsigned char end[SUM_BYTES];
	struct stat status;
	FILE *file = fopen(path, "rb");
	int rc = -1;
	if (!file)
		return -1;
	if (!fstat(fileno(file), &status) && S_ISREG(status.st_mode) &&
	    !fseek(file, -(long)sizeof(end), SEEK_END) &&
	    fread(end, 1, sizeof(end), file) == sizeof(end)) {
		seal->bytes = status.st_size;
		for (int k = 0; k < SUM_BYTES; k++) /* little endian in the file */
			snprintf(seal->sum + 2 * k, 3, "%02x", end[SUM_BYTES - 1 - k]);
		rc = 0;
	}
	fclose(file);
	return rc;
}

struct indexing {
	struct profile_index *index;
	char *const *files;
	const struct seal *seal;
	size_t count;
	bool *has; /* rows */
	bool fits;
};

static int add_row(void *context, const struct table_row *row)
{
	struct indexing *g = context;
	int64_t bytes, profiles;
	size_t file = 0;
	if (parse_i64(row->of[COLUMN_BYTES], &bytes) ||
	    parse_i64(row->of[COLUMN_PROFILES], &profiles) || profiles < 1 || profiles > UINT16_MAX)
		return -1;
	while (file < g->count && strcmp(base_name(g->files[file]), row->of[COLUMN_FILE]))
		file++;
	if (file == g->count || g->seal[file].bytes != bytes ||
	    strcmp(g->seal[file].sum, row->of[COLUMN_SUM])) {
		g->fits = false;
		return 0;
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
	char *path = xprintf("%.*sindex.tsv", (int)(base_name(files[0]) - files[0]), files[0]);
	struct seal *seal = xcalloc(count, sizeof(*seal));
	struct indexing g = { .index = index,
			      .files = files,
			      .seal = seal,
			      .count = count,
			      .has = xcalloc(count, sizeof(*g.has)),
			      .fits = !access(path, F_OK) };
	int rc = 0;
	for (size_t k = 0; k < count && g.fits; k++)
		g.fits = !seal_of(files[k], &seal[k]);
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

static int write_rows(FILE *out, const char *path, const struct seal *seal,
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
			fprintf(out, "%s\t%" PRId64 "\t%s\t%zu\t%s\t%s\n", base_name(path),
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
		struct seal seal;
		rc = kernel_profiles_add_file(&all, files[k]); /* against those before, too */
		if (!rc && seal_of(files[k], &seal))
			rc = report("%s: cannot read its end", files[k]);
		if (!rc)
			rc = write_rows(out, files[k], &seal, all.profile + known,
					all.count - known);
	}
	kernel_profiles_release(&all);
	return rc;
}
