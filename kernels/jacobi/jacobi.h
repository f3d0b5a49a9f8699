/* SPDX-License-Identifier: MIT
 * Jacobi iteration on the 2D Laplace equation with Dirichlet boundary: the template for a family of
 * stencil solvers. To make one of your own, copy this folder, rename what is in it, and change the
 * update; HACKING.md lists the few lines outside.
 *
 *   jacobi.h         what CPU and GPU share: the arguments of a kernel
 *   jacobi_cpu.c     the reference, which every GPU kernel must agree with to the last bit
 *   jacobi.cu        the kernel
 *   jacobi_driver.c  options, and what a run does on any machine and any number of GPUs
 *
 * The update is v = 0.25 * ((west + east) + (north + south)), with this association and without
 * fused multiply-add everywhere (CUDA: --fmad=false; C: -ffp-contract=off).
 */
#ifndef WARPREEL_JACOBI_H
#define WARPREEL_JACOBI_H

#include "kernels/kit/stencil_points.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One iteration over a rectangle. Plain data: it is copied to the GPU as it stands. Coefficients
 * would go behind. */
struct jacobi_sweep {
	struct stencil_points at; /* first */
};

/* args point to struct jacobi_sweep. */
void jacobi_f32_cpu(const void *args);
void jacobi_f64_cpu(const void *args);

#ifdef __cplusplus
}
#endif
#endif
