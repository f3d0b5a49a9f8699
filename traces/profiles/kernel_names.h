/* SPDX-License-Identifier: MIT
 * Which profile is meant by a kernel's name, and what may have been meant where none is.
 */
#ifndef WARPREEL_KERNEL_NAMES_H
#define WARPREEL_KERNEL_NAMES_H

#include "kernel_profile.h"
#include "traces/base/options.h"

/* By its name, the symbol, or the bare name in the symbol. */
bool kernel_is_called(const struct kernel_profile *profile, const char *name);
/* -1, after a message with the nearest names that there are. */
int kernel_is_unknown(const struct kernel_profiles *all, const char *file, const char *name);
/* -1, after a message: none of the kernels that were asked for was launched, but those in `lines`,
 * one each, the nearest of which are named. NULL: it is not known what was. */
int kernel_none_launched(const struct text_list *asked, const char *lines);

#endif
