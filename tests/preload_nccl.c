/* SPDX-License-Identifier: MIT
 * NCCL's operations between virtual GPUs, in front of a driver that does what its streams allow in
 * an order drawn at random. The test is a program of up to eight GPUs; it works out itself what
 * each operation has to give.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cuda_runtime_api.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/standin/standin_nccl.h"
#include "tests/standin/standin_recorder.h"
#include "tests/standin/standin_streams.h"
#include "traces/virtual/nccl_reduce.h"

enum { RANKS = 8, COUNT_MOST = 1500, BYTES = COUNT_MOST * 8 * RANKS };
static const int type_bytes[NCCL_TYPES] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1 };

static uint64_t draw(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 8;
}

/* ---- what numbers mean, written down a second time ---- */

/* The value of a code of `exponent` and `mantissa` bits by the formula of its standard. */
static double value_of(uint32_t code, int exponent, int mantissa, bool infinities)
{
	const int bias = (1 << (exponent - 1)) - 1;
	const uint32_t e = code >> mantissa & ((1u << exponent) - 1),
		       m = code & ((1u << mantissa) - 1);
	const double sign = code >> (exponent + mantissa) & 1 ? -1 : 1;

	if (e == (1u << exponent) - 1 && (infinities || m == (1u << mantissa) - 1))
		return m ? NAN : sign * INFINITY;
	return sign * (e ? 1 + m / pow(2, mantissa) : m / pow(2, mantissa)) *
	       pow(2, (e ? (int)e : 1) - bias);
}

static void bits_of(int type, int *exponent, int *mantissa, bool *infinities)
{
	static const struct {
		int exponent, mantissa;
		bool infinities;
	} of[NCCL_TYPES] = { [NCCL_FLOAT16] = { 5, 10, true },
			     [NCCL_BFLOAT16] = { 8, 7, true },
			     [NCCL_FLOAT8_E4M3] = { 4, 3, false },
			     [NCCL_FLOAT8_E5M2] = { 5, 2, true } };

	*exponent = of[type].exponent;
	*mantissa = of[type].mantissa;
	*infinities = of[type].infinities;
}

static bool is_narrow(int type)
{
	return type == NCCL_FLOAT16 || type >= NCCL_BFLOAT16;
}

static bool is_integer(int type)
{
	return type <= NCCL_UINT64;
}

static uint64_t raw(const void *at, int type, size_t i)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)at + i * (size_t)type_bytes[type], (size_t)type_bytes[type]);
	return value;
}

static double real_of(const void *at, int type, size_t i)
{
	int exponent, mantissa;
	bool infinities;

	if (type == NCCL_FLOAT32)
		return (double)((const float *)at)[i];
	if (type == NCCL_FLOAT64)
		return ((const double *)at)[i];
	bits_of(type, &exponent, &mantissa, &infinities);
	return value_of((uint32_t)raw(at, type, i), exponent, mantissa, infinities);
}

static int64_t integer_of(const void *at, int type, size_t i)
{
	const int shift = 64 - 8 * type_bytes[type];
	const uint64_t bits = raw(at, type, i) << shift;

	return type % 2 ? (int64_t)(bits >> shift) : (int64_t)bits >> shift;
}

static bool is_less(int64_t a, int64_t b, int type)
{
	return type % 2 ? (uint64_t)a < (uint64_t)b : a < b;
}

/* Sets element i of `at` to something small enough that sums and products stay finite. */
static void set_random(void *at, int type, size_t i)
{
	const double value = (double)(draw() % 4001) / 1000 - 2;
	int exponent, mantissa;
	bool infinities;
	uint64_t bits = draw() << 40 ^ draw();

	if (type == NCCL_FLOAT32)
		((float *)at)[i] = (float)value;
	else if (type == NCCL_FLOAT64)
		((double *)at)[i] = value;
	else {
		if (is_narrow(type)) {
			bits_of(type, &exponent, &mantissa, &infinities);
			do /* below 2 in size */
				bits = draw() & ((1u << (exponent + mantissa + 1)) - 1);
			while (!(fabs(value_of((uint32_t)bits, exponent, mantissa, infinities)) <
				 2));
		}
		memcpy((char *)at + i * (size_t)type_bytes[type], &bits, (size_t)type_bytes[type]);
	}
}

