/* SPDX-License-Identifier: MIT
 * A process a GPU: the test forks ranks, which share what `warpreel record` would have given them,
 * and works out itself what each operation has to give. In front of the driver that stands in for
 * CUDA's; tests/nccl_gate.sh runs it on a real GPU.
 */
#include "rank_world.h"

/* ---- what operations give ---- */

/* All ranks draw the same for all; what is the rank's stands in its stream before the operation. */
static void fill_rank(int rank, int ranks, int type, size_t count, void *d_to)
{
	for (int r = 0; r < ranks; r++)
		for (size_t i = 0; i < count; i++)
			set_random(h_all[r], type, i);
	standin_write(stream, d_to, h_all[rank], count * (size_t)type_bytes[type]);
}

static int reductions(int rank, int ranks, int type, int operation, size_t count, bool in_place)
{
	const size_t bytes = count * (size_t)type_bytes[type];
	const int root = (int)(draw() % (unsigned)ranks);
	char *to = in_place ? d_send : d_receive;

	memset(d_receive, 0x5a, bytes + 1);
	fill_rank(rank, ranks, type, count, d_send);
	MUST(!ncclAllReduce(d_send, to, count, type, operation, comm, stream));
	standin_finish();
	for (size_t i = 0; i < count; i++)
		MUST(is_reduced(to, i, (void **)h_all, ranks, i, type, operation));

	memset(d_receive, 0x5a, bytes + 1);
	fill_rank(rank, ranks, type, count, d_send);
	MUST(!ncclReduce(d_send, to, count, type, operation, root, comm, stream));
	standin_finish();
	for (size_t i = 0; i < count && rank == root; i++)
		MUST(is_reduced(to, i, (void **)h_all, ranks, i, type, operation));
	for (size_t i = 0; i < bytes && rank != root && !in_place; i++)
		MUST(to[i] == 0x5a); /* nobody else's is touched */

	fill_rank(rank, ranks, type, count * (size_t)ranks, d_send);
	to = in_place ? d_send + (size_t)rank * bytes : d_receive;
	MUST(!ncclReduceScatter(d_send, to, count, type, operation, comm, stream));
	standin_finish();
	for (size_t i = 0; i < count; i++)
		MUST(is_reduced(to, i, (void **)h_all, ranks, (size_t)rank * count + i, type,
				operation));
	return 0;
}

static int moves(int rank, int ranks, int type, size_t count, bool in_place)
{
	const size_t bytes = count * (size_t)type_bytes[type];
	const int root = (int)(draw() % (unsigned)ranks);
	char *from = in_place ? d_receive + (size_t)rank * bytes : d_send;

	fill_rank(rank, ranks, type, count, from);
	MUST(!ncclAllGather(from, d_receive, count, type, comm, stream));
	standin_finish();
	for (int r = 0; r < ranks; r++)
		MUST(!memcmp(d_receive + (size_t)r * bytes, h_all[r], bytes));

	fill_rank(rank, ranks, type, count, d_send);
	MUST(!(in_place ? ncclBcast(d_send, count, type, root, comm, stream)
			: ncclBroadcast(d_send, d_receive, count, type, root, comm, stream)));
	standin_finish();
	MUST(!memcmp(in_place ? d_send : d_receive, h_all[root], bytes));

	fill_rank(rank, ranks, type, count * (size_t)ranks, d_send);
	MUST(!ncclAlltoAll(d_send, d_receive, count, type, comm, stream));
	standin_finish();
	for (int r = 0; r < ranks; r++)
		MUST(!memcmp(d_receive + (size_t)r * bytes, h_all[r] + (size_t)rank * bytes,
			     bytes));
	return 0;
}

static int all_types(int rank, int ranks)
{
	static const size_t count[] = { 1, 7, 257, 0 };
	size_t turn = 0;

	if (open_rank(rank, ranks, 257 * 8 * RANKS))
		return FAILED;
	for (int type = 0; type < NCCL_TYPES; type++)
		for (int operation = 0; operation < NCCL_OPERATIONS; operation++, turn++) {
			const size_t elements = count[turn % 4];

			if (reductions(rank, ranks, type, operation, elements, turn & 1) ||
			    (operation < 2 && moves(rank, ranks, type, elements, turn & 1)))
				return FAILED;
		}
	MUST(!ncclCommDestroy(comm));
	return 0;
}

static void processes_are_ranks(void **state)
{
	(void)state;
	must_be_right(in_ranks(2, all_types));
	must_be_right(in_ranks(3, all_types));
	must_be_right(in_ranks(getenv("NCCL_WORLD_THIN") ? 4 : 8, all_types));
}

