// SPDX-License-Identifier: MIT
// Where the time of a graph's launch goes, untraced and traced: every block of the kernel writes
// the GPU's clock when it begins and when it ends, so that a kernel's length and what lies between
// two of them is known without a tracer. Graphs, and the same work launched call by call, of a node
// a letter (m: a memset of 8 bytes, k: a kernel, c: a copy of 8 bytes to pinned host memory, p: to
// memory that is not pinned), each waited for. Kernels: `chain`, operations that depend on each
// other, and `rows`, a matrix of 512 rows by a vector, from L2, a block 8 rows. `+` sets the
// kernel's parameters anew before each launch of the graph.
//
//     build/tests/gpu_graph_stamps [LAUNCHES]
//
// A row a way: nodes, kernel, way, period of a launch; the kernel by its stamps; from its end to
// the next one's begin; the call that launches; the wait for it: ns, medians of LAUNCHES.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "cuda_try.h"

static const int BLOCKS = 64, ROWS = 512, WARM = 20;

struct stamp {
	unsigned long long begin_ns, end_ns;
};

__device__ static unsigned long long gpu_ns()
{
	unsigned long long t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

/* Stamps lie in the order in which blocks end: those of a launch are together, since launches
 * follow each other. */
__device__ static void end(struct stamp *stamps, unsigned *count, unsigned long long begin_ns)
{
	__syncthreads();
	if (threadIdx.x == 0) {
		const unsigned long long end_ns = gpu_ns();
		stamps[atomicAdd(count, 1u)] = { begin_ns, end_ns };
	}
}

__global__ void chain(double *data, struct stamp *stamps, unsigned *count)
{
	const unsigned long long begin_ns = gpu_ns();
	double a = threadIdx.x;
	for (int i = 0; i < 700; i++)
		a = a * 1.0001 + 0.5;
	if (a == -1.0)
		data[0] = a;
	end(stamps, count, begin_ns);
}

__global__ void rows(double *data, struct stamp *stamps, unsigned *count)
{
	const unsigned long long begin_ns = gpu_ns();
	__shared__ double x[ROWS], part[8];
	double *const vector = data + 8;
	const float *const matrix = (const float *)(vector + ROWS);

	for (int i = (int)threadIdx.x; i < ROWS; i += (int)blockDim.x)
		x[i] = vector[i];
	if (threadIdx.x < 8)
		part[threadIdx.x] = 0;
	__syncthreads();
	for (int k = 0; k < 8; k++) {
		double sum = 0;
		for (int j = (int)threadIdx.x; j < ROWS; j += (int)blockDim.x)
			sum += matrix[((int)blockIdx.x * 8 + k) * ROWS + j] * x[j];
		for (int offset = 16; offset > 0; offset /= 2)
			sum += __shfl_down_sync(0xffffffff, sum, offset);
		if (threadIdx.x % 32 == 0)
			atomicAdd(&part[k], sum);
	}
	__syncthreads();
	if (threadIdx.x == 0)
		atomicAdd(data, part[0] + part[7]);
	end(stamps, count, begin_ns);
}

static double now_ns()
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v.empty() ? 0 : v[v.size() / 2];
}

struct work {
	double *d_data, *h_pinned, *h_pageable;
	struct stamp *d_stamps;
	unsigned *d_count; /* blocks that ended so far */
	void (*kernel)(double *, struct stamp *, unsigned *);
	const char *name;
	cudaStream_t stream;
	int launches;
};

static void enqueue(const char *nodes, const struct work *w)
{
	for (const char *n = nodes; *n; n++) {
		if (*n == 'k')
			w->kernel<<<BLOCKS, 256, 0, w->stream>>>(w->d_data, w->d_stamps,
								 w->d_count);
		else if (*n == 'm')
			TRY(cudaMemsetAsync(w->d_data, 0, 8, w->stream));
		else if (*n == 'c' || *n == 'p')
			TRY(cudaMemcpyAsync(*n == 'c' ? w->h_pinned : w->h_pageable, w->d_data, 8,
					    cudaMemcpyDeviceToHost, w->stream));
	}
}

/* The graph's one kernel node. */
static cudaGraphNode_t kernel_of(cudaGraph_t graph)
{
	std::vector<cudaGraphNode_t> node(16);
	size_t count = node.size();
	TRY(cudaGraphGetNodes(graph, node.data(), &count));
	for (size_t i = 0; i < count; i++) {
		enum cudaGraphNodeType type;
		TRY(cudaGraphNodeGetType(node[i], &type));
		if (type == cudaGraphNodeTypeKernel)
			return node[i];
	}
	fprintf(stderr, "gpu_graph_stamps: a graph without a kernel\n");
	exit(1);
}

