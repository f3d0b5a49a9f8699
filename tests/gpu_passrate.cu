/* SPDX-License-Identifier: MIT
 * How fast passes of several iterations are, and which variants of them should ship.
 *
 * For each grid: time of an iteration, updates a second, and the rate by the bytes that a pass must
 * move (each point read and written once) over that of the best 16-byte copy kernel of the same
 * run. Every grid must be what the thesis' kernel makes of the same values, bit for bit.
 *
 *     gpu_passrate                the shipped kernels at 16384 and 32768: fused must reach 0.95 of
 *                                 the copy rate, the best of the others 3 times its updates
 *     gpu_passrate all|SIZE...    all variants with several lengths of chunks, on a set of squares
 *                                 or those named
 */
#include <algorithm>
#include <iterator>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>

#include "kernels/rbsor/rbsor_paper.cu"
#include "kernels/rbsor/rbsor_temporal.cu"
#include "rbsor_grids.cuh"

/* ---- variants ---- */

template <typename T, int LANES, int DEPTH, int ROWS, int BLOCKS>
__global__ void __launch_bounds__(32 * PASS_TILES, BLOCKS)
	variant_kernel(const struct rbsor_pass pass, int rows)
{
	rbsor_run_pass<T, LANES, DEPTH, ROWS>(pass, rows);
}

/* Not streaming, ROWS rows a warp. */
template <typename T, int LANES, int ROWS, int WARPS, int BLOCKS, bool APART>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
	once_kernel(const struct rbsor_pass pass, int rows)
{
	const int begin = pass.row_begin + (int)blockIdx.y * rows;
	rbsor_tile<T, LANES, 1, ROWS + 1> tile;

	tile.pass = &pass;
	tile.template run_once<APART>((int)blockIdx.x, begin - ((pass.first + begin) & 1));
}

struct variant {
	bool f64, apart; /* apart: stores that the L2 cache shall not keep */
	int once;	 /* not streaming: warps a block, `rows` each; 0: streaming */
	int depth, lanes, rows, columns; /* columns: that a tile stores */
	void (*kernel)(const struct rbsor_pass, int rows);
};

#define STREAM(T, lanes, depth, rows, blocks)                                                      \
	{                                                                                          \
		sizeof(T) == 8, false, 0, depth, lanes, rows,                                      \
			rbsor_tile_columns<T, lanes, depth>(),                                     \
			variant_kernel<T, lanes, depth, rows, blocks>                              \
	}
#define F(lanes, depth, rows, blocks) STREAM(float, lanes, depth, rows, blocks)
#define D(lanes, depth, rows, blocks) STREAM(double, lanes, depth, rows, blocks)
#define AT_ONCE(T, lanes, rows, warps, blocks, apart)                                              \
	{                                                                                          \
		sizeof(T) == 8, apart, warps, 1, lanes, rows, rbsor_tile_columns<T, lanes, 1>(),   \
			once_kernel<T, lanes, rows, warps, blocks, apart>                          \
	}
#define BOTH(T, lanes, rows, warps, blocks)                                                        \
	AT_ONCE(T, lanes, rows, warps, blocks, false), AT_ONCE(T, lanes, rows, warps, blocks, true)

static const struct variant variants[] = {
	BOTH(float, 4, 4, 4, 10),
	BOTH(float, 4, 2, 8, 6),
	BOTH(float, 4, 12, 4, 4),
	F(4, 1, 8, 4),
	F(8, 6, 2, 2),
	F(8, 6, 2, 3),
	F(8, 8, 2, 2),
	BOTH(double, 2, 4, 4, 10),
	BOTH(double, 2, 2, 8, 6),
	BOTH(double, 4, 4, 4, 5),
	D(2, 1, 2, 8),
	D(4, 6, 4, 2),
	D(4, 6, 2, 3),
};

/* ---- grids ---- */

struct bench : rbsor_grids {
	double copy_rate;
};

static unsigned long long differing(const struct bench *b, const void *d_grid)
{
	unsigned long long count = 0;

	TRY(cudaMemset(b->d_differing, 0, sizeof(count)));
	differ_kernel<<<1024, 256>>>((const uint32_t *)d_grid, (const uint32_t *)b->d_expected,
				     b->bytes / 4, b->d_differing);
	TRY(cudaMemcpy(&count, b->d_differing, sizeof(count), cudaMemcpyDeviceToHost));
	return count;
}

static double words_moved(const struct bench *b)
{
	return 2.0 * b->size * (double)b->size * (b->f64 ? 8 : 4);
}

/* Two passes where `expected` is what they shall give, then the time of an iteration; adds the
 * words that differ. */
template <typename Launch>
static double measure(const struct bench *b, int depth, bool expected, unsigned long long *wrong,
		      Launch launch)
{
	struct rbsor_pass pass = {
		b->d_grid[0], b->d_grid[1], b->pitch, b->size, b->size, 1, b->size - 1, 0,
		depth,	      b->omega
	};
	auto once = [&] {
		void *last = pass.to;

		TRY((cudaError_t)launch(pass));
		pass.to = (void *)(uintptr_t)pass.from;
		pass.from = last;
	};

	if (expected) {
		fill(b, b->d_grid[0]);
		fill(b, b->d_grid[1]);
		once();
		once();
		*wrong += differing(b, b->d_grid[0]);
	}
	return median_us((int)std::max(2.0, 2e3 / (6 + words_moved(b) / 3e6)), once) / depth;
}

