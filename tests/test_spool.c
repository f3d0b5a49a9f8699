/* SPDX-License-Identifier: MIT
 * From a spool to a trace, on spools made here: whole, cut off at every byte, damaged, hostile. No GPU and no CUPTI.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../traces/annotate.h"
#include "../traces/spool_crc.h"
#include "../traces/spool_read.h"
#include "../traces/util.h"

enum { PID = 4711, START_NS = 1000000 };
enum { LAUNCH = 1, RECORD, WAIT, CU_LAUNCH, KERNEL_A, KERNEL_B, TEXT, SOLVER, CONFIG, BEGIN_CAPTURE, END_CAPTURE, COPY };

/* A spool as the recorder would write it. */
struct builder {
	unsigned char *data, *payload;
	size_t bytes, payload_bytes;
	uint32_t serial;
	size_t chunk_at[64]; /* where each chunk begins, and the end */
};

static void put_chunk(struct builder *builder, enum spool_chunk_kind kind, const void *payload, size_t bytes)
{
	struct spool_crc crc;
	struct spool_chunk head = { .magic = SPOOL_MAGIC, .version = SPOOL_VERSION, .kind = (uint16_t)kind, .bytes = (uint32_t)bytes,
				    .pid = PID, .serial = builder->serial };

	spool_crc_init(&crc);
	head.crc32 = spool_crc_add(&crc, spool_crc_add(&crc, 0, &head, sizeof(head)), payload, bytes);
	builder->data = xrealloc(builder->data, builder->bytes + sizeof(head) + bytes, 1);
	memcpy(builder->data + builder->bytes, &head, sizeof(head));
	memcpy(builder->data + builder->bytes + sizeof(head), payload, bytes);
	assert_true(builder->serial < 63);
	builder->chunk_at[builder->serial++] = builder->bytes;
	builder->bytes += sizeof(head) + bytes;
	builder->chunk_at[builder->serial] = builder->bytes;
}

static void put(struct builder *builder, const void *record, size_t bytes)
{
	builder->payload = xrealloc(builder->payload, builder->payload_bytes + bytes, 1);
	memcpy(builder->payload + builder->payload_bytes, record, bytes);
	builder->payload_bytes += bytes;
}

static void end_records(struct builder *builder)
{
	put_chunk(builder, SPOOL_RECORDS, builder->payload ? (void *)builder->payload : "", builder->payload_bytes);
	builder->payload_bytes = 0;
}

#define PUT(builder, name, ...)                                                                                     \
	do {                                                                                                        \
		struct spool_##name record_ = { .type = SPOOL_TYPE_##name, .size = sizeof(record_), __VA_ARGS__ };   \
		put((builder), &record_, sizeof(record_));                                                          \
	} while (0)

static void begin(struct builder *builder)
{
	static const struct { uint32_t id; const char *text; } strings[] = {
		{ LAUNCH, "cudaLaunchKernel_v7000" }, { RECORD, "cudaEventRecord_v3020" }, { WAIT, "cudaStreamWaitEvent_v3020" },
		{ CU_LAUNCH, "cuLaunchKernel" }, { KERNEL_A, "_ZN4rbsN5sweepIfEEvPT_" }, { KERNEL_B, "plain_kernel" }, { TEXT, "phase" },
		{ SOLVER, "rbsor" }, { CONFIG, "size=64x64" }, { BEGIN_CAPTURE, "cudaStreamBeginCapture_v10000" },
		{ END_CAPTURE, "cudaStreamEndCapture_v10000" }, { COPY, "cudaMemcpyPeerAsync_v4000" },
	};

	memset(builder, 0, sizeof(*builder));
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		uint32_t head[2] = { strings[i].id, (uint32_t)strlen(strings[i].text) };

		put(builder, head, sizeof(head));
		put(builder, strings[i].text, head[1]);
	}
	put_chunk(builder, SPOOL_STRINGS, builder->payload, builder->payload_bytes);
	builder->payload_bytes = 0;
	PUT(builder, time, .when = SPOOL_TIME_START, .cupti_ns = START_NS, .monotonic_ns = 10, .realtime_ns = START_NS);
	end_records(builder);
}

