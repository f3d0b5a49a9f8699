/* SPDX-License-Identifier: MIT */
#include "part_errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

enum { TWIN = PART_COUNT, MEASURED, LINES };
static const char *const line_name[LINES] = {
	"kernel", "copy", "sync", "launch", "twin", "measured"
};
enum { GPUS_MOST = 64 };

struct twins {
	const struct validation_row **plan, **twin; /* [count] */
	size_t count;
};

static bool is_answer(const struct validation_row *row, bool replay)
{
	return !strcmp(row->model, "default") && !strcmp(row->set, "replay") == replay &&
	       isfinite(row->part_us[0]);
}

static const struct validation_row *twin_of(const struct validation *v,
					    const struct validation_row *plan)
{
	for (size_t k = 0; k < v->count; k++) {
		const struct validation_row *row = &v->row[k];
		if (is_answer(row, true) && row->gpus == plan->gpus &&
		    !strcmp(row->config, plan->config) && !strcmp(row->solver, plan->solver))
			return row;
	}
	return NULL;
}

static double error_of(const struct validation_row *plan, const struct validation_row *twin,
		       int line)
{
	const double us = line == TWIN	     ? plan->predicted_us - twin->predicted_us
			  : line == MEASURED ? plan->predicted_us - plan->measured_us
					     : plan->part_us[line] - twin->part_us[line];
	return 100 * us / plan->measured_us;
}

static void write_line(const struct twins *t, int gpus, int line, FILE *out)
{
	double *error = xmalloc((t->count + 1) * sizeof(*error)), bias = 0, sum = 0, share = 0;
	size_t n = 0;
	for (size_t k = 0; k < t->count; k++) {
		if (gpus && t->plan[k]->gpus != gpus)
			continue;
		const double e = error_of(t->plan[k], t->twin[k], line);
		bias += e;
		sum += fabs(e);
		share += line < PART_COUNT ? t->twin[k]->part_us[line] / t->twin[k]->predicted_us
					   : 1;
		error[n++] = fabs(e);
	}
	if (n) {
		if (gpus)
			fprintf(out, "%d", gpus);
		else
			fprintf(out, "all");
		fprintf(out, "\t%s\t%zu\t%.1f\t%+.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", line_name[line], n,
			100 * share / (double)n, bias / (double)n, sum / (double)n,
			quantile_of(error, n, 0.5), quantile_of(error, n, 0.9),
			quantile_of(error, n, 1));
	}
	free(error);
}

void part_errors_write(const struct validation *v, FILE *out)
{
	struct twins t = { .plan = xmalloc((v->count + 1) * sizeof(*t.plan)),
			   .twin = xmalloc((v->count + 1) * sizeof(*t.twin)) };
	for (size_t k = 0; k < v->count; k++) {
		const struct validation_row *plan = &v->row[k], *twin = is_answer(plan, false)
										? twin_of(v, plan)
										: NULL;
		if (!twin)
			continue;
		t.plan[t.count] = plan;
		t.twin[t.count++] = twin;
	}
	fprintf(out, "gpus\tpart\tn\tshare_pct\tbias_pct\tmean_pct\tp50_pct\tp90_pct\tmax_pct\n");
	for (int gpus = 0; gpus <= GPUS_MOST; gpus++)
		for (int line = 0; line < LINES; line++)
			write_line(&t, gpus, line, out);
	free(t.plan);
	free(t.twin);
}
