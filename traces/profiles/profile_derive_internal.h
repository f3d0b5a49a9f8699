/* SPDX-License-Identifier: MIT
 * What profile_derive.c (other blocks and steps) and profile_rim.c (other rims) share.
 */
#ifndef WARPREEL_PROFILE_DERIVE_INTERNAL_H
#define WARPREEL_PROFILE_DERIVE_INTERNAL_H

#include "profile_derive.h"

enum { DERIVED_BLOCKS = 1 << 20 /* so many that rounding counts to integers means nothing */ };

/* Whether a counted profile is of the same code and path as `nearest` and its accesses fall as the
 * launch's. */
bool derive_may_be_base(const struct kernel_profile *p, const struct kernel_profile *nearest,
			const struct launch_geometry *launch);
/* The same block and steps. */
bool derive_same_shape(const struct kernel_profile *a, const struct kernel_profile *b);
/* Counts of DERIVED_BLOCKS blocks, by bases and weights; allocates d->profile.instruction. */
void derive_fill_counts(struct profile_derived *d);

#endif
