/* SPDX-License-Identifier: MIT
 * One element of a reduction over several ranks' buffers, for a kernel and for a host alike (C and
 * CUDA C). Types and operations are numbered as in NCCL's API (docs.nvidia.com, NCCL user guide,
 * "Types"): the numbers are part of its binary interface.
 *
 * Floating-point types narrower than 32 bits are added up in float and rounded once, to nearest
 * even. NCCL rounds after each rank, in an order that depends on the algorithm: results agree to
 * the rounding of n - 1 operations. Eight-bit ones saturate. An average of integers is their sum,
 * as the type holds it, divided.
 */
#ifndef WARPREEL_NCCL_REDUCE_H
#define WARPREEL_NCCL_REDUCE_H

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define REDUCE_FUNCTION static __device__ inline
#else
#define REDUCE_FUNCTION static inline
#endif

enum { REDUCE_RANKS_MAX = 64 };

enum nccl_type {
	NCCL_INT8,
	NCCL_UINT8,
	NCCL_INT32,
	NCCL_UINT32,
	NCCL_INT64,
	NCCL_UINT64,
	NCCL_FLOAT16,
	NCCL_FLOAT32,
	NCCL_FLOAT64,
	NCCL_BFLOAT16,
	NCCL_FLOAT8_E4M3,
	NCCL_FLOAT8_E5M2,
	NCCL_TYPES
};
enum nccl_operation {
	NCCL_SUM,
	NCCL_PRODUCT,
	NCCL_MAXIMUM,
	NCCL_MINIMUM,
	NCCL_AVERAGE,
	NCCL_OPERATIONS
};

/* target[i] = source[0][i] op ... op source[ranks - 1][i]; target may be one of the sources. */
struct reduce_arguments {
	const void *source[REDUCE_RANKS_MAX];
	void *target;
	uint64_t count; /* elements */
	int ranks, type, operation;
};

/* A binary format: sign, exponent, mantissa. */
struct reduce_format {
	int exponent_bits, mantissa_bits;
	int infinities; /* IEEE 754's; else all ones are one NaN, and what is too large saturates */
};

REDUCE_FUNCTION struct reduce_format reduce_format_of(int type)
{
	struct reduce_format format = { 5, 10, 1 };

	if (type == NCCL_BFLOAT16) {
		format.exponent_bits = 8;
		format.mantissa_bits = 7;
	} else if (type == NCCL_FLOAT8_E4M3) {
		format.exponent_bits = 4;
		format.mantissa_bits = 3;
		format.infinities = 0;
	} else if (type == NCCL_FLOAT8_E5M2) {
		format.mantissa_bits = 2;
	}
	return format;
}

REDUCE_FUNCTION float reduce_decode(struct reduce_format f, uint32_t bits)
{
	const uint32_t ones = (1u << f.exponent_bits) - 1,
		       exponent = bits >> f.mantissa_bits & ones,
		       mantissa = bits & ((1u << f.mantissa_bits) - 1);
	const int bias = (1 << (f.exponent_bits - 1)) - 1;
	const int negative = (int)(bits >> (f.exponent_bits + f.mantissa_bits) & 1);
	float value;

	if (exponent == ones && f.infinities)
		value = mantissa ? NAN : INFINITY;
	else if (exponent == ones && mantissa == (1u << f.mantissa_bits) - 1)
		value = NAN;
	else if (exponent)
		value = ldexpf((float)(mantissa | 1u << f.mantissa_bits),
			       (int)exponent - bias - f.mantissa_bits);
	else
		value = ldexpf((float)mantissa, 1 - bias - f.mantissa_bits);
	return negative ? -value : value;
}

/* To nearest, ties to even. `saturate`: what is too large becomes the largest. */
REDUCE_FUNCTION uint32_t reduce_encode(struct reduce_format f, float value, int saturate)
{
	const uint32_t ones = (1u << f.exponent_bits) - 1, one = 1u << f.mantissa_bits,
		       infinity = ones << f.mantissa_bits,
		       largest = f.infinities ? infinity - 1 : (infinity | (one - 1)) - 1,
		       sign = (signbit(value) ? 1u : 0u) << (f.exponent_bits + f.mantissa_bits);
	const int bias = (1 << (f.exponent_bits - 1)) - 1;
	const float size = fabsf(value);
	uint32_t code;
	int exponent;

	if (isnan(value))
		return sign | (f.infinities ? infinity | one >> 1 : largest + 1);
	if (isinf(value))
		return sign | (saturate || !f.infinities ? largest : infinity);
	frexpf(size, &exponent);
	exponent--; /* size = 1.x * 2^exponent */
	if (size == 0 || exponent < 1 - bias) {
		code = (uint32_t)rintf(ldexpf(size, f.mantissa_bits + bias - 1));
	} else {
		/* [one, 2 * one]; the latter is the next exponent's first, as the code has it. */
		const uint32_t digits = (uint32_t)rintf(ldexpf(size, f.mantissa_bits - exponent));

		if (exponent + bias > (int)ones)
			code = largest + 1;
		else
			code = ((uint32_t)(exponent + bias) << f.mantissa_bits) + (digits - one);
	}
	if (code > largest)
		code = saturate || !f.infinities ? largest : infinity;
	return sign | code;
}

