/* SPDX-License-Identifier: MIT
 * How fast kernels persistent and resident are, and which variant of them should ship.
 *
 * For each grid: time of an iteration in launches of 100 and of 1000 iterations, and what of it
 * arithmetic and exchanges take, by launches of a few iterations. Every result must be what the
 * thesis' kernel makes of the same values, bit for bit.
 *
 *     gpu_looprate                1024 x 1024 in f32 by the shipped kernels: at most 1.0 us
 *     gpu_looprate all|SIZE...    all variants, on a set of squares or those named
 */
#include <iterator>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/rbsor/rbsor_paper.cu"
#include "kernels/rbsor/rbsor_persistent.cu"
#include "rbsor_grids.cuh"

/* ---- variants ---- */

template <typename T, int ROWS, int DEPTH, rbsor_exchange EXCHANGE, int WARPS>
__global__ void __launch_bounds__(32 * WARPS, 1) variant_kernel(const struct rbsor_loop loop)
{
	rbsor_persistent<T, ROWS, DEPTH, EXCHANGE, WARPS>(loop);
}

static const char *const exchange_names[] = { "flags", "lines", "warps" };

struct variant {
	bool f64;
	enum rbsor_exchange exchange;
	int rows, depth, warps;
	void (*kernel)(const struct rbsor_loop);
};

#define VARIANT(T, rows, depth, exchange, warps)                                                   \
	{                                                                                          \
		sizeof(T) == 8, exchange, rows, depth, warps,                                      \
			variant_kernel<T, rows, depth, exchange, warps>                            \
	}
#define ALL(exchange)                                                                              \
	VARIANT(float, 12, 4, exchange, 8), VARIANT(float, 8, 4, exchange, 12),                    \
		VARIANT(float, 6, 4, exchange, 16), VARIANT(double, 12, 4, exchange, 8)

static const struct variant variants[] = {
	ALL(EXCHANGE_LINES),
	ALL(EXCHANGE_WARPS),
	VARIANT(float, 14, 6, EXCHANGE_WARPS, 8),
};

/* ---- grids ---- */

enum { FLAGS_MOST = 132 * 16 * 128 }; /* a line a warp */

struct bench : rbsor_grids {
	void *d_flags;
};

static unsigned long long differing(const struct bench *b, const void *d_grid)
{
	const size_t width = (size_t)b->size * (b->f64 ? 8 : 4), pitch = b->bytes / (size_t)b->size;
	unsigned long long count = 0;

	TRY(cudaMemset(b->d_differing, 0, sizeof(count)));
	for (int row = 0; row < b->size; row++) /* what lies beyond the columns is not defined */
		differ_kernel<<<4, 256>>>(
			(const uint32_t *)((const char *)d_grid + row * pitch),
			(const uint32_t *)((const char *)b->d_expected + row * pitch), width / 4,
			b->d_differing);
	TRY(cudaMemcpy(&count, b->d_differing, sizeof(count), cudaMemcpyDeviceToHost));
	return count;
}

/* Iterations of the checked launch, and of those that are timed. */
static const int checked[] = { 1, 4, 9, 100 }, timed[] = { 1, 2, 4, 8, 12, 16, 100, 1000 };

/* Prints a row; microseconds an iteration in launches of 1000. */
template <typename Launch>
static double measure(const struct bench *b, const char *name, int depth, bool *wrong,
		      Launch launch)
{
	struct rbsor_loop loop = { { b->d_grid[0], b->d_grid[1] },
				   b->d_flags,
				   NULL,
				   b->pitch,
				   b->size,
				   b->size,
				   0,
				   b->omega };
	double us[std::size(timed)];
	bool good = true;

	for (int iterations : checked) {
		expect(b, iterations);
		fill(b, b->d_grid[0]);
		TRY(cudaMemset(b->d_grid[1], 0xff, b->bytes));
		loop.iterations = iterations;
		TRY((cudaError_t)launch(loop));
		good &= !differing(b, b->d_grid[((iterations - 1) / depth + 1) & 1]);
	}
	fill(b, b->d_grid[0]);
	for (size_t k = 0; k < std::size(timed); k++) {
		loop.iterations = timed[k];
		us[k] = median_us(timed[k] < 1000 ? 20 : 4,
				  [&] { TRY((cudaError_t)launch(loop)); });
	}
	printf("%s\t%d\t%s\t%.3f us/it of 1000\t%.3f of 100\tlaunches of", b->f64 ? "f64" : "f32",
	       b->size, name, us[7] / 1000, us[6] / 100);
	for (size_t k = 0; k < std::size(timed); k++)
		printf(" %d:%.2f", timed[k], us[k]);
	printf(" us%s\n", good ? "" : "\tWRONG");
	fflush(stdout);
	*wrong |= !good;
	return us[7] / 1000;
}

