/* SPDX-License-Identifier: MIT
 * A spool of a program on virtual GPUs: contexts become devices, hidden calls go, copies between
 * contexts are copies between devices. And the schedule of it: hidden time is nobody's pause.
 */
#include "spool_kit.h"

#include "traces/check/trace_check.h"
#include "traces/format/annotate.h"
#include "traces/load/schedule_from_trace.h"

enum { VIRTUAL_GPUS = 20, THREE, PLAIN_COPY, SYNCHRONIZE, VIRTUAL_FIRST, TWO, MEMSET };

static void begin_virtual(struct builder *builder)
{
	begin(builder);
	put_text(builder, VIRTUAL_GPUS, "virtual_gpus");
	put_text(builder, THREE, "3");
	put_text(builder, PLAIN_COPY, "cudaMemcpyAsync_v3020");
	put_text(builder, SYNCHRONIZE, "cuCtxSynchronize");
	put_text(builder, MEMSET, "cudaMemsetAsync_v3020");
	put_chunk(builder, SPOOL_STRINGS, builder->payload, builder->payload_bytes);
	builder->payload_bytes = 0;
	PUT(builder, meta, .key = VIRTUAL_GPUS, .value = THREE);
	PUT(builder, device, .device = 0, .memory_bytes = 1u << 30, .sm_count = 132, .name = TEXT,
	    .uuid = { 1 });
	PUT(builder, context, .context = 1, .device = 0);
	PUT(builder, context, .context = 2, .device = 0);
	PUT(builder, context, .context = 3, .device = 0);
	PUT(builder, virtual_gpu, .context = 2, .device = 1);
	PUT(builder, virtual_gpu, .context = 3, .device = 2);
}

static void put_note(struct builder *builder, enum note_host_kind kind, uint32_t object,
		     int64_t value, uint64_t start_ns, uint64_t end_ns)
{
	PUT(builder, host_op, .kind = kind, .object = object, .value = value, .tid = 5,
	    .start_ns = START_NS + start_ns, .end_ns = START_NS + end_ns);
}

static void put_kernel_of(struct builder *builder, uint32_t context, uint64_t start_ns,
			  uint64_t end_ns, uint32_t correlation)
{
	PUT(builder, kernel, .name = KERNEL_A, .start_ns = START_NS + start_ns,
	    .end_ns = START_NS + end_ns, .device = 0, .context = context, .stream = 7,
	    .correlation = correlation, .grid = { 4, 2, 1 }, .block = { 32, 8, 1 });
}

/* A launch on device 0, one on device 2 after its turn was waited for, a copy from 2 to 1. */
static void put_run(struct builder *builder, uint32_t name_of_copy, int64_t as_peer)
{
	put_call(builder, LAUNCH, 5, 1000, 1100, 1);
	put_kernel_of(builder, 1, 1200, 5000, 1);
	put_note(builder, NOTE_HIDDEN, 0, 0, 1500, 5400);
	PUT(builder, api, .name = SYNCHRONIZE, .tid = 5, .start_ns = START_NS + 1600,
	    .end_ns = START_NS + 5300, .correlation = 2, .driver = 1);
	PUT(builder, sync, .sync_type = 4, .start_ns = START_NS + 1600, .end_ns = START_NS + 5300,
	    .context = 1, .stream = SPOOL_NONE, .event_id = SPOOL_NONE, .correlation = 2);
	put_call(builder, LAUNCH, 5, 5600, 5700, 3);
	put_kernel_of(builder, 3, 5800, 9000, 3);
	put_note(builder, NOTE_PEER_COPY, 2 << 16 | 1, as_peer, 6000, 6500);
	put_call(builder, name_of_copy, 5, 6600, 6700, 4);
	PUT(builder, memcpy, .copy_kind = 8, .source_kind = 3, .target_kind = 3,
	    .start_ns = START_NS + 9100, .end_ns = START_NS + 9300, .bytes = 4096, .device = 0,
	    .context = 3, .stream = 7, .correlation = 4, .source_device = SPOOL_NONE,
	    .target_device = SPOOL_NONE);
}

static void built(struct trace *trace, int64_t as_peer)
{
	struct builder builder;

	begin_virtual(&builder);
	put_run(&builder, PLAIN_COPY, as_peer);
	finish(&builder, trace);
}

