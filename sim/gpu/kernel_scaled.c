/* SPDX-License-Identifier: MIT
 * Recorded one-GPU durations interpolated over rows and columns (model/records/profile.h).
 */
#include "kernel_model.h"

#include "traces/base/util.h"

extern const struct kernel_model_ops kernel_model_scaled;

static int scaled_cost(struct kernel_model *model, const struct schedule *schedule,
		       const struct schedule_shape *shape, const struct schedule_op *op,
		       double *duration_ns)
{
	(void)op;
	const char *name = schedule->kernel[shape->kernel];
	bool outside = false;
	if (!model->profile || profile_lookup(model->profile, name, shape->rows, shape->columns,
					      duration_ns, &outside))
		return report("kernel '%s' was never recorded in the one-GPU profile (%s): use "
			      "--profile TRACE or --kernel-model roofline; in a renamed copy of a "
			      "shipped "
			      "platform, 'data =' and 'kernels =' in [platform] name that one",
			      name, model->profile ? model->profile->source : "none");
	if (outside && !model->allow_extrapolation)
		return report("kernel '%s' over %lldx%lld points lies outside the recorded range: "
			      "--allow-extrapolation answers all the same",
			      name, (long long)shape->rows, (long long)shape->columns);
	model->extrapolated |= outside;
	return 0;
}

const struct kernel_model_ops kernel_model_scaled = {
	.name = "scaled",
	.summary = "recorded one-GPU durations interpolated over rows and columns",
	.cost = scaled_cost,
};
