/* SPDX-License-Identifier: MIT
 * The sequential solution every scheme must come to: Gauss-Seidel in reading order, over-relaxed,
 * in double. Written apart from weak.h, so that a slip there shows.
 */
#include <stdlib.h>

#include "traces/base/util.h"
#include "weak_problem.h"

double weak_best_omega(double mu)
{
	return 2 / (1 + sqrt(1 - mu * mu));
}

struct sweep {
	const struct weak_problem *p;
	double *u; /* fields x values, as the problem's */
	double omega;
	int64_t pitch, field;
};

static double relax(const struct sweep *s, double *u, double wanted)
{
	const double by = wanted - *u;
	*u += s->omega * by;
	return fabs(by);
}

/* What eq. (2) wants of a node. */
static double poisson_node(const struct sweep *s, int64_t at, double asked, double weight)
{
	double *u = s->u + at;
	return relax(s, u, (u[-s->pitch] + u[s->pitch] + u[-1] + u[1] + asked) * weight);
}

/* What eq. (4) wants of a node: R and its derivatives by the quotient rule. */
static double shape_node(const struct sweep *s, int64_t at, double asked, double weight)
{
	const struct weak_terms *t = &s->p->terms;
	double *u = s->u + at, *v = u + s->field;
	const double f = *u, g = *v, x = t->light[0], y = t->light[1], z = t->light[2];
	const double below = 4 + f * f + g * g,
		     above = -4 * f * x - 4 * g * y + (4 - f * f - g * g) * z;
	const double r = above > 0 ? above / below : 0;
	double by_f = 0, by_g = 0;
	if (above > 0) {
		by_f = ((-4 * x - 2 * f * z) * below - above * 2 * f) / (below * below);
		by_g = ((-4 * y - 2 * g * z) * below - above * 2 * g) / (below * below);
	}
	const double pull = (double)t->pull * (asked - r);
	double next_f = (u[-s->pitch] + u[s->pitch] + u[-1] + u[1]) * weight + pull * by_f,
	       next_g = (v[-s->pitch] + v[s->pitch] + v[-1] + v[1]) * weight + pull * by_g;
	const double length = hypot(next_f, next_g);
	if (length > 2) {
		next_f *= 2 / length;
		next_g *= 2 / length;
	}
	const double first = relax(s, u, next_f), second = relax(s, v, next_g);
	return larger_or_nan(first, second);
}

static double sweep_once(const struct sweep *s)
{
	const struct weak_problem *p = s->p;
	double most = 0;
	for (int plane = 0; plane < p->grid.planes; plane++)
		for (int row = 0; row < p->rows; row++) {
			const int64_t at = weak_at(&p->grid, plane, row, 0);
			for (int64_t k = at; k < at + p->columns; k++) {
				const double weight = (double)p->constants[s->field + k];
				if (!(weight > 0))
					continue;
				/* 1/3 in float is not a third. */
				const double share = 1 / (double)lround(1 / weight),
					     asked = (double)p->constants[k];
				most = larger_or_nan(most,
						     p->rule == WEAK_POISSON
							     ? poisson_node(s, k, asked, share)
							     : shape_node(s, k, asked, share));
			}
		}
	return most;
}

int weak_reference(const struct weak_problem *p, float *values, double omega, int sweeps,
		   double tolerance, double *change)
{
	const int64_t field = weak_values(&p->grid), all = field * weak_fields(p->rule);
	struct sweep s = { p, xcalloc((size_t)all, sizeof(double)), omega, weak_pitch(&p->grid),
			   field };
	int done = 0;
	for (int64_t k = 0; k < all; k++)
		s.u[k] = (double)values[k];
	*change = INFINITY;
	while (done<sweeps && * change> tolerance) {
		*change = sweep_once(&s);
		done++;
	}
	for (int64_t k = 0; k < all; k++)
		values[k] = (float)s.u[k];
	free(s.u);
	return done;
}
