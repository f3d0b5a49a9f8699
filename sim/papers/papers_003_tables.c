/* SPDX-License-Identifier: MIT
 * Chen et al.: statements, orders, errors.
 */
#include "papers_003.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/platform/platform_default.h"
#include "text_table.h"
#include "traces/base/util.h"

static void columns(struct sheet *sheet, const char *const *names)
{
	for (; *names; names++)
		sheet_column(sheet, "%s", *names);
}

/* ---- what the paper says ---- */

struct point {
	const char *solver, *scheme;
	int n, l, threads;
};
/* `left` is less than `factor` times `right`. */
struct statement {
	const char *text;
	struct point left, right;
	double factor;
	bool steps; /* are compared, not time */
};

#define P(scheme, n, l, t)                                                                         \
	{                                                                                          \
		"poisson", scheme, n, l, t                                                         \
	}
#define S(scheme, n, l, t)                                                                         \
	{                                                                                          \
		"shape", scheme, n, l, t                                                           \
	}
static const struct statement statements[] = {
	{ "Poisson: Base takes the fewest steps, fewer than 4W-combine-square", P("base", 1, 4, 32),
	  P("4w-combine-square", 60, 4, 32), 1, true },
	{ "Poisson: 4W-combine-square takes less than a third of Base's time",
	  P("4w-combine-square", 60, 4, 32), P("base", 1, 4, 32), 1.0 / 3, false },
	{ "Poisson: Coarse is faster than Base", P("coarse", 60, 4, 32), P("base", 1, 4, 32), 1,
	  false },
	{ "Poisson: 4W-square is faster than Coarse", P("4w-square", 60, 4, 32),
	  P("coarse", 60, 4, 32), 1, false },
	{ "Poisson: 4W-square is faster than 4W-stripe", P("4w-square", 60, 4, 32),
	  P("4w-stripe", 60, 4, 32), 1, false },
	{ "Poisson: 4W-stripe is faster than UD-stripe", P("4w-stripe", 60, 4, 32),
	  P("ud-stripe", 60, 4, 32), 1, false },
	{ "Poisson: 4W-square is faster than UD-square", P("4w-square", 60, 4, 32),
	  P("ud-square", 60, 4, 32), 1, false },
	{ "Poisson: UD-stripe can be faster than UD-square", P("ud-stripe", 60, 4, 32),
	  P("ud-square", 60, 4, 32), 1, false },
	{ "Poisson: combining is not noticed at l = 4 (10 %)", P("4w-combine-square", 60, 4, 32),
	  P("4w-square", 60, 4, 32), 1.1, false },
	{ "Poisson: and not the other way (10 %)", P("4w-square", 60, 4, 32),
	  P("4w-combine-square", 60, 4, 32), 1.1, false },
	{ "Poisson: 4W-square hardly notices n from 20 to 100 (20 %)", P("4w-square", 100, 4, 32),
	  P("4w-square", 20, 4, 32), 1.2, false },
	{ "3D-Shape: 4W-combine-square takes less than a third of Base's time",
	  S("4w-combine-square", 60, 4, 32), S("base", 1, 4, 32), 1.0 / 3, false },
	{ "3D-Shape: 4W-square is faster than 4W-stripe", S("4w-square", 60, 4, 32),
	  S("4w-stripe", 60, 4, 32), 1, false },
	{ "3D-Shape: 4W-stripe is faster than UD-stripe", S("4w-stripe", 60, 4, 32),
	  S("ud-stripe", 60, 4, 32), 1, false },
	{ "3D-Shape takes longer than Poisson, about twice (1.5 to 2.5)",
	  P("4w-combine-square", 60, 4, 32), S("4w-combine-square", 60, 4, 32), 1 / 1.5, false },
	{ "and not more than that", S("4w-combine-square", 60, 4, 32),
	  P("4w-combine-square", 60, 4, 32), 2.5, false },
	{ "3D-Shape: l = 4 is faster than l = 1, 4W-square", S("4w-square", 60, 4, 32),
	  S("4w-square", 60, 1, 32), 1, false },
	{ "3D-Shape: l = 4 is faster than l = 2, 4W-square", S("4w-square", 60, 4, 32),
	  S("4w-square", 60, 2, 32), 1, false },
	{ "3D-Shape: l = 4 is faster than l = 8, 4W-square", S("4w-square", 60, 4, 32),
	  S("4w-square", 60, 8, 32), 1, false },
	{ "Poisson: l = 4 is faster than l = 1, 4W-square", P("4w-square", 60, 4, 32),
	  P("4w-square", 60, 1, 32), 1, false },
	{ "Poisson: l = 4 is faster than l = 8, 4W-square", P("4w-square", 60, 4, 32),
	  P("4w-square", 60, 8, 32), 1, false },
	{ "3D-Shape: at l = 1 combining is faster by more than 10 %",
	  S("4w-combine-square", 60, 1, 32), S("4w-square", 60, 1, 32), 0.9, false },
	{ "3D-Shape: at l = 1 128 threads win over 32", S("4w-square", 60, 1, 128),
	  S("4w-square", 60, 1, 32), 1, false },
	{ "3D-Shape: at l = 1 none win over 32", S("4w-square", 60, 1, 0),
	  S("4w-square", 60, 1, 32), 1, false },
	{ "3D-Shape: at l = 4 32 threads win over none", S("4w-square", 60, 4, 32),
	  S("4w-square", 60, 4, 0), 1, false },
	{ "Poisson: at l = 1 128 threads win over 32", P("4w-square", 60, 1, 128),
	  P("4w-square", 60, 1, 32), 1, false },
	{ "Poisson: at l = 1 none win over 32", P("4w-square", 60, 1, 0), P("4w-square", 60, 1, 32),
	  1, false },
	{ "Poisson: at l = 4 32 threads win over none", P("4w-square", 60, 4, 32),
	  P("4w-square", 60, 4, 0), 1, false },
};
#undef P
#undef S

