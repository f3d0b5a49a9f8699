/* SPDX-License-Identifier: MIT
 * What works while a green context is current (docs/lab/as-gpus.md): each line is a call of the
 * runtime or the driver, made on the second of two green contexts of all multiprocessors, and what
 * became of it.
 *
 *     nvcc -arch=sm_90 -O2 -cudart shared -o green_contexts tests/green_contexts.cu -lcuda
 */
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "host_clock.h"

enum { GREEN = 2, COUNT = 1 << 20 };

static __device__ int d_variable;
static __constant__ int d_constant;

__global__ static void add(int *to, int value)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < COUNT)
		to[i] += value;
}
__global__ static void add_variable(int *to)
{
	atomicAdd(&d_variable, 1);
	*to = d_constant;
}
__global__ static void meet(int *to)
{
	cooperative_groups::this_grid().sync();
	if (!threadIdx.x)
		atomicAdd(to, 1);
}
__global__ static void spin(long long cycles)
{
	const long long begin = clock64();

	while (clock64() - begin < cycles)
		;
}

static int failed;
static void say(const char *what, int result)
{
	printf("%-64s %s%d\n", what, result ? "FAILS " : "", result);
	failed += result != 0;
	fflush(stdout);
	cudaGetLastError();
}
#define TRY(call) say(#call, (int)(call))
#define HOLDS(what) say(#what, !(what))

static CUcontext context[GREEN], primary;
static CUgreenCtx green[GREEN];

static void open_green(CUdevice device)
{
	CUdevResource all;
	CUdevResourceDesc description;

	TRY(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM));
	printf("multiprocessors %u\n", all.sm.smCount);
	for (int i = 0; i < GREEN; i++) {
		const double begin = now_us();
		size_t before = 0, after = 0, total;

		cuMemGetInfo(&before, &total);
		TRY(cuDevResourceGenerateDesc(&description, &all, 1));
		TRY(cuGreenCtxCreate(&green[i], description, device, CU_GREEN_CTX_DEFAULT_STREAM));
		TRY(cuCtxFromGreenCtx(&context[i], green[i]));
		cuMemGetInfo(&after, &total);
		printf("made in %.0f us, %.1f MiB\n", now_us() - begin,
		       (double)(before - after) / 1048576);
	}
}

struct thread {
	int *d_place;
	cudaStream_t stream;
	int result;
};
static void *hammer(void *of)
{
	struct thread *self = (struct thread *)of;

	self->result = cuCtxSetCurrent(context[1]);
	for (int i = 0; !self->result && i < 2000; i++) {
		add<<<COUNT / 256, 256, 0, self->stream>>>(self->d_place, 1);
		self->result = (int)cudaGetLastError();
		if (i % 100 == 0) {
			cudaStream_t stream;
			void *d_memory;

			self->result |= (int)cudaMalloc(&d_memory, 4096);
			self->result |= (int)cudaStreamCreate(&stream);
			self->result |= (int)cudaFree(d_memory);
			self->result |= (int)cudaStreamDestroy(stream);
			self->result |= (int)cudaStreamSynchronize(self->stream);
		}
	}
	return NULL;
}

/* The default stream of one context does not wait for the other's, and the primary's wait does. */
static void overlap(void)
{
	cudaStream_t blocking[GREEN];
	double us[3];

	for (int i = 0; i < GREEN; i++) {
		cuCtxSetCurrent(context[i]);
		cudaStreamCreate(&blocking[i]);
		spin<<<1, 1>>>(1000);
	}
	cuCtxSetCurrent(primary);
	cudaDeviceSynchronize();
	us[0] = now_us();
	cuCtxSetCurrent(context[0]);
	spin<<<1, 1>>>(20000000); /* some 10 ms */
	cuCtxSetCurrent(context[1]);
	spin<<<1, 1, 0, blocking[1]>>>(1000);
	cudaDeviceSynchronize();
	us[1] = now_us();
	cuCtxSetCurrent(primary);
	cudaDeviceSynchronize();
	us[2] = now_us();
	printf("10 ms on one's default stream: the other's device waited %.0f us, the primary's "
	       "%.0f us\n",
	       us[1] - us[0], us[2] - us[0]);
	for (int i = 0; i < GREEN; i++)
		cudaStreamDestroy(blocking[i]);
}

