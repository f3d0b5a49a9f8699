/* SPDX-License-Identifier: MIT
 * A kernel model that lets another's kernels without profile take longer than their bounds, to see
 * whether that shows in a run.
 */
#ifndef WARPREEL_BOUNDS_LONGER_H
#define WARPREEL_BOUNDS_LONGER_H

#include "sim/gpu/kernel_model.h"

struct bounds_longer {
	struct kernel_model base; /* first */
	struct kernel_model_ops ops;
	struct kernel_model *inner;
	double times;
};

/* `inner` is one of `warps`, outlives it, and answers for it. */
void bounds_longer(struct bounds_longer *longer, struct kernel_model *inner, double times);

#endif