static double value_of(const struct p003_data *d, const char *by, int resident,
		       const struct point *p, bool steps)
{
	const struct p003_row *row =
		p003_find(d, by, p->solver, p->scheme, p->n, p->l, p->threads, resident);
	return !row ? NAN : steps ? row->steps[1] : row->us[1];
}

#define TIE 0.005 /* so near one holds neither way */

int p003_statements(struct paper_work *w, struct sheet *sheet)
{
	static const char *const names[] = {
		"statement", "ratio_30",  "holds_30",	       "ratio_cosim",	    "holds_cosim",
		"ratio_all", "holds_all", "ratio_c1060_cosim", "holds_c1060_cosim", NULL
	};
	static const struct {
		const char *by;
		int resident;
	} who[] = { { "measured", 30 }, { "h200", 30 }, { "measured", 0 }, { "c1060", 30 } };
	struct p003_data d;
	columns(sheet, names);
	const int rc = p003_read(&d, w->runs.program);
	for (size_t k = 0; !rc && k < sizeof(statements) / sizeof(statements[0]); k++) {
		const struct statement *s = &statements[k];
		sheet_text(sheet, "%s", s->text);
		for (size_t j = 0; j < sizeof(who) / sizeof(who[0]); j++) {
			const double ratio =
				value_of(&d, who[j].by, who[j].resident, &s->left, s->steps) /
				value_of(&d, who[j].by, who[j].resident, &s->right, s->steps);
			sheet_number(sheet, ratio, 3);
			sheet_text(sheet, "%s",
				   isnan(ratio)			       ? "-"
				   : fabs(ratio / s->factor - 1) < TIE ? "tie"
				   : ratio < s->factor		       ? "yes"
								       : "no");
		}
	}
	p003_release(&d);
	return rc;
}

/* ---- orders ---- */

/* A figure's points: those that share what it does not vary. */
static bool of_figure(const struct p003_row *r, int figure)
{
	const bool four = r->l == 4 || !strcmp(r->scheme, "base") || !strcmp(r->scheme, "coarse");
	switch (figure) {
	case 0: /* none: the second blind ones, whatever they vary */
		return !strcmp(r->split, "blind-2");
	case 1: /* and the third */
		return !strcmp(r->split, "blind-3");
	case 2: /* and the fourth */
		return !strcmp(r->split, "blind-4");
	case 3: /* and the fifth */
		return !strcmp(r->split, "blind-5");
	case 7:
		return four && r->threads == 32;
	case 11:
		return r->n == 60 && r->threads == 32 && strstr(r->scheme, "square");
	default:
		return r->n == 60 && (r->l == 1 || r->l == 4) && strstr(r->scheme, "4w") &&
		       strstr(r->scheme, "square");
	}
}

struct orders {
	long pairs, right, apart, apart_right;
};

/* Pairs whose measured times overlap have no order to predict; they count apart. */
static void count_pairs(const struct p003_data *d, const char *by, const char *solver, int resident,
			int figure, bool steps, struct orders *o)
{
	*o = (struct orders){ 0 };
	for (size_t a = 0; a < d->count; a++)
		for (size_t b = a + 1; b < d->count; b++) {
			const struct p003_row *x = &d->row[a], *y = &d->row[b];
			if (strcmp(x->by, "measured") || strcmp(y->by, "measured") ||
			    strcmp(x->solver, solver) || strcmp(y->solver, solver) ||
			    x->resident != resident || y->resident != resident ||
			    !of_figure(x, figure) || !of_figure(y, figure))
				continue;
			const struct p003_row *p = p003_find(d, by, solver, x->scheme, x->n, x->l,
							     x->threads, resident),
					      *q = p003_find(d, by, solver, y->scheme, y->n, y->l,
							     y->threads, resident);
			if (!p || !q)
				continue;
			const double *vx = steps ? x->steps : x->us, *vy = steps ? y->steps : y->us;
			const double same = (vx[1] - vy[1]) * (steps ? p->steps[1] - q->steps[1]
								     : p->us[1] - q->us[1]);
			const bool apart = vx[2] < vy[0] || vy[2] < vx[0];
			o->pairs++;
			o->right += same > 0;
			o->apart += apart;
			o->apart_right += apart && same > 0;
		}
}

