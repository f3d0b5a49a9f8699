/* SPDX-License-Identifier: MIT
 * warpreel trim: a trace reduced to its runs.
 */
#include "traces/base/options.h"
#include "traces/program/program.h"
#include "trace_trim.h"
#include "traces/base/output.h"
#include "traces/base/util.h"

struct trim_options {
	const char *output;
	int first, count;
	bool all, columns, counted;
};

#define AT(field) offsetof(struct trim_options, field)
static const struct option_spec options[] = {
	{ "o", OPTION_TEXT, AT(output), NULL, 0, 0, "FILE", "the trace to write" },
	{ "first", OPTION_INT, AT(first), "0", 0, 1000000, "K", "first run to keep" },
	{ "count", OPTION_INT, AT(count), "0", 0, 1000000, "N",
	  "how many runs to keep; 0: all from the first" },
	{ "all", OPTION_FLAG, AT(all), NULL, 0, 0, NULL,
	  "keep everything, of a trace without runs too: only write it anew" },
	{ "columns", OPTION_FLAG, AT(columns), NULL, 0, 0, NULL,
	  "write large tables by column: a third of the size, for warpreel alone to read" },
	{ "counted", OPTION_FLAG, AT(counted), NULL, 0, 0, NULL,
	  "leave out the code of instructions that no kernel profile counts" },
	{ 0 },
};

/* The runs that are asked for; -1 after a message. */
static int keep_runs(struct trace *trimmed, const struct trace *trace, const struct trim_options *o)
{
	const size_t first = (size_t)o->first,
		     count = o->count ? (size_t)o->count : trace->run_count - first;
	if (!trace->run_count)
		return report("'%s' holds no runs, which only solvers of warpreel mark: there is "
			      "nothing to trim it to",
			      trace->path);
	if (first >= trace->run_count)
		return report("'%s' holds %zu runs, numbered from 0: there is no run %d",
			      trace->path, trace->run_count, o->first);
	if (count > trace->run_count - first)
		return report("'%s' holds %zu runs, not %d from number %d", trace->path,
			      trace->run_count, o->count, o->first);
	trace_trim(trimmed, trace, first, count);
	return 0;
}

int cmd_trim(const struct program *program, int argc, char **argv)
{
	(void)program;
	const struct command_help help = { "trim", "trim TRACE -o FILE [options]",
					   "Keeps a trace's runs and drops warm-ups, allocations "
					   "and context creation around them." };
	struct trim_options o = { 0 };
	int words, rc = options_parse(&help, options, &o, argc, argv, &words);
	if (rc)
		return rc > EXIT_USAGE ? EXIT_OK : rc;
	if (words != 1 || !o.output) {
		report("name one trace and -o FILE");
		return EXIT_USAGE;
	}
	if (o.all && (o.first || o.count)) {
		report("--all keeps everything, --first and --count a part");
		return EXIT_USAGE;
	}
	if (output_differs(o.output, argv[1]) || trace_check_output(o.output))
		return EXIT_BAD;
	struct trace trace, trimmed;
	trace_init(&trace);
	trace_init(&trimmed);
	rc = trace_read(&trace, argv[1], 0);
	if (!rc && o.counted)
		trace_trim_code(&trace);
	if (!rc && !o.all)
		rc = keep_runs(&trimmed, &trace, &o);
	const struct trace *kept = o.all ? &trace : &trimmed;
	if (!rc)
		rc = o.columns ? trace_write_columns(kept, o.output) : trace_write(kept, o.output);
	trace_release(&trimmed);
	trace_release(&trace);
	return rc ? EXIT_BAD : EXIT_OK;
}
