/* SPDX-License-Identifier: MIT
 * Multi-layer SSOR on the 2D Laplace equation (Di, Wan, Zhang, Wu, Xue, "Toward Harnessing DOACROSS
 * Parallelism for Multi-GPGPUs"; equations and sections are the paper's), single precision.
 *
 * The mesh has rows x columns interior points, 1 to rows and 1 to columns; rows 0 and rows + 1 and
 * such columns are the boundary. A layer updates every interior point once, a sweep is `layers`
 * layers (the paper's K) in one direction. The update is that of red-black SOR here
 * (kernels/rbsor/rbsor.h),
 *
 *     u = u + omega * (0.25 * ((west + east) + (north + south)) - u)
 *
 * with exactly this association and no fused multiply-add, which is (4) forward and (5) backward,
 * and to the last bit the same when rows and columns are mirrored.
 *
 * A backward sweep is a forward sweep of the mirrored mesh: point (i, j) of the sweep is (rows + 1
 * - i, columns + 1 - j) of the mesh. All that is said of sweeps is in the sweep's own coordinates.
 * How a sweep is cut into tiles is in mlssor_tiles.h.
 */
#ifndef WARPREEL_MLSSOR_H
#define WARPREEL_MLSSOR_H

#include <stdint.h>

#ifdef __CUDACC__
#define MLSSOR_SHARED static __host__ __device__ __forceinline__
#else
#define MLSSOR_SHARED static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The grid of a GPU: rows of `pitch` floats, local row 0 is mesh row first_row, local column 0 mesh
 * column 0. */

/*
 * One kernel of a sweep: the tiles with index (tile_row, tile_column), from 0, of the subdomains in
 * rows [begin, end) of subdomains. K11 is (0, 0), K12 (0, 1).
 */
struct mlssor_sweep {
	float *grid;
	uint32_t *norm; /* [layers]: raised to the greatest |change| of a point in each layer, as
			   the bits of the float; NULL: nobody asks. CPU only */
	int32_t pitch, first_row;
	int32_t rows, columns; /* interior points of the mesh, whole multiples of: */
	int32_t height, width; /* of a subdomain (n x n in the paper) */
	int32_t layers;	       /* K */
	int32_t shift;	       /* of the planes, against (6): mlssor_tiles.h */
	int32_t parts, step;   /* tiles of a subdomain along each axis (m); a full tile's side (M),
				  unused when parts = 2 */
	int32_t backward;      /* the sweep is mirrored */
	int32_t tile_row, tile_column;
	int32_t begin, end; /* rows of subdomains, in the sweep's order */
	int32_t threads;    /* of a block; a thread takes a tile */
	int32_t fused;	    /* K12 and K21 in one launch; the tile index is K12's */
	float omega;
};

/* One layer in lexicographic order, sequential: SSOR and multi-layer SSOR (Figure 1). Whole mesh in
 * one grid; tile and subdomain fields are not looked at, norm has one word. */
void mlssor_sequential_cpu(const void *args);

/* The tiles of one kernel, one after the other, points of a tile in lexicographic order of (layer,
 * row, column): what every GPU kernel must agree with to the last bit. */
void mlssor_tiles_cpu(const void *args);

/*
 * Red-black SOR as in the Java Grande benchmarks: points with even (i + j) first, and
 *
 *     u = omega / 4 * (((north + south) + west) + east) + (1 - omega) * u
 *
 * One colour of local rows [row_begin, row_end).
 */
struct mlssor_colour {
	float *grid;
	uint32_t *norm; /* one word, as above */
	int32_t pitch, first_row;
	int32_t columns; /* interior points of a row */
	int32_t row_begin, row_end;
	int32_t colour;			   /* 0: red, even */
	int32_t point_rows, point_columns; /* points a thread */
	int32_t threads;		   /* a block */
	float omega;
};
void mlssor_redblack_cpu(const void *args);

#ifdef __cplusplus
}
#endif
#endif
