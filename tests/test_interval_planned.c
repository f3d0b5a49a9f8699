/* SPDX-License-Identifier: MIT
 * Widths of planned runs beyond their class: by the way they go, by solver, and of the next answer.
 */
#include "interval_root.h"

#include <math.h>

#include "model/records/interval.h"
#include "sim/validate/interval_fit.h"
#include "traces/program/program.h"
#include "validation_rows.h"

/* A configuration here is its way: a kernel's name, and what else is chosen behind a comma. */
static char *way_of(const char *solver, const char *config, uint32_t gpus, const char *column)
{
	(void)solver;
	(void)gpus;
	assert_string_equal(column, "way");
	return xstrdup(config);
}

static const struct program program = { .column = way_of };

static void unfamiliar_row(struct validation *v, const char *split, const char *way,
			   double measured)
{
	add_row(v, "size", split, "default", "single-kernel-warps", measured, 100, 0.05);
	struct validation_row *row = &v->row[v->count - 1];
	free(row->config);
	row->config = xstrdup(way);
	snprintf(row->family, sizeof(row->family), "%.*s", (int)strcspn(way, ","), way);
}

/* Ways that no interval row goes: their width is that of development rows, those of a row's own
 * kernel left out. */
static void a_way_that_sets_no_width_takes_that_of_all_such(void **state)
{
	struct validation v = { .program = &program };
	struct intervals intervals;
	double low, high;
	(void)state;
	for (int k = 0; k < 3; k++)
		unfamiliar_row(&v, "interval", "rbsor/tuned", 100 + k);
	for (int k = 0; k < 3; k++)
		unfamiliar_row(&v, "interval", "patches/sine",
			       100); /* the kernel, in another way */
	unfamiliar_row(&v, "interval", "rbsor/rare", 100);
	for (int k = -5; k <= 5; k++) {
		unfamiliar_row(&v, "development", "rbsor/tuned", 300);
		unfamiliar_row(&v, "development", "patches/sine,sync=graph", 100 + k);
		unfamiliar_row(&v, "development", "mlssor/rows", 100 + 2 * k);
	}
	unfamiliar_row(&v, "blind", "mlssor/rows", 500);
	assert_int_equal(validation_fit_intervals(&v, NULL, "model/intervals/x.tsv"), 0);
	assert_int_equal(intervals_read(&intervals, "x"), 0);
	assert_true(intervals_familiar(&intervals, "rbsor/tuned"));
	assert_false(intervals_familiar(&intervals, "rbsor/rare")); /* one row says nothing */
	assert_false(intervals_familiar(&intervals, "mlssor/rows"));
	assert_true(intervals_familiar(&intervals, "patches/sine"));
	assert_false(intervals_familiar(&intervals, "patches/sine,sync=graph"));
	intervals_lookup(&intervals, "size", INTERVAL_UNFAMILIAR, &low, &high);
	assert_true(low < -0.085 && low > -0.09 && high > 0.085 && high < 0.09);
	intervals_release(&intervals);

	struct interval_row twice = { .set = INTERVAL_SOLVER, .low = 2, .high = 2 };
	snprintf(twice.class_name, sizeof(twice.class_name), "%s", v.row[0].solver);
	validation_leave_out(&v, &(struct intervals){ .row = &twice, .count = 1 });
	for (size_t k = 0; k < v.count; k++) {
		const struct validation_row *row = &v.row[k];
		/* by others of their kind, and by solver twice as wide in logarithms */
		const double half =
			!strcmp(row->split, "development") && !strcmp(row->family, "patches/sine")
				? pow(1 + 0.10 * 13 / 11, 2) - 1
			: !strcmp(row->split, "development") && !strcmp(row->family, "mlssor/rows")
				? pow(1 + 0.05 * 13 / 11, 2) - 1
				: 0.05;
		assert_true(fabs(row->hi_us / 100 - 1 - half) < 1e-9);
	}
	validation_release(&v);
}

static void one_kernel_alone_says_nothing_of_others(void **state)
{
	struct validation v = { .program = &program };
	struct intervals intervals;
	double low, high;
	(void)state;
	for (int k = 0; k < 3; k++) {
		unfamiliar_row(&v, "interval", "rbsor/tuned", 100 + k);
		unfamiliar_row(&v, "development", "lmsor/3", 100 + k);
	}
	assert_int_equal(validation_fit_intervals(&v, NULL, "model/intervals/x.tsv"), 0);
	assert_int_equal(intervals_read(&intervals, "x"), 0);
	for (size_t k = 0; k < intervals.count; k++)
		assert_string_not_equal(intervals.row[k].class_name, INTERVAL_UNFAMILIAR);
	intervals_lookup(&intervals, "size", INTERVAL_UNFAMILIAR, &low, &high);
	assert_true(low == -INTERVAL_MOST && high == INTERVAL_MOST);
	intervals_release(&intervals);
	validation_release(&v);
}

/* Planned runs that were looked at err by up to 5 %; what was answered before they were measured,
 * by up to `most`. */
