/* SPDX-License-Identifier: MIT
 * [sm] what single reads take: alone, beside writes, and how they differ where many wait; and by
 * that, which of them L2 has. As in a program's copy, each thread has one element and is gone; a
 * sample of the warps note by their multiprocessor's clock how long they waited for it.
 */
#include <math.h>
#include <stdlib.h>

#include "calibrate_sm.h"

enum { SAMPLED = 64 /* every so many blocks */, PLAIN_THREADS = 256 };
static const size_t ALONE_BYTES = static_cast<size_t>(256) << 20,
		    COPY_BYTES = static_cast<size_t>(2) << 30,
		    L2_BYTES = static_cast<size_t>(8) << 20;
enum {
	COPIES = 6 /* of a footprint, before it is at rest */,
	PARTS = 30 /* of what the driver says of L2, footprints are counted in */
};
enum {
	FRESH_BLOCKS = 32768 /* of 128 bytes, which are 4 MiB */,
	SCATTER = 12345 /* odd */,
	FRESH_SAMPLED = 61 /* blocks on all multiprocessors */
};
enum { NEAR_PARTS = 8, FAR_PARTS = 128 };  /* copied, all in L2 and all not */
static const double FRESH_LEAST = 0.02;	   /* of reads that take longer: fewer are none */
static const double LEAST_QUANTILE = 0.01; /* of reads, stands for the least */

struct read_arguments {
	char *d_target;
	const char *d_source;
	uint64_t *d_results; /* [block / SAMPLED * warps + warp]: cycles */
	uint64_t never;	     /* no word is this */
};

/* The first word of an element read past L1. */
static __device__ uint32_t element_read(uint32_t *value, const uint32_t *d_from)
{
	asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(*value) : "l"(d_from) : "memory");
	return *value;
}

static __device__ uint32_t element_read(uint4 *value, const uint4 *d_from)
{
	asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
		     : "=r"(value->x), "=r"(value->y), "=r"(value->z), "=r"(value->w)
		     : "l"(d_from)
		     : "memory");
	return value->x;
}

template <class Element, bool WRITE, bool BACK>
static __global__ void __launch_bounds__(PLAIN_THREADS) timed_read(struct read_arguments a)
{
	long long begun = clock64();
	const unsigned block = BACK ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
	size_t i = static_cast<size_t>(block) * blockDim.x + threadIdx.x;
	Element x;
	if (element_read(&x, reinterpret_cast<const Element *>(a.d_source) + i) == a.never)
		asm volatile("trap;");
	long long ended = clock64();
	if (WRITE)
		reinterpret_cast<Element *>(a.d_target)[i] = x;
	if (blockIdx.x % SAMPLED == 0 && threadIdx.x % 32 == 0)
		a.d_results[(blockIdx.x / SAMPLED * blockDim.x + threadIdx.x) / 32] =
			static_cast<uint64_t>(ended - begun);
}

/* Blocks of one warp read a word a thread of what launches of other blocks wrote, in an order of
 * their own. */
static __global__ void scattered_read(struct read_arguments a)
{
	const unsigned block = blockIdx.x * SCATTER % gridDim.x;
	const uint32_t *d_from = reinterpret_cast<const uint32_t *>(a.d_source) +
				 static_cast<size_t>(block) * 32 + threadIdx.x;
	uint32_t x;
	long long begun = clock64();
	if (element_read(&x, d_from) == a.never)
		asm volatile("trap;");
	long long ended = clock64();
	if (blockIdx.x % FRESH_SAMPLED == 0 && threadIdx.x == 0)
		a.d_results[blockIdx.x / FRESH_SAMPLED] = static_cast<uint64_t>(ended - begun);
}

struct reading {
	struct sm_bench *sm;
	const void *kernel;
	int threads, element_bytes;
	size_t most_bytes; /* read; as many are written behind half the region */
	bool moving;	   /* elsewhere each time */
	enum { MEAN, LEAST, VARIANCE, RATE } wanted;
};

static int compare(const void *a, const void *b)
{
	uint64_t x = *static_cast<const uint64_t *>(a), y = *static_cast<const uint64_t *>(b);
	return x < y ? -1 : x > y;
}

static double mean_of(const uint64_t *x, size_t count)
{
	double sum = 0;
	for (size_t k = 0; k < count; k++)
		sum += static_cast<double>(x[k]);
	return sum / static_cast<double>(count);
}

