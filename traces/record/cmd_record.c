/* SPDX-License-Identifier: MIT
 * warpreel record: runs a program with the recorder inside it, then turns what the recorder left
 * into traces, one for each process that used CUDA. The program's own exit, however it comes, does
 * not decide whether there is a trace.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "traces/base/options.h"
#include "traces/format/trace_folder.h"
#include "traces/program/program.h"
#include "traces/spool/spool_read.h"
#include "mps.h"
#include "target.h"
#include "virtual_target.h"
#include "traces/base/output.h"
#include "traces/base/util.h"

struct record_options {
	const char *output, *recorder, *spool, *driver_api;
	const char *as_gpus, *messages;
	int flush_ms, clock_ms;
	bool keep_spool, event_times, mps;
	bool folder; /* output names one: a trace a process, in it */
};
#define AT(field) offsetof(struct record_options, field)
static const struct option_spec options[] = {
	{ "o", OPTION_TEXT, AT(output), NULL, 0, 0, "FILE|FOLDER/",
	  "the trace to write; .zst compresses it. A folder gets one a process (required)" },
	TARGET_OPTION_KEEP_SPOOL(AT(keep_spool)),
	{ "spool", OPTION_TEXT, AT(spool), NULL, 0, 0, "SPOOL",
	  "run nothing: convert a spool that was kept or left behind" },
	TARGET_OPTION_RECORDER(AT(recorder)),
	{ "driver-api", OPTION_CHOICE, AT(driver_api), "on", 0, 0, "on|off",
	  "record calls of the driver API made without the runtime" },
	{ "event-times", OPTION_FLAG, AT(event_times), NULL, 0, 0, NULL,
	  "ask for the GPU's time of each event record (costs more)" },
	{ "flush-ms", OPTION_INT, AT(flush_ms), "1000", 0, 3600000, "MS",
	  "how often finished records are written out; 0: only when buffers are full" },
	{ "as-gpus", OPTION_TEXT, AT(as_gpus), NULL, 0, 0, "G[,G...]",
	  "run the program on one GPU as if there were G (docs/as-gpus.md); several: once each, to "
	  "FILE with asG in its name, or FOLDER/asG/" },
	{ "mps", OPTION_FLAG, AT(mps), NULL, 0, 0, NULL,
	  "with --as-gpus: under a server of NVIDIA's MPS of its own, where changing GPUs costs "
	  "little; short kernels last 4 to 6 % longer" },
	{ "mpi", OPTION_CHOICE, AT(messages), "auto", 0, 0, "auto|on|off",
	  "note calls of MPI that wait for other processes; auto: where a FOLDER is written" },
	{ "clock-ms", OPTION_INT, AT(clock_ms), "0", 0, 3600000, "MS",
	  "how often GPU clocks are read; 0: at the start and at the end" },
	{ 0 }
};
static const struct command_help help = {
	.name = "record",
	.synopsis = "record -o FILE|FOLDER/ [options] -- COMMAND...",
	.summary = "Runs COMMAND with the recorder in it and writes what its GPUs and CUDA calls "
		   "did to the trace FILE.\n"
		   "Other processes it starts that use CUDA get a trace each, FILE with their "
		   "process id in it.\n"
		   "With FOLDER/ all of them are in it, and warpreel replay FOLDER plays them "
		   "together.",
};

/* ---- converting ---- */

/* "runs/a.sqlite.zst" and "123" -> "runs/a.123.sqlite.zst" */
static char *name_with(const char *output, const char *what)
{
	const char *base = strrchr(output, '/'), *dot;

	base = base ? base + 1 : output;
	dot = *base ? strchr(base + 1, '.') : NULL;
	if (!dot)
		return xprintf("%s.%s", output, what);
	return xprintf("%.*s.%s%s", (int)(dot - output), output, what, dot);
}

/* "runs/", 3 and "123" -> "runs/rank3.123.wrt.zst"; the rank, where the process had one. */
static char *name_in_folder(const char *folder, const struct trace *trace, const char *process)
{
	const char *rank = trace_get_meta(trace, "rank"),
		   *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";

	return xprintf("%s%s%s%s%s%s.wrt.zst", folder, slash, rank ? "rank" : "", rank ? rank : "",
		       rank ? "." : "", process);
}

static int64_t device_records(const struct trace *trace)
{
	return (int64_t)(trace->kernel_count + trace->memcpy_count + trace->memset_count);
}

static void summarize(const struct trace *trace, const char *output)
{
	struct stat status = { 0 };

	if (stat(output, &status))
		status.st_size = 0;
	fprintf(stderr,
		"warpreel: %s: %zu kernels, %zu copies, %zu memsets, %zu calls, %zu events, %zu "
		"notes; ",
		output, trace->kernel_count, trace->memcpy_count, trace->memset_count,
		trace->api_count, trace->event_count,
		trace->host_op_count + trace->footprint_count);
	if (trace->loss_count)
		fprintf(stderr, "%lld losses (see warpreel check); ",
			(long long)trace_losses(trace, NULL));
	else
		fprintf(stderr, "nothing lost; ");
	fprintf(stderr, "%lld bytes\n", (long long)status.st_size);
}

