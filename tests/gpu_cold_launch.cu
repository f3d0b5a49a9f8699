/* SPDX-License-Identifier: MIT
 * What the first launch of a thread just made takes, behind copies of so many bytes from pageable
 * or pinned memory and so long a wait: what there is to be found cold, and from when on
 * (docs/lab/host.md).
 *
 *     gpu_cold_launch [ROUNDS]   a table: memory, bytes copied, wait in us, thread new or kept; us
 * of the first launch (median and deciles), the second, the third, and from the first's begin to
 * the end of a synchronization where it is the only one
 */
#include <algorithm>
#include <cstdlib>
#include <pthread.h>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"
#include "host_clock.h"

enum { COPIES = 5, CALLS = 4, GRID = 4 };

struct arguments {
	double *out;
	double value[40];
};

__global__ void work(const struct arguments a)
{
	if (a.value[0] == 12345.0)
		a.out[0] = a.value[1];
}

struct job {
	size_t bytes;
	double wait_us;
	bool alone;
	double call[CALLS], whole; /* us */
};

static struct {
	double *d;
	char *h;
	cudaStream_t stream;
} g;

static void *round_of(void *argument)
{
	struct job *job = (struct job *)argument;
	const struct arguments a = { g.d, {} };
	TRY(cudaSetDevice(0));
	for (int i = 0; i < COPIES && job->bytes; i++)
		TRY(cudaMemcpyAsync((char *)g.d + i * (job->bytes / COPIES),
				    g.h + i * (job->bytes / COPIES), job->bytes / COPIES,
				    cudaMemcpyHostToDevice, g.stream));
	TRY(cudaStreamSynchronize(g.stream));
	spin_us(job->wait_us);
	double last = now_us();
	const double first = last;
	for (int i = 0; i < (job->alone ? 1 : CALLS); i++) {
		work<<<GRID, 128, 0, g.stream>>>(a);
		const double now = now_us();
		job->call[i] = now - last;
		last = now;
	}
	TRY(cudaStreamSynchronize(g.stream));
	job->whole = now_us() - first;
	return NULL;
}

static double median(std::vector<double> &v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

static void table_row(const char *memory, size_t bytes, double wait_us, bool fresh, int rounds)
{
	std::vector<double> call[3], whole;
	for (int i = 0; i < 2 * rounds; i++) {
		struct job job = {};
		job.bytes = bytes;
		job.wait_us = wait_us;
		job.alone = i % 2;
		if (fresh) {
			pthread_t thread;
			if (pthread_create(&thread, NULL, round_of, &job))
				exit(1);
			pthread_join(thread, NULL);
		} else {
			round_of(&job);
		}
		if (i < 4)
			continue;
		if (job.alone)
			whole.push_back(job.whole);
		else
			for (int k = 0; k < 3; k++)
				call[k].push_back(job.call[k]);
	}
	const double first = median(call[0]), second = median(call[1]), third = median(call[2]);
	const size_t n = call[0].size();
	printf("%s\t%zu\t%.0f\t%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", memory, bytes, wait_us,
	       fresh ? "new" : "kept", first, call[0][n / 10], call[0][n * 9 / 10], second, third,
	       median(whole));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 41;
	const size_t most = (size_t)64 << 20;
	if (rounds < 11) {
		fprintf(stderr, "usage: gpu_cold_launch [ROUNDS], at least 11\n");
		return 2;
	}
	TRY(cudaMalloc(&g.d, most));
	TRY(cudaStreamCreate(&g.stream));
	char *pageable = (char *)malloc(most), *pinned;
	TRY(cudaMallocHost(&pinned, most));
	for (size_t i = 0; i < most; i += 512)
		pageable[i] = pinned[i] = 1;
	printf("memory\tbytes\twait_us\tthread\tfirst_us\tp10\tp90\tsecond_us\tthird_us\twhole_"
	       "us\n");
	for (bool from_pinned : { false, true })
		for (bool fresh : { true, false })
			for (size_t bytes : { 0, 40000, 160000, 640000, 1280000, 2560000, 5120000,
					      10240000, 40960000 })
				for (double wait_us : { 0.0, 100.0, 1000.0, 10000.0 }) {
					g.h = from_pinned ? pinned : pageable;
					table_row(from_pinned ? "pinned" : "pageable", bytes,
						  wait_us, fresh, rounds);
				}
	free(pageable);
	TRY(cudaFreeHost(pinned));
	return 0;
}
