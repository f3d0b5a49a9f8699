/* SPDX-License-Identifier: MIT */
#include "derived_profiles.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "traces/profiles/profile_rim.h"

struct derived_profile {
	const struct kernel_profile *nearest;
	struct launch_geometry geometry;
	enum kind { OF_GRID, BETWEEN, WITHIN, AT_RIM } kind;
	struct profile_rim rim; /* instead of the geometry's grid, but for OF_GRID */
	struct profile_derived counts;
};

static const struct profile_derived *find(const struct derived_profiles *all,
					  const struct kernel_profile *nearest,
					  const struct launch_geometry *launch, enum kind kind,
					  const struct profile_rim *rim)
{
	for (size_t k = 0; k < all->count; k++)
		if (all->one[k]->nearest == nearest && all->one[k]->kind == kind &&
		    !memcmp(&all->one[k]->rim, rim, sizeof(*rim)) &&
		    !memcmp(&all->one[k]->geometry, launch, sizeof(*launch)))
			return &all->one[k]->counts;
	return NULL;
}

static const struct profile_derived *add(struct derived_profiles *all,
					 const struct kernel_profile *nearest,
					 const struct launch_geometry *launch, enum kind kind,
					 const struct profile_rim *rim,
					 const struct profile_derived *counts)
{
	struct derived_profile *new = xcalloc(1, sizeof(*new));
	*new = (struct derived_profile){ nearest, *launch, kind, *rim, *counts };
	GROW(all->one, all->count, all->capacity);
	all->one[all->count++] = new;
	return &new->counts;
}

const struct profile_derived *derived_profiles_of(struct derived_profiles *all,
						  const struct kernel_profiles *profiles,
						  const struct kernel_profile *nearest,
						  const struct launch_geometry *launch)
{
	const struct profile_rim none = { 0 };
	const struct profile_derived *known = find(all, nearest, launch, OF_GRID, &none);
	struct profile_derived counts = { 0 };
	if (known)
		return known;
	profile_derive(profiles, nearest, launch, &counts);
	return add(all, nearest, launch, OF_GRID, &none, &counts);
}

const struct profile_derived *derived_profiles_between(struct derived_profiles *all,
						       const struct kernel_profiles *profiles,
						       const struct kernel_profile *nearest,
						       const struct launch_geometry *launch,
						       int64_t points)
{
	const struct profile_rim rim = profile_rim_of(nearest, launch, points);
	const bool flat = launch->grid[2] == 1,
		   same = !memcmp(nearest->geometry.grid, launch->grid, sizeof(launch->grid));
	struct launch_geometry like = *launch;
	struct profile_derived counts = { 0 };
	if (same || !flat)
		return NULL;
	memset(like.grid, 0, sizeof(like.grid));
	const struct profile_derived *known = find(all, nearest, &like, BETWEEN, &rim);
	if (known || !profile_between(profiles, nearest, launch, &rim, &counts))
		return known;
	return add(all, nearest, &like, BETWEEN, &rim, &counts);
}

const struct profile_derived *derived_profiles_kind(struct derived_profiles *all,
						    const struct kernel_profiles *profiles,
						    const struct kernel_profile *nearest,
						    const struct launch_geometry *launch,
						    bool at_rim)
{
	const enum kind kind = at_rim ? AT_RIM : WITHIN;
	const struct profile_rim none = { 0 };
	struct launch_geometry like = *launch;
	struct profile_derived counts = { 0 };
	memset(like.grid, 0, sizeof(like.grid));
	const struct profile_derived *known = find(all, nearest, &like, kind, &none);
	if (known || !profile_of_kind(profiles, nearest, launch, at_rim, &counts))
		return known;
	return add(all, nearest, &like, kind, &none, &counts);
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
