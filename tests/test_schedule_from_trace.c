/* SPDX-License-Identifier: MIT
 * A recorded trace becomes a schedule: calls in their order with the device work they asked for,
 * and what cannot be resolved.
 */
#include "schedule_kit.h"

static void calls_become_operations_in_the_order_of_their_thread(void **state)
{
	static const enum op_kind kinds[] = { OP_HOST,	     OP_LAUNCH,	 OP_COPY, OP_COPY,
					      OP_MEMSET,     OP_RECORD,	 OP_WAIT, OP_SYNC,
					      OP_SYNC_EVENT, OP_SYNC_GPU };
	struct schedule s;
	struct trace t;
	int64_t correlation;

	(void)state;
	trace_init(&t);
	sync_row(&t, call(&t, MAIN, 900, "cudaDeviceSynchronize_v3020"), 0, -1, 4, -1,
		 -1); /* rows in any order */
	call(&t, MAIN, 100, "cudaMalloc_v3020");
	launch(&t, MAIN, 200, 0, 7, "scale(float*, int)", 1000);
	copy(&t, MAIN, 300, "cudaMemcpyAsync_v3020", 1, 0, 0, 4096);
	copy(&t, MAIN, 400, "cudaMemcpy_v3020", 2, 0, 0, 4096);
	correlation = call(&t, MAIN, 500, "cudaMemsetAsync_v3020");
	*trace_add_memset(&t) = (struct trace_memset){ .start_ns = 520,
						       .end_ns = 540,
						       .stream = 7,
						       .context = 1,
						       .correlation = correlation,
						       .global_pid = global_pid,
						       .bytes = 64 };
	record(&t, MAIN, 600, 0, 7, 3, 1);
	wait(&t, MAIN, 650, 0, 8, 3, 1);
	sync_row(&t, call(&t, MAIN, 700, "cudaStreamSynchronize_v3020"), 0, 8, 3, -1, -1);
	sync_row(&t, call(&t, MAIN, 800, "cudaEventSynchronize_v3020"), 0, -1, 1, 3, 1);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.thread_count, 1);
	assert_int_equal(s.thread[0].gpu, 0);
	assert_int_equal(s.op_count, 10);
	for (int i = 0; i < 10; i++)
		assert_int_equal(s.op[i].kind, kinds[i]);
	assert_int_equal(s.op[0].duration_ps, 10000);
	assert_int_equal(s.op[0].before_ps, 0);
	assert_int_equal(s.op[1].before_ps, 90000);
	assert_int_equal(s.op[1].duration_ps, 1000000);
	assert_int_equal(s.op[1].flags, OP_FIRST);
	assert_string_equal(s.kernel[s.shape[s.op[1].object].kernel], "scale");
	assert_int_equal(s.shape[s.op[1].object].shared_bytes, 128);
	assert_int_equal(s.copy[s.op[2].object].kind, COPY_H2D);
	assert_int_equal(s.copy[s.op[2].object].pageable, 0);
	assert_int_equal(s.op[2].flags, 0);
	assert_int_equal(s.copy[s.op[3].object].kind, COPY_D2H);
	assert_int_equal(s.copy[s.op[3].object].pageable, 1);
	assert_int_equal(s.copy[s.op[3].object].target_gpu, 0xffff);
	assert_int_equal(s.op[3].flags, OP_BLOCKING);
	assert_int_equal(s.copy[s.op[4].object].kind, COPY_MEMSET);
	assert_int_equal(s.op[5].object, s.op[6].object);
	assert_int_equal(s.op[5].object, s.op[8].object);
	assert_int_equal(s.stream[s.op[5].stream].id, 7);
	assert_int_equal(s.stream[s.op[6].stream].id, 8);
	assert_int_equal(s.event_count, 1);
	assert_int_equal(s.op[9].object, 0);
	assert_int_equal(s.anomaly_count, 0);
	assert_int_equal(schedule_operations(&s), 9);
	schedule_release(&s);
	trace_release(&t);
}

static void equal_launches_share_a_shape_and_only_the_first_is_first(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	for (int i = 0; i < 5; i++)
		launch(&t, MAIN, 100 + 100 * i, i % 2, 7, i == 4 ? "other" : "k", 100 + i);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.shape_count, 2);
	assert_int_equal(s.stream_count, 2); /* stream 7 of either GPU */
	assert_int_equal(s.gpu_count, 2);
	assert_int_equal(s.thread[0].gpu, 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(s.op[i].flags, i == 0 || i == 4 ? OP_FIRST : 0);
	schedule_release(&s);
	trace_release(&t);
}