/* What stands behind the last dot of a spool's name: a process id, and "-2" where another process
 * had that one before. */
static const char *process_of_spool(const char *spool)
{
	const char *dot = strrchr(spool, '.');

	return dot ? dot + 1 : "0";
}

/* -1 after a message; 0 when written, to a file or into a folder, with *records what the GPUs did.
 */
static int convert(const char *spool, const char *where, bool folder, int64_t *records)
{
	struct trace trace;
	char *output = NULL;
	int result;

	trace_init(&trace);
	result = spool_to_trace(&trace, spool);
	if (!result) {
		output = folder ? name_in_folder(where, &trace, process_of_spool(spool))
				: xstrdup(where);
		result = trace_write(&trace, output);
	}
	if (!result) {
		const char *problem = trace_get_meta(&trace, "error");

		*records = device_records(&trace);
		if (problem)
			report("record: nothing could be recorded: %s", problem);
		summarize(&trace, output);
	}
	free(output);
	trace_release(&trace);
	return result;
}

/*
 * One trace a spool. The command's own process, or the only one, or else the first, gets the plain
 * name. Returns how many could not be converted; *records adds up what was.
 */
static int convert_all(const struct record_options *settings, char **spools, size_t count,
		       pid_t pid, int64_t *records)
{
	size_t main_spool = 0;
	int failed = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t process;

		if (!parse_i64(process_of_spool(spools[i]), &process) && process == (int64_t)pid)
			main_spool = i;
	}
	for (size_t i = 0; i < count; i++) {
		char *output = i == main_spool || settings->folder
				       ? xstrdup(settings->output)
				       : name_with(settings->output, process_of_spool(spools[i]));
		int64_t in_this = 0;
		int problem = convert(spools[i], output, settings->folder, &in_this) != 0;

		failed += problem;
		*records += in_this;
		if (problem)
			report("record: the spool is kept: %s; warpreel record --spool converts it",
			       spools[i]);
		else if (!settings->keep_spool)
			unlink(spools[i]);
		free(output);
	}
	return failed;
}

static bool notes_messages(const struct record_options *settings)
{
	return !strcmp(settings->messages, "on") ||
	       (settings->folder && !strcmp(settings->messages, "auto"));
}

/* `virtual`: the library of virtual GPUs, NULL: the program runs on those there are. */
static int run(const struct record_options *settings, const char *recorder, const char *virtual,
	       int as_gpus, const char *base, char **command, pid_t *pid)
{
	char *flush_ms = xprintf("%d", settings->flush_ms),
	     *clock_ms = xprintf("%d", settings->clock_ms);
	char *recording = xprintf("%lld.%ld", (long long)time(NULL), (long)getpid());
	char *gpus = virtual ? xprintf("%d", as_gpus) : NULL,
	     *messages = virtual || !notes_messages(settings) ? NULL : target_find_messages(),
	     *preload = virtual || messages ? virtual_preload(virtual ? virtual : messages) : NULL,
	     *shared = NULL;
	const char *visible = getenv("CUDA_VISIBLE_DEVICES");
	const int shared_file = virtual ? virtual_share(&shared) : -1;
	const struct target_setting environment[] = {
		{ "WARPREEL_RECORDING", recording },
		{ "WARPREEL_AS_GPUS", gpus },
		{ "LD_PRELOAD", preload },
		{ "WARPREEL_RANKS", shared },
		{ "WARPREEL_VISIBLE_BEFORE", virtual ? visible ? visible : "" : NULL },
		{ "WARPREEL_SERIAL_KERNELS", virtual ? "1" : NULL },
		{ "WARPREEL_FLUSH_MS", flush_ms },
		{ "WARPREEL_CLOCK_MS", clock_ms },
		{ "WARPREEL_EVENT_TIMES", settings->event_times ? "1" : "0" },
		{ "WARPREEL_DRIVER_API", strcmp(settings->driver_api, "on") ? "0" : "1" },
	};
	int status = target_run("record", recorder, base, environment,
				sizeof(environment) / sizeof(environment[0]), command, pid);

	free(flush_ms);
	free(clock_ms);
	free(recording);
	free(gpus);
	free(preload);
	free(messages);
	free(shared);
	if (shared_file >= 0)
		close(shared_file);
	return status;
}

