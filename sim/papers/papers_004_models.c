/* SPDX-License-Identifier: MIT
 * Models of paper 004 by themselves: occupancy, one copy, strips against blocks.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/closed/closed_time.h"
#include "model/closed/transfer_samples.h"
#include "papers_004.h"
#include "traces/base/util.h"

/* ---- (3.5) to (3.13) ---- */

enum { WARP = 32 };

struct block {
	uint32_t threads, registers, shared_bytes;
};

static double occupancy_of(const struct sm_device *sm, struct block b, int *blocks)
{
	*blocks = sm_occupancy(sm, b.threads, b.registers, b.shared_bytes, NULL);
	return (double)((b.threads + WARP - 1) / WARP) * *blocks / sm->warp_slots;
}

int p004_occupancy(struct paper_work *w, struct sheet *sheet)
{
	static const char *const columns[] = {
		"figure", "threads",	     "registers", "shared_bytes",	 "blocks_published",
		"blocks", "warps_published", "warps",	  "occupancy_published", "occupancy",
		NULL
	};
	static const struct {
		const char *figure;
		struct block block;
		int blocks, warps; /* as printed; 0: not */
		double occupancy;
	} rows[] = {
		{ "5.6", { 1, 0, 0 }, 0, 0, NAN },	 { "5.7a", { 128, 0, 0 }, 8, 32, 1 },
		{ "5.7b", { 256, 0, 0 }, 4, 32, 1 },	 { "5.8", { 112, 16, 2048 }, 0, 0, 1 },
		{ "5.8", { 128, 16, 2048 }, 0, 0, 1 },	 { "5.8", { 128, 17, 2048 }, 0, 0, NAN },
		{ "5.8", { 128, 16, 2049 }, 0, 0, NAN }, { "kernel", { 112, 12, 1792 }, 0, 0, NAN },
	};
	const struct platform *p = paper_platform(&w->runs, P004_THEN);
	if (!p)
		return -1;
	p004_columns(sheet, columns);
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		int blocks;
		const struct block b = rows[k].block;
		const double occupancy = occupancy_of(&p->sm, b, &blocks);
		sheet_text(sheet, "%s", rows[k].figure);
		sheet_text(sheet, "%u", b.threads);
		sheet_text(sheet, "%u", b.registers);
		sheet_text(sheet, "%u", b.shared_bytes);
		sheet_number(sheet, rows[k].blocks ? (double)rows[k].blocks : NAN, 1);
		sheet_text(sheet, "%d", blocks);
		sheet_number(sheet, rows[k].warps ? (double)rows[k].warps : NAN, 1);
		sheet_text(sheet, "%u", (b.threads + WARP - 1) / WARP * (uint32_t)blocks);
		sheet_number(sheet, rows[k].occupancy, 3);
		sheet_number(sheet, occupancy, 3);
	}
	return 0;
}

/* The three curves of the occupancy calculator around a block. */
static int curves(struct paper_work *w, struct sheet *sheet, struct block around)
{
	static const char *const columns[] = { "varied", "value", "blocks", "occupancy", NULL };
	const struct platform *p = paper_platform(&w->runs, P004_THEN);
	if (!p)
		return -1;
	p004_columns(sheet, columns);
	for (int axis = 0; axis < 3; axis++) {
		static const char *const name[] = { "threads", "registers", "shared_bytes" };
		static const uint32_t step[] = { 16, 4, 512 }, most[] = { 512, 128, 16384 };
		for (uint32_t at = step[axis]; at <= most[axis]; at += step[axis]) {
			struct block b = around;
			int blocks;
			*(axis == 0 ? &b.threads : axis == 1 ? &b.registers : &b.shared_bytes) = at;
			const double occupancy = occupancy_of(&p->sm, b, &blocks);
			sheet_text(sheet, "%s", name[axis]);
			sheet_text(sheet, "%u", at);
			sheet_text(sheet, "%d", blocks);
			sheet_number(sheet, occupancy, 3);
		}
	}
	return 0;
}

int p004_figure3_8(struct paper_work *w, struct sheet *sheet)
{
	return curves(w, sheet, (struct block){ 1, 0, 0 });
}

