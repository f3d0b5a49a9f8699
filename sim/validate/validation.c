/* SPDX-License-Identifier: MIT */
#include "validation.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
