/* SPDX-License-Identifier: MIT
 * What it takes to see a neighbour's flag inside a launch, what the texture units take, and what it
 * costs to bind a texture: the calls alone, in a loop of launches as kernel texture of red-black
 * SOR makes them, and on the device (docs/lab/passes.md, "Flags of neighbours, and textures").
 *
 *     gpu_flags       a table, a row each: what, its parameters, the median of 9
 */
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#define TRY(call)                                                                                  \
	do {                                                                                       \
		const cudaError_t error = (call);                                                  \
		if (error != cudaSuccess) {                                                        \
			fprintf(stderr, "gpu_flags: %s: %s\n", #call, cudaGetErrorString(error));  \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

enum { REPEATS = 9, THREADS = 256, LINE_WORDS = 32 };

static double median(std::vector<double> values)
{
	std::sort(values.begin(), values.end());
	return values[values.size() / 2];
}

/* ---- flags ---- */

struct meeting {
	uint32_t *d_flags;
	uint32_t before; /* rounds of launches before */
	int across, words /* from flag to flag */, warps /* that look */, rounds,
		stored /* words */;
	uint32_t *d_border; /* of each block THREADS words */
};

/* Blocks in rows of `across`; each tells that it has come and waits for the eight around it. */
__global__ void __launch_bounds__(THREADS) meet(const meeting m)
{
	const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x / 32,
		  down = (int)gridDim.x / m.across;
	const int x = (int)blockIdx.x % m.across + lane % 3 - 1,
		  y = (int)blockIdx.x / m.across + lane / 3 - 1;
	const bool looks =
		warp < m.warps && lane < 9 && x >= 0 && x < m.across && y >= 0 && y < down;
	uint32_t *neighbour = m.d_flags + (looks ? y * m.across + x : 0) * m.words;

	for (int k = 1; k <= m.rounds; k++) {
		const uint32_t value = m.before + (uint32_t)k;

		if ((int)threadIdx.x < m.stored)
			m.d_border[blockIdx.x * THREADS + threadIdx.x] = value;
		__syncthreads();
		if (threadIdx.x == 0)
			__nv_atomic_store(m.d_flags + blockIdx.x * (uint32_t)m.words, &value,
					  __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
		if (looks) {
			uint32_t seen;

			do {
				__nv_atomic_load(neighbour, &seen, __NV_ATOMIC_ACQUIRE,
						 __NV_THREAD_SCOPE_DEVICE);
			} while ((int32_t)(seen - value) < 0);
		}
		__syncthreads();
	}
}

/* A round, ns: the longer launch less the shorter. */
static void flags(int across, int down, int words, int warps, int stored)
{
	enum { SHORT = 100, LONG = 1100 };
	const int blocks = across * down;
	std::vector<double> rounds_ns;
	meeting m = { nullptr, 0, across, words, warps, 0, stored, nullptr };
	cudaEvent_t begin, end;

	TRY(cudaMalloc(&m.d_flags, (size_t)blocks * LINE_WORDS * 4));
	TRY(cudaMemset(m.d_flags, 0, (size_t)blocks * LINE_WORDS * 4));
	TRY(cudaMalloc(&m.d_border, (size_t)blocks * THREADS * 4));
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	for (int repeat = 0; repeat < REPEATS; repeat++) {
		float ms[2];

		for (int which = 0; which < 2; which++) {
			void *arguments[] = { &m };

			m.rounds = which ? LONG : SHORT;
			TRY(cudaEventRecord(begin));
			TRY(cudaLaunchCooperativeKernel(meet, dim3((unsigned)blocks), dim3(THREADS),
							arguments, 0, (cudaStream_t)0));
			TRY(cudaEventRecord(end));
			TRY(cudaEventSynchronize(end));
			TRY(cudaEventElapsedTime(&ms[which], begin, end));
			m.before += (uint32_t)m.rounds;
		}
		rounds_ns.push_back((ms[1] - ms[0]) * 1e6 / (LONG - SHORT));
	}
	printf("flag\t%d blocks in rows of %d, %d bytes apart, %d warps look, %d words "
	       "stored\t%.1f ns a round\n",
	       blocks, across, 4 * words, warps, stored, median(rounds_ns));
	TRY(cudaFree(m.d_flags));
	TRY(cudaFree(m.d_border));
	TRY(cudaEventDestroy(begin));
	TRY(cudaEventDestroy(end));
}

/* ---- textures ---- */

enum { TEXELS = 1024 /* 16 KiB at most: L1 has them */, FETCHES = 1024, WARPS = 32 };

template <typename T> static __device__ float first_of(T texel)
{
	return (float)texel.x;
}
static __device__ float first_of(float texel)
{
	return texel;
}

template <typename T>
__global__ void __launch_bounds__(32 * WARPS)
	fetch(cudaTextureObject_t texture, long long *d_cycles, float *d_out)
{
	float sum = 0;

	for (int k = (int)threadIdx.x; k < TEXELS; k += 32 * WARPS)
		sum += first_of(tex1Dfetch<T>(texture, k));
	__syncthreads();
	const long long begin = clock64();
#pragma unroll 8
	for (int k = 0; k < FETCHES; k++)
		sum += first_of(tex1Dfetch<T>(texture, ((int)threadIdx.x + 32 * k) & (TEXELS - 1)));
	__syncthreads();
	if (threadIdx.x == 0)
		*d_cycles = clock64() - begin;
	d_out[threadIdx.x] = sum;
}

static cudaTextureObject_t bind(void *d_texels, size_t bytes, cudaChannelFormatDesc desc)
{
	cudaTextureObject_t texture;
	cudaResourceDesc memory;
	cudaTextureDesc how;

	memset(&memory, 0, sizeof(memory));
	memset(&how, 0, sizeof(how));
	memory.resType = cudaResourceTypeLinear;
	memory.res.linear.devPtr = d_texels;
	memory.res.linear.desc = desc;
	memory.res.linear.sizeInBytes = bytes;
	how.readMode = cudaReadModeElementType;
	TRY(cudaCreateTextureObject(&texture, &memory, &how, NULL));
	return texture;
}

template <typename T> static void texels(const char *name)
{
	std::vector<double> cycles;
	long long *d_cycles, h_cycles;
	float *d_out;
	T *d_texels;

	TRY(cudaMalloc(&d_texels, TEXELS * sizeof(T)));
	TRY(cudaMemset(d_texels, 0, TEXELS * sizeof(T)));
	TRY(cudaMalloc(&d_cycles, sizeof(*d_cycles)));
	TRY(cudaMalloc(&d_out, 32 * WARPS * sizeof(*d_out)));
	const cudaTextureObject_t texture =
		bind(d_texels, TEXELS * sizeof(T), cudaCreateChannelDesc<T>());
	for (int repeat = 0; repeat < REPEATS; repeat++) {
		fetch<T><<<1, 32 * WARPS>>>(texture, d_cycles, d_out);
		TRY(cudaMemcpy(&h_cycles, d_cycles, sizeof(h_cycles), cudaMemcpyDeviceToHost));
		cycles.push_back((double)h_cycles / FETCHES / WARPS);
	}
	printf("texture_interval\t%s, %d warps, side by side, in L1\t%.3f cycles a warp's load\n",
	       name, WARPS, median(cycles));
	TRY(cudaDestroyTextureObject(texture));
	TRY(cudaFree(d_texels));
	TRY(cudaFree(d_cycles));
	TRY(cudaFree(d_out));
}

static double ns_since(std::chrono::steady_clock::time_point begin)
{
	return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin)
		.count();
}

/* As kernel texture of red-black SOR has it: many are bound before the first is given back. */
static void host_calls(void)
{
	enum { CALLS = 256 };
	std::vector<double> create, destroy;
	float *d_texels;

	TRY(cudaMalloc(&d_texels, 1 << 24));
	for (int repeat = 0; repeat < REPEATS; repeat++) {
		cudaTextureObject_t made[CALLS];
		auto begin = std::chrono::steady_clock::now();

		for (cudaTextureObject_t &one : made)
			one = bind(d_texels, 1 << 24, cudaCreateChannelDesc<float>());
		create.push_back(ns_since(begin) / CALLS);
		begin = std::chrono::steady_clock::now();
		for (cudaTextureObject_t one : made)
			TRY(cudaDestroyTextureObject(one));
		destroy.push_back(ns_since(begin) / CALLS);
	}
	printf("cudaCreateTextureObject\t16 MiB\t%.0f ns\ncudaDestroyTextureObject\t16 MiB\t%.0f "
	       "ns\n",
	       median(create), median(destroy));
	TRY(cudaFree(d_texels));
}

/* ---- launches through textures ---- */

/* What a launch reads through: no texture, one for all launches, sixteen in turn, one made before
 * each launch; or one is made that no launch reads, or an event recorded, which is a call too. */
enum binding { NONE, ONE, TURNS, ANEW, UNREAD, EVENT, BINDINGS };
static const char *const binding_name[BINDINGS] = {
	"no texture",	   "one for all",	  "sixteen in turn",
	"one each launch", "made but never read", "no texture, an event each",
};

/* Each block loads once, by its first warp; stores the cycles of a first and of a second load. */
__global__ void touch(cudaTextureObject_t texture, const float *d_texels, int *d_cycles)
{
	const int at = (int)(blockIdx.x * 1024 + threadIdx.x);
	const long long begin = clock64();
	float sum = texture ? tex1Dfetch<float>(texture, at) : d_texels[at];

	if (sum != 0) /* never: waits for the load */
		d_cycles[0] = 0;
	const long long middle = clock64();

	sum = texture ? tex1Dfetch<float>(texture, at + 256) : d_texels[at + 256];
	if (sum != 0)
		d_cycles[0] = 0;
	if (threadIdx.x == 0) {
		d_cycles[2 * blockIdx.x] = (int)(middle - begin);
		d_cycles[2 * blockIdx.x + 1] = (int)(clock64() - middle);
	}
}

/* Launches one after the other: us a launch as the host gives them, and as the device ends them;
 * in the last one cycles of a block's first and second load, means. */
static void bindings(enum binding how)
{
	enum { LAUNCHES = 512, BLOCKS = 132, TURN = 16, BYTES = 1 << 24 };
	std::vector<double> host_us, device_us, first, second;
	static int h_cycles[2 * BLOCKS];
	int *d_cycles;
	float *d_texels;
	cudaEvent_t begin, end, each;

	TRY(cudaMalloc(&d_texels, BYTES));
	TRY(cudaMemset(d_texels, 0, BYTES));
	TRY(cudaMalloc(&d_cycles, sizeof(h_cycles)));
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	TRY(cudaEventCreateWithFlags(&each, cudaEventDisableTiming));
	for (int repeat = 0; repeat <= REPEATS; repeat++) {
		std::vector<cudaTextureObject_t> made;
		float ms;

		for (int k = 0; k < (how == ONE ? 1 : how == TURNS ? (int)TURN : 0); k++)
			made.push_back(bind(d_texels, BYTES, cudaCreateChannelDesc<float>()));
		TRY(cudaDeviceSynchronize());
		const auto from = std::chrono::steady_clock::now();

		TRY(cudaEventRecord(begin));
		for (int k = 0; k < LAUNCHES; k++) {
			if (how == ANEW || how == UNREAD)
				made.push_back(
					bind(d_texels, BYTES, cudaCreateChannelDesc<float>()));
			if (how == EVENT)
				TRY(cudaEventRecord(each));
			touch<<<BLOCKS, 32>>>(how == NONE || how == UNREAD || how == EVENT ? 0
					      : how == ANEW ? made.back()
							    : made[(size_t)k % made.size()],
					      d_texels, d_cycles);
		}
		const double given_us = ns_since(from) * 1e-3 / LAUNCHES;

		TRY(cudaEventRecord(end));
		TRY(cudaEventSynchronize(end));
		TRY(cudaEventElapsedTime(&ms, begin, end));
		TRY(cudaMemcpy(h_cycles, d_cycles, sizeof(h_cycles), cudaMemcpyDeviceToHost));
		for (cudaTextureObject_t one : made)
			TRY(cudaDestroyTextureObject(one));
		if (!repeat) /* everything's first time */
			continue;
		double sums[2] = { 0, 0 };

		for (int k = 0; k < 2 * BLOCKS; k++)
			sums[k & 1] += h_cycles[k];
		host_us.push_back(given_us);
		device_us.push_back(ms * 1e3 / LAUNCHES);
		first.push_back(sums[0] / BLOCKS);
		second.push_back(sums[1] / BLOCKS);
	}
	printf("texture_launches\t%s\t%.3f us a launch given, %.3f ended, loads %.0f %.0f "
	       "cycles\n",
	       binding_name[how], median(host_us), median(device_us), median(first),
	       median(second));
	TRY(cudaFree(d_texels));
	TRY(cudaFree(d_cycles));
	for (cudaEvent_t event : { begin, end, each })
		TRY(cudaEventDestroy(event));
}

/* The device alone: a graph of launches that read through one texture, or through sixteen. */
static void graphs(enum binding how)
{
	enum { LAUNCHES = 256, BLOCKS = 132, TURN = 16, BYTES = 1 << 24 };
	std::vector<cudaTextureObject_t> made;
	std::vector<double> device_us;
	int *d_cycles;
	float *d_texels, ms;
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t ready;
	cudaEvent_t begin, end;

	TRY(cudaMalloc(&d_texels, BYTES));
	TRY(cudaMemset(d_texels, 0, BYTES));
	TRY(cudaMalloc(&d_cycles, 2 * BLOCKS * sizeof(int)));
	TRY(cudaStreamCreate(&stream));
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	for (int k = 0; k < (how == ONE ? 1 : how == TURNS ? (int)TURN : 0); k++)
		made.push_back(bind(d_texels, BYTES, cudaCreateChannelDesc<float>()));
	TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (int k = 0; k < LAUNCHES; k++)
		touch<<<BLOCKS, 32, 0, stream>>>(made.empty() ? 0 : made[(size_t)k % made.size()],
						 d_texels, d_cycles);
	TRY(cudaStreamEndCapture(stream, &graph));
	TRY(cudaGraphInstantiate(&ready, graph, 0));
	for (int repeat = 0; repeat <= REPEATS; repeat++) {
		TRY(cudaEventRecord(begin, stream));
		TRY(cudaGraphLaunch(ready, stream));
		TRY(cudaEventRecord(end, stream));
		TRY(cudaEventSynchronize(end));
		TRY(cudaEventElapsedTime(&ms, begin, end));
		if (repeat)
			device_us.push_back(ms * 1e3 / LAUNCHES);
	}
	printf("texture_graph\t%s\t%.3f us a launch\n", binding_name[how], median(device_us));
	for (cudaTextureObject_t one : made)
		TRY(cudaDestroyTextureObject(one));
	TRY(cudaGraphExecDestroy(ready));
	TRY(cudaGraphDestroy(graph));
	TRY(cudaStreamDestroy(stream));
	TRY(cudaEventDestroy(begin));
	TRY(cudaEventDestroy(end));
	TRY(cudaFree(d_texels));
	TRY(cudaFree(d_cycles));
}

int main()
{
	static const int shapes[][2] = { { 1, 1 }, { 2, 1 },  { 2, 5 },
					 { 3, 9 }, { 5, 16 }, { 10, 13 } };

	for (const int *shape : shapes)
		for (int words : { 1, (int)LINE_WORDS })
			for (int warps : { 1, 8 })
				for (int stored : { 0, (int)THREADS })
					flags(shape[0], shape[1], words, warps, stored);
	texels<float>("f32");
	texels<float2>("f32x2");
	texels<int2>("s32x2, as f64 is fetched");
	texels<float4>("f32x4");
	host_calls();
	for (int how = 0; how < BINDINGS; how++)
		bindings((enum binding)how);
	for (enum binding how : { NONE, ONE, TURNS })
		graphs(how);
	return 0;
}
