/* SPDX-License-Identifier: MIT
 * Microkernels that compute: one element a thread and a loop of `work` steps over it.
 */
#include "micro_launch.cuh"

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_fma32(const struct micro_args args)
{
	block_note<block_note_id("micro_fma32")> note;
	const int64_t i = micro_item();

	if (i >= args.n)
		return;
	const float a = (float)args.scale, b = ((const float *)args.in[0])[i];
	float x = b;
	for (int k = 0; k < args.work; k++)
		x = fmaf(a, x, b);
	((float *)args.out)[i] = x;
}

/* Four chains that do not wait for each other. */
extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_fma32x4(const struct micro_args args)
{
	block_note<block_note_id("micro_fma32x4")> note;
	const int64_t i = micro_item();

	if (i >= args.n)
		return;
	const float a = (float)args.scale, b = ((const float *)args.in[0])[i];
	float x = b, y = b + 1.0f, z = b + 2.0f, w = b + 3.0f;
	for (int k = 0; k < args.work; k++) {
		x = fmaf(a, x, b);
		y = fmaf(a, y, b);
		z = fmaf(a, z, b);
		w = fmaf(a, w, b);
	}
	((float *)args.out)[i] = (x + y) + (z + w);
}

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_fma64(const struct micro_args args)
{
	block_note<block_note_id("micro_fma64")> note;
	const int64_t i = micro_item();

	if (i >= args.n)
		return;
	const double a = args.scale, b = ((const double *)args.in[0])[i];
	double x = b;
	for (int k = 0; k < args.work; k++)
		x = fma(a, x, b);
	((double *)args.out)[i] = x;
}

/* A reciprocal square root and an exponential a step, both approximate. */
extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_special(const struct micro_args args)
{
	block_note<block_note_id("micro_special")> note;
	const int64_t i = micro_item();

	if (i >= args.n)
		return;
	float x = ((const float *)args.in[0])[i];
	for (int k = 0; k < args.work; k++)
		x = __expf(-rsqrtf(x + 0.5f));
	((float *)args.out)[i] = x;
}

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_hash(const struct micro_args args)
{
	block_note<block_note_id("micro_hash")> note;
	const int64_t i = micro_item();

	if (i >= args.n)
		return;
	uint32_t x = ((const uint32_t *)args.in[0])[i];
	for (int k = 0; k < args.work; k++) {
		x ^= x >> 16;
		x *= 0x7feb352du;
		x ^= x >> 15;
		x *= 0x846ca68bu;
		x ^= (uint32_t)k;
	}
	((uint32_t *)args.out)[i] = x;
}

/* Which of four ways a thread goes is in its data: a warp goes them all. */
extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_divergent(const struct micro_args args)
{
	block_note<block_note_id("micro_divergent")> note;
	const int64_t i = micro_item();

	if (i >= args.n)
		return;
	const uint32_t v = ((const uint32_t *)args.in[0])[i];
	const float b = (float)(v >> 8) * 0x1p-24f, a = (float)args.scale;
	float x = b;
	switch (v & 3) {
	case 0:
		for (int k = 0; k < args.work; k++)
			x = fmaf(a, x, b);
		break;
	case 1: {
		uint32_t h = v;
		for (int k = 0; k < args.work; k++)
			h = h * 1664525u + (h >> 13);
		x = (float)(h >> 8) * 0x1p-24f;
		break;
	}
	case 2:
		for (int k = 0; k < args.work; k++)
			x = (x + b) * a;
		break;
	default:
		break;
	}
	((float *)args.out)[i] = x;
}

MICRO_LAUNCHER(micro_fma32, micro_loop_geometry)
MICRO_LAUNCHER(micro_fma32x4, micro_loop_geometry)
MICRO_LAUNCHER(micro_fma64, micro_loop_geometry)
MICRO_LAUNCHER(micro_special, micro_loop_geometry)
MICRO_LAUNCHER(micro_hash, micro_loop_geometry)
MICRO_LAUNCHER(micro_divergent, micro_loop_geometry)

extern "C" const struct cuda_kernel micro_compute_kernels[] = {
	{ "micro_fma32", launch_micro_fma32 },
	{ "micro_fma32x4", launch_micro_fma32x4 },
	{ "micro_fma64", launch_micro_fma64 },
	{ "micro_special", launch_micro_special },
	{ "micro_hash", launch_micro_hash },
	{ "micro_divergent", launch_micro_divergent },
	{ 0, 0 },
};
