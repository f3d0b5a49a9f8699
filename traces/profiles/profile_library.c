/* SPDX-License-Identifier: MIT */
#include "profile_library.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

/* Room for all that the index knows of: who holds one of the loaded keeps it. */
static void reserve(struct profile_library *library)
{
	struct kernel_profiles *all = &library->loaded;
	size_t bytes = 1;
	for (size_t k = 0; k < library->index.count; k++)
		all->capacity += library->index.row[k].profiles;
	all->profile = xcalloc(all->capacity + 1, sizeof(*all->profile));
	for (size_t k = 0; k < library->file_count; k++)
		bytes += strlen(library->file[k]) + 1;
	all->source = xcalloc(1, bytes);
	for (size_t k = 0; k < library->file_count; k++) {
		strcat(all->source, k ? "," : "");
		strcat(all->source, library->file[k]);
	}
}

int profile_library_open(struct profile_library *library, char *const *files, size_t count)
{
	int rc = profile_index_read(&library->index, files, count);
	library->file = xcalloc(count + 1, sizeof(*library->file));
	for (; library->file_count < count; library->file_count++)
		library->file[library->file_count] = xstrdup(files[library->file_count]);
	library->here = xcalloc(library->index.count + 1, sizeof(*library->here));
	if (library->index.count)
		reserve(library);
	for (size_t k = 0; k < count && !rc && !library->index.count; k++)
		rc = kernel_profiles_add_file(&library->loaded, files[k]);
	return rc;
}

int profile_library_open_file(struct profile_library *library, const char *file)
{
	return kernel_profiles_add_file(&library->loaded, file);
}

void profile_library_release(struct profile_library *library)
{
	kernel_profiles_release(&library->loaded);
	for (size_t k = 0; k < library->file_count; k++)
		free(library->file[k]);
	free(library->file);
	free(library->here);
	profile_index_release(&library->index);
	*library = (struct profile_library){ 0 };
}

bool profile_library_has(const struct profile_library *library, const char *kernel)
{
	for (size_t k = 0; k < library->index.count; k++)
		if (!strcmp(library->index.row[k].kernel, kernel))
			return true;
	for (size_t k = 0; k < library->loaded.count; k++)
		if (!strcmp(library->loaded.profile[k].kernel, kernel))
			return true;
	return false;
}

/* What is wanted of one file. */
struct wanting {
	const struct profile_library *library;
	const bool *now; /* by row of the index */
	size_t file;
};

static bool wanted(void *context, const char *symbol)
{
	const struct wanting *w = context;
	const struct profile_index *index = &w->library->index;
	for (size_t k = 0; k < index->count; k++)
		if (w->now[k] && index->row[k].file == w->file &&
		    !strcmp(index->row[k].symbol, symbol))
			return true;
	return false;
}

static int load(struct profile_library *library, const bool *now, size_t file)
{
	struct wanting wanting = { library, now, file };
	struct kernel_profiles *all = &library->loaded;
	const char *path = library->file[file];
	struct trace trace;
	int rc;
	trace_init(&trace);
	rc = trace_read_profiles(&trace, path, wanted, &wanting);
	if (!rc && all->count + trace.profile_count > all->capacity)
		rc = report("%s: has more kernel profiles than index.tsv beside it says: write it "
			    "anew with warpreel index",
			    path);
	if (!rc)
		rc = kernel_profiles_add_part(all, &trace, path);
	trace_release(&trace);
	return rc;
}

static bool is_called(const struct profile_index_row *row, char *const *kernels, size_t count)
{
	for (size_t k = 0; k < count; k++)
		if (!strcmp(row->kernel, kernels[k]) || !strcmp(row->symbol, kernels[k]))
			return true;
	return false;
}

int profile_library_need(struct profile_library *library, char *const *kernels, size_t count)
{
	const struct profile_index *index = &library->index;
	bool *now = xcalloc(index->count + 1, sizeof(*now)), any = false;
	int rc = 0;
	for (size_t k = 0; k < index->count; k++)
		if (!library->here[k] && is_called(&index->row[k], kernels, count))
			any = now[k] = true;
	/* A symbol comes with all its names. */
	for (size_t k = 0; k < index->count && any; k++)
		for (size_t i = 0; i < index->count && !now[k]; i++)
			now[k] = now[i] && index->row[i].file == index->row[k].file &&
				 !strcmp(index->row[i].symbol, index->row[k].symbol);
	for (size_t file = 0; file < library->file_count && any && !rc; file++) {
		bool here = false;
		for (size_t k = 0; k < index->count; k++)
			here |= now[k] && index->row[k].file == file;
		rc = here ? load(library, now, file) : 0;
	}
	for (size_t k = 0; k < index->count && !rc; k++)
		library->here[k] |= now[k];
	free(now);
	return rc;
}
