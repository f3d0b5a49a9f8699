/* SPDX-License-Identifier: MIT
 * What the first calls of a host thread take, where several begin together: a launch behind a
 * barrier, the next ones, and the wait at the end, of threads that were made for it or that live
 * on, with or without copies or launches of their own before, at once or one after the other, each
 * on a GPU of its own or all on one (docs/lab/host.md).
 *
 *     gpu_begin_together [GPUS [ROUNDS]]    a table, medians and deciles of all threads and rounds
 * in us; faults and switches (voluntary and not) are means a thread of the first call alone
 */
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"
#include "host_clock.h"

enum { MOST = 8, CALLS = 10, STREAMS = 4, COPY_BYTES = 65536 };

/* As large as what solvers hand to a kernel. */
struct arguments {
	double *out;
	double value[16];
};

template <int WHICH> __global__ void work(const struct arguments a)
{
	if (a.value[0] == 12345.0)
		a.out[0] = a.value[1 + WHICH];
}

enum before { NOTHING, COPIES, LAUNCHES, COPIES_AND_TOUCHED };
enum idle { NO_IDLE, SPUN, SLEPT };
static const char *const before_names[] = { "nothing", "copies", "launches", "copies,touched" };
static const char *const idle_names[] = { "no", "spun", "slept" };

struct experiment {
	bool fresh;
	enum before before;
	enum idle idle;
	bool together;
	int streams;
	bool same_gpu;
	bool one; /* call, and then the wait */
};

/* All of one GPU that threads use. */
struct device {
	cudaStream_t stream[STREAMS];
	double *d;
	void *h;
};

struct sample {
	double call[CALLS], sync, late, whole; /* us */
	long faults, voluntary, taken;
};

struct round_of {
	const struct experiment *e;
	int threads, rounds;
	std::atomic<int> arrived, generation, turn;
	std::atomic<double> begin;
	struct device (*device)[MOST]; /* [thread] */
	std::vector<struct sample> samples[MOST];
};

struct worker {
	struct round_of *r;
	int index;
	pthread_t handle;
};

static void barrier(struct round_of *r)
{
	const int generation = r->generation.load();

	if (r->arrived.fetch_add(1) + 1 == r->threads) {
		r->arrived = 0;
		r->turn = 0;
		r->begin = now_us();
		r->generation = generation + 1;
	} else {
		while (r->generation.load() == generation)
			__builtin_ia32_pause();
	}
}

static void touch_memory(void)
{
	volatile char stack[262144];
	char *heap = (char *)malloc(100000);

	for (size_t i = 0; i < sizeof(stack); i += 4096)
		stack[i] = 1;
	for (size_t i = 0; heap && i < 100000; i += 4096)
		((volatile char *)heap)[i] = 1;
	free(heap);
}

static void one_round(struct worker *w)
{
	struct round_of *r = w->r;
	const struct experiment *e = r->e;
	struct device *d = &(*r->device)[w->index];
	struct arguments a = { d->d, { 1 } };
	struct sample s;
	struct rusage from, to;

	if (e->before == COPIES || e->before == COPIES_AND_TOUCHED)
		for (int i = 0; i < 6; i++)
			TRY(cudaMemcpyAsync(d->d, d->h, COPY_BYTES, cudaMemcpyHostToDevice,
					    d->stream[0]));
	if (e->before == COPIES_AND_TOUCHED)
		touch_memory();
	if (e->before == LAUNCHES)
		for (int i = 0; i < 6; i++)
			work<1><<<100, 256, 0, d->stream[0]>>>(a);
	if (e->before != NOTHING)
		TRY(cudaStreamSynchronize(d->stream[0]));
	barrier(r);
	if (e->idle == SLEPT) {
		const struct timespec ms = { 0, 1000000 };
		nanosleep(&ms, NULL);
	} else if (e->idle == SPUN) {
		spin_us(1000);
	}
	if (e->idle != NO_IDLE)
		barrier(r);
	while (!e->together && r->turn.load() != w->index)
		__builtin_ia32_pause();
	getrusage(RUSAGE_THREAD, &from);
	const double begin = now_us();
	double last = begin;
	s = {};
	for (int i = 0; i < (e->one ? 1 : CALLS); i++) {
		work<0><<<100, 256, 0, d->stream[i % e->streams]>>>(a);
		const double now = now_us();
		s.call[i] = now - last;
		last = now;
		if (i == 0) {
			getrusage(RUSAGE_THREAD, &to);
			last = now_us();
		}
	}
	for (int i = 0; i < e->streams; i++)
		TRY(cudaStreamSynchronize(d->stream[i]));
	const double end = now_us();
	r->turn.fetch_add(1);
	s.sync = end - last;
	s.late = begin - r->begin;
	s.whole = end - begin;
	s.faults = to.ru_minflt - from.ru_minflt;
	s.voluntary = to.ru_nvcsw - from.ru_nvcsw;
	s.taken = to.ru_nivcsw - from.ru_nivcsw;
	barrier(r);
	r->samples[w->index].push_back(s);
}

static void *worker_main(void *arg)
{
	struct worker *w = (struct worker *)arg;

	TRY(cudaSetDevice(w->r->e->same_gpu ? 0 : w->index));
	for (int k = 0; k < (w->r->e->fresh ? 1 : w->r->rounds); k++)
		one_round(w);
	return NULL;
}

static double quantile(std::vector<double> &v, double q)
{
	std::sort(v.begin(), v.end());
	return v[(size_t)(q * (double)(v.size() - 1) + 0.5)];
}

