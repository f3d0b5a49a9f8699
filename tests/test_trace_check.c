/* SPDX-License-Identifier: MIT
 * Questions to a trace: what is wrong with it.
 */
#include "complete_trace_kit.h"
#include "traces/check/trace_check.h"

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

/* A launch of the thread, with its kernel. */
static void add_launch(struct trace *t, int thread, int64_t at_ns, int64_t correlation)
{
	*trace_add_api(t) = (struct trace_api){ .start_ns = at_ns,
						.end_ns = at_ns + 2,
						.global_tid = (int64_t)7 << 24 | thread,
						.correlation = correlation,
						.name = trace_string(t, "cudaLaunchKernel_v7000") };
	*trace_add_kernel(t) = t->kernel[0];
	t->kernel[t->kernel_count - 1].correlation = correlation;
	t->kernel[t->kernel_count - 1].start_ns = 600;
	t->kernel[t->kernel_count - 1].end_ns = 700;
	*trace_add_footprint(t) = t->footprint[0];
	t->footprint[t->footprint_count - 1].correlation = correlation;
}

static struct trace_memcpy *add_copy(struct trace *t)
{
	struct trace_memcpy *copy = trace_add_memcpy(t);

	*trace_add_api(t) = (struct trace_api){ .start_ns = 700,
						.end_ns = 720,
						.global_tid = t->api[0].global_tid,
						.correlation = 60,
						.name = trace_string(t, "cudaMemcpyAsync_v3020") };
	*copy = (struct trace_memcpy){ .start_ns = 730,
				       .end_ns = 740,
				       .stream = 7,
				       .global_pid = t->kernel[0].global_pid,
				       .correlation = 60,
				       .copy_kind = 1,
				       .source_device = -1,
				       .target_device = -1,
				       .bytes = 64 };
	return copy;
}

static void add_collective(struct trace *t, int32_t kind, int32_t rank, int32_t peer)
{
	*trace_add_collective(t) = (struct trace_collective){ .kind = kind,
							      .start_ns = 700,
							      .end_ns = 710,
							      .communicator = 5,
							      .ranks = 3,
							      .rank = rank,
							      .peer = peer,
							      .correlation = -1,
							      .global_tid = t->api[0].global_tid };
}

static void break_all_reduce(struct trace *t)
{
	for (int rank = 0; rank < 3; rank++)
		add_collective(t, COLLECTIVE_ALL_REDUCE, rank, -1);
	add_collective(t, COLLECTIVE_BROADCAST, 1, 0); /* and nobody else */
	add_collective(t, COLLECTIVE_SEND, 1, 0);
	add_collective(t, COLLECTIVE_RECEIVE, 0, 1);
}

static void break_receive(struct trace *t)
{
	for (int other = 0; other < 2; other++)
		add_collective(t, COLLECTIVE_SEND, 1, 0);
	add_collective(t, COLLECTIVE_RECEIVE, 0, 1);
	add_collective(t, COLLECTIVE_SEND, 0, 2); /* the other way is another's */
	add_collective(t, COLLECTIVE_RECEIVE, 2, 0);
}

static void break_rank(struct trace *t)
{
	add_collective(t, COLLECTIVE_SEND, 3, 0);
}

