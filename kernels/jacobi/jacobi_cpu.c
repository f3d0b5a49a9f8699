/* SPDX-License-Identifier: MIT */
#include "jacobi.h"

/* The same text for both precisions. */
#define JACOBI(REAL, name)                                                                         \
	void name(const void *args)                                                                \
	{                                                                                          \
		const struct jacobi_sweep *s = args;                                               \
		for (int32_t i = s->row_begin; i < s->row_end; i++) {                              \
			const REAL *u = (const REAL *)s->u + i * s->pitch;                         \
			const REAL *north = u - s->pitch, *south = u + s->pitch;                   \
			REAL *restrict v = (REAL *)s->v + i * s->pitch;                            \
			for (int32_t j = s->column_begin; j < s->column_end; j++)                  \
				v[j] = (REAL)0.25 *                                                \
				       ((u[j - 1] + u[j + 1]) + (north[j] + south[j]));            \
		}                                                                                  \
	}
JACOBI(float, jacobi_f32_cpu)
JACOBI(double, jacobi_f64_cpu)
