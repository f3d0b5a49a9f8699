/* SPDX-License-Identifier: MIT */
#include "patches_solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "patches_ghost.h"
#include "patches_inverse.h"
#include "patches_link.h"
#include "traces/base/util.h"

enum { LEVELS_MOST = 10, COARSEST_SWEEPS = 20 };

/* A patch of a level; vectors have ghost cells, but for f. */
struct level {
	struct patches_params params;
	struct patch_set set;
	struct patches_tables tables;
	struct patches_ghost *ghost;
	double *memory, *u, *f, *v; /* v: the second vector of block Jacobi, and residuals */
	int64_t elements, cells;
};

struct solve {
	const struct patches_solve *asked;
	struct level level[LEVELS_MOST];
	int levels;
	uint32_t sweeps; /* made: draws chaotic orders */
};

static const struct patch *patch_of(const struct level *l)
{
	return &l->set.patch[0];
}

/* f[cell] and u[at] go through the cells together. */
#define EACH_CELL(l, at, cell)                                                                     \
	for (int64_t k_ = 0, cell = 0; k_ < patch_of(l)->n[2]; k_++)                               \
		for (int64_t j_ = 0; j_ < patch_of(l)->n[1]; j_++)                                 \
			for (int64_t at = patch_of(l)->origin +                                    \
					  patch_offset(patch_of(l), 0, (int)j_, (int)k_),          \
				     end_ = at + patch_of(l)->n[0];                                \
			     at < end_; at++, cell++)

static void make_level(struct level *l, const struct patches_params *p, const int32_t n[3],
		       int depth)
{
	char text[64];
	const double off = 2 * (fabs(p->stencil[1]) + fabs(p->stencil[2]) + fabs(p->stencil[3]));
	l->params = *p;
	for (int axis = 0; axis < 3; axis++)
		l->params.block[axis] = p->block[axis] < n[axis] ? p->block[axis] : n[axis];
	/* What does not scale with the width of a cell has a part in the centre of its own. */
	l->params.stencil[0] = off + (p->stencil[0] - off) * pow(4, depth);
	snprintf(text, sizeof(text), "1x%d.%d.%d", n[0], n[1], n[2]);
	/* Cannot fail: it is a part of a set that was read. */
	if (patch_set_read(&l->set, text) || patch_set_place(&l->set, 1))
		abort();
	patch_set_link(&l->set, p->reflect);
	if (patches_tables_make(&l->tables, &l->params, &l->set, 1, true))
		abort();
	l->elements = l->set.gpu_elements[0];
	l->cells = l->set.gpu_cells[0];
	l->memory = xcalloc((size_t)(2 * l->elements + l->cells), sizeof(*l->memory));
	l->u = l->memory;
	l->v = l->u + l->elements;
	l->f = l->v + l->elements;
	l->ghost = xcalloc((size_t)l->set.links + 1, sizeof(*l->ghost));
	for (int64_t k = 0; k < l->set.links; k++)
		l->ghost[k] =
			patches_ghost_of(&l->set.link[k], patch_of(l)->origin, patch_of(l)->origin);
}

static void release_level(struct level *l)
{
	patches_tables_release(&l->tables);
	patch_set_release(&l->set);
	free(l->memory);
	free(l->ghost);
}

static void fill_ghosts(const struct level *l, double *u)
{
	const struct patches_ghost_list list = {
		.link = l->ghost, .target = u, .source = u, .count = (int32_t)l->set.links
	};
	patches_ghosts_cpu(&list);
}

static struct patches_step step_of(const struct level *l)
{
	const double *s = l->params.stencil;
	return (struct patches_step){
		.box = l->tables.box,
		.f = l->f,
		.diagonal = l->tables.diagonal,
		.omega = l->params.omega_used,
		.stencil = { (float)s[0], (float)s[1], (float)s[2], (float)s[3] },
		.count = 1,
		.block = { (int16_t)l->params.block[0], (int16_t)l->params.block[1],
			   (int16_t)l->params.block[2] },
		.overlap = l->params.overlap,
	};
}

/* out = f - A x in the cells; x's ghosts are filled here. */
static void residual(const struct level *l, double *x, const double *f, double *out)
{
	const struct patches_step step = step_of(l);
	fill_ghosts(l, x);
	EACH_CELL(l, at, cell)
	out[at] = patches_residual(&step, l->tables.box, x + at, f ? f[cell] : 0);
}

