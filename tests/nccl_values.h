/* SPDX-License-Identifier: MIT
 * What NCCL's types hold and its reductions have to give, worked out a second time for tests.
 */
#ifndef WARPREEL_TESTS_NCCL_VALUES_H
#define WARPREEL_TESTS_NCCL_VALUES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tests/standin/standin_nccl.h"
#include "traces/virtual/nccl_reduce.h"

static const int type_bytes[NCCL_TYPES] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1 };

static inline uint64_t draw(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 8;
}

/* ---- what numbers mean, written down a second time ---- */

/* The value of a code of `exponent` and `mantissa` bits by the formula of its standard. */
static inline double value_of(uint32_t code, int exponent, int mantissa, bool infinities)
{
	const int bias = (1 << (exponent - 1)) - 1;
	const uint32_t e = code >> mantissa & ((1u << exponent) - 1),
		       m = code & ((1u << mantissa) - 1);
	const double sign = code >> (exponent + mantissa) & 1 ? -1 : 1;

	if (e == (1u << exponent) - 1 && (infinities || m == (1u << mantissa) - 1))
		return m ? NAN : sign * INFINITY;
	return sign * (e ? 1 + m / pow(2, mantissa) : m / pow(2, mantissa)) *
	       pow(2, (e ? (int)e : 1) - bias);
}

static inline void bits_of(int type, int *exponent, int *mantissa, bool *infinities)
{
	static const struct {
		int exponent, mantissa;
		bool infinities;
	} of[NCCL_TYPES] = { [NCCL_FLOAT16] = { 5, 10, true },
			     [NCCL_BFLOAT16] = { 8, 7, true },
			     [NCCL_FLOAT8_E4M3] = { 4, 3, false },
			     [NCCL_FLOAT8_E5M2] = { 5, 2, true } };

	*exponent = of[type].exponent;
	*mantissa = of[type].mantissa;
	*infinities = of[type].infinities;
}

static inline bool is_narrow(int type)
{
	return type == NCCL_FLOAT16 || type >= NCCL_BFLOAT16;
}

static inline bool is_integer(int type)
{
	return type <= NCCL_UINT64;
}

static inline uint64_t raw(const void *at, int type, size_t i)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)at + i * (size_t)type_bytes[type], (size_t)type_bytes[type]);
	return value;
}

static inline double real_of(const void *at, int type, size_t i)
{
	int exponent, mantissa;
	bool infinities;

	if (type == NCCL_FLOAT32)
		return (double)((const float *)at)[i];
	if (type == NCCL_FLOAT64)
		return ((const double *)at)[i];
	bits_of(type, &exponent, &mantissa, &infinities);
	return value_of((uint32_t)raw(at, type, i), exponent, mantissa, infinities);
}

static inline int64_t integer_of(const void *at, int type, size_t i)
{
	const int shift = 64 - 8 * type_bytes[type];
	const uint64_t bits = raw(at, type, i) << shift;

	return type % 2 ? (int64_t)(bits >> shift) : (int64_t)bits >> shift;
}

static inline bool is_less(int64_t a, int64_t b, int type)
{
	return type % 2 ? (uint64_t)a < (uint64_t)b : a < b;
}

/* Sets element i of `at` to something small enough that sums and products stay finite. */
static inline void set_random(void *at, int type, size_t i)
{
	const double value = (double)(draw() % 4001) / 1000 - 2;
	int exponent, mantissa;
	bool infinities;
	uint64_t bits = draw() << 40 ^ draw();

	if (type == NCCL_FLOAT32)
		((float *)at)[i] = (float)value;
	else if (type == NCCL_FLOAT64)
		((double *)at)[i] = value;
	else {
		if (is_narrow(type)) {
			bits_of(type, &exponent, &mantissa, &infinities);
			do /* below 2 in size */
				bits = draw() & ((1u << (exponent + mantissa + 1)) - 1);
			while (!(fabs(value_of((uint32_t)bits, exponent, mantissa, infinities)) <
				 2));
		}
		memcpy((char *)at + i * (size_t)type_bytes[type], &bits, (size_t)type_bytes[type]);
	}
}

/* Whether element `at` of `got` is what the operation makes of element `from` of all ranks. */
static inline bool is_reduced(const void *got, size_t at, void *const *source, int ranks,
			      size_t from, int type, int operation)
{
	double value, sizes, want;

	if (is_integer(type)) {
		int64_t all = integer_of(source[0], type, from), held;

		for (int r = 1; r < ranks; r++) {
			const int64_t next = integer_of(source[r], type, from);

			if (operation == NCCL_PRODUCT)
				all = (int64_t)((uint64_t)all * (uint64_t)next);
			else if (operation == NCCL_MAXIMUM)
				all = is_less(all, next, type) ? next : all;
			else if (operation == NCCL_MINIMUM)
				all = is_less(next, all, type) ? next : all;
			else
				all = (int64_t)((uint64_t)all + (uint64_t)next);
		}
		held = all; /* as the type holds it */
		held = integer_of(memcpy(&(int64_t){ 0 }, &all, 8), type, 0);
		if (operation == NCCL_AVERAGE)
			held = type % 2 ? (int64_t)((uint64_t)held / (unsigned)ranks)
					: held / ranks;
		return integer_of(got, type, at) == held;
	}
	want = real_of(source[0], type, from);
	sizes = fabs(want);
	for (int r = 1; r < ranks; r++) {
		value = real_of(source[r], type, from);
		sizes += fabs(value);
		want = operation == NCCL_PRODUCT   ? want * value
		       : operation == NCCL_MAXIMUM ? fmax(want, value)
		       : operation == NCCL_MINIMUM ? fmin(want, value)
						   : want + value;
	}
	if (operation == NCCL_AVERAGE)
		want /= ranks;
	value = real_of(got, type, at);
	if (operation == NCCL_MAXIMUM || operation == NCCL_MINIMUM)
		return value == want;
	if (!is_narrow(type)) {
		const double rounding = type == NCCL_FLOAT32 ? 0x1p-23 : 0x1p-52;

		sizes = operation == NCCL_PRODUCT ? fabs(want) + 0x1p-140 : sizes;
		return fabs(value - want) <= ranks * rounding * sizes;
	}
	/* The nearest value there is, or its neighbour where rounding twice went the other way. */
	int exponent, mantissa;
	bool infinities;
	bits_of(type, &exponent, &mantissa, &infinities);
	const double step =
		pow(2, fmax(floor(log2(fmax(fabs(want), 1e-300))), 2 - (1 << (exponent - 1))) -
			       mantissa);
	return fabs(value - want) <= 0.5000001 * step + 0x1p-22 * sizes;
}

#endif
