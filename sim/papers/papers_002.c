/* SPDX-License-Identifier: MIT
 * Y. Cotronis, E. Konstantinidis, M. A. Louka, N. M. Missirlis, "Parallel SOR for Solving the
 * Convection Diffusion Equation Using GPUs with CUDA": one run of its tables, as published,
 * measured and simulated.
 */
#include "papers_002.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

const char *p002_device(const struct paper_work *w, const struct p002_line *line)
{
	return line->device ? line->device : w->runs.today;
}

const char *p002_kernel(const struct p002_line *line)
{
	return line->check ? "tuned4, check=device"
			   : line->kernel; /* the only one with another check */
}

int p002_places(struct paper_work *w, int table,
		int (*visit)(struct paper_work *, const struct p002_place *, void *),
		void *argument)
{
	for (size_t k = 0; k < w->published.count; k++) {
		const struct published_row *row = &w->published.row[k];
		const struct p002_place place = { row->table, row->problem, row->size, row->re,
						  row->omega };
		bool seen = row->table != table;
		for (size_t j = 0; j < k && !seen; j++) {
			const struct published_row *before = &w->published.row[j];
			seen = before->table == table && before->problem == row->problem &&
			       before->size == row->size && before->re >= row->re &&
			       before->re <= row->re;
		}
		if (!seen && visit(w, &place, argument))
			return -1;
	}
	return 0;
}

char *p002_config(const struct p002_place *at, const struct p002_line *line, int iterations)
{
	char *config = xprintf("size=%d problem=%d re=%.15g omega=%s kernel=%s check=%s border=1 "
			       "transport=peer tolerance=1e-06 max-iterations=%d",
			       at->size, at->problem, at->re, at->omega, line->kernel,
			       line->check ? line->check : "every", P002_MOST_ITERATIONS);
	if (!iterations)
		return config;
	char *counted = xprintf("%s iterations=%d", config, iterations);
	free(config);
	return counted;
}

static const struct published_row *printed(const struct paper_work *w, const struct p002_place *at,
					   const char *device, const char *kernel,
					   const char *quantity)
{
	const struct published_row like = {
		.table = at->table, .problem = at->problem, .size = at->size, .re = at->re
	};
	return published_find(&w->published, &like, device, kernel, quantity);
}

/* Points that an iteration updates: sizes count the boundary. */
static double points(const struct p002_place *at)
{
	return (double)(at->size - 2) * (at->size - 2);
}

static double iteration_ms(const struct p002_place *at, double mega_a_second)
{
	return points(at) / mega_a_second * 1e-3;
}

static void fill_published(const struct paper_work *w, const struct p002_place *at,
			   const char *device, const char *kernel, struct p002_values *v)
{
	static const char *const names[P002_QUANTITIES] = { "iterations", "computation",
							    "execution",  "iteration",
							    "rate",	  "speedup" };
	for (int q = 0; q < P002_QUANTITIES; q++) {
		const struct published_row *row = printed(w, at, device, kernel, names[q]);
		v->text[q] = row ? row->text : NULL;
		v->value[q][P002_PUBLISHED] = row ? row->value : NAN;
	}
	if (!v->text[P002_ITERATION])
		v->value[P002_ITERATION][P002_PUBLISHED] =
			iteration_ms(at, v->value[P002_RATE][P002_PUBLISHED]);
}

static void fill_times(struct p002_values *v, int source, const struct paper_times *t,
		       double iterations)
{
	v->value[P002_ITERATION][source] = t->core_us * 1e-3 / iterations;
	v->value[P002_COMPUTATION][source] = t->core_us * 1e-6;
	v->value[P002_EXECUTION][source] = t->total_us * 1e-6;
}

/* Published ms an iteration of the paper's CPU, measured ones of its program on the host of today.
 */
static double cpu_ms(const struct paper_work *w, const struct p002_place *at, bool published)
{
	static const struct p002_line host = { P002_HOST, "rows", NULL };
	struct p002_values v;
	if (published) {
		fill_published(w, at, P002_CPU, "rows", &v);
		return v.value[P002_ITERATION][P002_PUBLISHED];
	}
	char *config = p002_config(at, &host, 0);
	const struct paper_times t = paper_measured(&w->runs, config);
	free(config);
	return t.core_us * 1e-3 / t.iterations;
}