static double variance_of(const uint64_t *x, size_t count)
{
	double mean = mean_of(x, count), sum = 0;
	for (size_t k = 0; k < count; k++)
		sum += (static_cast<double>(x[k]) - mean) * (static_cast<double>(x[k]) - mean);
	return sum / static_cast<double>(count);
}

/* What the sampled warps of the launches before clocked, sorted; owned by the caller. -1 after a
 * message, and nothing is owned. */
static int sorted_results(struct sm_bench *sm, size_t count, uint64_t **cycles)
{
	*cycles = static_cast<uint64_t *>(xmalloc(count * sizeof(**cycles)));
	if (sm_results(sm, *cycles, count)) {
		free(*cycles);
		*cycles = NULL;
		return -1;
	}
	qsort(*cycles, count, sizeof(**cycles), compare);
	return 0;
}

static size_t count_below(const uint64_t *cycles, size_t count, double limit)
{
	size_t below = 0;
	while (below < count && static_cast<double>(cycles[below]) < limit)
		below++;
	return below;
}

static double share_below(const uint64_t *cycles, size_t count, double limit)
{
	return static_cast<double>(count_below(cycles, count, limit)) / static_cast<double>(count);
}

/* Cycles, their square, or bytes read a second. */
static int read_batch(struct member *member, void *arg, double *value)
{
	const struct reading *reading = static_cast<const struct reading *>(arg);
	struct sm_bench *sm = reading->sm;
	struct gpu_kit *kit = &sm->bench->kit[0];
	const size_t half = sm->region_bytes / 2,
		     part = half < reading->most_bytes ? half : reading->most_bytes;
	const size_t at = reading->moving ? sm->turn++ * (static_cast<size_t>(1337) << 20) %
						    (half - part + 1) / 4096 * 4096
					  : 0;
	struct read_arguments values = { sm->d_region + half + at, sm->d_region + at, sm->d_results,
					 UINT64_MAX };
	void *arguments[] = { &values };
	int blocks = static_cast<int>(
		part / static_cast<size_t>(reading->element_bytes * reading->threads));
	size_t count =
		static_cast<size_t>((blocks + SAMPLED - 1) / SAMPLED * (reading->threads / 32));
	float ms = 0;
	(void)member;
	if (count > RESULT_WORDS) /* which the kernel would write beyond */
		return report("calibrate: %zu warps are too many to note", count);
	uint64_t *cycles;
	if (cuda_check(sm->bench, cudaEventRecord(kit->begin[0], kit->stream[0]),
		       "cudaEventRecord") ||
	    sm_launch(sm, reading->kernel, blocks, reading->threads, arguments) ||
	    cuda_check(sm->bench, cudaEventRecord(kit->end[0], kit->stream[0]),
		       "cudaEventRecord") ||
	    sorted_results(sm, count, &cycles))
		return -1;
	int rc = cuda_check(sm->bench, cudaEventElapsedTime(&ms, kit->begin[0], kit->end[0]),
			    "cudaEventElapsedTime");
	if (!rc) {
		const double of[] = {
			mean_of(cycles, count),
			static_cast<double>(cycles[static_cast<size_t>(
				LEAST_QUANTILE * static_cast<double>(count))]),
			variance_of(cycles, count),
			static_cast<double>(part) / (1e-3 * static_cast<double>(ms)),
		};
		*value = of[reading->wanted];
	}
	free(cycles);
	return rc;
}

