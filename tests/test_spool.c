/* SPDX-License-Identifier: MIT
 * From a spool to a trace, on spools made here: whole, cut off at every byte, damaged, hostile. No
 * GPU and no CUPTI.
 */
#include "spool_kit.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void put_sample(struct builder *builder)
{
	PUT(builder, device, .device = 0, .memory_bytes = 1u << 30, .sm_count = 132, .name = TEXT,
	    .uuid = { 1 });
	PUT(builder, context, .context = 1, .device = 0);
	put_call(builder, LAUNCH, 5, 100, 200, 1);
	put_kernel(builder, 0, 300, 900, 1);
	end_records(builder);
	put_call(builder, COPY, 5, 1000, 1100, 2);
	PUT(builder, memcpy, .copy_kind = 8, .peer = 1, .source_kind = 3, .target_kind = 3,
	    .start_ns = START_NS + 1200, .end_ns = START_NS + 1300, .bytes = 4096, .device = 0,
	    .context = 1, .stream = 8, .correlation = 2, .source_device = 0, .target_device = 1);
	end_records(builder);
	put_call(builder, LAUNCH, 5, 2000, 2100, 3);
	put_kernel(builder, 0, 2200, 2300, 3);
	end_records(builder);
	end(builder);
}

static void a_whole_spool_becomes_a_trace_with_nothing_lost(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin(&builder);
	put_sample(&builder);
	convert(&builder, &trace);
	assert_int_equal(trace.loss_count, 0);
	assert_int_equal(trace.kernel_count, 2);
	assert_int_equal(trace.kernel[0].start_ns, 301); /* the session starts at 1 */
	assert_int_equal(trace.kernel[0].end_ns, 901);
	assert_int_equal(trace.kernel[0].global_pid, (int64_t)PID << 24);
	assert_int_equal(trace.kernel[0].graph_node, -1);
	assert_string_equal(trace_text(&trace, trace.kernel[0].short_name), "sweep");
	assert_int_equal(trace.kernel[0].block[1], 8);
	assert_int_equal(trace.memcpy[0].copy_kind,
			 10); /* CUPTI says device to device; the GPUs differ */
	assert_int_equal(trace.memcpy[0].source_device, 0);
	assert_int_equal(trace.memcpy[0].target_device, 1);
	assert_int_equal(trace.memcpy[0].source_kind, 2);
	assert_int_equal(trace.api_count, 3);
	assert_int_equal(trace.api[0].global_tid, (int64_t)PID << 24 | 5);
	assert_string_equal(trace_text(&trace, trace.api[0].name), "cudaLaunchKernel_v7000");
	assert_int_equal(trace.gpu[0].sm_count, 132);
	assert_string_equal(trace_get_meta(&trace, "kind"), "recorded");
	trace_release(&trace);
	release(&builder);
}

static void the_legacy_stream_of_each_context_and_those_made_are_told(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin(&builder);
	PUT(&builder, context, .context = 1, .device = 0, .null_stream = 7);
	PUT(&builder, stream, .stream = 7, .context = 1, .flag = 3); /* some CUPTI says so, too */
	PUT(&builder, stream, .stream = 13, .context = 1, .flag = 2, .priority = (uint32_t)-5);
	PUT(&builder, context, .context = 2, .device = 1, .null_stream = 0); /* not known */
	end_records(&builder);
	end(&builder);
	convert(&builder, &trace);
	assert_int_equal(trace.stream_count, 2);
	assert_int_equal(trace.stream[0].stream, 7);
	assert_int_equal(trace.stream[0].flag, 3);
	assert_int_equal(trace.stream[0].process, PID);
	assert_int_equal(trace.stream[1].stream, 13);
	assert_int_equal(trace.stream[1].flag, 2);
	assert_int_equal(trace.stream[1].priority, -5);
	trace_release(&trace);
	release(&builder);
}

/* Messages about spools that hold nothing are expected here by the hundred. */
static int quiet(void)
{
	int before = dup(2), nothing = open("/dev/null", O_WRONLY);

	dup2(nothing, 2);
	close(nothing);
	return before;
}

static void loud(int before)
{
	dup2(before, 2);
	close(before);
}

