/* SPDX-License-Identifier: MIT
 * Launches of one kernel on ever fewer rows, as a wide border makes them: where they are long and
 * many, a few are played and the others lie on a line through these. What is played of a long launch
 * says its pace to half a per cent, so the line is nearer to the mean than each of them.
 */
#ifndef WARPREEL_LAUNCH_SERIES_H
#define WARPREEL_LAUNCH_SERIES_H

#include "launch_memo.h"

struct launch_line; /* one series, in launch_series.c */

/* A kernel model that asks another of so many ops, and of few launches of a series; `remembered`
 * first. Zeroed, then launch_series_use; launch_series_release in any case. */
struct series_model {
	struct memo_model remembered;
	const struct kernel_model_ops *inner;
	struct launch_line *line;
	uint32_t count, capacity;
	int32_t *of_shape; /* [shape_count]: which line; -1: none */
};

/* Where the schedule has series of the kind, from now on the model answers from them. */
void launch_series_use(struct series_model *model, const struct schedule *schedule);
void launch_series_release(struct series_model *model);

#endif
