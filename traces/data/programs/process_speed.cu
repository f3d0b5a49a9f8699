/* SPDX-License-Identifier: MIT
 * How fast one process is: pure arithmetic of its thread, CUDA's calls that do nothing, records of
 * events and launches of an empty kernel, again and again for some hundred ms, with a pause between
 * two halves. Each window is a line, medians in ns of one:
 *
 *     tag  ms since begin  CPU  chain (64 dependent multiplications)  wide (64 independent)
 *     chase (8 loads, each after the other, from 16 MiB)  cudaSetDevice  cudaEventRecord  launch
 *
 * Then a line a way of calling: "way", tag, name, ns a call of 200, while the stream is held
 * (least, median of seven rounds) and while the device keeps up (the same), and what the core gave
 * before and after (traces/base/core_share.h).
 *
 *     nvcc -O2 -std=c++17 -arch=sm_90 -cudart shared -I. -o process_speed \
 *             traces/data/programs/process_speed.cu traces/base/core_share.c -ldl
 *     ./process_speed TAG [WINDOWS] [library to load first]
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <functional>
#include <sched.h>
#include <unistd.h>
#include <vector>

#include <cuda_runtime.h>

extern "C" {
#include "traces/base/core_share.h"
}

#define MUST(call)                                                                                 \
	do {                                                                                       \
		cudaError_t e = (call);                                                            \
		if (e != cudaSuccess) {                                                            \
			printf("line %d: %s\n", __LINE__, cudaGetErrorString(e));                  \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

template <int WORDS> struct words {
	int word[WORDS];
};
template <int WORDS> __global__ void nothing(words<WORDS> w)
{
	if (w.word[0] == -1)
		*(int *)w.word[WORDS - 1] = 1;
}
__global__ void bare()
{
}
__global__ void other()
{
}
__global__ void hold(volatile int *go)
{
	while (!*go)
		;
}

static double now_ns(void)
{
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double median_ns(int times, const std::function<void()> &body)
{
	std::vector<double> ns;

	for (int i = 0; i < times; i++) {
		double begin = now_ns();
		body();
		ns.push_back(now_ns() - begin);
	}
	std::sort(ns.begin(), ns.end());
	return ns[ns.size() / 2];
}

static volatile uint64_t sink;
static std::vector<uint32_t> next_place;

static void chain(void)
{
	uint64_t x = sink | 1;
	for (int i = 0; i < 64; i++)
		asm volatile("imulq %1, %0" : "+r"(x) : "r"(x));
	sink = x;
}
static void wide(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4;
	for (int i = 0; i < 64; i++)
		asm volatile("addq $1, %0\n addq $1, %1\n addq $1, %2\n addq $1, %3"
			     : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
	sink = a + b + c + d;
}
static void chase(void)
{
	uint32_t at = (uint32_t)sink % next_place.size();
	for (int i = 0; i < 8; i++)
		at = next_place[at];
	sink = at;
}

static void window(const char *tag, double begin_ns, cudaStream_t stream, cudaEvent_t event)
{
	double of[6];
	double ms = (now_ns() - begin_ns) * 1e-6;

	of[0] = median_ns(31, chain);
	of[1] = median_ns(31, wide);
	of[2] = median_ns(31, chase);
	of[3] = median_ns(101, [] { cudaSetDevice(0); });
	of[4] = median_ns(101, [=] { cudaEventRecord(event, stream); });
	MUST(cudaStreamSynchronize(stream));
	of[5] = median_ns(101, [=] { bare<<<1, 32, 0, stream>>>(); });
	MUST(cudaStreamSynchronize(stream));
	printf("window\t%s\t%.2f\t%d", tag, ms, sched_getcpu());
	for (double ns : of)
		printf("\t%.0f", ns);
	printf("\n");
}

static volatile int *go;

static void way(const char *tag, const char *name, cudaStream_t held,
		const std::function<void(int)> &launch)
{
	std::vector<double> each, loops;
	const uint32_t before = core_additions();

	for (int round = 0; round < 7; round++) {
		*go = 0;
		hold<<<1, 1, 0, held>>>((volatile int *)go);
		std::vector<double> ns;
		double begin = now_ns();
		for (int i = 0; i < 200; i++)
			launch(i);
		loops.push_back((now_ns() - begin) / 200);
		*go = 1;
		MUST(cudaDeviceSynchronize());
	}
	/* And with an empty queue: the device keeps up. */
	for (int round = 0; round < 7; round++) {
		double begin = now_ns();
		for (int i = 0; i < 200; i++)
			launch(i);
		each.push_back((now_ns() - begin) / 200);
		MUST(cudaDeviceSynchronize());
	}
	std::sort(each.begin(), each.end());
	std::sort(loops.begin(), loops.end());
	printf("way\t%s\t%s\t%.0f\t%.0f\t%.0f\t%.0f\t%u\t%u\n", tag, name, loops[0], loops[3],
	       each[0], each[3], before, core_additions());
}

template <int WORDS> static void way_words(const char *tag, cudaStream_t stream)
{
	words<WORDS> w = {};
	char name[32];

	snprintf(name, sizeof(name), "%d bytes", WORDS * 4);
	way(tag, name, stream, [=](int) { nothing<WORDS><<<1, 32, 0, stream>>>(w); });
}