static void a_spool_cut_off_at_any_byte_still_converts(void **state)
{
	struct builder builder;
	size_t kernels = 0;
	int before = quiet();

	(void)state;
	begin(&builder);
	put_sample(&builder);
	for (size_t bytes = 0; bytes < builder.bytes; bytes++) {
		unsigned char *copy =
			xmalloc(bytes + 1); /* exact, so that a read past the end is seen */
		struct spool spool;
		struct trace trace;
		size_t whole = 0;

		memcpy(copy, builder.data, bytes);
		copy = xrealloc(copy, bytes ? bytes : 1, 1);
		while (builder.chunk_at[whole + 1] <= bytes)
			whole++;
		trace_init(&trace);
		if (spool_read_bytes(&spool, copy, bytes, "cut")) {
			assert_int_equal(whole, 0);
		} else {
			spool_convert(&trace, &spool);
			assert_int_equal(spool.chunk_count, whole);
			assert_int_equal(trace_losses(&trace, "no-end"), 1);
			assert_int_equal(trace_losses(&trace, "truncated-spool"),
					 bytes - builder.chunk_at[whole]);
			assert_true(trace.kernel_count >= kernels);
			kernels = trace.kernel_count;
		}
		spool_release(&spool);
		trace_release(&trace);
		free(copy);
	}
	loud(before);
	assert_int_equal(kernels, 2);
	release(&builder);
}

static void a_damaged_chunk_is_left_out_and_counted(void **state)
{
	struct builder builder;
	int before = quiet();

	(void)state;
	begin(&builder);
	put_sample(&builder);
	for (size_t at = builder.chunk_at[3]; at < builder.chunk_at[4];
	     at++) { /* the copy's chunk */
		struct trace trace;

		builder.data[at] ^= 0x40;
		convert(&builder, &trace);
		assert_int_equal(trace.kernel_count, 2);
		assert_int_equal(trace.memcpy_count, 0);
		assert_int_equal(trace_losses(&trace, "no-end"), 0);
		assert_true(trace_losses(&trace, "damaged-chunks") +
				    trace_losses(&trace, "skipped-bytes") >
			    0);
		assert_int_equal(trace_losses(&trace, "missing-chunks"), 1);
		trace_release(&trace);
		builder.data[at] ^= 0x40;
	}
	loud(before);
	release(&builder);
}

static void records_of_unknown_type_or_impossible_size_are_counted(void **state)
{
	struct spool_record unknown = { .type = 999, .size = 16 },
			    tiny = { .type = SPOOL_TYPE_kernel, .size = 8 },
			    huge = { .type = SPOOL_TYPE_kernel, .size = 60000 };
	uint32_t strings[] = { 3u << 30, 4, 0x41414141, 5, 1000000 };
	struct builder builder;
	struct trace trace;

	(void)state;
	begin(&builder);
	put(&builder, &unknown, sizeof(unknown));
	put(&builder, "payload", 8);
	put(&builder, &tiny, sizeof(tiny));
	put_kernel(&builder, 0, 10, 20, 1);
	put(&builder, &huge, sizeof(huge));
	end_records(&builder);
	put_chunk(&builder, SPOOL_STRINGS, strings, sizeof(strings));
	put_chunk(&builder, (enum spool_chunk_kind)77, "", 0);
	PUT(&builder, footprint, .access_count = 4000000000u, .at_ns = START_NS + 1, .tid = 5,
	    .kernel = 88888888);
	PUT(&builder, access, .count = 77, .access = { { .buffer = 1 }, { .buffer = 2 } });
	put_call(&builder, LAUNCH, 5, 5, 6, 1);
	finish(&builder, &trace);
	assert_int_equal(trace.kernel_count, 1); /* what has a sound size is stepped over */
	assert_int_equal(trace_losses(&trace, "unknown-spool-records"),
			 2); /* a record and a chunk */
	assert_int_equal(trace_losses(&trace, "bad-records"),
			 3); /* too small, too large, a string beyond all numbers */
	assert_int_equal(trace.footprint_count, 2);
	trace_release(&trace);
}

