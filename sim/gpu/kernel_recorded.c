/* SPDX-License-Identifier: MIT
 * The durations in the trace, launch by launch; and the ideal kernel that takes no time, for
 * bounds.
 */
#include "kernel_model.h"

#include "traces/base/util.h"

extern const struct kernel_model_ops kernel_model_recorded, kernel_model_zero;

static int recorded_cost(struct kernel_model *model, const struct schedule *schedule,
			 const struct schedule_shape *shape, const struct schedule_op *op,
			 double *duration_ns)
{
	(void)model;
	if (op->duration_ps < 0)
		return report("kernel '%s' has no recorded duration: use another --kernel-model",
			      schedule->kernel[shape->kernel]);
	*duration_ns = (double)op->duration_ps / 1000.0;
	return 0;
}

const struct kernel_model_ops kernel_model_recorded = {
	.name = "recorded",
	.summary = "the durations in the trace",
	.per_launch = true,
	.cost = recorded_cost,
};

static int zero_cost(struct kernel_model *model, const struct schedule *schedule,
		     const struct schedule_shape *shape, const struct schedule_op *op,
		     double *duration_ns)
{
	(void)model;
	(void)schedule;
	(void)shape;
	(void)op;
	*duration_ns = 0;
	return 0;
}

const struct kernel_model_ops kernel_model_zero = {
	.name = "zero",
	.summary = "ideal kernels that take no time: what is left is the host and the links",
	.cost = zero_cost,
};
