/* SPDX-License-Identifier: MIT
 * Coefficients (3) and local parameters (9)-(13) of one point, for C and CUDA alike: the same
 * operations in the same order, each rounded once, so that a term computed in a kernel equals the
 * one stored beforehand.
 *
 * f depends on x and g on y alone, and both are one function of their coordinate; mesh sizes are
 * equal (h = k), so that k^2 / (2 (h^2 + k^2)) is 1/4 exactly.
 */
#ifndef WARPREEL_LMSOR_TERMS_H
#define WARPREEL_LMSOR_TERMS_H

#include <math.h>
#include <stdbool.h>

#include "lmsor.h"

#ifdef __CUDACC__
#define LMSOR_INLINE __host__ __device__ __forceinline__
#else
#define LMSOR_INLINE static inline __attribute__((always_inline))
#endif

/* One direction at a point: `before` multiplies the neighbour at the lower index, `after` the one
 * at the higher. */
struct lmsor_pair {
	double before, after; /* l and r, or b and t */
	double root;	      /* sqrt(|before * after|) */
	bool positive;	      /* before * after >= 0: real eigenvalues */
};

/* h f at index * h; the paper's three problems, section 4. */
LMSOR_INLINE double lmsor_drift(const struct lmsor_problem *p, int index)
{
	const double d = 2.0 * ((double)index * p->h) - 10.0;

	return p->h * (p->problem == 1	 ? p->re * (d * d * d)
		       : p->problem == 2 ? p->re * d
					 : p->re * 10000.0);
}

LMSOR_INLINE double lmsor_before(double drift)
{
	return 0.25 * (1.0 + 0.5 * drift);
}

LMSOR_INLINE double lmsor_after(double drift)
{
	return 0.25 * (1.0 - 0.5 * drift);
}

LMSOR_INLINE struct lmsor_pair lmsor_pair_of(double drift)
{
	struct lmsor_pair pair;

	pair.before = lmsor_before(drift);
	pair.after = lmsor_after(drift);
	pair.root = sqrt(fabs(pair.before * pair.after));
	pair.positive = pair.before * pair.after >= 0;
	return pair;
}

/*
 * The relaxation factor of a point. The imaginary case has the moduli of mu bar and mu underbar;
 * their product as such changes its sign (i a times i b is -ab), which (13) as printed leaves out
 * and `corrected` puts right.
 */
LMSOR_INLINE double lmsor_relaxation(const struct lmsor_problem *p, int colour, double root_x,
				     double root_y, bool real)
{
	const double bar = 2.0 * (root_x * p->far + root_y * p->far);
	const double under =
		p->variant == OMEGA_LSOR ? 0.0 : 2.0 * (root_x * p->near + root_y * p->near);
	const bool minus = (colour == 0) != (p->variant == OMEGA_CORRECTED && !real);
	const double product = minus ? -(bar * under) : bar * under;
	const double a = p->variant == OMEGA_AS_RUN && real ? bar : bar * bar;
	const double b = p->variant == OMEGA_AS_RUN && real ? under : under * under;
	const double inside = (1.0 + (real ? -a : a)) * (1.0 + (real ? -b : b));

	return p->variant == OMEGA_SOR ? p->omega : 2.0 / ((1.0 + product) + sqrt(inside));
}

LMSOR_INLINE double lmsor_update(double u, double omega, double l, double r, double t, double b,
				 double west, double east, double south, double north)
{
	return (1.0 - omega) * u + omega * ((l * west + r * east) + (t * south + b * north));
}

#endif