static const struct clocked {
	const char *name, *how;
	const void *kernel;
	int threads, element_bytes;
	size_t most_bytes;
	bool moving;
	int wanted; /* of struct reading */
	int clocks; /* of the value's unit: it is divided by so many clock rates */
} clocked[] = {
#define KERNEL(element, write) reinterpret_cast<const void *>(timed_read<element, write, false>)
	/* Blocks of one warp come so seldom that nothing queues; what they clock there beyond the
	   latency is that of the clocks. */
	{ "dram_instrumented_latency_ns",
	  "mean of what warps note that read a word a thread, 256 MiB of 4 GiB, blocks of one "
	  "warp: with few in flight",
	  KERNEL(uint32_t, false), 32, 4, ALONE_BYTES, true, reading::MEAN, 1 },
	{ "dram_instrumented_least_ns",
	  "the hundredth part of them that took least: longest of these", KERNEL(uint32_t, false),
	  32, 4, ALONE_BYTES, true, reading::LEAST, 1 },
	{ "dram_copy_instrumented_latency_ns",
	  "mean of what warps note that copy a word a thread, 2 GiB, blocks of 256 threads",
	  KERNEL(uint32_t, true), PLAIN_THREADS, 4, COPY_BYTES, false, reading::MEAN, 1 },
	{ "dram_copy_instrumented_bytes_per_s", "what this copy reads", KERNEL(uint32_t, true),
	  PLAIN_THREADS, 4, COPY_BYTES, false, reading::RATE, 0 },
	{ "dram_full_instrumented_latency_ns",
	  "the same, 16 bytes a thread: memory has all it can do", KERNEL(uint4, true),
	  PLAIN_THREADS, 16, COPY_BYTES, false, reading::MEAN, 1 },
	{ "dram_full_instrumented_variance_ns2", "the variance of what they clock",
	  KERNEL(uint4, true), PLAIN_THREADS, 16, COPY_BYTES, false, reading::VARIANCE, 2 },
	{ "l2_full_instrumented_latency_ns", "the same, 8 MiB to 8 MiB in L2 again and again",
	  KERNEL(uint4, true), PLAIN_THREADS, 16, L2_BYTES, false, reading::MEAN, 1 },
	{ "l2_full_instrumented_variance_ns2", "the variance of what they clock",
	  KERNEL(uint4, true), PLAIN_THREADS, 16, L2_BYTES, false, reading::VARIANCE, 2 },
#undef KERNEL
};

/* Hits and misses are far apart: a tenth of the reads at the least are hits, and half of them are
 * misses, or nothing was found. */
static double share_found(const uint64_t *cycles, size_t count)
{
	const double hit = static_cast<double>(cycles[count / 20]),
		     miss = static_cast<double>(cycles[count * 3 / 4]);
	return hit > 0.6 * miss ? 0 : share_below(cycles, count, (hit + miss) / 2);
}

/* Bytes that are found on the way back of a launch over more than L2 holds; few reads at a time, in
 * the order of the blocks. */
