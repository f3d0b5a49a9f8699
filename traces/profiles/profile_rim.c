/* SPDX-License-Identifier: MIT */
#include "profile_rim.h"

#include <math.h>
#include <string.h>

#include "profile_derive_internal.h"

/* Shares of rims that differ by less tell nothing, and three grids nothing of rows and columns
 * whose determinant is less; a launch further out than so many times the distance of two profiles
 * is not drawn from them. */
static const double RIM_LEAST = 0.02, GRIDS_LEAST = 0.0005, RIM_FARTHEST = 2.5;
static const double RIM_STEPS = 1024;

/* ---- a grid's rim ---- */

/* Points a thread, below zero: the more are idle, the higher. 0: not known, or of a grid whose rim
 * tells. */
static double idle_threads(const struct launch_geometry *g, int64_t points)
{
	if (g->grid[1] != 1 || points <= 0)
		return 0;
	return -(double)points / g->grid[0] / g->block[0] / g->block[1] / g->block[2];
}

static struct profile_rim rim_of(const struct launch_geometry *g, double points)
{
	if (points < 0)
		return (struct profile_rim){ .points = points };
	return (struct profile_rim){ .by_rows = g->grid[1] == 1 ? 0 : 1.0 / g->grid[1],
				     .by_columns = 1.0 / g->grid[0] };
}

static double to_step(double x)
{
	return round(x * RIM_STEPS) / RIM_STEPS;
}

struct profile_rim profile_rim_of(const struct kernel_profile *nearest,
				  const struct launch_geometry *launch, int64_t points)
{
	const bool by_points = idle_threads(&nearest->geometry, nearest->points) < 0;
	const struct profile_rim rim = rim_of(launch, by_points ? idle_threads(launch, points) : 0);

	return (struct profile_rim){ to_step(rim.points), to_step(rim.by_rows),
				     to_step(rim.by_columns) };
}

static struct profile_rim profile_rim(const struct kernel_profile *p, bool by_points)
{
	return rim_of(&p->geometry, by_points ? idle_threads(&p->geometry, p->points) : 0);
}

/* Share of the blocks that are at it, or points a thread. */
static double share_of(const struct profile_rim *rim)
{
	return rim->points < 0
		       ? rim->points
		       : 1 - fmax(1 - 2 * rim->by_columns, 0) * fmax(1 - 2 * rim->by_rows, 0);
}

/* ---- of which profiles ---- */

static bool serves(const struct kernel_profile *p, const struct kernel_profile *nearest,
		   const struct launch_geometry *launch)
{
	return p->geometry.grid[2] == 1 && derive_may_be_base(p, nearest, launch) &&
	       derive_same_shape(p, nearest);
}

static void derive(const struct kernel_profile *const base[], const double weight[], int count,
		   const struct launch_geometry *launch, struct profile_derived *d)
{
	*d = (struct profile_derived){ .memory = base[0],
				       .base_count = count,
				       .profile = *base[0] };
	memcpy(d->base, base, (size_t)count * sizeof(*base));
	memcpy(d->weight, weight, (size_t)count * sizeof(*weight));
	d->profile.geometry = *launch;
	memcpy(d->profile.geometry.grid, (uint32_t[3]){ DERIVED_BLOCKS, 1, 1 },
	       sizeof(launch->grid));
	derive_fill_counts(d);
}

/* What a block does on average: these times its parts. */
struct parts {
	double term[3]; /* of all blocks, of rows, of columns */
};

static struct parts parts_of(const struct profile_rim *rim)
{
	return (struct parts){ { 1, rim->by_rows, rim->by_columns } };
}

static double determinant(const struct parts p[3])
{
	double sum = 0;

	for (int k = 0; k < 3; k++)
		sum += p[0].term[k] * (p[1].term[(k + 1) % 3] * p[2].term[(k + 2) % 3] -
				       p[1].term[(k + 2) % 3] * p[2].term[(k + 1) % 3]);
	return sum;
}

/* Two grids beside the nearest one, that tell rows and columns apart best. Whether there are. */
static bool other_grids(const struct kernel_profiles *all, const struct kernel_profile *base[3],
			struct parts part[3], const struct launch_geometry *launch)
{
	const struct kernel_profile *const nearest = base[0];
	double most = GRIDS_LEAST;