static void not_a_spool_is_refused(void **state)
{
	struct spool spool;
	int before = quiet();

	(void)state;
	assert_int_equal(spool_read_bytes(&spool, "SQLite format 3", 16, "x"), -1);
	spool_release(&spool);
	assert_int_equal(spool_read(&spool, "/nonexistent/spool"), -1);
	spool_release(&spool);
	assert_int_equal(spool_read(&spool, "/"), -1);
	spool_release(&spool);
	loud(before);
}

static void what_is_missing_is_counted_by_kind(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin(&builder);
	put_call(&builder, LAUNCH, 5, 100, 200, 1); /* no kernel */
	put_call(&builder, LAUNCH, 5, 210, 220, 2);
	put_kernel(&builder, 0, 205, 300, 2);  /* starts before its call */
	put_kernel(&builder, 0, 400, 500, 99); /* no call */
	PUT(&builder, kernel, .name = 12345, .correlation = 2, .device = 0,
	    .stream = SPOOL_NONE); /* no times, no name */
	put_call(&builder, BEGIN_CAPTURE, 5, 600, 610, 10);
	put_call(&builder, LAUNCH, 5, 620, 630, 11); /* captured: no kernel is right */
	put_call(&builder, LAUNCH, 6, 625, 635,
		 14); /* by another thread, perhaps into that stream */
	put_call(&builder, END_CAPTURE, 5, 640, 650, 12);
	put_call(&builder, LAUNCH, 6, 660, 670, 15); /* no kernel, and no capture any more */
	PUT(&builder, api, .name = LAUNCH, .tid = 5, .start_ns = START_NS + 700,
	    .end_ns = START_NS + 710, .correlation = 13, .return_value = 700);
	PUT(&builder, loss, .kind = TEXT, .count = 3, .detail = SOLVER);
	finish(&builder, &trace);
	assert_int_equal(trace_losses(&trace, "launches-without-kernel"), 2);
	assert_int_equal(trace_losses(&trace, "starts-before-call"), 1);
	assert_int_equal(trace_losses(&trace, "orphan-device-records"), 1);
	assert_int_equal(trace_losses(&trace, "zero-timestamps"), 1);
	assert_int_equal(trace_losses(&trace, "phase"), 3);
	assert_int_equal(trace.kernel[2].start_ns, -1);
	assert_int_equal(trace.kernel[2].stream, -1);
	assert_string_equal(trace_text(&trace, trace.kernel[2].demangled_name), "(name lost)");
	trace_release(&trace);
}

/* Thread 5 begins a capture and never ends it; thread 6 may not begin one, so that its end ends
 * none. What 6 launches then is lost all the same. */
static void a_capture_that_never_ends_hides_no_lost_launch(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin(&builder);
	put_call(&builder, BEGIN_CAPTURE, 5, 10, 15, 1);
	PUT(&builder, api, .name = BEGIN_CAPTURE, .tid = 6, .start_ns = START_NS + 40,
	    .end_ns = START_NS + 45, .correlation = 2, .return_value = 900);
	put_call(&builder, LAUNCH, 6, 60, 65, 3); /* no kernel */
	PUT(&builder, api, .name = END_CAPTURE, .tid = 6, .start_ns = START_NS + 100,
	    .end_ns = START_NS + 105, .correlation = 4, .return_value = 900);
	put_call(&builder, LAUNCH, 6, 120, 125, 5); /* has one */
	put_kernel(&builder, 0, 200, 300, 5);
	put_call(&builder, BEGIN_CAPTURE, 6, 400, 405, 6);
	put_call(&builder, LAUNCH, 6, 410, 415, 7); /* captured */
	put_call(&builder, END_CAPTURE, 6, 420, 425, 8);
	put_call(&builder, LAUNCH, 6, 430, 435, 9); /* no kernel */
	finish(&builder, &trace);
	assert_int_equal(trace_losses(&trace, "launches-without-kernel"), 2);
	trace_release(&trace);
}

