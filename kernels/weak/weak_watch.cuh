/* SPDX-License-Identifier: MIT
 * How long a block's steps and exchanges take, by the clocks of its multiprocessor: the first
 * thread that computes and the first that communicates read them, where a run asks for it.
 */
#ifndef WARPREEL_WEAK_WATCH_CUH
#define WARPREEL_WEAK_WATCH_CUH

#include <cuda_runtime.h>
#include "kernels/weak/weak_launch.h"

#ifdef __CUDACC__
/* Of which differences are taken, below 2^32 cycles. */
__device__ __forceinline__ uint32_t weak_cycles(void)
{
	uint32_t cycles;

	asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
	return cycles;
}

/* Nanoseconds of a clock that all multiprocessors have. */
__device__ __forceinline__ uint64_t weak_now(void)
{
	uint64_t ns;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
	return ns;
}

__device__ __forceinline__ uint64_t weak_multiprocessor(void)
{
	uint32_t sm;

	asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
	return sm;
}
#else /* emulated */
#include <time.h>
static inline uint64_t weak_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
static inline uint32_t weak_cycles(void)
{
	return (uint32_t)weak_now();
}
static inline uint64_t weak_multiprocessor(void)
{
	return 0;
}
#endif

/* Durations of one kind: how many, their sum, and that of their squares. Few registers and no
 * division: what a watched kernel spends on its notes is in what it tells. */
struct weak_durations {
	uint32_t count, sum;
	float squares;
};

__device__ __forceinline__ void weak_note_duration(struct weak_durations *d, uint32_t cycles)
{
	const float each = (float)cycles;

	d->count++;
	d->sum += cycles;
	d->squares += each * each;
}

__device__ __forceinline__ void weak_put_durations(uint64_t *at, const struct weak_durations *d)
{
	at[0] = d->count;
	at[1] = d->sum;
	at[2] = (uint64_t)d->squares;
}

#endif
