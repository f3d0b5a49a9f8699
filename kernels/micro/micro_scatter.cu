/* SPDX-License-Identifier: MIT
 * Microkernels whose accesses do not lie side by side: counting by atomics, indexed and strided
 * reads.
 */
#include "micro_launch.cuh"

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_atomics(const struct micro_args args)
{
	block_note<block_note_id("micro_atomics")> note;
	const int64_t i = micro_item();

	if (i < args.n)
		atomicAdd((unsigned *)args.out + ((const uint32_t *)args.in[0])[i], 1u);
}

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_gather(const struct micro_args args)
{
	block_note<block_note_id("micro_gather")> note;
	const int64_t i = micro_item();

	if (i < args.n)
		((float *)args.out)[i] =
			((const float *)args.in[0])[((const int32_t *)args.in[1])[i]];
}

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_strided(const struct micro_args args)
{
	block_note<block_note_id("micro_strided")> note;
	const int64_t i = micro_item();

	if (i < args.n)
		((float *)args.out)[i] = ((const float *)args.in[0])[i * args.work];
}

MICRO_LAUNCHER(micro_atomics, micro_items_geometry)
MICRO_LAUNCHER(micro_gather, micro_items_geometry)
MICRO_LAUNCHER(micro_strided, micro_items_geometry)

extern "C" const struct cuda_kernel micro_scatter_kernels[] = {
	{ "micro_atomics", launch_micro_atomics },
	{ "micro_gather", launch_micro_gather },
	{ "micro_strided", launch_micro_strided },
	{ 0, 0 },
};