static void rows_and_answers(struct validation *v, struct blind *blind, int answers, double most)
{
	for (int k = 0; k < answers; k++) {
		unfamiliar_row(v, "interval", "rbsor/tuned", 95 + 10.0 * k / answers);
		add_row(v, "size", "interval", "warps", "single-kernel-warps",
			95 + 10.0 * k / answers, 100, 0.05);
		GROW(blind->row, blind->count, blind->capacity);
		blind->row[blind->count++] = (struct blind_row){
			.visit = xstrdup("A"),
			.commit = xstrdup("c"),
			.set = xstrdup("size"),
			.solver = xstrdup("rbsor"),
			.config = xstrdup("rbsor/tuned"),
			.gpus = 2,
			.measured_us = 100 * (1 + most * (2.0 * k / answers - 1)),
			.made_us = k % 10 ? 100 : NAN, /* some were refused */
			.lo_us = 95,
			.hi_us = 105,
		};
	}
}

static void the_next_answer_is_as_wide_as_earlier_ones_erred(void **state)
{
	static const struct {
		int answers;
		double most, least_times, most_times;
	} of[] = { { 200, 0.15, 2.4, 3.0 },
		   { 200, 0.02, 1, 1 },	 /* never narrower than what was looked at */
		   { 40, 0.15, 1, 1 } }; /* 36 answers do not say where one in ten begins */
	(void)state;
	for (size_t k = 0; k < sizeof(of) / sizeof(of[0]); k++) {
		struct validation v = { .program = &program };
		struct blind blind = { 0 };
		struct intervals intervals;
		double low, high;
		int within = 0, made = 0;
		rows_and_answers(&v, &blind, of[k].answers, of[k].most);
		assert_int_equal(validation_fit_intervals(&v, &blind, "model/intervals/x.tsv"), 0);
		assert_int_equal(intervals_read(&intervals, "x"), 0);
		const double times = intervals_unseen(&intervals);
		assert_true(times >= of[k].least_times && times <= of[k].most_times);
		intervals_lookup(&intervals, "size", "single-kernel-warps", &low, &high);
		for (size_t b = 0; b < blind.count; b++) {
			made += !isnan(blind.row[b].made_us);
			within += blind.row[b].measured_us >= 100 * exp(times * log1p(low)) &&
				  blind.row[b].measured_us <= 100 * exp(times * log1p(high)) &&
				  !isnan(blind.row[b].made_us);
		}
		if (times > 1)
			assert_true(within >= 0.9 * made && within <= 0.93 * made);
		intervals_release(&intervals);
		validation_release(&v);
		blind_release(&blind);
	}
}

/* Two solvers of one class: one errs by a third of what the other errs by. */
static void a_solver_is_as_wide_as_its_own_rows_err(void **state)
{
	static const struct {
		const char *solver;
		double most; /* of its rows */
		int rows;
	} of[] = { { "lmsor", 0.03, 100 }, { "mlssor", 0.10, 100 }, { "jacobi", 0.5, 39 } };
	struct validation v = { .program = &program };
	struct intervals intervals;
	(void)state;
	for (int s = 0; s < 3; s++)
		for (int k = 0; k < of[s].rows; k++) {
			const double measured = 100 * (1 + of[s].most * (2.0 * k / 99 - 1));
			char *way = xprintf("%s/kernel", of[s].solver);
			unfamiliar_row(&v, "interval", way, measured);
			free(v.row[v.count - 1].solver);
			v.row[v.count - 1].solver = xstrdup(of[s].solver);
			free(way);
			if (of[s].rows == 100)
				add_row(&v, "size", "interval", "warps", "single-kernel-warps",
					measured, 100, 0.05);
		}
	assert_int_equal(validation_fit_intervals(&v, NULL, "model/intervals/x.tsv"), 0);
	assert_int_equal(intervals_read(&intervals, "x"), 0);
	for (int s = 0; s < 3; s++) {
		double class_low, class_high, low, high;
		int within = 0;
		intervals_lookup(&intervals, "size", "single-kernel-warps", &class_low,
				 &class_high);
		low = class_low, high = class_high;
		interval_of_solver(&intervals, of[s].solver, &low, &high);
		for (size_t k = 0; k < v.count; k++)
			within += !strcmp(v.row[k].solver, of[s].solver) &&
				  !strcmp(v.row[k].model, "default") &&
				  v.row[k].measured_us >= 100 * (1 + low) &&
				  v.row[k].measured_us <= 100 * (1 + high);
		if (of[s].rows < 40) /* too few rows: its class's */
			assert_true(low == class_low && high == class_high);
		else
			assert_true(within >= 90 && within <= 92);
	}
	/* No narrower than what the machine repeats by. */
	double low = -0.0101, high = 0.0101;
	interval_of_solver(&intervals, "lmsor", &low, &high);
	assert_true(low == -INTERVAL_LEAST && high == INTERVAL_LEAST);
	intervals_release(&intervals);
	validation_release(&v);
}

static void a_file_that_names_no_ways_knows_all(void **state)
{
	struct intervals intervals;
	(void)state;
	put("model/intervals/x.tsv",
	    "set\tclass\tlow\thigh\tpoints\nsize\tsingle-host\t-0.1\t0.1\t9\n");
	assert_int_equal(intervals_read(&intervals, "x"), 0);
	assert_true(intervals_familiar(&intervals, "rbsor/tuned"));
	intervals_release(&intervals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_way_that_sets_no_width_takes_that_of_all_such),
		cmocka_unit_test(one_kernel_alone_says_nothing_of_others),
		cmocka_unit_test(the_next_answer_is_as_wide_as_earlier_ones_erred),
		cmocka_unit_test(a_solver_is_as_wide_as_its_own_rows_err),
		cmocka_unit_test(a_file_that_names_no_ways_knows_all),
	};
	return cmocka_run_group_tests(tests, make_root, remove_root);
}
