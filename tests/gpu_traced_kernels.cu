// SPDX-License-Identifier: MIT
// What a tracer does to kernels: the same kernels, back to back in one stream behind one that fills
// the queue, with and without a tracer in the process. A row a kernel: how many launches, blocks,
// threads a block, dynamic shared memory, length, blocks that fit a multiprocessor, and the period
// of a launch in ns by events around all of them: the least and the median of several rounds.
//
//     build/tests/gpu_traced_kernels
//     CUDA_INJECTION64_PATH=build/libcupti-alone.so ALONE_OUT=FILE build/tests/gpu_traced_kernels
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cuda_try.h"

static const int LAUNCHES = 20, ROUNDS = 5;

__global__ void hold(long long cycles)
{
	long long start = clock64();
	while (clock64() - start < cycles)
		;
}

__global__ void empty(float *, long, int)
{
}

/* A chain of dependent additions: as long as its latency. */
__global__ void chain(float *out, long, int length)
{
	float a = threadIdx.x;
	for (int i = 0; i < length; i++)
		a = a * 1.0001f + 0.5f;
	if (a == -1.0f)
		out[0] = a;
}

/* Eight chains: bound by issue when there are warps enough. */
__global__ void issue(float *out, long, int length)
{
	float a[8];
	for (int k = 0; k < 8; k++)
		a[k] = threadIdx.x + k;
	for (int i = 0; i < length; i++)
		for (int k = 0; k < 8; k++)
			a[k] = a[k] * 1.0001f + 0.5f;
	float s = 0;
	for (int k = 0; k < 8; k++)
		s += a[k];
	if (s == -1.0f)
		out[0] = s;
}

/* An element a thread: read here, written to the other half. */
__global__ void copy1(float *data, long half, int)
{
	long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
	if (i < half)
		data[half + i] = data[i] + 1.0f;
}
__global__ void copy4(float *data, long half, int)
{
	long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
	if (i < half / 4) {
		float4 v = ((const float4 *)data)[i];
		v.x += 1.0f;
		((float4 *)(data + half))[i] = v;
	}
}
/* A sum a block with a barrier, as reductions do it. */
__global__ void sum(float *data, long half, int)
{
	__shared__ float part[32];
	long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
	float v = i < half ? data[i] : 0.0f;
	for (int o = 16; o; o >>= 1)
		v += __shfl_down_sync(~0u, v, o);
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = v;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int k = 1; k < (int)blockDim.x / 32; k++)
			v += part[k];
		atomicAdd(data + half, v);
	}
}

struct test {
	const char *name;
	void (*kernel)(float *, long, int);
	int blocks, threads, shared, length;
};

int main()
{
	const long half = 64l << 20; /* elements: 256 MiB, past every L2 */
	float *data;
	cudaEvent_t first, last;
	std::vector<test> tests;

	TRY(cudaMalloc(&data, 2 * half * sizeof(float)));
	TRY(cudaMemset(data, 0, 2 * half * sizeof(float)));
	TRY(cudaEventCreate(&first));
	TRY(cudaEventCreate(&last));
	for (int threads : { 32, 64, 128, 256, 512, 1024 })
		for (int blocks : { 132, 1320, 13200, 132000 })
			tests.push_back({ "empty", empty, blocks, threads, 0, 0 });
	for (int shared : { 30000, 60000, 110000 }) /* 7, 3, 2 blocks a multiprocessor */
		for (int threads : { 128, 512 })
			tests.push_back({ "empty", empty, 13200, threads, shared, 0 });
	for (int threads : { 64, 256, 1024 })
		for (int length : { 50, 200, 1000 }) {
			tests.push_back({ "chain", chain, 13200, threads, 0, length });
			tests.push_back({ "issue", issue, 13200, threads, 0, length / 2 });
		}
	for (int shared : { 60000, 110000 })
		tests.push_back({ "chain", chain, 13200, 128, shared, 200 });
	for (int threads : { 64, 128, 256, 512, 1024 })
		for (int share : { 1, 16 }) {
			const int blocks = (int)(half / share / threads);
			tests.push_back({ "copy1", copy1, blocks, threads, 0, 0 });
			tests.push_back({ "copy4", copy4, blocks / 4, threads, 0, 0 });
			tests.push_back({ "sum", sum, blocks, threads, 0, 0 });
		}
	for (void (*k)(float *, long, int) : { empty, chain })
		TRY(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 110000));
	printf("kernel\tlaunches\tblocks\tthreads\tshared_bytes\tlength\tresident\t"
	       "least_ns\tmedian_ns\n");
	for (const test &t : tests) {
		std::vector<float> ns;
		int resident = 0;

		TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, t.kernel, t.threads,
								  t.shared));
		for (int round = 0; round <= ROUNDS; round++) {
			float ms;

			hold<<<1, 1>>>(600000);
			TRY(cudaEventRecord(first));
			for (int i = 0; i < LAUNCHES; i++)
				t.kernel<<<t.blocks, t.threads, t.shared>>>(data, half, t.length);
			TRY(cudaEventRecord(last));
			TRY(cudaDeviceSynchronize());
			TRY(cudaEventElapsedTime(&ms, first, last));
			if (round) /* the first loads the code */
				ns.push_back(ms * 1e6f / LAUNCHES);
		}
		std::sort(ns.begin(), ns.end());
		printf("%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.0f\t%.0f\n", t.name, (ROUNDS + 1) * LAUNCHES,
		       t.blocks, t.threads, t.shared, t.length, resident, ns[0], ns[ns.size() / 2]);
	}
	return 0;
}