static void red_black(const struct level *l)
{
	const struct patches_step step = step_of(l);
	for (int colour = 0; colour < 2; colour++) {
		fill_ghosts(l, l->u);
		EACH_CELL(l, at, cell)
		{
			const int64_t i = at - patch_of(l)->origin - k_ * patch_of(l)->plane -
					  j_ * patch_of(l)->pitch;
			if (((i + j_ + k_) & 1) == colour)
				l->u[at] += patches_residual(&step, l->tables.box, l->u + at,
							     l->f[cell]) /
					    l->params.stencil[0];
		}
	}
}

/* Steps of the smoother on A u = f. */
static void smooth(struct solve *s, struct level *l, int sweeps)
{
	struct patches_step step = step_of(l);
	const bool jacobi = l->params.method == METHOD_JACOBI;
	for (int k = 0; k < sweeps; k++) {
		s->sweeps++;
		if (l->params.red_black) {
			red_black(l);
			continue;
		}
		fill_ghosts(l, l->u);
		step.u = l->u;
		step.v = jacobi ? l->v : l->u;
		step.wave = l->params.method == METHOD_CHAOTIC ? l->params.wave : 0;
		step.order = s->asked->seed + s->sweeps;
		patches_sine_cpu(&step);
		if (jacobi) {
			double *kept = l->u;
			l->u = l->v;
			l->v = kept;
		}
	}
}

/* fine -> coarse: four times the mean of eight residuals. */
static void restrict_residual(const struct level *fine, struct level *coarse, const double *r)
{
	const struct patch *p = patch_of(fine), *q = patch_of(coarse);
	double *f = coarse->f;
	for (int k = 0; k < q->n[2]; k++)
		for (int j = 0; j < q->n[1]; j++)
			for (int i = 0; i < q->n[0]; i++) {
				double sum = 0;
				for (int c = 0; c < 8; c++)
					sum += r[p->origin + patch_offset(p, 2 * i + (c & 1),
									  2 * j + (c >> 1 & 1),
									  2 * k + (c >> 2))];
				*f++ = 0.5 * sum;
			}
}

/* u of the fine level += the coarse u, trilinear; ghosts along edges and corners, which no stencil
 * reads, are taken from the faces beside them. */
static void add_correction(struct level *fine, struct level *coarse)
{
	const struct patch *p = patch_of(fine), *q = patch_of(coarse);
	fill_ghosts(coarse, coarse->u);
	for (int k = 0; k < p->n[2]; k++)
		for (int j = 0; j < p->n[1]; j++)
			for (int i = 0; i < p->n[0]; i++) {
				const int own[3] = { i / 2, j / 2, k / 2 };
				const int to[3] = { i % 2 ? 1 : -1, j % 2 ? 1 : -1,
						    k % 2 ? 1 : -1 };
				double sum = 0;
				for (int c = 0; c < 8; c++) {
					int at[3];
					double weight = 1, sign = 1;
					for (int axis = 0; axis < 3; axis++) {
						const bool away = c >> axis & 1;
						weight *= away ? 0.25 : 0.75;
						at[axis] = own[axis] + (away ? to[axis] : 0);
						if (at[axis] >= 0 && at[axis] < q->n[axis])
							continue;
						/* Beyond the boundary, whichever way the others
						 * go. */
						sign *= fine->params.reflect ? -1 : 0;
						at[axis] = own[axis];
					}
					sum += sign * weight *
					       coarse->u[q->origin +
							 patch_offset(q, at[0], at[1], at[2])];
				}
				fine->u[p->origin + patch_offset(p, i, j, k)] += sum;
			}
}

static void cycle(struct solve *s, int depth)
{
	struct level *l = &s->level[depth], *coarse = l + 1;
	if (depth == s->levels - 1) {
		smooth(s, l, depth ? COARSEST_SWEEPS : 1);
		return;
	}
	smooth(s, l, l->params.sweeps);
	residual(l, l->u, l->f, l->v);
	restrict_residual(l, coarse, l->v);
	memset(coarse->u, 0, (size_t)coarse->elements * sizeof(double));
	memset(coarse->v, 0, (size_t)coarse->elements * sizeof(double));
	cycle(s, depth + 1);
	add_correction(l, coarse);
	/* Ghosts of the second vector are zero where nothing fills them; residuals have none. */
	smooth(s, l, l->params.sweeps);
}

static double product(const struct level *l, const double *a, const double *b)
{
	double sum = 0;
	EACH_CELL(l, at, cell)
	sum += a[at] * b[at];
	return sum;
}

