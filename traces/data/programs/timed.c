/* SPDX-License-Identifier: MIT
 * Times a program between its own looks at the clock, without a change to it: a library to
 * preload. C++'s clocks and gettimeofday are counted when the program itself asks, the first
 * LOOKS_MAX of them. At the end a line each is printed, "LOOK <k> <us>": from look k to the next;
 * and "CORE <k> <additions>" (traces/base/core_share.h): what the thread's core gave it then.
 * "HOST <additions> ..." is the same of all cores, when the process begins and when it ends.
 * For whoever records, that is the NVTX range `look <k>`. LOOK_LAST=k ends the program with
 * exit(0) at look k: what it would do from there on, such as a check on the CPU, is left out.
 *
 *     cc -O2 -fPIC -shared -I. -o timed.so traces/data/programs/timed.c traces/base/core_share.c
 * -ldl LD_PRELOAD=./timed.so ./program
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <nvtx3/nvToolsExt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include "traces/base/core_share.h"

enum { LOOKS_MAX = 64, PARTS_MAX = 8, CORES_MAX = 64 };

static int (*real_clock_gettime)(clockid_t, struct timespec *);
static long long begin_ns[LOOKS_MAX + 1], end_ns[LOOKS_MAX + 1]; /* of what follows a look; of
								     what came before */
static uint32_t look_core[LOOKS_MAX + 1];
static int looks, last;
static struct {
	uintptr_t begin, end;
} ours[PARTS_MAX]; /* of the program and of the C++ library: CUDA and CUPTI look as well, often */
static int parts;

static int note_part(struct dl_phdr_info *info, size_t bytes, void *seen)
{
	int *objects = seen;

	(void)bytes;
	/* The first is the program. */
	if ((*objects)++ && !(info->dlpi_name && strstr(info->dlpi_name, "libstdc++")))
		return 0;
	for (int i = 0; i < info->dlpi_phnum && parts < PARTS_MAX; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			ours[parts].begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			ours[parts].end = ours[parts].begin + info->dlpi_phdr[i].p_memsz;
			parts++;
		}
	return 0;
}

static void begin(void)
{
	void *symbol = dlsym(RTLD_NEXT, "clock_gettime");
	int objects = 0;

	last = atoi(getenv("LOOK_LAST") ? getenv("LOOK_LAST") : "0");
	memcpy(&real_clock_gettime, &symbol, sizeof(symbol));
	dl_iterate_phdr(note_part, &objects);
}

static int is_ours(const void *caller)
{
	for (int i = 0; i < parts; i++)
		if ((uintptr_t)caller >= ours[i].begin && (uintptr_t)caller < ours[i].end)
			return 1;
	return 0;
}

static long long now_ns(void)
{
	struct timespec t;

	real_clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void look(void)
{
	char name[16];

	if (looks >= LOOKS_MAX)
		return;
	if (looks++)
		nvtxRangePop();
	end_ns[looks] = now_ns();
	look_core[looks] = core_additions();
	if (looks == last)
		exit(0);
	snprintf(name, sizeof(name), "look %d", looks);
	nvtxRangePushA(name);
	begin_ns[looks] = now_ns();
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
	if (!real_clock_gettime)
		begin();
	if (is_ours(__builtin_return_address(0)))
		look();
	return real_clock_gettime(clock, out);
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
	struct timespec t;

	(void)zone;
	if (!real_clock_gettime)
		begin();
	if (is_ours(__builtin_return_address(0)))
		look();
	real_clock_gettime(CLOCK_REALTIME, &t);
	out->tv_sec = t.tv_sec;
	out->tv_usec = t.tv_nsec / 1000;
	return 0;
}

static uint32_t host_core[2][CORES_MAX];
static int host_cores[2];

__attribute__((constructor)) static void host_at_begin(void)
{
	host_cores[0] = core_additions_of_host(host_core[0], CORES_MAX);
}

__attribute__((destructor)) static void end(void)
{
	host_cores[1] = core_additions_of_host(host_core[1], CORES_MAX);
	for (int i = 1; i < looks; i++)
		printf("LOOK %d %.3f\n", i, (double)(end_ns[i + 1] - begin_ns[i]) * 1e-3);
	for (int i = 1; i <= looks; i++)
		printf("CORE %d %u\n", i, look_core[i]);
	for (int when = 0; when < 2; when++) {
		printf("HOST");
		for (int i = 0; i < host_cores[when]; i++)
			printf(" %u", host_core[when][i]);
		printf("\n");
	}
	fflush(stdout);
}
