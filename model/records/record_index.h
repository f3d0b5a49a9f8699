/* SPDX-License-Identifier: MIT
 * What traces of a folder say as a profile (profile.h), in index.tsv beside them, a row a kernel
 * and shape of a file: so that a prediction need not read the traces. A row names its file with its
 * seal; an index that does not fit all files of its folder serves for none. Means stand there with
 * all their digits.
 */
#ifndef WARPREEL_RECORD_INDEX_H
#define WARPREEL_RECORD_INDEX_H

#include <stddef.h>
#include <stdio.h>

#include "profile.h"

/*
 * Adds what the index says of these files, as profile_add_file of each would. 1; 0, nothing added:
 * there is no index, or it is of other files than these, or of other content. -1 after a message:
 * it cannot be read.
 */
int record_index_add(struct profile *profile, char *const *files, size_t count);

/* Writes the index of these files. -1 after a message. */
int record_index_write(FILE *out, char *const *files, size_t count);

#endif
