/* SPDX-License-Identifier: MIT
 * The unseen kernels in plain C. Build with -ffp-contract=off.
 */
#include "unseen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "micro_kernel.h"

static void cube(const void *given)
{
	const struct micro_args *args = given;
	const int64_t n = args->n, plane = n * n;

	for (int64_t z = 0; z < n; z++)
		for (int64_t y = 0; y < n; y++)
			for (int64_t x = 0; x < n; x++) {
				const double *u =
					(const double *)args->in[0] + z * plane + y * n + x;
				double value = u[0];
				if (x > 0 && x < n - 1 && y > 0 && y < n - 1 && z > 0 && z < n - 1)
					value = 0.125 * (((u[-1] + u[1]) + (u[-n] + u[n])) +
							 fma(2.0, u[0], u[-plane] + u[plane]));
				((double *)args->out)[z * plane + y * n + x] = value;
			}
}

static void rows(const void *given)
{
	const struct micro_args *args = given;
	const int32_t *begin = args->in[0], *column = args->in[1];
	const float *value = args->in[2], *vector = args->in[3];

	for (int64_t row = 0; row < args->n; row++) {
		float sum[32] = { 0 };
		for (int32_t k = begin[row]; k < begin[row + 1]; k++) {
			float *lane = &sum[(k - begin[row]) % 32];
			*lane = fmaf(value[k], vector[column[k]], *lane);
		}
		for (int half = 16; half > 0; half /= 2)
			for (int lane = 0; lane < half; lane++)
				sum[lane] += sum[lane + half];
		((float *)args->out)[row] = sum[0];
	}
}

static int compare(const void *left, const void *right)
{
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

static void pieces(const void *given)
{
	const struct micro_args *args = given;
	const int64_t share = 2 * (int64_t)args->block;

	memcpy(args->out, args->in[0], (size_t)args->n * 4);
	for (int64_t base = 0; base < args->n; base += share)
		qsort((uint32_t *)args->out + base,
		      (size_t)(args->n - base < share ? args->n - base : share), 4, compare);
}

static void matrices(const void *given)
{
	const struct micro_args *args = given;
	enum { SIDE = UNSEEN_D_SIDE };

	for (int64_t m = 0; m < args->n; m++)
		for (int row = 0; row < SIDE; row++) {
			const float *element = (const float *)args->in[0] + m * SIDE * SIDE + row;
			float sum = 0;
			for (int k = 0; k < SIDE; k++)
				sum = fmaf(element[k * SIDE],
					   ((const float *)args->in[1])[m * SIDE + k], sum);
			((float *)args->out)[m * SIDE + row] = sum;
		}
}

static struct micro_buffer input(int64_t count, int word_bytes, enum micro_fill fill, int64_t range)
{
	return (struct micro_buffer){ count, range, word_bytes, fill, ACCESS_READ, false };
}

static struct micro_buffer output(int64_t count, int word_bytes, bool integer)
{
	return (struct micro_buffer){ count, 0, word_bytes, FILL_ZERO, ACCESS_WRITE, integer };
}

static void buffers_a(const struct micro_args *args, struct micro_buffer *buffer)
{
	const int64_t points = args->n * args->n * args->n;

	buffer[0] = input(points, 8, FILL_F64, 0);
	buffer[MICRO_INPUTS] = output(points, 8, false);
}

static void buffers_b(const struct micro_args *args, struct micro_buffer *buffer)
{
	const int64_t elements = (args->n + 1) * args->work;

	buffer[0] = input(args->n + 1, 4, FILL_STEPS, args->work);
	buffer[1] = input(elements, 4, FILL_BELOW, args->n);
	buffer[2] = input(elements, 4, FILL_F32, 0);
	buffer[3] = input(args->n, 4, FILL_F32, 0);
	buffer[MICRO_INPUTS] = output(args->n, 4, false);
}

static void buffers_c(const struct micro_args *args, struct micro_buffer *buffer)
{
	buffer[0] = input(args->n, 4, FILL_U32, 0);
	buffer[MICRO_INPUTS] = output(args->n, 4, true);
}

static void buffers_d(const struct micro_args *args, struct micro_buffer *buffer)
{
	buffer[0] = input(args->n * UNSEEN_D_SIDE * UNSEEN_D_SIDE, 4, FILL_F32, 0);
	buffer[1] = input(args->n * UNSEEN_D_SIDE, 4, FILL_F32, 0);
	buffer[MICRO_INPUTS] = output(args->n * UNSEEN_D_SIDE, 4, false);
}

MICRO_KERNEL(unseen_a, cube, unseen_a_geometry, buffers_a, 3, 0, 0, 0, 0)
MICRO_KERNEL(unseen_b, rows, unseen_b_geometry, buffers_b, 1, 48, 1, 256, 0)
MICRO_KERNEL(unseen_c, pieces, unseen_c_geometry, buffers_c, 1, 0, 0, 0, 0)
MICRO_KERNEL(unseen_d, matrices, unseen_d_geometry, buffers_d, 1, 0, 0, 0, 0)
