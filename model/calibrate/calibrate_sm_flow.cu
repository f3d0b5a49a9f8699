/* SPDX-License-Identifier: MIT
 * [sm] rates of L2 and memory, and what it takes to reach them. Every thread of a grid that fills
 * the device has P loads of 16 bytes under way, each needing the one before it in its chain, so
 * threads * P * 16 bytes are in flight at any time. Rates are bytes over the time from the first
 * block's begin to the last one's end, by the device's own clock.
 */
#include <stdlib.h>

#include "calibrate_sm.h"
#include "calibrate_sm_flow.cuh"

static const size_t MiB = 1024 * 1024;
#define L2_SPAN (16 * MiB) /* well within L2, also where each half keeps a copy */

struct flow {
	struct sm_bench *sm;
	const void *kernel;
	int blocks, threads, chains;
	uint64_t span;
	double least_bytes; /* to move, at least */
	double least_rounds;
	double bytes_each; /* by a thread in a round, of one chain */
	bool moving;	   /* begin elsewhere each time */
	double unit;	   /* the rate is divided by it */
};

static int flow_once(const struct flow *flow, double *rate)
{
	struct sm_bench *sm = flow->sm;
	const uint64_t empty[2] = { ~UINT64_C(0), 0 };
	uint64_t times[2], threads = static_cast<uint64_t>(flow->blocks) *
				     static_cast<uint64_t>(flow->threads);
	double round_bytes = static_cast<double>(threads) * flow->chains * flow->bytes_each;
	struct flow_arguments values = { sm->d_results, sm->d_region, flow->span, 0, 0, 0, 0 };
	void *arguments[] = { &values };
	values.step = threads * static_cast<uint64_t>(flow->chains) * 16 % flow->span;
	values.begin =
		flow->moving ? sm->turn++ * (static_cast<uint64_t>(1337) << 20) % flow->span : 0;
	values.rounds =
		static_cast<int>(fmax(ceil(flow->least_bytes / round_bytes), flow->least_rounds));
	CUDA_TRY(sm->bench, cudaMemcpyAsync(sm->d_results, empty, sizeof(empty),
					    cudaMemcpyHostToDevice, sm->bench->kit[0].stream[0]));
	if (sm_launch(sm, flow->kernel, flow->blocks, flow->threads, arguments) ||
	    sm_results(sm, times, 2))
		return -1;
	*rate = times[1] > times[0] ? 1e9 * round_bytes * values.rounds /
					      static_cast<double>(times[1] - times[0]) / flow->unit
				    : NAN;
	return 0;
}

static int flow_batch(struct member *member, void *arg, double *value)
{
	(void)member;
	return flow_once(static_cast<const struct flow *>(arg), value);
}

static int flow_measure(struct flow flow, const char *key, double x, struct measured *out)
{
	return bench_measure(flow.sm->bench, 1, key, x, flow_batch, &flow, out);
}

static const void *reader(int chains, bool through_l1)
{
	switch (chains) {
	case 1:
		return through_l1 ? reinterpret_cast<const void *>(flow_read<1, true>)
				  : reinterpret_cast<const void *>(flow_read<1, false>);
	case 2:
		return through_l1 ? reinterpret_cast<const void *>(flow_read<2, true>)
				  : reinterpret_cast<const void *>(flow_read<2, false>);
	case 4:
		return through_l1 ? reinterpret_cast<const void *>(flow_read<4, true>)
				  : reinterpret_cast<const void *>(flow_read<4, false>);
	default:
		return through_l1 ? reinterpret_cast<const void *>(flow_read<8, true>)
				  : reinterpret_cast<const void *>(flow_read<8, false>);
	}
}

