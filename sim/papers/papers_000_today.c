/* SPDX-License-Identifier: MIT
 * Di et al. on the GPU of today: several GPUs, tuned kernels, and how predictions did.
 */
#include "papers_000.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

/* ---- Figures 11 to 13 ---- */

/* What is fastest of the paper's kinds on one GPU, of those that were recorded (Figures 9, 10). */
enum { MLSSOR_SIDE = 8, MLSSOR_THREADS = 64, REDBLACK_THREADS = 128 };

struct answer {
	double core_us, kernel_us; /* the busiest GPU's */
	bool extrapolated;
};

static int simulate(struct paper_work *w, struct predictor *predictor, const char *config,
		    uint32_t gpus, struct answer *answer)
{
	const struct predictor_request request = { .kernel_model = "scaled",
						   .set = "gpus",
						   .allow_extrapolation = true };
	struct schedule schedule;
	struct prediction p;
	schedule_init(&schedule);
	int rc = w->runs.program->plan("mlssor", config, gpus, &schedule) ||
				 predictor_run(predictor, &schedule, &request, &p)
			 ? -1
			 : 0;
	if (!rc) {
		sim_time most = 0;
		for (uint32_t g = 0; g < p.detail.gpu_count; g++)
			if (p.detail.gpu[g].kernel_ps > most)
				most = p.detail.gpu[g].kernel_ps;
		*answer = (struct answer){ p.core_us, (double)most * 1e-6, p.extrapolated };
		prediction_release(&p);
	}
	schedule_release(&schedule);
	return rc;
}

/* One size on one number of GPUs: both until convergence. */
static int speed_up(struct paper_work *w, struct predictor *predictor,
		    const struct text_table *counts, int size, uint32_t gpus, struct sheet *sheet)
{
	const int layers = (int)p000_side_layers(counts, MLSSOR_SIDE),
		  iterations = (int)p000_layers(counts, "RBSOR", "-", "-", "1"),
		  k = MLSSOR_SIDE / 2;
	const struct p000_run run = {
		size, MLSSOR_SIDE, 4, MLSSOR_THREADS, (layers + k - 1) / k * k, "rows", "unrolled"
	};
	char *tiles = p000_config(&run),
	     *colours = p000_redblack_config(size, "1x1", REDBLACK_THREADS, iterations);
	struct answer mlssor, redblack;
	int rc = simulate(w, predictor, tiles, gpus, &mlssor) ||
				 simulate(w, predictor, colours, gpus, &redblack)
			 ? -1
			 : 0;
	if (!rc) {
		const struct p000_run alone = { size, MLSSOR_SIDE, 4,	      MLSSOR_THREADS,
						0,    "rows",	   "unrolled" };
		const double known = p000_redblack_us(w, size, "1x1", REDBLACK_THREADS) *
				     iterations / (p000_layer_us(w, &alone) * run.iterations);
		sheet_text(sheet, "%d", size - 2);
		sheet_text(sheet, "%u", gpus);
		const double whole = paper_measured(&w->runs, colours).core_us /
				     paper_measured(&w->runs, tiles).core_us;
		sheet_number(sheet, gpus == 1 ? known : NAN, 3);
		sheet_number(sheet, gpus == 1 ? whole : NAN, 3);
		sheet_number(sheet, redblack.core_us / mlssor.core_us, 3);
		sheet_number(sheet, redblack.kernel_us / mlssor.kernel_us, 3);
		sheet_number(sheet,
			     (redblack.core_us - redblack.kernel_us) /
				     (mlssor.core_us - mlssor.kernel_us),
			     3);
		sheet_text(sheet, "%s",
			   mlssor.extrapolated || redblack.extrapolated ? "yes" : "no");
	}
	free(tiles);
	free(colours);
	return rc;
}

int p000_figure11(struct paper_work *w, struct sheet *sheet)
{
	static const char *const names[] = { "mesh",
					     "gpus",
					     "speedup_kernels_measured",
					     "speedup_measured",
					     "speedup_simulated",
					     "speedup_kernels_simulated",
					     "overhead_ratio_simulated",
					     "extrapolated",
					     NULL };
	static const int sizes[] = { 1026, 2050, 4098, 8194, 16386 };
	const struct predictor_options options = { .platform = w->runs.today,
						   .allow_extrapolation = true };
	struct text_table counts;
	struct predictor predictor;
	if (predictor_init(&predictor, w->runs.program, &options, true))
		return -1;
	int rc = text_table_read(&counts, "papers", "000_counts.tsv");
	for (int k = 0; names[k]; k++)
		sheet_column(sheet, "%s", names[k]);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]) && !rc; s++)
		for (uint32_t gpus = 1; gpus <= 4 && !rc; gpus *= 2)
			rc = speed_up(w, &predictor, &counts, sizes[s], gpus, sheet);
	text_table_release(&counts);
	predictor_release(&predictor);
	return rc;
}

/* ---- tuned ---- */

