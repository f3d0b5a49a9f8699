// SPDX-License-Identifier: MIT
// A program that uses what CUDA has beyond launches and copies, a part each, for trying recordings
// and replays on: programmatic dependent, cooperative and cluster launches, memory pools, managed
// memory prefetched and migrated, two threads in the default stream (per thread, when built with
// -default-stream per-thread), the legacy one beside blocking streams, functions of the host in
// streams, events queried, graphs with branches and with a WHILE node. Each part is an NVTX range
// of its name; a line each is printed, "PART us", by the host's clock. The first turn warms up.
//
//     build/tests/gpu_features [ROUNDS]
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <pthread.h>

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include "cuda_try.h"

enum { THREADS = 256, BLOCKS = 132, COUNT = THREADS * BLOCKS, MANAGED_BYTES = 16 << 20 };

struct work {
	float *d_data, *d_other, *managed;
	cudaStream_t stream[2], blocking[2];
	cudaEvent_t event[2];
	cudaGraphExec_t branches, loop;
	int rounds;
};

__device__ static float turn(float value, int length)
{
	for (int i = 0; i < length; i++)
		value = value * 0.999f + 1.0f;
	return value;
}

__global__ void plain(float *data, int length)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	data[i] = turn(data[i], length);
}

__global__ void dependent(float *data, int length)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float value = turn((float)i, length); /* what needs nothing of the kernel before */

	cudaTriggerProgrammaticLaunchCompletion();
	cudaGridDependencySynchronize();
	data[i] = turn(data[i] + value, length);
}

__global__ void meet(float *data, int length)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	data[i] = turn(data[i], length);
	cooperative_groups::this_grid().sync();
	data[i] += data[(i + THREADS) % COUNT];
}

__global__ void cluster(float *data, int length)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	data[i] = turn(data[i], length);
	cooperative_groups::this_cluster().sync();
	data[i] += 1;
}

__global__ void touch(float *data, long count)
{
	for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < count;
	     i += (long)gridDim.x * blockDim.x)
		data[i] += 1;
}

__global__ void count_down(int *left, cudaGraphConditionalHandle handle)
{
	cudaGraphSetConditional(handle, --*left > 0);
}

static void launch_with(void (*kernel)(float *, int), cudaLaunchAttributeID id, struct work *w)
{
	cudaLaunchAttribute attribute;
	cudaLaunchConfig_t config = {};

	attribute.id = id;
	if (id == cudaLaunchAttributeClusterDimension)
		attribute.val.clusterDim = { 4, 1, 1 };
	else
		attribute.val.programmaticStreamSerializationAllowed = 1;
	config.gridDim = BLOCKS;
	config.blockDim = THREADS;
	config.stream = w->stream[0];
	config.attrs = &attribute;
	config.numAttrs = 1;
	for (int i = 0; i < w->rounds; i++)
		TRY(cudaLaunchKernelEx(&config, kernel, w->d_data, 500));
	TRY(cudaStreamSynchronize(w->stream[0]));
}

static void serialized(struct work *w)
{
	for (int i = 0; i < w->rounds; i++)
		dependent<<<BLOCKS, THREADS, 0, w->stream[0]>>>(w->d_data, 500);
	TRY(cudaStreamSynchronize(w->stream[0]));
}

static void programmatic(struct work *w)
{
	launch_with(dependent, cudaLaunchAttributeProgrammaticStreamSerialization, w);
}

static void clusters(struct work *w)
{
	launch_with(cluster, cudaLaunchAttributeClusterDimension, w);
}

static void cooperative(struct work *w)
{
	int length = 500;
	void *arguments[] = { &w->d_data, &length };

	for (int i = 0; i < w->rounds; i++)
		TRY(cudaLaunchCooperativeKernel((const void *)meet, BLOCKS, THREADS, arguments, 0,
						w->stream[0]));
	TRY(cudaStreamSynchronize(w->stream[0]));
}

static void pool(struct work *w)
{
	for (int i = 0; i < w->rounds; i++) {
		float *d_temporary;

		TRY(cudaMallocAsync(&d_temporary, COUNT * sizeof(float), w->stream[0]));
		plain<<<BLOCKS, THREADS, 0, w->stream[0]>>>(d_temporary, 500);
		TRY(cudaFreeAsync(d_temporary, w->stream[0]));
	}
	TRY(cudaStreamSynchronize(w->stream[0]));
}