/* `threads` of every multiprocessor, in one block or in two. */
static struct flow reading(struct sm_bench *sm, uint64_t span, int threads, int chains)
{
	int blocks = threads > 1024 ? 2 : 1;
	struct flow flow = { sm,
			     reader(chains, false),
			     sm->multiprocessors * blocks,
			     threads / blocks,
			     chains,
			     span,
			     0,
			     400,
			     16,
			     span > 1024 * MiB,
			     1 };
	flow.least_rounds =
		fmax(100, 400.0 * 1024 / (threads * chains > 1024 ? threads * chains : 1024));
	return flow;
}

static int measure_curve(struct sm_bench *sm, const char *level, uint64_t span, const char *where,
			 struct measured *most)
{
	static const struct point {
		int threads, chains;
	} points[] = {
		{ 16, 1 },   { 32, 1 },	  { 64, 1 },   { 128, 1 },  { 192, 1 },	 { 256, 1 },
		{ 384, 1 },  { 512, 1 },  { 768, 1 },  { 1024, 1 }, { 1536, 1 }, { 2048, 1 },
		{ 1536, 2 }, { 2048, 2 }, { 1536, 4 }, { 2048, 4 },
	};
	enum { COUNT = sizeof(points) / sizeof(points[0]) };
	struct measured rate[COUNT], best;
	double bytes[COUNT];
	char *key = xprintf("%s_inflight_bytes_per_s", level),
	     *x_key = xprintf("sm.%s_inflight_bytes", level);
	char *most_key = xprintf("%s_read_bytes_per_s", level), *window = xprintf("sm.%s", key);
	char *how = xprintf("loads of 16 bytes past L1 from %s, 1 to 4 chains a thread, 16 to 2048 "
			    "threads a multiprocessor",
			    where);
	int rc = 0;
	for (int i = 0; i < COUNT && !rc; i++) {
		struct flow flow = reading(sm, span, points[i].threads, points[i].chains);
		bytes[i] = 16.0 * flow.blocks * flow.threads * flow.chains;
		rc = flow_measure(flow, window, bytes[i], &rate[i]);
		if (!i || rate[i].value > best.value)
			best = rate[i];
	}
	if (!rc) {
		bench_emit(sm->bench, x_key, bytes, NULL, COUNT,
			   "threads * chains * 16 bytes, all multiprocessors");
		sm_emit(sm, key, rate, COUNT, how);
		sm_emit(sm, most_key, &best, 1, "the best rate of the curve of bytes in flight");
		*most = best;
	}
	free(key), free(x_key), free(most_key), free(window), free(how);
	return rc;
}

static struct flow filling(struct sm_bench *sm, const void *kernel, uint64_t span,
			   double least_bytes)
{
	struct flow flow = {
		sm, kernel, 2 * sm->multiprocessors, 1024, 1, span, least_bytes, 16, 16, false, 1
	};
	return flow;
}

/* One kernel again and again, over all of its bytes each time. */
struct again {
	struct sm_bench *sm;
	const void *kernel;
	int blocks;
	void **arguments;
	double bytes;
};

static int again_ns(const struct again *again, int n, double *ns)
{
	struct sm_bench *sm = again->sm;
	struct gpu_kit *kit = &sm->bench->kit[0];
	float ms = 0;
	CUDA_TRY(sm->bench, cudaEventRecord(kit->begin[0], kit->stream[0]));
	for (int i = 0; i < n; i++)
		if (sm_launch(sm, again->kernel, again->blocks, 256, again->arguments))
			return -1;
	CUDA_TRY(sm->bench, cudaEventRecord(kit->end[0], kit->stream[0]));
	CUDA_TRY(sm->bench, cudaStreamSynchronize(kit->stream[0]));
	CUDA_TRY(sm->bench, cudaEventElapsedTime(&ms, kit->begin[0], kit->end[0]));
	*ns = 1e6 * static_cast<double>(ms);
	return 0;
}

/* Bytes a second. */
static int again_batch(struct member *member, void *arg, double *value)
{
	const struct again *again = static_cast<const struct again *>(arg);
	double one, five;
	(void)member;
	if (again_ns(again, 1, &one) || again_ns(again, 5, &five))
		return -1;
	*value = five > one ? 4e9 * again->bytes / (five - one) : NAN;
	return 0;
}

