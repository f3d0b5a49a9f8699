/* SPDX-License-Identifier: MIT
 * Questions to a trace: what is wrong with it, what it looks like elsewhere, how two differ.
 */
#include "../traces/annotate.h"
#include "../traces/export.h"
#include "../traces/trace_compare.h"
#include "trace_kit.h"

static int64_t count_of(const struct trace *t, const char *kind, int64_t *incomplete)
{
	struct trace_anomaly anomaly[TRACE_ANOMALY_MAX];
	int kinds = trace_check(t, anomaly, incomplete);

	for (int i = 0; i < kinds; i++)
		if (strcmp(anomaly[i].kind, kind) == 0)
			return anomaly[i].count;
	fail_msg("no kind %s", kind);
	return -1;
}

/* A complete trace of one launch in one run; the tests break it. */
static void fill_complete(struct trace *t)
{
	const int64_t pid = (int64_t)7 << 24, tid = pid | 7;

	*trace_add_gpu(t) = (struct trace_gpu){ .device = 0, .name = trace_string(t, "GPU") };
	*trace_add_run(t) =
		(struct trace_run){ .start_ns = 50, .end_ns = 10000, .solver = trace_string(t, "rbsor"), .gpus = 1 };
	*trace_add_api(t) = (struct trace_api){ .start_ns = 100,
						.end_ns = 110,
						.global_tid = tid,
						.correlation = 1,
						.name = trace_string(t, "cudaLaunchKernel_v7000") };
	*trace_add_api(t) = (struct trace_api){ .start_ns = 120,
						.end_ns = 130,
						.global_tid = tid,
						.correlation = 2,
						.name = trace_string(t, "cudaEventRecord_v3020") };
	*trace_add_api(t) = (struct trace_api){ .start_ns = 140,
						.end_ns = 150,
						.global_tid = tid,
						.correlation = 3,
						.name = trace_string(t, "cudaStreamWaitEvent_v3020") };
	*trace_add_kernel(t) = (struct trace_kernel){ .start_ns = 105,
						      .end_ns = 500,
						      .stream = 7,
						      .context = 1,
						      .correlation = 1,
						      .global_pid = pid,
						      .demangled_name = trace_string(t, "k"),
						      .graph_node = -1 };
	*trace_add_footprint(t) =
		(struct trace_footprint){ .correlation = 1, .global_pid = pid, .bytes = 8, .mode = ACCESS_READ };
	*trace_add_event(t) = (struct trace_event){ .stream = 7,
						    .context = 1,
						    .correlation = 2,
						    .global_pid = pid,
						    .event_id = 4,
						    .event_sync_id = 9,
						    .timestamp_ns = -1 };
	*trace_add_sync(t) = (struct trace_sync){ .start_ns = 141,
						  .end_ns = 149,
						  .stream = 8,
						  .context = 1,
						  .correlation = 3,
						  .global_pid = pid,
						  .sync_type = 2,
						  .event_id = 4,
						  .event_sync_id = 9 };
	*trace_add_host_op(t) = (struct trace_host_op){
		.start_ns = 160, .end_ns = 161, .global_tid = tid, .kind = NOTE_POST, .value = 3
	};
	*trace_add_host_op(t) = (struct trace_host_op){
		.start_ns = 170, .end_ns = 171, .global_tid = tid, .kind = NOTE_AWAIT_SPIN, .value = 3
	};
	*trace_add_host_op(t) =
		(struct trace_host_op){ .start_ns = 180, .end_ns = 181, .global_tid = tid, .kind = NOTE_BARRIER };
	*trace_add_host_op(t) =
		(struct trace_host_op){ .start_ns = 180, .end_ns = 181, .global_tid = tid + 1, .kind = NOTE_BARRIER };
}