static void a_context_is_the_device_it_stands_for(void **state)
{
	struct trace trace;

	(void)state;
	built(&trace, 0);
	assert_int_equal(trace_virtual_gpus(&trace), 3);
	assert_int_equal(trace.kernel[0].device, 0);
	assert_int_equal(trace.kernel[1].device, 2);
	assert_int_equal(trace.gpu_count, 3);
	assert_int_equal(trace.gpu[2].device, 2);
	assert_int_equal(trace.gpu[2].sm_count, 132);
	assert_int_equal(trace.loss_count, 0);
	trace_release(&trace);
}

/* Of a process that was shown device 2 first: what is in no context of a virtual device is that
 * one's.
 */
static void a_process_may_begin_with_another_device(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin_virtual(&builder);
	end_records(&builder);
	put_text(&builder, VIRTUAL_FIRST, "virtual_first");
	put_text(&builder, TWO, "2");
	put_chunk(&builder, SPOOL_STRINGS, builder.payload, builder.payload_bytes);
	builder.payload_bytes = 0;
	PUT(&builder, meta, .key = VIRTUAL_FIRST, .value = TWO);
	put_run(&builder, PLAIN_COPY, 0);
	finish(&builder, &trace);
	assert_int_equal(trace.kernel[0].device, 2);
	assert_int_equal(trace.gpu_count, 3);
	trace_release(&trace);
}

static void hidden_calls_are_left_out_with_what_they_waited_for(void **state)
{
	struct trace trace;

	(void)state;
	built(&trace, 0);
	assert_int_equal(trace.api_count, 3);
	assert_int_equal(trace.sync_count, 0);
	for (size_t i = 0; i < trace.api_count; i++)
		assert_string_not_equal(trace_text(&trace, trace.api[i].name), "cuCtxSynchronize");
	trace_release(&trace);
}

static void a_call_outside_of_hidden_time_stays(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin_virtual(&builder);
	put_note(&builder, NOTE_HIDDEN, 0, 0, 1500, 5000);
	PUT(&builder, api, .name = SYNCHRONIZE, .tid = 5, .start_ns = START_NS + 1600,
	    .end_ns = START_NS + 5300, .correlation = 2, .driver = 1);
	PUT(&builder, api, .name = SYNCHRONIZE, .tid = 6, .start_ns = START_NS + 1600,
	    .end_ns = START_NS + 4000, .correlation = 3, .driver = 1);
	finish(&builder, &trace);
	assert_int_equal(trace.api_count, 2);
	trace_release(&trace);
}

static void a_copy_between_contexts_is_one_between_devices(void **state)
{
	struct trace trace;

	(void)state;
	built(&trace, 0);
	assert_int_equal(trace.memcpy[0].copy_kind, 10);
	assert_int_equal(trace.memcpy[0].device, 2);
	assert_int_equal(trace.memcpy[0].source_device, 2);
	assert_int_equal(trace.memcpy[0].target_device, 1);
	assert_string_equal(trace_text(&trace, trace.api[2].name), "cudaMemcpyAsync_v3020");
	trace_release(&trace);
}

static void a_copy_asked_for_as_peer_is_called_so(void **state)
{
	struct trace trace;

	(void)state;
	built(&trace, 1);
	assert_string_equal(trace_text(&trace, trace.api[2].name), "cudaMemcpyPeerAsync_v4000");
	trace_release(&trace);
}

static void what_devices_held_is_said(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin_virtual(&builder);
	put_note(&builder, NOTE_MEMORY, 0, 4096, 100, 101);
	put_note(&builder, NOTE_MEMORY, 2, 100, 102, 103);
	put_note(&builder, NOTE_MEMORY, 2, 300, 104, 105);
	put_note(&builder, NOTE_MEMORY, 7, 1, 106, 107); /* none of the three */
	finish(&builder, &trace);
	assert_string_equal(trace_get_meta(&trace, "virtual_bytes"), "0 4096, 1 0, 2 300");
	assert_int_equal(trace.host_op_count, 0);
	trace_release(&trace);
}

/* Device 0 frees, after a phase of its own, half of what it held, then takes turns with device 2.
 */
