/* SPDX-License-Identifier: MIT
 * Di et al., Figure 11 on machines of two and four GPUs: whole runs of multi-layer SSOR and of
 * red-black SOR side by side, and what had been answered of them before any was measured.
 */
#include "papers_000.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

#define ANSWERED_OWN "h200x4"
#define ANSWERED_OTHER "h200x4 with the device of h100x1"

struct two_gpus {
	struct p000_file measured, answered, counts;
};

static double number(const struct p000_file *file, long row, const char *column)
{
	double value;
	return row < 0 || parse_double(p000_cell(file, (size_t)row, column), &value) ? NAN : value;
}

/* The row of a run; -1: none. platform NULL: it has no such column. */
static long row_of(const struct p000_file *file, const char *platform, const char *config,
		   const char *gpus)
{
	char *keys[] = { xprintf("config=%s", config), xprintf("gpus=%s", gpus),
			 platform ? xprintf("platform=%s", platform) : NULL, NULL };
	const long row = p000_find(file, (const char *const *)keys);
	for (size_t k = 0; keys[k]; k++)
		free(keys[k]);
	return row;
}

/* Red-black SOR takes so many times as long, `scale` for the iterations that each needs. */
static double speed_up(const struct p000_file *file, const char *platform, const char *column,
		       const char *tiles, const char *colours, const char *gpus, double scale)
{
	return scale * number(file, row_of(file, platform, colours, gpus), column) /
	       number(file, row_of(file, platform, tiles, gpus), column);
}

static int side_of(const struct p000_file *file, size_t row)
{
	const char *said = strstr(p000_cell(file, row, "config"), " subdomain=");
	return said ? atoi(said + strlen(" subdomain=")) : 0;
}

static void line(const struct two_gpus *t, size_t row, struct sheet *sheet)
{
	const char *config = p000_cell(&t->measured, row, "config"),
		   *gpus = p000_cell(&t->measured, row, "gpus"),
		   *kernel = strstr(config, " kernel=") + strlen(" kernel=");
	const int size = atoi(config + strlen("size=")), side = side_of(&t->measured, row),
		  iterations = (int)number(&t->measured, (long)row, "iterations");
	const double scale = p000_layers(&t->counts, "RBSOR", "-", "-", "1") /
			     p000_side_layers(&t->counts, side);
	char *colours = p000_redblack_config(size, "1x1", 128, iterations);

	sheet_text(sheet, "%d", size - 2);
	sheet_text(sheet, "%s", gpus);
	sheet_text(sheet, "%.*s", (int)strcspn(kernel, " "), kernel);
	sheet_text(sheet, "%dx%dx%d", side / 2, side, side);
	sheet_number(sheet, number(&t->measured, (long)row, "core_us"), 5);
	sheet_number(sheet,
		     number(&t->measured, row_of(&t->measured, NULL, colours, gpus), "core_us"), 5);
	sheet_number(sheet, speed_up(&t->measured, NULL, "core_us", config, colours, gpus, scale),
		     3);
	sheet_number(
		sheet,
		speed_up(&t->answered, ANSWERED_OWN, "predicted_us", config, colours, gpus, scale),
		3);
	sheet_number(sheet,
		     speed_up(&t->answered, ANSWERED_OTHER, "predicted_us", config, colours, gpus,
			      scale),
		     3);
	const long answer = row_of(&t->answered, ANSWERED_OTHER, config, gpus);
	sheet_text(sheet, "%s",
		   answer < 0 || !*p000_cell(&t->answered, (size_t)answer, "note")
			   ? "-"
			   : p000_cell(&t->answered, (size_t)answer, "note"));
	free(colours);
}

static int compare(struct sheet *sheet, const char *machine, const char *measured,
		   const char *answered)
{
	static const char *const names[] = { "mesh",
					     "gpus",
					     "kernel",
					     "subdomain",
					     "mlssor_us",
					     "redblack_us",
					     "speedup_measured",
					     "speedup_answered_h200",
					     "speedup_answered_h100",
					     "mlssor_answer_h100",
					     NULL };
	struct two_gpus t = { 0 };
	int rc = p000_read(&t.measured, machine, measured) ||
				 p000_read(&t.answered, "h200x4", answered) ||
				 p000_read(&t.counts, "papers", "000_counts.tsv")
			 ? -1
			 : 0;
	for (int k = 0; names[k]; k++)
		sheet_column(sheet, "%s", names[k]);
	for (size_t row = 0; !rc && row < t.measured.rows; row++)
		if (side_of(&t.measured, row))
			line(&t, row, sheet);
	p000_release(&t.measured);
	p000_release(&t.answered);
	p000_release(&t.counts);
	return rc;
}

int p000_two_gpus(struct paper_work *w, struct sheet *sheet)
{
	(void)w;
	return compare(sheet, "h100x2", "papers_000.tsv", "mlssor_figure11_predicted.tsv");
}

int p000_four_gpus(struct paper_work *w, struct sheet *sheet)
{
	(void)w;
	return compare(sheet, "h200x4", "papers_000_four.tsv",
		       "mlssor_figure11_four_predicted.tsv");
}
