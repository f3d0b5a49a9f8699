/* SPDX-License-Identifier: MIT
 * What a product asked of cuBLAS costs the host (docs/lab/host.md): by 1, 2, ... threads with a GPU
 * each, the first of a thread just made that has waited for 1 ms, the next ones, and a period of
 * many behind each other, beside that of empty launches. Products are of a square of `side` and of
 * so many columns, as block relaxation asks for.
 *
 *     gpu_library [GPUS]     a table, us: medians over threads and rounds; 0 GPUs: all
 *
 * Ends with 77 where there is no cuBLAS.
 */
#include <algorithm>
#include <atomic>
#include <pthread.h>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"
#include "host_clock.h"
#include "kernels/patches/patches_cublas.cuh"

enum { MOST = 8, ROUNDS = 9, NEXT = 20, MANY = 200, SIDE = 128, SKIPPED = 77, COPY_BYTES = 65536 };
static const int columns[] = { 8, 64, 368, 2000, 16384 };
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), COLUMNS_MOST = 16384 };

static struct cublas cublas;

struct device {
	void *handle, *h;
	cudaStream_t stream;
	double *a, *b, *c;
};

struct team {
	int threads, columns;
	std::atomic<int> arrived;
	std::vector<double> first[MOST], next[MOST], many[MOST], launches[MOST];
	struct device *device;
};

struct worker {
	struct team *team;
	int index;
	pthread_t handle;
};

__global__ void empty(void)
{
}

static void product(const struct device *d, int n)
{
	const double one = 1, zero = 0;

	if (cublas.set_stream(d->handle, d->stream) ||
	    cublas.dgemm(d->handle, CUBLAS_PLAIN, CUBLAS_PLAIN, SIDE, n, SIDE, &one, d->a, SIDE,
			 d->b, SIDE, &zero, d->c, SIDE)) {
		fprintf(stderr, "gpu_library: a product of %d columns failed\n", n);
		exit(1);
	}
}

static void meet(struct team *team, int times)
{
	team->arrived.fetch_add(1);
	while (team->arrived.load() < times * team->threads)
		__builtin_ia32_pause();
}

static void *work(void *given)
{
	const struct worker *w = (const struct worker *)given;
	struct team *team = w->team;
	const struct device *d = &team->device[w->index];
	double begin;

	TRY(cudaSetDevice(w->index));
	TRY(cudaMemcpyAsync(d->b, d->h, COPY_BYTES, cudaMemcpyHostToDevice, d->stream));
	TRY(cudaStreamSynchronize(d->stream));
	spin_us(1000);
	meet(team, 1);
	begin = now_us();
	product(d, team->columns);
	team->first[w->index].push_back(now_us() - begin);
	for (int i = 0; i < NEXT; i++) {
		begin = now_us();
		product(d, team->columns);
		team->next[w->index].push_back(now_us() - begin);
	}
	TRY(cudaStreamSynchronize(d->stream));
	meet(team, 2);
	begin = now_us();
	for (int i = 0; i < MANY; i++)
		product(d, team->columns);
	team->many[w->index].push_back((now_us() - begin) / MANY);
	TRY(cudaStreamSynchronize(d->stream));
	meet(team, 3);
	begin = now_us();
	for (int i = 0; i < MANY; i++)
		empty<<<1, 32, 0, d->stream>>>();
	team->launches[w->index].push_back((now_us() - begin) / MANY);
	TRY(cudaGetLastError());
	TRY(cudaStreamSynchronize(d->stream));
	return NULL;
}

static double median(const std::vector<double> *lists, int count)
{
	std::vector<double> all;

	for (int k = 0; k < count; k++)
		all.insert(all.end(), lists[k].begin(), lists[k].end());
	std::sort(all.begin(), all.end());
	return all[all.size() / 2];
}

static void find_cublas(void)
{
	cublas = cublas_load();
	if (!cublas.create || !cublas.set_stream || !cublas.dgemm) {
		printf("gpu_library: skipped, no cuBLAS\n");
		exit(SKIPPED);
	}
}

static void make(struct device *d, int gpu)
{
	TRY(cudaSetDevice(gpu));
	TRY(cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
	TRY(cudaMalloc(&d->a, SIDE * SIDE * sizeof(double)));
	TRY(cudaMalloc(&d->b, (size_t)SIDE * COLUMNS_MOST * sizeof(double)));
	TRY(cudaMalloc(&d->c, (size_t)SIDE * COLUMNS_MOST * sizeof(double)));
	TRY(cudaMallocHost(&d->h, COPY_BYTES));
	TRY(cudaMemset(d->a, 0, SIDE * SIDE * sizeof(double)));
	TRY(cudaMemset(d->b, 0, (size_t)SIDE * COLUMNS_MOST * sizeof(double)));
	if (cublas.create(&d->handle)) {
		fprintf(stderr, "gpu_library: cuBLAS gives no handle\n");
		exit(1);
	}
	for (int k = 0; k < COLUMNS; k++) /* of the process, not of a thread */
		product(d, columns[k]);
	TRY(cudaStreamSynchronize(d->stream));
}

static void measure(struct device *devices, int threads, int n)
{
	struct team team;
	struct worker worker[MOST];

	team.device = devices;
	team.threads = threads;
	team.columns = n;
	for (int round = 0; round < ROUNDS; round++) {
		team.arrived = 0;
		for (int k = 0; k < threads; k++) {
			worker[k].team = &team;
			worker[k].index = k;
			if (pthread_create(&worker[k].handle, NULL, work, &worker[k]))
				exit(1);
		}
		for (int k = 0; k < threads; k++)
			pthread_join(worker[k].handle, NULL);
	}
	printf("%d\t%d\t%.2f\t%.2f\t%.2f\t%.2f\n", threads, n, median(team.first, threads),
	       median(team.next, threads), median(team.many, threads),
	       median(team.launches, threads));
}

int main(int argc, char **argv)
{
	struct device device[MOST];
	int gpus = argc > 1 ? atoi(argv[1]) : 0, found;

	TRY(cudaGetDeviceCount(&found));
	gpus = gpus > 0 && gpus < found ? gpus : found;
	gpus = gpus < MOST ? gpus : (int)MOST;
	find_cublas();
	for (int k = 0; k < gpus; k++)
		make(&device[k], k);
	printf("threads\tcolumns\tfirst_us\tnext_us\tperiod_us\tlaunch_period_us\n");
	for (int threads = 1; threads <= gpus; threads *= 2)
		for (int k = 0; k < COLUMNS; k++)
			measure(device, threads, columns[k]);
	return 0;
}
