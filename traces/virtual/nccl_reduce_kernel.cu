/* SPDX-License-Identifier: MIT
 * The kernel of reductions between virtual GPUs. It is no part of the program that is recorded, and
 * is left out of its trace.
 */
#include "nccl_reduce.h"

extern "C" __global__ void warpreel_nccl_reduce(struct reduce_arguments arguments)
{
	const uint64_t all = (uint64_t)gridDim.x * blockDim.x;

	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < arguments.count;
	     i += all)
		reduce_element(&arguments, i);
}
