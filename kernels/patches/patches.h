/* SPDX-License-Identifier: MIT
 * Block relaxation on sets of 3D patches (Rodriguez, Philip, Wang, Berrill, "Block-Relaxation
 * Methods for 3D Constant-Coefficient Stencils on GPUs and Multicore CPUs"; equation, algorithm and
 * figure numbers are the paper's). What kernels and host code share.
 *
 * The operator is the 7-point stencil s[0] in the cell, s[1], s[2], s[3] in its neighbours along x,
 * y, z; h^2 is part of f. A patch is cut into blocks of block[0] x block[1] x block[2] cells, x
 * fastest. A step relaxes each block b of each patch once:
 *
 *     r_b = f_b - (A u)_b       u_b += omega A_bb^-1 r_b
 *
 * block Jacobi with r from the values before the step, into a second vector v; Gauss-Seidel in
 * place, in an order that is that of the blocks (lexicographic), drawn (chaotic, on the CPU), or
 * nobody's (chaotic, on a GPU).
 *
 * Where blocks do not divide a patch, the last along an axis is cut: it has as many cells as are
 * left, and an inverse of its own. Or it overlaps the block before: it is whole, begins earlier,
 * and its result is taken for the cells that no block before it has.
 *
 * The block operator is a Dirichlet operator on a box. So its inverse is known,
 * S^T D^-1 S with S = S_x x S_y x S_z, sine transforms of the sides, D the eigenvalues: `diagonal`
 * holds D^-1.
 *
 * It is also its own mirror along each axis: its inverse maps what is even under it to what is even
 * and what is odd to what is odd. GEMM makes use of that along y and z. With sums and differences
 * of mirrored cells for the cells, the product of n^2 numbers a block becomes four of (n / 4)^2:
 * parts 0 to 3, bit 0: differences along y, bit 1: along z. A cell in the middle is its own mirror
 * and goes with the sums.
 */
#ifndef WARPREEL_PATCHES_H
#define WARPREEL_PATCHES_H

#include <stdint.h>

#ifdef __CUDACC__
#define PATCHES_INLINE static __host__ __device__ __forceinline__
#else
#define PATCHES_INLINE static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {
	PATCHES_CUTS = 8,
	PATCHES_PARTS = 4,
	PATCHES_TILE = 8,
	PATCHES_TILE_THREADS = 256,	 /* columns of a tile */
	PATCHES_SINE_THREADS = 128,	 /* two columns each */
	PATCHES_SINES = 64,		 /* elements of a matrix of a transform */
	PATCHES_STEPS_THREADS = 256,	 /* of patches_steps at most: a warp 8^3 cells */
	PATCHES_STEPS_BYTES = 227 << 10, /* shared memory of a thread block (sm_90) */
};

/* One patch, for kernels. */
struct patches_box {
	int64_t origin, first_cell; /* elements of u's cell (0, 0, 0); of f's */
	int32_t n[3], pitch, plane;
	int32_t blocks[3];
	int32_t first_block;		/* of its GPU's, counted through all patches */
	int32_t first_tile;		/* of patches_sine */
	int32_t inverse[PATCHES_CUTS];	/* elements of a block's inverse and of its diagonal: bit 0
					 */
	int32_t diagonal[PATCHES_CUTS]; /* of the index, the last along x and cut; 1 and 2, y and z
					 */
};

/* Elements of u that a patch has with its ghost cells, from the sector that holds the first; and
 * those before cell (0, 0, 0). */
PATCHES_INLINE int32_t patches_before(const struct patches_box *box)
{
	return box->plane + box->pitch + 4;
}
PATCHES_INLINE int32_t patches_elements(const struct patches_box *box)
{
	return box->plane * (box->n[2] + 2) + 4;
}

/* Arguments of all kernels that relax: patches [first, first + count) of a GPU's. */
struct patches_step {
	const struct patches_box *box;
	const double *u, *f;
	double *v;		/* where the new values go: u itself for Gauss-Seidel */
	const double *inverse;	/* column-major; GEMM: of the four parts */
	const double *diagonal; /* first the matrices of transforms of 1 to 8 values */
	double *packed;		/* GEMM: residuals, and behind them corrections; of each the four
				   parts, a column a block */
	double omega;
	float stencil[4]; /* whole numbers or halves: exact in single precision */
	int32_t first, count;
	int32_t blocks, tiles; /* of these patches, in all; patches_steps: tiles are the elements
				  of the largest patch */
	int16_t block[3];
	int16_t overlap; /* the last block overlaps instead of being cut */
	int32_t wave;	 /* CPU, chaotic: blocks that do not see each other's new values; 0: in
			    the order of blocks. patches_steps: steps */
	int32_t threads; /* OpenMP: outer threads of nested loops; GPU kernels: of a block */
	uint32_t order;	 /* CPU, chaotic: draws the order */
	int32_t side;	 /* cells of a tile along x: patches_geometry.h */
};

/* Arguments of the kernels that move ghost values: links as in kernels/kit/patch_set.h, with
 * offsets of their buffers. */
struct patches_ghost {
	int64_t target, source; /* elements of the first cell */
	int32_t kind, count_a, count_b;
	int32_t target_a, target_b, source_a, source_b, source_c;
	int32_t odd_a, odd_b, inward, pad;
};
struct patches_ghost_list {
	const struct patches_ghost *link;
	double *target;
	const double *source;
	int32_t first, count; /* links */
	int32_t cells_most;   /* of a link */
};

/* GEMM: cells of a part along an axis of `cells`, of sums or of differences. */
PATCHES_INLINE int32_t patches_part(int32_t cells, int32_t differences)
{
	return differences ? cells / 2 : (cells + 1) / 2;
}
/* Cells of one of the PATCHES_PARTS of a block: the side of its inverse. */
PATCHES_INLINE int32_t patches_part_side(const int16_t block[3], int32_t part)
{
	return block[0] * patches_part(block[1], part & 1) * patches_part(block[2], part & 2);
}

/* CPU implementations; args point to struct patches_step. */
void patches_gemv_cpu(const void *args);    /* dense inverse, plain loops */
void patches_split_cpu(const void *args);   /* Algorithm 3: v = omega A^-1 r for all ... */
void patches_advance_cpu(const void *args); /* ... and then u += v */
void patches_sine_cpu(const void *args);    /* by sine transforms */
void patches_steps_cpu(const void *args);   /* the same, step->wave times */
void patches_gemm_residual_cpu(const void *args);
void patches_gemm_product_cpu(const void *args);
void patches_gemm_update_cpu(const void *args);
/* OpenMP, with OpenBLAS's dgemv: over blocks, over patches, over both. */
void patches_by_block_cpu(const void *args);
void patches_by_patch_cpu(const void *args);
void patches_nested_cpu(const void *args);
/* OpenMP over patches, with OpenBLAS's dgemm over the blocks of a patch. */
void patches_dgemm_cpu(const void *args);
/* args point to struct patches_ghost_list */
void patches_ghosts_cpu(const void *args);

#ifdef __cplusplus
}
#endif
#endif
