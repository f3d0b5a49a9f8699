/* SPDX-License-Identifier: MIT */
#include "interval_fit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "interval_solver.h"
#include "interval_unseen.h"
#include "interval_ways.h"
#include "sim/validate/splits.h"
#include "traces/base/output.h"
#include "traces/base/util.h"
#include "traces/program/program.h"

static bool ends_with(const char *text, const char *suffix)
{
	size_t length = strlen(text), end = strlen(suffix);
	return length >= end && !strcmp(text + length - end, suffix);
}

/*
 * Whether a row is one of those its class is fitted to: answers unasked; but where kernels take
 * their time from `warps`, all of that model (where launches timed alone scale what is answered,
 * these are `played`), and where they take it from records, all of `scaled`, which answers when
 * asked, beside replays.
 */
static bool fits(const struct validation *v, const struct validation_row *row, bool played)
{
	const bool warps = ends_with(row->class_name, "-warps");
	if (played && !warps)
		return false;
	const char *model = warps ? (played || !v->timed ? "warps" : "default")
			    : ends_with(row->class_name, "-host") || !strcmp(row->set, "replay")
				    ? "default"
				    : "scaled";
	return strcmp(row->class_name, "-") && !strcmp(row->model, model) &&
	       !strcmp(row->split, split_name[SPLIT_INTERVAL]);
}

/* Whether a row's error says how wide a class is: its own set's; for `replay`, whose points are
 * few, those of every set. */
static bool widens(const struct validation *v, const struct validation_row *row, const char *set,
		   const char *class_name, bool played)
{
	return fits(v, row, played) && !strcmp(row->class_name, class_name) &&
	       (!strcmp(set, "replay") || !strcmp(row->set, set));
}

/*
 * Quantiles of measured / predicted - 1. With n points the empirical 5 % and 95 % quantiles are too
 * narrow: from 19 points on the split-conformal rank (n + 1) 0.95 is taken, below the extremes;
 * both are stretched by (n + 2) / n. A half-width of 15 % is the most that is of use: beyond it the
 * interval is cut, and its coverage says so; and where there are fewer than FIT_LEAST points, that
 * is taken.
 */
enum {
	FIT_LEAST = WAYS_LEAST,
	FIT_TAILS = 19 /* points from which on a rank is below the extremes */
};
void interval_widths(double *ratio, size_t n, double *low, double *high)
{
	const double most = INTERVAL_MOST;
	*low = -most, *high = most;
	if (n >= FIT_LEAST) {
		double beyond = n >= FIT_TAILS ? 0.05 - 0.05 / (double)n : 0,
		       stretch = ((double)n + 2) / (double)n;
		*low = quantile_of(ratio, n, beyond) * stretch;
		*high = quantile_of(ratio, n, 1 - beyond) * stretch;
	}
	*low = *low > -INTERVAL_LEAST ? -INTERVAL_LEAST : *low;
	*high = *high < INTERVAL_LEAST ? INTERVAL_LEAST : *high;
	if (*high - *low > 2 * most) {
		double cut = 2 * most / (*high - *low);
		*low *= cut;
		*high *= cut;
	}
}

/* The table as it is written, and as what is written last asks for it. */
struct fit {
	FILE *out;
	struct intervals so_far; /* owned */
};

static void add(struct fit *fit, const char *set, const char *class_name, double low, double high,
		size_t n)
{
	struct interval_row row = { .low = low, .high = high, .points = (int)n };
	snprintf(row.set, sizeof(row.set), "%s", set);
	snprintf(row.class_name, sizeof(row.class_name), "%s", class_name);
	GROW(fit->so_far.row, fit->so_far.count, fit->so_far.capacity);
	fit->so_far.row[fit->so_far.count++] = row;
	fprintf(fit->out, "%s\t%s\t%.4f\t%.4f\t%zu\n", set, class_name, low, high, n);
}

static double ratio_of(const struct validation_row *row)
{
	return row->measured_us / row->predicted_us - 1;
}

