/* SPDX-License-Identifier: MIT
 * What the staged kernels of multi-layer SSOR are made of (mlssor_staged.cu says how they go about
 * it).
 *
 * A block has a region of the mesh in shared memory: the boxes (mlssor_box) of 32 tiles side by
 * side in each of a few rows of subdomains, which overlap in a row and a column; fused, those of
 * K12 and, half a subdomain lower and to the left, those of K21. Column c of row i of the region is
 * at (i * SIDE + c % SIDE) * STRIDE + c / SIDE: lanes with tiles side by side find 32 banks, and so
 * do lanes with points side by side.
 */
#ifndef WARPREEL_MLSSOR_STAGED_CUH
#define WARPREEL_MLSSOR_STAGED_CUH

#include "mlssor_block.cuh"

enum { LANES = 32 };

template <int SIDE> __device__ constexpr int32_t stride_of()
{
	return LANES + LANES / SIDE;
}

struct staged {
	struct mlssor_axis rows, columns;
	struct mlssor_view view;
	int32_t s, t;	       /* the first subdomain */
	int32_t high;	       /* rows of subdomains */
	int32_t row0, column0; /* of the sweep: where the region begins */
	int32_t region_rows;
	int32_t warps, warp, lane;
};

template <int SIDE>
__device__ __forceinline__ struct mlssor_axis axis_of(int32_t points, int32_t shift)
{
	const struct mlssor_axis axis = { points, SIDE, points / SIDE, SIDE / 2, shift, 2, 0 };
	return axis;
}

/* False: no tiles for this block. ROW and COLUMN of fused kernels are 0. */
template <int ROW, int COLUMN, int SIDE, bool FUSED>
__device__ __forceinline__ bool staged_begin(const struct mlssor_sweep &sweep, struct staged *b)
{
	constexpr int32_t K = SIDE / 2;
	const int32_t groups = (int32_t)gridDim.y * (int32_t)gridDim.z,
		      group = (int32_t)(blockIdx.z * gridDim.y + blockIdx.y);

	b->rows = axis_of<SIDE>(sweep.rows, sweep.shift);
	b->columns = axis_of<SIDE>(sweep.columns, sweep.shift);
	b->view = mlssor_view_of(&sweep);
	b->warps = (int32_t)blockDim.x / LANES;
	b->warp = (int32_t)threadIdx.x / LANES;
	b->lane = (int32_t)threadIdx.x % LANES;
	const int32_t high = FUSED ? b->warps / 2 : b->warps;
	/* The last rows of subdomains first: at an edge of the mesh they are slower. */
	b->s = sweep.begin + (group ? group - 1 : groups - 1) * high;
	b->t = (int32_t)blockIdx.x * LANES;
	b->high = sweep.end - b->s < high ? sweep.end - b->s : high;
	b->row0 = b->s * SIDE - sweep.shift + ROW * K;
	b->column0 = b->t * SIDE - sweep.shift + COLUMN * K;
	b->region_rows = b->high * SIDE + 1 + FUSED * K;
	return b->high > 0;
}

/* Whether all 32 tiles are there in every row, and none is at an edge of the mesh. */
__device__ __forceinline__ bool staged_inner(const struct staged &b)
{
	return b.s > 0 && b.s + b.high < b.rows.count && b.t > 0 && b.t + LANES < b.columns.count;
}

/* Points a lane has of a row of the region, the last of them right of the last tile. */
template <int SIDE, bool FUSED> __device__ constexpr int32_t tail_of()
{
	return 1 + FUSED * (SIDE / 2);
}

/* One word into shared memory, waited for by fetched() or, of the thread's own, fetched_alone(). */
__device__ __forceinline__ void fetch_word(float *to, const float *from)
{
#ifdef __CUDA_ARCH__
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
			     (uint32_t)__cvta_generic_to_shared(to)),
		     "l"(from));
#else
	*to = *from;
