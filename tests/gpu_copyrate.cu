/* SPDX-License-Identifier: MIT
 * How near the tuned red-black SOR sweep comes to copying, and which variant of it should ship.
 *
 * For each grid: time of an iteration (both colours, two launches), the rate by the bytes that must
 * move (own colour read and written, other colour read: 3 words a point and iteration), and its
 * ratio to the best 16-byte copy kernel of the same run. Grids that fit the L2 cache exceed 1.
 * Every variant's grid must equal the shipped kernel's, bit for bit.
 *
 *     gpu_copyrate                        the shipped kernel at 16384x16384, which must reach 0.90
 *     gpu_copyrate all|ROWSxCOLUMNS...    all variants, on a set of squares and strips or on those
 * named
 */
#include <algorithm>
#include <iterator>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/rbsor/rbsor_tuned.cu"
#include "copy_rate.cuh"

/* ---- variants ---- */

template <typename T, int ROWS, enum rbsor_edge EDGE, bool TURN, int THREADS, int MIN_BLOCKS>
__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
	variant_kernel(const struct rbsor_sweep sweep)
{
	const rbsor_column<T> column = rbsor_column_of<T>(&sweep);

	rbsor_tuned_thread<T, ROWS, EDGE>(column, rbsor_first_row(&sweep, ROWS, TURN));
}

struct variant {
	const char *name;
	int rows, threads, width;
	void (*kernel[2])(const struct rbsor_sweep); /* [f64] */
};

#define VARIANT(name, rows, edge, turn, threads, min_blocks, width)                                \
	{                                                                                          \
		name, rows, threads, width,                                                        \
		{                                                                                  \
			variant_kernel<float, rows, edge, turn, threads, min_blocks>,              \
				variant_kernel<double, rows, edge, turn, threads, min_blocks>      \
		}                                                                                  \
	}

static const struct variant variants[] = {
	VARIANT("1 row", 1, EDGE_SHUFFLE, true, 128, 1, 128),
	VARIANT("2 rows", 2, EDGE_SHUFFLE, true, 128, 1, 128),
	VARIANT("4 rows", 4, EDGE_SHUFFLE, true, 128, 1, 128),
	VARIANT("8 rows", 8, EDGE_SHUFFLE, true, 128, 1, 128),
	VARIANT("2 rows, <= 48 registers", 2, EDGE_SHUFFLE, true, 128, 10, 128),
	VARIANT("4 rows, <= 64 registers", 4, EDGE_SHUFFLE, true, 128, 8, 128),
	VARIANT("1 row, same direction", 1, EDGE_SHUFFLE, false, 128, 1, 128),
	VARIANT("2 rows, same direction", 2, EDGE_SHUFFLE, false, 128, 1, 128),
	VARIANT("4 rows, same direction", 4, EDGE_SHUFFLE, false, 128, 1, 128),
	VARIANT("2 rows, scalar loads", 2, EDGE_LOAD, true, 128, 1, 128),
	VARIANT("4 rows, scalar loads", 4, EDGE_LOAD, true, 128, 1, 128),
	VARIANT("2 rows, block 32x4", 2, EDGE_SHUFFLE, true, 128, 1, 32),
	VARIANT("4 rows, block 32x4", 4, EDGE_SHUFFLE, true, 128, 1, 32),
	VARIANT("4 rows, block 256x1", 4, EDGE_SHUFFLE, true, 256, 1, 256),
	VARIANT("2 rows, block 256x1", 2, EDGE_SHUFFLE, true, 256, 1, 256),
	VARIANT("2 rows, block 64x8", 2, EDGE_SHUFFLE, true, 512, 1, 64),
};

static int launch_variant(const struct variant *variant, bool f64, struct rbsor_sweep sweep)
{
	const unsigned vectors = (unsigned)(f64 ? rbsor_vectors<double>(sweep.columns)
						: rbsor_vectors<float>(sweep.columns));
	const unsigned width = (unsigned)variant->width,
		       height = (unsigned)variant->threads / width;
	const unsigned rows = (unsigned)(sweep.row_end - sweep.row_begin),
		       step = height * (unsigned)variant->rows;
	void *arguments[] = { &sweep };

	return cudaLaunchKernel(variant->kernel[f64],
				dim3((vectors + width - 1) / width, (rows + step - 1) / step),
				dim3(width, height), arguments, 0, 0);
}

/* ---- grids ---- */

struct bench {
	int rows, columns;
	bool f64;
	size_t count, bytes; /* elements and bytes of a grid */
	void *d_grid, *d_expected;
	unsigned long long *d_differing;
	struct rbsor_sweep sweep;
	double copy_rate, ratio; /* ratio: of the last measurement */
};

static void fill(const struct bench *b)
{
	if (b->f64)
		fill_kernel<<<1024, 256>>>((double *)b->d_grid, b->count);
	else
		fill_kernel<<<1024, 256>>>((float *)b->d_grid, b->count);
}