static void break_dropped(struct trace *t)
{
	*trace_add_loss(t) = (struct trace_loss){ .kind = trace_string(t, "dropped-records"), .count = 5 };
}
static void break_truncated(struct trace *t)
{
	*trace_add_loss(t) = (struct trace_loss){ .kind = trace_string(t, "no-end"), .count = 1 };
}
static void break_damaged(struct trace *t)
{
	*trace_add_loss(t) = (struct trace_loss){ .kind = trace_string(t, "missing-chunks"), .count = 2 };
}
static void break_other(struct trace *t)
{
	*trace_add_loss(t) = (struct trace_loss){ .kind = trace_string(t, "something new"), .count = 1 };
}
static void break_zero(struct trace *t)
{
	t->kernel[0].start_ns = t->kernel[0].end_ns = -1;
}
static void break_backwards(struct trace *t)
{
	t->kernel[0].end_ns = 104;
}
static void break_asked(struct trace *t)
{
	t->api[1].asked_ns = -4;
}
static void break_orphan_kernel(struct trace *t)
{
	t->kernel[0].correlation = 77;
	t->footprint[0].correlation = 77;
}
static void break_orphan_launch(struct trace *t)
{
	t->kernel_count = 0;
	t->footprint_count = 0;
}
static void break_lone_record(struct trace *t)
{
	t->event[0].correlation = 78;
}
static void break_unpaired(struct trace *t)
{
	t->sync[0].event_sync_id = 10;
}
static void break_never(struct trace *t)
{
	t->sync[0].event_sync_id = -1;
	t->sync[0].event_id = 5;
}
static void break_device(struct trace *t)
{
	t->kernel[0].device = 3;
}
static void break_stream(struct trace *t)
{
	t->kernel[0].stream = -1;
}
static void break_overlap(struct trace *t)
{
	struct trace_kernel second = t->kernel[0];

	second.start_ns = 400;
	second.correlation = 4;
	*trace_add_kernel(t) = second;
	*trace_add_api(t) = (struct trace_api){ .start_ns = 190,
						.end_ns = 195,
						.global_tid = ((int64_t)7 << 24) | 7,
						.correlation = 4,
						.name = t->api[0].name };
	*trace_add_footprint(t) = (struct trace_footprint){ .correlation = 4, .global_pid = second.global_pid };
}
static void break_early(struct trace *t)
{
	t->kernel[0].start_ns = 99;
}
static void break_outside(struct trace *t)
{
	t->kernel[0].end_ns = 10001;
}
static void break_footprint(struct trace *t)
{
	t->footprint_count = 0;
}
static void break_lone_footprint(struct trace *t)
{
	*trace_add_footprint(t) = (struct trace_footprint){ .correlation = 99, .global_pid = (int64_t)7 << 24 };
}
static void break_run(struct trace *t)
{
	t->run[0].end_ns = -1;
}
static void break_duplicate(struct trace *t)
{
	struct trace_kernel copy = t->kernel[0];

	copy.start_ns = 500;
	copy.end_ns = 501;
	*trace_add_kernel(t) = copy;
}
static void break_await(struct trace *t)
{
	t->host_op[1].value = 4;
}
static void break_barrier(struct trace *t)
{
	struct trace_host_op again = t->host_op[2];

	*trace_add_host_op(t) = again;
}
static void break_call(struct trace *t)
{
	t->api[2].return_value = 1;
}

