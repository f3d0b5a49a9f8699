/* SPDX-License-Identifier: MIT
 * What a step of the image solvers asks of shared memory, on as many blocks as those have (360 of
 * 20 x 32 nodes: three on the busiest multiprocessor), and what a step takes that exchanges
 * nothing. Median microseconds a step:
 *
 *     nodes  words  what  us
 *
 * nodes: of a thread. Of two, one of each colour, three neighbours of a node are read from shared
 * memory and it is written; of four, a square of two by two, two are read. words: of shared memory
 * a node, then. what:
 *
 *     words     these are moved, by nobody who waits for anything; the floor
 *     barriers  the two barriers of a step alone
 *     both      words, and barriers after each colour
 *     step      a step of Poisson's red-black order, borders as they are
 *
 * Steps by two and by four nodes a thread must come to the same bits: exit code 1 otherwise. The
 * last line is a launch that does nothing and is waited for, on the host's clock.
 */
#include <algorithm>
#include <chrono>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "cuda_try.h"
#include "kernels/weak/weak.h"

enum {
	REPEATS = 21,
	STEPS = 4800,
	BLOCKS = 360,
	ROWS = WEAK_ROWS + 2,	    /* with those around */
	COLUMNS = WEAK_COLUMNS + 2, /* an even number */
	PITCH_TWO = WEAK_COLUMNS + 4,
	PITCH_FOUR = 24, /* of one colour: two rows are 16 banks apart */
};
enum what { WORDS, BARRIERS, BOTH, STEP, WHATS };
static const char *const names[] = { "words", "barriers", "both", "step" };

struct data {
	float *values; /* [BLOCKS][ROWS][COLUMNS] */
	int steps;
};

static __device__ __forceinline__ float value_of(const volatile float *at)
{
	return *at;
}

/* Three words in and one out for each node. */
template <int WHAT> static __global__ void __launch_bounds__(320, 3) two_nodes(struct data d)
{
	__shared__ float u[ROWS][PITCH_TWO];
	float *all = d.values + blockIdx.x * ROWS * COLUMNS;
	const int thread = (int)threadIdx.x, row = thread / (WEAK_COLUMNS / 2);
	float own[2];
	int column[2];

	for (int k = thread; k < ROWS * COLUMNS; k += 320)
		u[k / COLUMNS][k % COLUMNS] = all[k];
	__syncthreads();
	for (int colour = 0; colour < 2; colour++) {
		column[colour] = 2 * (thread % (WEAK_COLUMNS / 2)) + ((row + colour) & 1);
		own[colour] = u[row + 1][column[colour] + 1];
	}
	for (int k = 0; k < d.steps; k++)
#pragma unroll
		for (int colour = 0; colour < 2; colour++) {
			const int r = row + 1, c = column[colour] + 1,
				  aside = c + (column[colour] & 1 ? 1 : -1);

			if (WHAT == WORDS || WHAT == BOTH) {
				value_of(&u[r - 1][c]);
				value_of(&u[r + 1][c]);
				value_of(&u[r][aside]);
				*(volatile float *)&u[r][c] = own[colour];
			}
			if (WHAT == STEP) {
				own[colour] = weak_poisson_update(own[colour], u[r - 1][c],
								  u[r + 1][c], u[r][aside],
								  own[!colour], 0.125f, 0.25f);
				u[r][c] = own[colour];
			}
			if (WHAT != WORDS)
				__syncthreads();
		}
	__syncthreads();
	for (int colour = 0; colour < 2; colour++)
		all[(row + 1) * COLUMNS + column[colour] + 1] = own[colour];
}

/* Two words in and one out for each node. A colour has an array of its own, so that neighbouring
 * threads are at neighbouring words. Of the square (a b / c d) a and d are red. */
