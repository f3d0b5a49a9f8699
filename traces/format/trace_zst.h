/* SPDX-License-Identifier: MIT
 * Zstandard files, whole in memory.
 */
#ifndef WARPREEL_TRACE_ZST_H
#define WARPREEL_TRACE_ZST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { ZST_HEAD_BYTES = 100 };

bool zst_begins(const unsigned char *bytes, size_t count);

/*
 * Unpacks `file` (at its start; named `path` in messages) into *bytes, owned by the caller; returns
 * the count, or -1 after a message. Never unpacks more than max_bytes. `expect` sees the first
 * ZST_HEAD_BYTES and says how many bytes there can be (0: no idea, -1: not acceptable, it has
 * reported why), so that a bomb is refused before it costs memory.
 */
int64_t zst_read(FILE *file, const char *path, int64_t max_bytes,
		 int64_t (*expect)(const unsigned char *head, const char *path),
		 unsigned char **bytes);

/* Packs into `target` (named `path` in messages) at a level of zstd's, 1 to 19; -1 after a message.
 */
int zst_write(const char *target, const char *path, const unsigned char *bytes, size_t count,
	      int level);

#endif