static void each_anomaly_is_counted_and_no_other(void **state)
{
	static const struct {
		const char *kind;
		void (*break_it)(struct trace *t);
		int64_t count;
		bool incomplete;
	} cases[] = {
		{ "dropped-records", break_dropped, 5, true },
		{ "truncated-spool", break_truncated, 1, true },
		{ "damaged-spool", break_damaged, 2, true },
		{ "other-losses", break_other, 1, true },
		{ "zero-timestamps", break_zero, 1, true },
		{ "ends-before-start", break_backwards, 1, true },
		{ "ends-before-start", break_asked, 1, true },
		{ "orphan-device-work", break_orphan_kernel, 1, true },
		{ "orphan-launches", break_orphan_launch, 1, true },
		{ "records-without-row", break_lone_record, 1, true },
		{ "unpaired-event-ids", break_unpaired, 1, true },
		{ "waits-never-recorded", break_never, 1, false },
		{ "unknown-devices", break_device, 1, true },
		{ "unknown-streams", break_stream, 1, true },
		{ "overlapping-kernels", break_overlap, 1, false },
		{ "starts-before-call", break_early, 1, false },
		{ "outside-run", break_outside, 1, false },
		{ "missing-footprints", break_footprint, 1, true },
		{ "orphan-footprints", break_lone_footprint, 1, false },
		{ "runs-never-ended", break_run, 1, true },
		{ "duplicate-correlation", break_duplicate, 1, true },
		{ "unposted-awaits", break_await, 1, true },
		{ "unequal-barriers", break_barrier, 1, true },
		{ "failed-calls", break_call, 1, false },
	};
	struct trace_anomaly anomaly[TRACE_ANOMALY_MAX];
	int64_t incomplete;
	struct trace t;
	int kinds;

	(void)state;
	trace_init(&t);
	fill_complete(&t);
	kinds = trace_check(&t, anomaly, &incomplete);
	for (int i = 0; i < kinds; i++)
		if (anomaly[i].count)
			fail_msg("a complete trace has %s", anomaly[i].kind);
	assert_int_equal(incomplete, 0);
	trace_release(&t);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		trace_init(&t);
		fill_complete(&t);
		cases[i].break_it(&t);
		if (count_of(&t, cases[i].kind, &incomplete) < cases[i].count ||
		    (incomplete > 0) != cases[i].incomplete)
			fail_msg("%s: %d times, %d incomplete", cases[i].kind,
				 (int)count_of(&t, cases[i].kind, &incomplete), (int)incomplete);
		trace_release(&t);
	}
}

/* Warm-ups of several runs in a process: which threads meet there is not known. */
static void barriers_outside_runs_are_not_judged(void **state)
{
	struct trace t;
	int64_t incomplete;

	(void)state;
	trace_init(&t);
	fill_complete(&t);
	for (int k = 0; k < 3; k++) {
		struct trace_host_op *op = trace_add_host_op(&t);

		*op = t.host_op[2];
		op->start_ns = op->end_ns = 20000;
		op->global_tid += k > 1;
	}
	assert_int_equal(count_of(&t, "unequal-barriers", &incomplete), 0);
	assert_int_equal(incomplete, 0);
	trace_release(&t);
}

static struct trace_api *add_call(struct trace *t, int thread, int64_t at_ns, const char *name)
{
	struct trace_api *a = trace_add_api(t);

	*a = (struct trace_api){ .start_ns = at_ns,
				 .end_ns = at_ns + 2,
				 .global_tid = (int64_t)7 << 24 | thread,
				 .correlation = 100 + (int64_t)t->api_count,
				 .name = trace_string(t, name) };
	return a;
}

static void captured_calls_need_no_rows(void **state)
{
	struct trace t;
	int64_t incomplete;

	(void)state;
	trace_init(&t);
	fill_complete(&t);
	add_call(&t, 7, 200, "cudaStreamBeginCapture_v10000");
	add_call(&t, 7, 210, "cudaLaunchKernel_v7000");
	add_call(&t, 7, 220, "cudaMemsetAsync_v3020");
	add_call(&t, 7, 225, "cudaMemcpyAsync_v3020")->return_value = 900;
	add_call(&t, 7, 230, "cudaEventRecord_v3020");
	add_call(&t, 7, 240, "cudaStreamWaitEvent_v3020");
	*trace_add_sync(&t) = (struct trace_sync){ .start_ns = 240, .end_ns = 241, .stream = 8, .sync_type = 2,
						   .global_pid = (int64_t)7 << 24, .event_id = 44, .event_sync_id = -1,
						   .correlation = t.api[t.api_count - 1].correlation };
	add_call(&t, 7, 250, "cudaStreamEndCapture_v10000");
	assert_int_equal(count_of(&t, "captured-calls", &incomplete), 4);
	assert_int_equal(count_of(&t, "waits-never-recorded", &incomplete), 0);
	assert_int_equal(count_of(&t, "failed-calls", &incomplete), 1);
	assert_int_equal(incomplete, 0);
	add_call(&t, 8, 215, "cudaLaunchKernel_v7000"); /* another thread may launch into the stream */
	add_call(&t, 7, 215, "cudaLaunchKernel_v7000")->global_tid = (int64_t)8 << 24 | 1; /* another process may not */
	add_call(&t, 8, 260, "cudaLaunchKernel_v7000"); /* after the end */
	assert_int_equal(count_of(&t, "orphan-launches", &incomplete), 2);
	assert_int_equal(count_of(&t, "captured-calls", &incomplete), 5);
	add_call(&t, 9, 300, "cudaStreamBeginCapture_v10000")->return_value = 901; /* it captures nothing */
	add_call(&t, 9, 310, "cudaLaunchKernel_v7000");
	add_call(&t, 9, 320, "cudaStreamEndCapture_v10000");
	add_call(&t, 9, 330, "cuStreamBeginCapture_v2_ptsz"); /* and this one never ends */
	add_call(&t, 9, 340, "cudaLaunchKernel_v7000");
	assert_int_equal(count_of(&t, "orphan-launches", &incomplete), 4);
	assert_int_equal(count_of(&t, "captured-calls", &incomplete), 5);
	assert_int_equal(incomplete, 4);
	trace_release(&t);
}