int p004_figure5_8(struct paper_work *w, struct sheet *sheet)
{
	return curves(w, sheet, (struct block){ 128, 16, 2048 });
}

/* ---- one copy ---- */

static char *copies_path(void)
{
	return xprintf("%s/traces/data/papers/004_copies.tsv", util_root());
}

/* Table 6.4 in its order; times in ns, the table's model in ms. */
static const struct {
	int k, n;
	double ns, model_ms;
} table64[] = { { 1, 0, 3000, 0.003 },
		{ 1, 1, 15000, 0.015 },
		{ 5, 11585, 145000, 3384.557 },
		{ 5, 5792, 49000, 1692.140 },
		{ 5792, 5, 7443000, 1710.659 } };

/* The printed constants of section 5.3; those that the table's last column implies; what timer_reg
 * makes of the table's first two rows, and a line through its copies of whole rows. */
static int laws(struct transfer_law law[4])
{
	struct transfer_samples copies;
	char *path = copies_path();
	int rc = transfer_samples_read(&copies, path, "h2d");
	free(path);
	law[0] = (struct transfer_law){ TRANSFER_TIMER_REG, 3300, 15600, NAN, NAN };
	law[1] = (struct transfer_law){ TRANSFER_TIMER_REG, 3200, 58429.3, NAN, NAN };
	if (!rc)
		rc = transfer_fit(&law[2], TRANSFER_TIMER_REG, copies.at, copies.count) ||
				     transfer_fit(&law[3], TRANSFER_LINEAR, copies.at, copies.count)
			     ? -1
			     : 0;
	transfer_samples_release(&copies);
	return rc;
}

int p004_table4(struct paper_work *w, struct sheet *sheet)
{
	static const char *const columns[] = { "k",
					       "n",
					       "measured_published_ms",
					       "model_published_ms",
					       "with_printed_word_ms",
					       "with_implied_word_ms",
					       "with_timer_reg_ms",
					       "line_row_by_row_ms",
					       "line_one_copy_ms",
					       "simulated_ms",
					       "simulated_error_pct",
					       NULL };
	struct transfer_law law[4];
	const struct platform *p = paper_platform(&w->runs, P004_THEN);
	if (!p || laws(law))
		return -1;
	const double call_ns = platform_host_ns(p, HOST_COPY_H2D, 1);
	p004_columns(sheet, columns);
	for (size_t r = 0; r < sizeof(table64) / sizeof(table64[0]); r++) {
		const int k = table64[r].k, n = table64[r].n;
		const double bytes = (double)k * n * TRANSFER_WORD_BYTES;
		/* Issued on an idle stream, waited for through events; the call alone for nothing.
		 */
		const double simulated = bytes > 0
						 ? call_ns + p->copy_start_latency_ns +
							   platform_host_ns(p, HOST_SYNC_WAKE, 1) +
							   curve_at(&p->copy[COPY_CURVE_H2D], bytes)
						 : call_ns;
		sheet_text(sheet, "%d", k);
		sheet_text(sheet, "%d", n);
		sheet_number(sheet, table64[r].ns * 1e-6, 3);
		sheet_number(sheet, table64[r].model_ms, 3);
		for (int l = 0; l < 4; l++)
			sheet_number(sheet, closed_flow_ns(&law[l], k, n) * 1e-6, 3);
		sheet_number(sheet, closed_flow_ns(&law[3], 1, (double)k * n) * 1e-6, 3);
		sheet_number(sheet, simulated * 1e-6, 3);
		sheet_percent(sheet, 100 * (simulated / table64[r].ns - 1));
	}
	return 0;
}

/* ---- laws ---- */

