/* SPDX-License-Identifier: MIT
 * warpreel replay: play a trace back as it was, on another platform, or (for our solvers) on
 * another number of GPUs.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/views/trace_range.h"
#include "traces/base/util.h"
#include "own_platform.h"
#include "platform_choice.h"
#include "predict.h"
#include "untrace.h"
#include "traces/load/schedule_from_trace.h"

struct replay_options {
	struct predictor_options common;
	int gpus, run;
	struct asked_range range;
};

#define AT(field) offsetof(struct replay_options, field)
static const struct option_spec own_options[] = {
	{ "gpus", OPTION_INT, AT(gpus), "0", 0, 64, "N",
	  "re-plan the solver that made the trace on N GPUs; 0 keeps the recorded run" },
	{ "run", OPTION_INT, AT(run), "-1", -1, 1000000, "K",
	  "which run of the trace, from 0; -1: the last one, or the whole of a foreign trace" },
	{ "range", OPTION_TEXT, AT(range.name), NULL, 0, 0, "NAME[#K]",
	  "take a foreign program's NVTX range as its core loop: the K-th, the last (#-K), or "
	  "#all" },
	{ "range-thread", OPTION_TEXT, AT(range.thread), NULL, 0, 0, "NAME|TID",
	  "of these, only those of this thread" },
	{ "range-process", OPTION_TEXT, AT(range.process), NULL, 0, 0, "PID",
	  "of these, only those of this process" },
	{ "ranges", OPTION_FLAG, AT(common.ranges), NULL, 0, 0, NULL,
	  "list all NVTX ranges; with tsv, the table is that of the ranges" },
	{ 0 },
};

/* The recorded operations, with the core loop that was asked for. */
static int load_recorded(struct schedule *schedule, struct trace *trace, int run,
			 const struct asked_range *range)
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

/* Makes the schedule the options ask for; *set says which interval applies. */
static int make_schedule(const struct program *program, const struct replay_options *o,
			 struct trace *trace, struct schedule *schedule, const char **set)
{
	int run = o->run >= 0 ? o->run : (int)trace->run_count - 1;
	if (run >= (int)trace->run_count && o->run >= 0)
		return report("'%s' holds %zu runs, there is no run %d", trace->path,
			      trace->run_count, run);
	*set = "replay";
	if (!o->gpus)
		return load_recorded(schedule, trace, run, &o->range);
	if (run < 0)
		return report("'%s' was made by a program warpreel cannot plan anew, so --gpus has "
			      "no answer; --platform and --set do work",
			      trace->path);
	*set = o->gpus > 1 ? "gpus" : "size";
	if (program->plan(trace_text(trace, trace->run[run].solver),
			  trace_text(trace, trace->run[run].config), (uint32_t)o->gpus, schedule))
		return report("'%s': run %d has no plan on %d GPUs", trace->path, run, o->gpus);
	return 0;
}

/* A recording of calls that only ask needs a platform that knows what watching them cost. */
static void tell_what_stays(const char *path, const struct schedule *schedule,
			    const struct platform *platform)
{
	double queries_ns = 0;
	for (size_t k = 0; k < schedule->queries_count; k++)
		queries_ns += (double)schedule->queries[k].ns;
	if (queries_ns > 0 && !schedule->config && platform->api_ask_ns <= 0)
		report_warning(
			"'%s': calls that only ask took %.3f ms by the recorder, and platform '%s' "
			"does not say what watching them cost (host.ask_ns): it stays in",
			path, queries_ns * 1e-6, platform->name);
}

static int answer(const struct program *program, const char *path, const struct replay_options *o)
{
	struct trace trace;
	struct schedule schedule;
	struct predictor predictor;
	const char *set = "replay",
		   *model = predictor_model(&o->common, o->gpus ? "scaled" : "recorded");
	struct profile own;
	struct platform_choice choice = { 0 };
	struct predictor_options common = o->common;
	int rc = -1;
	if (!model)
		return -1;
	profile_init(&own);
	trace_init(&trace);
	schedule_init(&schedule);
	if (trace_read(&trace, path, 0) || make_schedule(program, o, &trace, &schedule, &set) ||
	    platform_choose(&choice, &common, &trace, (int)schedule.gpu_count) ||
	    platform_choice_init(&choice, &predictor, program, &common,
				 strcmp(model, "recorded") != 0))
		goto out;
	if (schedule.anomaly_count)
		report_warning(
			"'%s': %lld edges could not be resolved (warpreel check tells which)", path,
			(long long)schedule.anomaly_count);
	if (trace.footprint_count && trace.run_count && profile_add_trace(&own, &trace, INT32_MAX))
		goto out_predictor;
	tell_what_stays(path, &schedule, &predictor.platform);
	schedule_untrace(&schedule, &predictor.platform);
	if (!schedule.config)
		set = "foreign";
	rc = predictor_answer(&predictor, &schedule, &common, model, set, &own);
out_predictor:
	predictor_release(&predictor);
out:
	platform_choice_release(&choice);
	profile_release(&own);
	schedule_release(&schedule);
	trace_release(&trace);
	return rc;
}

int cmd_replay(const struct program *program, int argc, char **argv)
{
	const struct command_help help = { "replay", "replay TRACE [options]",
					   "Plays a recorded run back: untraced, on this or "
					   "another platform, on other GPU counts." };
	struct option_spec *specs = options_join(own_options, predictor_options, 0);
	struct replay_options o = { 0 };
	int words, rc = options_parse(&help, specs, &o, argc, argv, &words);
	if (rc) {
		rc = rc > EXIT_USAGE ? EXIT_OK : rc;
	} else if (words != 1) {
		report("name one trace");
		rc = EXIT_USAGE;
	} else if (o.range.name && o.gpus) {
		report("--range is of the recorded run, and --gpus plans another: one of them");
		rc = EXIT_USAGE;
	} else if (!o.range.name && (o.range.thread || o.range.process)) {
		report("--range-%s chooses among the ranges that --range NAME asks for",
		       o.range.thread ? "thread" : "process");
		rc = EXIT_USAGE;
	} else if (o.common.ranges && o.gpus) {
		report("--ranges are of the recorded run, and --gpus plans another: one of them");
		rc = EXIT_USAGE;
	} else if (predictor_check_output(&o.common, argv[1])) {
		rc = EXIT_BAD;
	} else {
		char *platform = own_platform(o.common.platform);
		o.common.platform = platform;
		rc = answer(program, argv[1], &o) ? EXIT_BAD : EXIT_OK;
		free(platform);
	}
	free(specs);
	return rc;
}
