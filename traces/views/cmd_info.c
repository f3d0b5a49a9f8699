/* SPDX-License-Identifier: MIT
 * warpreel info: what a trace holds.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "block_timeline.h"
#include "traces/profiles/kernel_names.h"
#include "traces/profiles/profile_listing.h"
#include "traces/program/program.h"
#include "trace_argument.h"
#include "traces/format/trace_schema.h"
#include "trace_summary.h"
#include "traces/base/text_show.h"
#include "traces/base/util.h"

struct info_options {
	const char *format, *kernel;
	bool blocks;
};

static const struct option_spec options[] = {
	{ "blocks", OPTION_FLAG, offsetof(struct info_options, blocks), NULL, 0, 0, NULL,
	  "where and when the blocks of each instrumented launch ran" },
	{ "format", OPTION_CHOICE, offsetof(struct info_options, format), "text", 0, 0, "text|tsv",
	  "output" },
	{ "kernel", OPTION_TEXT, offsetof(struct info_options, kernel), NULL, 0, 0, "NAME",
	  "the code of this profiled kernel, with its control bits and counts" },
	{ 0 },
};
static const struct command_help help = {
	"info", "info [options] FILE|FOLDER",
	"Says what ran, on what, what was recorded of it and what was lost."
};

/* Facts and row counts first, then durations by name. */
static void print_tsv(const struct trace *t, const struct summary *summary)
{
	struct text_show show = { 0 };

	printf("section\tname\tcount\ttotal_us\tmedian_us\tmin_us\tmax_us\tdetail\n");
	for (size_t i = 0; i < t->meta_count; i++)
		printf("meta\t%s\t\t\t\t\t\t%s\n", text_show(&show, trace_text(t, t->meta[i].key)),
		       text_show(&show, trace_text(t, t->meta[i].value)));
	for (size_t i = 0; i < t->gpu_count; i++)
		printf("gpu\t%" PRId32 "\t\t\t\t\t\t%s\n", t->gpu[i].device,
		       text_show(&show, trace_text(t, t->gpu[i].name)));
	for (int i = 0; i < SCHEMA_TABLE_COUNT; i++)
		printf("rows\t%s\t%zu\t\t\t\t\t%s\n", schema_tables[i].array,
		       schema_count(t, &schema_tables[i]), schema_tables[i].name);
	for (size_t i = 0; i < t->run_count; i++)
		printf("run\t%zu\t%" PRId32 "\t%.3f\t\t\t\t%s %s\n", i, t->run[i].gpus,
		       t->run[i].end_ns == -1
			       ? NAN
			       : (double)(t->run[i].end_ns - t->run[i].start_ns) / 1000.0,
		       text_show(&show, trace_text(t, t->run[i].solver)),
		       text_show(&show, trace_text(t, t->run[i].config)));
	for (size_t i = 0; i < summary->line_count; i++) {
		const struct summary_line *l = &summary->line[i];

		printf("%s\t%s\t%" PRId64 "\t%.3f\t%.3f\t%.3f\t%.3f\t\n",
		       summary_kind_name[l->kind], l->name, l->count, l->total_us, l->median_us,
		       l->min_us, l->max_us);
	}
	for (size_t i = 0; i < t->prediction_count; i++)
		printf("prediction\t%s\t\t%.6g\t\t\t\t%s\n",
		       text_show(&show, trace_text(t, t->prediction[i].key)),
		       t->prediction[i].value,
		       text_show(&show, trace_text(t, t->prediction[i].unit)));
	for (size_t i = 0; i < t->loss_count; i++)
		printf("loss\t%s\t%" PRId64 "\t\t\t\t\t%s\n",
		       text_show(&show, trace_text(t, t->loss[i].kind)), t->loss[i].count,
		       text_show(&show, trace_text(t, t->loss[i].detail)));
	text_show_release(&show);
}

static void print_gpus(const struct trace *t)
{
	struct text_show show = { 0 };

	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct trace_gpu *g = &t->gpu[i];

		printf("  GPU %-3" PRId32 " %s", g->device,
		       text_show(&show, trace_text(t, g->name)));
		if (g->sm_count > 0)
			printf(", %" PRId32 " SMs", g->sm_count);
		if (g->memory_bytes > 0)
			printf(", %.1f GiB", (double)g->memory_bytes / (1 << 30));
		if (g->l2_bytes > 0)
			printf(", L2 %.1f MiB", (double)g->l2_bytes / (1 << 20));
		printf("\n");
	}
	text_show_release(&show);
}

