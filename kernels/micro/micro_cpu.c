/* SPDX-License-Identifier: MIT
 * The microkernels in plain C, and what each wants of its buffers. Build with -ffp-contract=off.
 */
#include "micro.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "micro_kernel.h"
#include "micro_value.h"

void micro_fill_cpu(const void *given)
{
	const struct micro_fill_args *args = given;

	for (int64_t i = 0; i < args->count; i++)
		micro_fill_element(args, i);
}

static void copy4(const void *given)
{
	const struct micro_args *args = given;
	memcpy(args->out, args->in[0], (size_t)args->n * 4);
}

static void copy8(const void *given)
{
	const struct micro_args *args = given;
	memcpy(args->out, args->in[0], (size_t)args->n * 8);
}

static void copy16(const void *given)
{
	const struct micro_args *args = given;
	memcpy(args->out, args->in[0], (size_t)args->n * 16);
}

static void triad32(const void *given)
{
	const struct micro_args *args = given;
	const float *a = args->in[0], *b = args->in[1];
	for (int64_t i = 0; i < args->n; i++)
		((float *)args->out)[i] = fmaf((float)args->scale, b[i], a[i]);
}

static void triad64(const void *given)
{
	const struct micro_args *args = given;
	const double *a = args->in[0], *b = args->in[1];
	for (int64_t i = 0; i < args->n; i++)
		((double *)args->out)[i] = fma(args->scale, b[i], a[i]);
}

/* In the order of the blocks' trees: the sums agree to the last bit. */
static void reduce(const void *given)
{
	const struct micro_args *args = given;
	const float *in = args->in[0];
	const int64_t share = (int64_t)args->block * MICRO_REDUCE_ITEMS;
	float *tree = xmalloc((size_t)args->block * sizeof(*tree));

	for (int64_t base = 0; base < args->n; base += share) {
		for (int t = 0; t < args->block; t++) {
			tree[t] = 0;
			for (int64_t k = base + t; k < base + share && k < args->n;
			     k += args->block)
				tree[t] += in[k];
		}
		for (int half = args->block / 2; half > 0; half /= 2)
			for (int t = 0; t < half; t++)
				tree[t] += tree[t + half];
		((float *)args->out)[base / share] = tree[0];
	}
	free(tree);
}

static void transpose(const void *given)
{
	const struct micro_args *args = given;
	const float *in = args->in[0];
	for (int64_t row = 0; row < args->n; row++)
		for (int64_t column = 0; column < args->n; column++)
			((float *)args->out)[column * args->n + row] = in[row * args->n + column];
}

static void stencil(const void *given)
{
	const struct micro_args *args = given;
	const int64_t n = args->n;
	for (int64_t row = 0; row < n; row++)
		for (int64_t column = 0; column < n; column++) {
			const float *u = (const float *)args->in[0] + row * n + column;
			float value = u[0];
			if (column > 0 && column < n - 1 && row > 0 && row < n - 1)
				value = 0.2f * (((u[-1] + u[1]) + (u[-n] + u[n])) + value);
			((float *)args->out)[row * n + column] = value;
		}
}

static void fma32(const void *given)
{
	const struct micro_args *args = given;
	for (int64_t i = 0; i < args->n; i++) {
		const float a = (float)args->scale, b = ((const float *)args->in[0])[i];
		float x = b;
		for (int k = 0; k < args->work; k++)
			x = fmaf(a, x, b);
		((float *)args->out)[i] = x;
	}
}

static void fma32x4(const void *given)
{
	const struct micro_args *args = given;
	for (int64_t i = 0; i < args->n; i++) {
		const float a = (float)args->scale, b = ((const float *)args->in[0])[i];
		float x[4] = { b, b + 1.0f, b + 2.0f, b + 3.0f };
		for (int k = 0; k < args->work; k++)
			for (int chain = 0; chain < 4; chain++)
				x[chain] = fmaf(a, x[chain], b);
		((float *)args->out)[i] = (x[0] + x[1]) + (x[2] + x[3]);
	}
}

