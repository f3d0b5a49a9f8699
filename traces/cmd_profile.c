/* SPDX-License-Identifier: MIT
 * warpreel profile: runs a program with its kernels counted, once by instruction and once by hardware counters (CUPTI does one at a time),
 * and writes what both runs found as kernel profiles.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "disassembly.h"
#include "options.h"
#include "profile_join.h"
#include "profile_merge.h"
#include "program.h"
#include "target.h"
#include "util.h"

struct profile_options {
	const char *output, *recorder, *passes_of;
	struct text_list kernel;
	int grids;
	bool keep_spool, verbose, join;
};
#define AT(field) offsetof(struct profile_options, field)
static const struct option_spec options[] = {
	{ "o", OPTION_TEXT, AT(output), NULL, 0, 0, "FILE", "the trace to write; .zst compresses it (required)" },
	{ "kernel", OPTION_LIST, AT(kernel), NULL, 0, 0, "NAME", "only kernels whose name or symbol matches this shell pattern; may be repeated" },
	{ "grids", OPTION_INT, AT(grids), "3", 0, 1 << 20, "N", "of every kernel, path and block, only the first N different grids; 0: all" },
	{ "passes-of", OPTION_CHOICE, AT(passes_of), "both", 0, 0, "sass|counters|both", "what is counted: instructions, hardware counters, or both, in a run each" },
	{ "join", OPTION_FLAG, AT(join), NULL, 0, 0, NULL, "run nothing: put the profiles of the traces named into one" },
	{ "keep-spool", OPTION_FLAG, AT(keep_spool), NULL, 0, 0, NULL, "keep what the recorder wrote, as FILE.spool-*" },
	{ "recorder", OPTION_TEXT, AT(recorder), NULL, 0, 0, "LIBRARY", "libwarpreel-recorder.so to use (else $WARPREEL_RECORDER, else the one beside the program)" },
	{ "verbose", OPTION_FLAG, AT(verbose), NULL, 0, 0, NULL, "say what is asked of CUPTI, on standard error" },
	{ 0 }
};
static const struct command_help help = {
	.name = "profile",
	.synopsis = "profile -o FILE [options] -- COMMAND... | profile -o FILE --join TRACE...",
	.summary = "Runs COMMAND, twice unless --passes-of says otherwise, counts what each kernel it launches does, and writes the\n"
		   "kernels' profiles to the trace FILE. Nothing is timed. A kernel must be launched about ten times with the same\n"
		   "grid, and do the same each time, to be counted whole.",
};

/* One a line, as the recorder reads them; NULL when there are none. The caller frees. */
static char *patterns(const struct text_list *list)
{
	char *text = NULL;

	for (int i = 0; i < list->count; i++) {
		char *longer = xprintf("%s%s%s", text ? text : "", text ? "\n" : "", list->text[i]);

		free(text);
		text = longer;
	}
	return text;
}

/* One run of the command: which kind of counters, and which part of them where one run cannot hold all. */
struct run { const char *mode; unsigned part, parts; const char *metrics_a_run; };

static void say_run(const struct run *run)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (run->parts > 1)
		fprintf(stderr, "warpreel: profile: counting %s, run %u of %u\n", run->mode, run->part + 1, run->parts);
	else
		fprintf(stderr, "warpreel: profile: counting %s\n", run->mode);
}

/* The exit code; *base names the run's spools. */
static int run_once(const struct profile_options *settings, const char *recorder, const struct run *run, char **command, char **base)
{
	char *kernels = patterns(&settings->kernel), *plain = target_spool_base(settings->output);
	char *grids = xprintf("%d", settings->grids), *part = xprintf("%u", run->part);
	const struct target_setting environment[] = {
		{ "WARPREEL_PROFILE", run->mode },
		{ "WARPREEL_PROFILE_KERNELS", kernels },
		{ "WARPREEL_PROFILE_GRIDS", grids },
		{ "WARPREEL_PROFILE_PART", part },
		{ "WARPREEL_PROFILE_GROUP", run->metrics_a_run }, /* NULL: what the user set, if anything */
		{ "WARPREEL_PROFILE_VERBOSE", settings->verbose ? "1" : NULL },
	};
	int status;
	pid_t pid;

	say_run(run);
	*base = xprintf("%s-%s%u", plain, run->mode, run->part);
	status = target_run("profile", recorder, *base, environment, sizeof(environment) / sizeof(environment[0]), command, &pid);
	free(plain);
	free(kernels);
	free(grids);
	free(part);
	return status < 0 ? EXIT_BAD : target_report_status("profile", status, command[0], "profile");
}

/* Adds every spool of a run. Returns how many there were, -1 after a message. */
static int add_spools(struct profile_merge *merge, const char *base, bool keep)
{
	glob_t found = { 0 };
	int count = 0;

	if (target_find_spools(base, &found)) {
		globfree(&found);
		return 0;
	}
	for (size_t i = 0; i < found.gl_pathc && count >= 0; i++) {
		struct spool spool;

		if (spool_read(&spool, found.gl_pathv[i])) {
			count = -1;
		} else {
			profile_merge_add(merge, &spool);
			count++;
		}
		spool_release(&spool);
		if (!keep)
			unlink(found.gl_pathv[i]);
	}
	globfree(&found);
	return count;
}

/* The same said by several processes is said once. */
static void warn_of_losses(const struct trace *trace)
{
	for (size_t i = 0; i < trace->loss_count; i++) {
		bool said = false;

		for (size_t j = 0; j < i && !said; j++)
			said = trace->loss[j].kind == trace->loss[i].kind && trace->loss[j].detail == trace->loss[i].detail;
		if (!said)
			report_warning("profile: %s: %s", trace_text(trace, trace->loss[i].kind), trace_text(trace, trace->loss[i].detail));
	}
}

