/* SPDX-License-Identifier: MIT
 * Which of the kernels of Cotronis et al. is faster, then and now, and what looking at max|u| in
 * every iteration costs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "papers_002.h"

/* Kernels 1 to 3 from the fastest on, as text: "2 < 1 < 3"; "-" where one is not known. */
static void print_order(struct sheet *sheet, const double time[3])
{
	int order[3] = { 0, 1, 2 };
	for (int a = 0; a < 2; a++)
		for (int b = a + 1; b < 3; b++)
			if (time[order[b]] < time[order[a]]) {
				int swapped = order[a];
				order[a] = order[b];
				order[b] = swapped;
			}
	if (isnan(time[0] + time[1] + time[2]))
		sheet_text(sheet, "-");
	else
		sheet_text(sheet, "%d < %d < %d", order[0] + 1, order[1] + 1, order[2] + 1);
}

static void ranking_row(struct sheet *sheet, const struct p002_place *at, const char *device,
			const char *what, const double known[3], const double simulated[3])
{
	sheet_text(sheet, "%s", device);
	sheet_text(sheet, "%s", what);
	sheet_text(sheet, "%d", at->problem);
	sheet_text(sheet, "%d", at->size);
	print_order(sheet, known);
	print_order(sheet, simulated);
	const char *const *orders = (const char *const *)sheet->cell + sheet->cell_count - 2;
	sheet_text(sheet, "%s",
		   !strcmp(orders[0], "-")	  ? "-"
		   : strcmp(orders[0], orders[1]) ? "no"
						  : "yes");
}

static int rank_iterations(struct paper_work *w, struct sheet *sheet, const struct p002_place *at,
			   const char *device)
{
	static const char *const kernels[3] = { "1", "2", "3" };
	double known[3], simulated[3];
	for (int k = 0; k < 3; k++) {
		struct p002_values v;
		const struct p002_line line = { device, kernels[k], NULL };
		if (p002_values_of(w, at, &line, &v))
			return -1;
		known[k] = v.value[P002_ITERATION][device ? P002_PUBLISHED : P002_MEASURED];
		simulated[k] = v.value[P002_ITERATION][P002_SIMULATED];
	}
	ranking_row(sheet, at, device ? device : w->runs.today, "iterations", known, simulated);
	return 0;
}

static int rank_sweeps(struct paper_work *w, struct sheet *sheet, const struct p002_place *at,
		       const char *device, const char *check, const char *what)
{
	static const char *const kernels[3] = { "1", "2", "3" };
	double known[3], simulated[3];
	for (int k = 0; k < 3; k++) {
		const struct p002_line line = { device, kernels[k], check };
		const struct published_row like = {
			.table = at->table, .problem = at->problem, .size = at->size, .re = at->re
		};
		const struct published_row *published =
			device ? published_find(&w->published, &like, device, kernels[k], "time")
			       : NULL;
		struct paper_launch l = { 0 };
		char *config = p002_config(at, &line, 0);
		int rc = paper_explain(&w->runs, p002_device(w, &line), config, NULL, &l);
		known[k] = device ? (published ? published->value : NAN)
				  : paper_measured_launch_us(&w->runs, config);
		simulated[k] = device ? l.duration_us : l.period_us;
		free(config);
		if (rc)
			return -1;
	}
	ranking_row(sheet, at, device ? device : w->runs.today, what, known, simulated);
	return 0;
}

static int rank_paper(struct paper_work *w, const struct p002_place *at, void *sheet)
{
	return at->table == 2 ? rank_sweeps(w, sheet, at, "gtx480", NULL, "sweep alone")
			      : rank_iterations(w, sheet, at, "gtx480");
}

static int rank_today(struct paper_work *w, const struct p002_place *at, void *sheet)
{
	return rank_iterations(w, sheet, at, P002_TODAY);
}

static int rank_sweeps_today(struct paper_work *w, const struct p002_place *at, void *sheet)
{
	return rank_sweeps(w, sheet, at, P002_TODAY, NULL, "sweep alone");
}

static int rank_plain_sweeps_today(struct paper_work *w, const struct p002_place *at, void *sheet)
{
	return rank_sweeps(w, sheet, at, P002_TODAY, P002_NO_NORM, "sweep without the norm");
}

int p002_ranking(struct paper_work *w, struct sheet *sheet)
{
	static const char *const keys[] = {
		"device", "what", "problem", "size", "published_or_measured", "simulated", "agrees"
	};
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		sheet_column(sheet, "%s", keys[k]);
	return p002_places(w, 1, rank_paper, sheet) || p002_places(w, 2, rank_paper, sheet) ||
			       p002_places(w, 4, rank_today, sheet) ||
			       p002_places(w, 4, rank_sweeps_today, sheet) ||
			       p002_places(w, 4, rank_plain_sweeps_today, sheet)
		       ? -1
		       : 0;
}

static int norm_place(struct paper_work *w, const struct p002_place *at, void *argument)
{
	static const char *const kernels[] = { "1", "2", "3", "tuned4" };
	struct sheet *sheet = argument;
	for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
		double measured[2], simulated[2];
		for (int with = 0; with < 2; with++) {
			struct paper_launch l = { 0 };
			char *config =
				p002_config(at,
					    &(struct p002_line){ P002_TODAY, kernels[k],
								 with ? NULL : P002_NO_NORM },
					    0);
			int rc = paper_explain(&w->runs, w->runs.today, config, NULL, &l);
			measured[with] = paper_measured_launch_us(&w->runs, config);
			simulated[with] = l.period_us;
			free(config);
			if (rc)
				return -1;
		}
		sheet_text(sheet, "%d", at->size);
		sheet_text(sheet, "%s", kernels[k]);
		for (int s = 0; s < 2; s++) {
			const double *us = s ? simulated : measured;
			sheet_number(sheet, us[0], 4);
			sheet_number(sheet, us[1], 4);
			sheet_percent(sheet, 100 * (us[1] / us[0] - 1));
		}
	}
	return 0;
}

int p002_norm(struct paper_work *w, struct sheet *sheet)
{
	static const char *const keys[] = { "size",
					    "kernel",
					    "without_us_measured",
					    "with_us_measured",
					    "more_pct_measured",
					    "without_us_simulated",
					    "with_us_simulated",
					    "more_pct_simulated" };
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		sheet_column(sheet, "%s", keys[k]);
	return p002_places(w, 4, norm_place, sheet);
}
