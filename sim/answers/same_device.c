/* SPDX-License-Identifier: MIT */
#include "same_device.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

/* "ROOT/model/platforms/h200x4.ini" -> "h200x4", if kernels of it were profiled. */
static char *profiled_name(const char *path)
{
	const char *base = strrchr(path, '/') + 1;
	char *name = xprintf("%.*s", (int)(strlen(base) - strlen(".ini")), base),
	     *pattern = xprintf("%s/traces/data/%s/kernels/*.wrt.zst", util_root(), name);
	glob_t found = { 0 };
	bool any = glob(pattern, 0, NULL, &found) == 0;
	globfree(&found);
	free(pattern);
	if (any)
		return name;
	free(name);
	return NULL;
}

static bool is_same(const struct platform *mine, const char *path, const char *key)
{
	struct platform other;
	if (platform_read(&other, path))
		return false;
	const char *a = platform_text(mine, key), *b = platform_text(&other, key);
	bool same = a && b && !strcmp(a, b);
	platform_release(&other);
	return same;
}

static char *profiled_with(const struct platform *platform, const char *key)
{
	char *pattern = xprintf("%s/model/platforms/*.ini", util_root()), *name = NULL;
	glob_t found = { 0 };
	if (glob(pattern, 0, NULL, &found) == 0)
		for (size_t k = 0; k < found.gl_pathc && !name; k++) {
			name = profiled_name(found.gl_pathv[k]);
			if (name && !is_same(platform, found.gl_pathv[k], key)) {
				free(name);
				name = NULL;
			}
		}
	globfree(&found);
	free(pattern);
	return name;
}

char *same_device(const struct platform *platform)
{
	return profiled_with(platform, "device.name");
}

char *same_code(const struct platform *platform)
{
	return profiled_with(platform, "sm.isa");
}
