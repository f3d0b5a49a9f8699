/* SPDX-License-Identifier: MIT
 * What was asked for and the answer does not look at: said, always.
 */
#ifndef WARPREEL_UNUSED_OPTIONS_H
#define WARPREEL_UNUSED_OPTIONS_H

#include "predict.h"

/* A warning for each assignment and option that this kernel model, or a run that was planned, does
 * not look at. */
void unused_tell(const struct predictor_options *options, const struct schedule *schedule,
		 const char *kernel_model);
/* An option of a prediction that a co-simulation does not look at, without its dashes; NULL: none
 * was given. */
const char *unused_by_cosim(const struct predictor_options *options);

/* The configuration of filled-in parameters, owned by the caller, NULL after a message; and a
 * warning for each of the solver's options that was given and is not in it. */
char *unused_config(const struct program *program, const char *solver, void *params,
		    size_t params_bytes, uint32_t gpus);

/* Says which kernel of the schedule moves bytes between GPUs by itself, where other links are asked
 * for (an edit of theirs, another machine's) and kernels last as long as they were recorded. */
void unused_tell_links(const struct predictor_options *options, const struct predictor *predictor,
		       const struct schedule *schedule, const char *kernel_model);

#endif
