/* SPDX-License-Identifier: MIT
 * What instructions cost that the caches of a multiprocessor do not hold: straight code of several
 * lengths, gone through three times in a launch, again, and after another kernel's
 * (docs/lab/kernels.md).
 *
 *     gpu_code        a table; compiling it takes minutes
 */
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>

#include "straight_code.cuh"

static double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}
static float *o;
static long long *d;
template <int N> void run(int blocks, int threads, const char *what)
{
	const int P = 3;
	std::vector<long long> h(blocks * P * (threads / 32));
	cudaMemset(d, 0, h.size() * 8);
	straight<N><<<blocks, threads>>>(o, d, P, 1.5f, 0.25f);
	cudaMemcpy(h.data(), d, h.size() * 8, cudaMemcpyDeviceToHost);
	printf("%s\t%d\t%d\t%d", what, N * 16 / 1024, blocks, threads);
	for (int p = 0; p < P; p++) {
		std::vector<double> v;
		for (int b = 0; b < blocks; b++)
			v.push_back((double)h[(size_t)b * (threads / 32) * P + p]);
		printf("\t%.0f\t%.2f", median(v), median(v) / N);
	}
	cudaError_t e = cudaGetLastError();
	printf("%s%s\n", e ? "\t" : "", e ? cudaGetErrorString(e) : "");
}
template <int N> void all(int threads)
{
	for (int r = 0; r < 3; r++)
		run<N>(132, threads, r == 0 ? "first" : "again");
	run<20000>(132, 32, "other");
	run<N>(132, threads, "after-other");
	run<500>(132, 32, "small");
	run<N>(132, threads, "after-small");
}
int main()
{
	cudaMalloc(&o, 4);
	cudaMalloc(&d, 1 << 20);
	printf("what\tKB\tblocks\tthreads\tpass1\tper\tpass2\tper\tpass3\tper\n");
	all<500>(32);
	all<1000>(32);
	all<2000>(32);
	all<4000>(32);
	all<6000>(32);
	all<8000>(32);
	all<10000>(32);
	all<16000>(32);
	all<2000>(128);
	all<4000>(128);
	all<8000>(128);
	all<4000>(256);
	run<4000>(1, 32, "one-block");
	run<20000>(132, 32, "other");
	run<4000>(1, 32, "one-block-after-other");
	return 0;
}
