/* SPDX-License-Identifier: MIT
 * What memory gives to blocks that fetch a region each and then put it back in place
 * (docs/lab/kernels.md): regions so many words wide and rows high, fetched whole by two warps, all
 * of a region under way at once. Varied one at a time: width, height, the word it begins at,
 * whether lanes follow lines or the region, a row and a column more that are fetched, words and
 * rows that stay as they were, and which of the two parts is done.
 *
 *     gpu_regions [SIDE...]        a row a variant, of squares of SIDE words (8192, 4096, 2048)
 *     gpu_regions SIDE only K      three launches of variant K, to be profiled
 *
 * us are a launch's: of ten in a graph, the median of nine replays (of seven where
 * h200x4/regions.tsv was made).
 */
#include <algorithm>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"
#include "graph_time.cuh"

enum { FETCH = 1, BACK = 2, BOTH = FETCH | BACK, WARPS = 2, HALO_WORDS = 8 };

struct variant {
	int width, rows;   /* of a region; 0: one band, four words a thread */
	int from;	   /* the word that the first region begins at */
	int follow_lines;  /* lane 0 has the first word of a line */
	int halo;	   /* rows and columns more that are fetched */
	int every;	   /* one word and one row in so many stay; 0: none */
	int words, stayed; /* whether words do, whether rows do */
	int blocks;	   /* a multiprocessor at most */
	int parts;
};

static const struct variant variants[] = {
	{ 0, 0, 0, 0, 0, 0, 0, 0, 0, BOTH },
	/* height */
	{ 256, 2, 0, 0, 0, 0, 0, 0, 24, BOTH },
	{ 256, 4, 0, 0, 0, 0, 0, 0, 24, BOTH },
	{ 256, 8, 0, 0, 0, 0, 0, 0, 20, BOTH },
	{ 256, 16, 0, 0, 0, 0, 0, 0, 11, BOTH },
	{ 256, 32, 0, 0, 0, 0, 0, 0, 6, BOTH },
	{ 128, 4, 0, 0, 0, 0, 0, 0, 24, BOTH },
	{ 128, 8, 0, 0, 0, 0, 0, 0, 24, BOTH },
	{ 128, 16, 0, 0, 0, 0, 0, 0, 20, BOTH },
	{ 128, 32, 0, 0, 0, 0, 0, 0, 11, BOTH },
	/* width */
	{ 64, 16, 0, 0, 0, 0, 0, 0, 24, BOTH },
	{ 512, 16, 0, 0, 0, 0, 0, 0, 6, BOTH },
	{ 512, 8, 0, 0, 0, 0, 0, 0, 11, BOTH },
	{ 512, 32, 0, 0, 0, 0, 0, 0, 3, BOTH },
	/* where it begins */
	{ 256, 16, 1, 0, 0, 0, 0, 0, 11, BOTH },
	{ 256, 16, 4, 0, 0, 0, 0, 0, 11, BOTH },
	{ 256, 16, 6, 0, 0, 0, 0, 0, 11, BOTH },
	{ 256, 16, 6, 1, 0, 0, 0, 0, 11, BOTH },
	{ 256, 16, 8, 0, 0, 0, 0, 0, 11, BOTH },
	{ 256, 16, 8, 1, 0, 0, 0, 0, 11, BOTH },
	{ 256, 16, 16, 0, 0, 0, 0, 0, 11, BOTH },
	{ 128, 8, 2, 0, 0, 0, 0, 0, 24, BOTH },
	{ 128, 8, 6, 0, 0, 0, 0, 0, 24, BOTH },
	{ 512, 32, 6, 0, 0, 0, 0, 0, 3, BOTH },
	/* halo */
	{ 256, 16, 0, 0, 1, 0, 0, 0, 11, BOTH },
	{ 128, 8, 0, 0, 1, 0, 0, 0, 24, BOTH },
	/* what stays */
	{ 256, 16, 0, 0, 0, 8, 1, 0, 11, BOTH },
	{ 256, 16, 0, 0, 0, 8, 0, 1, 11, BOTH },
	{ 256, 16, 0, 0, 0, 8, 1, 1, 11, BOTH },
	{ 128, 8, 0, 0, 0, 4, 1, 0, 24, BOTH },
	{ 128, 8, 0, 0, 0, 4, 0, 1, 24, BOTH },
	{ 128, 8, 0, 0, 0, 4, 1, 1, 24, BOTH },
	{ 512, 32, 0, 0, 0, 16, 1, 1, 3, BOTH },
	/* all of it, as multi-layer SSOR has it */
	{ 128, 8, 2, 0, 1, 4, 1, 1, 24, BOTH },
	{ 256, 16, 4, 0, 1, 8, 1, 1, 11, BOTH },
	{ 256, 16, 6, 0, 1, 8, 1, 1, 11, BOTH },
	{ 512, 32, 6, 0, 1, 16, 1, 1, 3, BOTH },
	/* one part */
	{ 256, 16, 0, 0, 0, 0, 0, 0, 11, FETCH },
	{ 256, 16, 6, 0, 1, 0, 0, 0, 11, FETCH },
	{ 256, 16, 0, 0, 0, 0, 0, 0, 11, BACK },
	{ 256, 16, 6, 0, 0, 0, 0, 0, 11, BACK },
	{ 256, 16, 0, 0, 0, 8, 1, 0, 11, BACK },
	{ 256, 16, 6, 0, 0, 8, 1, 1, 11, BACK },
	{ 128, 8, 0, 0, 0, 0, 0, 0, 24, BACK },
	{ 128, 8, 2, 0, 0, 4, 1, 1, 24, BACK },
};
enum { VARIANTS = sizeof(variants) / sizeof(variants[0]) };

