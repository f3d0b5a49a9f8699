/* SPDX-License-Identifier: MIT
 * A program of several GPUs that knows nothing of warpreel: heat in three dimensions, slabs of a
 * cube on the GPUs, one host thread. Each step computes a slab's two border planes on one stream,
 * which then copies them to its neighbours, and the inside on another. The result is held against
 * one GPU's.
 *
 *     nvcc -arch=sm_90 -O2 -cudart shared -o halo3d halo3d.cu
 *     halo3d POINTS STEPS [TIMES]        a line "core_us" each, and an NVTX range "core"
 */
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <vector>

enum { GPUS_MOST = 8 };

static void must(int result, int line)
{
	if (!result)
		return;
	fprintf(stderr, "halo3d: line %d: %d\n", line, result);
	exit(1);
}
#define MUST(call) must((int)(call), __LINE__)

/* Planes first <= z < end of a slab that has one plane of its neighbours' on either side. */
__global__ static void step(float *to, const float *from, int n, int first, int end)
{
	const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x),
		  y = (int)(blockIdx.y * blockDim.y + threadIdx.y), z = first + (int)blockIdx.z;
	const size_t row = (size_t)n, plane = row * row,
		     i = (size_t)z * plane + (size_t)y * row + (size_t)x;

	if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1 || z >= end)
		return;
	to[i] = from[i] + 0.1f * (from[i - 1] + from[i + 1] + from[i - row] + from[i + row] +
				  from[i - plane] + from[i + plane] - 6 * from[i]);
}

struct slab {
	int planes; /* of its own, 1 to planes */
	float *d_old, *d_new;
	cudaStream_t inside, border;
	cudaEvent_t inside_done, border_done;
};

static void launch(struct slab *s, cudaStream_t stream, int n, int first, int end)
{
	const dim3 block(32, 8),
		grid((unsigned)(n + 31) / 32, (unsigned)(n + 7) / 8, (unsigned)(end - first));

	if (end > first)
		step<<<grid, block, 0, stream>>>(s->d_new, s->d_old, n, first, end);
	MUST(cudaGetLastError());
}

