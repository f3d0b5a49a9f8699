/* SPDX-License-Identifier: MIT
 * What belongs together in a spool: waits and the records they meet, footprints and launches,
 * driver calls and the runtime's, notes and threads, the clocks of two GPUs.
 */
#include "spool_kit.h"

#include "traces/format/annotate.h"

static void put_record(struct builder *builder, uint64_t at_ns, uint32_t correlation,
		       uint32_t event_id, uint64_t sync_id)
{
	put_call(builder, RECORD, 5, at_ns, at_ns + 5, correlation);
	PUT(builder, event, .device = 0, .context = 1, .stream = 7, .correlation = correlation,
	    .event_id = event_id, .event_sync_id = sync_id);
}

static void put_wait(struct builder *builder, uint64_t at_ns, uint32_t correlation,
		     uint32_t event_id, uint64_t sync_id)
{
	put_call(builder, WAIT, 5, at_ns, at_ns + 5, correlation);
	PUT(builder, sync, .sync_type = 2, .start_ns = START_NS + at_ns,
	    .end_ns = START_NS + at_ns + 4, .correlation = correlation, .context = 2, .stream = 8,
	    .event_id = event_id, .event_sync_id = sync_id);
}

/* The correlation of the record that the wait with correlation `wait` met; -1 none. */
static int64_t met_by(const struct trace *trace, int64_t wait)
{
	for (size_t i = 0; i < trace->sync_count; i++)
		for (size_t j = 0; trace->sync[i].correlation == wait && j < trace->event_count;
		     j++)
			if (trace->event[j].event_sync_id == trace->sync[i].event_sync_id)
				return trace->event[j].correlation;
	return -1;
}

static void a_wait_meets_the_latest_record_of_a_reused_event(void **state)
{
	static const uint64_t no_sync_id[] = { 0, SPOOL_NONE, UINT64_MAX };
	struct builder builder;
	struct trace trace;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		uint64_t none = no_sync_id[i];

		begin(&builder);
		put_wait(&builder, 90, 7, 3, none); /* written in no order */
		put_record(&builder, 80, 6, 3, none);
		put_record(&builder, 10, 1, 3, none);
		put_wait(&builder, 20, 2, 3, none);
		put_wait(&builder, 30, 3, 3, none);
		put_record(&builder, 40, 4, 3, none);
		put_record(&builder, 41, 5, 9, none);
		put_wait(&builder, 50, 8, 3, none);
		put_wait(&builder, 5, 9, 3, none); /* before any record: waits for nothing */
		finish(&builder, &trace);
		assert_int_equal(met_by(&trace, 2), 1);
		assert_int_equal(met_by(&trace, 3), 1);
		assert_int_equal(met_by(&trace, 8), 4);
		assert_int_equal(met_by(&trace, 7), 6);
		assert_int_equal(met_by(&trace, 9), -1);
		assert_string_equal(trace_get_meta(&trace, "waits_without_record"), "1");
		trace_release(&trace);
	}
}

