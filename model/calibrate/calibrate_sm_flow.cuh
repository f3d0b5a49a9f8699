/* SPDX-License-Identifier: MIT
 * The kernels of calibrate_sm_flow.cu: reads, copies, writes, updates and atomics that note when
 * the first block began and the last one ended.
 */
#ifndef WARPREEL_CALIBRATE_SM_FLOW_CUH
#define WARPREEL_CALIBRATE_SM_FLOW_CUH

#include <stdint.h>

struct flow_arguments {
	uint64_t *d_results; /* [0] first begin, [1] last end: ns */
	char *d_region;
	uint64_t span, begin, step; /* of the region read cyclically; all multiples of 16 */
	uint32_t zero;
	int rounds;
};

static __device__ uint64_t device_ns(void)
{
	uint64_t ns;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
	return ns;
}

static __device__ void note(uint64_t *d_results, uint64_t begun_ns)
{
	__syncthreads();
	if (threadIdx.x == 0) {
		atomicMin(reinterpret_cast<unsigned long long *>(d_results),
			  static_cast<unsigned long long>(begun_ns));
		atomicMax(reinterpret_cast<unsigned long long *>(d_results + 1),
			  static_cast<unsigned long long>(device_ns()));
	}
}

static __device__ uint64_t wrapped(uint64_t at, uint64_t span)
{
	return at >= span ? at - span : at;
}

static __device__ uint64_t first_of(const struct flow_arguments &a, int chain)
{
	uint64_t threads = static_cast<uint64_t>(gridDim.x) * blockDim.x;
	return (a.begin +
		(chain * threads + static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x) *
			16) %
	       a.span;
}

template <int P, bool THROUGH_L1>
static __global__ void __launch_bounds__(1024) flow_read(struct flow_arguments a)
{
	uint64_t begun_ns = device_ns(), at[P];
	uint32_t all = 0;
#pragma unroll
	for (int k = 0; k < P; k++)
		at[k] = first_of(a, k);
#pragma unroll 1
	for (int round = 0; round < a.rounds; round++)
#pragma unroll
		for (int k = 0; k < P; k++) {
			uint32_t x, y, z, w;
			if (THROUGH_L1)
				asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
					     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
					     : "l"(a.d_region + at[k]));
			else
				asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
					     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
					     : "l"(a.d_region + at[k]));
			at[k] = wrapped(at[k] + a.step + ((x ^ y ^ z ^ w) & a.zero), a.span);
		}
#pragma unroll
	for (int k = 0; k < P; k++)
		all ^= static_cast<uint32_t>(at[k]);
	note(a.d_results, all == 0x12345671u ? 0 : begun_ns); /* `at` is a multiple of 16 */
}

/* Read from the first half of the span, written to the second; each load needs the one before it.
 */
static __global__ void __launch_bounds__(1024) flow_copy(struct flow_arguments a)
{
	uint64_t begun_ns = device_ns(), half = a.span / 2, at = first_of(a, 0) % half,
		 step = a.step % half;
#pragma unroll 1
	for (int round = 0; round < a.rounds; round++) {
		uint32_t x, y, z, w;
		asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
			     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
			     : "l"(a.d_region + at));
		asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(a.d_region + half + at),
			     "r"(x), "r"(y), "r"(z), "r"(w)
			     : "memory");
		at = wrapped(at + step + ((x ^ y ^ z ^ w) & a.zero), half);
	}
	note(a.d_results, begun_ns);
}

static __global__ void __launch_bounds__(1024) flow_write(struct flow_arguments a)
{
	uint64_t begun_ns = device_ns(), at = first_of(a, 0);
	uint32_t x = static_cast<uint32_t>(at) * 2654435761u;
#pragma unroll 4
	for (int round = 0; round < a.rounds; round++) {
		asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(a.d_region + at), "r"(x),
			     "r"(x + 1), "r"(x ^ 77), "r"(~x)
			     : "memory");
		at = wrapped(at + a.step, a.span);
	}
	note(a.d_results, begun_ns);
}

/* Four lines a thread at a time, each read or written by a word; 32 lines a warp. Threads that
 * share a line take different sectors of it. */
