/* SPDX-License-Identifier: MIT
 * The validation table, its summary, the intervals fitted from it, and measurements read from
 * tables.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "model/records/interval.h"
#include "sim/validate/measured.h"
#include "sim/validate/validation.h"

static void add_row(struct validation *v, const char *set, const char *split, const char *model,
		    const char *class_name, double measured, double predicted, double half_width)
{
	GROW(v->row, v->count, v->capacity);
	struct validation_row *row = &v->row[v->count++];
	*row = (struct validation_row){ .solver = xstrdup("rbsor"),
					.config = xstrdup("size=8x8"),
					.inputs = xstrdup("p.ini"),
					.gpus = 2,
					.measured_us = measured,
					.predicted_us = predicted,
					.error_pct = 100 * (predicted - measured) / measured,
					.lo_us = predicted * (1 - half_width),
					.hi_us = predicted * (1 + half_width) };
	snprintf(row->set, sizeof(row->set), "%s", set);
	snprintf(row->split, sizeof(row->split), "%s", split);
	snprintf(row->model, sizeof(row->model), "%s", model);
	snprintf(row->class_name, sizeof(row->class_name), "%s", class_name);
}

/* Field number `field` (from 0) of line `line` (0 is the header) as text. */
static const char *field_of(const char *table, int line, int field)
{
	static char text[128];
	while (line-- && table)
		table = strchr(table, '\n') ? strchr(table, '\n') + 1 : NULL;
	while (field-- && table)
		table = strchr(table, '\t') ? strchr(table, '\t') + 1 : NULL;
	assert_non_null(table);
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(table, "\t\n"), table);
	return text;
}

static double number_of(const char *table, int line, int field)
{
	double value;
	assert_int_equal(parse_double(field_of(table, line, field), &value), 0);
	return value;
}

static char *written(const struct validation *v, void (*write)(const struct validation *, FILE *))
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	write(v, file);
	fclose(file);
	return text;
}

static void a_summary_gives_each_set_split_and_model_its_line(void **state)
{
	struct validation v = { 0 };
	(void)state;
	/* errors 0, 10, -20, 30 %: MAPE 15, p50 15, p90 27, max 30; intervals of 15 % cover the
	 * first two only */
	add_row(&v, "gpus", "development", "default", "peer-kernel", 100, 100, 0.15);
	add_row(&v, "gpus", "development", "default", "peer-kernel", 100, 110, 0.15);
	add_row(&v, "gpus", "interval", "default", "peer-kernel", 100, 150, 0.15);
	add_row(&v, "gpus", "development", "default", "peer-kernel", 100, 80, 0.15);
	add_row(&v, "gpus", "development", "default", "peer-kernel", 100, 130, 0.15);
	add_row(&v, "gpus", "development", "linear", "-", 100, 50, NAN);
	char *text = written(&v, validation_summary);
	assert_string_equal(field_of(text, 0, 4), "MAPE_pct");
	assert_string_equal(field_of(text, 1, 1), "development");
	assert_true(number_of(text, 1, 3) == 4);
	assert_true(number_of(text, 1, 4) == 15);
	assert_true(number_of(text, 1, 5) == 15);
	assert_true(number_of(text, 1, 6) == 27);
	assert_true(number_of(text, 1, 7) == 30);
	assert_true(number_of(text, 1, 8) == 50);
	assert_true(number_of(text, 1, 9) == 15);
	assert_string_equal(field_of(text, 2, 1), "interval");
	assert_true(number_of(text, 2, 7) == 50);
	assert_string_equal(field_of(text, 3, 2), "linear");
	assert_string_equal(field_of(text, 3, 8), "-"); /* no interval, no coverage */
	free(text);
	validation_release(&v);
}

static void a_missed_point_costs_the_interval_score_twenty_times_the_miss(void **state)
{
	struct validation inside = { 0 }, outside = { 0 };
	(void)state;
	add_row(&inside, "gpus", "development", "default", "c", 100, 100, 0.10); /* width 20 */
	add_row(&outside, "gpus", "development", "default", "c", 100, 120,
		0.10); /* 108 to 132: 8 beyond, width 24 */
	char *in = written(&inside, validation_summary),
	     *out = written(&outside, validation_summary);
	assert_true(fabs(number_of(in, 1, 10) - 0.20) < 1e-3);
	assert_true(fabs(number_of(out, 1, 10) - (0.24 + 20 * 0.08)) < 1e-3);
	free(in);
	free(out);
	validation_release(&inside);
	validation_release(&outside);
}

