/* SPDX-License-Identifier: MIT
 * The runs of a command that its kernel profiles take, and their spools into one merge.
 */
#include "profile_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target.h"
#include "traces/base/util.h"

enum counted { SASS, COUNTERS, KINDS };
static const char *const kind_name[KINDS] = { "sass", "counters" };

struct runs {
	struct profile_merge *merge;
	const struct profile_options *options;
	const char *recorder;
	char **command;
	int spools;
	unsigned made;		      /* runs so far: each names its spools */
	int64_t skipped_grids[KINDS]; /* as the runs said */
	bool cut;		      /* interrupted before the last */
};

/* Runs that count one kind: of which kernels, and which part of the metrics where one run cannot
 * hold all. */
struct run {
	enum counted kind;
	const char *kernels;	/* patterns, one a line; NULL: all */
	const char *one;	/* of those counted one by one, its name; NULL: all at once */
	unsigned number, count; /* of those counted one by one */
	const char *shape;	/* of them only the launches with this grid, block and dynamic
				   shared memory, as WARPREEL_PROFILE_SHAPE; NULL: all */
	bool replays;		/* counters: all passes of one launch */
	unsigned part, parts;
	const char *metrics_a_run; /* NULL: what the user set, if anything */
};

static void say_run(const struct run *run)
{
	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "warpreel: profile: counting %s", kind_name[run->kind]);
	if (run->replays)
		fprintf(stderr, " of launches repeated in place");
	if (run->parts > 1)
		fprintf(stderr, ", run %u of %u", run->part + 1, run->parts);
	if (run->one)
		fprintf(stderr, ", %u of %u: %s", run->number + 1, run->count, run->one);
	fputc('\n', stderr);
}

/* The exit code; *base names the run's spools. */
static int run_command(struct runs *runs, const struct run *run, char **base)
{
	char *plain = target_spool_base(runs->options->output);
	char *grids = xprintf("%d", runs->options->grids), *part = xprintf("%u", run->part);
	const struct target_setting environment[] = {
		{ "WARPREEL_PROFILE", kind_name[run->kind] },
		{ "WARPREEL_PROFILE_KERNELS", run->kernels },
		{ "WARPREEL_PROFILE_SHAPE", run->shape },
		{ "WARPREEL_PROFILE_REPLAY", run->replays ? "1" : NULL },
		{ "WARPREEL_PROFILE_GRIDS", grids },
		{ "WARPREEL_PROFILE_PART", part },
		{ "WARPREEL_PROFILE_GROUP", run->metrics_a_run },
		{ "WARPREEL_PROFILE_VERBOSE", runs->options->verbose ? "1" : NULL },
	};
	int status;
	pid_t pid;

	say_run(run);
	*base = xprintf("%s-%s%u", plain, kind_name[run->kind], runs->made++);
	status = target_run("profile", runs->recorder, *base, environment,
			    sizeof(environment) / sizeof(environment[0]), runs->command, &pid);
	free(plain);
	free(grids);
	free(part);
	return status < 0 ? EXIT_BAD
			  : target_report_status("profile", status, runs->command[0], "profile");
}

/* Adds every spool of a run. -1 after a message. */
static int add_spools(struct runs *runs, const char *base)
{
	glob_t found = { 0 };
	int rc = 0;

	if (target_find_spools(base, &found)) {
		globfree(&found);
		return 0;
	}
	for (size_t i = 0; i < found.gl_pathc && !rc; i++) {
		struct spool spool;

		rc = spool_read(&spool, found.gl_pathv[i]);
		if (!rc) {
			profile_merge_add(runs->merge, &spool);
			runs->spools++;
		}
		spool_release(&spool);
		if (!runs->options->keep_spool)
			unlink(found.gl_pathv[i]);
	}
	globfree(&found);
	return rc;
}

static int64_t number_said(const struct runs *runs, const char *key)
{
	const char *said = trace_get_meta(runs->merge->trace, key);
	int64_t number;

	return said && !parse_i64(said, &number) ? number : 0;
}

/* How many runs it takes to count one kind, as the first of them found out; 1 when it did not say.
 */
static unsigned parts_of(const struct runs *runs, enum counted kind)
{
	int64_t count = kind == SASS ? number_said(runs, "sass_runs") : 0;

	return count > 0 && count <= METRICS_MAX ? (unsigned)count : 1;
}

/* Asked before a run that is still to be made. */
static bool goes_on(struct runs *runs)
{
	runs->cut |= target_interrupted();
	return !runs->cut && !trace_get_meta(runs->merge->trace, "error");
}

/* All parts of one kind. The exit code. */
static int count(struct runs *runs, struct run run)
{
	struct trace *trace = runs->merge->trace;
	int code = EXIT_OK;

	trace_set_meta(trace, "skipped_grids", "0");
	run.parts = 1;
	for (run.part = 0; run.part < run.parts && !code && goes_on(runs); run.part++) {
		char *base;

		code = run_command(runs, &run, &base);
		if (add_spools(runs, base))
			code = EXIT_BAD;
		free(base);
		run.parts = parts_of(runs, run.kind);
		if (run.parts > 1)
			run.metrics_a_run = trace_get_meta(trace, "sass_metrics_a_run");
	}
	runs->skipped_grids[run.kind] += number_said(runs, "skipped_grids");
	return code;
}

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

/* The pattern that only this text matches. */
static char *pattern_of(const char *text)
{
	char *pattern = xmalloc(2 * strlen(text) + 1), *out = pattern;

	for (; *text; text++) {
		if (strchr("*?[\\", *text))
			*out++ = '\\';
		*out++ = *text;
	}
	*out = '\0';
	return pattern;
}

