/* SPDX-License-Identifier: MIT
 * What benches of red-black SOR's kernels share: square grids on the GPU, and what the thesis'
 * kernel makes of them. Wants kernels/rbsor/rbsor_paper.cu before it.
 */
#ifndef WARPREEL_TESTS_RBSOR_GRIDS_CUH
#define WARPREEL_TESTS_RBSOR_GRIDS_CUH

#include "copy_rate.cuh"

struct rbsor_grids {
	int size;
	bool f64;
	int64_t pitch; /* elements */
	size_t bytes;  /* of a grid */
	void *d_grid[2], *d_expected;
	unsigned long long *d_differing;
	double omega;
};

static void grids_make(struct rbsor_grids *g, int size, bool f64, int pitch_in_whole)
{
	g->size = size;
	g->f64 = f64;
	g->omega = 1.9;
	g->pitch = (size + pitch_in_whole - 1) / pitch_in_whole * pitch_in_whole;
	g->bytes = (size_t)(size * g->pitch) * (f64 ? 8 : 4);
	for (void *&d_grid : g->d_grid)
		TRY(cudaMalloc(&d_grid, g->bytes));
	TRY(cudaMalloc(&g->d_expected, g->bytes));
	TRY(cudaMalloc((void **)&g->d_differing, sizeof(*g->d_differing)));
}

static void grids_release(const struct rbsor_grids *g)
{
	for (void *d_grid : g->d_grid)
		TRY(cudaFree(d_grid));
	TRY(cudaFree(g->d_expected));
	TRY(cudaFree(g->d_differing));
}

static void fill(const struct rbsor_grids *g, void *d_grid)
{
	if (g->f64)
		fill_kernel<<<1024, 256>>>((double *)d_grid, g->bytes / 8);
	else
		fill_kernel<<<1024, 256>>>((float *)d_grid, g->bytes / 4);
}

/* The thesis' kernel, from the same start. */
static void expect(const struct rbsor_grids *g, int iterations)
{
	struct rbsor_sweep sweep = { g->d_expected, g->pitch, g->size, g->size, 1,
				     g->size - 1,   0,	      0,       g->omega };

	fill(g, g->d_expected);
	for (int k = 0; k < 2 * iterations; k++) {
		sweep.colour = k & 1;
		TRY((cudaError_t)rbsor_paper_kernels[g->f64].launch(&sweep, 0));
	}
}

#endif
