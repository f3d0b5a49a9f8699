/* SPDX-License-Identifier: MIT
 * Local modified SOR for the convection-diffusion equation (Cotronis, Konstantinidis, Louka,
 * Missirlis, "Parallel SOR for Solving the Convection Diffusion Equation Using GPUs with CUDA";
 * equation numbers are the paper's).
 *
 * The grid has side x side points, boundary included; h = 1 / (side - 1). A point lies at x =
 * column * h, y = row * h, so that the paper's i is the column and its j the row. Red points have
 * (i + j) even and go first. One iteration is a red and a black half-sweep. The update (6)-(8) is
 *
 *     u = (1 - omega) * u + omega * ((l * west + r * east) + (t * south + b * north))
 *
 * where north is row j - 1 and south row j + 1, with exactly this association and no fused
 * multiply-add, on every machine and in every kernel. What makes l, r, t, b and omega is in
 * lmsor_terms.h, one text for host and device. So all kernels agree to the last bit.
 */
#ifndef WARPREEL_LMSOR_H
#define WARPREEL_LMSOR_H

#include <stdint.h>

#ifdef __CUDACC__
#define LMSOR_CONSTANT static __host__ __device__ constexpr
#elif defined(__cplusplus)
#define LMSOR_CONSTANT static constexpr
#else
#define LMSOR_CONSTANT static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum lmsor_omega { OMEGA_EQ9, OMEGA_AS_RUN, OMEGA_CORRECTED, OMEGA_LSOR, OMEGA_SOR };

/*
 * What a kernel finds in memory beside u; the rest it computes each time.
 *   STORED_ALL    omega, l, r, t, b    kernel #1
 *   STORED_TWO    omega, h f, h g      kernel #2
 *   STORED_NONE   nothing              kernel #3
 *   STORED_OMEGA  omega                not in the paper: f and g are cheap, the roots in omega are
 * not
 */
enum lmsor_stored { STORED_ALL, STORED_TWO, STORED_NONE, STORED_OMEGA, STORED_COUNT };
LMSOR_CONSTANT int lmsor_arrays(enum lmsor_stored stored)
{
	return stored == STORED_ALL ? 5 : stored == STORED_TWO ? 3 : stored == STORED_OMEGA ? 1 : 0;
}

/* Everything the terms of a point depend on, beside its place. */
struct lmsor_problem {
	double re, h;
	double far, near; /* cos(pi h), cos(pi (1 - h) / 2): of mu bar (10) and mu underbar (11) */
	double omega;	  /* OMEGA_SOR: the one factor */
	int32_t problem;  /* 1, 2, 3 */
	int32_t variant;  /* enum lmsor_omega */
};

/*
 * u lies as LAYOUT_SPLIT has it (kernels/kit/colour_layout.h): each row its red half-row, then
 * its black one, pitch/2 each; pitch is a multiple of 128 elements. Stored terms lie in planes of
 * strip_rows x pitch/2, first all of red, then all of black: array a of colour c begins at element
 * (c * arrays + a) * strip_rows * pitch/2.
 *
 * A sweep whose `norm` is not NULL raises *norm to the greatest |u| it left, as the bits of the
 * double: for numbers that are not negative, and for NaN, their order is that of the integers.
 * norm[-1] is then the value after the iteration before: unless that is finite and above `stop_at`,
 * the iteration has ended and the sweep does nothing. A sweep that shall never stop finds infinity
 * minus one bit there, or comes with stop_at = UINT64_MAX.
 */
struct lmsor_sweep {
	double *grid;
	const double *terms; /* NULL for STORED_NONE */
	uint64_t *norm;
	uint64_t stop_at;	/* bits of the tolerance; UINT64_MAX: never stop */
	int32_t pitch, columns; /* elements between rows; columns of the whole grid */
	int32_t strip_rows;	/* rows stored, halo included */
	int32_t row_begin,
		row_end;   /* local rows to update; 1 <= row_begin, row_end <= strip_rows - 1 */
	int32_t first_row; /* global row of local row 0 */
	int32_t colour;	   /* 0 red, 1 black */
	struct lmsor_problem problem;
};

/*
 * Arguments of lmsor_persistent: all iterations of a grid in one launch, nothing stored
 * (STORED_NONE). Rows are cut into `bands` bands as even as can be, a block each; no band has more
 * than LMSOR_BAND_ROWS rows, no grid more than 2 LMSOR_LOOP_THREADS columns.
 *
 * `scoreboard` is zero before the launch. Then scoreboard[0] is the number of iterations made,
 * scoreboard[1] max|u| after them, as bits. Behind them bands count themselves: scoreboard[2] once
 * all are there, one more word for each check.
 */
struct lmsor_loop {
	double *grid;
	uint64_t *scoreboard; /* 3 + iterations / check_every words */
	uint64_t *mailboxes;  /* lmsor_mailbox_words(bands): what bands tell their neighbours; need
				 not be cleared */
	uint64_t stop_at;     /* as in a sweep; UINT64_MAX: checks change nothing */
	int32_t pitch, columns;
	int32_t row_begin, row_end, first_row;
	int32_t iterations;  /* at most; from 1 */
	int32_t check_every; /* iterations between checks of max|u|; from 1 */
	int32_t bands;	     /* from 1 to the number of rows */
	struct lmsor_problem problem;
};

enum {
	LMSOR_BANDS = 132,
	LMSOR_BAND_ROWS = 8,
	LMSOR_LOOP_THREADS = 512
};			/* bands: a multiprocessor each */
enum { LMSOR_LAG = 3 }; /* iterations from a check until all know what came of it */
enum { SCOREBOARD_DONE, SCOREBOARD_NORM, SCOREBOARD_COUNTS };

/* Words of 8 bytes, two a mailbox, which holds one flag: of two sides and two colours of each band.
 */
LMSOR_CONSTANT int64_t lmsor_mailbox_words(int32_t bands)
{
	return (int64_t)bands * 2 * 2 * LMSOR_LOOP_THREADS * 2;
}

/* Arguments of lmsor_terms: fills the planes of `stored` for all stored rows. */
struct lmsor_setup {
	double *terms;
	int32_t pitch, strip_rows, first_row, stored;
	struct lmsor_problem problem;
};

/* CPU implementations: args point to struct lmsor_sweep. One a kind of storage, split layout, rows
 * in order. */
void lmsor_all_cpu(const void *args);
void lmsor_two_cpu(const void *args);
void lmsor_none_cpu(const void *args);
void lmsor_omega_cpu(const void *args);
/* The paper's CPU program: `grid` and the five planes of `terms` row-major (pitch = columns), one
 * thread, every other element. */
void lmsor_rows_cpu(const void *args);
/* STORED_OMEGA by OpenMP threads, in vectors as wide as the processor has. */
void lmsor_openmp_cpu(const void *args);
/* args point to struct lmsor_loop. */
void lmsor_persistent_cpu(const void *args);
/* args point to struct lmsor_setup; `rows`: row-major planes for lmsor_rows_cpu. */
void lmsor_terms_cpu(const void *args);
void lmsor_terms_rows_cpu(const void *args);

#ifdef __cplusplus
}
#endif
#endif