static void the_table_begins_with_the_columns_others_script_against(void **state)
{
	static const char *const columns[] = { "set",
					       "split",
					       "model",
					       "solver",
					       "config",
					       "gpus",
					       "measured_us",
					       "measured_mad_us",
					       "predicted_us",
					       "predicted_lo_us",
					       "predicted_hi_us",
					       "error_pct",
					       "inputs" };
	struct validation v = { 0 };
	(void)state;
	add_row(&v, "gpus", "development", "linear", "-", 100, 50, NAN);
	char *text = written(&v, validation_write);
	for (int k = 0; k < 13; k++)
		assert_string_equal(field_of(text, 0, k), columns[k]);
	assert_string_equal(field_of(text, 1, 9), "-");
	assert_true(number_of(text, 1, 11) == -50);
	free(text);
	validation_release(&v);
}

static char folder[] = "/tmp/warpreel-test-validation-XXXXXX";

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
	unlink("measured.tsv");
	unlink("splits.tsv");
	return rmdir("model/intervals") || rmdir("model") || chdir("/") || rmdir(folder);
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
	assert_int_equal(validation_fit_intervals(&v, "model/intervals/x.tsv"), 0);
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
	assert_int_equal(validation_fit_intervals(&v, "model/intervals/x.tsv"), 0);
	assert_int_equal(intervals_read(&intervals, "x"), 0);
	intervals_lookup(&intervals, "gpus", "host-kernel-warps", &low, &high);
	assert_true(low < -0.06 && low > -0.1 && high > 0.06 && high < 0.1);
	intervals_lookup(&intervals, "gpus", "peer-kernel-warps", &low,
			 &high); /* one point says nothing */
	assert_true(low == -0.15 && high == 0.15);
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
	assert_int_equal(validation_fit_intervals(&v, "model/intervals/x.tsv"), 0);
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
	assert_int_equal(validation_fit_intervals(&v, "model/intervals/x.tsv"), 0);
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

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
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

static void visits_of_one_configuration_are_one_row_with_their_spread(void **state)
{
	struct measured m = { 0 };
	(void)state;
	/* columns by name, in any order; a comment; two visits */
	put("measured.tsv", "gpus\tsolver\tcore_us\tconfig\tcore_mad_us\tvisit\n# a comment\n"
			    "2\trbsor\t100\tsize=8x8\t1\tone\n2\trbsor\t110\tsize="
			    "8x8\t3\ttwo\n4\trbsor\t60\tsize=8x8\t1\tone\n");
	assert_int_equal(measured_read(&m, "measured.tsv", NULL), 0);
	assert_int_equal(m.count, 2);
	const struct measured_row *row = measured_find(&m, "rbsor", "size=8x8", 2);
	assert_non_null(row);
	assert_int_equal(row->visits, 2);
	assert_true(row->core_us == 105);
	assert_true(row->core_mad_us == 3);
	assert_true(fabs(row->visit_spread - 10.0 / 105) < 1e-12);
	assert_string_equal(row->visit_name[1], "two");
	assert_null(measured_find(&m, "rbsor", "size=8x8", 8));
	measured_release(&m);
	/* a visit that gave the inputs is left out; a name that only begins like it is not */
	assert_int_equal(measured_read(&m, "measured.tsv", "on zero two"), 0);
	assert_int_equal(m.count, 2);
	row = measured_find(&m, "rbsor", "size=8x8", 2);
	assert_true(row && row->visits == 1 && row->core_us == 100);
	measured_release(&m);
}

static void the_spread_of_a_row_is_that_of_its_widest_visit(void **state)
{
	struct measured m = { 0 };
	(void)state;
	put("measured.tsv",
	    "gpus\tsolver\tcore_us\tconfig\tcore_mad_us\n2\trbsor\t100\tsize=8x8\t2\n"
	    "2\trbsor\t110\tsize=8x8\t7\n2\trbsor\t104\tsize=8x8\t3\n");
	assert_int_equal(measured_read(&m, "measured.tsv", NULL), 0);
	assert_int_equal(m.count, 1);
	assert_int_equal(m.row[0].visits, 3);
	assert_true(m.row[0].core_us == 104);
	assert_true(m.row[0].core_mad_us == 7);
	measured_release(&m);
}

