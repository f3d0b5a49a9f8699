/* SPDX-License-Identifier: MIT
 * What the kernel model `warps` said of launches, kept from one schedule to the next. A launch is
 * the same where its thread makes the same launches on the same ranges, whatever its buffers are
 * called: then it finds the same in L2. So the GPUs in the middle of a row share their answers, and
 * runs that differ only in how they exchange.
 */
#ifndef WARPREEL_LAUNCH_MEMO_H
#define WARPREEL_LAUNCH_MEMO_H

#include "sim/gpu/kernel_model.h"

struct launch_memo;
struct launch_memo *launch_memo_new(void);
void launch_memo_free(struct launch_memo *memo); /* NULL: nothing */

/* A kernel model that answers from the memo; `base` first. */
struct memo_model {
	struct kernel_model base;
	const struct launch_memo *memo;
};

/*
 * Makes `model`, one of `warps`, answer from the memo, which is brought up to date for the schedule
 * first. Leaves it as it is where it cannot: threads that share launches, or something to be said
 * of a launch, which the model then says itself.
 */
void launch_memo_use(struct launch_memo *memo, const struct schedule *schedule,
		     struct memo_model *model);

#endif
