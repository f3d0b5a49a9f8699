/* SPDX-License-Identifier: MIT */
#include "predict.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/platform/platform_default.h"
#include "model/records/record_index.h"
#include "traces/base/util.h"
#include "launch_series.h"
#include "replicas.h"
#include "same_device.h"
#include "timeline.h"

#define AT(field) offsetof(struct predictor_options, field)
#define SET_OPTION                                                                                 \
	{ "host",      OPTION_TEXT,                                                                \
	  AT(host),    NULL,                                                                       \
	  0,	       0,                                                                          \
	  "NAME|FILE", "take calls, links and number of GPUs from this platform" },                \
		{ "link", OPTION_TEXT, AT(link),    NULL,                                          \
		  0,	  0,	       "NAME|FILE", "take the links alone from this platform" },   \
		{ "device",    OPTION_TEXT,                                                        \
		  AT(device),  NULL,                                                               \
		  0,	       0,                                                                  \
		  "NAME|FILE", "take the GPU itself, and its kernels, from this platform" },       \
	{                                                                                          \
		"set", OPTION_LIST, AT(set), NULL, 0, 0, "KEY=VALUE",                              \
			"change one value of the platform; may be repeated"                        \
	}
#define OWN_PLATFORM_OPTION                                                                        \
	{                                                                                          \
		"platform", OPTION_TEXT, AT(platform), NULL, 0, 0, "NAME|FILE",                    \
			"what the machine costs: a shipped platform or a file (default: what was " \
			"calibrated "                                                              \
			"here, else " PLATFORM_DEFAULT ")"                                         \
	}
const struct option_spec predictor_platform_options[] = {
	{ "platform", OPTION_TEXT, AT(platform), PLATFORM_DEFAULT, 0, 0, "NAME|FILE",
	  "what the machine costs: a shipped platform or a file" },
	SET_OPTION,
	{ 0 },
};
const struct option_spec predictor_own_platform_options[] = { OWN_PLATFORM_OPTION,
							      SET_OPTION,
							      { 0 } };
const struct option_spec predictor_options[] = {
	OWN_PLATFORM_OPTION,
	SET_OPTION,
	{ "kernel-model", OPTION_CHOICE, AT(kernel_model), NULL, 0, 0,
	  "recorded|scaled|warps|roofline|zero",
	  "where kernel times come from\n"
	  "recorded: the trace\n"
	  "scaled: recorded times of other sizes, interpolated\n"
	  "warps: profiles of instructions, played warp by warp\n"
	  "roofline: bytes and rates alone\n"
	  "zero: no kernel takes time" },
	{ "profile", OPTION_TEXT, AT(profile), NULL, 0, 0, "TRACE",
	  "one-GPU trace for the scaled model (default: the platform's)" },
	{ "kernel-profiles", OPTION_TEXT, AT(kernel_profiles), NULL, 0, 0, "TRACE",
	  "kernel profiles for the warps model (default: the platform's)" },
	PREDICTOR_TIMED_OPTION(AT(timed)),
	PREDICTOR_IDEAL_OPTION(AT(ideal)),
	{ "strict", OPTION_FLAG, AT(strict), NULL, 0, 0, NULL,
	  "warps model: refuse instructions the decoder does not know" },
	{ "allow-extrapolation", OPTION_FLAG, AT(allow_extrapolation), NULL, 0, 0, NULL,
	  "answer outside the calibrated range too, and say so" },
	{ "no-skip", OPTION_FLAG, AT(no_skip), NULL, 0, 0, NULL,
	  "play all iterations of a long run, also where they repeat" },
	{ "o", OPTION_TEXT, AT(output), NULL, 0, 0, "FILE",
	  "write the predicted timeline as a trace" },
	{ "format", OPTION_CHOICE, AT(format), "text", 0, 0, "text|tsv", "output" },
	{ 0 },
};

/* The platform whose profile, intervals and measurements serve: a folder name under traces/data.
 * Borrowed. */
static const char *predictor_data(const struct predictor *p)
{
	return p->platform.data ? p->platform.data : p->platform.name;
}

/* That whose kernel profiles serve. Borrowed. */
static const char *kernels_of(const struct predictor *p)
{
	return p->same_device	     ? p->same_device
	       : p->platform.kernels ? p->platform.kernels
				     : predictor_data(p);
}

const char *predictor_measured(const struct predictor *p)
{
	return p->other_device ? p->platform.name : predictor_data(p);
}

/*
 * Is the device another one than that whose records serve? Its kernels last as long as nobody
 * knows; a platform that only names more GPUs, or another host, of the same device may use the
 * records. A file with a shipped platform's name is that platform changed.
 */
