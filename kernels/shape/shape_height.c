/* SPDX-License-Identifier: MIT
 * Heights from normals: a grid's Laplacian by conjugate gradients (Hestenes and Stiefel 1952).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shape.h"
#include "traces/base/util.h"

struct heights {
	const struct weak_problem *problem;
	int rows, columns;
	bool *free_node;
};

/* Slopes beyond this are of a surface seen nearly from the side, of which a pixel says nothing. */
static const double steepest = 4;

static double limited(double slope)
{
	return slope > steepest ? steepest : slope < -steepest ? -steepest : slope;
}

static void slopes(const struct weak_problem *p, int row, int column, double slope[2])
{
	double n[3];
	shape_normal((double)*weak_value(p, 0, 0, row, column),
		     (double)*weak_value(p, 1, 0, row, column), n);
	const double z = n[2] > 1e-6 ? n[2] : 1e-6;
	slope[0] = limited(-n[1] / z); /* down */
	slope[1] = limited(-n[0] / z); /* to the right */
}

/* For both neighbours a node has below and to the right: visit(at, other, direction). */
static void apply(const struct heights *h, const double *x, double *y)
{
	const int step[2] = { h->columns, 1 };
	memset(y, 0, sizeof(*y) * (size_t)h->rows * (size_t)h->columns);
	for (int r = 0; r < h->rows; r++)
		for (int c = 0; c < h->columns; c++) {
			const int at = r * h->columns + c;
			for (int k = 0; k < 2 && h->free_node[at]; k++) {
				if ((k ? c + 1 >= h->columns : r + 1 >= h->rows) ||
				    !h->free_node[at + step[k]])
					continue;
				const double by = x[at + step[k]] - x[at];
				y[at] -= by;
				y[at + step[k]] += by;
			}
		}
}

/* What the slopes ask: the transposed differences of them. */
static void wanted(const struct heights *h, double *b)
{
	const int step[2] = { h->columns, 1 };
	for (int r = 0; r < h->rows; r++)
		for (int c = 0; c < h->columns; c++) {
			const int at = r * h->columns + c;
			double here[2], there[2];
			if (!h->free_node[at])
				continue;
			slopes(h->problem, r, c, here);
			for (int k = 0; k < 2; k++) {
				if ((k ? c + 1 >= h->columns : r + 1 >= h->rows) ||
				    !h->free_node[at + step[k]])
					continue;
				slopes(h->problem, r + !k, c + k, there);
				const double rise = (here[k] + there[k]) / 2;
				b[at] -= rise;
				b[at + step[k]] += rise;
			}
		}
}

static double product(const double *a, const double *b, size_t count)
{
	double sum = 0;
	for (size_t k = 0; k < count; k++)
		sum += a[k] * b[k];
	return sum;
}

static void solve(const struct heights *h, double *x, double *r)
{
	const size_t count = (size_t)h->rows * (size_t)h->columns;
	double *d = xcalloc(count, sizeof(*d)), *q = xcalloc(count, sizeof(*q));
	memcpy(d, r, count * sizeof(*d));
	const double first = product(r, r, count);
	double square = first;
	for (int k = 0; k < 20 * (h->rows + h->columns) && square > 1e-12 * first; k++) {
		apply(h, d, q);
		const double along = square / product(d, q, count), before = square;
		for (size_t i = 0; i < count; i++) {
			x[i] += along * d[i];
			r[i] -= along * q[i];
		}
		square = product(r, r, count);
		for (size_t i = 0; i < count; i++)
			d[i] = r[i] + square / before * d[i];
	}
	free(d);
	free(q);
}

double *shape_heights(const struct weak_problem *p)
{
	struct heights h = { p, p->rows, p->columns, NULL };
	const size_t count = (size_t)p->rows * (size_t)p->columns;
	double *x = xcalloc(count, sizeof(*x)), *b = xcalloc(count, sizeof(*b)), low = INFINITY;
	h.free_node = xcalloc(count, sizeof(*h.free_node));
	for (int r = 0; r < p->rows; r++)
		for (int c = 0; c < p->columns; c++)
			h.free_node[r * p->columns + c] = *weak_weight(p, 0, r, c) > 0;
	wanted(&h, b);
	solve(&h, x, b);
	for (size_t k = 0; k < count; k++)
		if (h.free_node[k])
			low = fmin(low, x[k]);
	for (size_t k = 0; k < count; k++)
		x[k] = h.free_node[k] ? x[k] - low : NAN;
	free(h.free_node);
	free(b);
	return x;
}
