/* SPDX-License-Identifier: MIT
 * Levels with the host between them, two launches each, and all levels in one launch. A vertex may
 * be found by several threads at once, which all write the same: words are written and read as a
 * whole, by relaxed atomics where others may write them.
 */
#include "kernels/machine/cuda_launch.cuh"
#include "traces/schedule/schedule.h"
#include "bfs.h"

static __device__ __forceinline__ int32_t bfs_get(const int32_t *at)
{
	int32_t value;

	__nv_atomic_load((int32_t *)at, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
	return value;
}

static __device__ __forceinline__ void bfs_put(int32_t *at, int32_t value)
{
	__nv_atomic_store(at, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

/* The offsets into shared memory, which a launch does anew. */
static __device__ __forceinline__ void bfs_load(const bfs_launch &l, int32_t *offset)
{
	for (int k = (int)threadIdx.x; k <= l.vertices; k += BFS_THREADS)
		offset[k] = l.offset[k];
	__syncthreads();
}

static __device__ __forceinline__ void bfs_search(const bfs_launch &l, const int32_t *offset,
						  int32_t level)
{
	for (int v = (int)threadIdx.x; v < l.vertices; v += BFS_THREADS) {
		if (bfs_get(&l.mark[v]) != BFS_CURRENT)
			continue;
		for (int k = offset[v]; k < offset[v + 1]; k++) {
			const int32_t to = l.neighbour[k];

			if (bfs_get(&l.mark[to]) == BFS_UNVISITED) {
				bfs_put(&l.mark[to], BFS_NEXT);
				bfs_put(&l.count[to], level + 1);
			}
		}
	}
}

/* Whether one of the thread's vertices was found. */
static __device__ __forceinline__ bool bfs_settle_own(const bfs_launch &l)
{
	bool found = false;

	for (int v = (int)threadIdx.x; v < l.vertices; v += BFS_THREADS) {
		const int32_t mark = bfs_get(&l.mark[v]);

		if (mark == BFS_CURRENT)
			bfs_put(&l.mark[v], BFS_VISITED);
		if (mark == BFS_NEXT) {
			bfs_put(&l.mark[v], BFS_CURRENT);
			found = true;
		}
	}
	return found;
}

extern "C" __global__ void __launch_bounds__(BFS_THREADS) bfs_mark(const struct bfs_launch l)
{
	block_note<block_note_id("bfs_mark")> note;
	__shared__ int32_t offset[BFS_MOST_VERTICES + 1];

	bfs_load(l, offset);
	bfs_search(l, offset, l.level);
	if (threadIdx.x == 0)
		l.status[BFS_STATUS_FOUND] = 0;
}

extern "C" __global__ void __launch_bounds__(BFS_THREADS) bfs_settle(const struct bfs_launch l)
{
	block_note<block_note_id("bfs_settle")> note;

	if (bfs_settle_own(l))
		bfs_put(&l.status[BFS_STATUS_FOUND], 1);
	if (threadIdx.x == 0)
		l.status[BFS_STATUS_LEVELS] = l.level + 1;
}

/* Two barriers a level. The word that a level is found in is cleared between the barriers of the
 * level before, where nobody reads or writes it. */
extern "C" __global__ void __launch_bounds__(BFS_THREADS) bfs_block(const struct bfs_launch l)
{
	block_note<block_note_id("bfs_block")> note;
	__shared__ int32_t offset[BFS_MOST_VERTICES + 1];
	__shared__ int32_t found[2];
	int32_t level = l.level;

	if (threadIdx.x == 0)
		found[level & 1] = 0;
	bfs_load(l, offset);
	for (;; level++) {
		bfs_search(l, offset, level);
		if (threadIdx.x == 0)
			found[(level + 1) & 1] = 0;
		__syncthreads();
		if (bfs_settle_own(l))
			bfs_put(&found[level & 1], 1);
		__syncthreads();
		if (!bfs_get(&found[level & 1]))
			break;
	}
	if (threadIdx.x == 0) {
		l.status[BFS_STATUS_LEVELS] = level + 1;
		l.status[BFS_STATUS_FOUND] = 0;
	}
}

extern "C" const struct cuda_kernel bfs_kernels[] = {
	{ "bfs_mark", cuda_launch<bfs_launch, bfs_mark, bfs_geometry> },
	{ "bfs_settle", cuda_launch<bfs_launch, bfs_settle, bfs_geometry> },
	{ "bfs_block", cuda_launch<bfs_launch, bfs_block, bfs_geometry> },
	{ 0, 0 },
};
