/* SPDX-License-Identifier: MIT
 * [sm] <class>_interval and <class>_latency of what the sub-partitions share: shared memory, L1 as
 * long as it hits, shuffles, barriers, atomics, fences. Intervals are cycles of the whole
 * multiprocessor: 32 warps on one, each with eight accesses under way.
 */
#include <stdlib.h>

#include "calibrate_sm.h"

enum { SHARED_WORDS = 8192 };
static __constant__ uint32_t c_chain[1024];

/* x[k] is an address or an index that leads to itself, or a value; `sum` keeps what is loaded
 * alive. */
struct path_base {
	uint32_t x[8], sum, zero, lane;
	uint32_t *d_words, *d_base;
	enum { streams = 8 };
	__device__ void start(const struct probe_arguments &arguments)
	{
		sum = 0;
		zero = arguments.zero;
		lane = threadIdx.x % 32;
		d_words = d_base = arguments.d_words;
#pragma unroll
		for (int k = 0; k < streams; k++)
			x[k] = zero;
	}
	__device__ void round(int)
	{
	}
	__device__ bool used() const
	{
		uint32_t all = sum;
#pragma unroll
		for (int k = 0; k < streams; k++)
			all = all * 31 + x[k];
		return all == 0x12345678u;
	}
};

struct path_shuffle : path_base {
	__device__ void start(const struct probe_arguments &arguments)
	{
		path_base::start(arguments);
#pragma unroll
		for (int k = 0; k < streams; k++)
			x[k] = threadIdx.x + k;
	}
	__device__ void step(int k, int)
	{
		asm volatile("shfl.sync.bfly.b32 %0, %0, 5, 0x1f, 0xffffffff;" : "+r"(x[k]));
	}
};

struct path_constant : path_base { /* LDC at the byte that the one before gave: 0 */
	__device__ void step(int k, int)
	{
		x[k] = *reinterpret_cast<const uint32_t *>(reinterpret_cast<const char *>(c_chain) +
							   4 * k + x[k]);
	}
};

struct path_barrier : path_base {
	__device__ void step(int, int)
	{
		asm volatile("bar.sync 0;" ::: "memory");
	}
};

struct path_fence : path_base {
	__device__ void step(int, int)
	{
		__threadfence();
	}
};

/* Shared memory: words of the thread, `lanes` of them in one bank. */
struct path_shared : path_base {
	uint32_t address;
	__device__ void start(const struct probe_arguments &arguments)
	{
		__shared__ uint32_t words[SHARED_WORDS];
		path_base::start(arguments);
		uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(words)),
			 banks = 32 / arguments.lanes;
		/* Lane l in bank l % banks, in row l / banks: so many rows, so many passes. */
		address = base + 4 * (lane % banks) + 128 * (lane / banks);
		for (uint32_t i = threadIdx.x; i < SHARED_WORDS; i += blockDim.x)
			words[i] = address;
		__syncthreads();
	}
};

struct path_shared_chain : path_shared { /* LDS; each word holds its reader's address */
	__device__ void start(const struct probe_arguments &arguments)
	{
		path_shared::start(arguments);
		x[0] = address;
	}
	__device__ void step(int, int)
	{
		asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(x[0]));
	}
};

struct path_shared_load : path_shared {
	__device__ void step(int k, int)
	{
		asm volatile("ld.volatile.shared.u32 %0, [%1];"
			     : "=r"(x[k])
			     : "r"(address + 4096 * static_cast<uint32_t>(k % 4)));
	}
};

struct path_shared_store : path_shared {
	__device__ void step(int k, int)
	{
		asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(
				     address + 4096 * static_cast<uint32_t>(k % 4)),
			     "r"(zero));
	}
};

struct path_shared_both : path_shared { /* a store, and the load that must see it */
	__device__ void start(const struct probe_arguments &arguments)
	{
		path_shared::start(arguments);
		x[0] = address;
	}
	__device__ void step(int, int)
	{
		asm volatile("st.volatile.shared.u32 [%1], %0;\n\tld.volatile.shared.u32 %0, [%1];"
			     : "+r"(x[0])
			     : "r"(address));
	}
};

struct path_shared_atomic_chain : path_shared {
	__device__ void step(int, int)
	{
		asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(x[0]) : "r"(address));
	}
};

struct path_shared_atomic : path_shared {
	__device__ void step(int k, int)
	{
		asm volatile("atom.shared.add.u32 %0, [%1], %2;"
			     : "=r"(x[k])
			     : "r"(address + 4096 * static_cast<uint32_t>(k % 4)), "r"(x[k]));
	}
};

