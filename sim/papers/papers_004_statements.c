/* SPDX-License-Identifier: MIT
 * What the thesis says of its runs, each a row: as published, simulated on its machine, simulated
 * and, where it was, measured on today's.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers_004.h"
#include "text_table.h"
#include "traces/base/util.h"

/* What the statements ask of a machine; NaN: not known. */
struct facts {
	double et_over_kt;     /* most, from N = LARGE on */
	double exchange_share; /* transfers over elapsed time, most, from LARGE on */
	double kernel_share;   /* of the core loop, least, from LARGE on */
	double shape;	       /* most, either way */
	double best_4_over_1, best_4_over_2, at_8_gb;
	double four_from;   /* least N from which four GPUs are best at every larger one */
	double border_gain; /* most, from N = 10000 on */
	double sync_share;  /* synchronization over it and transfers, median below SMALL */
};
enum { LARGE = 8192, SMALL = 4000, EIGHT_GB = 44000 };

static void most(double *sofar, double value)
{
	if (!isnan(value) && (isnan(*sofar) || value > *sofar))
		*sofar = value;
}

static void least(double *sofar, double value)
{
	if (!isnan(value) && (isnan(*sofar) || value < *sofar))
		*sofar = value;
}

static int sizes(struct paper_work *w, const char *device, bool measured, struct facts *f)
{
	double sync[32];
	size_t small = 0;
	bool best = false;
	for (const int64_t *n = p004_sizes; *n; n++) {
		struct p004_times t[3], flat, tall;
		for (uint32_t k = 0; k < 3; k++)
			if (p004_times_of(w,
					  &(struct p004_run){ device, *n, *n, 1u << k, 1, false },
					  &t[k]))
				return -1;
		if (p004_times_of(w, &(struct p004_run){ device, *n / 2, *n, 4, 1, false },
				  &flat) ||
		    p004_times_of(w, &(struct p004_run){ device, *n, *n / 2, 4, 1, false }, &tall))
			return -1;
		double all[3];
		for (int k = 0; k < 3; k++)
			all[k] = measured ? t[k].measured_core_s : t[k].elapsed_s;
		most(&f->best_4_over_1, all[0] / all[2]);
		most(&f->best_4_over_2, all[1] / all[2]);
		if (*n == EIGHT_GB)
			f->at_8_gb = all[1] / all[2];
		if (!isnan(all[2]) && (all[0] / all[2] > 1 || isnan(all[0]))) {
			if (!best && !isnan(all[0]))
				f->four_from = (double)*n;
			best = true;
		} else if (!isnan(all[2])) {
			best = false;
			f->four_from = NAN;
		}
		if (measured)
			continue;
		const double ratio = flat.elapsed_s / tall.elapsed_s;
		most(&f->shape, fmax(ratio, 1 / ratio));
		if (*n >= LARGE) {
			most(&f->et_over_kt, t[2].elapsed_s / t[2].kernel_s);
			most(&f->exchange_share, t[2].transfer_s / t[2].elapsed_s);
			least(&f->kernel_share, t[2].kernel_s / t[2].core_s);
		} else if (*n < SMALL) {
			sync[small++] = t[2].sync_s / (t[2].sync_s + t[2].transfer_s);
		}
	}
	if (small)
		f->sync_share = median_of(sync, small);
	return 0;
}

static int borders(struct paper_work *w, const char *device, struct facts *f)
{
	static const int64_t size[] = { 10000, 44000, 52000 };
	static const int border[] = { 1, 2, 4, 5, 8, 10, 20, 25, 40, 50, 100 };
	for (size_t s = 0; s < sizeof(size) / sizeof(size[0]); s++) {
		double one = NAN;
		for (size_t b = 0; b < sizeof(border) / sizeof(border[0]); b++) {
			struct p004_times t;
			if (p004_times_of(w,
					  &(struct p004_run){ device, size[s], size[s], 4,
							      border[b], false },
					  &t))
				return -1;
			one = b ? one : t.elapsed_s;
			most(&f->border_gain, one / t.elapsed_s);
		}
	}
	return 0;
}

static int facts_of(struct paper_work *w, const char *device, bool measured, struct facts *f)
{
	*f = (struct facts){ NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	return sizes(w, device, measured, f) || (!measured && borders(w, device, f)) ? -1 : 0;
}

/* Each line of 004_published.tsv, by what it says. */
static double fact(const struct facts *f, const char *statement)
{
	const struct {
		const char *begins;
		double value;
	} known[] = {
		{ "elapsed time over kernel time", f->et_over_kt },
		{ "exchange of borders", f->exchange_share },
		{ "core loop is kernel bound", f->kernel_share },
		{ "Shape0 over Shape2", f->shape },
		{ "speed-up of four GPUs over one", f->best_4_over_1 },
		{ "speed-up of four GPUs over two at 8 GB", f->at_8_gb },
		{ "speed-up of four GPUs over two", f->best_4_over_2 },
		{ "smallest N from which four GPUs", f->four_from },
		{ "gain of the best border", f->border_gain },
		{ "synchronization is more", f->sync_share },
	};
	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
		if (!strncmp(statement, known[k].begins, strlen(known[k].begins)))
			return known[k].value;
	return NAN;
}

/* "about": within a fifth. */
static const char *holds(const char *how, double limit, double value)
{
	if (isnan(value))
		return "-";
	const bool yes = !strcmp(how, "at-most")    ? value <= limit
			 : !strcmp(how, "at-least") ? value >= limit
						    : fabs(value / limit - 1) <= 0.2;
	return yes ? "yes" : "no";
}

static int statement_row(struct sheet *sheet, const struct text_table *said, size_t row,
			 const struct facts facts[3])
{
	const char *where = text_table_cell(said, row, "where"),
		   *statement = text_table_cell(said, row, "statement"),
		   *how = text_table_cell(said, row, "holds"),
		   *number = text_table_cell(said, row, "limit");
	double limit;
	if (!where || !statement || !how || !number || parse_double(number, &limit) ||
	    (strcmp(how, "at-most") && strcmp(how, "at-least") && strcmp(how, "about")))
		return report("%s: row %zu is not a statement of 4 columns", said->path, row + 1);
	sheet_text(sheet, "%s", where);
	sheet_text(sheet, "%s", statement);
	sheet_text(sheet, "%s %g", how, limit);
	for (int k = 0; k < 3; k++) {
		const double value = fact(&facts[k], statement);
		sheet_number(sheet, value, 3);
		sheet_text(sheet, "%s", holds(how, limit, value));
	}
	return 0;
}

int p004_statements(struct paper_work *w, struct sheet *sheet)
{
	static const char *const columns[] = { "where",		 "statement",
					       "published",	 "s1070_simulated",
					       "s1070_holds",	 "today_simulated",
					       "today_holds",	 "today_measured",
					       "measured_holds", NULL };
	struct facts facts[3];
	if (facts_of(w, P004_THEN, false, &facts[0]) ||
	    facts_of(w, p004_today(w), false, &facts[1]) ||
	    facts_of(w, p004_today(w), true, &facts[2]))
		return -1;
	struct text_table said;
	int rc = text_table_read(&said, "papers", "004_published.tsv");
	p004_columns(sheet, columns);
	for (size_t row = 0; !rc && row < said.rows; row++)
		rc = statement_row(sheet, &said, row, facts);
	text_table_release(&said);
	return rc;
}
