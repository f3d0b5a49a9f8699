/* SPDX-License-Identifier: MIT */
#include "cosim_answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/output.h"
#include "traces/base/text_show.h"
#include "traces/base/util.h"

static int read_costs(struct cosim_costs *costs, const char *name, const char *solver,
		      const char *way)
{
	if (strchr(name, '/') || strchr(name, '.'))
		return cosim_costs_read(costs, name, solver, way);
	char *path = xprintf("%s/model/cosim/%s.tsv", util_root(), name);
	const int rc = cosim_costs_read(costs, path, solver, way);
	free(path);
	return rc;
}

/* A table that appears whole or not at all. */
struct table {
	struct output output;
	FILE *file;
	const char *path;
};

static int table_begin(struct table *t, const char *path, const char *head)
{
	*t = (struct table){ .path = path };
	if (output_begin(&t->output, path))
		return -1;
	t->file = output_open(&t->output);
	if (!t->file) {
		output_abandon(&t->output);
		return report("%s: %s", path, strerror(errno));
	}
	fprintf(t->file, "%s\n", head);
	return 0;
}

static int table_end(struct table *t)
{
	if (ferror(t->file) | fclose(t->file)) {
		output_abandon(&t->output);
		return report("%s: %s", t->path, strerror(errno));
	}
	return output_commit(&t->output);
}

static int write_ages(const int64_t *age, const char *path)
{
	struct table table;
	if (table_begin(&table, path, "age\tcount"))
		return -1;
	for (int k = 0; k < COSIM_AGES; k++)
		if (age[k])
			fprintf(table.file, "%d\t%lld\n", k - COSIM_AGE_ZERO, (long long)age[k]);
	return table_end(&table);
}

/* --pace: of the first run. */
struct pace {
	struct cosim_watcher watcher;
	struct table table;
};

static void note_pace(struct cosim_watcher *watcher, double us, int block, int place, int64_t steps)
{
	struct pace *pace = (struct pace *)watcher;
	fprintf(pace->table.file, "%.3f\t%d\t%d\t%lld\n", us, block, place, (long long)steps);
}

struct spread {
	double low, middle, high;
};

/* Of nine in ten: of seeds, and as far again as development runs were from their co-simulation. */
static struct spread spread_of(const double *values, int count, double error)
{
	return (struct spread){ quantile_of(values, (size_t)count, 0.05) * (1 - error),
				median_of(values, (size_t)count),
				quantile_of(values, (size_t)count, 0.95) * (1 + error) };
}

static void print(const char *solver, const char *config, int seeds, struct spread steps,
		  struct spread seconds, double left, bool tsv)
{
	if (tsv) {
		printf("solver\tconfig\tseeds\tsteps\tsteps_lo\tsteps_hi\tcore_us\tcore_lo_"
		       "us\tcore_"
		       "hi_us\tresidual\n");
		printf("%s\t%s\t%d\t%.0f\t%.0f\t%.0f\t%.3f\t%.3f\t%.3f\t%.9g\n", solver, config,
		       seeds, steps.middle, steps.low, steps.high, 1e6 * seconds.middle,
		       1e6 * seconds.low, 1e6 * seconds.high, left);
		return;
	}
	printf("%s, co-simulated %d times: %s\n", solver, seeds, config);
	printf("  steps      %12.0f      (%.0f to %.0f)\n", steps.middle, steps.low, steps.high);
	printf("  core loop  %12.3f us   (%.3f to %.3f)\n", 1e6 * seconds.middle, 1e6 * seconds.low,
	       1e6 * seconds.high);
	printf("  residual   %12.6g\n", left);
}

int cosim_answer(struct chaos_case *c, const char *solver, const char *config,
		 const struct cosim_options *o, bool tsv)
{
	struct cosim_costs costs;
	struct pace pace = { .watcher = { note_pace } };
	if (read_costs(&costs, o->costs, solver, c->way) || outputs_differ(o->pace, c->ages) ||
	    (c->ages && output_differs(c->ages, o->costs)) ||
	    (o->pace && (output_differs(o->pace, o->costs) || output_check(o->pace) ||
			 table_begin(&pace.table, o->pace, "us\tblock\tplace\tsteps"))))
		return EXIT_BAD;
	double *steps = xcalloc((size_t)o->seeds, sizeof(*steps)),
	       *seconds = xcalloc((size_t)o->seeds, sizeof(*seconds));
	int64_t *age = xcalloc(COSIM_AGES, sizeof(*age));
	struct cosim_result result = { 0 };
	struct progress progress;
	int unconverged = 0, rc = EXIT_OK;
	progress_begin(&progress, "co-simulating");
	for (int k = 0; k < o->seeds; k++) {
		cosim_run(c, &costs, (uint64_t)k + 1, &result,
			  k == 0 && o->pace ? &pace.watcher : NULL);
		steps[k] = (double)result.steps;
		seconds[k] = result.seconds;
		unconverged += result.unconverged;
		for (int a = 0; a < COSIM_AGES; a++)
			age[a] += result.age[a];
		progress_at(&progress, k + 1, o->seeds);
	}
	progress_end(&progress);
	print(solver, config, o->seeds, spread_of(steps, o->seeds, costs.steps_error),
	      spread_of(seconds, o->seeds, costs.time_error), result.left, tsv);
	if (!tsv) {
		struct text_show show = { 0 };
		printf("  note: what steps and exchanges take is of table %s (--costs takes "
		       "another)\n",
		       text_show(&show, o->costs));
		text_show_release(&show);
	}
	if ((c->ages && write_ages(age, c->ages)) || (o->pace && table_end(&pace.table)))
		rc = EXIT_BAD;
	if (!rc && unconverged) {
		report("%d of %d runs have not converged after %d steps: residual %.9g",
		       unconverged, o->seeds, c->most_steps, result.left);
		rc = EXIT_NOT_CONVERGED;
	}
	free(steps);
	free(seconds);
	free(age);
	return rc;
}
