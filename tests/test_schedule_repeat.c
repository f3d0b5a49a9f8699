/* SPDX-License-Identifier: MIT
 * The part of a schedule that repeats: found between two plans and in one, counted, and left out so
 * that what is left is the plan of fewer iterations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "kernels/kit/solver.h"
#include "traces/schedule/schedule_repeat.h"

static const struct {
	const char *solver, *config;
	int unit; /* iterations after which it does the same, or twice as many */
} configs[] = {
	{ "rbsor", "size=512x512 border=1 transport=peer", 4 },
	{ "rbsor", "size=512x512 border=4 transport=host", 8 },
	{ "jacobi", "size=300x300 border=3", 6 },
	{ "lmsor", "size=130 check=every", 2 },
	{ "lmsor", "size=130 check=device border=3", 66 }, /* two chunks of 33 */
	{ "lmsor", "size=130 check=50", 50 },
};

static void plan(struct schedule *s, size_t c, uint32_t gpus, int iterations)
{
	char config[256];
	snprintf(config, sizeof(config), "%s iterations=1000000", configs[c].config);
	schedule_init(s);
	assert_int_equal(solver_plan_part(configs[c].solver, config, gpus, iterations, s), 0);
	assert_int_equal(s->iterations, 1000000);
}

static void same_operations(const struct schedule *a, const struct schedule *b)
{
	assert_int_equal(a->thread_count, b->thread_count);
	assert_int_equal(a->op_count, b->op_count);
	for (uint32_t t = 0; t < a->thread_count; t++) {
		assert_int_equal(a->thread[t].first_op, b->thread[t].first_op);
		assert_int_equal(a->thread[t].op_count, b->thread[t].op_count);
	}
	assert_memory_equal(a->op, b->op, (size_t)a->op_count * sizeof(*a->op));
}

static void what_is_left_is_the_plan_of_fewer_iterations(void **state)
{
	(void)state;
	for (size_t c = 0; c < sizeof(configs) / sizeof(configs[0]); c++)
		for (uint32_t gpus = 1; gpus <= 4; gpus += 3) {
			struct schedule few, more, cut;
			struct schedule_repeat r, own;
			plan(&few, c, gpus, 20 * configs[c].unit);
			plan(&more, c, gpus, 25 * configs[c].unit);
			assert_true(schedule_repeat_find(&r, &few, &more));
			schedule_repeat_release(&r);
			/* The same without one to compare it with, by a shorter unit. */
			assert_true(schedule_repeat_search(&own, &more));
			const int64_t left_out =
				(more.op_count - few.op_count) / own.unit_operations;
			assert_int_equal(left_out * own.unit_operations,
					 more.op_count - few.op_count);
			assert_true(own.count > left_out);
			schedule_cut(&cut, &more, &own, left_out);
			same_operations(&cut, &few);
			/* Operations keep their numbers: those of later threads are moved on by what
			 * is left out before them. */
			assert_int_equal(cut.thread[0].left_out, 0);
			for (uint32_t t = 1; t < gpus; t++)
				assert_int_equal(cut.thread[t].first_op + cut.thread[t].left_out,
						 more.thread[t].first_op);
			schedule_cut_release(&cut);
			schedule_repeat_release(&own);
			schedule_release(&few);
			schedule_release(&more);
		}
}

static void what_does_not_repeat_is_not_said_to(void **state)
{
	struct schedule s, other;
	struct schedule_repeat r;

	(void)state;
	plan(&s, 0, 2, 1000);
	plan(&other, 0, 2, 1001);
	assert_true(schedule_repeat_search(&r, &s));
	const int64_t count = schedule_repeat_count(&r, &s);
	assert_true(count > 400);
	/* One call in the middle that the others do not have. */
	s.op[s.thread[1].first_op + s.thread[1].op_count / 2].before_ps = 1;
	assert_true(schedule_repeat_count(&r, &s) < count / 2 + 2);
	schedule_repeat_release(&r);
	/* A copy of another size every time. */
	for (int64_t k = 0; k < s.op_count; k++)
		s.op[k].before_ps = k * k % 1009;
	assert_false(schedule_repeat_search(&r, &s));
	assert_false(schedule_repeat_find(&r, &s, &other));
	schedule_release(&s);
	schedule_release(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left_is_the_plan_of_fewer_iterations),
		cmocka_unit_test(what_does_not_repeat_is_not_said_to),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
