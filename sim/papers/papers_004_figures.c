/* SPDX-License-Identifier: MIT
 * Figures of chapter 6 and appendix E of paper 004.
 */
#include <math.h>
#include <string.h>

#include "papers_004.h"
#include "traces/base/util.h"

typedef int row_fn(struct paper_work *w, struct sheet *sheet, const char *device, int64_t n);

static int each_size(struct paper_work *w, struct sheet *sheet, row_fn *row)
{
	const char *const device[] = { P004_THEN, p004_today(w) };
	for (size_t d = 0; d < sizeof(device) / sizeof(device[0]); d++)
		for (const int64_t *n = p004_sizes; *n; n++)
			if (row(w, sheet, device[d], *n))
				return -1;
	return 0;
}

static int square(struct paper_work *w, const char *device, int64_t n, uint32_t gpus,
		  struct p004_times *t)
{
	return p004_times_of(w, &(struct p004_run){ device, n, n, gpus, 1, false }, t);
}

static void begin_row(struct sheet *sheet, const char *device, int64_t n)
{
	sheet_text(sheet, "%s", device);
	sheet_text(sheet, "%lld", (long long)n);
}

static int figure1_row(struct paper_work *w, struct sheet *sheet, const char *device, int64_t n)
{
	struct p004_times t;
	if (square(w, device, n, 4, &t))
		return -1;
	begin_row(sheet, device, n);
	const double seconds[] = { t.kernel_s,	      t.sync_s,		 t.transfer_s,
				   t.communication_s, t.elapsed_s,	 t.elapsed_s / t.kernel_s,
				   t.measured_core_s, t.measured_total_s };
	for (size_t k = 0; k < sizeof(seconds) / sizeof(seconds[0]); k++)
		sheet_number(sheet, seconds[k], 3);
	sheet_percent(sheet, 100 * (t.plain_core_s / t.measured_core_s - 1));
	return 0;
}

int p004_figure1(struct paper_work *w, struct sheet *sheet)
{
	static const char *const columns[] = { "device",
					       "n",
					       "kt_s",
					       "st_s",
					       "tt_s",
					       "ct_s",
					       "et_s",
					       "et_over_kt",
					       "core_s_measured",
					       "total_s_measured",
					       "core_error_pct",
					       NULL };
	p004_columns(sheet, columns);
	return each_size(w, sheet, figure1_row);
}

static int figure2_row(struct paper_work *w, struct sheet *sheet, const char *device, int64_t n)
{
	struct p004_times strips, blocks;
	if (square(w, device, n, 4, &strips) ||
	    p004_times_of(w, &(struct p004_run){ device, n, n, 4, 1, true }, &blocks))
		return -1;
	begin_row(sheet, device, n);
	const double values[] = { blocks.kernel_s,
				  blocks.sync_s,
				  blocks.transfer_s,
				  blocks.communication_s,
				  blocks.elapsed_s,
				  strips.elapsed_s / blocks.elapsed_s,
				  strips.core_s / blocks.core_s,
				  blocks.transfer_s / strips.transfer_s };
	for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++)
		sheet_number(sheet, values[k], 3);
	return 0;
}

int p004_figure2(struct paper_work *w, struct sheet *sheet)
{
	static const char *const columns[] = {
		"device", "n",	  "kt_s",	"st_s",		"tt_s",
		"ct_s",	  "et_s", "et_speedup", "core_speedup", "transfer_over_strips",
		NULL
	};
	p004_columns(sheet, columns);
	return each_size(w, sheet, figure2_row);
}

static int shapes_row(struct paper_work *w, struct sheet *sheet, const char *device, int64_t n,
		      bool blocks)
{
	struct p004_times flat, tall;
	if (p004_times_of(w, &(struct p004_run){ device, n / 2, n, 4, 1, blocks }, &flat) ||
	    p004_times_of(w, &(struct p004_run){ device, n, n / 2, 4, 1, blocks }, &tall))
		return -1;
	begin_row(sheet, device, n);
	sheet_number(sheet, flat.elapsed_s, 3);
	sheet_number(sheet, tall.elapsed_s, 3);
	sheet_number(sheet, flat.elapsed_s / tall.elapsed_s, 3);
	sheet_number(sheet, flat.core_s / tall.core_s, 3);
	return 0;
}

static int figure6_row(struct paper_work *w, struct sheet *sheet, const char *device, int64_t n)
{
	return shapes_row(w, sheet, device, n, false);
}

static int figure7_row(struct paper_work *w, struct sheet *sheet, const char *device, int64_t n)
{
	return shapes_row(w, sheet, device, n, true);
}

static const char *const shape_columns[] = { "device",	 "n",	       "shape0_et_s", "shape2_et_s",
					     "et_ratio", "core_ratio", NULL };

int p004_figure6(struct paper_work *w, struct sheet *sheet)
{
	p004_columns(sheet, shape_columns);
	return each_size(w, sheet, figure6_row);
}

int p004_figure7(struct paper_work *w, struct sheet *sheet)
{
	p004_columns(sheet, shape_columns);
	return each_size(w, sheet, figure7_row);
}