#endif
}
__device__ __forceinline__ void fetched_alone(void)
{
#ifdef __CUDA_ARCH__
	asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
__device__ __forceinline__ void fetched(void)
{
	fetched_alone();
	__syncthreads();
}

/* The region into shared memory, all of it under way at once. */
template <int SIDE, bool FUSED, bool BACKWARD, bool EDGE>
__device__ __forceinline__ void fetch(const struct staged &b, float *region)
{
	constexpr int32_t ROW_WORDS = SIDE * stride_of<SIDE>();
	float *cell = region + b.lane % SIDE * stride_of<SIDE>() + b.lane / SIDE;
	const float *line = mlssor_at(b.view, b.row0, b.column0) + (BACKWARD ? -b.lane : b.lane);

#pragma unroll 1
	for (int32_t i = b.warp; i < b.region_rows; i += b.warps) {
		const float *u = line + i * b.view.row;
		float *to = cell + i * ROW_WORDS;

		if (EDGE && !mlssor_stored(b.rows, b.row0 + i))
			continue;
#pragma unroll
		for (int32_t m = 0; m <= SIDE; m++)
			if ((m < SIDE || b.lane < tail_of<SIDE, FUSED>()) &&
			    (!EDGE || mlssor_stored(b.columns, b.column0 + b.lane + m * LANES)))
				fetch_word(to + m * (LANES / SIDE),
					   u + (BACKWARD ? -m * LANES : m * LANES));
	}
	fetched();
}

/* Whether an inner tile ever updates box point (i, j): those of K11 and K22 are squares, the others
 * diamonds. */
template <int ROW, int COLUMN, int SIDE>
__device__ __forceinline__ bool staged_updates(int32_t i, int32_t j)
{
	constexpr int32_t k = SIDE / 2;
	const int32_t di = i < k ? k - i : i - k, dj = j < k ? k - j : j - k;

	return ROW == COLUMN ? di < k && dj < k : di + dj < k;
}

/* Layers [begin, end) in which tile PART of subdomain s has box point i of an axis. */
template <int PART, int SIDE>
__device__ __forceinline__ struct mlssor_range staged_layers(const struct mlssor_axis &axis,
							     int32_t s, int32_t i)
{
	constexpr int32_t K = SIDE / 2;
	const bool first = s == 0, last = s == axis.count - 1;
	struct mlssor_range q = { 0, K };

	if (i < 0 || s < 0 || s >= axis.count)
		q.end = 0;
	else if (!PART) {
		const int32_t low = first ? (i > axis.shift ? K : 0) : i, high = SIDE - i;
		q.end = low < high ? low : high;
	} else {
		const int32_t low = K - i, high = !last ? i - K : i <= K + axis.shift ? 0 : K;
		q.begin = low > high ? low : high;
	}
	return q;
}

/* Of any tiles: whether a tile (ROW, COLUMN) of the block updates point (i, c), counted from its
 * first box. rows: the layers in which it has row i. */
template <int COLUMN, int SIDE>
__device__ __forceinline__ bool edge_updates(const struct staged &b, struct mlssor_range rows,
					     int32_t c)
{
	const int32_t t = b.t + (c < 0 ? 0 : c / SIDE);
	const struct mlssor_range columns =
		staged_layers<COLUMN, SIDE>(b.columns, t, c < 0 ? c : c % SIDE);
	const int32_t begin = rows.begin > columns.begin ? rows.begin : columns.begin,
		      end = rows.end < columns.end ? rows.end : columns.end;

	return t < b.t + LANES && begin < end;
}

/* The layers in which the block's tiles have row i of the region, counted from their first box. */
template <int ROW, int SIDE>
__device__ __forceinline__ struct mlssor_range edge_rows(const struct staged &b, int32_t i)
{
	const int32_t high = i < 0 ? 0 : i / SIDE;
	struct mlssor_range q = staged_layers<ROW, SIDE>(b.rows, b.s + high, i < 0 ? i : i % SIDE);
	if (high >= b.high)
		q.end = 0;
	return q;
}

/* What was updated, back to memory. */
template <int ROW, int COLUMN, int SIDE, bool FUSED, bool BACKWARD, bool EDGE>
__device__ __forceinline__ void put_back(const struct staged &b, const float *region)
{
	constexpr int32_t ROW_WORDS = SIDE * stride_of<SIDE>(), K = SIDE / 2;
	const float *cell = region + b.lane % SIDE * stride_of<SIDE>() + b.lane / SIDE;
	float *line = mlssor_at(b.view, b.row0, b.column0) + (BACKWARD ? -b.lane : b.lane);

#pragma unroll 1
	for (int32_t i = 1 + b.warp; i < b.region_rows; i += b.warps) {
		float value[SIDE + 1];
		float *u = line + i * b.view.row;
		const bool one = FUSED ? i < b.high * SIDE && staged_updates<0, 1, SIDE>(
								      i % SIDE, (b.lane + K) % SIDE)
				       : staged_updates<ROW, COLUMN, SIDE>(i % SIDE, b.lane % SIDE),
			   other = FUSED && i >= K &&
				   staged_updates<1, 0, SIDE>((i - K) % SIDE, b.lane % SIDE);
		const struct mlssor_range one_rows = edge_rows < FUSED ? 0 : ROW, SIDE > (b, i),
					  other_rows = edge_rows<1, SIDE>(b, i - K);
#pragma unroll
		for (int32_t m = 0; m < SIDE + FUSED; m++)
			value[m] = m < SIDE || b.lane < K ? cell[i * ROW_WORDS + m * (LANES / SIDE)]
							  : 0;
#pragma unroll
		for (int32_t m = 0; m < SIDE + FUSED; m++) {
			const int32_t c = b.lane + m * LANES;
			bool mine;

			if (EDGE && FUSED)
				mine = edge_updates<1, SIDE>(b, one_rows, c - K) ||
				       edge_updates<0, SIDE>(b, other_rows, c);
			else if (EDGE)
				mine = edge_updates<COLUMN, SIDE>(b, one_rows, c);
			else if (FUSED)
				mine = (one && (m || b.lane >= K) && (m < SIDE || b.lane < K)) ||
				       (other && m < SIDE);
			else
				mine = one;
			if (mine)
				u[BACKWARD ? -m * LANES : m * LANES] = value[m];
		}
	}
}

/* ---- a tile ---- */

/* Where column j of a box is in its row of the region; box columns begin FROM columns of the region
 * into a subdomain. */
template <int SIDE, int FROM> __device__ constexpr int32_t column_at(int j)
{
	return (j + FROM) % SIDE * stride_of<SIDE>() + (j + FROM) / SIDE;
}

/* The widest range of columns that a tile of any shape has at layer q: what lies out of it is told
 * apart by lanes. */
template <int COLUMN, int SIDE, bool EDGE> __device__ constexpr int tile_from(int q)
{
	return EDGE && !COLUMN ? 1 : mlssor_low<COLUMN, SIDE>(q);
}
template <int COLUMN, int SIDE, bool EDGE> __device__ constexpr int tile_to(int q)
{
	return !EDGE || !COLUMN			     ? mlssor_high<COLUMN, SIDE>(q)
	       : SIDE / 2 + q + 1 > SIDE / 4 * 3 + 1 ? SIDE / 2 + q + 1
						     : SIDE / 4 * 3 + 1;
}

/* Rows of a tile that are made at once: so many chains of sums a thread has under way. */
template <int SIDE> __device__ constexpr int at_once()
{
	return SIDE == 16 ? MLSSOR_STAGED_AT_ONCE : 2;
}

/*
 * ROWS rows of a tile at one layer, each a column behind the one above it, so that they have
 * nothing to wait for each other for. above, here: the row before them and the first of them; then
 * the last of them and what follows it. EDGE: columns that a lane has not are left as they are.
 */
template <int ROWS, int SIDE, int FROM, int LOW, int HIGH, bool EDGE>
__device__ __forceinline__ void staged_step(float *row, float (&above)[SIDE + 1],
					    float (&here)[SIDE + 1], struct mlssor_range columns,
					    float omega)
{
	constexpr int32_t ROW_WORDS = SIDE * stride_of<SIDE>();
	float line[ROWS + 1][SIDE + 1];

#pragma unroll
	for (int j = LOW - 1; j <= HIGH; j++) {
		line[0][j] = here[j];
#pragma unroll
		for (int r = 1; r <= ROWS; r++)
			line[r][j] = row[column_at<SIDE, FROM>(j) + r * ROW_WORDS];
	}
#pragma unroll
	for (int j = LOW; j < HIGH + ROWS - 1; j++)
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
			const int k = j - r;
			if (k < LOW || k >= HIGH)
				continue;
			const float next = mlssor_update(line[r][k], line[r][k - 1], line[r][k + 1],
							 r ? line[r ? r - 1 : 0][k] : above[k],
							 line[r + 1][k], omega);
			if (!EDGE || (k >= columns.begin && k < columns.end)) {
				line[r][k] = next;
				row[column_at<SIDE, FROM>(k) + r * ROW_WORDS] = next;
			}
		}
#pragma unroll
	for (int j = LOW - 1; j <= HIGH; j++) {
		above[j] = line[ROWS - 1][j];
		here[j] = line[ROWS][j];
	}
}