static void what_devices_held_in_their_turns_is_said(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin_virtual(&builder);
	put_note(&builder, NOTE_MEMORY, 0, 4096, 100, 101);
	for (uint32_t k = 0; k < 9; k++) {
		put_call(&builder, LAUNCH, 5, 1000 + 100 * k, 1010 + 100 * k, 10 + k);
		put_kernel_of(&builder, 1, 1020 + 100 * k, 1050 + 100 * k, 10 + k);
	}
	put_note(&builder, NOTE_MEMORY, 0, 2048, 2000, 2001);
	put_note(&builder, NOTE_MEMORY, 2, 512, 2002, 2003);
	for (uint32_t k = 0; k < 6; k++) {
		put_call(&builder, LAUNCH, 5, 3000 + 100 * k, 3010 + 100 * k, 30 + k);
		put_kernel_of(&builder, k & 1 ? 1 : 3, 3020 + 100 * k, 3050 + 100 * k, 30 + k);
	}
	finish(&builder, &trace);
	assert_string_equal(trace_get_meta(&trace, "virtual_bytes"), "0 4096, 1 0, 2 512");
	assert_string_equal(trace_get_meta(&trace, "virtual_turn_bytes"), "0 2048, 1 0, 2 512");
	trace_release(&trace);
}

static void a_process_of_one_device_has_turns_with_others(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin_virtual(&builder);
	put_note(&builder, NOTE_MEMORY, 2, 4096, 100, 101);
	put_call(&builder, LAUNCH, 5, 1000, 1100, 1);
	put_kernel_of(&builder, 3, 1200, 5000, 1);
	finish(&builder, &trace);
	assert_string_equal(trace_get_meta(&trace, "virtual_turn_bytes"), "0 0, 1 0, 2 4096");
	trace_release(&trace);
}

static void a_copy_without_a_row_is_counted(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin_virtual(&builder);
	put_note(&builder, NOTE_PEER_COPY, 1, 0, 100, 200);
	put_call(&builder, PLAIN_COPY, 5, 300, 400, 1);
	finish(&builder, &trace);
	assert_int_equal(trace_losses(&trace, "virtual-peer-copies"), 1);
	trace_release(&trace);
}

static void hidden_time_is_no_pause_between_calls(void **state)
{
	struct trace trace;
	struct schedule schedule;
	const struct schedule_op *op;

	(void)state;
	built(&trace, 0);
	schedule_init(&schedule);
	assert_int_equal(schedule_from_trace(&schedule, &trace, -1), 0);
	assert_int_equal(schedule.virtual_gpus, 3);
	assert_int_equal(schedule.op_count, 3);
	op = schedule.op;
	assert_int_equal(op[1].before_ps, 600000); /* 1100 to 1500, 5400 to 5600 */
	assert_int_equal(op[2].before_ps, 400000); /* 5700 to 6000, 6500 to 6600 */
	assert_false(op[0].flags & OP_SWITCHED);
	assert_true(op[1].flags & OP_SWITCHED);
	assert_int_equal(schedule.copy[op[2].object].kind, COPY_PEER);
	schedule_release(&schedule);
	trace_release(&trace);
}

/* A memset that comes before a kernel takes nothing off it: its code and addresses are as cold. */
static void a_memset_does_not_warm_what_a_kernel_finds(void **state)
{
	static const bool switched[] = { false, true, false, true };
	struct builder builder;
	struct trace trace;
	struct schedule schedule;
	int launches = 0;

	(void)state;
	begin_virtual(&builder);
	for (uint32_t k = 0; k < 5; k++) { /* contexts 1, 2 (memset, kernel, kernel), 1 */
		const uint32_t context = k < 1 || k > 3 ? 1 : 2;

		put_call(&builder, k == 1 ? MEMSET : LAUNCH, 5, 1000 + 100 * k, 1010 + 100 * k,
			 1 + k);
		if (k != 1)
			put_kernel_of(&builder, context, 1020 + 100 * k, 1050 + 100 * k, 1 + k);
		else
			PUT(&builder, memset, .start_ns = START_NS + 1120,
			    .end_ns = START_NS + 1150, .context = context, .stream = 7,
			    .correlation = 1 + k, .bytes = 4);
	}
	finish(&builder, &trace);
	schedule_init(&schedule);
	assert_int_equal(schedule_from_trace(&schedule, &trace, -1), 0);
	for (int64_t k = 0; k < schedule.op_count; k++)
		if (schedule.op[k].kind == OP_LAUNCH)
			assert_int_equal(!!(schedule.op[k].flags & OP_SWITCHED),
					 switched[launches++]);
	assert_int_equal(launches, 4);
	schedule_release(&schedule);
	trace_release(&trace);
}

