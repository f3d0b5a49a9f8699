/* SPDX-License-Identifier: MIT */
#include "blind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/table_read.h"
#include "traces/base/util.h"

enum {
	COLUMN_VISIT,
	COLUMN_COMMIT,
	COLUMN_SET,
	COLUMN_SOLVER,
	COLUMN_CONFIG,
	COLUMN_GPUS,
	COLUMN_MEASURED,
	COLUMN_MADE,
	COLUMN_LOW,
	COLUMN_HIGH,
	COLUMN_COUNT
};
static const char *const column_name[COLUMN_COUNT] = {
	"visit", "commit",	"set",		"solver",	   "config",
	"gpus",	 "measured_us", "predicted_us", "predicted_lo_us", "predicted_hi_us"
};

/* "-" is NaN. */
static int parse_us(const char *text, double *us)
{
	*us = NAN;
	return strcmp(text, "-") && (parse_double(text, us) || !(*us > 0)) ? -1 : 0;
}

static int add_row(void *context, const struct table_row *row)
{
	struct blind *blind = context;
	char **of = row->of;
	double us[COLUMN_COUNT];
	int64_t gpus;
	for (int c = COLUMN_MEASURED; c < COLUMN_COUNT; c++)
		if (parse_us(of[c], &us[c]))
			return -1;
	if (isnan(us[COLUMN_MEASURED]) || parse_i64(of[COLUMN_GPUS], &gpus) || gpus < 1 ||
	    gpus > 64 || isnan(us[COLUMN_LOW]) != isnan(us[COLUMN_HIGH]))
		return -1;
	GROW(blind->row, blind->count, blind->capacity);
	blind->row[blind->count++] = (struct blind_row){
		.visit = xstrdup(of[COLUMN_VISIT]),
		.commit = xstrdup(of[COLUMN_COMMIT]),
		.set = xstrdup(of[COLUMN_SET]),
		.solver = xstrdup(of[COLUMN_SOLVER]),
		.config = xstrdup(of[COLUMN_CONFIG]),
		.gpus = (int)gpus,
		.measured_us = us[COLUMN_MEASURED],
		.made_us = us[COLUMN_MADE],
		.lo_us = us[COLUMN_LOW],
		.hi_us = us[COLUMN_HIGH],
	};
	return 0;
}

int blind_read(struct blind *blind, const char *path)
{
	static const struct table_format format = { column_name, COLUMN_COUNT, COLUMN_COUNT,
						    "a blind answer", "blind answers" };
	return table_read(path, &format, NULL, add_row, blind);
}

void blind_release(struct blind *blind)
{
	for (size_t k = 0; k < blind->count; k++) {
		free(blind->row[k].visit);
		free(blind->row[k].commit);
		free(blind->row[k].set);
		free(blind->row[k].solver);
		free(blind->row[k].config);
	}
	free(blind->row);
	*blind = (struct blind){ 0 };
}

static bool is_kernels(const struct blind_row *row)
{
	return !strcmp(row->set, "kernels");
}

const struct validation_row *blind_now(const struct validation *v, const struct blind_row *b)
{
	const char *model = is_kernels(b) ? "warps" : "default";
	for (size_t k = 0; k < v->count; k++) {
		const struct validation_row *row = &v->row[k];
		if (row->gpus == b->gpus && !strcmp(row->config, b->config) &&
		    !strcmp(row->model, model) && !strcmp(row->set, b->set) &&
		    !strcmp(row->solver, b->solver))
			return row;
	}
	return NULL;
}

/* Mean error of other visits' measurements, each held against this one; NaN where there is none. */
static double again_of(const struct measured *all, const struct blind_row *b)
{
	const struct measured_row *m = measured_find(all, b->solver, b->config, b->gpus);
	double sum = 0;
	int n = 0;
	for (int k = 0; m && k < m->visits; k++) {
		if (!strcmp(m->visit_name[k], b->visit))
			continue;
		sum += fabs(m->visit_core_us[k] / b->measured_us - 1) * 100;
		n++;
	}
	return n ? sum / n : NAN;
}

/* Errors of one kind of answer. */
struct errors {
	double *error; /* [n]; owned */
	size_t n, bounded, inside;
	double sum;
};

static void add_error(struct errors *e, double error_pct)
{
	e->error[e->n++] = error_pct;
	e->sum += error_pct;
}

static void add_bounds(struct errors *e, double us, double low, double high)
{
	e->bounded += isfinite(low) ? 1 : 0;
	e->inside += us >= low && us <= high;
}

