/* SPDX-License-Identifier: MIT */
#include "file_seal.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

const char *file_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}
