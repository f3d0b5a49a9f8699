/* SPDX-License-Identifier: MIT
 * Whether the two multiprocessors of a TPC get the same of what they share: one wave of blocks that
 * each move so many KB, by loads of 16 or 4 bytes a lane, asynchronous copies of 4 bytes, stores or
 * nothing but arithmetic; what lies in L2 or beyond it. When each multiprocessor was done, of pairs
 * the first and the second (docs/lab/kernels.md).
 *
 *     gpu_sm_pairs        a table: form, where, blocks a multiprocessor, KB a block, us after the
 * first begin: mean of the pairs' first ends and of their second, the last of all; how often the
 * one with the even number was first; correlation of ends between two launches
 */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"

enum { THREADS = 128, SMS = 132, LAUNCHES = 6, WORDS_AT_ONCE = 8 };
enum form { LOAD16, LOAD4, COPY4, STORE4, STORE16, ARITHMETIC, FORMS };
static const char *const names[FORMS] = { "load16", "load4",   "copy4",
					  "store4", "store16", "arithmetic" };

struct note {
	unsigned sm;
	unsigned long long begin, end;
};

static __device__ __forceinline__ unsigned long long now_ns(void)
{
	unsigned long long t;
	asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
	return t;
}

template <int FORM> static __device__ __forceinline__ void move(char *at, int bytes, float *sum)
{
	__shared__ float there[THREADS * WORDS_AT_ONCE];
	const int t = threadIdx.x, width = FORM == LOAD16 || FORM == STORE16 ? 16 : 4,
		  round = THREADS * width * WORDS_AT_ONCE;

	for (int done = 0; done < bytes; done += round) {
#pragma unroll
		for (int k = 0; k < WORDS_AT_ONCE; k++) {
			char *p = at + done + (k * THREADS + t) * width;

			if (FORM == LOAD16) {
				const float4 v = __ldcg((const float4 *)p);
				*sum += v.x + v.y + v.z + v.w;
			} else if (FORM == LOAD4) {
				*sum += __ldcg((const float *)p);
			} else if (FORM == COPY4) {
				const unsigned to =
					(unsigned)__cvta_generic_to_shared(&there[k * THREADS + t]);
				asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to),
					     "l"(p));
			} else if (FORM == STORE4) {
				*(float *)p = *sum;
			} else if (FORM == STORE16) {
				*(float4 *)p = make_float4(*sum, *sum, *sum, *sum);
			} else {
				for (int i = 0; i < 32; i++)
					*sum = *sum * 0.5f + 0.25f;
			}
		}
		if (FORM == COPY4)
			asm volatile("cp.async.wait_all;" ::: "memory");
	}
	if (FORM == COPY4)
		*sum += there[t];
}

template <int FORM> static __global__ void work(char *at, int bytes, struct note *notes, float *out)
{
	float sum = (float)threadIdx.x;
	const unsigned long long begin = now_ns();

	move<FORM>(at + (size_t)blockIdx.x * bytes, bytes, &sum);
	__syncthreads();
	if (sum == 12345.678f)
		*out = sum;
	if (threadIdx.x == 0) {
		unsigned sm;
		asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
		notes[blockIdx.x] = { sm, begin, now_ns() };
	}
}

/* us, by multiprocessor */
static std::vector<double> ends_of(const std::vector<note> &notes)
{
	unsigned long long first = notes[0].begin;
	std::vector<double> ends(SMS, 0);

	for (const note &n : notes)
		first = std::min(first, n.begin);
	for (const note &n : notes)
		if (n.sm < SMS)
			ends[n.sm] = std::max(ends[n.sm], (n.end - first) * 1e-3);
	return ends;
}

static double correlation(const std::vector<double> &x, const std::vector<double> &y)
{
	double sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;
	const double n = (double)x.size();

	for (size_t k = 0; k < x.size(); k++) {
		sx += x[k], sy += y[k];
		xx += x[k] * x[k], yy += y[k] * y[k], xy += x[k] * y[k];
	}
	return (xy - sx * sy / n) / std::sqrt((xx - sx * sx / n) * (yy - sy * sy / n) + 1e-12);
}

template <int FORM> static void run(const char *where, char *at, size_t bytes, int blocks, int kb)
{
	std::vector<note> notes(blocks * SMS);
	std::vector<double> ends, before;
	struct note *d_notes;
	float *d_out;
	double early = 0, late = 0, last = 0, even = 0;

	if ((size_t)blocks * SMS * kb * 1024 > bytes)
		return;
	TRY(cudaMalloc(&d_notes, notes.size() * sizeof(notes[0])));
	TRY(cudaMalloc(&d_out, sizeof(float)));
	for (int k = 0; k < LAUNCHES; k++) {
		work<FORM><<<blocks * SMS, THREADS>>>(at, kb * 1024, d_notes, d_out);
		TRY(cudaGetLastError());
		TRY(cudaMemcpy(notes.data(), d_notes, notes.size() * sizeof(notes[0]),
			       cudaMemcpyDeviceToHost));
		before = ends;
		ends = ends_of(notes);
		if (k < 2)
			continue;
		for (int p = 0; p < SMS; p += 2) {
			early += std::min(ends[p], ends[p + 1]);
			late += std::max(ends[p], ends[p + 1]);
			even += ends[p] < ends[p + 1];
		}
		last += *std::max_element(ends.begin(), ends.end());
	}
	const double n = (LAUNCHES - 2) * SMS / 2.0;
	printf("%s\t%s\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", names[FORM], where, blocks, kb,
	       early / n, late / n, last / (LAUNCHES - 2), even / n, correlation(ends, before));
	TRY(cudaFree(d_notes));
	TRY(cudaFree(d_out));
}

template <int FORM> static void sizes(char *at, size_t bytes)
{
	for (int blocks = 1; blocks <= 8; blocks *= 2)
		for (int kb = 16; kb * blocks <= 256; kb *= 4)
			run<FORM>("L2", at, (size_t)36 << 20, blocks, kb);
	run<FORM>("DRAM", at, bytes, 8, 256);
	run<FORM>("DRAM", at, bytes, 8, 1024);
}

int main(void)
{
	const size_t bytes = (size_t)8 * SMS * 1024 * 1024;
	char *at;

	TRY(cudaMalloc(&at, bytes));
	TRY(cudaMemset(at, 0, bytes));
	printf("form\twhere\tblocks\tKB\tfirst\tsecond\tlast\teven_first\tagain\n");
	sizes<LOAD16>(at, bytes);
	sizes<LOAD4>(at, bytes);
	sizes<COPY4>(at, bytes);
	sizes<STORE4>(at, bytes);
	sizes<STORE16>(at, bytes);
	sizes<ARITHMETIC>(at, bytes);
	return 0;
}