static unsigned long long differing(const struct bench *b)
{
	unsigned long long count = 0;

	TRY(cudaMemset(b->d_differing, 0, sizeof(count)));
	differ_kernel<<<1024, 256>>>((const uint32_t *)b->d_grid, (const uint32_t *)b->d_expected,
				     b->bytes / 4, b->d_differing);
	TRY(cudaMemcpy(&count, b->d_differing, sizeof(count), cudaMemcpyDeviceToHost));
	return count;
}

/* `launch(sweep)` runs one colour. Prints a line; returns how many words differ from what is
 * expected. */
template <typename Launch>
static unsigned long long measure(struct bench *b, const char *name, bool expected, Launch launch)
{
	auto iteration = [&] {
		for (b->sweep.colour = 0; b->sweep.colour < 2; b->sweep.colour++)
			TRY((cudaError_t)launch(b->sweep));
	};

	fill(b);
	iteration();
	iteration();
	if (expected)
		TRY(cudaMemcpy(b->d_expected, b->d_grid, b->bytes, cudaMemcpyDeviceToDevice));
	const unsigned long long wrong = differing(b);
	const double must_move = 3.0 * b->rows * (double)b->columns * (b->f64 ? 8 : 4);
	const double guess_us = 6 + must_move / 4e6;
	const double us = median_us((int)std::max(4.0, 15e3 / guess_us), iteration);

	b->ratio = must_move / us * 1e6 / b->copy_rate;
	printf("%s\t%dx%d\t%-26s\t%10.2f us\t%7.0f GB/s\tratio %.3f%s\n", b->f64 ? "f64" : "f32",
	       b->rows, b->columns, name, us, must_move / us * 1e-3, b->ratio,
	       wrong ? "\tWRONG" : "");
	return wrong;
}

/* Returns the differing words of all variants, or, with the shipped kernel alone, whether it is too
 * slow. */
static unsigned long long bench_grid(int rows, int columns, bool f64, double copy_rate, bool all)
{
	struct bench b = {};
	const int64_t pitch = (columns + 127) / 128 * 128;
	unsigned long long wrong = 0;

	b.rows = rows;
	b.columns = columns;
	b.f64 = f64;
	b.copy_rate = copy_rate;
	b.count = (size_t)(rows * pitch);
	b.bytes = b.count * (f64 ? 8 : 4);
	TRY(cudaMalloc(&b.d_grid, b.bytes));
	TRY(cudaMalloc(&b.d_expected, b.bytes));
	TRY(cudaMalloc((void **)&b.d_differing, sizeof(*b.d_differing)));
	b.sweep.grid = b.d_grid;
	b.sweep.pitch = pitch;
	b.sweep.columns = columns;
	b.sweep.strip_rows = rows;
	b.sweep.row_begin = 1;
	b.sweep.row_end = rows - 1;
	b.sweep.omega = 1.9;
	wrong += measure(&b, "shipped", true, [&](const struct rbsor_sweep &s) {
		return rbsor_tuned_kernels[f64].launch(&s, 0);
	});
	if (!all)
		wrong += b.ratio < 0.90;
	for (const struct variant *variant = variants; all && variant < std::end(variants);
	     variant++)
		wrong += measure(&b, variant->name, false, [&](const struct rbsor_sweep &s) {
			return launch_variant(variant, f64, s);
		});
	TRY(cudaFree(b.d_grid));
	TRY(cudaFree(b.d_expected));
	TRY(cudaFree(b.d_differing));
	printf("\n");
	fflush(stdout);
	return wrong;
}

int main(int argc, char **argv)
{
	static const char *const standard[] = { "16384x16384", "32768x32768", "8192x8192",
						"4096x4096",   "2048x2048",   "1024x1024",
						"512x512",     "64x512",      "128x4096",
						"512x4096",    "1024x8192",   "2048x16384" };
	const bool named = argc > 1 && strcmp(argv[1], "all");
	const char *const *sizes = named ? (const char *const *)argv + 1 : standard;
	const int count = named	     ? argc - 1
			  : argc > 1 ? (int)(sizeof(standard) / sizeof(standard[0]))
				     : 1;
	unsigned long long wrong = 0;

	const double copy_rate = best_copy_rate();
	for (int i = 0; i < count; i++)
		for (int f64 = 0; f64 < 2; f64++) {
			int rows, columns;
			if (sscanf(sizes[i], "%dx%d", &rows, &columns) != 2 || rows < 3 ||
			    columns < 3) {
				fprintf(stderr,
					"gpu_copyrate: '%s' is not ROWSxCOLUMNS of at least 3x3\n",
					sizes[i]);
				return 2;
			}
			wrong += bench_grid(rows, columns, f64, copy_rate, argc > 1);
		}
	printf("%s\n", !wrong	  ? "ok"
		       : argc > 1 ? "BAD: variants differ from the shipped kernel"
				  : "BAD: below 0.90 of the copy rate");
	return wrong ? 1 : 0;
}
