/* SPDX-License-Identifier: MIT */
#include "processes.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../traces/util.h"

/* What the processes share. */
struct board { atomic_size_t next; double result[]; };

int processes_most(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	return cores < 1 ? 1 : cores > PROCESSES_MOST ? PROCESSES_MOST : (int)cores;
}

static void work_off(pid_t parent, struct board *board, size_t count, double (*work)(void *context, size_t k), void *context)
{
	/* Nobody is left to use the numbers once the parent has ended, however it did; it may have before this was asked for. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	int nowhere = open("/dev/null", O_WRONLY);
	if (nowhere >= 0)
		dup2(nowhere, STDERR_FILENO);
	for (size_t k; (k = atomic_fetch_add(&board->next, 1)) < count;)
		board->result[k] = work(context, k);
	_exit(0);
}

void processes_run(int processes, size_t count, double (*work)(void *context, size_t k), void *context, double *result)
{
	for (size_t k = 0; k < count; k++)
		result[k] = NAN;
	size_t bytes = sizeof(struct board) + count * sizeof(double);
	struct board *board = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (board == MAP_FAILED)
		return;
	for (size_t k = 0; k < count; k++)
		board->result[k] = NAN;
	pid_t *child = xcalloc((size_t)processes, sizeof(*child));
	const pid_t here = getpid();
	for (int p = 0; p < processes; p++)
		if ((child[p] = fork()) == 0)
			work_off(here, board, count, work, context);
	for (int p = 0; p < processes; p++)
		while (child[p] > 0 && waitpid(child[p], NULL, 0) < 0 && errno == EINTR)
			;
	for (size_t k = 0; k < count; k++)
		result[k] = board->result[k];
	free(child);
	munmap(board, bytes);
}
