/* SPDX-License-Identifier: MIT
 * What texture loads ask of L1. The counters of an instruction are of addresses, and a texture load
 * has none: its sectors stand at 0, in the launch's l1_load_sectors, too. L2's counter has them.
 */
#ifndef WARPREEL_PROFILE_TEXTURES_H
#define WARPREEL_PROFILE_TEXTURES_H

#include "kernel_profile.h"

/*
 * Gives texture loads that ran sectors_global and tags_global, and adds the sectors to
 * l1_load_sectors where those were counted: texels side by side, and what the launch read from L2
 * beyond these and its other loads, on each alike. Leaves a profile without such loads as it is.
 */
void profile_textures_fill(struct kernel_profile *profile);

#endif
