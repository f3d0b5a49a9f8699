/* SPDX-License-Identifier: MIT
 * A program of several GPUs and NCCL for docs/as-gpus.md: one process, whose ranks are GPUs of one
 * thread (`group`) or have a thread each (`threads`), or a process a rank (`processes`). Iterations
 * of a kernel, an exchange of borders with both neighbours, an all-reduce; then each other
 * operation once. It checks what it gets: whole numbers, exact in float.
 *
 *     nccl_ring group|threads|processes GPUS ELEMENTS ITERATIONS [TIMES]
 *
 * The iterations are timed once, or TIMES times one after the other: a line "core_us" each, and an
 * NVTX range "core" (of a rank with a thread or process of its own, its part).
 */
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern "C" {
#include "tests/standin/standin_nccl.h"
#include "host_clock.h"
}

enum { FLOAT32 = 7, INT32 = 2, SUM = 0, MAXIMUM = 2, GPUS_MOST = 64 };

static int gpus, elements, iterations, times = 1;
static ncclComm_t comm[GPUS_MOST];
/* Of threads, or in memory that processes share. */
static struct meeting_place {
	pthread_barrier_t barrier;
	ncclUniqueId id;
} here, *place = &here;

static void must(int result, const char *what, int line)
{
	if (!result)
		return;
	fprintf(stderr, "nccl_ring: line %d: %s is %d\n", line, what, result);
	exit(1);
}
#define MUST(call) must((int)(call), #call, __LINE__)

__global__ static void add(float *to, const float *left, const float *right, int count)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		to[i] = left[i] + right[i];
}
__global__ static void fill(float *to, float value, int count)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		to[i] = value + (float)(i % 8);
}

struct gpu {
	cudaStream_t stream;
	float *d_own, *d_left, *d_right, *d_sum, *d_all;
};

static unsigned blocks(int count)
{
	return (unsigned)((count + 255) / 256);
}

static void open_gpu(struct gpu *of, int g)
{
	MUST(cudaSetDevice(g));
	MUST(cudaStreamCreate(&of->stream));
	MUST(cudaMalloc((void **)&of->d_own, (size_t)elements * 4));
	MUST(cudaMalloc((void **)&of->d_left, (size_t)elements * 4));
	MUST(cudaMalloc((void **)&of->d_right, (size_t)elements * 4));
	MUST(cudaMalloc((void **)&of->d_sum, (size_t)elements * 4));
	MUST(cudaMalloc((void **)&of->d_all, (size_t)elements * 4 * (size_t)gpus));
}

/* Elements that are `value`, and i % 8 times `times` more. */
static void check(const float *d_have, int count, double value, double times, const char *what)
{
	std::vector<float> have((size_t)count);

	MUST(cudaMemcpy(have.data(), d_have, (size_t)count * 4, cudaMemcpyDeviceToHost));
	for (int i = 0; i < count; i++)
		if ((double)have[(size_t)i] != value + times * (i % 8)) {
			fprintf(stderr, "nccl_ring: %s: element %d is %g, not %g\n", what, i,
				(double)have[(size_t)i], value + times * (i % 8));
			exit(1);
		}
}

static void exchange(const struct gpu *of, int g)
{
	const int left = (g + gpus - 1) % gpus, right = (g + 1) % gpus;
	const size_t count = (size_t)elements;

	MUST(ncclSend(of->d_own, count, FLOAT32, right, comm[g], of->stream));
	MUST(ncclRecv(of->d_left, count, FLOAT32, left, comm[g], of->stream));
	MUST(ncclSend(of->d_own, count, FLOAT32, left, comm[g], of->stream));
	MUST(ncclRecv(of->d_right, count, FLOAT32, right, comm[g], of->stream));
}

/* The GPUs from `first` to before `end` are this thread's. */
static void iterate(struct gpu *of, int first, int end)
{
	for (int k = 0; k < iterations; k++) {
		for (int g = first; g < end; g++) {
			MUST(cudaSetDevice(g));
			fill<<<blocks(elements), 256, 0, of[g].stream>>>(
				of[g].d_own, (float)(g + k % 4), elements);
		}
		MUST(ncclGroupStart());
		for (int g = first; g < end; g++)
			exchange(&of[g], g);
		MUST(ncclGroupEnd());
		for (int g = first; g < end; g++) {
			MUST(cudaSetDevice(g));
			add<<<blocks(elements), 256, 0, of[g].stream>>>(of[g].d_sum, of[g].d_left,
									of[g].d_right, elements);
		}
		MUST(ncclGroupStart());
		for (int g = first; g < end; g++)
			MUST(ncclAllReduce(of[g].d_sum, of[g].d_sum, (size_t)elements, FLOAT32, SUM,
					   comm[g], of[g].stream));
		MUST(ncclGroupEnd());
	}
	for (int g = first; g < end; g++) {
		MUST(cudaSetDevice(g));
		MUST(cudaStreamSynchronize(of[g].stream));
	}
}

