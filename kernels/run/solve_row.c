/* SPDX-License-Identifier: MIT */
#include "solve_row.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

/* A median of the thesis' times, at `offset` of them. */
static double median_ms(const struct solver_result *results, int repeat, size_t offset)
{
	double *ms = xcalloc((size_t)repeat, sizeof(*ms));
	for (int k = 0; k < repeat; k++)
		ms[k] = *(const double *)((const char *)&results[k].times + offset) * 1e-6;
	const double median = results[0].timed ? median_of(ms, (size_t)repeat) : NAN;
	free(ms);
	return median;
}

void solve_row_fill(struct solve_row *row, const struct solver_result *results, int repeat)
{
	double *core = xcalloc((size_t)repeat, sizeof(*core)),
	       *total = xcalloc((size_t)repeat, sizeof(*total));
	size_t n = (size_t)repeat;
	for (int k = 0; k < repeat; k++) {
		core[k] = (double)results[k].core_ns / 1000.0;
		total[k] = (double)results[k].total_ns / 1000.0;
	}
	row->repeat = repeat;
	row->iterations = results[0].iterations;
	row->residual = results[0].residual;
	row->checksum = results[0].checksum;
	for (int k = 0; k < repeat; k++)
		row->unconverged |= results[k].unconverged;
	memcpy(row->extra, results[0].extra, sizeof(row->extra));
	row->core_us = median_of(core, n);
	row->core_mad_us = mad_of(core, n);
	row->core_min_us = quantile_of(core, n, 0);
	row->core_max_us = quantile_of(core, n, 1);
	row->total_us = median_of(total, n);
	row->total_mad_us = mad_of(total, n);
	row->mkt_ms = median_ms(results, repeat, offsetof(struct machine_times, kernel_ns));
	row->mst_ms = median_ms(results, repeat, offsetof(struct machine_times, sync_ns));
	row->mtt_ms = median_ms(results, repeat, offsetof(struct machine_times, transfer_ns));
	row->mct_ms = median_ms(results, repeat, offsetof(struct machine_times, communication_ns));
	if (results[repeat - 1].checksum != row->checksum && !results[0].any_order)
		report_warning("%s on %u GPUs: two runs of one configuration differ", row->config,
			       row->gpus);
	free(core);
	free(total);
}

/* The columns beyond the common ones, those of `only` or of all families, a name once; row NULL:
 * their names. Ends the line. */
static void extra_columns(FILE *out, const struct solver *only, const struct solve_row *row)
{
	const char *seen[64];
	size_t count = 0;
	for (int s = 0; solvers[s]; s++) {
		const char *const *names =
			only && only != solvers[s] ? NULL : solvers[s]->extra_names;
		for (; names && *names; names++) {
			size_t k = 0;
			while (k < count && strcmp(seen[k], *names))
				k++;
			if (k < count || count == sizeof(seen) / sizeof(seen[0]))
				continue;
			seen[count++] = *names;
			if (!row) {
				fprintf(out, "\t%s", *names);
				continue;
			}
			const char *const *own = row->solver->extra_names;
			int place = 0;
			while (own && own[place] && strcmp(own[place], *names))
				place++;
			if (own && own[place])
				fprintf(out, "\t%.9g", row->extra[place]);
			else
				fprintf(out, "\t-");
		}
	}
	fprintf(out, "\n");
}

bool solve_row_unconverged(const struct solve_row *r, const char *where)
{
	if (!r->unconverged)
		return false;
	char *extra = xstrdup("");
	for (int k = 0; r->solver->extra_names && r->solver->extra_names[k]; k++) {
		char *longer =
			xprintf("%s, %s %.9g", extra, r->solver->extra_names[k], r->extra[k]);
		free(extra);
		extra = longer;
	}
	report("%s%s on %u GPUs has not converged after %lld iterations: residual %.9g%s", where,
	       r->solver->name, r->gpus, (long long)r->iterations, r->residual, extra);
	free(extra);
	return true;
}

void solve_row_header(FILE *out, const struct solver *solver)
{
	fprintf(out, "solver\tconfig\tgpus\titerations\tresidual\tcore_us\ttotal_us\tcore_mad_"
		     "us\tchecksum\tcore_min_us\tcore_max_us\t"
		     "total_mad_us\trepeat\tbackend\tsm_mhz\tmemory_mhz\tvisit\tmkt_ms\tmst_"
		     "ms\tmtt_ms\tmct_ms");
	extra_columns(out, solver, NULL);
}

void solve_row_print(FILE *out, const struct solve_row *r, const struct solver *solver)
{
	fprintf(out,
		"%s\t%s\t%u\t%" PRId64 "\t%.9g\t%.3f\t%.3f\t%.3f\t%016" PRIx64
		"\t%.3f\t%.3f\t%.3f\t%d\t%s\t%.0f\t%.0f\t%s",
		r->solver->name, r->config, r->gpus, r->iterations, r->residual, r->core_us,
		r->total_us, r->core_mad_us, r->checksum, r->core_min_us, r->core_max_us,
		r->total_mad_us, r->repeat, r->backend, r->sm_mhz, r->memory_mhz,
		r->visit ? r->visit : "-");
	const double ms[] = { r->mkt_ms, r->mst_ms, r->mtt_ms, r->mct_ms };
	for (size_t k = 0; k < sizeof(ms) / sizeof(ms[0]); k++)
		if (isnan(ms[k]))
			fprintf(out, "\t-");
		else
			fprintf(out, "\t%.6f", ms[k]);
	extra_columns(out, solver, r);
}

void solve_runs_header(FILE *out)
{
	fprintf(out, "solver\tconfig\tgpus\trun\titerations\tcore_us\ttotal_us\n");
}

static void print_runs(FILE *out, const struct solve_row *row, const struct solver_result *results,
		       int repeat)
{
	for (int k = 0; k < repeat; k++)
		fprintf(out, "%s\t%s\t%u\t%d\t%" PRId64 "\t%.3f\t%.3f\n", row->solver->name,
			row->config, row->gpus, k + 1, results[k].iterations,
			(double)results[k].core_ns / 1000, (double)results[k].total_ns / 1000);
	fflush(out);
}

int solve_config(const struct solver *solver, const char *config, struct machine *m, uint32_t gpus,
		 const struct solver_request *request, struct solve_row *row, FILE *runs)
{
	void *params = solver_params(solver, config, gpus);
	if (!params)
		return -1;
	struct solver_result *results = xcalloc((size_t)request->repeat, sizeof(*results));
	int rc = -1;
	row->solver = solver;
	row->gpus = gpus;
	row->backend = m->ops->name;
	solver->config(params, row->config);
	if (solver_run(solver, params, m, gpus, request, results))
		goto out;
	solve_row_fill(row, results, request->repeat);
	if (runs)
		print_runs(runs, row, results, request->repeat);
	rc = 0;
out:
	free(results);
	free(params);
	return rc;
}
