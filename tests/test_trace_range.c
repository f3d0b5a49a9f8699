/* SPDX-License-Identifier: MIT
 * A foreign program's NVTX ranges as its core loop: where the marks go, and what the simulator
 * makes of a loop that one thread of several marks.
 */
#include "sim/answers/range_times.h"
#include "traces/schedule/schedule.h"
#include "traces/views/trace_range.h"
#include "schedule_kit.h"
#include "support.h"

static void range(struct trace *t, int tid, const char *name, int64_t start_ns, int64_t end_ns)
{
	*trace_add_nvtx(t) = (struct trace_nvtx){ .start_ns = start_ns,
						  .end_ns = end_ns,
						  .text = trace_string(t, name),
						  .global_tid = global_pid | tid };
}

static int mark(struct trace *t, const char *name, struct marked_ranges *marked)
{
	return trace_mark_range(t, &(struct range_request){ .name = name }, marked);
}

static void the_core_loop_is_from_the_first_begin_to_the_last_end(void **state)
{
	struct marked_ranges marked;
	struct trace t;

	(void)state;
	trace_init(&t);
	range(&t, SECOND, "step", 500, 900);
	range(&t, MAIN, "step", 300, 400);
	range(&t, MAIN, "other", 10, 5000);
	range(&t, MAIN, "step", 100, 950); /* holds the one before */
	range(&t, MAIN, "step", 50, -1);   /* never ends */
	range(&t, MAIN, "step", 20, 20);   /* a mark, not a range */
	assert_int_equal(mark(&t, "step#all", &marked), 0);
	assert_int_equal(marked.ranges, 3);
	assert_int_equal(marked.threads, 2);
	assert_int_equal(t.host_op_count, 2);
	for (int k = 0; k < 2; k++) {
		assert_int_equal(t.host_op[k].kind, NOTE_MARK);
		assert_int_equal(t.host_op[k].object, k ? MARK_CORE_END : MARK_CORE_BEGIN);
		assert_int_equal(t.host_op[k].start_ns, k ? 950 : 100);
		assert_int_equal(t.host_op[k].global_tid, global_pid | MAIN);
	}
	trace_release(&t);
}

static void what_cannot_be_marked_is_left_as_it_was(void **state)
{
	struct marked_ranges marked;
	struct said said;
	struct trace t;

	(void)state;
	trace_init(&t);
	said_begin(&said);
	assert_int_equal(mark(&t, "step", &marked), -1);
	assert_says(&said, "no NVTX range is called 'step'; there is none");
	range(&t, MAIN, "Step", 300, 400);
	range(&t, MAIN, "open", 300, -1);
	said_begin(&said);
	assert_int_equal(mark(&t, "step", &marked), -1);
	assert_says(&said, "there are 'Step' (1)");
	*trace_add_run(&t) = (struct trace_run){ .start_ns = 1,
						 .end_ns = 1000,
						 .solver = trace_string(&t, "rbsor") };
	said_begin(&said);
	assert_int_equal(mark(&t, "Step", &marked), -1);
	assert_says(&said, "mark their core loops themselves");
	assert_int_equal(t.host_op_count, 0);
	trace_release(&t);
}

static void occurrences_are_taken_by_number(void **state)
{
	static const struct {
		const char *text;
		int64_t ranges, begin_ns, end_ns;
	} asked[] = { { "step#0", 1, 10, 20 },	  { "step#1", 1, 30, 90 },
		      { "step#-1", 1, 100, 150 }, { "step#-2", 2, 30, 150 },
		      { "step#all", 3, 10, 150 }, { "a#1", 2, 200, 230 } };
	(void)state;
	for (size_t k = 0; k < sizeof(asked) / sizeof(asked[0]); k++) {
		struct marked_ranges marked;
		struct trace t;

		trace_init(&t);
		range(&t, MAIN, "step", 100, 150);
		range(&t, MAIN, "step", 10, 20);
		range(&t, SECOND, "step", 30, 90);
		range(&t, MAIN, "a#1", 200, 210); /* a name of its own */
		range(&t, MAIN, "a#1", 220, 230);
		assert_int_equal(mark(&t, asked[k].text, &marked), 0);
		assert_int_equal(marked.ranges, asked[k].ranges);
		assert_int_equal(t.host_op[0].start_ns, asked[k].begin_ns);
		assert_int_equal(t.host_op[1].start_ns, asked[k].end_ns);
		trace_release(&t);
	}
}

