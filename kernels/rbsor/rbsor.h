/* SPDX-License-Identifier: MIT
 * Red-black SOR on the 2D Laplace equation with Dirichlet boundary (seed: Spampinato, "Modeling
 * Communication on Multi-GPU Systems", chapters 4 and 5; equations (4.17), (4.18)).
 *
 * The grid has rows x columns points, boundary included; the interior is (rows - 2) x (columns -
 * 2). Red points have (i + j) even in global indices and go first. One iteration is a red and a
 * black half-sweep. The update is
 *
 *     u = u + omega * (0.25 * ((west + east) + (north + south)) - u)
 *
 * with exactly this association and no fused multiply-add, on every machine and in every kernel, so
 * that all of them agree to the last bit (CUDA: --fmad=false; C: -ffp-contract=off).
 */
#ifndef WARPREEL_RBSOR_H
#define WARPREEL_RBSOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kernels of `paper`, `texture`, `fused` and `temporal` work on LAYOUT_ROWS, those of `tuned`
 * and `store` on LAYOUT_SPLIT (kernels/kit/colour_layout.h). */

/* Arguments of rbsor_{paper,tuned}_{f32,f64}: one colour of rows [row_begin, row_end) of a strip.
 */
struct rbsor_sweep {
	void *grid;		    /* the strip, in the kernel's layout, halo rows included */
	int64_t pitch;		    /* elements between rows */
	int32_t columns;	    /* of the whole grid */
	int32_t strip_rows;	    /* rows stored, halo included */
	int32_t row_begin, row_end; /* local rows to update; 1 <= row_begin, row_end <= strip_rows -
				       1: neighbours exist */
	int32_t first_row;	    /* global row of local row 0: decides the colour */
	int32_t colour;		    /* 0 red, 1 black */
	double omega;		    /* f32 kernels round it to float once */
};

/* Arguments of the kernels of rbsor_sweeps.def: a sweep, and where the thesis' index arithmetic
 * finds its own global coordinates. */
struct rbsor_area {
	struct rbsor_sweep sweep;	 /* first; its colour is the kernel's */
	int32_t first_row, first_column; /* global row and column of the first stored point */
};

/*
 * Arguments of rbsor_rim_{f32,f64}: the first and the last of rows [row_begin, row_end), those
 * that a neighbour's halo has, too; what is updated is stored there at the same time. All on
 * LAYOUT_SPLIT, with the same pitch.
 */
struct rbsor_rim {
	struct rbsor_sweep sweep; /* first */
	void *north, *south; /* the row of the neighbour's strip that the first and the last row go
				to; maybe another GPU's memory. NULL: no neighbour, and the row is
				left alone */
};

/*
 * Arguments of rbsor_{fused,temporal*}_{f32,f64}: `depth` iterations of a part in one pass from one
 * buffer to another, both LAYOUT_ROWS. The outermost stored rows and columns stay as they are. Rows
 * [row_begin, row_end) are written, in whole 16-byte vectors: what lies beyond the last column goes
 * over as it was.
 */
struct rbsor_pass {
	const void *from;
	void *to;
	int64_t pitch;		    /* elements between rows of either */
	int32_t columns;	    /* stored */
	int32_t strip_rows;	    /* stored */
	int32_t row_begin, row_end; /* local rows to write; 1 <= row_begin, row_end <= strip_rows -
				       1 */
	int32_t first;		    /* global row and column of the first stored point, added up:
				       decides the colour */
	int32_t depth;
	double omega;
};

/*
 * Arguments of rbsor_persistent*_{f32,f64}: all iterations of a whole grid, LAYOUT_ROWS, in one
 * launch of blocks that are on the GPU at once. Blocks exchange borders every PERSISTENT_DEPTH
 * iterations through the two grids by turns, the second first, so that the result is in
 * grid[rbsor_loop_result()]; what the other then holds is not defined.
 */
enum { PERSISTENT_DEPTH = 4 };
struct rbsor_loop {
	void *grid[2]; /* both with the boundary; the first has the start values */
	void *flags; /* uint32_t for each block: exchanges that it made in all launches so far; at a
			launch all are equal */
	void *unread; /* NULL: keeps what follows where the code of counted kernels reads it */
	int64_t pitch;
	int32_t columns, rows;
	int32_t iterations;
	double omega;
};
static inline int rbsor_loop_result(int32_t iterations)
{
	return ((iterations - 1) / PERSISTENT_DEPTH + 1) & 1;
}

/* CPU implementations (plain C, reference): args point to the structs above. */
void rbsor_rows_f32_cpu(const void *args);
void rbsor_rows_f64_cpu(const void *args);
void rbsor_tuned_f32_cpu(const void *args);
void rbsor_tuned_f64_cpu(const void *args);
void rbsor_rim_f32_cpu(const void *args);
void rbsor_rim_f64_cpu(const void *args);
void rbsor_pass_f32_cpu(const void *args);
void rbsor_pass_f64_cpu(const void *args);
void rbsor_loop_f32_cpu(const void *args);
void rbsor_loop_f64_cpu(const void *args);

#ifdef __cplusplus
}
#endif
#endif
