/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "platform_internal.h"

static const struct {
	const char *old, *now;
} renamed[] = {
#define RENAMED(old, now) { old, now },
#include "platform_renamed.def"
#undef RENAMED
};

const char *platform_key_now(const char *name)
{
	for (size_t k = 0; k < sizeof(renamed) / sizeof(renamed[0]); k++)
		if (!strcmp(renamed[k].old, name))
			return renamed[k].now;
	return NULL;
}
