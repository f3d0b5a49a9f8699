/* SPDX-License-Identifier: MIT
 * The functions of tests/standin/standin_streams.h on a real GPU, so that tests/preload_nccl.c
 * checks NCCL's operations between virtual GPUs there, too (tests/nccl_gate.sh builds it). Buffers
 * are pinned memory of the host, which host and GPU read in place.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
#include "tests/standin/standin_streams.h"
cudaError_t standin_malloc(void **pointer, size_t bytes);
int standin_captures, standin_fails, standin_never_ends;
}

enum { STREAMS = 1024, ARENA_BYTES = 128 << 20 };
static unsigned char *arena; /* what writes still read */
static size_t used;
static cudaStream_t made[STREAMS];
static int streams;

static void must(cudaError_t result, const char *what)
{
	if (result == cudaSuccess)
		return;
	fprintf(stderr, "nccl_streams: %s: %s\n", what, cudaGetErrorString(result));
	exit(1);
}
#define MUST(call) must(call, #call)

__global__ static void write_bytes(unsigned char *target, const unsigned char *source, size_t bytes)
{
	const size_t step = (size_t)gridDim.x * blockDim.x;

	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < bytes; i += step)
		target[i] = source[i];
}

void standin_seed(uint64_t seed)
{
	(void)seed;
}

void *standin_stream(void)
{
	cudaStream_t stream;

	MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	const int at = __atomic_fetch_add(&streams, 1, __ATOMIC_RELAXED);
	if (at >= STREAMS) {
		fprintf(stderr, "nccl_streams: too many streams\n");
		exit(1);
	}
	made[at] = stream;
	return stream;
}

cudaError_t standin_malloc(void **pointer, size_t bytes)
{
	return cudaHostAlloc(pointer, bytes, cudaHostAllocPortable);
}

void standin_write(void *stream, void *target, const void *data, size_t bytes)
{
	unsigned char *own;
	int before, device;

	if (!bytes)
		return;
	if (!arena)
		MUST(cudaHostAlloc((void **)&arena, ARENA_BYTES, cudaHostAllocPortable));
	if (used + bytes > ARENA_BYTES) {
		fprintf(stderr, "nccl_streams: too much is written\n");
		exit(1);
	}
	own = arena + __atomic_fetch_add(&used, bytes, __ATOMIC_RELAXED);
	memcpy(own, data, bytes);
	MUST(cudaGetDevice(&before));
	MUST(cudaStreamGetDevice((cudaStream_t)stream, &device));
	MUST(cudaSetDevice(device));
	cudaGetLastError(); /* of what a test had refused */
	write_bytes<<<32, 256, 0, (cudaStream_t)stream>>>((unsigned char *)target, own, bytes);
	MUST(cudaGetLastError());
	MUST(cudaSetDevice(before));
}

void standin_finish(void)
{
	for (int i = 0; i < streams; i++)
		MUST(cudaStreamSynchronize(made[i]));
	used = 0;
}

long standin_done(char what)
{
	(void)what;
	return 0;
}
