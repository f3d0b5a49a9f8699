/* SPDX-License-Identifier: MIT
 * Schedules by themselves: equal entries are shared, and what breaks a rule is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "traces/schedule/schedule.h"
#include "traces/base/util.h"

static void many_equal_entries_are_found_quickly(void **state)
{
	struct schedule_copy c = { .kind = COPY_H2D, .rows = 1, .source_gpu = 0xffff };
	struct schedule s;

	(void)state;
	schedule_init(&s);
	schedule_add_thread(&s, "t", 0);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 200000; i++) {
			c.bytes = i;
			assert_int_equal(schedule_add_copy(&s, &c), i);
		}
	assert_int_equal(s.copy_count, 200000);
	assert_int_equal(schedule_add_kernel(&s, "a"), 0);
	assert_int_equal(schedule_add_kernel(&s, "b"), 1);
	assert_int_equal(schedule_add_kernel(&s, "a"), 0);
	assert_int_equal(schedule_add_stream(&s, 3, 5), 0);
	assert_int_equal(schedule_add_stream(&s, 2, 5), 1);
	assert_int_equal(schedule_add_stream(&s, 3, 5), 0);
	assert_int_equal(s.gpu_count, 4);
	schedule_release(&s);
}

/* Two processes with a GPU each, a third that only copies on the first, a fourth that launches
 * there. */
static void gpus_of_several_processes_are_counted(void **state)
{
	struct schedule_shape shape = { .path = -1 };
	struct schedule s;

	(void)state;
	schedule_init(&s);
	shape.kernel = schedule_add_kernel(&s, "k");
	for (int process = 1; process <= 4; process++) {
		const uint16_t gpu = process == 2;
		const uint16_t stream = schedule_add_stream(&s, gpu, process);

		schedule_add_thread(&s, "t", gpu);
		s.thread[s.thread_count - 1].process = process;
		if (process != 3)
			schedule_add_op(&s, OP_LAUNCH, stream,
					schedule_add_shape(&s, &shape, NULL, 0));
		assert_int_equal(schedule_shared_gpus(&s), process == 4);
	}
	s.thread[3].process = 1; /* threads of one process share nothing */
	assert_int_equal(schedule_shared_gpus(&s), 0);
	schedule_release(&s);
}

static struct schedule *good_schedule(struct schedule *s)
{
	struct schedule_access access = { .mode = ACCESS_READ, .bytes = 8 };
	struct schedule_shape shape = { .path = -1 };
	struct schedule_copy copy_entry = {
		.kind = COPY_PEER, .bytes = 1, .rows = 1, .source_gpu = 0, .target_gpu = 1
	};

	schedule_init(s);
	shape.kernel = schedule_add_kernel(s, "k");
	s->event_count = s->counter_count = s->barrier_count = 1;
	for (uint16_t g = 0; g < 2; g++) {
		uint16_t stream = schedule_add_stream(s, g, 0);

		schedule_add_thread(s, "t", g);
		schedule_add_op(s, OP_MARK, 0xffff, MARK_CORE_BEGIN);
		schedule_add_op(s, OP_BARRIER, 0xffff, 0);
		schedule_add_op(s, OP_LAUNCH, stream, schedule_add_shape(s, &shape, &access, 1));
		schedule_add_op(s, OP_COPY, stream, schedule_add_copy(s, &copy_entry));
		schedule_add_op(s, OP_RECORD, stream, 0);
		schedule_add_op(s, OP_POST, 0xffff, 0)->value = 1;
		schedule_add_op(s, OP_AWAIT, 0xffff, 0)->value = 1;
		schedule_add_op(s, OP_MARK, 0xffff, MARK_CORE_END);
	}
	return s;
}

