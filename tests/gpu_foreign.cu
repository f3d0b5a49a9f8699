/* SPDX-License-Identifier: MIT
 * A CUDA program that knows nothing of warpreel, for trying the recorder on: one host thread a GPU,
 * streams, an event recorded again and again, events destroyed and created anew, peer copies,
 * memsets, NVTX ranges, a cooperative launch, a graph, a launch through the driver API, launches
 * that fail. It prints how much of each it did, one "name count" a line, for comparison with the
 * trace.
 *
 *   gpu_foreign [rounds] [end|kill|reset]    kill: dies by SIGKILL when the work is done; reset:
 * ends with cudaDeviceReset
 */
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda_try.h"

enum { THREADS = 256, BLOCKS = 64, COUNT = THREADS * BLOCKS, GPUS_MAX = 64 };

template <typename T> __global__ void scale(T *data, T factor, int rounds)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	T value = data[i];

	for (int r = 0; r < rounds; r++)
		value = value * factor + (T)1;
	data[i] = value;
}

__global__ void meet(float *data)
{
	cooperative_groups::this_grid().sync();
	data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

struct tally {
	long kernels, copies, peer_copies, memsets, records, waits, graphs, failed_launches, ranges;
};
struct worker {
	pthread_t thread;
	int gpu, gpus, rounds;
	struct tally did;
	float *data, *other;
};
static struct worker worker[GPUS_MAX];
static pthread_barrier_t everybody;

/* One event, recorded on one stream and waited for on the other, over and over: its id says nothing
 * about which record was met. */
static void ping_pong(struct worker *w, cudaStream_t stream[2])
{
	cudaEvent_t event;

	TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	for (int round = 0; round < w->rounds; round++) {
		scale<float><<<BLOCKS, THREADS, 0, stream[round % 2]>>>(w->data, 0.5f, 100);
		TRY(cudaEventRecord(event, stream[round % 2]));
		TRY(cudaStreamWaitEvent(stream[1 - round % 2], event, 0));
		w->did.kernels++;
		w->did.records++;
		w->did.waits++;
	}
	TRY(cudaEventDestroy(event));
	TRY(cudaStreamSynchronize(stream[0]));
	TRY(cudaStreamSynchronize(stream[1]));
}

/* Events destroyed and created anew, so that the driver hands out the same object, and perhaps the
 * same id, again. */
static void short_lived_events(struct worker *w, cudaStream_t stream[2])
{
	for (int round = 0; round < w->rounds; round++) {
		cudaEvent_t event;

		TRY(cudaEventCreate(&event));
		scale<double><<<BLOCKS / 2, THREADS, 0, stream[0]>>>((double *)w->data, 0.25, 10);
		TRY(cudaEventRecord(event, stream[0]));
		TRY(cudaEventSynchronize(event));
		TRY(cudaEventDestroy(event));
		w->did.kernels++;
		w->did.records++;
		w->did.waits++;
	}
}

static void copies(struct worker *w, cudaStream_t stream)
{
	float *pinned, pageable[1024];

	memset(pageable, 0, sizeof(pageable));
	TRY(cudaMallocHost(&pinned, COUNT * sizeof(float)));
	TRY(cudaMemsetAsync(w->other, 1, COUNT * sizeof(float), stream));
	TRY(cudaMemcpyAsync(pinned, w->data, COUNT * sizeof(float), cudaMemcpyDeviceToHost,
			    stream));
	TRY(cudaMemcpyAsync(w->other, pinned, COUNT * sizeof(float), cudaMemcpyHostToDevice,
			    stream));
	TRY(cudaMemcpyAsync(w->other, w->data, COUNT * sizeof(float), cudaMemcpyDeviceToDevice,
			    stream));
	TRY(cudaMemcpy2DAsync(pinned, 256, w->data, 512, 256, 16, cudaMemcpyDeviceToHost, stream));
	TRY(cudaMemcpy(w->data, pageable, sizeof(pageable), cudaMemcpyHostToDevice));
	TRY(cudaStreamSynchronize(stream));
	TRY(cudaFreeHost(pinned));
	w->did.memsets++;
	w->did.copies += 5;
}

/* Each GPU writes to the next; the next waits for it by an event of this GPU. */
static void peer_copies(struct worker *w, cudaStream_t stream)
{
	static cudaEvent_t sent[GPUS_MAX];
	int next = (w->gpu + 1) % w->gpus, before = (w->gpu + w->gpus - 1) % w->gpus, can = 0;

	if (w->gpus < 2)
		return;
	TRY(cudaDeviceCanAccessPeer(&can, w->gpu, next));
	if (can && cudaDeviceEnablePeerAccess(next, 0) != cudaSuccess)
		cudaGetLastError();
	TRY(cudaEventCreateWithFlags(&sent[w->gpu], cudaEventDisableTiming));
	for (int round = 0; round < w->rounds; round++) {
		TRY(cudaMemcpyPeerAsync(worker[next].other, next, w->data, w->gpu,
					COUNT * sizeof(float), stream));
		TRY(cudaEventRecord(sent[w->gpu], stream));
		pthread_barrier_wait(&everybody);
		TRY(cudaStreamWaitEvent(stream, sent[before], 0));
		scale<float><<<BLOCKS, THREADS, 0, stream>>>(w->other, 0.5f, 10);
		w->did.peer_copies++;
		w->did.records++;
		w->did.waits++;
		w->did.kernels++;
		pthread_barrier_wait(&everybody);
	}
	TRY(cudaStreamSynchronize(stream));
	pthread_barrier_wait(&everybody);
	TRY(cudaEventDestroy(sent[w->gpu]));
}

static void graph(struct worker *w, cudaStream_t stream)
{
	cudaGraph_t graph;
	cudaGraphExec_t executable;

	TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < 3; i++)
		scale<float><<<BLOCKS, THREADS, 0, stream>>>(w->data, 0.5f, 10);
	TRY(cudaMemsetAsync(w->other, 0, 1024, stream));
	TRY(cudaStreamEndCapture(stream, &graph));
	TRY(cudaGraphInstantiate(&executable, graph, 0));
	for (int i = 0; i < 2; i++)
		TRY(cudaGraphLaunch(executable, stream));
	TRY(cudaStreamSynchronize(stream));
	TRY(cudaGraphExecDestroy(executable));
	TRY(cudaGraphDestroy(graph));
	w->did.graphs += 2;
	w->did.kernels += 2 * 3;
	w->did.memsets += 2;
}

