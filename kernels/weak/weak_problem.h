/* SPDX-License-Identifier: MIT
 * A grid to be iterated, on the host: what an image family makes of its pictures.
 */
#ifndef WARPREEL_WEAK_PROBLEM_H
#define WARPREEL_WEAK_PROBLEM_H

#include <stdbool.h>

#include "kernels/weak/weak.h"

struct weak_problem {
	int rule;
	struct weak_grid grid;
	struct weak_terms terms;
	int32_t rows, columns; /* nodes of a plane that are not padding */
	int64_t free_nodes;    /* of all planes */
	double factor;	       /* no Jacobi iteration on these nodes converges more slowly */
	/* fields x weak_values each; owned. The constants are what is asked for (the guidance's
	 * divergence, or the image), and the weight. */
	float *values, *constants;
};

/* All zeros: values 0, every node keeps its own. */
void weak_problem_make(struct weak_problem *p, int rule, int planes, int rows, int columns);
void weak_problem_release(struct weak_problem *p); /* safe on a zeroed struct */

static inline float *weak_value(const struct weak_problem *p, int field, int plane, int row,
				int column)
{
	return p->values + field * weak_values(&p->grid) + weak_at(&p->grid, plane, row, column);
}
static inline float *weak_asked(const struct weak_problem *p, int plane, int row, int column)
{
	return p->constants + weak_at(&p->grid, plane, row, column);
}
static inline float *weak_weight(const struct weak_problem *p, int plane, int row, int column)
{
	return p->constants + weak_values(&p->grid) + weak_at(&p->grid, plane, row, column);
}

/*
 * Counts the free nodes and bounds their factor: that of the least box they lie in, whose modes are
 * sines; a side of the box at which some node lacks its neighbour (the edge of a picture) mirrors
 * the box. In a larger region with the same values at its border nothing converges faster, so an
 * error is at most 1 / (1 - factor) times the residual as long as one mode is left.
 */
void weak_problem_measure(struct weak_problem *p);

/* The greatest change that one Jacobi step would make; NaN where a value is no number. */
double weak_residual(const struct weak_problem *p);
/* Of the values of all nodes in order. */
uint64_t weak_checksum(const struct weak_problem *p);

/*
 * weak_reference.c. Sequential: sweeps in reading order, in double, over-relaxed by `omega`, at
 * most `sweeps` of them, until none changes a node by more than `tolerance` times omega. Returns
 * how many were made; *change is what the last one changed, over omega.
 */
int weak_reference(const struct weak_problem *p, float *values, double omega, int sweeps,
		   double tolerance, double *change);
/* The best factor for Poisson's equation where Jacobi's is mu (Young 1954). */
double weak_best_omega(double mu);

#endif