static void nothing_changes_without_virtual_gpus(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin(&builder);
	put_run(&builder, COPY, 0);
	finish(&builder, &trace);
	assert_int_equal(trace_virtual_gpus(&trace), 0);
	assert_int_equal(trace.kernel[1].device, 0);
	assert_int_equal(trace.api_count, 4);
	assert_int_equal(trace.memcpy[0].copy_kind, 8);
	trace_release(&trace);
}

/* One rank's all-reduce, for which the library copied, reduced and recorded an event. */
static void an_operation_of_several_gpus_stands_for_what_was_done_for_it(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin_virtual(&builder);
	PUT(&builder, collective, .kind = COLLECTIVE_ALL_REDUCE, .start_ns = START_NS + 1000,
	    .end_ns = START_NS + 5000, .bytes = 4096, .communicator = 123456789012345, .tid = 5,
	    .context = 3, .stream = 13, .call = 4, .peer = -1, .ranks = 3, .rank = 2);
	put_call(&builder, CU_LAUNCH, 5, 1500, 1600, 2);
	put_kernel_of(&builder, 1, 1700, 1900, 2);
	put_call(&builder, PLAIN_COPY, 5, 2000, 2100, 3);
	PUT(&builder, memcpy, .copy_kind = 8, .start_ns = START_NS + 2200,
	    .end_ns = START_NS + 2300, .bytes = 8, .context = 2, .stream = 7, .correlation = 3);
	put_call(&builder, RECORD, 5, 2400, 2500, 4);
	PUT(&builder, event, .context = 2, .stream = 7, .correlation = 4, .event_id = 9);
	put_call(&builder, LAUNCH, 5, 5600, 5700, 5);
	put_kernel_of(&builder, 3, 5800, 9000, 5);
	finish(&builder, &trace);
	assert_int_equal(trace.api_count, 1);
	assert_int_equal(trace.kernel_count, 1);
	assert_int_equal(trace.memcpy_count, 0);
	assert_int_equal(trace.event_count, 0);
	assert_int_equal(trace.loss_count, 0);
	assert_int_equal(trace.collective_count, 1);
	assert_int_equal(trace.collective[0].device, 2);
	assert_int_equal(trace.collective[0].stream, 13);
	assert_int_equal(trace.collective[0].rank, 2);
	assert_int_equal(trace.collective[0].ranks, 3);
	assert_int_equal(trace.collective[0].peer, -1);
	assert_int_equal(trace.collective[0].communicator, 123456789012345);
	assert_int_equal(trace.collective[0].correlation, -1);
	assert_int_equal(trace.collective[0].start_ns, 1001);
	trace_release(&trace);
}

static void check_says_that_gpus_were_virtual(void **state)
{
	struct trace_anomaly anomaly[TRACE_ANOMALY_MAX];
	struct trace trace;
	int64_t incomplete;
	int kinds, found = 0;

	(void)state;
	built(&trace, 0);
	kinds = trace_check(&trace, anomaly, &incomplete);
	for (int i = 0; i < kinds; i++)
		if (!strcmp(anomaly[i].kind, "virtual-gpus"))
			found = (int)anomaly[i].count;
	assert_int_equal(found, 3);
	assert_int_equal(incomplete, 0);
	trace_release(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_context_is_the_device_it_stands_for),
		cmocka_unit_test(a_process_may_begin_with_another_device),
		cmocka_unit_test(hidden_calls_are_left_out_with_what_they_waited_for),
		cmocka_unit_test(a_call_outside_of_hidden_time_stays),
		cmocka_unit_test(a_copy_between_contexts_is_one_between_devices),
		cmocka_unit_test(a_copy_asked_for_as_peer_is_called_so),
		cmocka_unit_test(what_devices_held_is_said),
		cmocka_unit_test(what_devices_held_in_their_turns_is_said),
		cmocka_unit_test(a_process_of_one_device_has_turns_with_others),
		cmocka_unit_test(a_memset_does_not_warm_what_a_kernel_finds),
		cmocka_unit_test(a_copy_without_a_row_is_counted),
		cmocka_unit_test(hidden_time_is_no_pause_between_calls),
		cmocka_unit_test(nothing_changes_without_virtual_gpus),
		cmocka_unit_test(an_operation_of_several_gpus_stands_for_what_was_done_for_it),
		cmocka_unit_test(check_says_that_gpus_were_virtual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
