/* SPDX-License-Identifier: MIT
 * Tables 1, 3 and 4 of Cotronis et al. and their figure 1: the same runs, in the columns that each
 * of them has.
 */
#include <math.h>

#include "papers_002.h"

/* A group of columns: what it is called, the quantity, the sources it has. */
struct column {
	const char *name;
	enum p002_quantity quantity;
	bool has[P002_SOURCES];
};

static const struct column iterations = { "iterations", P002_ITERATIONS, { true, true, false } };
static const struct column computation = { "computation_s",
					   P002_COMPUTATION,
					   { true, true, true } };
static const struct column execution = { "execution_s", P002_EXECUTION, { true, true, true } };
static const struct column iteration = { "iteration_ms", P002_ITERATION, { true, true, true } };
static const struct column rate = { "melem_per_s", P002_RATE, { true, true, true } };
static const struct column speedup = { "speedup", P002_SPEEDUP, { true, true, true } };

struct layout {
	const struct column *columns[6]; /* ends with NULL */
	const struct p002_line *lines;	 /* ends with a NULL kernel */
};
struct filling {
	const struct layout *layout;
	struct sheet *sheet;
};

static const struct p002_line table1_lines[] = {
	{ "gtx480", "1", NULL },	{ "gtx480", "2", NULL },
	{ "gtx480", "3", NULL },	{ P002_TODAY, "1", NULL },
	{ P002_TODAY, "2", NULL },	{ P002_TODAY, "3", NULL },
	{ P002_TODAY, "tuned4", NULL }, { 0 },
};
static const struct p002_line table3_lines[] = {
	{ P002_CPU, "rows", NULL },
	{ "gtx480", "2", NULL },
	{ P002_HOST, "rows", NULL },
	{ P002_HOST, "openmp", NULL },
	{ P002_TODAY, "2", NULL },
	{ P002_TODAY, "tuned4", NULL },
	{ 0 },
};
static const struct p002_line table4_lines[] = {
	{ P002_CPU, "rows", NULL },
	{ "gtx480", "2", NULL },
	{ "c2050", "2", NULL },
	{ P002_HOST, "rows", NULL },
	{ P002_HOST, "openmp", NULL },
	{ P002_TODAY, "1", NULL },
	{ P002_TODAY, "2", NULL },
	{ P002_TODAY, "3", NULL },
	{ P002_TODAY, "tuned4", NULL },
	{ P002_TODAY, "tuned4", "device" },
	{ 0 },
};
static const struct layout table1 = { { &iterations, &computation, &execution, &iteration },
				      table1_lines };
static const struct layout table3 = {
	{ &iterations, &computation, &execution, &iteration, &speedup }, table3_lines
};
static const struct layout table4 = { { &iterations, &execution, &computation, &rate, &speedup },
				      table4_lines };

static const char *const source_names[P002_SOURCES] = { "published", "measured", "simulated" };

static void print_column(struct sheet *sheet, const struct column *c, const struct p002_values *v)
{
	for (int s = 0; s < P002_SOURCES; s++) {
		if (!c->has[s])
			continue;
		if (s == P002_PUBLISHED && v->text[c->quantity])
			sheet_text(sheet, "%s", v->text[c->quantity]);
		else
			sheet_number(sheet, s == P002_PUBLISHED ? NAN : v->value[c->quantity][s],
				     c->quantity == P002_ITERATIONS ? 1 : 4);
	}
}

static int fill_place(struct paper_work *w, const struct p002_place *at, void *argument)
{
	const struct filling *f = argument;
	for (const struct p002_line *line = f->layout->lines; line->kernel; line++) {
		struct p002_values v;
		if (p002_values_of(w, at, line, &v))
			return -1;
		sheet_text(f->sheet, "%d", at->problem);
		sheet_text(f->sheet, "%d", at->size);
		sheet_text(f->sheet, "%.15g", at->re);
		sheet_text(f->sheet, "%s", p002_device(w, line));
		sheet_text(f->sheet, "%s", p002_kernel(line));
		for (int c = 0; f->layout->columns[c]; c++)
			print_column(f->sheet, f->layout->columns[c], &v);
		sheet_percent(f->sheet, v.error_pct);
	}
	return 0;
}

static int fill(struct paper_work *w, struct sheet *sheet, int table, const struct layout *layout)
{
	static const char *const keys[] = { "problem", "size", "re", "device", "kernel" };
	struct filling f = { layout, sheet };
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		sheet_column(sheet, "%s", keys[k]);
	for (int c = 0; layout->columns[c]; c++)
		for (int s = 0; s < P002_SOURCES; s++)
			if (layout->columns[c]->has[s])
				sheet_column(sheet, "%s_%s", layout->columns[c]->name,
					     source_names[s]);
	sheet_column(sheet, "error_pct");
	int rc = p002_places(w, table, fill_place, &f);
	w->compared |= 1u << table;
	return rc;
}

int p002_table1(struct paper_work *w, struct sheet *sheet)
{
	return fill(w, sheet, 1, &table1);
}

int p002_table3(struct paper_work *w, struct sheet *sheet)
{
	return fill(w, sheet, 3, &table3);
}

int p002_table4(struct paper_work *w, struct sheet *sheet)
{
	return fill(w, sheet, 4, &table4);
}

/* A row a point of a curve. */
static int curve_points(struct paper_work *w, const struct p002_place *at, void *argument)
{
	struct sheet *sheet = argument;
	for (const struct p002_line *line = table4_lines; line->kernel; line++) {
		struct p002_values v;
		if (p002_values_of(w, at, line, &v))
			return -1;
		for (int s = 0; s < P002_SOURCES; s++) {
			if (isnan(v.value[P002_RATE][s]))
				continue;
			sheet_text(sheet, "%s", p002_device(w, line));
			sheet_text(sheet, "%s", p002_kernel(line));
			sheet_text(sheet, "%s", source_names[s]);
			sheet_text(sheet, "%d", at->size);
			sheet_number(sheet, v.value[P002_RATE][s], 4);
			sheet_number(sheet, v.value[P002_SPEEDUP][s], 4);
		}
	}
	return 0;
}

int p002_figure1(struct paper_work *w, struct sheet *sheet)
{
	static const char *const keys[] = { "device", "kernel",	     "what",
					    "size",   "melem_per_s", "speedup" };
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		sheet_column(sheet, "%s", keys[k]);
	int rc = p002_places(w, 4, curve_points, sheet);
	w->compared |= 1u << 4;
	return rc;
}