/* Two copies with many enough atomics on one word that they set the pace: what one more takes, and
 * what is left of the copy's time without them. */
static int measure_counted(struct sm_bench *sm, double copy_bytes_per_s)
{
	enum { FEW = 2, MANY = 4 /* a block */ };
	char *d_target = sm->d_region + sm->region_bytes / 2, *d_source = sm->d_region;
	uint32_t *d_count = reinterpret_cast<uint32_t *>(sm->d_results);
	const int blocks = static_cast<int>(sm->region_bytes / 2 / sizeof(uint4) / 256);
	const double bytes = static_cast<double>(sm->region_bytes);
	double ns[2], spread_ns[2];
	for (int k = 0; k < 2; k++) {
		int every = 256 / (k ? MANY : FEW);
		void *arguments[] = { &d_target, &d_source, &d_count, &every };
		struct again again = { sm, reinterpret_cast<const void *>(counted_copy), blocks,
				       arguments, bytes };
		struct measured rate;
		if (bench_measure(sm->bench, 1, "sm.atomic_beside_interval_ns", every, again_batch,
				  &again, &rate))
			return -1;
		ns[k] = 1e9 * bytes / rate.value;
		spread_ns[k] = ns[k] * rate.spread / rate.value;
	}
	const double interval_ns = (ns[1] - ns[0]) / (static_cast<double>(MANY - FEW) * blocks);
	const double copy_ns = 1e9 * bytes / copy_bytes_per_s,
		     share = fmin(fmax((ns[0] - interval_ns * FEW * blocks) / copy_ns, 0), 1);
	const struct measured interval = { interval_ns,
					   (spread_ns[0] + spread_ns[1]) /
						   (static_cast<double>(MANY - FEW) * blocks),
					   {},
					   0 };
	const struct measured busy = {
		share, (spread_ns[0] + interval.spread * FEW * blocks) / copy_ns, {}, 0
	};
	sm_emit(sm, "atomic_beside_interval_ns", &interval, 1,
		"copies as for dram_copy_bytes_per_s in which 2 and 4 threads of a block count on "
		"one word: difference of the two, an atomic");
	sm_emit(sm, "dram_slice_share", &busy, 1,
		"what the first of them takes beyond its atomics, of what a copy without any "
		"takes");
	return 0;
}

static int measure_copy(struct sm_bench *sm)
{
	char *d_target = sm->d_region + sm->region_bytes / 2, *d_source = sm->d_region;
	void *arguments[] = { &d_target, &d_source };
	const int wide_blocks = static_cast<int>(sm->region_bytes / 2 / sizeof(uint4) / 256);
	const double bytes = static_cast<double>(sm->region_bytes);
	struct again wide = { sm, reinterpret_cast<const void *>(plain_copy<uint4>), wide_blocks,
			      arguments, bytes };
	struct again narrow = { sm, reinterpret_cast<const void *>(plain_copy<uint2>),
				2 * wide_blocks, arguments, bytes };
	struct measured best, other;
	if (bench_measure(sm->bench, 1, "sm.dram_copy_bytes_per_s", 16, again_batch, &wide,
			  &best) ||
	    bench_measure(sm->bench, 1, "sm.dram_copy_bytes_per_s", 8, again_batch, &narrow,
			  &other))
		return -1;
	sm_emit(sm, "dram_copy_bytes_per_s", other.value > best.value ? &other : &best, 1,
		"a kernel that copies 2 GiB (or a half of what is free), blocks of 256 threads, 8 "
		"or 16 bytes each; five less one; the better");
	return measure_counted(sm, best.value);
}

