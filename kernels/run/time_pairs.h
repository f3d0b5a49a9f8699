/* SPDX-License-Identifier: MIT
 * warpreel time --pairs: two kernels, or a kernel and a copy, each alone and both at once on one
 * GPU. A line of a list:
 *
 *     NAME: SIDE | SIDE        # comment
 *
 * A SIDE is `SOLVER KEY=VALUE...` or `copy=d2d BYTES` (h2d, d2h: pinned host memory).
 */
#ifndef WARPREEL_TIME_PAIRS_H
#define WARPREEL_TIME_PAIRS_H

#include <stdio.h>

#include "kernels/machine/machine.h"

struct time_pairs {
	const char *list, *pair, *with; /* a file, or two sides */
	const char *backend, *visit;
	int repeat, warm_up_ms;
};

/* Prints a header and a row a pair; returns how many could not be timed, each after a message. */
int time_pairs(const struct time_pairs *o, struct machine *m, FILE *out);

/* The clock of GPU 0 right after; -1 where unknown (cmd_time.c). */
double time_sm_mhz(const char *backend);

#endif
