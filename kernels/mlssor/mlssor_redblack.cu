/* SPDX-License-Identifier: MIT
 * Red-black SOR as the paper compares it (section V-B): points of one colour, each thread
 * point_rows x point_columns of them; the points of a thread in a row are as far apart as the block
 * is wide, so that threads side by side read points side by side.
 */
#include <cuda_runtime.h>

#include "kernels/machine/machine.h"
#include "mlssor_geometry.h"

extern "C" __global__ void mlssor_redblack(const struct mlssor_colour sweep)
{
	block_note<block_note_id("mlssor_redblack")> note;
	const float omega_over_four = sweep.omega * 0.25f, one_minus_omega = 1.0f - sweep.omega;
	const int32_t first_row =
		sweep.row_begin + (int32_t)(blockIdx.z * gridDim.y + blockIdx.y) * sweep.point_rows;

	for (int32_t row = first_row; row < first_row + sweep.point_rows && row < sweep.row_end;
	     row++) {
		float *u = sweep.grid + (int64_t)row * sweep.pitch;
		const float *north = u - sweep.pitch, *south = u + sweep.pitch;
		const int32_t odd = (sweep.first_row + row + sweep.colour) & 1;

		for (int32_t c = 0; c < sweep.point_columns; c++) {
			const int32_t k = (int32_t)((blockIdx.x * (uint32_t)sweep.point_columns +
						     (uint32_t)c) *
							    blockDim.x +
						    threadIdx.x),
				      j = 2 - odd + 2 * k;
			if (j > sweep.columns)
				break;
			const float sum = ((north[j] + south[j]) + u[j - 1]) + u[j + 1];
			u[j] = omega_over_four * sum + one_minus_omega * u[j];
		}
	}
}

static int launch(const void *args, void *stream)
{
	struct mlssor_colour sweep = *(const struct mlssor_colour *)args;
	struct launch_geometry g;
	void *arguments[] = { &sweep };

	mlssor_redblack_geometry(args, &g);
	if (!g.grid[0])
		return cudaSuccess;
	return cudaLaunchKernel(mlssor_redblack, dim3(g.grid[0], g.grid[1], g.grid[2]),
				dim3(g.block[0], g.block[1], g.block[2]), arguments, g.shared_bytes,
				(cudaStream_t)stream);
}

extern "C" const struct cuda_kernel mlssor_redblack_kernels[] = {
	{ "mlssor_redblack", launch },
	{ 0, 0 },
};
