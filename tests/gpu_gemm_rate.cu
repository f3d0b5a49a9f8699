/* SPDX-License-Identifier: MIT
 * What cuBLAS makes of a product of doubles in the shape of block relaxation: a square matrix of
 * ROWS rows times one of ROWS rows and so many columns, on random values. A line each, medians:
 *
 *     rows  columns  us  flop_per_s
 *
 *     gpu_gemm_rate [ROWS [COLUMNS...]]
 *
 * cuBLAS is loaded when asked for, as by kernels/patches/patches_gemm.cu.
 */
#include <algorithm>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_try.h"

enum { REPEATS = 11, LAUNCHES_MOST = 20 };

typedef int create_function(void **handle);
typedef int dgemm_function(void *handle, int transpose_a, int transpose_b, int m, int n, int k,
			   const double *alpha, const double *a, int a_stride, const double *b,
			   int b_stride, const double *beta, double *c, int c_stride);

static __global__ void fill(double *to, int64_t count)
{
	const int64_t step = (int64_t)gridDim.x * blockDim.x;

	for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < count; k += step)
		to[k] = (double)((k * 2654435761u + 12345) % 1000003) / 1000003 - 0.5;
}

static double time_us(void *handle, dgemm_function *dgemm, int rows, int columns, const double *a,
		      const double *b, double *c)
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
			if (dgemm(handle, 0, 0, rows, columns, rows, &one, a, rows, b, rows, &zero,
				  c, rows)) {
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
	void *library = dlopen("libcublas.so.13", RTLD_NOW), *handle;

	if (!library)
		library = dlopen("libcublas.so.12", RTLD_NOW);
	create_function *create =
		library ? (create_function *)dlsym(library, "cublasCreate_v2") : NULL;
	dgemm_function *dgemm = library ? (dgemm_function *)dlsym(library, "cublasDgemm_v2") : NULL;
	if (!create || !dgemm || create(&handle)) {
		fprintf(stderr, "gpu_gemm_rate: no cuBLAS: %s\n",
			library ? "no handle" : dlerror());
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
		const double us = time_us(handle, dgemm, rows, columns, a, b, c);
		printf("%d\t%d\t%.3f\t%.4g\n", rows, columns, us, 2e6 * rows * rows * columns / us);
		TRY(cudaFree(a));
		TRY(cudaFree(b));
		TRY(cudaFree(c));
	}
	return 0;
}
