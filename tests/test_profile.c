/* SPDX-License-Identifier: MIT
 * Kernel profiles: what was recorded is answered exactly, what lies between is between, what lies
 * beyond is said to.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "model/records/profile.h"
#include "traces/format/trace.h"

enum { PID = 0x1000000 };

/* One launch of `kernel` inside the run that is open. */
static void add_kernel(struct trace *trace, const char *kernel, int64_t rows, int64_t columns,
		       int64_t duration_ns)
{
	int64_t correlation = (int64_t)trace->kernel_count + 1, start_ns = correlation * 1000000;
	struct trace_kernel *k = trace_add_kernel(trace);
	k->start_ns = start_ns;
	k->end_ns = start_ns + duration_ns;
	k->stream = 7;
	k->correlation = correlation;
	k->global_pid = PID;
	struct trace_footprint *f = trace_add_footprint(trace);
	f->correlation = correlation;
	f->global_pid = PID;
	f->kernel = trace_string(trace, kernel);
	f->rows = rows;
	f->columns = columns;
	f->points = rows * columns;
}

static void add_run(struct trace *trace, int gpus)
{
	struct trace_run *run = trace_add_run(trace);
	run->start_ns = (int64_t)(trace->kernel_count + 1) * 1000000 - 1;
	run->end_ns = -1;
	run->solver = trace_string(trace, "rbsor");
	run->config = trace_string(trace, "");
	run->gpus = gpus;
}

static double power_ns(int64_t rows, int64_t columns)
{
	return 2 * pow((double)rows * (double)columns, 0.9);
}

/* sweep over 100, 400, 1600 rows by 128 and 1024 columns; 3 launches each, the last wild */
static void make_grid(struct profile *profile)
{
	static const int64_t rows[] = { 100, 400, 1600 }, columns[] = { 128, 1024 };
	struct trace trace;
	trace_init(&trace);
	add_run(&trace, 1);
	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 2; c++)
			for (int k = 0; k < 3; k++)
				add_kernel(&trace, "sweep", rows[r], columns[c],
					   (int64_t)(power_ns(rows[r], columns[c]) *
						     (k == 2 ? 5 : 1)));
	profile_init(profile);
	assert_int_equal(profile_add_trace(profile, &trace, 1), 0);
	trace_release(&trace);
}

static double lookup(const struct profile *profile, int64_t rows, int64_t columns, bool *outside)
{
	double ns = -1;
	assert_int_equal(profile_lookup(profile, "sweep", rows, columns, NULL, &ns, outside), 0);
	assert_true(isfinite(ns) && ns > 0);
	return ns;
}

static void a_recorded_shape_is_answered_with_its_median(void **state)
{
	static const int64_t rows[] = { 100, 400, 1600 }, columns[] = { 128, 1024 };
	struct profile profile;
	bool outside;
	(void)state;
	make_grid(&profile);
	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 2; c++) {
			double expected = floor(power_ns(rows[r], columns[c]));
			assert_true(
				fabs(lookup(&profile, rows[r], columns[c], &outside) / expected -
				     1) < 1e-3);
			assert_false(outside);
		}
	profile_release(&profile);
}

static void between_recorded_shapes_more_rows_take_longer(void **state)
{
	struct profile profile;
	bool outside;
	double last = 0;
	(void)state;
	make_grid(&profile);
	for (int64_t rows = 100; rows <= 1600; rows += 10) {
		double ns = lookup(&profile, rows, 128, &outside);
		assert_true(ns > last);
		assert_false(outside);
		assert_true(fabs(ns / power_ns(rows, 128) - 1) <
			    0.01); /* a power law is met exactly, but for whole ns */
		last = ns;
	}
	profile_release(&profile);
}

static void between_column_counts_a_shape_lies_between(void **state)
{
	struct profile profile;
	bool outside;
	(void)state;
	make_grid(&profile);
	/* 300 x 400 points: both neighbouring column counts recorded that many points */
	double ns = lookup(&profile, 300, 400, &outside);
	assert_false(outside);
	assert_true(fabs(ns / power_ns(300, 400) - 1) < 0.01);
	profile_release(&profile);
}