static void a_range_that_is_not_one_loop_or_never_closes_is_refused(void **state)
{
	static const char *const asked[][2] = {
		{ "step", "the 2 NVTX ranges called 'step' take 1.0 to 2.1 us" },
		{ "step#3", "there is no 'step#3': 3 NVTX ranges are called 'step'" },
		{ "step#-4", "there is no 'step#-4'" },
		{ "step#1", "nvtx row 2: NVTX range 'step#1' never closes" },
		{ "open", "none of the 1 NVTX ranges called 'open' ever closes: nvtx row 4" },
		{ "gone#1", "no NVTX range is called 'gone'" },
		{ "step#one", "no NVTX range is called 'step#one'" },
	};
	struct marked_ranges marked;
	struct said said;
	struct trace t;

	(void)state;
	trace_init(&t);
	range(&t, MAIN, "step", 1000, 2000);
	range(&t, MAIN, "step", 3000, -1);
	range(&t, MAIN, "step", 4000, 6100);
	range(&t, MAIN, "open", 300, -1);
	for (size_t k = 0; k < sizeof(asked) / sizeof(asked[0]); k++) {
		said_begin(&said);
		assert_int_equal(mark(&t, asked[k][0], &marked), -1);
		assert_says(&said, asked[k][1]);
	}
	assert_int_equal(t.host_op_count, 0);
	trace_release(&t);
}

static void occurrences_are_those_of_a_thread_or_a_process(void **state)
{
	static const struct {
		struct range_request range;
		int64_t begin_ns, end_ns;
	} asked[] = {
		{ { "step#0", "10", NULL }, 30, 90 },	 { { "step#0", "worker", NULL }, 30, 90 },
		{ { "step#0", "9", NULL }, 10, 20 },	 { { "step#1", "9", NULL }, 100, 150 },
		{ { "step#all", NULL, "9" }, 10, 150 },	 { { "step#-1", NULL, "11" }, 1, 5 },
		{ { "step#0", "worker", "9" }, 30, 90 },
	};
	static const struct range_request nobodys[] = { { "step", "12", NULL },
							{ "step", "worker", "11" },
							{ "step", NULL, "nobody" } };
	struct marked_ranges marked;
	struct said said;
	struct trace t;

	(void)state;
	for (size_t k = 0; k < sizeof(asked) / sizeof(asked[0]); k++) {
		trace_init(&t);
		range(&t, MAIN, "step", 100, 150);
		range(&t, MAIN, "step", 10, 20);
		range(&t, SECOND, "step", 30, 90);
		range(&t, (2 << 24) | 77, "step", 1, 5); /* of process 11 */
		*trace_add_thread(&t) = (struct trace_thread){ .global_tid = global_pid | SECOND,
							       .name = trace_string(&t, "worker") };
		assert_int_equal(trace_mark_range(&t, &asked[k].range, &marked), 0);
		assert_int_equal(t.host_op[0].start_ns, asked[k].begin_ns);
		assert_int_equal(t.host_op[1].start_ns, asked[k].end_ns);
		for (size_t n = 0; n < sizeof(nobodys) / sizeof(nobodys[0]); n++) {
			said_begin(&said);
			assert_int_equal(trace_mark_range(&t, &nobodys[n], &marked), -1);
			assert_says(&said, nobodys[n].thread ? "no NVTX range of thread "
							     : "of process nobody is called");
		}
		trace_release(&t);
	}
}