static void a_sync_id_decides_over_times_and_event_ids(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin(&builder);
	put_record(&builder, 10, 1, 3, 501);
	put_record(&builder, 20, 2, 3, 502);
	put_wait(&builder, 30, 3, 3, 501); /* the older record, by its number */
	put_wait(&builder, 15, 4, 3, 502); /* the number, though the clock says it came later */
	put_record(&builder, 40, 5, 4,
		   600); /* one number for two records: an event recorded again */
	put_record(&builder, 60, 6, 4, 600);
	put_wait(&builder, 50, 7, 4, 600);
	put_wait(&builder, 70, 8, 4, 600);
	finish(&builder, &trace);
	assert_int_equal(met_by(&trace, 3), 1);
	assert_int_equal(met_by(&trace, 4), 2);
	assert_int_equal(met_by(&trace, 7), 5);
	assert_int_equal(met_by(&trace, 8), 6);
	for (size_t i = 0; i < trace.event_count; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(trace.event[i].event_sync_id,
					     trace.event[j].event_sync_id);
	trace_release(&trace);
}

static void put_footprint(struct builder *builder, uint32_t tid, uint64_t at_ns, uint32_t accesses,
			  int64_t rows)
{
	PUT(builder, footprint, .access_count = accesses, .at_ns = START_NS + at_ns, .rows = rows,
	    .tid = tid, .kernel = KERNEL_B);
	for (uint32_t i = 0; i < accesses; i += 2)
		PUT(builder, access, .count = accesses - i > 1 ? 2 : 1,
		    .access = { { .buffer = i, .mode = 1, .bytes = 10 },
				{ .buffer = i + 1, .mode = 2, .bytes = 20 } },
		    .path_plus_one = tid == 5 ? 3 : 0, .steps_plus_one = tid == 5 ? 8 : 0);
}

static int rows_path(int64_t rows)
{
	return rows == 22 || rows == 33 || rows == 66 ? -1 : 2;
}

static void a_footprint_belongs_to_the_next_launch_of_its_thread(void **state)
{
	struct builder builder;
	struct trace trace;
	size_t of[6] = { 0 };
	int64_t rows[6] = { 0 };

	(void)state;
	begin(&builder);
	put_footprint(&builder, 5, 100, 3, 11);
	put_footprint(&builder, 6, 101, 1, 22);
	put_footprint(&builder, 5, 290, 0, 33); /* no access: one row for the shape */
	put_footprint(&builder, 5, 400, 1, 44); /* overtaken by the next one */
	put_footprint(&builder, 5, 410, 1, 55);
	put_footprint(&builder, 6, 900, 1, 66); /* nothing follows */
	end_records(&builder);
	put_call(&builder, LAUNCH, 6, 130, 140, 2);
	put_call(&builder, RECORD, 5, 105, 110, 9); /* not a launch */
	put_call(&builder, LAUNCH, 5, 120, 150, 1);
	put_call(&builder, LAUNCH, 5, 200, 210, 3); /* without a note */
	put_call(&builder, LAUNCH, 5, 300, 310, 4);
	put_call(&builder, LAUNCH, 5, 420, 430, 5);
	for (uint32_t i = 1; i <= 5; i++)
		put_kernel(&builder, 0, 1000 + i, 1001 + i, i);
	finish(&builder, &trace);
	for (size_t i = 0; i < trace.footprint_count; i++) {
		assert_in_range(trace.footprint[i].correlation, 1, 5);
		of[trace.footprint[i].correlation]++;
		rows[trace.footprint[i].correlation] = trace.footprint[i].rows;
		/* thread 5 notes a path, thread 6 is of a recorder from before there were any, and
		 * a note without access has none */
		assert_int_equal(trace.footprint[i].path, rows_path(trace.footprint[i].rows));
		assert_int_equal(trace.footprint[i].steps, trace.footprint[i].path < 0 ? -1 : 7);
	}
	assert_int_equal(of[1], 3);
	assert_int_equal(rows[1], 11);
	assert_int_equal(of[2], 1);
	assert_int_equal(rows[2], 22);
	assert_int_equal(of[3], 0);
	assert_int_equal(of[4], 1);
	assert_int_equal(rows[4], 33);
	assert_int_equal(of[5], 1);
	assert_int_equal(rows[5], 55);
	assert_string_equal(trace_text(&trace, trace.footprint[0].kernel), "plain_kernel");
	assert_int_equal(trace.footprint[1].buffer, 1);
	assert_int_equal(trace.footprint[2].buffer, 2);
	assert_int_equal(trace_losses(&trace, "footprints-without-launch"), 2);
	trace_release(&trace);
}

static void driver_calls_beneath_runtime_calls_are_left_out(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin(&builder);
	put_call(&builder, CU_LAUNCH, 5, 110, 190, 2); /* beneath, with a number of its own */
	put_call(&builder, LAUNCH, 5, 100, 200, 1);
	put_call(&builder, CU_LAUNCH, 6, 110, 190, 3); /* another thread: the program's own */
	put_call(&builder, CU_LAUNCH, 5, 195, 210, 4); /* not within */
	put_kernel(&builder, 0, 300, 400, 2);
	put_kernel(&builder, 0, 400, 500, 3);
	put_kernel(&builder, 0, 500, 600, 4);
	finish(&builder, &trace);
	assert_int_equal(trace.api_count, 3);
	assert_int_equal(trace.kernel[0].correlation, 1);
	assert_int_equal(trace.loss_count, 0);
	assert_string_equal(trace_get_meta(&trace, "driver_calls_beneath_runtime_calls"), "1");
	trace_release(&trace);
}

static void put_queries(struct builder *builder, uint32_t tid, uint64_t at_ns, uint32_t calls,
			uint64_t ns)
{
	PUT(builder, queries, .tid = tid, .start_ns = START_NS + at_ns,
	    .end_ns = START_NS + at_ns + 2 * ns, .ns = ns, .calls = calls);
}

static void calls_that_only_ask_are_counted_with_the_next_call_of_their_thread(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin(&builder);
	put_call(&builder, LAUNCH, 5, 300, 400, 9); /* rows in any order */
	put_queries(&builder, 5, 200, 1, 7);
	put_queries(&builder, 5, 100, 2, 30);
	put_queries(&builder, 6, 250, 3, 40); /* of threads that make no call after */
	put_queries(&builder, 4, 250, 1, 40);
	put_call(&builder, CU_LAUNCH, 5, 310, 320, 8); /* beneath one: nobody's next */
	put_queries(&builder, 5, 302, 4, 3);	       /* made by one: the next one's */
	put_call(&builder, RECORD, 5, 500, 510, 10);
	put_call(&builder, RECORD, 5, 515, 518, 11);
	put_queries(&builder, 5, 520, 1, 1);
	put_call(&builder, RECORD, 5, 530, 540, 12);
	put_queries(&builder, 5, 550, 1, 1);
	put_call(&builder, RECORD, 7, 100, 110, 13);
	put_kernel(&builder, 0, 450, 460, 9);
	finish(&builder, &trace);
	static const struct {
		int64_t correlation, queries, ns;
	} calls[] = { { 9, 3, 37 }, { 10, 4, 3 }, { 11, 0, 0 }, { 12, 1, 1 }, { 13, 0, 0 } };
	assert_int_equal(trace.api_count, 5);
	for (size_t k = 0; k < 5; k++) {
		assert_int_equal(trace.api[k].correlation, calls[k].correlation);
		assert_int_equal(trace.api[k].queries, calls[k].queries);
		assert_int_equal(trace.api[k].queries_ns, calls[k].ns);
	}
	assert_int_equal(trace.loss_count, 0);
	assert_string_equal(trace_get_meta(&trace, "calls_that_only_asked"), "13");
	assert_string_equal(trace_get_meta(&trace, "driver_calls_beneath_runtime_calls"), "1");
	trace_release(&trace);
}

static void notes_ranges_and_runs_keep_their_times_and_threads(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin(&builder);
	PUT(&builder, host_op, .kind = NOTE_AWAIT_SPIN, .start_ns = START_NS + 9,
	    .end_ns = START_NS + 19, .value = -4, .object = 2, .tid = 6);
	PUT(&builder, marker, .flags = SPOOL_MARKER_END, .id = 1, .timestamp_ns = START_NS + 49,
	    .tid = 5);
	PUT(&builder, marker, .flags = SPOOL_MARKER_START, .id = 1, .timestamp_ns = START_NS + 29,
	    .tid = 5, .text = TEXT, .domain = SOLVER);
	PUT(&builder, marker, .flags = SPOOL_MARKER_START, .id = 2, .timestamp_ns = START_NS + 39,
	    .tid = 5, .text = TEXT);
	PUT(&builder, marker, .flags = SPOOL_MARKER_INSTANT, .id = 3, .timestamp_ns = START_NS + 44,
	    .tid = 5, .text = TEXT);
	PUT(&builder, run, .at_ns = START_NS + 99, .solver = SOLVER, .config = CONFIG, .gpus = 4);
	PUT(&builder, run, .at_ns = START_NS + 199);
	PUT(&builder, run, .at_ns = START_NS + 299, .solver = SOLVER, .config = CONFIG, .gpus = 8);
	PUT(&builder, thread, .tid = 6, .name = TEXT);
	PUT(&builder, thread, .tid = 6, .name = SOLVER); /* named again */
	finish(&builder, &trace);
	assert_int_equal(trace.host_op[0].start_ns, 10);
	assert_int_equal(trace.host_op[0].value, -4);
	assert_int_equal(trace.host_op[0].global_tid, (int64_t)PID << 24 | 6);
	assert_int_equal(trace.nvtx_count, 3);
	assert_int_equal(trace.nvtx[0].start_ns, 30);
	assert_int_equal(trace.nvtx[0].end_ns, 50);
	assert_string_equal(trace_text(&trace, trace.nvtx[0].text), "rbsor: phase");
	assert_int_equal(trace.nvtx[1].end_ns, -1);
	assert_int_equal(trace.nvtx[2].end_ns, trace.nvtx[2].start_ns);
	assert_int_equal(trace_losses(&trace, "open-ranges"), 1);
	assert_int_equal(trace.run_count, 2);
	assert_int_equal(trace.run[0].end_ns, 200);
	assert_int_equal(trace.run[1].gpus, 8);
	assert_int_equal(trace.run[1].end_ns, -1);
	assert_int_equal(trace.thread_count, 1);
	assert_string_equal(trace_text(&trace, trace.thread[0].name), "rbsor");
	trace_release(&trace);
}

static void waits_in_both_directions_bound_the_clock_skew(void **state)
{
	enum { SKEW_NS = 700 }; /* GPU 1 reads this much later */
	struct builder builder;
	struct trace trace;
	uint32_t correlation = 1;

	(void)state;
	begin(&builder);
	PUT(&builder, device, .device = 0, .uuid = { 1 });
	PUT(&builder, device, .device = 1, .uuid = { 2 });
	PUT(&builder, gpu, .index = 0, .uuid = { 1 });
	PUT(&builder, gpu, .index = 1, .uuid = { 2 });
	PUT(&builder, clock, .index = 0, .at_ns = START_NS + 5, .sm_mhz = 1980, .memory_mhz = 3201);
	PUT(&builder, clock, .index = 1, .at_ns = START_NS + 5, .sm_mhz = 1980, .memory_mhz = 3201);
	for (uint32_t round = 0; round < 4; round++) {
		uint32_t from = round % 2, to = 1 - from;
		uint64_t host_ns = 1000 + round * 100000, ends_ns = host_ns + 50000,
			 delay_ns = 2000 + 10 * round;

		put_call(&builder, LAUNCH, 5, host_ns, host_ns + 10, correlation);
		put_kernel(&builder, from, host_ns + 100 + from * SKEW_NS, ends_ns + from * SKEW_NS,
			   correlation++);
		put_call(&builder, RECORD, 5, host_ns + 20, host_ns + 30, correlation);
		PUT(&builder, event, .device = from, .context = from + 1, .stream = 7,
		    .correlation = correlation++, .event_id = round, .event_sync_id = 50 + round);
		put_call(&builder, WAIT, 5, host_ns + 40, host_ns + 50, correlation);
		PUT(&builder, sync, .sync_type = 2, .start_ns = START_NS + host_ns + 40,
		    .end_ns = START_NS + host_ns + 50, .correlation = correlation++,
		    .context = to + 1, .stream = 7, .event_id = round, .event_sync_id = 50 + round);
		put_call(&builder, LAUNCH, 5, host_ns + 60, host_ns + 70, correlation);
		put_kernel(&builder, to, ends_ns + delay_ns + to * SKEW_NS,
			   ends_ns + delay_ns + 500 + to * SKEW_NS, correlation++);
	}
	finish(&builder, &trace);
	assert_int_equal(trace.clock_count, 2);
	assert_int_equal(trace.clock[0].skew_ns, 0);
	assert_in_range(trace.clock[1].skew_ns, SKEW_NS - 10, SKEW_NS + 10);
	assert_non_null(trace_get_meta(&trace, "clock_skew_0_1"));
	assert_int_equal(trace_losses(&trace, "clock-contradiction"), 0);
	trace_release(&trace);
}

static void looks_at_cores_are_rows_of_their_threads(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin(&builder);
	put_call(&builder, LAUNCH, 5, 100, 110, 1);
	PUT(&builder, core, .tid = 5, .at_ns = START_NS + 90, .additions = 5470);
	PUT(&builder, core, .tid = 6, .at_ns = START_NS + 50, .additions = 2800);
	finish(&builder, &trace);
	assert_int_equal(trace.core_count, 2);
	for (int k = 0; k < 2; k++) {
		const bool caller = trace.core[k].additions == 5470;

		assert_int_equal(trace.core[k].global_tid == trace.api[0].global_tid, caller);
		assert_int_equal(trace.core[k].at_ns - trace.api[0].start_ns, caller ? -10 : -50);
	}
	trace_release(&trace);
}

static void threads_without_system_ids_are_numbered(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin(&builder);
	put_call(&builder, LAUNCH, 0x7f000640, 10, 20,
		 1); /* halves of pointers that differ above bit 24 only */
	put_call(&builder, LAUNCH, 0x7e000640, 15, 25, 2);
	put_kernel(&builder, 0, 30, 40, 1);
	put_kernel(&builder, 0, 40, 50, 2);
	PUT(&builder, host_op, .kind = NOTE_POST, .start_ns = START_NS + 9, .end_ns = START_NS + 19,
	    .tid = 0x7f000640);
	PUT(&builder, overhead, .kind = 1, .start_ns = START_NS + 9, .end_ns = START_NS + 19);
	put_queries(&builder, 0x7e000640, 2, 1, 1);
	finish(&builder, &trace);
	assert_int_equal(trace.api[0].queries, 1);
	assert_int_equal(trace.api[1].queries, 0);
	assert_int_equal(trace.api[0].global_tid, (int64_t)PID << 24 | 1);
	assert_int_equal(trace.api[0].correlation, 2);
	assert_int_equal(trace.api[1].global_tid, (int64_t)PID << 24 | 2);
	assert_int_equal(trace.host_op[0].global_tid, (int64_t)PID << 24 | 2);
	assert_int_equal(trace.overhead[0].global_tid, -1);
	trace_release(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_meets_the_latest_record_of_a_reused_event),
		cmocka_unit_test(a_sync_id_decides_over_times_and_event_ids),
		cmocka_unit_test(a_footprint_belongs_to_the_next_launch_of_its_thread),
		cmocka_unit_test(driver_calls_beneath_runtime_calls_are_left_out),
		cmocka_unit_test(
			calls_that_only_ask_are_counted_with_the_next_call_of_their_thread),
		cmocka_unit_test(notes_ranges_and_runs_keep_their_times_and_threads),
		cmocka_unit_test(waits_in_both_directions_bound_the_clock_skew),
		cmocka_unit_test(looks_at_cores_are_rows_of_their_threads),
		cmocka_unit_test(threads_without_system_ids_are_numbered),
	};

	return cmocka_run_group_tests_name("spool joins", tests, NULL, NULL);
}
