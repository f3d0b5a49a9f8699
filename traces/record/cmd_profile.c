/* SPDX-License-Identifier: MIT
 * warpreel profile: runs a program with its kernels counted, once by instruction and once by
 * hardware counters (CUPTI does one at a time), and writes what both runs found as kernel profiles.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/profiles/disassembly.h"
#include "traces/profiles/kernel_names.h"
#include "traces/profiles/profile_join.h"
#include "profile_runs.h"
#include "traces/program/program.h"
#include "target.h"
#include "traces/base/demangle.h"
#include "traces/base/output.h"
#include "traces/base/util.h"

#define AT(field) offsetof(struct profile_options, field)
static const struct option_spec options[] = {
	{ "o", OPTION_TEXT, AT(output), NULL, 0, 0, "FILE",
	  "the trace to write; .zst compresses it (required)" },
	{ "kernel", OPTION_LIST, AT(kernel), NULL, 0, 0, "NAME",
	  "only kernels whose name or symbol matches this shell pattern; may be repeated" },
	{ "grids", OPTION_INT, AT(grids), "3", 0, 1 << 20, "N",
	  "of every kernel, path, block and number of steps, only the first N different grids; 0: "
	  "all" },
	{ "passes-of", OPTION_CHOICE, AT(passes_of), "both", 0, 0, "sass|counters|both",
	  "what is counted: instructions, hardware counters, or both, in a run each" },
	{ "one-by-one", OPTION_FLAG, AT(one_by_one), NULL, 0, 0, NULL,
	  "instructions of one kernel a run: of each that the counters saw, or of each --kernel" },
	{ "runs", OPTION_INT, AT(runs), "32", 0, 100000, "N",
	  "runs of COMMAND at most for launches whose instructions were not counted with the "
	  "others, one each" },
	{ "join", OPTION_FLAG, AT(join), NULL, 0, 0, NULL,
	  "run nothing: put the profiles of the traces named into one" },
	TARGET_OPTION_KEEP_SPOOL(AT(keep_spool)),
	TARGET_OPTION_RECORDER(AT(recorder)),
	{ "verbose", OPTION_FLAG, AT(verbose), NULL, 0, 0, NULL,
	  "say what is asked of CUPTI, on standard error" },
	{ 0 }
};
static const struct command_help help = {
	.name = "profile",
	.synopsis = "profile -o FILE [options] -- COMMAND... | profile -o FILE --join TRACE...",
	.summary = "Counts what each kernel of COMMAND does, and writes the kernels' profiles to "
		   "the trace FILE. Nothing is timed. COMMAND runs twice (see --passes-of, "
		   "--one-by-one), and more often for what two runs cannot count: kernels launched "
		   "less than about ten times with one grid, and with CUPTI 13.0 the instructions "
		   "of all launches but the first.",
};

/* The same said by several processes is said once. */
static void warn_of_losses(const struct trace *trace)
{
	for (size_t i = 0; i < trace->loss_count; i++) {
		bool said = false;

		for (size_t j = 0; j < i && !said; j++)
			said = trace->loss[j].kind == trace->loss[i].kind &&
			       trace->loss[j].detail == trace->loss[i].detail;
		if (said)
			continue;
		char *detail = demangle(trace_text(trace, trace->loss[i].detail));
		report_warning("profile: %s: %s", trace_text(trace, trace->loss[i].kind), detail);
		free(detail);
	}
}

/* Launches whose instructions nothing counted, each by name, and how they can be had. */
static void suggest_more_runs(const struct profile_merge *merge,
			      const struct profile_options *settings)
{
	enum { NAMED_MOST = 8 };
	size_t lacking = 0;
	bool any = false;

	for (size_t i = 0; i < merge->shape_count; i++)
		any |= merge->shape[i].count_count > 0;
	for (size_t i = 0; any && i < merge->shape_count; i++) {
		const struct merged_shape *shape = &merge->shape[i];
		char *name;

		if (shape->count_count || lacking++ >= NAMED_MOST)
			continue;
		name = kernel_bare_name(
			trace_text(merge->trace, shape->kernel ? shape->kernel : shape->symbol));
		report_warning("profile: no instructions counted: %s, grid %u %u %u, block %u %u "
			       "%u: --kernel '%s' --runs %zu counts them",
			       name, shape->grid[0], shape->grid[1], shape->grid[2],
			       shape->block[0], shape->block[1], shape->block[2], name,
			       merge->shape_count);
		free(name);
	}
	if (lacking)
		report_warning("profile: of %zu launch shapes, %zu have counts of instructions; "
			       "--runs (%d here) says how many further runs may count one more "
			       "each; a CUPTI newer than 13.0 ($WARPREEL_CUPTI) counts all in one",
			       merge->shape_count, merge->shape_count - lacking, settings->runs);
}

/* Which kernels can be had whole, where some cannot. */
static void suggest(const struct profile_merge *merge, const struct profile_options *settings)
{
	char *names = NULL;
	bool lacking = false;

	for (size_t i = 0; i < merge->shape_count; i++) {
		const struct merged_shape *shape = &merge->shape[i];
		char *name = kernel_bare_name(trace_text(
			     merge->trace, shape->kernel ? shape->kernel : shape->symbol)),
		     *quoted = xprintf(" --kernel '%s'", name), *longer;
		free(name);

		if (shape->expected & ~shape->measured) {
			lacking = true;
		} else if (!names || !strstr(names, quoted)) {
			longer = xprintf("%s%s", names ? names : "", quoted);
			free(names);
			names = longer;
		}
		free(quoted);
	}
	if (lacking && names && !settings->kernel.count && strlen(names) < 400)
		report_warning("profile: only what was measured whole:%s; a kernel that is not "
			       "needs more launches with one grid",
			       names);
	free(names);
}

