/* SPDX-License-Identifier: MIT */
#include "own_platform.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/calibrate/calibrate_results.h"
#include "model/platform/platform_default.h"
#include "traces/base/lines.h"
#include "traces/base/util.h"

/* NULL: it is not to be looked for. Owned by the caller. */
static char *where_it_is(void)
{
	const char *named = getenv("WARPREEL_OWN_PLATFORM"), *folder = getenv("XDG_CONFIG_HOME"),
		   *home = getenv("HOME");
	if (named)
		return *named ? xstrdup(named) : NULL;
	if (folder && *folder)
		return xprintf("%s/warpreel/here.ini", folder);
	return home && *home ? xprintf("%s/.config/warpreel/here.ini", home) : NULL;
}

/* The host that the file's provenance tells of is this one. */
static bool is_of_this_host(const char *path)
{
	char *cpu = calibrate_host_cpu(),
	     *facts[] = { xprintf("host_cpu = %s\n", cpu),
			  xprintf("host_cpus_online = %ld\n", sysconf(_SC_NPROCESSORS_ONLN)) };
	struct lines lines;
	int known = 0;
	if (lines_open(&lines, path) == 0) {
		while (lines_next(&lines) > 0)
			for (int k = 0; k < 2; k++)
				known += !strcmp(lines.text, facts[k]);
		lines_close(&lines);
	}
	free(facts[0]);
	free(facts[1]);
	free(cpu);
	return known == 2;
}

char *own_platform(const char *asked)
{
	if (asked)
		return xstrdup(asked);
	char *path = where_it_is();
	if (path && access(path, R_OK) == 0) {
		if (is_of_this_host(path)) {
			fprintf(stderr,
				"warpreel: platform: %s, calibrated on this machine (--platform %s "
				"takes the shipped one)\n",
				path, PLATFORM_DEFAULT);
			return path;
		}
		report_warning("'%s' was calibrated on another machine (host_cpu or "
			       "host_cpus_online): not used; --platform FILE uses it",
			       path);
	}
	free(path);
	return NULL;
}
