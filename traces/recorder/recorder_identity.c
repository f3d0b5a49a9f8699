/* SPDX-License-Identifier: MIT
 * What is known about the run before and after it: command, versions, host, clocks, thread names.
 * And the settings from the environment.
 */
#include "recorder.h"

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

long environment_long(const char *name, long standard, long low, long high)
{
	const char *text = getenv(name);
	char *end;
	long value;

	if (!text || !*text)
		return standard;
	value = strtol(text, &end, 10);
	if (*end || value < low || value > high) {
		fprintf(stderr, "warpreel recorder: %s takes %ld to %ld, not '%s'; using %ld\n",
			name, low, high, text, standard);
		return standard;
	}
	return value;
}

uint64_t recorder_now_ns(void)
{
	uint64_t now_ns = 0;

	if (!recorder.cupti.cuptiGetTimestamp ||
	    recorder.cupti.cuptiGetTimestamp(&now_ns) != CUPTI_SUCCESS)
		return 0;
	return now_ns;
}

uint32_t recorder_tid(void)
{
	return recorder.system_tid ? (uint32_t)syscall(SYS_gettid)
				   : (uint32_t)(uintptr_t)pthread_self();
}

uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* CUPTI's clock next to the system's: the smallest bracket of a few tries. */
void identity_write_time(uint32_t when)
{
	struct spool_time out = { .type = SPOOL_TYPE_time, .size = sizeof(out), .when = when };
	uint64_t best_ns = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t before_ns = clock_ns(CLOCK_MONOTONIC),
			 realtime_ns = clock_ns(CLOCK_REALTIME), cupti_ns = recorder_now_ns(),
			 after_ns = clock_ns(CLOCK_MONOTONIC);

		if (after_ns - before_ns >= best_ns)
			continue;
		best_ns = after_ns - before_ns;
		out.cupti_ns = cupti_ns;
		out.monotonic_ns = before_ns + best_ns / 2;
		out.realtime_ns = realtime_ns;
	}
	writer_append(&recorder.writer, SPOOL_RECORDS, &out, sizeof(out), NULL, 0);
}

static void first_line(const char *path, const char *key, char *text, size_t bytes)
{
	FILE *file = fopen(path, "re");
	char line[256];

	text[0] = '\0';
	while (file && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (strncmp(line, key, strlen(key)) != 0 || !colon)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(text, bytes, "%s", colon + 1 + strspn(colon + 1, " \t"));
		break;
	}
	if (file)
		fclose(file);
}

static void write_command(void)
{
	char text[4096], link[PATH_MAX];
	FILE *file = fopen("/proc/self/cmdline", "re");
	size_t bytes = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	ssize_t length = readlink("/proc/self/exe", link, sizeof(link) - 1);

	if (file)
		fclose(file);
	while (bytes && !text[bytes - 1])
		bytes--;
	for (size_t i = 0; i < bytes; i++)
		if (!text[i])
			text[i] = ' ';
	text[bytes] = '\0';
	writer_meta(&recorder.writer, "command", text);
	if (length > 0) { /* the name alone: where it lies is no part of a run */
		link[length] = '\0';
		writer_meta(&recorder.writer, "executable",
			    strrchr(link, '/') ? strrchr(link, '/') + 1 : link);
	}
}

/* Which of a run's processes this is, by those who start them: torchrun, Open MPI, PMIx, MPICH,
 * MVAPICH, Slurm. */
static void write_rank(void)
{
	static const char *const variables[] = {
		"RANK",	    "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
		"PMI_RANK", "MV2_COMM_WORLD_RANK",  "SLURM_PROCID"
	};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *rank = getenv(variables[i]);

		if (rank && *rank && strspn(rank, "0123456789") == strlen(rank)) {
			writer_meta(&recorder.writer, "rank", rank);
			return;
		}
	}
}

void identity_write(void)
{
	const char *recording = getenv("WARPREEL_RECORDING");
	char text[128];
	time_t now = time(NULL);
	struct tm utc;

	write_command();
	write_rank();
	if (recording && *recording)
		writer_meta(&recorder.writer, "recording", recording);
	snprintf(text, sizeof(text), "%u.%u.%u", recorder.cupti.version / 10000,
		 recorder.cupti.version / 100 % 100, recorder.cupti.version % 100);
	writer_meta(&recorder.writer, "cupti", text);
	if (gmtime_r(&now, &utc) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc))
		writer_meta(&recorder.writer, "date", text);
	first_line("/proc/cpuinfo", "model name", text, sizeof(text));
	writer_meta(&recorder.writer, "host_cpu", text);
	snprintf(text, sizeof(text), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	writer_meta(&recorder.writer, "host_cores", text);
	snprintf(text, sizeof(text), "%ld", recorder.flush_ms);
	writer_meta(&recorder.writer, "flush_ms", text);
}

void identity_write_thread(uint32_t tid, const char *name)
{
	struct spool_thread out = { .type = SPOOL_TYPE_thread, .size = sizeof(out), .tid = tid };

	out.name = writer_string(&recorder.writer, name);
	writer_append(&recorder.writer, SPOOL_RECORDS, &out, sizeof(out), NULL, 0);
}

/* The threads that are still there. */
void identity_write_threads(void)
{
	DIR *tasks = recorder.system_tid ? opendir("/proc/self/task") : NULL;
	struct dirent *entry;

	while (tasks && (entry = readdir(tasks))) {
		char path[64], name[64] = "";
		FILE *file;

		if (entry->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "/proc/self/task/%.16s/comm", entry->d_name) >=
			    (int)sizeof(path))
			continue;
		file = fopen(path, "re");
		if (file && fgets(name, sizeof(name), file)) {
			name[strcspn(name, "\n")] = '\0';
			identity_write_thread((uint32_t)strtoul(entry->d_name, NULL, 10), name);
		}
		if (file)
			fclose(file);
	}
	if (tasks)
		closedir(tasks);
}
