/* SPDX-License-Identifier: MIT
 * The inverse of every block by sine transforms, exactly: S D^-1 S along three axes, 96 flop a cell
 * in blocks of 8^3 where the dense inverse takes 1024. What is left is memory: u and f are read,
 * the new values written, 24 bytes a cell.
 *
 * A thread block takes a tile of `side` x PATCHES_TILE_THREADS / side x 8 cells, in which blocks of
 * 1, 2, 4 or 8 cells along each axis lie whole. A thread holds a column of 8 cells along z, so that
 * it transforms along z in registers; between the axes values change threads through shared memory,
 * whose rows are one element longer than they need so that neither axis meets bank conflicts.
 */
#include "patches_device.cuh"
#include "patches_sine.cuh"

/* D^-1 for 8 values along x of one line. */
__device__ __forceinline__ void scale(const struct patches_step &step,
				      const struct patches_box *box, double (&x)[8], int32_t i,
				      int32_t j, int32_t k)
{
	const int32_t b[3] = { step.block[0], step.block[1], step.block[2] };
	const int32_t y = j & (b[1] - 1), z = k & (b[2] - 1);
	const int32_t left_y = box->n[1] - (j - y), left_z = box->n[2] - (k - z);
	const int32_t n_y = left_y < b[1] ? left_y : b[1],
		      cut = (left_y < b[1] ? 2 : 0) | (left_z < b[2] ? 4 : 0);

	if (i + 8 <= box->n[0] || box->n[0] % b[0] == 0) {
		const double *line =
			step.diagonal + box->diagonal[cut] + (int64_t)(z * n_y + y) * b[0];

#pragma unroll
		for (int q = 0; q < 8; q++)
			x[q] *= line[q & (b[0] - 1)];
		return;
	}
#pragma unroll
	for (int q = 0; q < 8; q++) {
		const int32_t m = q & (b[0] - 1), left = box->n[0] - (i + q - m),
			      n_x = left < b[0] ? left : b[0];

		if (i + q < box->n[0])
			x[q] *= step.diagonal[box->diagonal[cut | (left < b[0])] +
					      (z * n_y + y) * n_x + m];
	}
}

__device__ __forceinline__ int32_t at_most_8(int32_t n)
{
	return n < 8 ? n : 8;
}