/* as_gpus 0: on those there are. */
static int record(const struct record_options *settings, int as_gpus, char **command)
{
	char *recorder = target_find_recorder("record", settings->recorder), *base = NULL,
	     *virtual = NULL, *output = NULL;
	struct sigaction before[2];
	glob_t found = { 0 };
	int status, code = EXIT_BAD;
	struct mps mps = { NULL };
	int64_t records = 0;
	pid_t pid;

	if (!recorder)
		return EXIT_BAD;
	if (as_gpus) {
		virtual = target_find_virtual("record");
		if (!virtual) {
			free(recorder);
			return EXIT_BAD;
		}
	}
	output = settings->folder ? xprintf("%s/recording", settings->output)
				  : xstrdup(settings->output);
	base = target_spool_base(output);
	target_hold_signals(before);
	if (settings->mps && mps_start(&mps))
		goto out;
	status = run(settings, recorder, virtual, as_gpus, base, command, &pid);
	if (status < 0)
		goto out;
	code = target_report_status("record", status, command[0], "trace");
	target_await("record", base);
	mps_stop(&mps);
	if (target_find_spools(base, &found) || !found.gl_pathc) {
		report("record: %s made no CUDA call that the recorder saw: no trace was written",
		       command[0]);
		code = EXIT_BAD;
		goto out;
	}
	if (convert_all(settings, found.gl_pathv, found.gl_pathc, pid, &records)) {
		code = EXIT_BAD;
	} else if (!records) {
		report("record: no kernel, copy or memset was recorded");
		code = EXIT_BAD;
	}
out:
	mps_stop(&mps);
	target_release_signals(before);
	globfree(&found);
	free(output);
	free(base);
	free(recorder);
	free(virtual);
	return code;
}

/* Traces of another run would be taken for this one's. */
static int make_one(const char *output)
{
	if (mkdir(output, 0777) && errno != EEXIST)
		return report("record: cannot make %s: %s", output, strerror(errno)), EXIT_BAD;
	if (access(output, W_OK | X_OK))
		return report("record: cannot write into %s: %s", output, strerror(errno)),
		       EXIT_BAD;
	if (trace_folder_count(output) > 0)
		return report("record: %s holds traces already, and those of one run stand alone: "
			      "name another folder",
			      output),
		       EXIT_BAD;
	return EXIT_OK;
}

/* A folder is one that is there, or a name that ends with a slash. */
static int make_folder(struct record_options *settings)
{
	const char *output = settings->output;

	settings->folder =
		trace_is_folder(output) || (*output && output[strlen(output) - 1] == '/');
	return settings->folder ? make_one(output) : EXIT_OK;
}

/* Once for each number of GPUs; the exit code of the first that failed. */
static int record_series(struct record_options settings, const int *gpus, int count, char **command)
{
	const char *output = settings.output;
	int code = EXIT_OK;

	if (count < 2)
		return record(&settings, count ? gpus[0] : 0, command);
	for (int i = 0; i < count && code == EXIT_OK; i++) {
		char *number = xprintf("as%d", gpus[i]),
		     *name = settings.folder
				     ? xprintf("%s%s%s", output,
					       output[strlen(output) - 1] == '/' ? "" : "/", number)
				     : name_with(output, number);

		settings.output = name;
		if (settings.folder)
			code = make_one(name);
		else if (trace_check_output(name))
			code = EXIT_BAD;
		if (code == EXIT_OK)
			code = record(&settings, gpus[i], command);
		free(name);
		free(number);
	}
	return code;
}

int cmd_record(const struct program *program, int argc, char **argv)
{
	struct record_options settings = { 0 };
	char **command;
	int words, code, gpus[VIRTUAL_SERIES_MAX], count = 0;
	int64_t records = 0;

	(void)program;
	code = options_parse(&help, options, &settings, target_split(argc, argv, &command), argv,
			     &words);
	if (code)
		return code > EXIT_USAGE ? EXIT_OK : code;
	if (!settings.output) {
		report("record: -o FILE says where the trace goes (see warpreel record --help)");
		return EXIT_USAGE;
	}
	if (settings.as_gpus && (count = virtual_counts(settings.as_gpus, gpus)) < 0)
		return EXIT_USAGE;
	if (settings.mps && !settings.as_gpus) {
		report("record: --mps goes with --as-gpus");
		return EXIT_USAGE;
	}
	if (settings.spool && !words && command) {
		report("record: --spool converts a spool and runs no command");
		return EXIT_USAGE;
	}
	code = settings.spool && !words ? EXIT_OK
					: target_check_command("record", words, argv, command);
	if (code)
		return code;
	code = make_folder(&settings);
	if (code)
		return code;
	if (!settings.folder && (output_differs(settings.output, settings.spool) ||
				 trace_check_output(settings.output)))
		return EXIT_BAD;
	if (settings.spool)
		return convert(settings.spool, settings.output, settings.folder, &records)
			       ? EXIT_BAD
			       : EXIT_OK;
	if (target_check_free("record") || (count && virtual_check(command[0])))
		return EXIT_BAD;
	return record_series(settings, gpus, count, command);
}
