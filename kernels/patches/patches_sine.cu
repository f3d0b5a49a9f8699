/* SPDX-License-Identifier: MIT
 * The inverse of every block by sine transforms, exactly: S D^-1 S along three axes, 96 flop a cell
 * in blocks of 8^3 where the dense inverse takes 1024. What is left is memory: u and f are read,
 * the new values written, 24 bytes a cell.
 *
 * Two warps take 8 x 8 x 8 cells (an octet), in which blocks of 1, 2, 4 or 8 cells along each axis
 * lie whole; four planes each, counted from the outside inwards. Along x and y the planes are 8x8
 * matrices, which meet the transform's matrix on the tensor cores as they lie. Along z a lane
 * transforms its columns in registers: in blocks of 8 the halves are each other's mirror, so one
 * warp takes sums and the other differences, which they exchange twice through shared memory. What
 * bounds an octet is how long its chain of instructions is (docs/lab/kernels.md), and this halves
 * it.
 */
#include "patches_octet.cuh"

/* Of a multiprocessor, which leaves 128 registers a thread. */
enum { BLOCKS = 4 };

/* A warp's planes: of u at the lane's first cell, the outermost; steps from there on. */
struct half {
	const double *u, *f;
	double *v;
	int32_t plane, f_plane;
	int32_t odd; /* the warp of planes 7 to 4, which takes differences */
};

/* r = f - A u of the warp's planes, transformed along x and y; centre: u. */
template <bool CHAOTIC>
__device__ __forceinline__ void
half_residuals(const struct patches_step &step, const struct octet &o, const struct half &h,
	       const double (&along_x)[2], const double (&along_y)[2], struct pair (&centre)[4],
	       double (&r)[2][4])
{
	const int lane = (int)threadIdx.x % 32;
	const double sz = step.stencil[3], sy = step.stencil[2], sx = step.stencil[1],
		     sc = step.stencil[0];
	/* Neighbours that no lane has. */
	const bool low_y = o.row == 0, high_y = o.row == 7, low_x = o.column == 0,
		   high_x = o.column == 6;
	const double *beside_y = h.u + (low_y ? -o.pitch : o.pitch),
		     *beside_x = h.u + (low_x ? -1 : 2);
	struct pair column[6], y[4];
	double x[4];

#pragma unroll
	for (int q = 0; q < 6; q++)
		column[q] = load_pair<CHAOTIC>(h.u + (q - 1) * h.plane);
#pragma unroll
	for (int q = 0; q < 4; q++) {
		y[q].at[0] = y[q].at[1] = x[q] = 0;
		if (low_y || high_y)
			y[q] = load_pair<CHAOTIC>(beside_y + q * h.plane);
		if (low_x || high_x)
			x[q] = patches_load<CHAOTIC>(beside_x + q * h.plane);
	}
#pragma unroll
	for (int q = 0; q < 4; q++) {
		const struct pair c = centre[q] = column[q + 1];
		double left = __shfl_sync(~0u, c.at[1], lane - 1),
		       right = __shfl_sync(~0u, c.at[0], lane + 1), t[2];

		left = low_x ? x[q] : left;
		right = high_x ? x[q] : right;
#pragma unroll
		for (int p = 0; p < 2; p++) {
			double front = __shfl_sync(~0u, c.at[p], lane - 4),
			       back = __shfl_sync(~0u, c.at[p], lane + 4), value = r[p][q];

			front = low_y ? y[q].at[p] : front;
			back = high_y ? y[q].at[p] : back;
			value = fma(-sz, column[q + 2].at[p], value);
			value = fma(-sz, column[q].at[p], value);
			value = fma(-sy, back, value);
			value = fma(-sy, front, value);
			value = fma(-sx, p ? right : c.at[1], value);
			value = fma(-sx, p ? c.at[0] : left, value);
			t[p] = fma(-sc, c.at[p], value);
		}
		patches_turn(t, along_x);
		patches_turn(t, along_y);
		r[0][q] = t[0];
		r[1][q] = t[1];
	}
}

/* The other warp's values plus ours, or minus them. */
struct meeting {
	struct pair *mine;
	const struct pair *other;
};

__device__ __forceinline__ void exchange(const struct meeting &m, int32_t odd, double (&r)[2][4])
{
#pragma unroll
	for (int q = 0; q < 4; q++) {
		const struct pair that = m.other[q * 32];
#pragma unroll
		for (int p = 0; p < 2; p++)
			r[p][q] = odd ? that.at[p] - r[p][q] : that.at[p] + r[p][q];
	}
}

__device__ __forceinline__ void show(const struct meeting &m, const double (&r)[2][4])
{
#pragma unroll
	for (int q = 0; q < 4; q++)
		m.mine[q * 32] = { { r[0][q], r[1][q] } };
}

/* Along z in blocks of 8: forth, D^-1, back. */
template <int ODD>
__device__ __forceinline__ void invert_half(double (&r)[2][4], const struct pair (&d)[4])
{
#pragma unroll
	for (int p = 0; p < 2; p++) {
		double y[4];

		patches_half_sines<ODD, false>(r[p], y);
#pragma unroll
		for (int q = 0; q < 4; q++)
			y[q] *= d[q].at[p];
		patches_half_sines<ODD, true>(y, r[p]);
	}
}