static void print(const struct round_of *r, const struct experiment *e)
{
	std::vector<double> call[CALLS], sync, late, whole;
	double faults = 0, voluntary = 0, taken = 0, count = 0;

	for (int t = 0; t < r->threads; t++)
		for (size_t k = 3; k < r->samples[t].size(); k++) { /* the first warm up */
			const struct sample &s = r->samples[t][k];
			for (int i = 0; i < CALLS; i++)
				call[i].push_back(s.call[i]);
			sync.push_back(s.sync);
			late.push_back(s.late);
			whole.push_back(s.whole);
			faults += (double)s.faults;
			voluntary += (double)s.voluntary;
			taken += (double)s.taken;
			count++;
		}
	printf("%d\t%s\t%s\t%s\t%s\t%d\t%s\t%d", r->threads, e->fresh ? "new" : "kept",
	       before_names[e->before], idle_names[e->idle], e->together ? "at once" : "in turn",
	       e->streams, e->same_gpu ? "one" : "each", e->one ? 1 : CALLS);
	for (int i : { 0, 1, 2, 3, CALLS - 1 })
		printf("\t%.2f", quantile(call[i], 0.5));
	printf("\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", quantile(call[0], 0.1),
	       quantile(call[0], 0.9), quantile(call[1], 0.9), quantile(sync, 0.5),
	       quantile(late, 0.5), quantile(whole, 0.5), faults / count, voluntary / count,
	       taken / count);
	fflush(stdout);
}

static void run(const struct experiment *e, int threads, int rounds, struct device (*device)[MOST])
{
	struct worker w[MOST];
	struct round_of r;

	r.e = e;
	r.threads = threads;
	r.rounds = rounds;
	r.arrived = r.generation = r.turn = 0;
	r.device = device;
	for (int k = 0; k < (e->fresh ? rounds : 1); k++) {
		for (int t = 0; t < threads; t++) {
			w[t].r = &r;
			w[t].index = t;
			if (pthread_create(&w[t].handle, NULL, worker_main, &w[t]))
				exit(1);
		}
		for (int t = 0; t < threads; t++)
			pthread_join(w[t].handle, NULL);
	}
	print(&r, e);
}

/* Memory and streams of each thread; on_one: all on GPU 0. */
static void make(struct device *device, int gpus, bool on_one)
{
	for (int t = 0; t < gpus; t++) {
		TRY(cudaSetDevice(on_one ? 0 : t));
		TRY(cudaMalloc(&device[t].d, COPY_BYTES));
		TRY(cudaMallocHost(&device[t].h, COPY_BYTES));
		memset(device[t].h, 0, COPY_BYTES);
		for (int s = 0; s < STREAMS; s++) {
			TRY(cudaStreamCreateWithFlags(&device[t].stream[s], cudaStreamNonBlocking));
			struct arguments a = { device[t].d, { 1 } };
			work<0><<<100, 256, 0, device[t].stream[s]>>>(a);
			work<1><<<100, 256, 0, device[t].stream[s]>>>(a);
		}
		TRY(cudaDeviceSynchronize());
	}
}

static const struct experiment experiments[] = {
	{ true, COPIES, NO_IDLE, true, 1, false, false },
	{ true, NOTHING, NO_IDLE, true, 1, false, false },
	{ true, LAUNCHES, NO_IDLE, true, 1, false, false },
	{ true, COPIES_AND_TOUCHED, NO_IDLE, true, 1, false, false },
	{ true, COPIES, NO_IDLE, false, 1, false, false },
	{ true, COPIES, SPUN, true, 1, false, false },
	{ true, COPIES, NO_IDLE, true, STREAMS, false, false },
	{ true, COPIES, NO_IDLE, true, 1, true, false },
	{ false, COPIES, NO_IDLE, true, 1, false, false },
	{ false, LAUNCHES, NO_IDLE, true, 1, false, false },
	{ false, COPIES, NO_IDLE, false, 1, false, false },
	{ false, COPIES, SPUN, true, 1, false, false },
	{ false, COPIES, SLEPT, true, 1, false, false },
	{ false, LAUNCHES, SPUN, true, 1, false, false },
	{ false, LAUNCHES, SLEPT, true, 1, false, false },
	{ false, COPIES, NO_IDLE, true, STREAMS, false, false },
	{ false, COPIES, NO_IDLE, true, 1, true, false },
	{ true, COPIES, NO_IDLE, true, 1, false, true },
	{ true, LAUNCHES, NO_IDLE, true, 1, false, true },
	{ false, COPIES, NO_IDLE, true, 1, false, true },
	{ false, LAUNCHES, NO_IDLE, true, 1, false, true },
	{ false, LAUNCHES, SPUN, true, 1, false, true },
};

int main(int argc, char **argv)
{
	static struct device own[MOST], one[MOST];
	const int gpus = argc > 1 ? atoi(argv[1]) : 1, rounds = argc > 2 ? atoi(argv[2]) : 100;

	if (argc > 3 || gpus < 1 || gpus > MOST || rounds < 10) {
		fprintf(stderr, "usage: gpu_begin_together [GPUS [ROUNDS]], at least 10\n");
		return 2;
	}
	make(own, gpus, false);
	make(one, gpus, true);
	printf("threads\tmade\tbefore\tidle\tbegin\tstreams\tgpu\tcalls\tfirst\tsecond\tthird\tfour"
	       "th\t"
	       "tenth\tfirst_p10\tfirst_p90\tsecond_"
	       "p90\tsync\tlate\twhole\tfaults\twaits\ttaken\n");
	for (int threads = 1; threads <= gpus; threads *= 2)
		for (const struct experiment &e : experiments)
			run(&e, threads, rounds, e.same_gpu ? &one : &own);
	return 0;
}
