/* SPDX-License-Identifier: MIT
 * Local modified SOR on paper: configurations, what a plan of one launches, and what is refused.
 */
#include "solver_kit.h"
#include "support.h"

#include "kernels/lmsor/lmsor_params.h"

static void a_configuration_reads_back_as_it_was_written(void **state)
{
	static const char *const configs[] = {
		"size=402 problem=2 re=10 omega=as-run kernel=1 check=every border=1 "
		"transport=peer tolerance=1e-06 max-iterations=20000",
		"size=1002 problem=3 re=100000 omega=sor kernel=tuned4 check=17 border=4 "
		"transport=host tolerance=0.001 max-iterations=7 sor-omega=1.1",
		"size=33 problem=1 re=0.001 omega=lsor kernel=openmp check=device border=1 "
		"transport=peer tolerance=0 max-iterations=20000 iterations=9",
	};
	(void)state;
	for (size_t k = 0; k < sizeof(configs) / sizeof(configs[0]); k++) {
		struct lmsor_params p;
		char text[CONFIG_BYTES];
		assert_int_equal(params_of("lmsor", &p, configs[k]), 0);
		lmsor_config(&p, text);
		assert_string_equal(text, configs[k]);
	}
}

static void a_plan_launches_what_a_run_does(void **state)
{
	struct schedule schedule;
	(void)state;
	schedule_init(&schedule);
	assert_int_equal(
		solver_plan("lmsor", "size=402 problem=2 kernel=2 iterations=10", 2, &schedule), 0);
	assert_int_equal(schedule_validate(&schedule, "plan"), 0);
	int launches = 0, syncs = 0, down = 0;
	for (int64_t k = 0; k < schedule.op_count; k++) {
		const struct schedule_op *op = &schedule.op[k];
		launches += op->kind == OP_LAUNCH;
		syncs += op->kind == OP_SYNC;
		down += op->kind == OP_COPY && schedule.copy[op->object].kind == COPY_D2H &&
			schedule.copy[op->object].bytes == 8;
	}
	/* On each GPU: split, terms, merge and a sweep a colour and iteration; a copy and a sync an
	 * iteration, three syncs around. */
	assert_int_equal(launches, 2 * (3 + 20));
	assert_int_equal(down, 20);
	assert_int_equal(syncs, 2 * (10 + 3));
	for (uint32_t k = 0; k < schedule.shape_count; k++)
		if (!strcmp(schedule.kernel[schedule.shape[k].kernel], "lmsor_2_norm"))
			assert_int_equal(schedule.shape[k].dram_bytes,
					 schedule.shape[k].points * 48);
	schedule_release(&schedule);
}

static void a_steady_iteration_is_two_sweeps_and_nothing_else(void **state)
{
	static const char *const configs[] = { "size=402 kernel=1",
					       "size=402 kernel=tuned3 check=10" };
	static const char *const names[] = { "lmsor_1_norm", "lmsor_tuned3" };
	(void)state;
	for (int k = 0; k < 2; k++) {
		struct schedule schedule;
		schedule_init(&schedule);
		assert_int_equal(solver_plan_steady("lmsor", configs[k], &schedule), 0);
		assert_int_equal(schedule.kernel_count, 1);
		assert_string_equal(schedule.kernel[0], names[k]);
		assert_true(schedule.op_count > 0 && schedule.shape_count == 2U);
		for (int64_t op = 0; op < schedule.op_count; op++)
			assert_true(schedule.op[op].kind == OP_LAUNCH);
		for (uint32_t s = 0; s < schedule.shape_count; s++) {
			const struct schedule_shape *shape = &schedule.shape[s];
			assert_true(shape->grid[0] * shape->block[0] >= 200 / (k ? 2 : 1) &&
				    shape->path >= 0);
			assert_true(shape->grid[1] * shape->block[1] *
					    (uint32_t)(k ? shape->path : 1) >=
				    400);
			for (uint32_t a = 0; a < shape->access_count;
			     a++) { /* black goes up where red went down, in tuned kernels */
				const struct schedule_access *access =
					&schedule.access[shape->first_access + a];
				assert_true(!(access->mode & ACCESS_BACKWARD) == !(k && s == 1));
			}
			assert_int_equal(
				shape->access_count,
				k ? 2 : 4); /* the grid twice, terms and norm with kernel 1 alone */
		}
		schedule_release(&schedule);
	}
	/* On a machine that computes, iterations go on from the start values. */
	struct lmsor_params p;
	struct machine *m = machine_cpu_new(1);
	struct solver_steady steady;
	assert_int_equal(params_of("lmsor", &p, "size=66 kernel=2"), 0);
	assert_int_equal(solver_steady_begin(&steady, solver_find("lmsor"), &p, m), 0);
	solver_steady_end(&steady);
	m->ops->free(m);
}

/* Its time is that of blocks waiting for each other: no number at all rather than one of something
 * else. */
static void one_launch_of_all_iterations_has_no_plan(void **state)
{
	struct schedule schedule;
	struct said said;
	(void)state;
	for (int k = 0; k < 3; k++) {
		schedule_init(&schedule);
		said_begin(&said);
		const int rc = k == 2 ? solver_plan_steady("lmsor", "kernel=persistent", &schedule)
				      : solver_plan("lmsor", "kernel=persistent iterations=10",
						    (uint32_t)k + 1, &schedule);
		said_end(&said);
		assert_int_equal(rc, -1);
		assert_non_null(strstr(said.text, k == 0   ? "it has no plan"
						  : k == 1 ? "is for one GPU"
							   : "no launch of an iteration"));
		schedule_release(&schedule);
	}
}

static void what_the_formulas_do_not_cover_is_refused(void **state)
{
	static const struct {
		const char *config, *message;
	} rows[] = {
		{ "size=1025 kernel=persistent", "up to size 1024" },
		{ "size=402 problem=2 re=90", "unlike signs" },
		{ "size=402 problem=1 re=1e200", "overflows" },
		{ "size=402 problem=3 re=1e13", "lost in rounding" },
		{ "size=402 problem=2 re=90 omega=sor", "give --sor-omega" },
		{ "size=402 check=never", "neither every nor device" },
		{ "size=402 check=0", "neither every nor device" },
	};
	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		struct lmsor_params p;
		struct said said;
		said_begin(&said);
		int rc = params_of("lmsor", &p, rows[k].config);
		said_end(&said);
		assert_int_equal(rc, -1);
		if (!strstr(said.text, rows[k].message))
			fail_msg("%s: '%s'", rows[k].config, said.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_configuration_reads_back_as_it_was_written),
		cmocka_unit_test(a_plan_launches_what_a_run_does),
		cmocka_unit_test(a_steady_iteration_is_two_sweeps_and_nothing_else),
		cmocka_unit_test(one_launch_of_all_iterations_has_no_plan),
		cmocka_unit_test(what_the_formulas_do_not_cover_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
