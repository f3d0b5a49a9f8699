/* SPDX-License-Identifier: MIT
 * Jacobi iteration: every decomposition against the definition written out on the whole grid.
 */
#include "solver_kit.h"
#include "support.h"

#include "kernels/kit/grid.h"

enum { SEED = 3 };

/* The definition, with the same association; the boundary stays. */
#define DEFINE_REFERENCE(REAL, name)                                                               \
	static void name(REAL *u, REAL *v, int64_t rows, int64_t columns, int iterations)          \
	{                                                                                          \
		for (int k = 0; k < iterations; k++) {                                             \
			memcpy(v, u, (size_t)(rows * columns) * sizeof(*u));                       \
			for (int64_t i = 1; i < rows - 1; i++)                                     \
				for (int64_t j = 1; j < columns - 1; j++) {                        \
					const REAL *at = &v[i * columns + j];                      \
					u[i * columns + j] =                                       \
						(REAL)0.25 *                                       \
						((at[-1] + at[1]) + (at[-columns] + at[columns])); \
				}                                                                  \
		}                                                                                  \
	}
DEFINE_REFERENCE(float, reference_f32)
DEFINE_REFERENCE(double, reference_f64)

static uint64_t reference(int64_t rows, int64_t columns, int iterations, bool f64, double *residual)
{
	void *u = xmalloc((size_t)(rows * columns) * 8), *v = xmalloc((size_t)(rows * columns) * 8);
	const struct grid grid = { u, rows, columns, f64, 0 };
	grid_fill(&grid, SEED);
	if (f64)
		reference_f64(u, v, rows, columns, iterations);
	else
		reference_f32(u, v, rows, columns, iterations);
	const uint64_t checksum = grid_check(&grid, residual);
	free(u);
	free(v);
	return checksum;
}

static struct solver_result solve(const char *config, uint32_t gpus)
{
	struct solver_result result;
	struct machine *m = machine_cpu_new(gpus);
	assert_int_equal(run_config(m, "jacobi", config, gpus, SEED, &result), 0);
	m->ops->free(m);
	return result;
}

static void one_gpu_agrees_with_the_definition_at_awkward_sizes(void **state)
{
	static const int sizes[][2] = { { 3, 3 },   { 3, 4 },	{ 4, 3 },   { 5, 129 },
					{ 130, 7 }, { 63, 65 }, { 257, 31 } };
	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (int f64 = 0; f64 < 2; f64++)
			for (int iterations = 1; iterations < 9; iterations += 3) {
				char config[160];
				double residual;
				snprintf(config, sizeof(config),
					 "size=%dx%d precision=%s iterations=%d", sizes[s][0],
					 sizes[s][1], f64 ? "f64" : "f32", iterations);
				const uint64_t expected = reference(sizes[s][0], sizes[s][1],
								    iterations, f64, &residual);
				const struct solver_result got = solve(config, 1);
				if (got.checksum != expected || fabs(got.residual - residual) > 0)
					fail_msg("%s differs from the definition", config);
			}
}

static void strips_and_blocks_are_one_gpu_to_the_last_bit(void **state)
{
	static const struct {
		uint32_t gpus;
		const char *partition;
	} cuts[] = { { 2, "strips" }, { 3, "strips" }, { 3, "1x3" },	{ 4, "2x2" }, { 6, "2x3" },
		     { 6, "3x2" },    { 8, "2x4" },    { 8, "strips" }, { 8, "1x8" } };
	double residual;
	(void)state;
	const uint64_t expected = reference(75, 94, 23, true, &residual);
	for (size_t c = 0; c < sizeof(cuts) / sizeof(cuts[0]); c++)
		for (int border = 1; border < 8; border += 3)
			for (int peer = 0; peer < 2; peer++) {
				char config[160];
				snprintf(config, sizeof(config),
					 "size=75x94 iterations=23 precision=f64 border=%d "
					 "transport=%s partition=%s",
					 border, peer ? "peer" : "host", cuts[c].partition);
				if (solve(config, cuts[c].gpus).checksum != expected)
					fail_msg("%s on %u GPUs differs from one", config,
						 cuts[c].gpus);
			}
}

static void a_configuration_says_its_partition_where_it_is_no_strips(void **state)
{
	static const struct {
		const char *given, *canonical;
	} configs[] = {
		{ "size=20", "size=20x20 precision=f32 border=1 transport=peer iterations=100" },
		{ "partition=4x1 size=20x30",
		  "size=20x30 precision=f32 border=1 transport=peer iterations=100" },
		{ "partition=2x2 size=20x30 transport=host",
		  "size=20x30 precision=f32 border=1 transport=host iterations=100 partition=2x2" },
	};
	const struct solver *jacobi = solver_find("jacobi");
	(void)state;
	for (size_t k = 0; k < sizeof(configs) / sizeof(configs[0]); k++) {
		char text[CONFIG_BYTES];
		void *params = solver_params(jacobi, configs[k].given, 4);
		assert_non_null(params);
		jacobi->config(params, text);
		assert_string_equal(text, configs[k].canonical);
		free(params);
	}
}

/* On two blocks side by side a cycle is two copies and what orders them, a row of launches apart.
 */
static void a_plan_has_the_launches_and_copies_of_a_run(void **state)
{
	struct schedule schedule;
	(void)state;
	schedule_init(&schedule);
	assert_int_equal(
		solver_plan("jacobi", "size=66 iterations=6 border=2 partition=1x2", 2, &schedule),
		0);
	assert_int_equal(schedule_validate(&schedule, "plan"), 0);
	int launches = 0, copies = 0;
	for (uint32_t t = 0; t < schedule.thread_count; t++)
		for (int64_t k = 0; k < schedule.thread[t].op_count; k++) {
			const struct schedule_op *op =
				&schedule.op[schedule.thread[t].first_op + k];
			launches += op->kind == OP_LAUNCH;
			copies += op->kind == OP_COPY;
		}
	assert_int_equal(launches, 2 * 6);
	/* up to both buffers and down, and two exchanges */
	assert_int_equal(copies, 2 * (2 + 1) + 2 * 2);
	schedule_release(&schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_gpu_agrees_with_the_definition_at_awkward_sizes),
		cmocka_unit_test(strips_and_blocks_are_one_gpu_to_the_last_bit),
		cmocka_unit_test(a_configuration_says_its_partition_where_it_is_no_strips),
		cmocka_unit_test(a_plan_has_the_launches_and_copies_of_a_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
