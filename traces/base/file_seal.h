/* SPDX-License-Identifier: MIT
 * What a compressed file is known by: its length, and the checksum of the content with which a zstd
 * frame ends (RFC 8878, 3.1.1). Whoever unpacks the file checks that sum, so that a file which is
 * as an index says has the content that the index was made of.
 */
#ifndef WARPREEL_FILE_SEAL_H
#define WARPREEL_FILE_SEAL_H

#include <stdbool.h>
#include <stdint.h>

enum { FILE_SEAL_SUM = 9 };

struct file_seal {
	int64_t bytes;
	char sum[FILE_SEAL_SUM]; /* eight hex digits */
};

/* -1, without a message: it is not there, or too short for one. */
int file_seal_of(const char *path, struct file_seal *seal);
/* By the columns of an index: whether they are of this file (NULL: of none). -1: no number of
 * bytes.
 */
int file_seal_is(const struct file_seal *seal, const char *bytes, const char *sum);

/* What stands after the last slash; borrowed. */
const char *file_base_name(const char *path);
/* index.tsv beside a file; NULL: there is none. Owned by the caller. */
char *file_index_of(const char *path);

#endif
