/* SPDX-License-Identifier: MIT */
#include "cosim_answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

static int read_costs(struct cosim_costs *costs, const char *name)
{
	if (!name)
		return report("--co-simulate wants --costs: a name of model/cosim/, or a file");
	if (strchr(name, '/') || strchr(name, '.'))
		return cosim_costs_read(costs, name);
	char *path = xprintf("%s/model/cosim/%s.tsv", util_root(), name);
	const int rc = cosim_costs_read(costs, path);
	free(path);
	return rc;
}

static int write_ages(const int64_t *age, const char *path)
{
	struct output output;
	if (output_begin(&output, path))
		return -1;
	FILE *file = fopen(output.part_path, "w");
	if (!file) {
		output_abandon(&output);
		return report("%s: %s", path, strerror(errno));
	}
	fprintf(file, "age\tcount\n");
	for (int k = 0; k < COSIM_AGES; k++)
		if (age[k])
			fprintf(file, "%d\t%lld\n", k - COSIM_AGE_ZERO, (long long)age[k]);
	if (fclose(file)) {
		output_abandon(&output);
		return report("%s: %s", path, strerror(errno));
	}
	return output_commit(&output);
}

struct spread {
	double low, middle, high;
};

static struct spread spread_of(const double *values, int count)
{
	return (struct spread){ quantile_of(values, (size_t)count, 0.05),
				median_of(values, (size_t)count),
				quantile_of(values, (size_t)count, 0.95) };
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
	if (read_costs(&costs, o->costs))
		return EXIT_BAD;
	double *steps = xcalloc((size_t)o->seeds, sizeof(*steps)),
	       *seconds = xcalloc((size_t)o->seeds, sizeof(*seconds));
	int64_t *age = xcalloc(COSIM_AGES, sizeof(*age));
	struct cosim_result result = { 0 };
	struct progress progress;
	int unconverged = 0, rc = EXIT_OK;
	progress_begin(&progress, "co-simulating");
	for (int k = 0; k < o->seeds; k++) {
		cosim_run(c, &costs, (uint64_t)k + 1, &result);
		steps[k] = (double)result.steps;
		seconds[k] = result.seconds;
		unconverged += result.unconverged;
		for (int a = 0; a < COSIM_AGES; a++)
			age[a] += result.age[a];
		progress_at(&progress, k + 1, o->seeds);
	}
	progress_end(&progress);
	print(solver, config, o->seeds, spread_of(steps, o->seeds), spread_of(seconds, o->seeds),
	      result.left, tsv);
	if (c->ages && write_ages(age, c->ages))
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
