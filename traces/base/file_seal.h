/* SPDX-License-Identifier: MIT
 * What a compressed file is known by: its length, and the checksum of the content with which a zstd
 * frame ends (RFC 8878, 3.1.1). Whoever unpacks the file checks that sum, so that a file which is
 * as an index says has the content that the index was made of.
 */
#ifndef WARPREEL_FILE_SEAL_H
#define WARPREEL_FILE_SEAL_H

#include <stdint.h>

enum { FILE_SEAL_SUM = 9 };

struct file_seal {
	int64_t bytes;
	char sum[FILE_SEAL_SUM]; /* eight hex digits */
};

/* -1, without a message: it is not there, or too short for one. */
int file_seal_of(const char *path, struct file_seal *seal);
/* What stands after the last slash; borrowed. */
const char *file_base_name(const char *path);

#endif
