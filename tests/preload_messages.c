/* SPDX-License-Identifier: MIT
 * What the recorder is told of calls of MPI.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <stdlib.h>

#include "tests/standin/standin_recorder.h"

enum { WORLD = 0x44000000, PAIR = 7, ALONE = 8, ANY_SOURCE = -2, ANY_TAG = -1, NOBODY = -1 };
enum { BYTES = 4, BOTH = MESSAGE_BEGINS | MESSAGE_ENDS };
#define IGNORE ((int *)1)

int MPI_Send(const void *, int, int, int, int, int);
int MPI_Recv(void *, int, int, int, int, int, int *);
int MPI_Irecv(void *, int, int, int, int, int, int *);
int MPI_Isend(const void *, int, int, int, int, int, int *);
int MPI_Waitall(int, int *, int *);
int MPI_Test(int *, int *, int *);
int MPI_Barrier(int);
int MPI_Bcast(void *, int, int, int, int);

static char data[64];

static void expect(int at, enum message_kind kind, int phase, int peer, int tag, uint32_t number)
{
	const struct note_message *note = &standin_message[at];

	assert_int_equal(note->kind, kind);
	assert_int_equal(note->phase, phase);
	assert_int_equal(note->rank, 1);
	assert_int_equal(note->peer, peer);
	assert_int_equal(note->tag, tag);
	assert_int_equal(note->number, number);
	assert_true(note->start_ns && note->end_ns > note->start_ns);
}

static int begin(void **state)
{
	(void)state;
	standin_messages = 0;
	return 0;
}

static void messages_of_one_way_and_tag_are_counted(void **state)
{
	(void)state;
	MPI_Send(data, 3, BYTES, 0, 5, WORLD);
	MPI_Send(data, 3, BYTES, 0, 5, WORLD);
	MPI_Send(data, 3, BYTES, 0, 6, WORLD);
	MPI_Recv(data, 3, BYTES, 0, 5, WORLD, IGNORE);
	MPI_Send(data, 3, BYTES, 1, 5, PAIR); /* rank 2 of all */
	assert_int_equal(standin_messages, 5);
	expect(0, MESSAGE_SEND, BOTH, 0, 5, 1);
	expect(1, MESSAGE_SEND, BOTH, 0, 5, 2);
	expect(2, MESSAGE_SEND, BOTH, 0, 6, 1);
	expect(3, MESSAGE_RECEIVE, BOTH, 0, 5, 1);
	expect(4, MESSAGE_SEND, BOTH, 2, 5, 1);
	assert_int_equal(standin_message[0].bytes, 12);
	assert_true(standin_message[0].communicator == standin_message[3].communicator);
	assert_true(standin_message[0].communicator != standin_message[4].communicator);
}

static void a_receive_from_anybody_is_told_when_it_is_known_from_whom(void **state)
{
	int request[2];

	(void)state;
	MPI_Recv(data, 3, BYTES, ANY_SOURCE, ANY_TAG, WORLD, IGNORE);
	expect(0, MESSAGE_RECEIVE, BOTH, 2, 40, 1);
	MPI_Irecv(data, 3, BYTES, ANY_SOURCE, ANY_TAG, WORLD, &request[0]);
	assert_int_equal(standin_messages, 1);
	MPI_Waitall(1, request, IGNORE);
	assert_int_equal(standin_messages, 2);
	expect(1, MESSAGE_RECEIVE, MESSAGE_ENDS, 0, 41, 1);
}

static void a_request_is_told_where_it_begins_and_where_it_is_waited_for(void **state)
{
	int request[2], one, flag = 0;

	(void)state;
	MPI_Irecv(data, 3, BYTES, 2, 9, WORLD, &request[0]);
	MPI_Isend(data, 3, BYTES, 2, 9, WORLD, &request[1]);
	MPI_Waitall(2, request, IGNORE);
	MPI_Waitall(2, request, IGNORE); /* they are gone */
	assert_int_equal(standin_messages, 4);
	expect(0, MESSAGE_RECEIVE, MESSAGE_BEGINS, 2, 9, 1);
	expect(1, MESSAGE_SEND, MESSAGE_BEGINS, 2, 9, 1);
	expect(2, MESSAGE_RECEIVE, MESSAGE_ENDS, 2, 9, 1);
	expect(3, MESSAGE_SEND, MESSAGE_ENDS, 2, 9, 1);
	MPI_Isend(data, 3, BYTES, 2, 9, WORLD, &one);
	MPI_Test(&one, &flag, IGNORE); /* not done: asking is no waiting */
	assert_int_equal(flag, 0);
	assert_int_equal(standin_messages, 5);
}

static void calls_of_all_are_counted_together_and_name_their_root(void **state)
{
	(void)state;
	MPI_Barrier(WORLD);
	MPI_Bcast(data, 1, BYTES, 1, PAIR);
	MPI_Bcast(data, 1, BYTES, 2, WORLD);
	expect(0, MESSAGE_OF_ALL, BOTH, -1, 0, 1);
	expect(1, MESSAGE_FROM_ROOT, BOTH, 2, 0, 1);
	expect(2, MESSAGE_FROM_ROOT, BOTH, 2, 0, 2);
}

static void nothing_is_told_of_nobody_and_of_one_rank_alone(void **state)
{
	(void)state;
	MPI_Send(data, 3, BYTES, NOBODY, 5, WORLD);
	MPI_Barrier(ALONE);
	assert_int_equal(standin_messages, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(messages_of_one_way_and_tag_are_counted, begin),
		cmocka_unit_test_setup(a_receive_from_anybody_is_told_when_it_is_known_from_whom,
				       begin),
		cmocka_unit_test_setup(a_request_is_told_where_it_begins_and_where_it_is_waited_for,
				       begin),
		cmocka_unit_test_setup(calls_of_all_are_counted_together_and_name_their_root,
				       begin),
		cmocka_unit_test_setup(nothing_is_told_of_nobody_and_of_one_rank_alone, begin),
	};

	setenv("CUDA_INJECTION64_PATH", RECORDER_LIBRARY, 1);
	dlopen(RECORDER_LIBRARY, RTLD_NOW);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