static void end(struct builder *builder)
{
	put_chunk(builder, SPOOL_END, "", 0);
}

static void release(struct builder *builder)
{
	free(builder->data);
	free(builder->payload);
}

/* Converts what was built; the caller releases the trace. */
static void convert(struct builder *builder, struct trace *trace)
{
	struct spool spool;

	trace_init(trace);
	assert_int_equal(spool_read_bytes(&spool, builder->data, builder->bytes, "built"), 0);
	spool_convert(trace, &spool);
	spool_release(&spool);
}

static void put_call(struct builder *builder, uint32_t name, uint32_t tid, uint64_t start_ns, uint64_t end_ns, uint32_t correlation)
{
	PUT(builder, api, .name = name, .tid = tid, .start_ns = START_NS + start_ns, .end_ns = START_NS + end_ns,
	    .correlation = correlation, .driver = name == CU_LAUNCH);
}

static void put_kernel(struct builder *builder, uint32_t device, uint64_t start_ns, uint64_t end_ns, uint32_t correlation)
{
	PUT(builder, kernel, .name = KERNEL_A, .start_ns = START_NS + start_ns, .end_ns = START_NS + end_ns, .device = device,
	    .context = device + 1, .stream = 7, .correlation = correlation, .grid = { 4, 2, 1 }, .block = { 32, 8, 1 }, .registers = 40);
}

static void put_sample(struct builder *builder)
{
	PUT(builder, device, .device = 0, .memory_bytes = 1u << 30, .sm_count = 132, .name = TEXT, .uuid = { 1 });
	PUT(builder, context, .context = 1, .device = 0);
	put_call(builder, LAUNCH, 5, 100, 200, 1);
	put_kernel(builder, 0, 300, 900, 1);
	end_records(builder);
	put_call(builder, COPY, 5, 1000, 1100, 2);
	PUT(builder, memcpy, .copy_kind = 8, .peer = 1, .source_kind = 3, .target_kind = 3, .start_ns = START_NS + 1200,
	    .end_ns = START_NS + 1300, .bytes = 4096, .device = 0, .context = 1, .stream = 8, .correlation = 2, .source_device = 0,
	    .target_device = 1);
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
	assert_int_equal(trace.memcpy[0].copy_kind, 10); /* CUPTI says device to device; the GPUs differ */
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
		unsigned char *copy = xmalloc(bytes + 1); /* exact, so that a read past the end is seen */
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
			assert_int_equal(trace_losses(&trace, "truncated-spool"), bytes - builder.chunk_at[whole]);
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
	for (size_t at = builder.chunk_at[3]; at < builder.chunk_at[4]; at++) { /* the copy's chunk */
		struct trace trace;

		builder.data[at] ^= 0x40;
		convert(&builder, &trace);
		assert_int_equal(trace.kernel_count, 2);
		assert_int_equal(trace.memcpy_count, 0);
		assert_int_equal(trace_losses(&trace, "no-end"), 0);
		assert_true(trace_losses(&trace, "damaged-chunks") + trace_losses(&trace, "skipped-bytes") > 0);
		assert_int_equal(trace_losses(&trace, "missing-chunks"), 1);
		trace_release(&trace);
		builder.data[at] ^= 0x40;
	}
	loud(before);
	release(&builder);
}