/* The functions of the merge, each once, as text: the array and what is in it are the caller's. */
static char **functions_of(const struct profile_merge *merge, unsigned *count)
{
	char **list = xcalloc(merge->shape_count + 1, sizeof(*list));

	*count = 0;
	for (size_t i = 0; i < merge->shape_count; i++) {
		bool known = false;

		for (size_t k = 0; k < i && !known; k++)
			known = merge->shape[k].symbol == merge->shape[i].symbol;
		if (!known)
			list[(*count)++] =
				xstrdup(trace_text(merge->trace, merge->shape[i].symbol));
	}
	return list;
}

/*
 * Instructions, a run for each function that the counters' runs saw; where there were none, for
 * each --kernel. One that fails does not keep the others from theirs. The exit code.
 */
static int count_one_by_one(struct runs *runs, bool counters)
{
	const struct text_list *kernels = &runs->options->kernel;
	struct run run = { .kind = SASS, .count = (unsigned)kernels->count };
	char **function = counters ? functions_of(runs->merge, &run.count) : NULL;
	int code = EXIT_OK;

	for (; run.number < run.count && goes_on(runs); run.number++) {
		char *pattern = function ? pattern_of(function[run.number])
					 : xstrdup(kernels->text[run.number]);

		run.kernels = pattern;
		run.one = function ? function[run.number] : pattern;
		if (count(runs, run))
			code = EXIT_BAD;
		free(pattern);
	}
	if (runs->cut)
		report("profile: interrupted: the instructions of %u of %u kernels were not "
		       "counted",
		       run.count - run.number, run.count);
	for (unsigned k = 0; function && k < run.count; k++)
		free(function[k]);
	free(function);
	return runs->cut ? EXIT_BAD : code;
}

/* Launched too few times for a launch a pass: all passes of one launch, of the functions that lack
 * some. */
static int count_in_place(struct runs *runs)
{
	const uint64_t expected = profile_merge_expected(runs->merge, false);
	struct run run = { .kind = COUNTERS, .replays = true };
	char *kernels = NULL;
	int code = EXIT_OK;

	for (size_t i = 0; i < runs->merge->shape_count; i++) {
		const struct merged_shape *shape = &runs->merge->shape[i];
		char *pattern, *longer;

		if (!(expected & ~shape->measured))
			continue;
		pattern = pattern_of(trace_text(runs->merge->trace, shape->symbol));
		longer = xprintf("%s%s%s", kernels ? kernels : "", kernels ? "\n" : "", pattern);
		free(pattern);
		free(kernels);
		kernels = longer;
	}
	run.kernels = kernels;
	if (kernels && goes_on(runs))
		code = count(runs, run);
	free(kernels);
	return code;
}

/* Instructions of every launch shape that has none, a run each, since CUPTI counts no second one
 * in a process; as many runs as the user allows. */
static int count_shape_by_shape(struct runs *runs)
{
	const struct profile_merge *merge = runs->merge;
	const uint64_t expected = profile_merge_expected(merge, true);
	int made = 0, code = EXIT_OK;

	for (size_t i = 0; i < merge->shape_count && made < runs->options->runs; i++) {
		const struct merged_shape *shape = &merge->shape[i];
		struct run run = { .kind = SASS, .number = (unsigned)i };

		if (!(expected & ~shape->measured))
			continue;
		if (!goes_on(runs))
			break;
		char *pattern = pattern_of(trace_text(merge->trace, shape->symbol)),
		     *form = xprintf("%u,%u,%u,%u,%u,%u,%u", shape->grid[0], shape->grid[1],
				     shape->grid[2], shape->block[0], shape->block[1],
				     shape->block[2], shape->dynamic_shared_bytes);
		run.kernels = run.one = pattern;
		run.shape = form;
		run.count = (unsigned)merge->shape_count;
		if (count(runs, run))
			code = EXIT_BAD;
		made++;
		free(pattern);
		free(form);
	}
	return code;
}

int profile_runs(struct profile_merge *merge, const struct profile_options *options,
		 const char *recorder, char **command, int *spools)
{
	struct runs runs = {
		.merge = merge, .options = options, .recorder = recorder, .command = command
	};
	bool sass = strcmp(options->passes_of, "counters") != 0,
	     counters = strcmp(options->passes_of, "sass") != 0;
	char *kernels = patterns(&options->kernel), *skipped;
	int64_t most = 0;
	int code = EXIT_OK;

	merge->asked[false] = counters;
	if (sass && !options->one_by_one)
		code = count(&runs, (struct run){ .kind = SASS, .kernels = kernels });
	if (counters && !code && goes_on(&runs))
		code = count(&runs, (struct run){ .kind = COUNTERS, .kernels = kernels });
	if (counters && !code && !runs.cut)
		code = count_in_place(&runs);
	if (options->one_by_one && !code && goes_on(&runs)) {
		code = count_one_by_one(&runs, counters);
	} else if (runs.cut && !code) {
		report("profile: interrupted: not everything was counted");
		code = EXIT_BAD;
	}
	if (sass && !code && !runs.cut)
		code = count_shape_by_shape(&runs);
	merge->asked[true] = sass; /* where no run had any, further ones would not */
	for (int kind = 0; kind < KINDS; kind++)
		most = runs.skipped_grids[kind] > most ? runs.skipped_grids[kind] : most;
	skipped = xprintf("%lld", (long long)most);
	trace_set_meta(merge->trace, "skipped_grids", skipped);
	free(skipped);
	free(kernels);
	*spools = runs.spools;
	return code;
}