static void run(const char *nodes, bool as_graph, const struct work *w)
{
	const bool anew = strchr(nodes, '+');
	std::vector<double> period, kernel, between, call, wait;
	std::vector<struct stamp> stamps((size_t)w->launches * BLOCKS);
	cudaGraph_t graph = NULL;
	cudaGraphExec_t executable = NULL;
	struct cudaKernelNodeParams parameters = {};
	cudaGraphNode_t node = NULL;
	double before_ns = 0, end_ns = 0;

	if (as_graph) {
		TRY(cudaStreamBeginCapture(w->stream, cudaStreamCaptureModeThreadLocal));
		enqueue(nodes, w);
		TRY(cudaStreamEndCapture(w->stream, &graph));
		TRY(cudaGraphInstantiate(&executable, graph, 0));
		if (anew) {
			node = kernel_of(graph);
			TRY(cudaGraphKernelNodeGetParams(node, &parameters));
		}
	}
	TRY(cudaMemset(w->d_count, 0, sizeof(*w->d_count)));
	for (int i = 0; i < w->launches; i++) {
		double start_ns = now_ns();
		if (anew)
			TRY(cudaGraphExecKernelNodeSetParams(executable, node, &parameters));
		if (as_graph)
			TRY(cudaGraphLaunch(executable, w->stream));
		else
			enqueue(nodes, w);
		double back_ns = now_ns();
		TRY(cudaStreamSynchronize(w->stream));
		double at_ns = now_ns();
		if (i >= WARM) {
			period.push_back(start_ns - before_ns);
			call.push_back(back_ns - start_ns);
			wait.push_back(at_ns - back_ns);
		}
		before_ns = start_ns;
	}
	TRY(cudaMemcpy(stamps.data(), w->d_stamps, stamps.size() * sizeof(stamps[0]),
		       cudaMemcpyDefault));
	for (int i = 0; i < w->launches; i++) {
		double first_ns = 1e300, last_ns = 0;
		for (int b = 0; b < BLOCKS; b++) {
			const struct stamp *s = &stamps[(size_t)i * BLOCKS + (size_t)b];
			first_ns = std::min(first_ns, (double)s->begin_ns);
			last_ns = std::max(last_ns, (double)s->end_ns);
		}
		if (i >= WARM) {
			kernel.push_back(last_ns - first_ns);
			between.push_back(first_ns - end_ns);
		}
		end_ns = last_ns;
	}
	printf("%s\t%s\t%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\n", nodes, w->name,
	       as_graph ? "graph" : "calls", median(period), median(kernel), median(between),
	       median(call), median(wait));
	fflush(stdout);
	if (as_graph) {
		TRY(cudaGraphExecDestroy(executable));
		TRY(cudaGraphDestroy(graph));
	}
}

int main(int argc, char **argv)
{
	static const char *const WAYS[] = { "k", "mk", "kc", "kp", "mkc", "mkp", "mkp+" };
	struct work w = {};
	const size_t bytes = (8 + ROWS) * sizeof(double) + (size_t)ROWS * ROWS * sizeof(float);

	w.launches = argc > 1 ? atoi(argv[1]) : 500;
	if (w.launches <= WARM) {
		fprintf(stderr, "gpu_graph_stamps: more than %d launches are needed\n", WARM);
		return 2;
	}
	TRY(cudaMalloc(&w.d_data, bytes));
	TRY(cudaMemset(w.d_data, 0, bytes));
	TRY(cudaMalloc(&w.d_stamps, (size_t)w.launches * BLOCKS * sizeof(struct stamp)));
	TRY(cudaMallocHost(&w.h_pinned, 8));
	TRY(cudaMalloc(&w.d_count, sizeof(*w.d_count)));
	w.h_pageable = (double *)malloc(8);
	TRY(cudaStreamCreate(&w.stream));
	printf("nodes\tkernel\tway\tperiod_ns\tkernel_ns\tbetween_ns\tcall_ns\twait_ns\n");
	for (int k = 0; k < 2; k++) {
		w.kernel = k ? rows : chain;
		w.name = k ? "rows" : "chain";
		for (int as_graph = 1; as_graph >= 0; as_graph--)
			for (const char *nodes : WAYS)
				if (as_graph || !strchr(nodes, '+'))
					run(nodes, as_graph, &w);
	}
	return 0;
}