static void fit_class(const struct validation *v, const char *set, const char *class_name,
		      bool played, struct fit *fit)
{
	char name[INTERVAL_CLASS_BYTES];
	double *ratio = xmalloc(v->count * sizeof(*ratio)), low, high;
	size_t n = 0;
	for (size_t k = 0; k < v->count; k++)
		if (widens(v, &v->row[k], set, class_name, played))
			ratio[n++] = ratio_of(&v->row[k]);
	interval_widths(ratio, n, &low, &high);
	if (played)
		interval_class_played(class_name, name);
	add(fit, set, played ? name : class_name, low, high, n);
	free(ratio);
}

static void fit_classes(const struct validation *v, const char *set, bool played, struct fit *fit)
{
	for (size_t k = 0; k < v->count; k++) {
		const char *class_name = v->row[k].class_name;
		bool seen = !widens(v, &v->row[k], set, class_name, played);
		for (size_t j = 0; j < k && !seen; j++)
			seen = widens(v, &v->row[j], set, class_name, played);
		if (!seen)
			fit_class(v, set, class_name, played, fit);
	}
}

/* Every class that has a row to go by. */
static void fit_set(const struct validation *v, const char *set, struct fit *fit)
{
	fit_classes(v, set, false, fit);
	if (v->timed)
		fit_classes(v, set, true, fit);
}

/* ---- widths from development rows ---- */

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

static bool same_family(const struct validation_row *a, const struct validation_row *b)
{
	return !strcmp(a->family, b->family);
}

/* Rows whose kind has no rows to spare for widths alone, and so is fitted to what anybody may look
 * at; a row of it is answered without its own kin's. */
struct pool {
	bool (*kin)(const struct validation_row *a, const struct validation_row *b);
	const char *class_name;
	const struct validation_row **row; /* owned */
	size_t count;
};

static void pool_of_programs(struct pool *pool, const struct validation *v, const char *class_name)
{
	*pool = (struct pool){ .kin = same_program,
			       .class_name = class_name,
			       .row = xcalloc(v->count + 1, sizeof(*pool->row)) };
	for (size_t k = 0; k < v->count; k++)
		if (!strcmp(v->row[k].class_name, class_name) &&
		    !strcmp(v->row[k].split, split_name[SPLIT_DEVELOPMENT]) &&
		    !strcmp(v->row[k].model, "default"))
			pool->row[pool->count++] = &v->row[k];
}

static void pool_of_unfamiliar(struct pool *pool, const struct validation *v)
{
	struct ways w;
	*pool = (struct pool){ .kin = same_family,
			       .class_name = INTERVAL_UNFAMILIAR,
			       .row = xcalloc(v->count + 1, sizeof(*pool->row)) };
	ways_find(&w, v);
	for (size_t k = 0; k < v->count && w.count; k++)
		if (ways_unfamiliar(&w, k) &&
		    !strcmp(v->row[k].split, split_name[SPLIT_DEVELOPMENT]))
			pool->row[pool->count++] = &v->row[k];
	ways_release(&w);
}

/* Widths by all rows but those of `but`'s kin (NULL: by all); their number. */
static size_t pool_widths(const struct pool *pool, const struct validation_row *but, double *low,
			  double *high)
{
	double *ratio = xmalloc((pool->count + 1) * sizeof(*ratio));
	size_t n = 0;
	for (size_t k = 0; k < pool->count; k++)
		if (!but || !pool->kin(but, pool->row[k]))
			ratio[n++] = ratio_of(pool->row[k]);
	interval_widths(ratio, n, low, high);
	free(ratio);
	return n;
}

static const char *const program_class[] = { "foreign-kernel", "foreign-host" };
enum { PROGRAM_CLASSES = sizeof(program_class) / sizeof(program_class[0]) };

