/* SPDX-License-Identifier: MIT
 * What the fuzz targets share: bytes as a file, and bytes as choices.
 */
#ifndef WARPREEL_FUZZ_KIT_H
#define WARPREEL_FUZZ_KIT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file of these bytes, which lives as long as its descriptor: close it. */
static inline int fuzz_file(const void *data, size_t size, char path[32])
{
	int file = memfd_create("fuzz", 0);

	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	snprintf(path, 32, "/proc/self/fd/%d", file);
	return file;
}

/* The same with a name that SQLite can open, in TMPDIR; unlink and free it. */
static inline char *fuzz_named_file(const void *data, size_t size)
{
	const char *folder = getenv("TMPDIR");
	char *path = NULL;
	int file;

	if (asprintf(&path, "%s/warpreel-fuzz-XXXXXX", folder ? folder : "/tmp") < 0)
		abort();
	file = mkstemp(path);
	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	close(file);
	return path;
}

/* The input as a source of choices: nothing is left of it, all are 0. */
struct fuzz_bytes {
	const uint8_t *at;
	size_t left;
};

static inline uint8_t fuzz_byte(struct fuzz_bytes *b)
{
	if (!b->left)
		return 0;
	b->left--;
	return *b->at++;
}

/* Mostly small, since rows have to find each other; now and then anything. */
static inline int64_t fuzz_number(struct fuzz_bytes *b)
{
	static const int64_t telling[] = { -1,	       0,	  1,	     INT32_MAX,
					   INT32_MIN,  INT64_MAX, INT64_MIN, UINT32_MAX,
					   4294967296, 1000000,	  77 << 24,  INT64_MAX / 2 };
	const uint8_t kind = fuzz_byte(b);
	uint64_t wide = 0;

	if (kind < 160)
		return kind;
	if (kind < 224)
		return (int64_t)(kind & 63) << 8 | fuzz_byte(b);
	if (kind < 252)
		return telling[(size_t)kind % (sizeof(telling) / sizeof(telling[0]))];
	for (int i = 0; i < 8; i++)
		wide = wide << 8 | fuzz_byte(b);
	return (int64_t)wide;
}

#endif