static void spoil_stream(struct schedule *s)
{
	s->op[2].stream = 2;
}
static void spoil_missing_stream(struct schedule *s)
{
	s->op[2].stream = 0xffff;
}
static void spoil_shape(struct schedule *s)
{
	s->op[2].object = 1;
}
static void spoil_copy(struct schedule *s)
{
	s->copy[0].target_gpu = 7;
}
static void spoil_event(struct schedule *s)
{
	s->op[4].object = 1;
}
static void spoil_kind(struct schedule *s)
{
	s->op[0].kind = OP_KIND_COUNT;
}
static void spoil_before(struct schedule *s)
{
	s->op[0].before_ps = -1;
}
static void spoil_duration(struct schedule *s)
{
	s->op[0].duration_ps = -2;
}
static void spoil_flag(struct schedule *s)
{
	s->op[4].flags = OP_BLOCKING;
}
static void spoil_await(struct schedule *s)
{
	s->op[6].value = 2;
}
static void spoil_barrier(struct schedule *s)
{
	s->op[1].kind = OP_HOST;
}
static void spoil_barrier_twice(struct schedule *s)
{
	s->op[0].kind = OP_BARRIER;
	s->op[0].object = 0;
}
static void spoil_marks(struct schedule *s)
{
	s->op[7].object = MARK_TOTAL_BEGIN;
}
static void spoil_access(struct schedule *s)
{
	s->shape[0].access_count = 2;
}
static void spoil_thread(struct schedule *s)
{
	s->thread[1].first_op--;
}
static void spoil_count(struct schedule *s)
{
	s->thread[1].op_count--;
}
static void spoil_gpu(struct schedule *s)
{
	s->thread[1].gpu = 2;
}

static void spoil_asked(struct schedule *s)
{
	s->queries = xcalloc(1, sizeof(*s->queries));
	s->queries[s->queries_count++] = (struct schedule_queries){ .op = s->op_count, .ns = 1 };
}

static void a_schedule_that_breaks_a_rule_is_refused(void **state)
{
	static void (*const spoilers[])(struct schedule * s) = {
		spoil_stream, spoil_missing_stream, spoil_shape,   spoil_copy,
		spoil_event,  spoil_kind,	    spoil_before,  spoil_duration,
		spoil_flag,   spoil_await,	    spoil_barrier, spoil_barrier_twice,
		spoil_marks,  spoil_access,	    spoil_thread,  spoil_count,
		spoil_gpu,    spoil_asked,
	};
	int saved = dup(2), nowhere = open("/dev/null", O_WRONLY);
	struct schedule s;

	(void)state;
	assert_int_equal(schedule_validate(good_schedule(&s), "test"), 0);
	schedule_release(&s);
	for (size_t i = 0; i < sizeof(spoilers) / sizeof(spoilers[0]); i++) {
		int rc;

		spoilers[i](good_schedule(&s));
		dup2(nowhere, 2);
		rc = schedule_validate(&s, "test");
		dup2(saved, 2);
		if (rc != -1)
			fail_msg("spoiler %zu is accepted", i);
		schedule_release(&s);
	}
	close(saved);
	close(nowhere);
}

static void a_graph_s_launch_is_one_whatever_its_first_node_is(void **state)
{
	static const enum op_kind first[] = { OP_LAUNCH, OP_MEMSET };
	static const enum schedule_call alone[] = { CALL_OF_LAUNCH, CALL_OF_MEMSET };
	(void)state;
	for (int k = 0; k < 2; k++) {
		const struct schedule_shape shape = { .path = -1, .steps = -1 };
		const struct schedule_copy memset_of_4 = { .kind = COPY_MEMSET, .bytes = 4 };
		struct schedule s;
		schedule_init(&s);
		schedule_add_stream(&s, 0, 0);
		schedule_add_thread(&s, "host", 0);
		schedule_add_kernel(&s, "kernel");
		schedule_add_shape(&s, &shape, NULL, 0);
		schedule_add_copy(&s, &memset_of_4);
		schedule_add_op(&s, first[k], 0, 0);
		schedule_add_op(&s, OP_LAUNCH, 0, 0)->flags = OP_IN_GRAPH;
		schedule_add_op(&s, first[k], 0, 0);
		assert_int_equal(schedule_call_of(&s, &s.op[0]), CALL_OF_GRAPH);
		assert_int_equal(schedule_call_of(&s, &s.op[2]), alone[k]);
		schedule_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_equal_entries_are_found_quickly),
		cmocka_unit_test(gpus_of_several_processes_are_counted),
		cmocka_unit_test(a_schedule_that_breaks_a_rule_is_refused),
		cmocka_unit_test(a_graph_s_launch_is_one_whatever_its_first_node_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
