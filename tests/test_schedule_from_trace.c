/* SPDX-License-Identifier: MIT
 * A recorded trace becomes a schedule: order, joins, pairs, and what cannot be resolved.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../traces/annotate.h"
#include "../traces/trace.h"
#include "../traces/util.h"

enum { PID = 9, MAIN = 9, SECOND = 10 };
static const int64_t global_pid = (int64_t)PID << 24;

/* Rows as the recorder makes them. Times of a call: [at, at + 10). */
static int64_t call(struct trace *t, int tid, int64_t at_ns, const char *name)
{
	int64_t correlation = (int64_t)t->api_count + 1;

	*trace_add_api(t) = (struct trace_api){ .start_ns = at_ns,
						.end_ns = at_ns + 10,
						.global_tid = global_pid | tid,
						.correlation = correlation,
						.name = trace_string(t, name) };
	return correlation;
}

static void launch(struct trace *t, int tid, int64_t at_ns, int gpu, int stream, const char *kernel,
		   int64_t duration_ns)
{
	int64_t correlation = call(t, tid, at_ns, "cudaLaunchKernel_v7000");

	*trace_add_kernel(t) = (struct trace_kernel){ .start_ns = at_ns + 20,
						      .end_ns = at_ns + 20 + duration_ns,
						      .device = gpu,
						      .context = gpu + 1,
						      .stream = stream,
						      .correlation = correlation,
						      .global_pid = global_pid,
						      .demangled_name = trace_string(t, kernel),
						      .grid = { 8, 1, 1 },
						      .block = { 128, 1, 1 },
						      .registers = 32,
						      .static_shared_bytes = 100,
						      .dynamic_shared_bytes = 28,
						      .graph_node = -1 };
}

static void copy(struct trace *t, int tid, int64_t at_ns, const char *name, int32_t kind, int gpu, int peer,
		 int64_t bytes)
{
	int64_t correlation = call(t, tid, at_ns, name);

	*trace_add_memcpy(t) = (struct trace_memcpy){ .start_ns = at_ns + 20,
						      .end_ns = at_ns + 50,
						      .device = gpu,
						      .context = gpu + 1,
						      .stream = 7,
						      .correlation = correlation,
						      .global_pid = global_pid,
						      .bytes = bytes,
						      .copy_kind = kind,
						      .source_kind = kind == 1 ? 1 : 2,
						      .target_kind = kind == 2 ? 0 : 2,
						      .source_device = kind == 10 ? gpu : -1,
						      .target_device = kind == 10 ? peer : -1,
						      .graph_node = -1 };
}

static void record(struct trace *t, int tid, int64_t at_ns, int gpu, int stream, int64_t event, int64_t sync_id)
{
	int64_t correlation = call(t, tid, at_ns, "cudaEventRecord_v3020");

	*trace_add_event(t) = (struct trace_event){ .device = gpu,
						    .context = gpu + 1,
						    .stream = stream,
						    .correlation = correlation,
						    .global_pid = global_pid,
						    .event_id = event,
						    .event_sync_id = sync_id,
						    .timestamp_ns = -1 };
}

static void sync_row(struct trace *t, int64_t correlation, int gpu, int stream, int32_t type, int64_t event,
		     int64_t sync_id)
{
	*trace_add_sync(t) = (struct trace_sync){ .start_ns = 0,
						  .end_ns = 1,
						  .device = gpu,
						  .context = gpu + 1,
						  .stream = stream,
						  .correlation = correlation,
						  .global_pid = global_pid,
						  .sync_type = type,
						  .event_id = event,
						  .event_sync_id = sync_id };
}

static void wait(struct trace *t, int tid, int64_t at_ns, int gpu, int stream, int64_t event, int64_t sync_id)
{
	sync_row(t, call(t, tid, at_ns, "cudaStreamWaitEvent_v3020"), gpu, stream, 2, event, sync_id);
}

static void note(struct trace *t, int tid, int64_t at_ns, int32_t kind, uint32_t object, int64_t value)
{
	*trace_add_host_op(t) = (struct trace_host_op){ .start_ns = at_ns,
							.end_ns = at_ns + (kind == NOTE_MARK ? 0 : 5),
							.global_tid = global_pid | tid,
							.kind = kind,
							.object = object,
							.value = value };
}

/* Loads, silently: warnings go to /dev/null. */
static int load(struct schedule *s, const struct trace *t, int run)
{
	int saved = dup(2), nowhere = open("/dev/null", O_WRONLY), rc;

	dup2(nowhere, 2);
	close(nowhere);
	schedule_init(s);
	rc = schedule_from_trace(s, t, run);
	dup2(saved, 2);
	close(saved);
	return rc;
}