static void measure_variant(const struct bench *b, const struct variant *v, bool *wrong)
{
	const int own_rows = v->warps * v->rows - 4 * v->depth,
		  own_columns = PERSISTENT_COLUMNS - 4 * v->depth;
	const int blocks =
		((b->size + own_columns - 1) / own_columns) * ((b->size + own_rows - 1) / own_rows);
	char name[80];

	if (blocks > 132)
		return;
	snprintf(name, sizeof(name), "%d warps of %d rows depth %d %s blocks %d", v->warps, v->rows,
		 v->depth, exchange_names[v->exchange], blocks);
	TRY(cudaMemset(b->d_flags, 0, FLAGS_MOST));
	measure(b, name, v->depth, wrong, [&](const struct rbsor_loop &loop) {
		void *arguments[] = { (void *)&loop };

		return cudaLaunchCooperativeKernel((const void *)v->kernel, dim3((unsigned)blocks),
						   dim3(32 * (unsigned)v->warps), arguments, 0, 0);
	});
}

static double measure_shipped(const struct bench *b, bool resident, bool *wrong)
{
	const struct rbsor_persistent_kernel *kernel = rbsor_persistent_kernel_of(b->size, b->size);
	const struct cuda_kernel *at = rbsor_persistent_kernels;

	if (!kernel || !kernel->name[resident][b->f64])
		return 0;
	while (strcmp(at->name, kernel->name[resident][b->f64]))
		at++;
	TRY(cudaMemset(b->d_flags, 0, FLAGS_MOST));
	return measure(b, at->name, PERSISTENT_DEPTH, wrong,
		       [&](const struct rbsor_loop &loop) { return at->launch(&loop, 0); });
}

static void bench_make(struct bench *b, int size, bool f64)
{
	*b = bench();
	grids_make(b, size, f64, 64);
	TRY(cudaMalloc(&b->d_flags, FLAGS_MOST));
}

static void bench_release(const struct bench *b)
{
	grids_release(b);
	TRY(cudaFree(b->d_flags));
}

int main(int argc, char **argv)
{
	static const char *const squares[] = { "1024", "512", "640", "1300", "1500" };
	const bool named = argc > 1 && strcmp(argv[1], "all");
	const char *const *sizes = named ? (const char *const *)argv + 1 : squares;
	const int count = named ? argc - 1 : argc > 1 ? (int)std::size(squares) : 1;
	bool wrong = false, fast = true;

	for (int i = 0; i < count; i++)
		for (int f64 = 0; f64 < 2; f64++) {
			struct bench b;

			if (atoi(sizes[i]) < 7) {
				fprintf(stderr, "gpu_looprate: '%s' is not a size of at least 7\n",
					sizes[i]);
				return 2;
			}
			bench_make(&b, atoi(sizes[i]), f64);
			measure_shipped(&b, false, &wrong);
			const double us = measure_shipped(&b, true, &wrong);
			fast &= f64 || argc > 1 || us <= 1.0;
			for (const struct variant &v : variants)
				if (v.f64 == b.f64 && argc > 1)
					measure_variant(&b, &v, &wrong);
			bench_release(&b);
		}
	printf("%s\n", wrong   ? "BAD: grids differ from those of the thesis' kernel"
		       : !fast ? "BAD: more than 1.0 us an iteration"
			       : "ok");
	return wrong || !fast;
}