#define REDUCE_INTEGER(name, type)                                                                 \
	REDUCE_FUNCTION void reduce_##name(const struct reduce_arguments *a, uint64_t i)           \
	{                                                                                          \
		type value = ((const type *)a->source[0])[i];                                      \
                                                                                                   \
		for (int rank = 1; rank < a->ranks; rank++) {                                      \
			const type next = ((const type *)a->source[rank])[i];                      \
                                                                                                   \
			if (a->operation == NCCL_MAXIMUM)                                          \
				value = next > value ? next : value;                               \
			else if (a->operation == NCCL_MINIMUM)                                     \
				value = next < value ? next : value;                               \
			else if (a->operation == NCCL_PRODUCT) /* as unsigned: these wrap */       \
				value = (type)((uint64_t)value * (uint64_t)next);                  \
			else                                                                       \
				value = (type)((uint64_t)value + (uint64_t)next);                  \
		}                                                                                  \
		if (a->operation == NCCL_AVERAGE)                                                  \
			value = (type)(value / (type)a->ranks);                                    \
		((type *)a->target)[i] = value;                                                    \
	}
REDUCE_INTEGER(int8, int8_t)
REDUCE_INTEGER(uint8, uint8_t)
REDUCE_INTEGER(int32, int32_t)
REDUCE_INTEGER(uint32, uint32_t)
REDUCE_INTEGER(int64, int64_t)
REDUCE_INTEGER(uint64, uint64_t)
#undef REDUCE_INTEGER

#define REDUCE_REAL(name, type, load, store)                                                       \
	REDUCE_FUNCTION void reduce_##name(const struct reduce_arguments *a, uint64_t i)           \
	{                                                                                          \
		type value = load(a, 0, i);                                                        \
                                                                                                   \
		for (int rank = 1; rank < a->ranks; rank++) {                                      \
			const type next = load(a, rank, i);                                        \
                                                                                                   \
			if (a->operation == NCCL_MAXIMUM)                                          \
				value = next > value || isnan(value) ? next : value;               \
			else if (a->operation == NCCL_MINIMUM)                                     \
				value = next < value || isnan(value) ? next : value;               \
			else if (a->operation == NCCL_PRODUCT)                                     \
				value *= next;                                                     \
			else                                                                       \
				value += next;                                                     \
		}                                                                                  \
		if (a->operation == NCCL_AVERAGE)                                                  \
			value /= (type)a->ranks;                                                   \
		store(a, i, value);                                                                \
	}
#define LOAD_FLOAT(a, rank, i) ((const float *)(a)->source[rank])[i]
#define STORE_FLOAT(a, i, value) (((float *)(a)->target)[i] = (value))
#define LOAD_DOUBLE(a, rank, i) ((const double *)(a)->source[rank])[i]
#define STORE_DOUBLE(a, i, value) (((double *)(a)->target)[i] = (value))
REDUCE_FUNCTION float reduce_load_narrow(const struct reduce_arguments *a, int rank, uint64_t i)
{
	const struct reduce_format format = reduce_format_of(a->type);

	return reduce_decode(format, format.exponent_bits + format.mantissa_bits > 7
					     ? ((const uint16_t *)a->source[rank])[i]
					     : ((const uint8_t *)a->source[rank])[i]);
}
REDUCE_FUNCTION void reduce_store_narrow(const struct reduce_arguments *a, uint64_t i, float value)
{
	const struct reduce_format format = reduce_format_of(a->type);

	if (format.exponent_bits + format.mantissa_bits > 7)
		((uint16_t *)a->target)[i] = (uint16_t)reduce_encode(format, value, 0);
	else
		((uint8_t *)a->target)[i] = (uint8_t)reduce_encode(format, value, 1);
}
REDUCE_REAL(float32, float, LOAD_FLOAT, STORE_FLOAT)
REDUCE_REAL(float64, double, LOAD_DOUBLE, STORE_DOUBLE)
REDUCE_REAL(narrow, float, reduce_load_narrow, reduce_store_narrow)
#undef REDUCE_REAL

REDUCE_FUNCTION void reduce_element(const struct reduce_arguments *a, uint64_t i)
{
	switch (a->type) {
	case NCCL_INT8:
		reduce_int8(a, i);
		break;
	case NCCL_UINT8:
		reduce_uint8(a, i);
		break;
	case NCCL_INT32:
		reduce_int32(a, i);
		break;
	case NCCL_UINT32:
		reduce_uint32(a, i);
		break;
	case NCCL_INT64:
		reduce_int64(a, i);
		break;
	case NCCL_UINT64:
		reduce_uint64(a, i);
		break;
	case NCCL_FLOAT32:
		reduce_float32(a, i);
		break;
	case NCCL_FLOAT64:
		reduce_float64(a, i);
		break;
	default:
		reduce_narrow(a, i);
		break;
	}
}

#endif
