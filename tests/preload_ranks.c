/* SPDX-License-Identifier: MIT
 * A process a GPU: the test forks ranks, which share what `warpreel record` would have given them,
 * and works out itself what each operation has to give. In front of the driver that stands in for
 * CUDA's; tests/nccl_gate.sh runs it on a real GPU.
 */
#include "nccl_world.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

enum { FAILED = 1, WINDOW = 8 << 20, SECONDS = 60 };

typedef int body_fn(int rank, int ranks);
static ncclUniqueId id;
static int shared = -1;
static char said[65536]; /* by the ranks, to stderr */
static int status_of[RANKS];
static pid_t process_of[RANKS];

/* In a rank: the line is named and the rank ends. */
#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "rank %d, line %d: %s\n", rank, __LINE__, #condition);     \
			return FAILED;                                                             \
		}                                                                                  \
	} while (0)

static void new_file(void)
{
	char path[64];

	if (shared >= 0)
		close(shared);
	shared = memfd_create("ranks", MFD_CLOEXEC);
	assert_true(shared >= 0);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), shared);
	setenv("WARPREEL_RANKS", path, 1);
	assert_int_equal(ncclGetUniqueId(&id), 0);
}

/* Runs all ranks to their ends; returns how many did not end with 0. */
static int in_ranks(int ranks, body_fn *body)
{
	FILE *errors = tmpfile();
	size_t read;
	int failed = 0;

	new_file();
	fflush(NULL);
	for (int rank = 0; rank < ranks; rank++) {
		process_of[rank] = fork();
		if (process_of[rank])
			continue;
		dup2(fileno(errors), STDERR_FILENO);
		alarm(SECONDS);
		_exit(body(rank, ranks));
	}
	for (int rank = 0; rank < ranks; rank++) {
		waitpid(process_of[rank], &status_of[rank], 0);
		failed += status_of[rank] != 0;
	}
	rewind(errors);
	read = fread(said, 1, sizeof(said) - 1, errors);
	said[read] = 0;
	fclose(errors);
	return failed;
}

