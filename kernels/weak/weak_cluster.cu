/* SPDX-License-Identifier: MIT
 * Scheme cluster, what the paper could not have: the blocks of a thread-block cluster step
 * together and write borders into each other's shared memory; between clusters borders go through
 * global memory, and are read as they are found, as in 4W. One launch makes all steps.
 *
 * Why the inside is no race: what neighbours write of step s lies in one of two inboxes, s & 1.
 * Who reads it has passed the cluster's barrier of step s, before which all of it was written;
 * nobody writes there again before the barrier of step s + 1, to which the reader comes after it
 * has read. Outside, words are relaxed atomics (weak_block.cuh); one is asked for at the end of an
 * exchange and taken up at the end of the next, so that nobody waits for it.
 */
#include <cuda_runtime.h>
#include "kernels/machine/machine.h"
#include "traces/schedule/schedule.h"
#include "weak_check.cuh"
extern "C" {
#include "traces/base/util.h"
}

template <int FIELDS> struct weak_inbox {
	float from[2][FIELDS][WEAK_BORDER];
};

/* A thread's node of the border, of those that have one. */
struct weak_crossing {
	bool inside, outside; /* there is a block beyond, in this cluster or in another */
	int row, column;      /* of the node */
	int halo_row, halo_column;
	int slot, to;	    /* in this block's inbox, and in that of the block beyond */
	int64_t at, beyond; /* of both nodes among the values of a field */
};

template <int FIELDS>
__device__ __forceinline__ struct weak_crossing weak_cross(const struct weak_launch &l, int block,
							   int64_t origin, int *rank)
{
	struct weak_crossing c = { false, false, 0, 0, 0, 0, (int)threadIdx.x, 0, 0, 0 };
	int k = c.slot;

	if (c.slot >= WEAK_BORDER)
		return c;
	const int side = weak_side_of(&k), beside = weak_beside(&l.grid, block, side),
		  first = c.slot - k; /* of this side */

	weak_edge(side, k, 0, &c.row, &c.column);
	weak_edge(side, k, 1, &c.halo_row, &c.halo_column);
	*rank = weak_cluster_rank(&l.grid, block, side);
	c.inside = *rank >= 0;
	c.outside = !c.inside && beside >= 0;
	c.to = (side & 1 ? first - (side < 2 ? WEAK_COLUMNS : WEAK_ROWS)
			 : first + (side < 2 ? WEAK_COLUMNS : WEAK_ROWS)) +
	       k;
	c.at = origin + (int64_t)c.row * weak_pitch(&l.grid) + c.column;
	c.beyond = origin + (int64_t)c.halo_row * weak_pitch(&l.grid) + c.halo_column;
	return c;
}

