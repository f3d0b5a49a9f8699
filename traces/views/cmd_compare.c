/* SPDX-License-Identifier: MIT
 * warpreel compare: two traces side by side, measured or predicted.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/options.h"
#include "traces/format/trace_folder.h"
#include "traces/program/program.h"
#include "compare_operations.h"
#include "run_pairs.h"
#include "trace_compare.h"
#include "trace_trim.h"
#include "traces/base/text_show.h"
#include "traces/base/util.h"

struct compare_options {
	const char *format;
	bool operations;
};

static const struct option_spec options[] = {
	{ "format", OPTION_CHOICE, offsetof(struct compare_options, format), "text", 0, 0,
	  "text|tsv", "output" },
	{ "operations", OPTION_FLAG, offsetof(struct compare_options, operations), NULL, 0, 0, NULL,
	  "whether both ask the same of their GPUs: operation for operation, no times; exit 1 "
	  "where "
	  "they do not" },
	{ 0 },
};
static const struct command_help help = { "compare", "compare [options] A B",
					  "Two traces side by side: kernels, copies, API calls, "
					  "busy time, core loops; differences in percent of A. "
					  "Runs are paired by configuration." };

static const struct summary_line absent = {
	.name = (char *)"", .total_us = NAN, .median_us = NAN, .min_us = NAN, .max_us = NAN
};

static void print_tsv(const struct compare_line *lines, size_t count)
{
	printf("section\tname\ta_count\tb_count\ta_total_us\tb_total_us\ttotal_pct\ta_median_us\tb_"
	       "median_us\tmedian_"
	       "pct\n");
	for (size_t i = 0; i < count; i++) {
		const struct summary_line *a = lines[i].a ? lines[i].a : &absent,
					  *b = lines[i].b ? lines[i].b : &absent;
		const struct summary_line *named = lines[i].a ? a : b;

		printf("%s\t%s\t%" PRId64 "\t%" PRId64 "\t%.3f\t%.3f\t%.2f\t%.3f\t%.3f\t%.2f\n",
		       summary_kind_name[named->kind], named->name, a->count, b->count, a->total_us,
		       b->total_us, compare_percent(a->total_us, b->total_us), a->median_us,
		       b->median_us, compare_percent(a->median_us, b->median_us));
	}
}

static void print_number(int width, int decimals, double value)
{
	if (isnan(value))
		printf(" %*s", width, "-");
	else
		printf(" %*.*f", width, decimals, value);
}

static void print_percent(double value)
{
	if (isnan(value))
		printf(" %9s", "-");
	else
		printf(" %+8.2f%%", value);
}

static void print_text(const struct compare_line *lines, size_t count)
{
	int kind = -1;

	for (size_t i = 0; i < count; i++) {
		const struct summary_line *a = lines[i].a ? lines[i].a : &absent,
					  *b = lines[i].b ? lines[i].b : &absent;
		const struct summary_line *named = lines[i].a ? a : b;

		if ((int)named->kind != kind)
			printf("%-30s %8s %8s %13s %13s %9s %11s %11s %9s\n",
			       summary_kind_name[named->kind], "count A", "B", "total us A", "B",
			       "", "median us A", "B", "");
		kind = (int)named->kind;
		printf("  %-28.*s %8" PRId64 " %8" PRId64, text_cut(named->name, 28), named->name,
		       a->count, b->count);
		print_number(13, 3, a->total_us);
		print_number(13, 3, b->total_us);
		print_percent(compare_percent(a->total_us, b->total_us));
		print_number(11, 3, a->median_us);
		print_number(11, 3, b->median_us);
		print_percent(compare_percent(a->median_us, b->median_us));
		printf("\n");
	}
}

/* Two traces, and which of their runs are compared. */
struct sides {
	struct trace trace[2];
	struct run_pair *pair;
	size_t count, paired;
};

static size_t side_of(const struct run_pair *pair, int side)
{
	return side ? pair->b : pair->a;
}

/* Core loops are named after both runs, or after the one trace: so that only pairs find each other.
 */