/* Whether element `at` of `got` is what the operation makes of element `from` of all ranks. */
static bool is_reduced(const void *got, size_t at, void *const *source, int ranks, size_t from,
		       int type, int operation)
{
	double value, sizes, want;

	if (is_integer(type)) {
		int64_t all = integer_of(source[0], type, from), held;

		for (int r = 1; r < ranks; r++) {
			const int64_t next = integer_of(source[r], type, from);

			if (operation == NCCL_PRODUCT)
				all = (int64_t)((uint64_t)all * (uint64_t)next);
			else if (operation == NCCL_MAXIMUM)
				all = is_less(all, next, type) ? next : all;
			else if (operation == NCCL_MINIMUM)
				all = is_less(next, all, type) ? next : all;
			else
				all = (int64_t)((uint64_t)all + (uint64_t)next);
		}
		held = all; /* as the type holds it */
		held = integer_of(memcpy(&(int64_t){ 0 }, &all, 8), type, 0);
		if (operation == NCCL_AVERAGE)
			held = type % 2 ? (int64_t)((uint64_t)held / (unsigned)ranks)
					: held / ranks;
		return integer_of(got, type, at) == held;
	}
	want = real_of(source[0], type, from);
	sizes = fabs(want);
	for (int r = 1; r < ranks; r++) {
		value = real_of(source[r], type, from);
		sizes += fabs(value);
		want = operation == NCCL_PRODUCT   ? want * value
		       : operation == NCCL_MAXIMUM ? fmax(want, value)
		       : operation == NCCL_MINIMUM ? fmin(want, value)
						   : want + value;
	}
	if (operation == NCCL_AVERAGE)
		want /= ranks;
	value = real_of(got, type, at);
	if (operation == NCCL_MAXIMUM || operation == NCCL_MINIMUM)
		return value == want;
	if (!is_narrow(type)) {
		const double rounding = type == NCCL_FLOAT32 ? 0x1p-23 : 0x1p-52;

		sizes = operation == NCCL_PRODUCT ? fabs(want) + 0x1p-140 : sizes;
		return fabs(value - want) <= ranks * rounding * sizes;
	}
	/* The nearest value there is, or its neighbour where rounding twice went the other way. */
	int exponent, mantissa;
	bool infinities;
	bits_of(type, &exponent, &mantissa, &infinities);
	const double step =
		pow(2, fmax(floor(log2(fmax(fabs(want), 1e-300))), 2 - (1 << (exponent - 1))) -
			       mantissa);
	return fabs(value - want) <= 0.5000001 * step + 0x1p-22 * sizes;
}

/* ---- a program of several GPUs ---- */

static struct world {
	int ranks;
	ncclComm_t comm[RANKS];
	cudaStream_t stream[RANKS];
	void *d_send[RANKS], *d_receive[RANKS], *h_send[RANKS];
} world;
static char garbage[BYTES];

static void open_world(int ranks)
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

static void close_world(void)
{
	for (int r = 0; r < world.ranks; r++) {
		assert_int_equal(ncclCommDestroy(world.comm[r]), 0);
		free(world.h_send[r]);
	}
	standin_finish();
}

/* Input of `count` elements a rank: written by something that stands in the stream before. */
static void fill(int type, size_t count)
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
static void finish(bool in_place)
{
	for (int r = 0; r < world.ranks; r++)
		if (!in_place)
			standin_write(world.stream[r], world.d_send[r], garbage, BYTES);
	standin_seed(draw());
	standin_finish();
}

typedef void each_fn(int type, int operation, size_t count, bool in_place);

static void check_all_reduce(int type, int operation, size_t count, bool in_place)
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

static void check_reduce(int type, int operation, size_t count, bool in_place)
{
	const int root = (int)(draw() % (unsigned)world.ranks);
	void **to = in_place ? world.d_send : world.d_receive;

	fill(type, count);
	assert_int_equal(ncclGroupStart(), 0);
	for (int r = 0; r < world.ranks; r++)
		assert_int_equal(ncclReduce(world.d_send[r], to[r], count, type, operation, root,
					    world.comm[r], world.stream[r]),
				 0);
	assert_int_equal(ncclGroupEnd(), 0);
	finish(in_place);
	for (size_t i = 0; i < count; i++)
		assert_true(is_reduced(to[root], i, world.h_send, world.ranks, i, type, operation));
	for (int r = 0; r < world.ranks && count; r++) /* nobody else's is touched */
		if (r != root && !in_place)
			assert_int_equal(*(unsigned char *)to[r], 0x5a);
}

