/* SPDX-License-Identifier: MIT
 * How much of its core a thread has. Two hyper-threads of a core share its units: where the other
 * one works, most calls of CUDA's take 1.3 to 1.8 times as long, for a whole process or for parts
 * of it, and no clock rate shows it (docs/lab/programs.md). A virtual machine's other thread may
 * be somebody else's. What shows it are instructions that do not wait for each other. Here and not
 * in a library, for whoever times a program by a file of its own includes this.
 */
#ifndef WARPREEL_CORE_SHARE_H
#define WARPREEL_CORE_SHARE_H

#include <stdint.h>
#include <time.h>

enum { CORE_ADDITIONS = 8192, CORE_MULTIPLICATIONS = 2048, CORE_MULTIPLY_CYCLES = 3, CORE_ROUNDS = 3 };

static inline uint64_t core_clock_ns(void)
{
	struct timespec now = { 0, 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#define CORE_EIGHT_TIMES(what) what what what what what what what what
/* The compiler must take the value as it stands. */
#define CORE_OPAQUE(value) __asm__ volatile("" : "+r"(value));

/* Each multiplication waits for the one before: this counts the core's cycles. */
static inline uint64_t core_multiply_ns(void)
{
	uint64_t a = 3, begin_ns = core_clock_ns();

	for (int i = 0; i < CORE_MULTIPLICATIONS; i += 8) {
		CORE_EIGHT_TIMES(a *= a; CORE_OPAQUE(a))
	}
	return core_clock_ns() - begin_ns;
}

static inline uint64_t core_add_ns(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, begin_ns = core_clock_ns();

	for (int i = 0; i < CORE_ADDITIONS; i += 32) {
		CORE_EIGHT_TIMES(a += 5; b += 5; c += 5; d += 5; CORE_OPAQUE(a) CORE_OPAQUE(b)
					 CORE_OPAQUE(c) CORE_OPAQUE(d))
	}
	return core_clock_ns() - begin_ns;
}

/* Additions a cycle, of four that could be made at once: near 4 where the core is the thread's
 * own, 2 to 2.5 beside a thread that is busy. Median of a few rounds, some 10 us in all. A
 * processor that multiplies in other than three cycles has a scale of its own. */
static inline double core_additions(void)
{
	double rate[CORE_ROUNDS];

	for (int i = 0; i < CORE_ROUNDS; i++) {
		const double cycle_ns = (double)core_multiply_ns() /
					(CORE_MULTIPLICATIONS * CORE_MULTIPLY_CYCLES),
			     here = CORE_ADDITIONS * cycle_ns / (double)(core_add_ns() + 1);
		int at = i;

		for (; at > 0 && rate[at - 1] > here; at--)
			rate[at] = rate[at - 1];
		rate[at] = here;
	}
	return rate[CORE_ROUNDS / 2];
}

#endif
