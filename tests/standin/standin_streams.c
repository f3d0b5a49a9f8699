/* SPDX-License-Identifier: MIT
 * Part of libcuda.so.1.
 */
#include "standin_streams.h"

#include <cuda.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin_context.h"
#include "traces/virtual/nccl_reduce.h"

enum { STREAMS = 256 };
enum work_kind { COPY, KERNEL, WRITE, RECORD, WAIT };

struct event {
	uintptr_t context;
	long recorded, happened; /* how often */
};

struct work {
	enum work_kind kind;
	void *target;
	const void *source; /* WRITE: its own copy */
	size_t bytes;
	struct reduce_arguments reduce;
	struct event *event;
	long number; /* of the event's record */
	struct work *next;
};

static struct stream {
	uintptr_t handle; /* 0: free */
	struct work *first, **last;
} stream[STREAMS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t random_state = 1;
static long done[128];
int standin_captures, standin_fails;

void standin_seed(uint64_t seed)
{
	random_state = seed * 2 + 1;
}

static uint64_t draw(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static int fails(void)
{
	return standin_fails && !--standin_fails;
}

/* The default stream of a context has its number. */
static struct stream *find(uintptr_t handle)
{
	struct stream *free_one = NULL;

	handle = handle ? handle : standin_current();
	for (int i = 0; i < STREAMS; i++) {
		if (stream[i].handle == handle)
			return &stream[i];
		if (!stream[i].handle && !free_one)
			free_one = &stream[i];
	}
	if (!free_one)
		abort();
	free_one->handle = handle;
	free_one->last = &free_one->first;
	return free_one;
}

void *standin_stream(void)
{
	static uintptr_t made;
	void *handle;

	pthread_mutex_lock(&lock);
	handle = (void *)(standin_current() + (++made & 0xff) * 16);
	pthread_mutex_unlock(&lock);
	return handle;
}

static struct work *put(CUstream handle, enum work_kind kind)
{
	struct work *work = calloc(1, sizeof(*work));
	struct stream *in = find((uintptr_t)handle);

	work->kind = kind;
	*in->last = work;
	in->last = &work->next;
	return work;
}

void standin_write(void *handle, void *target, const void *data, size_t bytes)
{
	void *own = malloc(bytes + 1);
	struct work *work;

	memcpy(own, data, bytes);
	pthread_mutex_lock(&lock);
	work = put(handle, WRITE);
	work->target = target;
	work->source = own;
	work->bytes = bytes;
	pthread_mutex_unlock(&lock);
}

static int can_begin(const struct stream *of)
{
	return of->first &&
	       (of->first->kind != WAIT || of->first->event->happened >= of->first->number);
}

static void do_work(struct stream *of)
{
	struct work *work = of->first;

	switch (work->kind) {
	case COPY:
		memmove(work->target, work->source, work->bytes);
		done['c']++;
		break;
	case KERNEL:
		for (uint64_t i = 0; i < work->reduce.count; i++)
			reduce_element(&work->reduce, i);
		done['k']++;
		break;
	case WRITE:
		memcpy(work->target, work->source, work->bytes);
		free((void *)(uintptr_t)work->source);
		done['w']++;
		break;
	case RECORD:
		if (work->event->happened < work->number)
			work->event->happened = work->number;
		break;
	case WAIT:
		break;
	}
	of->first = work->next;
	if (!of->first)
		of->last = &of->first;
	free(work);
}

/* Until the streams of `context` are empty; 0: all. Called with the lock. */
static void finish(uintptr_t context)
{
	for (;;) {
		int ready[STREAMS], count = 0, left = 0;

		for (int i = 0; i < STREAMS; i++) {
			left += stream[i].first &&
				(!context || (stream[i].handle & ~(uintptr_t)0xfff) == context);
			if (can_begin(&stream[i]))
				ready[count++] = i;
		}
		if (!left)
			return;
		if (!count) {
			fprintf(stderr, "stand-in driver: streams wait for each other\n");
			abort();
		}
		do_work(&stream[ready[draw() % (uint64_t)count]]);
	}
}

void standin_finish(void)
{
	pthread_mutex_lock(&lock);
	finish(0);
	pthread_mutex_unlock(&lock);
}

void standin_finish_context(uintptr_t context)
{
	pthread_mutex_lock(&lock);
	finish(context);
	pthread_mutex_unlock(&lock);
}

long standin_done(char what)
{
	return done[(int)what];
}

/* ---- the driver's functions ---- */

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
	struct event *made = calloc(1, sizeof(*made));

	(void)flags;
	made->context = standin_current();
	*event = (CUevent)made;
	return made->context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuEventDestroy_v2(CUevent event);
CUresult cuEventDestroy_v2(CUevent event)
{
	standin_finish(); /* whoever waits for it still reads it */
	free(event);
	return CUDA_SUCCESS;
}
/* As the driver documents: the event and the stream are of one context. */
CUresult cuEventRecord(CUevent event, CUstream handle)
{
	struct event *of = (struct event *)event;
	struct work *work;

	pthread_mutex_lock(&lock);
	if (fails() || (find((uintptr_t)handle)->handle & ~(uintptr_t)0xfff) != of->context) {
		pthread_mutex_unlock(&lock);
		return CUDA_ERROR_INVALID_HANDLE;
	}
	work = put(handle, RECORD);
	work->event = of;
	work->number = ++of->recorded;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}
CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags)
{
	struct work *work;

	(void)flags;
	pthread_mutex_lock(&lock);
	if (fails()) {
		pthread_mutex_unlock(&lock);
		return CUDA_ERROR_INVALID_HANDLE;
	}
	work = put(handle, WAIT);
	work->event = (struct event *)event;
	work->number = work->event->recorded;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}
CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status)
{
	(void)handle;
	*status =
		standin_captures ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
	return CUDA_SUCCESS;
}
CUresult cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream handle)
{
	struct work *work;

	pthread_mutex_lock(&lock);
	if (fails()) {
		pthread_mutex_unlock(&lock);
		return CUDA_ERROR_INVALID_VALUE;
	}
	work = put(handle, COPY);
	work->target = (void *)(uintptr_t)target;
	work->source = (const void *)(uintptr_t)source;
	work->bytes = bytes;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream handle)
{
	pthread_mutex_lock(&lock);
	finish(find((uintptr_t)handle)->handle & ~(uintptr_t)0xfff);
	pthread_mutex_unlock(&lock);
	return fails() ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS;
}

