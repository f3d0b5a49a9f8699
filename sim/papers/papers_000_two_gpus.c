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
	struct text_table measured, answered, counts;
};

static double number(const struct text_table *file, long row, const char *column)
{
	double value;
	return row < 0 || parse_double(text_table_cell(file, (size_t)row, column), &value) ? NAN
											   : value;
}

/* The row of a run; -1: none. platform NULL: it has no such column. */
static long row_of(const struct text_table *file, const char *platform, const char *config,
		   const char *gpus)
{
	char *keys[] = { xprintf("config=%s", config), xprintf("gpus=%s", gpus),
			 platform ? xprintf("platform=%s", platform) : NULL, NULL };
	const long row = text_table_find(file, (const char *const *)keys);
	for (size_t k = 0; keys[k]; k++)
		free(keys[k]);
	return row;
}

/* Red-black SOR takes so many times as long, `scale` for the iterations that each needs. */
static double speed_up(const struct text_table *file, const char *platform, const char *column,
		       const char *tiles, const char *colours, const char *gpus, double scale)
{
	return scale * number(file, row_of(file, platform, colours, gpus), column) /
	       number(file, row_of(file, platform, tiles, gpus), column);
}

static char *column_of(const struct program *program, const struct text_table *file, size_t row,
		       const char *column)
{
	return program->column(text_table_cell(file, row, "solver"),
			       text_table_cell(file, row, "config"),
			       (uint32_t)number(file, (long)row, "gpus"), column);
}

/* 0: it has none. */
static int number_of(const struct program *program, const struct text_table *file, size_t row,
		     const char *column)
{
	char *text = column_of(program, file, row, column);
	const int value = text ? atoi(text) : 0;
	free(text);
	return value;
}

static void line(const struct program *program, const struct two_gpus *t, size_t row,
		 struct sheet *sheet)
{
	const char *config = text_table_cell(&t->measured, row, "config"),
		   *gpus = text_table_cell(&t->measured, row, "gpus");
	char *kernel = column_of(program, &t->measured, row, "kernel");
	const int size = number_of(program, &t->measured, row, "rows"),
		  side = number_of(program, &t->measured, row, "subdomain"),
		  iterations = (int)number(&t->measured, (long)row, "iterations");
	const double scale = p000_layers(&t->counts, "RBSOR", "-", "-", "1") /
			     p000_side_layers(&t->counts, side);
	char *colours = p000_redblack_config(size, "1x1", 128, iterations);

	sheet_text(sheet, "%d", size - 2);
	sheet_text(sheet, "%s", gpus);
	sheet_text(sheet, "%s", kernel);
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
		   answer < 0 || !*text_table_cell(&t->answered, (size_t)answer, "note")
			   ? "-"
			   : text_table_cell(&t->answered, (size_t)answer, "note"));
	free(colours);
	free(kernel);
}

static int compare(const struct program *program, struct sheet *sheet, const char *machine,
		   const char *measured, const char *answered)
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
	int rc = text_table_read(&t.measured, machine, measured) ||
				 text_table_read(&t.answered, "h200x4", answered) ||
				 text_table_read(&t.counts, "papers", "000_counts.tsv")
			 ? -1
			 : 0;
	for (int k = 0; names[k]; k++)
		sheet_column(sheet, "%s", names[k]);
	for (size_t row = 0; !rc && row < t.measured.rows; row++)
		if (number_of(program, &t.measured, row, "subdomain"))
			line(program, &t, row, sheet);
	text_table_release(&t.measured);
	text_table_release(&t.answered);
	text_table_release(&t.counts);
	return rc;
}

int p000_two_gpus(struct paper_work *w, struct sheet *sheet)
{
	return compare(w->runs.program, sheet, "h100x2", "papers_000.tsv",
		       "mlssor_figure11_predicted.tsv");
}

int p000_four_gpus(struct paper_work *w, struct sheet *sheet)
{
	return compare(w->runs.program, sheet, "h200x4", "papers_000_four.tsv",
		       "mlssor_figure11_four_predicted.tsv");
}
