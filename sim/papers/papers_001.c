/* SPDX-License-Identifier: MIT
 * M. Rodriguez Rodriguez, B. Philip, Z. Wang, M. Berrill, "Block-Relaxation Methods for 3D
 * Constant-Coefficient Stencils on GPUs and Multicore CPUs": its tables, and the times that can be
 * read from its figures.
 *
 * Times of the X2090 stand beside two of its device file. `transfers`: the paper's run planned,
 * three steps depth-first with every patch sent there and back in each, and played with kernels
 * that only move u, f and v. `products`: Algorithm 2's matrix-vector products alone, whose inverse
 * every block reads from L2, 8 bytes for each pair of its cells, at what L2 gives, or their
 * arithmetic, whichever is longer. Transfers run beside products, so the longer of both is
 * simulated. Nothing is fitted; the rate of L2 is an estimate of the device file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers.h"
#include "traces/base/util.h"

enum { STEPS = 3, MIXED_SIDES = 5 };

static bool mixed(const struct published_row *row)
{
	const char *end = strrchr(row->kernel, '-');
	return end && (!strcmp(end, "-mixed") || !strcmp(end, "-balanced"));
}

static double cells_of(const struct published_row *row)
{
	double cells = 0;
	for (int side = 64; mixed(row) && side <= 96; side += 8)
		cells += (double)row->problem / MIXED_SIDES * side * side * side;
	return mixed(row) ? cells : row->problem * pow(row->size, 3);
}

static char *set_of(const struct published_row *row)
{
	const int each = row->problem / MIXED_SIDES;
	return mixed(row) ? xprintf("%dx64+%dx72+%dx80+%dx88+%dx96", each, each, each, each, each)
			  : xprintf("%dx%d", row->problem, row->size);
}

static char *config_of(const struct published_row *row)
{
	const bool host = !strcmp(row->device, "interlagos");
	char *set = set_of(row);
	char *config =
		xprintf("patches=%s block=%.0f.%.0f.%.0f method=%s kernel=%s ghost=zero "
			"order=%s iterations=%d%s",
			set, row->re, row->re, row->re, row->omega, host ? "cpu-nested" : "gemv-c",
			host ? "whole" : "depth", STEPS, host ? "" : " transfer=each streams=8");
	free(set);
	return config;
}

struct times {
	double published, measured, transfers, products, simulated; /* s; NaN: not known */
};

static int times_of(struct paper_work *w, const struct published_row *row, struct times *t)
{
	const bool rate = !strcmp(row->quantity, "rate");
	const double cells = cells_of(row), block = pow(row->re, 3);
	*t = (struct times){ NAN, NAN, NAN, NAN, NAN };
	t->published = rate ? STEPS * cells / row->value * 1e-6 : row->value;
	char *config = config_of(row);
	t->measured = paper_measured(&w->runs, config).core_us * 1e-6;
	if (!strcmp(row->device, "x2090")) {
		struct paper_times played;
		const struct platform *platform = paper_platform(&w->runs, row->device);
		if (!platform ||
		    paper_simulate_by(&w->runs, row->device, config, "roofline", &played)) {
			free(config);
			return -1;
		}
		const struct sm_device *sm = &platform->sm;
		const double flops = platform->sm_count * sm->clock_mhz * 1e6 * sm->sub_partitions *
				     32 / sm->interval[SASS_FP64] * 2;
		t->transfers = played.core_us * 1e-6;
		t->products = STEPS * cells * block * fmax(8 / sm->l2.read_bytes_per_s, 2 / flops);
		t->simulated = fmax(t->transfers, t->products);
	}
	free(config);
	return 0;
}