static void calls_become_operations_in_the_order_of_their_thread(void **state)
{
	static const enum op_kind kinds[] = { OP_HOST,	 OP_LAUNCH, OP_COPY, OP_COPY,	    OP_MEMSET,
					      OP_RECORD, OP_WAIT,   OP_SYNC, OP_SYNC_EVENT, OP_SYNC_GPU };
	struct schedule s;
	struct trace t;
	int64_t correlation;

	(void)state;
	trace_init(&t);
	sync_row(&t, call(&t, MAIN, 900, "cudaDeviceSynchronize_v3020"), 0, -1, 4, -1, -1); /* rows in any order */
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
		*trace_add_footprint(&t) = (struct trace_footprint){ .correlation = 1,
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
								     .path = 4 };
	launch(&t, MAIN, 300, 0, 7, "foreign", 100);
	assert_int_equal(load(&s, &t, -1), 0);
	shape = &s.shape[s.op[0].object];
	assert_string_equal(s.kernel[shape->kernel], "tuned_f32");
	assert_int_equal(shape->rows, 8);
	assert_int_equal(shape->access_count, 3);
	assert_int_equal(shape->footprint_bytes, 250); /* [0, 150) of one buffer, [0, 100) of the other */
	assert_int_equal(s.access[shape->first_access].mode, ACCESS_WRITE);
	assert_int_equal(shape->path, 4);
	assert_int_equal(s.shape[s.op[1].object].path, -1); /* nobody said */
	schedule_release(&s);
	trace_release(&t);
}

static void reused_event_ids_are_paired_with_the_record_they_mean(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	/* Id 3 is recorded, destroyed, made anew, recorded: the wait that comes last still means the first record. */
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
		wait(&t, MAIN, 150 + 100 * i, 0, 9, 3, i & 1 ? -1 : 11 + i); /* with and without a join */
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

static void what_cannot_be_resolved_is_counted_and_keeps_its_time(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	launch(&t, MAIN, 100, 0, 7, "k", 100);
	t.kernel[0].correlation = 1000;			    /* the launch has no kernel, the kernel no launch */
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
		*trace_add_kernel(&t) =
			(struct trace_kernel){ .start_ns = 300 - 50 * i,
					       .end_ns = 340 - 50 * i,
					       .stream = 7,
					       .context = 1,
					       .correlation = correlation,
					       .global_pid = global_pid,
					       .graph_node = 100 + i,
					       .demangled_name = trace_string(&t, i == 2 ? "first" : "later") };
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.op_count, 3);
	assert_string_equal(s.kernel[s.shape[s.op[0].object].kernel], "first");
	for (int i = 1; i < 3; i++)
		assert_int_equal(s.op[i].before_ps, 0);
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
		assert_int_not_equal(op[1].object, op[3].object); /* each meeting is its own barrier */
		assert_int_equal(op[5].flags, OP_SPIN);
		assert_int_equal(op[6].flags, OP_SPIN);
		assert_int_equal(op[6].duration_ps, -1);
	}
	assert_int_equal(s.barrier_count, 2);
	assert_int_equal(s.counter_count, 2);
	assert_int_equal(s.op[5].object, s.op[s.thread[1].first_op + 6].object); /* what one posts the other awaits */
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

static void bad_rows_make_no_schedule(void **state)
{
	static const char *const bad[] = { "trace-end-before-start.sqlite", "trace-unknown-stream.sqlite",
					   "trace-unknown-gpu.sqlite",	    "trace-call-ends-before-start.sqlite",
					   "trace-far-future.sqlite",	    "trace-no-calls.sqlite" };

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
	static const enum op_kind kinds[] = { OP_HOST, OP_HOST, OP_HOST, OP_HOST, OP_HOST,
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
	wait(&t, MAIN, 600, 0, 7, 55, -1);     /* a wait with its row, for a record that was captured, too */
	launch(&t, MAIN, 700, 0, 8, "k", 100); /* on a stream that is not captured */
	call(&t, MAIN, 800, "cudaStreamEndCapture_v10000");
	t.api[call(&t, MAIN, 900, "cudaLaunchKernel_v7000") - 1].return_value = 9; /* fails: counted by the check alone */
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.op_count, 9);
	for (int i = 0; i < 9; i++) {
		assert_int_equal(s.op[i].kind, kinds[i]);
		if (kinds[i] == OP_HOST)
			assert_int_equal(s.op[i].duration_ps, 10000);
	}
	assert_int_equal(s.anomaly_count, 0);
	schedule_release(&s);
	call(&t, SECOND, 250, "cudaLaunchKernel_v7000"); /* another thread captures nothing */
	call(&t, MAIN, 950, "cudaLaunchKernel_v7000");
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.anomaly_count, 2);
	schedule_release(&s);
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_become_operations_in_the_order_of_their_thread),
		cmocka_unit_test(equal_launches_share_a_shape_and_only_the_first_is_first),
		cmocka_unit_test(a_footprint_gives_the_shape_and_the_name_of_the_plan),
		cmocka_unit_test(reused_event_ids_are_paired_with_the_record_they_mean),
		cmocka_unit_test(an_event_recorded_again_and_again_stays_one_event),
		cmocka_unit_test(a_wait_may_name_another_gpus_event_by_its_own_stream),
		cmocka_unit_test(what_cannot_be_resolved_is_counted_and_keeps_its_time),
		cmocka_unit_test(a_driver_call_inside_a_runtime_call_is_part_of_it),
		cmocka_unit_test(a_graph_launch_becomes_its_kernels),
		cmocka_unit_test(captured_calls_are_host_time_and_no_anomaly),
		cmocka_unit_test(host_operations_keep_their_place_and_their_pairs),
		cmocka_unit_test(a_barrier_that_not_all_meet_becomes_host_time),
		cmocka_unit_test(a_run_that_is_not_there_is_an_error),
		cmocka_unit_test(bad_rows_make_no_schedule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
