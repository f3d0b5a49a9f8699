/* SPDX-License-Identifier: MIT
 * Whether code that caches do not hold is fetched ahead of a warp: straight code whose instructions
 * wait for each other (one to four chains of 4 cycles each), by 1 to 16 warps a multiprocessor;
 * the same in pieces each of which a taken branch skips the like of (skip), or gone through twice
 * (twice); with the warps of a sub-partition half of it apart (apart). Fetched ahead, code that
 * waits for itself hides its fetching; fetched on demand, it adds (docs/lab/kernels.md).
 *
 *     gpu_code_waits      a table: form, piece (instructions), KB of code executed, chains, warps,
 * cycles an instruction of a warp takes: median over blocks, until the last of its warps is through
 */
#include <algorithm>
#include <cstdio>
#include <type_traits>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"

enum { BLOCKS = 132, PASSES = 3, WARPS_MOST = 16 };

struct given {
	float *d_out;
	long long *d_cycles;
	int zero, late, two;
	float a, b;
};

template <int N, int CHAINS> __device__ __forceinline__ void piece(float *x, float a, float b)
{
#pragma unroll
	for (int i = 0; i < N; i++)
		asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i % CHAINS]) : "f"(a), "f"(b));
}

/* Straight: one piece of all. */
struct straight {
	template <int N, int PIECE, int CHAINS>
	static __device__ __forceinline__ void go(float *x, const given &g)
	{
		piece<N, CHAINS>(x, g.a, g.b);
	}
};

/* Two halves; the second warp of a sub-partition, the fourth, ... begin with the second. */
struct apart {
	template <int N, int PIECE, int CHAINS>
	static __device__ __forceinline__ void go(float *x, const given &g)
	{
		if (g.zero == 0)
			piece<N / 2, CHAINS>(x, g.a, g.b);
		piece<N / 2, CHAINS>(x, g.a, g.b);
	}
};

/* A piece, and one like it that is never gone through. */
struct skip {
	template <int N, int PIECE, int CHAINS>
	static __device__ __forceinline__ void go(float *x, const given &g)
	{
#pragma unroll
		for (int k = 0; k < N / PIECE; k++) {
			piece<PIECE, CHAINS>(x, g.a, g.b);
			if (g.zero)
				piece<PIECE, CHAINS>(x, g.b, g.a);
		}
	}
};

/* Each piece twice. */
struct twice {
	template <int N, int PIECE, int CHAINS>
	static __device__ __forceinline__ void go(float *x, const given &g)
	{
#pragma unroll
		for (int k = 0; k < N / PIECE / 2; k++)
#pragma unroll 1
			for (int r = 0; r < g.two; r++)
				piece<PIECE, CHAINS>(x, g.a, g.b);
	}
};

template <class FORM, int N, int PIECE, int CHAINS> __global__ void kernel(given g)
{
	const int warp = threadIdx.x / 32, late = g.zero | (warp / 4 & 1 & g.late);
	float x[4] = { g.a, g.b, g.a + 1, g.b + 1 };
	long long begin = 0, end = 0;

#pragma unroll 1
	for (int p = 0; p <= PASSES; p++) {
		begin = p == 1 ? clock64() : begin;
		g.zero = p ? 0 : late;
		FORM::template go<N, PIECE, CHAINS>(x, g);
		end = clock64();
	}
	if (threadIdx.x % 32 == 0) {
		long long *at = g.d_cycles + 2 * (blockIdx.x * WARPS_MOST + warp);
		at[0] = begin;
		at[1] = end;
	}
	if (x[0] + x[1] + x[2] + x[3] == 12345.0f)
		g.d_out[0] = 1;
}

/* Median over blocks of a pass, per instruction of a warp: from the first begin to the last end. */
template <class FORM, int N, int PIECE, int CHAINS> static void run(given g, const char *form)
{
	g.late = std::is_same<FORM, apart>::value;
	for (int warps = 1; warps <= WARPS_MOST; warps *= 2) {
		std::vector<long long> h(BLOCKS * WARPS_MOST * 2), all;

		kernel<FORM, N, PIECE, CHAINS><<<BLOCKS, 32 * warps>>>(g);
		TRY(cudaGetLastError());
		TRY(cudaMemcpy(h.data(), g.d_cycles, h.size() * sizeof(h[0]),
			       cudaMemcpyDeviceToHost));
		for (int b = 0; b < BLOCKS; b++) {
			const long long *of = &h[2 * b * WARPS_MOST];
			long long begin = of[0], end = of[1];

			for (int w = 1; w < warps; w++) {
				begin = std::min(begin, of[2 * w]);
				end = std::max(end, of[2 * w + 1]);
			}
			all.push_back(end - begin);
		}
		std::sort(all.begin(), all.end());
		printf("%s\t%d\t%.1f\t%d\t%d\t%.3f\n", form, PIECE, N / 64.0, CHAINS, warps,
		       (double)all[BLOCKS / 2] / PASSES / N);
	}
}

template <int CHAINS> static void chains(const given &g)
{
	run<straight, 1500, 1500, CHAINS>(g, "straight");
	run<straight, 2000, 2000, CHAINS>(g, "straight");
	run<straight, 2200, 2200, CHAINS>(g, "straight");
	run<straight, 2500, 2500, CHAINS>(g, "straight");
	run<straight, 3000, 3000, CHAINS>(g, "straight");
	run<straight, 3500, 3500, CHAINS>(g, "straight");
	run<straight, 4000, 4000, CHAINS>(g, "straight");
	run<straight, 7000, 7000, CHAINS>(g, "straight");
	run<apart, 256, 128, CHAINS>(g, "apart");
	run<apart, 512, 256, CHAINS>(g, "apart");
	run<apart, 1024, 512, CHAINS>(g, "apart");
	run<apart, 1500, 750, CHAINS>(g, "apart");
	run<apart, 2200, 1100, CHAINS>(g, "apart");
	run<apart, 2600, 1300, CHAINS>(g, "apart");
	run<apart, 3200, 1600, CHAINS>(g, "apart");
	run<apart, 4000, 2000, CHAINS>(g, "apart");
	run<apart, 7000, 3500, CHAINS>(g, "apart");
	run<skip, 4096, 32, CHAINS>(g, "skip");
	run<skip, 4096, 128, CHAINS>(g, "skip");
	run<twice, 8192, 32, CHAINS>(g, "twice");
	run<twice, 8192, 128, CHAINS>(g, "twice");
	run<twice, 8192, 512, CHAINS>(g, "twice");
}

int main(void)
{
	given g = { NULL, NULL, 0, 0, 2, 1.5f, 0.25f };

	TRY(cudaMalloc(&g.d_out, sizeof(float)));
	TRY(cudaMalloc(&g.d_cycles, 2 * BLOCKS * WARPS_MOST * sizeof(*g.d_cycles)));
	printf("form\tpiece\tKB\tchains\twarps\tcycles\n");
	chains<4>(g);
	chains<2>(g);
	chains<1>(g);
	return 0;
}
