/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "core_share.h"

#include <sched.h>
#include <time.h>

enum { ADDITIONS = 8192, MULTIPLICATIONS = 2048, MULTIPLY_CYCLES = 3, ROUNDS = 3 };

static uint64_t now_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#define EIGHT_TIMES(what) what what what what what what what what
/* The compiler must take the value as it stands. */
#define OPAQUE(value) __asm__ volatile("" : "+r"(value));

static uint64_t multiply_ns(void)
{
	uint64_t a = 3, begin_ns = now_ns();

	for (int i = 0; i < MULTIPLICATIONS; i += 8) {
		EIGHT_TIMES(a *= a; OPAQUE(a))
	}
	return now_ns() - begin_ns;
}

static uint64_t add_ns(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, begin_ns = now_ns();

	for (int i = 0; i < ADDITIONS; i += 32) {
		EIGHT_TIMES(a += 5; b += 5; c += 5; d += 5; OPAQUE(a) OPAQUE(b) OPAQUE(c) OPAQUE(d))
	}
	return now_ns() - begin_ns;
}

uint32_t core_additions(void)
{
	uint32_t rate[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		const uint64_t cycles = MULTIPLICATIONS * MULTIPLY_CYCLES, multiply = multiply_ns(),
			       here = 1000 * ADDITIONS * multiply / (cycles * (add_ns() + 1));
		int at = i;

		for (; at > 0 && rate[at - 1] > here; at--)
			rate[at] = rate[at - 1];
		rate[at] = here < UINT32_MAX ? (uint32_t)here : UINT32_MAX;
	}
	return rate[ROUNDS / 2];
}

int core_additions_of_host(uint32_t *additions, int most)
{
	cpu_set_t all, one;
	int count = 0;

	if (sched_getaffinity(0, sizeof(all), &all))
		return 0;
	for (size_t cpu = 0; cpu < CPU_SETSIZE && count < most; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (!sched_setaffinity(0, sizeof(one), &one))
			additions[count++] = core_additions();
	}
	sched_setaffinity(0, sizeof(all), &all);
	return count;
}
