/* SPDX-License-Identifier: MIT */
#include "unused_options.h"

#include <stdlib.h>
#include <string.h>

#include "traces/schedule/nccl_names.h"
#include "traces/base/util.h"

/* Keys that one kernel model alone looks at; all others are of calls, copies, links and streams,
 * which every model has around its kernels. */
static const struct {
	const char *begin, *model, *otherwise;
} only_by[] = {
	{ "sm.", "warps", "nothing changes" },
	{ "device.dram_gb_per_s=", "warps", "nothing changes" },
	{ "device.l2_gb_per_s=", "warps", "nothing changes" },
	{ "device.sm_count=", "warps",
	  "kernels last as long as before, and only how they run side by side may change" },
	{ "memory.", "roofline", "nothing changes" },
};

static void tell_assignment(const char *assignment, const char *kernel_model)
{
	for (size_t k = 0; k < sizeof(only_by) / sizeof(only_by[0]); k++)
		if (!strncmp(assignment, only_by[k].begin, strlen(only_by[k].begin)) &&
		    strcmp(only_by[k].model, kernel_model) != 0) {
			report_warning("--set %s: the kernel model '%s' does not look at it, '%s' "
				       "does: %s",
				       assignment, kernel_model, only_by[k].model,
				       only_by[k].otherwise);
			return;
		}
}

/* Keys that only recordings are answered by, or only those of programs that are no solvers of
 * ours. */
static const struct {
	const char *begin;
	bool of_others;
} only_recorded[] = {
	{ "tracer.", false },
	{ "host.core_additions=", true },
	{ "host.shared_cores=", true },
	{ "host.shared_longer=", true },
};

static void tell_planned(const char *assignment, const struct schedule *schedule)
{
	for (size_t k = 0; k < sizeof(only_recorded) / sizeof(only_recorded[0]); k++)
		if (!strncmp(assignment, only_recorded[k].begin, strlen(only_recorded[k].begin)) &&
		    (!schedule->device || (only_recorded[k].of_others && schedule->config)))
			report_warning("--set %s: only recordings%s are answered by it: nothing "
				       "changes",
				       assignment,
				       only_recorded[k].of_others ? " of other programs" : "");
}

void unused_tell(const struct predictor_options *o, const struct schedule *schedule,
		 const char *kernel_model)
{
	for (int k = 0; k < o->set.count; k++)
		if (!platform_set_is_idle(o->set.text[k]))
			tell_planned(o->set.text[k], schedule);
	for (int k = 0; k < o->set.count; k++)
		if (!platform_set_is_idle(o->set.text[k])) /* of which it was said before */
			tell_assignment(o->set.text[k], kernel_model);
	if (strcmp(kernel_model, "warps") != 0 && (o->kernel_profiles || o->timed || o->strict))
		report_warning("--%s: the kernel model 'warps' looks at it, and '%s' answers: "
			       "nothing changes",
			       o->kernel_profiles ? "kernel-profiles"
			       : o->timed	  ? "timed"
						  : "strict",
			       kernel_model);
}

/* Whether the configuration says something of the option. */
static bool configured(const char *config, const char *option)
{
	const size_t length = strlen(option);
	for (const char *word = config; *word; word += strcspn(word, " "), word += *word == ' ')
		if (!strncmp(word, option, length) && word[length] == '=')
			return true;
	return false;
}

char *unused_config(const struct program *program, const char *solver, void *params,
		    size_t params_bytes, uint32_t gpus)
{
	void *given = xmalloc(params_bytes); /* preparing them fills some in */
	memcpy(given, params, params_bytes);
	char *config = program->config_of(solver, params, gpus);
	size_t bytes;
	const struct option_spec *spec = config ? program->solver_options(solver, &bytes) : NULL;
	for (; spec && spec->name; spec++)
		if (!option_is_standard(spec, given) && !configured(config, spec->name))
			report_warning("--%s: what is planned of '%s' does not depend on it: the "
				       "answer is the same without",
				       spec->name, solver);
	free(given);
	return config;
}

/* Kernels of libraries that load from and store to other GPUs. */
static bool communicates(const char *kernel)
{
	return nccl_kernel(kernel) || strstr(kernel, "nvshmem");
}

void unused_tell_links(const struct predictor_options *o, const struct predictor *p,
		       const struct schedule *schedule, const char *kernel_model)
{
	if (strcmp(kernel_model, "recorded") != 0 ||
	    schedule->collective_count || /* priced by the links */
	    !(o->link || o->host || p->hypothetical.parts >> PART_OF_LINK & 1))
		return;
	for (uint32_t k = 0; k < schedule->kernel_count; k++)
		if (communicates(schedule->kernel[k])) {
			report_warning("kernel '%s' moves bytes between GPUs itself: it lasts as "
				       "long as it was recorded, whatever the links",
				       schedule->kernel[k]);
			return;
		}
}

const char *unused_by_cosim(const struct predictor_options *o)
{
	const struct {
		const char *option;
		bool given;
	} given[] = {
		{ "platform", o->platform }, { "host", o->host },
		{ "link", o->link },	     { "device", o->device },
		{ "set", o->set.count },     { "kernel-model", o->kernel_model },
		{ "profile", o->profile },   { "kernel-profiles", o->kernel_profiles },
		{ "timed", o->timed },	     { "ideal", o->ideal.count },
		{ "strict", o->strict },     { "allow-extrapolation", o->allow_extrapolation },
		{ "o", o->output },
	};
	for (size_t k = 0; k < sizeof(given) / sizeof(given[0]); k++)
		if (given[k].given)
			return given[k].option;
	return NULL;
}