static void print_durations(const struct summary *summary)
{
	enum summary_kind kind = SUMMARY_KIND_COUNT;

	for (size_t i = 0; i < summary->line_count; i++) {
		const struct summary_line *l = &summary->line[i];

		if (l->kind != kind)
			printf("%-40s %9s %14s %12s %12s %12s\n", summary_kind_name[l->kind],
			       "count", "total us", "median us", "min us", "max us");
		kind = l->kind;
		printf("  %-38.*s %9" PRId64, text_cut(l->name, 38), l->name, l->count);
		if (!isnan(l->total_us) || l->kind != SUMMARY_PROFILE)
			printf(" %14.3f", l->total_us);
		if (!isnan(l->median_us))
			printf(" %12.3f %12.3f %12.3f", l->median_us, l->min_us, l->max_us);
		printf("\n");
	}
}

static void print_text(const struct trace *t, const struct summary *summary)
{
	const char *kind = trace_get_meta(t, "kind");
	struct text_show show = { 0 };

	printf("%s: %s", text_show(&show, t->path), text_show(&show, kind ? kind : "recorded"));
	if (trace_virtual_gpus(t))
		printf(" on one GPU, as if there were %" PRIu32, trace_virtual_gpus(t));
	printf("\n");
	for (size_t i = 0; i < t->meta_count; i++)
		printf("  %-24s %s\n", text_show(&show, trace_text(t, t->meta[i].key)),
		       text_show(&show, trace_text(t, t->meta[i].value)));
	print_gpus(t);
	printf("rows\n");
	for (int i = 0; i < SCHEMA_TABLE_COUNT; i++)
		if (schema_count(t, &schema_tables[i]))
			printf("  %-38s %9zu\n", schema_tables[i].name,
			       schema_count(t, &schema_tables[i]));
	for (size_t i = 0; i < t->run_count; i++) {
		const struct trace_run *r = &t->run[i];

		printf("run %zu: %s on %" PRId32 " GPU%s, %s%s\n", i,
		       text_show(&show, trace_text(t, r->solver)), r->gpus, r->gpus == 1 ? "" : "s",
		       text_show(&show, trace_text(t, r->config)),
		       r->end_ns == -1 ? " (never ended)" : "");
	}
	print_durations(summary);
	for (size_t i = 0; i < t->prediction_count; i++)
		printf("predicted %s: %.6g %s\n",
		       text_show(&show, trace_text(t, t->prediction[i].key)),
		       t->prediction[i].value,
		       text_show(&show, trace_text(t, t->prediction[i].unit)));
	for (size_t i = 0; i < t->loss_count; i++)
		printf("loss: %" PRId64 " %s (%s)\n", t->loss[i].count,
		       text_show(&show, trace_text(t, t->loss[i].kind)),
		       text_show(&show, trace_text(t, t->loss[i].detail)));
	text_show_release(&show);
}

/* The profiles of one kernel, each with its code. */
static int list_kernel(const struct trace *t, const char *kernel, bool tsv)
{
	struct kernel_profiles all;
	bool found = false;
	int rc;

	kernel_profiles_init(&all);
	rc = kernel_profiles_add_trace(&all, t, t->path);
	for (size_t i = 0; i < all.count && rc == 0; i++) {
		const struct kernel_profile *p = &all.profile[i];

		if (!kernel_is_called(p, kernel))
			continue;
		if (tsv && !found)
			profile_list_tsv_header(stdout);
		else if (!tsv && found)
			printf("\n");
		found = true;
		(tsv ? profile_list_tsv : profile_list_text)(p, stdout);
	}
	if (rc == 0 && !found)
		rc = kernel_is_unknown(&all, t->path, kernel);
	kernel_profiles_release(&all);
	return rc < 0 ? EXIT_BAD : EXIT_OK;
}

int cmd_info(const struct program *program, int argc, char **argv)
{
	struct info_options o = { 0 };
	struct summary summary;
	struct trace trace;
	int rc;

	(void)program;
	if (!trace_argument(&help, options, &o, argc, argv, &trace, &rc))
		return rc;
	if (o.kernel) {
		rc = list_kernel(&trace, o.kernel, strcmp(o.format, "tsv") == 0);
		trace_release(&trace);
		return rc;
	}
	if (o.blocks) {
		rc = block_timeline_print(&trace, strcmp(o.format, "tsv") == 0) ? EXIT_BAD
										: EXIT_OK;
		trace_release(&trace);
		return rc;
	}
	summary_make(&summary, &trace);
	if (strcmp(o.format, "tsv") == 0)
		print_tsv(&trace, &summary);
	else
		print_text(&trace, &summary);
	summary_release(&summary);
	trace_release(&trace);
	return EXIT_OK;
}
