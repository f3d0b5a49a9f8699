/* SPDX-License-Identifier: MIT
 * warpreel calibrate: measures this machine and writes a platform file.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/base/options.h"
#include "traces/program/program.h"
#include "traces/base/output.h"
#include "traces/base/util.h"
#include "calibrate.h"
#include "calibrate_parts.h"
#include "model/platform/platform_internal.h"

struct calibrate_options {
	const char *output, *raw, *parts, *only, *update, *merge, *name, *trace_pass;
	const char *verify, *list, *backend;
	int gpus;
	double budget_s;
};

#define OPTION(member) offsetof(struct calibrate_options, member)
static const struct option_spec options[] = {
	{ "o", OPTION_TEXT, OPTION(output), NULL, 0, 0, "FILE.ini", "the platform file to write" },
	{ "gpus", OPTION_INT, OPTION(gpus), "0", 0, 16, "N", "use the first N GPUs; 0: all" },
	{ "budget", OPTION_REAL, OPTION(budget_s), "100", 1, 3600, "SECONDS",
	  "aim to end within this" },
	{ "parts", OPTION_TEXT, OPTION(parts),
	  "host,stream,copy,doorbell,poll,peer_exchange,memory,links,sm", 0, 0, "LIST",
	  "what to measure" },
	{ "only", OPTION_TEXT, OPTION(only), NULL, 0, 0, "LIST",
	  "measure only these parts, without the recorder" },
	{ "update", OPTION_TEXT, OPTION(update), NULL, 0, 0, "FILE.ini",
	  "replace doorbell, poll, peer_exchange, memory or sm, given with --only, in this "
	  "platform "
	  "file" },
	{ "merge", OPTION_TEXT, OPTION(merge), NULL, 0, 0, "FILE.ini,...",
	  "measure nothing: write the medians of these files" },
	{ "verify", OPTION_TEXT, OPTION(verify), NULL, 0, 0, "FILE.ini",
	  "measure no costs: run and predict 20 small runs, and write the width of intervals that "
	  "they give into this platform file" },
	{ "list", OPTION_TEXT, OPTION(list), NULL, 0, 0, "FILE",
	  "the runs of --verify (default: traces/data/lists/verify.list)" },
	{ "backend", OPTION_CHOICE, OPTION(backend), "cuda", 0, 0, "cuda|cpu",
	  "cuda: measure GPUs; cpu: only try the procedure, on host threads" },
	{ "name", OPTION_TEXT, OPTION(name), NULL, 0, 0, "NAME",
	  "name of the platform; else that of the file" },
	{ "trace-pass", OPTION_CHOICE, OPTION(trace_pass), "yes", 0, 0, "yes|no",
	  "repeat host and stream under the recorder" },
	{ "raw", OPTION_TEXT, OPTION(raw), NULL, 0, 0, "FILE",
	  "also every number as a line: key, values, spread, how" },
	{ 0 },
};

static const struct command_help help = {
	"calibrate",
	"calibrate -o FILE.ini [options]",
	"Measures what this machine costs: host calls, streams, copies, links, memory, the "
	"multiprocessors from the inside; untraced, then once "
	"more under the recorder.",
};

struct sink {
	struct results *results;
	struct progress progress;
	char what[128];
	int64_t begun_ns;
	double budget_s;
};

static void on_emit(void *arg, const char *key, const double *values, const double *spread,
		    size_t count, const char *how)
{
	struct sink *sink = arg;
	results_add(sink->results, key, values, spread, count, how);
}

static void on_progress(void *arg, const char *what, double done)
{
	struct sink *sink = arg;
	(void)done;
	snprintf(sink->what, sizeof(sink->what), "calibrate: %s, second", what);
	progress_at(&sink->progress, (monotonic_ns() - sink->begun_ns) / 1000000000,
		    (int64_t)sink->budget_s);
}

static int measure(const struct program *program, const struct calibrate_options *o, unsigned bits,
		   double budget_s, struct results *results)
{
	struct sink sink = { .results = results, .begun_ns = monotonic_ns(), .budget_s = budget_s };
	struct calibration calibration = { .gpus = o->gpus,
					   .budget_s = budget_s,
					   .parts = bits,
					   .sink = &sink,
					   .emit = on_emit,
					   .progress = on_progress };
	progress_begin(&sink.progress, sink.what);
	int rc = program->calibrate_cuda(&calibration);
	progress_end(&sink.progress);
	return rc;
}

/* The name of the output file without folder and ".ini". */
static char *name_of(const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	size_t length = strlen(base);
	return xprintf(
		"%.*s",
		(int)(length > 4 && !strcmp(base + length - 4, ".ini") ? length - 4 : length),
		base);
}