template <int WHAT> static __global__ void __launch_bounds__(160, 3) four_nodes(struct data d)
{
	__shared__ float red[ROWS][PITCH_FOUR], black[ROWS][PITCH_FOUR];
	float *all = d.values + blockIdx.x * ROWS * COLUMNS;
	const int thread = (int)threadIdx.x, r = 2 * (thread / 16) + 1, j = thread % 16;

	for (int k = thread; k < ROWS * COLUMNS; k += 160) {
		const int row = k / COLUMNS, column = k % COLUMNS;

		((row + column) & 1 ? black : red)[row][column / 2] = all[k];
	}
	__syncthreads();
	float a_ = red[r][j], d_ = red[r + 1][j + 1], b_ = black[r][j + 1], c_ = black[r + 1][j];

	for (int k = 0; k < d.steps; k++) {
		if (WHAT == WORDS || WHAT == BOTH) {
			value_of(&black[r - 1][j]);
			value_of(&black[r][j]);
			value_of(&black[r + 2][j + 1]);
			value_of(&black[r + 1][j + 1]);
			*(volatile float *)&red[r][j] = a_;
			*(volatile float *)&red[r + 1][j + 1] = d_;
		}
		if (WHAT == STEP) {
			a_ = weak_poisson_update(a_, black[r - 1][j], c_, black[r][j], b_, 0.125f,
						 0.25f);
			d_ = weak_poisson_update(d_, b_, black[r + 2][j + 1], c_,
						 black[r + 1][j + 1], 0.125f, 0.25f);
			red[r][j] = a_;
			red[r + 1][j + 1] = d_;
		}
		if (WHAT != WORDS)
			__syncthreads();
		if (WHAT == WORDS || WHAT == BOTH) {
			value_of(&red[r - 1][j + 1]);
			value_of(&red[r][j + 1]);
			value_of(&red[r + 2][j]);
			value_of(&red[r + 1][j]);
			*(volatile float *)&black[r][j + 1] = b_;
			*(volatile float *)&black[r + 1][j] = c_;
		}
		if (WHAT == STEP) {
			b_ = weak_poisson_update(b_, red[r - 1][j + 1], d_, a_, red[r][j + 1],
						 0.125f, 0.25f);
			c_ = weak_poisson_update(c_, a_, red[r + 2][j], red[r + 1][j], d_, 0.125f,
						 0.25f);
			black[r][j + 1] = b_;
			black[r + 1][j] = c_;
		}
		if (WHAT != WORDS)
			__syncthreads();
	}
	all[r * COLUMNS + 2 * j + 1] = a_;
	all[r * COLUMNS + 2 * j + 2] = b_;
	all[(r + 1) * COLUMNS + 2 * j + 1] = c_;
	all[(r + 1) * COLUMNS + 2 * j + 2] = d_;
}

typedef void kernel(struct data d);
static kernel *const kernels[2][WHATS] = {
	{ two_nodes<WORDS>, two_nodes<BARRIERS>, two_nodes<BOTH>, two_nodes<STEP> },
	{ four_nodes<WORDS>, four_nodes<BARRIERS>, four_nodes<BOTH>, four_nodes<STEP> },
};

static double median_ms(kernel *k, int threads, struct data d, int steps)
{
	cudaEvent_t begin, end;
	float ms[REPEATS];

	d.steps = steps;
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	for (int i = -3; i < REPEATS; i++) {
		TRY(cudaEventRecord(begin));
		k<<<BLOCKS, threads>>>(d);
		TRY(cudaEventRecord(end));
		TRY(cudaEventSynchronize(end));
		TRY(cudaEventElapsedTime(&ms[i > 0 ? i : 0], begin, end));
	}
	std::sort(ms, ms + REPEATS);
	TRY(cudaEventDestroy(begin));
	TRY(cudaEventDestroy(end));
	return ms[REPEATS / 2];
}

static __global__ void empty_kernel()
{
}

/* Of a launch of one block that does nothing, until the host knows. */
static double launch_us(void)
{
	double us[REPEATS];

	for (int i = -3; i < REPEATS; i++) {
		const auto begin = std::chrono::steady_clock::now();

		empty_kernel<<<1, 32>>>();
		TRY(cudaStreamSynchronize(0));
		us[i > 0 ? i : 0] = std::chrono::duration<double, std::micro>(
					    std::chrono::steady_clock::now() - begin)
					    .count();
	}
	std::sort(us, us + REPEATS);
	return us[REPEATS / 2];
}

int main(void)
{
	const size_t bytes = BLOCKS * ROWS * COLUMNS * sizeof(float);
	std::vector<float> start(bytes / sizeof(float)), after[2];
	struct data d = { nullptr, 0 };

	for (size_t k = 0; k < start.size(); k++)
		start[k] = (float)(k * 2654435761u % 1000) / 1000;
	TRY(cudaMalloc(&d.values, bytes));
	printf("nodes\twords\twhat\tus\n");
	for (int n = 0; n < 2; n++) {
		const int threads = n ? 160 : 320;

		for (int what = 0; what < WHATS; what++) {
			const double none = median_ms(kernels[n][what], threads, d, 0),
				     all = median_ms(kernels[n][what], threads, d, STEPS);

			printf("%d\t%d\t%s\t%.4f\n", n ? 4 : 2,
			       what == BARRIERS ? 0
			       : n		? 3
						: 4,
			       names[what], 1e3 * (all - none) / STEPS);
		}
		d.steps = 37;
		TRY(cudaMemcpy(d.values, start.data(), bytes, cudaMemcpyHostToDevice));
		kernels[n][STEP]<<<BLOCKS, threads>>>(d);
		after[n] = start;
		TRY(cudaMemcpy(after[n].data(), d.values, bytes, cudaMemcpyDeviceToHost));
	}
	printf("-\t-\tlaunch\t%.3f\n", launch_us());
	if (memcmp(after[0].data(), after[1].data(), bytes) ||
	    !memcmp(after[0].data(), start.data(), bytes)) {
		printf("MISMATCH: steps by two and by four nodes a thread differ\n");
		return 1;
	}
	return 0;
}
