/* SPDX-License-Identifier: MIT
 * What the two image solvers iterate, as C, CUDA and the co-simulation see it (Chen, Huang, Su,
 * Peir, Ho, Peng: Weak Execution Ordering, Sections III and IV).
 *
 * Nodes lie in blocks of 32 x 20, padded to whole blocks, with a margin of zeros around them, so
 * that every node has four neighbours to read. A node has `fields` values (seamless cloning one,
 * shape from shading two) and two constants. Weight 0 is a node that keeps its values; else the
 * weight is one over the number of neighbours there are. Several planes (the channels of a
 * picture) are several grids without any connection, one behind the other.
 */
#ifndef WARPREEL_WEAK_H
#define WARPREEL_WEAK_H

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define WEAK_BOTH static __host__ __device__ __forceinline__
#else
#define WEAK_BOTH static inline __attribute__((always_inline, unused))
#endif

enum {
	WEAK_COLUMNS = 32, /* of a block */
	WEAK_ROWS = 20,
	WEAK_COMPUTING = WEAK_COLUMNS * WEAK_ROWS / 2, /* threads: two nodes each */
	WEAK_SQUARES = WEAK_COMPUTING / 2,	       /* or four */
	WEAK_BORDER = 2 * (WEAK_COLUMNS + WEAK_ROWS),  /* nodes on the edge of a block: 104 */
	WEAK_MARGIN = 32, /* columns on each side of the grid; one row above and below */
	WEAK_FIELDS = 2,  /* at most */
};

enum weak_rule { WEAK_POISSON, WEAK_SHAPE };
WEAK_BOTH int weak_fields(int rule)
{
	return rule == WEAK_SHAPE ? 2 : 1;
}

/* The grid. */
struct weak_grid {
	int32_t planes, down, across; /* blocks of a plane */
};
WEAK_BOTH int32_t weak_blocks(const struct weak_grid *g)
{
	return g->planes * g->down * g->across;
}
WEAK_BOTH int32_t weak_pitch(const struct weak_grid *g)
{
	return g->across * WEAK_COLUMNS + 2 * WEAK_MARGIN;
}
/* Values of one field, or of one constant. */
WEAK_BOTH int64_t weak_plane(const struct weak_grid *g)
{
	return (int64_t)weak_pitch(g) * (g->down * WEAK_ROWS + 2);
}
WEAK_BOTH int64_t weak_values(const struct weak_grid *g)
{
	return weak_plane(g) * g->planes;
}
/* Where a node is among the values of a field; row and column may be one outside. */
WEAK_BOTH int64_t weak_at(const struct weak_grid *g, int plane, int row, int column)
{
	return plane * weak_plane(g) + (int64_t)(row + 1) * weak_pitch(g) + column + WEAK_MARGIN;
}

/* What a rule takes besides the values: light towards the camera is (0, 0, 1). */
struct weak_terms {
	float pull; /* lambda / 4 of eq. (4), which is over the data */
	float light[3];
};

/* eq. (2) in differences (Perez, Gangnet, Blake 2003, eq. 7): the mean of the neighbours plus what
 * the guidance field asks. */
WEAK_BOTH float weak_poisson_update(float own, float north, float south, float west, float east,
				    float guidance, float weight)
{
	const float next = (((north + south) + (west + east)) + guidance) * weight;

	return weight > 0 ? next : own;
}

struct weak_pair {
	float f, g;
};

/*
 * eq. (4): f and g are the stereographic coordinates of the normal (Ikeuchi and Horn 1981), n =
 * (-4f, -4g, 4 - f^2 - g^2) / (4 + f^2 + g^2), so that what bends away from the eye stays finite:
 * its f^2 + g^2 is 4, and no visible point has more. The reflectance is Lambert's, and own values
 * decide it. Only sums, products, quotients and a root: all round alike everywhere.
 */
WEAK_BOTH struct weak_pair weak_shape_update(struct weak_pair own, struct weak_pair sum, float seen,
					     float weight, const struct weak_terms *terms)
{
	const float f = own.f, g = own.g, square = f * f + g * g, below = 4 + square;
	const float x = terms->light[0], y = terms->light[1], z = terms->light[2];
	const float above = -4 * (f * x + g * y) + (4 - square) * z;
	const float lit = above / below, scale = 2 / below;
	const float off = terms->pull * (seen - (above > 0 ? lit : 0));
	const float by_f = above > 0 ? -scale * (2 * x + f * (z + lit)) : 0,
		    by_g = above > 0 ? -scale * (2 * y + g * (z + lit)) : 0;
	struct weak_pair next = { sum.f * weight + off * by_f, sum.g * weight + off * by_g };
	const float wide = next.f * next.f + next.g * next.g;

	if (wide > 4) {
		const float back = 2 / sqrtf(wide);

		next.f *= back;
		next.g *= back;
	}
	return weight > 0 ? next : own;
}

#endif
