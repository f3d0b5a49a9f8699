/* SPDX-License-Identifier: MIT
 * All iterations in one launch: launch and table. The body is lmsor_persistent.cuh.
 */
#include <cuda_runtime.h>
#include "lmsor_geometry.h"
#include "lmsor_persistent.cuh"
extern "C" {
#include "traces/base/util.h"
}

extern "C" __global__ void __launch_bounds__(LMSOR_LOOP_THREADS, 1)
	lmsor_persistent(const struct lmsor_loop loop)
{
	block_note<block_note_id("lmsor_persistent")> note;
	extern __shared__ double dynamic_shared[];
	__shared__ struct lmsor_block block;
	const int index = (int)threadIdx.x, band = (int)blockIdx.x;
	const int rows = loop.row_end - loop.row_begin, each = rows / loop.bands,
		  more = rows % loop.bands;
	const int first = loop.row_begin + band * each + (band < more ? band : more),
		  own = each + (band < more);
	struct lmsor_flag *boxes =
		(struct lmsor_flag *)loop.mailboxes + band * 4 * LMSOR_LOOP_THREADS + index;
	struct lmsor_thread thread = { &loop, &block, dynamic_shared, boxes,	 index,
				       band,  first,  index & 31,     index / 32 };
	struct lmsor_pair column[2];

	for (int x = 0; x < 2; x++) {
		const int odd = (loop.first_row + first + x) & 1, at = 2 * index + odd;

		column[x] = lmsor_pair_of(lmsor_drift(&loop.problem, at));
		thread.step[x] = odd ? 1 : -1;
		thread.inside[x] = at > 0 && at < loop.columns - 1;
		thread.near[x] = odd ? column[x].before : column[x].after;
		thread.far[x] = odd ? column[x].after : column[x].before;
	}
	for (int r = index; r < own; r += (int)blockDim.x)
		block.vertical[r] =
			lmsor_pair_of(lmsor_drift(&loop.problem, loop.first_row + first + r));
	if (index == 0)
		block.above = block.lost = 0;
	for (int side = 0; side < 2; side++)
		*lmsor_box(thread, 0, side, 0) = lmsor_flag(); /* red ones are for odd numbers */
	__syncthreads();
	switch (own) {
	case 1:
		return lmsor_run_band<1>(thread, column);
	case 2:
		return lmsor_run_band<2>(thread, column);
	case 3:
		return lmsor_run_band<3>(thread, column);
	case 4:
		return lmsor_run_band<4>(thread, column);
	case 5:
		return lmsor_run_band<5>(thread, column);
	case 6:
		return lmsor_run_band<6>(thread, column);
	case 7:
		return lmsor_run_band<7>(thread, column);
	case 8:
		return lmsor_run_band<8>(thread, column);
	}
}

static int launch_persistent(const void *args, void *stream)
{
	struct lmsor_loop loop = *(const struct lmsor_loop *)args;
	struct launch_geometry g;
	void *arguments[] = { &loop };

	lmsor_persistent_geometry(&loop, &g);
	if (g.path > LMSOR_BAND_ROWS || g.block[0] > LMSOR_LOOP_THREADS)
		return cudaErrorInvalidConfiguration;
	cudaError_t error = cudaFuncSetAttribute(
		lmsor_persistent, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)g.shared_bytes);
	if (!error)
		error = cudaLaunchCooperativeKernel(
			lmsor_persistent, dim3(g.grid[0], g.grid[1], g.grid[2]),
			dim3(g.block[0], g.block[1], g.block[2]), arguments, g.shared_bytes,
			(cudaStream_t)stream);
	if (error == cudaErrorCooperativeLaunchTooLarge || error == cudaErrorInvalidValue)
		report("kernel persistent wants %u blocks of %u threads and %u bytes of shared "
		       "memory on the GPU at once, more than this one holds: "
		       "--kernel tuned",
		       g.grid[0], g.block[0], g.shared_bytes);
	return error;
}

extern "C" const struct cuda_kernel lmsor_persistent_kernels[] = {
	{ "lmsor_persistent", launch_persistent },
	{ 0, 0 },
};
