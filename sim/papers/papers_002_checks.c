/* SPDX-License-Identifier: MIT
 * What the numbers of Cotronis et al. come to: counts of iterations, which kernel is faster, and
 * how far off simulated times are.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "papers_002.h"

static const char *const factors[] = { "as-run", "eq9", "corrected", "lsor" };
enum { FACTORS = sizeof(factors) / sizeof(factors[0]) };

/* Iterations until convergence with other factors; whichever run of it was measured. NaN = none
 * was. */
static double counted(const struct paper_work *w, const struct p002_place *at, const char *omega)
{
	static const char *const kernels[] = { "tuned4", "1", "2", "3" }, *const checks[] = {
		"device", "every"
	};
	const struct p002_place other = { at->table, at->problem, at->size, at->re, omega };
	double iterations = NAN; /* of one that gave up, as many as are allowed */
	for (size_t k = 0; isnan(iterations) && k < 8; k++) {
		char *config = p002_config(
			&other, &(struct p002_line){ P002_TODAY, kernels[k / 2], checks[k % 2] },
			0);
		const struct measured_row *row =
			measured_find(&w->runs.runs, w->runs.solver, config, 1);
		iterations = row && row->iterations > 0 ? (double)row->iterations : NAN;
		free(config);
	}
	return iterations;
}

static int counts_place(struct paper_work *w, const struct p002_place *at, void *argument)
{
	struct sheet *sheet = argument;
	const struct published_row like = {
		.table = at->table, .problem = at->problem, .size = at->size, .re = at->re
	};
	const struct published_row *published =
		published_find(&w->published, &like, "gtx480", NULL, "iterations");
	if (at->table == 4 && (at->size == 402 || at->size == 2002)) /* table 1 has it */
		return 0;
	sheet_text(sheet, "%d", at->table);
	sheet_text(sheet, "%d", at->problem);
	sheet_text(sheet, "%d", at->size);
	sheet_text(sheet, "%.15g", at->re);
	sheet_text(sheet, "%s", published ? published->text : "-");
	double count[FACTORS], same = NAN;
	for (int k = 0; k < FACTORS; k++) {
		count[k] = counted(w, at, factors[k]);
		if (count[k] >= P002_MOST_ITERATIONS)
			sheet_text(sheet, "> %d", P002_MOST_ITERATIONS);
		else
			sheet_number(sheet, count[k], 1);
		same = strcmp(factors[k], at->omega) ? same : count[k];
	}
	sheet_text(sheet, "%s", at->omega);
	sheet_text(sheet, "%s",
		   !published || isnan(same)		 ? "-"
		   : fabs(same - published->value) < 0.5 ? "yes"
							 : "no");
	return 0;
}

int p002_counts(struct paper_work *w, struct sheet *sheet)
{
	static const char *const keys[] = { "table", "problem", "size", "re", "published" };
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		sheet_column(sheet, "%s", keys[k]);
	for (int k = 0; k < FACTORS; k++)
		sheet_column(sheet, "%s", factors[k]);
	sheet_column(sheet, "published_is");
	sheet_column(sheet, "agrees");
	return p002_places(w, 1, counts_place, sheet) || p002_places(w, 3, counts_place, sheet) ||
			       p002_places(w, 4, counts_place, sheet)
		       ? -1
		       : 0;
}

/* Tables whose times are not among the comparisons yet, built for them. */
static int compare_all(struct paper_work *w)
{
	static int (*const build[])(struct paper_work *,
				    struct sheet *) = { NULL, p002_table1, p002_table2, p002_table3,
							p002_table4 };
	for (unsigned table = 1; table < sizeof(build) / sizeof(build[0]); table++) {
		struct sheet ignored;
		if (w->compared & 1u << table)
			continue;
		sheet_init(&ignored, "");
		int rc = build[table](w, &ignored);
		sheet_release(&ignored);
		if (rc)
			return -1;
	}
	return 0;
}

static double error_pct(const struct paper_comparison *c)
{
	return 100 * (c->simulated / c->known - 1);
}

int p002_errors(struct paper_work *w, struct sheet *sheet)
{
	static const char *const keys[] = { "device",	 "table",
					    "problem",	 "size",
					    "re",	 "kernel",
					    "unit",	 "published_or_measured",
					    "simulated", "error_pct" };
	if (compare_all(w))
		return -1;
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		sheet_column(sheet, "%s", keys[k]);
	for (size_t k = 0; k < w->comparison_count; k++) {
		const struct paper_comparison *c = &w->comparison[k];
		sheet_text(sheet, "%s", c->device);
		sheet_text(sheet, "%d", c->table);
		sheet_text(sheet, "%d", c->problem);
		sheet_text(sheet, "%d", c->size);
		sheet_text(sheet, "%.15g", c->re);
		sheet_text(sheet, "%s", c->kernel);
		sheet_text(sheet, "%s", c->unit);
		sheet_number(sheet, c->known, 4);
		sheet_number(sheet, c->simulated, 4);
		sheet_percent(sheet, error_pct(c));
	}
	return 0;
}

/* Tables that a row of the summary is of. */
static const struct {
	const char *name;
	unsigned tables;
} sums[] = {
	{ "1", 1u << 1 },
	{ "2", 1u << 2 },
	{ "3", 1u << 3 },
	{ "4", 1u << 4 },
	{ "1+2+4", 1u << 1 | 1u << 2 | 1u << 4 }, /* table 3 is one launch nine times */
	{ "all", ~0u },
};
enum { SUMS = sizeof(sums) / sizeof(sums[0]) };

static void summary_row(const struct paper_work *w, struct sheet *sheet, const char *device,
			int which)
{
	double *error = xcalloc(w->comparison_count, sizeof(*error)), sum = 0;
	size_t n = 0;
	for (size_t k = 0; k < w->comparison_count; k++) {
		const struct paper_comparison *c = &w->comparison[k];
		if (strcmp(c->device, device) || !(sums[which].tables & 1u << c->table))
			continue;
		sum += error_pct(c);
		error[n++] = fabs(error_pct(c));
	}
	if (n) {
		sheet_text(sheet, "%s", device);
		sheet_text(sheet, "%s", sums[which].name);
		sheet_text(sheet, "%zu", n);
		sheet_percent(sheet, sum / (double)n);
		for (int q = 0; q < 3; q++)
			sheet_text(sheet, "%.1f",
				   quantile_of(error, n, (double[]){ 0.5, 0.9, 1 }[q]));
	}
	free(error);
}

int p002_summary(struct paper_work *w, struct sheet *sheet)
{
	static const char *const keys[] = { "device",	  "table",   "n",      "bias_pct",
					    "median_pct", "p90_pct", "max_pct" };
	const char *const devices[] = { "gtx480", "c2050", w->runs.today };
	if (compare_all(w))
		return -1;
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		sheet_column(sheet, "%s", keys[k]);
	for (size_t d = 0; d < sizeof(devices) / sizeof(devices[0]); d++)
		for (int which = 0; which < SUMS; which++)
			summary_row(w, sheet, devices[d], which);
	return 0;
}