/* The octet of two warps, the number of theirs in the launch. */
__device__ __forceinline__ bool octet_of(const struct patches_step &step, int32_t index,
					 int32_t number, struct octet *o)
{
	const struct patches_box *box = patches_find(step, index, step.tiles, patches_first_tile());
	const int32_t lane = (int32_t)threadIdx.x % 32, side = step.side, wide = side / 8,
		      high = PATCHES_TILE_THREADS / side, across = patches_ceil(box->n[0], side),
		      down = patches_ceil(box->n[1], high);
	int32_t tile = index - (box->first_tile - step.box[step.first].first_tile);
	/* Most octets: no cell lies beyond the patch, and f comes in pairs. */
	bool whole = !((box->n[0] | box->first_cell) & 1);

	o->box = box;
	o->pitch = box->pitch;
	o->plane = box->plane;
	o->diagonal = box->diagonal[0];
	o->at[0] = tile % across * side + number % wide * 8;
	tile /= across;
	o->at[1] = tile % down * high + number / wide * 8;
	o->at[2] = tile / down * PATCHES_TILE;
	o->row = lane / 4;
	o->column = lane % 4 * 2;
#pragma unroll
	for (int axis = 0; axis < 3; axis++) {
		o->left[axis] = box->n[axis] - o->at[axis];
		whole &= o->left[axis] >= 8;
	}
	return whole;
}

template <bool CHAOTIC> __device__ __forceinline__ void sine(const struct patches_step &step)
{
	__shared__ struct pair shared[2][PATCHES_SINE_THREADS / 64][2][4][32];
	const int32_t warp = (int32_t)threadIdx.x / 32, lane = (int32_t)threadIdx.x % 32,
		      number = (int32_t)blockIdx.x % 2 * 2 + warp / 2;
	const bool eight = step.block[2] == 8;
	double r[2][4], along_x[2], along_y[2];
	struct pair centre[4], d[4];
	struct octet o;
	struct half h;

	patches_next_may_begin();
	const bool whole = octet_of(step, (int32_t)blockIdx.x / 2, number, &o);
	struct meeting first = { &shared[0][warp / 2][warp % 2][0][lane],
				 &shared[0][warp / 2][1 - warp % 2][0][lane] },
		       second = { &shared[1][warp / 2][warp % 2][0][lane],
				  &shared[1][warp / 2][1 - warp % 2][0][lane] };

	h.odd = warp % 2;
	if (!whole) { /* one of the two does it, and both meet the others of the block */
		patches_after_others();
		if (!h.odd && o.left[0] > 0 && o.left[1] > 0)
			relax_cut<CHAOTIC>(step, o);
		if (eight) {
			__syncthreads();
			__syncthreads();
		}
		return;
	}
	const int32_t across = o.box->n[0], f_plane = across * o.box->n[1],
		      from = o.at[2] + 7 * h.odd;
	const int64_t origin = o.box->origin + (int64_t)from * o.plane +
			       (int64_t)(o.at[1] + o.row) * o.pitch + o.at[0] + o.column;

	h.u = step.u + origin;
	h.v = step.v + origin;
	h.f = step.f + o.box->first_cell + (int64_t)from * f_plane +
	      (int64_t)(o.at[1] + o.row) * across + o.at[0] + o.column;
	h.plane = h.odd ? -o.plane : o.plane;
	h.f_plane = h.odd ? -f_plane : f_plane;
#pragma unroll
	for (int q = 0; q < 4; q++) {
		const struct pair p = *(const struct pair *)(h.f + q * h.f_plane);

		r[0][q] = p.at[0];
		r[1][q] = p.at[1];
		/* Counted from the outside, modes of a mirrored block keep their places. */
		d[q] = inverses_of(step, o, eight ? 2 * q + h.odd : q);
	}
	matrix_of(step, o, 0, along_x);
	matrix_of(step, o, 1, along_y);
	patches_after_others();
	half_residuals<CHAOTIC>(step, o, h, along_x, along_y, centre, r);
	if (eight) {
		show(first, r);
		__syncthreads();
		exchange(first, h.odd, r);
		if (h.odd)
			invert_half<1>(r, d);
		else
			invert_half<0>(r, d);
		show(second, r);
		__syncthreads();
		exchange(second, h.odd, r);
	} else {
#pragma unroll
		for (int p = 0; p < 2; p++) {
			patches_transform_four(r[p], step.block[2]);
#pragma unroll
			for (int q = 0; q < 4; q++)
				r[p][q] *= d[q].at[p];
			patches_transform_four(r[p], step.block[2]);
		}
	}
#pragma unroll
	for (int q = 0; q < 4; q++) {
		double t[2] = { r[0][q], r[1][q] };

		patches_turn(t, along_x);
		patches_turn(t, along_y);
		give_pair<CHAOTIC>(h.v + q * h.plane, fma(step.omega, t[0], centre[q].at[0]),
				   fma(step.omega, t[1], centre[q].at[1]), true);
	}
}

PATCHES_KERNEL_FROM(patches_sine, PATCHES_SINE_THREADS, BLOCKS, sine<false>, patches_sine_geometry,
		    true)
PATCHES_KERNEL_FROM(patches_sine_chaotic, PATCHES_SINE_THREADS, BLOCKS, sine<true>,
		    patches_sine_geometry, true)

extern "C" const struct cuda_kernel patches_sine_kernels[] = {
	{ "patches_sine", launch_patches_sine },
	{ "patches_sine_chaotic", launch_patches_sine_chaotic },
	{ 0, 0 },
};
