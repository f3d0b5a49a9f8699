/* SPDX-License-Identifier: MIT
 * Kernels of the paper's eight schemes: a launch is what happens between two synchronizations with
 * the host (Table II). Striped and square ones differ in the order of ids alone.
 */
#include <cuda_runtime.h>
#include "kernels/machine/machine.h"
#include "traces/schedule/schedule.h"
#include "weak_block.cuh"
#include "weak_watch.cuh"

/* What a block notes of itself. */
enum { QUIET, CLOCKS, PACE };

/* Borders, by the threads of a block that communicate; done: steps of this launch. `sending` is
 * raised by the cycles until the last border was sent, where it is not NULL. */
template <int FIELDS>
__device__ __forceinline__ void weak_exchange(struct weak_shared<FIELDS> *s,
					      const struct weak_launch &l, int64_t origin,
					      int thread, int count, int done, uint32_t *sending)
{
	const uint32_t since = sending ? weak_cycles() : 0;

	weak_send(*s, l, l.values, origin, thread, count);
	if (sending)
		*sending += weak_cycles() - since;
	weak_receive(s, l, l.values, origin, thread, count, false);
	if (l.ages) /* all launches but the last are of as many steps */
		weak_note_ages(l, s->block, l.number * (uint32_t)l.steps + (uint32_t)done, thread,
			       count);
}

/* The first and the last row of nodes, of the blocks next to another GPU's. The end of the launch
 * is what its GPU waits for. */
template <int RULE>
__device__ __forceinline__ void weak_store_beside(const struct weak_shared<RULE + 1> &s,
						  const struct weak_launch &l,
						  const struct weak_seat &seat, int64_t origin)
{
	const int32_t row = s.block / l.grid.across, first = l.order[0] / l.grid.across,
		      last = first + weak_own_blocks(&l) / l.grid.across - 1;
	float *to = row == first && seat.row == 0	       ? l.above.next
		    : row == last && seat.row == WEAK_ROWS - 1 ? l.below.next
							       : NULL;

	for (int k = 0; k < 2 * (RULE + 1) && to; k++)
		to[k / 2 * weak_values(&l.grid) + origin + (int64_t)seat.row * weak_pitch(&l.grid) +
		   seat.column[k & 1]] = s.u[k / 2][seat.row + 1][seat.column[k & 1] + 1];
}