static int test_law(struct sheet *sheet, const struct transfer_law *law, const char *from,
		    const char *copy, const char *test, const char *shown)
{
	struct transfer_samples samples;
	if (transfer_samples_read(&samples, test, copy))
		return -1;
	const struct transfer_errors e = transfer_errors(law, samples.at, samples.count);
	sheet_text(sheet, "%s", from);
	sheet_text(sheet, "%s", copy);
	sheet_text(sheet, "%s", transfer_method_name[law->method]);
	sheet_number(sheet, law->startup_ns * 1e-3, 3);
	sheet_number(sheet, law->word_ns, 3);
	sheet_number(sheet, law->exponent, 3);
	sheet_text(sheet, "%s", shown);
	sheet_text(sheet, "%zu", e.count);
	sheet_number(sheet, e.median_pct, 3);
	sheet_number(sheet, e.largest_pct, 3);
	sheet_number(sheet, e.worst_bytes, 3);
	transfer_samples_release(&samples);
	return 0;
}

int p004_regression(struct paper_work *w, struct sheet *sheet)
{
	static const char *const columns[] = { "from",	      "copy",	     "method",
					       "startup_us",  "word_ns",     "exponent",
					       "tested_on",   "copies",	     "median_pct",
					       "largest_pct", "worst_bytes", NULL };
	static const char *const copy[] = { "h2d_pageable", "d2h_pageable", "h2d", "d2h" };
	char *published = copies_path();
	char *trace = xprintf("%s/traces/data/h200x4/replay/rbsor.wrt.zst", util_root());
	int rc = 0;
	p004_columns(sheet, columns);
	for (int c = -1; !rc && c < (int)(sizeof(copy) / sizeof(copy[0])); c++) {
		const char *kind = c < 0 ? "h2d" : copy[c],
			   *from = c < 0 ? published : p004_today(w),
			   *shown = c < 0 ? "table 6.4" : from;
		struct transfer_samples samples;
		rc = transfer_samples_read(&samples, from, kind);
		for (int m = 0; !rc && m < TRANSFER_METHOD_COUNT; m++) {
			struct transfer_law law;
			if (transfer_fit(&law, (enum transfer_method)m, samples.at, samples.count))
				continue;
			rc = test_law(sheet, &law, shown, kind, from, "itself");
			if (!rc && c >= 0)
				rc = test_law(sheet, &law, shown, kind, "h200x8", "h200x8") ||
						     test_law(sheet, &law, shown, kind, "h100x1",
							      "h100x1")
					     ? -1
					     : 0;
			if (!rc && c >= 2)
				rc = test_law(sheet, &law, shown, kind, trace, "recorded runs");
		}
		transfer_samples_release(&samples);
	}
	free(published);
	free(trace);
	return rc;
}

/* ---- (5.1) to (5.7) ---- */

int p004_partitions(struct paper_work *w, struct sheet *sheet)
{
	static const char *const columns[] = { "word",
					       "word_ns",
					       "k",
					       "strip_outer_ms",
					       "strip_middle_ms",
					       "block_ms",
					       "block_over_strip",
					       "startup_over_word",
					       "blocks_lose_beyond",
					       "better",
					       NULL };
	static const char *const name[] = { "as printed", "implied by table 6.4", "timer-reg",
					    "line through table 6.4" };
	static const int depth[] = { 1, 2, 5, 10, 50, 100, 500, 1000, 2000 };
	const double n = 11585;
	struct transfer_law law[4];
	(void)w;
	if (laws(law))
		return -1;
	p004_columns(sheet, columns);
	for (int l = 0; l < 4; l++)
		for (size_t d = 0; d < sizeof(depth) / sizeof(depth[0]); d++) {
			const double k = depth[d], outer = closed_strip_ns(&law[l], n, k, 1),
				     middle = closed_strip_ns(&law[l], n, k, 2),
				     block = closed_block_ns(&law[l], n, k);
			sheet_text(sheet, "%s", name[l]);
			sheet_number(sheet, law[l].word_ns, 3);
			sheet_text(sheet, "%d", depth[d]);
			sheet_number(sheet, outer * 1e-6, 3);
			sheet_number(sheet, middle * 1e-6, 3);
			sheet_number(sheet, block * 1e-6, 3);
			sheet_number(sheet, block / middle, 3);
			sheet_number(sheet, law[l].startup_ns / law[l].word_ns, 3);
			sheet_number(sheet, closed_block_margin(n, k, 2), 3);
			sheet_text(sheet, block > middle ? "strips" : "blocks");
		}
	return 0;
}