int main(void)
{
	int *d_of_primary, *d_of_0, *d_of_1, *h_pinned, *d_managed, h_value = 0, device = -1;
	cudaStream_t plain, apart, high;
	cudaEvent_t event, timed[2];
	CUcontext now, of_stream;
	CUgreenCtx of_green = NULL;
	cudaGraph_t graph;
	cudaGraphExec_t runs;
	struct cudaPointerAttributes attributes;
	struct cudaDeviceProp properties;
	struct thread thread[2];
	pthread_t id[2];
	float ms = -1;
	int blocks = 0;
	void *d_pooled;

	TRY(cudaSetDevice(0));
	TRY(cudaMalloc(&d_of_primary, COUNT * 4));
	TRY(cuCtxGetCurrent(&primary));
	open_green(0);
	TRY(cuCtxSetCurrent(context[0]));
	TRY(cudaMalloc(&d_of_0, COUNT * 4));
	TRY(cuCtxSetCurrent(context[1]));
	TRY(cuCtxGetCurrent(&now));
	HOLDS(now == context[1]);
	TRY(cudaGetDevice(&device));
	TRY(cudaGetDeviceProperties(&properties, 0));
	TRY(cudaMalloc(&d_of_1, COUNT * 4));
	TRY(cudaMallocHost(&h_pinned, 4096));
	TRY(cudaMallocManaged(&d_managed, 4096));
	TRY(cudaMallocAsync(&d_pooled, 4096, 0));
	TRY(cudaFreeAsync(d_pooled, 0));
	TRY(cudaPointerGetAttributes(&attributes, d_of_1));
	TRY(cuPointerGetAttribute(&now, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)d_of_1));
	printf("memory's context: %s\n", now == context[1] ? "the green one"
					 : now == primary  ? "the primary one"
							   : "another");
	TRY(cudaStreamCreate(&plain));
	TRY(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
	TRY(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, -1));
	TRY(cuStreamGetCtx(plain, &of_stream));
	printf("stream's context: %s\n", of_stream == context[1] ? "the green one"
					 : of_stream == primary	 ? "the primary one"
								 : "another");
	TRY(cuStreamGetCtx_v2(plain, &of_stream, &of_green));
	HOLDS(of_green == green[1]);
	TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	TRY(cudaEventCreate(&timed[0]));
	TRY(cudaEventCreate(&timed[1]));
	TRY(cudaMemset(d_of_1, 0, COUNT * 4));
	TRY(cudaMemsetAsync(d_of_0, 0, COUNT * 4, plain));
	TRY(cudaEventRecord(timed[0], plain));
	add<<<COUNT / 256, 256, 0, plain>>>(d_of_1, 1);
	TRY(cudaGetLastError());
	add<<<COUNT / 256, 256>>>(d_of_1, 1);
	TRY(cudaGetLastError());
	add<<<COUNT / 256, 256, 0, cudaStreamPerThread>>>(d_of_1, 0);
	TRY(cudaGetLastError());
	TRY(cudaEventRecord(timed[1], plain));
	TRY(cudaStreamWaitEvent(apart, timed[1], 0));
	TRY(cudaStreamSynchronize(plain));
	TRY(cudaEventSynchronize(timed[1]));
	TRY(cudaEventElapsedTime(&ms, timed[0], timed[1]));
	TRY(cudaDeviceSynchronize());
	TRY(cudaMemcpy(&h_value, d_of_1, 4, cudaMemcpyDeviceToHost));
	HOLDS(h_value == 2);
	TRY(cudaMemcpyPeerAsync(d_of_0, 0, d_of_1, 0, COUNT * 4, plain));
	TRY(cudaMemcpyAsync(d_of_0, d_of_1, COUNT * 4, cudaMemcpyDefault, plain));
	TRY(cudaMemcpyAsync(h_pinned, d_of_0, 4, cudaMemcpyDeviceToHost, plain));
	TRY(cudaStreamQuery(high));
	TRY(cudaStreamSynchronize(plain));
	HOLDS(h_pinned[0] == 2);
	/* An event of one context, waited for by another's stream. */
	TRY(cudaEventRecord(event, plain));
	TRY(cuCtxSetCurrent(context[0]));
	TRY(cudaStreamWaitEvent(0, event, 0));
	add<<<COUNT / 256, 256>>>(d_of_1, 1);
	TRY(cudaGetLastError());
	/* A stream of another context than the current one. */
	TRY(cudaMemcpyAsync(d_of_0, d_of_1, 4, cudaMemcpyDefault, plain));
	add<<<COUNT / 256, 256, 0, plain>>>(d_of_1, 1);
	TRY(cudaGetLastError());
	TRY(cuCtxSetCurrent(primary));
	TRY(cudaStreamSynchronize(plain));
	TRY(cuCtxSynchronize_v2(context[1]));
	TRY(cuCtxSetCurrent(context[1]));
	TRY(cudaStreamBeginCapture(apart, cudaStreamCaptureModeThreadLocal));
	add<<<COUNT / 256, 256, 0, apart>>>(d_of_1, 1);
	TRY(cudaMemcpyAsync(d_of_0, d_of_1, 4096, cudaMemcpyDefault, apart));
	TRY(cudaStreamEndCapture(apart, &graph));
	TRY(cudaGraphInstantiate(&runs, graph, 0));
	TRY(cudaGraphLaunch(runs, apart));
	TRY(cudaGraphLaunch(runs, 0));
	TRY(cudaDeviceSynchronize());
	TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, meet, 128, 0));
	{
		void *arguments[] = { &d_of_1 };

		TRY(cudaLaunchCooperativeKernel((void *)meet, properties.multiProcessorCount, 128,
						arguments, 0, plain));
	}
	TRY(cudaDeviceSynchronize());
	/* Variables: shared by all, as the modules are the primary context's. */
	h_value = 5;
	TRY(cudaMemcpyToSymbol(d_constant, &h_value, 4));
	add_variable<<<1, 1>>>(d_of_1);
	TRY(cudaDeviceSynchronize());
	TRY(cuCtxSetCurrent(context[0]));
	add_variable<<<1, 1>>>(d_of_0);
	TRY(cudaMemcpyFromSymbol(&h_value, d_variable, 4));
	printf("variables: %s\n", h_value == 2 ? "shared" : "a context's own");
	overlap();
	for (int t = 0; t < 2; t++) {
		cuCtxSetCurrent(context[1]);
		thread[t].d_place = d_of_1;
		cudaStreamCreateWithFlags(&thread[t].stream, cudaStreamNonBlocking);
		pthread_create(&id[t], NULL, hammer, &thread[t]);
	}
	for (int t = 0; t < 2; t++)
		pthread_join(id[t], NULL);
	TRY(thread[0].result);
	TRY(thread[1].result);
	TRY(cudaFree(d_of_1));
	TRY(cudaStreamDestroy(plain));
	TRY(cudaEventDestroy(event));
	TRY(cuCtxSetCurrent(primary));
	TRY(cudaFree(d_of_0));
	TRY(cudaDeviceSynchronize());
	printf("%d failed\n", failed);
	return failed != 0;
}
