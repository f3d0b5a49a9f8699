/* SPDX-License-Identifier: MIT
 * Names that are no keys any more.
 */
#include <string.h>

#include "platform_internal.h"

static const struct {
	const char *old, *now;
} renamed[] = {
#define RENAMED(old, now) { old, now },
#include "platform_renamed.def"
#undef RENAMED
};

static const char *const evidence[] = {
#define EVIDENCE(key) key,
#include "platform_evidence.def"
#undef EVIDENCE
};

const char *platform_key_now(const char *name)
{
	for (size_t k = 0; k < sizeof(renamed) / sizeof(renamed[0]); k++)
		if (!strcmp(renamed[k].old, name))
			return renamed[k].now;
	return NULL;
}

bool platform_key_is_evidence(const char *name)
{
	for (size_t k = 0; k < sizeof(evidence) / sizeof(evidence[0]); k++)
		if (platform_name_matches(evidence[k], name))
			return true;
	return false;
}
