/* SPDX-License-Identifier: MIT
 * All iterations of a red-black SOR in one launch, for grids that the registers of one GPU hold.
 * The body is rbsor_persistent.cuh.
 */
#include <cuda_runtime.h>
#include "kernels/machine/machine.h"
#include "rbsor_geometry.h"
#include "rbsor_persistent.cuh"
extern "C" {
#include "traces/base/util.h"
}

#define KERNEL(name, T, rows, exchange)                                                            \
	extern "C" __global__ void __launch_bounds__(32 * PERSISTENT_WARPS, 1)                     \
		name(const struct rbsor_loop loop)                                                 \
	{                                                                                          \
		block_note<block_note_id(#name)> note;                                             \
		rbsor_persistent<T, rows, PERSISTENT_DEPTH, exchange>(loop);                       \
	}
#define PERSISTENT(rows)                                                                           \
	KERNEL(rbsor_persistent##rows##_f32, float, rows, EXCHANGE_FLAGS)                          \
	KERNEL(rbsor_persistent##rows##_f64, double, rows, EXCHANGE_FLAGS)
#define RESIDENT(rows)                                                                             \
	PERSISTENT(rows)                                                                           \
	KERNEL(rbsor_resident##rows##_f32, float, rows, EXCHANGE_WARPS)                            \
	KERNEL(rbsor_resident##rows##_f64, double, rows, EXCHANGE_WARPS)
#include "rbsor_persistent.def"
#undef PERSISTENT
#undef RESIDENT

static int launch_loop(void (*kernel)(const struct rbsor_loop), const void *args, void *stream)
{
	struct rbsor_loop loop = *(const struct rbsor_loop *)args;
	struct launch_geometry g;
	void *arguments[] = { &loop };

	rbsor_persistent_geometry(&loop, &g);
	if (!g.grid[0])
		return cudaErrorInvalidConfiguration;
	const cudaError_t error =
		cudaLaunchCooperativeKernel(kernel, dim3(g.grid[0], g.grid[1], g.grid[2]),
					    dim3(g.block[0], g.block[1], g.block[2]), arguments,
					    g.shared_bytes, (cudaStream_t)stream);
	if (error == cudaErrorCooperativeLaunchTooLarge)
		report("kernel persistent wants %u blocks of %u threads on the GPU at once, more "
		       "than this one holds: --kernel temporal",
		       g.grid[0] * g.grid[1], g.block[0]);
	return error;
}

#define LAUNCH(name)                                                                               \
	static int launch_##name(const void *args, void *stream)                                   \
	{                                                                                          \
		return launch_loop(name, args, stream);                                            \
	}
#define PERSISTENT(rows) LAUNCH(rbsor_persistent##rows##_f32) LAUNCH(rbsor_persistent##rows##_f64)
#define RESIDENT(rows)                                                                             \
	PERSISTENT(rows)                                                                           \
	LAUNCH(rbsor_resident##rows##_f32) LAUNCH(rbsor_resident##rows##_f64)
#include "rbsor_persistent.def"
#undef PERSISTENT
#undef RESIDENT

extern "C" const struct cuda_kernel rbsor_persistent_kernels[] = {
#define ROW(name) { #name, launch_##name },
#define PERSISTENT(rows) ROW(rbsor_persistent##rows##_f32) ROW(rbsor_persistent##rows##_f64)
#define RESIDENT(rows)                                                                             \
	PERSISTENT(rows)                                                                           \
	ROW(rbsor_resident##rows##_f32) ROW(rbsor_resident##rows##_f64)
#include "rbsor_persistent.def"
#undef PERSISTENT
#undef RESIDENT
	{ 0, 0 },
};