/* More than a window holds, and what is left over. */
static int large(int rank, int ranks)
{
	const size_t count = 2 * (size_t)WINDOW / 4 + 3;
	int32_t *own = malloc(count * 4), *to;

	if (open_rank(rank, ranks, count * 4 * (size_t)ranks))
		return FAILED;
	to = (int32_t *)d_receive;
	for (size_t i = 0; i < count; i++)
		own[i] = (int32_t)i * (rank + 1);
	standin_write(stream, d_send, own, count * 4);
	MUST(!ncclAllReduce(d_send, d_receive, count, NCCL_INT32, NCCL_SUM, comm, stream));
	standin_finish();
	for (size_t i = 0; i < count; i++)
		MUST(to[i] == (int32_t)i * ranks * (ranks + 1) / 2);
	MUST(!ncclGroupStart());
	MUST(!ncclRecv(d_receive, count, NCCL_INT32, (rank + 1) % ranks, comm, stream));
	MUST(!ncclSend(d_send, count, NCCL_INT32, (rank + ranks - 1) % ranks, comm, stream));
	MUST(!ncclGroupEnd());
	standin_finish();
	for (size_t i = 0; i < count; i++)
		MUST(to[i] == (int32_t)i * ((rank + 1) % ranks + 1));
	for (size_t i = 0; i < (size_t)ranks; i++)
		standin_write(stream, d_send + i * count * 4, own, count * 4);
	MUST(!ncclReduceScatter(d_send, d_receive, count, NCCL_INT32, NCCL_SUM, comm, stream));
	MUST(!ncclAllGather(d_receive, d_send, count, NCCL_INT32, comm, stream));
	standin_finish();
	for (size_t i = 0; i < count * (size_t)ranks; i += 101)
		MUST(((int32_t *)d_send)[i] == (int32_t)(i % count) * ranks * (ranks + 1) / 2);
	MUST(!ncclCommDestroy(comm));
	return 0;
}

static void data_larger_than_a_window_arrive(void **state)
{
	(void)state;
	must_be_right(in_ranks(2, large));
}

/* Two communicators and both directions in one group, in another order on each rank. */
static int mixed(int rank, int ranks)
{
	ncclComm_t half = NULL;
	int32_t *a, *b;
	int number = -1, count = -1;

	if (open_rank(rank, ranks, 4096))
		return FAILED;
	a = (int32_t *)d_send;
	b = (int32_t *)d_receive;
	MUST(!ncclCommSplit(comm, rank % 2, -rank, &half, NULL));
	MUST(!ncclCommCount(half, &count) && count == (ranks + !(rank % 2)) / 2);
	MUST(!ncclCommUserRank(half, &number) && number == (ranks - 1 - rank) / 2);
	for (int turn = 0; turn < 20; turn++) {
		const int32_t value[2] = { rank + turn, 100 * rank };
		const int peer = ranks - 1 - rank;

		standin_write(stream, a, value, 8);
		MUST(!ncclGroupStart());
		for (int i = 0; i < 3; i++)
			switch ((i + rank) % 3) {
			case 0:
				MUST(!ncclAllReduce(a, b, 1, NCCL_INT32, NCCL_SUM, comm, stream));
				break;
			case 1:
				MUST(!ncclAllReduce(a, b + 1, 1, NCCL_INT32, NCCL_MAXIMUM, half,
						    stream));
				break;
			default:
				MUST(!ncclSend(a + 1, 1, NCCL_INT32, peer, comm, stream));
				MUST(!ncclRecv(b + 2, 1, NCCL_INT32, peer, comm, stream));
			}
		MUST(!ncclGroupEnd());
		standin_finish();
		MUST(b[0] == ranks * (ranks - 1) / 2 + ranks * turn);
		MUST(b[1] == (rank % 2 == (ranks - 1) % 2 ? ranks - 1 : ranks - 2) + turn);
		MUST(b[2] == 100 * peer);
	}
	MUST(!ncclCommDestroy(half));
	MUST(!ncclCommDestroy(comm));
	return 0;
}

static void a_group_goes_on_in_any_order(void **state)
{
	(void)state;
	must_be_right(in_ranks(4, mixed));
}

