/* SPDX-License-Identifier: MIT */
#include "profile_rim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile_derive_internal.h"
#include "traces/base/util.h"

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

/* What a block does on average: its part of what all do, of rows and of columns. */
static struct law_terms terms_of(const struct profile_rim *rim)
{
	return (struct law_terms){ { 1, rim->by_rows, rim->by_columns } };
}

static struct law_terms terms_of_profile(const struct kernel_profile *p)
{
	const struct profile_rim rim = profile_rim(p, false);

	return terms_of(&rim);
}

/* Two grids beside the nearest one, base[0], that tell rows and columns apart best. Whether there
 * are. */
static bool other_grids(const struct kernel_profiles *all, const struct kernel_profile *base[3],
			struct law_terms part[3], const struct launch_geometry *launch)
{
	const struct kernel_profile **fit = xcalloc(all->count + 1, sizeof(*fit));
	double most = GRIDS_LEAST;
	size_t count = 0;

	for (size_t i = 0; i < all->count; i++)
		if (all->profile[i].geometry.grid[1] > 1 &&
		    serves(&all->profile[i], base[0], launch))
			fit[count++] = &all->profile[i];
	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count; j++) {
			const struct law_terms three[3] = { part[0], terms_of_profile(fit[i]),
							    terms_of_profile(fit[j]) };
			const double apart = fabs(law_determinant(three));

			if (!(apart > most))
				continue;
			most = apart;
			memcpy(part, three, sizeof(three));
			base[1] = fit[i];
			base[2] = fit[j];
		}
	free(fit);
	return base[1] != NULL;
}

static bool by_three(const struct kernel_profiles *profiles, const struct kernel_profile *nearest,
		     const struct launch_geometry *launch, const struct profile_rim *wanted_rim,
		     struct profile_derived *d)
{
	const struct kernel_profile *base[3] = { nearest };
	const struct law_terms wanted = terms_of(wanted_rim);
	struct law_terms part[3] = { terms_of_profile(nearest) };
	double weight[3];

	if (nearest->geometry.grid[1] == 1 || launch->grid[1] == 1 ||
	    nearest->geometry.grid[2] != 1 || launch->grid[2] != 1 ||
	    !other_grids(profiles, base, part, launch))
		return false;
	law_weigh(part, 3, &wanted, weight);
	for (int k = 0; k < 3; k++)
		if (!(fabs(weight[k] - 0.5) <= RIM_FARTHEST - 0.5))
			return false;
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
	if (!memcmp(nearest->geometry.grid, launch->grid, sizeof(launch->grid)))
		return false;
	return (!(rim->points < 0) && by_three(profiles, nearest, launch, rim, d)) ||
	       by_two(profiles, nearest, launch, share_of(rim), RIM_FARTHEST, d);
}

bool profile_of_kind(const struct kernel_profiles *profiles, const struct kernel_profile *nearest,
		     const struct launch_geometry *launch, bool at_rim, struct profile_derived *d)
{
	return by_two(profiles, nearest, launch, at_rim, INFINITY, d);
}