static void captures_lie_within_each_other(void **state)
{
	struct trace t;
	int64_t incomplete;

	(void)state;
	trace_init(&t);
	fill_complete(&t);
	add_call(&t, 7, 200, "cudaStreamBeginCapture_v10000");
	add_call(&t, 7, 205, "cuStreamBeginCapture_v2");
	add_call(&t, 7, 210, "cudaLaunchKernel_v7000");
	add_call(&t, 7, 220, "cuStreamEndCapture")->return_value = 901; /* a failed end is one */
	add_call(&t, 7, 230, "cudaLaunchKernel_v7000");
	add_call(&t, 7, 240, "cudaStreamEndCapture_v10000");
	assert_int_equal(count_of(&t, "captured-calls", &incomplete), 2);
	assert_int_equal(incomplete, 0);
	trace_release(&t);
}

/* Just enough JSON to know that it is some: returns what follows the value, NULL when it is not one. */
static const char *json(const char *at);

static const char *json_space(const char *at)
{
	return at ? at + strspn(at, " \n\t\r") : NULL;
}

static const char *json_string(const char *at)
{
	if (!at || *at++ != '"')
		return NULL;
	for (; *at && *at != '"'; at++) {
		if ((unsigned char)*at < ' ')
			return NULL;
		if (*at == '\\' && !strchr("\"\\/bfnrtu", *++at))
			return NULL;
	}
	return *at ? at + 1 : NULL;
}

static const char *json_list(const char *at, char end)
{
	at = json_space(at + 1);
	if (*at == end)
		return at + 1;
	for (;;) {
		if (end == '}') {
			at = json_space(json_string(json_space(at)));
			if (!at || *at++ != ':')
				return NULL;
		}
		at = json_space(json(json_space(at)));
		if (!at || (*at != ',' && *at != end))
			return NULL;
		if (*at++ == end)
			return at;
	}
}

static void kernels_that_follow_at_once_do_not_overlap(void **state)
{
	struct trace t;
	int64_t incomplete;

	(void)state;
	for (int64_t start_ns = 499; start_ns <= 501; start_ns++) {
		trace_init(&t);
		fill_complete(&t);
		*trace_add_api(&t) = (struct trace_api){ .start_ns = 190, .end_ns = 195, .global_tid = t.api[0].global_tid, .correlation = 5, .name = t.api[0].name };
		*trace_add_kernel(&t) = t.kernel[0]; /* which ends at 500 */
		t.kernel[1].correlation = 5;
		t.kernel[1].start_ns = start_ns;
		t.kernel[1].end_ns = 700;
		assert_int_equal(count_of(&t, "overlapping-kernels", &incomplete), start_ns < 500);
		t.kernel[1].stream = 8;
		assert_int_equal(count_of(&t, "overlapping-kernels", &incomplete), 0);
		trace_release(&t);
	}
}

static const char *json(const char *at)
{
	char *end;

	if (*at == '{' || *at == '[')
		return json_list(at, *at == '{' ? '}' : ']');
	if (*at == '"')
		return json_string(at);
	(void)strtod(at, &end);
	return end > at && strchr("-0123456789", *at) ? end : NULL;
}

