/* SPDX-License-Identifier: MIT
 * J. Chen, Z. Huang, F. Su, J.-K. Peir, J. Ho, L. Peng, "Weak Execution Ordering - Exploiting
 * Iterative Methods on Many-Core GPUs": its figures, which print no numbers, as they are measured
 * on an H200 (with 30 blocks resident, as on the paper's Tesla C1060, and with all of them), and
 * co-simulated for both. Co-simulations take minutes, so their answers ship.
 */
#include "papers_003.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

static void columns(struct sheet *sheet, const char *const *names)
{
	for (; *names; names++)
		sheet_column(sheet, "%s", *names);
}

static void put(struct sheet *sheet, const struct p003_row *row)
{
	sheet_number(sheet, row ? row->steps[1] : NAN, 4);
	sheet_number(sheet, row ? row->us[1] * 1e-3 : NAN, 3);
}

/* Who answers, in the order of columns. */
static const struct {
	const char *by;
	int resident;
} answers[] = {
	{ "measured", 30 }, { "h200", 30 }, { "measured", 0 }, { "h200", 0 }, { "c1060", 30 }
};
enum { ANSWERS = sizeof(answers) / sizeof(answers[0]) };

struct setting {
	const char *solver, *scheme;
	int n, l, threads;
};

static void put_curve(const struct p003_data *d, struct sheet *sheet, const struct setting *c)
{
	const struct p003_row *row[ANSWERS];
	bool any = false;
	for (int k = 0; k < ANSWERS; k++) {
		row[k] = p003_find(d, answers[k].by, c->solver, c->scheme, c->n, c->l, c->threads,
				   answers[k].resident);
		any |= !!row[k];
	}
	if (!any)
		return;
	sheet_text(sheet, "%s", c->scheme);
	sheet_text(sheet, "%d", c->n);
	sheet_text(sheet, "%d", c->l);
	sheet_text(sheet, "%d", c->threads);
	for (int k = 0; k < ANSWERS; k++)
		put(sheet, row[k]);
}

static const char *const curve_columns[] = { "scheme",
					     "n",
					     "l",
					     "threads",
					     "steps_30",
					     "ms_30",
					     "steps_30_cosim",
					     "ms_30_cosim",
					     "steps_all",
					     "ms_all",
					     "steps_all_cosim",
					     "ms_all_cosim",
					     "steps_c1060_cosim",
					     "ms_c1060_cosim",
					     NULL };

/* What a figure varies; lists end with 0, but for threads', which end with -1. */
struct curves {
	const char *names; /* of schemes: they have all these words in them, one after the other */
	int n[8], l[8], threads[8];
};
static const struct curves by_interval = { "", { 10, 20, 40, 60, 80, 100 }, { 4 }, { 32, -1 } },
			   by_exchange = { "square", { 60 }, { 1, 2, 4, 6, 8, 10 }, { 32, -1 } },
			   by_threads = { "4w square", { 60 }, { 1, 4 }, { 0, 32, 64, 128, -1 } };

static bool has_words(const char *text, const char *words)
{
	char word[16];
	int length = 0;
	for (; sscanf(words, "%15s%n", word, &length) == 1; words += length)
		if (!strstr(text, word))
			return false;
	return true;
}

static void put_curves(const struct p003_data *d, struct sheet *sheet, const char *solver,
		       const char *scheme, const struct curves *c)
{
	const bool base = !strcmp(scheme, "base"); /* which does not vary n */
	for (int l = 0; c->l[l]; l++)
		for (int n = 0; c->n[n] && !(base && n); n++)
			for (int t = 0; c->threads[t] >= 0; t++)
				put_curve(d, sheet,
					  &(struct setting){ solver, scheme, base ? 1 : c->n[n],
							     c->l[l], c->threads[t] });
}

static int figure(struct paper_work *w, struct sheet *sheet, const char *solver,
		  const struct curves *curves)
{
	struct p003_data d;
	columns(sheet, curve_columns);
	const int rc = p003_read(&d, w->runs.program);
	for (size_t s = 0; !rc && p003_schemes[s]; s++)
		if (has_words(p003_schemes[s], curves->names))
			put_curves(&d, sheet, solver, p003_schemes[s], curves);
	p003_release(&d);
	return rc ? -1 : 0;
}

#define FIGURE(name, solver, curves)                                                               \
	static int name(struct paper_work *w, struct sheet *sheet)                                 \
	{                                                                                          \
		return figure(w, sheet, solver, &curves);                                          \
	}
FIGURE(figure7, "poisson", by_interval)
FIGURE(figure9, "shape", by_interval)
FIGURE(figure11, "shape", by_exchange)
FIGURE(figure11_poisson, "poisson", by_exchange)
FIGURE(figure14, "shape", by_threads)
FIGURE(figure14_poisson, "poisson", by_threads)
#undef FIGURE

static const struct paper_table tables[] = {
	{ "statements", "What the paper says, and whether it holds", p003_statements },
	{ "figure2", "Figure 2: breadth-first search, the host or the block as barrier",
	  p003_search },
	{ "figure7", "Figures 7 and 8: Poisson by the interval n of host synchronization",
	  figure7 },
	{ "figure9", "Figures 9 and 10: 3D-Shape by the interval n of host synchronization",
	  figure9 },
	{ "figure11", "Figures 11 to 13: 3D-Shape by the interval l of exchange", figure11 },
	{ "figure11p", "The same of Poisson", figure11_poisson },
	{ "figure14", "Figure 14: 3D-Shape by the number of communication threads", figure14 },
	{ "figure14p", "The same of Poisson", figure14_poisson },
	{ "pairs", "Orders of two configurations of one figure, co-simulated as measured",
	  p003_pairs },
	{ "accuracy", "Co-simulated against measured, on an H200", p003_accuracy },
	{ "ages", "How many steps the borders were behind: distance of distributions", p003_ages },
	{ "whole", "What the paper could not have: one H200, all blocks", p003_whole },
	{ 0 },
};

const struct paper paper_003 = { .name = "003",
				 .solver = "poisson",
				 .tables = tables,
				 .measured = "papers_003.tsv",
				 .reads_own = true };
