/* SPDX-License-Identifier: MIT */
#include "bounds_longer.h"

#include "sim/gpu/warps.h"

static struct bounds_longer *longer_of(struct kernel_model *model)
{
	return (struct bounds_longer *)model;
}

static int cost(struct kernel_model *model, const struct schedule *schedule,
		const struct schedule_shape *shape, const struct schedule_op *op,
		double *duration_ns)
{
	struct bounds_longer *longer = longer_of(model);
	const int rc = longer->inner->ops->cost(longer->inner, schedule, shape, op, duration_ns);
	if (!rc && !warps_knows(model->warps, schedule, shape))
		*duration_ns *= longer->times;
	return rc;
}

static double dram_bytes(struct kernel_model *model, const struct schedule *schedule,
			 const struct schedule_shape *shape)
{
	return longer_of(model)->inner->ops->dram_bytes(longer_of(model)->inner, schedule, shape);
}

static int crowd(struct kernel_model *model, const struct schedule *schedule,
		 const struct schedule_shape *shape, double duration_ns, struct kernel_crowd *crowd)
{
	return longer_of(model)->inner->ops->crowd(longer_of(model)->inner, schedule, shape,
						   duration_ns, crowd);
}

void bounds_longer(struct bounds_longer *longer, struct kernel_model *inner, double times)
{
	*longer = (struct bounds_longer){
		.base = *inner, .ops = *inner->ops, .inner = inner, .times = times
	};
	longer->ops.cost = cost;
	longer->ops.dram_bytes = inner->ops->dram_bytes ? dram_bytes : NULL;
	longer->ops.crowd = inner->ops->crowd ? crowd : NULL;
	longer->base.ops = &longer->ops;
}
