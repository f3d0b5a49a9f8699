/* SPDX-License-Identifier: MIT
 * Which platform answers where nobody asked for one: a measured one of the device in question, with
 * the fewest GPUs that are enough. A run on two GPUs is not asked of a machine of eight.
 */
#ifndef WARPREEL_PLATFORM_CHOICE_H
#define WARPREEL_PLATFORM_CHOICE_H

#include "predict.h"

struct trace;

struct platform_choice {
	char *name, *why; /* owned; NULL: one was asked for */
};

/*
 * `recorded`: the trace that is played back, which knows its device and how many GPUs its machine
 * has; NULL for a plan. -1 after a message.
 */
int platform_choose(struct platform_choice *choice, const struct predictor_options *options,
		    const struct trace *recorded, int gpus);
/* predictor_init with that platform, which the options then name; the answer says why. */
int platform_choice_init(const struct platform_choice *choice, struct predictor *predictor,
			 const struct program *program, struct predictor_options *options,
			 bool wants_profile);
void platform_choice_release(struct platform_choice *choice);

#endif
