/* SPDX-License-Identifier: MIT
 * What is made of the validation's rows: rankings, strata with their coverage, errors by part,
 * blind answers beside those of now.
 */
#include "support.h"

#include "kernels/kit/solver.h"
#include "sim/validate/blind.h"
#include "sim/validate/part_errors.h"
#include "sim/validate/ranking.h"
#include "sim/validate/strata.h"
#include "traces/program/program.h"
#include "validation_rows.h"

static const struct program program = { .column = solver_column,
					.choices = solver_choices,
					.but_for = solver_but_for };

static struct validation_row *add(struct validation *v, const char *set, const char *model,
				  const char *config, int gpus, double measured, double predicted)
{
	const struct measured_row m = { .solver = "jacobi",
					.config = (char *)(uintptr_t)config,
					.gpus = gpus,
					.core_us = measured };
	return validation_add(v, &m, set, model, predicted, "p.ini");
}

/* The line that begins so, without its end; "" where there is none. */
static const char *line_of(const char *table, const char *begin)
{
	static char line[512];
	const size_t length = strlen(begin);
	*line = 0;
	for (const char *at = table; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (!strncmp(at, begin, length))
			snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
	return line;
}

static void a_configuration_loses_the_words_of_a_choice_and_no_others(void **state)
{
	(void)state;
	char *rest = solver_but_for("kernel=a size=8x8 border=1 borders=2", 2, NULL);
	assert_string_equal(rest, "size=8x8 borders=2");
	free(rest);
	rest = solver_but_for("size=8x8 border=1 kernel=a", 2, "border");
	assert_string_equal(rest, "size=8x8 kernel=a");
	free(rest);
	rest = solver_but_for("kernel=a", 1, "kernel");
	assert_string_equal(rest, "");
	free(rest);
	assert_null(solver_but_for("size=8x8 border=1", 1, "border"));
	assert_null(solver_but_for("size=8x8 kernels=1", 1, "kernel"));
	rest = solver_but_for("kernel=a", 1, solver_choices[0]);
	assert_string_equal(rest, "kernel=a");
	free(rest);
	rest = solver_whole("size=8x8 partition=2x2 kernel=a");
	assert_string_equal(rest, "size=8x8 kernel=a");
	free(rest);
}

static void the_regret_is_what_the_predicted_best_takes_more(void **state)
{
	(void)state;
	/* Predicted order b a c, measured a b c: one of three pairs the other way round. */
	const struct ranking_member m[] = { { 100, 90 }, { 110, 80 }, { 150, 200 } };
	struct ranking_group g = ranking_of(m, 3);
	assert_false(g.right);
	NEAR(100 * g.regret, 10);
	NEAR(g.tau, (2 - 1) / 3.0);
	NEAR(100 * g.by_chance, 20);
	g = ranking_of(m + 1, 2);
	assert_true(g.right);
	NEAR(g.tau, 1);
	/* Equally fast: either is right, and there is no order to be wrong about. */
	const struct ranking_member tied[] = { { 100, 90 }, { 100, 80 } };
	g = ranking_of(tied, 2);
	assert_true(g.right && isnan(g.tau));
}

static void a_group_differs_in_one_choice_or_in_any(void **state)
{
	struct validation v = { .program = &program };
	(void)state;
	add(&v, "size", "default", "size=8 kernel=a border=1 transport=peer", 1, 100, 100);
	add(&v, "size", "default", "size=8 kernel=b border=1 transport=peer", 1, 105, 90);
	add(&v, "gpus", "default", "size=8 kernel=a border=1 transport=peer", 2, 60, 60);
	add(&v, "gpus", "default", "size=8 kernel=a border=1 transport=host", 2, 80, 70);
	add(&v, "gpus", "linear", "size=8 kernel=a border=1 transport=host", 2, 80, 1);
	add(&v, "gpus", "default", "size=9 kernel=a border=1 transport=host", 2, 80, 70);
	add(&v, "replay", "default", "size=8 kernel=a border=2 transport=peer", 2, 1, 1);
	char *text = written(&v, ranking_write);
	assert_true(strstr(line_of(text, "gpus"), "gpus\t1\t2\t100.0\t50.0\t100.0\t0.00"));
	assert_true(strstr(line_of(text, "kernel"), "kernel\t1\t2\t0.0\t50.0\t0.0\t5.00"));
	assert_true(strstr(line_of(text, "transport"), "transport\t1\t2\t100.0"));
	assert_string_equal(line_of(text, "border"), "");
	assert_true(strstr(line_of(text, "any"), "any\t1\t4\t100.0\t25.0"));
	free(text);
	validation_release(&v);
}

static void the_interval_of_a_share_is_the_exact_one(void **state)
{
	double low, high;
	(void)state;
	/* Of ten all, and none: 1 - 0.025^(1/10). */
	binomial_interval(10, 10, &low, &high);
	assert_true(fabs(low - 0.6915) < 1e-4 && high == 1);
	binomial_interval(0, 10, &low, &high);
	assert_true(low == 0 && fabs(high - 0.3085) < 1e-4);
	binomial_interval(8, 10, &low, &high);
	assert_true(fabs(low - 0.4439) < 1e-4 && fabs(high - 0.9748) < 1e-4);
	binomial_interval(900, 1000, &low, &high);
	assert_true(fabs(low - 0.8797) < 1e-4 && fabs(high - 0.9179) < 1e-4);
}

static void a_stratum_has_its_errors_its_best_baseline_and_its_coverage(void **state)
{
	struct validation v = { .program = &program };
	(void)state;
	for (int k = 0; k < 4; k++) {
		char *config = xprintf("size=%d transport=peer iterations=10", 8 + k);
		struct validation_row *row =
			add(&v, "gpus", "default", config, 2, 200, k ? 190 : 240);
		row->lo_us = row->predicted_us - 20;
		row->hi_us = row->predicted_us + 20;
		add(&v, "gpus", "linear", config, 2, 200, 100);
		add(&v, "gpus", "same-as-1", config, 2, 200, 300 + k);
		if (k)
			add(&v, "gpus", "roofline-only", config, 2, 200, 200);
		free(config);
	}
	add(&v, "gpus", "default", "size=99 transport=host iterations=1000", 4, 2000, 2000);
	char *text = written(&v, strata_write);
	/* The roofline has no answer to one of the rows, so it is no baseline of theirs. */
	assert_string_equal(line_of(text, "planned\tdevelopment\tgpus\t2"),
			    "planned\tdevelopment\tgpus\t2\t4\t8.75\t+1.25\t5.00\t15.50\t20.00\t"
			    "linear\t50.00\t3\t75.0\t19.4\t99.4\tyes");
	assert_true(strstr(text, "iteration\t10 to 30 us\t4\t"));
	assert_true(strstr(text, "iteration\t0 to 10 us\t1\t"));
	assert_true(strstr(text, "transport\tpeer\t4\t"));
	assert_string_equal(
		line_of(text, "planned\tdevelopment\tgpus\t4"),
		"planned\tdevelopment\tgpus\t4\t1\t0.00\t+0.00\t0.00\t0.00\t0.00\t-\t-\t-"
		"\t-\t-\t-\t-");
	assert_string_equal(line_of(text, "replay"), "");
	free(text);
	validation_release(&v);
}

static void set_parts(struct validation_row *row, double kernel, double copy, double sync,
		      double launch)
{
	row->part_us[PART_KERNEL] = kernel;
	row->part_us[PART_COPY] = copy;
	row->part_us[PART_SYNC] = sync;
	row->part_us[PART_LAUNCH] = launch;
}

static void errors_by_part_add_up_to_that_against_the_recorded_twin(void **state)
{
	struct validation v = { .program = &program };
	(void)state;
	set_parts(add(&v, "replay", "default", "size=8", 2, 200, 190), 100, 40, 30, 20);
	set_parts(add(&v, "gpus", "default", "size=8", 2, 200, 210), 120, 30, 40, 20);
	set_parts(add(&v, "gpus", "warps", "size=8", 2, 200, 400), 400, 0, 0, 0);
	set_parts(add(&v, "gpus", "default", "size=9", 2, 200, 210), 210, 0, 0, 0);
	set_parts(add(&v, "gpus", "default", "size=8", 4, 200, 210), 210, 0, 0, 0);
	char *text = written(&v, part_errors_write);
	assert_true(strstr(text, "\n2\tkernel\t1\t52.6\t+10.00\t10.00\t"));
	assert_true(strstr(text, "\n2\tcopy\t1\t21.1\t-5.00\t5.00\t"));
	assert_true(strstr(text, "\n2\tsync\t1\t15.8\t+5.00\t5.00\t"));
	assert_true(strstr(text, "\n2\tlaunch\t1\t10.5\t+0.00\t0.00\t"));
	assert_true(strstr(text, "\n2\ttwin\t1\t100.0\t+10.00\t10.00\t"));
	assert_true(strstr(text, "\n2\tmeasured\t1\t100.0\t+5.00\t5.00\t"));
	assert_true(strstr(text, "\nall\tkernel\t1\t"));
	assert_null(strstr(text, "\n4\t"));
	free(text);
	validation_release(&v);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

#define BLIND_COLUMNS                                                                              \
	"visit\tcommit\tset\tsolver\tconfig\tgpus\tmeasured_us\tpredicted_us\tpredicted_lo_us\t"   \
	"predicted_hi_us\n"

static void blind_answers_stand_as_they_were_made_beside_those_of_now(void **state)
{
	struct blind blind = { 0 };
	struct measured runs = { 0 }, kernels = { 0 };
	struct validation v = { .program = &program };
	char folder[] = "/tmp/warpreel-blind-XXXXXX", *text = NULL;
	size_t size;
	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	put("blind.tsv", "# then\n" BLIND_COLUMNS "X\tabc\tgpus\tjacobi\ta\t2\t100\t110\t90\t115\n"
			 "X\tabc\tgpus\tjacobi\tb\t2\t100\t80\t70\t90\nX\tabc\tsize\tjacobi\tc\t1\t"
			 "100\t-\t-\t-\n");
	put("measured.tsv",
	    "solver\tconfig\tgpus\tcore_us\tcore_mad_us\tvisit\n"
	    "jacobi\ta\t2\t100\t1\tX\njacobi\ta\t2\t113\t1\tY\njacobi\ta\t2\t92\t1\tZ\n"
	    "jacobi\tb\t2\t100\t1\tX\n");
	assert_int_equal(blind_read(&blind, "blind.tsv"), 0);
	assert_int_equal(measured_read(&runs, "measured.tsv", NULL), 0);
	add(&v, "gpus", "default", "a", 2, 101, 104);
	add(&v, "gpus", "warps", "b", 2, 101, 1);
	add(&v, "gpus", "default", "b", 4, 101, 1);
	FILE *file = open_memstream(&text, &size);
	blind_write(&blind, &v, &runs, &kernels, file);
	fclose(file);
	/* Then 10 and 20 %, one inside; now 4 % without interval; other visits 13 and 8 %. */
	assert_string_equal(line_of(text, "X"),
			    "X\tabc\tplanned\t3\t1\t2\t15.00\t15.00\t19.00\t20.00\t1\t50.0\t1\t4.00"
			    "\t4.00\t4.00\t4.00\t-\t-\t1\t10.50\t10.50\t10.50\t10.50\t10.00\tyes");
	assert_true(strstr(line_of(text, "all"), "all\t-\tplanned\t3\t1\t2\t15.00"));
	assert_null(strstr(text, "\tkernels\t"));
	free(text);
	blind_release(&blind);
	measured_release(&runs);
	validation_release(&v);
	unlink("measured.tsv");
	unlink("blind.tsv");
	assert_int_equal(chdir("/tmp"), 0);
	rmdir(folder);
}

static void blind_tables_that_mean_nothing_are_refused(void **state)
{
	static const char *const bad[] = {
		BLIND_COLUMNS "X\tabc\tgpus\tjacobi\ta\t0\t100\t110\t90\t115\n",
		BLIND_COLUMNS "X\tabc\tgpus\tjacobi\ta\t2\t-\t110\t90\t115\n",
		BLIND_COLUMNS "X\tabc\tgpus\tjacobi\ta\t2\t100\t110\t-\t115\n",
		BLIND_COLUMNS "X\tabc\tgpus\tjacobi\ta\t2\t100\tno\t90\t115\n",
		BLIND_COLUMNS "X\tabc\tgpus\tjacobi\ta\t2\t100\n",
		"visit\tcommit\n",
		"",
	};
	(void)state;
	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		struct blind blind = { 0 };
		struct said said;
		char path[] = "/tmp/warpreel-blind-XXXXXX";
		close(mkstemp(path));
		put(path, bad[k]);
		said_begin(&said);
		int rc = blind_read(&blind, path);
		const char *text = said_end(&said);
		assert_true(strstr(text, path) != NULL);
		assert_int_equal(rc, -1);
		blind_release(&blind);
		unlink(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_configuration_loses_the_words_of_a_choice_and_no_others),
		cmocka_unit_test(the_regret_is_what_the_predicted_best_takes_more),
		cmocka_unit_test(a_group_differs_in_one_choice_or_in_any),
		cmocka_unit_test(the_interval_of_a_share_is_the_exact_one),
		cmocka_unit_test(a_stratum_has_its_errors_its_best_baseline_and_its_coverage),
		cmocka_unit_test(errors_by_part_add_up_to_that_against_the_recorded_twin),
		cmocka_unit_test(blind_answers_stand_as_they_were_made_beside_those_of_now),
		cmocka_unit_test(blind_tables_that_mean_nothing_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