/* Bytes a second that micro copy16 of `words` words of 16 bytes reads and writes. */
static double copy_rate(const struct paper_work *w, int64_t words)
{
	char *config =
		xprintf("kernel=copy16 size=%lld block=256 work=0 iterations=20", (long long)words);
	const struct measured_row *row = measured_find(&w->runs.launches, "micro", config, 1);
	free(config);
	return row ? 32e6 * (double)words / row->core_us : NAN;
}

static double counted_bytes(const struct text_table *counters, const char *kernel, int side)
{
	double sum = 0, value;
	int rows = 0;
	for (size_t k = 0; k < counters->rows; k++) {
		char *stem = xprintf("mlssor_%s%d_", kernel, side);
		const bool ours =
			!strncmp(text_table_cell(counters, k, "kernel"), stem, strlen(stem));
		free(stem);
		if (!ours)
			continue;
		rows++;
		if (!parse_double(text_table_cell(counters, k, "dram_read_bytes"), &value))
			sum += value;
		if (!parse_double(text_table_cell(counters, k, "dram_write_bytes"), &value))
			sum += value;
	}
	return rows == 3 ? sum : NAN;
}

/* A line of a kernel of today, if it was measured. */
static void tuned_line(const struct paper_work *w, const struct text_table *counters,
		       const struct text_table *counts, const struct p000_run *run, double rate,
		       struct sheet *sheet)
{
	const double points = (double)(run->size - 2) * (run->size - 2),
		     words = (run->launches == 3 ? 12.0 : 16.0) / run->side,
		     floor_us = 4e6 * words * points / rate, us = p000_layer_us(w, run);
	const bool counted = run->size == P000_SIZE && run->launches == 3;
	if (isnan(us))
		return;
	sheet_text(sheet, "%s", run->kernel);
	sheet_text(sheet, "%d", run->size - 2);
	sheet_text(sheet, "%dx%dx%d", run->side / 2, run->side, run->side);
	sheet_text(sheet, "%d", run->launches);
	sheet_text(sheet, "%d", run->threads);
	sheet_number(sheet, us, 4);
	sheet_number(sheet, floor_us, 4);
	sheet_number(sheet, floor_us / us, 2);
	sheet_number(sheet, words, 3);
	sheet_number(sheet,
		     counted ? counted_bytes(counters, run->kernel, run->side) /
				       (4 * points * run->side / 2)
			     : NAN,
		     3);
	sheet_number(sheet, p000_redblack_us(w, run->size, "1x1", 128), 4);
	sheet_number(sheet, us * p000_side_layers(counts, run->side) * 1e-3, 4);
}

int p000_tuned(struct paper_work *w, struct sheet *sheet)
{
	static const char *const names[] = { "kernel",
					     "mesh",
					     "subdomain",
					     "launches",
					     "threads",
					     "layer_us_measured",
					     "floor_us",
					     "of_copy_rate",
					     "words_floor",
					     "words_counted",
					     "redblack_us_measured",
					     "converged_ms_measured",
					     NULL };
	static const char *const kernels[] = { "tuned", "staged", "chunked", "wavefront" };
	enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };
	static const int sizes[] = { 1026, 2050, 4098, 8194, 16386 };
	struct text_table counters, counts = { 0 };
	int rc = text_table_read(&counters, PLATFORM_DEFAULT, "papers_000_counters.tsv") ||
				 text_table_read(&counts, "papers", "000_counts.tsv")
			 ? -1
			 : 0;
	const double rate = copy_rate(w, 16777216);
	for (int k = 0; names[k]; k++)
		sheet_column(sheet, "%s", names[k]);
	for (size_t k = 0; k < KERNELS * sizeof(sizes) / sizeof(sizes[0]) && !rc; k++)
		for (int side = 4; side <= 16; side *= 2)
			for (int launches = 4; launches >= 3; launches--)
				for (int threads = k % KERNELS > 1 ? 32 : 64;
				     threads <= (k % KERNELS ? 128 : 64); threads *= 2)
					tuned_line(w, &counters, &counts,
						   &(struct p000_run){ sizes[k / KERNELS], side,
								       launches, threads,
								       k % KERNELS == 2 ? 16 : 0,
								       kernels[k % KERNELS], NULL },
						   rate, sheet);
	text_table_release(&counters);
	text_table_release(&counts);
	return rc;
}

/* ---- the search of Figure 9, answered ---- */

struct searched {
	const char *config;
	double measured, predicted; /* until Input 1 has converged, in launches' us */
	int by_clock, by_model;	    /* places */
};

static int by_measured(const void *a, const void *b)
{
	const double x = ((const struct searched *)a)->measured,
		     y = ((const struct searched *)b)->measured;
	return (x > y) - (x < y);
}

static int by_predicted(const void *a, const void *b)
{
	const double x = ((const struct searched *)a)->predicted,
		     y = ((const struct searched *)b)->predicted;
	return (x > y) - (x < y);
}

/* Spearman's rank correlation. */
static double rank_correlation(struct searched *found, size_t count)
{
	double sum = 0;
	qsort(found, count, sizeof(*found), by_measured);
	for (size_t k = 0; k < count; k++)
		found[k].by_clock = (int)k;
	qsort(found, count, sizeof(*found), by_predicted);
	for (size_t k = 0; k < count; k++)
		sum += ((double)k - found[k].by_clock) * ((double)k - found[k].by_clock);
	return 1 - 6 * sum / ((double)count * ((double)count * (double)count - 1));
}

