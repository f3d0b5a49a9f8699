/* SPDX-License-Identifier: MIT
 * Inverses of block operators. A block of n[0] x n[1] x n[2] cells is a Dirichlet operator, so its
 * eigenvectors are sines and its inverse is known; LAPACK gives the same from the matrix itself, as
 * the paper has it (section 4.3).
 */
#ifndef WARPREEL_PATCHES_INVERSE_H
#define WARPREEL_PATCHES_INVERSE_H

#include "kernels/kit/blas.h"
#include "patches_params.h"

/* S of a side: n x n, symmetric and its own inverse. */
void patches_sines(int32_t n, double *sines);
/* 1 / eigenvalues of a block, [cells], x fastest. */
void patches_diagonal(const double stencil[4], const int32_t n[3], double *diagonal);
/* e = A^-1 r by sine transforms. `sines`: of the three sides; scratch: [cells]. */
void patches_sine_apply(const double *const sines[3], const double *diagonal, const int32_t n[3],
			const double *r, double *e, double *scratch);

/* The inverse, column-major, [cells * cells]. */
void patches_inverse_sine(const double stencil[4], const int32_t n[3], double *inverse);
/* -1 after a message: no LAPACK, or the matrix is not positive definite. */
int patches_inverse_lapack(const double stencil[4], const int32_t n[3], double *inverse);

/* The inverse of a block, in its place, as those of the four parts of GEMM (patches.h); how many
 * numbers they are. */
int64_t patches_inverse_parts_elements(const int32_t n[3]);
void patches_inverse_parts(const int32_t n[3], double *inverse);

/* What a set needs on each GPU: one box a patch, with the inverses and the diagonals of all kinds
 * of blocks that there are. */
struct patches_tables {
	struct patches_box *box;    /* [set->count], those of a GPU one after the other */
	int32_t *first;		    /* [gpus + 1]: GPU g has boxes first[g] to first[g + 1] */
	int32_t *box_of;	    /* [set->count]: index of a patch's box */
	double *inverse, *diagonal; /* inverse: NULL where not asked for */
	int64_t inverse_elements, diagonal_elements;
	int64_t blocks;	   /* of all patches */
	int32_t side;	   /* of tiles along x: patches_geometry.h */
	int64_t invert_ns; /* what making the inverses took */
};
/* -1 after a message; release in either case. `compute`: else only sizes. */
int patches_tables_make(struct patches_tables *tables, const struct patches_params *params,
			const struct patch_set *set, uint32_t gpus, bool compute);
void patches_tables_release(struct patches_tables *tables);

#endif
