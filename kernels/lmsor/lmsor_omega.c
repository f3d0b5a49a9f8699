/* SPDX-License-Identifier: MIT
 * The problem as a whole: mesh size, the cosines of (10) and (11), which points have real and which
 * imaginary eigenvalues, the one factor of plain SOR, and where the formulas end.
 *
 * f depends on the column alone and g on the row alone, by the same function: one pass over a
 * column tells everything.
 */
#include <float.h>
#include <stdlib.h>

#include "traces/base/util.h"
#include "lmsor_params.h"
#include "lmsor_terms.h"

/* How many of the indices 0 .. size - 1 give a negative, zero, positive product of the two
 * coefficients, and the largest root. */
struct signs {
	int64_t negative, zero, positive;
	double root;
};

static int signs_of(const struct lmsor_params *given, struct signs *signs)
{
	*signs = (struct signs){ .root = 0 };
	for (int k = 0; k < given->size; k++) {
		const struct lmsor_pair pair = lmsor_pair_of(lmsor_drift(&given->p, k));
		const double product = pair.before * pair.after;
		if (!isfinite(product))
			return report("re %g overflows: the coefficients at column %d of %d are "
				      "not finite",
				      given->re, k, given->size);
		signs->negative += product < 0;
		signs->zero += product == 0;
		signs->positive += product > 0;
		signs->root = pair.root > signs->root ? pair.root : signs->root;
	}
	return 0;
}

/* The Jacobi operator's largest mu (10) decides, as for a constant one. */
static double optimal_omega(const struct lmsor_problem *p, double root, bool real)
{
	const double bar = 4.0 * root * p->far;
	return 2.0 / (1.0 + sqrt(real ? 1.0 - bar * bar : 1.0 + bar * bar));
}

int lmsor_problem_of(struct lmsor_params *given)
{
	struct lmsor_problem *p = &given->p;
	struct signs s;
	p->re = given->re;
	p->h = 1.0 / (double)(given->size - 1);
	p->far = cos(M_PI * p->h);
	p->near = cos(M_PI * (1.0 - p->h) / 2.0);
	if (signs_of(given, &s))
		return -1;
	const int64_t real = s.positive + s.zero, imaginary = s.negative + s.zero,
		      all = (int64_t)given->size * given->size;
	given->real_points = real * real;
	/* A zero product is of both kinds; two of them count as real. */
	given->imaginary_points = imaginary * imaginary - s.zero * s.zero;
	const int64_t mixed = all - given->real_points - given->imaginary_points;
	if (p->variant == OMEGA_SOR) {
		if (given->sor_omega <= 0 && mixed)
			return report(
				"problem %d at re %g has both real and imaginary eigenvalues, so "
				"plain SOR has no optimum here: give --sor-omega",
				p->problem, given->re);
		p->omega = given->sor_omega > 0 ? given->sor_omega
						: optimal_omega(p, s.root, given->real_points > 0);
		return 0;
	}
	if (mixed)
		return report("problem %d at re %g and size %d: at %lld of %lld points l r and t b "
			      "have unlike signs, which no formula of the method covers",
			      p->problem, given->re, given->size, (long long)mixed, (long long)all);
	/* The imaginary case subtracts from a root: beyond this the 1 in the denominators is below
	 * the root's last bit. */
	const double bar = 4.0 * s.root * p->far, under = 4.0 * s.root * p->near;
	if (!(sqrt((1 + bar * bar) * (1 + under * under)) < 0.25 / DBL_EPSILON))
		return report("re %g overflows: the relaxation factors of problem %d at size %d "
			      "are lost in rounding",
			      given->re, p->problem, given->size);
	return 0;
}