static void beyond_the_recorded_range_is_said(void **state)
{
	static const struct {
		int64_t rows, columns;
	} beyond[] = { { 50, 128 }, { 1700, 1024 }, { 400, 100 }, { 400, 2000 }, { 1, 1 } };
	struct profile profile;
	(void)state;
	make_grid(&profile);
	for (size_t k = 0; k < sizeof(beyond) / sizeof(beyond[0]); k++) {
		bool outside = false;
		lookup(&profile, beyond[k].rows, beyond[k].columns, &outside);
		if (!outside)
			fail_msg("%lldx%lld was not recorded", (long long)beyond[k].rows,
				 (long long)beyond[k].columns);
	}
	profile_release(&profile);
}

static void a_kernel_never_recorded_has_no_answer(void **state)
{
	struct profile profile;
	double ns;
	bool outside;
	(void)state;
	make_grid(&profile);
	assert_int_equal(profile_lookup(&profile, "other", 400, 128, NULL, &ns, &outside), -1);
	assert_int_equal(profile_lookup(&profile, "sweep", 0, 128, NULL, &ns, &outside), -1);
	profile_release(&profile);
}

static void a_shape_in_two_traces_still_has_one_answer(void **state)
{
	struct profile profile;
	struct trace trace;
	bool outside;
	(void)state;
	make_grid(&profile);
	trace_init(&trace);
	add_run(&trace, 1);
	for (int64_t rows = 100; rows <= 1600; rows *= 4)
		add_kernel(&trace, "sweep", rows, 128,
			   (int64_t)(1.01 * power_ns(rows, 128))); /* another day */
	assert_int_equal(profile_add_trace(&profile, &trace, 1), 0);
	trace_release(&trace);
	for (int64_t rows = 100; rows <= 1600; rows += 100)
		assert_true(fabs(lookup(&profile, rows, 128, &outside) / power_ns(rows, 128) - 1) <
			    0.02);
	profile_release(&profile);
}

static void launches_on_several_gpus_or_outside_runs_do_not_count(void **state)
{
	struct profile profile;
	struct trace trace;
	struct said said;
	(void)state;
	trace_init(&trace);
	add_kernel(&trace, "sweep", 400, 128, 1000); /* before any run: warming up */
	add_run(&trace, 2);
	add_kernel(&trace, "sweep", 400, 128, 1000);
	profile_init(&profile);
	said_begin(&said);
	assert_int_equal(profile_add_trace(&profile, &trace, 1), -1);
	assert_says(&said, "cannot serve as a profile");
	assert_int_equal(profile.kernel_count, 0);
	assert_int_equal(profile_add_trace(&profile, &trace, 2), 0); /* unless asked for */
	assert_int_equal(profile.kernel[0].row[0].launches, 1);
	profile_release(&profile);
	trace_release(&trace);
}

static void one_recorded_shape_answers_itself_and_says_what_lies_beyond(void **state)
{
	struct profile profile;
	struct trace trace;
	bool outside;
	(void)state;
	trace_init(&trace);
	add_run(&trace, 1);
	add_kernel(&trace, "sweep", 400, 128, 1000);
	profile_init(&profile);
	assert_int_equal(profile_add_trace(&profile, &trace, 1), 0);
	assert_true(lookup(&profile, 400, 128, &outside) == 1000 && !outside);
	assert_true(lookup(&profile, 800, 128, &outside) == 2000 && outside);
	assert_true(lookup(&profile, 100, 128, &outside) == 1000 &&
		    outside); /* smaller is no cheaper */
	lookup(&profile, 400, 64, &outside);
	assert_true(outside);
	lookup(&profile, INT64_MAX, INT64_MAX, &outside);
	assert_true(outside);
	assert_true(profile_gap(&profile, "sweep", 400, 128) ==
		    -1); /* no launch calls, so no pause that is the device's own */
	profile_release(&profile);
	trace_release(&trace);
}

static void a_launch_without_rows_is_no_shape(void **state)
{
	struct profile profile;
	struct trace trace;
	struct said said;
	(void)state;
	trace_init(&trace);
	add_run(&trace, 1);
	add_kernel(&trace, "sum", 0, 0, 1000);
	add_kernel(&trace, "sum", -1, 128, 1000);
	profile_init(&profile);
	said_begin(&said);
	assert_int_equal(profile_add_trace(&profile, &trace, 1), -1);
	assert_says(&said, "cannot serve as a profile");
	profile_add_own(&profile, &trace); /* what is played back need not serve others */
	assert_int_equal(profile.kernel_count, 0);
	add_kernel(&trace, "sum", 16, 128, 1000);
	profile_add_own(&profile, &trace);
	assert_int_equal(profile.kernel_count, 1);
	profile_release(&profile);
	trace_release(&trace);
}