/* Calls at 1000, 2000 and 4000, of 10 ns each. */
static void ranges_have_their_place_among_the_operations(void **state)
{
	static const struct {
		const char *name;
		int64_t start_ns, end_ns;
		struct schedule_instant begin, end;
	} row[] = {
		{ "all", 900, 4110, { -1, -1, 0, -100000 }, { 5, 5, 0, 100000 } },
		{ "gap", 1258, 1756, { 1, 2, 0.25, 0 }, { 1, 2, 746.0 / 990, 0 } },
		{ "call", 2000, 2010, { 1, 2, 1, 0 }, { 2, 3, 1, 0 } },
		{ "inside", 2002, 4005, { 2, 3, 0.2, 0 }, { 4, 5, 0.5, 0 } },
	};
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	for (size_t k = 0; k < sizeof(row) / sizeof(row[0]); k++)
		range(&t, MAIN, row[k].name, row[k].start_ns, row[k].end_ns);
	range(&t, MAIN, "mark", 1500, 1500);
	range(&t, SECOND, "all", 1000, 3000); /* a thread without calls */
	launch(&t, MAIN, 1000, 0, 7, "k", 100);
	launch(&t, MAIN, 2000, 0, 7, "k", 100);
	launch(&t, MAIN, 4000, 0, 7, "k", 100);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.nvtx_count, 6);
	for (size_t k = 0; k < sizeof(row) / sizeof(row[0]); k++) {
		const struct schedule_nvtx *r = s.nvtx;
		while (strcmp(r->name, row[k].name))
			r++;
		assert_int_equal(r->thread, 0);
		assert_int_equal(r->occurrence, 0);
		assert_int_equal(r->recorded_ps, (row[k].end_ns - row[k].start_ns) * 1000);
		for (int end = 0; end < 2; end++) {
			const struct schedule_instant *is = end ? &r->end : &r->begin,
						      *want = end ? &row[k].end : &row[k].begin;
			assert_int_equal(is->after, want->after);
			assert_int_equal(is->before, want->before);
			assert_float_equal(is->share, want->share, 1e-3);
			assert_int_equal(is->rest_ps, want->rest_ps);
		}
	}
	assert_string_equal(s.nvtx[1].name, "all");
	assert_int_equal(s.nvtx[1].thread, UINT32_MAX);
	assert_int_equal(s.nvtx[1].occurrence, 1);
	assert_int_equal(s.nvtx[3].occurrence, -1);
	schedule_release(&s);
	trace_release(&t);
}

static void a_range_that_never_closes_is_named_with_its_row(void **state)
{
	struct schedule s;
	struct said said;
	struct trace t;

	(void)state;
	trace_init(&t);
	range(&t, MAIN, "step", 1000, 1005);
	range(&t, MAIN, "open", 1001, -1);
	launch(&t, MAIN, 1000, 0, 7, "k", 100);
	schedule_init(&s);
	said_begin(&said);
	assert_int_equal(schedule_from_trace(&s, &t, -1), 0);
	assert_says(&said, "nvtx row 2: range 'open' never closes: left out");
	assert_int_equal(s.nvtx_count, 1);
	schedule_release(&s);
	trace_release(&t);
}

