/* SPDX-License-Identifier: MIT
 * The edges of a schedule from a trace: which record a wait meets, which post an await, who meets
 * at a barrier.
 */
#include "schedule_kit.h"

static void reused_event_ids_are_paired_with_the_record_they_mean(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	/* Id 3 is recorded, destroyed, made anew, recorded: the wait that comes last still means
	 * the first record. */
	record(&t, MAIN, 100, 0, 7, 3, 11);
	record(&t, MAIN, 200, 0, 8, 3, 12);
	wait(&t, MAIN, 300, 0, 9, 3, 11);
	wait(&t, MAIN, 400, 0, 9, 3, 12);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.event_count, 2);
	assert_int_equal(s.op[2].object, s.op[0].object);
	assert_int_equal(s.op[3].object, s.op[1].object);
	assert_int_not_equal(s.op[0].object, s.op[1].object);
	assert_int_equal(s.anomaly_count, 0);
	schedule_release(&s);
	trace_release(&t);
}

static void an_event_recorded_again_and_again_stays_one_event(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	for (int i = 0; i < 4; i++) {
		record(&t, MAIN, 100 + 100 * i, 0, 7, 3, 11 + i);
		wait(&t, MAIN, 150 + 100 * i, 0, 9, 3,
		     i & 1 ? -1 : 11 + i); /* with and without a join */
	}
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.event_count, 1);
	assert_int_equal(s.anomaly_count, 0);
	schedule_release(&s);
	trace_release(&t);
}

static void a_wait_may_name_another_gpus_event_by_its_own_stream(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	launch(&t, MAIN, 50, 0, 13, "k", 10);
	launch(&t, SECOND, 50, 1, 14, "k", 10);
	record(&t, MAIN, 100, 0, 13, 3, 11);
	wait(&t, SECOND, 200, 0, 14, 3, 11); /* context of the event, stream of GPU 1 */
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.stream_count, 2);
	for (int64_t i = 0; i < s.op_count; i++)
		if (s.op[i].kind == OP_WAIT)
			assert_int_equal(s.stream[s.op[i].stream].gpu, 1);
	schedule_release(&s);
	trace_release(&t);
}

/* On one GPU in two streams and on another in three; the other kernel in one of them. */
static void streams_of_a_kernel_are_those_of_the_gpu_with_most(void **state)
{
	static const struct {
		int gpu, stream;
		const char *kernel;
	} launches[] = { { 0, 13, "k" }, { 0, 14, "k" }, { 0, 13, "k" }, { 1, 15, "k" },
			 { 1, 16, "k" }, { 1, 17, "k" }, { 1, 15, "k" }, { 0, 14, "m" } };
	struct schedule s;
	struct trace t;
	uint32_t *streams;

	(void)state;
	trace_init(&t);
	for (int i = 0; i < 8; i++)
		launch(&t, MAIN, 100 + 100 * i, launches[i].gpu, launches[i].stream,
		       launches[i].kernel, 10);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_true(schedule_kernels_meet(&s));
	streams = schedule_streams_of_kernels(&s);
	assert_int_equal(s.kernel_count, 2);
	for (uint32_t k = 0; k < 2; k++)
		assert_int_equal(streams[k], *s.kernel[k] == 'k' ? 3 : 1);
	free(streams);
	schedule_release(&s);
	trace_release(&t);
}

/* Two threads that post, await, meet and mark; and a main thread that only allocates. */
static void fill_run(struct trace *t, int64_t at_ns)
{
	*trace_add_run(t) = (struct trace_run){ .start_ns = at_ns,
						.end_ns = at_ns + 1000,
						.solver = trace_string(t, "rbsor"),
						.config = trace_string(t, "size=64x64"),
						.gpus = 2 };
	call(t, 30, at_ns + 1, "cudaMalloc_v3020");
	for (int g = 0; g < 2; g++) {
		int tid = MAIN + g;

		note(t, tid, at_ns + 10, NOTE_MARK, MARK_TOTAL_BEGIN, 0);
		note(t, tid, at_ns + 20, NOTE_BARRIER, 0, 0);
		note(t, tid, at_ns + 30, NOTE_MARK, MARK_CORE_BEGIN, 0);
		note(t, tid, at_ns + 30, NOTE_BARRIER, 0, 1);
		launch(t, tid, at_ns + 40, g, 7, "k", 50);
		note(t, tid, at_ns + 60, NOTE_POST, (uint32_t)g, 1);
		note(t, tid, at_ns + 70, NOTE_AWAIT_SPIN, 1 - (uint32_t)g, 1);
		note(t, tid, at_ns + 200, NOTE_MARK, MARK_CORE_END, 0);
		note(t, tid, at_ns + 210, NOTE_MARK, MARK_TOTAL_END, 0);
	}
}

static void host_operations_keep_their_place_and_their_pairs(void **state)
{
	static const enum op_kind kinds[] = { OP_MARK, OP_BARRIER, OP_MARK, OP_BARRIER, OP_LAUNCH,
					      OP_POST, OP_AWAIT,   OP_MARK, OP_MARK };
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	fill_run(&t, 1000);
	fill_run(&t, 5000);
	assert_int_equal(load(&s, &t, 1), 0);
	assert_string_equal(s.solver, "rbsor");
	assert_string_equal(s.config, "size=64x64");
	assert_int_equal(s.thread_count, 2); /* not the one that allocates */
	assert_int_equal(s.gpu_count, 2);
	for (uint32_t g = 0; g < 2; g++) {
		const struct schedule_op *op = &s.op[s.thread[g].first_op];

		assert_int_equal(s.thread[g].gpu, g);
		assert_int_equal(s.thread[g].op_count, 9);
		for (int i = 0; i < 9; i++)
			assert_int_equal(op[i].kind, kinds[i]);
		assert_int_equal(op[0].before_ps, 10000);
		assert_int_not_equal(op[1].object, op[3].object); /* each time is its own barrier */
		assert_int_equal(op[5].flags, OP_SPIN);
		assert_int_equal(op[6].flags, OP_SPIN);
		assert_int_equal(op[6].duration_ps, -1);
	}
	assert_int_equal(s.barrier_count, 2);
	assert_int_equal(s.counter_count, 2);
	assert_int_equal(
		s.op[5].object,
		s.op[s.thread[1].first_op + 6].object); /* what one posts the other awaits */
	assert_int_equal(s.op[4].flags, 0); /* the kernel was launched before, in run 0 */
	assert_int_equal(s.anomaly_count, 0);
	schedule_release(&s);
	trace_release(&t);
}

static void a_barrier_that_not_all_meet_becomes_host_time(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	fill_run(&t, 1000);
	note(&t, MAIN, 1100, NOTE_BARRIER, 0, 2);
	assert_int_equal(load(&s, &t, 0), 0);
	assert_int_equal(s.anomaly_count, 1);
	schedule_release(&s);
	trace_release(&t);
}

static void a_run_that_is_not_there_is_an_error(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	fill_run(&t, 1000);
	assert_int_equal(load(&s, &t, 1), -1);
	schedule_release(&s);
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reused_event_ids_are_paired_with_the_record_they_mean),
		cmocka_unit_test(an_event_recorded_again_and_again_stays_one_event),
		cmocka_unit_test(a_wait_may_name_another_gpus_event_by_its_own_stream),
		cmocka_unit_test(streams_of_a_kernel_are_those_of_the_gpu_with_most),
		cmocka_unit_test(host_operations_keep_their_place_and_their_pairs),
		cmocka_unit_test(a_barrier_that_not_all_meet_becomes_host_time),
		cmocka_unit_test(a_run_that_is_not_there_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