static int compare_devices(struct predictor *p)
{
	char *own = platform_shipped(p->platform.name);
	const bool copy = own && strcmp(own, p->platform.path) != 0;
	const int unread = copy ? platform_read(&p->shipped, own) : 0;
	free(own);
	if (unread)
		return -1;
	const char *data = predictor_data(p);
	char *shipped = platform_shipped(data);
	bool itself = !p->platform.data && (!shipped || !strcmp(shipped, p->platform.path));
	free(shipped);
	if (itself)
		return 0;
	if (platform_read(&p->records, data))
		return -1;
	const char *mine = platform_text(&p->platform, "device.name"),
		   *theirs = platform_text(&p->records, "device.name");
	p->other_device = mine && theirs && strcmp(mine, theirs) != 0;
	return 0;
}

/* Neither a file nor its name says whose kernel profiles serve: those of the same device do, else
 * of one that runs the same code, as if the file named it for its data. */
static int look_for_profiles(struct predictor *p, const struct predictor_options *o)
{
	struct warps_options own = { .data = p->platform.name };
	if (p->platform.kernels || p->platform.data || o->kernel_profiles ||
	    !p->platform.sm.present || warps_profiled(&own))
		return 0;
	p->same_device = same_device(&p->platform);
	p->same_code = p->same_device ? NULL : same_code(&p->platform);
	if (!p->same_code)
		return 0;
	char *data = xprintf("platform.data=%s", p->same_code);
	const int rc = platform_set(&p->platform, data);
	free(data);
	return rc;
}

/* Whose kernel profiles serve by name must have some. */
static int check_kernels(const struct predictor *p)
{
	glob_t found;
	if (!p->platform.kernels)
		return 0;
	char *pattern =
		xprintf("%s/traces/data/%s/kernels/*.wrt.zst", util_root(), p->platform.kernels);
	int rc = glob(pattern, 0, NULL, &found);
	if (!rc)
		globfree(&found);
	free(pattern);
	return rc ? report("platform '%s': 'platform.kernels' is '%s', which has no kernel "
			   "profiles (traces/data/%s/kernels)",
			   p->platform.name, p->platform.kernels, p->platform.kernels)
		  : 0;
}

static int load_profile(struct predictor *p, const char *given)
{
	if (given) {
		p->has_profile = p->profile_given = true;
		return profile_add_file(&p->profile, given);
	}
	if (p->other_device)
		return 0;
	glob_t found;
	char *pattern =
		xprintf("%s/traces/data/%s/profile/*.wrt.zst", util_root(), predictor_data(p));
	int rc = 0;
	if (glob(pattern, 0, NULL, &found) == 0) {
		int known = record_index_add(&p->profile, found.gl_pathv, found.gl_pathc);
		rc = known < 0 ? -1 : 0;
		for (size_t k = 0; !rc && !known && k < found.gl_pathc; k++)
			rc = profile_add_file(&p->profile, found.gl_pathv[k]);
		p->has_profile = true;
		globfree(&found);
	}
	free(pattern);
	return rc;
}

/* Those that ship beside the kernel profiles, if they are of this device. */
static int load_shipped_timed(struct predictor *p, const char *device)
{
	char *path = timed_launches_shipped(kernels_of(p));
	int rc = 0;
	if (device && !access(path, F_OK)) {
		rc = timed_launches_read(&p->timed, path);
		if (!rc && strcmp(p->timed.device, device) != 0)
			timed_launches_release(&p->timed);
	}
	free(path);
	return rc;
}

/* What the model lacks of a kernel is not the same on two devices. */
static int load_timed(struct predictor *p, const struct predictor_options *o)
{
	const char *mine = platform_text(&p->platform, "device.name");
	if (!o->timed)
		return o->kernel_profiles ? 0 : load_shipped_timed(p, mine);
	if (!strcmp(o->timed, "none"))
		return 0;
	if (timed_launches_read(&p->timed, o->timed))
		return -1;
	return o->allow_extrapolation || !p->timed.device || !mine || !strcmp(p->timed.device, mine)
		       ? 0
		       : report("'%s' has launches of '%s', and '%s' is '%s': what was measured "
				"there over what is played does not hold for another device "
				"(--allow-extrapolation answers all the same)",
				p->timed.path, p->timed.device, p->platform.name, mine);
}

/* Of every platform that a launch is priced by. */
static int leave_out(struct predictor *p, const char *names)
{
	struct mechanism_set without = { 0 };
	if (mechanism_leave_out(&without, names, "--without"))
		return -1;
	platform_leave_out(&p->platform, &without);
	platform_leave_out(&p->records, &without);
	platform_leave_out(&p->shipped, &without);
	return 0;
}