static void run(struct slab *slab, int gpus, int n, int steps)
{
	const size_t plane = (size_t)n * (size_t)n, bytes = plane * sizeof(float);

	for (int k = 0; k < steps; k++) {
		for (int g = 0; g < gpus; g++) { /* what neighbours copied here in the last step */
			MUST(cudaSetDevice(g));
			MUST(cudaStreamWaitEvent(slab[g].border, slab[g].inside_done, 0));
			for (int d = -1; d <= 1; d += 2)
				if (g + d >= 0 && g + d < gpus) {
					cudaEvent_t done = slab[g + d].border_done;

					MUST(cudaStreamWaitEvent(slab[g].border, done, 0));
					MUST(cudaStreamWaitEvent(slab[g].inside, done, 0));
				}
		}
		for (int g = 0; g < gpus; g++) {
			struct slab *s = &slab[g];

			MUST(cudaSetDevice(g));
			launch(s, s->border, n, 1, 2);
			launch(s, s->border, n, s->planes, s->planes + 1);
			launch(s, s->inside, n, 2, s->planes);
			if (g)
				MUST(cudaMemcpyPeerAsync(
					slab[g - 1].d_new +
						(size_t)(slab[g - 1].planes + 1) * plane,
					g - 1, s->d_new + plane, g, bytes, s->border));
			if (g + 1 < gpus)
				MUST(cudaMemcpyPeerAsync(slab[g + 1].d_new, g + 1,
							 s->d_new + (size_t)s->planes * plane, g,
							 bytes, s->border));
			MUST(cudaEventRecord(s->border_done, s->border));
			MUST(cudaEventRecord(s->inside_done, s->inside));
			MUST(cudaStreamWaitEvent(s->inside, s->border_done, 0));
		}
		for (int g = 0; g < gpus; g++)
			std::swap(slab[g].d_old, slab[g].d_new);
	}
	for (int g = 0; g < gpus; g++) {
		MUST(cudaSetDevice(g));
		MUST(cudaDeviceSynchronize());
	}
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* The cube after `steps`, from the same start, on so many GPUs. */
static std::vector<float> cube(int gpus, int n, int steps, int times)
{
	const size_t plane = (size_t)n * (size_t)n;
	struct slab slab[GPUS_MOST] = {};
	std::vector<float> start(plane * (size_t)n), end(start.size());
	int first = 0;

	for (size_t i = 0; i < start.size(); i++)
		start[i] = (float)(i * 2654435761u % 1000);
	for (int g = 0; g < gpus; g++) {
		struct slab *s = &slab[g];

		MUST(cudaSetDevice(g));
		for (int other = 0; other < gpus; other++)
			if (other != g)
				MUST(cudaDeviceEnablePeerAccess(other, 0));
		s->planes = (n - 2) * (g + 1) / gpus - (n - 2) * g / gpus;
		const size_t bytes = (size_t)(s->planes + 2) * plane * sizeof(float);
		MUST(cudaMalloc(&s->d_old, bytes));
		MUST(cudaMalloc(&s->d_new, bytes));
		MUST(cudaStreamCreate(&s->inside));
		MUST(cudaStreamCreate(&s->border));
		MUST(cudaEventCreateWithFlags(&s->inside_done, cudaEventDisableTiming));
		MUST(cudaEventCreateWithFlags(&s->border_done, cudaEventDisableTiming));
	}
	for (int k = 0; k < times; k++) {
		first = 0;
		for (int g = 0; g < gpus; first += slab[g++].planes) {
			const size_t bytes = (size_t)(slab[g].planes + 2) * plane * sizeof(float);

			MUST(cudaSetDevice(g));
			MUST(cudaMemcpy(slab[g].d_old, start.data() + (size_t)first * plane, bytes,
					cudaMemcpyHostToDevice));
			MUST(cudaMemcpy(slab[g].d_new, slab[g].d_old, bytes,
					cudaMemcpyDeviceToDevice));
			MUST(cudaDeviceSynchronize());
		}
		const double begin_us = now_us();
		if (gpus > 1)
			nvtxRangePushA("core");
		run(slab, gpus, n, steps);
		if (gpus > 1) {
			nvtxRangePop();
			printf("core_us %.1f\n", now_us() - begin_us);
		}
	}
	end = start;
	first = 0;
	for (int g = 0; g < gpus; first += slab[g++].planes) {
		MUST(cudaSetDevice(g));
		MUST(cudaMemcpy(end.data() + (size_t)(first + 1) * plane, slab[g].d_old + plane,
				(size_t)slab[g].planes * plane * sizeof(float),
				cudaMemcpyDeviceToHost));
		MUST(cudaFree(slab[g].d_old));
		MUST(cudaFree(slab[g].d_new));
	}
	return end;
}

int main(int argc, char **argv)
{
	int gpus, n = argc > 1 ? atoi(argv[1]) : 0, steps = argc > 2 ? atoi(argv[2]) : 0,
		  times = argc > 3 ? atoi(argv[3]) : 1;

	if (n < 32 || steps < 1 || times < 1)
		return fprintf(stderr, "usage: halo3d POINTS STEPS [TIMES]\n"), 2;
	MUST(cudaGetDeviceCount(&gpus));
	gpus = gpus > GPUS_MOST ? GPUS_MOST : gpus;
	const std::vector<float> all = cube(gpus, n, steps, times), one = cube(1, n, steps, 1);
	size_t wrong = 0;
	for (size_t i = 0; i < all.size(); i++)
		wrong += all[i] != one[i];
	if (wrong)
		return fprintf(stderr, "halo3d: %zu points differ\n", wrong), 1;
	puts("right");
	return 0;
}