static void break_dropped(struct trace *t)
{
	*trace_add_loss(t) =
		(struct trace_loss){ .kind = trace_string(t, "dropped-records"), .count = 5 };
}
static void break_truncated(struct trace *t)
{
	*trace_add_loss(t) = (struct trace_loss){ .kind = trace_string(t, "no-end"), .count = 1 };
}
static void break_damaged(struct trace *t)
{
	*trace_add_loss(t) =
		(struct trace_loss){ .kind = trace_string(t, "missing-chunks"), .count = 2 };
}
static void break_other(struct trace *t)
{
	*trace_add_loss(t) =
		(struct trace_loss){ .kind = trace_string(t, "something new"), .count = 1 };
}
static void break_zero(struct trace *t)
{
	t->kernel[0].start_ns = t->kernel[0].end_ns = -1;
}
static void break_backwards(struct trace *t)
{
	t->kernel[0].end_ns = 104;
}
static void break_queries(struct trace *t)
{
	t->api[1].queries_ns = -4;
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
	*trace_add_footprint(t) =
		(struct trace_footprint){ .correlation = 4, .global_pid = second.global_pid };
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
	*trace_add_footprint(t) =
		(struct trace_footprint){ .correlation = 99, .global_pid = (int64_t)7 << 24 };
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
static void break_barrier_of_one(struct trace *t)
{
	t->host_op_count--; /* the other thread's only one: it still waits there */
	add_launch(t, 8, 300, 50);
}
static void break_barrier_of_a_stranger(struct trace *t)
{
	add_launch(t, 9, 300, 50); /* works in the run, and meets nobody */
}
static void break_within(struct trace *t)
{
	add_launch(t, 7, 102, 50);
}
static void break_order(struct trace *t)
{
	t->api[0].end_ns = 125;
}
static void break_copy_bytes(struct trace *t)
{
	add_copy(t)->bytes = -8;
}
static void break_copy_kind(struct trace *t)
{
	add_copy(t)->copy_kind = 14;
}
static void break_copy_target(struct trace *t)
{
	add_copy(t)->target_device = 5;
}
static void break_memset_bytes(struct trace *t)
{
	const struct trace_memcpy *copy = add_copy(t);

	*trace_add_memset(t) = (struct trace_memset){ .start_ns = copy->start_ns,
						      .end_ns = copy->end_ns,
						      .stream = 7,
						      .global_pid = copy->global_pid,
						      .correlation = copy->correlation,
						      .bytes = -1 };
}
static void break_footprint_bytes(struct trace *t)
{
	t->footprint[0].bytes = -8;
}
static void break_gpus(struct trace *t)
{
	t->run[0].gpus = -1;
}
static void break_grid(struct trace *t)
{
	t->kernel[0].grid[1] = 0;
}
static void break_table(struct trace *t)
{
	t->altered_tables = 1;
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
		{ "ends-before-start", break_queries, 1, true },
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
		{ "unequal-collectives", break_all_reduce, 2, true },
		{ "unequal-collectives", break_receive, 1, true },
		{ "impossible-values", break_rank, 1, true },
		{ "unequal-barriers", break_barrier_of_one, 1, true },
		{ "unequal-barriers", break_barrier_of_a_stranger, 1, true },
		{ "entangled-calls", break_within, 1, true },
		{ "entangled-calls", break_order, 1, true },
		{ "impossible-values", break_copy_bytes, 1, true },
		{ "impossible-values", break_copy_kind, 1, true },
		{ "impossible-values", break_copy_target, 1, true },
		{ "impossible-values", break_memset_bytes, 1, true },
		{ "impossible-values", break_footprint_bytes, 1, true },
		{ "impossible-values", break_gpus, 1, true },
		{ "impossible-values", break_grid, 1, true },
		{ "altered-tables", break_table, 1, true },
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
	*trace_add_sync(&t) =
		(struct trace_sync){ .start_ns = 240,
				     .end_ns = 241,
				     .stream = 8,
				     .sync_type = 2,
				     .global_pid = (int64_t)7 << 24,
				     .event_id = 44,
				     .event_sync_id = -1,
				     .correlation = t.api[t.api_count - 1].correlation };
	add_call(&t, 7, 250, "cudaStreamEndCapture_v10000");
	assert_int_equal(count_of(&t, "captured-calls", &incomplete), 4);
	assert_int_equal(count_of(&t, "waits-never-recorded", &incomplete), 0);
	assert_int_equal(count_of(&t, "failed-calls", &incomplete), 1);
	assert_int_equal(incomplete, 0);
	add_call(&t, 8, 215,
		 "cudaLaunchKernel_v7000"); /* another thread may launch into the stream */
	add_call(&t, 7, 215, "cudaLaunchKernel_v7000")->global_tid =
		(int64_t)8 << 24 | 1;			/* another process may not */
	add_call(&t, 8, 260, "cudaLaunchKernel_v7000"); /* after the end */
	assert_int_equal(count_of(&t, "orphan-launches", &incomplete), 2);
	assert_int_equal(count_of(&t, "captured-calls", &incomplete), 5);
	add_call(&t, 9, 300, "cudaStreamBeginCapture_v10000")->return_value =
		901; /* it captures nothing */
	add_call(&t, 9, 310, "cudaLaunchKernel_v7000");
	add_call(&t, 9, 320, "cudaStreamEndCapture_v10000");
	add_call(&t, 9, 330, "cuStreamBeginCapture_v2_ptsz"); /* and this one never ends */
	add_call(&t, 9, 340, "cudaLaunchKernel_v7000");
	assert_int_equal(count_of(&t, "orphan-launches", &incomplete), 4);
	assert_int_equal(count_of(&t, "captured-calls", &incomplete), 5);
	assert_int_equal(incomplete, 5); /* and thread 9 does not meet the barrier */
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

static void kernels_that_follow_at_once_do_not_overlap(void **state)
{
	struct trace t;
	int64_t incomplete;

	(void)state;
	for (int64_t start_ns = 499; start_ns <= 501; start_ns++) {
		trace_init(&t);
		fill_complete(&t);
		*trace_add_api(&t) = (struct trace_api){ .start_ns = 190,
							 .end_ns = 195,
							 .global_tid = t.api[0].global_tid,
							 .correlation = 5,
							 .name = t.api[0].name };
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_anomaly_is_counted_and_no_other),
		cmocka_unit_test(barriers_outside_runs_are_not_judged),
		cmocka_unit_test(kernels_that_follow_at_once_do_not_overlap),
		cmocka_unit_test(captured_calls_need_no_rows),
		cmocka_unit_test(captures_lie_within_each_other),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