template <bool CHAOTIC, int SIDE>
__device__ __forceinline__ void relax_tile(const struct patches_step &step, double *exchange)
{
	constexpr int ROWS = PATCHES_TILE_THREADS / SIDE, PITCH = SIDE + 1, PLANE = ROWS * PITCH;
	const int32_t index = (int32_t)blockIdx.x, thread = (int32_t)threadIdx.x;
	const struct patches_box *box = patches_find(step, index, step.tiles, patches_first_tile());
	int32_t tile = index - (box->first_tile - step.box[step.first].first_tile);
	const int32_t across = patches_ceil(box->n[0], SIDE), down = patches_ceil(box->n[1], ROWS);
	const int32_t i0 = tile % across * SIDE, j0 = tile / across % down * ROWS,
		      k0 = tile / (across * down) * PATCHES_TILE;
	const int32_t tx = thread % SIDE, ty = thread / SIDE, i = i0 + tx, j = j0 + ty;
	const int32_t planes = at_most_8(box->n[2] - k0);
	const bool inside = i < box->n[0] && j < box->n[1];
	/* Cells beyond the patch take the values of its last ones: no line of theirs meets one of
	 * the patch, and loads that nothing decides about are all under way at once. */
	const int32_t near_i = inside ? i : i0, near_j = inside ? j : j0;
	const int64_t origin =
		box->origin + (int64_t)k0 * box->plane + (int64_t)near_j * box->pitch + near_i;
	double centre[8], r[8];

	/* Residuals, up the column. */
	{
		const double sz = step.stencil[3], sy = step.stencil[2], sx = step.stencil[1],
			     sc = step.stencil[0];
		const double *u = step.u + origin;
		const double *f = step.f + box->first_cell +
				  ((int64_t)k0 * box->n[1] + near_j) * box->n[0] + near_i;
		const int32_t f_plane = box->n[0] * box->n[1];
		const double below = patches_look<CHAOTIC>(u - box->plane);
		double above;

#pragma unroll
		for (int q = 0; q < 8; q++) {
			const int32_t k = q < planes ? q : planes - 1;

			centre[q] = patches_look<CHAOTIC>(u + k * box->plane);
			r[q] = f[k * f_plane];
		}
		above = patches_look<CHAOTIC>(u + planes * box->plane);
#pragma unroll
		for (int q = 0; q < 8; q++) {
			const double *at = u + (q < planes ? q : planes - 1) * box->plane;
			double value = r[q];

			value = fma(-sy, patches_look<CHAOTIC>(at + box->pitch), value);
			value = fma(-sy, patches_look<CHAOTIC>(at - box->pitch), value);
			value = fma(-sx, patches_look<CHAOTIC>(at + 1), value);
			value = fma(-sx, patches_look<CHAOTIC>(at - 1), value);
			value = fma(-sz,
				    q == 7 || q == planes - 1 ? above : centre[q < 7 ? q + 1 : 7],
				    value);
			value = fma(-sz, q ? centre[q ? q - 1 : 0] : below, value);
			r[q] = fma(-sc, centre[q], value);
		}
	}
	double *column = exchange + ty * PITCH + tx;
	/* Of lines along y: plane ty % 8, cells from row ty / 8 * 8 on. */
	double *along_y = exchange + ty % 8 * PLANE + ty / 8 * 8 * PITCH + tx;
	const int32_t rows = at_most_8(box->n[1] - j0 - ty / 8 * 8);
	/* Of lines along x: row, plane and group of 8 cells. */
	const int32_t line_y = thread % ROWS, line_z = thread / ROWS % 8,
		      line_x = thread / (ROWS * 8) * 8;
	double *along_x = exchange + line_z * PLANE + line_y * PITCH + line_x;

	patches_transform(r, step.block[2], planes);
#pragma unroll
	for (int q = 0; q < 8; q++)
		column[q * PLANE] = r[q];
	__syncthreads();
	for (int pass = 0; pass < 2; pass++) {
#pragma unroll
		for (int q = 0; q < 8; q++)
			r[q] = along_y[q * PITCH];
		if (rows > 0)
			patches_transform(r, step.block[1], rows);
#pragma unroll
		for (int q = 0; q < 8; q++)
			along_y[q * PITCH] = r[q];
		__syncthreads();
		if (pass)
			break;
		const int32_t cells = at_most_8(box->n[0] - i0 - line_x);

		if (cells > 0 && j0 + line_y < box->n[1] && line_z < planes) {
#pragma unroll
			for (int q = 0; q < 8; q++)
				r[q] = along_x[q];
			patches_transform(r, step.block[0], cells);
			scale(step, box, r, i0 + line_x, j0 + line_y, k0 + line_z);
			patches_transform(r, step.block[0], cells);
#pragma unroll
			for (int q = 0; q < 8; q++)
				along_x[q] = r[q];
		}
		__syncthreads();
	}
#pragma unroll
	for (int q = 0; q < 8; q++)
		r[q] = column[q * PLANE];
	patches_transform(r, step.block[2], planes);
	double *v = step.v + origin;

#pragma unroll
	for (int q = 0; q < 8; q++)
		if (inside && q < planes)
			patches_give<CHAOTIC>(v + q * (int64_t)box->plane,
					      fma(step.omega, r[q], centre[q]));
}

template <bool CHAOTIC> __device__ __forceinline__ void sine(const struct patches_step &step)
{
	/* Eight planes of the longest rows. */
	__shared__ double exchange[PATCHES_TILE_THREADS / 8 * 9 * 8];

	if (step.side == 32)
		relax_tile<CHAOTIC, 32>(step, exchange);
	else if (step.side == 16)
		relax_tile<CHAOTIC, 16>(step, exchange);
	else
		relax_tile<CHAOTIC, 8>(step, exchange);
}

PATCHES_KERNEL(patches_sine, PATCHES_TILE_THREADS, 2, sine<false>, patches_sine_geometry)
PATCHES_KERNEL(patches_sine_chaotic, PATCHES_TILE_THREADS, 2, sine<true>, patches_sine_geometry)

extern "C" const struct cuda_kernel patches_sine_kernels[] = {
	{ "patches_sine", launch_patches_sine },
	{ "patches_sine_chaotic", launch_patches_sine_chaotic },
	{ 0, 0 },
};
