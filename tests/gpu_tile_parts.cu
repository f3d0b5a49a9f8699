/* SPDX-License-Identifier: MIT
 * Kernels of multi-layer SSOR taken apart: each as it ships, but that a launch is told which of its
 * three parts to do, and how many blocks a multiprocessor has. What is not done is jumped over, so
 * that registers and code are the same.
 *
 *     gpu_tile_parts [SIDE...]           us of a launch, of meshes of SIDE points (8192 and 2048)
 *     gpu_tile_parts blocks [SIDE...]    of one launch of staged: where each block ran, and when,
 * in cycles of its multiprocessor from its first block on
 *
 * Parts: f fetches regions, t makes tiles, b puts them back. Of 20 launches in a graph (5 of a
 * large mesh) the median of nine replays.
 */
#include <algorithm>
#include <climits>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"
#include "graph_time.cuh"
#define MLSSOR_BOUND MLSSOR_STAGED_THREADS
#define MLSSOR_STAGED_AT_ONCE 2
#define MLSSOR_CHUNKED_AT_ONCE 3
#include "kernels/mlssor/mlssor_block.cuh"
namespace in_registers
{
#include "kernels/mlssor/mlssor_tuned.cuh"
}
#include "kernels/mlssor/mlssor_chunked.cuh"

enum { FETCH = 1, TILES = 2, BACK = 4, ALL = FETCH | TILES | BACK };

template <int ROW, int COLUMN, int SIDE, bool FUSED, bool EDGE>
__device__ __forceinline__ void staged_parts(const struct staged &b, float omega, int parts)
{
	float *region = (float *)dynamic_shared;

	if (parts & FETCH)
		fetch<SIDE, FUSED, false, EDGE>(b, region);
	if (parts & TILES)
		staged_tiles<ROW, COLUMN, SIDE, FUSED, EDGE>(b, region, omega);
	__syncthreads();
	if (parts & BACK)
		put_back<ROW, COLUMN, SIDE, FUSED, false, EDGE>(b, region);
}

template <int ROW, int COLUMN, int SIDE, bool FUSED, int BLOCKS>
__global__ void __launch_bounds__((1 + FUSED) * MLSSOR_BOUND, BLOCKS)
	staged_kernel(const struct mlssor_sweep sweep, int parts)
{
	struct staged b;

	if (!staged_begin<ROW, COLUMN, SIDE, FUSED>(sweep, &b))
		return;
	if (staged_inner(b))
		staged_parts<ROW, COLUMN, SIDE, FUSED, false>(b, sweep.omega, parts);
	else
		staged_parts<ROW, COLUMN, SIDE, FUSED, true>(b, sweep.omega, parts);
}

template <bool FUSED, bool EDGE>
__device__ __forceinline__ void chunk_parts(const struct staged &b, float omega, int parts)
{
	float *region = (float *)dynamic_shared;

	if (parts & FETCH)
		chunk_fetch<FUSED, false, EDGE>(b, region);
	if (parts & TILES)
		chunk_tiles<0, 0, FUSED, false, EDGE>(b, region, omega);
	__syncthreads();
	if (parts & BACK)
		chunk_put_back<0, 0, FUSED, false, EDGE>(b, region);
}

template <bool FUSED, int BLOCKS>
__global__ void __launch_bounds__((1 + FUSED) * MLSSOR_BOUND, BLOCKS)
	chunked_kernel(const struct mlssor_sweep sweep, int parts)
{
	struct staged b;

	if (!staged_begin<0, 0, SIDE16, FUSED>(sweep, &b))
		return;
	if (staged_inner(b) && chunks_aligned<1>(b))
		chunk_parts<FUSED, false>(b, sweep.omega, parts);
	else
		chunk_parts<FUSED, true>(b, sweep.omega, parts);
}

