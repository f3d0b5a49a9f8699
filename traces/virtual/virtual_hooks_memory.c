/* SPDX-License-Identifier: MIT
 * Memory of virtual devices: copies between them, whose a pointer is, pools, and what becomes of
 * requests that the one GPU has no room for.
 */
#include "virtual.h"

/* ---- copies ---- */

/* A copy whose two ends are memory of different devices is one over a link; the recorder sees one
 * inside a device. */
static void see_copy(const void *target, const void *source, bool as_peer)
{
	uint64_t start_ns = gpus_all() > 1 ? notes_now_ns() : 0;
	int from, to;

	if (!start_ns) /* nobody records */
		return;
	from = ranges_device(source);
	to = from < 0 ? -1 : ranges_device(target);
	if (as_peer || (from >= 0 && to >= 0 && from != to))
		notes_peer_copy(from, to, as_peer, start_ns);
	notes_hidden(start_ns); /* with what that note took */
}

static bool may_cross(enum cudaMemcpyKind kind)
{
	return kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
}

#define COPY(name, parameters, arguments)                                                          \
	HOOK cudaError_t name parameters;                                                          \
	HOOK cudaError_t name parameters                                                           \
	{                                                                                          \
		if (may_cross(kind))                                                               \
			see_copy(target, source, false);                                           \
		return REAL(name) arguments;                                                       \
	}

#define PLAIN (void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind)
#define PLAIN_ASYNC                                                                                \
	(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind,                 \
	 cudaStream_t stream)
#define ROWS                                                                                       \
	(void *target, size_t target_pitch, const void *source, size_t source_pitch, size_t width, \
	 size_t height, enum cudaMemcpyKind kind)
#define ROWS_ASYNC                                                                                 \
	(void *target, size_t target_pitch, const void *source, size_t source_pitch, size_t width, \
	 size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
#define ROWS_GIVEN target, target_pitch, source, source_pitch, width, height, kind
COPY(cudaMemcpy, PLAIN, (target, source, bytes, kind))
COPY(cudaMemcpy_ptds, PLAIN, (target, source, bytes, kind))
COPY(cudaMemcpyAsync, PLAIN_ASYNC, (target, source, bytes, kind, stream))
COPY(cudaMemcpyAsync_ptsz, PLAIN_ASYNC, (target, source, bytes, kind, stream))
COPY(cudaMemcpy2D, ROWS, (ROWS_GIVEN))
COPY(cudaMemcpy2D_ptds, ROWS, (ROWS_GIVEN))
COPY(cudaMemcpy2DAsync, ROWS_ASYNC, (ROWS_GIVEN, stream))
COPY(cudaMemcpy2DAsync_ptsz, ROWS_ASYNC, (ROWS_GIVEN, stream))

HOOK cudaError_t cudaMemcpyPeer(void *target, int target_device, const void *source,
				int source_device, size_t bytes)
{
	if (!gpus_count())
		return REAL(cudaMemcpyPeer)(target, target_device, source, source_device, bytes);
	if (!gpus_has(target_device) || !gpus_has(source_device))
		return cudaErrorInvalidDevice;
	see_copy(target, source, true);
	return REAL(cudaMemcpy)(target, source, bytes, cudaMemcpyDefault);
}

HOOK cudaError_t cudaMemcpyPeerAsync(void *target, int target_device, const void *source,
				     int source_device, size_t bytes, cudaStream_t stream)
{
	if (!gpus_count())
		return REAL(cudaMemcpyPeerAsync)(target, target_device, source, source_device,
						 bytes, stream);
	if (!gpus_has(target_device) || !gpus_has(source_device))
		return cudaErrorInvalidDevice;
	see_copy(target, source, true);
	return REAL(cudaMemcpyAsync)(target, source, bytes, cudaMemcpyDefault, stream);
}

static struct cudaMemcpy3DParms without_devices(const struct cudaMemcpy3DPeerParms *copy)
{
	return (struct cudaMemcpy3DParms){ .srcArray = copy->srcArray,
					   .srcPos = copy->srcPos,
					   .srcPtr = copy->srcPtr,
					   .dstArray = copy->dstArray,
					   .dstPos = copy->dstPos,
					   .dstPtr = copy->dstPtr,
					   .extent = copy->extent,
					   .kind = cudaMemcpyDefault };
}

HOOK cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *copy)
{
	struct cudaMemcpy3DParms plain;

	if (!gpus_count())
		return REAL(cudaMemcpy3DPeer)(copy);
	plain = without_devices(copy);
	see_copy(copy->dstPtr.ptr, copy->srcPtr.ptr, true);
	return REAL(cudaMemcpy3D)(&plain);
}

HOOK cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *copy,
				       cudaStream_t stream)
{
	struct cudaMemcpy3DParms plain;

	if (!gpus_count())
		return REAL(cudaMemcpy3DPeerAsync)(copy, stream);
	plain = without_devices(copy);
	see_copy(copy->dstPtr.ptr, copy->srcPtr.ptr, true);
	return REAL(cudaMemcpy3DAsync)(&plain, stream);
}

HOOK cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
					  const void *pointer)
{
	cudaError_t result = REAL(cudaPointerGetAttributes)(attributes, pointer);
	int device;

	if (result != cudaSuccess || !gpus_count() || attributes->type != cudaMemoryTypeDevice)
		return result;
	device = ranges_device(pointer);
	attributes->device = device < 0 ? attributes->device : device;
	return result;
}

/* ---- room ---- */