static int measure_sweeps(struct sm_bench *sm)
{
	static const void *const kernels[SWEEP_READS_MOST] = {
		reinterpret_cast<const void *>(plain_sweep<1>),
		reinterpret_cast<const void *>(plain_sweep<2>),
		reinterpret_cast<const void *>(plain_sweep<3>)
	};
	const int blocks = static_cast<int>(sm->region_bytes / 4 /
					    (SWEEP_THREADS * SWEEP_EACH * sizeof(uint4)));
	size_t elements = static_cast<size_t>(blocks) * SWEEP_THREADS * SWEEP_EACH;
	uint32_t zero = 0;
	void *arguments[] = { &sm->d_region, &elements, &zero };
	struct measured rate[SWEEP_READS_MOST];
	double reads[SWEEP_READS_MOST];
	for (int k = 0; k < SWEEP_READS_MOST; k++) {
		struct again again = { sm, kernels[k], blocks, arguments,
				       (2.0 + k) * static_cast<double>(elements * sizeof(uint4)) };
		reads[k] = k + 1;
		if (bench_measure(sm->bench, 1, "sm.dram_update_bytes_per_s", reads[k], again_batch,
				  &again, &rate[k]))
			return -1;
	}
	bench_emit(sm->bench, "sm.dram_update_reads", reads, NULL, SWEEP_READS_MOST,
		   "arrays of 1 GiB (or a quarter of what is free) that a sweep reads, of which it "
		   "writes one in place");
	sm_emit(sm, "dram_update_bytes_per_s", rate, SWEEP_READS_MOST,
		"such a sweep: blocks of 256 threads, 32 bytes each of every array; five less one");
	return 0;
}

/* A request for one word holds up L2 as long as so many bytes of a stream would. */
static int measure_slots(struct sm_bench *sm, bool write, const struct measured *most)
{
	const char *name = write ? "l2_write_slot_bytes" : "l2_slot_bytes";
	const void *kernel = write ? reinterpret_cast<const void *>(flow_lines<true>)
				   : reinterpret_cast<const void *>(flow_lines<false>);
	struct flow flow = {
		sm, kernel, 2 * sm->multiprocessors, 1024, LINE_CHAINS, L2_SPAN, 0, 128, 1, false, 1
	};
	struct measured requests, slot;
	char *key = xprintf("sm.%s", name);
	int rc = flow_measure(flow, key, 0, &requests);
	free(key);
	if (rc)
		return -1;
	slot = requests;
	slot.value = most->value / requests.value;
	slot.spread = slot.value * (most->spread / most->value + requests.spread / requests.value);
	sm_emit(sm, name, &slot, 1,
		write ? "l2_write_bytes_per_s over the rate of stores of one word, each of a "
			"warp's in another line, 16 MiB, 2048 threads a multiprocessor"
		      : "l2_read_bytes_per_s over the rate of loads of one word, each of a warp's "
			"in another line, 16 MiB, 2048 threads a multiprocessor");
	return 0;
}

static int measure_writes(struct sm_bench *sm)
{
	const void *write = reinterpret_cast<const void *>(flow_write);
	double whole = static_cast<double>(sm->region_bytes);
	struct measured l2, dram;
	if (flow_measure(filling(sm, write, L2_SPAN, 1024.0 * MiB), "sm.l2_write_bytes_per_s", 0,
			 &l2) ||
	    flow_measure(filling(sm, write, sm->region_bytes, whole), "sm.dram_write_bytes_per_s",
			 0, &dram) ||
	    measure_slots(sm, true, &l2) || measure_copy(sm) || measure_sweeps(sm))
		return -1;
	sm_emit(sm, "l2_write_bytes_per_s", &l2, 1,
		"stores of 16 bytes over the same 16 MiB again and again, 2048 threads a "
		"multiprocessor");
	sm_emit(sm, "dram_write_bytes_per_s", &dram, 1,
		"the same over 4 GiB (or all that is free); L2 is as full of them before as after");
	return 0;
}

