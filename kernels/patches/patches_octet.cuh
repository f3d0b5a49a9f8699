/* SPDX-License-Identifier: MIT
 * Eight cells along each axis, by a warp: residuals, transforms, the new values. What kernels by
 * sine transforms share; how a warp holds them is said in patches_sine.cu.
 */
#ifndef WARPREEL_PATCHES_OCTET_CUH
#define WARPREEL_PATCHES_OCTET_CUH

#include "patches_device.cuh"
#include "patches_mma.cuh"
#include "patches_transform.cuh"

/* Planes whose neighbours beyond the octet are asked for at once: the fastest of those tried
 * (docs/lab/kernels.md). */
enum { AHEAD = 4 };

struct alignas(16) pair {
	double at[2];
};

template <bool CHAOTIC> __device__ __forceinline__ struct pair load_pair(const double *u)
{
	struct pair p;

	if (!CHAOTIC)
		return *(const struct pair *)u;
	p.at[0] = patches_load<CHAOTIC>(u);
	p.at[1] = patches_load<CHAOTIC>(u + 1);
	return p;
}

__device__ __forceinline__ int32_t least(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

/* The 8 cells along each axis that a warp has: where they begin in the patch, and how many of the
 * patch there are from there on. */
struct octet {
	const struct patches_box *box;
	int32_t at[3], left[3];
	int32_t row, column; /* of the lane's first cell in each plane */
	int32_t pitch, plane, diagonal;
};

/* The nearest cell along an axis that there is to be read. WHOLE: the cell itself. */
template <bool WHOLE> __device__ __forceinline__ int32_t near(int32_t cell, int32_t last)
{
	return WHOLE ? cell : least(cell, last);
}

/* The lane's part of the matrix of a transform along an axis: pieces of a block's length, and a
 * last one of what is left. */
__device__ __forceinline__ void matrix_of(const struct patches_step &step, const struct octet &o,
					  int axis, double (&s)[2])
{
	const int32_t block = step.block[axis], piece = o.row & -block,
		      side = least(block, o.left[axis] - piece), m = o.row - piece;

#pragma unroll
	for (int q = 0; q < 2; q++) {
		const int32_t k = o.column + q - piece;

		s[q] = m < side && k >= 0 && k < side
			       ? step.diagonal[(side - 1) * PATCHES_SINES + m * side + k]
			       : 0;
	}
}

/* D^-1 of a cell of the patch, wherever blocks are cut. */
static __device__ __noinline__ double inverse_of(const double *diagonal,
						 const struct patches_box *box, uint32_t block,
						 int32_t i, int32_t j, int32_t k)
{
	const int32_t c[3] = { i, j, k };
	int32_t at = 0, cut = 0, stride = 1;

	for (int axis = 0; axis < 3; axis++) {
		const int32_t b = block >> 8 * axis & 255, m = c[axis] & (b - 1),
			      left = box->n[axis] - (c[axis] - m), side = least(b, left);

		if (m >= side)
			return 0;
		cut |= left < b ? 1 << axis : 0;
		at += m * stride;
		stride *= side;
	}
	return diagonal[box->diagonal[cut] + at];
}

/* D^-1 of the lane's cells of plane k. */
template <bool WHOLE>
__device__ __forceinline__ struct pair inverses_of(const struct patches_step &step,
						   const struct octet &o, int32_t k)
{
	const int32_t x = step.block[0], y = step.block[1], z = step.block[2];
	struct pair d;

	if constexpr (WHOLE) {
		const double *line =
			step.diagonal + o.diagonal + ((k & (z - 1)) * y + (o.row & (y - 1))) * x;

		if (x > 1)
			return *(const struct pair *)(line + (o.column & (x - 1)));
		d.at[0] = d.at[1] = line[0];
	} else {
#pragma unroll
		for (int p = 0; p < 2; p++)
			d.at[p] = inverse_of(step.diagonal, o.box, (uint32_t)(x | y << 8 | z << 16),
					     o.at[0] + o.column + p, o.at[1] + o.row, o.at[2] + k);
	}
	return d;
}

/* f of the lane's cells; where there are none, of others. */
template <bool WHOLE>
__device__ __forceinline__ void load_f(const struct patches_step &step, const struct octet &o,
				       double (&r)[2][8])
{
	const struct patches_box *box = o.box;
	const int32_t across = box->n[0], plane = across * box->n[1];
	const double *f = step.f + box->first_cell + (int64_t)o.at[2] * plane +
			  (int64_t)(o.at[1] + near<WHOLE>(o.row, o.left[1] - 1)) * across + o.at[0];

#pragma unroll
	for (int q = 0; q < 8; q++) {
		if constexpr (WHOLE) {
			const struct pair p = *(const struct pair *)(f + q * plane + o.column);

			r[0][q] = p.at[0];
			r[1][q] = p.at[1];
		} else {
#pragma unroll
			for (int p = 0; p < 2; p++)
				r[p][q] = f[least(q, o.left[2] - 1) * plane +
					    least(o.column + p, o.left[0] - 1)];
		}
	}
}

/* r = f - A u; centre: u. load: puts f into r. */
template <bool CHAOTIC, bool WHOLE, typename Load>
__device__ __forceinline__ void residuals(const struct patches_step &step, const struct octet &o,
					  const double *u, Load load, double (&centre)[2][8],
					  double (&r)[2][8])
{
	const int lane = (int)threadIdx.x % 32;
	const int32_t pitch = o.pitch, plane = o.plane;
	const double sz = step.stencil[3], sy = step.stencil[2], sx = step.stencil[1],
		     sc = step.stencil[0];
	/* Neighbours that no lane has. */
	const bool low_y = o.row == 0, high_y = o.row == 7 && (WHOLE || o.left[1] >= 8);
	const bool low_x = o.column == 0, high_x = o.column == 6 && (WHOLE || o.left[0] >= 8);
	const double *beside_y = u + (low_y ? -pitch : pitch), *beside_x = u + (low_x ? -1 : 2);
	struct pair below, above;

	below = load_pair<CHAOTIC>(u - plane);
#pragma unroll
	for (int q = 0; q < 8; q++) {
		const struct pair p = load_pair<CHAOTIC>(u + near<WHOLE>(q, o.left[2]) * plane);

		centre[0][q] = p.at[0];
		centre[1][q] = p.at[1];
	}
	above = load_pair<CHAOTIC>(u + near<WHOLE>(8, o.left[2]) * plane);
	load(r);
#pragma unroll
	for (int from = 0; from < 8; from += AHEAD) {
		struct pair y[AHEAD];
		double x[AHEAD];

#pragma unroll
		for (int n = 0; n < AHEAD; n++) {
			const int32_t at = near<WHOLE>(from + n, o.left[2]) * plane;

			y[n].at[0] = y[n].at[1] = x[n] = 0;
			if (low_y || high_y)
				y[n] = load_pair<CHAOTIC>(beside_y + at);
			if (low_x || high_x)
				x[n] = patches_load<CHAOTIC>(beside_x + at);
		}
		__syncwarp(); /* no more than these at a time */
#pragma unroll
		for (int n = 0; n < AHEAD; n++) {
			const int q = from + n;
			double left = __shfl_sync(~0u, centre[1][q], lane - 1),
			       right = __shfl_sync(~0u, centre[0][q], lane + 1);

			left = low_x ? x[n] : left;
			right = high_x ? x[n] : right;
#pragma unroll
			for (int p = 0; p < 2; p++) {
				double front = __shfl_sync(~0u, centre[p][q], lane - 4),
				       back = __shfl_sync(~0u, centre[p][q], lane + 4),
				       value = r[p][q];

				front = low_y ? y[n].at[p] : front;
				back = high_y ? y[n].at[p] : back;
				value = fma(-sz, q < 7 ? centre[p][q < 7 ? q + 1 : 7] : above.at[p],
					    value);
				value = fma(-sz, q ? centre[p][q ? q - 1 : 0] : below.at[p], value);
				value = fma(-sy, back, value);
				value = fma(-sy, front, value);
				value = fma(-sx, p ? right : centre[1][q], value);
				value = fma(-sx, p ? centre[0][q] : left, value);
				r[p][q] = fma(-sc, centre[p][q], value);
			}
		}
	}
}

template <bool CHAOTIC>
__device__ __forceinline__ void give_pair(double *v, double first, double second, bool both)
{
	const struct pair p = { { first, second } };

	if (!CHAOTIC && both) {
		*(struct pair *)v = p;
		return;
	}
	patches_give<CHAOTIC>(v, first);
	if (both)
		patches_give<CHAOTIC>(v + 1, second);
}

/* Where the lane's first cell lies behind the octet's. Lanes beyond the patch have ghost cells,
 * which those inside ask them for. */
template <bool WHOLE> __device__ __forceinline__ int32_t lane_in_octet(const struct octet &o)
{
	return near<WHOLE>(o.row, o.left[1]) * o.pitch + near<WHOLE>(o.column, o.left[0] & ~1);
}

/* r = A^-1 (f - A u) of each block; u: the lane's first cell. read: called when u and f are in
 * registers. */
template <bool CHAOTIC, bool WHOLE, typename Load, typename Read>
__device__ __forceinline__ void corrections(const struct patches_step &step, const struct octet &o,
					    const double *u, Load load, Read read,
					    double (&centre)[2][8], double (&r)[2][8])
{
	const bool first = WHOLE || (o.row < o.left[1] && o.column < o.left[0]),
		   second = WHOLE || (first && o.column + 1 < o.left[0]);
	const int32_t planes = near<WHOLE>(8, o.left[2]);
	double along_x[2], along_y[2];

	matrix_of(step, o, 0, along_x);
	matrix_of(step, o, 1, along_y);
	residuals<CHAOTIC, WHOLE>(step, o, u, load, centre, r);
	read();
#pragma unroll
	for (int q = 0; q < 8 && !WHOLE; q++) {
		r[0][q] = first && q < planes ? r[0][q] : 0;
		r[1][q] = second && q < planes ? r[1][q] : 0;
	}
	patches_transform<WHOLE>(r[0], step.block[2], planes);
	patches_transform<WHOLE>(r[1], step.block[2], planes);
#pragma unroll
	for (int q = 0; q < 8; q++) {
		const struct pair d = inverses_of<WHOLE>(step, o, q);
		double x[2] = { r[0][q], r[1][q] };

		patches_turn(x, along_x);
		patches_turn(x, along_y);
		x[0] *= d.at[0];
		x[1] *= d.at[1];
		patches_turn(x, along_x);
		patches_turn(x, along_y);
		r[0][q] = x[0];
		r[1][q] = x[1];
	}
	patches_transform<WHOLE>(r[0], step.block[2], planes);
	patches_transform<WHOLE>(r[1], step.block[2], planes);
}

/* The octet's new values from u to v, which are laid out alike; both at its first cell. */
template <bool CHAOTIC, bool WHOLE>
__device__ __forceinline__ void relax_octet(const struct patches_step &step, const struct octet &o,
					    const double *u, double *v)
{
	const int32_t at = lane_in_octet<WHOLE>(o), planes = near<WHOLE>(8, o.left[2]);
	const bool first = WHOLE || (o.row < o.left[1] && o.column < o.left[0]),
		   second = WHOLE || (first && o.column + 1 < o.left[0]);
	double centre[2][8], r[2][8];

	corrections<CHAOTIC, WHOLE>(
		step, o, u + at, [&](double(&f)[2][8]) { load_f<WHOLE>(step, o, f); }, [] {},
		centre, r);
#pragma unroll
	for (int q = 0; q < 8; q++)
		if (first && q < planes)
			give_pair<CHAOTIC>(v + at + q * (int64_t)o.plane,
					   fma(step.omega, r[0][q], centre[0][q]),
					   fma(step.omega, r[1][q], centre[1][q]), second);
}

/* Cells left from where the octet begins. Most are whole: no cell lies beyond the patch, and f
 * comes in pairs. */
__device__ __forceinline__ bool octet_left(struct octet &o)
{
	bool whole = !((o.box->n[0] | o.box->first_cell) & 1);

#pragma unroll
	for (int axis = 0; axis < 3; axis++) {
		o.left[axis] = o.box->n[axis] - o.at[axis];
		whole &= o.left[axis] >= 8;
	}
	return whole;
}

#endif
