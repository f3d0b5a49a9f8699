/* SPDX-License-Identifier: MIT
 * Each process takes the next point and sends its row through a pipe; the parent alone writes the
 * store. A row is smaller than what a pipe takes at once, so rows do not mix.
 */
#include "sweep_work.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep_answer.h"
#include "traces/base/util.h"

_Static_assert(sizeof(struct sweep_row) <= PIPE_BUF, "rows would mix in the pipe");

static const int64_t COMMIT_NS = 500000000; /* how much of the work a kill may cost */

/* Whether a shard has a point: point k is of shard k mod N + 1. */
static bool sweep_shard_has(struct sweep_shard shard, uint64_t point)
{
	return (int)(point % (uint64_t)shard.of) == shard.index - 1;
}

/* What was said while a point was answered, as one line of text. */
static void take_note(FILE *said, struct sweep_row *row)
{
	fflush(stderr);
	rewind(said);
	char text[sizeof(row->note) + 16];
	const char *name = "warpreel: ", *begin = text;
	size_t length = fread(text, 1, sizeof(text) - 1, said);
	text[length] = 0;
	if (!strncmp(text, name, strlen(name)))
		begin += strlen(name);
	length = (size_t)snprintf(row->note, sizeof(row->note), "%s", begin);
	if (length >= sizeof(row->note))
		length = sizeof(row->note) - 1;
	while (length && row->note[length - 1] == '\n')
		row->note[--length] = 0;
	for (char *at = row->note; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = ' ';
	if (ftruncate(fileno(said), 0))
		_exit(1);
	lseek(STDERR_FILENO, 0, SEEK_SET);
	rewind(said);
}

/* Points that are answered with one platform and set. */
struct batch {
	const struct sweep_work *work;
	const uint64_t *point;
	size_t count, at_once; /* a process takes so many, one after the other */
	struct sweep_answerer answerer;
};

static void silence(FILE *said)
{
	if (!said || dup2(fileno(said), STDERR_FILENO) < 0)
		_exit(1);
}

static void work_off(struct batch *b, atomic_size_t *next, int pipe_end, pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	FILE *said = tmpfile();
	silence(said);
	for (size_t begin; (begin = atomic_fetch_add(next, b->at_once)) < b->count;) {
		for (size_t k = begin; k < begin + b->at_once && k < b->count; k++) {
			struct sweep_point point;
			struct sweep_row row;
			memset(&row, 0, sizeof(row));
			row.point = b->point[k];
			sweep_point_at(b->work->sweep, b->point[k], &point);
			sweep_answer(&b->answerer, &point, &row);
			take_note(said, &row);
			if (write(pipe_end, &row, sizeof(row)) != sizeof(row))
				_exit(1);
		}
	}
	_exit(0);
}

/* Whole rows only: what a killed process had begun to write is not there. */
static int read_row(int pipe_end, struct sweep_row *row)
{
	size_t have = 0;
	while (have < sizeof(*row)) {
		ssize_t more = read(pipe_end, (char *)row + have, sizeof(*row) - have);
		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0)
			return 0;
		have += (size_t)more;
	}
	return 1;
}

/* Rows as they come, until all who answer have ended. */
static int store_rows(const struct sweep_work *w, int pipe_end, struct progress *progress,
		      int64_t total, int64_t *stored)
{
	struct sweep_row row;
	int64_t committed = monotonic_ns();
	int rc = sweep_store_begin(w->store);
	while (!rc && read_row(pipe_end, &row)) {
		rc = sweep_store_put(w->store, &row);
		progress_at(progress, ++*stored, total);
		if (!rc && monotonic_ns() - committed > COMMIT_NS) {
			rc = sweep_store_commit(w->store) || sweep_store_begin(w->store) ? -1 : 0;
			committed = monotonic_ns();
		}
	}
	return rc || sweep_store_commit(w->store) ? -1 : 0;
}

