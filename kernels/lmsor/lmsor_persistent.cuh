/* SPDX-License-Identifier: MIT
 * The body of lmsor_persistent: a band from the first iteration to the last, and the checks of
 * max|u| on the way.
 *
 * At a check every band votes, by an atomic sum, and goes on; what all voted is read LMSOR_LAG
 * iterations later. So nobody waits for the slowest band of one iteration, only for the average of
 * a few. Values are saved at each check, a checkpoint: when it was the end, they are restored, and
 * what was done since is lost.
 */
#ifndef WARPREEL_LMSOR_PERSISTENT_CUH
#define WARPREEL_LMSOR_PERSISTENT_CUH

#include "lmsor_band.cuh"

template <int ROWS>
__device__ __forceinline__ void lmsor_take(const struct lmsor_thread &thread,
					   const struct lmsor_pair column[2],
					   struct lmsor_held<ROWS> *held)
{
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		const struct lmsor_pair &y = thread.block->vertical[r];

#pragma unroll
		for (int colour = 0; colour < 2; colour++) {
			const struct lmsor_pair &x = column[(r + colour) & 1];

			held->u[colour][r] = *lmsor_at(thread, r, colour);
			held->omega[colour][r] =
				lmsor_relaxation(&thread.loop->problem, colour, x.root, y.root,
						 x.positive && y.positive);
		}
	}
}

template <int ROWS>
__device__ __forceinline__ void lmsor_give(const struct lmsor_thread &thread,
					   const struct lmsor_held<ROWS> &held)
{
#pragma unroll
	for (int r = 0; r < ROWS; r++)
#pragma unroll
		for (int colour = 0; colour < 2; colour++)
			if (thread.inside[(r + colour) & 1])
				*lmsor_at(thread, r, colour) = held.u[colour][r];
}

/* A thread's checkpoint: its values, saved in shared memory and restored from there. */
template <int ROWS>
__device__ __forceinline__ double *lmsor_checkpoint(const struct lmsor_thread &thread, int slot)
{
	return thread.kept + (slot * 2 * ROWS) * blockDim.x + threadIdx.x;
}

template <int ROWS>
__device__ __forceinline__ void lmsor_save(const struct lmsor_thread &thread,
					   const struct lmsor_held<ROWS> &held, int slot)
{
	double *checkpoint = lmsor_checkpoint<ROWS>(thread, slot);

#pragma unroll
	for (int k = 0; k < 2 * ROWS; k++)
		checkpoint[k * blockDim.x] = held.u[k & 1][k / 2];
}

template <int ROWS>
__device__ __forceinline__ void lmsor_restore(const struct lmsor_thread &thread,
					      struct lmsor_held<ROWS> *held, int slot)
{
	const double *checkpoint = lmsor_checkpoint<ROWS>(thread, slot);

#pragma unroll
	for (int k = 0; k < 2 * ROWS; k++)
		held->u[k & 1][k / 2] = checkpoint[k * blockDim.x];
}

/* The greatest |u| of the thread, as bits; of type uint32_t, their upper half. */
template <typename WORD, int ROWS>
__device__ __forceinline__ WORD lmsor_most(const struct lmsor_thread &thread,
					   const struct lmsor_held<ROWS> &held)
{
	WORD most[2] = { 0, 0 }; /* of the two columns */

#pragma unroll
	for (int r = 0; r < ROWS; r++)
#pragma unroll
		for (int colour = 0; colour < 2; colour++) {
			const WORD one = (WORD)(lmsor_magnitude(held.u[colour][r]) >>
						(64 - 8 * sizeof(WORD)));
			const int x = (r + colour) & 1;

			most[x] = one > most[x] ? one : most[x];
		}
	for (int x = 0; x < 2; x++)
		most[x] = thread.inside[x] ? most[x] : 0;
	return most[0] > most[1] ? most[0] : most[1];
}

/* A thread's part of a check. Upper halves decide unless they are those of the tolerance. */
template <int ROWS>
__device__ __forceinline__ void lmsor_check(const struct lmsor_thread &thread,
					    const struct lmsor_held<ROWS> &held)
{
	const uint64_t stop_at = thread.loop->stop_at;
	const uint32_t most = lmsor_most<uint32_t, ROWS>(thread, held),
		       upper = (uint32_t)(stop_at >> 32);

	if (most > upper || (most == upper && lmsor_most<uint64_t, ROWS>(thread, held) > stop_at))
		thread.block->above = 1;
	if (most >= 0x7ff00000u)
		thread.block->lost = 1;
}

/*
 * What the threads of a block found at a check, added to a word that counts bands: all, those with
 * a value above the tolerance, and those with one that is no number; 16 bits each, the last 32.
 */
__device__ __forceinline__ void lmsor_vote(const struct lmsor_thread &thread, lmsor_word *count)
{
	atomicAdd(count,
		  1 | (lmsor_word)thread.block->above << 16 | (lmsor_word)thread.block->lost << 32);
	thread.block->above = 0;
}

