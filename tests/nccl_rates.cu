/* SPDX-License-Identifier: MIT
 * What NCCL's operations take, by operation, ranks and bytes (docs/lab/as-gpus.md): one process,
 * whose ranks are GPUs. A table on stdout; times in us, medians of TRIES:
 *
 *     gpu_us    an operation in a chain of them that was enqueued while the GPUs were held
 *     call_us   the host's call of one operation on all ranks, of one thread, as one group
 *     round_us  an operation and the wait for it, as the host sees it
 *
 *     nvcc -arch=sm_90 -O2 -I. -cudart shared -o nccl_rates tests/nccl_rates.cu libnccl.so.2
 *     nccl_rates [BYTES_MOST]
 */
#include <cuda_runtime.h>
#include <algorithm>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

extern "C" {
#include "tests/standin/standin_nccl.h"
#include "host_clock.h"
}

enum { FLOAT32 = 7, SUM = 0, GPUS_MOST = 16, TRIES = 5 };
static const long long HOLD_NS = 500000000;

static void must(int result, const char *what, int line)
{
	if (!result)
		return;
	fprintf(stderr, "nccl_rates: line %d: %s is %d\n", line, what, result);
	exit(1);
}
#define MUST(call) must((int)(call), #call, __LINE__)

__global__ static void hold(volatile int *released)
{
	const long long begin = clock64();

	while (!*released && clock64() - begin < 2 * HOLD_NS)
		;
}
__global__ static void nothing(float *to)
{
	if (to == (float *)1)
		*to = 0;
}

struct gpu {
	cudaStream_t stream;
	cudaEvent_t begin, end;
	float *d_send, *d_receive;
	ncclComm_t comm;
};
static struct gpu gpu[GPUS_MOST];
static int ranks;
static volatile int *h_released;

/* An operation of `count` floats on all ranks; bytes are the operation's B of docs/as-gpus.md. */
struct operation {
	const char *name;
	int least_ranks;
	void (*call)(int r, size_t count);
};
static void all_reduce(int r, size_t count)
{
	MUST(ncclAllReduce(gpu[r].d_send, gpu[r].d_receive, count, FLOAT32, SUM, gpu[r].comm,
			   gpu[r].stream));
}
static void all_gather(int r, size_t count)
{
	MUST(ncclAllGather(gpu[r].d_send, gpu[r].d_receive, count, FLOAT32, gpu[r].comm,
			   gpu[r].stream));
}
static void reduce_scatter(int r, size_t count)
{
	MUST(ncclReduceScatter(gpu[r].d_send, gpu[r].d_receive, count, FLOAT32, SUM, gpu[r].comm,
			       gpu[r].stream));
}
static void broadcast(int r, size_t count)
{
	MUST(ncclBroadcast(gpu[r].d_send, gpu[r].d_receive, count, FLOAT32, 0, gpu[r].comm,
			   gpu[r].stream));
}
static void reduce(int r, size_t count)
{
	MUST(ncclReduce(gpu[r].d_send, gpu[r].d_receive, count, FLOAT32, SUM, 0, gpu[r].comm,
			gpu[r].stream));
}
static void send_receive(int r, size_t count) /* 0 to 1 */
{
	if (r == 0)
		MUST(ncclSend(gpu[r].d_send, count, FLOAT32, 1, gpu[r].comm, gpu[r].stream));
	if (r == 1)
		MUST(ncclRecv(gpu[r].d_receive, count, FLOAT32, 0, gpu[r].comm, gpu[r].stream));
}
static void exchange_line(int r, size_t count) /* with the neighbours above and below */
{
	if (r > 0) {
		MUST(ncclSend(gpu[r].d_send, count, FLOAT32, r - 1, gpu[r].comm, gpu[r].stream));
		MUST(ncclRecv(gpu[r].d_receive, count, FLOAT32, r - 1, gpu[r].comm, gpu[r].stream));
	}
	if (r < ranks - 1) {
		MUST(ncclSend(gpu[r].d_send + count, count, FLOAT32, r + 1, gpu[r].comm,
			      gpu[r].stream));
		MUST(ncclRecv(gpu[r].d_receive + count, count, FLOAT32, r + 1, gpu[r].comm,
			      gpu[r].stream));
	}
}
static void exchange_ring(int r, size_t count)
{
	const int above = (r + ranks - 1) % ranks, below = (r + 1) % ranks;

	MUST(ncclSend(gpu[r].d_send, count, FLOAT32, above, gpu[r].comm, gpu[r].stream));
	MUST(ncclRecv(gpu[r].d_receive, count, FLOAT32, below, gpu[r].comm, gpu[r].stream));
	MUST(ncclSend(gpu[r].d_send + count, count, FLOAT32, below, gpu[r].comm, gpu[r].stream));
	MUST(ncclRecv(gpu[r].d_receive + count, count, FLOAT32, above, gpu[r].comm, gpu[r].stream));
}
static void all_to_all(int r, size_t count)
{
	for (int p = 0; p < ranks; p++) {
		MUST(ncclSend(gpu[r].d_send, count, FLOAT32, p, gpu[r].comm, gpu[r].stream));
		MUST(ncclRecv(gpu[r].d_receive, count, FLOAT32, p, gpu[r].comm, gpu[r].stream));
	}
}
static void kernels(int r, size_t) /* how soon a kernel follows one */
{
	nothing<<<1, 32, 0, gpu[r].stream>>>(gpu[r].d_send);
}
static const struct operation operations[] = {
	{ "kernel", 2, kernels },
	{ "all_reduce", 2, all_reduce },
	{ "send_receive", 2, send_receive },
	{ "exchange_line", 2, exchange_line },
	{ "all_gather", 2, all_gather },
	{ "reduce_scatter", 2, reduce_scatter },
	{ "broadcast", 2, broadcast },
	{ "exchange_ring", 3, exchange_ring },
	{ "all_to_all", 2, all_to_all },
	{ "reduce", 2, reduce },
};

