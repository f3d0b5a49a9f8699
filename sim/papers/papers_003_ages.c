/* SPDX-License-Identifier: MIT
 * Chen et al.: how many steps the borders were behind that blocks read.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/platform/platform_default.h"
#include "text_table.h"
#include "papers_003.h"
#include "traces/base/util.h"

static const char *const age_key[] = { "scheme", "l", "resident", "split", NULL };

static bool same_run(const struct text_table *f, size_t k, const struct text_table *g, size_t j)
{
	bool same = true;
	for (int c = 0; age_key[c]; c++)
		same &= !strcmp(text_table_cell(f, k, age_key[c]),
				text_table_cell(g, j, age_key[c]));
	return same;
}

enum { AGES = 1024 }; /* from -512 */

/* Shares of one run's ages, of a column; their mean. */
static double read_ages(const struct text_table *f, const char *column, const struct text_table *of,
			size_t run, double share[AGES], double *total)
{
	double mean = 0;
	memset(share, 0, AGES * sizeof(*share));
	*total = 0;
	for (size_t k = 0; k < f->rows; k++) {
		const long age = atol(text_table_cell(f, k, "age")) + AGES / 2;
		if (age < 0 || age >= AGES || !same_run(f, k, of, run))
			continue;
		share[age] += atof(text_table_cell(f, k, column));
		*total += atof(text_table_cell(f, k, column));
	}
	for (int k = 0; k < AGES; k++) {
		share[k] /= *total;
		mean += share[k] * (k - AGES / 2);
	}
	return mean;
}

/* Total variation. */
static double distance(const double *a, const double *b)
{
	double apart = 0;
	for (int k = 0; k < AGES; k++)
		apart += fabs(a[k] - b[k]) / 2;
	return apart;
}

static void put_ages(struct sheet *sheet, const struct text_table *f,
		     const struct text_table *today)
{
	double *share = xcalloc(3 * AGES, sizeof(*share));
	for (size_t k = 0; k < f->rows; k++) {
		double borders, all;
		if (k && same_run(f, k, f, k - 1))
			continue; /* rows of one run stand together */
		for (int c = 0; age_key[c]; c++)
			sheet_text(sheet, "%s", text_table_cell(f, k, age_key[c]));
		const double measured = read_ages(f, "measured", f, k, share, &borders),
			     then = read_ages(f, "cosimulated", f, k, share + AGES, &all),
			     now = read_ages(today, "cosimulated", f, k, share + 2 * AGES, &all);
		sheet_text(sheet, "%.0f", borders);
		sheet_number(sheet, measured, 3);
		sheet_number(sheet, then, 3);
		sheet_number(sheet, distance(share, share + AGES), 3);
		sheet_number(sheet, now, 3);
		sheet_number(sheet, distance(share, share + 2 * AGES), 3);
	}
	free(share);
}

int p003_ages(struct paper_work *w, struct sheet *sheet)
{
	static const char *const names[] = { "scheme",		"l",	     "resident",
					     "split",		"borders",   "mean_age",
					     "mean_age_cosim",	"variation", "mean_age_today",
					     "variation_today", NULL };
	struct text_table f = { 0 }, other = { 0 }, today = { 0 };
	(void)w;
	for (size_t k = 0; names[k]; k++)
		sheet_column(sheet, "%s", names[k]);
	const int rc = text_table_read(&f, PLATFORM_DEFAULT, "papers_003_ages.tsv") ||
				       text_table_read(&other, "h100x1", "papers_003_ages.tsv") ||
				       text_table_read(&today, PLATFORM_DEFAULT,
						       "papers_003_ages_today.tsv")
			       ? -1
			       : 0;
	if (!rc) {
		put_ages(sheet, &f, &today);
		put_ages(sheet, &other, &today);
	}
	text_table_release(&f);
	text_table_release(&other);
	text_table_release(&today);
	return rc;
}