static int table1(struct paper_work *w, struct sheet *sheet)
{
	static const struct {
		const char *device, *name;
		double gflops;
		int watts;
	} printed[] = { { "c2050", "Fermi", 515, 238 }, { "x2090", "Fermi+", 655, 225 } };
	static const char *const columns[] = { "device",	   "name",
					       "gflops_published", "gflops_device_file",
					       "watts_published",  "l2_gb_per_s_device_file",
					       "error_pct" };
	for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++)
		sheet_column(sheet, "%s", columns[k]);
	for (size_t k = 0; k < sizeof(printed) / sizeof(printed[0]); k++) {
		const struct platform *p = paper_platform(&w->runs, printed[k].device);
		if (!p)
			return -1;
		const double gflops = p->sm_count * p->sm.clock_mhz * 1e-3 * p->sm.sub_partitions *
				      32 / p->sm.interval[SASS_FP64] * 2;
		sheet_text(sheet, "%s", printed[k].device);
		sheet_text(sheet, "%s", printed[k].name);
		sheet_number(sheet, printed[k].gflops, 3);
		sheet_number(sheet, gflops, 3);
		sheet_text(sheet, "%d", printed[k].watts);
		sheet_number(sheet, p->sm.l2.read_bytes_per_s * 1e-9, 3);
		sheet_percent(sheet, 100 * (gflops / printed[k].gflops - 1));
	}
	return 0;
}

static int table2(struct paper_work *w, struct sheet *sheet)
{
	static const struct {
		const char *set;
		int64_t printed;
		struct published_row row;
	} sets[] = {
		{ "64^3", 62914560, { .problem = 80, .size = 64, .kernel = (char *)"gpu" } },
		{ "80^3", 122800000, { .problem = 80, .size = 80, .kernel = (char *)"gpu" } },
		{ "mixed", 130252800, { .problem = 80, .size = 80, .kernel = (char *)"x-mixed" } },
		{ "96^3", 212336640, { .problem = 80, .size = 96, .kernel = (char *)"gpu" } },
	};
	static const char *const columns[] = { "set", "cells_published", "cells_counted",
					       "difference", "over_64_counted" };
	(void)w;
	for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++)
		sheet_column(sheet, "%s", columns[k]);
	for (size_t k = 0; k < sizeof(sets) / sizeof(sets[0]); k++) {
		/* 80 patches, three updates of each: what the table calls cells. */
		const double cells = cells_of(&sets[k].row);
		const int64_t counted =
			(int64_t)cells * (sets[k].printed > (int64_t)cells * 2 ? 3 : 1);
		sheet_text(sheet, "%s", sets[k].set);
		sheet_text(sheet, "%lld", (long long)sets[k].printed);
		sheet_text(sheet, "%lld", (long long)counted);
		sheet_text(sheet, "%+lld", (long long)(counted - sets[k].printed));
		sheet_number(sheet, (double)counted / 62914560, 3);
	}
	return 0;
}

static int rows_of(struct paper_work *w, struct sheet *sheet, int figure)
{
	static const char *const columns[] = { "device",      "method",	     "set",
					       "block",	      "published_s", "measured_s",
					       "transfers_s", "products_s",  "simulated_s",
					       "error_pct" };
	for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++)
		sheet_column(sheet, "%s", columns[k]);
	for (size_t k = 0; k < w->published.count; k++) {
		const struct published_row *row = &w->published.row[k];
		struct times t;
		if ((figure && row->table != figure) || !strcmp(row->quantity, "invert"))
			continue;
		if (times_of(w, row, &t))
			return -1;
		char *set = set_of(row);
		sheet_text(sheet, "%s", row->device);
		sheet_text(sheet, "%s", row->omega);
		sheet_text(sheet, "%s", set);
		sheet_text(sheet, "%.0f^3", row->re);
		sheet_number(sheet, t.published, 3);
		sheet_number(sheet, t.measured, 3);
		sheet_number(sheet, t.transfers, 3);
		sheet_number(sheet, t.products, 3);
		sheet_number(sheet, t.simulated, 3);
		sheet_percent(sheet, 100 * (t.simulated / t.published - 1));
		free(set);
	}
	return 0;
}

static int figure7(struct paper_work *w, struct sheet *sheet)
{
	return rows_of(w, sheet, 7);
}

static int figure8(struct paper_work *w, struct sheet *sheet)
{
	return rows_of(w, sheet, 8);
}

static int all_times(struct paper_work *w, struct sheet *sheet)
{
	return rows_of(w, sheet, 0);
}