/* LDG that hits L1: warps of a multiprocessor read the same 32 KiB, each warp `lanes` lines an
 * access, no two lanes in one bank. */
struct path_global_load : path_base {
	__device__ void start(const struct probe_arguments &arguments)
	{
		path_base::start(arguments);
		d_base = d_words + (lane % arguments.lanes) * 32 + lane;
	}
	__device__ void round(int round)
	{
		d_words = d_base + (round & 1) * 64 * 32;
	}
	__device__ void step(int k, int i)
	{
		/* Different offsets, so that no load is another one's; x takes every second, so
		 * that the sum is not the limit. */
		uint32_t value;
		asm volatile("ld.global.u32 %0, [%1];"
			     : "=r"(value)
			     : "l"(d_words + (k + 8 * (i % 8)) * 32));
		if (k % 2)
			sum = sum ^ value ^ x[k - 1];
		else
			x[k] = value;
	}
};

/* Stores of one sector a warp, so that the way to L2 is not the limit. */
struct path_global_store : path_base {
	__device__ void start(const struct probe_arguments &arguments)
	{
		path_base::start(arguments);
		d_base = d_words + threadIdx.x / 32 * 8 + lane % 8;
	}
	__device__ void step(int k, int)
	{
		asm volatile("st.global.u32 [%0], %1;" ::"l"(d_base + k * 256), "r"(zero)
			     : "memory");
	}
};

/* Stores of one word to each of `lanes` lines, a sector each: what the multiprocessor's way to L2
 * takes for a line. */
struct path_store_lines : path_base {
	__device__ void start(const struct probe_arguments &arguments)
	{
		path_base::start(arguments);
		d_base = d_words + (threadIdx.x / 32 * 32 + lane % arguments.lanes) * 32 +
			 lane / arguments.lanes % 8;
	}
	__device__ void step(int k, int)
	{
		asm volatile("st.global.u32 [%0], %1;" ::"l"(d_base + k * 32768), "r"(zero)
			     : "memory");
	}
};

struct path_store_reuse : path_base { /* a store, and an addition that overwrites what it stores */
	__device__ void start(const struct probe_arguments &arguments)
	{
		path_base::start(arguments);
		d_base = d_words + threadIdx.x;
	}
	__device__ void step(int, int i)
	{
		asm volatile("st.global.u32 [%1], %0;\n\tlop3.b32 %0, %0, %2, %3, 0xd2;"
			     : "+r"(x[0])
			     : "l"(d_base + 64 * i), "r"(lane + i % 2), "r"(zero)
			     : "memory");
	}
};

struct path_atomic_chain : path_base {
	__device__ void start(const struct probe_arguments &arguments)
	{
		path_base::start(arguments);
		d_base = d_words + threadIdx.x;
	}
	__device__ void step(int, int)
	{
		asm volatile("atom.global.add.u32 %0, [%1], %0;"
			     : "+r"(x[0])
			     : "l"(d_base)
			     : "memory");
	}
};

struct path_atomic : path_base { /* RED, a sector a warp */
	__device__ void start(const struct probe_arguments &arguments)
	{
		path_base::start(arguments);
		d_base = d_words + threadIdx.x / 32 * 8 + lane % 8;
	}
	__device__ void step(int k, int)
	{
		asm volatile("red.global.add.u32 [%0], %1;" ::"l"(d_base + k * 256), "r"(zero)
			     : "memory");
	}
};

struct path_async : path_base { /* LDGSTS of 4 bytes a thread, hitting L1 */
	uint32_t address;
	__device__ void start(const struct probe_arguments &arguments)
	{
		__shared__ uint32_t words[SHARED_WORDS];
		path_base::start(arguments);
		address = static_cast<uint32_t>(__cvta_generic_to_shared(words)) + 4 * threadIdx.x;
		d_base = d_words + lane;
	}
	__device__ void step(int k, int)
	{
		asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
				     address + 4096 * static_cast<uint32_t>(k)),
			     "l"(d_base + 32 * k)
			     : "memory");
	}
};

struct path_async_wait : path_async {
	__device__ void step(int k, int i)
	{
		path_async::step(k, i);
		asm volatile("cp.async.wait_all;" ::: "memory");
	}
};

enum { FULL_THREADS = 1024, FULL_WARPS = 32, ROUNDS = 64 };

#define ALONE(key, op, n)                                                                          \
	{                                                                                          \
		key, PROBE_KERNELS(op, n, true), 32, 1, ROUNDS, 1, 1, false, NULL                  \
	}
