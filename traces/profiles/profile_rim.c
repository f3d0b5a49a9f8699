/* SPDX-License-Identifier: MIT */
#include "profile_rim.h"

#include <math.h>
#include <string.h>

#include "profile_derive_internal.h"

/* Shares of rims that differ by less tell nothing; a launch further out than so many times the
 * distance of two profiles is not drawn from them. */
static const double RIM_LEAST = 0.02, RIM_FARTHEST = 2.5;
static const double RIM_STEPS = 1024;

/* Share of a grid's blocks that are at its rim. */
static double rim_share(const uint32_t grid[3])
{
	const double x = grid[0], y = grid[1], within_x = fmax(x - 2, 0),
		     within_y = grid[1] == 1 ? 1 : fmax(y - 2, 0);

	return 1 - within_x * within_y / (x * y);
}

/* Points a thread, below zero: the more are idle, the higher. 0: not known, or of a grid whose rim
 * tells. */
static double idle_threads(const struct launch_geometry *g, int64_t points)
{
	if (g->grid[1] != 1 || points <= 0)
		return 0;
	return -(double)points / g->grid[0] / g->block[0] / g->block[1] / g->block[2];
}

static double share_of(const struct kernel_profile *p, bool by_points)
{
	return by_points ? idle_threads(&p->geometry, p->points) : rim_share(p->geometry.grid);
}

double profile_rim_share(const struct kernel_profile *nearest, const struct launch_geometry *launch,
			 int64_t points)
{
	const bool by_points = share_of(nearest, true) < 0 && idle_threads(launch, points) < 0;

	return round((by_points ? idle_threads(launch, points) : rim_share(launch->grid)) *
		     RIM_STEPS) /
	       RIM_STEPS;
}

/* Of the same shape as `nearest`, the one whose share differs most from its. */
static const struct kernel_profile *other_rim(const struct kernel_profiles *all,
					      const struct kernel_profile *nearest,
					      const struct launch_geometry *launch, bool by_points)
{
	const struct kernel_profile *best = NULL;
	const double here = share_of(nearest, by_points);
	double most = by_points ? -RIM_LEAST * here : RIM_LEAST;

	for (size_t i = 0; i < all->count; i++) {
		const struct kernel_profile *p = &all->profile[i];
		const double there = share_of(p, by_points), off = fabs(there - here);

		if ((!by_points || there < 0) && derive_may_be_base(p, nearest, launch) &&
		    derive_same_shape(p, nearest) && p->geometry.grid[2] == 1 && off > most) {
			most = off;
			best = p;
		}
	}
	return best;
}

static bool with_rim(const struct kernel_profiles *profiles, const struct kernel_profile *nearest,
		     const struct launch_geometry *launch, double share, double farthest,
		     struct profile_derived *d)
{
	const struct kernel_profile *other =
		nearest->geometry.grid[2] != 1 || launch->grid[2] != 1
			? NULL
			: other_rim(profiles, nearest, launch, share < 0);

	if (!other)
		return false;
	const double here = share_of(nearest, share < 0), there = share_of(other, share < 0),
		     weight = (share - here) / (there - here);
	if (!(weight >= 1 - farthest && weight <= farthest))
		return false;
	*d = (struct profile_derived){ .memory = nearest,
				       .base = { nearest, other },
				       .weight = { 1 - weight, weight },
				       .base_count = 2,
				       .profile = *nearest };
	d->profile.geometry = *launch;
	memcpy(d->profile.geometry.grid, (uint32_t[3]){ DERIVED_BLOCKS, 1, 1 },
	       sizeof(launch->grid));
	derive_fill_counts(d);
	return true;
}

bool profile_between(const struct kernel_profiles *profiles, const struct kernel_profile *nearest,
		     const struct launch_geometry *launch, int64_t points,
		     struct profile_derived *d)
{
	const bool same_grid = !memcmp(nearest->geometry.grid, launch->grid, sizeof(launch->grid));

	return !same_grid && with_rim(profiles, nearest, launch,
				      profile_rim_share(nearest, launch, points), RIM_FARTHEST, d);
}

bool profile_of_kind(const struct kernel_profiles *profiles, const struct kernel_profile *nearest,
		     const struct launch_geometry *launch, bool rim, struct profile_derived *d)
{
	return with_rim(profiles, nearest, launch, rim, INFINITY, d);
}
