/* SPDX-License-Identifier: MIT */
#ifndef WARPREEL_SWEEP_BEST_H
#define WARPREEL_SWEEP_BEST_H

#include "sweep_store.h"

/* -1 after a message when `by` is not a list of columns that rows can be grouped by. */
int sweep_best_check(const char *by);

/*
 * Prints, for each value of the columns in `by` ("all": once), the configuration with the least
 * core loop, and between what and what the regret of taking it lies: how much longer than the best
 * of the others it may be, in per cent, when every interval is taken at its worst. -1 after a
 * message.
 */
int sweep_best_print(struct sweep_store *store, const char *by, FILE *out);

#endif
