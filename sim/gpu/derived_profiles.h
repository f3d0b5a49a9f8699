/* SPDX-License-Identifier: MIT
 * Profiles of launches that were not profiled, made of those that were, each once.
 */
#ifndef WARPREEL_DERIVED_PROFILES_H
#define WARPREEL_DERIVED_PROFILES_H

#include "traces/profiles/profile_derive.h"

struct derived_profile;
struct derived_profiles {
	struct derived_profile **one; /* each stays where it is */
	size_t count, capacity;
};

/* Of a launch whose nearest profile is of another one. Lives as long as `all`, like `profiles`. */
const struct profile_derived *derived_profiles_of(struct derived_profiles *all,
						  const struct kernel_profiles *profiles,
						  const struct kernel_profile *nearest,
						  const struct launch_geometry *launch);
/* Of one that differs from its profile in the grid alone, and in what blocks have to do; points: of
 * the launch. NULL: that profile serves. */
const struct profile_derived *derived_profiles_between(struct derived_profiles *all,
						       const struct kernel_profiles *profiles,
						       const struct kernel_profile *nearest,
						       const struct launch_geometry *launch,
						       int64_t points);
/* Of blocks at the rim of its grid alone, or of all others; NULL: nobody knows them apart. */
const struct profile_derived *derived_profiles_kind(struct derived_profiles *all,
						    const struct kernel_profiles *profiles,
						    const struct kernel_profile *nearest,
						    const struct launch_geometry *launch,
						    bool at_rim);
void derived_profiles_release(struct derived_profiles *all);

#endif
