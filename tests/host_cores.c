/* SPDX-License-Identifier: MIT
 * What the processors of a host that threads run on have in common: which share a core, and what
 * so many threads together compute and read (docs/lab/kernels.md).
 *
 *     cc -O3 -march=native -D_GNU_SOURCE -o host_cores tests/host_cores.c -lpthread
 *     host_cores              tables: siblings of processor 0, and rates by number of threads,
 *                             one a core first where 'apart', neighbours first where 'close'
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 256, LANES = 64, ROUNDS = 400000 };
static const double SECONDS = 0.05;

struct work {
	pthread_t thread;
	int processor;
	const double *shared; /* read by all */
	double *own;	      /* read by this thread */
	size_t count;
	pthread_barrier_t *barrier;
	double sum, passes, seconds;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pin(int processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)processor, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static double compute(double a)
{
	double x[LANES];

	for (int k = 0; k < LANES; k++)
		x[k] = k + a;
	for (int r = 0; r < ROUNDS / LANES; r++)
		for (int k = 0; k < LANES; k++)
			x[k] = x[k] * 0.999 + a;
	for (int k = 1; k < LANES; k++)
		x[0] += x[k];
	return x[0];
}

static double read_all(const double *v, size_t count)
{
	double x[LANES] = { 0 };

	for (size_t i = 0; i + LANES <= count; i += LANES)
		for (int k = 0; k < LANES; k++)
			x[k] += v[i + (size_t)k];
	for (int k = 1; k < LANES; k++)
		x[0] += x[k];
	return x[0];
}

static void *run(void *arg)
{
	struct work *w = arg;

	pin(w->processor);
	w->sum += w->own      ? read_all(w->own, w->count)
		  : w->shared ? read_all(w->shared, w->count)
			      : compute(0.5);
	pthread_barrier_wait(w->barrier);
	const double begin = now();
	do {
		w->sum += w->own      ? read_all(w->own, w->count)
			  : w->shared ? read_all(w->shared, w->count)
				      : compute(0.5);
		w->passes++;
		w->seconds = now() - begin;
	} while (w->seconds < SECONDS);
	return NULL;
}

/* Passes a second of all threads together. */
static double rate(const int *processor, int threads, const double *shared, double *own,
		   size_t count)
{
	struct work w[MOST];
	pthread_barrier_t barrier;
	double sum = 0;

	pthread_barrier_init(&barrier, NULL, (unsigned)threads);
	for (int k = 0; k < threads; k++) {
		w[k] = (struct work){ .processor = processor[k],
				      .shared = shared,
				      .own = own ? own + (size_t)k * count : NULL,
				      .count = count,
				      .barrier = &barrier };
		if (pthread_create(&w[k].thread, NULL, run, &w[k]))
			exit(1);
	}
	for (int k = 0; k < threads; k++) {
		pthread_join(w[k].thread, NULL);
		sum += w[k].passes / w[k].seconds;
	}
	pthread_barrier_destroy(&barrier);
	return sum;
}

static void table(const char *name, const int *order, int processors, double *memory)
{
	static const int THREADS[] = { 1, 2, 4, 8, 12, 16, 24, 32, 48, 64 };
	const size_t block = (size_t)512 * 512, large = (size_t)4 << 20;

	for (size_t i = 0; i < sizeof(THREADS) / sizeof(THREADS[0]); i++) {
		const int n = THREADS[i];
		if (n > processors)
			break;
		const double flops = rate(order, n, NULL, NULL, 0) * 2.0 * ROUNDS,
			     block_bytes =
				     rate(order, n, memory, NULL, block) * 8.0 * (double)block,
			     memory_bytes =
				     rate(order, n, NULL, memory, large) * 8.0 * (double)large;
		printf("%s\t%d\t%.2f\t%.1f\t%.1f\n", name, n, flops * 1e-9, block_bytes * 1e-9,
		       memory_bytes * 1e-9);
		fflush(stdout);
	}
}

int main(void)
{
	cpu_set_t set;
	int processor[MOST], sibling[MOST], apart[MOST] = { 0 }, processors = 0, count = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	for (int k = 0; k < MOST && k < CPU_SETSIZE; k++)
		if (CPU_ISSET((size_t)k, &set))
			processor[processors++] = k;
	double *memory = malloc(sizeof(*memory) * (size_t)processors * ((size_t)4 << 20));
	if (!memory)
		return 1;
	for (size_t i = 0; i < (size_t)processors * ((size_t)4 << 20); i++)
		memory[i] = 1;
	printf("processors\t%d\n", processors);
	/* A sibling halves the rate of the first. */
	const double alone = rate(processor, 1, NULL, NULL, 0);
	int siblings = 0;
	for (int k = 1; k < processors; k++) {
		const int pair[2] = { processor[0], processor[k] };
		const double both = rate(pair, 2, NULL, NULL, 0);
		sibling[k] = both < 1.5 * alone;
		siblings += sibling[k];
		printf("pair\t%d\t%d\t%.2f\n", pair[0], pair[1], both / alone);
	}
	/* Siblings lie the same distance apart everywhere. */
	int distance = 0;
	for (int k = processors - 1; k > 0; k--)
		if (sibling[k])
			distance = k;
	printf("siblings_of_first\t%d\tdistance\t%d\n", siblings, distance);
	for (int pass = 0; pass < 2; pass++)
		for (int k = 0; k < processors; k++)
			if ((distance ? k / distance % 2 : 0) == pass)
				apart[count++] = processor[k];
	printf("order\tthreads\tgflops\tshared_2mib_gb_per_s\town_32mib_gb_per_s\n");
	table("close", processor, processors, memory);
	table("apart", apart, processors, memory);
	printf("places\t");
	for (int k = 0; k < processors; k++)
		printf("%s{%d}", k ? "," : "", apart[k]);
	printf("\n");
	free(memory);
	return 0;
}