/* Which kernels can be had whole, where some cannot. */
static void suggest(const struct profile_merge *merge, const struct profile_options *settings)
{
	char *names = NULL;
	bool lacking = false;

	for (size_t i = 0; i < merge->shape_count; i++) {
		const struct merged_shape *shape = &merge->shape[i];
		char *quoted = xprintf(" --kernel '%s'", trace_text(merge->trace, shape->kernel ? shape->kernel : shape->symbol)), *longer;

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
		report_warning("profile: only what was measured whole:%s; a kernel that is not needs more launches with one grid", names);
	free(names);
}

static int write_profiles(struct profile_merge *merge, const struct profile_options *settings, const char *disassembler)
{
	struct trace *trace = merge->trace;
	const char *error = trace_get_meta(trace, "error"), *skipped;

	if (!merge->shape_count)
		return report("profile: no profile was made: %s", error ? error : settings->kernel.count ?
			      "no kernel that --kernel names was launched" : "no kernel was launched");
	if (profile_merge_write(merge, disassembler, disassembler_run))
		return -1;
	trace_set_meta(trace, "kind", "recorded");
	trace_set_meta(trace, "profile", settings->passes_of);
	if (trace_write(trace, settings->output))
		return -1;
	warn_of_losses(trace);
	suggest(merge, settings);
	skipped = trace_get_meta(trace, "skipped_grids");
	if (skipped && strcmp(skipped, "0"))
		fprintf(stderr, "warpreel: profile: %s further grids were left out (--grids)\n", skipped);
	fprintf(stderr, "warpreel: %s: %zu kernel profiles, %zu instructions of code, %zu of them counted; %lld losses\n", settings->output,
		trace->profile_count, trace->profile_code_count, trace->profile_instruction_count, (long long)trace_losses(trace, NULL));
	return error ? report("profile: not everything could be measured: %s", error) : 0;
}

/* The run, and what it left. The number of spools goes onto *spools. */
static int run_and_add(struct profile_merge *merge, const struct profile_options *settings, const char *recorder, const struct run *run,
		       char **command, int *spools)
{
	char *base;
	int code = run_once(settings, recorder, run, command, &base), found = add_spools(merge, base, settings->keep_spool);

	free(base);
	if (found < 0)
		return EXIT_BAD;
	*spools += found;
	return code;
}

/* How many runs it takes to count one kind, as the first of them found out; 1 when it did not say. */
static unsigned runs_of(const struct trace *trace, const char *mode)
{
	const char *said = !strcmp(mode, "sass") ? trace_get_meta(trace, "sass_runs") : NULL;
	int64_t count;

	return said && !parse_i64(said, &count) && count > 0 && count <= METRICS_MAX ? (unsigned)count : 1;
}

static int profile(const struct profile_options *settings, const char *recorder, const char *disassembler, char **command)
{
	static const char *const modes[] = { "sass", "counters" };
	bool both = !strcmp(settings->passes_of, "both");
	struct profile_merge merge;
	struct sigaction before[2];
	struct trace trace;
	int code = EXIT_OK, spools = 0;

	trace_init(&trace);
	profile_merge_init(&merge, &trace);
	target_hold_signals(before);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct run run = { .mode = modes[i], .parts = 1 };

		if (!both && strcmp(settings->passes_of, modes[i]))
			continue;
		for (; run.part < run.parts && !code && !trace_get_meta(&trace, "error"); run.part++) {
			code = run_and_add(&merge, settings, recorder, &run, command, &spools);
			run.parts = runs_of(&trace, run.mode);
			if (run.parts > 1)
				run.metrics_a_run = trace_get_meta(&trace, "sass_metrics_a_run");
		}
	}
	if (!spools) {
		report("profile: %s made no CUDA call that the recorder saw: no profile was written", command[0]);
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

	trace_init(&all);
	for (int i = 0; i < count && !rc; i++) {
		struct trace one;

		trace_init(&one);
		rc = trace_read(&one, files[i], 0);
		if (!rc && !one.profile_count)
			rc = report("%s: holds no kernel profiles", files[i]);
		if (!rc && !i)
			for (size_t k = 0; k < one.meta_count; k++)
				trace_set_meta(&all, trace_text(&one, one.meta[k].key), trace_text(&one, one.meta[k].value));
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
	code = options_parse(&help, options, &settings, target_split(argc, argv, &command), argv, &words);
	if (code)
		return code > EXIT_USAGE ? EXIT_OK : code;
	if (!settings.output) {
		report("profile: -o FILE says where the profiles go (see warpreel profile --help)");
		return EXIT_USAGE;
	}
	if (settings.join) {
		if (words && !command)
			return join(settings.output, words, argv + 1);
		report("profile: --join takes traces and no command: warpreel profile -o FILE --join TRACE...");
		return EXIT_USAGE;
	}
	code = target_check_command("profile", words, argv, command);
	if (code)
		return code;
	if (target_check_output("profile", settings.output) || target_check_free("profile"))
		return EXIT_BAD;
	recorder = target_find_recorder("profile", settings.recorder);
	disassembler = recorder ? disassembler_find() : NULL;
	code = EXIT_BAD;
	if (recorder && !disassembler)
		report("profile: neither nvdisasm nor cuobjdump was found in PATH, $CUDA_HOME/bin or /usr/local/cuda/bin: profiles hold machine code");
	else if (recorder)
		code = profile(&settings, recorder, disassembler, command);
	free(recorder);
	free(disassembler);
	return code;
}