/* One multiprocessor alone is held up by how many misses it can have, not by what all share. */
static int measure_one(struct sm_bench *sm, double dram_latency_ns)
{
	struct measured miss = {}, measured;
	for (int chains = 1; chains <= 8; chains *= 2) {
		struct flow flow = { sm,
				     reader(chains, true),
				     1,
				     1024,
				     chains,
				     sm->region_bytes,
				     0,
				     2000.0 / chains,
				     16,
				     true,
				     1e9 / dram_latency_ns };
		if (flow_measure(flow, "sm.l1_miss_bytes", chains, &measured))
			return -1;
		miss = measured.value > miss.value ? measured : miss;
	}
	sm_emit(sm, "l1_miss_bytes", &miss, 1,
		"one multiprocessor reading memory through L1, 1024 threads with 1 to 8 chains: "
		"best rate times the latency of a chain of such loads "
		"(Little)");
	return 0;
}

/* Few loads in flight, all from memory, a store behind each: what one takes. */
static int measure_far(struct sm_bench *sm, double *all_in_dram_ns)
{
	struct flow flow = reading(sm, sm->region_bytes, 256, 1);
	struct measured rate;
	flow.kernel = reinterpret_cast<const void *>(flow_copy);
	flow.bytes_each = 32;
	flow.moving = true;
	flow.least_bytes = 256.0 * MiB;
	flow.least_rounds = 1;
	if (flow_measure(flow, "sm.l1_miss_bytes", 0, &rate))
		return -1;
	*all_in_dram_ns = 1e9 * 256 * 32 * sm->multiprocessors / rate.value;
	return 0;
}

static int measure_atomics(struct sm_bench *sm)
{
	struct flow same = { sm,
			     reinterpret_cast<const void *>(flow_atomic<true>),
			     sm->multiprocessors,
			     1024,
			     1,
			     L2_SPAN,
			     0,
			     64,
			     1.0 / 32,
			     false,
			     1 };
	struct flow apart = { sm,
			      reinterpret_cast<const void *>(flow_atomic<false>),
			      2 * sm->multiprocessors,
			      1024,
			      1,
			      L2_SPAN,
			      0,
			      64,
			      1,
			      false,
			      1 };
	struct measured interval, rate;
	if (flow_measure(same, "sm.atomic_same_interval_ns", 0, &interval) ||
	    flow_measure(apart, "sm.atomic_rate_per_s", 0, &rate))
		return -1;
	interval.spread = 1e9 * interval.spread / interval.value / interval.value;
	interval.value = 1e9 / interval.value;
	sm_emit(sm, "atomic_same_interval_ns", &interval, 1,
		"RED.ADD of one lane a warp on one word, 32 warps on every multiprocessor");
	sm_emit(sm, "atomic_rate_per_s", &rate, 1,
		"RED.ADD of every thread on a sector of its own in 16 MiB, 2048 threads a "
		"multiprocessor");
	return 0;
}

/* Something else than zeros everywhere: memory must not find it easy. */
static int fill(struct sm_bench *sm)
{
	double rate;
	struct flow flow = filling(sm, reinterpret_cast<const void *>(flow_write), sm->region_bytes,
				   static_cast<double>(sm->region_bytes));
	return flow_once(&flow, &rate);
}

int calibrate_sm_flow(struct sm_bench *sm)
{
	double dram_latency_ns = 0;
	struct measured l2_read, dram_read;
	bench_progress(sm->bench, "sm rates");
	return fill(sm) || measure_far(sm, &dram_latency_ns) ||
			       measure_curve(sm, "l2", L2_SPAN, "16 MiB in L2", &l2_read) ||
			       measure_curve(sm, "dram", sm->region_bytes,
					     "4 GiB (or all that is free)", &dram_read) ||
			       measure_slots(sm, false, &l2_read) || measure_writes(sm) ||
			       measure_one(sm, dram_latency_ns) || measure_atomics(sm)
		       ? -1
		       : 0;
}
