/* SPDX-License-Identifier: MIT
 * [sm] latencies of memory, by one thread that follows pointers: nothing else is under way, each
 * load needs the one before.
 */
#include <stdlib.h>

#include "calibrate_sm.h"

static const size_t KiB = 1024, MiB = 1024 * 1024;
enum { LINE_BYTES = 128, L2_LINES = 4096 };

/* A ring through all lines, at random or in order. Random: a congruential generator of full period
 * over 2^n lines. */
static __global__ void chase_ring(char *d_region, uint64_t lines, uint64_t multiplier)
{
	uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
	for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < lines;
	     i += step) {
		uint64_t next =
			multiplier ? (i * multiplier + 12345) & (lines - 1) : (i + 1) % lines;
		*reinterpret_cast<uint64_t *>(d_region + i * LINE_BYTES) =
			reinterpret_cast<uint64_t>(d_region + next * LINE_BYTES);
	}
}

/* [0]: cycles of `steps` loads, after `warm` untimed ones. */
template <bool THROUGH_L1>
static __global__ void chase_kernel(uint64_t *d_results, const char *d_start, int warm, int steps)
{
	uint64_t at = reinterpret_cast<uint64_t>(d_start);
	long long begun = 0;
#pragma unroll 1
	for (int pass = 0; pass < 2; pass++) {
		int count = pass ? steps : warm;
		begun = clock64();
#pragma unroll 1
		for (int i = 0; i < count; i += 8)
#pragma unroll
			for (int k = 0; k < 8; k++) {
				if (THROUGH_L1)
					asm volatile("ld.global.u64 %0, [%0];" : "+l"(at));
				else
					asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at));
			}
	}
	/* The sum needs the last load. */
	d_results[1] = at;
	d_results[0] = static_cast<uint64_t>(clock64() - begun) + (at == 1);
}

/* [i]: cycles of a load of line i alone, the fastest of a few passes; the first pass brings the
 * lines to L2. */
static __global__ void line_kernel(uint64_t *d_results, const char *d_region, int lines, int passes)
{
	__shared__ volatile uint64_t loaded[32];
	for (int pass = 0; pass < passes; pass++)
		for (int i = 0; i < lines; i++) {
			uint64_t value;
			long long begun = clock64();
			asm volatile("ld.global.cg.u64 %0, [%1];"
				     : "=l"(value)
				     : "l"(d_region + static_cast<size_t>(i) * LINE_BYTES)
				     : "memory");
			loaded[i % 32] = value; /* issued when the load is back, and the clock is
						   read after it */
			uint64_t cycles = static_cast<uint64_t>(clock64() - begun);
			if (pass == 1 || (pass > 1 && cycles < d_results[i]))
				d_results[i] = cycles;
		}
}

struct chase {
	struct sm_bench *sm;
	bool through_l1;
	uint64_t lines, random; /* of the ring; the multiplier, 0: in order */
	int warm, steps;
	double unit; /* cycles are divided by it */
};

static int ring(const struct chase *chase)
{
	char *d_region = chase->sm->d_region;
	uint64_t lines = chase->lines, random = chase->random;
	void *arguments[] = { &d_region, &lines, &random };
	return sm_launch(chase->sm, reinterpret_cast<const void *>(chase_ring), 1024, 256,
			 arguments);
}

static int chase_cycles(const struct chase *chase, double *cycles)
{
	struct sm_bench *sm = chase->sm;
	uint64_t results[2];
	/* Somewhere else each time: what the batch before read may still be in L2. */
	const char *d_start =
		sm->d_region +
		(chase->random ? sm->turn++ * 7919 * 64 % chase->lines : 0) * LINE_BYTES;
	int warm = chase->warm, steps = chase->steps;
	void *arguments[] = { &sm->d_results, &d_start, &warm, &steps };
	if (sm_launch(sm,
		      chase->through_l1 ? reinterpret_cast<const void *>(chase_kernel<true>)
					: reinterpret_cast<const void *>(chase_kernel<false>),
		      1, 1, arguments) ||
	    sm_results(sm, results, 2))
		return -1;
	*cycles = static_cast<double>(results[0]) / steps;
	return 0;
}

static int chase_batch(struct member *member, void *arg, double *value)
{
	const struct chase *chase = static_cast<const struct chase *>(arg);
	(void)member;
	if (chase_cycles(chase, value))
		return -1;
	*value /= chase->unit;
	return 0;
}

/* The last footprint whose lines still come from L1. */
static int l1_size_batch(struct member *member, void *arg, double *value)
{
	struct chase chase = *static_cast<const struct chase *>(arg);
	double least = 0;
	(void)member;
	*value = NAN;
	for (size_t bytes = 16 * KiB; bytes <= 288 * KiB; bytes += 8 * KiB) {
		double cycles;
		chase.lines = bytes / LINE_BYTES;
		chase.warm = chase.steps = static_cast<int>(chase.lines) * 2;
		if (ring(&chase) || chase_cycles(&chase, &cycles))
			return -1;
		if (bytes == 16 * KiB)
			least = cycles;
		if (cycles > 1.25 * least)
			break;
		*value = static_cast<double>(bytes);
	}
	return 0;
}

