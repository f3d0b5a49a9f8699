/* SPDX-License-Identifier: MIT
 * What products of matrices in FP64 (DMMA.884) take of the pipe of FP64: one by one, in several
 * chains, and with so many DFMA behind each (docs/lab/kernels.md).
 *
 *     gpu_products        a table: chains of a warp, DFMA a product, warps a multiprocessor, cycles
 * of a sub-partition a product with what is behind it
 */
#include <cstdio>
#include <cuda_runtime.h>

#include "cuda_try.h"

enum { BODY = 16, ROUNDS = 64, SUB_PARTITIONS = 4, RUNS = 3 };

template <int CHAINS, int ADDED>
__global__ void products(double *out, long long *cycles, double a, double b)
{
	double x[CHAINS][2], y[8];

	for (int k = 0; k < CHAINS; k++)
		x[k][0] = x[k][1] = threadIdx.x + k;
	for (int k = 0; k < 8; k++)
		y[k] = threadIdx.x * k;
	__syncthreads();
	const long long begin = clock64();
	for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
		for (int i = 0; i < BODY; i++) {
			double *to = x[i % CHAINS];

			asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, "
				     "{%2}, {%3}, "
				     "{%0,%1};"
				     : "+d"(to[0]), "+d"(to[1])
				     : "d"(a), "d"(b));
#pragma unroll
			for (int k = 0; k < ADDED; k++)
				asm volatile("fma.rn.f64 %0, %0, %1, %2;"
					     : "+d"(y[(i * ADDED + k) % 8])
					     : "d"(a), "d"(b));
		}
	}
	__syncthreads();
	const long long end = clock64();
	double sum = 0;
	for (int k = 0; k < CHAINS; k++)
		sum += x[k][0] + x[k][1];
	for (int k = 0; k < 8; k++)
		sum += y[k];
	if (sum == 0.123)
		out[0] = sum;
	if (!threadIdx.x)
		cycles[blockIdx.x] = end - begin;
}

static struct {
	double *out;
	long long *cycles;
	int multiprocessors;
} d;

template <int CHAINS, int ADDED> static void table_row(int warps)
{
	const double a_partition = (warps + SUB_PARTITIONS - 1) / SUB_PARTITIONS;
	long long cycles;

	for (int i = 0; i < RUNS; i++) /* the first fetch the code */
		products<CHAINS, ADDED><<<(unsigned)d.multiprocessors, (unsigned)(32 * warps)>>>(
			d.out, d.cycles, 1.0, 0.5);
	TRY(cudaMemcpy(&cycles, d.cycles, sizeof(cycles), cudaMemcpyDeviceToHost));
	printf("%d\t%d\t%d\t%.2f\n", CHAINS, ADDED, warps,
	       (double)cycles / (BODY * ROUNDS) / a_partition);
}

int main(void)
{
	TRY(cudaDeviceGetAttribute(&d.multiprocessors, cudaDevAttrMultiProcessorCount, 0));
	TRY(cudaMalloc(&d.out, sizeof(*d.out)));
	TRY(cudaMalloc(&d.cycles, (size_t)d.multiprocessors * sizeof(*d.cycles)));
	printf("chains\tdfma\twarps\tcycles\n");
	for (int warps : { 1, 4, 8, 16, 32 }) {
		table_row<1, 0>(warps);
		table_row<2, 0>(warps);
		table_row<4, 0>(warps);
		table_row<4, 2>(warps);
		table_row<4, 4>(warps);
		table_row<4, 8>(warps);
		table_row<4, 16>(warps);
	}
	return 0;
}
