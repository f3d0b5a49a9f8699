/* SPDX-License-Identifier: MIT */
#include "strata.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sets.h"
#include "traces/base/util.h"
#include "traces/program/program.h"

enum { LABEL = 32, STRATA_MOST = 64 };
static const char *const baseline[] = { "linear", "same-as-1", "roofline-only" };
enum { BASELINES = sizeof(baseline) / sizeof(baseline[0]) };

/* P(X <= hits) of a binomial. */
static double at_most(int64_t hits, int64_t n, double p)
{
	double sum = 0;
	for (int64_t k = 0; k <= hits; k++)
		sum += exp(lgamma((double)n + 1) - lgamma((double)k + 1) -
			   lgamma((double)(n - k) + 1) + (double)k * log(p) +
			   (double)(n - k) * log1p(-p));
	return sum;
}

/* The p at which P(X <= hits) is `tail`; it falls as p grows. */
static double share_at(int64_t hits, int64_t n, double tail)
{
	double low = 0, high = 1;
	for (int step = 0; step < 60; step++) {
		const double p = (low + high) / 2;
		if (at_most(hits, n, p) > tail)
			low = p;
		else
			high = p;
	}
	return (low + high) / 2;
}

void binomial_interval(int64_t hits, int64_t n, double *low, double *high)
{
	*low = hits > 0 ? share_at(hits - 1, n, 0.975) : 0;
	*high = hits < n ? share_at(hits, n, 0.025) : 1;
}

static char *column_of(const struct program *program, const struct validation_row *row,
		       const char *name)
{
	return program->column(row->solver, row->config, (uint32_t)row->gpus, name);
}

static void label_all(const struct program *program, const struct validation_row *row, char *label)
{
	(void)program;
	(void)row;
	snprintf(label, LABEL, "all");
}

static void label_gpus(const struct program *program, const struct validation_row *row, char *label)
{
	(void)program;
	snprintf(label, LABEL, "%d", row->gpus);
}

static void label_iteration(const struct program *program, const struct validation_row *row,
			    char *label)
{
	static const double to_us[] = { 10, 30, 100, 300, 1000, INFINITY };
	static const char *const name[] = { "0 to 10 us",    "10 to 30 us",    "30 to 100 us",
					    "100 to 300 us", "300 to 1000 us", "1000 us and more" };
	double iterations = 0;
	char *text = column_of(program, row, "iterations");
	snprintf(label, LABEL, "-");
	if (text && !parse_double(text, &iterations) && iterations > 0) {
		size_t k = 0;
		while (row->measured_us / iterations >= to_us[k])
			k++;
		snprintf(label, LABEL, "%s", name[k]);
	}
	free(text);
}

static void label_transport(const struct program *program, const struct validation_row *row,
			    char *label)
{
	char *text = row->gpus == 1 ? NULL : column_of(program, row, "transport");
	snprintf(label, LABEL, "%s", text ? text : "-");
	free(text);
}

static void label_solver(const struct program *program, const struct validation_row *row,
			 char *label)
{
	(void)program;
	snprintf(label, LABEL, "%s", row->solver);
}

static const struct {
	const char *name;
	void (*label)(const struct program *program, const struct validation_row *row, char *label);
} dimension[] = {
	{ "all", label_all },
	{ "gpus", label_gpus },
	{ "iteration", label_iteration },
	{ "transport", label_transport },
	{ "solver", label_solver },
};
enum { DIMENSIONS = sizeof(dimension) / sizeof(dimension[0]) };

/* Of each row the stratum it is in, a dimension. */
struct labels {
	char of[DIMENSIONS][LABEL];
};

static const char *set_of(const struct validation_row *row)
{
	return set_within(row->set, "planned") ? "planned" : row->set;
}

/* Of a run of ours: a solver knows its configuration. */
static const char *const set_name[] = { "planned", "replay" };
enum { SETS = sizeof(set_name) / sizeof(set_name[0]) };

static bool is_of(const struct validation_row *row, const char *set)
{
	return !strcmp(row->model, "default") && !strcmp(set_of(row), set);
}

/* Whether it is an answer unasked of this set and split. */
static bool counts(const struct validation_row *row, const char *set, const char *split)
{
	return is_of(row, set) && !strcmp(row->split, split);
}

static bool same_run(const struct validation_row *a, const struct validation_row *b)
{
	return a->gpus == b->gpus && !strcmp(a->set, b->set) && !strcmp(a->config, b->config) &&
	       !strcmp(a->solver, b->solver);
}

/* Owned by the caller. Only of rows that count: programs of others have no configuration. */
static struct labels *label_rows(const struct validation *v)
{
	struct labels *labels = xcalloc(v->count + 1, sizeof(*labels));
	for (size_t k = 0; k < v->count; k++)
		for (size_t s = 0; s < SETS; s++)
			for (size_t d = 0; d < DIMENSIONS && is_of(&v->row[k], set_name[s]); d++)
				dimension[d].label(v->program, &v->row[k], labels[k].of[d]);
	return labels;
}