static void check_reduce_scatter(int type, int operation, size_t count, bool in_place)
{
	const size_t bytes = count * (size_t)type_bytes[type];

	fill(type, count * (size_t)world.ranks);
	assert_int_equal(ncclGroupStart(), 0);
	for (int r = 0; r < world.ranks; r++)
		assert_int_equal(
			ncclReduceScatter(world.d_send[r],
					  in_place ? (char *)world.d_send[r] + (size_t)r * bytes
						   : world.d_receive[r],
					  count, type, operation, world.comm[r], world.stream[r]),
			0);
	assert_int_equal(ncclGroupEnd(), 0);
	finish(in_place);
	for (int r = 0; r < world.ranks; r++)
		for (size_t i = 0; i < count; i++)
			assert_true(is_reduced(in_place
						       ? (char *)world.d_send[r] + (size_t)r * bytes
						       : world.d_receive[r],
					       i, world.h_send, world.ranks, (size_t)r * count + i,
					       type, operation));
}

static void for_all(each_fn *check)
{
	static const size_t count[] = { 0, 1, 2, 7, 64, 257 };
	static const int ranks[] = { 2, 3, 4, 8 };

	for (size_t n = 0; n < sizeof(ranks) / sizeof(ranks[0]); n++) {
		open_world(ranks[n]);
		for (int type = 0; type < NCCL_TYPES; type++)
			for (int operation = 0; operation < NCCL_OPERATIONS; operation++)
				for (size_t c = 0; c < sizeof(count) / sizeof(count[0]); c++)
					check(type, operation, count[c], draw() & 1);
		close_world();
	}
}

static void all_reduce_gives_all_ranks_the_same(void **state)
{
	(void)state;
	for_all(check_all_reduce);
}

static void reduce_gives_it_to_the_root_alone(void **state)
{
	(void)state;
	for_all(check_reduce);
}

static void reduce_scatter_gives_each_rank_its_part(void **state)
{
	(void)state;
	for_all(check_reduce_scatter);
}

/* ---- what only copies ---- */

static void check_all_gather(int type, int unused, size_t count, bool in_place)
{
	const size_t bytes = count * (size_t)type_bytes[type];

	(void)unused;
	fill(type, count);
	for (int r = 0; r < world.ranks && in_place; r++)
		standin_write(world.stream[r], (char *)world.d_receive[r] + (size_t)r * bytes,
			      world.h_send[r], bytes);
	assert_int_equal(ncclGroupStart(), 0);
	for (int r = 0; r < world.ranks; r++)
		assert_int_equal(
			ncclAllGather(in_place ? (char *)world.d_receive[r] + (size_t)r * bytes
					       : world.d_send[r],
				      world.d_receive[r], count, type, world.comm[r],
				      world.stream[r]),
			0);
	assert_int_equal(ncclGroupEnd(), 0);
	finish(in_place);
	for (int r = 0; r < world.ranks; r++)
		for (int from = 0; from < world.ranks && bytes; from++)
			assert_memory_equal((char *)world.d_receive[r] + (size_t)from * bytes,
					    world.h_send[from], bytes);
}

static void check_broadcast(int type, int unused, size_t count, bool in_place)
{
	const size_t bytes = count * (size_t)type_bytes[type];
	const int root = (int)(draw() % (unsigned)world.ranks);
	void **to = in_place ? world.d_send : world.d_receive;

	(void)unused;
	fill(type, count);
	assert_int_equal(ncclGroupStart(), 0);
	for (int r = 0; r < world.ranks; r++)
		assert_int_equal(in_place ? ncclBcast(world.d_send[r], count, type, root,
						      world.comm[r], world.stream[r])
					  : ncclBroadcast(world.d_send[r], to[r], count, type, root,
							  world.comm[r], world.stream[r]),
				 0);
	assert_int_equal(ncclGroupEnd(), 0);
	finish(in_place);
	for (int r = 0; r < world.ranks && bytes; r++)
		assert_memory_equal(to[r], world.h_send[root], bytes);
}

/* Everybody to everybody else, to itself as well. */
static void check_all_to_all(int type, int by_hand, size_t count, bool unused)
{
	const size_t bytes = count * (size_t)type_bytes[type];

	(void)unused;
	fill(type, count * (size_t)world.ranks);
	assert_int_equal(ncclGroupStart(), 0);
	for (int r = 0; r < world.ranks; r++) {
		if (!(by_hand & 1))
			assert_int_equal(ncclAlltoAll(world.d_send[r], world.d_receive[r], count,
						      type, world.comm[r], world.stream[r]),
					 0);
		for (int peer = 0; by_hand & 1 && peer < world.ranks; peer++) {
			assert_int_equal(ncclSend((char *)world.d_send[r] + (size_t)peer * bytes,
						  count, type, peer, world.comm[r],
						  world.stream[r]),
					 0);
			assert_int_equal(ncclRecv((char *)world.d_receive[r] + (size_t)peer * bytes,
						  count, type, peer, world.comm[r],
						  world.stream[r]),
					 0);
		}
	}
	assert_int_equal(ncclGroupEnd(), 0);
	finish(false);
	for (int r = 0; r < world.ranks; r++)
		for (int from = 0; from < world.ranks && bytes; from++)
			assert_memory_equal((char *)world.d_receive[r] + (size_t)from * bytes,
					    (char *)world.h_send[from] + (size_t)r * bytes, bytes);
}