/* Whole or not at all; `write` gives -1 when the stream failed. */
static int write_file(const char *path, const struct results *results, const char *provenance)
{
	struct output output;
	if (output_begin(&output, path))
		return -1;
	FILE *file = output_open(&output);
	int rc = file ? 0 : -1;
	if (file) {
		rc = provenance ? results_write_platform(results, provenance, file)
				: results_write_raw(results, file);
		rc = fclose(file) ? -1 : rc;
	}
	if (!rc)
		return output_commit(&output);
	report("cannot write '%s': %s", path, strerror(errno));
	output_abandon(&output);
	return -1;
}

static char *join(int argc, char **argv)
{
	char *text = xstrdup("warpreel");
	for (int i = 0; i < argc; i++) {
		char *longer = xprintf("%s %s", text, argv[i]);
		free(text);
		text = longer;
	}
	return text;
}

/* The pass under the recorder, or what can be said without. NULL when it ran, else why not. */
static const char *trace_pass(const struct calibrate_options *o, unsigned bits, int gpus,
			      struct results *results)
{
	char program_path[PATH_MAX];
	const char *why = NULL;
	ssize_t length = readlink("/proc/self/exe", program_path, sizeof(program_path) - 1);
	if (!(bits & CALIBRATE_HOST) || !(bits & CALIBRATE_STREAM))
		return "host or stream not measured";
	if (strcmp(o->trace_pass, "yes") || o->only)
		why = "not asked for";
	else if (length < 0)
		why = "program not found";
	else {
		program_path[length] = 0;
		if (calibrate_trace_pass(results, program_path, o->output, gpus, 0.2 * o->budget_s))
			why = "failed";
	}
	if (!why)
		return NULL;
	report_warning("no trace pass (%s): '%s' has no [tracer], and its kernel gaps are guesses "
		       "from events",
		       why, o->output);
	calibrate_gap_from_events(results);
	return why;
}

static int update(const struct program *program, const struct calibrate_options *o,
		  struct results *results, const char *command, const char *clocks_before)
{
	struct platform platform;
	if (platform_read(&platform, o->update))
		return -1;
	char *lines = calibrate_provenance(program->describe_gpu,
					   (int)results_find(results, "device.gpus")->values[0],
					   command),
	     *note = xstrdup("");
	char *all = xprintf("%sclocks_mhz_before = %s\n", lines, clocks_before);
	for (char *line = all, *next; *line; line = next) {
		size_t length = strcspn(line, "\n");
		next = line + length + 1;
		char *longer = xprintf("%s# %.*s\n", note, (int)length, line);
		free(note);
		note = longer;
	}
	calibrate_sm_derive(results, &platform);
	calibrate_add_unmeasured(results);
	results_add_bases(results);
	int rc = calibrate_update(results, platform.path, note);
	platform_release(&platform);
	free(lines);
	free(note);
	free(all);
	return rc;
}

static int calibrate(const struct program *program, const struct calibrate_options *o,
		     unsigned bits, const char *command)
{
	struct results results = { 0 };
	char *provenance = NULL, *clocks_after = NULL, *clocks_before = NULL, *head = NULL,
	     *name = NULL;
	bool wants_trace = o->output && !o->only && !strcmp(o->trace_pass, "yes");
	int rc = -1;
	/* The first question to the machine: without a CUDA library or a GPU it ends here. */
	clocks_before = calibrate_clocks(program->describe_gpu, o->gpus);
	if (!clocks_before)
		goto out;
	rc = measure(program, o, bits, o->budget_s * (wants_trace ? 0.75 : 1), &results);
	/* Raw lines are worth having of a calibration that broke off, too. */
	if (o->raw && write_file(o->raw, &results, NULL))
		rc = -1;
	if (!rc && o->update)
		rc = update(program, o, &results, command, clocks_before);
	if (rc || !o->output)
		goto out;
	int gpus = (int)results_find(&results, "device.gpus")->values[0];
	clocks_after = calibrate_clocks(program->describe_gpu, gpus);
	const char *why = trace_pass(o, bits, gpus, &results);
	head = calibrate_provenance(program->describe_gpu, gpus, command);
	provenance = xprintf("%sclocks_mhz_before = %s\nclocks_mhz_after = %s\n"
			     "batches = 15 after one to warm up, fewer where the budget ends (5, "
			     "at least 3)\ntrace_pass = %s\n",
			     head, clocks_before, clocks_after ? clocks_after : "unknown",
			     why ? why : "yes");
	name = o->name ? xstrdup(o->name) : name_of(o->output);
	calibrate_sm_derive(&results, NULL);
	calibrate_add_unmeasured(&results);
	results_add_bases(&results);
	results_add(&results, "platform.name", NULL, NULL, 0, name);
	results_add(&results, "platform.source", NULL, NULL, 0, "measured");
	rc = write_file(o->output, &results, provenance);
	if (!rc && bits == ALL_PARTS) {
		struct platform platform;
		rc = platform_read(&platform, o->output);
		if (!rc)
			platform_release(&platform);
	} else if (!rc) {
		report_warning("only some parts were measured: '%s' is no whole platform",
			       o->output);
	}
out:
	free(provenance);
	free(head);
	free(clocks_before);
	free(clocks_after);
	free(name);
	results_release(&results);
	return rc;
}