static void check_all(struct gpu *of, int first, int end)
{
	const double last = (iterations - 1) % 4, ranks = gpus * (gpus - 1) / 2.0;
	const size_t count = (size_t)elements, part = count / (size_t)gpus;

	/* Each GPU's number comes twice, and 2 * GPUs times the iteration's. */
	for (int g = first; g < end && iterations; g++)
		check(of[g].d_sum, elements, 2 * ranks + 2 * gpus * last, 2 * gpus, "all-reduce");
	for (int g = first; g < end; g++) {
		MUST(cudaSetDevice(g));
		fill<<<blocks(elements), 256, 0, of[g].stream>>>(of[g].d_own, (float)g, elements);
	}
	MUST(ncclGroupStart());
	for (int g = first; g < end; g++) {
		MUST(ncclAllGather(of[g].d_own, of[g].d_all, count, FLOAT32, comm[g],
				   of[g].stream));
		MUST(ncclBroadcast(of[g].d_own, of[g].d_left, count, FLOAT32, gpus - 1, comm[g],
				   of[g].stream));
		MUST(ncclReduceScatter(of[g].d_own, of[g].d_right, part, FLOAT32, SUM, comm[g],
				       of[g].stream));
		MUST(ncclReduce(of[g].d_own, of[g].d_sum, count, FLOAT32, MAXIMUM, 0, comm[g],
				of[g].stream));
	}
	MUST(ncclGroupEnd());
	for (int g = first; g < end; g++) {
		MUST(cudaSetDevice(g));
		MUST(cudaStreamSynchronize(of[g].stream));
		for (int r = 0; r < gpus; r++)
			check(of[g].d_all + (size_t)r * count, elements, r, 1, "all-gather");
		check(of[g].d_left, elements, gpus - 1, 1, "broadcast");
		if (part * (size_t)g % 8 == 0)
			check(of[g].d_right, (int)part, ranks, gpus, "reduce-scatter");
		if (!g)
			check(of[g].d_sum, elements, gpus - 1, 1, "reduce");
	}
}

static struct gpu gpu[GPUS_MOST];

static void *rank_thread(void *number)
{
	const int g = (int)(intptr_t)number;

	open_gpu(&gpu[g], g);
	MUST(ncclCommInitRank(&comm[g], gpus, place->id, g));
	iterate(gpu, g, g + 1); /* connections are made */
	for (int k = 0; k < times; k++) {
		pthread_barrier_wait(&place->barrier);
		const double begin_us = now_us();
		nvtxRangePushA("core");
		iterate(gpu, g, g + 1);
		nvtxRangePop();
		pthread_barrier_wait(&place->barrier);
		if (!g)
			printf("core_us %.1f\n", now_us() - begin_us);
	}
	check_all(gpu, g, g + 1);
	MUST(ncclCommDestroy(comm[g]));
	return NULL;
}

/* Before any of CUDA's: a child could not use it else. */
static int run_processes(void)
{
	pthread_barrierattr_t with;
	int failed = 0, status;

	place = (struct meeting_place *)mmap(NULL, sizeof(*place), PROT_READ | PROT_WRITE,
					     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (place == MAP_FAILED)
		return 1;
	pthread_barrierattr_init(&with);
	pthread_barrierattr_setpshared(&with, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&place->barrier, &with, (unsigned)gpus);
	for (int g = 0; g < gpus; g++) {
		char rank[16];

		if (fork())
			continue;
		snprintf(rank, sizeof(rank), "%d", g);
		setenv("RANK", rank, 1);
		if (!g)
			MUST(ncclGetUniqueId(&place->id));
		pthread_barrier_wait(&place->barrier);
		rank_thread((void *)(intptr_t)g);
		fflush(stdout);
		exit(0);
	}
	while (wait(&status) > 0)
		failed |= status;
	return failed != 0;
}

int main(int argc, char **argv)
{
	pthread_t thread[GPUS_MOST];

	if ((argc != 5 && argc != 6) || (gpus = atoi(argv[2])) < 1 || gpus > GPUS_MOST ||
	    (elements = atoi(argv[3])) < gpus || (iterations = atoi(argv[4])) < 0 ||
	    (argc == 6 && (times = atoi(argv[5])) < 1)) {
		fprintf(stderr, "usage: nccl_ring group|threads|processes GPUS ELEMENTS ITERATIONS "
				"[TIMES]\n");
		return 2;
	}
	if (!strcmp(argv[1], "processes")) {
		if (run_processes())
			return 1;
	} else if (!strcmp(argv[1], "threads")) {
		MUST(ncclGetUniqueId(&place->id));
		pthread_barrier_init(&place->barrier, NULL, (unsigned)gpus);
		for (int g = 0; g < gpus; g++)
			MUST(pthread_create(&thread[g], NULL, rank_thread, (void *)(intptr_t)g));
		for (int g = 0; g < gpus; g++)
			pthread_join(thread[g], NULL);
	} else {
		for (int g = 0; g < gpus; g++)
			open_gpu(&gpu[g], g);
		MUST(ncclCommInitAll(comm, gpus, NULL));
		iterate(gpu, 0, gpus);
		for (int k = 0; k < times; k++) {
			const double begin_us = now_us();
			nvtxRangePushA("core");
			iterate(gpu, 0, gpus);
			nvtxRangePop();
			printf("core_us %.1f\n", now_us() - begin_us);
		}
		check_all(gpu, 0, gpus);
		for (int g = 0; g < gpus; g++)
			MUST(ncclCommDestroy(comm[g]));
	}
	puts("right");
	return 0;
}
