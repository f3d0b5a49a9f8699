/* SPDX-License-Identifier: MIT */
#include "replayed.h"

#include <string.h>

#include "traces/base/util.h"
#include "traces/format/trace_folder.h"
#include "traces/load/schedule_from_trace.h"
#include "collectives.h"
#include "untrace.h"

/* The recorded operations, with the core loop that was asked for. */
static int load_recorded(struct schedule *schedule, struct trace *trace, int run,
			 const struct range_request *range)
{
	struct marked_ranges marked = { 0 };
	if ((range->name && trace_mark_range(trace, range, &marked)) ||
	    schedule_from_trace(schedule, trace, run))
		return -1;
	schedule->range = range->name ? xstrdup(range->name) : NULL;
	schedule->ranges = marked.ranges;
	schedule->range_threads = marked.threads;
	return 0;
}

/* Makes the run the options ask for; *set says which interval applies. */
static int make_run(const struct program *program, const struct replay_options *o,
		    struct trace *trace, struct planned_run *planned, const char **set)
{
	int run = o->run >= 0 ? o->run : (int)trace->run_count - 1;
	if (run >= (int)trace->run_count && o->run >= 0)
		return report("'%s' holds %zu runs, there is no run %d", trace->path,
			      trace->run_count, run);
	*set = "replay";
	if (!o->gpus) {
		schedule_init(&planned->schedule);
		if (trace_virtual_gpus(trace) > 1) /* never run on so many */
			*set = "gpus";
		return load_recorded(&planned->schedule, trace, run, &o->range);
	}
	if (run < 0)
		return report("'%s' was made by a program warpreel cannot plan anew, so --gpus has "
			      "no answer; %s--platform and --set do work",
			      trace->path,
			      trace_get_meta(trace, "processes")
				      ? "record it with as many processes as GPUs are asked for; "
				      : "");
	*set = o->gpus > 1 ? "gpus" : "size";
	if (planned_run_make(planned, program, trace_text(trace, trace->run[run].solver),
			     trace_text(trace, trace->run[run].config), (uint32_t)o->gpus,
			     o->common.no_skip || o->common.output))
		return report("'%s': run %d has no plan on %d GPUs", trace->path, run, o->gpus);
	return 0;
}

/* A recording of query calls needs a platform that knows what watching them cost. */
static void tell_what_stays(const char *path, const struct schedule *schedule,
			    const struct platform *platform)
{
	double queries_ns = 0;
	for (size_t k = 0; k < schedule->queries_count; k++)
		queries_ns += (double)schedule->queries[k].ns;
	if (queries_ns > 0 && !schedule->config && platform->api_query_ns <= 0)
		report_warning("'%s': query calls took %.3f ms by the recorder, and platform '%s' "
			       "does not say what watching them cost (host.query_ns): it stays in",
			       path, queries_ns * 1e-6, platform->name);
}

/* The machine a trace was recorded on, as it was measured: the one that answers, before anything of
 * it was changed, or where that has other GPUs, a measured one that has the same. */
static int price_collectives(struct replayed *r)
{
	struct schedule *schedule = &r->run.schedule;
	struct platform_choice choice = { 0 };
	struct platform recorded;
	if (collectives_price_rings(schedule, &r->predictor.platform))
		return -1;
	if (schedule->collective_count == collectives_of_rings(schedule))
		return 0;
	if (platform_read(&recorded, r->common.platform))
		return -1;
	const char *device = platform_text(&recorded, "device.name");
	int rc = 0;
	if (schedule->device && (!device || strcmp(device, schedule->device))) {
		const struct predictor_options nothing_asked = { 0 };
		platform_release(&recorded);
		rc = platform_choose(&choice, &nothing_asked, &r->trace, (int)schedule->gpu_count);
		if (rc || platform_read(&recorded, choice.name)) {
			platform_choice_release(&choice);
			return -1;
		}
	}
	collectives_price(schedule, recorded.base, &r->predictor.platform);
	platform_release(&recorded);
	platform_choice_release(&choice);
	return 0;
}

/* What nothing can have would be taken for nothing. */
static int refuse_impossible(const struct trace *t, const char *path)
{
	enum { MOST_GPUS = 1024 };
	for (size_t i = 0; i < t->memcpy_count; i++)
		if (t->memcpy[i].bytes < 0)
			return report("%s: CUPTI_ACTIVITY_KIND_MEMCPY, row %zu: %lld bytes", path,
				      i + 1, (long long)t->memcpy[i].bytes);
	for (size_t i = 0; i < t->memset_count; i++)
		if (t->memset[i].bytes < 0)
			return report("%s: CUPTI_ACTIVITY_KIND_MEMSET, row %zu: %lld bytes", path,
				      i + 1, (long long)t->memset[i].bytes);
	for (size_t i = 0; i < t->run_count; i++)
		if (t->run[i].gpus < 1 || t->run[i].gpus > MOST_GPUS)
			return report("%s: WARPREEL_RUN, row %zu: a run on %lld GPUs", path, i + 1,
				      (long long)t->run[i].gpus);
	return 0;
}

int replayed_open(struct replayed *r, const struct program *program, const char *path,
		  const struct replay_options *o, const char *model)
{
	struct schedule *const schedule = &r->run.schedule;
	*r = (struct replayed){ .set = "replay", .common = o->common };
	profile_init(&r->own);
	trace_init(&r->trace);
	if (trace_open(&r->trace, path, 0) || refuse_impossible(&r->trace, path) ||
	    make_run(program, o, &r->trace, &r->run, &r->set) ||
	    platform_choose(&r->choice, &r->common, &r->trace, (int)schedule->gpu_count) ||
	    platform_choice_init(&r->choice, &r->predictor, program, &r->common,
				 strcmp(model, "recorded") != 0))
		goto failed;
	if (schedule->anomaly_count)
		report_warning(
			"'%s': %lld edges could not be resolved (warpreel check tells which)", path,
			(long long)schedule->anomaly_count);
	profile_add_own(&r->own, &r->trace);
	if (price_collectives(r)) {
		predictor_release(&r->predictor);
		goto failed;
	}
	tell_what_stays(path, schedule, &r->predictor.platform);
	schedule_untrace(schedule, &r->predictor.platform);
	if (!schedule->config && schedule->virtual_gpus <= 1)
		r->set = "foreign";
	if (!o->gpus && !o->common.no_skip && !o->common.output)
		planned_run_shorten(&r->run);
	return 0;
failed:
	platform_choice_release(&r->choice);
	profile_release(&r->own);
	planned_run_release(&r->run);
	trace_release(&r->trace);
	return -1;
}

void replayed_release(struct replayed *r)
{
	predictor_release(&r->predictor);
	platform_choice_release(&r->choice);
	profile_release(&r->own);
	planned_run_release(&r->run);
	trace_release(&r->trace);
}