#define SHARED(key, op, n)                                                                         \
	{                                                                                          \
		key, PROBE_KERNELS(op, n, false), FULL_THREADS, 1, ROUNDS, 1, FULL_WARPS, false,   \
			NULL                                                                       \
	}

/* MEMBAR, ERRBAR, CGAERRBAR, CCTL */
#define FENCE(key, threads, chain)                                                                 \
	{                                                                                          \
		key, PROBE_KERNELS(path_fence, 8, chain), threads, 1, ROUNDS, 1,                   \
			4.0 * threads / 32, false, NULL                                            \
	}

static const struct path {
	const char *name, *how;
	struct probe probe;
} paths[] = {
	{ "shuffle_latency", "SHFL.BFLY, one warp, each needs the one before",
	  ALONE("sm.shuffle_latency", path_shuffle, 32) },
	{ "shuffle_interval", "SHFL.BFLY, 32 warps with 8 chains each",
	  SHARED("sm.shuffle_interval", path_shuffle, 32) },
	{ "constant_latency", "LDC at the address that the one before gave, one warp",
	  ALONE("sm.constant_latency", path_constant, 16) },
	{ "constant_interval", "the same, 32 warps with 8 chains each",
	  SHARED("sm.constant_interval", path_constant, 16) },
	{ "fence_latency",
	  "__threadfence with nothing to wait for, one warp; of its four instructions one",
	  FENCE("sm.fence_latency", 32, true) },
	{ "fence_interval", "the same, 32 warps", FENCE("sm.fence_interval", FULL_THREADS, false) },
	{ "shared_load_latency", "LDS, one warp, each gives the next one's address",
	  ALONE("sm.shared_load_latency", path_shared_chain, 32) },
	{ "shared_load_interval", "LDS of 4 bytes without conflicts, 32 warps",
	  SHARED("sm.shared_load_interval", path_shared_load, 32) },
	{ "shared_store_interval", "STS of 4 bytes without conflicts, 32 warps",
	  SHARED("sm.shared_store_interval", path_shared_store, 32) },
	{ "shared_atomic_latency",
	  "ATOMS.ADD, one warp, each adds what the one before gave, lanes apart",
	  ALONE("sm.shared_atomic_latency", path_shared_atomic_chain, 16) },
	{ "shared_atomic_interval", "ATOMS.ADD without conflicts, 32 warps",
	  SHARED("sm.shared_atomic_interval", path_shared_atomic, 16) },
	{ "global_load_interval", "LDG of 4 bytes, a line a warp, hitting L1, 32 warps",
	  SHARED("sm.global_load_interval", path_global_load, 32) },
	{ "global_store_interval", "STG of 4 bytes, a sector a warp, 32 warps",
	  SHARED("sm.global_store_interval", path_global_store, 32) },
	{ "atomic_latency", "ATOMG.ADD, one warp, each adds what the one before gave, lanes apart",
	  ALONE("sm.atomic_latency", path_atomic_chain, 8) },
	{ "atomic_interval", "RED.ADD, a sector a warp, one multiprocessor, 32 warps",
	  SHARED("sm.atomic_interval", path_atomic, 16) },
	{ "async_copy_latency", "LDGSTS of 4 bytes hitting L1 and the wait for it, one warp",
	  ALONE("sm.async_copy_latency", path_async_wait, 8) },
	{ "async_copy_interval", "LDGSTS of 4 bytes hitting L1, 32 warps",
	  SHARED("sm.async_copy_interval", path_async, 32) },
};

static int measure_paths(struct sm_bench *sm)
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct measured measured;
		if (probe_measure(sm, paths[i].probe, &measured))
			return -1;
		sm_emit(sm, paths[i].name, &measured, 1, paths[i].how);
	}
	return 0;
}

/* A store gives nothing back: what can be seen is when a load finds it, and when its register is
 * free again. */
static int measure_stores(struct sm_bench *sm)
{
	const struct probe both = ALONE("sm.shared_store_latency", path_shared_both, 16);
	const struct probe load = ALONE("sm.shared_store_latency", path_shared_chain, 16);
	const struct probe reuse = ALONE("sm.global_store_latency", path_store_reuse, 16);
	struct measured whole, less, release;
	if (probe_measure(sm, both, &whole) || probe_measure(sm, load, &less) ||
	    probe_measure(sm, reuse, &release))
		return -1;
	whole.value = fmax(whole.value - less.value, 0);
	sm_emit(sm, "shared_store_latency", &whole, 1,
		"STS and the LDS that needs it, one warp, less the LDS");
	sm_emit(sm, "global_store_latency", &release, 1,
		"STG and a LOP3 that overwrites what it stores, one warp: until the register is "
		"free");
	return 0;
}