/* What the model chose, and how much longer that takes than the best. */
static void search_line(struct searched *found, size_t count, const char *what, bool times,
			struct sheet *sheet)
{
	sheet_text(sheet, "%s", what);
	sheet_text(sheet, "%zu", count);
	sheet_number(sheet, rank_correlation(found, count), 2);
	double error = 0, best = INFINITY;
	for (size_t k = 0; k < count; k++) {
		error += fabs(found[k].predicted / found[k].measured - 1);
		best = found[k].measured < best ? found[k].measured : best;
	}
	if (times)
		sheet_percent(sheet, 100 * error / (double)count);
	else
		sheet_text(sheet, "-");
	sheet_percent(sheet, 100 * (found[0].measured / best - 1));
}

/* Lines of the table: rows of a machine's papers_000_search.tsv that were answered so, or those of
 * them that were answered unasked. */
static const struct search_set {
	const char *data, *how, *what;
	bool sure, measure; /* a measure of the paper's, not a time */
} search_sets[] = {
	{ PLATFORM_DEFAULT, "instructions", "instructions", false, false },
	{ PLATFORM_DEFAULT, "instructions", "instructions-unasked", true, false },
	{ PLATFORM_DEFAULT, "counters", "counters", false, false },
	{ PLATFORM_DEFAULT, "counters", "counters-unasked", true, false },
	{ PLATFORM_DEFAULT, "ships", "ships", false, false },
	{ PLATFORM_DEFAULT, "ships-timed", "ships-timed", false, false },
	{ PLATFORM_DEFAULT, "efficiency", "efficiency", false, true },
	{ PLATFORM_DEFAULT, "utilization", "utilization", false, true },
	{ "h100x4", "blind", "blind", false, false },
	{ "h100x4", "blind", "blind-unasked", true, false },
};

static int search_set(struct paper_work *w, const struct text_table *counts,
		      const struct search_set *set, struct sheet *sheet)
{
	struct text_table file;
	if (text_table_read(&file, set->data, "papers_000_search.tsv"))
		return -1;
	struct searched *found = xcalloc(file.rows + 1, sizeof(*found));
	size_t count = 0;

	for (size_t k = 0; k < file.rows; k++) {
		struct searched *f = &found[count];
		if (strcmp(text_table_cell(&file, k, "how"), set->how) ||
		    (set->sure && strcmp(text_table_cell(&file, k, "unsure"), "0")))
			continue;
		f->config = text_table_cell(&file, k, "config");
		const int side = (int)paper_number(&w->runs, f->config, 1, "subdomain");
		const double layers = p000_side_layers(counts, side) / (side / 2) * 4;
		if (parse_double(text_table_cell(&file, k, "measured_us"), &f->measured) ||
		    parse_double(text_table_cell(&file, k, "predicted_us"), &f->predicted))
			continue;
		f->measured *= layers;
		f->predicted *= layers;
		count++;
	}
	if (count > 1)
		search_line(found, count, set->what, !set->measure, sheet);
	free(found);
	text_table_release(&file);
	return 0;
}

int p000_search(struct paper_work *w, struct sheet *sheet)
{
	static const char *const names[] = { "configurations",	  "count",
					     "rank_correlation",  "mean_error_pct",
					     "choice_longer_pct", NULL };
	struct text_table counts;
	int rc = text_table_read(&counts, "papers", "000_counts.tsv");
	for (int k = 0; names[k]; k++)
		sheet_column(sheet, "%s", names[k]);
	for (size_t k = 0; k < sizeof(search_sets) / sizeof(search_sets[0]) && !rc; k++)
		rc = search_set(w, &counts, &search_sets[k], sheet);
	text_table_release(&counts);
	return rc;
}

/* ---- predictions written down before ---- */

int p000_blind(struct paper_work *w, struct sheet *sheet)
{
	static const char *const names[] = { "config",	  "core_us_measured", "core_us_simulated",
					     "error_pct", "extrapolated",     NULL };
	struct text_table predicted;
	int rc = text_table_read(&predicted, PLATFORM_DEFAULT, "papers_000_predicted.tsv");
	for (int k = 0; names[k]; k++)
		sheet_column(sheet, "%s", names[k]);
	for (size_t k = 0; k < predicted.rows && !rc; k++) {
		const char *config = text_table_cell(&predicted, k, "config");
		const struct paper_times measured = paper_measured(&w->runs, config);
		double core_us = NAN;
		if (parse_double(text_table_cell(&predicted, k, "core_us"), &core_us))
			core_us = NAN;
		sheet_text(sheet, "%s", config);
		sheet_number(sheet, measured.core_us, 5);
		sheet_number(sheet, core_us, 5);
		sheet_percent(sheet, 100 * (core_us / measured.core_us - 1));
		sheet_text(sheet, "%s",
			   strcmp(text_table_cell(&predicted, k, "extrapolated"), "0") ? "yes"
										       : "no");
	}
	text_table_release(&predicted);
	return rc;
}