static void add_form(struct profile *profile, int64_t rows, int64_t threads, int64_t shared_bytes,
		     double duration_ns)
{
	const struct profile_row row = { .rows = rows,
					 .columns = 128,
					 .form = { threads, shared_bytes },
					 .duration_ns = duration_ns,
					 .gap_ns = -1,
					 .launches = 1 };
	profile_add_row(profile, "sweep", &row);
}

/* -1: not recorded so. */
static double in_form(const struct profile *profile, int64_t rows, struct profile_form *form)
{
	double ns = -1;
	bool outside;
	return profile_lookup(profile, "sweep", rows, 128, form, &ns, &outside) ? -1 : ns;
}

/* Blocks of 64 and of 32 threads on one grid: what the user chose, and neither stands for the
 * other, nor for a third. */
static void what_the_user_chose_must_be_as_recorded(void **state)
{
	struct profile profile;
	(void)state;
	profile_init(&profile);
	add_form(&profile, 100, 64, 5000, 1000);
	add_form(&profile, 100, 64, 9000, 3000);
	add_form(&profile, 400, 64, 5000, 4000);
	add_form(&profile, 100, 32, 5000, 1500);
	profile_end_file(&profile, "a");
	assert_false(profile.kernel[0].threads_follow || profile.kernel[0].shared_follows);
	assert_true(in_form(&profile, 100, &(struct profile_form){ 64, 5000 }) == 1000);
	assert_true(fabs(in_form(&profile, 200, &(struct profile_form){ 64, 5000 }) - 2000) < 1);
	assert_true(in_form(&profile, 100, &(struct profile_form){ 64, 9000 }) == 3000);
	assert_true(in_form(&profile, 100, &(struct profile_form){ 32, 5000 }) == 1500);
	assert_true(in_form(&profile, 100, &(struct profile_form){ 0, 0 }) > 0); /* not known */
	assert_true(in_form(&profile, 100, NULL) > 0);
	struct profile_form other = { 128, 5000 };
	assert_true(in_form(&profile, 100, &other) == -1);
	assert_int_equal(other.threads, 32); /* one that was */
	other = (struct profile_form){ 64, 7000 };
	assert_true(in_form(&profile, 100, &other) == -1);
	assert_true(profile_has(&profile, "sweep", &(struct profile_form){ 32, 5000 }));
	assert_false(profile_has(&profile, "sweep", &(struct profile_form){ 32, 9000 }));
	assert_false(profile_has(&profile, "other", &(struct profile_form){ 32, 5000 }));
	profile_release(&profile);
}

/* Larger grids had larger blocks: so do those between, and none are larger than any recorded. */
static void what_follows_from_the_shape_is_left_to_it(void **state)
{
	struct profile profile;
	(void)state;
	profile_init(&profile);
	add_form(&profile, 100, 64, 1000, 1000);
	add_form(&profile, 400, 128, 4000, 4000);
	profile_end_file(&profile, "a");
	assert_true(profile.kernel[0].threads_follow && profile.kernel[0].shared_follows);
	assert_true(fabs(in_form(&profile, 200, &(struct profile_form){ 128, 2000 }) - 2000) < 1);
	assert_true(in_form(&profile, 200, &(struct profile_form){ 256, 2000 }) == -1);
	assert_true(in_form(&profile, 200, &(struct profile_form){ 64, 8000 }) == -1);
	profile_release(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorded_shape_is_answered_with_its_median),
		cmocka_unit_test(between_recorded_shapes_more_rows_take_longer),
		cmocka_unit_test(between_column_counts_a_shape_lies_between),
		cmocka_unit_test(beyond_the_recorded_range_is_said),
		cmocka_unit_test(a_kernel_never_recorded_has_no_answer),
		cmocka_unit_test(a_shape_in_two_traces_still_has_one_answer),
		cmocka_unit_test(one_recorded_shape_answers_itself_and_says_what_lies_beyond),
		cmocka_unit_test(a_launch_without_rows_is_no_shape),
		cmocka_unit_test(what_the_user_chose_must_be_as_recorded),
		cmocka_unit_test(what_follows_from_the_shape_is_left_to_it),
		cmocka_unit_test(launches_on_several_gpus_or_outside_runs_do_not_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
