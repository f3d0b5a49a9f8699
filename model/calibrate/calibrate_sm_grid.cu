/* SPDX-License-Identifier: MIT
 * [sm] what a grid costs beyond its blocks' work: launch, handing out blocks, replacing them, the
 * end. Kernels of one graph follow each other without the host, so the difference of two lengths of
 * graph is a kernel's period.
 */
#include <math.h>
#include <stdlib.h>

#include "calibrate_sm.h"

enum { SHORT_GRAPH = 20, LONG_GRAPH = 120 };

static __global__ void grid_empty(uint64_t *d_results)
{
	if (gridDim.y == 77) /* never */
		d_results[0] = 1;
}

/* [b] of block b: cycles for words of so many lines of its parameters, each looked at when the one
 * before is known. */
enum { LINE_WORDS = 16, LINES_MOST = 4 };
struct grid_parameters {
	uint64_t *d_results;
	uint32_t never[LINE_WORDS * LINES_MOST];
};
template <int LINES>
static __global__ void grid_lines(const __grid_constant__ struct grid_parameters parameters)
{
	long long begun = clock64();
#pragma unroll
	for (int k = 0; k < LINES; k++)
		if (parameters.never[LINE_WORDS * k])
			asm volatile("trap;");
	long long ended = clock64();
	if (threadIdx.x == 0)
		parameters.d_results[blockIdx.x] = static_cast<uint64_t>(ended - begun);
}

/* [3b ...] of block b: multiprocessor, first clock, last clock. Blocks end at different times, so
 * that a place has one successor. */
static __global__ void grid_places(uint64_t *d_results, int cycles)
{
	uint32_t multiprocessor;
	long long begun = clock64();
	asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
	long long until =
		begun + cycles + (blockIdx.x * 2654435761u >> 18) % static_cast<unsigned>(cycles);
	while (clock64() < until)
		;
	if (threadIdx.x == 0) {
		d_results[3 * blockIdx.x] = multiprocessor;
		d_results[3 * blockIdx.x + 1] = static_cast<uint64_t>(begun);
		d_results[3 * blockIdx.x + 2] = static_cast<uint64_t>(clock64());
	}
}

/*
 * What a program's sweep over an array does: blocks that read their part of it and write it back,
 * and are gone; APART: write it to an array of the same size behind, so that what is read nobody
 * writes. 8 KiB a block of 256.
 */
enum { UPDATE_THREADS = 256, UPDATE_EACH = 2, UPDATE_BYTES = UPDATE_THREADS * UPDATE_EACH * 16 };
template <bool APART>
static __global__ void __launch_bounds__(UPDATE_THREADS) grid_update(uint4 *d_array, uint32_t zero)
{
	uint4 *d_from = d_array + static_cast<size_t>(blockIdx.x) * UPDATE_THREADS * UPDATE_EACH +
			threadIdx.x,
	      value[UPDATE_EACH];
	uint4 *d_to = d_from +
		      (APART ? static_cast<size_t>(gridDim.x) * UPDATE_THREADS * UPDATE_EACH : 0);
#pragma unroll
	for (int k = 0; k < UPDATE_EACH; k++)
		value[k] = d_from[k * UPDATE_THREADS];
#pragma unroll
	for (int k = 0; k < UPDATE_EACH; k++) {
		value[k].x ^= zero;
		d_to[k * UPDATE_THREADS] = value[k];
	}
}

struct grid {
	struct sm_bench *sm;
	const void *kernel;
	int blocks, threads;
	int cycles;	  /* of grid_places */
	void *d_first;	  /* the kernel's first argument */
	bool first;	  /* of grid_places: how the first places are taken */
	void **arguments; /* NULL: d_first and a zero */
};

/* A graph of n kernels one after the other, timed by events around one launch of it, after one to
 * warm up. */
