/* SPDX-License-Identifier: MIT
 * The host's clock, for programs that run on a GPU by themselves.
 */
#ifndef WARPREEL_TESTS_HOST_CLOCK_H
#define WARPREEL_TESTS_HOST_CLOCK_H

#include <time.h>

static inline double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* The calling thread works for so long, and calls nothing. */
static inline void spin_us(double us)
{
	for (const double until = now_us() + us; now_us() < until;)
		__builtin_ia32_pause();
}

#endif
