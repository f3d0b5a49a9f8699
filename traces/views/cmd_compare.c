/* SPDX-License-Identifier: MIT
 * warpreel compare: two traces side by side, measured or predicted.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/options.h"
#include "traces/program/program.h"
#include "trace_compare.h"
#include "traces/base/util.h"

struct compare_options {
	const char *format;
};

static const struct option_spec options[] = {
	{ "format", OPTION_CHOICE, offsetof(struct compare_options, format), "text", 0, 0,
	  "text|tsv", "output" },
	{ 0 },
};
static const struct command_help help = { "compare", "compare [options] A B",
					  "Two traces side by side: kernels, copies, API calls, "
					  "busy time, core loops; differences in percent of A." };

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

static void print_text(const struct compare_line *lines, size_t count, const char *a_path,
		       const char *b_path)
{
	int kind = -1;

	printf("A = %s\nB = %s\n", a_path, b_path);
	for (size_t i = 0; i < count; i++) {
		const struct summary_line *a = lines[i].a ? lines[i].a : &absent,
					  *b = lines[i].b ? lines[i].b : &absent;
		const struct summary_line *named = lines[i].a ? a : b;

		if ((int)named->kind != kind)
			printf("%-30s %8s %8s %13s %13s %9s %11s %11s %9s\n",
			       summary_kind_name[named->kind], "count A", "B", "total us A", "B",
			       "", "median us A", "B", "");
		kind = (int)named->kind;
		printf("  %-28.28s %8" PRId64 " %8" PRId64, named->name, a->count, b->count);
		print_number(13, 3, a->total_us);
		print_number(13, 3, b->total_us);
		print_percent(compare_percent(a->total_us, b->total_us));
		print_number(11, 3, a->median_us);
		print_number(11, 3, b->median_us);
		print_percent(compare_percent(a->median_us, b->median_us));
		printf("\n");
	}
}

static int summarize(const char *path, struct summary *summary)
{
	struct trace trace;
	int rc;

	trace_init(&trace);
	rc = trace_read(&trace, path, 0);
	if (rc == 0)
		summary_make(summary, &trace);
	trace_release(&trace);
	return rc;
}

int cmd_compare(const struct program *program, int argc, char **argv)
{
	struct compare_options o;
	struct summary summary[2];
	struct compare_line *lines;
	size_t count;
	int words, rc = options_parse(&help, options, &o, argc, argv, &words);

	(void)program;
	if (rc)
		return rc > EXIT_USAGE ? EXIT_OK : rc;
	if (words != 2) {
		report("compare: name two traces");
		return EXIT_USAGE;
	}
	if (summarize(argv[1], &summary[0]) < 0)
		return EXIT_BAD;
	if (summarize(argv[2], &summary[1]) < 0) {
		summary_release(&summary[0]);
		return EXIT_BAD;
	}
	count = trace_compare(&summary[0], &summary[1], &lines);
	if (strcmp(o.format, "tsv") == 0)
		print_tsv(lines, count);
	else
		print_text(lines, count, argv[1], argv[2]);
	free(lines);
	summary_release(&summary[0]);
	summary_release(&summary[1]);
	return EXIT_OK;
}