/* An allocation of the current device is noted; one that found no room is said. */
static cudaError_t had_room(cudaError_t result, void *const *pointer, size_t bytes)
{
	static bool said;

	if (result == cudaSuccess && gpus_all() > 1)
		ranges_add(*pointer, bytes, gpus_current());

	if (result == cudaErrorMemoryAllocation && gpus_count())
		notes_say(&said,
			  "device %d of %d asked for %zu MiB more than is left: the memory of all "
			  "virtual devices must fit into the one GPU; run the program smaller, or "
			  "with a smaller --as-gpus",
			  gpus_current(), gpus_count(), bytes >> 20);
	return result;
}

HOOK cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
	return had_room(REAL(cudaMalloc)(pointer, bytes), pointer, bytes);
}

HOOK cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
	cudaError_t result = REAL(cudaMallocPitch)(pointer, pitch, width, height);

	return had_room(result, pointer, (result == cudaSuccess ? *pitch : width) * height);
}

HOOK cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
	cudaError_t result = REAL(cudaMalloc3D)(pitched, extent);
	const size_t row = result == cudaSuccess ? pitched->pitch : extent.width;

	return had_room(result, &pitched->ptr, row * extent.height * extent.depth);
}

/* ---- pools: the real device has one default pool, which all virtual ones share ---- */

#define POOL_ALLOCATION(name, parameters, arguments)                                               \
	HOOK cudaError_t name parameters;                                                          \
	HOOK cudaError_t name parameters                                                           \
	{                                                                                          \
		return had_room(REAL(name) arguments, pointer, bytes);                             \
	}
#define POOL_FREE(name)                                                                            \
	HOOK cudaError_t name(void *pointer, cudaStream_t stream);                                 \
	HOOK cudaError_t name(void *pointer, cudaStream_t stream)                                  \
	{                                                                                          \
		ranges_remove(pointer);                                                            \
		return REAL(name)(pointer, stream);                                                \
	}
#define OF_STREAM (void **pointer, size_t bytes, cudaStream_t stream)
#define OF_POOL (void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
POOL_ALLOCATION(cudaMallocAsync, OF_STREAM, (pointer, bytes, stream))
POOL_ALLOCATION(cudaMallocAsync_ptsz, OF_STREAM, (pointer, bytes, stream))
POOL_ALLOCATION(cudaMallocFromPoolAsync, OF_POOL, (pointer, bytes, pool, stream))
POOL_ALLOCATION(cudaMallocFromPoolAsync_ptsz, OF_POOL, (pointer, bytes, pool, stream))
POOL_FREE(cudaFreeAsync)
POOL_FREE(cudaFreeAsync_ptsz)

HOOK cudaError_t cudaFree(void *pointer)
{
	ranges_remove(pointer);
	return REAL(cudaFree)(pointer);
}

static int real_of(int device)
{
	return gpus_count() && gpus_has(device) ? 0 : device;
}

HOOK cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
	return REAL(cudaDeviceGetDefaultMemPool)(pool, real_of(device));
}

HOOK cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
	return REAL(cudaDeviceGetMemPool)(pool, real_of(device));
}

HOOK cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
	return REAL(cudaDeviceSetMemPool)(real_of(device), pool);
}

HOOK cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *asked)
{
	struct cudaMemPoolProps properties = *asked;

	if (properties.location.type == cudaMemLocationTypeDevice)
		properties.location.id = real_of(properties.location.id);
	return REAL(cudaMemPoolCreate)(pool, &properties);
}

/* All devices are one, which has access. */
HOOK cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access,
				      size_t count)
{
	return gpus_count() ? cudaSuccess : REAL(cudaMemPoolSetAccess)(pool, access, count);
}

HOOK cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
				      struct cudaMemLocation *asked)
{
	struct cudaMemLocation location = *asked;

	if (location.type == cudaMemLocationTypeDevice)
		location.id = real_of(location.id);
	return REAL(cudaMemPoolGetAccess)(flags, pool, &location);
}

/* ---- managed memory: hints name a device; their arguments differ between CUDA 12 and 13, where a
 * location (type, number) in one register took the number's place ---- */

static uint64_t hint_of(uint64_t place)
{
	if (!gpus_count())
		return place;
	if (real_runtime_major() >= 13)
		return (uint32_t)place == cudaMemLocationTypeDevice ? (uint32_t)place : place;
	return (int32_t)(uint32_t)place > 0 ? 0 : place;
}

typedef cudaError_t hint_fn(const void *, size_t, uint64_t, uint64_t, uint64_t);
typedef cudaError_t advise_fn(const void *, size_t, int, uint64_t);

#define PREFETCH(name, hooked)                                                                     \
	HOOK hint_fn hooked __asm__(name);                                                         \
	HOOK cudaError_t hooked(const void *pointer, size_t bytes, uint64_t place, uint64_t a,     \
				uint64_t b)                                                        \
	{                                                                                          \
		static void *_Atomic slot;                                                         \
		return ((hint_fn *)(uintptr_t)real_runtime(&slot, name))(pointer, bytes,           \
									 hint_of(place), a, b);    \
	}
PREFETCH("cudaMemPrefetchAsync", prefetch)
PREFETCH("cudaMemPrefetchAsync_ptsz", prefetch_ptsz)

HOOK advise_fn advise __asm__("cudaMemAdvise");
HOOK cudaError_t advise(const void *pointer, size_t bytes, int advice, uint64_t place)
{
	static void *_Atomic slot;

	return ((advise_fn *)(uintptr_t)real_runtime(&slot, "cudaMemAdvise"))(
		pointer, bytes, advice, hint_of(place));
}