static void records_of_unknown_type_or_impossible_size_are_counted(void **state)
{
	struct spool_record unknown = { .type = 999, .size = 16 }, tiny = { .type = SPOOL_TYPE_kernel, .size = 8 },
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
	PUT(&builder, footprint, .access_count = 4000000000u, .at_ns = START_NS + 1, .tid = 5, .kernel = 88888888);
	PUT(&builder, access, .count = 77, .access = { { .buffer = 1 }, { .buffer = 2 } });
	put_call(&builder, LAUNCH, 5, 5, 6, 1);
	end_records(&builder);
	end(&builder);
	convert(&builder, &trace);
	assert_int_equal(trace.kernel_count, 1); /* what has a sound size is stepped over */
	assert_int_equal(trace_losses(&trace, "unknown-spool-records"), 2); /* a record and a chunk */
	assert_int_equal(trace_losses(&trace, "bad-records"), 3);	    /* too small, too large, a string beyond all numbers */
	assert_int_equal(trace.footprint_count, 2);
	trace_release(&trace);
	release(&builder);
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

static void put_record(struct builder *builder, uint64_t at_ns, uint32_t correlation, uint32_t event_id, uint64_t sync_id)
{
	put_call(builder, RECORD, 5, at_ns, at_ns + 5, correlation);
	PUT(builder, event, .device = 0, .context = 1, .stream = 7, .correlation = correlation, .event_id = event_id, .event_sync_id = sync_id);
}

static void put_wait(struct builder *builder, uint64_t at_ns, uint32_t correlation, uint32_t event_id, uint64_t sync_id)
{
	put_call(builder, WAIT, 5, at_ns, at_ns + 5, correlation);
	PUT(builder, sync, .sync_type = 2, .start_ns = START_NS + at_ns, .end_ns = START_NS + at_ns + 4, .correlation = correlation,
	    .context = 2, .stream = 8, .event_id = event_id, .event_sync_id = sync_id);
}

/* The correlation of the record that the wait with correlation `wait` met; -1 none. */
static int64_t met_by(const struct trace *trace, int64_t wait)
{
	for (size_t i = 0; i < trace->sync_count; i++)
		for (size_t j = 0; trace->sync[i].correlation == wait && j < trace->event_count; j++)
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
		end_records(&builder);
		end(&builder);
		convert(&builder, &trace);
		assert_int_equal(met_by(&trace, 2), 1);
		assert_int_equal(met_by(&trace, 3), 1);
		assert_int_equal(met_by(&trace, 8), 4);
		assert_int_equal(met_by(&trace, 7), 6);
		assert_int_equal(met_by(&trace, 9), -1);
		assert_string_equal(trace_get_meta(&trace, "waits_without_record"), "1");
		trace_release(&trace);
		release(&builder);
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
	put_record(&builder, 40, 5, 4, 600); /* one number for two records: an event recorded again */
	put_record(&builder, 60, 6, 4, 600);
	put_wait(&builder, 50, 7, 4, 600);
	put_wait(&builder, 70, 8, 4, 600);
	end_records(&builder);
	end(&builder);
	convert(&builder, &trace);
	assert_int_equal(met_by(&trace, 3), 1);
	assert_int_equal(met_by(&trace, 4), 2);
	assert_int_equal(met_by(&trace, 7), 5);
	assert_int_equal(met_by(&trace, 8), 6);
	for (size_t i = 0; i < trace.event_count; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(trace.event[i].event_sync_id, trace.event[j].event_sync_id);
	trace_release(&trace);
	release(&builder);
}

static void put_footprint(struct builder *builder, uint32_t tid, uint64_t at_ns, uint32_t accesses, int64_t rows)
{
	PUT(builder, footprint, .access_count = accesses, .at_ns = START_NS + at_ns, .rows = rows, .tid = tid, .kernel = KERNEL_B);
	for (uint32_t i = 0; i < accesses; i += 2)
		PUT(builder, access, .count = accesses - i > 1 ? 2 : 1,
		    .access = { { .buffer = i, .mode = 1, .bytes = 10 }, { .buffer = i + 1, .mode = 2, .bytes = 20 } },
		    .path_plus_one = tid == 5 ? 3 : 0);
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
	end_records(&builder);
	end(&builder);
	convert(&builder, &trace);
	for (size_t i = 0; i < trace.footprint_count; i++) {
		assert_in_range(trace.footprint[i].correlation, 1, 5);
		of[trace.footprint[i].correlation]++;
		rows[trace.footprint[i].correlation] = trace.footprint[i].rows;
		/* thread 5 notes a path, thread 6 is of a recorder from before there were any, and a note without access has none */
		assert_int_equal(trace.footprint[i].path, rows_path(trace.footprint[i].rows));
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
	release(&builder);
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
	end_records(&builder);
	end(&builder);
	convert(&builder, &trace);
	assert_int_equal(trace.api_count, 3);
	assert_int_equal(trace.kernel[0].correlation, 1);
	assert_int_equal(trace.loss_count, 0);
	assert_string_equal(trace_get_meta(&trace, "driver_calls_beneath_runtime_calls"), "1");
	trace_release(&trace);
	release(&builder);
}

static void what_is_missing_is_counted_by_kind(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin(&builder);
	put_call(&builder, LAUNCH, 5, 100, 200, 1); /* no kernel */
	put_call(&builder, LAUNCH, 5, 210, 220, 2);
	put_kernel(&builder, 0, 205, 300, 2); /* starts before its call */
	put_kernel(&builder, 0, 400, 500, 99); /* no call */
	PUT(&builder, kernel, .name = 12345, .correlation = 2, .device = 0, .stream = SPOOL_NONE); /* no times, no name */
	put_call(&builder, BEGIN_CAPTURE, 5, 600, 610, 10);
	put_call(&builder, LAUNCH, 5, 620, 630, 11); /* captured: no kernel is right */
	put_call(&builder, END_CAPTURE, 5, 640, 650, 12);
	PUT(&builder, api, .name = LAUNCH, .tid = 5, .start_ns = START_NS + 700, .end_ns = START_NS + 710, .correlation = 13, .return_value = 700);
	PUT(&builder, loss, .kind = TEXT, .count = 3, .detail = SOLVER);
	end_records(&builder);
	end(&builder);
	convert(&builder, &trace);
	assert_int_equal(trace_losses(&trace, "launches-without-kernel"), 1);
	assert_int_equal(trace_losses(&trace, "starts-before-call"), 1);
	assert_int_equal(trace_losses(&trace, "orphan-device-records"), 1);
	assert_int_equal(trace_losses(&trace, "zero-timestamps"), 1);
	assert_int_equal(trace_losses(&trace, "phase"), 3);
	assert_int_equal(trace.kernel[2].start_ns, -1);
	assert_int_equal(trace.kernel[2].stream, -1);
	assert_string_equal(trace_text(&trace, trace.kernel[2].demangled_name), "(name lost)");
	trace_release(&trace);
	release(&builder);
}

static void notes_ranges_and_runs_keep_their_times_and_threads(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin(&builder);
	PUT(&builder, host_op, .kind = NOTE_AWAIT_SPIN, .start_ns = START_NS + 9, .end_ns = START_NS + 19, .value = -4, .object = 2, .tid = 6);
	PUT(&builder, marker, .flags = SPOOL_MARKER_END, .id = 1, .timestamp_ns = START_NS + 49, .tid = 5);
	PUT(&builder, marker, .flags = SPOOL_MARKER_START, .id = 1, .timestamp_ns = START_NS + 29, .tid = 5, .text = TEXT, .domain = SOLVER);
	PUT(&builder, marker, .flags = SPOOL_MARKER_START, .id = 2, .timestamp_ns = START_NS + 39, .tid = 5, .text = TEXT);
	PUT(&builder, marker, .flags = SPOOL_MARKER_INSTANT, .id = 3, .timestamp_ns = START_NS + 44, .tid = 5, .text = TEXT);
	PUT(&builder, run, .at_ns = START_NS + 99, .solver = SOLVER, .config = CONFIG, .gpus = 4);
	PUT(&builder, run, .at_ns = START_NS + 199);
	PUT(&builder, run, .at_ns = START_NS + 299, .solver = SOLVER, .config = CONFIG, .gpus = 8);
	PUT(&builder, thread, .tid = 6, .name = TEXT);
	PUT(&builder, thread, .tid = 6, .name = SOLVER); /* named again */
	end_records(&builder);
	end(&builder);
	convert(&builder, &trace);
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
	release(&builder);
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
		uint64_t host_ns = 1000 + round * 100000, ends_ns = host_ns + 50000, delay_ns = 2000 + 10 * round;

		put_call(&builder, LAUNCH, 5, host_ns, host_ns + 10, correlation);
		put_kernel(&builder, from, host_ns + 100 + from * SKEW_NS, ends_ns + from * SKEW_NS, correlation++);
		put_call(&builder, RECORD, 5, host_ns + 20, host_ns + 30, correlation);
		PUT(&builder, event, .device = from, .context = from + 1, .stream = 7, .correlation = correlation++, .event_id = round, .event_sync_id = 50 + round);
		put_call(&builder, WAIT, 5, host_ns + 40, host_ns + 50, correlation);
		PUT(&builder, sync, .sync_type = 2, .start_ns = START_NS + host_ns + 40, .end_ns = START_NS + host_ns + 50, .correlation = correlation++,
		    .context = to + 1, .stream = 7, .event_id = round, .event_sync_id = 50 + round);
		put_call(&builder, LAUNCH, 5, host_ns + 60, host_ns + 70, correlation);
		put_kernel(&builder, to, ends_ns + delay_ns + to * SKEW_NS, ends_ns + delay_ns + 500 + to * SKEW_NS, correlation++);
	}
	end_records(&builder);
	end(&builder);
	convert(&builder, &trace);
	assert_int_equal(trace.clock_count, 2);
	assert_int_equal(trace.clock[0].skew_ns, 0);
	assert_in_range(trace.clock[1].skew_ns, SKEW_NS - 10, SKEW_NS + 10);
	assert_non_null(trace_get_meta(&trace, "clock_skew_0_1"));
	assert_int_equal(trace_losses(&trace, "clock-contradiction"), 0);
	trace_release(&trace);
	release(&builder);
}

static void threads_without_system_ids_are_numbered(void **state)
{
	struct builder builder;
	struct trace trace;

	(void)state;
	begin(&builder);
	put_call(&builder, LAUNCH, 0x7f000640, 10, 20, 1); /* halves of pointers that differ above bit 24 only */
	put_call(&builder, LAUNCH, 0x7e000640, 15, 25, 2);
	put_kernel(&builder, 0, 30, 40, 1);
	put_kernel(&builder, 0, 40, 50, 2);
	PUT(&builder, host_op, .kind = NOTE_POST, .start_ns = START_NS + 9, .end_ns = START_NS + 19, .tid = 0x7f000640);
	PUT(&builder, overhead, .kind = 1, .start_ns = START_NS + 9, .end_ns = START_NS + 19);
	end_records(&builder);
	end(&builder);
	convert(&builder, &trace);
	assert_int_equal(trace.api[0].global_tid, (int64_t)PID << 24 | 1);
	assert_int_equal(trace.api[0].correlation, 2);
	assert_int_equal(trace.api[1].global_tid, (int64_t)PID << 24 | 2);
	assert_int_equal(trace.host_op[0].global_tid, (int64_t)PID << 24 | 2);
	assert_int_equal(trace.overhead[0].global_tid, -1);
	trace_release(&trace);
	release(&builder);
}

static void kernel_names_are_read_with_and_without_a_demangler(void **state)
{
	static const struct { const char *mangled, *brief; } names[] = {
		{ "_ZN4rbsN5sweepIfEEvPT_", "sweep" }, { "_Z5sweepIfEvPT_i", "sweep" }, { "plain_kernel", "plain_kernel" },
		{ "_ZN12_GLOBAL__N_15innerEv", "inner" }, { "_Z", "_Z" }, { "_Z99short", "_Z99short" }, { "_ZN", "_ZN" }, { "", "" },
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_spool_becomes_a_trace_with_nothing_lost),
		cmocka_unit_test(a_spool_cut_off_at_any_byte_still_converts),
		cmocka_unit_test(a_damaged_chunk_is_left_out_and_counted),
		cmocka_unit_test(records_of_unknown_type_or_impossible_size_are_counted),
		cmocka_unit_test(not_a_spool_is_refused),
		cmocka_unit_test(a_wait_meets_the_latest_record_of_a_reused_event),
		cmocka_unit_test(a_sync_id_decides_over_times_and_event_ids),
		cmocka_unit_test(a_footprint_belongs_to_the_next_launch_of_its_thread),
		cmocka_unit_test(driver_calls_beneath_runtime_calls_are_left_out),
		cmocka_unit_test(what_is_missing_is_counted_by_kind),
		cmocka_unit_test(notes_ranges_and_runs_keep_their_times_and_threads),
		cmocka_unit_test(waits_in_both_directions_bound_the_clock_skew),
		cmocka_unit_test(threads_without_system_ids_are_numbered),
		cmocka_unit_test(kernel_names_are_read_with_and_without_a_demangler),
		cmocka_unit_test(the_trace_of_a_killed_program_opens),
	};

	return cmocka_run_group_tests_name("spool", tests, NULL, NULL);
}