static void name_cores(const struct sides *sides, int side, struct summary *summary)
{
	for (size_t i = 0; i < summary->line_count; i++) {
		struct summary_line *line = &summary->line[i];
		size_t run;
		char *text;

		if (line->kind != SUMMARY_CORE)
			continue;
		run = strtoul(line->name + strlen("run "), NULL, 10);
		free(line->name);
		text = run_text(&sides->trace[sides->paired ? 0 : side],
				sides->paired ? sides->pair[run].a : run);
		line->name = sides->paired ? xprintf("run %zu with %zu: %s", sides->pair[run].a,
						     sides->pair[run].b, text)
					   : xprintf("run %zu of %c: %s", run, 'A' + side, text);
		free(text);
	}
}

/* Of paired runs alone, where there are such; else of all. */
static void summarize(const struct sides *sides, int side, struct summary *summary)
{
	struct trace trimmed;
	size_t *run = xmalloc((sides->paired + 1) * sizeof(*run));

	for (size_t k = 0; k < sides->paired; k++)
		run[k] = side_of(&sides->pair[k], side);
	trace_init(&trimmed);
	if (sides->paired)
		trace_trim_to(&trimmed, &sides->trace[side], run, sides->paired);
	summary_make(summary, sides->paired ? &trimmed : &sides->trace[side]);
	name_cores(sides, side, summary);
	trace_release(&trimmed);
	free(run);
}

/* What is compared with what. */
static void print_pairs(const struct sides *sides)
{
	for (size_t k = 0; k < sides->count; k++) {
		const struct run_pair *p = &sides->pair[k];
		const int side = p->a == RUN_ALONE;
		char *text = run_text(&sides->trace[side], side_of(p, side)), *other;

		if (p->a == RUN_ALONE || p->b == RUN_ALONE) {
			printf("run %zu of %c alone: %s\n", side_of(p, side), 'A' + side, text);
		} else if (!p->one_each) {
			printf("run %zu of A with run %zu of B: %s\n", p->a, p->b, text);
		} else {
			other = run_text(&sides->trace[1], p->b);
			printf("run 0 of A with run 0 of B, of another configuration\n"
			       "  A: %s\n  B: %s\n",
			       text, other);
			free(other);
		}
		free(text);
	}
	if (sides->paired)
		printf("rows of these pairs alone\n");
	else if (sides->trace[0].run_count && sides->trace[1].run_count)
		printf("no two runs are of one configuration: all rows of both\n");
}

static int compare(const struct sides *sides, const char *format, char **path)
{
	struct summary summary[2];
	struct compare_line *lines;
	size_t count;

	summarize(sides, 0, &summary[0]);
	summarize(sides, 1, &summary[1]);
	count = trace_compare(&summary[0], &summary[1], &lines);
	if (strcmp(format, "tsv") == 0) {
		print_tsv(lines, count);
	} else {
		struct text_show show = { 0 };
		printf("A = %s\nB = %s\n", text_show(&show, path[0]), text_show(&show, path[1]));
		text_show_release(&show);
		print_pairs(sides);
		print_text(lines, count);
	}
	free(lines);
	summary_release(&summary[0]);
	summary_release(&summary[1]);
	return EXIT_OK;
}

int cmd_compare(const struct program *program, int argc, char **argv)
{
	struct compare_options o;
	struct sides sides = { 0 };
	int words, rc = options_parse(&help, options, &o, argc, argv, &words);

	(void)program;
	if (rc)
		return rc > EXIT_USAGE ? EXIT_OK : rc;
	if (words != 2) {
		report("compare: name two traces");
		return EXIT_USAGE;
	}
	trace_init(&sides.trace[0]);
	trace_init(&sides.trace[1]);
	if (trace_open(&sides.trace[0], argv[1], 0) < 0 ||
	    trace_open(&sides.trace[1], argv[2], 0) < 0) {
		rc = EXIT_BAD;
	} else if (o.operations) {
		rc = compare_operations(&sides.trace[0], &sides.trace[1], !strcmp(o.format, "tsv"))
			     ? EXIT_BAD
			     : EXIT_OK;
	} else {
		sides.count =
			run_pairs(&sides.trace[0], &sides.trace[1], &sides.pair, &sides.paired);
		rc = compare(&sides, o.format, argv + 1);
	}
	free(sides.pair);
	trace_release(&sides.trace[0]);
	trace_release(&sides.trace[1]);
	return rc;
}
