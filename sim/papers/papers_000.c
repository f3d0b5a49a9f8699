/* SPDX-License-Identifier: MIT
 * P. Di, Q. Wan, X. Zhang, H. Wu, J. Xue, "Toward Harnessing DOACROSS Parallelism for
 * Multi-GPGPUs": convergence, resources, and its figures' search on the GPU of today. The figures
 * print no numbers.
 */
#include "papers_000.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

static void columns(struct sheet *sheet, const char *const *names)
{
	for (; *names; names++)
		sheet_column(sheet, "%s", *names);
}

/* ---- Table II ---- */

static void published_layers(const struct text_table *published, struct sheet *sheet,
			     const char *method, int input, bool forward)
{
	char *config = xprintf("config=method=%s input=%d N=8192", method, input);
	const char *const keys[] = { forward ? "quantity=iterations, forward sweeps only"
					     : "quantity=iterations",
				     config, NULL };
	const long row = text_table_find(published, keys);
	sheet_text(sheet, "%s", row < 0 ? "-" : text_table_cell(published, (size_t)row, "value"));
	free(config);
}

static int table2(struct paper_work *w, struct sheet *sheet)
{
	static const char *const names[] = { "input",
					     "method",
					     "layers_published",
					     "forward_published",
					     "layers_measured",
					     "forward_measured",
					     "centred_measured",
					     "centred_forward_measured",
					     NULL };
	static const char *const methods[] = {
		"SSOR", "RBSOR", "MLSSOR 2x4x4", "MLSSOR 4x8x8", "MLSSOR 8x16x16", "MLSSOR 16x32x32"
	};
	struct text_table published, counts = { 0 };
	(void)w;
	int rc = text_table_read(&published, "papers", "000_published.tsv") ||
				 text_table_read(&counts, "papers", "000_counts.tsv")
			 ? -1
			 : 0;
	columns(sheet, names);
	for (int input = 1; input <= 3 && !rc; input++)
		for (size_t m = 0; m < sizeof(methods) / sizeof(methods[0]); m++) {
			const bool tiles = m > 1;
			const char number[2] = { (char)('0' + input), 0 };
			const char *planes = tiles ? "printed" : "-",
				   *sweeps = m == 1 ? "-" : "alternating";
			sheet_text(sheet, "%d", input);
			sheet_text(sheet, "%s", methods[m]);
			for (int forward = 0; forward < 2; forward++)
				published_layers(&published, sheet, methods[m], input, forward);
			sheet_number(sheet,
				     p000_layers(&counts, methods[m], planes, sweeps, number), 1);
			sheet_number(sheet,
				     p000_layers(&counts, methods[m], planes, "forward", number),
				     1);
			sheet_number(
				sheet,
				p000_layers(&counts, methods[m], "centred", "alternating", number),
				1);
			sheet_number(sheet,
				     p000_layers(&counts, methods[m], "centred", "forward", number),
				     1);
		}
	text_table_release(&published);
	text_table_release(&counts);
	return rc;
}

/* ---- Table III ---- */

static double published_resource(const struct text_table *published, const char *quantity, int side,
				 int threads)
{
	char *keys[] = { xprintf("quantity=%s", quantity),
			 xprintf("config=subdomain=%dx%dx%d threads/block=%d device=C1060",
				 side / 2, side, side, threads),
			 NULL };
	double value = NAN;
	const long row = text_table_find(published, (const char *const *)keys);
	if (row < 0 || parse_double(text_table_cell(published, (size_t)row, "value"), &value))
		value = NAN;
	free(keys[0]);
	free(keys[1]);
	return value;
}

/* A C1060: 16 KB of shared memory, 8 blocks and 1024 threads a multiprocessor (CUDA programming
 * guide 2.2, compute capability 1.3). */
enum { C1060_SHARED_BYTES = 16384, C1060_BLOCKS = 8 };