enum { LINE_BYTES = 128, SECTOR_BYTES = 32, LINE_CHAINS = 4 };
template <bool WRITE>
static __global__ void __launch_bounds__(1024) flow_lines(struct flow_arguments a)
{
	uint64_t begun_ns = device_ns(), at[LINE_CHAINS],
		 threads = static_cast<uint64_t>(gridDim.x) * blockDim.x;
	uint64_t thread = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x,
		 step = threads * LINE_BYTES * LINE_CHAINS % a.span;
	uint32_t all = 0;
#pragma unroll
	for (int k = 0; k < LINE_CHAINS; k++) {
		uint64_t first = (thread + k * threads) * LINE_BYTES;
		at[k] = first % a.span +
			first / a.span % (LINE_BYTES / SECTOR_BYTES) * SECTOR_BYTES;
	}
#pragma unroll 1
	for (int round = 0; round < a.rounds; round++)
#pragma unroll
		for (int k = 0; k < LINE_CHAINS; k++) {
			uint32_t x = 0;
			if (WRITE)
				asm volatile("st.global.u32 [%0], %1;" ::"l"(a.d_region + at[k]),
					     "r"(static_cast<uint32_t>(at[k]))
					     : "memory");
			else
				asm volatile("ld.global.cg.u32 %0, [%1];"
					     : "=r"(x)
					     : "l"(a.d_region + at[k]));
			at[k] = wrapped(at[k] + step + (x & a.zero), a.span);
		}
#pragma unroll
	for (int k = 0; k < LINE_CHAINS; k++)
		all ^= static_cast<uint32_t>(at[k]);
	note(a.d_results, all == 0x12345671u ? 0 : begun_ns); /* `at` is a multiple of 32 */
}

/* What a program's copy is: an element a thread, and the thread is gone. */
template <class Element>
static __global__ void __launch_bounds__(256) plain_copy(Element *d_target, const Element *d_source)
{
	size_t i = static_cast<size_t>(blockIdx.x) * 256 + threadIdx.x;
	d_target[i] = d_source[i];
}

/* The same, and every so many threads count on one word. */
static __global__ void __launch_bounds__(256)
	counted_copy(uint4 *d_target, const uint4 *d_source, uint32_t *d_count, int every)
{
	size_t i = static_cast<size_t>(blockIdx.x) * 256 + threadIdx.x;
	const uint4 value = d_source[i];
	d_target[i] = value;
	if (threadIdx.x % every == 0)
		atomicAdd(d_count, value.x | 1);
}

/* And a sweep: blocks that read their part of so many arrays, one behind the other, and write it
 * back to the first. */
enum { SWEEP_THREADS = 256, SWEEP_EACH = 2, SWEEP_READS_MOST = 3 };
template <int READS>
static __global__ void __launch_bounds__(SWEEP_THREADS)
	plain_sweep(uint4 *d_array, size_t elements, uint32_t zero)
{
	uint4 *d_mine = d_array + static_cast<size_t>(blockIdx.x) * SWEEP_THREADS * SWEEP_EACH +
			threadIdx.x,
	      value[READS][SWEEP_EACH];
#pragma unroll
	for (int r = 0; r < READS; r++)
#pragma unroll
		for (int k = 0; k < SWEEP_EACH; k++)
			value[r][k] = d_mine[static_cast<size_t>(r) * elements + k * SWEEP_THREADS];
#pragma unroll
	for (int k = 0; k < SWEEP_EACH; k++) {
		uint4 sum = value[0][k];
#pragma unroll
		for (int r = 1; r < READS; r++)
			sum.x += value[r][k].x, sum.y += value[r][k].y, sum.z += value[r][k].z,
				sum.w += value[r][k].w;
		sum.x ^= zero; /* or one array would not be written */
		d_mine[k * SWEEP_THREADS] = sum;
	}
}

/* One lane a warp on one address, or each thread on a sector of its own. */
template <bool SAME>
static __global__ void __launch_bounds__(1024) flow_atomic(struct flow_arguments a)
{
	uint64_t begun_ns = device_ns(), at = 2 * first_of(a, 0) % a.span;
	if (!SAME || threadIdx.x % 32 == 0)
#pragma unroll 4
		for (int round = 0; round < a.rounds; round++) {
			asm volatile("red.global.add.u32 [%0], %1;" ::"l"(SAME ? a.d_region
									       : a.d_region + at),
				     "r"(a.zero)
				     : "memory");
			at = wrapped(at + 2 * a.step, a.span);
		}
	note(a.d_results, begun_ns);
}

#endif
