/* SPDX-License-Identifier: MIT
 * What an event that keeps the time costs more than one that does not: behind a kernel of some
 * microseconds, and of next to none,
 *
 *     host    the call that records it
 *     seen    from the launch's begin to the return of the wait for the event, or for the stream
 *     device  the period of kernel and record in a row, behind a kernel that holds the stream
 *
 * A line each: what, kernel's us, kind of event, median ns of 400, median absolute deviation. Both
 * kinds take turns. nvcc -O3 -arch=sm_90.
 */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <time.h>
#include <cuda_runtime.h>

#define TRY(call)                                                                                  \
	do {                                                                                       \
		cudaError_t error_ = (call);                                                       \
		if (error_ != cudaSuccess) {                                                       \
			fprintf(stderr, "timed_records: %s: %s\n", #call,                          \
				cudaGetErrorString(error_));                                       \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

__global__ void spin(long long cycles)
{
	const long long begin = clock64();

	while (clock64() - begin < cycles)
		;
}

static double now_ns()
{
	timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

static void tell(const char *what, double us, const char *kind, std::vector<double> ns)
{
	std::sort(ns.begin(), ns.end());
	const double median = ns[ns.size() / 2];
	for (double &value : ns)
		value = std::fabs(value - median);
	std::sort(ns.begin(), ns.end());
	printf("%s\t%.0f\t%s\t%.0f\t%.0f\n", what, us, kind, median, ns[ns.size() / 2]);
}

int main()
{
	enum { REPEATS = 400, WARM = 50, ROW = 100 };
	static const double kernels_us[] = { 0, 10, 40 };
	static const char *const kinds[] = { "untimed", "timed", "none" };
	cudaStream_t stream;
	cudaEvent_t event[2], rows[2][ROW], begin, end;

	TRY(cudaStreamCreate(&stream));
	TRY(cudaEventCreateWithFlags(&event[0], cudaEventDisableTiming));
	TRY(cudaEventCreate(&event[1]));
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	for (int i = 0; i < ROW; i++) {
		TRY(cudaEventCreateWithFlags(&rows[0][i], cudaEventDisableTiming));
		TRY(cudaEventCreate(&rows[1][i]));
	}
	for (double us : kernels_us) {
		const long long cycles = static_cast<long long>(us * 1700);
		std::vector<double> call[2], waited[2], synchronized[3], period[3];

		for (int i = -WARM; i < REPEATS; i++) {
			for (int kind = 0; kind < 3; kind++) {
				for (int way = 0; way < 2; way++) {
					const double start = now_ns();

					spin<<<1, 1, 0, stream>>>(cycles);
					const double recording = now_ns();
					if (kind < 2)
						TRY(cudaEventRecord(event[kind], stream));
					const double recorded = now_ns();
					if (way && kind < 2)
						TRY(cudaEventSynchronize(event[kind]));
					else
						TRY(cudaStreamSynchronize(stream));
					const double done = now_ns();
					if (i < 0)
						continue;
					if (kind < 2)
						call[kind].push_back(recorded - recording);
					if (!way)
						synchronized[kind].push_back(done - start);
					else if (kind < 2)
						waited[kind].push_back(done - start);
				}
			}
			if (i % 20)
				continue;
			for (int kind = 0; kind < 3; kind++) {
				float ms;

				spin<<<1, 1, 0, stream>>>(1000000); /* 0.6 ms to fill the queue */
				TRY(cudaEventRecord(begin, stream));
				for (int k = 0; k < ROW; k++) {
					spin<<<1, 1, 0, stream>>>(cycles);
					if (kind < 2)
						TRY(cudaEventRecord(rows[kind][k], stream));
				}
				TRY(cudaEventRecord(end, stream));
				TRY(cudaStreamSynchronize(stream));
				TRY(cudaEventElapsedTime(&ms, begin, end));
				period[kind].push_back(1e6 * static_cast<double>(ms) / ROW);
			}
		}
		for (int kind = 0; kind < 3; kind++) {
			if (kind < 2) {
				tell("host", us, kinds[kind], call[kind]);
				tell("seen by the event's wait", us, kinds[kind], waited[kind]);
			}
			tell("seen by the stream's wait", us, kinds[kind], synchronized[kind]);
			tell("device", us, kinds[kind], period[kind]);
		}
	}
	return 0;
}
