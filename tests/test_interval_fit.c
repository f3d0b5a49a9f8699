/* SPDX-License-Identifier: MIT
 * Widths of intervals fitted from rows of the validation, and read again.
 */
#include "interval_root.h"

#include <math.h>

#include "model/records/interval.h"
#include "sim/validate/interval_fit.h"
#include "validation_rows.h"

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
	validation_leave_out(&v, &(struct intervals){ 0 });
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
	};
	return cmocka_run_group_tests(tests, make_root, remove_root);
}