static void a_chrome_export_is_json_with_threads_streams_and_arrows(void **state)
{
	struct trace t;
	char *text = NULL;
	size_t size;
	FILE *file;

	(void)state;
	trace_init(&t);
	fill_complete(&t);
	t.kernel[0].demangled_name = trace_string(&t, "quote\" slash\\ tab\t not utf8 \xff\xc3( \xc3\xa9");
	trace_set_meta(&t, "com\nmand", "x");
	file = open_memstream(&text, &size);
	assert_int_equal(export_chrome(&t, file), 0);
	fclose(file);
	assert_non_null(json(text));
	assert_int_equal(*json_space(json(text)), 0);
	assert_non_null(strstr(text, "quote\\\" slash\\\\ tab\\u0009 not utf8 \\ufffd\\ufffd"));
	assert_non_null(strstr(text, "\"ts\":0.055,\"dur\":0.395")); /* the run begins at 50 ns, the kernel at 105 */
	assert_non_null(strstr(text, "\"ph\":\"s\""));
	assert_non_null(strstr(text, "\"ph\":\"f\""));
	assert_non_null(strstr(text, "stream 7 (context 1)"));
	assert_non_null(strstr(text, "thread 7"));
	free(text);
	trace_release(&t);
}

static void a_comparison_pairs_names_and_says_the_difference(void **state)
{
	struct trace a, b;
	struct summary first, second;
	struct compare_line *lines;
	size_t count, both = 0, only_b = 0;

	(void)state;
	trace_init(&a);
	trace_init(&b);
	fill_complete(&a);
	fill_complete(&b);
	b.kernel[0].end_ns = 105 + 790;
	*trace_add_memcpy(&b) = (struct trace_memcpy){ .start_ns = 800, .end_ns = 1000, .copy_kind = 10 };
	summary_make(&first, &a);
	summary_make(&second, &b);
	count = trace_compare(&first, &second, &lines);
	for (size_t i = 0; i < count; i++) {
		if (!lines[i].a)
			only_b++;
		if (!lines[i].a || lines[i].a->kind != SUMMARY_KERNEL)
			continue;
		both++;
		assert_string_equal(lines[i].b->name, "k");
		assert_true(compare_percent(lines[i].a->total_us, lines[i].b->total_us) > 99.9);
	}
	assert_int_equal(both, 1);
	assert_int_equal(only_b, 1);
	for (size_t i = 0; i < second.line_count; i++)
		if (second.line[i].kind == SUMMARY_BUSY) /* 105..895 and 800..1000: their union */
			assert_true(second.line[i].total_us > 0.894 && second.line[i].total_us < 0.896);
	free(lines);
	summary_release(&first);
	summary_release(&second);
	trace_release(&a);
	trace_release(&b);
}

static void the_core_loop_is_from_the_last_begin_to_the_last_end(void **state)
{
	struct trace t;

	(void)state;
	trace_init(&t);
	*trace_add_run(&t) = (struct trace_run){ .start_ns = 0, .end_ns = 1000 };
	for (int i = 0; i < 2; i++) {
		*trace_add_host_op(&t) = (struct trace_host_op){ .start_ns = 10 + i,
								 .end_ns = 10 + i,
								 .global_tid = i,
								 .kind = NOTE_MARK,
								 .object = MARK_CORE_BEGIN };
		*trace_add_host_op(&t) = (struct trace_host_op){ .start_ns = 90 - i,
								 .end_ns = 90 - i,
								 .global_tid = i,
								 .kind = NOTE_MARK,
								 .object = MARK_CORE_END };
	}
	assert_int_equal(trace_core_ns(&t, 0), 79);
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_anomaly_is_counted_and_no_other),
		cmocka_unit_test(barriers_outside_runs_are_not_judged),
		cmocka_unit_test(kernels_that_follow_at_once_do_not_overlap),
		cmocka_unit_test(captured_calls_need_no_rows),
		cmocka_unit_test(captures_lie_within_each_other),
		cmocka_unit_test(a_chrome_export_is_json_with_threads_streams_and_arrows),
		cmocka_unit_test(a_comparison_pairs_names_and_says_the_difference),
		cmocka_unit_test(the_core_loop_is_from_the_last_begin_to_the_last_end),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