	for (size_t i = 0; i < all->count; i++)
		for (size_t j = i + 1; j < all->count; j++) {
			const struct kernel_profile *p[2] = { &all->profile[i], &all->profile[j] };
			struct parts three[3] = { part[0] };
			bool fit = true;

			for (int k = 0; k < 2 && fit; k++) {
				fit = serves(p[k], nearest, launch) && p[k]->geometry.grid[1] > 1;
				if (fit) {
					const struct profile_rim rim = profile_rim(p[k], false);
					three[k + 1] = parts_of(&rim);
				}
			}
			if (!fit || !(fabs(determinant(three)) > most))
				continue;
			most = fabs(determinant(three));
			memcpy(part, three, sizeof(three));
			memcpy(base + 1, p, sizeof(p));
		}
	return base[1] != NULL;
}

/* wanted: its parts, of a block on average. */
static bool by_three(const struct kernel_profiles *profiles, const struct kernel_profile *nearest,
		     const struct launch_geometry *launch, const struct parts *wanted,
		     double farthest, struct profile_derived *d)
{
	const struct kernel_profile *base[3] = { nearest };
	const struct profile_rim rim = profile_rim(nearest, false);
	struct parts part[3] = { parts_of(&rim) };
	double weight[3];

	if (nearest->geometry.grid[1] == 1 || launch->grid[1] == 1 ||
	    nearest->geometry.grid[2] != 1 || launch->grid[2] != 1 ||
	    !other_grids(profiles, base, part, launch))
		return false;
	for (int k = 0; k < 3; k++) { /* Cramer's rule */
		struct parts with[3] = { part[0], part[1], part[2] };

		with[k] = *wanted;
		weight[k] = determinant(with) / determinant(part);
		if (!(fabs(weight[k] - 0.5) <= farthest - 0.5))
			return false;
	}
	derive(base, weight, 3, launch, d);
	return true;
}

/* Of the same shape as `nearest`, the one whose share differs most from its. */
static const struct kernel_profile *other_rim(const struct kernel_profiles *all,
					      const struct kernel_profile *nearest,
					      const struct launch_geometry *launch, bool by_points)
{
	const struct kernel_profile *best = NULL;
	const struct profile_rim rim = profile_rim(nearest, by_points);
	const double here = share_of(&rim);
	double most = by_points ? -RIM_LEAST * here : RIM_LEAST;

	for (size_t i = 0; i < all->count; i++) {
		const struct kernel_profile *p = &all->profile[i];
		const struct profile_rim its = profile_rim(p, by_points);
		const double there = share_of(&its), off = fabs(there - here);

		if ((!by_points || there < 0) && off > most && serves(p, nearest, launch)) {
			most = off;
			best = p;
		}
	}
	return best;
}

static bool by_two(const struct kernel_profiles *profiles, const struct kernel_profile *nearest,
		   const struct launch_geometry *launch, double share, double farthest,
		   struct profile_derived *d)
{
	const bool by_points = share < 0;
	const struct kernel_profile *other =
		nearest->geometry.grid[2] != 1 || launch->grid[2] != 1
			? NULL
			: other_rim(profiles, nearest, launch, by_points);

	if (!other)
		return false;
	const struct profile_rim a = profile_rim(nearest, by_points),
				 b = profile_rim(other, by_points);
	const double here = share_of(&a), weight = (share - here) / (share_of(&b) - here);
	if (!(weight >= 1 - farthest && weight <= farthest))
		return false;
	derive((const struct kernel_profile *const[]){ nearest, other },
	       (const double[]){ 1 - weight, weight }, 2, launch, d);
	return true;
}

bool profile_between(const struct kernel_profiles *profiles, const struct kernel_profile *nearest,
		     const struct launch_geometry *launch, const struct profile_rim *rim,
		     struct profile_derived *d)
{
	const struct parts wanted = parts_of(rim);

	if (!memcmp(nearest->geometry.grid, launch->grid, sizeof(launch->grid)))
		return false;
	return (!(rim->points < 0) &&
		by_three(profiles, nearest, launch, &wanted, RIM_FARTHEST, d)) ||
	       by_two(profiles, nearest, launch, share_of(rim), RIM_FARTHEST, d);
}

bool profile_of_kind(const struct kernel_profiles *profiles, const struct kernel_profile *nearest,
		     const struct launch_geometry *launch, bool at_rim, struct profile_derived *d)
{
	return by_two(profiles, nearest, launch, at_rim, INFINITY, d);
}
