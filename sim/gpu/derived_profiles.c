/* SPDX-License-Identifier: MIT */
#include "derived_profiles.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "traces/profiles/profile_rim.h"

struct derived_profile {
	const struct kernel_profile *nearest;
	struct launch_geometry geometry;
	double rim_share; /* instead of the geometry's grid; -1: of that grid */
	struct profile_derived counts;
};

static const struct profile_derived *find(const struct derived_profiles *all,
					  const struct kernel_profile *nearest,
					  const struct launch_geometry *launch, double rim_share)
{
	for (size_t k = 0; k < all->count; k++)
		if (all->one[k]->nearest == nearest && all->one[k]->rim_share == rim_share &&
		    !memcmp(&all->one[k]->geometry, launch, sizeof(*launch)))
			return &all->one[k]->counts;
	return NULL;
}

static const struct profile_derived *add(struct derived_profiles *all,
					 const struct kernel_profile *nearest,
					 const struct launch_geometry *launch, double rim_share,
					 const struct profile_derived *counts)
{
	struct derived_profile *new = xcalloc(1, sizeof(*new));
	*new = (struct derived_profile){ nearest, *launch, rim_share, *counts };
	GROW(all->one, all->count, all->capacity);
	all->one[all->count++] = new;
	return &new->counts;
}

const struct profile_derived *derived_profiles_of(struct derived_profiles *all,
						  const struct kernel_profiles *profiles,
						  const struct kernel_profile *nearest,
						  const struct launch_geometry *launch)
{
	const struct profile_derived *known = find(all, nearest, launch, -1);
	struct profile_derived counts = { 0 };
	if (known)
		return known;
	profile_derive(profiles, nearest, launch, &counts);
	return add(all, nearest, launch, -1, &counts);
}

const struct profile_derived *derived_profiles_between(struct derived_profiles *all,
						       const struct kernel_profiles *profiles,
						       const struct kernel_profile *nearest,
						       const struct launch_geometry *launch,
						       int64_t points)
{
	const double rim = profile_rim_share(nearest, launch, points);
	const bool flat = launch->grid[2] == 1,
		   same = !memcmp(nearest->geometry.grid, launch->grid, sizeof(launch->grid));
	struct launch_geometry like = *launch;
	struct profile_derived counts = { 0 };
	if (same || !flat)
		return NULL;
	memset(like.grid, 0, sizeof(like.grid));
	const struct profile_derived *known = find(all, nearest, &like, rim);
	if (known || !profile_between(profiles, nearest, launch, points, &counts))
		return known;
	return add(all, nearest, &like, rim, &counts);
}

const struct profile_derived *derived_profiles_kind(struct derived_profiles *all,
						    const struct kernel_profiles *profiles,
						    const struct kernel_profile *nearest,
						    const struct launch_geometry *launch, bool rim)
{
	const double share = rim ? 2 : 3; /* no share of a grid */
	struct launch_geometry like = *launch;
	struct profile_derived counts = { 0 };
	memset(like.grid, 0, sizeof(like.grid));
	const struct profile_derived *known = find(all, nearest, &like, share);
	if (known || !profile_of_kind(profiles, nearest, launch, rim, &counts))
		return known;
	return add(all, nearest, &like, share, &counts);
}

void derived_profiles_release(struct derived_profiles *all)
{
	for (size_t k = 0; k < all->count; k++) {
		profile_derived_release(&all->one[k]->counts);
		free(all->one[k]);
	}
	free(all->one);
	*all = (struct derived_profiles){ 0 };
}
