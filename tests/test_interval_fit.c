/* SPDX-License-Identifier: MIT
 * Widths of intervals fitted from rows of the validation, and read again.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "model/records/interval.h"
#include "sim/validate/interval_fit.h"
#include "traces/program/program.h"
#include "validation_rows.h"

static char folder[] = "/tmp/warpreel-test-interval-fit-XXXXXX";

/* A place where intervals_read looks: this program reads no shipped file. */
static int make_root(void **state)
{
	(void)state;
	char path[128];
	if (!mkdtemp(folder) || setenv("WARPREEL_ROOT", folder, 1) || chdir(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/model", folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/model/intervals", folder);
	return mkdir(path, 0700);
}

static int remove_root(void **state)
{
	(void)state;
	unlink("model/intervals/x.tsv");
	return rmdir("model/intervals") || rmdir("model") || chdir("/") || rmdir(folder);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void fitted_intervals_cover_nine_in_ten_of_what_they_were_fitted_on(void **state)
{
	struct validation v = { 0 };
	struct intervals intervals;
	double low, high;
	(void)state;
	srand(4);
	for (int k = 0; k < 400; k++) {
		double ratio = 0.95 + 0.2 * rand() / RAND_MAX;
		add_row(&v, "gpus", "interval", "scaled", "peer-kernel", 100 * ratio, 100, 0.15);
		add_row(&v, "gpus", "development", "scaled", "peer-kernel", 900, 100,
			0.15); /* must not be looked at */
		add_row(&v, "gpus", "interval", "default", "peer-kernel", 900, 100, 0.15);
	}
	assert_int_equal(validation_fit_intervals(&v, NULL, "model/intervals/x.tsv"), 0);
	assert_int_equal(intervals_read(&intervals, "x"), 0);
	intervals_lookup(&intervals, "gpus", "peer-kernel", &low, &high);
	int covered = 0;
	for (size_t k = 0; k < v.count; k += 3)
		covered += v.row[k].measured_us >= 100 * (1 + low) &&
			   v.row[k].measured_us <= 100 * (1 + high);
	assert_true(covered >= 360 && covered <= 380);
	intervals_lookup(&intervals, "gpus", "host-kernel", &low,
			 &high); /* a class never seen takes the widest of its set */
	assert_true(low < 0 && high > 0.1 && high < 0.2);
	intervals_lookup(&intervals, "size", "single-kernel", &low,
			 &high); /* a set never seen says so by its width */
	assert_true(low == -0.15 && high == 0.15);
	intervals_release(&intervals);
	validation_release(&v);
}

static void kernel_times_of_warps_are_judged_by_all_rows_of_warps(void **state)
{
	struct validation v = { 0 };
	struct intervals intervals;
	double low, high;
	(void)state;
	add_row(&v, "gpus", "interval", "default", "host-kernel-warps", 100, 100, 0.15);
	add_row(&v, "gpus", "interval", "default", "peer-kernel-warps", 100, 100, 0.15);
	for (int k = -2; k <= 2; k++)
		add_row(&v, "gpus", "interval", "warps", "host-kernel-warps", 100 + 3 * k, 100,
			0.15);
	add_row(&v, "gpus", "interval", "warps", "peer-kernel-warps", 100, 100, 0.15);
	assert_int_equal(validation_fit_intervals(&v, NULL, "model/intervals/x.tsv"), 0);
	assert_int_equal(intervals_read(&intervals, "x"), 0);
	intervals_lookup(&intervals, "gpus", "host-kernel-warps", &low, &high);
	assert_true(low < -0.06 && low > -0.1 && high > 0.06 && high < 0.1);
	intervals_lookup(&intervals, "gpus", "peer-kernel-warps", &low,
			 &high); /* one point says nothing */
	assert_true(low == -0.15 && high == 0.15);
	intervals_release(&intervals);
	validation_release(&v);
}

/* Where launches timed alone scale what is answered, rows of `warps` are as played. */
static void answers_as_played_have_widths_of_their_own(void **state)
{
	struct validation v = { .timed = true };
	struct intervals intervals;
	char name[INTERVAL_CLASS_BYTES];
	double low, high;
	(void)state;
	for (int k = -2; k <= 2; k++) {
		add_row(&v, "gpus", "interval", "default", "host-kernel-warps", 100 + k, 100, 0.15);
		add_row(&v, "gpus", "interval", "warps", "host-kernel-warps", 100 + 3 * k, 100,
			0.15);
		add_row(&v, "gpus", "interval", "default", "peer-host", 100 + k, 100, 0.15);
	}
	assert_int_equal(validation_fit_intervals(&v, NULL, "model/intervals/x.tsv"), 0);
	assert_int_equal(intervals_read(&intervals, "x"), 0);
	intervals_lookup(&intervals, "gpus", "host-kernel-warps", &low, &high);
	assert_true(low < -0.02 && low > -0.04 && high > 0.02 && high < 0.04);
	interval_class_played("host-kernel-warps", name);
	assert_string_equal(name, "host-kernel-played");
	intervals_lookup(&intervals, "gpus", name, &low, &high);
	assert_true(low < -0.06 && low > -0.1 && high > 0.06 && high < 0.1);
	/* Kernels take their time from elsewhere: no other width. */
	interval_class_played("peer-host", name);
	assert_string_equal(name, "peer-host");
	assert_true(intervals_have(&intervals, "gpus", "peer-host"));
	assert_false(intervals_have(&intervals, "gpus", "peer-played"));
	assert_false(intervals_have(&intervals, "size", "host-kernel-played"));
	intervals_release(&intervals);
	validation_release(&v);
}

static void a_replay_of_a_class_no_replay_was_in_goes_by_other_sets(void **state)
{
	struct validation v = { 0 };
	struct intervals intervals;
	double low, high;
	(void)state;
	for (int k = -2; k <= 2; k++) {
		add_row(&v, "replay", "interval", "default", "peer-host", 100 + 5 * k, 100, 0.15);
		add_row(&v, "gpus", "interval", "scaled", "host-mixed", 100 + k, 100, 0.15);
	}
	add_row(&v, "replay", "development", "default", "host-mixed", 900, 100, 0.15);
	assert_int_equal(validation_fit_intervals(&v, NULL, "model/intervals/x.tsv"), 0);
	assert_int_equal(intervals_read(&intervals, "x"), 0);
	intervals_lookup(&intervals, "replay", "host-mixed", &low, &high);
	assert_true(low < -0.02 && low > -0.05 && high > 0.02 && high < 0.05);
	intervals_lookup(&intervals, "replay", "host-kernel", &low, &high);
	assert_true(high - low <= 0.3 + 1e-12 && low < -0.1 && high > 0.1);
	intervals_release(&intervals);
	validation_release(&v);
}

static void few_points_make_a_wider_interval_than_their_spread(void **state)
{
	struct validation v = { 0 };
	struct intervals intervals;
	double low, high;
	(void)state;
	for (int k = -1; k <= 1; k++)
		add_row(&v, "gpus", "interval", "default", "peer-host", 100 + 4 * k, 100, 0.15);
	assert_int_equal(validation_fit_intervals(&v, NULL, "model/intervals/x.tsv"), 0);
	assert_int_equal(intervals_read(&intervals, "x"), 0);
	intervals_lookup(&intervals, "gpus", "peer-host", &low, &high);
	assert_true(low < -0.04 && high > 0.04);
	intervals_release(&intervals);
	validation_release(&v);
}

static void a_program_of_others_is_answered_by_the_other_programs(void **state)
{
	static const struct {
		const char *program;
		double predicted;
	} rows[] = { { "heat_512", 140 },
		     { "heat_1024", 140 },
		     { "wave", 102 },
		     { "sort_8", 103 },
		     { "sort_16", 101 } };
	struct validation v = { 0 };
	double low, high;
	(void)state;
	for (size_t k = 0; k < 5; k++) {
		add_row(&v, "public", "development", "default", "foreign-kernel", 100,
			rows[k].predicted, 0.15);
		free(v.row[k].solver);
		v.row[k].solver = xstrdup(rows[k].program);
	}
	add_row(&v, "public", "blind", "default", "foreign-kernel", 100, 200, 0.15);
	validation_leave_out(&v);
	/* neither size of heat widens the other: what is left lies within 3 % */
	low = v.row[0].lo_us / 140 - 1;
	high = v.row[0].hi_us / 140 - 1;
	assert_true(low < -0.02 && low > -0.06 && high < 0.02);
	assert_true(v.row[1].lo_us == v.row[0].lo_us);
	/* and both widen the others, within what is of use */
	low = v.row[2].lo_us / 102 - 1;
	assert_true(low < -0.25 && low >= -0.3);
	/* a blind row keeps what it was answered with */
	assert_true(v.row[5].lo_us == 170);
	validation_release(&v);
}

static void a_malformed_interval_file_is_refused_and_a_missing_one_is_none(void **state)
{
	struct intervals intervals;
	struct said said;
	(void)state;
	assert_int_equal(intervals_read(&intervals, "never-written"), 0);
	assert_int_equal(intervals.count, 0);
	put("model/intervals/x.tsv",
	    "set\tclass\tlow\thigh\tpoints\ngpus\tpeer-host\t0.2\t0.1\t5\n");
	said_begin(&said);
	assert_int_equal(intervals_read(&intervals, "x"), -1);
	assert_says(&said, "x.tsv:2: not an interval");
	intervals_release(&intervals);
}

/* Fits `count` errors of so many per cent either way to a class, and reads what was written:
 * file_low and file_high are the line's own numbers. */
static void fit_errors(int count, double percent, double *file_low, double *file_high)
{
	struct validation v = { 0 };
	char line[256];
	for (int k = 0; k < count; k++)
		add_row(&v, "gpus", "interval", "default", "peer-host",
			100 + (k % 2 ? percent : -percent), 100, 0.15);
	assert_int_equal(validation_fit_intervals(&v, NULL, "model/intervals/x.tsv"), 0);
	FILE *file = fopen("model/intervals/x.tsv", "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	assert_non_null(fgets(line, sizeof(line), file));
	assert_int_equal(sscanf(line, "gpus\tpeer-host\t%lf\t%lf\t", file_low, file_high), 2);
	assert_null(fgets(line, sizeof(line), file));
	fclose(file);
	validation_release(&v);
}

static void an_interval_of_no_use_is_cut_to_fifteen_per_cent(void **state)
{
	double low, high;
	(void)state;
	fit_errors(10, 10, &low, &high); /* stretched by 12 / 10 */
	assert_true(fabs(low + 0.12) < 1e-9 && fabs(high - 0.12) < 1e-9);
	fit_errors(10, 30, &low, &high);
	assert_true(fabs(low + 0.15) < 1e-9 && fabs(high - 0.15) < 1e-9);
	fit_errors(10, 0, &low, &high); /* and none is sharper than the machine */
	assert_true(fabs(low + 0.01) < 1e-9 && fabs(high - 0.01) < 1e-9);
	fit_errors(2, 5, &low, &high); /* two points say nothing */
	assert_true(fabs(low + 0.15) < 1e-9 && fabs(high - 0.15) < 1e-9);
}

/* A class that is in no file takes the widest of its set, which a file by hand may make wider than
 * is of use. */
static void the_widest_of_a_set_is_cut_too(void **state)
{
	struct intervals intervals;
	double low, high;
	(void)state;
	put("model/intervals/x.tsv",
	    "set\tclass\tlow\thigh\tpoints\ngpus\tpeer-host\t-0.1\t0.4\t5\ngpus\tpeer-mixed\t-0."
	    "2\t0.1\t5\nsize\tsingle-host\t-0.9\t0.9\t5\n");
	assert_int_equal(intervals_read(&intervals, "x"), 0);
	intervals_lookup(&intervals, "gpus", "host-kernel", &low,
			 &high); /* -0.2 and 0.4, in proportion */
	assert_true(fabs(low + 0.1) < 1e-9 && fabs(high - 0.2) < 1e-9);
	intervals_lookup(&intervals, "gpus", "peer-host", &low,
			 &high); /* what is in the file is not touched */
	assert_true(low == -0.1 && high == 0.4);
	intervals_release(&intervals);
}

static void classes_part_at_seven_and_three_tenths_of_kernels(void **state)
{
	static const struct {
		double share;
		const char *name;
	} shares[] = {
		{ 0.71, "peer-kernel" }, { 0.65, "peer-mixed" }, { 0.31, "peer-mixed" },
		{ 0.29, "peer-host" },	 { 0, "peer-host" },
	};
	(void)state;
	for (size_t k = 0; k < sizeof(shares) / sizeof(shares[0]); k++)
		assert_string_equal(interval_class(2, "peer", shares[k].share, "scaled"),
				    shares[k].name);
	assert_string_equal(interval_class(2, "host", 0.71, "scaled"), "host-kernel");
	assert_string_equal(interval_class(2, "host", 0.65, "warps"), "host-mixed-warps");
	assert_string_equal(interval_class(1, "host", 0.71, "warps"), "single-kernel-warps");
	assert_string_equal(interval_class(1, "host", 0.65, "warps"), "single-host");
}

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

	validation_leave_out(&v);
	for (size_t k = 0; k < v.count; k++) {
		const struct validation_row *row = &v.row[k];
		const double half =
			!strcmp(row->split, "development") && !strcmp(row->family, "patches/sine")
				? 0.10 * 13 / 11
			: !strcmp(row->split, "development") && !strcmp(row->family, "mlssor/rows")
				? 0.05 * 13 / 11
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
		cmocka_unit_test(fitted_intervals_cover_nine_in_ten_of_what_they_were_fitted_on),
		cmocka_unit_test(kernel_times_of_warps_are_judged_by_all_rows_of_warps),
		cmocka_unit_test(answers_as_played_have_widths_of_their_own),
		cmocka_unit_test(a_replay_of_a_class_no_replay_was_in_goes_by_other_sets),
		cmocka_unit_test(few_points_make_a_wider_interval_than_their_spread),
		cmocka_unit_test(a_program_of_others_is_answered_by_the_other_programs),
		cmocka_unit_test(a_malformed_interval_file_is_refused_and_a_missing_one_is_none),
		cmocka_unit_test(an_interval_of_no_use_is_cut_to_fifteen_per_cent),
		cmocka_unit_test(the_widest_of_a_set_is_cut_too),
		cmocka_unit_test(classes_part_at_seven_and_three_tenths_of_kernels),
		cmocka_unit_test(a_way_that_sets_no_width_takes_that_of_all_such),
		cmocka_unit_test(one_kernel_alone_says_nothing_of_others),
		cmocka_unit_test(the_next_answer_is_as_wide_as_earlier_ones_erred),
		cmocka_unit_test(a_solver_is_as_wide_as_its_own_rows_err),
		cmocka_unit_test(a_file_that_names_no_ways_knows_all),
	};
	return cmocka_run_group_tests(tests, make_root, remove_root);
}