int p003_pairs(struct paper_work *w, struct sheet *sheet)
{
	static const char *const names[] = { "figure",	    "solver",	       "resident",
					     "of",	    "pairs",	       "right_pct",
					     "pairs_apart", "right_apart_pct", NULL };
	static const struct {
		int number;
		const char *name[2]; /* of Poisson, of 3D-Shape */
		bool all;	     /* with all blocks not only the schemes were varied */
		const char *by;	     /* what answered */
	} figures[] = { { 7, { "7, 8", "9, 10" }, true, "h200" },
			{ 11, { "11 to 13", "11 to 13" }, false, "h200" },
			{ 14, { "14", "14" }, false, "h200" },
			{ 0, { "blind-2", "blind-2" }, true, "h200" },
			{ 1, { "blind-3", "blind-3" }, true, "h200" },
			{ 2, { "blind-4", "blind-4" }, true, "blind-4" },
			{ 3, { "blind-5", "blind-5" }, true, "blind-5" } };
	static const char *const solvers[] = { "poisson", "shape" };
	struct p003_data d;
	columns(sheet, names);
	const int rc = p003_read(&d, w->runs.program);
	for (size_t f = 0; !rc && f < sizeof(figures) / sizeof(figures[0]); f++)
		for (size_t s = 0; s < 2; s++)
			for (int resident = 30; resident >= 0; resident -= 30)
				for (int steps = 1; steps >= 0; steps--) {
					struct orders o;
					count_pairs(&d, figures[f].by, solvers[s], resident,
						    figures[f].number, steps, &o);
					if (!o.pairs || (!resident && !figures[f].all))
						continue;
					sheet_text(sheet, "%s", figures[f].name[s]);
					sheet_text(sheet, "%s", solvers[s]);
					sheet_text(sheet, "%s", resident ? "30" : "all");
					sheet_text(sheet, "%s", steps ? "steps" : "time");
					sheet_text(sheet, "%ld", o.pairs);
					sheet_number(sheet,
						     100.0 * (double)o.right / (double)o.pairs, 3);
					sheet_text(sheet, "%ld", o.apart);
					sheet_number(sheet,
						     o.apart ? 100.0 * (double)o.apart_right /
								       (double)o.apart
							     : NAN,
						     3);
				}
	p003_release(&d);
	return rc;
}

/* ---- errors ---- */

struct errors {
	double *steps, *us;
	size_t count, capacity, us_count, us_capacity;
	long runs, runs_in, us_in;
};

static void add_error(struct errors *e, const struct p003_row *m, const struct p003_row *s)
{
	GROW(e->steps, e->count, e->capacity);
	GROW(e->us, e->us_count, e->us_capacity);
	e->steps[e->count++] = 100 * fabs(s->steps[1] / m->steps[1] - 1);
	e->us[e->us_count++] = 100 * fabs(s->us[1] / m->us[1] - 1);
	for (int k = 0; k < m->runs; k++) {
		e->runs++;
		e->runs_in += m->each_steps[k] >= s->steps[0] && m->each_steps[k] <= s->steps[2];
		e->us_in += m->each_us[k] >= s->us[0] && m->each_us[k] <= s->us[2];
	}
}

static double share_below(const double *values, size_t count, double limit)
{
	size_t below = 0;
	for (size_t k = 0; k < count; k++)
		below += values[k] <= limit;
	return 100 * (double)below / (double)count;
}

static void put_errors(struct sheet *sheet, struct errors *e)
{
	sheet_text(sheet, "%zu", e->count);
	sheet_number(sheet, share_below(e->steps, e->count, 5), 3);
	sheet_number(sheet, share_below(e->us, e->us_count, 10), 3);
	sheet_number(sheet, median_of(e->steps, e->count), 2);
	sheet_number(sheet, quantile_of(e->steps, e->count, 1), 2);
	sheet_number(sheet, median_of(e->us, e->us_count), 2);
	sheet_number(sheet, quantile_of(e->us, e->us_count, 1), 2);
	sheet_number(sheet, 100 * (double)e->runs_in / (double)e->runs, 3);
	sheet_number(sheet, 100 * (double)e->us_in / (double)e->runs, 3);
}

