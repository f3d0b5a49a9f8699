/* SPDX-License-Identifier: MIT
 * What an exchange of borders takes on the host alone, without any GPU (Spampinato, section 6.3.6):
 *
 *     mpirun -n 2 mpi_sendrecv            two processes, MPI_Sendrecv
 *     mpi_sendrecv threads                two threads, by the protocol of Figure 5.21: to the own
 *                                         staging, a counter with mutex and condition variable,
 * from the other's staging mpi_sendrecv spin                   the same, the counters looked at
 * again and again
 *
 * A table on standard output, one row a size: the median of so many exchanges, both ways at once,
 * with its median absolute deviation and the least. `warpreel regress` reads it.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

enum { LARGEST = 16 << 20, REPEATS = 300, WARM = 20, PART = 2 };
static const int64_t sizes[] = { 0,	4,	64,	 512,	  4096,	  16384,
				 65536, 262144, 1 << 20, 4 << 20, LARGEST };
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static void header(void)
{
	printf("way\tbytes\tns\tmad_ns\tleast_ns\texchanges\n");
}

/* Large ones less often. */
static int repeats_of(int64_t bytes)
{
	return bytes > 1 << 20 ? REPEATS / 10 : REPEATS;
}

static void row(const char *way, int64_t bytes, const double *ns, int repeats)
{
	const size_t count = (size_t)repeats;

	printf("%s\t%lld\t%.0f\t%.0f\t%.0f\t%d\n", way, (long long)bytes, median_of(ns, count),
	       mad_of(ns, count), quantile_of(ns, count, 0), repeats);
	fflush(stdout);
}

static int processes(void)
{
	int rank, ranks, rc = EXIT_OK;
	char *out = xcalloc(1, LARGEST), *in = xcalloc(1, LARGEST);

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (ranks != PART) {
		if (!rank)
			report("two processes exchange, not %d: mpirun -n 2 mpi_sendrecv", ranks);
		rc = EXIT_USAGE;
	} else if (!rank) {
		header();
	}
	for (int s = 0; s < SIZES && !rc; s++) {
		double ns[REPEATS];
		const int repeats = repeats_of(sizes[s]), bytes = (int)sizes[s];
		memset(out, rank + 1, (size_t)bytes);
		for (int k = -WARM; k < repeats; k++) {
			MPI_Barrier(MPI_COMM_WORLD);
			const int64_t begin = monotonic_ns();
			MPI_Sendrecv(out, bytes, MPI_BYTE, 1 - rank, 0, in, bytes, MPI_BYTE,
				     1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			if (k >= 0)
				ns[k] = (double)(monotonic_ns() - begin);
		}
		if (bytes && (in[0] != 2 - rank || in[bytes - 1] != 2 - rank))
			rc = EXIT_BAD;
		if (!rank)
			row("sendrecv", bytes, ns, repeats);
	}
	free(out);
	free(in);
	return rc ? report("nothing was exchanged"), rc : rc;
}

/* ---- threads ---- */

struct counter {
	_Alignas(128) int64_t value;
	pthread_mutex_t lock;
	pthread_cond_t raised;
};

struct part {
	char *own, *halo, *staging;
	struct counter written, read;
};

struct pair {
	struct part part[PART];
	bool spin;
	pthread_barrier_t together;
	int failed;
};

struct worker {
	struct pair *pair;
	int rank;
};

static void post(struct counter *c, int64_t value, bool spin)
{
	if (spin) {
		__atomic_store_n(&c->value, value, __ATOMIC_RELEASE);
		return;
	}
	pthread_mutex_lock(&c->lock);
	c->value = value;
	pthread_cond_signal(&c->raised);
	pthread_mutex_unlock(&c->lock);
}

static void await(struct counter *c, int64_t value, bool spin)
{
	if (spin) {
		while (__atomic_load_n(&c->value, __ATOMIC_ACQUIRE) < value)
			;
		return;
	}
	pthread_mutex_lock(&c->lock);
	while (c->value < value)
		pthread_cond_wait(&c->raised, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

static void exchange(struct pair *p, int rank, int64_t number, size_t bytes)
{
	struct part *me = &p->part[rank], *peer = &p->part[1 - rank];

	await(&me->read, number, p->spin);
	memcpy(me->staging, me->own, bytes);
	post(&me->written, number + 1, p->spin);
	await(&peer->written, number + 1, p->spin);
	memcpy(me->halo, peer->staging, bytes);
	post(&peer->read, number + 1, p->spin);
}

static void *thread_main(void *arg)
{
	const struct worker *worker = arg;
	struct pair *p = worker->pair;
	struct part *me = &p->part[worker->rank];
	int64_t number = 0;

	for (int s = 0; s < SIZES; s++) {
		double ns[REPEATS];
		const int repeats = repeats_of(sizes[s]);
		const size_t bytes = (size_t)sizes[s];
		memset(me->own, worker->rank + 1, bytes);
		for (int k = -WARM; k < repeats; k++) {
			pthread_barrier_wait(&p->together);
			const int64_t begin = monotonic_ns();
			exchange(p, worker->rank, number++, bytes);
			if (k >= 0)
				ns[k] = (double)(monotonic_ns() - begin);
		}
		if (bytes &&
		    (me->halo[0] != 2 - worker->rank || me->halo[bytes - 1] != 2 - worker->rank))
			p->failed = 1;
		if (!worker->rank)
			row(p->spin ? "spin" : "threads", sizes[s], ns, repeats);
	}
	return NULL;
}

static int threads(bool spin)
{
	struct pair p = { .spin = spin };
	pthread_t handle[PART];
	struct worker worker[PART];

	pthread_barrier_init(&p.together, NULL, PART);
	header();
	for (int k = 0; k < PART; k++) {
		struct counter *counters[] = { &p.part[k].written, &p.part[k].read };
		for (int c = 0; c < 2; c++) {
			pthread_mutex_init(&counters[c]->lock, NULL);
			pthread_cond_init(&counters[c]->raised, NULL);
		}
		p.part[k].own = xcalloc(1, LARGEST);
		p.part[k].halo = xcalloc(1, LARGEST);
		p.part[k].staging = xcalloc(1, LARGEST);
	}
	for (int k = 0; k < PART; k++) {
		worker[k] = (struct worker){ &p, k };
		if (pthread_create(&handle[k], NULL, thread_main, &worker[k])) {
			report("cannot start a thread");
			exit(EXIT_BAD); /* the first, if there is one, waits for it */
		}
	}
	for (int k = 0; k < PART; k++)
		pthread_join(handle[k], NULL);
	for (int k = 0; k < PART; k++) {
		free(p.part[k].own);
		free(p.part[k].halo);
		free(p.part[k].staging);
	}
	return p.failed ? report("nothing was exchanged"), EXIT_BAD : EXIT_OK;
}

int main(int argc, char **argv)
{
	const bool spin = argc == 2 && !strcmp(argv[1], "spin");

	if (argc > 2 || (argc == 2 && !spin && strcmp(argv[1], "threads"))) {
		report("usage: mpirun -n 2 mpi_sendrecv, or mpi_sendrecv threads|spin");
		return EXIT_USAGE;
	}
	if (argc == 2)
		return threads(spin);
	MPI_Init(&argc, &argv);
	const int rc = processes();
	MPI_Finalize();
	return rc;
}