template <int RULE, bool LOOK, int WATCH>
__device__ __forceinline__ void weak_run(struct weak_shared<RULE + 1> *s,
					 const struct weak_launch &l)
{
	const int thread = (int)threadIdx.x, threads = (int)blockDim.x,
		  talkers = threads - WEAK_COMPUTING;
	const bool computes = thread < WEAK_COMPUTING;
	const int64_t origin = weak_origin(l, s->block), field = weak_values(&l.grid);
	const int pitch = weak_pitch(&l.grid);
	const bool watched = WATCH == CLOCKS && (thread == 0 || thread == WEAK_COMPUTING),
		   paced = WATCH == PACE && thread == 0;
	uint64_t *const watch = l.watch + (watched ? WEAK_WATCH_WORDS * s->block : 0);
	struct weak_durations stepped = { 0, 0, 0 }, exchanged = { 0, 0, 0 };
	uint32_t since = 0, loaded = 0, sending = 0, phases = 0;
	uint64_t *const pace = l.watch + (paced ? WEAK_PACE_WORDS * s->block : 0);
	struct weak_seat seat;
	float most = 0;

	if (watched && thread == 0) {
		watch[WEAK_WATCH_SM] = weak_multiprocessor();
		watch[WEAK_WATCH_BEGIN] = weak_now();
	}
	if (paced) {
		pace[WEAK_PACE_SM] = weak_multiprocessor();
		pace[WEAK_PACE_BEGIN] = weak_now();
		since = weak_cycles();
	}
	if (computes) {
		seat = weak_sit(l, origin);
		for (int k = 0; k < 2 * (RULE + 1); k++)
			s->u[k / 2][seat.row + 1][seat.column[k & 1] + 1] =
				l.values[k / 2 * field + origin + (int64_t)seat.row * pitch +
					 seat.column[k & 1]];
	}
	weak_receive(s, l, l.values, origin, thread, threads, true);
	__syncthreads();
	if (watched) {
		if (thread == 0)
			watch[WEAK_WATCH_LOADED] = weak_now();
		loaded = weak_cycles();
	}
	for (int done = 0; done < l.steps;) {
		const int left = l.steps - done, phase = left < l.every ? left : l.every;

		if (watched)
			since = weak_cycles();
		if (computes) {
			for (int k = 1; k < phase; k++)
				weak_step<RULE, false>(s, seat, l, &most);
			if (LOOK && done + phase == l.steps)
				weak_step<RULE, true>(s, seat, l, &most);
			else
				weak_step<RULE, false>(s, seat, l, &most);
			if (watched)
				weak_note_duration(&stepped, weak_cycles() - since);
		} else if (l.talk && done > 0) {
			weak_exchange(s, l, origin, thread - WEAK_COMPUTING, talkers, done,
				      watched ? &sending : NULL);
			if (watched)
				weak_note_duration(&exchanged, weak_cycles() - since);
		}
		done += phase;
		__syncthreads();
		if (paced && phases < WEAK_PACE_WORDS - WEAK_PACE_ENDS)
			pace[WEAK_PACE_ENDS + phases++] = weak_cycles() - since;
		if (talkers == 0 && l.talk && done < l.steps) {
			if (watched)
				since = weak_cycles();
			weak_exchange(s, l, origin, thread, threads, done,
				      watched ? &sending : NULL);
			if (watched)
				weak_note_duration(&exchanged, weak_cycles() - since);
			__syncthreads();
		}
	}
	if (watched && thread == 0) {
		watch[WEAK_WATCH_STEPPED] = weak_now();
		watch[WEAK_WATCH_CYCLES] = weak_cycles() - loaded;
		weak_put_durations(watch + WEAK_WATCH_STEPS, &stepped);
	}
	/* The first thread of those that communicate. */
	if (watched && thread == (talkers ? WEAK_COMPUTING : 0)) {
		weak_put_durations(watch + WEAK_WATCH_EXCHANGES, &exchanged);
		watch[WEAK_WATCH_SENDING] = sending;
		watch[WEAK_WATCH_MADE] = (uint64_t)l.steps;
	}
	if (paced)
		pace[WEAK_PACE_PHASES] = phases;
	if (computes) {
		for (int k = 0; k < 2 * (RULE + 1); k++)
			weak_put(&l.next[k / 2 * field + origin + (int64_t)seat.row * pitch +
					 seat.column[k & 1]],
				 s->u[k / 2][seat.row + 1][seat.column[k & 1] + 1]);
		if (LOOK) /* of scheme base, which alone runs on several GPUs */
			weak_store_beside<RULE>(*s, l, seat, origin);
		if (LOOK)
			weak_raise(l.status + WEAK_STATUS_CHANGE + l.number % 3, most);
	}
	if (l.combine)
		weak_send(*s, l, l.values, origin, thread, threads);
	if (watched && thread == 0)
		watch[WEAK_WATCH_END] = weak_now();
}

/* Blocks by their number; or, where fewer places are resident, as a place is free: ids in order. */
template <int RULE, bool LOOK, int WATCH>
__device__ __forceinline__ void weak_take_places(const struct weak_launch &l)
{
	__shared__ struct weak_shared<RULE + 1> shared;
	const uint32_t blocks = (uint32_t)weak_own_blocks(&l);

	if (LOOK && blockIdx.x == 0 && threadIdx.x == 0)
		l.status[WEAK_STATUS_CHANGE + (l.number + 1) % 3] = 0;
	if (gridDim.x == blocks) {
		if (threadIdx.x == 0)
			shared.block = l.order[blockIdx.x];
		__syncthreads();
		weak_run<RULE, LOOK, WATCH>(&shared, l);
		return;
	}
	for (;;) {
		__syncthreads();
		if (threadIdx.x == 0) {
			/* Of every launch before, each place has taken one that was none. */
			const uint32_t id = atomicAdd(l.status + WEAK_STATUS_TICKET, 1u) -
					    l.number * (blocks + gridDim.x);

			shared.block = id < blocks ? l.order[id] : -1;
		}
		__syncthreads();
		if (shared.block < 0)
			return;
		weak_run<RULE, LOOK, WATCH>(&shared, l);
	}
}