static void check_gather_and_scatter(int type, int unused, size_t count, bool gathers)
{
	const size_t bytes = count * (size_t)type_bytes[type];
	const int root = (int)(draw() % (unsigned)world.ranks);

	(void)unused;
	fill(type, count * (size_t)world.ranks);
	assert_int_equal(ncclGroupStart(), 0);
	for (int r = 0; r < world.ranks; r++)
		assert_int_equal((gathers ? ncclGather : ncclScatter)(
					 world.d_send[r], world.d_receive[r], count, type, root,
					 world.comm[r], world.stream[r]),
				 0);
	assert_int_equal(ncclGroupEnd(), 0);
	finish(false);
	for (int r = 0; r < world.ranks && bytes; r++)
		if (gathers)
			assert_memory_equal((char *)world.d_receive[root] + (size_t)r * bytes,
					    world.h_send[r], bytes);
		else
			assert_memory_equal(world.d_receive[r],
					    (char *)world.h_send[root] + (size_t)r * bytes, bytes);
}

static void all_gather_puts_ranks_side_by_side(void **state)
{
	(void)state;
	for_all(check_all_gather);
}

static void broadcast_gives_all_what_the_root_has(void **state)
{
	(void)state;
	for_all(check_broadcast);
}

static void sends_of_a_group_meet_their_receives(void **state)
{
	(void)state;
	for_all(check_all_to_all);
}

static void gather_and_scatter_are_of_the_root(void **state)
{
	(void)state;
	for_all(check_gather_and_scatter);
}

/* ---- threads ---- */

static ncclUniqueId shared_id;
static pthread_barrier_t barrier;

struct thread_of {
	int rank, ranks;
	long wrong;
};

/* A chain of operations on one stream, each on what the one before gave: sums of whole numbers. */
static void *chain(void *argument)
{
	struct thread_of *of = argument;
	const int ranks = of->ranks, rank = of->rank, next = (rank + 1) % ranks,
		  last = (rank + ranks - 1) % ranks;
	enum { N = 33 };
	ncclComm_t comm = NULL, half = NULL;
	int64_t *d_a, *d_b, h[N], want;
	int count = 0, number = -1, device = -1;
	cudaStream_t stream;

	of->wrong += cudaSetDevice(ranks - 1 - rank) != cudaSuccess;
	of->wrong += ncclCommInitRank(&comm, ranks, shared_id, rank) != 0;
	of->wrong += ncclCommCount(comm, &count) || count != ranks;
	of->wrong += ncclCommUserRank(comm, &number) || number != rank;
	of->wrong += ncclCommCuDevice(comm, &device) || device != ranks - 1 - rank;
	stream = standin_stream();
	of->wrong += cudaMalloc((void **)&d_a, sizeof(h)) != cudaSuccess;
	of->wrong += cudaMalloc((void **)&d_b, sizeof(h)) != cudaSuccess;
	for (int turn = 0; turn < 20; turn++) {
		for (int i = 0; i < N; i++)
			h[i] = rank * 1000 + i + turn;
		standin_write(stream, d_a, h, sizeof(h));
		/* To the next, and what the one before sent is added up over all ranks. */
		of->wrong += ncclGroupStart() != 0;
		of->wrong += ncclSend(d_a, N, NCCL_INT64, next, comm, stream) != 0;
		of->wrong += ncclRecv(d_b, N, NCCL_INT64, last, comm, stream) != 0;
		of->wrong += ncclGroupEnd() != 0;
		of->wrong += ncclAllReduce(d_b, d_b, N, NCCL_INT64, NCCL_SUM, comm, stream) != 0;
		of->wrong +=
			ncclBroadcast(d_b, d_a, N, NCCL_INT64, turn % ranks, comm, stream) != 0;
		pthread_barrier_wait(&barrier);
		if (rank == 0) {
			standin_seed((uint64_t)turn);
			standin_finish();
		}
		pthread_barrier_wait(&barrier);
		for (int i = 0; i < N; i++) {
			want = 1000 * ranks * (ranks - 1) / 2 + (int64_t)ranks * (i + turn);
			of->wrong += d_b[i] != want || d_a[i] != want;
		}
	}
	of->wrong += ncclCommSplit(comm, rank % 2, -rank, &half, NULL) != 0;
	of->wrong += ncclCommCount(half, &count) || count != (ranks + !(rank % 2)) / 2;
	of->wrong += ncclCommUserRank(half, &number) || number != (ranks - 1 - rank) / 2;
	of->wrong += ncclCommDestroy(half) != 0;
	of->wrong += cudaGetDevice(&device) || device != ranks - 1 - rank;
	of->wrong += ncclCommFinalize(comm) || ncclCommDestroy(comm);
	return NULL;
}

