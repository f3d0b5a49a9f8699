/* SPDX-License-Identifier: MIT
 * What instructions ask of L1, where counters do not say it.
 *
 * The counters of an instruction are of addresses, and a texture load has none: its sectors stand
 * at 0, in the launch's l1_load_sectors, too. L2's counter has them.
 *
 * Sectors and executions are counted in runs of their own, and a loop that waits for another block
 * goes round more often in one than in the other: then a load has more sectors than threads, each
 * of which asks for 16 bytes at most.
 */
#ifndef WARPREEL_PROFILE_SECTORS_H
#define WARPREEL_PROFILE_SECTORS_H

#include "kernel_profile.h"

/*
 * Gives texture loads that ran sectors_global and tags_global, and adds the sectors to
 * l1_load_sectors where those were counted: texels side by side, and what the launch read from L2
 * beyond these and its other loads, on each alike. Takes from others what is more than a sector
 * and a line a thread.
 */
void profile_sectors_mend(struct kernel_profile *profile);

#endif