__device__ __forceinline__ lmsor_word lmsor_counted(lmsor_word *count)
{
	lmsor_word sum;

	__nv_atomic_load(count, &sum, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
	return sum;
}

/* Waits until all bands have added; returns whether that was the end. */
__device__ __forceinline__ bool lmsor_ends(const struct lmsor_thread &thread, lmsor_word *count,
					   lmsor_word sum)
{
	while ((sum & 0xffff) != (lmsor_word)thread.loop->bands)
		sum = lmsor_counted(count);
	return thread.loop->stop_at != UINT64_MAX && ((sum >> 16 & 0xffff) == 0 || sum >> 32 > 0);
}

/* All threads of all blocks have come here, and see what each other wrote before. */
__device__ __forceinline__ void lmsor_meet(const struct lmsor_thread &thread, lmsor_word *count)
{
	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		atomicAdd(count, (lmsor_word)1);
		lmsor_ends(thread, count, 0);
		__threadfence();
	}
	__syncthreads();
}

/*
 * Iterations until `last`, or until a check has found the end; returns how many were made. All that
 * checks want is done while flags are on their way.
 */
template <int ROWS>
__device__ __forceinline__ int lmsor_iterate(const struct lmsor_thread &thread,
					     struct lmsor_held<ROWS> *held, lmsor_word *count)
{
	const int last = thread.loop->iterations, every = thread.loop->check_every;
	lmsor_word *due = count; /* the checks to come, the one to be waited for */
	unsigned checked = 0;	 /* bit k: after the iteration k before the last one made */
	int done = 0, next = every, slot = 0;

	while (done < last) {
		const unsigned number = 2 * (unsigned)done;
		const bool checks = checked & 1, waits = checked >> (LMSOR_LAG - 1) & 1;
		lmsor_word sum = 0;
		struct lmsor_requests requested = lmsor_request_beyond<0, ROWS>(thread, number);

		if (checked) {
			if (checked >> LMSOR_LAG & 1) {
				if (thread.block->ended) {
					lmsor_restore<ROWS>(thread, held, slot);
					return done - LMSOR_LAG;
				}
				due++;
			}
			if (checks) {
				lmsor_save<ROWS>(thread, *held, slot);
				lmsor_check<ROWS>(thread, *held);
			}
			if (waits && threadIdx.x == 0)
				sum = lmsor_counted(due);
		}
		lmsor_half<0, ROWS>(thread, held, number, requested);
		__syncthreads();
		requested = lmsor_request_beyond<1, ROWS>(thread, number + 1);
		if (checked && threadIdx.x == 0) {
			if (checks)
				lmsor_vote(thread, count);
			if (waits)
				thread.block->ended = lmsor_ends(thread, due, sum);
		}
		lmsor_half<1, ROWS>(thread, held, number + 1, requested);
		__syncthreads();
		count += checks;
		slot = slot + 1 < LMSOR_LAG ? slot + 1 : 0;
		done++;
		checked = checked << 1 & ((2u << LMSOR_LAG) - 1);
		if (done == next) {
			checked |= 1;
			next += every;
		}
	}
	/* The checks whose answer nobody has read; that of the last iteration would change nothing.
	 */
	for (int ago = LMSOR_LAG; ago > 0; ago--) {
		if (!(checked >> ago & 1))
			continue;
		if (threadIdx.x == 0)
			thread.block->ended = lmsor_ends(thread, due, 0);
		due++;
		__syncthreads();
		if (thread.block->ended) {
			lmsor_restore<ROWS>(thread, held, (slot + LMSOR_LAG - ago) % LMSOR_LAG);
			return done - ago;
		}
		__syncthreads(); /* all have read it */
	}
	return done;
}

/* A band of ROWS rows from begin to end; column: the pairs of the thread's two columns. */
template <int ROWS>
__device__ __forceinline__ void lmsor_run_band(const struct lmsor_thread &thread,
					       const struct lmsor_pair column[2])
{
	lmsor_word *scoreboard = (lmsor_word *)thread.loop->scoreboard;
	struct lmsor_held<ROWS> held;

	lmsor_take<ROWS>(thread, column, &held);
	lmsor_leave<1, ROWS>(thread, held);
	lmsor_tell<1, ROWS>(thread, held, 0, 0);
	lmsor_tell<1, ROWS>(thread, held, 1, 0);
	/* No mailbox holds what an earlier launch left. */
	lmsor_meet(thread, scoreboard + SCOREBOARD_COUNTS);

	const int done = lmsor_iterate<ROWS>(thread, &held, scoreboard + SCOREBOARD_COUNTS + 1);
	uint64_t most = lmsor_most<uint64_t, ROWS>(thread, held);

	lmsor_give<ROWS>(thread, held);
	for (int step = 16; step > 0; step /= 2) {
		const uint64_t beside = __shfl_sync(0xffffffffu, most, thread.lane ^ step);

		most = beside > most ? beside : most;
	}
	if (thread.lane == 0)
		atomicMax(scoreboard + SCOREBOARD_NORM, (lmsor_word)most);
	if (threadIdx.x == 0 && thread.band == 0)
		scoreboard[SCOREBOARD_DONE] = (lmsor_word)done;
}

#endif
