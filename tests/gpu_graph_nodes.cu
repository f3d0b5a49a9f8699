// SPDX-License-Identifier: MIT
// What a tracer adds to the nodes of a graph and to the call that launches it: graphs of one to
// eight nodes in a row, a letter a node (k: a kernel, e: an empty kernel, m: a memset of 8 bytes,
// c: a copy of 8 bytes to the host, p: to memory that is not pinned, d: within the GPU), launched
// again and again, each time waited for (sync) or many in a row (queued). A row a graph and way:
// the period of a launch, how long the call that launches takes and the wait for it, in ns, medians
// of ROUNDS rounds.
//
//     build/tests/gpu_graph_nodes [LAUNCHES]
//     CUDA_INJECTION64_PATH=build/libcupti-alone.so build/tests/gpu_graph_nodes
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <nvtx3/nvToolsExt.h>

#include "cuda_try.h"

static const int ROUNDS = 5;
static const char *const GRAPHS[] = { "e",   "k",   "kk",  "kkkk", "kkkkkkkk", "ee",  "eeeeeeee",
				      "m",   "c",   "d",   "mk",   "km",       "kc",  "ck",
				      "mkc", "kkc", "mkk", "kmk",  "kck",      "kdk", "cc",
				      "mm",  "mkp", "kp",  "p",	   "mkckmkc" };

__global__ void empty()
{
}

__global__ void chain(double *out, int length)
{
	double a = threadIdx.x;
	for (int i = 0; i < length; i++)
		a = a * 1.0001 + 0.5;
	if (a == -1.0)
		*out = a;
}

static long long now_ns()
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

struct memory {
	double *d_data, *h_pinned, *h_pageable;
};

static cudaGraphExec_t build(const char *nodes, const struct memory *m, cudaStream_t stream)
{
	cudaGraph_t graph;
	cudaGraphExec_t executable;

	TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (const char *n = nodes; *n; n++) {
		if (*n == 'k')
			chain<<<132, 256, 0, stream>>>(m->d_data, 700);
		else if (*n == 'e')
			empty<<<132, 256, 0, stream>>>();
		else if (*n == 'm')
			TRY(cudaMemsetAsync(m->d_data, 0, 8, stream));
		else
			TRY(cudaMemcpyAsync(*n == 'c'	? m->h_pinned
					    : *n == 'p' ? m->h_pageable
							: m->d_data + 8,
					    m->d_data, 8, cudaMemcpyDefault, stream));
	}
	TRY(cudaStreamEndCapture(stream, &graph));
	TRY(cudaGraphInstantiate(&executable, graph, 0));
	TRY(cudaGraphDestroy(graph));
	return executable;
}

static void run(const char *nodes, bool queued, int launches, const struct memory *m,
		cudaStream_t stream)
{
	cudaGraphExec_t graph = build(nodes, m, stream);
	std::vector<double> period, call, wait;
	char range[32];

	snprintf(range, sizeof(range), "%s %s", nodes, queued ? "queued" : "sync");
	for (int r = -1; r < ROUNDS; r++) { /* the first warms up */
		std::vector<double> calls, waits;
		if (r == 0)
			nvtxRangePushA(range);
		long long start = now_ns(), at = start;
		for (int i = 0; i < launches; i++) {
			TRY(cudaGraphLaunch(graph, stream));
			long long back = now_ns();
			calls.push_back((double)(back - at));
			if (!queued)
				TRY(cudaStreamSynchronize(stream));
			at = now_ns();
			waits.push_back((double)(at - back));
		}
		TRY(cudaStreamSynchronize(stream));
		if (r < 0)
			continue;
		period.push_back((double)(now_ns() - start) / launches);
		call.push_back(median(calls));
		wait.push_back(median(waits));
	}
	nvtxRangePop();
	printf("%s\t%s\t%.0f\t%.0f\t%.0f\n", nodes, queued ? "queued" : "sync", median(period),
	       median(call), median(wait));
	fflush(stdout);
	TRY(cudaGraphExecDestroy(graph));
}

int main(int argc, char **argv)
{
	int launches = argc > 1 ? atoi(argv[1]) : 200;
	struct memory m;
	cudaStream_t stream;

	TRY(cudaMalloc(&m.d_data, 256));
	TRY(cudaMallocHost(&m.h_pinned, 256));
	m.h_pageable = (double *)malloc(256);
	TRY(cudaStreamCreate(&stream));
	printf("nodes\tway\tperiod_ns\tcall_ns\twait_ns\n");
	for (int queued = 0; queued < 2; queued++)
		for (const char *nodes : GRAPHS)
			run(nodes, queued, launches, &m, stream);
	return 0;
}