/* The ranges of two threads in a simulated run, and in a timeline at the same time. */
static void a_simulated_range_lasts_from_its_begin_to_its_end(void **state)
{
	struct platform platform;
	struct kernel_model model = { .ops = kernel_model_find("recorded"), .platform = &platform };
	struct simulation_result result;
	struct range_times times;
	struct schedule s;
	struct trace t;
	sim_time begin, end;

	(void)state;
	platform_of(&platform, "free");
	trace_init(&t);
	range(&t, MAIN, "both", 1020, 9000); /* from within a pause into another */
	range(&t, MAIN, "wait", 2000, 8010);
	launch(&t, MAIN, 1000, 0, 7, "k", 5000);
	sync_row(&t, call(&t, MAIN, 2000, "cudaStreamSynchronize_v3020"), 0, 7, 3, -1, -1);
	t.api[1].end_ns = 8010;
	launch(&t, MAIN, 9010, 0, 7, "k", 3000);
	assert_int_equal(load(&s, &t, -1), 0);
	range_times_init(&times, &s);
	const struct simulation_setup setup = {
		.schedule = &s, .platform = &platform, .model = &model, .observer = &times.observer
	};
	for (int again = 0; again < 2; again++) {
		range_times_begin(&times, NULL);
		assert_int_equal(simulation_run(&setup, &result), 0);
		/* the launch is free, so at 0 the kernel begins and the pause of 990 ns as well */
		range_times_of(&times, &s.nvtx[1], &begin, &end);
		assert_int_equal(begin, 990000);
		assert_int_equal(end, 5000000);
		range_times_of(&times, &s.nvtx[0], &begin, &end);
		assert_int_equal(begin, 10000);
		assert_int_equal(end, 5990000);
		simulation_result_release(&result);
	}
	range_times_release(&times);
	schedule_release(&s);
	trace_release(&t);
	platform_release(&platform);
}

/* One thread works on the first GPU and marks its loop; another, for ever longer, on the second,
 * and marks nothing. */
static void gpus_whose_threads_mark_nothing_are_counted_for_the_core_loop_only(void **state)
{
	struct platform platform;
	struct kernel_model model = { .ops = kernel_model_find("recorded"), .platform = &platform };
	struct simulation_result result;
	struct marked_ranges marked;
	struct schedule s;
	struct trace t;

	(void)state;
	platform_of(&platform, "free");
	trace_init(&t);
	launch(&t, MAIN, 100, 0, 7, "k", 5000);
	sync_row(&t, call(&t, MAIN, 130, "cudaStreamSynchronize_v3020"), 0, 7, 3, -1, -1);
	launch(&t, MAIN, 10000, 0, 7, "k", 3000);
	sync_row(&t, call(&t, MAIN, 10030, "cudaStreamSynchronize_v3020"), 0, 7, 3, -1, -1);
	for (int k = 0; k < 20; k++)
		launch(&t, SECOND, 100 + 1000 * k, 1, 7, "k", 1000);
	range(&t, MAIN, "step", 9000, 10050);
	assert_int_equal(mark(&t, "step", &marked), 0);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.gpu_count, 2);
	const struct simulation_setup setup = { .schedule = &s,
						.platform = &platform,
						.model = &model };
	assert_int_equal(simulation_run(&setup, &result), 0);
	assert_true(result.core_ps >= 3000000 && result.core_ps < 6000000);
	assert_true(result.end_ps > 3 * result.core_ps);
	for (int g = 0; g < 2; g++) {
		const struct breakdown *b = &result.gpu[g];
		assert_true(b->kernel_ps > 0 && b->transfer_ps >= 0 && b->sync_ps >= 0 &&
			    b->host_ps >= 0);
		assert_int_equal(b->kernel_ps + b->transfer_ps + b->sync_ps + b->host_ps,
				 result.core_ps);
	}
	assert_int_equal(result.gpu[0].kernel_ps, 3000000);
	simulation_result_release(&result);
	schedule_release(&s);
	trace_release(&t);
	platform_release(&platform);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_core_loop_is_from_the_first_begin_to_the_last_end),
		cmocka_unit_test(what_cannot_be_marked_is_left_as_it_was),
		cmocka_unit_test(occurrences_are_taken_by_number),
		cmocka_unit_test(a_range_that_is_not_one_loop_or_never_closes_is_refused),
		cmocka_unit_test(occurrences_are_those_of_a_thread_or_a_process),
		cmocka_unit_test(ranges_have_their_place_among_the_operations),
		cmocka_unit_test(a_range_that_never_closes_is_named_with_its_row),
		cmocka_unit_test(a_simulated_range_lasts_from_its_begin_to_its_end),
		cmocka_unit_test(
			gpus_whose_threads_mark_nothing_are_counted_for_the_core_loop_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
