/* SPDX-License-Identifier: MIT
 * D. Spampinato, "Modeling Communication on Multi-GPU Systems", NTNU 2009: a run of its program,
 * simulated on the S1070 as published and on the machine of today, and measured there.
 *
 * The S1070 runs the thesis' scheme with its timing. Today's measurements are of exact borders,
 * plainly timed, so that is simulated for them as well.
 */
#include "papers_004.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

const int64_t p004_sizes[] = { 128,   256,   512,   1024,  2048,  3000,	 4096,	6144,  8192,
			       10000, 16384, 20000, 26000, 32000, 38000, 44000, 52000, 0 };

const char *p004_today(const struct paper_work *w)
{
	return w->runs.today;
}

void p004_columns(struct sheet *sheet, const char *const *name)
{
	for (; *name; name++)
		sheet_column(sheet, "%s", *name);
}

static char *config_of(const struct p004_run *run, const char *scheme, const char *more)
{
	return xprintf("size=%lldx%lld precision=f32 kernel=paper scheme=%s border=%d "
		       "transport=%s iterations=%d%s%s",
		       (long long)run->rows, (long long)run->columns, scheme, run->border,
		       run->gpus > 1 || *more ? "host" : "peer", P004_ITERATIONS,
		       run->blocks ? " partition=2x2" : "", more);
}

/* A part with its halo fits on a GPU, and is no thinner than that. */
static bool fits(const struct p004_run *run, double memory_bytes)
{
	const double across = run->blocks ? 2 : 1, halo = 2 * run->border,
		     rows = (double)(run->rows - 2) / (run->gpus / across),
		     columns = (double)run->columns / across + (across > 1 ? halo : 0);
	return (rows + halo) * (columns + 127) * 4 <= memory_bytes && rows >= halo &&
	       columns >= halo;
}

static void fill(struct p004_times *t, const struct paper_run *run, const struct p004_run *what)
{
	const double iterations = P004_ITERATIONS, exchanges = iterations / what->border;
	t->kernel_s = run->thesis.mkt_ms * 1e-3 * iterations;
	t->sync_s = run->thesis.mst_ms * 1e-3 * exchanges;
	t->transfer_s = run->thesis.mtt_ms * 1e-3 * exchanges;
	t->communication_s = run->thesis.mct_ms * 1e-3 * exchanges;
	t->elapsed_s = run->thesis.et_s;
	t->core_s = run->times.core_us * 1e-6;
}

int p004_times_of(struct paper_work *w, const struct p004_run *run, struct p004_times *t)
{
	const struct platform *platform = paper_platform(&w->runs, run->device);
	struct paper_run simulated;
	*t = (struct p004_times){ NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	if (!platform)
		return -1;
	if (!fits(run, platform->memory_bytes))
		return 0;
	char *config = config_of(run, "thesis", " timing=thesis");
	int rc = paper_simulate_run(&w->runs, run->device, config, run->gpus, &simulated);
	free(config);
	if (rc)
		return -1;
	fill(t, &simulated, run);
	if (strcmp(run->device, p004_today(w)))
		return 0;
	config = config_of(run, "exact", "");
	const struct measured_row *row =
		measured_find(&w->runs.runs, w->runs.solver, config, (int)run->gpus);
	if (row) {
		t->measured_core_s = row->core_us * 1e-6;
		t->measured_total_s = row->total_us * 1e-6;
		rc = paper_simulate_run(&w->runs, run->device, config, run->gpus, &simulated);
		t->plain_core_s = simulated.times.core_us * 1e-6;
	}
	free(config);
	return rc;
}

static int table1(struct paper_work *w, struct sheet *sheet)
{
	static const char *const columns[] = { "feature", "published", P004_THEN, NULL };
	const struct platform *p = paper_platform(&w->runs, P004_THEN);
	if (!p)
		return -1;
	const double flops = p->gpus * p->sm_count * p->sm.clock_mhz * 1e6 *
			     (32 / p->sm.interval[SASS_FP32] * 3); /* a multiply beside a MAD */
	const struct {
		const char *name;
		double published, file;
	} rows[] = {
		{ "GPUs", 4, p->gpus },
		{ "processors", 960, p->gpus * p->sm_count * 32 / p->sm.interval[SASS_FP32] },
		{ "clock, GHz", 1.30, p->sm.clock_mhz * 1e-3 },
		{ "single precision, TFLOPS", 3.73, flops * 1e-12 },
		{ "device memory, GB", 16, p->gpus * p->memory_bytes / (1 << 30) },
		{ "host bandwidth, GB/s", 12.8,
		  p->share_h2d.y.count ? p->share_h2d.y.value[p->share_h2d.y.count - 1] * 1e-9
				       : NAN },
		{ "device memory bandwidth, GB/s", 408,
		  p->gpus * p->sm.dram.read_bytes_per_s * 1e-9 },
	};
	p004_columns(sheet, columns);
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		sheet_text(sheet, "%s", rows[k].name);
		sheet_number(sheet, rows[k].published, 3);
		sheet_number(sheet, rows[k].file, 3);
	}
	return 0;
}

