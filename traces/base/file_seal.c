/* SPDX-License-Identifier: MIT */
#include "file_seal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

int file_seal_of(const char *path, struct file_seal *seal)
{
	enum { SUM_BYTES = FILE_SEAL_SUM / 2 };
	unsigned char end[SUM_BYTES];
	struct stat status;
	FILE *file = fopen(path, "rb");
	int rc = -1;
	if (!file)
		return -1;
	if (!fstat(fileno(file), &status) && S_ISREG(status.st_mode) &&
	    !fseek(file, -(long)sizeof(end), SEEK_END) &&
	    fread(end, 1, sizeof(end), file) == sizeof(end)) {
		seal->bytes = status.st_size;
		for (int k = 0; k < SUM_BYTES; k++) /* little endian in the file */
			snprintf(seal->sum + 2 * k, 3, "%02x", end[SUM_BYTES - 1 - k]);
		rc = 0;
	}
	fclose(file);
	return rc;
}

int file_seal_is(const struct file_seal *seal, const char *bytes, const char *sum)
{
	int64_t count;
	if (parse_i64(bytes, &count))
		return -1;
	return seal && seal->bytes == count && !strcmp(seal->sum, sum);
}

const char *file_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

char *file_index_of(const char *path)
{
	char *index = xprintf("%.*sindex.tsv", (int)(file_base_name(path) - path), path);
	if (!access(index, F_OK))
		return index;
	free(index);
	return NULL;
}
