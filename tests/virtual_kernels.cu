/* SPDX-License-Identifier: MIT
 * What a recording on virtual GPUs makes of kernels (docs/lab/as-gpus.md): arithmetic that touches
 * no memory, which pays for the change of contexts alone, and copies within a device from 1 to 80
 * MiB, which pay for the L2 that all devices share. Each device is given LAUNCHES of one kernel,
 * then the next; so of each turn the first is cold and the others are what it leaves them. Told
 * apart in the trace by name and grid. With a number of SETS device 0 stands for that many: they
 * have memory of their own, share the L2, and contexts do not change.
 *
 *     nvcc -arch=sm_90 -O2 -cudart shared -o virtual_kernels tests/virtual_kernels.cu
 *     warpreel record --as-gpus 1,2,4,8 -o OUT -- virtual_kernels
 *     warpreel record --as-gpus 1 -o OUT -- virtual_kernels SETS
 *     warpreel record -o OUT -- virtual_kernels                   (on two or four GPUs)
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

enum { GPUS_MOST = 64, ROUNDS = 25, LAUNCHES = 3, THREADS = 1024, MIB = 1 << 20, MOST_MIB = 80 };

static void must(int result, int line)
{
	if (!result)
		return;
	fprintf(stderr, "virtual_kernels: line %d: %d\n", line, result);
	exit(1);
}
#define MUST(call) must((int)(call), __LINE__)

__global__ static void arithmetic(float *to, int steps)
{
	float x = (float)threadIdx.x;

	for (int i = 0; i < steps; i++)
		x = x * 0.999f + 0.5f;
	if (x < -1) /* never */
		*to = x;
}
__global__ static void copy(float *to, const float *from)
{
	const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = from[i] + 1;
}
__global__ static void load(float *to, const float *from)
{
	const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (from[i] == 3)
		*to = 1;
}

struct gpu {
	cudaStream_t stream;
	float *d_to, *d_from;
};
static struct gpu gpu[GPUS_MOST];
static int gpus, sets; /* sets: 0, or as many as gpus */

enum kind { ARITHMETIC, COPY, LOAD };

/* Of arithmetic `size` is steps, the grid tells how many; of memory MiB in all. */
static void launch(const struct gpu *on, enum kind kind, int size, int blocks)
{
	if (kind == ARITHMETIC)
		arithmetic<<<blocks, THREADS, 0, on->stream>>>(on->d_to, size);
	else if (kind == COPY)
		copy<<<size *(MIB / 8 / THREADS), THREADS, 0, on->stream>>>(on->d_to, on->d_from);
	else
		load<<<size *(MIB / 4 / THREADS), THREADS, 0, on->stream>>>(on->d_to, on->d_from);
	MUST(cudaGetLastError());
}

static void play(enum kind kind, int size, int blocks)
{
	for (int round = 0; round < ROUNDS; round++) {
		for (int g = 0; g < gpus; g++) {
			MUST(cudaSetDevice(sets ? 0 : g));
			for (int k = 0; k < LAUNCHES; k++)
				launch(&gpu[g], kind, size, blocks);
			if (sets)
				MUST(cudaStreamSynchronize(gpu[g].stream));
		}
		for (int g = 0; g < gpus; g++) {
			MUST(cudaSetDevice(sets ? 0 : g));
			MUST(cudaDeviceSynchronize());
		}
	}
}

int main(int argc, char **argv)
{
	static const int steps[] = { 1, 500, 2000, 5000, 10000, 20000 },
			 mib[] = { 1, 2, 4, 8, 10, 16, 20, 30, 40, 80 };

	MUST(cudaGetDeviceCount(&gpus));
	sets = argc > 1 ? atoi(argv[1]) : 0;
	gpus = sets ? sets : gpus;
	if (sets < 0 || gpus > GPUS_MOST)
		return 2;
	for (int g = 0; g < gpus; g++) {
		MUST(cudaSetDevice(sets ? 0 : g));
		MUST(cudaStreamCreate(&gpu[g].stream));
		MUST(cudaMalloc(&gpu[g].d_to, (size_t)MOST_MIB * MIB));
		MUST(cudaMalloc(&gpu[g].d_from, (size_t)MOST_MIB * MIB));
		MUST(cudaMemset(gpu[g].d_from, 0, (size_t)MOST_MIB * MIB));
	}
	for (int i = 0; i < (int)(sizeof(steps) / sizeof(steps[0])); i++)
		play(ARITHMETIC, steps[i], 100 + i);
	for (int i = 0; i < 3; i++) /* many blocks */
		play(ARITHMETIC, 1, 1 << (10 + 2 * i));
	for (int i = 0; i < (int)(sizeof(mib) / sizeof(mib[0])); i++) {
		play(COPY, mib[i], 0);
		play(LOAD, mib[i], 0);
	}
	printf("%d GPUs\n", gpus);
	return 0;
}
