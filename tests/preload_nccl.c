/* SPDX-License-Identifier: MIT
 * NCCL's operations between virtual GPUs. The test is a program of up to eight GPUs; it works out
 * itself what each operation has to give.
 */
#include "nccl_world.h"

#include <pthread.h>

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

/* NCCL_WORLD_THIN: of the counts one for each type and operation, each count in its turn. For a
 * real GPU, where a check takes milliseconds. */
static void for_all(each_fn *check)
{
	static const size_t count[] = { 0, 1, 2, 7, 64, 257 };
	static const int ranks[] = { 2, 3, 4, 8 };
	const bool thin = getenv("NCCL_WORLD_THIN") != NULL;

	for (size_t n = 0; n < sizeof(ranks) / sizeof(ranks[0]); n++) {
		open_world(ranks[n]);
		for (int type = 0; type < NCCL_TYPES; type++)
			for (int operation = 0; operation < NCCL_OPERATIONS; operation++)
				for (size_t c = 0; c < sizeof(count) / sizeof(count[0]); c++)
					if (!thin ||
					    c == ((size_t)(type * NCCL_OPERATIONS + operation) +
						  n) % 6)
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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
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
	};

	(void)argc;
	preload(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
