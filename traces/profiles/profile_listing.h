/* SPDX-License-Identifier: MIT
 * A kernel profile for people and for scripts: geometry, counters, and its code line by line with
 * control bits and counts.
 */
#ifndef WARPREEL_PROFILE_LISTING_H
#define WARPREEL_PROFILE_LISTING_H

#include <stdio.h>

#include "kernel_profile.h"

void profile_list_text(const struct kernel_profile *profile, FILE *out);
void profile_list_tsv_header(FILE *out);
void profile_list_tsv(const struct kernel_profile *profile, FILE *out);

#endif