struct stratum {
	double *error; /* [n]; owned */
	size_t n, with_interval, covered;
	double sum, bias, baseline_sum[BASELINES];
	size_t baseline_n[BASELINES];
};

/* What stands beside a row: the answers of baselines follow it. */
static void add_baselines(struct stratum *s, const struct validation *v, size_t k)
{
	for (size_t j = k + 1; j < v->count && same_run(&v->row[k], &v->row[j]); j++)
		for (size_t b = 0; b < BASELINES; b++)
			if (!strcmp(v->row[j].model, baseline[b])) {
				s->baseline_sum[b] += fabs(v->row[j].error_pct);
				s->baseline_n[b]++;
			}
}

static void print_stratum(const struct stratum *s, FILE *out)
{
	size_t best = BASELINES;
	for (size_t b = 0; b < BASELINES; b++) /* one that has an answer to each of the rows */
		if (s->baseline_n[b] == s->n &&
		    (best == BASELINES || s->baseline_sum[b] < s->baseline_sum[best]))
			best = b;
	const double n = (double)s->n;
	fprintf(out, "%zu\t%.2f\t%+.2f\t%.2f\t%.2f\t%.2f\t", s->n, s->sum / n, s->bias / n,
		quantile_of(s->error, s->n, 0.5), quantile_of(s->error, s->n, 0.9),
		quantile_of(s->error, s->n, 1));
	if (best < BASELINES)
		fprintf(out, "%s\t%.2f\t", baseline[best], s->baseline_sum[best] / n);
	else
		fprintf(out, "-\t-\t");
	if (s->with_interval) {
		double low, high;
		binomial_interval((int64_t)s->covered, (int64_t)s->with_interval, &low, &high);
		fprintf(out, "%zu\t%.1f\t%.1f\t%.1f\t%s\n", s->covered,
			100 * (double)s->covered / (double)s->with_interval, 100 * low, 100 * high,
			low <= 0.9 && high >= 0.9 ? "yes" : "no");
	} else {
		fprintf(out, "-\t-\t-\t-\t-\n");
	}
}

static void write_stratum(const struct validation *v, const struct labels *labels, const char *set,
			  const char *split, size_t d, const char *label, FILE *out)
{
	struct stratum s = { .error = xmalloc((v->count + 1) * sizeof(double)) };
	for (size_t k = 0; k < v->count; k++) {
		const struct validation_row *row = &v->row[k];
		if (!counts(row, set, split) || strcmp(labels[k].of[d], label) != 0)
			continue;
		s.error[s.n++] = fabs(row->error_pct);
		s.sum += fabs(row->error_pct);
		s.bias += row->error_pct;
		s.with_interval += isfinite(row->lo_us) ? 1 : 0;
		s.covered += row->measured_us >= row->lo_us && row->measured_us <= row->hi_us;
		add_baselines(&s, v, k);
	}
	fprintf(out, "%s\t%s\t%s\t%s\t", set, split, dimension[d].name, label);
	print_stratum(&s, out);
	free(s.error);
}

static int by_text(const void *a, const void *b)
{
	const char *left = a, *right = b;
	double x = strtod(left, NULL), y = strtod(right, NULL);
	return x != y ? (x > y) - (x < y) : strcmp(left, right);
}

/* Every label that rows of a set and split have, in order. */
static void write_dimension(const struct validation *v, const struct labels *labels,
			    const char *set, const char *split, size_t d, FILE *out)
{
	char label[STRATA_MOST][LABEL];
	size_t count = 0;
	for (size_t k = 0; k < v->count && count < STRATA_MOST; k++) {
		bool seen = !counts(&v->row[k], set, split);
		for (size_t j = 0; j < count && !seen; j++)
			seen = !strcmp(label[j], labels[k].of[d]);
		if (!seen)
			strcpy(label[count++], labels[k].of[d]);
	}
	qsort(label, count, LABEL, by_text);
	for (size_t k = 0; k < count; k++)
		write_stratum(v, labels, set, split, d, label[k], out);
}

void strata_write(const struct validation *v, FILE *out)
{
	struct labels *labels = label_rows(v);
	fprintf(out, "set\tsplit\tby\tstratum\tn\tMAPE_pct\tbias_pct\tp50_pct\tp90_pct\tmax_pct\t"
		     "baseline\tbaseline_MAPE_pct\tcovered\tcoverage_pct\tcoverage_low_pct\t"
		     "coverage_high_pct\tcontains_90\n");
	for (size_t s = 0; s < SETS; s++)
		for (size_t split = 0; split < SPLIT_COUNT; split++)
			for (size_t d = 0; d < DIMENSIONS; d++)
				write_dimension(v, labels, set_name[s], split_name[split], d, out);
	free(labels);
}
