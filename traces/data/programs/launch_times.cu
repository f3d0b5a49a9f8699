/* SPDX-License-Identifier: MIT
 * How long the kernels of a program last, untraced: a library to preload into a program whose CUDA
 * runtime is shared (nvcc -cudart shared). The first launch of a shape (kernel, grid, block,
 * dynamic shared memory) is made as it is, then again and again, back to back, while the stream is
 * held by a kernel that waits for the host: TIMES rounds, each between two events. What the program
 * computes is wrong from then on where a launch builds on what it did before.
 * A line a shape into LAUNCH_TIMES: name, grid, block, shared bytes, launches a round, median,
 * least and most ns of a launch.
 *
 *     nvcc -O2 -arch=sm_90 -cudart shared -shared -Xcompiler -fPIC -o launch_times.so \
 *             traces/data/programs/launch_times.cu -ldl
 *     LAUNCH_TIMES=out.tsv LD_PRELOAD=./launch_times.so ./program
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <cuda_runtime.h>

static const int TIMES = 12;
static const double ROUND_NS = 1.5e6, WARM_NS = 15e6;

typedef cudaError_t launch_fn(const void *, dim3, dim3, void **, size_t, cudaStream_t);
static thread_local bool own;

__global__ void hold(volatile int *go)
{
	while (!*go)
		;
}

struct timed {
	launch_fn *launch;
	const void *kernel;
	dim3 grid, block;
	void **arguments;
	size_t shared;
	cudaStream_t stream;
	cudaEvent_t begin, end;
	volatile int *go;

	double round(int launches) /* ns a launch */
	{
		float ms = 0;

		*go = 0;
		hold<<<1, 1, 0, stream>>>((volatile int *)go);
		cudaEventRecord(begin, stream);
		for (int i = 0; i < launches; i++)
			launch(kernel, grid, block, arguments, shared, stream);
		cudaEventRecord(end, stream);
		*go = 1;
		cudaEventSynchronize(end);
		cudaEventElapsedTime(&ms, begin, end);
		return (double)ms * 1e6 / launches;
	}
};

static void measure(struct timed t, FILE *out, const char *name)
{
	std::vector<double> ns;
	double one;
	int launches;

	one = t.round(1);
	one = t.round(4);
	launches = (int)std::max(2.0, std::min(64.0, ROUND_NS / one));
	for (double spent = 0; spent < WARM_NS; spent += launches * one)
		one = t.round(launches);
	for (int i = 0; i < TIMES; i++)
		ns.push_back(t.round(launches));
	std::sort(ns.begin(), ns.end());
	fprintf(out, "%s\t%u,%u,%u\t%u,%u,%u\t%zu\t%d\t%.0f\t%.0f\t%.0f\n", name, t.grid.x,
		t.grid.y, t.grid.z, t.block.x, t.block.y, t.block.z, t.shared, launches,
		(ns[TIMES / 2 - 1] + ns[TIMES / 2]) / 2, ns[0], ns[TIMES - 1]);
	fflush(out);
}

static void seen(launch_fn *launch, const void *kernel, dim3 grid, dim3 block, void **arguments,
		 size_t shared, cudaStream_t stream)
{
	static std::mutex one_at_a_time;
	static std::set<std::string> done;
	static FILE *out;
	static int *go;
	struct timed t = {
		launch, kernel, grid, block, arguments, shared, stream, NULL, NULL, NULL
	};
	cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
	const char *name = "?";
	char shape[128];

	if (own || !getenv("LAUNCH_TIMES"))
		return;
	snprintf(shape, sizeof(shape), "%p %u,%u,%u %u,%u,%u %zu", kernel, grid.x, grid.y, grid.z,
		 block.x, block.y, block.z, shared);
	std::lock_guard<std::mutex> lock(one_at_a_time);
	if (done.count(shape) || cudaStreamIsCapturing(stream, &capturing) != cudaSuccess ||
	    capturing != cudaStreamCaptureStatusNone)
		return;
	done.insert(shape);
	own = true;
	if (!out)
		out = fopen(getenv("LAUNCH_TIMES"), "w");
	if (out && (go || cudaMallocHost(&go, sizeof(*go)) == cudaSuccess)) {
		t.go = go;
		cudaDeviceSynchronize();
		cudaEventCreate(&t.begin);
		cudaEventCreate(&t.end);
		if (cudaFuncGetName(&name, kernel) != cudaSuccess) {
			cudaGetLastError();
			name = "?";
		}
		measure(t, out, name);
		cudaEventDestroy(t.begin);
		cudaEventDestroy(t.end);
		if (cudaGetLastError() != cudaSuccess)
			fprintf(stderr, "launch_times: %s failed\n", name);
	}
	own = false;
}

template <const char *const &NAME>
static cudaError_t pass_on(const void *kernel, dim3 grid, dim3 block, void **arguments,
			   size_t shared, cudaStream_t stream)
{
	static launch_fn *real = (launch_fn *)dlsym(RTLD_NEXT, NAME);
	cudaError_t error = real(kernel, grid, block, arguments, shared, stream);

	if (error == cudaSuccess)
		seen(real, kernel, grid, block, arguments, shared, stream);
	return error;
}

static const char *const BY_SYMBOL = "cudaLaunchKernel", *const BY_HANDLE = "__cudaLaunchKernel";

extern "C" cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
					size_t shared, cudaStream_t stream)
{
	return pass_on<BY_SYMBOL>(kernel, grid, block, arguments, shared, stream);
}

extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
					  void **arguments, size_t shared, cudaStream_t stream)
{
	return pass_on<BY_HANDLE>((const void *)kernel, grid, block, arguments, shared, stream);
}
