/* SPDX-License-Identifier: MIT
 * warpreel replay: play a trace back as it was, on another platform, or (for our solvers) on
 * another number of GPUs.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "traces/format/trace_folder.h"
#include "own_platform.h"
#include "replayed.h"
#include "scaling.h"

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
	{ "scaling", OPTION_CHOICE, AT(scaling), "strong", 0, 0, "strong|weak",
	  "of a folder of recordings: whether their work is one, or grows with the GPUs" },
	{ "ranges", OPTION_FLAG, AT(common.ranges), NULL, 0, 0, NULL,
	  "list all NVTX ranges; with tsv, the table is that of the ranges" },
	{ 0 },
};

static int answer(const struct program *program, const char *path, const struct replay_options *o)
{
	struct replayed r;
	const char *model = predictor_model(&o->common, o->gpus ? "scaled" : "recorded");
	int rc;
	if (!model || replayed_open(&r, program, path, o, model))
		return -1;
	rc = predictor_answer(&r.predictor, &r.run, &r.common, model, r.set, &r.own);
	replayed_release(&r);
	return rc;
}

/* Whether a path is a folder of recordings one after the other (1), or of one run, or a trace (0);
 * -1 after a message. */
static int is_series(const char *path)
{
	struct trace_folder folder;
	if (!trace_is_folder(path))
		return 0;
	if (trace_folder_is_series(path))
		return 1;
	int run = trace_folder_read(&folder, path, 0);
	if (!run)
		run = trace_folder_is_run(&folder, path);
	trace_folder_release(&folder);
	return run < 0 ? -1 : !run;
}

/* What a folder of recordings cannot be asked. */
static bool is_vain(const struct replay_options *o)
{
	return o->gpus || o->common.output || o->common.ranges;
}

static int answer_asked(const struct program *program, const char *path, struct replay_options *o)
{
	const int series = is_series(path);
	if (series < 0)
		return EXIT_BAD;
	if (series && is_vain(o)) {
		report("a folder of recordings answers how they scale: without --gpus, --ranges "
		       "and -o");
		return EXIT_USAGE;
	}
	if (predictor_check_output(&o->common, path))
		return EXIT_BAD;
	char *platform = own_platform(o->common.platform);
	o->common.platform = platform;
	const int rc = (series ? scaling_answer : answer)(program, path, o) ? EXIT_BAD : EXIT_OK;
	free(platform);
	return rc;
}

/* Options that cannot stand together, after a message. */
static bool contradicts(const struct replay_options *o)
{
	if (o->range.name && o->gpus)
		report("--range is of the recorded run, and --gpus plans another: one of them");
	else if (!o->range.name && (o->range.thread || o->range.process))
		report("--range-%s chooses among the ranges that --range NAME asks for",
		       o->range.thread ? "thread" : "process");
	else if (o->common.ranges && o->gpus)
		report("--ranges are of the recorded run, and --gpus plans another: one of them");
	else
		return false;
	return true;
}

int cmd_replay(const struct program *program, int argc, char **argv)
{
	const struct command_help help = {
		"replay", "replay TRACE|FOLDER [options]",
		"Plays a recorded run back: untraced, on this or "
		"another platform, on other GPU counts. A FOLDER of the "
		"processes of one run is that run; of recordings on other "
		"numbers of GPUs: how they scale."
	};
	struct option_spec *specs = options_join(own_options, predictor_options, 0);
	struct replay_options o = { 0 };
	int rc = options_parse_one(&help, specs, &o, argc, argv, "trace");
	if (rc < 0)
		rc = contradicts(&o) ? EXIT_USAGE : answer_asked(program, argv[1], &o);
	free(specs);
	return rc;
}
