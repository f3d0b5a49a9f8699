/* SPDX-License-Identifier: MIT
 * A program of several GPUs that knows nothing of warpreel: the power method on a dense matrix
 * whose rows are divided, a host thread a GPU. Each step multiplies, sums squares of its part to
 * the host, meets the other threads at a barrier, scales, and copies its part of the vector to all
 * others. The matrix is I + ones / n, whose largest eigenvalue is 2.
 *
 *     nvcc -arch=sm_90 -O2 -cudart shared -o power_threads power_threads.cu -lpthread
 *     power_threads ROWS STEPS [TIMES]   a line "core_us" each, and an NVTX range "core" a thread
 */
#include <cuda_runtime.h>
#include <math.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { GPUS_MOST = 8, THREADS = 256 };

static void must(int result, int line)
{
	if (!result)
		return;
	fprintf(stderr, "power_threads: line %d: %d\n", line, result);
	exit(1);
}
#define MUST(call) must((int)(call), __LINE__)

__global__ static void fill(float *matrix, int rows, int columns, int first)
{
	const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < (size_t)rows * (size_t)columns)
		matrix[i] = 1.0f / (float)columns +
			    ((int)(i / (size_t)columns) + first == (int)(i % (size_t)columns));
}
/* A block a row; the square of its result is added to *squares. */
__global__ static void multiply(float *to, double *squares, const float *matrix, const float *x,
				int columns)
{
	__shared__ float part[THREADS];
	const float *row = matrix + (size_t)blockIdx.x * (size_t)columns;
	float sum = 0;

	for (int i = (int)threadIdx.x; i < columns; i += THREADS)
		sum += row[i] * x[i];
	part[threadIdx.x] = sum;
	for (int half = THREADS / 2; half; half /= 2) {
		__syncthreads();
		if ((int)threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
	}
	if (!threadIdx.x) {
		to[blockIdx.x] = part[0];
		atomicAdd(squares, (double)part[0] * (double)part[0]);
	}
}
__global__ static void scale(float *x, const float *y, float by, int rows)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < rows)
		x[i] = y[i] * by;
}

static struct gpu {
	float *d_matrix, *d_x, *d_y;
	double *d_squares, *h_squares;
	cudaStream_t stream;
} gpu[GPUS_MOST];
static int gpus, n, steps, times;
static double eigenvalue;
static pthread_barrier_t barrier;

static int first_row(int g)
{
	return (int)((long long)n * g / gpus);
}

static void iterate(int g)
{
	struct gpu *of = &gpu[g];
	const int first = first_row(g), rows = first_row(g + 1) - first;

	for (int k = 0; k < steps; k++) {
		double all = 0;

		MUST(cudaMemsetAsync(of->d_squares, 0, sizeof(double), of->stream));
		multiply<<<rows, THREADS, 0, of->stream>>>(of->d_y, of->d_squares, of->d_matrix,
							   of->d_x, n);
		MUST(cudaMemcpyAsync(of->h_squares, of->d_squares, sizeof(double),
				     cudaMemcpyDeviceToHost, of->stream));
		MUST(cudaStreamSynchronize(of->stream));
		pthread_barrier_wait(&barrier);
		for (int other = 0; other < gpus; other++)
			all += *gpu[other].h_squares;
		scale<<<(rows + THREADS - 1) / THREADS, THREADS, 0, of->stream>>>(
			of->d_x + first, of->d_y, (float)(1 / sqrt(all)), rows);
		for (int other = 0; other < gpus; other++)
			if (other != g)
				MUST(cudaMemcpyPeerAsync(gpu[other].d_x + first, other,
							 of->d_x + first, g,
							 (size_t)rows * sizeof(float), of->stream));
		MUST(cudaStreamSynchronize(of->stream));
		if (!g)
			eigenvalue = sqrt(all);
		pthread_barrier_wait(&barrier);
	}
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void *work(void *number)
{
	const int g = (int)(intptr_t)number, rows = first_row(g + 1) - first_row(g);
	const size_t elements = (size_t)rows * (size_t)n;
	struct gpu *of = &gpu[g];

	MUST(cudaSetDevice(g));
	for (int other = 0; other < gpus; other++)
		if (other != g)
			MUST(cudaDeviceEnablePeerAccess(other, 0));
	MUST(cudaStreamCreate(&of->stream));
	MUST(cudaMalloc(&of->d_matrix, elements * sizeof(float)));
	MUST(cudaMalloc(&of->d_x, (size_t)n * sizeof(float)));
	MUST(cudaMalloc(&of->d_y, (size_t)rows * sizeof(float)));
	MUST(cudaMalloc(&of->d_squares, sizeof(double)));
	MUST(cudaMallocHost(&of->h_squares, sizeof(double)));
	fill<<<(unsigned)((elements + THREADS - 1) / THREADS), THREADS, 0, of->stream>>>(
		of->d_matrix, rows, n, first_row(g));
	float *start = (float *)malloc((size_t)n * sizeof(float));
	for (int i = 0; i < n; i++)
		start[i] = (float)(1 / sqrt((double)n)) * (i % 2 ? 1.5f : 0.5f);
	MUST(cudaMemcpy(of->d_x, start, (size_t)n * sizeof(float), cudaMemcpyHostToDevice));
	free(start);
	MUST(cudaDeviceSynchronize());
	for (int k = 0; k < times; k++) {
		pthread_barrier_wait(&barrier);
		const double begin_us = now_us();
		nvtxRangePushA("core");
		iterate(g);
		nvtxRangePop();
		if (!g)
			printf("core_us %.1f\n", now_us() - begin_us);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[GPUS_MOST];

	n = argc > 1 ? atoi(argv[1]) : 0;
	steps = argc > 2 ? atoi(argv[2]) : 0;
	times = argc > 3 ? atoi(argv[3]) : 1;
	if (n < 64 || steps < 1 || times < 1)
		return fprintf(stderr, "usage: power_threads ROWS STEPS [TIMES]\n"), 2;
	MUST(cudaGetDeviceCount(&gpus));
	gpus = gpus > GPUS_MOST ? GPUS_MOST : gpus;
	pthread_barrier_init(&barrier, NULL, (unsigned)gpus);
	for (int g = 0; g < gpus; g++)
		pthread_create(&thread[g], NULL, work, (void *)(intptr_t)g);
	for (int g = 0; g < gpus; g++)
		pthread_join(thread[g], NULL);
	if (fabs(eigenvalue - 2) > 1e-3)
		return fprintf(stderr, "power_threads: %g is not 2\n", eigenvalue), 1;
	puts("right");
	return 0;
}