struct square {
	float *to;
	const float *from;
	int pitch;
	struct variant v;
};

extern __shared__ float region[];

template <int EACH>
__global__ void __launch_bounds__(32 * WARPS) regions_kernel(const struct square s)
{
	constexpr int WIDTH = 32 * EACH, ROW = WIDTH + HALO_WORDS;
	const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32,
		  first = lane - (s.v.follow_lines ? s.v.from % 32 : 0),
		  within = s.v.every - 1; /* a power of two */
	const size_t at = (size_t)blockIdx.y * s.v.rows * s.pitch + blockIdx.x * WIDTH + s.v.from;

	if (s.v.parts & FETCH) {
#pragma unroll 1
		for (int i = warp; i < s.v.rows + s.v.halo; i += WARPS) {
			const float *u = s.from + at + (size_t)i * s.pitch;
#pragma unroll
			for (int m = 0; m <= EACH; m++) {
				const int c = first + 32 * m;
				if (c >= 0 && c < WIDTH + s.v.halo)
					asm volatile(
						"cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
							(unsigned)__cvta_generic_to_shared(
								region + i * ROW + c)),
						"l"(u + c));
			}
		}
		asm volatile("cp.async.wait_all;" ::: "memory");
	}
	__syncthreads();
	if (!(s.v.parts & BACK))
		return;
#pragma unroll 1
	for (int i = warp; i < s.v.rows; i += WARPS) {
		float *u = s.to + at + (size_t)i * s.pitch;
		float value[EACH + 1];
#pragma unroll
		for (int m = 0; m <= EACH; m++) {
			const int c = first + 32 * m;
			value[m] = c >= 0 && c < WIDTH ? region[i * ROW + c] + 1 : 0;
		}
		if (s.v.stayed && !(i & within))
			continue;
#pragma unroll
		for (int m = 0; m <= EACH; m++) {
			const int c = first + 32 * m;
			if (c >= 0 && c < WIDTH && !(s.v.words && !(c & within)))
				u[c] = value[m];
		}
	}
}

/* The same bytes in one band: four words a thread. */
__global__ void __launch_bounds__(256) band_kernel(float4 *to, const float4 *from)
{
	const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
	float4 v = from[i];
	v.x += 1;
	to[i] = v;
}

static void launch(const struct square &s, int side, cudaStream_t stream)
{
	const int shared = s.v.blocks ? 232448 / s.v.blocks - 1024 : 0;
	const dim3 grid(s.v.width ? side / s.v.width : 1, s.v.rows ? side / s.v.rows : 1);

	switch (s.v.width) {
	case 64:
		regions_kernel<2><<<grid, 32 * WARPS, shared, stream>>>(s);
		break;
	case 128:
		regions_kernel<4><<<grid, 32 * WARPS, shared, stream>>>(s);
		break;
	case 256:
		regions_kernel<8><<<grid, 32 * WARPS, shared, stream>>>(s);
		break;
	case 512:
		regions_kernel<16><<<grid, 32 * WARPS, shared, stream>>>(s);
		break;
	default:
		band_kernel<<<(unsigned)((size_t)side * side / 1024), 256, 0, stream>>>(
			(float4 *)s.to, (const float4 *)s.from);
	}
	TRY(cudaGetLastError());
}

static double us_of(const struct square &s, int side)
{
	enum { LAUNCHES = 10 };
	return graph_us([&](cudaStream_t stream) {
		       for (int i = 0; i < LAUNCHES; i++)
			       launch(s, side, stream);
	       }) /
	       LAUNCHES;
}

int main(int argc, char **argv)
{
	const int only = argc == 4 && !strcmp(argv[2], "only") ? atoi(argv[3]) : -1;
	std::vector<int> sides;

	for (int i = 1; i < (only >= 0 ? 2 : argc); i++)
		sides.push_back(atoi(argv[i]));
	if (sides.empty())
		sides = { 8192, 4096, 2048 };
	if (only >= VARIANTS) {
		fprintf(stderr, "gpu_regions: no variant %d\n", only);
		return 2;
	}
	for (auto kernel :
	     { regions_kernel<2>, regions_kernel<4>, regions_kernel<8>, regions_kernel<16> })
		TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
					 227 * 1024));
	if (only < 0)
		printf("side\tvariant\twidth\trows\tfrom\tfollow_lines\thalo\tevery\twords\trows_"
		       "stay\tblocks\tparts\tus\n");
	for (int side : sides) {
		const int pitch = side + 32;
		float *d_grid;
		TRY(cudaMalloc(&d_grid, (size_t)(side + 2) * pitch * sizeof(float)));
		TRY(cudaMemset(d_grid, 0, (size_t)(side + 2) * pitch * sizeof(float)));
		for (int k = 0; k < VARIANTS; k++) {
			const struct variant &v = variants[k];
			const struct square s = { d_grid, d_grid, pitch, v };
			if (only < 0)
				printf("%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.3f\n",
				       side, k, v.width, v.rows, v.from, v.follow_lines, v.halo,
				       v.every, v.words, v.stayed, v.blocks, v.parts,
				       us_of(s, side));
			else
				for (int i = 0; k == only && i < 3; i++)
					launch(s, side, 0);
		}
		TRY(cudaDeviceSynchronize());
		fflush(stdout);
		TRY(cudaFree(d_grid));
	}
	return 0;
}
