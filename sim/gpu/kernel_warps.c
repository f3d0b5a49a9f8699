/* SPDX-License-Identifier: MIT
 * Time from the warps up (warps.h).
 */
#include "kernel_model.h"

#include "traces/base/util.h"
#include "warps.h"

extern const struct kernel_model_ops kernel_model_warps;

static int warps_cost(struct kernel_model *model, const struct schedule *schedule,
		      const struct schedule_shape *shape, const struct schedule_op *op,
		      double *duration_ns)
{
	(void)op;
	if (!model->warps)
		return report("the kernel model 'warps' has no kernel profiles");
	return warps_duration(model->warps, schedule, shape, duration_ns, &model->extrapolated);
}

static double warps_moved(struct kernel_model *model, const struct schedule *schedule,
			  const struct schedule_shape *shape)
{
	return model->warps ? warps_dram_bytes(model->warps, schedule, shape) : 0;
}

const struct kernel_model_ops kernel_model_warps = {
	.name = "warps",
	.summary = "multiprocessors, warps, caches and memory, from profiles of the kernels' "
		   "instructions",
	.from_profiles = true,
	.cost = warps_cost,
	.dram_bytes = warps_moved,
};