template <int SIDE>
__global__ void __launch_bounds__(MLSSOR_MOST_THREADS)
	tuned_kernel(const struct mlssor_sweep sweep, int parts)
{
	using namespace in_registers;
	float *tile = (float *)dynamic_shared;
	struct mlssor_block b;

	if (!mlssor_block_begin(sweep, false, blockIdx.x, &b))
		return;
	b.s = b.s == sweep.begin ? sweep.end - 1 : b.s - 1;
	b.row0 = mlssor_box(&b.rows, b.s, b.tile_row);
	if (parts & FETCH)
		boxes<0, 0, SIDE, false>(b, tile);
	__syncthreads();
	if (!(parts & TILES))
		;
	else if (b.active && mlssor_inner(b.rows, b.s) && mlssor_inner(b.columns, b.t))
		inner_tile<0, 0, SIDE>(tile, sweep.omega);
	else if (b.active)
		edge_tile<SIDE>(b, tile, sweep.omega);
	__syncthreads();
	if (parts & BACK)
		boxes<0, 0, SIDE, true>(b, tile);
}

struct block_times {
	unsigned sm;
	long long begin, end;
};

/* K11 as it ships. */
template <int SIDE, int BLOCKS>
__global__ void __launch_bounds__(MLSSOR_BOUND, BLOCKS)
	noted_kernel(const struct mlssor_sweep sweep, struct block_times *d_times)
{
	const long long begin = clock64();

	staged_block<0, 0, SIDE, false>(sweep);
	__syncthreads();
	if (threadIdx.x == 0) {
		struct block_times t = { 0, begin, clock64() };
		asm volatile("mov.u32 %0, %%smid;" : "=r"(t.sm));
		d_times[((size_t)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = t;
	}
}

struct noted {
	int side;
	void (*kernel)(const struct mlssor_sweep, struct block_times *);
};
static const struct noted noted[] = { { 4, noted_kernel<4, 12> },
				      { 8, noted_kernel<8, 7> },
				      { 16, noted_kernel<16, 2> } };

struct kind {
	const char *name;
	int side, fused;
	void (*kernel)(const struct mlssor_sweep, int);
	void (*geometry)(const void *args, struct launch_geometry *geometry);
};
static const struct kind kinds[] = {
	{ "tuned16_11", 16, 0, tuned_kernel<16>, mlssor_tuned_geometry },
	{ "tuned8_11", 8, 0, tuned_kernel<8>, mlssor_tuned_geometry },
	{ "staged4_11", 4, 0, staged_kernel<0, 0, 4, false, 12>, mlssor_staged_geometry },
	{ "staged8_11", 8, 0, staged_kernel<0, 0, 8, false, 7>, mlssor_staged_geometry },
	{ "staged8_1221", 8, 1, staged_kernel<0, 0, 8, true, 4>, mlssor_staged_geometry },
	{ "staged16_11", 16, 0, staged_kernel<0, 0, 16, false, 2>, mlssor_staged_geometry },
	{ "staged16_1221", 16, 1, staged_kernel<0, 0, 16, true, 1>, mlssor_staged_geometry },
	{ "chunked16_11", 16, 0, chunked_kernel<false, 2>, mlssor_chunked_geometry },
	{ "chunked16_1221", 16, 1, chunked_kernel<true, 1>, mlssor_chunked_geometry },
};

/* us of a launch */
static double timed(const struct kind *k, const struct mlssor_sweep &sweep, int parts, int blocks,
		    int *resident)
{
	const int launches = sweep.rows > 4096 ? 5 : 20;
	struct launch_geometry g;
	int shared;

	k->geometry(&sweep, &g);
	shared = std::max((int)g.shared_bytes, blocks ? 232448 / blocks - 1024 : 0);
	TRY(cudaFuncSetAttribute(k->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
	TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(resident, k->kernel, (int)g.block[0],
							  (size_t)shared));
	return graph_us([&](cudaStream_t stream) {
		       for (int i = 0; i < launches; i++)
			       k->kernel<<<dim3(g.grid[0], g.grid[1], g.grid[2]), dim3(g.block[0]),
					   shared, stream>>>(sweep, parts);
	       }) /
	       launches;
}

static struct mlssor_sweep sweep_of(float *d_grid, int mesh, int pitch, int side, int fused)
{
	struct mlssor_sweep sweep = {};

	sweep.grid = d_grid;
	sweep.pitch = pitch;
	sweep.rows = sweep.columns = mesh;
	sweep.height = sweep.width = side;
	sweep.layers = side / 2;
	sweep.shift = side / 4;
	sweep.parts = 2;
	sweep.tile_column = fused;
	sweep.end = mesh / side;
	sweep.threads = 64;
	sweep.fused = fused;
	sweep.omega = 1.25f;
	return sweep;
}

/* The third of three launches, so that caches have what they have in a run. */
static void note_blocks(const struct noted *k, float *d_grid, int mesh, int pitch)
{
	const struct mlssor_sweep sweep = sweep_of(d_grid, mesh, pitch, k->side, 0);
	struct launch_geometry g;
	std::vector<struct block_times> times;
	struct block_times *d_times;
	long long first[1024];

	mlssor_staged_geometry(&sweep, &g);
	times.resize((size_t)g.grid[0] * g.grid[1] * g.grid[2]);
	TRY(cudaMalloc(&d_times, times.size() * sizeof(times[0])));
	TRY(cudaFuncSetAttribute(k->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
				 (int)g.shared_bytes));
	for (int i = 0; i < 3; i++)
		k->kernel<<<dim3(g.grid[0], g.grid[1], g.grid[2]), dim3(g.block[0]),
			    g.shared_bytes>>>(sweep, d_times);
	TRY(cudaMemcpy(times.data(), d_times, times.size() * sizeof(times[0]),
		       cudaMemcpyDeviceToHost));
	TRY(cudaFree(d_times));
	std::fill(first, first + 1024, LLONG_MAX);
	for (const struct block_times &t : times)
		first[t.sm] = std::min(first[t.sm], t.begin);
	for (size_t b = 0; b < times.size(); b++)
		printf("%d\t%d\t%u\t%zu\t%u\t%lld\t%lld\n", k->side, mesh, g.grid[0], b,
		       times[b].sm, times[b].begin - first[times[b].sm],
		       times[b].end - first[times[b].sm]);
}

int main(int argc, char **argv)
{
	const bool blocks = argc > 1 && !strcmp(argv[1], "blocks");
	std::vector<int> sides;
	for (int i = 1 + blocks; i < argc; i++)
		sides.push_back(atoi(argv[i]));
	if (sides.empty())
		sides = { 8192, 2048 };
	printf(blocks ? "side\tmesh\tgrid_x\tblock\tsm\tbegin\tend\n"
		      : "kernel\tmesh\tblocks\tparts\tus\n");
	for (int side : sides) {
		const int pitch = (side + 2 + 31) / 32 * 32;
		float *d_grid;

		TRY(cudaMalloc(&d_grid, (size_t)(side + 2) * pitch * sizeof(float)));
		TRY(cudaMemset(d_grid, 0, (size_t)(side + 2) * pitch * sizeof(float)));
		for (const struct noted &k : noted)
			if (blocks)
				note_blocks(&k, d_grid, side, pitch);
		for (const struct kind &k : kinds) {
			if (blocks)
				break;
			const struct mlssor_sweep sweep =
				sweep_of(d_grid, side, pitch, k.side, k.fused);
			int most = 0, resident;
			for (int parts = 1; parts <= ALL; parts++) {
				const double us = timed(&k, sweep, parts, 0, &most);
				printf("%s\t%d\t%d\t%s%s%s\t%.3f\n", k.name, side, most,
				       parts & FETCH ? "f" : "", parts & TILES ? "t" : "",
				       parts & BACK ? "b" : "", us);
			}
			for (int blocks = most / 2; blocks >= 1; blocks /= 2)
				for (int parts : { (int)ALL, FETCH | BACK, (int)TILES }) {
					const double us =
						timed(&k, sweep, parts, blocks, &resident);
					printf("%s\t%d\t%d\t%s%s%s\t%.3f\n", k.name, side, resident,
					       parts & FETCH ? "f" : "", parts & TILES ? "t" : "",
					       parts & BACK ? "b" : "", us);
				}
			fflush(stdout);
		}
		TRY(cudaFree(d_grid));
	}
	return 0;
}
