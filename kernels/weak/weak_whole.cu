/* SPDX-License-Identifier: MIT
 * All synchronous steps in one launch, what the paper could not have: every block is resident, and
 * they meet without the host. Bit for bit the same as scheme base.
 *
 * Borders of step s are read from one grid and written into the other, which are changed over
 * after every step. `barrier`: all blocks meet after each step. `flags`: a block waits for its four
 * neighbours alone. Why that is no race: a block raises its flag to s + 1, with release, after it
 * has read the borders of step s and written those of step s + 1; it goes on to step s + 1 when
 * each neighbour's flag, read with acquire, is at least s + 1. So what it reads of step s + 1 was
 * written before; and it writes borders of step s + 2, where those of step s were, only after its
 * neighbours have read those.
 *
 * On several GPUs each has its rows of blocks. A border that another GPU reads, and its flag, are
 * stored into that one's memory, both of system scope; the argument is the same.
 */
#include <cuda_runtime.h>
#include "kernels/machine/machine.h"
#include "traces/schedule/schedule.h"
#include "weak_block.cuh"
#include "weak_grid.cuh"
extern "C" {
#include "traces/base/util.h"
}

/* Own borders of step `step` are written; waits until those of the neighbours are. */
template <bool SEVERAL>
__device__ __forceinline__ void weak_meet_neighbours(const struct weak_launch &l, int block,
						     uint32_t step)
{
	uint32_t *flags = l.ages + WEAK_AGES;

	__syncthreads();
	if (threadIdx.x == 0) {
		uint32_t value = step;

		__threadfence();
		__nv_atomic_store(flags + 4 * block, &value, __NV_ATOMIC_RELEASE,
				  __NV_THREAD_SCOPE_DEVICE);
	}
	if (SEVERAL && threadIdx.x < 2) {
		const struct weak_peer *peer = weak_peer_beyond(l, block, (int)threadIdx.x);
		uint32_t value = step;

		__threadfence_system();
		if (peer)
			__nv_atomic_store(peer->ages + WEAK_AGES + 4 * block, &value,
					  __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_SYSTEM);
	}
	if (threadIdx.x < 4) {
		const int beside = weak_beside(&l.grid, block, (int)threadIdx.x);

		while (beside >= 0 && weak_acquire<SEVERAL>(flags + 4 * beside) < step)
			;
		if (SEVERAL)
			__threadfence_system();
		else
			__threadfence();
	}
	__syncthreads();
}

template <int RULE, bool FLAGS, bool SEVERAL>
__device__ __forceinline__ void weak_run_whole(const struct weak_launch &l)
{
	__shared__ struct weak_shared<RULE + 1> s;
	const int thread = (int)threadIdx.x, pitch = weak_pitch(&l.grid);
	const int64_t field = weak_values(&l.grid);
	float *grid[2] = { l.values, l.next };
	uint32_t met = 0;
	int done = 0;

	if (thread == 0)
		s.block = l.order[blockIdx.x];
	__syncthreads();
	const int64_t origin = weak_origin(l, s.block);
	const struct weak_seat seat = weak_sit(l, origin);

	for (int k = 0; k < 2 * (RULE + 1); k++)
		s.u[k / 2][seat.row + 1][seat.column[k & 1] + 1] =
			l.values[k / 2 * field + origin + (int64_t)seat.row * pitch +
				 seat.column[k & 1]];
	weak_receive(&s, l, l.values, origin, thread, WEAK_COMPUTING, true);
	__syncthreads();
	while (done < l.steps) {
		const bool checks = (done + 1) % l.every == 0 || done + 1 == l.steps;
		float most = 0;

		if (checks)
			weak_step<RULE, true>(&s, seat, l, &most);
		else
			weak_step<RULE, false>(&s, seat, l, &most);
		done++;
		weak_send(s, l, grid[done & 1], origin, thread, WEAK_COMPUTING);
		if (SEVERAL)
			weak_send_beyond(s, l, done & 1, origin);
		if (checks) {
			const int check = (done - 1) / l.every;
			uint32_t *word = l.status + WEAK_STATUS_CHANGE;

			/* Nobody raises the next one before all have met here. */
			if (thread == 0 && blockIdx.x == 0)
				word[(check + 1) % 3] = 0;
			weak_raise(word + check % 3, most);
			weak_meet_all<SEVERAL>(l, ++met, word + check % 3);
			const float change = weak_changed<SEVERAL>(l, word + check % 3);

			if (!(change > l.tolerance) || done == l.steps) {
				if (thread == 0 && blockIdx.x == 0)
					l.status[WEAK_STATUS_STEPS] = (uint32_t)done;
				break;
			}
			if (FLAGS && thread == 0) { /* all are here: none waits for it */
				uint32_t value = (uint32_t)done;
				__nv_atomic_store(l.ages + WEAK_AGES + 4 * s.block, &value,
						  __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
			}
		} else if (FLAGS) {
			weak_meet_neighbours<SEVERAL>(l, s.block, (uint32_t)done);
		} else {
			weak_meet_all<SEVERAL>(l, ++met);
		}
		weak_receive<RULE + 1, SEVERAL>(&s, l, grid[done & 1], origin, thread,
						WEAK_COMPUTING, false);
		__syncthreads();
	}
	for (int k = 0; k < 2 * (RULE + 1); k++)
		weak_put(&l.values[k / 2 * field + origin + (int64_t)seat.row * pitch +
				   seat.column[k & 1]],
			 s.u[k / 2][seat.row + 1][seat.column[k & 1] + 1]);
	/* The host reads the first word. */
	weak_meet_all<SEVERAL>(l, ++met);
	if (thread == 0 && blockIdx.x == 0) {
		uint32_t *word = l.status + WEAK_STATUS_CHANGE;

		word[0] = word[(done - 1) / l.every % 3];
	}
}

#define WHOLE(name, rule, flags)                                                                   \
	WEAK_KERNEL_OF(name, weak_whole_geometry, (WEAK_COMPUTING),                                \
		       (weak_run_whole<rule, flags, false>), (weak_run_whole<rule, flags, true>))

int weak_launch_whole(weak_kernel *kernel, weak_geometry *geometry, const void *args, void *stream)
{
	struct weak_launch l = *(const struct weak_launch *)args;
	struct launch_geometry g;
	void *arguments[] = { &l };

	geometry(&l, &g);
	const cudaError_t error =
		cudaLaunchCooperativeKernel(kernel, dim3(g.grid[0], g.grid[1], g.grid[2]),
					    dim3(g.block[0], g.block[1], g.block[2]), arguments,
					    g.shared_bytes, (cudaStream_t)stream);
	if (error == cudaErrorCooperativeLaunchTooLarge)
		report("scheme wants all %u blocks on the GPU at once, more than this one holds",
		       g.grid[0]);
	return error;
}

WHOLE(poisson_barrier, WEAK_POISSON, false)
WHOLE(poisson_flags, WEAK_POISSON, true)
WHOLE(shape_barrier, WEAK_SHAPE, false)
WHOLE(shape_flags, WEAK_SHAPE, true)

extern "C" const struct cuda_kernel weak_whole_kernels[] = {
	{ "poisson_barrier", launch_poisson_barrier },
	{ "poisson_flags", launch_poisson_flags },
	{ "shape_barrier", launch_shape_barrier },
	{ "shape_flags", launch_shape_flags },
	{ 0, 0 },
};
