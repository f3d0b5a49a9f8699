/* SPDX-License-Identifier: MIT
 * A program of up to eight virtual GPUs that uses NCCL, in front of a driver that does what its
 * streams allow in an order drawn at random.
 */
#ifndef WARPREEL_TESTS_NCCL_WORLD_H
#define WARPREEL_TESTS_NCCL_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "nccl_values.h"
#include "tests/standin/standin_recorder.h"
#include "tests/standin/standin_streams.h"

enum { RANKS = 8, COUNT_MOST = 1500, BYTES = COUNT_MOST * 8 * RANKS };

/* ---- a program of several GPUs ---- */

static struct world {
	int ranks;
	ncclComm_t comm[RANKS];
	cudaStream_t stream[RANKS];
	void *d_send[RANKS], *d_receive[RANKS], *h_send[RANKS];
} world;
static char garbage[BYTES];

static inline void open_world(int ranks)
{
	world.ranks = ranks;
	assert_int_equal(ncclCommInitAll(world.comm, ranks, NULL), 0);
	for (int r = 0; r < ranks; r++) {
		assert_int_equal(cudaSetDevice(r), cudaSuccess);
		world.stream[r] = standin_stream();
		assert_int_equal(cudaMalloc(&world.d_send[r], BYTES), cudaSuccess);
		assert_int_equal(cudaMalloc(&world.d_receive[r], BYTES), cudaSuccess);
		world.h_send[r] = malloc(BYTES);
	}
	assert_int_equal(cudaSetDevice(0), cudaSuccess);
}

static inline void close_world(void)
{
	for (int r = 0; r < world.ranks; r++) {
		assert_int_equal(ncclCommDestroy(world.comm[r]), 0);
		free(world.h_send[r]);
	}
	standin_finish();
}

/* Input of `count` elements a rank: written by something that stands in the stream before. */
static inline void fill(int type, size_t count)
{
	memset(garbage, 0xa5, sizeof(garbage));
	for (int r = 0; r < world.ranks; r++) {
		for (size_t i = 0; i < count; i++)
			set_random(world.h_send[r], type, i);
		memset(world.d_receive[r], 0x5a, BYTES);
		memset(world.d_send[r], 0x3c, BYTES);
		standin_write(world.stream[r], world.d_send[r], world.h_send[r],
			      count * (size_t)type_bytes[type]);
	}
}

/* What comes behind in the streams writes over the input: nobody may read it that late. */
static inline void finish(bool in_place)
{
	for (int r = 0; r < world.ranks; r++)
		if (!in_place)
			standin_write(world.stream[r], world.d_send[r], garbage, BYTES);
	standin_seed(draw());
	standin_finish();
}

typedef void each_fn(int type, int operation, size_t count, bool in_place);

static inline void check_all_reduce(int type, int operation, size_t count, bool in_place)
{
	void **to = in_place ? world.d_send : world.d_receive;

	fill(type, count);
	assert_int_equal(ncclGroupStart(), 0);
	for (int r = 0; r < world.ranks; r++)
		assert_int_equal(ncclAllReduce(world.d_send[r], to[r], count, type, operation,
					       world.comm[r], world.stream[r]),
				 0);
	assert_int_equal(ncclGroupEnd(), 0);
	finish(in_place);
	for (int r = 0; r < world.ranks; r++)
		for (size_t i = 0; i < count; i++)
			assert_true(is_reduced(to[r], i, world.h_send, world.ranks, i, type,
					       operation));
}

/* After how many seconds a wait is in vain, in processes forked from now on, too. Long, since a
 * machine may be busy; a test that waits in vain asks for fewer and gives them back. */
enum { PATIENT_S = 20, HASTY_S = 2 };

static inline void give_up_after(int seconds)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", seconds);
	setenv("WARPREEL_STUCK_S", text, 1);
}

/* Begins the program again behind our library where it is not yet; comes back only where that
 * fails. */
static inline void preload(char **argv)
{
	if (getenv("LD_PRELOAD"))
		return;
	setenv("LD_PRELOAD", VIRTUAL_LIBRARY, 1);
	setenv("WARPREEL_AS_GPUS", "8", 1);
	give_up_after(PATIENT_S);
	setenv("CUDA_INJECTION64_PATH", RECORDER_LIBRARY, 1);
	execv(argv[0], argv);
	_exit(1);
}

#endif
