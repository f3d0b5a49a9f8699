/* SPDX-License-Identifier: MIT */
#include "solver_kit.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/micro/micro_params.h"
#include "kernels/micro/micro_value.h"

/* A kernel's buffers on the host, filled. */
struct held {
	struct micro_params params;
	struct micro_args args;
};

static void hold(struct held *held, const char *config)
{
	assert_int_equal(params_of("micro", &held->params, config), 0);
	held->args = held->params.args;
	for (int k = 0; k < MICRO_BUFFERS; k++) {
		const struct micro_buffer *b = &held->params.buffer[k];
		struct micro_fill_args fill = { xmalloc((size_t)(b->count * b->word_bytes) + 1),
						b->count, b->range, (uint64_t)k + 1,
						(int32_t)b->fill };
		if (b->fill == FILL_ZERO)
			fill.count = b->count * b->word_bytes / 4;
		micro_fill_cpu(&fill);
		*(k < MICRO_INPUTS ? &held->args.in[k] : &held->args.out) = fill.out;
	}
	held->params.kernel->cpu(&held->args);
}

static void let_go(struct held *held)
{
	for (int k = 0; k < MICRO_INPUTS; k++)
		free(held->args.in[k]);
	free(held->args.out);
}

static const int awkward[] = { 1, 2, 31, 33, 100, 257 };
enum { AWKWARD = sizeof(awkward) / sizeof(awkward[0]) };

static void an_order_is_a_permutation(void **state)
{
	(void)state;
	for (uint32_t count = 1; count < 300; count += 7) {
		bool seen[300] = { false };
		for (uint32_t i = 0; i < count; i++) {
			uint32_t at = micro_order(i, count, 12345);
			assert_true(at < count && !seen[at]);
			seen[at] = true;
		}
	}
}

static void steps_rise_by_about_their_range(void **state)
{
	int32_t step[200];
	const struct micro_fill_args fill = { step, 200, 10, 3, FILL_STEPS };
	(void)state;
	micro_fill_cpu(&fill);
	assert_int_equal(step[0], 0);
	for (int i = 1; i < 200; i++) {
		assert_true(step[i] > step[i - 1] || (i == 1 && step[1] > 0));
		assert_in_range(step[i], i * 10, i * 10 + 9);
	}
}

static void data_is_moved_where_it_belongs(void **state)
{
	(void)state;
	for (int s = 0; s < AWKWARD; s++) {
		const int n = awkward[s];
		char config[CONFIG_BYTES];
		struct held h;
		static const char *const copies[] = { "copy4", "copy8", "copy16" };
		for (int c = 0; c < 3; c++) {
			snprintf(config, sizeof(config), "kernel=%s size=%d", copies[c], n);
			hold(&h, config);
			assert_memory_equal(h.args.out, h.args.in[0], (size_t)n * (size_t)(4 << c));
			let_go(&h);
		}
		snprintf(config, sizeof(config), "kernel=transpose_padded size=%d", n);
		hold(&h, config);
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				assert_true(((float *)h.args.out)[j * n + i] ==
					    ((float *)h.args.in[0])[i * n + j]);
		let_go(&h);
		snprintf(config, sizeof(config), "kernel=strided work=3 size=%d", n);
		hold(&h, config);
		for (int i = 0; i < n; i++)
			assert_true(((float *)h.args.out)[i] == ((float *)h.args.in[0])[3 * i]);
		let_go(&h);
	}
}

static void sums_and_counts_are_whole(void **state)
{
	(void)state;
	for (int s = 0; s < AWKWARD; s++)
		for (int block = 64; block <= 1024; block *= 2) {
			const int n = 40 * awkward[s] + 3;
			char config[CONFIG_BYTES];
			struct held h;
			double want = 0, have = 0;
			int64_t counted = 0;
			snprintf(config, sizeof(config), "kernel=reduce size=%d block=%d", n,
				 block);
			hold(&h, config);
			for (int i = 0; i < n; i++)
				want += (double)((float *)h.args.in[0])[i];
			for (int64_t i = 0; i < h.params.buffer[MICRO_INPUTS].count; i++)
				have += (double)((float *)h.args.out)[i];
			assert_true(fabs(want - have) <= 1e-5 * want);
			assert_int_equal(h.params.geometry.grid[0],
					 h.params.buffer[MICRO_INPUTS].count);
			let_go(&h);
			snprintf(config, sizeof(config), "kernel=atomics work=17 size=%d block=%d",
				 n, block);
			hold(&h, config);
			for (int i = 0; i < 17; i++)
				counted += ((uint32_t *)h.args.out)[i];
			assert_int_equal(counted, n);
			let_go(&h);
		}
}

