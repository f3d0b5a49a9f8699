/* SPDX-License-Identifier: MIT
 * Is the predicted best the measured best? A group is of runs that differ in one choice only, or in
 * any of them.
 */
#ifndef WARPREEL_RANKING_H
#define WARPREEL_RANKING_H

#include "validation.h"

struct ranking_member {
	double measured_us, predicted_us;
};

/* Of `count` >= 2 members. `regret`: how much longer the predicted best takes than the measured
 * best, over the latter; `tau`: Kendall's tau-b of the two orders (1938; ties as in Kendall 1945),
 * NaN where one of them is all ties; `by_chance`: the mean regret of a member drawn at random. */
struct ranking_group {
	bool right;
	double regret, tau, by_chance;
};
struct ranking_group ranking_of(const struct ranking_member *member, size_t count);

/* A line a choice, of the rows of model `default` in the sets size and gpus. */
void ranking_write(const struct validation *validation, FILE *out);

#endif
