/* SPDX-License-Identifier: MIT */
#include "processes.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

static const long GLANCE_NS = 20000000;

/* What the processes share. */
struct shared_results {
	atomic_size_t next, done;
	_Alignas(max_align_t) char answers[];
};

int processes_most(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	return cores < 1 ? 1 : cores > PROCESSES_MOST ? PROCESSES_MOST : (int)cores;
}

static void work_off(pid_t parent, struct shared_results *shared, const struct process_work *work)
{
	/* Nobody is left to use the answers once the parent has ended, however it did; it may have
	 * before this was asked for. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	int said = memfd_create("said", MFD_CLOEXEC);
	if (said < 0 || dup2(said, STDERR_FILENO) < 0)
		_exit(1);
	char *answer = xcalloc(1, work->bytes);
	for (size_t k; (k = atomic_fetch_add(&shared->next, 1)) < work->count;
	     atomic_fetch_add(&shared->done, 1)) {
		const off_t before = lseek(said, 0, SEEK_CUR);
		char *place = shared->answers + k * work->bytes;
		memcpy(answer, place, work->bytes);
		work->answer(work->context, k, answer);
		fflush(stderr);
		if (lseek(said, 0, SEEK_CUR) == before)
			memcpy(place, answer,
			       work->bytes); /* whole or not at all, unless it is killed here */
	}
	_exit(0);
}

static void wait_for(pid_t child, struct progress *progress, const struct shared_results *shared,
		     size_t count)
{
	const struct timespec glance = { .tv_nsec = GLANCE_NS };
	pid_t ended;
	while ((ended = waitpid(child, NULL, progress->terminal ? WNOHANG : 0)) == 0 ||
	       (ended < 0 && errno == EINTR)) {
		progress_at(progress, (int64_t)atomic_load(&shared->done), (int64_t)count);
		if (ended == 0)
			nanosleep(&glance, NULL);
	}
}

void processes_run(int processes, const struct process_work *work, void *answers)
{
	const size_t bytes = work->count * work->bytes;
	const int most = (size_t)processes < work->count ? processes : (int)work->count;
	if (!work->count)
		return;
	struct shared_results *shared = mmap(NULL, sizeof(*shared) + bytes, PROT_READ | PROT_WRITE,
					     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return;
	memcpy(shared->answers, answers, bytes);
	pid_t *child = xcalloc((size_t)most, sizeof(*child));
	const pid_t here = getpid();
	struct progress progress;
	progress_begin(&progress, work->what);
	fflush(NULL); /* or each writes it once more */
	for (int p = 0; p < most; p++)
		if ((child[p] = fork()) == 0)
			work_off(here, shared, work);
	for (int p = 0; p < most; p++)
		if (child[p] > 0)
			wait_for(child[p], &progress, shared, work->count);
	progress_end(&progress);
	memcpy(answers, shared->answers, bytes);
	free(child);
	munmap(shared, sizeof(*shared) + bytes);
}