static int reversed_batch(struct member *member, void *arg, double *value)
{
	struct sm_bench *sm = static_cast<struct sm_bench *>(arg);
	int l2_bytes;
	CUDA_TRY(sm->bench, cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
	const int blocks = static_cast<int>(
		fmin(2.0 * l2_bytes, static_cast<double>(sm->region_bytes / 2)) / 128);
	const size_t count = static_cast<size_t>((blocks + SAMPLED - 1) / SAMPLED);
	const size_t room = sm->region_bytes / 2,
		     at = sm->turn++ * (static_cast<size_t>(1337) << 16) % room / 4096 * 4096;
	struct read_arguments values = { NULL, sm->d_region + at, sm->d_results, UINT64_MAX };
	void *arguments[] = { &values };
	(void)member;
	if (count > RESULT_WORDS)
		return report("calibrate: %zu warps are too many to note", count);
	uint64_t *cycles;
	if (sm_launch(sm, reinterpret_cast<const void *>(timed_read<uint32_t, false, false>),
		      blocks, 32, arguments) ||
	    sm_launch(sm, reinterpret_cast<const void *>(timed_read<uint32_t, false, true>), blocks,
		      32, arguments) ||
	    sorted_results(sm, count, &cycles))
		return -1;
	*value = 128.0 * blocks * share_found(cycles, count);
	free(cycles);
	return 0;
}

static int measure_reversed(struct sm_bench *sm)
{
	struct measured found;
	if (bench_measure(sm->bench, 1, "sm.l2_reversed_bytes", 32, reversed_batch, sm, &found))
		return -1;
	sm_emit(sm, "l2_reversed_bytes", &found, 1,
		"twice L2's size read, then back again, a word a thread, blocks of one warp: "
		"the share of sampled warps whose read took as long as a hit");
	return 0;
}

/* What the sampled warps of the last of some copies from one half of a footprint to the other
 * clocked, sorted; a word a thread, launch after launch. */
static int copy_again(struct sm_bench *sm, size_t footprint_bytes, uint64_t **cycles, size_t *count)
{
	const size_t half = footprint_bytes / 2;
	const int blocks = static_cast<int>(half / (PLAIN_THREADS * sizeof(uint32_t)));
	struct read_arguments values = { sm->d_region + half, sm->d_region, sm->d_results,
					 UINT64_MAX };
	void *arguments[] = { &values };
	*count = static_cast<size_t>((blocks + SAMPLED - 1) / SAMPLED) * (PLAIN_THREADS / 32);
	if (*count > RESULT_WORDS)
		return report("calibrate: %zu warps are too many to note", *count);
	for (int k = 0; k < COPIES; k++)
		if (sm_launch(sm, reinterpret_cast<const void *>(timed_read<uint32_t, true, false>),
			      blocks, PLAIN_THREADS, arguments))
			return -1;
	return sorted_results(sm, *count, cycles);
}

/* Between what reads take that L2 has and those that it has not: how many of either are below it.
 */
struct reuse {
	struct sm_bench *sm;
	size_t part_bytes, footprint_bytes;
	double between, below_near, below_far;
};

static int reuse_batch(struct member *member, void *arg, double *value)
{
	const struct reuse *reuse = static_cast<const struct reuse *>(arg);
	uint64_t *cycles;
	size_t count;
	(void)member;
	if (copy_again(reuse->sm, reuse->footprint_bytes, &cycles, &count))
		return -1;
	const double share = share_below(cycles, count, reuse->between);
	*value = fmin(fmax((share - reuse->below_far) / (reuse->below_near - reuse->below_far), 0),
		      1);
	free(cycles);
	return 0;
}

/* Where reads end that L2 has and those begin that it has not, as two copies show that are all the
 * one and all the other. */
static int reuse_limits(struct sm_bench *sm, struct reuse *reuse)
{
	uint64_t *near = NULL, *far = NULL;
	size_t near_count = 0, far_count = 0;
	int rc = copy_again(sm, NEAR_PARTS * reuse->part_bytes, &near, &near_count) ||
				 copy_again(sm, FAR_PARTS * reuse->part_bytes, &far, &far_count)
			 ? -1
			 : 0;
	if (!rc) {
		reuse->between =
			0.5 * static_cast<double>(near[near_count / 2] + far[far_count / 2]);
		reuse->below_near = share_below(near, near_count, reuse->between);
		reuse->below_far = share_below(far, far_count, reuse->between);
		if (reuse->below_near - reuse->below_far < 0.5)
			rc = report(
				"calibrate: reads that L2 has take as long as those it has not");
	}
	free(near);
	free(far);
	return rc;
}

/* What of a footprint that is gone through in the same order, launch after launch, is still there.
 */
static int measure_reuse(struct sm_bench *sm)
{
	static const int parts[] = { 8,	 10, 12, 14, 15, 16, 17, 18, 19, 20,
				     21, 22, 23, 24, 26, 28, 32, 40, 64, 100 };
	enum { COUNT = sizeof(parts) / sizeof(parts[0]) };
	struct reuse reuse = { sm, 0, 0, 0, 0, 0 };
	int l2_bytes;
	struct measured hits[COUNT];
	double bytes[COUNT];
	CUDA_TRY(sm->bench, cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
	reuse.part_bytes =
		static_cast<size_t>(l2_bytes) / PARTS / 2048 * 2048; /* whole blocks in each half */
	if (reuse.part_bytes * FAR_PARTS > sm->region_bytes)
		return report("calibrate: %zu bytes are free, which is not far beyond L2",
			      sm->region_bytes);
	if (reuse_limits(sm, &reuse))
		return -1;
	for (int i = 0; i < COUNT; i++) {
		reuse.footprint_bytes = static_cast<size_t>(parts[i]) * reuse.part_bytes;
		bytes[i] = static_cast<double>(reuse.footprint_bytes);
		if (bench_measure(sm->bench, 1, "sm.l2_reuse_hits", static_cast<double>(parts[i]),
				  reuse_batch, &reuse, &hits[i]))
			return -1;
	}
	bench_emit(sm->bench, "sm.l2_reuse_bytes", bytes, NULL, COUNT,
		   "footprints of which one half is read and the other written, in the same order "
		   "by launch after launch");
	sm_emit(sm, "l2_reuse_hits", hits, COUNT,
		"a word a thread: share of sampled warps whose read is below the middle between "
		"those of 8 and of 128 thirtieths of L2, between their shares");
	return 0;
}

/* What the sampled warps clocked that read lines last written by another multiprocessor; or that
 * read those once more. */
static int scattered(struct sm_bench *sm, bool again, uint64_t **cycles)
{
	char *d_written = sm->d_region + sm->region_bytes / 2;
	struct read_arguments write = { d_written, sm->d_region, sm->d_results, UINT64_MAX },
			      read = { NULL, d_written, sm->d_results, UINT64_MAX };
	void *write_arguments[] = { &write }, *read_arguments[] = { &read };
	for (int k = 0; k < 2; k++) /* the first time, lines have to come to both halves of L2 */
		if (sm_launch(sm, reinterpret_cast<const void *>(timed_read<uint32_t, true, false>),
			      FRESH_BLOCKS, 32, write_arguments) ||
		    sm_launch(sm, reinterpret_cast<const void *>(scattered_read), FRESH_BLOCKS, 32,
			      read_arguments))
			return -1;
	if (again && sm_launch(sm, reinterpret_cast<const void *>(scattered_read), FRESH_BLOCKS, 32,
			       read_arguments))
		return -1;
	return sorted_results(sm, FRESH_BLOCKS / FRESH_SAMPLED, cycles);
}

/* Reads that take a quarter longer than half of those that are not dirty, less those of them that
 * are not dirty: their share, or how much longer. */
struct dirty {
	struct sm_bench *sm;
	enum { SHARE, LONGER } wanted;
};

static int dirty_batch(struct member *member, void *arg, double *value)
{
	const struct dirty *dirty = static_cast<const struct dirty *>(arg);
	const size_t count = FRESH_BLOCKS / FRESH_SAMPLED;
	uint64_t *first, *again;
	(void)member;
	if (scattered(dirty->sm, false, &first))
		return -1;
	if (scattered(dirty->sm, true, &again)) {
		free(first);
		return -1;
	}
	const double limit = 1.25 * static_cast<double>(again[count / 2]);
	const size_t quick_first = count_below(first, count, limit),
		     quick_again = count_below(again, count, limit);
	const double share = (static_cast<double>(quick_again) - static_cast<double>(quick_first)) /
			     static_cast<double>(count);
	if (dirty->wanted == dirty::SHARE)
		*value = fmax(share, 0);
	else
		*value = share > FRESH_LEAST ? mean_of(first + quick_first, count - quick_first) -
						       mean_of(again, quick_again)
					     : 0;
	free(first);
	free(again);
	return 0;
}

static int measure_dirty(struct sm_bench *sm)
{
	struct dirty dirty = { sm, dirty::SHARE };
	struct measured share, longer;
	if (bench_measure(sm->bench, 1, "sm.l2_far_dirty_share", 0, dirty_batch, &dirty, &share))
		return -1;
	dirty.wanted = dirty::LONGER;
	if (bench_measure(sm->bench, 1, "sm.l2_far_dirty_latency_ns", 0, dirty_batch, &dirty,
			  &longer))
		return -1;
	longer.value *= 1e3 / sm->clock_mhz;
	longer.spread *= 1e3 / sm->clock_mhz;
	sm_emit(sm, "l2_far_dirty_share", &share, 1,
		"4 MiB written, then read by other blocks of one warp, a word a thread: sampled "
		"warps whose read takes a quarter longer than half of them when they read again, "
		"less those that do then");
	sm_emit(sm, "l2_far_dirty_latency_ns", &longer, 1,
		"the same: mean of these, less that of the others when they read again");
	return 0;
}

int calibrate_sm_reads(struct sm_bench *sm)
{
	bench_progress(sm->bench, "sm reads");
	for (size_t k = 0; k < sizeof(clocked) / sizeof(clocked[0]); k++) {
		const struct clocked *n = &clocked[k];
		struct reading reading = {
			sm,	   n->kernel,	 n->threads, n->element_bytes, n->most_bytes,
			n->moving, reading::MEAN
		};
		struct measured measured;
		char *key = xprintf("sm.%s", n->name);
		double to_unit = pow(1e3 / sm->clock_mhz, n->clocks);
		reading.wanted = static_cast<decltype(reading.wanted)>(n->wanted);
		int rc = bench_measure(sm->bench, 1, key, n->threads, read_batch, &reading,
				       &measured);
		free(key);
		if (rc)
			return -1;
		measured.value *= to_unit;
		measured.spread *= to_unit;
		sm_emit(sm, n->name, &measured, 1, n->how);
	}
	return measure_reversed(sm) || measure_reuse(sm) || measure_dirty(sm) ? -1 : 0;
}