static int write_profiles(struct profile_merge *merge, const struct profile_options *settings,
			  const char *disassembler)
{
	struct trace *trace = merge->trace;
	const char *error = trace_get_meta(trace, "error"), *skipped;

	if (!merge->shape_count && !error && settings->kernel.count)
		return kernel_none_launched(&settings->kernel,
					    trace_get_meta(trace, "other_kernels"));
	if (!merge->shape_count)
		return report("profile: no profile was made: %s",
			      error ? error : "no kernel was launched");
	if (profile_merge_write(merge, disassembler, disassembler_run))
		return -1;
	trace_set_meta(trace, "kind", "recorded");
	trace_set_meta(trace, "profile", settings->passes_of);
	if (trace_write(trace, settings->output))
		return -1;
	warn_of_losses(trace);
	suggest(merge, settings);
	suggest_more_runs(merge, settings);
	skipped = trace_get_meta(trace, "skipped_grids");
	if (skipped && strcmp(skipped, "0"))
		fprintf(stderr, "warpreel: profile: %s further grids were left out (--grids)\n",
			skipped);
	fprintf(stderr,
		"warpreel: %s: %zu kernel profiles, %zu instructions of code, %zu of them counted; "
		"%lld losses\n",
		settings->output, trace->profile_count, trace->profile_code_count,
		trace->profile_instruction_count, (long long)trace_losses(trace, NULL));
	return error ? report("profile: not everything could be measured: %s", error) : 0;
}

static int profile(const struct profile_options *settings, const char *recorder,
		   const char *disassembler, char **command)
{
	struct profile_merge merge;
	struct sigaction before[2];
	struct trace trace;
	int code, spools;

	trace_init(&trace);
	profile_merge_init(&merge, &trace);
	target_hold_signals(before);
	code = profile_runs(&merge, settings, recorder, command, &spools);
	if (!spools) {
		report("profile: %s made no CUDA call that the recorder saw: no profile was "
		       "written",
		       command[0]);
		code = EXIT_BAD;
	} else if (write_profiles(&merge, settings, disassembler)) {
		code = EXIT_BAD;
	}
	target_release_signals(before);
	profile_merge_release(&merge);
	trace_release(&trace);
	return code;
}

static int join(const char *output, int count, char **files)
{
	struct trace all;
	int rc = 0;

	for (int i = 0; i < count && !rc; i++)
		rc = output_differs(output, files[i]);
	if (rc || trace_check_output(output))
		return EXIT_BAD;
	trace_init(&all);
	for (int i = 0; i < count && !rc; i++) {
		struct trace one;

		trace_init(&one);
		rc = trace_read(&one, files[i], 0);
		if (!rc && !one.profile_count)
			rc = report("%s: holds no kernel profiles", files[i]);
		if (!rc && !i)
			for (size_t k = 0; k < one.meta_count; k++)
				trace_set_meta(&all, trace_text(&one, one.meta[k].key),
					       trace_text(&one, one.meta[k].value));
		if (!rc)
			rc = profile_join(&all, &one, files[i]);
		trace_release(&one);
	}
	if (!rc)
		rc = trace_write(&all, output);
	trace_release(&all);
	return rc ? EXIT_BAD : EXIT_OK;
}

int cmd_profile(const struct program *program, int argc, char **argv)
{
	struct profile_options settings = { 0 };
	char *recorder, *disassembler, **command;
	int words, code;

	(void)program;
	code = options_parse(&help, options, &settings, target_split(argc, argv, &command), argv,
			     &words);
	if (code)
		return code > EXIT_USAGE ? EXIT_OK : code;
	if (!settings.output) {
		report("profile: -o FILE says where the profiles go (see warpreel profile --help)");
		return EXIT_USAGE;
	}
	if (settings.join) {
		if (words && !command)
			return join(settings.output, words, argv + 1);
		report("profile: --join takes traces and no command: warpreel profile -o FILE "
		       "--join TRACE...");
		return EXIT_USAGE;
	}
	code = target_check_command("profile", words, argv, command);
	if (code)
		return code;
	if (settings.one_by_one &&
	    (!strcmp(settings.passes_of, "counters") ||
	     (!strcmp(settings.passes_of, "sass") && !settings.kernel.count))) {
		report("profile: --one-by-one needs %s",
		       !strcmp(settings.passes_of, "sass")
			       ? "the counters' run, or --kernel NAME for each kernel"
			       : "instructions to count: not with --passes-of counters");
		return EXIT_USAGE;
	}
	if (trace_check_output(settings.output) || target_check_free("profile"))
		return EXIT_BAD;
	recorder = target_find_recorder("profile", settings.recorder);
	disassembler = recorder ? disassembler_find() : NULL;
	code = EXIT_BAD;
	if (recorder && !disassembler)
		report("profile: neither nvdisasm nor cuobjdump was found in PATH, $CUDA_HOME/bin "
		       "or /usr/local/cuda/bin: profiles hold machine code");
	else if (recorder)
		code = profile(&settings, recorder, disassembler, command);
	free(recorder);
	free(disassembler);
	return code;
}