static void print(const struct bench *b, int depth, const char *name, double us,
		  unsigned long long wrong, const char *more)
{
	printf("%s\t%d\tdepth %d\t%s\t%.2f us/it\t%.1f Gupdates/s\tratio %.3f%s\t%s\n",
	       b->f64 ? "f64" : "f32", b->size, depth, name, us,
	       (double)b->size * b->size / us * 1e-3,
	       words_moved(b) / (us * depth) * 1e6 / b->copy_rate, wrong ? "\tWRONG" : "", more);
	fflush(stdout);
}

/* Several lengths of chunks; prints the best, and all behind it. */
static void measure_variant(const struct bench *b, const struct variant *v,
			    unsigned long long *wrong)
{
	static const double waves[] = { 0.5, 1, 2, 3, 4, 8 };
	const unsigned long long before = *wrong;
	const int tiles = (b->size + v->columns - 1) / v->columns,
		  across = v->once ? tiles : (tiles + PASS_TILES - 1) / PASS_TILES;
	char name[80];
	double best = 0;
	int best_rows = 0, resident = 0, last = 0;
	std::string all;

	const int warps = v->once ? v->once : PASS_TILES;

	TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, v->kernel, 32 * warps, 0));
	for (double wave : waves) {
		const int down = std::max(1, (int)(wave * 132 * resident / across));
		int rows = v->once ? warps * v->rows : (b->size - 2 + down - 1) / down;
		const auto launch = [&](struct rbsor_pass pass) {
			void *arguments[] = { &pass, &rows };

			/* + 1: those that do not stream may begin a row early */
			return cudaLaunchKernel(
				(const void *)v->kernel,
				dim3((unsigned)across, (unsigned)((b->size - 1 + rows - 1) / rows)),
				dim3(32 * (unsigned)warps), arguments, 0, 0);
		};

		if (rows == last || rows < 8)
			continue;
		const double us = measure(b, v->depth, !last, wrong, launch);
		last = rows;
		snprintf(name, sizeof(name), " %g:%d:%.2f", wave, rows, us);
		all += name;
		if (best == 0 || us < best) {
			best = us;
			best_rows = rows;
		}
	}
	snprintf(name, sizeof(name), "lanes %d rows %d warps %d blocks %d%s%s chunk %d", v->lanes,
		 v->rows, warps, resident, v->once ? " once" : "", v->apart ? " apart" : "",
		 best_rows);
	print(b, v->depth, name, best, *wrong - before, all.c_str());
}

/* The kernels of the library; false: too slow. */
static bool measure_shipped(const struct bench *b, unsigned long long *wrong)
{
	double fused = 0, best = 0;

	for (int k = b->f64; rbsor_temporal_kernels[k].name; k += 2) {
		static const int depths[] = {
#define PASS(name, depth, ...) depth,
#include "kernels/rbsor/rbsor_passes.def"
#undef PASS
		};
		const int depth = depths[k / 2];
		const unsigned long long before = *wrong;

		expect(b, 2 * depth);
		const double us =
			measure(b, depth, true, wrong, [&](const struct rbsor_pass &pass) {
				return rbsor_temporal_kernels[k].launch(&pass, 0);
			});
		print(b, depth, rbsor_temporal_kernels[k].name, us, *wrong - before, "");
		fused = depth == 1 ? us : fused;
		best = depth == 1 || us < best ? us : best;
	}
	return words_moved(b) / fused * 1e6 >= 0.95 * b->copy_rate && fused >= 3 * best;
}

static void bench_make(struct bench *b, int size, bool f64, double copy_rate)
{
	*b = bench();
	grids_make(b, size, f64, 128);
	b->copy_rate = copy_rate;
}

int main(int argc, char **argv)
{
	static const char *const squares[] = { "16384", "32768", "8192", "4096", "2048", "1024" };
	const bool named = argc > 1 && strcmp(argv[1], "all");
	const char *const *sizes = named ? (const char *const *)argv + 1 : squares;
	const int count = named ? argc - 1 : argc > 1 ? (int)std::size(squares) : 2;
	const double copy_rate = best_copy_rate();
	unsigned long long wrong = 0;
	bool fast = true;

	for (int i = 0; i < count; i++)
		for (int f64 = 0; f64 < 2; f64++) {
			struct bench b;
			int depth = 0;

			if (atoi(sizes[i]) < 3) {
				fprintf(stderr, "gpu_passrate: '%s' is not a size of at least 3\n",
					sizes[i]);
				return 2;
			}
			bench_make(&b, atoi(sizes[i]), f64, copy_rate);
			fast &= measure_shipped(&b, &wrong) || argc > 1;
			for (const struct variant &v : variants) {
				if (v.f64 != b.f64 || argc < 2)
					continue;
				if (v.depth != depth)
					expect(&b, 2 * v.depth);
				depth = v.depth;
				measure_variant(&b, &v, &wrong);
			}
			grids_release(&b);
		}
	printf("%s\n",
	       wrong   ? "BAD: grids differ from those of the thesis' kernel"
	       : !fast ? "BAD: fused below 0.95 of the copy rate, or passes below 3 times fused"
		       : "ok");
	return wrong || !fast;
}
