/* SPDX-License-Identifier: MIT */
#include "weak_problem.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

void weak_problem_make(struct weak_problem *p, int rule, int planes, int rows, int columns)
{
	*p = (struct weak_problem){
		.rule = rule,
		.grid = { planes, (rows + WEAK_ROWS - 1) / WEAK_ROWS,
			  (columns + WEAK_COLUMNS - 1) / WEAK_COLUMNS },
		.rows = rows,
		.columns = columns,
	};
	p->values = xcalloc((size_t)(weak_fields(rule) * weak_values(&p->grid)), sizeof(float));
	p->constants = xcalloc((size_t)(2 * weak_values(&p->grid)), sizeof(float));
}

void weak_problem_release(struct weak_problem *p)
{
	free(p->values);
	free(p->constants);
	p->values = p->constants = NULL;
}

struct box {
	int low, high;		 /* of free nodes */
	int open_low, open_high; /* some node there has no neighbour beyond */
};

/* The factor of one direction of a box: its longest sine. */
static double longest(const struct box *box)
{
	const int open = box->open_low + box->open_high, length = box->high - box->low + 1;
	if (open == 2)
		return 1;
	return cos(acos(-1.0) / (open ? 2 * length + 1 : length + 1));
}

static void extend(struct box *box, int at, int last)
{
	box->low = at < box->low ? at : box->low;
	box->high = at > box->high ? at : box->high;
	box->open_low |= at == 0;
	box->open_high |= at == last;
}

void weak_problem_measure(struct weak_problem *p)
{
	struct box down = { p->rows, -1, 0, 0 }, across = { p->columns, -1, 0, 0 };
	p->free_nodes = 0;
	for (int plane = 0; plane < p->grid.planes; plane++)
		for (int row = 0; row < p->rows; row++)
			for (int column = 0; column < p->columns; column++)
				if (*weak_weight(p, plane, row, column) > 0) {
					p->free_nodes++;
					extend(&down, row, p->rows - 1);
					extend(&across, column, p->columns - 1);
				}
	p->factor = p->free_nodes ? (longest(&down) + longest(&across)) / 2 : 0;
}

static double change_at(const struct weak_problem *p, int64_t at)
{
	const int64_t pitch = weak_pitch(&p->grid), second = weak_values(&p->grid);
	const float *u = p->values + at, *v = u + second;
	const float asked = p->constants[at], weight = p->constants[second + at];
	if (p->rule == WEAK_POISSON)
		return fabs((double)weak_poisson_update(*u, u[-pitch], u[pitch], u[-1], u[1], asked,
							weight) -
			    (double)*u);
	const struct weak_pair own = { *u, *v },
			       sum = { (u[-pitch] + u[pitch]) + (u[-1] + u[1]),
				       (v[-pitch] + v[pitch]) + (v[-1] + v[1]) },
			       next = weak_shape_update(own, sum, asked, weight, &p->terms);
	return larger_or_nan(fabs((double)next.f - (double)own.f),
			     fabs((double)next.g - (double)own.g));
}

double weak_residual(const struct weak_problem *p)
{
	double most = 0;
	for (int plane = 0; plane < p->grid.planes; plane++)
		for (int row = 0; row < p->rows; row++)
			for (int column = 0; column < p->columns; column++)
				most = larger_or_nan(
					most, change_at(p, weak_at(&p->grid, plane, row, column)));
	return most;
}

/* FNV-1a over the bits. */
uint64_t weak_checksum(const struct weak_problem *p)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (int field = 0; field < weak_fields(p->rule); field++)
		for (int plane = 0; plane < p->grid.planes; plane++)
			for (int row = 0; row < p->rows; row++) {
				const float *u = weak_value(p, field, plane, row, 0);
				for (int column = 0; column < p->columns; column++) {
					uint32_t bits;
					memcpy(&bits, u + column, sizeof(bits));
					hash = (hash ^ bits) * 0x100000001b3u;
				}
			}
	return hash;
}
