// SPDX-License-Identifier: MIT
// What the first calls of threads take that all begin at once: threads of a GPU each, made anew
// for each round, meet and launch (or copy, or record) CALLS times in a row. Prints ns of the
// first, second and later calls: the median over rounds of the mean over threads, and of the
// slowest.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

#include <cuda_runtime.h>

#include "cuda_try.h"

enum { ROUNDS = 31, CALLS = 6, MOST = 8, BYTES = 65536 };
enum kind { LAUNCH, COPY_UP, RECORD, KINDS };
static const char *const NAMES[KINDS] = { "launch", "copy-up", "record" };

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

__global__ void work(char *a)
{
	a[blockIdx.x * blockDim.x + threadIdx.x]++;
}

struct gpu {
	cudaStream_t stream;
	cudaEvent_t event;
	char *d_data, *h_pinned;
};
static struct gpu gpu[MOST];
static std::atomic<int> arrived, turn;

static void meet(int threads)
{
	const int mine = turn.load();
	if (arrived.fetch_add(1) + 1 == threads) {
		arrived = 0;
		turn++;
	}
	while (turn.load() == mine)
		;
}

static void call(const struct gpu *at, enum kind kind)
{
	if (kind == LAUNCH)
		work<<<132, 256, 0, at->stream>>>(at->d_data);
	else if (kind == COPY_UP)
		TRY(cudaMemcpyAsync(at->d_data, at->h_pinned, BYTES, cudaMemcpyHostToDevice,
				    at->stream));
	else
		TRY(cudaEventRecord(at->event, at->stream));
}

/* before: what the thread has done before it meets the others: nothing but choosing its GPU, a copy
 * up and its wait, or the same calls and their wait. */
static void body(int g, int threads, enum kind kind, int before, double ns[CALLS])
{
	const struct gpu *at = &gpu[g];
	TRY(cudaSetDevice(g));
	if (before == 1)
		TRY(cudaMemcpyAsync(at->d_data, at->h_pinned, BYTES, cudaMemcpyHostToDevice,
				    at->stream));
	for (int k = 0; k < CALLS && before == 2; k++)
		call(at, kind);
	TRY(cudaStreamSynchronize(at->stream));
	meet(threads);
	long long last = now_ns();
	for (int k = 0; k < CALLS; k++) {
		call(at, kind);
		const long long now = now_ns();
		ns[k] = (double)(now - last);
		last = now;
	}
	TRY(cudaStreamSynchronize(at->stream));
}

static void run(int threads, enum kind kind, int before)
{
	static const char *const BEFORE[] = { "nothing", "copy", "same" };
	std::vector<double> mean[CALLS], most[CALLS];
	for (int r = 0; r < ROUNDS; r++) {
		double ns[MOST][CALLS];
		std::vector<std::thread> thread;
		for (int t = 0; t < threads; t++)
			thread.emplace_back(body, t, threads, kind, before, ns[t]);
		for (std::thread &t : thread)
			t.join();
		for (int k = 0; k < CALLS; k++) {
			double sum = 0, last = 0;
			for (int t = 0; t < threads; t++)
				sum += ns[t][k], last = std::max(last, ns[t][k]);
			mean[k].push_back(sum / threads);
			most[k].push_back(last);
		}
	}
	for (int k = 0; k < CALLS; k++)
		printf("%s\t%d\t%s\t%d\t%.0f\t%.0f\n", NAMES[kind], threads, BEFORE[before], k + 1,
		       median(mean[k]), median(most[k]));
	fflush(stdout);
}

int main()
{
	int gpus = 0;
	TRY(cudaGetDeviceCount(&gpus));
	gpus = gpus > MOST ? (int)MOST : gpus;
	for (int g = 0; g < gpus; g++) {
		TRY(cudaSetDevice(g));
		TRY(cudaStreamCreateWithFlags(&gpu[g].stream, cudaStreamNonBlocking));
		TRY(cudaEventCreateWithFlags(&gpu[g].event, cudaEventDisableTiming));
		TRY(cudaMalloc(&gpu[g].d_data, BYTES));
		TRY(cudaMallocHost(&gpu[g].h_pinned, BYTES));
		for (int kind = 0; kind < KINDS; kind++)
			call(&gpu[g], (enum kind)kind);
		TRY(cudaDeviceSynchronize());
	}
	printf("call\tthreads\tbefore\tnumber\tmean_ns\tmost_ns\n");
	for (int threads = 1; threads <= gpus; threads++)
		for (int kind = 0; kind < KINDS; kind++)
			for (int before = 0; before < 3; before++)
				run(threads, (enum kind)kind, before);
	return 0;
}
