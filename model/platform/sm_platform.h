/* SPDX-License-Identifier: MIT */
#ifndef WARPREEL_SM_PLATFORM_H
#define WARPREEL_SM_PLATFORM_H

#include "traces/base/options.h"
#include "platform.h"

/* Reads a platform, applies --set, and asks for its section [sm]. -1 after a message; the caller
 * releases it either way. */
int sm_platform_read(struct platform *platform, const char *name, const struct text_list *set);

#endif