static void call_once(const struct operation *of, size_t count)
{
	MUST(ncclGroupStart());
	for (int r = 0; r < ranks; r++) {
		if (of->call == kernels)
			MUST(cudaSetDevice(r));
		of->call(r, count);
	}
	MUST(ncclGroupEnd());
}

static void wait_all(void)
{
	for (int r = 0; r < ranks; r++) {
		MUST(cudaSetDevice(r));
		MUST(cudaStreamSynchronize(gpu[r].stream));
	}
}

static double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

static void measure(const struct operation *of, size_t count)
{
	const int chain = count * 4 <= 1 << 20 ? 20 : count * 4 <= 32 << 20 ? 8 : 4;
	std::vector<double> on_gpu, call, round;

	call_once(of, count); /* connections are made */
	wait_all();
	for (int t = 0; t < TRIES; t++) {
		double begin_us, most = 0;

		*h_released = 0;
		for (int r = 0; r < ranks; r++) {
			MUST(cudaSetDevice(r));
			hold<<<1, 1, 0, gpu[r].stream>>>(h_released);
			MUST(cudaEventRecord(gpu[r].begin, gpu[r].stream));
		}
		begin_us = now_us();
		for (int k = 0; k < chain; k++)
			call_once(of, count);
		call.push_back((now_us() - begin_us) / chain);
		for (int r = 0; r < ranks; r++) {
			MUST(cudaSetDevice(r));
			MUST(cudaEventRecord(gpu[r].end, gpu[r].stream));
		}
		*h_released = 1;
		wait_all();
		for (int r = 0; r < ranks; r++) {
			float ms = 0;

			MUST(cudaEventElapsedTime(&ms, gpu[r].begin, gpu[r].end));
			most = std::max(most, (double)ms * 1000 / chain);
		}
		on_gpu.push_back(most);
		begin_us = now_us();
		call_once(of, count);
		wait_all();
		round.push_back(now_us() - begin_us);
	}
	printf("%s\t%d\t%zu\t%.3f\t%.3f\t%.3f\t%.3f\n", of->name, ranks, count * 4, median(on_gpu),
	       *std::min_element(on_gpu.begin(), on_gpu.end()), median(call), median(round));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const size_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : (size_t)256 << 20;
	int gpus, version = 0;

	MUST(cudaGetDeviceCount(&gpus));
	gpus = std::min(gpus, (int)GPUS_MOST);
	MUST(ncclGetVersion(&version));
	MUST(cudaHostAlloc((void **)&h_released, 64, cudaHostAllocPortable | cudaHostAllocMapped));
	fprintf(stderr, "NCCL %d, %d GPUs\n", version, gpus);
	for (int g = 0; g < gpus; g++) {
		MUST(cudaSetDevice(g));
		MUST(cudaStreamCreateWithFlags(&gpu[g].stream, cudaStreamNonBlocking));
		MUST(cudaEventCreate(&gpu[g].begin));
		MUST(cudaEventCreate(&gpu[g].end));
		MUST(cudaMalloc((void **)&gpu[g].d_send, most * (size_t)std::max(gpus, 2)));
		MUST(cudaMalloc((void **)&gpu[g].d_receive, most * (size_t)std::max(gpus, 2)));
		MUST(cudaMemset(gpu[g].d_send, 0, most * (size_t)std::max(gpus, 2)));
	}
	printf("operation\tranks\tbytes\tgpu_us\tgpu_least_us\tcall_us\tround_us\n");
	for (ranks = 2; ranks <= gpus; ranks += ranks < 4 ? 1 : 4) {
		ncclComm_t all[GPUS_MOST];

		MUST(ncclCommInitAll(all, ranks, NULL));
		for (int r = 0; r < ranks; r++)
			gpu[r].comm = all[r];
		for (const struct operation &of : operations)
			for (size_t bytes = 8; ranks >= of.least_ranks && bytes <= most;
			     bytes = bytes * 4 > most && bytes < most ? most : bytes * 4)
				if (of.call != kernels || bytes == 8)
					measure(&of, bytes / 4);
		for (int r = 0; r < ranks; r++)
			MUST(ncclCommDestroy(gpu[r].comm));
	}
	return 0;
}