/* z = M r: relaxation or a cycle from zero. */
static void precondition(struct solve *s, const double *r, double *z)
{
	struct level *l = &s->level[0];
	EACH_CELL(l, at, cell)
	l->f[cell] = r[at];
	memset(l->u, 0, (size_t)l->elements * sizeof(double));
	memset(l->v, 0, (size_t)l->elements * sizeof(double));
	if (l->params.use == USE_CG)
		EACH_CELL(l, at, cell)
	l->u[at] = r[at];
	else if (l->params.use == USE_CG_RELAX) smooth(s, l, l->params.sweeps);
	else cycle(s, 0);
	memcpy(z, l->u, (size_t)l->elements * sizeof(double));
}

/* Flexible conjugate gradients on the finest level; returns iterations. */
static int gradients(struct solve *s, double *x, const double *f, int most, double tolerance)
{
	const struct level *l = &s->level[0];
	double *r = xcalloc(5 * (size_t)l->elements, sizeof(*r)), *z = r + l->elements,
	       *p = z + l->elements, *q = p + l->elements, *before = q + l->elements;
	int done = 0;
	residual(l, x, f, r);
	const double end = tolerance * sqrt(product(l, r, r));
	double rz = 0, norm = end / tolerance;
	while (done < most && norm > end) {
		precondition(s, r, z);
		const double next = product(l, r, z),
			     beta = done ? (next - product(l, z, before)) / rz : 0;
		rz = next;
		EACH_CELL(l, at, cell)
		p[at] = z[at] + beta * p[at];
		residual(l, p, NULL, q); /* -A p */
		const double alpha = -rz / product(l, p, q);
		EACH_CELL(l, at, cell)
		{
			before[at] = r[at];
			x[at] += alpha * p[at];
			r[at] += alpha * q[at];
		}
		norm = sqrt(product(l, r, r));
		done++;
	}
	free(r);
	return norm <= end ? done : -done;
}

/* Relaxation or cycles until the residual is small. */
static int repeat(struct solve *s, double *x, const double *f, int most, double tolerance)
{
	struct level *l = &s->level[0];
	double *r = xcalloc((size_t)l->elements, sizeof(*r)), end = 0, norm = 0;
	int done = 0;
	memcpy(l->u, x, (size_t)l->elements * sizeof(double));
	memcpy(l->f, f, (size_t)l->cells * sizeof(double));
	for (;; done++) {
		residual(l, l->u, l->f, r);
		norm = sqrt(product(l, r, r));
		end = done ? end : tolerance * norm;
		if (!(norm > end) || done == most)
			break;
		if (l->params.use == USE_RELAX)
			smooth(s, l, 1);
		else
			cycle(s, 0);
	}
	memcpy(x, l->u, (size_t)l->elements * sizeof(double));
	free(r);
	return norm <= end ? done : -done;
}

void patches_solve_cpu(const void *args)
{
	struct patches_solve *asked = *(struct patches_solve *const *)args;
	const struct patches_params *p = asked->params;
	struct solve *s = xcalloc(1, sizeof(*s));
	int32_t n[3];
	s->asked = asked;
	memcpy(n, asked->box->n, sizeof(n));
	for (;;) {
		make_level(&s->level[s->levels], p, n, s->levels);
		if (++s->levels == LEVELS_MOST || n[0] % 2 || n[1] % 2 || n[2] % 2 || n[0] < 4 ||
		    n[1] < 4 || n[2] < 4)
			break;
		for (int axis = 0; axis < 3; axis++)
			n[axis] /= 2;
	}
	const struct level *l = &s->level[0];
	/* The same layout as the set's, from another first element. */
	double *x = xcalloc((size_t)l->elements, sizeof(*x));
	const int64_t shift = asked->box->origin - patch_of(l)->origin;
	memcpy(x, asked->u + shift, (size_t)l->elements * sizeof(double));
	const bool cg = p->use == USE_CG || p->use == USE_CG_RELAX || p->use == USE_CG_CYCLE;
	const int done = (cg ? gradients : repeat)(s, x, asked->f + asked->box->first_cell,
						   p->iterations, p->tolerance);
	EACH_CELL(l, at, cell)
	asked->u[at + shift] = x[at];
	asked->iterations = done < 0 ? -done : done;
	asked->converged = done >= 0;
	for (int k = 0; k < s->levels; k++)
		release_level(&s->level[k]);
	free(x);
	free(s);
}
