/* SPDX-License-Identifier: MIT
 * What NCCL's operations between virtual GPUs tell the recorder, what of them is refused, and their
 * arithmetic by itself.
 */
#include "nccl_world.h"

#include <pthread.h>
#include <sys/wait.h>

static void the_recorder_is_told_who_took_part(void **state)
{
	const struct note_collective *note;
	int hidden;

	(void)state;
	open_world(2);
	standin_collectives = 0;
	warpreel_virtual_flush();
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
	warpreel_virtual_flush(); /* it is hidden as a whole; beside it, writing it down */
	assert_int_equal(standin_notes[NOTE_HIDDEN], hidden + 1);
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
	ncclUniqueId id;
	ncclComm_t comm;
	int status = 0;
	pid_t child;

	(void)state;
	assert_int_equal(ncclGetUniqueId(&id), 0);
	child = fork();
	if (!child)
		_exit(ncclCommInitRank(&comm, 2, id, 1));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WEXITSTATUS(status), 5);
	give_up_after(HASTY_S);
	assert_int_equal(ncclCommInitRank(&comm, 2, id, 0), 2);
	give_up_after(PATIENT_S);
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

		give_up_after(HASTY_S);
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
		cmocka_unit_test(the_recorder_is_told_who_took_part),
		cmocka_unit_test(ranks_that_disagree_are_refused),
		cmocka_unit_test(arguments_are_looked_at),
		cmocka_unit_test(captured_operations_are_refused),
		cmocka_unit_test(errors_of_the_driver_are_answered),
	};

	(void)argc;
	preload(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