static void prefetch(struct work *w)
{
	cudaMemLocation gpu = {}, host = {};

	gpu.type = cudaMemLocationTypeDevice;
	host.type = cudaMemLocationTypeHost;
	for (int i = 0; i < w->rounds / 20; i++) {
		TRY(cudaMemPrefetchAsync(w->managed, MANAGED_BYTES, gpu, 0, w->stream[0]));
		touch<<<BLOCKS, THREADS, 0, w->stream[0]>>>(w->managed, MANAGED_BYTES / 4);
		TRY(cudaMemPrefetchAsync(w->managed, MANAGED_BYTES, host, 0, w->stream[0]));
		TRY(cudaStreamSynchronize(w->stream[0]));
	}
}

static void migrate(struct work *w)
{
	for (int i = 0; i < w->rounds / 20; i++) {
		for (long k = 0; k < MANAGED_BYTES / 4; k += 1024)
			w->managed[k] += 1;
		touch<<<BLOCKS, THREADS, 0, w->stream[0]>>>(w->managed, MANAGED_BYTES / 4);
		TRY(cudaStreamSynchronize(w->stream[0]));
	}
}

static void *in_default_stream(void *argument)
{
	struct work *w = (struct work *)argument;

	for (int i = 0; i < w->rounds; i++)
		plain<<<BLOCKS / 4, THREADS>>>(w->d_data, 4000);
	TRY(cudaStreamSynchronize(0));
	return NULL;
}

static void default_streams(struct work *w)
{
	struct work second = *w;
	pthread_t thread;

	second.d_data = w->d_other;
	if (pthread_create(&thread, NULL, in_default_stream, &second)) {
		fprintf(stderr, "gpu_features: no thread\n");
		exit(1);
	}
	in_default_stream(w);
	pthread_join(thread, NULL);
}

/* Kernels of the default stream wait for those of blocking streams, and these for them. */
static void legacy(struct work *w)
{
	for (int i = 0; i < w->rounds / 2; i++) {
		plain<<<BLOCKS / 4, THREADS, 0, w->blocking[0]>>>(w->d_data, 1000);
		plain<<<BLOCKS / 4, THREADS, 0, w->blocking[1]>>>(w->d_other, 1000);
		plain<<<BLOCKS / 4, THREADS>>>(w->d_data, 1000);
	}
	TRY(cudaDeviceSynchronize());
}

static void CUDART_CB add_one(void *number)
{
	*(volatile int *)number = *(volatile int *)number + 1;
}

static void host_functions(struct work *w)
{
	int number = 0;

	for (int i = 0; i < w->rounds / 2; i++) {
		plain<<<BLOCKS, THREADS, 0, w->stream[0]>>>(w->d_data, 500);
		TRY(cudaLaunchHostFunc(w->stream[0], add_one, &number));
	}
	TRY(cudaStreamSynchronize(w->stream[0]));
}

static void queried(struct work *w)
{
	for (int i = 0; i < w->rounds / 2; i++) {
		plain<<<BLOCKS, THREADS, 0, w->stream[0]>>>(w->d_data, 1000);
		TRY(cudaEventRecord(w->event[0], w->stream[0]));
		while (cudaEventQuery(w->event[0]) == cudaErrorNotReady)
			;
	}
}

static void branches(struct work *w)
{
	for (int i = 0; i < w->rounds / 4; i++)
		TRY(cudaGraphLaunch(w->branches, w->stream[0]));
	TRY(cudaStreamSynchronize(w->stream[0]));
}

static void loop(struct work *w)
{
	for (int i = 0; i < w->rounds / 20; i++)
		TRY(cudaGraphLaunch(w->loop, w->stream[0]));
	TRY(cudaStreamSynchronize(w->stream[0]));
}