static void a_footprint_gives_the_shape_and_the_name_of_the_plan(void **state)
{
	const struct schedule_shape *shape;
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	launch(&t, MAIN, 100, 0, 7, "void tuned<float>(sweep)", 100);
	for (int i = 0; i < 3; i++)
		*trace_add_footprint(&t) =
			(struct trace_footprint){ .correlation = 1,
						  .global_pid = global_pid,
						  .kernel = trace_string(&t, "tuned_f32"),
						  .rows = 8,
						  .columns = 16,
						  .points = 64,
						  .dram_bytes = 1000,
						  .resident_bytes = 5000,
						  .buffer = i == 2,
						  .mode = i ? ACCESS_READ : ACCESS_WRITE,
						  .offset_bytes = i == 1 ? 50 : 0,
						  .bytes = 100,
						  .path = 4,
						  .steps = 9 };
	launch(&t, MAIN, 300, 0, 7, "foreign", 100);
	assert_int_equal(load(&s, &t, -1), 0);
	shape = &s.shape[s.op[0].object];
	assert_string_equal(s.kernel[shape->kernel], "tuned_f32");
	assert_int_equal(shape->rows, 8);
	assert_int_equal(shape->access_count, 3);
	assert_int_equal(shape->footprint_bytes,
			 250); /* [0, 150) of one buffer, [0, 100) of the other */
	assert_int_equal(s.access[shape->first_access].mode, ACCESS_WRITE);
	assert_int_equal(shape->path, 4);
	assert_int_equal(shape->steps, 9);
	assert_int_equal(s.shape[s.op[1].object].path, -1); /* nobody said */
	assert_int_equal(s.shape[s.op[1].object].steps, -1);
	schedule_release(&s);
	trace_release(&t);
}

static void what_cannot_be_resolved_is_counted_and_keeps_its_time(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	launch(&t, MAIN, 100, 0, 7, "k", 100);
	t.kernel[0].correlation = 1000; /* the launch has no kernel, the kernel no launch */
	call(&t, MAIN, 200, "cudaMemcpyAsync_v3020");	    /* no row */
	call(&t, MAIN, 300, "cudaEventRecord_v3020");	    /* no row */
	wait(&t, MAIN, 400, 0, 7, 5, -1);		    /* never recorded */
	call(&t, MAIN, 500, "cudaStreamSynchronize_v3020"); /* no row */
	call(&t, MAIN, 600, "cudaLaunchKernel_v7000");
	t.api[t.api_count - 1].return_value = 1;    /* failed: nothing is missing */
	note(&t, MAIN, 700, NOTE_AWAIT_SPIN, 1, 5); /* nobody posts */
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.anomaly_count, 7);
	assert_int_equal(s.op_count, 7);
	for (int64_t i = 0; i < s.op_count; i++) {
		assert_int_equal(s.op[i].kind, OP_HOST);
		assert_int_equal(s.op[i].duration_ps, i == 6 ? 5000 : 10000);
	}
	schedule_release(&s);
	trace_release(&t);
}

static void a_driver_call_inside_a_runtime_call_is_part_of_it(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	launch(&t, MAIN, 100, 0, 7, "k", 100);
	*trace_add_api(&t) = (struct trace_api){ .start_ns = 102,
						 .end_ns = 108,
						 .global_tid = global_pid | MAIN,
						 .correlation = 50,
						 .event_class = 1,
						 .name = trace_string(&t, "cuLaunchKernel") };
	t.kernel[0].correlation = 50; /* the kernel may name either */
	call(&t, MAIN, 120, "cudaMalloc_v3020");
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.op_count, 2);
	assert_int_equal(s.op[0].kind, OP_LAUNCH);
	assert_int_equal(s.op[1].before_ps, 10000); /* since the outer call */
	assert_int_equal(s.anomaly_count, 0);
	schedule_release(&s);
	trace_release(&t);
}

