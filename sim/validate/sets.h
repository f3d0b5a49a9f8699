/* SPDX-License-Identifier: MIT
 * The sets that rows of a validation come in, and the wider ones that splits and tables name: runs
 * planned for one GPU (`size`) and for several (`gpus`) are `planned`, these and replays `runs`.
 */
#ifndef WARPREEL_SETS_H
#define WARPREEL_SETS_H

#include <stdbool.h>

/* Whether a set is this one or in it. */
bool set_within(const char *set, const char *wider);

#endif
