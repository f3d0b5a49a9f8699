/* SPDX-License-Identifier: MIT
 * Jacobi iteration on the 2D Laplace equation with Dirichlet boundary: the template for a family of
 * stencil solvers. To make one of your own, copy this folder, rename what is in it, and change the
 * update; HACKING.md lists the few lines outside.
 *
 *   jacobi.h           what CPU and GPU share: the arguments of a kernel
 *   jacobi_cpu.c       the reference, which every GPU kernel must agree with to the last bit
 *   jacobi_geometry.c  grid and block of the kernel: the launcher obeys it, a plan writes it down
 *   jacobi.cu          the kernel and its launcher
 *   jacobi_driver.c    options, and what a run does on any machine and any number of GPUs
 *
 * The update is v = 0.25 * ((west + east) + (north + south)), with this association and without
 * fused multiply-add everywhere (CUDA: --fmad=false; C: -ffp-contract=off).
 */
#ifndef WARPREEL_JACOBI_H
#define WARPREEL_JACOBI_H

#include <stdint.h>

#include "traces/schedule/schedule.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { JACOBI_BLOCK_COLUMNS = 64, JACOBI_BLOCK_ROWS = 4 };

/* One iteration over a rectangle of a part, indices local to it. Plain data: it is copied to the
 * GPU as it stands. */
struct jacobi_sweep {
	const void *u;					      /* the old values */
	void *v;					      /* the new ones */
	int64_t pitch;					      /* elements between rows of both */
	int32_t row_begin, row_end, column_begin, column_end; /* neighbours exist */
};

/* args point to struct jacobi_sweep. */
void jacobi_f32_cpu(const void *args);
void jacobi_f64_cpu(const void *args);
void jacobi_geometry(const void *args, struct launch_geometry *geometry);

#ifdef __cplusplus
}
#endif
#endif