static void a_graph_launch_becomes_its_kernels(void **state)
{
	struct schedule s;
	struct trace t;
	int64_t correlation;

	(void)state;
	trace_init(&t);
	correlation = call(&t, MAIN, 100, "cudaGraphLaunch_v10000");
	for (int i = 0; i < 3; i++)
		*trace_add_kernel(&t) = (struct trace_kernel){
			.start_ns = 300 - 50 * i,
			.end_ns = 340 - 50 * i,
			.stream = 7,
			.context = 1,
			.correlation = correlation,
			.global_pid = global_pid,
			.graph_node = 100 + i,
			.demangled_name = trace_string(&t, i == 2 ? "first" : "later")
		};
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.op_count, 3);
	assert_string_equal(s.kernel[s.shape[s.op[0].object].kernel], "first");
	for (int i = 1; i < 3; i++)
		assert_int_equal(s.op[i].before_ps, 0);
	for (int i = 0; i < 3; i++) { /* its call is paid for once; 10 ns between two kernels */
		assert_int_equal(s.op[i].flags & OP_IN_GRAPH, i ? OP_IN_GRAPH : 0);
		assert_int_equal(s.op[i].value, i ? 10000 : 0);
	}
	schedule_release(&s);
	trace_release(&t);
}

/* A copy to pageable memory that ends a graph keeps the call until it is made; to pinned memory, or
 * in the middle, it does not. */
static void a_graph_that_ends_with_a_pageable_copy_blocks(void **state)
{
	(void)state;
	for (int way = 0; way < 3; way++) { /* pageable last, pinned last, pageable first */
		struct trace t;
		struct schedule s;
		trace_init(&t);
		const int64_t correlation = call(&t, MAIN, 100, "cudaGraphLaunch_v10000");
		*trace_add_kernel(&t) = (struct trace_kernel){ .start_ns = 300,
							       .end_ns = 340,
							       .stream = 7,
							       .context = 1,
							       .correlation = correlation,
							       .global_pid = global_pid,
							       .graph_node = 100 };
		*trace_add_memcpy(&t) = (struct trace_memcpy){ .start_ns = way == 2 ? 200 : 400,
							       .end_ns = way == 2 ? 220 : 420,
							       .bytes = 8,
							       .copy_kind = 2,
							       .source_kind = 2,
							       .target_kind = way == 1,
							       .stream = 7,
							       .context = 1,
							       .correlation = correlation,
							       .global_pid = global_pid,
							       .graph_node = 101 };
		assert_int_equal(load(&s, &t, -1), 0);
		assert_int_equal(s.op_count, 2);
		assert_int_equal(s.op[1].kind, way == 2 ? OP_LAUNCH : OP_COPY);
		assert_int_equal(s.op[1].flags & OP_BLOCKING, way ? 0 : OP_BLOCKING);
		assert_int_equal(s.op[0].flags & OP_BLOCKING, 0);
		schedule_release(&s);
		trace_release(&t);
	}
}

/* A trace that called it one between GPUs (test_spool.c). */
static void a_copy_with_pinned_memory_is_of_the_host(void **state)
{
	(void)state;
	for (int from_host = 0; from_host < 2; from_host++) {
		struct trace t;
		struct schedule s;

		trace_init(&t);
		const int64_t correlation = call(&t, MAIN, 100, "cudaMemcpyAsync_v3020");
		*trace_add_memcpy(&t) = (struct trace_memcpy){ .start_ns = 300,
							       .end_ns = 400,
							       .bytes = 8,
							       .copy_kind = 10,
							       .source_kind = from_host ? 1 : 2,
							       .target_kind = from_host ? 2 : 1,
							       .source_device = 0,
							       .target_device = 1,
							       .stream = 7,
							       .context = 1,
							       .graph_node = -1,
							       .correlation = correlation,
							       .global_pid = global_pid };
		assert_int_equal(load(&s, &t, -1), 0);
		assert_int_equal(s.copy_count, 1);
		assert_int_equal(s.copy[0].kind, from_host ? COPY_H2D : COPY_D2H);
		assert_false(s.copy[0].pageable);
		schedule_release(&s);
		trace_release(&t);
	}
}

static void bad_rows_make_no_schedule(void **state)
{
	static const char *const bad[] = {
		"trace-end-before-start.sqlite", "trace-unknown-stream.sqlite",
		"trace-unknown-gpu.sqlite",	 "trace-call-ends-before-start.sqlite",
		"trace-far-future.sqlite",	 "trace-no-calls.sqlite"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *path = xprintf("%s/tests/bad/%s", util_root(), bad[i]);
		struct schedule s;
		struct trace t;

		trace_init(&t);
		assert_int_equal(trace_read(&t, path, 0), 0);
		if (load(&s, &t, -1) != -1)
			fail_msg("%s became a schedule", bad[i]);
		schedule_release(&s);
		trace_release(&t);
		free(path);
	}
}

