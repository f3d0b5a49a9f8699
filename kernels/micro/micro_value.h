/* SPDX-License-Identifier: MIT
 * Element `i` of a buffer's start values, the same on host and device. CUDA files define
 * MICRO_INLINE first.
 */
#ifndef WARPREEL_MICRO_VALUE_H
#define WARPREEL_MICRO_VALUE_H

#include "micro.h"

#ifndef MICRO_INLINE
#define MICRO_INLINE static inline
#endif

/* splitmix64's finaliser (Steele, Lea, Flood 2014). */
MICRO_INLINE uint64_t micro_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* A bijection of the numbers below the next power of two, walked until it lands below count: a
 * permutation of [0, count). */
MICRO_INLINE uint32_t micro_order(uint32_t i, uint32_t count, uint32_t seed)
{
	uint32_t bits = 1, x = i;

	while (bits < 32 && (uint64_t)count > ((uint64_t)1 << bits))
		bits++;
	const uint32_t mask = (uint32_t)(((uint64_t)1 << bits) - 1), half = bits > 1 ? bits / 2 : 1;
	do {
		x = (x * 0x9e3779b1u + seed) & mask;
		x ^= x >> half;
		x = (x * 0x85ebca6bu) & mask;
		x ^= x >> half;
	} while (x >= count);
	return x;
}

MICRO_INLINE void micro_fill_element(const struct micro_fill_args *args, int64_t i)
{
	const uint64_t random = micro_mix(args->seed + 0x9e3779b97f4a7c15u * (uint64_t)(i + 1));

	if (args->kind == FILL_ZERO)
		((uint32_t *)args->out)[i] = 0;
	else if (args->kind == FILL_F32)
		((float *)args->out)[i] = (float)(random >> 40) * 0x1p-24f;
	else if (args->kind == FILL_F64)
		((double *)args->out)[i] = (double)(random >> 40) * 0x1p-24;
	else if (args->kind == FILL_U32)
		((uint32_t *)args->out)[i] = (uint32_t)random;
	else if (args->kind == FILL_BELOW)
		((uint32_t *)args->out)[i] =
			(uint32_t)((random >> 32) * (uint64_t)args->range >> 32);
	else if (args->kind == FILL_ORDER)
		((uint32_t *)args->out)[i] =
			micro_order((uint32_t)i, (uint32_t)args->count, (uint32_t)args->seed);
	else
		((uint32_t *)args->out)[i] =
			i ? (uint32_t)(i * args->range +
				       (int64_t)((random >> 32) * (uint64_t)args->range >> 32))
			  : 0;
}

#endif
