/* SPDX-License-Identifier: MIT
 * What a process pays for the first launches of its kernels: preloaded (LD_PRELOAD) into a program
 * whose CUDA runtime is a shared library (nvcc -cudart shared), it prints a line a first launch of
 * a kernel when the process ends:
 *
 *     FIRST <n> <ns to look the kernel up> <ns to launch it> <additions>
 *     OTHER <launches> <median ns to look up> <median ns to launch>
 *
 * and what the thread's core gave right after (traces/base/core_share.h). Run untraced and recorded
 * in turn.
 *
 *     cc -O2 -fPIC -shared -I. -o first_call.so traces/data/programs/first_call.c
 * traces/base/core_share.c -ldl
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "traces/base/core_share.h"

enum { KERNELS_MAX = 64, LAUNCHES_MAX = 4096 };

struct size {
	unsigned x, y, z;
};

static struct first {
	const void *kernel;
	int64_t get_ns, launch_ns;
	uint32_t core;
} first[KERNELS_MAX];
static int firsts, others;
static int64_t other_get_ns[LAUNCHES_MAX], other_launch_ns[LAUNCHES_MAX], got_ns;

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int __cudaGetKernel(void **kernel, const void *function)
{
	static int (*real)(void **, const void *);
	const int64_t begin_ns = now_ns();
	int result;

	if (!real)
		real = (int (*)(void **, const void *))dlsym(RTLD_NEXT, "__cudaGetKernel");
	result = real(kernel, function);
	got_ns = now_ns() - begin_ns;
	return result;
}

static bool known(const void *kernel)
{
	for (int i = 0; i < firsts; i++)
		if (first[i].kernel == kernel)
			return true;
	return false;
}

int __cudaLaunchKernel(void *kernel, struct size grid, struct size block, void **arguments,
		       size_t shared, void *stream)
{
	typedef int launch(void *, struct size, struct size, void **, size_t, void *);
	static launch *real;
	int64_t begin_ns, took_ns;
	int result;

	if (!real)
		real = (launch *)dlsym(RTLD_NEXT, "__cudaLaunchKernel");
	begin_ns = now_ns();
	result = real(kernel, grid, block, arguments, shared, stream);
	took_ns = now_ns() - begin_ns;
	if (!known(kernel) && firsts < KERNELS_MAX) {
		first[firsts++] = (struct first){ kernel, got_ns, took_ns, core_additions() };
	} else if (others < LAUNCHES_MAX) {
		other_get_ns[others] = got_ns;
		other_launch_ns[others++] = took_ns;
	}
	got_ns = 0;
	return result;
}

static int by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

__attribute__((destructor)) static void say(void)
{
	for (int i = 0; i < firsts; i++)
		printf("FIRST %d %lld %lld %u\n", i, (long long)first[i].get_ns,
		       (long long)first[i].launch_ns, first[i].core);
	qsort(other_get_ns, (size_t)others, sizeof(int64_t), by_size);
	qsort(other_launch_ns, (size_t)others, sizeof(int64_t), by_size);
	if (others)
		printf("OTHER %d %lld %lld\n", others, (long long)other_get_ns[others / 2],
		       (long long)other_launch_ns[others / 2]);
	fflush(stdout);
}
