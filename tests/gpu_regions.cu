/* SPDX-License-Identifier: MIT
 * What memory gives to blocks that fetch a region each and then put it back in place
 * (docs/lab/kernels.md): regions of 256 words' width and so many rows, all of one under way at
 * once; beside them the same into another array, and with words or rows that stay as they were.
 *
 *     gpu_regions [SIDE...]     bytes a second, of squares of SIDE words (8192 and 2048)
 *
 * Bytes are those of all words of the square, read and written once, whatever is left out. Of ten
 * launches in a graph the median of seven replays.
 */
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"

enum { WIDTH = 256, EACH = WIDTH / 32 };

/* What of a region is put back. */
enum { NO_WORDS = 1, NO_ROWS = 2, FROM_SEVENTH = 4 };

struct square {
	float *to;
	const float *from;
	int side, pitch, rows; /* rows: of a region */
	int halo;	       /* rows and columns more that are fetched */
	int keep;
};

extern __shared__ float region[];

/* Two warps; ahead of its region each block's neighbours reach by `halo`. */
__global__ void __launch_bounds__(64, 7) regions_kernel(const struct square s)
{
	const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32,
		  row0 = (int)blockIdx.y * s.rows, shift = s.keep & FROM_SEVENTH ? 6 : 0;
	const size_t at = (size_t)row0 * s.pitch + blockIdx.x * WIDTH + lane + shift;

#pragma unroll 1
	for (int i = warp; i < s.rows + s.halo; i += 2) {
		const float *u = s.from + at + (size_t)i * s.pitch;
		float *cell = region + i * (WIDTH + 8) + lane;
#pragma unroll
		for (int m = 0; m <= EACH; m++)
			if (m < EACH || lane < s.halo)
				asm volatile(
					"cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
						(unsigned)__cvta_generic_to_shared(cell + 32 * m)),
					"l"(u + 32 * m));
	}
	asm volatile("cp.async.wait_all;" ::: "memory");
	__syncthreads();
	const bool mine = !(s.keep & NO_WORDS && lane % 8 == 0);
#pragma unroll 1
	for (int i = warp; i < s.rows; i += 2) {
		float *u = s.to + at + (size_t)i * s.pitch;
		const float *cell = region + i * (WIDTH + 8) + lane;
		float value[EACH];
#pragma unroll
		for (int m = 0; m < EACH; m++)
			value[m] = cell[32 * m] + 1;
		if (mine && !(s.keep & NO_ROWS && i % 8 == 0))
#pragma unroll
			for (int m = 0; m < EACH; m++)
				u[32 * m] = value[m];
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

static double rate_of(const struct square *s, int shared)
{
	enum { LAUNCHES = 10, REPLAYS = 7 };
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t ready;
	cudaEvent_t begin, end;
	std::vector<float> ms;

	TRY(cudaStreamCreate(&stream));
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	for (int i = 0; i < LAUNCHES; i++)
		if (s->rows)
			regions_kernel<<<dim3(s->side / WIDTH, s->side / s->rows), 64, shared,
					 stream>>>(*s);
		else
			band_kernel<<<(unsigned)((size_t)s->side * s->side / 1024), 256, 0,
				      stream>>>((float4 *)s->to, (const float4 *)s->from);
	TRY(cudaStreamEndCapture(stream, &graph));
	TRY(cudaGraphInstantiate(&ready, graph, 0));
	for (int i = 0; i <= REPLAYS; i++) {
		float took;
		TRY(cudaEventRecord(begin, stream));
		TRY(cudaGraphLaunch(ready, stream));
		TRY(cudaEventRecord(end, stream));
		TRY(cudaEventSynchronize(end));
		TRY(cudaEventElapsedTime(&took, begin, end));
		if (i)
			ms.push_back(took);
	}
	std::sort(ms.begin(), ms.end());
	TRY(cudaGraphExecDestroy(ready));
	TRY(cudaGraphDestroy(graph));
	TRY(cudaEventDestroy(begin));
	TRY(cudaEventDestroy(end));
	TRY(cudaStreamDestroy(stream));
	return 8.0 * s->side * s->side * LAUNCHES / (ms[ms.size() / 2] * 1e-3);
}

int main(int argc, char **argv)
{
	std::vector<int> sides;
	for (int i = 1; i < argc; i++)
		sides.push_back(atoi(argv[i]));
	if (sides.empty())
		sides = { 8192, 2048 };
	TRY(cudaFuncSetAttribute(regions_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
				 200 * 1024));
	printf("side\twhere\trows\thalo\tleft out\tblocks\tbytes_per_s\n");
	for (int side : sides) {
		const int pitch = side + 32;
		float *d[2];
		for (float *&grid : d) {
			TRY(cudaMalloc(&grid, (size_t)(side + 2) * pitch * sizeof(float)));
			TRY(cudaMemset(grid, 0, (size_t)(side + 2) * pitch * sizeof(float)));
		}
		for (int apart : { 0, 1 })
			for (int rows : { 0, 1, 2, 4, 8, 16, 32 })
				for (int kind = 0; kind < (rows < 8 ? 1 : apart ? 2 : 7); kind++) {
					static const int keep[] = { 0,
								    FROM_SEVENTH,
								    NO_WORDS,
								    NO_ROWS,
								    NO_WORDS | NO_ROWS,
								    NO_WORDS | NO_ROWS |
									    FROM_SEVENTH,
								    NO_WORDS | NO_ROWS };
					static const char *const said[] = {
						"-",	 "-, from a seventh word",
						"words", "rows",
						"both",	 "both, from a seventh word",
						"both"
					};
					for (int blocks : { 16, 8, 4 }) {
						const struct square s = { d[apart],  d[0],
									  side,	     pitch,
									  rows,	     kind >= 5,
									  keep[kind] };
						const int least = (rows + 1) * (WIDTH + 8) * 4,
							  shared = 232448 / blocks - 1024;
						if (rows && shared < least)
							continue;
						printf("%d\t%s\t%d\t%d\t%s\t%d\t%.4g\n", side,
						       apart ? "apart" : "in place", rows, s.halo,
						       said[kind], rows ? blocks : 0,
						       rate_of(&s, shared));
						if (!rows)
							break;
					}
				}
		fflush(stdout);
		TRY(cudaFree(d[0]));
		TRY(cudaFree(d[1]));
	}
	return 0;
}