static void print_errors(const struct errors *e, bool bounds, FILE *out)
{
	if (e->n)
		fprintf(out, "\t%zu\t%.2f\t%.2f\t%.2f\t%.2f", e->n, e->sum / (double)e->n,
			quantile_of(e->error, e->n, 0.5), quantile_of(e->error, e->n, 0.9),
			quantile_of(e->error, e->n, 1));
	else
		fprintf(out, "\t0\t-\t-\t-\t-");
	if (bounds && e->bounded)
		fprintf(out, "\t%zu\t%.1f", e->inside,
			100 * (double)e->inside / (double)e->bounded);
	else if (bounds)
		fprintf(out, "\t-\t-");
}

/* NULL stands for all visits. Sets size and gpus are one, "planned". */
struct group {
	const char *visit, *commit;
	bool kernels;
};

static void write_group(const struct blind *blind, const struct validation *v,
			const struct measured *runs, const struct measured *kernels,
			struct group group, FILE *out)
{
	enum { MADE, NOW, AGAIN, KINDS };
	struct errors e[KINDS] = { 0 };
	double made_of_again = 0;
	size_t both = 0, refused = 0, named = 0;
	for (int k = 0; k < KINDS; k++)
		e[k].error = xmalloc((blind->count + 1) * sizeof(double));
	for (size_t k = 0; k < blind->count; k++) {
		const struct blind_row *b = &blind->row[k];
		if (is_kernels(b) != group.kernels ||
		    (group.visit &&
		     (strcmp(group.visit, b->visit) || strcmp(group.commit, b->commit))))
			continue;
		const struct validation_row *now = blind_now(v, b);
		const double again = again_of(group.kernels ? kernels : runs, b),
			     made = fabs(b->made_us / b->measured_us - 1) * 100;
		named++;
		refused += isnan(made) ? 1 : 0;
		if (isfinite(made)) {
			add_error(&e[MADE], made);
			add_bounds(&e[MADE], b->measured_us, b->lo_us, b->hi_us);
		}
		if (now) {
			add_error(&e[NOW], fabs(now->predicted_us / b->measured_us - 1) * 100);
			add_bounds(&e[NOW], b->measured_us, now->lo_us, now->hi_us);
		}
		if (isfinite(again) && isfinite(made)) {
			add_error(&e[AGAIN], again);
			made_of_again += made;
			both++;
		}
	}
	if (named) {
		fprintf(out, "%s\t%s\t%s\t%zu\t%zu", group.visit ? group.visit : "all",
			group.visit ? group.commit : "-", group.kernels ? "kernels" : "planned",
			named, refused);
		print_errors(&e[MADE], true, out);
		print_errors(&e[NOW], true, out);
		print_errors(&e[AGAIN], false, out);
		if (both)
			fprintf(out, "\t%.2f\t%s\n", made_of_again / (double)both,
				made_of_again <= e[AGAIN].sum ? "yes" : "no");
		else
			fprintf(out, "\t-\t-\n");
	}
	for (int k = 0; k < KINDS; k++)
		free(e[k].error);
}

void blind_write(const struct blind *blind, const struct validation *v, const struct measured *runs,
		 const struct measured *kernels, FILE *out)
{
	fprintf(out, "visit\tcommit\tset\tnamed\trefused");
	for (int k = 0; k < 2; k++)
		fprintf(out,
			"\t%s_n\t%s_MAPE_pct\t%s_p50_pct\t%s_p90_pct\t%s_max_pct\t%s_inside\t%s_"
			"coverage_pct",
			k ? "now" : "made", k ? "now" : "made", k ? "now" : "made",
			k ? "now" : "made", k ? "now" : "made", k ? "now" : "made",
			k ? "now" : "made");
	fprintf(out, "\tagain_n\tagain_MAPE_pct\tagain_p50_pct\tagain_p90_pct\tagain_max_pct\t"
		     "made_of_again_MAPE_pct\tas_good_as_measuring_again\n");
	for (size_t k = 0; k < blind->count; k++) {
		const struct blind_row *row = &blind->row[k];
		bool seen = false;
		for (size_t j = 0; j < k && !seen; j++)
			seen = !strcmp(blind->row[j].visit, row->visit) &&
			       !strcmp(blind->row[j].commit, row->commit) &&
			       is_kernels(&blind->row[j]) == is_kernels(row);
		if (!seen)
			write_group(blind, v, runs, kernels,
				    (struct group){ row->visit, row->commit, is_kernels(row) },
				    out);
	}
	for (int k = 0; k < 2; k++)
		write_group(blind, v, runs, kernels, (struct group){ NULL, NULL, k }, out);
}
