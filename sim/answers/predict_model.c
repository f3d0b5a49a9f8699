/* SPDX-License-Identifier: MIT
 * Which kernel model answers.
 */
#include "predict.h"

#include <string.h>

#include "traces/base/util.h"

/* Asks for another inside of the device, which recorded durations know nothing of. */
static bool changes_inside(const struct text_list *set)
{
	static const char *const inside[] = { "sm.", "device.sm_count=", "device.dram_gb_per_s=",
					      "device.l2_gb_per_s=" };
	for (int k = 0; k < set->count; k++)
		for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++)
			if (!strncmp(set->text[k], inside[i], strlen(inside[i])) &&
			    !platform_set_is_idle(set->text[k]))
				return true;
	return false;
}

/* What was given for a model that does not answer would be left out without a word. */
static const char *unless_in_vain(const struct predictor_options *o, const char *model)
{
	const bool warps_asked = !o->kernel_model || !strcmp(o->kernel_model, "warps");
	if (!warps_asked && (o->kernel_profiles || o->timed || o->strict))
		report("--%s is of the kernel model 'warps', not of '%s'",
		       o->kernel_profiles ? "kernel-profiles"
		       : o->timed	  ? "timed"
					  : "strict",
		       o->kernel_model);
	else if (!strcmp(model, "recorded") && o->profile)
		report("--profile changes nothing where kernels last as long as they were "
		       "recorded; --gpus or another --kernel-model looks at it");
	else
		return model;
	return NULL;
}

const char *predictor_model(const struct predictor_options *o, const char *unasked)
{
	if (!o->ideal.count)
		return unless_in_vain(o, o->kernel_model	   ? o->kernel_model
					 : changes_inside(&o->set) ? "warps"
								   : unasked);
	if (!o->kernel_model || !strcmp(o->kernel_model, "warps"))
		return "warps";
	report("--ideal changes the device's inside, which the kernel model '%s' does not look at; "
	       "'warps' does",
	       o->kernel_model);
	return NULL;
}

/* Whether the model `warps` may speak for launches that were recorded as well: it knows all of
 * them, and nobody gave records to go by. */
static int walks_all(struct predictor *p, const struct schedule *schedule)
{
	struct kernel_model model = { 0 };
	if (p->profile_given || !p->platform.sm.present || p->other_device ||
	    !warps_profiled(&p->warps_options))
		return 0;
	return predictor_use_warps(p, &model) ? -1 : warps_sure(p->warps, schedule);
}

bool predictor_recorded(const struct predictor *p, const struct schedule *schedule)
{
	bool all = true;
	for (uint32_t k = 0; k < schedule->shape_count && all; k++) {
		const struct schedule_shape *shape = &schedule->shape[k];
		const struct profile_form form = profile_form_of(shape->block, shape->shared_bytes);
		all = profile_has(&p->profile, schedule->kernel[shape->kernel], &form);
	}
	return all;
}

static const char *planned_model(struct predictor *p, const struct schedule *schedule)
{
	const bool all = predictor_recorded(p, schedule);
	/* As where --set changes it: a file that is a shipped one with another inside. */
	if (p->hypothetical.inside && !p->profile_given)
		return "warps";
	/* Records of another device say what its kernels do, not how long they take here. */
	if (!all && p->platform.sm.present)
		return "warps";
	int walks = all && p->has_profile ? walks_all(p, schedule) : 0;
	return walks < 0 ? NULL : walks ? "warps" : "scaled";
}

const char *predictor_planned_model(struct predictor *p, const struct schedule *schedule,
				    bool *bounds)
{
	struct kernel_model model = { 0 };
	const char *name = planned_model(p, schedule);
	if (!bounds)
		return name;
	*bounds = false;
	if (!name || strcmp(name, "warps"))
		return name;
	if (predictor_use_warps(p, &model))
		return NULL;
	*bounds = warps_missing(p->warps, schedule) != NULL;
	return name;
}

bool predictor_is_of_device(const struct predictor *p, const struct schedule *schedule)
{
	const char *mine = platform_text(&p->platform, "device.name");
	return !p->other_device || (schedule->device && mine && !strcmp(schedule->device, mine));
}

const char *predictor_replayed_model(struct predictor *p, const struct schedule *schedule)
{
	struct kernel_model model = { 0 };
	const bool recorded_here = predictor_is_of_device(p, schedule);
	if (p->hypothetical.inside)
		return "warps";
	if (recorded_here && schedule->virtual_gpus > 1) {
		/* Virtual GPUs share one L2, which is in their records and not in profiles. */
		if (p->platform.sm.present && predictor_use_warps(p, &model))
			return NULL;
		return p->warps && !warps_missing(p->warps, schedule) ? "warps" : "recorded";
	}
	if (recorded_here)
		return "recorded";
	if (p->platform.sm.present && predictor_use_warps(p, &model))
		return NULL;
	const char *missing = p->warps ? warps_missing(p->warps, schedule) : NULL;
	if (p->warps && !missing)
		return "warps";
	report_warning(
		"%s%s%s: kernels last as long as they were recorded, on another device than '%s'",
		missing ? "kernel '" : "no [sm] section", missing ? missing : "",
		missing ? "' has no profile" : "", p->platform.name);
	return "recorded";
}
