/* SPDX-License-Identifier: MIT
 * A folder of traces: the processes of one run, or recordings one after the other.
 */
#ifndef WARPREEL_TRACE_FOLDER_H
#define WARPREEL_TRACE_FOLDER_H

#include "trace.h"

struct trace_folder {
	struct trace *trace; /* in order of their files' names */
	size_t count;
};

/* How many files of a folder are traces (their names hold .wrt or .sqlite), or, where none is, how
 * many folders in it hold some; with *names, each to be freed as they are; -1 after a message. */
int trace_folder_names(const char *folder, char ***names);

/* How many there are, 0 also of what is no folder. */
int trace_folder_count(const char *folder);

/* Whether what it holds are folders, each of one run of several processes. */
bool trace_folder_is_series(const char *folder);

/* Reads all of them, of a folder that is no series of folders; -1 after a message.
 * trace_folder_release either way. */
int trace_folder_read(struct trace_folder *folder, const char *path, int64_t max_bytes);
void trace_folder_release(struct trace_folder *folder);

/*
 * 1: they are the processes of one run. 0: recordings that have nothing to do with each other, as
 * of a program on other numbers of GPUs. -1 after a message: some are, and others are not.
 *
 * Of one run are traces of one `warpreel record` (meta `recording`); where a trace does not say of
 * which, those of processes of one host that were there at one time.
 */
int trace_folder_is_run(const struct trace_folder *folder, const char *path);

bool trace_is_folder(const char *path);
/* trace_read of a file, or of the processes of one run, joined (trace_join.h). */
int trace_open(struct trace *trace, const char *path, int64_t max_bytes);
/* trace_seal_check of a file, or of every file of a folder. */
int trace_check_seals(struct trace *trace, int64_t max_bytes);

#endif
