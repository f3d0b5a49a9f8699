/* SPDX-License-Identifier: MIT */
#include "sets.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *set, *within;
} sets[] = {
	{ "size", "planned" },
	{ "gpus", "planned" },
	{ "planned", "runs" },
	{ "replay", "runs" },
};

static const char *around(const char *set)
{
	for (size_t k = 0; k < sizeof(sets) / sizeof(sets[0]); k++)
		if (!strcmp(sets[k].set, set))
			return sets[k].within;
	return NULL;
}

bool set_within(const char *set, const char *wider)
{
	for (; set; set = around(set))
		if (!strcmp(set, wider))
			return true;
	return false;
}
