/* SPDX-License-Identifier: MIT
 * What the tests of traces share: a directory of their own, and ears for messages.
 */
#ifndef WARPREEL_TRACE_KIT_H
#define WARPREEL_TRACE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/format/trace.h"
#include "traces/base/util.h"

static char directory[] = "/tmp/warpreel-test-XXXXXX";

static inline char *in_directory(const char *name)
{
	return xprintf("%s/%s", directory, name);
}

/* Text of a file; NUL-terminated, owned by the caller. */
static inline char *slurp(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t size = 0, capacity = 0;
	char *text = NULL;

	assert_non_null(file);
	do {
		text = grow(text, size + 4096, &capacity, 1);
		if (capacity < size + 4097)
			text = xrealloc(text, capacity = size + 8192, 1);
		size += fread(text + size, 1, 4096, file);
	} while (!feof(file) && !ferror(file));
	text[size] = 0;
	fclose(file);
	return text;
}

/* All of a trace as text; owned by the caller. */
static inline char *dump_of(const struct trace *trace)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_int_equal(trace_dump(trace, file), 0);
	fclose(file);
	return text;
}

/* What `call` reports on standard error, as text. */
static int old_stderr = -1;
static char *message_path;

static inline void hear(void)
{
	int file;

	fflush(stderr);
	message_path = in_directory("stderr");
	file = open(message_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	old_stderr = dup(2);
	dup2(file, 2);
	close(file);
}

static inline char *heard(void)
{
	char *text;

	fflush(stderr);
	dup2(old_stderr, 2);
	close(old_stderr);
	text = slurp(message_path);
	free(message_path);
	return text;
}

static int row_counter;

static inline int64_t next_time(int64_t step)
{
	static int64_t now = 1755000000000000000;

	row_counter++;
	return now += step + row_counter * 37 % 100;
}

/* A run as a solver makes it, for sizes. */
static inline size_t fill_activity(struct trace *t, int rows)
{
	for (int i = 0; i < rows; i++) {
		int64_t tid = ((int64_t)4321 << 24) | (4321 + i % 8), start = next_time(3000),
			end = next_time(2000);

		*trace_add_api(t) =
			(struct trace_api){ .start_ns = start,
					    .end_ns = end,
					    .global_tid = tid,
					    .correlation = 100 + i,
					    .name = trace_string(t, "cudaLaunchKernel_v7000") };
		start = next_time(1500), end = next_time(20000);
		*trace_add_kernel(t) =
			(struct trace_kernel){ .start_ns = start,
					       .end_ns = end,
					       .device = i % 8,
					       .context = i % 8 + 1,
					       .stream = 13,
					       .correlation = 100 + i,
					       .global_pid = (int64_t)4321 << 24,
					       .demangled_name = trace_string(t, "rbsor_tuned_f32"),
					       .short_name = trace_string(t, "rbsor_tuned_f32"),
					       .grid = { 32, 512, 1 },
					       .block = { 128, 1, 1 },
					       .registers = 40,
					       .graph_node = -1,
					       .grid_id = 7 + i };
	}
	return (size_t)rows * 2;
}

static inline int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static inline int remove_directory(void **state)
{
	DIR *listing = opendir(directory);

	(void)state;
	for (struct dirent *entry; (entry = readdir(listing));) {
		char *path = in_directory(entry->d_name);

		unlink(path);
		free(path);
	}
	closedir(listing);
	return rmdir(directory);
}

#endif
