/* SPDX-License-Identifier: MIT
 * Which file of a folder has the profiles of which kernels: index.tsv beside the files, a row a
 * symbol and name, so that only those are unpacked whose kernels are asked for.
 *
 * A row names its file with its seal (traces/base/file_seal.h). A file that is as the index says is
 * the one whose pages and counts were checked when the index was written; an index that does not
 * fit all files of its folder serves for none.
 */
#ifndef WARPREEL_PROFILE_INDEX_H
#define WARPREEL_PROFILE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct profile_index_row {
	uint32_t file;	       /* number in the list that the index was asked about */
	char *symbol, *kernel; /* owned */
	size_t profiles;
};

struct profile_index {
	struct profile_index_row *row; /* by file, in the order of the profiles in it */
	size_t count, capacity;
}; /* owned; all zero = none */

/*
 * The index of the folder that holds these files, in their order. 0 with no rows: there is none, or
 * it is of other files than these, or of other content. -1 after a message: it cannot be read.
 */
int profile_index_read(struct profile_index *index, char *const *files, size_t count);
void profile_index_release(struct profile_index *index);

/* Writes the index of these files, each of which is read and checked. -1 after a message. */
int profile_index_write(FILE *out, char *const *files, size_t count);

#endif