static int table3(struct paper_work *w, struct sheet *sheet)
{
	static const char *const names[] = { "subdomain",
					     "threads",
					     "bytes_published",
					     "tile_bytes",
					     "column_bytes",
					     "not_derived_bytes",
					     "blocks_published",
					     "blocks_by_rule",
					     "blocks_limit",
					     "threads_published",
					     NULL };
	struct text_table published;
	(void)w;
	int rc = text_table_read(&published, "papers", "000_published.tsv");
	columns(sheet, names);
	for (int side = 4; side <= 8 && !rc; side *= 2)
		for (int threads = 4; threads <= 128; threads *= 2) {
			const double bytes = published_resource(
				&published, "shared memory per block", side, threads);
			if (isnan(bytes)) /* "out of shared memory" */
				continue;
			const int tile = 4 * side * (side + 1) * threads, column = 4 * (side + 1),
				  rule = (int)(C1060_SHARED_BYTES / bytes);
			sheet_text(sheet, "%dx%dx%d", side / 2, side, side);
			sheet_text(sheet, "%d", threads);
			sheet_text(sheet, "%.0f", bytes);
			sheet_text(sheet, "%d", tile);
			sheet_text(sheet, "%d", column);
			sheet_text(sheet, "%.0f", bytes - tile - column);
			sheet_text(sheet, "%.0f",
				   published_resource(&published, "active blocks per SM", side,
						      threads));
			sheet_text(sheet, "%d", rule);
			sheet_text(sheet, "%d", rule < C1060_BLOCKS ? rule : C1060_BLOCKS);
			sheet_text(sheet, "%.0f",
				   published_resource(&published, "active threads per SM", side,
						      threads));
		}
	text_table_release(&published);
	return rc;
}

/* ---- Figures 5, 7 and 9 ---- */

static const char *const forms[] = { "plain", "coalesced", "unrolled", "both" };
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

/* One line: us a layer, and until Input 1 has converged. */
static void line_of(const struct paper_work *w, const struct text_table *counts,
		    struct sheet *sheet, const struct p000_run *run)
{
	const double layer_us = p000_layer_us(w, run), layers = p000_side_layers(counts, run->side);
	sheet_text(sheet, "%dx%dx%d", run->side / 2, run->side, run->side);
	sheet_text(sheet, "%s", run->form ? run->form : run->kernel);
	sheet_text(sheet, "%d", run->threads);
	sheet_number(sheet, layer_us, 4);
	sheet_number(sheet, layers, 1);
	sheet_number(sheet, layer_us * layers * 1e-3, 4);
}

static const char *const line_names[] = {
	"subdomain", "form", "threads", "layer_us_measured", "layers", "converged_ms_measured", NULL
};

static int figure(struct paper_work *w, struct sheet *sheet, const char *kernel, int most)
{
	struct text_table counts;
	int rc = text_table_read(&counts, "papers", "000_counts.tsv");
	columns(sheet, line_names);
	for (int side = 4; side <= most && !rc; side *= 2)
		for (int f = 0; f < FORMS; f++)
			for (int threads = 4; threads <= 128; threads *= 2) {
				const struct p000_run run = { P000_SIZE, side,	 4,	  threads,
							      0,	 kernel, forms[f] };
				if (!isnan(p000_layer_us(w, &run)))
					line_of(w, &counts, sheet, &run);
			}
	text_table_release(&counts);
	return rc;
}

static int figure5(struct paper_work *w, struct sheet *sheet)
{
	return figure(w, sheet, "full", 8);
}

static int figure7(struct paper_work *w, struct sheet *sheet)
{
	return figure(w, sheet, "rows", 32);
}

struct found {
	struct p000_run run;
	double ms;
};

static int faster(const void *a, const void *b)
{
	const double x = ((const struct found *)a)->ms, y = ((const struct found *)b)->ms;
	return x < y ? -1 : x > y;
}

