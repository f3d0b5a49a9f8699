/* SPDX-License-Identifier: MIT
 * What a call costs its thread where the device keeps up, where it waits behind a kernel, and in
 * the rhythm of a solver on two GPUs whose host bounds it. Run untraced and recorded in turn: each
 * loop is an NVTX range, so that a recording gives the calls' own records beside the period. A line
 * a loop: name, ns a call (least, median, most of ROUNDS).
 *
 *     nvcc -O2 -std=c++17 -arch=sm_90 -o call_rhythm traces/data/programs/call_rhythm.cu -ldl
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <time.h>
#include <vector>

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#define MUST(call)                                                                                 \
	do {                                                                                       \
		cudaError_t e = (call);                                                            \
		if (e != cudaSuccess) {                                                            \
			printf("line %d: %s\n", __LINE__, cudaGetErrorString(e));                  \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)
enum { ROUNDS = 7, STREAMS = 4 };

__global__ void nothing(float *x, float *y, float *z, int a, int b, int c, bool d)
{
	if (d && a == b)
		*x = *y + *z + (float)c;
}
__global__ void hold(volatile int *go)
{
	while (!*go)
		;
}
static double now(void)
{
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int gpus;
static cudaStream_t stream[2][STREAMS];
static cudaEvent_t event[2][2 * STREAMS];
static float *memory[2];
static volatile int *go;

static void settle(void)
{
	for (int g = 0; g < gpus; g++) {
		MUST(cudaSetDevice(g));
		MUST(cudaDeviceSynchronize());
	}
	MUST(cudaSetDevice(0));
}

/* `calls` calls an iteration. */
static void loop(const char *name, int iterations, int calls, bool held,
		 const std::function<void(int)> &body)
{
	std::vector<double> ns;

	for (int round = 0; round < ROUNDS; round++) {
		settle();
		*go = 0;
		if (held)
			for (int s = 0; s < STREAMS; s++)
				hold<<<1, 1, 0, stream[0][s]>>>((volatile int *)go);
		for (double until = now() + 1e5; now() < until;)
			;
		nvtxRangePushA(name);
		double begin = now();
		for (int i = 0; i < iterations; i++)
			body(i);
		double end = now();
		nvtxRangePop();
		*go = 1;
		ns.push_back((end - begin) / iterations / calls);
	}
	settle();
	std::sort(ns.begin(), ns.end());
	printf("CALL\t%s\t%d\t%.0f\t%.0f\t%.0f\n", name, calls, ns[0], ns[ROUNDS / 2],
	       ns[ROUNDS - 1]);
}

int main(void)
{
	const size_t row = 2048 * sizeof(float);

	MUST(cudaGetDeviceCount(&gpus));
	gpus = std::min(gpus, 2);
	MUST(cudaHostAlloc((void **)&go, sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
	for (int g = 0; g < gpus; g++) {
		MUST(cudaSetDevice(g));
		MUST(cudaMalloc(&memory[g], 1 << 24));
		for (int s = 0; s < STREAMS; s++)
			MUST(cudaStreamCreate(&stream[g][s]));
		for (int s = 0; s < 2 * STREAMS; s++) {
			MUST(cudaEventCreateWithFlags(&event[g][s], cudaEventDisableTiming));
			MUST(cudaEventRecord(event[g][s], stream[g][s % STREAMS]));
		}
		if (gpus > 1)
			MUST(cudaDeviceEnablePeerAccess(!g, 0));
	}
	auto kernel = [&](int g, int s) {
		nothing<<<1, 32, 0, stream[g][s]>>>(memory[g], memory[g], memory[g], 1, 2, 3,
						    false);
	};
	auto copy = [&](int g, int s) {
		MUST(cudaMemcpyAsync(memory[gpus - 1 - g], memory[g] + (1 << 20), row,
				     cudaMemcpyDeviceToDevice, stream[g][s]));
	};
	auto mix = [&](int g, int i, bool kernels, bool copies, bool devices) {
		const int other = gpus - 1 - g;
		if (devices)
			MUST(cudaSetDevice(g));
		MUST(cudaMemsetAsync(memory[g], 0, 4, stream[g][0]));
		MUST(cudaStreamWaitEvent(stream[g][0], event[other][1 + i % 2], 0));
		MUST(cudaStreamWaitEvent(stream[g][0], event[other][3 + i % 2], 0));
		if (kernels)
			kernel(g, 0);
		MUST(cudaGetLastError());
		MUST(cudaEventRecord(event[g][0], stream[g][0]));
		for (int side = 1; side <= 2; side++) {
			MUST(cudaStreamWaitEvent(stream[g][side], event[g][0], 0));
			if (copies)
				copy(g, side);
			MUST(cudaEventRecord(event[g][2 * side - 1 + (i + 1) % 2],
					     stream[g][side]));
		}
	};
	for (int held = 0; held < 2; held++) {
		const char *names[2][6] = {
			{ "launch kept up", "memset kept up", "copy kept up", "record kept up",
			  "wait kept up", "launch of four streams kept up" },
			{ "launch held", "memset held", "copy held", "record held", "wait held",
			  "launch of four streams held" }
		};
		const char *const *name = names[held];

		if (!held) /* the first calls of a recorded process are slower */
			loop("warm", 1500, 1, false, [&](int i) { kernel(0, i % STREAMS); });
		loop(name[0], 400, 1, held, [&](int) { kernel(0, 0); });
		loop(name[5], 400, 1, held, [&](int i) { kernel(0, i % STREAMS); });
		loop(name[1], 400, 1, held,
		     [&](int) { MUST(cudaMemsetAsync(memory[0], 0, 4, stream[0][0])); });
		loop(name[2], 400, 1, held, [&](int i) { copy(0, i % STREAMS); });
		loop(name[3], 400, 1, held, [&](int i) {
			MUST(cudaEventRecord(event[0][i % STREAMS], stream[0][i % STREAMS]));
		});
		loop(name[4], 400, 1, held, [&](int i) {
			MUST(cudaStreamWaitEvent(stream[0][i % STREAMS],
						 event[0][(i + 1) % STREAMS], 0));
		});
	}
	loop("set device", 500, 1, false, [&](int i) { MUST(cudaSetDevice(i % gpus)); });
	loop("last error", 500, 1, false, [&](int) { MUST(cudaGetLastError()); });
	loop("solver, one GPU", 300, 11, false, [&](int i) { mix(0, i, true, true, false); });
	if (gpus > 1) {
		loop("solver, two GPUs", 300, 26, false,
		     [&](int i) { mix(0, i, true, true, true), mix(1, i, true, true, true); });
		loop("solver, no kernels", 300, 24, false,
		     [&](int i) { mix(0, i, false, true, true), mix(1, i, false, true, true); });
		loop("solver, no copies", 300, 22, false,
		     [&](int i) { mix(0, i, true, false, true), mix(1, i, true, false, true); });
		loop("solver, other GPU's streams", 300, 24, false,
		     [&](int i) { mix(0, i, true, true, false), mix(0, i, true, true, false); });
	}
	return 0;
}
