/* SPDX-License-Identifier: MIT
 * The validation table, its summary, and measurements read from tables.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "sim/validate/measured.h"
#include "sim/validate/validation.h"
#include "validation_rows.h"

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

static int make_root(void **state)
{
	(void)state;
	return !mkdtemp(folder) || chdir(folder);
}

static int remove_root(void **state)
{
	(void)state;
	unlink("measured.tsv");
	unlink("splits.tsv");
	return chdir("/") || rmdir(folder);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
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
		cmocka_unit_test(visits_of_one_configuration_are_one_row_with_their_spread),
		cmocka_unit_test(the_spread_of_a_row_is_that_of_its_widest_visit),
		cmocka_unit_test(the_last_line_that_a_row_matches_says_its_split),
		cmocka_unit_test(a_table_that_is_none_is_refused_with_file_and_line),
	};
	return cmocka_run_group_tests(tests, make_root, remove_root);
}
