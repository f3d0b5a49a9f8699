/* SPDX-License-Identifier: MIT
 * Roofline (Williams, Waterman, Patterson 2009), memory side only: no kernel is shorter than the
 * shortest the device showed, and none moves its bytes faster than a copy kernel of the same
 * working set does, in L2 or in DRAM.
 */
#include "kernel_model.h"

#include "traces/base/util.h"

extern const struct kernel_model_ops kernel_model_roofline;

static int roofline_cost(struct kernel_model *model, const struct schedule *schedule,
			 const struct schedule_shape *shape, const struct schedule_op *op,
			 double *duration_ns)
{
	(void)op;
	const struct platform *p = model->platform;
	const char *name = schedule->kernel[shape->kernel];
	if (shape->dram_bytes <= 0)
		return report(
			"kernel '%s' carries no data footprint, so a roofline has nothing to go by",
			name);
	if (!p->memory.x.count)
		return report("platform '%s' has no [memory] curve, which the roofline needs",
			      p->name);
	double resident = (double)(shape->resident_bytes > 0 ? shape->resident_bytes
							     : shape->footprint_bytes);
	double smallest = p->memory.x.value[0], largest = p->memory.x.value[p->memory.x.count - 1];
	double at = resident < smallest ? smallest : resident > largest ? largest : resident;
	double floor_ns = p->kernel_gap.x.count ? p->kernel_gap.x.value[0] : 0;
	double bytes_ns = (double)shape->dram_bytes / curve_at(&p->memory, at) * 1e9;
	*duration_ns = bytes_ns > floor_ns ? bytes_ns : floor_ns;
	return 0;
}

const struct kernel_model_ops kernel_model_roofline = {
	.name = "roofline",
	.summary = "launch, L2 and DRAM bounds from the platform file and the bytes that must move",
	.cost = roofline_cost,
};
