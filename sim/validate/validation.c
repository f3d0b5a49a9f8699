/* SPDX-License-Identifier: MIT */
#include "validation.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/output.h"
#include "traces/base/util.h"

void validation_release(struct validation *v)
{
	for (size_t k = 0; k < v->count; k++) {
		free(v->row[k].solver);
		free(v->row[k].config);
		free(v->row[k].inputs);
	}
	free(v->row);
	memset(v, 0, sizeof(*v));
}

static void print_optional(FILE *out, double value)
{
	if (isfinite(value))
		fprintf(out, "%.3f\t", value);
	else
		fprintf(out, "-\t");
}

struct validation_row *validation_add(struct validation *v, const struct measured_row *m,
				      const char *set, const char *model, double predicted_us,
				      const char *inputs)
{
	GROW(v->row, v->count, v->capacity);
	struct validation_row *row = &v->row[v->count++];
	*row = (struct validation_row){ .solver = xstrdup(m->solver),
					.config = xstrdup(m->config),
					.inputs = xstrdup(inputs),
					.gpus = m->gpus,
					.measured_us = m->core_us,
					.mad_us = m->core_mad_us,
					.visit_spread = m->visit_spread,
					.predicted_us = predicted_us,
					.lo_us = NAN,
					.hi_us = NAN,
					.error_pct = 100 * (predicted_us - m->core_us) / m->core_us,
					.part_us = { NAN, NAN, NAN, NAN },
					.class_name = "-" };
	snprintf(row->set, sizeof(row->set), "%s", set);
	const enum split split =
		v->splits ? splits_find(v->splits, set, m->gpus, m->config) : SPLIT_DEVELOPMENT;
	snprintf(row->split, sizeof(row->split), "%s", split_name[split]);
	snprintf(row->model, sizeof(row->model), "%s", model);
	return row;
}

void validation_write(const struct validation *v, FILE *out)
{
	fprintf(out, "set\tsplit\tmodel\tsolver\tconfig\tgpus\tmeasured_us\tmeasured_mad_"
		     "us\tpredicted_us\tpredicted_lo_us\tpredicted_hi_us\t"
		     "error_pct\tinputs\tclass\tvisit_spread_pct\textrapolated\n");
	for (size_t k = 0; k < v->count; k++) {
		const struct validation_row *r = &v->row[k];
		fprintf(out, "%s\t%s\t%s\t%s\t%s\t%d\t%.3f\t", r->set, r->split, r->model,
			r->solver, r->config, r->gpus, r->measured_us);
		print_optional(out, r->mad_us);
		fprintf(out, "%.3f\t", r->predicted_us);
		print_optional(out, r->lo_us);
		print_optional(out, r->hi_us);
		fprintf(out, "%.3f\t%s\t%s\t%.3f\t%d\n", r->error_pct, r->inputs, r->class_name,
			100 * r->visit_spread, r->extrapolated);
	}
}

static bool same_group(const struct validation_row *a, const struct validation_row *b)
{
	return !strcmp(a->set, b->set) && !strcmp(a->split, b->split) &&
	       !strcmp(a->model, b->model);
}

static void summarise(const struct validation *v, size_t first, FILE *out)
{
	double *error = xmalloc(v->count * sizeof(*error)), sum = 0, covered = 0, half = 0,
	       score = 0;
	size_t n = 0, with_interval = 0;
	for (size_t k = first; k < v->count; k++) {
		const struct validation_row *r = &v->row[k];
		if (!same_group(r, &v->row[first]))
			continue;
		error[n++] = fabs(r->error_pct);
		sum += fabs(r->error_pct);
		if (!isfinite(r->lo_us))
			continue;
		with_interval++;
		covered += r->measured_us >= r->lo_us && r->measured_us <= r->hi_us;
		half += 50 * (r->hi_us - r->lo_us) / r->predicted_us;
		double beyond = r->measured_us < r->lo_us   ? r->lo_us - r->measured_us
				: r->measured_us > r->hi_us ? r->measured_us - r->hi_us
							    : 0;
		score += (r->hi_us - r->lo_us + 2 / 0.1 * beyond) / r->measured_us;
	}
	const struct validation_row *r = &v->row[first];
	fprintf(out, "%s\t%s\t%s\t%zu\t%.2f\t%.2f\t%.2f\t%.2f\t", r->set, r->split, r->model, n,
		sum / (double)n, quantile_of(error, n, 0.5), quantile_of(error, n, 0.9),
		quantile_of(error, n, 1));
	if (with_interval)
		fprintf(out, "%.1f\t%.2f\t%.4f\n", 100 * covered / (double)with_interval,
			half / (double)with_interval, score / (double)with_interval);
	else
		fprintf(out, "-\t-\t-\n");
	free(error);
}

