/* SPDX-License-Identifier: MIT */
#include "sm_platform.h"

#include <string.h>

#include "traces/base/util.h"

int sm_platform_read(struct platform *platform, const char *name, const struct text_list *set)
{
	memset(platform, 0, sizeof(*platform));
	if (platform_read(platform, name))
		return -1;
	for (int k = 0; k < set->count; k++)
		if (platform_set(platform, set->text[k]))
			return -1;
	if (!platform->sm.present)
		return report("platform '%s' has no section [sm]: it does not say what a "
			      "multiprocessor holds",
			      platform->name);
	return 0;
}
