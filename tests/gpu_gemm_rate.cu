/* SPDX-License-Identifier: MIT
 * What cuBLAS makes of a product of doubles in the shape of block relaxation: a square matrix of
 * ROWS rows times one of ROWS rows and so many columns, on random values. A line each, medians:
 *
 *     rows  columns  us  flop_per_s
 *
 *     gpu_gemm_rate [ROWS [COLUMNS...]]
 *
 * Ends with 1 where there is no cuBLAS.
 */
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_try.h"
#include "kernels/patches/patches_cublas.cuh"

enum { REPEATS = 11, LAUNCHES_MOST = 20 };

static __global__ void fill(double *to, int64_t count)
{
	const int64_t step = (int64_t)gridDim.x * blockDim.x;

	for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < count; k += step)
		to[k] = (double)((k * 2654435761u + 12345) % 1000003) / 1000003 - 0.5;
}

static double time_us(const struct cublas *cublas, void *handle, int rows, int columns,
		      const double *a, const double *b, double *c)
{
	const double one = 1, zero = 0;
	const int launches = std::clamp(200000 / columns, 2, (int)LAUNCHES_MOST);
	cudaEvent_t begin, end;
	float ms[REPEATS];

	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	for (int r = -1; r < REPEATS; r++) {
		TRY(cudaEventRecord(begin));
		for (int k = 0; k < launches; k++)
			if (cublas->dgemm(handle, CUBLAS_PLAIN, CUBLAS_PLAIN, rows, columns, rows,
					  &one, a, rows, b, rows, &zero, c, rows)) {
				fprintf(stderr, "gpu_gemm_rate: cublasDgemm failed\n");
				exit(1);
			}
		TRY(cudaEventRecord(end));
		TRY(cudaEventSynchronize(end));
		if (r >= 0)
			TRY(cudaEventElapsedTime(&ms[r], begin, end));
	}
	std::sort(ms, ms + REPEATS);
	return 1000.0 * ms[REPEATS / 2] / launches;
}

int main(int argc, char **argv)
{
	static const int usual[] = { 512, 1024, 2048, 4096, 8192, 16384, 49152 };
	const int rows = argc > 1 ? atoi(argv[1]) : 512,
		  count = argc > 2 ? argc - 2 : (int)(sizeof(usual) / sizeof(usual[0]));
	const struct cublas cublas = cublas_load();
	void *handle;

	if (!cublas.create || !cublas.dgemm || cublas.create(&handle)) {
		fprintf(stderr, "gpu_gemm_rate: no cuBLAS\n");
		return 1;
	}
	printf("rows\tcolumns\tus\tflop_per_s\n");
	for (int k = 0; k < count; k++) {
		const int columns = argc > 2 ? atoi(argv[2 + k]) : usual[k];
		double *a, *b, *c;

		if (rows < 1 || columns < 1) {
			fprintf(stderr, "usage: gpu_gemm_rate [ROWS [COLUMNS...]]\n");
			return 2;
		}
		TRY(cudaMalloc(&a, sizeof(double) * rows * rows));
		TRY(cudaMalloc(&b, sizeof(double) * rows * columns));
		TRY(cudaMalloc(&c, sizeof(double) * rows * columns));
		fill<<<1024, 256>>>(a, (int64_t)rows * rows);
		fill<<<1024, 256>>>(b, (int64_t)rows * columns);
		const double us = time_us(&cublas, handle, rows, columns, a, b, c);
		printf("%d\t%d\t%.3f\t%.4g\n", rows, columns, us, 2e6 * rows * rows * columns / us);
		TRY(cudaFree(a));
		TRY(cudaFree(b));
		TRY(cudaFree(c));
	}
	return 0;
}