static int figure9_row(struct paper_work *w, struct sheet *sheet, const char *device, int64_t n)
{
	struct p004_times t[3];
	for (uint32_t k = 0; k < 3; k++)
		if (square(w, device, n, 1u << k, &t[k]))
			return -1;
	begin_row(sheet, device, n);
	const double speedup[] = { t[0].elapsed_s / t[1].elapsed_s,
				   t[0].elapsed_s / t[2].elapsed_s,
				   t[1].elapsed_s / t[2].elapsed_s,
				   t[0].core_s / t[2].core_s,
				   t[1].core_s / t[2].core_s,
				   t[0].measured_core_s / t[2].measured_core_s,
				   t[1].measured_core_s / t[2].measured_core_s };
	for (size_t k = 0; k < sizeof(speedup) / sizeof(speedup[0]); k++)
		sheet_number(sheet, speedup[k], 3);
	return 0;
}

int p004_figure9(struct paper_work *w, struct sheet *sheet)
{
	static const char *const columns[] = { "device",
					       "n",
					       "et_2_over_1",
					       "et_4_over_1",
					       "et_4_over_2",
					       "core_4_over_1",
					       "core_4_over_2",
					       "core_4_over_1_measured",
					       "core_4_over_2_measured",
					       NULL };
	p004_columns(sheet, columns);
	return each_size(w, sheet, figure9_row);
}

static int figure10_row(struct paper_work *w, struct sheet *sheet, const char *device, int64_t n)
{
	struct p004_times t;
	if (square(w, device, n, 4, &t))
		return -1;
	begin_row(sheet, device, n);
	sheet_number(sheet, t.communication_s * 1e3 / P004_ITERATIONS, 3);
	sheet_number(sheet, 100 * t.sync_s / t.communication_s, 3);
	sheet_number(sheet, 100 * t.transfer_s / t.communication_s, 3);
	sheet_number(sheet, 100 * t.communication_s / t.elapsed_s, 3);
	return 0;
}

int p004_figure10(struct paper_work *w, struct sheet *sheet)
{
	static const char *const columns[] = { "device",       "n",	    "mct_ms", "sync_pct",
					       "transfer_pct", "of_et_pct", NULL };
	p004_columns(sheet, columns);
	return each_size(w, sheet, figure10_row);
}

int p004_figure11(struct paper_work *w, struct sheet *sheet)
{
	static const char *const columns[] = { "device", "n",	       "border",       "et_s",
					       "core_s", "et_speedup", "core_speedup", NULL };
	static const int64_t size[] = { 1000, 10000, 44000, 52000 };
	static const int border[] = { 1, 2, 4, 5, 8, 10, 20, 25, 40, 50, 100 };
	const char *const device[] = { P004_THEN, p004_today(w) };
	p004_columns(sheet, columns);
	for (size_t d = 0; d < sizeof(device) / sizeof(device[0]); d++)
		for (size_t s = 0; s < sizeof(size) / sizeof(size[0]); s++) {
			struct p004_times one, t;
			if (square(w, device[d], size[s], 4, &one))
				return -1;
			for (size_t b = 0; b < sizeof(border) / sizeof(border[0]); b++) {
				const struct p004_run run = { device[d], size[s],   size[s],
							      4,	 border[b], false };
				if (p004_times_of(w, &run, &t))
					return -1;
				begin_row(sheet, device[d], size[s]);
				sheet_text(sheet, "%d", border[b]);
				sheet_number(sheet, t.elapsed_s, 3);
				sheet_number(sheet, t.core_s, 3);
				sheet_number(sheet, one.elapsed_s / t.elapsed_s, 4);
				sheet_number(sheet, one.core_s / t.core_s, 4);
			}
		}
	return 0;
}

static int appendix_row(struct paper_work *w, struct sheet *sheet, const char *device, int64_t n)
{
	for (uint32_t gpus = 1; gpus <= 4; gpus *= 2) {
		struct p004_times t;
		char config[256];
		if (square(w, device, n, gpus, &t))
			return -1;
		snprintf(config, sizeof(config),
			 "size=%lldx%lld precision=f32 kernel=paper scheme=exact border=1 "
			 "transport=%s iterations=%d",
			 (long long)n, (long long)n, gpus > 1 ? "host" : "peer", P004_ITERATIONS);
		const struct measured_row *row =
			strcmp(device, p004_today(w))
				? NULL
				: measured_find(&w->runs.runs, w->runs.solver, config, (int)gpus);
		begin_row(sheet, device, n);
		sheet_text(sheet, "%u", gpus);
		sheet_number(sheet, t.elapsed_s, 3);
		sheet_number(sheet, row ? row->total_us * 1e-6 : NAN, 3);
		sheet_number(sheet, row ? row->core_us * 1e-6 : NAN, 3);
		sheet_number(sheet, row ? row->core_mad_us * 1e-6 : NAN, 2);
	}
	return 0;
}

int p004_appendix(struct paper_work *w, struct sheet *sheet)
{
	static const char *const columns[] = {
		"device",	   "n",		 "gpus", "et_s", "total_s_measured",
		"core_s_measured", "core_mad_s", NULL
	};
	p004_columns(sheet, columns);
	return each_size(w, sheet, appendix_row);
}