/* Places of communicators that all have left are free again. */
static int many(int rank, int ranks)
{
	if (open_rank(rank, ranks, 4096))
		return FAILED;
	for (int i = 0; i < 200; i++) {
		ncclComm_t next = NULL;
		int32_t value = rank, *d_value = (int32_t *)d_send;

		MUST(!ncclCommSplit(comm, 0, rank, &next, NULL));
		standin_write(stream, d_value, &value, 4);
		MUST(!ncclBcast(d_value, 1, NCCL_INT32, i % ranks, next, stream));
		standin_finish();
		MUST(*d_value == i % ranks);
		MUST(!ncclCommDestroy(next));
	}
	return 0;
}

static void communicators_come_and_go(void **state)
{
	(void)state;
	must_be_right(in_ranks(3, many));
}

/* ---- what a launcher shows each process ---- */

/* A program of its own, which chooses before its first call. */
static int sees_one(int rank, int ranks)
{
	char text[16];
	int32_t value = rank + 1, *d_value;
	int count = 0;

	snprintf(text, sizeof(text), "%d", rank);
	setenv("CUDA_VISIBLE_DEVICES", text, 1);
	MUST(!cudaGetDeviceCount(&count) && count == 1);
	MUST(!getenv("CUDA_VISIBLE_DEVICES")); /* the driver sees the one it has */
	MUST(cudaSetDevice(1) != cudaSuccess);
	MUST(!ncclCommInitRank(&comm, ranks, id, rank)); /* on device 0 */
	MUST(!cudaMalloc((void **)&d_value, 4));
	stream = standin_stream();
	standin_write(stream, d_value, &value, 4);
	MUST(!ncclAllReduce(d_value, d_value, 1, NCCL_INT32, NCCL_SUM, comm, stream));
	standin_finish();
	MUST(*d_value == ranks * (ranks + 1) / 2);
	return 0;
}

/* The real GPUs were limited when the recording began: the driver's business, which a program that
 * counts what the variable names (PyTorch) does not see. */
static int sees_all_though_limited(int rank)
{
	const char *visible;
	int count = 0;

	MUST(!getenv("CUDA_VISIBLE_DEVICES"));
	MUST(!cudaGetDeviceCount(&count) && count == atoi(getenv("WARPREEL_AS_GPUS")));
	visible = getenv("CUDA_VISIBLE_DEVICES");
	MUST(visible && !strcmp(visible, "5"));
	return 0;
}

static int begin_limited(int rank, int ranks)
{
	(void)rank;
	(void)ranks;
	setenv("CUDA_VISIBLE_DEVICES", "5", 1);
	execl("/proc/self/exe", "preload_ranks", "limited", (char *)NULL);
	return FAILED;
}

static void a_limit_of_the_real_gpus_is_not_the_programs(void **state)
{
	(void)state;
	setenv("WARPREEL_VISIBLE_BEFORE", "5", 1);
	must_be_right(in_ranks(2, begin_limited));
	unsetenv("WARPREEL_VISIBLE_BEFORE");
}

static int begin_again(int rank, int ranks)
{
	char number[16], of[16], hex[2 * sizeof(id) + 1];

	for (size_t i = 0; i < sizeof(id); i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned char)id.internal[i]);
	snprintf(number, sizeof(number), "%d", rank);
	snprintf(of, sizeof(of), "%d", ranks);
	execl("/proc/self/exe", "preload_ranks", number, of, hex, (char *)NULL);
	return FAILED;
}

static int begun_again(char **argv)
{
	for (size_t i = 0; i < sizeof(id); i++) {
		unsigned byte = 0;

		sscanf(argv[3] + 2 * i, "%2x", &byte);
		id.internal[i] = (char)byte;
	}
	return sees_one(atoi(argv[1]), atoi(argv[2]));
}

static void a_process_sees_the_devices_it_is_shown(void **state)
{
	(void)state;
	unsetenv("CUDA_VISIBLE_DEVICES");
	setenv("WARPREEL_VISIBLE_BEFORE", "", 1);
	must_be_right(in_ranks(2, begin_again));
	unsetenv("WARPREEL_VISIBLE_BEFORE");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_are_ranks),
		cmocka_unit_test(data_larger_than_a_window_arrive),
		cmocka_unit_test(a_group_goes_on_in_any_order),
		cmocka_unit_test(communicators_come_and_go),
		cmocka_unit_test(a_process_sees_the_devices_it_is_shown),
		cmocka_unit_test(a_limit_of_the_real_gpus_is_not_the_programs),
	};

	preload(argv);
	if (argc == 4)
		return begun_again(argv);
	if (argc == 2)
		return sees_all_though_limited(0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
