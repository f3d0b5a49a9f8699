/* SPDX-License-Identifier: MIT
 * What a launch takes whose blocks all raise one word, beside what they read and write: blocks of
 * 320 threads that load, then store so many words a thread, then raise the word by so many of
 * their warps. Atomics on one word are served by one slice of L2, which has its part of the memory
 * traffic to serve, too (docs/lab/weak.md).
 *
 *     gpu_word        a table: operation, where the data are, words loaded and stored by a thread,
 * atomics of a block, blocks, blocks at once on a multiprocessor, where the word lies (bytes), us a
 * launch: median of batches of launches in a row, each over data of its own where those are in DRAM
 */
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"

enum { THREADS = 320, BATCH = 6, BATCHES = 9 };
static const size_t BUFFER_WORDS = (size_t)1 << 28;

template <bool ADD>
static __global__ void work(const float *in, float *out, unsigned *word, int loads, int stores,
			    int atomics)
{
	const size_t first = (size_t)blockIdx.x * THREADS + threadIdx.x,
		     pitch = (size_t)gridDim.x * THREADS;
	float sum = 0;

	for (int k = 0; k < loads; k++)
		sum += __ldcg(in + first + k * pitch);
	__syncthreads();
	for (int k = 0; k < stores; k++)
		out[first + k * pitch] = sum + (float)k;
	if (threadIdx.x % 32 == 0)
		for (int k = (int)threadIdx.x / 32; k < atomics; k += THREADS / 32) {
			if (ADD)
				atomicAdd(word, 1u);
			else
				atomicMax(word, (unsigned)(blockIdx.x + k));
		}
}

struct buffers {
	float *d_in, *d_out;
	char *d_words;
};

/* What one launch does. */
struct load {
	bool in_dram;
	int loads, stores, atomics, blocks, resident;
	size_t word_bytes;
};

template <bool ADD> static double launch_us(const buffers &b, const load &l)
{
	static const int shared_bytes[] = { 0, 150000, 100000, 70000, 54000, 44000, 36000 };
	const size_t window = (size_t)std::max(l.loads, l.stores) * l.blocks * THREADS;
	std::vector<double> us;
	cudaEvent_t begin, end;
	size_t at = 0;

	TRY(cudaFuncSetAttribute(work<ADD>, cudaFuncAttributeMaxDynamicSharedMemorySize, 160000));
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	for (int batch = 0; batch < BATCHES; batch++) {
		float ms;

		TRY(cudaEventRecord(begin));
		for (int k = 0; k < BATCH; k++) {
			work<ADD><<<l.blocks, THREADS, shared_bytes[l.resident]>>>(
				b.d_in + at, b.d_out + at, (unsigned *)(b.d_words + l.word_bytes),
				l.loads, l.stores, l.atomics);
			if (l.in_dram)
				at = at + 2 * window <= BUFFER_WORDS ? at + window : 0;
		}
		TRY(cudaEventRecord(end));
		TRY(cudaEventSynchronize(end));
		TRY(cudaEventElapsedTime(&ms, begin, end));
		us.push_back(ms * 1e3 / BATCH);
	}
	TRY(cudaGetLastError());
	TRY(cudaEventDestroy(begin));
	TRY(cudaEventDestroy(end));
	std::sort(us.begin(), us.end());
	return us[BATCHES / 2];
}

template <bool ADD> static void row(const buffers &b, const load &l)
{
	printf("%s\t%s\t%d\t%d\t%d\t%d\t%d\t%zu\t%.2f\n", ADD ? "add" : "max",
	       l.in_dram ? "dram" : "l2", l.loads, l.stores, l.atomics, l.blocks, l.resident,
	       l.word_bytes, launch_us<ADD>(b, l));
}

int main()
{
	enum { BLOCKS = 12000, RESIDENT = 6, WORDS_BYTES = 1 << 24 };
	static const int loads[] = { 0, 1, 2, 4, 8, 16 }, stores[] = { 0, 1, 4 },
			 atomics[] = { 0, 1, 2, 5, 10, 20 }, resident[] = { 1, 2, 3, 4, 6 };
	static const size_t words[] = { 0, 128, 4096, 1 << 16, 1 << 20, 3 << 20, 5 << 21 };
	buffers b;

	TRY(cudaMalloc(&b.d_in, BUFFER_WORDS * sizeof(float)));
	TRY(cudaMalloc(&b.d_out, BUFFER_WORDS * sizeof(float)));
	TRY(cudaMalloc(&b.d_words, WORDS_BYTES));
	TRY(cudaMemset(b.d_in, 0, BUFFER_WORDS * sizeof(float)));
	TRY(cudaMemset(b.d_words, 0, WORDS_BYTES));
	printf("operation\twhere\tloads\tstores\tatomics\tblocks\tresident\tword\tus\n");
	for (int in_dram = 0; in_dram < 2; in_dram++)
		for (int l : loads)
			for (int s : stores)
				for (int a : atomics) {
					/* What is to stay in L2 is 20 MB at most. */
					const int most = std::max({ 1, l, s }),
						  few = std::min((int)BLOCKS, 16000 / most);

					row<false>(b, { !!in_dram, l, s, a, in_dram ? BLOCKS : few,
							RESIDENT, 0 });
				}
	for (int l : loads)
		for (int a : atomics)
			row<true>(b, { true, l, 1, a, BLOCKS, RESIDENT, 0 });
	for (int r : resident)
		for (int l : { 0, 2, 4 })
			for (int a : atomics)
				row<false>(b, { true, l, 1, a, BLOCKS, r, 0 });
	for (size_t w : words)
		for (int l : { 0, 4 })
			for (int a : { 10, 20 })
				row<false>(b, { true, l, 1, a, BLOCKS, RESIDENT, w });
	return 0;
}