int p002_values_of(struct paper_work *w, const struct p002_place *at, const struct p002_line *line,
		   struct p002_values *v)
{
	const char *device = p002_device(w, line);
	bool today = !line->device, host = !today && !strcmp(device, P002_HOST),
	     cpu = !today && !strcmp(device, P002_CPU);
	const struct published_row *count = printed(w, at, "gtx480", NULL, "iterations");
	for (int q = 0; q < P002_QUANTITIES; q++)
		for (int s = 0; s < P002_SOURCES; s++)
			v->value[q][s] = NAN;
	fill_published(w, at, device, line->kernel, v);
	double iterations = count ? count->value : NAN;
	char *config = p002_config(at, line, 0);
	const struct paper_times measured = today || host ? paper_measured(&w->runs, config)
							  : (struct paper_times){ NAN, NAN, NAN };
	free(config);
	fill_times(v, P002_MEASURED, &measured, measured.iterations);
	if (host) { /* a part of the iterations tells no more than their pace */
		v->value[P002_COMPUTATION][P002_MEASURED] =
			v->value[P002_EXECUTION][P002_MEASURED] = NAN;
	} else {
		v->value[P002_ITERATIONS][P002_MEASURED] = measured.iterations;
		iterations = isnan(measured.iterations) ? iterations : measured.iterations;
	}
	if (!host && !cpu) {
		struct paper_times simulated;
		if (isnan(iterations))
			return report(
				"table %d: no number of iterations for problem %d, size %d, re %g",
				at->table, at->problem, at->size, at->re);
		config = p002_config(at, line, (int)iterations);
		int rc = paper_simulate(&w->runs, device, config, &simulated);
		free(config);
		if (rc)
			return -1;
		fill_times(v, P002_SIMULATED, &simulated, iterations);
	}
	const double cpus[P002_SOURCES] = {
		NAN, cpu_ms(w, at, false), cpu_ms(w, at, !today)
	}; /* the published speed-up is printed */
	for (int s = P002_MEASURED; s < P002_SOURCES; s++) {
		v->value[P002_RATE][s] = points(at) / v->value[P002_ITERATION][s] * 1e-3;
		v->value[P002_SPEEDUP][s] = cpus[s] / v->value[P002_ITERATION][s];
	}
	const double known = v->value[P002_ITERATION][today ? P002_MEASURED : P002_PUBLISHED];
	v->error_pct = 100 * (v->value[P002_ITERATION][P002_SIMULATED] / known - 1);
	paper_compare(w,
		      &(struct paper_comparison){ at->table, at->problem, at->size, at->re, known,
						  v->value[P002_ITERATION][P002_SIMULATED], device,
						  p002_kernel(line), "ms an iteration" });
	return 0;
}

static const struct paper_table tables[] = {
	{ "table1", "Table 1: three kernels, sizes 402 and 2002, Re 10", p002_table1 },
	{ "table2", "Table 2: one sweep over the red points, size 4002", p002_table2 },
	{ "table3", "Table 3: CPU and GPU for three Re, size 1002", p002_table3 },
	{ "table4", "Table 4: problem 2 at five sizes, Re 10", p002_table4 },
	{ "figure1", "Figure 1: updates a second, and speed-up over a CPU thread, problem 2, Re 10",
	  p002_figure1 },
	{ "counts", "Iterations until max|u| is at most 1e-6", p002_counts },
	{ "ranking", "Which kernel is faster", p002_ranking },
	{ "norm", "What max|u| in every sweep costs: a sweep alone", p002_norm },
	{ "errors", "Every simulated time against what is known of it", p002_errors },
	{ "summary", "Errors of simulated times, without their sign", p002_summary },
	{ "bounds",
	  "What bounds a red sweep: its time, and per cent of it with one part of the device made "
	  "ideal",
	  p002_bounds },
	{ 0 },
};

const struct paper paper_002 = { .name = "002", .solver = "lmsor", .tables = tables };