static int graph_ns(struct grid *grid, int n, double *ns)
{
	struct sm_bench *sm = grid->sm;
	struct gpu_kit *kit = &sm->bench->kit[0];
	cudaStream_t stream = kit->stream[0];
	cudaGraph_t graph = NULL;
	cudaGraphExec_t executable = NULL;
	uint32_t zero = 0;
	float ms = 0;
	CUDA_TRY(sm->bench, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	int rc = 0;
	for (int k = 0; k < n && !rc; k++) {
		void *usual[] = { &grid->d_first, &zero };
		rc = sm_launch(sm, grid->kernel, grid->blocks, grid->threads,
			       grid->arguments ? grid->arguments : usual);
	}
	if (cuda_check(sm->bench, cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture") ||
	    rc)
		return -1;
	rc = cuda_check(sm->bench, cudaGraphInstantiate(&executable, graph, 0),
			"cudaGraphInstantiate");
	for (int time = 0; time < 2 && !rc; time++)
		rc = cuda_check(sm->bench, cudaEventRecord(kit->begin[0], stream),
				"cudaEventRecord") ||
		     cuda_check(sm->bench, cudaGraphLaunch(executable, stream),
				"cudaGraphLaunch") ||
		     cuda_check(sm->bench, cudaEventRecord(kit->end[0], stream),
				"cudaEventRecord") ||
		     cuda_check(sm->bench, cudaStreamSynchronize(stream), "cudaStreamSynchronize");
	if (!rc)
		rc = cuda_check(sm->bench, cudaEventElapsedTime(&ms, kit->begin[0], kit->end[0]),
				"cudaEventElapsedTime");
	if (executable)
		cudaGraphExecDestroy(executable);
	cudaGraphDestroy(graph);
	*ns = 1e6 * static_cast<double>(ms);
	return rc ? -1 : 0;
}

static int period_batch(struct member *member, void *arg, double *value)
{
	struct grid *grid = static_cast<struct grid *>(arg);
	double few, many;
	(void)member;
	if (graph_ns(grid, SHORT_GRAPH, &few) || graph_ns(grid, LONG_GRAPH, &many))
		return -1;
	*value = (many - few) / (LONG_GRAPH - SHORT_GRAPH);
	return 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *static_cast<const uint64_t *>(a), y = *static_cast<const uint64_t *>(b);
	return x < y ? -1 : x > y;
}

/* The k-th end on a multiprocessor frees the place that the k-th block after the first `slots`
 * takes: median of the gaps. */
static double gap_of(const uint64_t *results, int blocks, int multiprocessors, int slots)
{
	size_t room = static_cast<size_t>(blocks), gaps = 0;
	uint64_t *begin = static_cast<uint64_t *>(xmalloc(room * sizeof(*begin))),
		 *end = static_cast<uint64_t *>(xmalloc(room * sizeof(*end)));
	double *gap = static_cast<double *>(xmalloc(room * sizeof(*gap)));
	for (int m = 0; m < multiprocessors; m++) {
		size_t here = 0;
		for (int b = 0; b < blocks; b++)
			if (results[3 * b] == static_cast<uint64_t>(m)) {
				begin[here] = results[3 * b + 1];
				end[here++] = results[3 * b + 2];
			}
		qsort(begin, here, sizeof(*begin), compare);
		qsort(end, here, sizeof(*end), compare);
		for (size_t k = 0; k + static_cast<size_t>(slots) < here; k++)
			gap[gaps++] = static_cast<double>(begin[k + static_cast<size_t>(slots)]) -
				      static_cast<double>(end[k]);
	}
	double median = gaps ? median_of(gap, gaps) : NAN;
	free(begin), free(end), free(gap);
	return median;
}

/* From the first block of a multiprocessor to the last that it has a place for, per block: median
 * over the multiprocessors. */
static double fill_of(const uint64_t *results, int blocks, int multiprocessors, int slots)
{
	double *interval = static_cast<double *>(
		xmalloc(static_cast<size_t>(multiprocessors) * sizeof(*interval)));
	uint64_t *begin =
		static_cast<uint64_t *>(xmalloc(static_cast<size_t>(blocks) * sizeof(*begin)));
	size_t count = 0;
	for (int m = 0; m < multiprocessors; m++) {
		int here = 0;
		for (int b = 0; b < blocks; b++)
			if (results[3 * b] == static_cast<uint64_t>(m))
				begin[here++] = results[3 * b + 1];
		qsort(begin, static_cast<size_t>(here), sizeof(*begin), compare);
		if (here >= slots && slots > 1)
			interval[count++] =
				static_cast<double>(begin[slots - 1] - begin[0]) / (slots - 1);
	}
	double median = count ? median_of(interval, count) : NAN;
	free(begin), free(interval);
	return median;
}

static int start_batch(struct member *member, void *arg, double *value)
{
	struct grid *grid = static_cast<struct grid *>(arg);
	struct sm_bench *sm = grid->sm;
	int slots = 0;
	(void)member;
	CUDA_TRY(sm->bench, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&slots, grid_places,
									  grid->threads, 0));
	grid->blocks = 6 * slots * sm->multiprocessors;
	size_t words = 3 * static_cast<size_t>(grid->blocks);
	if (words > RESULT_WORDS)
		return report("calibrate: sm.block_start_cycles: %d blocks are too many",
			      grid->blocks);
	uint64_t *results = static_cast<uint64_t *>(xmalloc(words * sizeof(*results)));
	void *arguments[] = { &sm->d_results, &grid->cycles };
	int rc = sm_launch(sm, grid->kernel, grid->blocks, grid->threads, arguments) ||
				 sm_results(sm, results, words)
			 ? -1
			 : 0;
	if (!rc)
		*value = (grid->first ? fill_of : gap_of)(results, grid->blocks,
							  sm->multiprocessors, slots);
	free(results);
	return rc;
}

static int period(struct sm_bench *sm, const char *key, const void *kernel, int blocks,
		  struct measured *out)
{
	struct grid grid = { sm, kernel, blocks, 32, 0, sm->d_results, false, NULL };
	return bench_measure(sm->bench, 1, key, blocks, period_batch, &grid, out);
}

/* Blocks of one warp that do nothing. Up to a place for each, handing them out is all there is;
 * beyond, places must come free. */
static int measure_dispatch(struct sm_bench *sm)
{
	static const int per_sm[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256 };
	enum { COUNT = sizeof(per_sm) / sizeof(per_sm[0]), FIRST = 2, LAST = 4 };
	struct measured measured[COUNT + 1], slope;
	double blocks[COUNT + 1];
	for (int i = 0; i <= COUNT; i++) {
		int count = i ? per_sm[i - 1] * sm->multiprocessors : 1;
		blocks[i] = count;
		if (period(sm, "sm.grid_period_ns", reinterpret_cast<const void *>(grid_empty),
			   count, &measured[i]))
			return -1;
	}
	sm_emit(sm, "launch_period_ns", &measured[0], 1,
		"empty kernel of one block of one warp: a graph of 120 less one of 20");
	bench_emit(sm->bench, "sm.grid_blocks", blocks, NULL, COUNT + 1, "blocks of such a kernel");
	sm_emit(sm, "grid_period_ns", measured, COUNT + 1, "its period, by blocks");
	/* From two to sixteen blocks a multiprocessor: the last count at which nobody waits for a
	 * place on any device. */
	slope.value = (measured[LAST + 1].value - measured[FIRST].value) /
		      (blocks[LAST + 1] - blocks[FIRST]);
	slope.spread = (measured[LAST + 1].spread + measured[FIRST].spread) /
		       (blocks[LAST + 1] - blocks[FIRST]);
	sm_emit(sm, "block_dispatch_ns", &slope, 1,
		"grid_period_ns from 2 to 16 blocks a multiprocessor, per block");
	return 0;
}

/* What three further lines take the warp of a typical multiprocessor, in the last of launches that
 * follow each other: after a pause all are quicker. */
static int lines_batch(struct member *member, void *arg, double *value)
{
	struct grid *grid = static_cast<struct grid *>(arg), launch = *grid;
	struct grid_parameters parameters = { grid->sm->d_results, {} };
	void *arguments[] = { &parameters };
	static const void *const kernels[] = { reinterpret_cast<const void *>(grid_lines<1>),
					       reinterpret_cast<const void *>(
						       grid_lines<LINES_MOST>) };
	const size_t count = static_cast<size_t>(grid->blocks);
	uint64_t *results = static_cast<uint64_t *>(xmalloc(count * sizeof(*results)));
	double median[2], ns;
	int rc = 0;
	(void)member;
	launch.arguments = arguments;
	for (int k = 0; k < 2 && !rc; k++) {
		launch.kernel = kernels[k];
		rc = graph_ns(&launch, SHORT_GRAPH, &ns) || sm_results(grid->sm, results, count)
			     ? -1
			     : 0;
		qsort(results, count, sizeof(*results), compare);
		median[k] = static_cast<double>(results[count / 2]);
	}
	free(results);
	*value = rc ? 0 : fmax(median[1] - median[0], 0) / (LINES_MOST - 1);
	return rc;
}

static int measure_cold(struct sm_bench *sm)
{
	struct grid all = { sm, NULL, sm->multiprocessors, 32, 0, NULL, false, NULL }, one = all;
	struct measured together, alone;
	one.blocks = 1;
	if (bench_measure(sm->bench, 1, "sm.constant_cold_cycles", all.blocks, lines_batch, &all,
			  &together) ||
	    bench_measure(sm->bench, 1, "sm.constant_alone_cycles", 1, lines_batch, &one, &alone))
		return -1;
	sm_emit(sm, "constant_cold_cycles", &together, 1,
		"one warp a multiprocessor reads parameters 64 bytes apart, each when the one "
		"before is known: four less one, a third; median of all");
	sm_emit(sm, "constant_alone_cycles", &alone, 1, "the same of one warp on the whole device");
	return 0;
}

static int measure_start(struct sm_bench *sm)
{
	struct grid places = { sm,    reinterpret_cast<const void *>(grid_places),
			       0,     256,
			       10000, sm->d_results,
			       false, NULL };
	struct measured start, fill, none = {};
	struct grid first = places;
	first.first = true;
	if (bench_measure(sm->bench, 1, "sm.block_start_cycles", 0, start_batch, &places, &start) ||
	    bench_measure(sm->bench, 1, "sm.block_fill_cycles", 0, start_batch, &first, &fill))
		return -1;
	/* The end of a kernel could not be told apart from the end of its blocks. */
	sm_emit(sm, "drain_ns", &none, 1,
		"not measured apart: launch_ns has the end of an empty kernel, the model plays "
		"what a kernel sends last");
	sm_emit(sm, "block_fill_cycles", &fill, 1,
		"the same blocks: first clock of the first on a multiprocessor to that of the last "
		"that had a place, per block");
	sm_emit(sm, "block_start_cycles", &start, 1,
		"a full device of blocks of 256 threads that spin 10000 to 20000 cycles: last "
		"clock of the k-th to end on a multiprocessor to first "
		"clock of the k-th that had to wait; median");
	return 0;
}

/*
 * Arrays of two sizes, which stay in L2: the difference is their bytes alone. Both in a batch, in
 * the same place: periods grow a little now and then in the life of a process, and what they have
 * in common must not differ. What is updated in place has more blocks than there are places in
 * either size, or each block would find its place of the launch before, and its bytes in the near
 * half of L2.
 */
static const double NEAR_SHARE =
	0.4; /* of L2: beyond, rates begin to fall long before bytes are lost */
struct update {
	struct sm_bench *sm;
	const void *kernel;
	double from, to; /* shares of L2 that the two arrays have */
};

static int update_batch(struct member *member, void *arg, double *value)
{
	const struct update *update = static_cast<const struct update *>(arg);
	struct grid grid = { update->sm, update->kernel, 0, UPDATE_THREADS, 0, NULL, false, NULL };
	double small, large;
	int l2_bytes, blocks;
	CUDA_TRY(update->sm->bench, cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
	blocks = static_cast<int>(update->to * l2_bytes / UPDATE_BYTES);
	grid.blocks = static_cast<int>(update->from * l2_bytes / UPDATE_BYTES);
	double bytes = 2.0 * (blocks - grid.blocks) * UPDATE_BYTES;
	grid.d_first = grid.sm->d_region + grid.sm->turn++ * (static_cast<uint64_t>(1337) << 16) %
						   (grid.sm->region_bytes / 2);
	if (period_batch(member, &grid, &small))
		return -1;
	grid.blocks = blocks;
	if (period_batch(member, &grid, &large))
		return -1;
	*value = large > small ? 1e9 * bytes / (large - small) : NAN;
	return 0;
}

static int measure_updates(struct sm_bench *sm)
{
	static const struct {
		const char *name, *how;
		struct update update;
	} cases[] = {
		{ "l2_copy_bytes_per_s",
		  "a kernel that copies an array of a fifth of L2, 32 bytes a thread, 256 threads "
		  "a block: period less that with half the array; another one each batch",
		  { NULL, reinterpret_cast<const void *>(grid_update<true>), 0.1, 0.2 } },
		{ "l2_updated_copy_bytes_per_s",
		  "the same that reads and writes back an array of two fifths of L2",
		  { NULL, reinterpret_cast<const void *>(grid_update<false>), 0.2, NEAR_SHARE } },
		{ "l2_wide_copy_bytes_per_s",
		  "the same with an array of 8 fifteenths of L2, less that with two fifths",
		  { NULL, reinterpret_cast<const void *>(grid_update<false>), NEAR_SHARE,
		    8.0 / 15 } },
	};
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct update update = cases[k].update;
		struct measured rate;
		char *key = xprintf("sm.%s", cases[k].name);
		update.sm = sm;
		int rc = bench_measure(sm->bench, 1, key, 1, update_batch, &update, &rate);
		free(key);
		if (rc)
			return -1;
		sm_emit(sm, cases[k].name, &rate, 1, cases[k].how);
	}
	int l2_bytes;
	CUDA_TRY(sm->bench, cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
	const double near_bytes = NEAR_SHARE * l2_bytes;
	bench_emit(sm->bench, "sm.l2_near_bytes", &near_bytes, NULL, 1, "two fifths of L2");
	return 0;
}

int calibrate_sm_grid(struct sm_bench *sm)
{
	bench_progress(sm->bench, "sm grids");
	return measure_dispatch(sm) || measure_cold(sm) || measure_start(sm) || measure_updates(sm)
		       ? -1
		       : 0;
}
