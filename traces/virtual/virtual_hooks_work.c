/* SPDX-License-Identifier: MIT
 * Calls that run kernels, which take turns between devices; captures, during which nothing runs;
 * and barriers of host threads, which are noted: in a recording on one GPU how long a thread waits
 * at one says nothing.
 */
#include "virtual.h"

#define RUNS(name, parameters, arguments)                                                          \
	HOOK cudaError_t name parameters;                                                          \
	HOOK cudaError_t name parameters                                                           \
	{                                                                                          \
		cudaError_t(*real) parameters = REAL(name);                                        \
		cudaError_t result;                                                                \
                                                                                                   \
		turns_begin();                                                                     \
		result = real arguments;                                                           \
		turns_end();                                                                       \
		return result;                                                                     \
	}
#define RUNS_EITHER(name, suffix, parameters, arguments)                                           \
	RUNS(name, parameters, arguments)                                                          \
	RUNS(name##suffix, parameters, arguments)

RUNS_EITHER(__cudaLaunchKernel, _ptsz,
	    (cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
	     cudaStream_t stream),
	    (kernel, grid, block, arguments, shared_bytes, stream))
RUNS_EITHER(cudaLaunchKernel, _ptsz,
	    (const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
	     cudaStream_t stream),
	    (kernel, grid, block, arguments, shared_bytes, stream))
RUNS_EITHER(cudaLaunchKernelExC, _ptsz,
	    (const cudaLaunchConfig_t *launch, const void *kernel, void **arguments),
	    (launch, kernel, arguments))
RUNS_EITHER(cudaLaunchCooperativeKernel, _ptsz,
	    (const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
	     cudaStream_t stream),
	    (kernel, grid, block, arguments, shared_bytes, stream))
RUNS_EITHER(cudaGraphLaunch, _ptsz, (cudaGraphExec_t graph, cudaStream_t stream), (graph, stream))
RUNS_EITHER(cudaMemset, _ptds, (void *pointer, int value, size_t bytes), (pointer, value, bytes))
RUNS_EITHER(cudaMemsetAsync, _ptsz, (void *pointer, int value, size_t bytes, cudaStream_t stream),
	    (pointer, value, bytes, stream))
RUNS_EITHER(cudaMemset2DAsync, _ptsz,
	    (void *pointer, size_t pitch, int value, size_t width, size_t height,
	     cudaStream_t stream),
	    (pointer, pitch, value, width, height, stream))

/* ---- captures ---- */

#define BEGINS_CAPTURE(name)                                                                       \
	HOOK cudaError_t name(cudaStream_t stream, enum cudaStreamCaptureMode mode);               \
	HOOK cudaError_t name(cudaStream_t stream, enum cudaStreamCaptureMode mode)                \
	{                                                                                          \
		cudaError_t result;                                                                \
                                                                                                   \
		turns_capture(1);                                                                  \
		result = REAL(name)(stream, mode);                                                 \
		if (result != cudaSuccess)                                                         \
			turns_capture(-1);                                                         \
		return result;                                                                     \
	}
#define ENDS_CAPTURE(name)                                                                         \
	HOOK cudaError_t name(cudaStream_t stream, cudaGraph_t *graph);                            \
	HOOK cudaError_t name(cudaStream_t stream, cudaGraph_t *graph)                             \
	{                                                                                          \
		cudaError_t result = REAL(name)(stream, graph);                                    \
                                                                                                   \
		turns_capture(-1);                                                                 \
		return result;                                                                     \
	}
BEGINS_CAPTURE(cudaStreamBeginCapture)
BEGINS_CAPTURE(cudaStreamBeginCapture_ptsz)
ENDS_CAPTURE(cudaStreamEndCapture)
ENDS_CAPTURE(cudaStreamEndCapture_ptsz)

/* ---- barriers of host threads ---- */

enum { OPENMP_BARRIER = 0x40000000 };

void GOMP_barrier(void);
HOOK void GOMP_barrier(void)
{
	static void *_Atomic slot;
	void (*real)(void) =
		(void (*)(void))(uintptr_t)real_other(&slot, "libgomp.so", "GOMP_barrier");
	uint64_t start_ns = gpus_all() > 1 ? notes_now_ns() : 0;

	real();
	notes_barrier(OPENMP_BARRIER, start_ns);
}

int pthread_barrier_wait(void *barrier);
HOOK int pthread_barrier_wait(void *barrier)
{
	static void *_Atomic slot;
	int (*real)(void *) =
		(int (*)(void *))(uintptr_t)real_other(&slot, "libc.so", "pthread_barrier_wait");
	uint64_t start_ns = gpus_all() > 1 ? notes_now_ns() : 0;
	int result = real(barrier);

	notes_barrier((uint32_t)((uintptr_t)barrier >> 3) & (OPENMP_BARRIER - 1), start_ns);
	return result;
}
