/* SPDX-License-Identifier: MIT
 * A folder of its own where intervals_read looks: tests of widths read no shipped file.
 */
#ifndef WARPREEL_INTERVAL_ROOT_H
#define WARPREEL_INTERVAL_ROOT_H

#include "support.h"

#include <stdlib.h>
#include <sys/stat.h>

static char folder[] = "/tmp/warpreel-test-interval-fit-XXXXXX";

static inline int make_root(void **state)
{
	(void)state;
	char path[128];
	if (!mkdtemp(folder) || setenv("WARPREEL_ROOT", folder, 1) || chdir(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/model", folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/model/intervals", folder);
	return mkdir(path, 0700);
}

static inline int remove_root(void **state)
{
	(void)state;
	unlink("model/intervals/x.tsv");
	return rmdir("model/intervals") || rmdir("model") || chdir("/") || rmdir(folder);
}

static inline void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

#endif