static void fma64(const void *given)
{
	const struct micro_args *args = given;
	for (int64_t i = 0; i < args->n; i++) {
		const double a = args->scale, b = ((const double *)args->in[0])[i];
		double x = b;
		for (int k = 0; k < args->work; k++)
			x = fma(a, x, b);
		((double *)args->out)[i] = x;
	}
}

static void special(const void *given)
{
	const struct micro_args *args = given;
	for (int64_t i = 0; i < args->n; i++) {
		float x = ((const float *)args->in[0])[i];
		for (int k = 0; k < args->work; k++)
			x = expf(-1.0f / sqrtf(x + 0.5f));
		((float *)args->out)[i] = x;
	}
}

static void hash(const void *given)
{
	const struct micro_args *args = given;
	for (int64_t i = 0; i < args->n; i++) {
		uint32_t x = ((const uint32_t *)args->in[0])[i];
		for (int k = 0; k < args->work; k++) {
			x ^= x >> 16;
			x *= 0x7feb352du;
			x ^= x >> 15;
			x *= 0x846ca68bu;
			x ^= (uint32_t)k;
		}
		((uint32_t *)args->out)[i] = x;
	}
}

static void divergent(const void *given)
{
	const struct micro_args *args = given;
	for (int64_t i = 0; i < args->n; i++) {
		const uint32_t v = ((const uint32_t *)args->in[0])[i];
		const float b = (float)(v >> 8) * 0x1p-24f, a = (float)args->scale;
		float x = b;
		uint32_t h = v;
		for (int k = 0; k < args->work; k++) {
			if ((v & 3) == 0)
				x = fmaf(a, x, b);
			else if ((v & 3) == 2)
				x = (x + b) * a;
			h = h * 1664525u + (h >> 13);
		}
		((float *)args->out)[i] = (v & 3) == 1 ? (float)(h >> 8) * 0x1p-24f : x;
	}
}

static void atomics(const void *given)
{
	const struct micro_args *args = given;
	for (int64_t i = 0; i < args->n; i++)
		((uint32_t *)args->out)[((const uint32_t *)args->in[0])[i]]++;
}

static void gather(const void *given)
{
	const struct micro_args *args = given;
	for (int64_t i = 0; i < args->n; i++)
		((float *)args->out)[i] =
			((const float *)args->in[0])[((const int32_t *)args->in[1])[i]];
}

static void strided(const void *given)
{
	const struct micro_args *args = given;
	for (int64_t i = 0; i < args->n; i++)
		((float *)args->out)[i] = ((const float *)args->in[0])[i * args->work];
}

static void buffers_1d(const struct micro_args *args, struct micro_buffer *buffer, int inputs,
		       int word_bytes, enum micro_fill fill)
{
	for (int k = 0; k < inputs; k++)
		buffer[k] =
			(struct micro_buffer){ args->n, 0, word_bytes, fill, ACCESS_READ, false };
	buffer[MICRO_INPUTS] =
		(struct micro_buffer){ args->n, 0, word_bytes, FILL_ZERO, ACCESS_WRITE, false };
}

static void one_f32(const struct micro_args *args, struct micro_buffer *buffer)
{
	buffers_1d(args, buffer, 1, 4, FILL_F32);
}

static void one_f64(const struct micro_args *args, struct micro_buffer *buffer)
{
	buffers_1d(args, buffer, 1, 8, FILL_F64);
}

static void one_u32(const struct micro_args *args, struct micro_buffer *buffer)
{
	buffers_1d(args, buffer, 1, 4, FILL_U32);
}

static void hashes(const struct micro_args *args, struct micro_buffer *buffer)
{
	one_u32(args, buffer);
	buffer[MICRO_INPUTS].integer = true;
}

static void one_quad(const struct micro_args *args, struct micro_buffer *buffer)
{
	const struct micro_args words = { .n = 4 * args->n };
	buffers_1d(&words, buffer, 1, 4, FILL_F32);
}

static void two_f32(const struct micro_args *args, struct micro_buffer *buffer)
{
	buffers_1d(args, buffer, 2, 4, FILL_F32);
}

