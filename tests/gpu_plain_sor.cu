/* SPDX-License-Identifier: MIT
 * The rates that test_plain_sor.c holds the model against: half-sweeps of plain_sor.cu in four
 * block shapes and two precisions, over a copy of 16 bytes a thread in the same process. One launch
 * between two events, the quickest and the median of REPEATS; `of_copy` is by medians.
 *
 *     gpu_plain_sor [N]     N x N points, a multiple of 256 (16384)
 */
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_try.h"
#include "plain_sor.cu"

enum { WARM_UPS = 100, REPEATS = 11, COPY_THREADS = 256 };
struct times {
	double least_us, median_us;
};

static __global__ void __launch_bounds__(COPY_THREADS)
	copy16(float4 *d_target, const float4 *d_source)
{
	size_t i = static_cast<size_t>(blockIdx.x) * COPY_THREADS + threadIdx.x;
	d_target[i] = d_source[i];
}

template <class Work> static struct times time_of(Work work)
{
	cudaEvent_t begin, end;
	float ms[REPEATS];
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	for (int i = 0; i < WARM_UPS; i++)
		work();
	for (int i = 0; i < REPEATS; i++) {
		TRY(cudaEventRecord(begin));
		work();
		TRY(cudaEventRecord(end));
		TRY(cudaEventSynchronize(end));
		TRY(cudaEventElapsedTime(&ms[i], begin, end));
	}
	TRY(cudaGetLastError());
	TRY(cudaEventDestroy(begin));
	TRY(cudaEventDestroy(end));
	std::sort(ms, ms + REPEATS);
	return (struct times){ 1e3 * static_cast<double>(ms[0]),
			       1e3 * static_cast<double>(ms[REPEATS / 2]) };
}

int main(int argc, char **argv)
{
	static const struct {
		unsigned x, y;
	} blocks[] = { { 32, 8 }, { 32, 32 }, { 128, 1 }, { 128, 8 } };
	const int n = argc > 1 ? atoi(argv[1]) : 16384;
	if (n < 256 || n % 256) {
		fprintf(stderr, "gpu_plain_sor: %d is not a multiple of 256\n", n);
		return 2;
	}
	const size_t points = static_cast<size_t>(n) * static_cast<size_t>(n / 2),
		     bytes = points * sizeof(double);
	void *d_own, *d_other;
	TRY(cudaMalloc(&d_own, bytes));
	TRY(cudaMalloc(&d_other, bytes));
	TRY(cudaMemset(d_own, 0, bytes));
	TRY(cudaMemset(d_other, 0, bytes));
	const struct times copy = time_of([=] {
		copy16<<<static_cast<unsigned>(bytes / 16 / COPY_THREADS), COPY_THREADS>>>(
			static_cast<float4 *>(d_own), static_cast<const float4 *>(d_other));
	});
	const double copied = 2.0 * static_cast<double>(bytes);
	printf("kernel\tblock\tleast_us\tmedian_us\tbytes_per_s\tof_copy\n");
	printf("copy16\t%d\t%.2f\t%.2f\t%.4g\t1\n", COPY_THREADS, copy.least_us, copy.median_us,
	       1e6 * copied / copy.median_us);
	for (const auto &block : blocks)
		for (int width = 4; width <= 8; width += 4) {
			const dim3 threads(block.x, block.y),
				grid(static_cast<unsigned>(n / 2) / block.x,
				     static_cast<unsigned>(n) / block.y);
			const struct times t = time_of([=] {
				if (width == 4)
					plain_sor_f32<<<grid, threads>>>(
						static_cast<float *>(d_own),
						static_cast<const float *>(d_other), n, 0, 1.0f);
				else
					plain_sor_f64<<<grid, threads>>>(
						static_cast<double *>(d_own),
						static_cast<const double *>(d_other), n, 0, 1.0);
			});
			const double moved = 3.0 * width * static_cast<double>(points);
			printf("plain_sor_f%d\t%ux%u\t%.2f\t%.2f\t%.4g\t%.3f\n", 8 * width, block.x,
			       block.y, t.least_us, t.median_us, 1e6 * moved / t.median_us,
			       moved / t.median_us / (copied / copy.median_us));
		}
	TRY(cudaFree(d_own));
	TRY(cudaFree(d_other));
	return 0;
}