static void kernel_names_are_read_with_and_without_a_demangler(void **state)
{
	static const struct {
		const char *mangled, *brief;
	} names[] = {
		{ "_ZN4rbsN5sweepIfEEvPT_", "sweep" },
		{ "_Z5sweepIfEvPT_i", "sweep" },
		{ "plain_kernel", "plain_kernel" },
		{ "_ZN12_GLOBAL__N_15innerEv", "inner" },
		{ "_Z", "_Z" },
		{ "_Z99short", "_Z99short" },
		{ "_ZN", "_ZN" },
		{ "", "" },
		{ "_ZL6staticPf", "static" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *full, *brief;

		spool_name(names[i].mangled, &full, &brief);
		assert_string_equal(brief, names[i].brief);
		assert_non_null(full);
		free(full);
		free(brief);
	}
}

static void the_trace_of_a_killed_program_opens(void **state)
{
	char name[] = "/tmp/warpreel-spool-XXXXXX";
	int file = mkstemp(name);
	struct builder builder;
	struct trace trace, again;

	(void)state;
	assert_true(file >= 0);
	close(file);
	begin(&builder);
	put_sample(&builder);
	builder.bytes = builder.chunk_at[4] + 30; /* within the last chunk of records */
	convert(&builder, &trace);
	assert_int_equal(trace_write(&trace, name), 0);
	trace_init(&again);
	assert_int_equal(trace_read(&again, name, 0), 0);
	assert_int_equal(again.kernel_count, 1);
	assert_int_equal(trace_losses(&again, "no-end"), 1);
	assert_int_equal(trace_losses(&again, "truncated-spool"), 30);
	trace_release(&again);
	trace_release(&trace);
	unlink(name);
	release(&builder);
}

/* Memory of the host that GPU 0's context pinned, and GPU 1: CUPTI 13.5 has it as between both. */
static void a_copy_with_pinned_memory_is_none_between_gpus(void **state)
{
	enum { PINNED = 2, DEVICE = 3 };
	static const struct {
		uint8_t source, target;
		int32_t kind, source_device, target_device;
	} of[] = { { DEVICE, PINNED, 2, 1, -1 },
		   { PINNED, DEVICE, 1, -1, 1 },
		   { DEVICE, DEVICE, 10, 1, 0 } };

	(void)state;
	for (size_t k = 0; k < sizeof(of) / sizeof(of[0]); k++) {
		struct builder builder;
		struct trace trace;

		begin(&builder);
		put_call(&builder, COPY, 5, 1000, 1100, 2);
		PUT(&builder, memcpy, .copy_kind = 10, .peer = 1, .source_kind = of[k].source,
		    .target_kind = of[k].target, .start_ns = START_NS + 1200,
		    .end_ns = START_NS + 1300, .bytes = 4096, .device = 1, .context = 1,
		    .stream = 8, .correlation = 2, .source_device = k == 1 ? 0 : 1,
		    .target_device = k == 1 ? 1 : 0);
		end_records(&builder);
		end(&builder);
		convert(&builder, &trace);
		assert_int_equal(trace.memcpy_count, 1);
		assert_int_equal(trace.memcpy[0].copy_kind, of[k].kind);
		assert_int_equal(trace.memcpy[0].source_device, of[k].source_device);
		assert_int_equal(trace.memcpy[0].target_device, of[k].target_device);
		trace_release(&trace);
		release(&builder);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_with_pinned_memory_is_none_between_gpus),
		cmocka_unit_test(a_whole_spool_becomes_a_trace_with_nothing_lost),
		cmocka_unit_test(the_legacy_stream_of_each_context_and_those_made_are_told),
		cmocka_unit_test(a_spool_cut_off_at_any_byte_still_converts),
		cmocka_unit_test(a_damaged_chunk_is_left_out_and_counted),
		cmocka_unit_test(records_of_unknown_type_or_impossible_size_are_counted),
		cmocka_unit_test(not_a_spool_is_refused),
		cmocka_unit_test(what_is_missing_is_counted_by_kind),
		cmocka_unit_test(a_capture_that_never_ends_hides_no_lost_launch),
		cmocka_unit_test(kernel_names_are_read_with_and_without_a_demangler),
		cmocka_unit_test(the_trace_of_a_killed_program_opens),
	};

	return cmocka_run_group_tests_name("spool", tests, NULL, NULL);
}