int predictor_init(struct predictor *p, const struct program *program,
		   const struct predictor_options *o, bool wants_profile)
{
	memset(p, 0, sizeof(*p));
	p->program = program;
	profile_init(&p->profile);
	const bool changed = o->set.count || o->ideal.count;
	const struct machine_names names = { o->platform, o->host, o->link, o->device };
	if (machine_read(&p->platform, &names))
		goto fail;
	for (int k = 0; k < o->set.count; k++)
		if (platform_set(&p->platform, o->set.text[k]))
			goto fail;
	for (int k = 0; k < o->ideal.count; k++)
		if (machine_make_ideal(&p->platform, o->ideal.text[k]))
			goto fail;
	if (look_for_profiles(p, o) || compare_devices(p) ||
	    (o->without && leave_out(p, o->without)) ||
	    (!p->other_device && intervals_read(&p->intervals, predictor_data(p))) ||
	    intervals_read(&p->left_out, "hypothetical") || check_kernels(p) || load_timed(p, o) ||
	    (wants_profile && load_profile(p, o->profile)))
		goto fail;
	if (!p->intervals.count && !o->device && p->platform.interval_runs > 0) {
		p->intervals.low = -p->platform.interval_below;
		p->intervals.high = p->platform.interval_above;
	}
	if (machine_find_hypothetical(&p->hypothetical, &p->platform, &names, &o->ideal))
		goto fail;
	p->warps_options =
		(struct warps_options){ .profiles = o->kernel_profiles,
					.data = kernels_of(p),
					.strict = o->strict,
					.allow_extrapolation = o->allow_extrapolation,
					.before = changed		  ? p->platform.base
						  : p->shipped.sm.present ? &p->shipped
						  : p->records.sm.present ? &p->records
									  : NULL,
					.counted_on =
						p->records.sm.present ? &p->records.sm : NULL };
	return 0;
fail:
	predictor_release(p);
	return -1;
}

void predictor_release(struct predictor *p)
{
	platform_release(&p->platform);
	platform_release(&p->records);
	platform_release(&p->shipped);
	profile_release(&p->profile);
	intervals_release(&p->intervals);
	intervals_release(&p->left_out);
	hypothetical_release(&p->hypothetical);
	timed_launches_release(&p->timed);
	free(p->chosen);
	p->chosen = NULL;
	warps_free(p->warps);
	launch_memo_free(p->memo);
	free(p->same_device);
	free(p->same_code);
	p->same_device = p->same_code = NULL;
	p->warps = NULL;
	p->memo = NULL;
}

void predictor_remember(struct predictor *p)
{
	if (!p->memo)
		p->memo = launch_memo_new();
}

int predictor_use_warps(struct predictor *p, struct kernel_model *model)
{
	if (!p->warps)
		p->warps = warps_new(&p->platform, &p->warps_options);
	if (!p->warps)
		return -1;
	warps_schedule(p->warps);
	model->warps = p->warps;
	return 0;
}

/* "a/b,c/d" becomes "b,d". */
static char *without_folders(const char *paths)
{
	char *names = xstrdup(paths), *begin = names, *to = names;
	for (const char *from = paths; *from; from++) {
		if (*from == '/')
			to = begin;
		else
			*to++ = *from;
		if (*from == ',')
			begin = to;
	}
	*to = 0;
	return names;
}

char *predictor_inputs(const struct predictor *p, const char *kernel_model, bool as_played)
{
	const bool warps = !strcmp(kernel_model, "warps") && p->warps,
		   timed = warps && p->timed.count && !as_played;
	const char *source = !strcmp(kernel_model, "scaled") ? p->profile.source
			     : warps			     ? warps_source(p->warps)
							     : "";
	char *names = without_folders(source), *table = without_folders(timed ? p->timed.path : ""),
	     *inputs = xprintf("%s%s%s%s%s.ini", names, *names ? "," : "", table, *table ? "," : "",
			       p->platform.name);
	free(names);
	free(table);
	return inputs;
}

/* The run again, kernels without profile as long as nine in ten kernels are at most. Longer than
 * can be counted is long, too. */
