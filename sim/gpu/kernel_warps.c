/* SPDX-License-Identifier: MIT
 * Time from the warps up (warps.h).
 */
#include "kernel_model.h"

#include "traces/base/util.h"
#include "warps.h"

extern const struct kernel_model_ops kernel_model_warps, kernel_model_roofline;

/* Of a launch that warps_knows nothing of, where bounds will do. */
static bool is_bounded(const struct kernel_model *model, const struct schedule *schedule,
		       const struct schedule_shape *shape)
{
	return model->bounds > 0 && model->warps && !warps_knows(model->warps, schedule, shape);
}

/* What the launch takes, over what is played of it; or so many like it as one. */
static double timed_ratio(const struct kernel_model *model, const struct schedule *schedule,
			  const struct schedule_shape *shape, double as_many)
{
	const struct timed_kind kind = { schedule->kernel[shape->kernel],
					 shape->path,
					 { shape->block[0], shape->block[1], shape->block[2] },
					 (int64_t)((double)shape->points * as_many) };
	return model->timed ? timed_launches_ratio(model->timed, &kind, model->but_itself) : 1;
}

static int warps_cost(struct kernel_model *model, const struct schedule *schedule,
		      const struct schedule_shape *shape, const struct schedule_op *op,
		      double *duration_ns)
{
	if (!model->warps)
		return report("the kernel model 'warps' has no kernel profiles");
	if (is_bounded(model, schedule, shape)) {
		if (!model->bounded)
			model->bounded = schedule->kernel[shape->kernel];
		const int rc = kernel_model_roofline.cost(model, schedule, shape, op, duration_ns);
		*duration_ns *= model->bounds;
		return rc;
	}
	if (warps_duration(model->warps, schedule, shape, duration_ns, &model->extrapolated))
		return -1;
	*duration_ns *= timed_ratio(model, schedule, shape, 1);
	return 0;
}

static double warps_moved(struct kernel_model *model, const struct schedule *schedule,
			  const struct schedule_shape *shape)
{
	if (is_bounded(model, schedule, shape))
		return (double)shape->dram_bytes;
	return model->warps ? warps_dram_bytes(model->warps, schedule, shape) : 0;
}

static int warps_among_others(struct kernel_model *model, const struct schedule *schedule,
			      const struct schedule_shape *shape, uint32_t streams,
			      double duration_ns, struct kernel_crowd *crowd)
{
	double as_many = streams;
	*crowd = (struct kernel_crowd){ 1, 1 };
	if (is_bounded(model, schedule, shape))
		return 0;
	const double alone = timed_ratio(model, schedule, shape, 1);
	if (warps_crowd(model->warps, schedule, shape, duration_ns / alone, &crowd->room,
			&crowd->busy, &as_many))
		return -1;
	crowd->busy *= timed_ratio(model, schedule, shape, as_many) / alone;
	crowd->busy = crowd->busy < 1 ? crowd->busy : 1;
	if (crowd->room >= 1) /* while its last wave runs there is room */
		crowd->room = crowd->busy;
	return 0;
}

const struct kernel_model_ops kernel_model_warps = {
	.name = "warps",
	.summary = "multiprocessors, warps, caches and memory, from profiles of the kernels' "
		   "instructions",
	.from_profiles = true,
	.cost = warps_cost,
	.dram_bytes = warps_moved,
	.crowd = warps_among_others,
};