/* As programs do that generate kernels themselves: no runtime call above the launch. */
static void driver_launch(struct worker *w, cudaStream_t stream)
{
	typedef CUresult launch_fn(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
				   unsigned, unsigned, CUstream, void **, void **);
	launch_fn *launch = NULL;
	cudaDriverEntryPointQueryResult found;
	cudaFunction_t function;
	float factor = 0.5f;
	int rounds = 10;
	void *arguments[] = { &w->data, &factor, &rounds };

	TRY(cudaGetFuncBySymbol(&function, (const void *)scale<float>));
	TRY(cudaGetDriverEntryPointByVersion("cuLaunchKernel", (void **)&launch, 12000,
					     cudaEnableDefault, &found));
	if (found != cudaDriverEntryPointSuccess)
		return;
	if (launch((CUfunction)function, BLOCKS, 1, 1, THREADS, 1, 1, 0, (CUstream)stream,
		   arguments, NULL) == CUDA_SUCCESS)
		w->did.kernels++;
}

static void *work(void *argument)
{
	struct worker *w = (struct worker *)argument;
	cudaStream_t stream[2];
	void *arguments[] = { &w->data };

	TRY(cudaSetDevice(w->gpu));
	nvtxRangePushA("set up");
	TRY(cudaStreamCreate(&stream[0]));
	TRY(cudaStreamCreateWithFlags(&stream[1], cudaStreamNonBlocking));
	TRY(cudaMalloc(&w->data, COUNT * sizeof(float)));
	TRY(cudaMalloc(&w->other, COUNT * sizeof(float)));
	TRY(cudaMemset(w->data, 0, COUNT * sizeof(float)));
	w->did.memsets++;
	pthread_barrier_wait(&everybody);
	nvtxRangePop();
	nvtxRangePushA("work");
	ping_pong(w, stream);
	short_lived_events(w, stream);
	copies(w, stream[0]);
	pthread_barrier_wait(&everybody);
	peer_copies(w, stream[1]);
	TRY(cudaLaunchCooperativeKernel((const void *)meet, dim3(8), dim3(64), arguments, 0,
					stream[0]));
	w->did.kernels++;
	graph(w, stream[0]);
	driver_launch(w, stream[0]);
	scale<float><<<1, 4096, 0, stream[0]>>>(w->data, 1, 1); /* too many threads a block */
	w->did.failed_launches += cudaGetLastError() != cudaSuccess;
	TRY(cudaDeviceSynchronize());
	nvtxRangePop();
	w->did.ranges += 2;
	TRY(cudaStreamDestroy(stream[0]));
	TRY(cudaStreamDestroy(stream[1]));
	pthread_barrier_wait(&everybody);
	TRY(cudaFree(w->data));
	TRY(cudaFree(w->other));
	return NULL;
}

int main(int argc, char **argv)
{
	const char *ending = argc > 2 ? argv[2] : "end";
	int gpus = 0, rounds = argc > 1 ? atoi(argv[1]) : 50;
	struct tally sum;

	memset(&sum, 0, sizeof(sum));
	TRY(cudaGetDeviceCount(&gpus));
	gpus = gpus > GPUS_MAX ? GPUS_MAX : gpus;
	pthread_barrier_init(&everybody, NULL, (unsigned)gpus);
	for (int g = 0; g < gpus; g++) {
		worker[g].gpu = g;
		worker[g].gpus = gpus;
		worker[g].rounds = rounds;
		if (pthread_create(&worker[g].thread, NULL, work, &worker[g])) {
			fprintf(stderr, "gpu_foreign: no thread\n");
			return 1;
		}
	}
	for (int g = 0; g < gpus; g++) {
		const struct tally *did = &worker[g].did;

		pthread_join(worker[g].thread, NULL);
		sum.kernels += did->kernels;
		sum.copies += did->copies;
		sum.peer_copies += did->peer_copies;
		sum.memsets += did->memsets;
		sum.records += did->records;
		sum.waits += did->waits;
		sum.graphs += did->graphs;
		sum.failed_launches += did->failed_launches;
		sum.ranges += did->ranges;
	}
	printf("gpus %d\nkernels %ld\ncopies %ld\npeer_copies %ld\nmemsets %ld\nevent_records "
	       "%ld\nevent_waits %ld\ngraph_launches %ld\n"
	       "failed_launches %ld\nranges %ld\n",
	       gpus, sum.kernels, sum.copies, sum.peer_copies, sum.memsets, sum.records, sum.waits,
	       sum.graphs, sum.failed_launches, sum.ranges);
	fflush(stdout);
	if (!strcmp(ending, "kill")) {
		sleep(3); /* the recorder writes out once a second */
		raise(SIGKILL);
	}
	for (int g = 0; !strcmp(ending, "reset") && g < gpus; g++) {
		TRY(cudaSetDevice(g));
		TRY(cudaDeviceReset());
	}
	return 0;
}
