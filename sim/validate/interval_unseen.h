/* SPDX-License-Identifier: MIT
 * Widths are fitted to rows that were looked at while mechanisms were chosen, on few machines. The
 * next answer errs more, and by how much is what earlier ones have erred by that were named and
 * made before anything was measured.
 */
#ifndef WARPREEL_INTERVAL_UNSEEN_H
#define WARPREEL_INTERVAL_UNSEEN_H

#include "blind.h"
#include "validation.h"

/*
 * How many times as wide, of logarithms, the intervals of planned runs must be for 90 % of the n
 * answers of `blind` as they were made to have the measurement inside: the split-conformal rank
 * (n + 1) 0.9 (Papadopoulos et al. 2002; Lei et al. 2018). At least 1; 1 and *n = 0 where there are
 * too few of them.
 */
double interval_unseen_times(const struct blind *blind, const struct validation *validation,
			     const struct intervals *intervals, size_t *n);

#endif
