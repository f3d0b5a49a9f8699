/* SPDX-License-Identifier: MIT
 * What was asked for and the answer does not look at: said, always.
 */
#ifndef WARPREEL_UNREAD_H
#define WARPREEL_UNREAD_H

#include "predict.h"

/* A warning for each assignment and option that this kernel model does not look at. */
void unread_tell(const struct predictor_options *options, const char *kernel_model);
/* An option of a prediction that a co-simulation does not look at, without its dashes; NULL: none
 * was given. */
const char *unread_by_cosim(const struct predictor_options *options);

#endif