/* Least squares of y over x: its slope; with `at_zero`, its value at x = 0 as well. */
static double slope(const double *x, const double *y, int count, double *at_zero)
{
	double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
	for (int i = 0; i < count; i++)
		mean_x += x[i] / count, mean_y += y[i] / count;
	for (int i = 0; i < count; i++)
		xx += (x[i] - mean_x) * (x[i] - mean_x), xy += (x[i] - mean_x) * (y[i] - mean_y);
	if (at_zero)
		*at_zero = mean_y - xy / xx * mean_x;
	return xy / xx;
}

/* From 2 on: one pass may be free where the path's own interval is longer. */
static int measure_passes(struct sm_bench *sm, const char *name, struct probe probe,
			  const char *how)
{
	static const uint32_t lanes[] = { 2, 4, 8, 16, 32 };
	enum { COUNT = sizeof(lanes) / sizeof(lanes[0]) };
	double x[COUNT], y[COUNT], spread[COUNT];
	struct measured measured;
	for (int i = 0; i < COUNT; i++) {
		probe.lanes = lanes[i];
		if (probe_measure(sm, probe, &measured))
			return -1;
		x[i] = lanes[i], y[i] = measured.value, spread[i] = measured.spread;
	}
	measured.value = slope(x, y, COUNT, NULL);
	measured.spread = spread[COUNT - 1] / 30;
	sm_emit(sm, name, &measured, 1, how);
	return 0;
}

static int measure_barriers(struct sm_bench *sm)
{
	static const int threads[] = { 32, 64, 128, 256, 512, 768, 1024 };
	enum { COUNT = sizeof(threads) / sizeof(threads[0]) };
	struct probe probe = ALONE("sm.barrier_cycles", path_barrier, 16);
	struct measured measured[COUNT];
	double count[COUNT], warps[COUNT], cycles[COUNT], at_zero;
	for (int i = 0; i < COUNT; i++) {
		probe.threads = threads[i];
		probe.lanes = 1;
		if (probe_measure(sm, probe, &measured[i]))
			return -1;
		count[i] = threads[i], warps[i] = threads[i] / 32, cycles[i] = measured[i].value;
	}
	bench_emit(sm->bench, "sm.barrier_threads", count, NULL, COUNT, "threads of one block");
	sm_emit(sm, "barrier_cycles", measured, COUNT, "BAR.SYNC in a row, period");
	/* A block of one warp need not wait for anybody. */
	measured[0].value = slope(warps + 1, cycles + 1, COUNT - 1, &at_zero);
	measured[1].value = at_zero;
	sm_emit(sm, "barrier_interval", &measured[0], 1,
		"barrier_cycles over the warps of the block, from 2 on: slope of the least-squares "
		"line");
	sm_emit(sm, "barrier_latency", &measured[1], 1,
		"the same line at no warps: the last warp's arrival to all going on");
	return 0;
}

int calibrate_sm_paths(struct sm_bench *sm)
{
	const struct probe conflicts = SHARED("sm.shared_wavefront_interval", path_shared_load, 16);
	const struct probe stores = SHARED("sm.store_line_interval", path_store_lines, 16);
	const struct probe lines = SHARED("sm.l1_tag_interval", path_global_load, 16);
	bench_progress(sm->bench, "sm paths");
	CUDA_TRY(sm->bench,
		 cudaMemset(sm->bench->kit[0].d_source, 0, PROBE_WORDS * sizeof(uint32_t)));
	return measure_paths(sm) || measure_stores(sm) || measure_barriers(sm) ||
			       measure_passes(sm, "shared_wavefront_interval", conflicts,
					      "LDS of 4 bytes with 2, 4, 8, 16, 32 lanes in a "
					      "bank, 32 warps: slope of the least-squares line") ||
			       measure_passes(
				       sm, "store_line_interval", stores,
				       "STG of 4 bytes in 2, 4, 8, 16, 32 lines, a sector of each, "
				       "32 warps: slope of the least-squares line") ||
			       measure_passes(sm, "l1_tag_interval", lines,
					      "LDG of 4 bytes in 2, 4, 8, 16, 32 lines, hitting "
					      "L1, no two lanes in a bank, 32 warps: slope of the "
					      "least-squares line")
		       ? -1
		       : 0;
}