/* The best ten of Figures 5 and 7, and the paper's best with its place. */
static int figure9(struct paper_work *w, struct sheet *sheet)
{
	enum { MOST = 256, SHOWN = 10 };
	struct found found[MOST];
	struct text_table counts;
	size_t count = 0;
	int rc = text_table_read(&counts, "papers", "000_counts.tsv");
	sheet_column(sheet, "place");
	sheet_column(sheet, "kernel");
	columns(sheet, line_names);
	for (int rows = 0; rows < 2 && !rc; rows++)
		for (int side = 4; side <= (rows ? 32 : 8); side *= 2)
			for (int f = 0; f < FORMS; f++)
				for (int threads = 4; threads <= 128; threads *= 2) {
					const struct p000_run run = {
						P000_SIZE, side, 4,
						threads,   0,	 rows ? "rows" : "full",
						forms[f]
					};
					const double ms = p000_layer_us(w, &run) *
							  p000_side_layers(&counts, side) * 1e-3;
					if (!isnan(ms) && count < MOST)
						found[count++] = (struct found){ run, ms };
				}
	qsort(found, count, sizeof(found[0]), faster);
	for (size_t k = 0; k < count; k++) {
		const struct p000_run *run = &found[k].run;
		const bool circled = run->side == 8 && run->threads == 16 &&
				     !strcmp(run->kernel, "rows") && !strcmp(run->form, "both");
		if (k >= SHOWN && !circled)
			continue;
		sheet_text(sheet, "%zu of %zu%s", k + 1, count,
			   circled ? ", the paper's best" : "");
		sheet_text(sheet, "%s", run->kernel);
		line_of(w, &counts, sheet, run);
	}
	text_table_release(&counts);
	return rc;
}

/* ---- Figure 10 ---- */

static int figure10(struct paper_work *w, struct sheet *sheet)
{
	static const char *const points[] = { "1x1", "1x2", "2x1", "2x2", "4x1", "1x4" };
	static const char *const names[] = {
		"points", "threads", "iteration_us_measured", "iterations", "converged_ms_measured",
		NULL
	};
	struct text_table counts;
	int rc = text_table_read(&counts, "papers", "000_counts.tsv");
	columns(sheet, names);
	for (size_t p = 0; p < sizeof(points) / sizeof(points[0]) && !rc; p++)
		for (int threads = 64; threads <= 512; threads *= 2) {
			const double us = p000_redblack_us(w, P000_SIZE, points[p], threads),
				     iterations = p000_layers(&counts, "RBSOR", "-", "-", "1");
			sheet_text(sheet, "%s", points[p]);
			sheet_text(sheet, "%d", threads);
			sheet_number(sheet, us, 4);
			sheet_number(sheet, iterations, 1);
			sheet_number(sheet, us * iterations * 1e-3, 4);
		}
	text_table_release(&counts);
	return rc;
}

static const struct paper_table tables[] = {
	{ "table2", "Table II: layers until no point changes by more than the tolerance", table2 },
	{ "table3", "Table III: shared memory of K11 on a C1060", table3 },
	{ "figure5", "Figure 5: the paper's kernels on the GPU of today, tiles whole", figure5 },
	{ "figure7", "Figure 7: the same, three rows of a tile in shared memory", figure7 },
	{ "figure9", "Figure 9: the best of both", figure9 },
	{ "search", "The search of figure 9, as the kernel model warps ranks it", p000_search },
	{ "figure10", "Figure 10: red-black SOR", figure10 },
	{ "figure11",
	  "Figures 11 to 13: speed-up of multi-layer SSOR over red-black SOR, simulated on several "
	  "GPUs",
	  p000_figure11 },
	{ "two_gpus", "Figure 11 again, measured on one and two H100", p000_two_gpus },
	{ "four_gpus", "Figure 11 again, measured on two and four H200", p000_four_gpus },
	{ "tuned", "The tuned kernels beside the copy rate", p000_tuned },
	{ "blind", "Runs that were predicted before they were looked at", p000_blind },
	{ NULL, NULL, NULL },
};

const struct paper paper_000 = {
	.name = "000", .solver = "mlssor", .tables = tables, .reads_own = true
};
