/* SPDX-License-Identifier: MIT
 * Closed forms of paper 004 and the simulator against measured runs of today's machine.
 *
 * Each closed form is given the measured run of one GPU, of which every GPU is said to take its
 * share; the simulator is given nothing of the kind. `shared`: (3.1) without communication. The
 * others are (6.1), with (3.14) for each neighbour and the law fitted from the platform's copies:
 * `line` by least squares, `relative` of errors in per cent, `timer_reg` as appendix D.2.2 does.
 * `rows`: (5.1), row after row, with the relative law. One copy brings rows from GPU to GPU, two
 * through the host.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/closed/closed_time.h"
#include "model/closed/transfer_samples.h"
#include "papers_004.h"
#include "traces/base/util.h"

enum form { SHARED, LINE, RELATIVE, TIMER_REG, ROWS, SIMULATED, FORMS };
static const char *const form_name[FORMS] = { "shared",	   "line", "relative",
					      "timer_reg", "rows", "simulated" };
/* Of an iteration measured, us: where classes end. */
static const double class_us[] = { 30, 100, 1000, INFINITY };
enum { CLASSES = sizeof(class_us) / sizeof(class_us[0]) };

struct answer {
	const struct measured_row *row;
	bool peer;
	double iteration_us, core_us[FORMS];
};
struct answers {
	struct answer *answer;
	size_t count, capacity;
};

/* Laws of copies through the host, down and up, and between GPUs. */
struct laws {
	struct transfer_law law[3][3]; /* [down, up, peer][line, relative, timer-reg] */
};

static int fit_laws(const struct platform *platform, struct laws *laws)
{
	static const int kind[] = { COPY_CURVE_D2H, COPY_CURVE_H2D, COPY_CURVE_PEER };
	static const enum transfer_method method[] = { TRANSFER_LINEAR, TRANSFER_RELATIVE,
						       TRANSFER_TIMER_REG };
	int rc = 0;
	for (int k = 0; k < 3; k++) {
		struct transfer_samples samples = { 0 };
		transfer_samples_of(&samples, platform, kind[k]);
		for (int m = 0; m < 3; m++)
			if (transfer_fit(&laws->law[k][m], method[m], samples.at, samples.count))
				rc = -1;
		transfer_samples_release(&samples);
	}
	return rc ? report("platform '%s' has no copies to fit laws from", platform->name) : 0;
}

/* The same run on one GPU. */
static const struct measured_row *alone(const struct paper_work *w, const struct measured_row *row)
{
	char *config = xprintf("%s transport=peer", row->config), /* the last word holds */
		*canonical = paper_column(&w->runs, config, 1, "canonical");
	const struct measured_row *one =
		canonical ? measured_find(&w->runs.runs, row->solver, canonical, 1) : NULL;
	free(config);
	free(canonical);
	return one;
}

static double closed_us(const struct paper_work *w, const struct laws *laws, enum form form,
			const struct answer *a, double one_us)
{
	const int gpus = a->row->gpus;
	const uint32_t parts = (uint32_t)gpus;
	const struct paper_runs *r = &w->runs;
	const char *config = a->row->config;
	const bool f64 = paper_says(r, config, parts, "precision", "f64");
	const double columns = (double)paper_number(r, config, parts, "columns"),
		     border = (double)paper_number(r, config, parts, "border"),
		     iterations = (double)paper_number(r, config, parts, "iterations"),
		     words = columns * (f64 ? 2 : 1), halo = 2 * border,
		     exchanges = ceil(iterations / border) - 1;
	const int method = form == LINE ? 0 : form == TIMER_REG ? 2 : 1;
	struct closed_part *part = xcalloc((size_t)gpus, sizeof(*part));
	for (int g = 0; g < gpus; g++) {
		const int neighbours = (g > 0) + (g < gpus - 1);
		const double k = form == ROWS ? halo : 1, w_each = words * halo / k;
		const double pair = a->peer ? closed_flow_ns(&laws->law[2][method], k, w_each)
					    : closed_pair_ns(&laws->law[0][method],
							     &laws->law[1][method], k, w_each, 0);
		part[g].kernel_ns = one_us * 1e3 / gpus;
		part[g].exchange_ns = form == SHARED ? 0 : exchanges * neighbours * pair;
	}
	const double ns = closed_run_ns(0, part, gpus);
	free(part);
	return ns * 1e-3;
}

