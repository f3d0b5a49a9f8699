/* SPDX-License-Identifier: MIT */
#include "verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/calibrate/calibrate_results.h"
#include "sim/answers/predict.h"
#include "sim/validate/interval_fit.h"
#include "traces/base/lines.h"
#include "traces/base/util.h"

struct verify {
	const struct program *program;
	struct predictor predictor;
	const char *backend, *file;
	uint32_t gpus;
	double *ratio; /* measured / predicted - 1 */
	size_t count, capacity, failed;
};

static int predict(struct verify *v, const char *solver, const char *config, uint32_t gpus,
		   double *core_us)
{
	struct planned_run run;
	struct prediction p;
	int rc = -1;
	if (!planned_run_make(&run, v->program, solver, config, gpus, false)) {
		bool bounds;
		const char *model = predictor_planned_model(&v->predictor, &run.schedule, &bounds);
		struct predictor_request request = { .kernel_model = model,
						     .set = gpus > 1 ? "gpus" : "size",
						     .bounds = bounds };
		if (request.kernel_model &&
		    !predictor_run_planned(&v->predictor, &run, &request, &p)) {
			*core_us = p.core_us;
			rc = p.bounded ? prediction_refuse_bound(&p, &v->predictor) : 0;
			prediction_release(&p);
		}
	}
	planned_run_release(&run);
	return rc;
}

/* A line that cannot be run or predicted is said, and the others go on. */
static void verify_line(struct verify *v, const char *solver, const char *config, uint32_t gpus)
{
	double measured_us, predicted_us;
	if (predict(v, solver, config, gpus, &predicted_us) ||
	    v->program->measure(v->backend, solver, config, gpus, &measured_us) ||
	    !(predicted_us > 0)) {
		report_warning("%s: left out: %s %u %s", v->file, solver, gpus, config);
		v->failed++;
		return;
	}
	GROW(v->ratio, v->count, v->capacity);
	v->ratio[v->count++] = measured_us / predicted_us - 1;
	printf("%s\t%u\t%.3f\t%.3f\t%.2f\t%s\n", solver, gpus, measured_us, predicted_us,
	       100 * (predicted_us / measured_us - 1), config);
	fflush(stdout);
}

static int run_list(struct verify *v, struct lines *list)
{
	int rc = 0, more = 0;
	printf("solver\tgpus\tmeasured_us\tpredicted_us\terror_pct\tconfig\n");
	while (!rc && (more = lines_next(list)) > 0) {
		char *line = list->text;
		char solver[32];
		unsigned gpus;
		int at = 0;
		line[strcspn(line, "\n")] = 0;
		if (*line == '#' || !*line)
			continue;
		if (sscanf(line, "%31s %u %n", solver, &gpus, &at) < 2 || !at || !line[at] ||
		    gpus < 1 || gpus > 64)
			rc = report("%s:%d: not SOLVER GPUS CONFIGURATION", v->file, list->number);
		else if (gpus <= v->gpus)
			verify_line(v, solver, line + at, gpus);
	}
	return rc || more < 0 ? -1 : 0;
}

static int write_widths(const struct verify *v, const char *path, const char *command)
{
	struct results results = { 0 };
	double low, above;
	const double runs = (double)v->count;
	char date[64], *note, *how;
	interval_widths(v->ratio, v->count, &low, &above);
	const double below = -low;
	calibrate_date(date, sizeof(date));
	note = xprintf("# date = %s\n# command = %s\n", date, command);
	how = xprintf("%zu runs of %s on %s, measured / predicted - 1", v->count,
		      strrchr(v->file, '/') ? strrchr(v->file, '/') + 1 : v->file, v->backend);
	results_add(&results, "interval.below", &below, NULL, 1, how);
	results_add(&results, "interval.above", &above, NULL, 1, "the same");
	results_add(&results, "interval.runs", &runs, NULL, 1, "how many these were");
	const int rc = calibrate_update(&results, path, note);
	results_release(&results);
	free(note);
	free(how);
	if (!rc)
		fprintf(stderr,
			"warpreel: %s: intervals are %+.1f to %+.1f %% from now on, by %zu runs\n",
			path, 100 * low, 100 * above, v->count);
	return rc;
}

int verify_platform(const struct program *program, const char *path, const char *backend,
		    const char *list, uint32_t gpus, const char *command)
{
	char *usual = list ? NULL : xprintf("%s/traces/data/lists/verify.list", util_root());
	struct verify v = {
		.program = program, .backend = backend, .file = list ? list : usual, .gpus = gpus
	};
	const struct predictor_options options = { .platform = path };
	struct lines lines;
	int rc = lines_open(&lines, v.file);
	if (!rc && !(rc = predictor_init(&v.predictor, program, &options, true))) {
		const uint32_t has = (uint32_t)v.predictor.platform.gpus;
		v.gpus = v.gpus && v.gpus < has ? v.gpus : has;
		rc = run_list(&v, &lines);
		if (!rc && v.count < VERIFY_LEAST)
			rc = report("%s: %zu runs could be measured and predicted, %d at least set "
				    "the width of intervals: '%s' is as it was",
				    v.file, v.count, VERIFY_LEAST, path);
		if (!rc)
			rc = write_widths(&v, path, command);
		predictor_release(&v.predictor);
	}
	lines_close(&lines);
	free(v.ratio);
	free(usual);
	return rc;
}
