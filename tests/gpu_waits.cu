// SPDX-License-Identifier: MIT
// What waiting for an event takes the host, by whose it is: of another stream of the same GPU, or
// of a neighbour's. Loops as solvers have them, a thread a GPU (or one thread for all of them),
// each call timed; the neighbour's thread has made its record before (a counter says so). Prints
// means of the middle nine tenths by kind of call, and the round's period, in ns, medians of ROUNDS
// threads.
//
//     gpu_waits [PACE_NS]       a round takes at least that long, so that the device keeps up
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

#include <cuda_runtime.h>

#include "cuda_try.h"

enum { ROUNDS = 9, TURNS = 150, MOST = 8, STREAMS = 4, COPY_BYTES = 16384 };
enum call { LAUNCH, RECORD, WAIT_OWN, WAIT_OTHER, COPY, AWAIT, CALLS };
static const char *const NAMES[CALLS] = { "launch",	"record", "wait-own",
					  "wait-other", "copy",	  "await" };

static long long now_ns()
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

__global__ void work(float *a, int n)
{
	for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n;
	     i += (int)(gridDim.x * blockDim.x))
		a[i] = a[i] * 0.5f + 1;
}

struct gpu {
	cudaStream_t stream[STREAMS];
	cudaEvent_t event[STREAMS];
	float *d_data, *d_halo;
	std::atomic<long long> count;
};
static struct gpu gpu[MOST];
static int gpus;
static long long pace_ns = 30000;

/* The calls of one thread, timed. */
struct log {
	std::vector<double> ns[CALLS];
	long long at;
	void done(enum call call)
	{
		const long long now = now_ns();
		ns[call].push_back((double)(now - at));
		at = now_ns();
	}
};

static void launch(struct log *log, int g, int stream, int n)
{
	work<<<132, 256, 0, gpu[g].stream[stream]>>>(gpu[g].d_data + stream * 262144, n);
	log->done(LAUNCH);
}
static void record(struct log *log, int g, int stream, int event)
{
	TRY(cudaEventRecord(gpu[g].event[event], gpu[g].stream[stream]));
	log->done(RECORD);
}
static void wait(struct log *log, int g, int stream, int of, int event)
{
	TRY(cudaStreamWaitEvent(gpu[g].stream[stream], gpu[of].event[event], 0));
	log->done(g == of ? WAIT_OWN : WAIT_OTHER);
}
static void raise(struct log *log, int g, bool alone)
{
	if (!alone)
		gpu[g].count++;
	log->at = now_ns();
}
static void await(struct log *log, int of, long long count, bool alone)
{
	while (!alone && gpu[of].count.load() < count)
		;
	log->done(AWAIT);
}

/* A half-sweep of kernel store: edges beside the interior, which wait for each other's before. */
static void store(struct log *log, int g, int team, long long turn, int half, bool alone)
{
	const int before = 1 - half;
	for (int other = g - 1; other <= g + 1; other += 2)
		if (other >= 0 && other < team) {
			await(log, other, 2 * turn + half, alone);
			wait(log, g, 1, other, before);
		}
	wait(log, g, 1, g, 2 + before);
	launch(log, g, 1, 8192);
	record(log, g, 1, half);
	raise(log, g, alone);
	wait(log, g, 0, g, before);
	launch(log, g, 0, 262144);
	record(log, g, 0, 2 + half);
}

/* A step of an exchange from GPU to GPU: two launches, the copies, the neighbours'. */
static void exchange(struct log *log, int g, int team, long long turn, int step, bool alone)
{
	if (step == 0) {
		launch(log, g, 0, 262144);
		launch(log, g, 0, 262144);
		record(log, g, 0, 0);
		raise(log, g, alone);
		return;
	}
	for (int other = g - 1; other <= g + 1; other += 2) {
		if (other < 0 || other >= team)
			continue;
		await(log, other, 2 * turn + step, alone);
		wait(log, g, 0, other, step - 1);
		if (step == 2)
			continue;
		TRY(cudaMemcpyPeerAsync(gpu[other].d_halo + (other > g ? 0 : COPY_BYTES / 4), other,
					gpu[g].d_data, g, COPY_BYTES, gpu[g].stream[0]));
		log->done(COPY);
	}
	if (step == 1) {
		record(log, g, 0, 1);
		raise(log, g, alone);
	}
}

/* Four streams of one GPU, each behind the one beside it. */
static void streams(struct log *log, int g, int team, long long turn, int step, bool alone)
{
	(void)team, (void)turn, (void)step, (void)alone;
	for (int s = 0; s < STREAMS; s++) {
		wait(log, g, s, g, (s + 1) % STREAMS);
		launch(log, g, s, 8192);
		record(log, g, s, s);
	}
}