/* The rows of a tile at one layer. A row is read once: it is the row below, then the row itself,
 * and what becomes of it is the row above. */
template <int SIDE, int FROM, int LOW, int HIGH, bool EDGE>
__device__ __forceinline__ void staged_rows(float *row, int32_t count, struct mlssor_range columns,
					    float omega)
{
	constexpr int32_t ROW_WORDS = SIDE * stride_of<SIDE>(), MANY = at_once<SIDE>();
	float above[SIDE + 1], here[SIDE + 1];

#pragma unroll
	for (int j = LOW - 1; j <= HIGH; j++) {
		here[j] = row[column_at<SIDE, FROM>(j)];
		above[j] = row[column_at<SIDE, FROM>(j) - ROW_WORDS];
	}
#pragma unroll 1
	for (; count >= MANY; count -= MANY, row += MANY * ROW_WORDS)
		staged_step<MANY, SIDE, FROM, LOW, HIGH, EDGE>(row, above, here, columns, omega);
	if (MANY > 2 && count >= 2) {
		staged_step<2, SIDE, FROM, LOW, HIGH, EDGE>(row, above, here, columns, omega);
		count -= 2;
		row += 2 * ROW_WORDS;
	}
	if (MANY > 1 && count)
		staged_step<1, SIDE, FROM, LOW, HIGH, EDGE>(row, above, here, columns, omega);
}

