/* SPDX-License-Identifier: MIT
 * Operations of MPI that all ranks come to, in front of a library in MPI's place: they give what
 * they give, and the recorder is told of a barrier of processes.
 */
#include "nccl_world.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>

#include "tests/standin/standin_mpi.h"

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                    \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

static int body(int rank)
{
	const double value = rank + 1;
	double sum = 0;
	int number = -1;

	MUST(!MPI_Init(NULL, NULL) && !MPI_Comm_rank(MPI_COMM_WORLD, &number) && number == rank);
	MUST(!MPI_Barrier(MPI_COMM_WORLD));
	MUST(standin_note_last.kind == NOTE_BARRIER);
	MUST(standin_note_last.object == NOTE_BARRIER_OF_PROCESSES);
	MUST(standin_note_last.value == 0);
	MUST(!MPI_Bcast(&number, 1, MPI_INT, 1, MPI_COMM_WORLD) && number == 1);
	MUST(standin_notes[NOTE_BARRIER] == 1); /* its root waits for nobody */
	MUST(!MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) && sum == 3);
	MUST(standin_notes[NOTE_BARRIER] == 2 && standin_note_last.value == 1);
	MUST(standin_note_last.end_ns > standin_note_last.start_ns);
	return 0;
}

static void ranks_meet_at_what_all_come_to(void **state)
{
	char path[] = "/tmp/preload_mpi.XXXXXX";
	int status, failed = 0;

	(void)state;
	close(mkstemp(path));
	setenv("STANDIN_MPI", path, 1);
	setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
	for (int rank = 0; rank < 2; rank++)
		if (!fork()) {
			setenv("OMPI_COMM_WORLD_RANK", rank ? "1" : "0", 1);
			alarm(20);
			_exit(body(rank));
		}
	while (wait(&status) > 0)
		failed += status != 0;
	unlink(path);
	assert_int_equal(failed, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_meet_at_what_all_come_to),
	};

	(void)argc;
	preload(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