static void ways_of_memory(const char *tag, cudaStream_t stream, cudaEvent_t event)
{
	char *d_a, *d_b, *d_other, *h;
	int gpus = 0;
	cudaEvent_t other;
	cudaStream_t there;

	MUST(cudaMalloc((void **)&d_a, 1 << 20));
	MUST(cudaMalloc((void **)&d_b, 1 << 20));
	MUST(cudaMallocHost((void **)&h, 1 << 20));
	way(tag, "memset 4", stream, [=](int) { cudaMemsetAsync(d_a, 0, 4, stream); });
	way(tag, "memset 64 KiB", stream, [=](int) { cudaMemsetAsync(d_a, 0, 65536, stream); });
	way(tag, "d2d 64 KiB", stream,
	    [=](int) { cudaMemcpyAsync(d_a, d_b, 65536, cudaMemcpyDeviceToDevice, stream); });
	way(tag, "h2d 64 KiB", stream,
	    [=](int) { cudaMemcpyAsync(d_a, h, 65536, cudaMemcpyHostToDevice, stream); });
	way(tag, "d2h 64 KiB", stream,
	    [=](int) { cudaMemcpyAsync(h, d_a, 65536, cudaMemcpyDeviceToHost, stream); });
	MUST(cudaEventRecord(event, stream));
	way(tag, "wait, done", stream, [=](int) { cudaStreamWaitEvent(stream, event, 0); });
	MUST(cudaGetDeviceCount(&gpus));
	if (gpus < 2)
		return;
	MUST(cudaSetDevice(1));
	MUST(cudaMalloc((void **)&d_other, 1 << 20));
	MUST(cudaStreamCreate(&there));
	MUST(cudaEventCreateWithFlags(&other, cudaEventDisableTiming));
	MUST(cudaDeviceEnablePeerAccess(0, 0));
	MUST(cudaSetDevice(0));
	MUST(cudaDeviceEnablePeerAccess(1, 0));
	way(tag, "peer 64 KiB", stream,
	    [=](int) { cudaMemcpyAsync(d_other, d_b, 65536, cudaMemcpyDeviceToDevice, stream); });
	way(tag, "peer, wait other", stream, [=](int) {
		cudaMemcpyAsync(d_other, d_b, 65536, cudaMemcpyDeviceToDevice, stream);
		cudaEventRecord(event, stream);
		cudaStreamWaitEvent(there, event, 0);
		cudaEventRecord(other, there);
		cudaStreamWaitEvent(stream, other, 0);
	});
	way(tag, "set devices", stream, [=](int i) { cudaSetDevice(i & 1); });
	MUST(cudaSetDevice(0));
}

int main(int count, char **word)
{
	const char *tag = count > 1 ? word[1] : "-";
	int windows = count > 2 ? atoi(word[2]) : 20;
	double begin_ns = now_ns();
	cudaStream_t stream, more[4];
	cudaEvent_t event;
	int *h_go;

	if (count > 3 && !dlopen(word[3], RTLD_NOW | RTLD_GLOBAL)) {
		printf("%s\n", dlerror());
		return 1;
	}
	next_place.resize(1 << 22);
	for (size_t i = 0; i < next_place.size(); i++)
		next_place[i] = (uint32_t)((i * 2654435761u + 12345) % next_place.size());
	MUST(cudaSetDevice(0));
	MUST(cudaHostAlloc((void **)&h_go, sizeof(int), cudaHostAllocMapped));
	go = h_go;
	MUST(cudaStreamCreate(&stream));
	MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	for (cudaStream_t &s : more)
		MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	bare<<<1, 32, 0, stream>>>();
	MUST(cudaDeviceSynchronize());
	for (int half = 0; half < 2; half++) {
		for (int i = 0; i < windows; i++)
			window(tag, begin_ns, stream, event);
		if (!half)
			usleep(120000);
	}
	way(tag, "blocking", stream, [=](int) { bare<<<1, 32, 0, stream>>>(); });
	way(tag, "nonblocking", more[0], [=](int) { bare<<<1, 32, 0, more[0]>>>(); });
	way(tag, "legacy", 0, [](int) { bare<<<1, 32>>>(); });
	way(tag, "132 x 1024", stream, [=](int) { bare<<<132, 1024, 0, stream>>>(); });
	way(tag, "shared 32 KiB", stream, [=](int) { bare<<<1, 32, 32768, stream>>>(); });
	way(tag, "two kernels", stream, [=](int i) {
		if (i & 1)
			bare<<<1, 32, 0, stream>>>();
		else
			other<<<1, 32, 0, stream>>>();
	});
	way(tag, "2 streams", more[0], [=](int i) { bare<<<1, 32, 0, more[i & 1]>>>(); });
	way(tag, "4 streams", more[0], [=](int i) { bare<<<1, 32, 0, more[i & 3]>>>(); });
	way(tag, "and a record", stream, [=](int) {
		bare<<<1, 32, 0, stream>>>();
		cudaEventRecord(event, stream);
	});
	way(tag, "a record", stream, [=](int) { cudaEventRecord(event, stream); });
	way(tag, "2 streams, wait", more[0], [=](int i) {
		bare<<<1, 32, 0, more[i & 1]>>>();
		cudaEventRecord(event, more[i & 1]);
		cudaStreamWaitEvent(more[!(i & 1)], event, 0);
	});
	way(tag, "set device", stream, [=](int) {
		cudaSetDevice(0);
		bare<<<1, 32, 0, stream>>>();
	});
	way(tag, "last error", stream, [=](int) {
		bare<<<1, 32, 0, stream>>>();
		cudaGetLastError();
	});
	way_words<2>(tag, stream);
	ways_of_memory(tag, stream, event);
	way_words<8>(tag, stream);
	way_words<16>(tag, stream);
	way_words<32>(tag, stream);
	way_words<128>(tag, stream);
	return 0;
}
