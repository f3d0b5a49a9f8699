/* SPDX-License-Identifier: MIT
 * Where and when a calibration was made.
 */
#include "calibrate_results.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "traces/base/util.h"

/* The value of `key` among "key = value" lines; "unknown" when absent. Owned by the caller. */
static char *fact(const char *lines, const char *key)
{
	size_t length = strlen(key);
	for (const char *line = lines; line && *line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (!strncmp(line, key, length) && !strncmp(line + length, " = ", 3))
			return xprintf("%.*s", (int)strcspn(line + length + 3, "\n"),
				       line + length + 3);
	return xstrdup("unknown");
}

char *calibrate_host_cpu(void)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[512];
	while (file && fgets(line, sizeof(line), file)) {
		const char *colon = strchr(line, ':');
		if (strncmp(line, "model name", 10) || !colon)
			continue;
		fclose(file);
		return xprintf("%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
	}
	if (file)
		fclose(file);
	return xstrdup("unknown");
}

char *calibrate_clocks(char *(*describe_gpu)(unsigned gpu), int gpus)
{
	char *clocks = xstrdup("");
	for (int g = 0; g < gpus || g == 0; g++) {
		char *facts = describe_gpu((unsigned)g);
		if (!facts) {
			free(clocks);
			return NULL;
		}
		if (!gpus) {
			char *count = fact(facts, "gpus");
			gpus = atoi(count);
			free(count);
		}
		char *sm = fact(facts, "sm_mhz"), *memory = fact(facts, "memory_mhz");
		char *longer = xprintf("%s%s%s/%s", clocks, g ? " " : "", sm, memory);
		free(clocks);
		free(facts);
		free(sm);
		free(memory);
		clocks = longer;
	}
	return clocks;
}

void calibrate_date(char *date, size_t room)
{
	time_t now = time(NULL);
	struct tm utc;
	strftime(date, room, "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&now, &utc));
}

char *calibrate_provenance(char *(*describe_gpu)(unsigned gpu), int gpus, const char *command)
{
	static const char *const wanted[] = { "name",	     "compute_capability",
					      "driver",	     "cuda_runtime",
					      "l2_bytes",    "memory_bus_bits",
					      "max_sm_mhz",  "max_memory_mhz",
					      "peer_access", "peer_rank" };
	struct utsname system;
	char date[64], *cpu = calibrate_host_cpu(), *facts = describe_gpu(0);
	calibrate_date(date, sizeof(date));
	if (uname(&system))
		strcpy(system.release, "unknown");
	char *text =
		xprintf("date = %s\ncommand = %s\ngpus = %d\nhost_cpu = %s\nhost_cpus_online = "
			"%ld\nhost_kernel = %s\n",
			date, command, gpus, cpu, sysconf(_SC_NPROCESSORS_ONLN), system.release);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		char *value = fact(facts, wanted[i]),
		     *longer = xprintf("%sgpu0_%s = %s\n", text, wanted[i], value);
		free(value);
		free(text);
		text = longer;
	}
	free(facts);
	free(cpu);
	return text;
}