static int ascending(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;
	return (a > b) - (a < b);
}

static int summary(struct paper_work *w, struct sheet *sheet)
{
	static const char *const columns[] = { "device", "n", "median_pct", "max_pct" };
	double *errors = xcalloc(w->published.count + 1, sizeof(*errors));
	size_t n = 0;
	for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++)
		sheet_column(sheet, "%s", columns[k]);
	for (size_t k = 0; k < w->published.count; k++) {
		struct times t;
		if (!strcmp(w->published.row[k].quantity, "invert"))
			continue;
		if (times_of(w, &w->published.row[k], &t)) {
			free(errors);
			return -1;
		}
		if (!isnan(t.simulated))
			errors[n++] = fabs(100 * (t.simulated / t.published - 1));
	}
	qsort(errors, n, sizeof(*errors), ascending);
	sheet_text(sheet, "x2090");
	sheet_text(sheet, "%zu", n);
	sheet_number(sheet, n ? median_of(errors, n) : NAN, 2);
	sheet_number(sheet, n ? errors[n - 1] : NAN, 2);
	free(errors);
	return 0;
}

/* ---- several GPUs ---- */

/* A what-if: no machine of so many GPUs was measured with these. */
static int several_gpus(struct paper_work *w, struct sheet *sheet)
{
	static const char *const sets[] = { "96x64", "16x64+16x72+16x80+16x88+16x96", "100x16" };
	static const char *const ways[] = {
		"method=jacobi kernel=sine ghost=reflect order=whole iterations=20",
		"method=chaotic kernel=gemv-c ghost=reflect order=whole iterations=20",
		("method=chaotic kernel=gemv-c ghost=zero order=depth iterations=3 transfer=each "
		 "streams=8"),
	};
	static const char *const says[] = { "method", "kernel", "order" };
	enum { SAYS = sizeof(says) / sizeof(says[0]), MOST_GPUS = 8 };
	int rc = 0;
	sheet_column(sheet, "set");
	for (size_t k = 0; k < SAYS; k++)
		sheet_column(sheet, "%s", says[k]);
	for (int gpus = 1; gpus <= MOST_GPUS; gpus *= 2)
		sheet_column(sheet, "us_on_%d", gpus);
	for (int gpus = 2; gpus <= MOST_GPUS; gpus *= 2)
		sheet_column(sheet, "speedup_%d", gpus);
	for (size_t set = 0; set < sizeof(sets) / sizeof(sets[0]); set++)
		for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]) && !rc; way++) {
			char *config = xprintf("patches=%s block=8.8.8 %s", sets[set], ways[way]);
			double us[MOST_GPUS + 1];
			sheet_text(sheet, "%s", sets[set]);
			for (size_t k = 0; k < SAYS; k++) {
				char *text = paper_column(&w->runs, config, 1, says[k]);
				sheet_text(sheet, "%s", text);
				free(text);
			}
			for (uint32_t gpus = 1; gpus <= MOST_GPUS && !rc; gpus *= 2) {
				struct paper_run run;
				rc = paper_simulate_run(&w->runs, "h200x8", config, gpus, &run);
				us[gpus] = run.times.core_us;
				sheet_number(sheet, us[gpus], 4);
			}
			for (int gpus = 2; gpus <= MOST_GPUS && !rc; gpus *= 2)
				sheet_number(sheet, us[1] / us[gpus], 3);
			free(config);
		}
	return rc;
}

static const struct paper_table tables[] = {
	{ "table1", "Table 1: GPUs, and what their device files come to", table1 },
	{ "table2", "Table 2: cells of the sets, as printed and as counted", table2 },
	{ "figure7", "Figure 7: three steps of equal patches, seconds", figure7 },
	{ "figure8", "Figure 8: three steps of sets of 80 patches, seconds", figure8 },
	{ "errors", "Every published time with what is known beside it", all_times },
	{ "summary", "Errors of simulated times, without their sign", summary },
	{ "gpus", "What-ifs: sets of patches on one to eight GPUs", several_gpus },
	{ 0 },
};

const struct paper paper_001 = { .name = "001", .solver = "patches", .tables = tables };
