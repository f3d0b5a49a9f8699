/* SPDX-License-Identifier: MIT
 * A CUDA runtime of one device over standin_driver.c, as far as tests ask. Built as
 * libcudart.so.13.
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#undef cudaMemPrefetchAsync

void standin_note(char what, long number);
void standin_allocate(uintptr_t at, uintptr_t bytes);
uintptr_t standin_primary(void);

static uintptr_t allocated = 0x800000000000;

static long context_now(void)
{
	CUcontext now;

	cuCtxGetCurrent(&now);
	if (!now) { /* the first call of a thread */
		now = (CUcontext)standin_primary();
		cuCtxSetCurrent(now);
	}
	return (long)((uintptr_t)now >> 12);
}

cudaError_t cudaGetDeviceCount(int *count)
{
	*count = 1;
	return cudaSuccess;
}
cudaError_t cudaSetDevice(int device)
{
	if (device)
		return cudaErrorInvalidDevice;
	cuCtxSetCurrent((CUcontext)standin_primary());
	return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device)
{
	*device = 0;
	return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
	memset(properties, 0, sizeof(*properties));
	properties->pciBusID = 0x18;
	return device ? cudaErrorInvalidDevice : cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char *text, int bytes, int device)
{
	snprintf(text, (size_t)bytes, "0000:18:00.0");
	return device ? cudaErrorInvalidDevice : cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	*can = 0;
	return device || peer ? cudaErrorInvalidDevice : cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
	(void)flags;
	return peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessUnsupported;
}
cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
	return peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled;
}
static cudaError_t allocate(void **pointer, size_t bytes)
{
	context_now();
	if (bytes > (size_t)1 << 40)
		return cudaErrorMemoryAllocation;
	*pointer =
		mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	standin_allocate((uintptr_t)*pointer, bytes);
	return cudaSuccess;
}
cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
	return allocate(pointer, bytes);
}
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
	pitched->pitch = (extent.width + 511) / 512 * 512;
	return allocate(&pitched->ptr, pitched->pitch * extent.height * extent.depth);
}
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
	(void)stream;
	*pointer = (void *)allocated; /* of a pool: no context */
	allocated += bytes + 4096;
	return cudaSuccess;
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
	(void)pointer;
	(void)stream;
	return cudaSuccess;
}
cudaError_t cudaFree(void *pointer)
{
	(void)pointer;
	return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
	memset(attributes, 0, sizeof(*attributes));
	attributes->type = (uintptr_t)pointer >= 0x7c0000000000 ? cudaMemoryTypeDevice
								: cudaMemoryTypeUnregistered;
	return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
	(void)stream;
	*device = 0;
	return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t bytes,
			    enum cudaMemcpyKind kind, cudaStream_t stream)
{
	(void)target;
	(void)source;
	(void)bytes;
	(void)stream;
	standin_note('m', kind);
	return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
			       size_t shared_bytes, cudaStream_t stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
			       size_t shared_bytes, cudaStream_t stream)
{
	(void)kernel;
	(void)grid;
	(void)block;
	(void)arguments;
	(void)shared_bytes;
	(void)stream;
	standin_note('k', context_now());
	return cudaSuccess;
}
cudaError_t cudaMemset(void *pointer, int value, size_t bytes)
{
	(void)pointer;
	(void)value;
	(void)bytes;
	standin_note('z', context_now());
	return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	(void)stream;
	(void)mode;
	return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
	(void)stream;
	*graph = NULL;
	return cudaSuccess;
}
cudaError_t cudaDeviceReset(void)
{
	standin_note('r', context_now());
	return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize(void)
{
	standin_note('d', context_now());
	return cudaSuccess;
}
cudaError_t prefetch(const void *pointer, size_t bytes, struct cudaMemLocation place,
		     unsigned flags, cudaStream_t stream) __asm__("cudaMemPrefetchAsync");
cudaError_t prefetch(const void *pointer, size_t bytes, struct cudaMemLocation place,
		     unsigned flags, cudaStream_t stream)
{
	(void)pointer;
	(void)bytes;
	(void)flags;
	(void)stream;
	return place.type == cudaMemLocationTypeDevice && place.id ? cudaErrorInvalidDevice
								   : cudaSuccess;
}
/* Hooked without asking the runtime's own. */
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text)
{
	(void)device;
	(void)text;
	return cudaErrorUnknown;
}
cudaError_t cudaMemcpyPeerAsync(void *target, int target_device, const void *source,
				int source_device, size_t bytes, cudaStream_t stream)
{
	(void)target;
	(void)target_device;
	(void)source;
	(void)source_device;
	(void)bytes;
	(void)stream;
	return cudaErrorUnknown;
}