static void play_longer(const struct predictor *p, struct simulation_setup *setup,
			const struct predictor_request *request, struct prediction *prediction)
{
	struct simulation_result result;
	double error;
	setup->model->bounds = bounds_most(&p->left_out);
	setup->observer = NULL;
	setup->quiet = true;
	prediction->longer_us = INFINITY;
	if (!isfinite(setup->model->bounds) ||
	    replicas_run(setup, request->replicas, request->run, &result, NULL, &error))
		return;
	prediction->longer_us = (double)result.core_ps * 1e-6;
	prediction->error = fmax(prediction->error, error);
	simulation_result_release(&result);
}

int predictor_run(struct predictor *p, const struct schedule *schedule,
		  const struct predictor_request *request, struct prediction *prediction)
{
	memset(prediction, 0, sizeof(*prediction));
	struct trace *timeline_trace = request->timeline;
	struct series_model series = {
		.remembered.base = { .ops = kernel_model_find(request->kernel_model),
				     .platform = &p->platform,
				     .own = request->own,
				     .profile = p->has_profile ? &p->profile : NULL,
				     .timed = p->timed.count && !request->as_played ? &p->timed
										    : NULL,
				     .but_itself = p->but_itself,
				     .bounds = request->bounds ? 1 : 0,
				     .allow_extrapolation = request->allow_extrapolation }
	};
	struct kernel_model *model = &series.remembered.base;
	if (!model->ops)
		return -1;
	if ((double)schedule->device_bytes > p->platform.memory_bytes &&
	    !request->allow_extrapolation)
		return report("the run needs %.3g GB on a GPU, '%s' has %.3g "
			      "(--allow-extrapolation answers all the same)",
			      (double)schedule->device_bytes * 1e-9, p->platform.name,
			      p->platform.memory_bytes * 1e-9);
	if ((int)schedule->gpu_count > p->platform.gpus && p->platform.gpus > 0 &&
	    !request->allow_extrapolation)
		return report("platform '%s' has %d GPU%s, the run wants %u (--allow-extrapolation "
			      "answers all the same)",
			      p->platform.name, p->platform.gpus, p->platform.gpus == 1 ? "" : "s",
			      schedule->gpu_count);
	for (uint32_t k = 0; k < schedule->copy_count; k++)
		if (schedule->copy[k].kind == COPY_PEER && !p->platform.host[HOST_COPY_PEER].count)
			return report("platform '%s' has no costs for copies between GPUs, which "
				      "the run makes",
				      p->platform.name);
	if (model->ops->from_profiles && predictor_use_warps(p, model))
		return -1;
	/* What these keep of a launch would be of bounds that change. */
	if (model->ops->from_profiles && !request->bounds)
		launch_series_use(&series, schedule);
	if (model->ops->from_profiles && !request->bounds && p->memo)
		launch_memo_use(p->memo, schedule, &series.remembered);
	struct simulation_setup setup = { .schedule = schedule,
					  .platform = &p->platform,
					  .model = model,
					  .observer = request->observer };
	struct timeline timeline;
	if (timeline_trace) {
		timeline_init(&timeline, timeline_trace, schedule, &p->platform);
		setup.observer = &timeline.observer;
	}
	prediction->range_us = xcalloc(schedule->nvtx_count + 1, sizeof(*prediction->range_us));
	struct range_sums ranges = { .timeline = timeline_trace ? &timeline : NULL,
				     .ps = prediction->range_us };
	range_times_init(&ranges.times, schedule);
	int rc = replicas_run(&setup, request->replicas, request->run, &prediction->detail, &ranges,
			      &prediction->error);
	range_times_release(&ranges.times);
	for (size_t i = 0; i < schedule->nvtx_count; i++)
		prediction->range_us[i] *= ranges.replicas ? 1e-6 / ranges.replicas : 0;
	if (!rc && model->bounded)
		play_longer(p, &setup, request, prediction);
	if (!rc)
		prediction_finish(prediction, p, schedule, request, model);
	if (!rc && timeline_trace)
		timeline_finish(&timeline, &prediction->detail);
	if (timeline_trace)
		timeline_release(&timeline);
	launch_series_release(&series);
	if (rc) {
		free(prediction->range_us);
		prediction->range_us = NULL;
	}
	return rc;
}

int predictor_run_planned(struct predictor *p, struct planned_run *run,
			  struct predictor_request *request, struct prediction *prediction)
{
	request->run = run;
	while (!predictor_run(p, &run->schedule, request, prediction)) {
		if (!run->skips || prediction->error <= PLANNED_RUN_ERROR)
			return 0;
		prediction_release(prediction);
		if (planned_run_longer(run))
			return -1;
	}
	return -1;
}

void prediction_release(struct prediction *prediction)
{
	simulation_result_release(&prediction->detail);
	free(prediction->range_us);
	prediction->range_us = NULL;
}
