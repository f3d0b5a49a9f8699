/* SPDX-License-Identifier: MIT
 * A CUDA driver of one device, as far as libwarpreel-virtual.so asks: contexts are numbers, memory
 * belongs to the context that was current when it was allocated. Built as libcuda.so.1.
 */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "standin_context.h"

#undef cuCtxCreate_v2
#undef cuMemGetInfo_v2

enum { CONTEXTS = 16, ALLOCATIONS = 1024 };
static _Thread_local uintptr_t current;
static uintptr_t made = 0x1000;
static struct {
	uintptr_t at, bytes, context;
} allocation[ALLOCATIONS];
static int allocations;

/* For the runtime beside it, and for the test: what was done, in order, a letter and a number each.
 */
char standin_log[4096];
void standin_note(char what, long number);
void standin_allocate(uintptr_t at, uintptr_t bytes);
uintptr_t standin_primary(void);
int standin_contexts_left = CONTEXTS;
int standin_never_ends; /* what a context was given */

void standin_note(char what, long number)
{
	static size_t used;

	if (!standin_log[0])
		used = 0;
	if (used < sizeof(standin_log) - 32)
		used += (size_t)sprintf(standin_log + used, "%c%ld ", what, number);
}

void standin_allocate(uintptr_t at, uintptr_t bytes)
{
	allocation[allocations].at = at;
	allocation[allocations].bytes = bytes;
	allocation[allocations++ % ALLOCATIONS].context = current;
}

uintptr_t standin_current(void)
{
	return current;
}

uintptr_t standin_primary(void)
{
	return 0x1000;
}

CUresult cuInit(unsigned flags)
{
	return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	*device = ordinal;
	return ordinal ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
	if (flags || device)
		return CUDA_ERROR_INVALID_VALUE;
	if (standin_contexts_left-- < 1)
		return CUDA_ERROR_OUT_OF_MEMORY;
	current = made += 0x1000;
	*context = (CUcontext)current;
	standin_note('c', (long)current >> 12);
	return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext *context)
{
	*context = (CUcontext)current;
	return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context)
{
	current = (uintptr_t)context;
	return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize(void)
{
	standin_note('s', (long)current >> 12);
	while (standin_never_ends)
		sleep(1);
	standin_finish_context(current);
	return CUDA_SUCCESS;
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
	*context =
		(CUcontext)((uintptr_t)stream & ~(uintptr_t)0xfff); /* a stream is in its context */
	return CUDA_SUCCESS;
}
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attribute, void **value,
				CUdeviceptr pointer)
{
	for (int i = 0; i < allocations && i < ALLOCATIONS; i++) {
		if (pointer < allocation[i].at || pointer >= allocation[i].at + allocation[i].bytes)
			continue;
		for (unsigned j = 0; j < count; j++)
			if (attribute[j] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
				*(unsigned *)value[j] = CU_MEMORYTYPE_DEVICE;
			else if (attribute[j] == CU_POINTER_ATTRIBUTE_CONTEXT)
				*(CUcontext *)value[j] = (CUcontext)allocation[i].context;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemGetInfo_v2(size_t *left, size_t *all);
CUresult cuMemGetInfo_v2(size_t *left, size_t *all)
{
	*left = 100 << 20;
	*all = 1000 << 20;
	return CUDA_SUCCESS;
}