static void threads_that_are_ranks_meet(void **state)
{
	struct thread_of of[RANKS];
	pthread_t thread[RANKS];

	(void)state;
	for (int ranks = 2; ranks <= RANKS; ranks += ranks < 4 ? 1 : 4) {
		assert_int_equal(ncclGetUniqueId(&shared_id), 0);
		pthread_barrier_init(&barrier, NULL, (unsigned)ranks);
		for (int r = 0; r < ranks; r++) {
			of[r] = (struct thread_of){ r, ranks, 0 };
			assert_int_equal(pthread_create(&thread[r], NULL, chain, &of[r]), 0);
		}
		for (int r = 0; r < ranks; r++) {
			pthread_join(thread[r], NULL);
			assert_int_equal(of[r].wrong, 0);
		}
		pthread_barrier_destroy(&barrier);
	}
}

static void one_thread_joins_all_ranks_in_a_group(void **state)
{
	ncclComm_t comm[4];
	int error = -1;

	(void)state;
	assert_int_equal(ncclGetUniqueId(&shared_id), 0);
	assert_int_equal(ncclGroupStart(), 0);
	for (int r = 0; r < 4; r++) {
		assert_int_equal(cudaSetDevice(r), cudaSuccess);
		assert_int_equal(ncclCommInitRankConfig(&comm[r], 4, shared_id, r, NULL), 0);
	}
	assert_int_equal(ncclGroupEnd(), 0);
	assert_int_equal(ncclCommGetAsyncError(comm[3], &error), 0);
	assert_int_equal(error, 0);
	for (int r = 0; r < 4; r++)
		assert_int_equal(ncclCommAbort(comm[r]), 0);
}

