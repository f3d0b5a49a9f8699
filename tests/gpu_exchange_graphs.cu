// SPDX-License-Identifier: MIT
// What an exchange of borders between GPUs takes inside a CUDA graph, and by calls of one thread: a
// graph of several cycles, captured as solvers capture theirs, forked from the stream of GPU 0 and
// joined there. A row a way: the period of a cycle (kernels included), the call that launches a
// graph of all its cycles, in ns, medians of ROUNDS. Ways:
//   kernels   a kernel a GPU and cycle, no two GPUs have anything to do with each other
//   events    each kernel waits for the neighbours' kernels of the cycle before
//   copies    a copy to each neighbour behind each kernel, which nobody waits for
//   exchange  the copies wait for the neighbours' kernels, the next kernels for their copies
//   rows      the same, with copies in rows of 96 bytes
//   own       two streams of one GPU, each kernel waits for the other's of the cycle before
//
//     gpu_exchange_graphs [SECONDS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <cuda_runtime.h>

#include "cuda_try.h"

enum { ROUNDS = 7, MOST = 8, MOST_BYTES = 4194304, ROW_BYTES = 96, PITCH = 8192 };
enum way { KERNELS, EVENTS, COPIES, EXCHANGE, ROWS, OWN, WAYS };
static const char *const NAMES[WAYS] = { "kernels", "events", "copies", "exchange", "rows", "own" };

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

__global__ void spin(long long cycles)
{
	const long long begin = clock64();
	while (clock64() - begin < cycles)
		;
}

struct gpu {
	cudaStream_t stream[2];
	cudaEvent_t done[2], sent, join;
	char *d_from, *d_to;
};
static struct gpu gpu[MOST];
static double cycles_per_ns;

struct point {
	enum way way;
	int gpus;
	size_t bytes;
	double kernel_ns;
	int cycles; /* of a graph */
	int times;  /* that it is launched in a row */
};

static void kernel(const struct point *p, int g, int stream)
{
	TRY(cudaSetDevice(g));
	spin<<<132, 256, 0, gpu[g].stream[stream]>>>((long long)(p->kernel_ns * cycles_per_ns));
}

static void copy(const struct point *p, int g, int other)
{
	char *to = gpu[other].d_to + (other > g ? 0 : MOST_BYTES);
	if (p->way == ROWS)
		TRY(cudaMemcpy2DAsync(to, PITCH, gpu[g].d_from, PITCH, ROW_BYTES,
				      p->bytes / ROW_BYTES, cudaMemcpyDefault, gpu[g].stream[0]));
	else
		TRY(cudaMemcpyAsync(to, gpu[g].d_from, p->bytes, cudaMemcpyDefault,
				    gpu[g].stream[0]));
}

static bool neighbour(const struct point *p, int g, int other)
{
	return other >= 0 && other < p->gpus && other != g;
}

static void cycle(const struct point *p)
{
	const bool copies = p->way == COPIES || p->way == EXCHANGE || p->way == ROWS,
		   crosses = p->way == EVENTS || p->way == EXCHANGE || p->way == ROWS;
	for (int g = 0; g < p->gpus; g++) {
		kernel(p, g, 0);
		if (p->way == OWN)
			kernel(p, g, 1);
	}
	for (int g = 0; g < p->gpus && (crosses || p->way == OWN); g++)
		for (int s = 0; s < (p->way == OWN ? 2 : 1); s++)
			TRY(cudaEventRecord(gpu[g].done[s], gpu[g].stream[s]));
	for (int g = 0; g < p->gpus; g++) {
		TRY(cudaSetDevice(g));
		for (int s = 0; s < 2 && p->way == OWN; s++)
			TRY(cudaStreamWaitEvent(gpu[g].stream[s], gpu[g].done[1 - s], 0));
		for (int other = g - 1; other <= g + 1; other += 2) {
			if (!neighbour(p, g, other))
				continue;
			if (crosses)
				TRY(cudaStreamWaitEvent(gpu[g].stream[0], gpu[other].done[0], 0));
			if (copies)
				copy(p, g, other);
		}
		if (copies && crosses)
			TRY(cudaEventRecord(gpu[g].sent, gpu[g].stream[0]));
	}
	for (int g = 0; g < p->gpus && copies && crosses; g++)
		for (int other = g - 1; other <= g + 1; other += 2)
			if (neighbour(p, g, other))
				TRY(cudaStreamWaitEvent(gpu[g].stream[0], gpu[other].sent, 0));
}

static void fork(const struct point *p)
{
	TRY(cudaEventRecord(gpu[0].join, gpu[0].stream[0]));
	for (int g = 0; g < p->gpus; g++)
		for (int s = 0; s < (p->way == OWN ? 2 : 1); s++)
			if (g || s)
				TRY(cudaStreamWaitEvent(gpu[g].stream[s], gpu[0].join, 0));
}