static int update_merged(const struct calibrate_options *o, const struct results *merged,
			 const char *note)
{
	struct platform platform;
	int rc = platform_read(&platform, o->update);
	if (!rc) {
		rc = calibrate_update(merged, platform.path, note);
		platform_release(&platform);
	}
	return rc;
}

static int merge(const struct calibrate_options *o, unsigned bits, const char *command)
{
	struct results results = { 0 };
	struct platform platform;
	char date[64], *name = NULL;
	calibrate_date(date, sizeof(date));
	char *note = xprintf("# date = %s\n# command = %s\n", date, command),
	     *lines = xprintf("date = %s\ncommand = %s\n", date, command);
	int rc = calibrate_merge(&results, o->merge, o->output);
	if (!rc && o->only)
		rc = parts_keep(&results, bits, o->merge);
	if (!rc && !o->only)
		calibrate_add_unmeasured(&results);
	if (!rc)
		results_add_bases(&results);
	if (!rc && o->update)
		rc = update_merged(o, &results, note);
	if (!rc && o->output) {
		name = o->name ? xstrdup(o->name) : name_of(o->output);
		results_add(&results, "platform.name", NULL, NULL, 0, name);
		rc = write_file(o->output, &results, lines);
		if (!rc && !(rc = platform_read_part(&platform, o->output)))
			platform_release(&platform);
	}
	free(note);
	free(lines);
	free(name);
	results_release(&results);
	return rc;
}

/* What could not be read back as it is: comments and lines end there, blanks at the ends are cut
 * off. */
static bool is_name(const char *name)
{
	const size_t length = strlen(name);
	bool plain = length > 0 && length <= 100 && name[0] != ' ' && name[length - 1] != ' ' &&
		     !strpbrk(name, ";#");
	for (size_t k = 0; k < length; k++)
		plain &= (unsigned char)name[k] >= ' ' && name[k] != 127;
	return plain;
}

static bool has_name(const struct calibrate_options *o)
{
	char *name = o->name ? xstrdup(o->name) : o->output ? name_of(o->output) : xstrdup("none");
	const bool good = is_name(name);
	if (!good)
		report("%s '%s': a platform's name has up to 100 characters, no ';', '#', control "
		       "characters nor blanks at its ends%s",
		       o->name ? "--name" : "-o", o->name ? o->name : o->output,
		       o->name ? "" : "; --name gives another than the file's");
	free(name);
	return good;
}

/* Before a minute is spent on it. */
static int check_platform(const char *path)
{
	struct platform platform;
	if (platform_read(&platform, path))
		return -1;
	platform_release(&platform);
	return 0;
}

int cmd_calibrate(const struct program *program, int argc, char **argv)
{
	struct calibrate_options o = { 0 };
	unsigned bits = 0;
	int words = 0;
	char *command = join(argc, argv);
	int rc = options_parse(&help, options, &o, argc, argv, &words);
	if (rc) {
		rc = rc > EXIT_USAGE ? EXIT_OK : rc;
	} else if (words) {
		report("calibrate takes no '%s' (see warpreel calibrate --help)", argv[1]);
		rc = EXIT_USAGE;
	} else if (o.merge && (!o.output == !o.update || o.raw || o.gpus)) {
		report("--merge measures nothing: it needs either -o FILE.ini or --update "
		       "FILE.ini, and no --raw or --gpus (see warpreel calibrate --help)");
		rc = EXIT_USAGE;
	} else if (o.verify && (o.output || o.raw || o.update || o.merge || o.only)) {
		report("--verify measures no costs: it takes --list, --backend and --gpus alone");
		rc = EXIT_USAGE;
	} else if (o.list && !o.verify) {
		report("--list is of --verify");
		rc = EXIT_USAGE;
	} else if (o.verify) {
		rc = program->verify(program, o.verify, o.backend, o.list, (uint32_t)o.gpus,
				     command)
			     ? EXIT_BAD
			     : EXIT_OK;
	} else if (!o.output && !o.raw && !o.update) {
		report("calibrate needs -o FILE.ini (see warpreel calibrate --help)");
		rc = EXIT_USAGE;
	} else if (!has_name(&o)) {
		rc = EXIT_USAGE;
	} else if (parts_parse(o.only ? "only" : "parts", o.only ? o.only : o.parts, &bits)) {
		rc = EXIT_USAGE;
	} else if (o.update && (!o.only || (!o.merge && bits & ~(unsigned)WHOLE_SECTIONS))) {
		report("--update replaces whole sections: it needs --only with doorbell, poll, "
		       "peer_exchange, memory, sm or several of them");
		rc = EXIT_USAGE;
	} else if (o.update && check_platform(o.update)) {
		rc = EXIT_BAD;
	} else if (o.merge) {
		rc = merge(&o, bits, command) ? EXIT_BAD : EXIT_OK;
	} else {
		rc = calibrate(program, &o, bits, command) ? EXIT_BAD : EXIT_OK;
	}
	free(command);
	return rc;
}