static void the_last_line_that_a_row_matches_says_its_split(void **state)
{
	struct splits splits = { 0 };
	struct validation v = { .splits = &splits };
	const struct measured_row m = {
		.solver = "rbsor", .config = "size=8x8", .gpus = 2, .core_us = 100
	};
	(void)state;
	put("splits.tsv", "# a comment\nplatform\tset\tgpus\tconfig\tsplit\tcounts\twhy\n"
			  "*\truns\t*\t*\tinterval\t-\tthe rest\n"
			  "*\truns\t*\tsize=8x8\tdevelopment\t-\tchosen\n"
			  "here\tplanned\t2\tsize=8x8\tblind\t-\tnamed before\n"
			  "there\t*\t*\t*\tblind\t-\tanother platform\n"
			  "*\tkernels\t1\tsize=9x9\tdevelopment\tleft-out\tcounts\n");
	assert_int_equal(splits_read(&splits, "splits.tsv", "here"), 0);
	assert_int_equal(splits_find(&splits, "gpus", 2, "size=8x8"), SPLIT_BLIND);
	assert_int_equal(splits_find(&splits, "gpus", 4, "size=8x8"), SPLIT_DEVELOPMENT);
	assert_int_equal(splits_find(&splits, "replay", 2, "size=8x8"), SPLIT_DEVELOPMENT);
	assert_int_equal(splits_find(&splits, "size", 1, "size=9x9"), SPLIT_INTERVAL);
	assert_int_equal(splits_find(&splits, "nowhere", 1, "size=9x9"), SPLIT_DEVELOPMENT);
	assert_true(splits_counts_left_out(&splits, "size=9x9"));
	assert_false(splits_counts_left_out(&splits, "size=8x8"));
	assert_string_equal(validation_add(&v, &m, "gpus", "default", 100, "p.ini")->split,
			    "blind");
	assert_string_equal(validation_add(&v, &m, "size", "default", 100, "p.ini")->split,
			    "blind");
	assert_string_equal(validation_add(&v, &m, "replay", "default", 100, "p.ini")->split,
			    "development");
	validation_release(&v);
	splits_release(&splits);
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
	assert_int_equal(validation_fit_intervals(&v, "model/intervals/x.tsv"), 0);
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

static void a_table_that_is_none_is_refused_with_file_and_line(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "gpus\tsolver\tcore_us\tconfig\n",
		  "measured.tsv: there is no column 'core_mad_us'" },
		{ "gpus\tsolver\tcore_us\tconfig\tcore_mad_us\n2\trbsor\t100\tsize=8x8\n",
		  "measured.tsv:2: not a measurement" },
		{ "gpus\tsolver\tcore_us\tconfig\tcore_mad_us\n0\trbsor\t100\tsize=8x8\t1\n",
		  "measured.tsv:2: not a measurement" },
		{ "gpus\tsolver\tcore_us\tconfig\tcore_mad_us\n2\trbsor\t-1\tsize=8x8\t1\n",
		  "measured.tsv:2: not a measurement" },
		{ "gpus\tsolver\tcore_us\tconfig\tcore_mad_us\n2\trbsor\tfast\tsize=8x8\t1\n",
		  "measured.tsv:2: not a measurement" },
	};
	(void)state;
	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		struct measured m = { 0 };
		struct said said;
		put("measured.tsv", bad[k].text);
		said_begin(&said);
		assert_int_equal(measured_read(&m, "measured.tsv", NULL), -1);
		assert_says(&said, bad[k].message);
		measured_release(&m);
	}
	struct measured m = { 0 };
	struct said said;
	said_begin(&said);
	assert_int_equal(measured_read(&m, "nowhere.tsv", NULL), -1);
	assert_says(&said, "cannot open 'nowhere.tsv'");
	measured_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_summary_gives_each_set_split_and_model_its_line),
		cmocka_unit_test(a_missed_point_costs_the_interval_score_twenty_times_the_miss),
		cmocka_unit_test(the_table_begins_with_the_columns_others_script_against),
		cmocka_unit_test(fitted_intervals_cover_nine_in_ten_of_what_they_were_fitted_on),
		cmocka_unit_test(kernel_times_of_warps_are_judged_by_all_rows_of_warps),
		cmocka_unit_test(a_replay_of_a_class_no_replay_was_in_goes_by_other_sets),
		cmocka_unit_test(few_points_make_a_wider_interval_than_their_spread),
		cmocka_unit_test(a_program_of_others_is_answered_by_the_other_programs),
		cmocka_unit_test(a_malformed_interval_file_is_refused_and_a_missing_one_is_none),
		cmocka_unit_test(visits_of_one_configuration_are_one_row_with_their_spread),
		cmocka_unit_test(the_spread_of_a_row_is_that_of_its_widest_visit),
		cmocka_unit_test(the_last_line_that_a_row_matches_says_its_split),
		cmocka_unit_test(an_interval_of_no_use_is_cut_to_fifteen_per_cent),
		cmocka_unit_test(the_widest_of_a_set_is_cut_too),
		cmocka_unit_test(classes_part_at_seven_and_three_tenths_of_kernels),
		cmocka_unit_test(a_table_that_is_none_is_refused_with_file_and_line),
	};
	return cmocka_run_group_tests(tests, make_root, remove_root);
}