/* Table 6.3, and how often a run of today was repeated. */
static int table3(struct paper_work *w, struct sheet *sheet)
{
	static const char *const columns[] = {
		"n", "round_1", "round_2", "round_3", "measured_runs_today", NULL
	};
	static const struct {
		int64_t from, below;
		int first, third;
	} printed[] = { { 128, 4000, 30, 3 },
			{ 4000, 8000, 20, 3 },
			{ 8000, 33000, 10, 3 },
			{ 33000, 52001, 5, 3 } };
	p004_columns(sheet, columns);
	for (size_t k = 0; k < sizeof(printed) / sizeof(printed[0]); k++) {
		int visits = 0;
		for (size_t i = 0; i < w->runs.runs.count; i++) {
			const struct measured_row *row = &w->runs.runs.row[i];
			const uint32_t gpus = (uint32_t)row->gpus;
			if (strcmp(row->solver, w->runs.solver) ||
			    !paper_says(&w->runs, row->config, gpus, "kernel", "paper"))
				continue;
			const int64_t n = paper_number(&w->runs, row->config, gpus, "rows");
			if (n >= printed[k].from && n < printed[k].below)
				visits += row->visits;
		}
		sheet_text(sheet, "%lld to %lld", (long long)printed[k].from,
			   (long long)printed[k].below - 1);
		sheet_text(sheet, "%d", printed[k].first);
		sheet_text(sheet, "%d", printed[k].first);
		sheet_text(sheet, "%d", printed[k].third);
		sheet_text(sheet, visits ? "%d x 10" : "-", visits);
	}
	return 0;
}

static const struct paper_table tables[] = {
	{ "table2", "Tables 6.1 and 6.2: the S1070, and what its device file has", table1 },
	{ "table3", "Table 6.3: attempts at a run", table3 },
	{ "table4", "Table 6.4: one copy, and what models say of it", p004_table4 },
	{ "occupancy", "Figures 5.6, 5.7 and section 5.4.2: occupancy", p004_occupancy },
	{ "figure3_8", "Figure 3.8: occupancy around a block of one thread", p004_figure3_8 },
	{ "figure5_8", "Figure 5.8: occupancy around blocks of 112 to 128 threads",
	  p004_figure5_8 },
	{ "partitions", "(5.1) to (5.7): blocks against strips", p004_partitions },
	{ "regression", "Figures 6.4, 6.5 and E.1.4: laws of transfer time", p004_regression },
	{ "figure6_1", "Figure 6.1: strips on four GPUs, 100 iterations", p004_figure1 },
	{ "figure6_2", "Figures 6.2 and 6.3: blocks on four GPUs, and over strips", p004_figure2 },
	{ "figure6_7", "Figure 6.7: figure 6.6 in blocks", p004_figure7 },
	{ "figure6_6", "Figure 6.6: elapsed time of N/2 x N over N x N/2", p004_figure6 },
	{ "figure6_9", "Figure 6.9: speed-up by number of GPUs", p004_figure9 },
	{ "figure6_10", "Figure 6.10: what communication is made of", p004_figure10 },
	{ "figure6_11", "Figure 6.11: speed-up by width of the border, four GPUs", p004_figure11 },
	{ "figure5_24", "Figures 5.23 and 5.24: orders of the exchange, and boss and workers",
	  p004_orders },
	{ "appendix", "Appendix E: elapsed times on 1, 2 and 4 GPUs", p004_appendix },
	{ "statements", "What the thesis says, and whether it holds", p004_statements },
	{ "closed", "Closed forms and the simulator against measured runs", p004_closed },
	{ "closed_rows", "The same, run by run", p004_closed_rows },
	{ 0 },
};

const struct paper paper_004 = { .name = "004",
				 .solver = "rbsor",
				 .tables = tables,
				 .reads_own = true,
				 .measured = "measured.tsv" };