static void captured_calls_are_host_time_and_no_anomaly(void **state)
{
	static const enum op_kind kinds[] = { OP_HOST, OP_HOST,	  OP_HOST, OP_HOST, OP_HOST,
					      OP_HOST, OP_LAUNCH, OP_HOST, OP_HOST };
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	call(&t, MAIN, 100, "cudaStreamBeginCapture_v10000");
	call(&t, MAIN, 200, "cudaLaunchKernel_v7000");
	call(&t, MAIN, 300, "cudaMemcpyAsync_v3020");
	call(&t, MAIN, 400, "cudaEventRecord_v3020");
	call(&t, MAIN, 500, "cudaStreamWaitEvent_v3020");
	wait(&t, MAIN, 600, 0, 7, 55,
	     -1); /* a wait with its row, for a record that was captured, too */
	launch(&t, MAIN, 700, 0, 8, "k", 100); /* on a stream that is not captured */
	call(&t, MAIN, 800, "cudaStreamEndCapture_v10000");
	t.api[call(&t, MAIN, 900, "cudaLaunchKernel_v7000") - 1].return_value =
		9; /* fails: counted by the check alone */
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.op_count, 9);
	for (int i = 0; i < 9; i++) {
		assert_int_equal(s.op[i].kind, kinds[i]);
		if (kinds[i] == OP_HOST)
			assert_int_equal(s.op[i].duration_ps, 10000);
	}
	assert_int_equal(s.anomaly_count, 0);
	schedule_release(&s);
	call(&t, SECOND, 250,
	     "cudaLaunchKernel_v7000"); /* another thread may launch into the captured stream */
	launch(&t, SECOND, 450, 0, 9, "k", 100); /* or into another */
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.anomaly_count, 0);
	assert_int_equal(s.op_count, 11);
	schedule_release(&s);
	call(&t, SECOND, 850, "cudaLaunchKernel_v7000"); /* but not when the capture has ended, */
	call(&t, SECOND, 50, "cudaLaunchKernel_v7000");	 /* or has not begun */
	call(&t, MAIN, 950, "cudaLaunchKernel_v7000");
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.anomaly_count, 3);
	schedule_release(&s);
	trace_release(&t);
}

/* Also where an operation that nobody recorded stands before: the second thread's wait for the
 * first. */
static void what_was_asked_belongs_to_the_time_before_its_call(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	launch(&t, MAIN, 200, 0, 7, "k", 100);
	t.api[t.api_count - 1].queries = 2;
	t.api[t.api_count - 1].queries_ns = 60;
	launch(&t, MAIN, 300, 0, 7, "k", 100);
	launch(&t, MAIN, 400, 0, 7, "k", 100);
	t.api[t.api_count - 1].queries = 1;
	t.api[t.api_count - 1].queries_ns = -5; /* no time at all */
	launch(&t, SECOND, 90000, 0, 8, "k", 100);
	launch(&t, SECOND, 190000, 0, 8, "k", 100);
	t.api[t.api_count - 1].queries = 1;
	t.api[t.api_count - 1].queries_ns = 7;
	launch(&t, MAIN, 150000, 0, 7, "k", 100);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.queries_count, 2);
	for (int k = 0; k < 2; k++)
		assert_int_equal(s.op[s.queries[k].op].kind, OP_LAUNCH);
	assert_int_equal(s.queries[0].op, 0);
	assert_int_equal(s.queries[0].ns, 60);
	assert_int_equal(s.queries[1].op, s.op_count - 1);
	assert_int_equal(s.queries[1].ns, 7);
	assert_true(s.op_count > 6); /* with what was inferred */
	schedule_release(&s);
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_become_operations_in_the_order_of_their_thread),
		cmocka_unit_test(equal_launches_share_a_shape_and_only_the_first_is_first),
		cmocka_unit_test(a_footprint_gives_the_shape_and_the_name_of_the_plan),
		cmocka_unit_test(what_cannot_be_resolved_is_counted_and_keeps_its_time),
		cmocka_unit_test(a_driver_call_inside_a_runtime_call_is_part_of_it),
		cmocka_unit_test(a_graph_launch_becomes_its_kernels),
		cmocka_unit_test(captured_calls_are_host_time_and_no_anomaly),
		cmocka_unit_test(what_was_asked_belongs_to_the_time_before_its_call),
		cmocka_unit_test(a_graph_that_ends_with_a_pageable_copy_blocks),
		cmocka_unit_test(a_copy_with_pinned_memory_is_of_the_host),
		cmocka_unit_test(bad_rows_make_no_schedule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
