/* SPDX-License-Identifier: MIT
 * warpreel check: every anomaly of a trace, counted.
 */
#include <inttypes.h>
#include <string.h>

#include "traces/program/program.h"
#include "trace_argument.h"
#include "traces/base/text_show.h"
#include "traces/base/util.h"
#include "traces/check/trace_check.h"
#include "traces/format/trace_folder.h"

struct check_options {
	const char *format;
};

static const struct option_spec options[] = {
	{ "format", OPTION_CHOICE, offsetof(struct check_options, format), "text", 0, 0, "text|tsv",
	  "output" },
	{ 0 },
};
static const struct command_help help = {
	"check", "check [options] FILE|FOLDER",
	"Counts every anomaly of a trace; exit code 1 when something is missing from it."
};

static void print_text(const char *path, const struct trace_anomaly *anomaly, int kinds,
		       int64_t incomplete)
{
	for (int i = 0; i < kinds; i++)
		printf("%12" PRId64 "  %-22s %s%s\n", anomaly[i].count, anomaly[i].kind,
		       anomaly[i].meaning,
		       anomaly[i].count && anomaly[i].incomplete ? "  <- INCOMPLETE" : "");
	struct text_show show = { 0 };
	printf("%s: %s\n", text_show(&show, path), incomplete ? "incomplete" : "complete");
	text_show_release(&show);
}

static void print_tsv(const struct trace_anomaly *anomaly, int kinds)
{
	printf("kind\tcount\tincomplete\tmeaning\n");
	for (int i = 0; i < kinds; i++)
		printf("%s\t%" PRId64 "\t%d\t%s\n", anomaly[i].kind, anomaly[i].count,
		       anomaly[i].incomplete, anomaly[i].meaning);
}

int cmd_check(const struct program *program, int argc, char **argv)
{
	struct trace_anomaly anomaly[TRACE_ANOMALY_MAX];
	struct check_options o;
	struct trace trace;
	int64_t incomplete;
	int kinds, rc;

	(void)program;
	if (!trace_argument(&help, options, &o, argc, argv, &trace, &rc))
		return rc;
	if (trace_check_seals(&trace, 0) < 0) {
		trace_release(&trace);
		return EXIT_BAD;
	}
	kinds = trace_check(&trace, anomaly, &incomplete);
	if (strcmp(o.format, "tsv") == 0)
		print_tsv(anomaly, kinds);
	else
		print_text(argv[1], anomaly, kinds, incomplete);
	trace_release(&trace);
	return incomplete ? EXIT_BAD : EXIT_OK;
}
