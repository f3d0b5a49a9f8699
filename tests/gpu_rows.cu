// SPDX-License-Identifier: MIT
// What a copy takes by its rows: pinned and pageable memory of the host, up and down, and another
// GPU; on an idle stream and behind a kernel, by one thread and by several at once, each on a GPU
// of its own. Rows lie close to each other at the host and a grid's pitch apart on a GPU; width 0:
// the same bytes in one piece. Prints how long the call takes and when the copy is done, both from
// the call's begin (behind: done from the kernel's end as a run of it without the copy has it), in
// ns, medians of ROUNDS.
//
//     gpu_rows [SECONDS [PITCH]]
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

#include <cuda_runtime.h>

#include "cuda_try.h"

enum { ROUNDS = 11, MOST_ROWS = 16384, MOST_BYTES = 4194304 };

enum kind { UP, DOWN, UP_PAGEABLE, DOWN_PAGEABLE, PEER, KINDS };
static const char *const NAMES[KINDS] = { "up", "down", "up-pageable", "down-pageable", "peer" };

static long long now_ns()
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

__global__ void spin(long long cycles)
{
	const long long begin = clock64();
	while (clock64() - begin < cycles)
		;
}

struct member {
	int gpu, next;
	cudaStream_t stream;
	char *d_grid, *d_packed, *d_next, *h_pinned, *h_pageable;
};

struct point {
	enum kind kind;
	int threads;
	size_t width, rows;
	bool behind;
};

static size_t pitch = 8192;
static const long long SPIN_CYCLES = 40000;

static void copy(const struct member *m, const struct point *p)
{
	const size_t width = p->width ? p->width : p->rows, rows = p->width ? p->rows : 1;
	char *host = p->kind == UP || p->kind == DOWN ? m->h_pinned : m->h_pageable;
	const size_t there = p->width ? pitch : width;

	if (p->kind == PEER)
		TRY(cudaMemcpy2DAsync(m->d_next, there, m->d_grid, there, width, rows,
				      cudaMemcpyDefault, m->stream));
	else if (p->kind == UP || p->kind == UP_PAGEABLE)
		TRY(cudaMemcpy2DAsync(m->d_grid, there, host, width, width, rows,
				      cudaMemcpyHostToDevice, m->stream));
	else
		TRY(cudaMemcpy2DAsync(host, width, m->d_grid, there, width, rows,
				      cudaMemcpyDeviceToHost, m->stream));
}

struct meeting { /* of all threads of a point, again and again */
	std::atomic<int> arrived{ 0 }, turn{ 0 };
	void wait(int threads)
	{
		const int mine = turn.load();
		if (arrived.fetch_add(1) + 1 == threads) {
			arrived = 0;
			turn++;
		}
		while (turn.load() == mine)
			;
	}
};

struct result {
	double call, done;
};

static void measure(const struct member *m, const struct point *p, struct meeting *meeting,
		    struct result *result)
{
	std::vector<double> call, done, alone;
	int rounds = ROUNDS;

	TRY(cudaSetDevice(m->gpu));
	for (int r = -1; r < rounds; r++) {
		for (int with = p->behind ? 0 : 1; with < 2; with++) {
			TRY(cudaStreamSynchronize(m->stream));
			meeting->wait(p->threads);
			if (p->behind)
				spin<<<1, 32, 0, m->stream>>>(SPIN_CYCLES);
			const long long begun = now_ns();
			if (with)
				copy(m, p);
			const long long back = now_ns();
			TRY(cudaStreamSynchronize(m->stream));
			const double all = (double)(now_ns() - begun);
			if (r >= 0 && with)
				call.push_back((double)(back - begun)), done.push_back(all);
			else if (r >= 0)
				alone.push_back(all);
			if (r < 0 && with && all > 3e6 && p->threads == 1)
				rounds = 3;
		}
	}
	result->call = median(call);
	result->done = median(done) - (p->behind ? median(alone) : 0);
}

static void run(std::vector<struct member> &member, const struct point *p)
{
	struct meeting meeting;
	std::vector<std::thread> thread;
	std::vector<struct result> result((size_t)p->threads);
	double call = 0, done = 0;

	for (int t = 0; t < p->threads; t++)
		thread.emplace_back(measure, &member[(size_t)t], p, &meeting, &result[(size_t)t]);
	for (std::thread &t : thread)
		t.join();
	for (const struct result &r : result)
		call += r.call / p->threads, done += r.done / p->threads;
	printf("%s\t%d\t%zu\t%zu\t%s\t%.0f\t%.0f\n", NAMES[p->kind], p->threads, p->width,
	       p->width ? p->rows : 1, p->behind ? "behind" : "idle", call, done);
	fflush(stdout);
}

static struct member open(int gpu, int gpus)
{
	struct member m = { gpu, (gpu + 1) % gpus, NULL, NULL, NULL, NULL, NULL, NULL };

	TRY(cudaSetDevice(gpu));
	TRY(cudaStreamCreateWithFlags(&m.stream, cudaStreamNonBlocking));
	TRY(cudaMalloc(&m.d_grid, pitch * MOST_ROWS));
	TRY(cudaMallocHost(&m.h_pinned, MOST_BYTES));
	m.h_pageable = (char *)calloc(1, MOST_BYTES);
	std::fill(m.h_pageable, m.h_pageable + MOST_BYTES, 1);
	if (gpus > 1) {
		TRY(cudaDeviceEnablePeerAccess(m.next, 0));
		TRY(cudaSetDevice(m.next));
		TRY(cudaMalloc(&m.d_next, pitch * MOST_ROWS));
	}
	return m;
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 60;
	const long long begun = now_ns();
	int gpus = 0;
	std::vector<struct member> member;

	pitch = argc > 2 ? (size_t)atol(argv[2]) : pitch;
	TRY(cudaGetDeviceCount(&gpus));
	for (int g = 0; g < gpus; g++)
		member.push_back(open(g, gpus));
	printf("kind\tthreads\twidth\trows\tplace\tcall_ns\tdone_ns\n");
	for (int threads = 1; threads <= gpus; threads *= 2)
		for (size_t rows : { 1024, 16384, 128, 4096, 512, 2048, 8192 })
			for (size_t width : { 8, 64, 0, 256, 4, 16, 1024 })
				for (int kind = 0; kind < KINDS; kind++)
					for (int behind = 0; behind < 2; behind++) {
						const struct point p = { (enum kind)kind, threads,
									 width,
									 /* in one piece: bytes */
									 width ? rows : rows * 16,
									 behind > 0 };
						if ((kind == PEER && gpus < 2) ||
						    width * rows > MOST_BYTES)
							continue;
						if ((double)(now_ns() - begun) > seconds * 1e9)
							return printf("# out of time\n"), 0;
						run(member, &p);
					}
	return 0;
}