void validation_summary(const struct validation *v, FILE *out)
{
	fprintf(out, "set\tsplit\tmodel\tn\tMAPE_pct\tp50_pct\tp90_pct\tmax_pct\tcoverage_"
		     "pct\thalf_width_pct\tinterval_score\n");
	for (size_t k = 0; k < v->count; k++) {
		bool seen = false;
		for (size_t j = 0; j < k && !seen; j++)
			seen = same_group(&v->row[j], &v->row[k]);
		if (!seen)
			summarise(v, k, out);
	}
}

static bool ends_with(const char *text, const char *suffix)
{
	size_t length = strlen(text), end = strlen(suffix);
	return length >= end && !strcmp(text + length - end, suffix);
}

/*
 * Whether a row is one of those its class is fitted to: answers unasked; but where kernels take
 * their time from `warps`, all of that model, and where they take it from records, all of `scaled`,
 * which answers when asked, beside replays.
 */
static bool fits(const struct validation_row *row)
{
	const char *model = ends_with(row->class_name, "-warps") ? "warps"
			    : ends_with(row->class_name, "-host") || !strcmp(row->set, "replay")
				    ? "default"
				    : "scaled";
	return strcmp(row->class_name, "-") && !strcmp(row->model, model) &&
	       !strcmp(row->split, split_name[SPLIT_INTERVAL]);
}

/* Whether a row's error says how wide a class is: its own set's; for `replay`, whose points are
 * few, those of every set. */
static bool widens(const struct validation_row *row, const char *set, const char *class_name)
{
	return fits(row) && !strcmp(row->class_name, class_name) &&
	       (!strcmp(set, "replay") || !strcmp(row->set, set));
}

/*
 * Quantiles of measured / predicted - 1. With n points the empirical 5 % and 95 % quantiles are too
 * narrow: from 19 points on the split-conformal rank (n + 1) 0.95 is taken, below the extremes;
 * both are stretched by (n + 2) / n. A half-width of 15 % is the most that is of use: beyond it the
 * interval is cut, and its coverage says so; and where there are fewer than FIT_LEAST points, that
 * is taken.
 */
enum { FIT_LEAST = 3 };
static void widths_of(double *ratio, size_t n, double *low, double *high)
{
	const double most = INTERVAL_MOST;
	*low = -most, *high = most;
	if (n >= FIT_LEAST) {
		double beyond = n >= 19 ? 0.05 - 0.05 / (double)n : 0,
		       stretch = ((double)n + 2) / (double)n;
		*low = quantile_of(ratio, n, beyond) * stretch;
		*high = quantile_of(ratio, n, 1 - beyond) * stretch;
	}
	/* At least one per cent each way: the machine itself does not repeat better. */
	*low = *low > -0.01 ? -0.01 : *low;
	*high = *high < 0.01 ? 0.01 : *high;
	if (*high - *low > 2 * most) {
		double cut = 2 * most / (*high - *low);
		*low *= cut;
		*high *= cut;
	}
}

static void fit_class(const struct validation *v, const char *set, const char *class_name,
		      FILE *out)
{
	double *ratio = xmalloc(v->count * sizeof(*ratio)), low, high;
	size_t n = 0;
	for (size_t k = 0; k < v->count; k++) {
		const struct validation_row *r = &v->row[k];
		if (widens(r, set, class_name))
			ratio[n++] = r->measured_us / r->predicted_us - 1;
	}
	widths_of(ratio, n, &low, &high);
	fprintf(out, "%s\t%s\t%.4f\t%.4f\t%zu\n", set, class_name, low, high, n);
	free(ratio);
}