static int answer_all(struct paper_work *w, struct answers *all)
{
	struct laws laws;
	const struct platform *platform = paper_platform(&w->runs, p004_today(w));
	if (!platform || fit_laws(platform, &laws))
		return -1;
	for (size_t k = 0; k < w->runs.runs.count; k++) {
		const struct measured_row *row = &w->runs.runs.row[k], *one;
		struct paper_run simulated;
		if (row->gpus == 1 || strcmp(row->solver, w->runs.solver) ||
		    (double)row->gpus > platform->gpus || !(one = alone(w, row)))
			continue;
		const uint32_t gpus = (uint32_t)row->gpus;
		struct answer a = { .row = row,
				    .peer = paper_says(&w->runs, row->config, gpus, "transport",
						       "peer") };
		a.iteration_us = row->core_us /
				 (double)paper_number(&w->runs, row->config, gpus, "iterations");
		for (int f = SHARED; f < SIMULATED; f++)
			a.core_us[f] = closed_us(w, &laws, (enum form)f, &a, one->core_us);
		if (paper_simulate_run(&w->runs, p004_today(w), row->config, (uint32_t)row->gpus,
				       &simulated))
			return -1;
		a.core_us[SIMULATED] = simulated.times.core_us;
		GROW(all->answer, all->count, all->capacity);
		all->answer[all->count++] = a;
	}
	return 0;
}

static double error_pct(const struct answer *a, int form)
{
	return 100 * (a->core_us[form] / a->row->core_us - 1);
}

int p004_closed_rows(struct paper_work *w, struct sheet *sheet)
{
	struct answers all = { 0 };
	int rc = answer_all(w, &all);
	sheet_column(sheet, "gpus");
	sheet_column(sheet, "config");
	sheet_column(sheet, "iteration_us");
	for (int f = 0; f < FORMS; f++)
		sheet_column(sheet, "%s_error_pct", form_name[f]);
	for (size_t k = 0; !rc && k < all.count; k++) {
		sheet_text(sheet, "%d", all.answer[k].row->gpus);
		sheet_text(sheet, "%s", all.answer[k].row->config);
		sheet_number(sheet, all.answer[k].iteration_us, 3);
		for (int f = 0; f < FORMS; f++)
			sheet_percent(sheet, error_pct(&all.answer[k], f));
	}
	free(all.answer);
	return rc;
}

/* A class of runs: mean and largest error, without their sign. */
static void class_row(struct sheet *sheet, const struct answers *all, int gpus, bool peer, int c)
{
	double sum[FORMS] = { 0 }, most[FORMS] = { 0 };
	size_t n = 0;
	for (size_t k = 0; k < all->count; k++) {
		const struct answer *a = &all->answer[k];
		if (a->row->gpus != gpus || a->peer != peer || a->iteration_us > class_us[c] ||
		    (c && a->iteration_us <= class_us[c - 1]))
			continue;
		n++;
		for (int f = 0; f < FORMS; f++) {
			const double error = fabs(error_pct(a, f));
			sum[f] += error;
			most[f] = error > most[f] ? error : most[f];
		}
	}
	if (!n)
		return;
	sheet_text(sheet, "%d", gpus);
	sheet_text(sheet, peer ? "peer" : "host");
	if (isinf(class_us[c]))
		sheet_text(sheet, "over %.0f", class_us[c - 1]);
	else
		sheet_text(sheet, "%.0f to %.0f", c ? class_us[c - 1] : 0, class_us[c]);
	sheet_text(sheet, "%zu", n);
	int best = SHARED;
	for (int f = 0; f < FORMS; f++) {
		sheet_number(sheet, sum[f] / (double)n, 2);
		if (f < SIMULATED && sum[f] < sum[best])
			best = f;
	}
	sheet_number(sheet, most[best], 2);
	sheet_number(sheet, most[SIMULATED], 2);
	sheet_text(sheet, "%s", sum[best] / (double)n <= 5 ? form_name[best] : "none");
}

int p004_closed(struct paper_work *w, struct sheet *sheet)
{
	struct answers all = { 0 };
	int rc = answer_all(w, &all);
	sheet_column(sheet, "gpus");
	sheet_column(sheet, "transport");
	sheet_column(sheet, "iteration_us");
	sheet_column(sheet, "runs");
	for (int f = 0; f < FORMS; f++)
		sheet_column(sheet, "%s_pct", form_name[f]);
	sheet_column(sheet, "best_closed_max_pct");
	sheet_column(sheet, "simulated_max_pct");
	sheet_column(sheet, "suffices");
	for (int gpus = 2; !rc && gpus <= 8; gpus *= 2)
		for (int peer = 0; peer < 2; peer++)
			for (int c = 0; c < CLASSES; c++)
				class_row(sheet, &all, gpus, peer, c);
	free(all.answer);
	return rc;
}
