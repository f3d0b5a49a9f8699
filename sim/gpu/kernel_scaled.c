/* SPDX-License-Identifier: MIT
 * Recorded one-GPU durations interpolated over rows and columns (model/records/profile.h).
 */
#include "kernel_model.h"

#include <inttypes.h>

#include "traces/base/util.h"

extern const struct kernel_model_ops kernel_model_scaled;

static int never_recorded(const char *name, const struct profile_form *asked,
			  const struct profile_form *has, const char *source)
{
	if (has->threads < 0)
		return report("kernel '%s' was never recorded in the one-GPU profile (%s): use "
			      "--profile TRACE or --kernel-model roofline; in a renamed copy of a "
			      "shipped "
			      "platform, 'data =' and 'kernels =' in [platform] name that one",
			      name, source);
	return report(
		"kernel '%s' was recorded with blocks of %" PRId64 " threads and %" PRId64
		" bytes of shared memory, not of %" PRId64 " and %" PRId64
		" (%s): record or profile it so, or --allow-extrapolation answers all the same",
		name, has->threads, has->shared_bytes, asked->threads, asked->shared_bytes, source);
}

static int scaled_cost(struct kernel_model *model, const struct schedule *schedule,
		       const struct schedule_shape *shape, const struct schedule_op *op,
		       double *duration_ns)
{
	(void)op;
	static const struct profile nothing = { .source = NULL };
	const struct profile *profile = model->profile ? model->profile : &nothing;
	const char *name = schedule->kernel[shape->kernel];
	const struct profile_form asked = profile_form_of(shape->block, shape->shared_bytes);
	struct profile_form form = asked;
	bool outside = false;
	int rc = profile_lookup(profile, name, shape->rows, shape->columns, &form, duration_ns,
				&outside);
	if (rc && model->allow_extrapolation) {
		rc = profile_lookup(profile, name, shape->rows, shape->columns, NULL, duration_ns,
				    &outside);
		outside = true; /* of what was recorded */
	}
	if (rc)
		return never_recorded(name, &asked, &form,
				      profile->source ? profile->source : "none");
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