/* Of a program's name, without the size at its end: "stencil_512". */
static size_t stem_of(const char *name)
{
	size_t length = strlen(name), end = length;
	while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
		end--;
	return end > 1 && end < length && name[end - 1] == '_' ? end - 1 : length;
}

static bool same_program(const struct validation_row *a, const struct validation_row *b)
{
	size_t stem = stem_of(a->solver);
	return stem == stem_of(b->solver) && !strncmp(a->solver, b->solver, stem);
}

/* Programs of others have no rows to spare for widths alone: they are fitted to what anybody may
 * look at, and a row of that is answered without its own program's. */
static bool widens_foreign(const struct validation_row *row, const char *class_name)
{
	return !strncmp(row->class_name, "foreign-", 8) && !strcmp(row->class_name, class_name) &&
	       !strcmp(row->split, split_name[SPLIT_DEVELOPMENT]) && !strcmp(row->model, "default");
}

static size_t foreign_ratios(const struct validation *v, const char *class_name,
			     const struct validation_row *but, double *ratio)
{
	size_t n = 0;
	for (size_t k = 0; k < v->count; k++)
		if (widens_foreign(&v->row[k], class_name) &&
		    !(but && same_program(but, &v->row[k])))
			ratio[n++] = v->row[k].measured_us / v->row[k].predicted_us - 1;
	return n;
}

void validation_leave_out(struct validation *v)
{
	double *ratio = xmalloc((v->count + 1) * sizeof(*ratio)), low, high;
	for (size_t k = 0; k < v->count; k++) {
		struct validation_row *row = &v->row[k];
		if (!widens_foreign(row, row->class_name))
			continue;
		widths_of(ratio, foreign_ratios(v, row->class_name, row, ratio), &low, &high);
		row->lo_us = row->predicted_us * (1 + low);
		row->hi_us = row->predicted_us * (1 + high);
	}
	free(ratio);
}

static void fit_foreign(const struct validation *v, FILE *out)
{
	static const char *const class_name[] = { "foreign-kernel", "foreign-host" };
	double *ratio = xmalloc((v->count + 1) * sizeof(*ratio)), low, high;
	for (size_t c = 0; c < sizeof(class_name) / sizeof(class_name[0]); c++) {
		size_t n = foreign_ratios(v, class_name[c], NULL, ratio);
		if (!n)
			continue;
		widths_of(ratio, n, &low, &high);
		fprintf(out, "foreign\t%s\t%.4f\t%.4f\t%zu\n", class_name[c], low, high, n);
	}
	free(ratio);
}

/* Every class that has a row to go by. */
static void fit_set(const struct validation *v, const char *set, FILE *out)
{
	for (size_t k = 0; k < v->count; k++) {
		const char *class_name = v->row[k].class_name;
		bool seen = !widens(&v->row[k], set, class_name);
		for (size_t j = 0; j < k && !seen; j++)
			seen = widens(&v->row[j], set, class_name);
		if (!seen)
			fit_class(v, set, class_name, out);
	}
}

int validation_fit_intervals(const struct validation *v, const char *path)
{
	struct output output;
	bool replays = false;
	output_begin(&output, path);
	FILE *out = output_open(&output);
	if (!out) {
		report("cannot write '%s': %s", path, strerror(errno));
		output_abandon(&output);
		return -1;
	}
	fprintf(out, "set\tclass\tlow\thigh\tpoints\n");
	for (size_t k = 0; k < v->count && !replays; k++)
		replays = !strcmp(v->row[k].set, "replay");
	if (replays)
		fit_set(v, "replay", out);
	fit_set(v, "size", out);
	fit_set(v, "gpus", out);
	fit_foreign(v, out);
	if (fflush(out) | ferror(out) | fclose(out)) {
		report("cannot write '%s': %s", path, strerror(errno));
		output_abandon(&output);
		return -1;
	}
	return output_commit(&output);
}