template <int RULE> __device__ __forceinline__ void weak_residual(const struct weak_launch &l)
{
	__shared__ struct weak_shared<RULE + 1> s;
	const int64_t field = weak_values(&l.grid);
	const int pitch = weak_pitch(&l.grid);
	float most = 0;

	if (blockIdx.x == 0 && threadIdx.x == 0)
		l.status[WEAK_STATUS_CHANGE + (l.number + 1) % 3] = 0;
	s.block = (int)blockIdx.x;
	__syncthreads();
	const int64_t origin = weak_origin(l, s.block);
	const struct weak_seat seat = weak_sit(l, origin);

	for (int k = 0; k < 2 * (RULE + 1); k++)
		s.u[k / 2][seat.row + 1][seat.column[k & 1] + 1] =
			l.values[k / 2 * field + origin + (int64_t)seat.row * pitch +
				 seat.column[k & 1]];
	weak_receive(&s, l, l.values, origin, (int)threadIdx.x, WEAK_COMPUTING, true);
	__syncthreads();
	for (int colour = 0; colour < 2; colour++) {
		const struct weak_pair next = weak_next<RULE>(s, seat, colour, l.terms);
		const int r = seat.row + 1, c = seat.column[colour] + 1;

		most = weak_larger(most, fabsf(next.f - s.u[0][r][c]));
		if (RULE == WEAK_SHAPE)
			most = weak_larger(most, fabsf(next.g - s.u[RULE][r][c]));
	}
	weak_raise(l.status + WEAK_STATUS_CHANGE + l.number % 3, most);
}

typedef void weak_kernel(const struct weak_launch l);

static int launch(weak_kernel *kernel, const void *args, void *stream,
		  void (*geometry)(const void *args, struct launch_geometry *geometry))
{
	struct weak_launch l = *(const struct weak_launch *)args;
	struct launch_geometry g;
	void *arguments[] = { &l };

	geometry(&l, &g);
	return cudaLaunchKernel(kernel, dim3(g.grid[0], g.grid[1], g.grid[2]),
				dim3(g.block[0], g.block[1], g.block[2]), arguments, g.shared_bytes,
				(cudaStream_t)stream);
}

#define WEAK_THREADS __launch_bounds__(WEAK_COMPUTING + 128)
/* A kernel, and those beside it that are watched: clocks would cost it registers. Whose pace is
 * noted has as many as it, so that as many blocks are resident. */
#define STEPS(name, rule, check)                                                                   \
	extern "C" __global__ void WEAK_THREADS name(const struct weak_launch l)                   \
	{                                                                                          \
		block_note<block_note_id(#name)> note;                                             \
		weak_take_places<rule, check, QUIET>(l);                                           \
	}                                                                                          \
	extern "C" __global__ void WEAK_THREADS name##_watched(const struct weak_launch l)         \
	{                                                                                          \
		weak_take_places<rule, check, CLOCKS>(l);                                          \
	}                                                                                          \
	extern "C" __global__ void __maxnreg__(rule == WEAK_SHAPE ? 56 : 40)                       \
		name##_paced(const struct weak_launch l)                                           \
	{                                                                                          \
		weak_take_places<rule, check, PACE>(l);                                            \
	}                                                                                          \
	static int launch_##name(const void *args, void *stream)                                   \
	{                                                                                          \
		const struct weak_launch *l = (const struct weak_launch *)args;                    \
		weak_kernel *kernel = !l->watch ? name : l->paced ? name##_paced : name##_watched; \
                                                                                                   \
		return launch(kernel, args, stream, weak_steps_geometry);                          \
	}
#define RESIDUAL(name, rule)                                                                       \
	extern "C" __global__ void WEAK_THREADS name(const struct weak_launch l)                   \
	{                                                                                          \
		block_note<block_note_id(#name)> note;                                             \
		weak_residual<rule>(l);                                                            \
	}                                                                                          \
	static int launch_##name(const void *args, void *stream)                                   \
	{                                                                                          \
		return launch(name, args, stream, weak_residual_geometry);                         \
	}

STEPS(poisson_base, WEAK_POISSON, true)
STEPS(poisson_coarse, WEAK_POISSON, false)
STEPS(poisson_ud, WEAK_POISSON, false)
STEPS(poisson_4w, WEAK_POISSON, false)
STEPS(poisson_4w_combine, WEAK_POISSON, false)
STEPS(shape_base, WEAK_SHAPE, true)
STEPS(shape_coarse, WEAK_SHAPE, false)
STEPS(shape_ud, WEAK_SHAPE, false)
STEPS(shape_4w, WEAK_SHAPE, false)
STEPS(shape_4w_combine, WEAK_SHAPE, false)
RESIDUAL(poisson_residual, WEAK_POISSON)
RESIDUAL(shape_residual, WEAK_SHAPE)

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, launch_##name                                                               \
	}
extern "C" const struct cuda_kernel weak_steps_kernels[] = {
	ROW(poisson_base),
	ROW(poisson_coarse),
	ROW(poisson_ud),
	ROW(poisson_4w),
	ROW(poisson_4w_combine),
	ROW(shape_base),
	ROW(shape_coarse),
	ROW(shape_ud),
	ROW(shape_4w),
	ROW(shape_4w_combine),
	ROW(poisson_residual),
	ROW(shape_residual),
	{ 0, 0 },
};