static void all(const struct point *p)
{
	fork(p);
	for (int c = 0; c < p->cycles; c++)
		cycle(p);
	for (int g = 0; g < p->gpus; g++)
		for (int s = 0; s < (p->way == OWN ? 2 : 1); s++)
			if (g || s) {
				cudaEvent_t event = s ? gpu[g].done[1] : gpu[g].join;
				TRY(cudaEventRecord(event, gpu[g].stream[s]));
				TRY(cudaStreamWaitEvent(gpu[0].stream[0], event, 0));
			}
}

static cudaGraphExec_t capture(const struct point *p)
{
	cudaGraph_t graph;
	cudaGraphExec_t ready;
	TRY(cudaSetDevice(0));
	TRY(cudaStreamBeginCapture(gpu[0].stream[0], cudaStreamCaptureModeThreadLocal));
	all(p);
	TRY(cudaStreamEndCapture(gpu[0].stream[0], &graph));
	TRY(cudaGraphInstantiate(&ready, graph, 0));
	TRY(cudaGraphDestroy(graph));
	TRY(cudaGraphUpload(ready, gpu[0].stream[0]));
	return ready;
}

static void run(const struct point *p, bool by_graph)
{
	cudaGraphExec_t ready = by_graph ? capture(p) : NULL;
	std::vector<double> period, call;
	for (int r = -2; r < ROUNDS; r++) {
		TRY(cudaSetDevice(0));
		TRY(cudaStreamSynchronize(gpu[0].stream[0]));
		const long long begun = now_ns();
		if (!by_graph)
			fork(p);
		for (int k = 0; k < p->times; k++) {
			const long long at = now_ns();
			if (by_graph)
				TRY(cudaGraphLaunch(ready, gpu[0].stream[0]));
			else
				for (int c = 0; c < p->cycles; c++)
					cycle(p);
			if (r >= 0)
				call.push_back((double)(now_ns() - at));
		}
		for (int g = 0; g < p->gpus; g++)
			for (int s = 0; s < 2; s++)
				TRY(cudaStreamSynchronize(gpu[g].stream[s]));
		if (r >= 0)
			period.push_back((double)(now_ns() - begun) / p->times / p->cycles);
	}
	printf("%s\t%s\t%d\t%zu\t%.0f\t%d\t%d\t%.0f\t%.0f\n", NAMES[p->way],
	       by_graph ? "graph" : "calls", p->gpus, p->bytes, p->kernel_ns, p->cycles, p->times,
	       median(period), median(call));
	fflush(stdout);
	if (ready)
		TRY(cudaGraphExecDestroy(ready));
}

static void open(int gpus)
{
	int khz = 0;
	for (int g = 0; g < gpus; g++) {
		TRY(cudaSetDevice(g));
		for (cudaStream_t &stream : gpu[g].stream)
			TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
		for (cudaEvent_t *event :
		     { &gpu[g].done[0], &gpu[g].done[1], &gpu[g].sent, &gpu[g].join })
			TRY(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
		TRY(cudaMalloc(&gpu[g].d_from, 64 * MOST_BYTES));
		TRY(cudaMalloc(&gpu[g].d_to, 65 * MOST_BYTES));
		for (int other = 0; other < gpus; other++)
			if (other != g)
				TRY(cudaDeviceEnablePeerAccess(other, 0));
	}
	TRY(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
	cycles_per_ns = khz * 1e-6;
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 60;
	const long long begun = now_ns();
	static const struct {
		size_t bytes;
		double kernel_ns;
		int cycles, times;
	} shapes[] = { { 65536, 8000, 10, 10 },	 { 65536, 8000, 40, 4 },   { 65536, 8000, 1, 40 },
		       { 96, 8000, 10, 10 },	 { 6144, 8000, 10, 10 },   { 393216, 8000, 10, 10 },
		       { 65536, 3000, 10, 10 },	 { 65536, 30000, 10, 10 }, { 6144, 30000, 10, 10 },
		       { 786432, 8000, 10, 10 }, { 65536, 100000, 10, 10 } };
	int gpus = 0;

	TRY(cudaGetDeviceCount(&gpus));
	gpus = gpus > MOST ? (int)MOST : gpus;
	open(gpus);
	printf("way\tby\tgpus\tbytes\tkernel_ns\tcycles\ttimes\tperiod_ns\tcall_ns\n");
	for (const auto &shape : shapes)
		for (int n = 1; n <= gpus; n *= 2)
			for (int way = 0; way < WAYS; way++)
				for (int by_graph = 1; by_graph >= 0; by_graph--) {
					const struct point p = { (enum way)way, n,
								 shape.bytes,	shape.kernel_ns,
								 shape.cycles,	shape.times };
					const bool has_bytes =
						way == COPIES || way == EXCHANGE || way == ROWS;
					if ((n == 1 && way != KERNELS && way != OWN) ||
					    (!has_bytes && shape.bytes != 65536))
						continue;
					if ((double)(now_ns() - begun) > seconds * 1e9)
						return printf("# out of time\n"), 0;
					run(&p, by_graph > 0);
				}
	return 0;
}
