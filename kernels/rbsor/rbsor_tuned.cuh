/* SPDX-License-Identifier: MIT
 * The body of the tuned red-black SOR kernel on LAYOUT_SPLIT, as a template that rbsor_tuned.cu and
 * the copy-rate bench share.
 *
 * A thread owns one 16-byte vector of a half-row (4 floats or 2 doubles) and walks down ROWS rows.
 * All its loads are issued before the first use: 2 ROWS + 2 vectors in flight a thread is what
 * keeps HBM busy. Every row of the other colour is loaded once: it is south of one row, centre of
 * the next and north of the third.
 *
 * With p = (global row + colour) & 1, point k of a half-row is column 2k + p. Its neighbours, all
 * of the other colour, are k in the rows above and below, and k - 1 + p and k + p in its own row.
 * So a vector needs one scalar beside its own vector of the other colour: the one to the left (p =
 * 0) or to the right (p = 1).
 *
 * Only the own colour's half-rows of [row_begin, row_end) are stored, and each vector by one thread
 * alone; what lies outside the interior (boundary columns, padding) is stored back as it was. The
 * other colour is read only.
 */
#ifndef WARPREEL_RBSOR_TUNED_CUH
#define WARPREEL_RBSOR_TUNED_CUH

#include "rbsor.h"
#include "rbsor_update.cuh"

template <typename T> struct alignas(16) rbsor_vector {
	static constexpr int LANES = 16 / (int)sizeof(T);
	T lane[LANES];
};

template <typename T> struct rbsor_column { /* what a thread keeps over all its rows */
	const struct rbsor_sweep *sweep;
	T omega;
	int first;   /* index of the vector's first point in its half-row */
	bool active; /* false: a lane beyond the last column, there for the shuffles only */
	int reach_left, reach_right; /* index of the scalar neighbour, held inside the half-row */
};

enum rbsor_edge {
	EDGE_LOAD,
	EDGE_SHUFFLE
}; /* where the scalar neighbour comes from: memory, or the lane beside */

/* The scalar beside `centre`. A shuffle leaves only the warp's outermost lane to load it. */
template <typename T, enum rbsor_edge EDGE>
__device__ __forceinline__ T rbsor_edge_scalar(const rbsor_vector<T> &centre, T loaded, int p)
{
	if (EDGE == EDGE_LOAD)
		return loaded;
	constexpr int LAST = rbsor_vector<T>::LANES - 1;
	int lane = (int)(threadIdx.x & 31);
	T beside = __shfl_sync(0xffffffffu, p ? centre.lane[0] : centre.lane[LAST],
			       p ? lane + 1 : lane - 1);

	return lane == (p ? 31 : 0) ? loaded : beside;
}

/* Updates rows [row, row + ROWS) of the thread's column. For EDGE_SHUFFLE a whole warp must come
 * here with the same row. */
template <typename T, int ROWS, enum rbsor_edge EDGE>
__device__ __forceinline__ void rbsor_tuned_rows(const rbsor_column<T> &column, int row)
{
	constexpr int LANES = rbsor_vector<T>::LANES;
	const struct rbsor_sweep *sweep = column.sweep;
	const int64_t pitch = sweep->pitch, half = pitch / 2;
	const int p0 = (sweep->first_row + row + sweep->colour) & 1;
	T *own = (T *)sweep->grid + (int64_t)row * pitch + sweep->colour * half;
	const T *other = (const T *)sweep->grid + (int64_t)row * pitch + (1 - sweep->colour) * half;
	rbsor_vector<T> vertical[ROWS + 2], centre[ROWS];
	T edge[ROWS];

#pragma unroll
	for (int r = 0; r < ROWS + 2; r++)
		vertical[r] = *(const rbsor_vector<T> *)(other + (r - 1) * pitch + column.first);
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		centre[r] = *(const rbsor_vector<T> *)(own + r * pitch + column.first);
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		int p = p0 ^ (r & 1);

		edge[r] = T(0);
		if (EDGE == EDGE_LOAD || (int)(threadIdx.x & 31) == (p ? 31 : 0))
			edge[r] = other[r * pitch + (p ? column.reach_right : column.reach_left)];
	}
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		const int p = p0 ^ (r & 1);
		const int last = (sweep->columns - 2 - p) >>
				 1; /* the last interior point of this half-row */
		const T beside = rbsor_edge_scalar<T, EDGE>(vertical[r + 1], edge[r], p);
		T around[LANES + 1];

		around[0] = p ? vertical[r + 1].lane[0] : beside;
#pragma unroll
		for (int m = 1; m < LANES; m++)
			around[m] = p ? vertical[r + 1].lane[m] : vertical[r + 1].lane[m - 1];
		around[LANES] = p ? beside : vertical[r + 1].lane[LANES - 1];
#pragma unroll
		for (int m = 0; m < LANES; m++) {
			const T u = centre[r].lane[m];
			const T horizontal = around[m] + around[m + 1];
			const T v = vertical[r].lane[m] + vertical[r + 2].lane[m];
			const T updated = rbsor_updated(u, column.omega, horizontal, v);
			const int k = column.first + m;

			if (k <= last && (m > 0 || k + p > 0)) /* column 0 is point 0 where p = 0 */
				centre[r].lane[m] = updated;
		}
		if (column.active)
			*(rbsor_vector<T> *)(own + r * pitch + column.first) = centre[r];
	}
}

/* Vectors that hold at least one column of the grid, in either half-row. */
template <typename T> __host__ __device__ __forceinline__ int rbsor_vectors(int columns)
{
	return ((columns - 1) >> 1) / rbsor_vector<T>::LANES + 1;
}

/*
 * The row group of this thread, `rows` a thread. The black sweep is reversed, up where the red one
 * went down: what the L2 cache holds of the last sweep is then the first thing the next one asks
 * for.
 */
__device__ __forceinline__ int rbsor_first_row(const struct rbsor_sweep *sweep, int rows,
					       bool reverse)
{
	int block = (int)(blockIdx.z * gridDim.y + blockIdx.y);

	if (reverse && sweep->colour)
		block = (int)(gridDim.z * gridDim.y) - 1 - block;
	return sweep->row_begin + (block * (int)blockDim.y + (int)threadIdx.y) * rows;
}

template <typename T>
__device__ __forceinline__ rbsor_column<T> rbsor_column_of(const struct rbsor_sweep *sweep)
{
	const int vectors = rbsor_vectors<T>(sweep->columns);
	int vector = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	rbsor_column<T> column;

	column.sweep = sweep;
	column.omega = (T)sweep->omega;
	column.active = vector < vectors;
	if (!column.active)
		vector = vectors - 1;
	column.first = vector * rbsor_vector<T>::LANES;
	column.reach_left = column.first > 0 ? column.first - 1 : 0;
	column.reach_right = column.first + rbsor_vector<T>::LANES;
	if (column.reach_right >= (int)(sweep->pitch / 2)) /* then no point needs it */
		column.reach_right = column.first;
	return column;
}

/* One thread's share: ROWS rows at once, or what is left of them at the lower end one by one. */
template <typename T, int ROWS, enum rbsor_edge EDGE>
__device__ __forceinline__ void rbsor_tuned_thread(const rbsor_column<T> &column, int row)
{
	const int end = column.sweep->row_end;

	if (EDGE == EDGE_LOAD && !column.active)
		return;
	if (row + ROWS <= end) {
		rbsor_tuned_rows<T, ROWS, EDGE>(column, row);
		return;
	}
	for (; row < end; row++)
		rbsor_tuned_rows<T, 1, EDGE>(column, row);
}

#endif
