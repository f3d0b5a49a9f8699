/* SPDX-License-Identifier: MIT */
#include "trace_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace_join.h"
#include "trace_seal.h"
#include "traces/base/util.h"

bool trace_is_folder(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* What else lies there is no trace. */
static int is_trace(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && !strstr(entry->d_name, ".spool-") &&
	       (strstr(entry->d_name, ".wrt") || strstr(entry->d_name, ".sqlite"));
}

int trace_folder_count(const char *folder)
{
	struct dirent **entry = NULL;
	const int found = scandir(folder, &entry, is_trace, alphasort);

	for (int i = 0; i < found; i++)
		free(entry[i]);
	free(entry);
	return found > 0 ? found : 0;
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* The folders in a folder that hold traces, with *names, each to be freed as they are. */
static int runs_in(const char *folder, char ***names)
{
	struct dirent **entry = NULL;
	const int found = scandir(folder, &entry, is_shown, alphasort);
	int runs = 0;

	*names = xmalloc((size_t)(found > 0 ? found : 1) * sizeof(**names));
	for (int i = 0; i < found; i++) {
		char *path = xprintf("%s/%s", folder, entry[i]->d_name);

		if (trace_is_folder(path) && trace_folder_count(path))
			(*names)[runs++] = xstrdup(entry[i]->d_name);
		free(path);
		free(entry[i]);
	}
	free(entry);
	return runs;
}

bool trace_folder_is_series(const char *folder)
{
	char **name = NULL;
	const int runs = trace_folder_count(folder) ? 0 : runs_in(folder, &name);

	for (int i = 0; i < runs; i++)
		free(name[i]);
	free(name);
	return runs > 0;
}

int trace_folder_names(const char *folder, char ***names)
{
	struct dirent **entry = NULL;
	int found = scandir(folder, &entry, is_trace, alphasort);

	if (found < 0)
		return report("cannot read %s: %s", folder, strerror(errno));
	if (!found) {
		free(entry);
		found = runs_in(folder, names);
		if (found)
			return found;
		free(*names);
		return report("%s holds no traces (*.wrt*)", folder);
	}
	*names = xmalloc((size_t)found * sizeof(**names));
	for (int i = 0; i < found; i++) {
		(*names)[i] = xstrdup(entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	return found;
}

int trace_folder_read(struct trace_folder *folder, const char *path, int64_t max_bytes)
{
	char **name;
	const int found = trace_folder_names(path, &name);
	int rc = found < 0 ? -1 : 0;

	*folder = (struct trace_folder){ 0 };
	if (rc)
		return -1;
	folder->trace = xcalloc((size_t)found, sizeof(*folder->trace));
	for (int i = 0; i < found; i++) {
		char *file = xprintf("%s/%s", path, name[i]);

		if (!rc) {
			trace_init(&folder->trace[folder->count]);
			rc = trace_read(&folder->trace[folder->count++], file, max_bytes);
		}
		free(file);
		free(name[i]);
	}
	free(name);
	return rc;
}

void trace_folder_release(struct trace_folder *folder)
{
	for (size_t i = 0; i < folder->count; i++)
		trace_release(&folder->trace[i]);
	free(folder->trace);
	*folder = (struct trace_folder){ 0 };
}

static bool of_one_run(const struct trace *a, const struct trace *b)
{
	const char *recording = trace_get_meta(a, "recording"),
		   *other = trace_get_meta(b, "recording");
	struct trace_span span, other_span;

	if (recording && other)
		return !strcmp(recording, other);
	return !trace_span_of(a, &span) && !trace_span_of(b, &other_span) &&
	       trace_span_same_host(&span, &other_span) && span.begin_ns < other_span.end_ns &&
	       other_span.begin_ns < span.end_ns;
}

int trace_folder_is_run(const struct trace_folder *folder, const char *path)
{
	const struct trace *trace = folder->trace;
	bool *reached = xcalloc(folder->count + 1, sizeof(*reached));
	size_t together = 1, outside = 0;
	bool any = false, grew = true;

	if (folder->count == 1)
		any = trace_get_meta(&trace[0], "recording") != NULL;
	reached[0] = true;
	while (grew) { /* from one to the next that ran beside it */
		grew = false;
		for (size_t i = 0; i < folder->count; i++)
			for (size_t k = 0; reached[i] && k < folder->count; k++)
				if (!reached[k] && of_one_run(&trace[i], &trace[k])) {
					reached[k] = grew = true;
					together++;
				}
	}
	for (size_t i = 0; i < folder->count; i++) {
		for (size_t k = i + 1; k < folder->count; k++)
			any |= of_one_run(&trace[i], &trace[k]);
		outside = reached[i] ? outside : i;
	}
	free(reached);
	if (any && together < folder->count)
		return report("%s: some of its traces are of processes that ran together, but not "
			      "%s and %s: one folder holds one run, or recordings one after the "
			      "other",
			      path, trace[0].path, trace[outside].path);
	return any;
}

int trace_open(struct trace *trace, const char *path, int64_t max_bytes)
{
	struct trace_folder folder;
	int rc;

	if (!trace_is_folder(path))
		return trace_read(trace, path, max_bytes);
	if (trace_folder_is_series(path))
		return report("%s: holds folders of one run each: name one of them", path);
	rc = trace_folder_read(&folder, path, max_bytes);
	if (!rc) {
		const int run = trace_folder_is_run(&folder, path);

		rc = run > 0   ? trace_join(trace, folder.trace, folder.count, path)
		     : run < 0 ? -1
			       : report("%s: its traces are recordings one after the other, not "
					"processes of one run: name one of them",
					path);
	}
	trace_folder_release(&folder);
	return rc;
}

int trace_check_seals(struct trace *trace, int64_t max_bytes)
{
	char **name;
	int found, rc = 0;
	int64_t altered = 0;

	if (!trace_is_folder(trace->path))
		return trace_seal_check(trace, max_bytes);
	found = trace_folder_names(trace->path, &name);
	for (int i = 0; i < found; i++) {
		struct trace one = { .path = xprintf("%s/%s", trace->path, name[i]) };

		if (!rc)
			rc = trace_seal_check(&one, max_bytes);
		altered += one.altered_tables;
		free(one.path);
		free(name[i]);
	}
	if (found >= 0)
		free(name);
	trace->altered_tables = altered;
	return found < 0 ? -1 : rc;
}