static void two_f64(const struct micro_args *args, struct micro_buffer *buffer)
{
	buffers_1d(args, buffer, 2, 8, FILL_F64);
}

static void square(const struct micro_args *args, struct micro_buffer *buffer)
{
	const struct micro_args points = { .n = args->n * args->n };
	buffers_1d(&points, buffer, 1, 4, FILL_F32);
}

static void partials(const struct micro_args *args, struct micro_buffer *buffer)
{
	one_f32(args, buffer);
	buffer[MICRO_INPUTS].count =
		micro_divide_up(args->n, (int64_t)args->block * MICRO_REDUCE_ITEMS);
}

static void bins(const struct micro_args *args, struct micro_buffer *buffer)
{
	buffer[0] = (struct micro_buffer){ args->n, args->work, 4, FILL_BELOW, ACCESS_READ, true };
	buffer[MICRO_INPUTS] = (struct micro_buffer){
		args->work, 0, 4, FILL_ZERO, ACCESS_READ | ACCESS_WRITE, true
	};
}

static void indexed(const struct micro_args *args, struct micro_buffer *buffer)
{
	one_f32(args, buffer);
	buffer[1] = (struct micro_buffer){ args->n, 0, 4, FILL_ORDER, ACCESS_READ, true };
}

static void sparse(const struct micro_args *args, struct micro_buffer *buffer)
{
	one_f32(args, buffer);
	buffer[0].count = args->n * args->work;
}

/*         name              twin       geometry                 buffers   dimensions  work:
 * standard, least, most   tolerance */
MICRO_KERNEL(copy4, copy4, micro_items_geometry, one_f32, 1, 0, 0, 0, 0)
MICRO_KERNEL(copy8, copy8, micro_items_geometry, one_f64, 1, 0, 0, 0, 0)
MICRO_KERNEL(copy16, copy16, micro_items_geometry, one_quad, 1, 0, 0, 0, 0)
MICRO_KERNEL(triad32, triad32, micro_items_geometry, two_f32, 1, 0, 0, 0, 0)
MICRO_KERNEL(triad64, triad64, micro_items_geometry, two_f64, 1, 0, 0, 0, 0)
MICRO_KERNEL(reduce, reduce, micro_reduce_geometry, partials, 1, 0, 0, 0, 0)
MICRO_KERNEL(transpose, transpose, micro_tile_geometry, square, 2, 0, 0, 0, 0)
MICRO_KERNEL(transpose_shared, transpose, micro_tile_geometry, square, 2, 0, 0, 0, 0)
MICRO_KERNEL(transpose_padded, transpose, micro_tile_geometry, square, 2, 0, 0, 0, 0)
MICRO_KERNEL(stencil, stencil, micro_rows_geometry, square, 2, 0, 0, 0, 0)
MICRO_KERNEL(fma32, fma32, micro_loop_geometry, one_f32, 1, 64, 1, 1 << 20, 0)
MICRO_KERNEL(fma32x4, fma32x4, micro_loop_geometry, one_f32, 1, 64, 1, 1 << 20, 0)
MICRO_KERNEL(fma64, fma64, micro_loop_geometry, one_f64, 1, 64, 1, 1 << 20, 0)
MICRO_KERNEL(special, special, micro_loop_geometry, one_f32, 1, 16, 1, 1 << 20, 1e-5)
MICRO_KERNEL(atomics, atomics, micro_items_geometry, bins, 1, 4096, 1, 1 << 24, 0)
MICRO_KERNEL(gather, gather, micro_items_geometry, indexed, 1, 0, 0, 0, 0)
MICRO_KERNEL(strided, strided, micro_items_geometry, sparse, 1, 8, 1, 1 << 10, 0)
MICRO_KERNEL(hash, hash, micro_loop_geometry, hashes, 1, 32, 1, 1 << 20, 0)
MICRO_KERNEL(divergent, divergent, micro_loop_geometry, one_u32, 1, 16, 1, 1 << 20, 0)