/* One kernel, two branches of two, one that follows both. */
static cudaGraphExec_t capture_branches(struct work *w)
{
	cudaGraph_t graph;
	cudaGraphExec_t executable;

	TRY(cudaStreamBeginCapture(w->stream[0], cudaStreamCaptureModeThreadLocal));
	plain<<<BLOCKS / 4, THREADS, 0, w->stream[0]>>>(w->d_data, 1000);
	TRY(cudaEventRecord(w->event[0], w->stream[0]));
	TRY(cudaStreamWaitEvent(w->stream[1], w->event[0], 0));
	for (int i = 0; i < 2; i++) {
		plain<<<BLOCKS / 4, THREADS, 0, w->stream[0]>>>(w->d_data, 1000);
		plain<<<BLOCKS / 4, THREADS, 0, w->stream[1]>>>(w->d_other, 1000);
	}
	TRY(cudaEventRecord(w->event[1], w->stream[1]));
	TRY(cudaStreamWaitEvent(w->stream[0], w->event[1], 0));
	plain<<<BLOCKS / 4, THREADS, 0, w->stream[0]>>>(w->d_data, 1000);
	TRY(cudaStreamEndCapture(w->stream[0], &graph));
	TRY(cudaGraphInstantiate(&executable, graph, 0));
	TRY(cudaGraphDestroy(graph));
	return executable;
}

/* Twenty times a kernel and what counts them. */
static cudaGraphExec_t make_loop(struct work *w)
{
	cudaGraph_t graph, body;
	cudaGraphNode_t set, node;
	cudaGraphExec_t executable;
	cudaGraphConditionalHandle handle;
	cudaGraphNodeParams conditional = {};
	static int twenty = 20;
	int *d_left;

	TRY(cudaMalloc(&d_left, sizeof(int)));
	TRY(cudaGraphCreate(&graph, 0));
	TRY(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
	TRY(cudaGraphAddMemcpyNode1D(&set, graph, NULL, 0, d_left, &twenty, sizeof(int),
				     cudaMemcpyHostToDevice));
	conditional.type = cudaGraphNodeTypeConditional;
	conditional.conditional.handle = handle;
	conditional.conditional.type = cudaGraphCondTypeWhile;
	conditional.conditional.size = 1;
	TRY(cudaGraphAddNode(&node, graph, &set, NULL, 1, &conditional));
	body = conditional.conditional.phGraph_out[0];
	TRY(cudaStreamBeginCaptureToGraph(w->stream[0], body, NULL, NULL, 0,
					  cudaStreamCaptureModeThreadLocal));
	plain<<<BLOCKS, THREADS, 0, w->stream[0]>>>(w->d_data, 500);
	count_down<<<1, 1, 0, w->stream[0]>>>(d_left, handle);
	TRY(cudaStreamEndCapture(w->stream[0], &body));
	TRY(cudaGraphInstantiate(&executable, graph, 0));
	TRY(cudaGraphDestroy(graph));
	return executable;
}

static double run(const char *name, void (*part)(struct work *), struct work *w)
{
	struct timespec start, end;

	TRY(cudaDeviceSynchronize());
	nvtxRangePushA(name);
	clock_gettime(CLOCK_MONOTONIC, &start);
	part(w);
	clock_gettime(CLOCK_MONOTONIC, &end);
	nvtxRangePop();
	return (double)(end.tv_sec - start.tv_sec) * 1e6 +
	       (double)(end.tv_nsec - start.tv_nsec) * 1e-3;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*part)(struct work *);
	} parts[] = {
		{ "serialized", serialized },
		{ "programmatic", programmatic },
		{ "cooperative", cooperative },
		{ "clusters", clusters },
		{ "pool", pool },
		{ "prefetch", prefetch },
		{ "migrate", migrate },
		{ "default_streams", default_streams },
		{ "legacy", legacy },
		{ "host_functions", host_functions },
		{ "queried", queried },
		{ "branches", branches },
		{ "loop", loop },
	};
	struct work w = {};

	w.rounds = argc > 1 ? atoi(argv[1]) : 200;
	TRY(cudaMalloc(&w.d_data, COUNT * sizeof(float)));
	TRY(cudaMalloc(&w.d_other, COUNT * sizeof(float)));
	TRY(cudaMallocManaged(&w.managed, MANAGED_BYTES));
	TRY(cudaMemset(w.d_data, 0, COUNT * sizeof(float)));
	for (int i = 0; i < 2; i++) {
		TRY(cudaStreamCreateWithFlags(&w.stream[i], cudaStreamNonBlocking));
		TRY(cudaStreamCreate(&w.blocking[i]));
		TRY(cudaEventCreateWithFlags(&w.event[i], cudaEventDisableTiming));
	}
	w.branches = capture_branches(&w);
	w.loop = make_loop(&w);
	for (int turn = 0; turn < 2; turn++)
		for (const auto &p : parts) {
			double us = run(p.name, p.part, &w);
			if (turn)
				printf("%s %.1f\n", p.name, us);
		}
	return 0;
}
