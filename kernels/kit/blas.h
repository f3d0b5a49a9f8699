/* SPDX-License-Identifier: MIT
 * OpenBLAS and LAPACKE, for programs of the CPU that a paper compares with. They are loaded when
 * first asked for, not linked: OpenBLAS starts its threads as it is loaded, which no run that does
 * without should have beside it, and a machine without the libraries runs all else.
 */
#ifndef WARPREEL_BLAS_H
#define WARPREEL_BLAS_H

/* With the values of cblas.h and lapacke.h. */
enum { BLAS_COLUMNS = 102, BLAS_PLAIN = 111 };

struct blas {
	void (*dgemv)(int order, int transpose, int m, int n, double alpha, const double *a,
		      int a_stride, const double *x, int x_step, double beta, double *y,
		      int y_step);
	void (*dgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k,
		      double alpha, const double *a, int a_stride, const double *b, int b_stride,
		      double beta, double *c, int c_stride);
	/* Cholesky factor, and the inverse from it: the lower triangle. */
	int (*dpotrf)(int order, char triangle, int n, double *a, int a_stride);
	int (*dpotri)(int order, char triangle, int n, double *a, int a_stride);
	/* Of a call; 1 where several threads call at once. */
	void (*threads)(int count);
};

/* With products, or with Cholesky; NULL after a message that names what is missing. */
const struct blas *blas_load(void);
const struct blas *lapack_load(void);

#endif
