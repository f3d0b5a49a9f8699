/* SPDX-License-Identifier: MIT
 * Code without a branch, of N instructions of 16 bytes each, gone through `passes` times: what it
 * takes is told by whether instruction caches have it (gpu_code.cu, gpu_cold_code.cu). d_cycles has
 * a place for each pass of each warp; a block's first warp writes its own, in cycles.
 */
#ifndef WARPREEL_TESTS_STRAIGHT_CODE_CUH
#define WARPREEL_TESTS_STRAIGHT_CODE_CUH

template <int N>
__global__ void straight(float *out, long long *d_cycles, int passes, float a, float b)
{
	float x[4] = { a, b, a + 1, b + 1 };
	for (int p = 0; p < passes; p++) {
		long long begin = clock64();
#pragma unroll
		for (int i = 0; i < N; i++)
			asm volatile("fma.rn.f32 %0, %0, %1, %2;"
				     : "+f"(x[i & 3])
				     : "f"(a), "f"(b));
		long long end = clock64();
		if (threadIdx.x == 0)
			d_cycles[(blockIdx.x * (blockDim.x / 32)) * passes + p] = end - begin;
	}
	if (x[0] + x[1] + x[2] + x[3] == 12345.0f)
		out[0] = 1;
}

#endif
