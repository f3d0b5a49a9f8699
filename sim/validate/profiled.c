/* SPDX-License-Identifier: MIT */
#include "profiled.h"

#include "traces/base/util.h"

int profiled(struct predictor *predictor, const struct schedule *schedule, const char *rows,
	     bool *said)
{
	struct kernel_model model = { 0 };
	if (predictor_use_warps(predictor, &model))
		return -1;
	const char *missing = warps_missing(model.warps, schedule);
	if (missing && !*said)
		report_warning("kernel '%s' has no profile in %s: %s that launch it have no rows "
			       "of the model 'warps'",
			       missing, warps_where(model.warps), rows);
	*said |= missing != NULL;
	return !missing;
}
