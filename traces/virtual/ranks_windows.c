/* SPDX-License-Identifier: MIT
 * Copies and reductions between windows of the shared file and a GPU, in the stream of the rank and
 * to their end. A window is registered with the driver when it is first used, so that copies go
 * straight and kernels read it in place.
 */
#include "ranks.h"

#include <pthread.h>
#include <stdlib.h>

static struct {
	pthread_mutex_t lock;
	struct registered {
		char *window;
		CUdeviceptr device;
	} * window;
	size_t count, capacity;
} registered = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* With the lock. */
static CUresult add(char *window, CUdeviceptr *device)
{
	const struct driver *driver = real_driver();
	CUresult result;

	if (registered.count == registered.capacity) {
		const size_t more = registered.capacity ? 2 * registered.capacity : 16;
		struct registered *moved =
			realloc(registered.window, more * sizeof(*registered.window));

		if (!moved)
			return CUDA_ERROR_OUT_OF_MEMORY;
		registered.window = moved;
		registered.capacity = more;
	}
	result = driver->cuMemHostRegister_v2(window, RANKS_WINDOW_BYTES,
					      CU_MEMHOSTREGISTER_PORTABLE |
						      CU_MEMHOSTREGISTER_DEVICEMAP);
	result = result ? result : driver->cuMemHostGetDevicePointer_v2(device, window, 0);
	if (!result)
		registered.window[registered.count++] = (struct registered){ window, *device };
	return result;
}

/* The address by which kernels and copies reach a place in a window. */
static CUresult reach(const char *place, CUdeviceptr *device)
{
	char *window = ranks_window_begin(ranks_file(), place);
	CUresult result = CUDA_SUCCESS;
	size_t i = 0;

	pthread_mutex_lock(&registered.lock);
	while (i < registered.count && registered.window[i].window != window)
		i++;
	if (i < registered.count)
		*device = registered.window[i].device;
	else
		result = add(window, device);
	pthread_mutex_unlock(&registered.lock);
	*device += (CUdeviceptr)(place - window);
	return result;
}

void ranks_windows_forget(const struct ranks_communicator *shared)
{
	const struct ranks_file *file = ranks_file();
	const char *first = ranks_window(file, shared, 0),
		   *end = ranks_window(file, shared, shared->ranks * (shared->ranks + 1));
	size_t kept = 0;

	pthread_mutex_lock(&registered.lock);
	for (size_t i = 0; i < registered.count; i++) {
		const struct registered at = registered.window[i];

		if (at.window >= first && at.window < end)
			real_driver()->cuMemHostUnregister(at.window);
		else
			registered.window[kept++] = at;
	}
	registered.count = kept;
	pthread_mutex_unlock(&registered.lock);
}

CUresult ranks_windows_wait(const struct nccl_part *part)
{
	CUresult result = real_driver()->cuCtxSetCurrent(part->rank->context);

	return result ? result : real_driver()->cuStreamSynchronize(part->stream);
}

/* Kernels of others do not run meanwhile. */
static CUresult copy(const struct nccl_part *part, CUdeviceptr target, CUdeviceptr source,
		     size_t bytes)
{
	CUresult result = real_driver()->cuCtxSetCurrent(part->rank->context);

	if (result || !bytes)
		return result;
	turns_begin();
	result = real_driver()->cuMemcpyAsync(target, source, bytes, part->stream);
	result = result ? result : real_driver()->cuStreamSynchronize(part->stream);
	turns_end();
	return result;
}

CUresult ranks_windows_write(const struct nccl_part *part, char *window, const void *source,
			     size_t bytes)
{
	CUdeviceptr at = 0;
	CUresult result = real_driver()->cuCtxSetCurrent(part->rank->context);

	result = result ? result : reach(window, &at);
	return result ? result : copy(part, at, (CUdeviceptr)(uintptr_t)source, bytes);
}

CUresult ranks_windows_read(const struct nccl_part *part, void *target, const char *window,
			    size_t bytes)
{
	CUdeviceptr at = 0;
	CUresult result = real_driver()->cuCtxSetCurrent(part->rank->context);

	result = result ? result : reach(window, &at);
	return result ? result : copy(part, (CUdeviceptr)(uintptr_t)target, at, bytes);
}

CUresult ranks_windows_reduce(const struct nccl_part *part, struct reduce_arguments *arguments)
{
	CUresult result = real_driver()->cuCtxSetCurrent(part->rank->context);

	for (int i = 0; i < arguments->ranks && !result; i++) {
		CUdeviceptr at = 0;

		result = reach(arguments->source[i], &at);
		arguments->source[i] = (const void *)(uintptr_t)at;
	}
	result = result ? result : nccl_reduce(part->rank, arguments, part->stream);
	return result ? result : real_driver()->cuStreamSynchronize(part->stream);
}
