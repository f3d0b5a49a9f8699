/* SPDX-License-Identifier: MIT */
#include "predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/gpu/warps.h"
#include "traces/base/util.h"

/* NULL: one GPU, or a program that is no solver of ours. Owned by the caller. */
static char *transport_of(const struct predictor *p, const struct schedule *schedule)
{
	return schedule->config && schedule->gpu_count > 1
		       ? p->program->column(schedule->solver, schedule->config, schedule->gpu_count,
					    "transport")
		       : NULL;
}

/* "" for what nobody planned. */
static void family_of(const struct predictor *p, const struct schedule *schedule, const char *set,
		      char *family, size_t family_size)
{
	*family = '\0';
	if (!schedule->config || !schedule->solver ||
	    (strcmp(set, "size") != 0 && strcmp(set, "gpus") != 0))
		return;
	char *kernel = p->program->column(schedule->solver, schedule->config, schedule->gpu_count,
					  "kernel");
	snprintf(family, family_size, "%s%s%s", schedule->solver, kernel ? "/" : "",
		 kernel ? kernel : "");
	free(kernel);
}

static bool goes_a_known_way(const struct predictor *p, const struct schedule *schedule)
{
	char *way =
		p->program->column(schedule->solver, schedule->config, schedule->gpu_count, "way");
	const bool known = !way || intervals_familiar(&p->intervals, way);
	free(way);
	return known;
}

/* Kernels that only have bounds: do they show? */
static void note_bounds(struct prediction *prediction, double high)
{
	static const double hidden = 1.1; /* asked of one factor: those between are taken to lie
					     between */
	prediction->core_lo_us *= fmin(1, prediction->longer_us / prediction->core_us);
	if (!(prediction->longer_us <= hidden * prediction->core_us)) {
		prediction->bounded = prediction->by_bounds;
		prediction->core_hi_us = INFINITY;
		return;
	}
	prediction->core_hi_us =
		fmax(prediction->core_us, prediction->longer_us) * (1 + high + prediction->error);
}

void prediction_finish(struct prediction *prediction, const struct predictor *p,
		       const struct schedule *schedule, const struct predictor_request *request,
		       const struct kernel_model *model)
{
	const struct simulation_result *r = &prediction->detail;
	double kernels = 0, low, high;
	for (uint32_t g = 0; g < r->gpu_count; g++)
		kernels += (double)r->gpu[g].kernel_ps / r->gpu_count;
	char *transport = transport_of(p, schedule);
	const double share = r->core_ps ? kernels / (double)r->core_ps : 0;
	prediction->class_name = !strcmp(request->set, "foreign")
					 ? interval_class_foreign(share)
					 : interval_class((int)schedule->gpu_count, transport,
							  share, model->ops->name);
	free(transport);
	family_of(p, schedule, request->set, prediction->family, sizeof(prediction->family));
	prediction->unfamiliar = *prediction->family && !goes_a_known_way(p, schedule);
	char played[INTERVAL_CLASS_BYTES];
	interval_class_played(prediction->class_name, played);
	const bool as_played = !model->timed && intervals_have(&p->intervals, request->set, played);
	intervals_lookup(&p->intervals, request->set,
			 prediction->unfamiliar ? INTERVAL_UNFAMILIAR
			 : as_played		? played
						: prediction->class_name,
			 &low, &high);
	if (*prediction->family)
		interval_of_solver(&p->intervals, schedule->solver, &low, &high);
	/* What was named and answered before it was measured erred so many times as much as what
	 * widths were fitted to. */
	if (*prediction->family && !request->seen)
		interval_widen(intervals_unseen(&p->intervals), &low, &high);
	/* Counts that --set gives the machine were not measured by that. */
	const struct platform *file = p->platform.base;
	int measured_gpus = file->measured_gpus ? file->measured_gpus : file->gpus;
	prediction->more_gpus = (int)schedule->gpu_count > measured_gpus;
	prediction->hypothetical = p->hypothetical.parts |
				   (prediction->more_gpus ? 1u << PART_OF_COUNT : 0) |
				   (!strcmp(model->ops->name, "zero") ? 1u << PART_OF_DEVICE : 0);
	hypothetical_widen(&p->hypothetical, &p->left_out, prediction->hypothetical, request->set,
			   prediction->class_name, *prediction->family ? schedule->solver : "",
			   &low, &high);
	if (!strcmp(model->ops->name, "roofline"))
		bounds_widen(&p->left_out, prediction->class_name, &low, &high);
	/* Of kernels on a device that never ran them nobody knows anything. */
	if (!predictor_is_of_device(p, schedule) && !strcmp(model->ops->name, "recorded"))
		low = high = NAN;
	prediction->core_us = (double)r->core_ps * 1e-6;
	prediction->core_lo_us = prediction->core_us * (1 + low - prediction->error);
	prediction->core_hi_us = prediction->core_us * (1 + high + prediction->error);
	prediction->by_bounds = model->bounded;
	if (model->bounded)
		note_bounds(prediction, high);
	prediction->total_us = (double)r->total_ps * 1e-6;
	prediction->kernel_model = model->ops->name;
	prediction->unsure = model->extrapolated || prediction->bounded;
	prediction->extrapolated = prediction->unsure || p->other_device || prediction->more_gpus;
}

const char *prediction_model_name(const struct prediction *prediction)
{
	return prediction->by_bounds ? "warps+bounds" : prediction->kernel_model;
}

int prediction_refuse_bound(const struct prediction *prediction, const struct predictor *predictor)
{
	return report("kernel '%s' has no profile in %s, and its bounds decide how long the run "
		      "takes: record one with warpreel profile",
		      prediction->bounded, warps_where(predictor->warps));
}