int p003_accuracy(struct paper_work *w, struct sheet *sheet)
{
	static const char *const names[] = { "solver",
					     "resident",
					     "split",
					     "n",
					     "steps_within_5_pct",
					     "time_within_10_pct",
					     "steps_median_pct",
					     "steps_max_pct",
					     "time_median_pct",
					     "time_max_pct",
					     "runs_steps_in_interval_pct",
					     "runs_time_in_interval_pct",
					     NULL };
	static const char *const solvers[] = { "poisson", "shape" };
	/* What was answered then, and of what has been looked at since what is answered today. */
	static const struct {
		const char *name, *split, *by;
	} splits[] = {
		{ "development", "development", "h200" }, { "blind", "blind", "h200" },
		{ "blind-2", "blind-2", "h200" },	  { "blind-2 today", "blind-2", "today" },
		{ "blind-3", "blind-3", "h200" },	  { "blind-3 again", "blind-3", "again" },
		{ "blind-3 today", "blind-3", "today" },  { "blind-4", "blind-4", "blind-4" },
		{ "blind-5", "blind-5", "blind-5" }
	};
	enum { SPLITS = sizeof(splits) / sizeof(splits[0]) };
	struct p003_data d;
	columns(sheet, names);
	const int rc = p003_read(&d, w->runs.program);
	for (int group = 0; !rc && group < 4 * SPLITS; group++) {
		const char *solver = solvers[group / SPLITS / 2],
			   *split = splits[group % SPLITS].split;
		const int resident = group / SPLITS % 2 ? 0 : 30;
		struct errors e = { 0 };
		for (size_t k = 0; k < d.count; k++) {
			const struct p003_row *m = &d.row[k];
			const struct p003_row *s =
				p003_find(&d, splits[group % SPLITS].by, m->solver, m->scheme, m->n,
					  m->l, m->threads, m->resident);
			if (s && !strcmp(m->by, "measured") && !strcmp(m->solver, solver) &&
			    !strcmp(m->split, split) && m->resident == resident)
				add_error(&e, m, s);
		}
		if (e.count) {
			sheet_text(sheet, "%s", solver);
			sheet_text(sheet, "%s", resident ? "30" : "all");
			sheet_text(sheet, "%s", splits[group % SPLITS].name);
			put_errors(sheet, &e);
		}
		free(e.steps);
		free(e.us);
	}
	p003_release(&d);
	return rc;
}

/* ---- what the paper could not have ---- */

int p003_whole(struct paper_work *w, struct sheet *sheet)
{
	static const char *const names[] = { "solver",		 "scheme", "n",	 "l",
					     "threads",		 "steps",  "ms", "us_step",
					     "faster_than_base", NULL };
	struct p003_data d;
	columns(sheet, names);
	const int rc = p003_read(&d, w->runs.program);
	for (size_t k = 0; !rc && k < d.count; k++) {
		const struct p003_row *r = &d.row[k];
		const struct p003_row *base =
			p003_find(&d, "measured", r->solver, "base", 1, 4, 32, 0);
		if (strcmp(r->split, "whole") || !base)
			continue;
		sheet_text(sheet, "%s", r->solver);
		sheet_text(sheet, "%s", r->scheme);
		sheet_text(sheet, "%d", r->n);
		sheet_text(sheet, "%d", r->l);
		sheet_text(sheet, "%d", r->threads);
		sheet_number(sheet, r->steps[1], 4);
		sheet_number(sheet, r->us[1] * 1e-3, 3);
		sheet_number(sheet, r->us[1] / r->steps[1], 3);
		sheet_number(sheet, base->us[1] / r->us[1], 3);
	}
	p003_release(&d);
	return rc;
}

/* ---- Figure 2 ---- */

int p003_search(struct paper_work *w, struct sheet *sheet)
{
	static const char *const names[] = { "edges_per_vertex", "levels",	    "us_block",
					     "us_host",		 "host_over_block", NULL };
	struct text_table f;
	(void)w;
	columns(sheet, names);
	int rc = text_table_read(&f, PLATFORM_DEFAULT, "papers_003_bfs.tsv");
	for (size_t k = 0; !rc && k < f.rows; k++) {
		const double block = atof(text_table_cell(&f, k, "us_block")),
			     host = atof(text_table_cell(&f, k, "us_host"));
		sheet_number(sheet, atof(text_table_cell(&f, k, "edges_per_vertex")), 3);
		sheet_text(sheet, "%s", text_table_cell(&f, k, "levels"));
		sheet_number(sheet, block, 3);
		sheet_number(sheet, host, 3);
		sheet_number(sheet, host / block, 3);
	}
	text_table_release(&f);
	return rc;
}