/* Times of all its launches first, shared out; then every process has them. What is said on the way
 * is said again, and kept, when the point is answered. */
static void play_launches(struct batch *b)
{
	const int heard = dup(STDERR_FILENO);
	FILE *said = tmpfile();
	fflush(stderr);
	silence(said);
	for (size_t k = 0; k < b->count; k++) {
		struct sweep_point point;
		sweep_point_at(b->work->sweep, b->point[k], &point);
		sweep_note(&b->answerer, &point);
	}
	sweep_play_pending(&b->answerer, b->work->processes);
	fflush(stderr);
	dup2(heard, STDERR_FILENO);
	close(heard);
	fclose(said);
}

/*
 * Points next to each other share launches, and one process remembers them: where there are many,
 * a process takes several, and plays what is new to it. Where there are few, all launches are
 * played first and shared out.
 */
enum { AT_ONCE_MOST = 64, TURNS = 8 };
static void share_out(struct batch *b, int processes)
{
	b->at_once = b->count / ((size_t)processes * TURNS);
	b->at_once = b->at_once > AT_ONCE_MOST ? AT_ONCE_MOST : b->at_once;
	if (b->at_once < TURNS) {
		b->at_once = 1;
		play_launches(b);
	}
}

static int answer_batch(struct batch *b, struct progress *progress, int64_t total, int64_t *stored)
{
	const struct sweep_work *w = b->work;
	const int processes = (size_t)w->processes < b->count ? w->processes : (int)b->count;
	const pid_t here = getpid();
	int ends[2];
	atomic_size_t *next = mmap(NULL, sizeof(*next), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (next == MAP_FAILED || pipe(ends))
		return report("cannot share work: %s", strerror(errno));
	pid_t *child = xcalloc((size_t)processes, sizeof(*child));
	share_out(b, processes);
	fflush(NULL); /* or each writes it once more */
	for (int p = 0; p < processes; p++) {
		child[p] = fork();
		if (child[p] == 0) {
			close(ends[0]);
			work_off(b, next, ends[1], here);
		}
	}
	close(ends[1]);
	int rc = store_rows(w, ends[0], progress, total, stored);
	close(ends[0]);
	for (int p = 0; p < processes; p++)
		if (child[p] > 0)
			waitpid(child[p], NULL, 0);
	free(child);
	munmap(next, sizeof(*next));
	return rc;
}

/* The points to be answered with one platform and set, after each other; owned by the caller. */
static uint64_t *points_left(const struct sweep_work *w, uint64_t machine, size_t *count)
{
	uint64_t *point = NULL;
	size_t capacity = 0;
	*count = 0;
	for (uint64_t k = 0; k < w->sweep->points; k++) {
		if (w->done[k] || !sweep_shard_has(w->shard, k) ||
		    sweep_machine_of(w->sweep, k) != machine)
			continue;
		GROW(point, *count, capacity);
		point[(*count)++] = k;
	}
	return point;
}

int sweep_work_run(const struct sweep_work *w)
{
	const uint64_t machines = w->sweep->platform.count * w->sweep->set.count;
	int64_t total = 0, stored = 0;
	struct progress progress;
	int rc = 0;
	for (uint64_t k = 0; k < w->sweep->points; k++)
		total += !w->done[k] && sweep_shard_has(w->shard, k);
	progress_begin(&progress, "point");
	for (uint64_t machine = 0; machine < machines && !rc; machine++) {
		struct batch batch = {
			.work = w, .answerer = { .program = w->program, .options = w->options }
		};
		uint64_t *point = points_left(w, machine, &batch.count);
		batch.point = point;
		if (batch.count)
			rc = answer_batch(&batch, &progress, total, &stored);
		sweep_answerer_release(&batch.answerer);
		free(point);
	}
	progress_end(&progress);
	if (!rc && stored < total)
		rc = report("%lld of %lld points were not answered: a process ended early; the "
			    "same command goes on where this one stopped",
			    (long long)(total - stored), (long long)total);
	return rc;
}
