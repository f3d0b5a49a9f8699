/* SPDX-License-Identifier: MIT
 * Single sweeps: table 2 of Cotronis et al., and why one kernel is faster than another.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "papers_002.h"

static const struct p002_line sweep_lines[] = {
	{ "gtx480", "1", NULL },	{ "gtx480", "2", NULL },
	{ "gtx480", "3", NULL },	{ P002_TODAY, "1", NULL },
	{ P002_TODAY, "2", NULL },	{ P002_TODAY, "3", NULL },
	{ P002_TODAY, "tuned4", NULL }, { 0 },
};

/* Red points inside the boundary. */
static double points(const struct p002_place *at)
{
	return (double)(at->size - 2) * (at->size - 2) / 2;
}

enum { TIME, READ, WRITTEN, BANDWIDTH, RATE, REGISTERS, OCCUPANCY, COLUMNS };
static const struct {
	const char *name;
	int digits;
} columns[COLUMNS] = {
	{ "time_us", 5 },     { "read_mb", 4 },	  { "written_mb", 4 }, { "gb_per_s", 4 },
	{ "melem_per_s", 4 }, { "registers", 1 }, { "occupancy", 3 },
};

/* What one source knows of a sweep; NaN = not known. */
struct sweep {
	double value[COLUMNS];
};

static struct sweep sweep_of(const struct p002_place *at, double us, double read_bytes,
			     double write_bytes, double registers, double occupancy)
{
	return (struct sweep){ { us, read_bytes * 1e-6, write_bytes * 1e-6,
				 (read_bytes + write_bytes) / us * 1e-3, points(at) / us, registers,
				 occupancy } };
}

static double number(const struct paper_work *w, const struct p002_place *at, const char *device,
		     const char *kernel, const char *quantity)
{
	const struct published_row like = {
		.table = at->table, .problem = at->problem, .size = at->size, .re = at->re
	};
	const struct published_row *row =
		published_find(&w->published, &like, device, kernel, quantity);
	return row ? row->value : NAN;
}

/* The counters saw one partition; the paper makes bytes of them with 64 for each sector. */
static struct sweep published_sweep(const struct paper_work *w, const struct p002_place *at,
				    const char *device, const char *kernel)
{
	return sweep_of(at, number(w, at, device, kernel, "time"),
			64 * number(w, at, device, kernel, "read sectors"),
			64 * number(w, at, device, kernel, "write sectors"),
			number(w, at, device, kernel, "registers"),
			number(w, at, device, kernel, "occupancy"));
}

/* A measured time is that from one launch to the next, and is compared with such a one. */
static int table2_row(struct paper_work *w, const struct p002_place *at,
		      const struct p002_line *line, struct sheet *sheet)
{
	const char *device = p002_device(w, line);
	struct paper_launch l;
	char *config = p002_config(at, line, 0);
	int rc = paper_explain(&w->runs, device, config, NULL, &l);
	if (!rc) {
		bool today = !line->device;
		const double registers = l.answer.profile->registers;
		const struct sweep by[P002_SOURCES] = {
			published_sweep(w, at, device, line->kernel),
			today ? sweep_of(at, paper_measured_launch_us(&w->runs, config),
					 l.counted_read_bytes, l.counted_write_bytes, registers,
					 NAN)
			      : sweep_of(at, NAN, NAN, NAN, NAN, NAN),
			sweep_of(at, today ? l.period_us : l.duration_us, l.read_bytes,
				 l.write_bytes, registers, (double)l.warps / l.warp_slots),
		};
		const double known = by[today ? P002_MEASURED : P002_PUBLISHED].value[TIME],
			     simulated = by[P002_SIMULATED].value[TIME];
		sheet_text(sheet, "%s", device);
		sheet_text(sheet, "%s", line->kernel);
		for (int c = 0; c < COLUMNS; c++)
			for (int s = 0; s < P002_SOURCES; s++)
				sheet_number(sheet, by[s].value[c], columns[c].digits);
		sheet_percent(sheet, 100 * (simulated / known - 1));
		paper_compare(w, &(struct paper_comparison){ at->table, at->problem, at->size,
							     at->re, known, simulated, device,
							     line->kernel, "us a sweep" });
	}
	free(config);
	return rc;
}

static int table2_place(struct paper_work *w, const struct p002_place *at, void *sheet)
{
	for (const struct p002_line *line = sweep_lines; line->kernel; line++)
		if (table2_row(w, at, line, sheet))
			return -1;
	return 0;
}

int p002_table2(struct paper_work *w, struct sheet *sheet)
{
	static const char *const source_names[P002_SOURCES] = { "published", "measured",
								"simulated" };
	sheet_column(sheet, "device");
	sheet_column(sheet, "kernel");
	for (int c = 0; c < COLUMNS; c++)
		for (int s = 0; s < P002_SOURCES; s++)
			sheet_column(sheet, "%s_%s", columns[c].name, source_names[s]);
	sheet_column(sheet, "error_pct");
	int rc = p002_places(w, 2, table2_place, sheet);
	w->compared |= 1u << 2;
	return rc;
}

static void print_waits(struct sheet *sheet, const double stalled[STALL_REASON_COUNT])
{
	char *text = xstrdup("");
	bool named[STALL_REASON_COUNT] = { false };
	for (int n = 0; n < 3; n++) {
		int most = -1;
		for (int k = 0; k < STALL_REASON_COUNT; k++)
			if (!named[k] && (most < 0 || stalled[k] > stalled[most]))
				most = k;
		named[most] = true;
		if (n && stalled[most] < 0.05)
			break;
		char *longer = xprintf("%s%s%s %.0f %%", text, n ? ", " : "",
				       stall_reason_name[most], 100 * stalled[most]);
		free(text);
		text = longer;
	}
	sheet_text(sheet, "%s", text);
	free(text);
}

static int bounds_row(struct paper_work *w, const struct p002_place *at,
		      const struct p002_line *line, struct sheet *sheet)
{
	struct paper_launch l, lifted;
	char *config = p002_config(at, line, 0);
	int rc = paper_explain(&w->runs, p002_device(w, line), config, NULL, &l);
	if (!rc) {
		sheet_text(sheet, "%s", p002_device(w, line));
		sheet_text(sheet, "%d", at->size);
		sheet_text(sheet, "%s", line->kernel);
		sheet_number(sheet, l.duration_us, 4);
		sheet_text(sheet, "%d of %d", l.warps, l.warp_slots);
		print_waits(sheet, l.answer.grid.stalled);
	}
	for (const struct ideal_part *part = ideal_parts; !rc && part->name; part++) {
		rc = paper_explain(&w->runs, p002_device(w, line), config, part, &lifted);
		if (!rc)
			sheet_percent(sheet, 100 * (lifted.duration_us / l.duration_us - 1));
	}
	free(config);
	return rc;
}

int p002_bounds(struct paper_work *w, struct sheet *sheet)
{
	static const struct p002_place places[] = { { 0, 2, 2002, 10, "as-run" },
						    { 0, 2, 4002, 10, "as-run" } };
	static const char *const keys[] = { "device",  "size",	"kernel",
					    "time_us", "warps", "warps_wait_for" };
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		sheet_column(sheet, "%s", keys[k]);
	for (const struct ideal_part *part = ideal_parts; part->name; part++)
		sheet_column(sheet, "%s", part->name);
	for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++)
		for (const struct p002_line *line = sweep_lines; line->kernel; line++)
			if (bounds_row(w, &places[p], line, sheet))
				return -1;
	return 0;
}
