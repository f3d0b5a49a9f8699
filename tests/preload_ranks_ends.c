/* SPDX-License-Identifier: MIT
 * Ranks that are processes and do not do as they should: disagree, sit where another sits, die with
 * or without the turn, or never come. In front of the driver that stands in for CUDA's;
 * tests/nccl_gate.sh runs it on a real GPU.
 */
#include "rank_world.h"

#include <time.h>

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

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
	give_up_after(HASTY_S);
	assert_int_equal(in_ranks(2, same_rank), 2);
	assert_non_null(strstr(said, "rank 1 joined a communicator twice, first in process"));
	assert_non_null(strstr(said, "rank 0 of 2 has not joined"));
	assert_int_equal(in_ranks(2, same_device), 2);
	assert_non_null(strstr(said, "are both on device 1, which NCCL refuses, too"));
	assert_int_equal(in_ranks(2, other_count), 2);
	assert_non_null(strstr(said, "ranks of one communicator say it has"));
	give_up_after(PATIENT_S);
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
	(void)ranks;
	if (rank)
		usleep(200 * 1000);
	MUST(!cudaSetDevice(rank));
	MUST(!cudaMalloc((void **)&d_send, 1));
	MUST(!cudaMemset(d_send, 0, 1));
	if (!rank)
		raise(SIGKILL);
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
	volatile pid_t waiter; /* 0: not yet there */
} * clocks;
extern int standin_never_ends;

static int has_the_turn(int rank, int ranks)
{
	(void)ranks;
	MUST(!cudaSetDevice(rank) && !cudaMalloc((void **)&d_send, 1));
	if (rank) {
		clocks->waiter = getpid();
		while (clocks->launched <= 0)
			usleep(1000);
		MUST(!cudaMemset(d_send, 0, 1));
		MUST(clocks->ended > 0 && seconds() >= clocks->ended);
		return 0;
	}
	standin_never_ends = 1;
	MUST(!cudaMemset(d_send, 0, 1));
	clocks->launched = seconds();
	while (wrong && (!clocks->waiter || !kill(clocks->waiter, 0)))
		usleep(1000); /* longer than the other waits */
	usleep(500 * 1000);   /* busy elsewhere */
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
	memset(clocks, 0, sizeof(*clocks));
	wrong = 1; /* for longer than is waited */
	give_up_after(HASTY_S);
	assert_int_equal(in_ranks(2, has_the_turn), 1);
	assert_non_null(strstr(said, "a kernel of another process has not ended for 2 s"));
	give_up_after(PATIENT_S);
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
	give_up_after(HASTY_S);
	in_ranks(2, never_calls);
	snprintf(text, sizeof(text), "for rank 1 (process %d)", (int)process_of[1]);
	assert_non_null(strstr(said, text));
	assert_true(in_ranks(2, all_wait) >= 1); /* the other may find that one dead */
	assert_non_null(strstr(said, "all ranks wait"));
	give_up_after(PATIENT_S);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_that_disagree_are_all_told),
		cmocka_unit_test(wrong_seats_are_refused),
		cmocka_unit_test(a_rank_that_dies_frees_the_others),
		cmocka_unit_test(a_turn_of_the_dead_is_over),
		cmocka_unit_test(kernels_of_processes_do_not_overlap),
		cmocka_unit_test(a_rank_that_never_calls_is_named),
	};

	(void)argc;
	preload(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