static int measure_l1(struct sm_bench *sm)
{
	struct chase chase = { sm, true, 16 * KiB / LINE_BYTES, 0, 1024, 4096, 1 };
	struct measured latency, size;
	CUDA_TRY(sm->bench, cudaFuncSetAttribute(reinterpret_cast<const void *>(chase_kernel<true>),
						 cudaFuncAttributePreferredSharedMemoryCarveout,
						 cudaSharedmemCarveoutMaxL1));
	if (ring(&chase) ||
	    bench_measure(sm->bench, 1, "sm.global_load_latency", 0, chase_batch, &chase,
			  &latency) ||
	    bench_measure(sm->bench, 1, "sm.l1_bytes", 0, l1_size_batch, &chase, &size))
		return -1;
	sm_emit(sm, "global_load_latency", &latency, 1,
		"pointers through 16 KiB, LDG hitting L1, one thread");
	sm_emit(sm, "l1_bytes", &size, 1,
		"pointers through footprints in steps of 8 KiB: the last one without misses, no "
		"shared memory in use");
	return 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *static_cast<const uint64_t *>(a), y = *static_cast<const uint64_t *>(b);
	return x < y ? -1 : x > y;
}

/* Mean of the near and of the far lines: two groups about two means, without the slowest and
 * fastest hundredth. */
static void two_groups(uint64_t *cycles, int count, double *near, double *far)
{
	qsort(cycles, static_cast<size_t>(count), sizeof(*cycles), compare);
	int first = count / 100, last = count - count / 100;
	double low = static_cast<double>(cycles[first]),
	       high = static_cast<double>(cycles[last - 1]);
	for (int repeat = 0; repeat < 20; repeat++) {
		double sum[2] = { 0, 0 };
		int members[2] = { 0, 0 };
		for (int i = first; i < last; i++) {
			double x = static_cast<double>(cycles[i]);
			int group = x - low > high - x;
			sum[group] += x;
			members[group]++;
		}
		low = members[0] ? sum[0] / members[0] : low;
		high = members[1] ? sum[1] / members[1] : high;
	}
	*near = low, *far = high;
}

struct halves {
	struct chase chase;
	bool far;
};

static int halves_batch(struct member *member, void *arg, double *value)
{
	const struct halves *halves = static_cast<const struct halves *>(arg);
	struct sm_bench *sm = halves->chase.sm;
	uint64_t *cycles = static_cast<uint64_t *>(xmalloc(L2_LINES * sizeof(*cycles)));
	int lines = L2_LINES, passes = 4;
	const char *d_region = sm->d_region;
	void *arguments[] = { &sm->d_results, &d_region, &lines, &passes };
	double near, far, mean = 0, chased = 0;
	(void)member;
	int rc = sm_launch(sm, reinterpret_cast<const void *>(line_kernel), 1, 1, arguments) ||
				 sm_results(sm, cycles, L2_LINES) ||
				 chase_cycles(&halves->chase, &chased)
			 ? -1
			 : 0;
	if (!rc) {
		for (int i = 0; i < L2_LINES; i++)
			mean += static_cast<double>(cycles[i]) / L2_LINES;
		two_groups(cycles, L2_LINES, &near, &far);
		/* A load alone is timed with the clock around it, which the chain is not. */
		*value = (halves->far ? far - near : near - (mean - chased)) / halves->chase.unit;
	}
	free(cycles);
	return rc;
}

static int measure_l2(struct sm_bench *sm)
{
	struct halves halves = {
		{ sm, false, L2_LINES, 0, L2_LINES, 2 * L2_LINES, 1e-3 * sm->clock_mhz }, false
	};
	struct measured near, far;
	if (ring(&halves.chase) ||
	    bench_measure(sm->bench, 1, "sm.l2_latency_ns", 0, halves_batch, &halves, &near))
		return -1;
	halves.far = true;
	if (bench_measure(sm->bench, 1, "sm.l2_far_latency_ns", 0, halves_batch, &halves, &far))
		return -1;
	sm_emit(sm, "l2_latency_ns", &near, 1,
		"4096 lines loaded past L1 one by one by one thread: mean of the faster of two "
		"groups, as in a chain of such loads");
	sm_emit(sm, "l2_far_latency_ns", &far, 1,
		"the same: mean of the slower group less that of the faster");
	return 0;
}

static int measure_dram(struct sm_bench *sm)
{
	size_t bytes = sm->region_bytes < 2048 * MiB ? sm->region_bytes : 2048 * MiB;
	struct chase chase = { sm, false, bytes / LINE_BYTES,  1664525,
			       64, 2048,  1e-3 * sm->clock_mhz };
	struct measured latency;
	if (ring(&chase) ||
	    bench_measure(sm->bench, 1, "sm.dram_latency_ns", 0, chase_batch, &chase, &latency))
		return -1;
	sm_emit(sm, "dram_latency_ns", &latency, 1,
		"pointers at random through 2 GiB (or all that is free), one thread, a new place "
		"each batch");
	return 0;
}

int calibrate_sm_latency(struct sm_bench *sm)
{
	bench_progress(sm->bench, "sm latencies");
	return measure_l1(sm) || measure_l2(sm) || measure_dram(sm) ? -1 : 0;
}