static void a_chain_of_multiply_adds_is_a_geometric_series(void **state)
{
	struct held h;
	(void)state;
	hold(&h, "kernel=fma64 work=20 size=33");
	for (int i = 0; i < 33; i++) { /* x = x / 2 + b, from b: b (2 - 2^-20) */
		const double b = ((double *)h.args.in[0])[i];
		assert_true(fabs(((double *)h.args.out)[i] - b * (2 - ldexp(1, -20))) < 1e-12);
	}
	let_go(&h);
}

static int steps_of(const char *kernel, int block)
{
	char config[CONFIG_BYTES];
	struct micro_params params;
	snprintf(config, sizeof(config), "kernel=%s size=500 block=%d", kernel, block);
	assert_int_equal(params_of("micro", &params, config), 0);
	assert_int_equal(params.geometry.path, 0);
	return params.geometry.steps;
}

static void steps_are_the_rounds_of_the_loop(void **state)
{
	(void)state;
	for (int block = 64; block <= 1024; block *= 2) {
		assert_int_equal(1 << steps_of("reduce", block), block);
		assert_int_equal(steps_of("transpose_padded", block) * block, 32 * 32);
		assert_int_equal(steps_of("hash", block), 32);
		assert_int_equal(steps_of("stencil", block), 0);
		assert_int_equal(steps_of("copy4", block), 0);
	}
}

static void every_element_has_a_thread_and_every_plan_a_geometry(void **state)
{
	(void)state;
	for (int k = 0; micro_kernels[k]; k++)
		for (int s = 0; s < AWKWARD; s++)
			for (int block = 64; block <= 1024; block *= 2) {
				char config[CONFIG_BYTES], again[CONFIG_BYTES];
				struct micro_params params;
				struct schedule schedule;
				snprintf(config, sizeof(config),
					 "kernel=%s size=%d block=%d iterations=3",
					 micro_kernels[k]->name, awkward[s], block);
				assert_int_equal(params_of("micro", &params, config), 0);
				micro_config(&params, config);
				assert_int_equal(params_of("micro", &params, config), 0);
				micro_config(&params, again);
				assert_string_equal(config, again);
				const struct launch_geometry *g = &params.geometry;
				assert_int_equal(g->block[0] * g->block[1] * g->block[2], block);
				assert_true(g->grid[0] && g->grid[1] && g->grid[2] &&
					    (g->path == params.work || g->steps == params.work));
				schedule_init(&schedule);
				assert_int_equal(solver_plan("micro", config, 1, &schedule), 0);
				assert_int_equal(schedule_validate(&schedule, "plan"), 0);
				uint32_t found = 0;
				for (uint32_t i = 0; i < schedule.shape_count; i++) {
					const struct schedule_shape *shape = &schedule.shape[i];
					if (strcmp(schedule.kernel[shape->kernel],
						   micro_kernels[k]->launch))
						continue;
					found++;
					assert_memory_equal(shape->grid, g->grid,
							    sizeof(shape->grid));
					assert_true(shape->dram_bytes > 0 &&
						    shape->resident_bytes > 0 &&
						    shape->access_count >= 2);
				}
				assert_int_equal(found, 1);
				schedule_release(&schedule);
			}
}

static void a_steady_plan_holds_the_launches_and_nothing_else(void **state)
{
	const struct solver *rbsor = solver_find("rbsor");
	struct solver_steady steady;
	struct schedule schedule;
	struct machine_thread thread;
	(void)state;
	schedule_init(&schedule);
	struct machine *m = machine_plan_new(1, &schedule);
	void *params = solver_params(rbsor, "size=100x300", 1);
	assert_non_null(params);
	assert_int_equal(solver_steady_begin(&steady, rbsor, params, m), 0);
	assert_int_equal(m->ops->run(m, 1, solver_steady_iterate, &steady, &thread), 0);
	solver_steady_end(&steady);
	assert_int_equal(schedule.op_count, 2);
	assert_int_equal(schedule.op[0].kind, OP_LAUNCH);
	assert_int_equal(schedule.shape[schedule.op[1].object].rows, 98);
	m->ops->free(m);
	schedule_release(&schedule);
	free(params);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_order_is_a_permutation),
		cmocka_unit_test(steps_rise_by_about_their_range),
		cmocka_unit_test(data_is_moved_where_it_belongs),
		cmocka_unit_test(sums_and_counts_are_whole),
		cmocka_unit_test(a_chain_of_multiply_adds_is_a_geometric_series),
		cmocka_unit_test(steps_are_the_rounds_of_the_loop),
		cmocka_unit_test(every_element_has_a_thread_and_every_plan_a_geometry),
		cmocka_unit_test(a_steady_plan_holds_the_launches_and_nothing_else),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
