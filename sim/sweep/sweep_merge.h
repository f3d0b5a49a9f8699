/* SPDX-License-Identifier: MIT */
#ifndef WARPREEL_SWEEP_MERGE_H
#define WARPREEL_SWEEP_MERGE_H

#include "sweep_store.h"
#include "traces/base/options.h"

/*
 * Joins the stores of all shards of one sweep into a new one at `path`. NULL after a message:
 * shards of different sweeps, one given twice, one missing or unfinished.
 */
struct sweep_store *sweep_merge(const struct text_list *paths, const char *path);

#endif