void validation_leave_out(struct validation *v, const struct intervals *solvers)
{
	struct pool pool[PROGRAM_CLASSES + 1];
	for (int c = 0; c < PROGRAM_CLASSES; c++)
		pool_of_programs(&pool[c], v, program_class[c]);
	pool_of_unfamiliar(&pool[PROGRAM_CLASSES], v);
	for (int c = 0; c <= PROGRAM_CLASSES; c++) {
		for (size_t k = 0; k < pool[c].count; k++) {
			struct validation_row *row = &v->row[pool[c].row[k] - v->row];
			double low, high;
			pool_widths(&pool[c], row, &low, &high);
			if (*row->family)
				interval_of_solver(solvers, row->solver, &low, &high);
			row->lo_us = row->predicted_us * (1 + low);
			row->hi_us = row->predicted_us * (1 + high);
		}
		free(pool[c].row);
	}
}

/* Rows of one kin alone say nothing of another. */
static bool of_several_kins(const struct pool *pool)
{
	for (size_t k = 1; k < pool->count; k++)
		if (!pool->kin(pool->row[0], pool->row[k]))
			return true;
	return false;
}

static void fit_pool(const struct pool *pool, const char *set, struct fit *fit)
{
	double low, high;
	size_t n = pool_widths(pool, NULL, &low, &high);
	if (n && of_several_kins(pool))
		add(fit, set, pool->class_name, low, high, n);
}

static void fit_unfamiliar(const struct validation *v, struct fit *fit)
{
	struct ways w;
	struct pool pool;
	pool_of_unfamiliar(&pool, v);
	if (pool.count >= FIT_TAILS) {
		fit_pool(&pool, "size", fit);
		fit_pool(&pool, "gpus", fit);
	}
	free(pool.row);
	ways_find(&w, v);
	for (size_t i = 0; i < w.count; i++)
		if (w.known[i].points >= WAYS_LEAST)
			fprintf(fit->out, "%s\t%s\t0\t0\t%d\n", INTERVAL_FAMILIAR, w.known[i].name,
				w.known[i].points);
	ways_release(&w);
}

/* Once all classes are there. */
static void fit_solvers(const struct validation *v, struct fit *fit)
{
	struct ways w;
	ways_find(&w, v);
	for (size_t k = 0; k < v->count; k++) {
		const char *solver = v->row[k].solver;
		bool seen = !*v->row[k].family;
		size_t n;
		for (size_t j = 0; j < k && !seen; j++)
			seen = *v->row[j].family && !strcmp(v->row[j].solver, solver);
		if (seen)
			continue;
		const double times = interval_solver_times(v, &w, &fit->so_far, solver, &n);
		if (n)
			add(fit, INTERVAL_SOLVER, solver, 0, times, n);
	}
	ways_release(&w);
}

static void fit_programs(const struct validation *v, struct fit *fit)
{
	for (int c = 0; c < PROGRAM_CLASSES; c++) {
		struct pool pool;
		pool_of_programs(&pool, v, program_class[c]);
		fit_pool(&pool, "foreign", fit);
		free(pool.row);
	}
}

int validation_fit_intervals(const struct validation *v, const struct blind *blind,
			     const char *path)
{
	struct output output;
	bool replays = false;
	output_begin(&output, path);
	struct fit fit = { .out = output_open(&output) };
	if (!fit.out) {
		report("cannot write '%s': %s", path, strerror(errno));
		output_abandon(&output);
		return -1;
	}
	fprintf(fit.out, "set\tclass\tlow\thigh\tpoints\n");
	for (size_t k = 0; k < v->count && !replays; k++)
		replays = !strcmp(v->row[k].set, "replay");
	if (replays)
		fit_set(v, "replay", &fit);
	fit_set(v, "size", &fit);
	fit_set(v, "gpus", &fit);
	fit_unfamiliar(v, &fit);
	fit_programs(v, &fit);
	fit_solvers(v, &fit);
	size_t n = 0;
	const double times = blind ? interval_unseen_times(blind, v, &fit.so_far, &n) : 1;
	if (n)
		add(&fit, INTERVAL_UNSEEN, "planned", 0, times, n);
	intervals_release(&fit.so_far);
	if (fflush(fit.out) | ferror(fit.out) | fclose(fit.out)) {
		report("cannot write '%s': %s", path, strerror(errno));
		output_abandon(&output);
		return -1;
	}
	return output_commit(&output);
}