struct loop {
	const char *name;
	int steps; /* one thread makes each for all GPUs before the next */
	void (*step)(struct log *log, int g, int team, long long turn, int step, bool alone);
};
static const struct loop LOOPS[] = { { "store", 2, store },
				     { "exchange", 3, exchange },
				     { "streams", 1, streams } };

static std::atomic<int> arrived;

static void body(const struct loop *loop, int first, int end, int team, long long pace,
		 double *middle, double *period)
{
	struct log log;
	long long begun = 0;

	for (int g = first; g < end; g++) {
		TRY(cudaSetDevice(g));
		for (int s = 0; s < STREAMS; s++) {
			TRY(cudaEventRecord(gpu[g].event[s], gpu[g].stream[s]));
			TRY(cudaStreamSynchronize(gpu[g].stream[s]));
		}
	}
	arrived++;
	while (arrived.load() < (end - first > 1 ? 1 : team))
		;
	for (int turn = -20; turn < TURNS; turn++) {
		if (!turn) {
			for (std::vector<double> &ns : log.ns)
				ns.clear();
			begun = now_ns();
		}
		const long long from = log.at = now_ns();
		for (int step = 0; step < loop->steps; step++)
			for (int g = first; g < end; g++) {
				if (end - first > 1) {
					TRY(cudaSetDevice(g));
					log.at = now_ns();
				}
				loop->step(&log, g, team, turn + 20, step,
					   end - first > 1 || team == 1);
			}
		while (now_ns() - from < pace)
			;
	}
	for (int g = first; g < end; g++)
		for (int s = 0; s < STREAMS; s++)
			TRY(cudaStreamSynchronize(gpu[g].stream[s]));
	*period = (double)(now_ns() - begun) / TURNS;
	for (int c = 0; c < CALLS; c++) {
		std::vector<double> &ns = log.ns[c];
		const size_t n = ns.size() * 19 / 20;
		double sum = 0;
		std::sort(ns.begin(), ns.end());
		for (size_t i = ns.size() / 20; i < n; i++)
			sum += ns[i];
		middle[c] = n ? sum / (double)(n - ns.size() / 20) : -1;
	}
}

static double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

static void run(const struct loop *loop, int team, bool one_thread, long long pace)
{
	std::vector<double> all[CALLS], periods;

	for (int r = 0; r < ROUNDS; r++) {
		const int threads = one_thread ? 1 : team;
		double middle[MOST][CALLS], period[MOST];
		std::vector<std::thread> thread;
		arrived = 0;
		for (int t = 0; t < team; t++)
			gpu[t].count = 0;
		for (int t = 0; t < threads; t++)
			thread.emplace_back(body, loop, t, one_thread ? team : t + 1, team, pace,
					    middle[t], &period[t]);
		for (std::thread &t : thread)
			t.join();
		for (int t = 0; t < threads; t++) {
			periods.push_back(period[t]);
			for (int c = 0; c < CALLS; c++)
				if (middle[t][c] >= 0)
					all[c].push_back(middle[t][c]);
		}
	}
	printf("%s\t%d\t%s\t%lld\t%.0f", loop->name, team, one_thread ? "one" : "each", pace,
	       median(periods));
	for (int c = 0; c < CALLS; c++)
		printf("\t%.0f", all[c].empty() ? -1 : median(all[c]));
	printf("\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	pace_ns = argc > 1 ? atoll(argv[1]) : pace_ns;
	TRY(cudaGetDeviceCount(&gpus));
	gpus = gpus > MOST ? (int)MOST : gpus;
	for (int g = 0; g < gpus; g++) {
		TRY(cudaSetDevice(g));
		for (int s = 0; s < STREAMS; s++) {
			TRY(cudaStreamCreateWithFlags(&gpu[g].stream[s], cudaStreamNonBlocking));
			TRY(cudaEventCreateWithFlags(&gpu[g].event[s], cudaEventDisableTiming));
		}
		TRY(cudaMalloc(&gpu[g].d_data, STREAMS * 1048576));
		TRY(cudaMalloc(&gpu[g].d_halo, 2 * COPY_BYTES));
		for (int other = 0; other < gpus; other++)
			if (other != g)
				TRY(cudaDeviceEnablePeerAccess(other, 0));
	}
	printf("loop\tgpus\tthreads\tpace_ns\tperiod_ns");
	for (const char *name : NAMES)
		printf("\t%s", name);
	printf("\n");
	for (int team = 1; team <= gpus; team *= 2)
		for (const struct loop &loop : LOOPS)
			for (long long pace : { pace_ns, 0ll }) {
				run(&loop, team, false, pace);
				if (team > 1)
					run(&loop, team, true, pace * team);
			}
	return 0;
}
