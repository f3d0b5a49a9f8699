/* SPDX-License-Identifier: MIT */
#include "file_index.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_seal.h"
#include "util.h"

static char *beside(const char *path)
{
	char *index = xprintf("%.*sindex.tsv", (int)(file_base_name(path) - path), path);
	if (!access(index, F_OK))
		return index;
	free(index);
	return NULL;
}

void file_index_open(struct file_index *index, char *const *files, size_t count)
{
	*index = (struct file_index){ .path = count ? beside(files[0]) : NULL,
				      .files = files,
				      .seal = xcalloc(count + 1, sizeof(*index->seal)),
				      .has = xcalloc(count + 1, sizeof(*index->has)),
				      .count = count };
	index->fits = index->path != NULL;
	for (size_t k = 0; k < count && index->fits; k++)
		index->fits = !file_seal_of(files[k], &index->seal[k]);
	if (index->fits)
		return;
	free(index->path);
	index->path = NULL;
}

void file_index_release(struct file_index *index)
{
	free(index->path);
	free(index->seal);
	free(index->has);
	*index = (struct file_index){ 0 };
}

int file_index_row(struct file_index *index, const char *name, const char *bytes, const char *sum,
		   size_t *file)
{
	int64_t length;
	if (parse_i64(bytes, &length))
		return -1;
	for (*file = 0; *file < index->count; ++*file)
		if (!strcmp(file_base_name(index->files[*file]), name))
			break;
	const struct file_seal *seal = *file < index->count ? &index->seal[*file] : NULL;
	index->fits &= seal && seal->bytes == length && !strcmp(seal->sum, sum);
	if (index->fits)
		index->has[*file] = true;
	return index->fits;
}

bool file_index_serves(const struct file_index *index)
{
	bool serves = index->path && index->fits;
	for (size_t k = 0; k < index->count; k++)
		serves &= index->has[k];
	return serves;
}

int file_index_column(const char *path, const char *kernel)
{
	return strpbrk(kernel, "\t\n")
		       ? report("%s: the name of kernel '%s' is no column of a table", path, kernel)
		       : 0;
}