template <int RULE> __device__ __forceinline__ void weak_run_cluster(const struct weak_launch &l)
{
	enum { FIELDS = RULE + 1 };
	__shared__ struct weak_shared<FIELDS> s;
	__shared__ struct weak_inbox<FIELDS> inbox;
	const int thread = (int)threadIdx.x, pitch = weak_pitch(&l.grid);
	const int64_t field = weak_values(&l.grid);
	float pending[FIELDS] = { 0 };
	uint32_t met = 0, checks = 0;
	int rank = -1;
	bool over = false;

	if (thread == 0)
		s.block = weak_cluster_block(&l.grid, (int)blockIdx.x);
	__syncthreads();
	const int64_t origin = weak_origin(l, s.block);
	const struct weak_seat seat = weak_sit(l, origin);
	const struct weak_crossing c = weak_cross<FIELDS>(l, s.block, origin, &rank);
	struct weak_inbox<FIELDS> *beyond =
		c.inside ? (struct weak_inbox<FIELDS> *)__cluster_map_shared_rank(&inbox,
										  (unsigned)rank)
			 : NULL;

	for (int k = 0; k < 2 * FIELDS; k++)
		s.u[k / 2][seat.row + 1][seat.column[k & 1] + 1] =
			l.values[k / 2 * field + origin + (int64_t)seat.row * pitch +
				 seat.column[k & 1]];
	weak_receive(&s, l, l.values, origin, thread, WEAK_COMPUTING, true);
	__syncthreads();
	for (int k = 0; k < FIELDS && c.outside; k++)
		pending[k] = s.u[k][c.halo_row + 1][c.halo_column + 1];
	/* All of the cluster are here before any writes into another. */
	__cluster_barrier_arrive();
	__cluster_barrier_wait();
	for (int done = 1; !over; done++) {
		const bool exchanges = done % l.exchange == 0;
		float unused = 0;

		weak_step<RULE, false>(&s, seat, l, &unused);
		for (int k = 0; k < FIELDS && c.inside; k++)
			beyond->from[done & 1][k][c.to] = s.u[k][c.row + 1][c.column + 1];
		__cluster_barrier_arrive();
		for (int k = 0; k < FIELDS && c.outside && exchanges; k++)
			weak_put(&l.values[k * field + c.at], s.u[k][c.row + 1][c.column + 1]);
		__cluster_barrier_wait();
		for (int k = 0; k < FIELDS && c.inside; k++)
			s.u[k][c.halo_row + 1][c.halo_column + 1] = inbox.from[done & 1][k][c.slot];
		for (int k = 0; k < FIELDS && c.outside && exchanges; k++) {
			s.u[k][c.halo_row + 1][c.halo_column + 1] = pending[k];
			pending[k] = weak_get(&l.values[k * field + c.beyond]);
		}
		__syncthreads();
		if (done % l.every == 0 || done == l.steps) {
			over = weak_check_all<RULE>(&s, l, seat, origin, checks++, &met) ||
			       done == l.steps;
			for (int k = 0; k < FIELDS && c.outside; k++)
				pending[k] = s.u[k][c.halo_row + 1][c.halo_column + 1];
			if (over && thread == 0 && s.block == 0)
				l.status[WEAK_STATUS_STEPS] = (uint32_t)done;
		}
	}
	for (int k = 0; k < 2 * FIELDS; k++)
		weak_put(&l.values[k / 2 * field + origin + (int64_t)seat.row * pitch +
				   seat.column[k & 1]],
			 s.u[k / 2][seat.row + 1][seat.column[k & 1] + 1]);
	/* The host reads the first word. */
	weak_meet_all(l, ++met);
	if (thread == 0 && s.block == 0)
		l.status[WEAK_STATUS_CHANGE] = l.status[WEAK_STATUS_CHANGE + (checks - 1) % 3];
}

static int launch(weak_kernel *kernel, const void *args, void *stream)
{
	struct weak_launch l = *(const struct weak_launch *)args;
	struct launch_geometry g;
	cudaLaunchAttribute attribute[1];
	cudaLaunchConfig_t config = {};
	int clusters = 0;

	weak_whole_geometry(&l, &g);
	const struct weak_tiling tiling = weak_tiling_of(&l.grid);
	attribute[0].id = cudaLaunchAttributeClusterDimension;
	attribute[0].val.clusterDim.x = (unsigned)(tiling.down * tiling.across);
	attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
	config.gridDim = dim3(g.grid[0], 1, 1);
	config.blockDim = dim3(g.block[0], 1, 1);
	config.stream = (cudaStream_t)stream;
	config.attrs = attribute;
	config.numAttrs = 1;
	const cudaError_t error = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
	if (error)
		return error;
	if ((int64_t)clusters * attribute[0].val.clusterDim.x < g.grid[0]) {
		report("scheme cluster wants all %u blocks on the GPU at once, of which this one "
		       "holds %u",
		       g.grid[0], (unsigned)clusters * attribute[0].val.clusterDim.x);
		return cudaErrorCooperativeLaunchTooLarge;
	}
	return cudaLaunchKernelEx(&config, kernel, l);
}

WEAK_KERNEL(poisson_cluster, (WEAK_COMPUTING, 3), launch, weak_run_cluster<WEAK_POISSON>)
WEAK_KERNEL(shape_cluster, (WEAK_COMPUTING, 3), launch, weak_run_cluster<WEAK_SHAPE>)

extern "C" const struct cuda_kernel weak_cluster_kernels[] = {
	{ "poisson_cluster", launch_poisson_cluster },
	{ "shape_cluster", launch_shape_cluster },
	{ 0, 0 },
};