/* Host memory is the GPU's, too; `registered` counts what was not given back. */
int standin_registered;
CUresult cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags);
CUresult cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags)
{
	standin_registered += host && bytes && !((uintptr_t)host & 4095);
	return flags == (CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP)
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemHostUnregister(void *host)
{
	standin_registered -= host != NULL;
	return CUDA_SUCCESS;
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags);
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags)
{
	*device = (CUdeviceptr)(uintptr_t)host;
	return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* A module is its image, a function the context it was loaded in. */
CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	static const unsigned char fat_binary[] = { 0x50, 0xed, 0x55, 0xba };

	*module = (CUmodule)standin_current();
	return memcmp(image, fat_binary, sizeof(fat_binary)) ? CUDA_ERROR_INVALID_IMAGE
							     : CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	*function = (CUfunction)module;
	return strcmp(name, "warpreel_nccl_reduce") ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
			unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
			CUstream handle, void **parameters, void **extra)
{
	struct work *work;

	if (!grid_x || !grid_y || !grid_z || !block_x || !block_y || !block_z || shared_bytes ||
	    extra || (uintptr_t)function != standin_current())
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	if (fails()) {
		pthread_mutex_unlock(&lock);
		return CUDA_ERROR_LAUNCH_FAILED;
	}
	work = put(handle, KERNEL);
	memcpy(&work->reduce, parameters[0], sizeof(work->reduce));
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}
