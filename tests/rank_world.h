/* SPDX-License-Identifier: MIT
 * Ranks that are processes: forked by the test, sharing what `warpreel record` would have given
 * them. What ranks say to stderr, and how they ended, is there for the test to ask.
 */
#ifndef WARPREEL_TESTS_RANK_WORLD_H
#define WARPREEL_TESTS_RANK_WORLD_H

#include "nccl_world.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

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
	for (int left = ranks; left; left--) { /* as they end: none is kept as a zombie */
		int status, rank = 0;
		const pid_t ended = waitpid(-1, &status, 0);

		while (rank < ranks && process_of[rank] != ended)
			rank++;
		assert_true(rank < ranks);
		status_of[rank] = status;
		failed += status != 0;
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

#endif