/* Ranks 0 to 3: 1 and 3 in one, turned round by their keys, 2 alone, 0 in none. */
static void a_communicator_is_split_by_color(void **state)
{
	static const int color[] = { -1, 5, 0, 5 }, key[] = { 0, 9, 0, 8 };
	ncclComm_t part[4];
	int number = -1, count = -1, device = -1;
	int32_t *d[4];

	(void)state;
	open_world(4);
	assert_int_equal(ncclGroupStart(), 0);
	for (int r = 0; r < 4; r++)
		assert_int_equal(ncclCommSplit(world.comm[r], color[r], key[r], &part[r], NULL), 0);
	assert_int_equal(ncclGroupEnd(), 0);
	assert_null(part[0]);
	assert_int_equal(ncclCommCount(part[2], &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(ncclCommUserRank(part[3], &number), 0);
	assert_int_equal(number, 0);
	assert_int_equal(ncclCommUserRank(part[1], &number), 0);
	assert_int_equal(number, 1);
	assert_int_equal(ncclCommCuDevice(part[1], &device), 0);
	assert_int_equal(device, 1);
	assert_int_equal(ncclGroupStart(), 0);
	for (int r = 1; r < 4; r++) {
		const int32_t value = r;

		d[r] = world.d_send[r];
		standin_write(world.stream[r], d[r], &value, 4);
		assert_int_equal(ncclBcast(d[r], 1, NCCL_INT32, 0, part[r], world.stream[r]), 0);
	}
	assert_int_equal(ncclGroupEnd(), 0);
	standin_finish();
	assert_int_equal(*d[1], 3);
	assert_int_equal(*d[2], 2);
	assert_int_equal(*d[3], 3);
	for (int r = 1; r < 4; r++)
		assert_int_equal(ncclCommDestroy(part[r]), 0);
	close_world();
}

/* Operations of different kinds, types and communicators in one group. */
static void a_group_may_mix_operations(void **state)
{
	ncclComm_t other[2];
	static const int on[] = { 2, 0 };
	float *d_f[3];
	int32_t *d_i[3];

	(void)state;
	open_world(3);
	assert_int_equal(ncclCommInitAll(other, 2, on), 0);
	for (int turn = 0; turn < 50; turn++) {
		for (int r = 0; r < 3; r++) {
			const float f[2] = { (float)r + 1, 2 };
			const int32_t i[2] = { r * 10, turn };

			d_f[r] = world.d_send[r];
			d_i[r] = world.d_receive[r];
			standin_write(world.stream[r], d_f[r], f, sizeof(f));
			standin_write(world.stream[r], d_i[r], i, sizeof(i));
		}
		assert_int_equal(ncclGroupStart(), 0);
		for (int r = 0; r < 3; r++) {
			assert_int_equal(ncclGroupStart(), 0); /* groups nest */
			assert_int_equal(ncclAllReduce(d_f[r], d_f[r], 2, NCCL_FLOAT32,
						       NCCL_PRODUCT, world.comm[r],
						       world.stream[r]),
					 0);
			assert_int_equal(ncclGroupEnd(), 0);
			assert_int_equal(ncclSend(d_i[r], 1, NCCL_INT32, (r + 1) % 3, world.comm[r],
						  world.stream[r]),
					 0);
			assert_int_equal(ncclRecv(d_i[r] + 8, 1, NCCL_INT32, (r + 2) % 3,
						  world.comm[r], world.stream[r]),
					 0);
		}
		/* Rank 0 of the other communicator is on device 2. */
		assert_int_equal(ncclBcast(d_i[2] + 1, 1, NCCL_INT32, 1, other[0], world.stream[2]),
				 0);
		assert_int_equal(ncclBcast(d_i[0] + 1, 1, NCCL_INT32, 1, other[1], world.stream[0]),
				 0);
		assert_int_equal(ncclGroupEnd(), 0);
		standin_seed((uint64_t)turn);
		standin_finish();
		for (int r = 0; r < 3; r++) {
			assert_true(d_f[r][0] == 6 && d_f[r][1] == 8);
			assert_int_equal(d_i[r][8], (r + 2) % 3 * 10);
			assert_int_equal(d_i[r][1], turn);
		}
	}
	for (int r = 0; r < 2; r++)
		assert_int_equal(ncclCommDestroy(other[r]), 0);
	close_world();
}

/* ---- notes ---- */

static void the_recorder_is_told_who_took_part(void **state)
{
	const struct note_collective *note;
	int hidden;

	(void)state;
	open_world(2);
	standin_collectives = 0;
	hidden = standin_notes[NOTE_HIDDEN];
	assert_int_equal(ncclGroupStart(), 0);
	for (int r = 0; r < 2; r++)
		assert_int_equal(ncclSend(world.d_send[r], 5, NCCL_FLOAT64, 1 - r, world.comm[r],
					  world.stream[r]),
				 0);
	for (int r = 0; r < 2; r++)
		assert_int_equal(ncclRecv(world.d_receive[r], 5, NCCL_FLOAT64, 1 - r, world.comm[r],
					  world.stream[r]),
				 0);
	assert_int_equal(standin_collectives, 0); /* when it is answered, not before */
	assert_int_equal(ncclGroupEnd(), 0);
	assert_int_equal(standin_collectives, 4);
	note = &standin_collective[1];
	assert_int_equal(note->kind, COLLECTIVE_SEND);
	assert_int_equal(note->rank, 1);
	assert_int_equal(note->ranks, 2);
	assert_int_equal(note->peer, 0);
	assert_int_equal(note->bytes, 40);
	assert_ptr_equal(note->stream, world.stream[1]);
	assert_int_equal(standin_device_of[(uintptr_t)note->context >> 12 & 15], 1);
	assert_int_equal(standin_collective[0].call, standin_collective[3].call);
	assert_int_equal(standin_collective[0].communicator, note->communicator);
	assert_true(note->end_ns > note->start_ns && note->start_ns);
	assert_int_equal(standin_notes[NOTE_HIDDEN], hidden); /* it is hidden as a whole */
	close_world();
}

/* ---- what is refused ---- */

static void ranks_that_disagree_are_refused(void **state)
{
	(void)state;
	open_world(2);
	assert_int_equal(ncclGroupStart(), 0);
	assert_int_equal(ncclAllReduce(world.d_send[0], world.d_receive[0], 4, NCCL_INT32, NCCL_SUM,
				       world.comm[0], world.stream[0]),
			 0);
	assert_int_equal(ncclAllReduce(world.d_send[1], world.d_receive[1], 5, NCCL_INT32, NCCL_SUM,
				       world.comm[1], world.stream[1]),
			 0);
	assert_int_equal(ncclGroupEnd(), 4);
	assert_non_null(strstr(ncclGetLastError(world.comm[0]), "other counts"));
	close_world();
}

static void arguments_are_looked_at(void **state)
{
	ncclComm_t comm[9];
	const int twice[] = { 1, 1 }, beyond[] = { 0, 8 };

	(void)state;
	open_world(2);
	assert_int_equal(ncclSend(world.d_send[0], 1, NCCL_TYPES, 1, world.comm[0], NULL), 4);
	assert_int_equal(ncclSend(world.d_send[0], 1, NCCL_INT8, 2, world.comm[0], NULL), 4);
	assert_int_equal(ncclBcast(world.d_send[0], 1, NCCL_INT8, -1, world.comm[0], NULL), 4);
	assert_int_equal(ncclAllReduce(world.d_send[0], world.d_send[0], 1, NCCL_INT8, 5,
				       world.comm[0], NULL),
			 5);
	assert_int_equal(ncclSend(world.d_send[0], 1, NCCL_INT8, 1, (ncclComm_t)&world, NULL), 4);
	assert_int_equal(ncclGroupEnd(), 5);
	assert_int_equal(ncclCommInitAll(comm, 9, NULL), 5);
	assert_int_equal(ncclCommInitAll(comm, 2, twice), 5);
	assert_int_equal(ncclCommInitAll(comm, 2, beyond), 4);
	assert_int_equal(
		ncclSend(world.d_send[0], 1, NCCL_INT8, 1, world.comm[0], cudaStreamPerThread), 5);
	assert_int_equal(ncclCommShrink(world.comm[0], NULL, 0, comm, NULL, 0), 5);
	assert_non_null(strstr(ncclGetLastError(NULL), "not answered for"));
	assert_int_equal(ncclCommDestroy(NULL), 0);
	/* An error in a group is the group's, and gone with it. */
	assert_int_equal(ncclGroupStart(), 0);
	assert_int_equal(ncclSend(world.d_send[0], 1, NCCL_INT8, 2, world.comm[0], NULL), 4);
	assert_int_equal(ncclGroupEnd(), 4);
	assert_int_equal(ncclGroupStart(), 0);
	assert_int_equal(ncclGroupEnd(), 0);
	close_world();
}

static void captured_operations_are_refused(void **state)
{
	cudaGraph_t graph;

	(void)state;
	open_world(2);
	assert_int_equal(cudaStreamBeginCapture(world.stream[0], 0), cudaSuccess);
	standin_captures = 1;
	assert_int_equal(
		ncclBcast(world.d_send[0], 1, NCCL_INT8, 0, world.comm[0], world.stream[0]), 5);
	standin_captures = 0;
	assert_int_equal(cudaStreamEndCapture(world.stream[0], &graph), cudaSuccess);
	close_world();
}

static void errors_of_the_driver_are_answered(void **state)
{
	(void)state;
	open_world(2);
	for (int at = 1; at < 8; at++) {
		standin_fails = at;
		assert_int_equal(ncclGroupStart(), 0);
		for (int r = 0; r < 2; r++)
			ncclAllReduce(world.d_send[r], world.d_receive[r], 4, NCCL_INT32, NCCL_SUM,
				      world.comm[r], world.stream[r]);
		assert_int_equal(ncclGroupEnd(), 1);
	}
	standin_fails = 0;
	check_all_reduce(NCCL_INT32, NCCL_SUM, 7, false); /* and it goes on */
	close_world();
}

static void ranks_of_other_processes_are_refused(void **state)
{
	ncclComm_t comm;
	int status = 0;
	pid_t child;

	(void)state;
	assert_int_equal(ncclGetUniqueId(&shared_id), 0);
	child = fork();
	if (!child)
		_exit(ncclCommInitRank(&comm, 2, shared_id, 1));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WEXITSTATUS(status), 5);
	assert_int_equal(ncclCommInitRank(&comm, 2, shared_id, 0), 2); /* after a second */
	assert_non_null(strstr(ncclGetLastError(NULL), "rank 1 of 2 has not joined"));
}

static void *sends(void *rank)
{
	const int r = *(int *)rank;

	ncclSend(world.d_send[r], 1, NCCL_INT8, 1 - r, world.comm[r], world.stream[r]);
	ncclRecv(world.d_receive[r], 1, NCCL_INT8, 1 - r, world.comm[r], world.stream[r]);
	return NULL;
}

/* Two sends that wait for each other's receive, as on real GPUs. */
static void ranks_that_wait_for_each_other_end_the_program(void **state)
{
	int status = 0, rank[] = { 0, 1 };
	pid_t child = fork();

	(void)state;
	if (!child) {
		pthread_t thread;

		open_world(2);
		pthread_create(&thread, NULL, sends, &rank[1]);
		sends(&rank[0]);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
}

/* ---- the arithmetic by itself ---- */

/* All codes of a type there and back; between two neighbours the nearer, of equally near the even
 * one. */
static void narrow_types_are_rounded_to_the_nearest(void **state)
{
	static const int narrow[] = { NCCL_FLOAT16, NCCL_BFLOAT16, NCCL_FLOAT8_E4M3,
				      NCCL_FLOAT8_E5M2 };

	(void)state;
	for (size_t t = 0; t < sizeof(narrow) / sizeof(narrow[0]); t++) {
		const struct reduce_format format = reduce_format_of(narrow[t]);
		int exponent, mantissa;
		bool infinities;
		uint32_t sign;

		bits_of(narrow[t], &exponent, &mantissa, &infinities);
		sign = 1u << (exponent + mantissa);
		for (uint32_t code = 0; code + 1 < sign; code++) {
			const double low = value_of(code, exponent, mantissa, infinities),
				     high = value_of(code + 1, exponent, mantissa, infinities),
				     middle = (low + high) / 2;

			if (isnan(low) || isinf(low))
				continue;
			assert_true((double)reduce_decode(format, code) == low);
			assert_true((double)reduce_decode(format, code | sign) == -low);
			assert_int_equal(reduce_encode(format, (float)low, 0), code);
			assert_int_equal(reduce_encode(format, (float)-low, 0), code | sign);
			if (isnan(high) || isinf(high))
				continue;
			assert_int_equal(reduce_encode(format, (float)middle, 0),
					 code + (code & 1));
			assert_int_equal(reduce_encode(format, nextafterf((float)middle, 0), 0),
					 code);
			assert_int_equal(
				reduce_encode(format, nextafterf((float)middle, INFINITY), 0),
				code + 1);
		}
		assert_true(isnan(reduce_decode(format, reduce_encode(format, NAN, 0))));
		assert_int_equal(reduce_encode(format, 3e38f, infinities ? 0 : 1),
				 narrow[t] == NCCL_BFLOAT16 ? reduce_encode(format, 3e38f, 1)
				 : infinities		    ? ((1u << exponent) - 1) << mantissa
							    : sign - 2);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		/* First: forks have none of the threads that others began. */
		cmocka_unit_test(ranks_that_wait_for_each_other_end_the_program),
		cmocka_unit_test(ranks_of_other_processes_are_refused),
		cmocka_unit_test(narrow_types_are_rounded_to_the_nearest),
		cmocka_unit_test(all_reduce_gives_all_ranks_the_same),
		cmocka_unit_test(reduce_gives_it_to_the_root_alone),
		cmocka_unit_test(reduce_scatter_gives_each_rank_its_part),
		cmocka_unit_test(all_gather_puts_ranks_side_by_side),
		cmocka_unit_test(broadcast_gives_all_what_the_root_has),
		cmocka_unit_test(sends_of_a_group_meet_their_receives),
		cmocka_unit_test(gather_and_scatter_are_of_the_root),
		cmocka_unit_test(threads_that_are_ranks_meet),
		cmocka_unit_test(one_thread_joins_all_ranks_in_a_group),
		cmocka_unit_test(a_communicator_is_split_by_color),
		cmocka_unit_test(a_group_may_mix_operations),
		cmocka_unit_test(the_recorder_is_told_who_took_part),
		cmocka_unit_test(ranks_that_disagree_are_refused),
		cmocka_unit_test(arguments_are_looked_at),
		cmocka_unit_test(captured_operations_are_refused),
		cmocka_unit_test(errors_of_the_driver_are_answered),
	};

	(void)argc;
	if (!getenv("LD_PRELOAD")) {
		setenv("LD_PRELOAD", VIRTUAL_LIBRARY, 1);
		setenv("WARPREEL_AS_GPUS", "8", 1);
		setenv("WARPREEL_STUCK_S", "1", 1);
		setenv("CUDA_INJECTION64_PATH", RECORDER_LIBRARY, 1);
		execv(argv[0], argv);
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
