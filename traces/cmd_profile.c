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
#include "profile_merge.h"
#include "program.h"
#include "target.h"
#include "util.h"

struct profile_options {
	const char *output, *recorder, *passes_of;
	struct text_list kernel;
	bool keep_spool, verbose;
};
#define AT(field) offsetof(struct profile_options, field)
static const struct option_spec options[] = {
	{ "o", OPTION_TEXT, AT(output), NULL, 0, 0, "FILE", "the trace to write; .zst compresses it (required)" },
	{ "kernel", OPTION_LIST, AT(kernel), NULL, 0, 0, "NAME", "only kernels whose name or symbol matches this shell pattern; may be repeated" },
	{ "passes-of", OPTION_CHOICE, AT(passes_of), "both", 0, 0, "sass|counters|both", "what is counted: instructions, hardware counters, or both, in a run each" },
	{ "keep-spool", OPTION_FLAG, AT(keep_spool), NULL, 0, 0, NULL, "keep what the recorder wrote, as FILE.spool-*" },
	{ "recorder", OPTION_TEXT, AT(recorder), NULL, 0, 0, "LIBRARY", "libwarpreel-recorder.so to use (else $WARPREEL_RECORDER, else the one beside the program)" },
	{ "verbose", OPTION_FLAG, AT(verbose), NULL, 0, 0, NULL, "say what is asked of CUPTI, on standard error" },
	{ 0 }
};
static const struct command_help help = {
	.name = "profile",
	.synopsis = "profile -o FILE [options] -- COMMAND...",
	.summary = "Runs COMMAND, twice unless --passes-of says otherwise, counts what each kernel it launches does, and writes the\n"
		   "kernels' profiles to the trace FILE. Nothing is timed.",
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

/* Runs the command with one kind of counters. The exit code; *base names its spools. */
static int run(const struct profile_options *settings, const char *recorder, const char *mode, char **command, char **base)
{
	char *kernels = patterns(&settings->kernel), *plain = target_spool_base(settings->output);
	const struct target_setting environment[] = {
		{ "WARPREEL_PROFILE", mode },
		{ "WARPREEL_PROFILE_KERNELS", kernels },
		{ "WARPREEL_PROFILE_VERBOSE", settings->verbose ? "1" : NULL },
	};
	int status;
	pid_t pid;

	*base = xprintf("%s-%s", plain, mode);
	status = target_run("profile", recorder, *base, environment, sizeof(environment) / sizeof(environment[0]), command, &pid);
	free(plain);
	free(kernels);
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

static int64_t losses(const struct trace *trace)
{
	int64_t count = 0;

	for (size_t i = 0; i < trace->loss_count; i++)
		count += trace->loss[i].count;
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

static int write_profiles(struct profile_merge *merge, const struct profile_options *settings, const char *disassembler)
{
	struct trace *trace = merge->trace;
	const char *error = trace_get_meta(trace, "error");

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
	fprintf(stderr, "warpreel: %s: %zu kernel profiles, %zu instructions of code, %zu of them counted; %lld losses\n", settings->output,
		trace->profile_count, trace->profile_code_count, trace->profile_instruction_count, (long long)losses(trace));
	return error ? report("profile: not everything could be measured: %s", error) : 0;
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
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]) && !code; i++) {
		char *base;
		int found;

		if (!both && strcmp(settings->passes_of, modes[i]))
			continue;
		code = run(settings, recorder, modes[i], command, &base);
		found = add_spools(&merge, base, settings->keep_spool);
		free(base);
		if (found < 0)
			code = EXIT_BAD;
		else
			spools += found;
		if (trace_get_meta(&trace, "error"))
			break;
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

int cmd_profile(const struct program *program, int argc, char **argv)
{
	struct profile_options settings = { 0 };
	char *recorder, *disassembler;
	int words, split = 1, code;

	(void)program;
	while (split < argc && strcmp(argv[split], "--"))
		split++;
	code = options_parse(&help, options, &settings, split, argv, &words);
	if (code)
		return code > EXIT_USAGE ? EXIT_OK : code;
	if (!settings.output) {
		report("profile: -o FILE says where the profiles go (see warpreel profile --help)");
		return EXIT_USAGE;
	}
	if (words) {
		report("profile: what is '%s'? The command follows after --: warpreel profile -o FILE -- COMMAND...", argv[1]);
		return EXIT_USAGE;
	}
	if (split + 1 >= argc) {
		report("profile: the command to run follows after --: warpreel profile -o FILE -- COMMAND...");
		return EXIT_USAGE;
	}
	if (target_check_output("profile", settings.output) || target_check_free("profile"))
		return EXIT_BAD;
	recorder = target_find_recorder("profile", settings.recorder);
	disassembler = recorder ? disassembler_find() : NULL;
	code = EXIT_BAD;
	if (recorder && !disassembler)
		report("profile: neither nvdisasm nor cuobjdump was found in PATH, $CUDA_HOME/bin or /usr/local/cuda/bin: profiles hold machine code");
	else if (recorder)
		code = profile(&settings, recorder, disassembler, argv + split + 1);
	free(recorder);
	free(disassembler);
	return code;
}