static void must_be_right(int failed)
{
	if (failed)
		print_error("%s\n", said);
	assert_int_equal(failed, 0);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- what operations give ---- */

static ncclComm_t comm;
static cudaStream_t stream;
static char *d_send, *d_receive, *h_all[RANKS];

static int open_rank(int rank, int ranks, size_t bytes)
{
	int number = -1, count = -1, device = -1;

	MUST(!cudaSetDevice(ranks - 1 - rank));
	MUST(!ncclCommInitRank(&comm, ranks, id, rank));
	MUST(!ncclCommUserRank(comm, &number) && number == rank);
	MUST(!ncclCommCount(comm, &count) && count == ranks);
	MUST(!ncclCommCuDevice(comm, &device) && device == ranks - 1 - rank);
	stream = standin_stream();
	MUST(!cudaMalloc((void **)&d_send, bytes) && !cudaMalloc((void **)&d_receive, bytes));
	for (int r = 0; r < ranks; r++)
		h_all[r] = malloc(bytes);
	return 0;
}

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

/* ---- what is refused, and those who do not come ---- */

static int wrong; /* which of the ways */

static int disagree(int rank, int ranks)
{
	const size_t count = wrong == 0 && rank ? 5 : 4;
	const int type = wrong == 1 && rank ? NCCL_UINT32 : NCCL_INT32,
		  root = wrong == 2 ? rank : 0;
	int result;

	if (open_rank(rank, ranks, 4096))
		return FAILED;
	if (wrong == 3)
		result = rank ? ncclRecv(d_receive, 3, NCCL_INT32, 0, comm, stream)
			      : ncclSend(d_send, 4, NCCL_INT32, 1, comm, stream);
	else if (wrong == 4 && rank)
		result = ncclAllReduce(d_send, d_receive, count, type, NCCL_SUM, comm, stream);
	else
		result = ncclBroadcast(d_send, d_receive, count, type, root, comm, stream);
	MUST(result == 4);
	MUST(strstr(ncclGetLastError(comm), "counts, types or roots"));
	return 0;
}

static void ranks_that_disagree_are_all_told(void **state)
{
	(void)state;
	for (wrong = 0; wrong < 5; wrong++)
		must_be_right(in_ranks(2, disagree));
}

static int same_rank(int rank, int ranks)
{
	int result;

	MUST(!cudaSetDevice(rank));
	result = ncclCommInitRank(&comm, ranks, id, 1);
	return result ? 10 + result : 0;
}
static int same_device(int rank, int ranks)
{
	int result;

	MUST(!cudaSetDevice(1));
	result = ncclCommInitRank(&comm, ranks, id, rank);
	return result ? 10 + result : 0;
}
static int other_count(int rank, int ranks)
{
	int result;

	MUST(!cudaSetDevice(rank));
	result = ncclCommInitRank(&comm, ranks + rank, id, rank);
	return result ? 10 + result : 0;
}

/* One is refused, the other waits in vain. */
static void wrong_seats_are_refused(void **state)
{
	(void)state;
	assert_int_equal(in_ranks(2, same_rank), 2);
	assert_non_null(strstr(said, "rank 1 joined a communicator twice, first in process"));
	assert_non_null(strstr(said, "rank 0 of 2 has not joined"));
	assert_int_equal(in_ranks(2, same_device), 2);
	assert_non_null(strstr(said, "are both on device 1, which NCCL refuses, too"));
	assert_int_equal(in_ranks(2, other_count), 2);
	assert_non_null(strstr(said, "ranks of one communicator say it has"));
}

static int one_dies(int rank, int ranks)
{
	int result;

	if (open_rank(rank, ranks, 4096))
		return FAILED;
	if (rank == 1)
		raise(SIGKILL);
	result = wrong ? ncclRecv(d_receive, 1, NCCL_INT32, 1, comm, stream)
		       : ncclAllReduce(d_send, d_receive, 1, NCCL_INT32, NCCL_SUM, comm, stream);
	MUST(result == 6);
	MUST(!ncclCommGetAsyncError(comm, &result) && result == 6);
	return 0;
}

static void a_rank_that_dies_frees_the_others(void **state)
{
	char text[64];

	(void)state;
	for (wrong = 0; wrong < 2; wrong++) {
		const double begin = seconds();

		assert_int_equal(in_ranks(3, one_dies), 1);
		assert_true(WIFSIGNALED(status_of[1]));
		assert_true(seconds() - begin < 10);
		snprintf(text, sizeof(text), "rank 1 of 3 has ended (process %d)",
			 (int)process_of[1]);
		assert_non_null(strstr(said, text));
	}
}

/* It holds the lock, or the turn. */
static int dies_with_turn(int rank, int ranks)
{
	char byte = 1;

	(void)ranks;
	if (rank)
		usleep(200 * 1000);
	MUST(!cudaSetDevice(rank));
	MUST(!cudaMalloc((void **)&d_send, 1));
	MUST(!cudaMemset(d_send, 0, 1));
	if (!rank)
		raise(SIGKILL);
	(void)byte;
	return 0;
}

static void a_turn_of_the_dead_is_over(void **state)
{
	(void)state;
	assert_int_equal(in_ranks(2, dies_with_turn), 1);
	assert_true(WIFSIGNALED(status_of[0]));
	assert_int_equal(status_of[1], 0);
}

/* What processes share beside. */
static struct {
	volatile double launched, ended;
} * clocks;
extern int standin_never_ends;

static int has_the_turn(int rank, int ranks)
{
	(void)ranks;
	MUST(!cudaSetDevice(rank) && !cudaMalloc((void **)&d_send, 1));
	if (rank) {
		while (clocks->launched <= 0)
			usleep(1000);
		MUST(!cudaMemset(d_send, 0, 1));
		MUST(clocks->ended > 0 && seconds() >= clocks->ended);
		return 0;
	}
	standin_never_ends = 1;
	MUST(!cudaMemset(d_send, 0, 1));
	clocks->launched = seconds();
	usleep(wrong ? 4000 * 1000 : 500 * 1000); /* busy elsewhere */
	clocks->ended = seconds();
	standin_never_ends = 0;
	usleep(wrong ? 0 : 2000 * 1000);
	return 0;
}

static void kernels_of_processes_do_not_overlap(void **state)
{
	(void)state;
	if (getenv("NCCL_WORLD_THIN")) /* a real GPU's kernels end */
		return;
	clocks = mmap(NULL, sizeof(*clocks), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_ptr_not_equal(clocks, MAP_FAILED);
	wrong = 0;
	must_be_right(in_ranks(2, has_the_turn));
	clocks->launched = clocks->ended = 0;
	wrong = 1; /* for longer than is waited */
	assert_int_equal(in_ranks(2, has_the_turn), 1);
	assert_non_null(strstr(said, "a kernel of another process has not ended for 1 s"));
	munmap(clocks, sizeof(*clocks));
}

static int never_calls(int rank, int ranks)
{
	if (open_rank(rank, ranks, 4096))
		return FAILED;
	if (rank == 1) /* lives, and does something else */
		sleep((unsigned)atoi(getenv("WARPREEL_STUCK_S")) + 3);
	else
		ncclAllReduce(d_send, d_receive, 1, NCCL_INT32, NCCL_SUM, comm, stream);
	return 0;
}

static int all_wait(int rank, int ranks)
{
	if (open_rank(rank, ranks, 4096))
		return FAILED;
	ncclSend(d_send, 1, NCCL_INT8, 1 - rank, comm, stream);
	ncclRecv(d_receive, 1, NCCL_INT8, 1 - rank, comm, stream);
	return 0;
}

static void a_rank_that_never_calls_is_named(void **state)
{
	char text[64];

	(void)state;
	in_ranks(2, never_calls);
	snprintf(text, sizeof(text), "for rank 1 (process %d)", (int)process_of[1]);
	assert_non_null(strstr(said, text));
	assert_true(in_ranks(2, all_wait) >= 1); /* the other may find that one dead */
	assert_non_null(strstr(said, "all ranks wait"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_are_ranks),
		cmocka_unit_test(data_larger_than_a_window_arrive),
		cmocka_unit_test(a_group_goes_on_in_any_order),
		cmocka_unit_test(communicators_come_and_go),
		cmocka_unit_test(a_process_sees_the_devices_it_is_shown),
		cmocka_unit_test(ranks_that_disagree_are_all_told),
		cmocka_unit_test(wrong_seats_are_refused),
		cmocka_unit_test(a_rank_that_dies_frees_the_others),
		cmocka_unit_test(a_turn_of_the_dead_is_over),
		cmocka_unit_test(kernels_of_processes_do_not_overlap),
		cmocka_unit_test(a_rank_that_never_calls_is_named),
	};

	preload(argv);
	if (argc == 4)
		return begun_again(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