/* One tile, layer by layer. box: its box point (0, 0). EDGE: of any shape, and lanes that are not
 * `active` have none. */
template <int ROW, int COLUMN, int SIDE, int FROM, bool EDGE, int Q = 0>
__device__ __forceinline__ void staged_tile(const struct staged &b, float *box, int32_t s,
					    int32_t t, bool active, float omega)
{
	constexpr int32_t ROW_WORDS = SIDE * stride_of<SIDE>();
	struct mlssor_range rows = { mlssor_low<ROW, SIDE>(Q), mlssor_high<ROW, SIDE>(Q) },
			    columns = { 0, 0 };

	if (EDGE) {
		const int32_t row0 = mlssor_box(&b.rows, s, ROW),
			      column0 = mlssor_box(&b.columns, t, COLUMN);
		rows = mlssor_tile(&b.rows, s, ROW, Q);
		columns = mlssor_tile(&b.columns, t, COLUMN, Q);
		rows.begin -= row0;
		rows.end -= row0;
		columns.begin -= column0;
		columns.end = active ? columns.end - column0 : columns.begin;
	}
	if (!EDGE || rows.begin < rows.end)
		staged_rows<SIDE, FROM, tile_from<COLUMN, SIDE, EDGE>(Q),
			    tile_to<COLUMN, SIDE, EDGE>(Q), EDGE>(
			box + rows.begin * ROW_WORDS, rows.end - rows.begin, columns, omega);
	if constexpr (Q + 1 < SIDE / 2)
		staged_tile<ROW, COLUMN, SIDE, FROM, EDGE, Q + 1>(b, box, s, t, active, omega);
}

template <int ROW, int COLUMN, int SIDE, bool FUSED, bool EDGE>
__device__ __forceinline__ void staged_tiles(const struct staged &b, float *region, float omega)
{
	constexpr int32_t ROW_WORDS = SIDE * stride_of<SIDE>();
	const int32_t high = FUSED ? b.warp / 2 : b.warp, s = b.s + high, t = b.t + b.lane;
	float *box = region + high * SIDE * ROW_WORDS + b.lane;
	const bool active = t < b.columns.count;

	if (high >= b.high)
		return;
	if (!FUSED)
		staged_tile<ROW, COLUMN, SIDE, 0, EDGE>(b, box, s, t, active, omega);
	else if (b.warp % 2)
		staged_tile<1, 0, SIDE, 0, EDGE>(b, box + SIDE / 2 * ROW_WORDS, s, t, active,
						 omega);
	else
		staged_tile<0, 1, SIDE, SIDE / 2, EDGE>(b, box, s, t, active, omega);
}

template <int ROW, int COLUMN, int SIDE, bool FUSED, bool BACKWARD, bool EDGE>
__device__ __forceinline__ void staged_region(const struct staged &b, float omega)
{
	float *region = (float *)dynamic_shared;

	fetch<SIDE, FUSED, BACKWARD, EDGE>(b, region);
	staged_tiles<ROW, COLUMN, SIDE, FUSED, EDGE>(b, region, omega);
	__syncthreads();
	put_back<ROW, COLUMN, SIDE, FUSED, BACKWARD, EDGE>(b, region);
}

template <int ROW, int COLUMN, int SIDE, bool FUSED>
__device__ __forceinline__ void staged_block(const struct mlssor_sweep &sweep)
{
	struct staged b;

	if (!staged_begin<ROW, COLUMN, SIDE, FUSED>(sweep, &b))
		return;
	const bool inner = staged_inner(b);
	if (inner && sweep.backward)
		staged_region<ROW, COLUMN, SIDE, FUSED, true, false>(b, sweep.omega);
	else if (inner)
		staged_region<ROW, COLUMN, SIDE, FUSED, false, false>(b, sweep.omega);
	else if (sweep.backward)
		staged_region<ROW, COLUMN, SIDE, FUSED, true, true>(b, sweep.omega);
	else
		staged_region<ROW, COLUMN, SIDE, FUSED, false, true>(b, sweep.omega);
}

#endif
