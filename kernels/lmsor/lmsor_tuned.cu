/* SPDX-License-Identifier: MIT
 * The tuned kernels: launch and table. The body is lmsor_tuned.cuh. One symbol a kind of storage,
 * with the norm and without, named as the launch is, so that a trace and a plan call it the same.
 */
#include <cuda_runtime.h>
#include "lmsor_geometry.h"
#include "lmsor_tuned.cuh"

static int launch(void (*kernel)(const struct lmsor_sweep, int),
		  void (*geometry)(const void *, struct launch_geometry *), const void *args,
		  void *stream)
{
	struct lmsor_sweep sweep = *(const struct lmsor_sweep *)args;
	struct launch_geometry g;

	if (sweep.row_end <= sweep.row_begin || sweep.columns < 3)
		return cudaSuccess;
	geometry(&sweep, &g);
	int rows_a_thread = g.path;
	void *arguments[] = { &sweep, &rows_a_thread };

	return cudaLaunchKernel(kernel, dim3(g.grid[0], g.grid[1], g.grid[2]),
				dim3(g.block[0], g.block[1], g.block[2]), arguments, 0,
				(cudaStream_t)stream);
}

template <enum lmsor_stored STORED, int MOST, bool NORM>
__device__ __forceinline__ void lmsor_tuned_path(const struct lmsor_sweep &sweep, int rows_a_thread)
{
	if (rows_a_thread == MOST)
		lmsor_tuned<STORED, MOST, NORM>(sweep);
	else if (MOST > 2 && rows_a_thread == 2)
		lmsor_tuned<STORED, 2, NORM>(sweep);
	else
		lmsor_tuned<STORED, 1, NORM>(sweep);
}

/* `blocks` an SM bounds the registers; `most` rows a thread, as in the geometry. */
#define LMSOR_TUNED(name, stored, most, norm, blocks, geometry)                                    \
	extern "C" __global__ void __launch_bounds__(LMSOR_TUNED_THREADS, blocks)                  \
		name(const struct lmsor_sweep sweep, int rows_a_thread)                            \
	{                                                                                          \
		block_note<block_note_id(#name)> note;                                             \
		lmsor_tuned_path<stored, most, norm>(sweep, rows_a_thread);                        \
	}                                                                                          \
	static int launch_##name(const void *args, void *stream)                                   \
	{                                                                                          \
		return launch(name, geometry, args, stream);                                       \
	}

LMSOR_TUNED(lmsor_tuned1, STORED_ALL, 2, false, 5, lmsor_tuned1_geometry)
LMSOR_TUNED(lmsor_tuned1_norm, STORED_ALL, 2, true, 5, lmsor_tuned1_geometry)
LMSOR_TUNED(lmsor_tuned2, STORED_TWO, 4, false, 4, lmsor_tuned_geometry)
LMSOR_TUNED(lmsor_tuned2_norm, STORED_TWO, 4, true, 4, lmsor_tuned_geometry)
LMSOR_TUNED(lmsor_tuned3, STORED_NONE, 4, false, 4, lmsor_tuned_geometry)
LMSOR_TUNED(lmsor_tuned3_norm, STORED_NONE, 4, true, 4, lmsor_tuned_geometry)
LMSOR_TUNED(lmsor_tuned4, STORED_OMEGA, 4, false, 4, lmsor_tuned_geometry)
LMSOR_TUNED(lmsor_tuned4_norm, STORED_OMEGA, 4, true, 4, lmsor_tuned_geometry)

extern "C" const struct cuda_kernel lmsor_tuned_kernels[] = {
	{ "lmsor_tuned1", launch_lmsor_tuned1 },
	{ "lmsor_tuned1_norm", launch_lmsor_tuned1_norm },
	{ "lmsor_tuned2", launch_lmsor_tuned2 },
	{ "lmsor_tuned2_norm", launch_lmsor_tuned2_norm },
	{ "lmsor_tuned3", launch_lmsor_tuned3 },
	{ "lmsor_tuned3_norm", launch_lmsor_tuned3_norm },
	{ "lmsor_tuned4", launch_lmsor_tuned4 },
	{ "lmsor_tuned4_norm", launch_lmsor_tuned4_norm },
	{ 0, 0 },
};
