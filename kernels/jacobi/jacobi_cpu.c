/* SPDX-License-Identifier: MIT */
#include "jacobi.h"

/* The same text for both precisions. */
#define JACOBI(REAL, name)                                                                         \
	void name(const void *args)                                                                \
	{                                                                                          \
		const struct stencil_points *at = &((const struct jacobi_sweep *)args)->at;        \
		for (int32_t i = at->row_begin; i < at->row_end; i++) {                            \
			const REAL *u = (const REAL *)at->u + i * at->pitch;                       \
			const REAL *north = u - at->pitch, *south = u + at->pitch;                 \
			REAL *restrict v = (REAL *)at->v + i * at->pitch;                          \
			for (int32_t j = at->column_begin; j < at->column_end; j++)                \
				v[j] = (REAL)0.25 *                                                \
				       ((u[j - 1] + u[j + 1]) + (north[j] + south[j]));            \
		}                                                                                  \
	}
JACOBI(float, jacobi_f32_cpu)
JACOBI(double, jacobi_f64_cpu)
