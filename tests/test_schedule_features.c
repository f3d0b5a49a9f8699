/* SPDX-License-Identifier: MIT
 * What a recording shows of CUDA beyond launches and copies, as a schedule: loops of queries, work
 * without a row, a thread's own default stream, launches that begin early or beside others, graphs
 * with branches and with bodies that nobody called.
 */
#include "traces/format/graph_rows.h"
#include "traces/schedule/schedule.h"
#include "schedule_kit.h"
#include "support.h"

enum { US = 1000, NOT_READY = 600 };

static const struct schedule_op *find(const struct schedule *s, enum op_kind kind, int number)
{
	for (int64_t k = 0; k < s->op_count; k++)
		if (s->op[k].kind == kind && !number--)
			return &s->op[k];
	fail_msg("no operation %d of kind %d", number, (int)kind);
	return NULL;
}

static int count(const struct schedule *s, enum op_kind kind)
{
	int found = 0;

	for (int64_t k = 0; k < s->op_count; k++)
		found += s->op[k].kind == kind;
	return found;
}

static void query(struct trace *t, int64_t at_ns, bool done, int64_t event)
{
	const int64_t correlation = call(t, MAIN, at_ns, "cudaEventQuery_v3020");

	if (done)
		sync_row(t, correlation, 0, -1, 1, event, -1);
	else
		t->api[t->api_count - 1].return_value = NOT_READY;
}

static void queries_that_fail_and_then_succeed_are_one_wait(void **state)
{
	(void)state;
	for (int failed = 1; failed < 4; failed++) {
		struct schedule s;
		struct trace t;

		trace_init(&t);
		launch(&t, MAIN, 100, 0, 7, "k", 5 * US);
		record(&t, MAIN, 200, 0, 7, 3, -1);
		for (int k = 0; k < failed; k++)
			query(&t, 1000 + 500 * k, false, 3);
		query(&t, 1000 + 500 * failed, true, 3);
		launch(&t, MAIN, 6 * US, 0, 7, "k", 5 * US);
		assert_int_equal(load(&s, &t, -1), 0);
		/* asked once it may have had something else to do */
		assert_int_equal(count(&s, OP_SYNC_EVENT), failed > 1);
		assert_int_equal(count(&s, OP_HOST), failed > 1 ? 0 : 2);
		if (failed > 1) {
			const struct schedule_op *wait = find(&s, OP_SYNC_EVENT, 0);

			assert_int_equal(wait->flags, OP_SPIN);
			assert_int_equal(wait->duration_ps, 500 * 1000);
			assert_int_equal(wait->before_ps, (1000 - 210) * 1000);
			assert_int_equal(wait[1].before_ps,
					 (6 * US - (1000 + 500 * failed + 10)) * 1000);
		}
		schedule_release(&s);
		trace_release(&t);
	}
}

/* A kernel from 120 to 1120, a function called at 300, and what comes behind from 31120 on. */
static void a_function_of_the_host_takes_the_hole_that_it_left(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	launch(&t, MAIN, 100, 0, 7, "k", 1 * US);
	call(&t, MAIN, 300, "cudaLaunchHostFunc_v10000");
	launch(&t, MAIN, 400, 0, 7, "k", 1 * US);
	t.kernel[1].start_ns += 30700;
	t.kernel[1].end_ns += 30700;
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(find(&s, OP_UNSEEN, 0)->duration_ps, 30000 * 1000);
	assert_int_equal(find(&s, OP_UNSEEN, 0)->stream, find(&s, OP_LAUNCH, 0)->stream);
	assert_int_equal(find(&s, OP_HOST, 0)->duration_ps, 10 * 1000); /* the call */
	schedule_release(&s);
	trace_release(&t);
}

/* Nothing is behind the second prefetch but a thread that waits for it. The first wait tells that
 * waking up takes 400 ns at least. */
static void a_prefetch_takes_until_who_waits_for_it_goes_on(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	launch(&t, MAIN, 100, 0, 7, "k", 1 * US);
	sync_row(&t, call(&t, MAIN, 200, "cudaStreamSynchronize_v3020"), 0, 7, 3, -1, -1);
	t.sync[0].end_ns = t.api[1].end_ns = 1520;
	launch(&t, MAIN, 2000, 0, 7, "k", 1 * US);
	call(&t, MAIN, 2100, "cudaMemPrefetchAsync_v12020");
	sync_row(&t, call(&t, MAIN, 2200, "cudaStreamSynchronize_v3020"), 0, 7, 3, -1, -1);
	t.sync[1].end_ns = t.api[4].end_ns = 503420;
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(find(&s, OP_UNSEEN, 0)->duration_ps, (503420 - 400 - 3020) * 1000);
	schedule_release(&s);
	trace_release(&t);
}

/* A hole before what was called late is but a bound: the other one was 2000 long. */
static void what_was_called_late_tells_no_length(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	launch(&t, MAIN, 100, 0, 7, "k", 1 * US);
	call(&t, MAIN, 300, "cudaLaunchHostFunc_v10000");
	launch(&t, MAIN, 400, 0, 7, "k", 1 * US);
	t.kernel[1].start_ns = 3120;
	t.kernel[1].end_ns = 4120;
	call(&t, MAIN, 4000, "cudaLaunchHostFunc_v10000");
	launch(&t, MAIN, 90000, 0, 7, "k", 1 * US);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(find(&s, OP_UNSEEN, 0)->duration_ps, 2000 * 1000);
	assert_int_equal(find(&s, OP_UNSEEN, 1)->duration_ps, 2000 * 1000);
	schedule_release(&s);
	trace_release(&t);
}

/* CUPTI calls a thread's own default stream 7 when somebody waits for it, which has no work. */
static void a_threads_own_default_stream_is_found(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	launch(&t, MAIN, 100, 0, 13, "k", 1 * US);
	t.api[0].name = trace_string(&t, "cudaLaunchKernel_ptsz_v7000");
	launch(&t, MAIN, 200, 0, 14, "k", 1 * US);
	sync_row(&t, call(&t, MAIN, 300, "cudaStreamSynchronize_ptsz_v7000"), 0, 14, 3, -1, -1);
	sync_row(&t, call(&t, MAIN, 400, "cudaStreamSynchronize_ptsz_v7000"), 0, 7, 3, -1, -1);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(find(&s, OP_SYNC, 0)->stream, find(&s, OP_LAUNCH, 1)->stream);
	assert_int_equal(find(&s, OP_SYNC, 1)->stream, find(&s, OP_LAUNCH, 0)->stream);
	schedule_release(&s);
	trace_release(&t);
}

/* The second begins 100 before the first has ended, the third does not: all were launched so, and
 * the second is 100 shorter for it. */
static void a_kernel_seen_to_begin_early_is_launched_so(void **state)
{
	(void)state;
	for (int by_ex = 0; by_ex < 2; by_ex++) {
		struct schedule s;
		struct trace t;

		trace_init(&t);
		for (int k = 0; k < 3; k++) {
			launch(&t, MAIN, 100 + k * 900 + (k == 2) * 5000, 0, 7, "k", 1 * US);
			if (by_ex)
				t.api[k].name = trace_string(&t, "cudaLaunchKernelExC_v11060");
		}
		assert_int_equal(load(&s, &t, -1), 0);
		for (int k = 0; k < 3; k++)
			assert_int_equal(find(&s, OP_LAUNCH, k)->flags & OP_EARLY,
					 by_ex ? OP_EARLY : 0);
		assert_int_equal(find(&s, OP_LAUNCH, 1)->duration_ps, by_ex ? 900000 : 1000000);
		assert_int_equal(find(&s, OP_LAUNCH, 2)->duration_ps, 1000000);
		schedule_release(&s);
		trace_release(&t);
	}
}

/* What passed since the kernel before it in its stream; graphs have pauses of their own. */
static void a_launch_knows_the_pause_that_was_before_it(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	launch(&t, MAIN, 100, 0, 7, "k", 1 * US);
	launch(&t, MAIN, 500, 0, 8, "k", 1 * US);
	launch(&t, MAIN, 100 + 1 * US + 300, 0, 7, "k", 1 * US);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(find(&s, OP_LAUNCH, 0)->value, 0);
	assert_int_equal(find(&s, OP_LAUNCH, 1)->value, 0);
	assert_int_equal(find(&s, OP_LAUNCH, 2)->value, 300000);
	schedule_release(&s);
	trace_release(&t);
}

/* Stream 14's kernel begins when stream 13's has nine tenths, or one tenth, before it. */
static void a_kernel_seen_to_begin_beside_another_need_not_wait_for_it(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		struct schedule s;
		struct trace t;

		trace_init(&t);
		launch(&t, MAIN, 100, 0, 13, "big", 10 * US);
		launch(&t, MAIN, 100 + (late ? 9 : 1) * US, 0, 14, "small", 1 * US);
		assert_int_equal(load(&s, &t, -1), 0);
		assert_int_equal(find(&s, OP_LAUNCH, 0)->flags & OP_BESIDE, 0);
		assert_int_equal(find(&s, OP_LAUNCH, 1)->flags & OP_BESIDE, late ? 0 : OP_BESIDE);
		schedule_release(&s);
		trace_release(&t);
	}
}

static void node(struct trace *t, int64_t correlation, int stream, int64_t start_ns, int64_t end_ns,
		 int64_t number)
{
	launch(t, MAIN, start_ns, 0, stream, "node", 1);
	t->api_count--; /* the graph's launch is its call */
	struct trace_kernel *k = &t->kernel[t->kernel_count - 1];

	k->start_ns = start_ns;
	k->end_ns = end_ns;
	k->correlation = correlation;
	k->graph_node = (int64_t)5 << 32 | number;
}

/* A fork of 1 us, branches of 2 and 4 us, a join; and one that nothing was before. */
static void branches_wait_for_what_had_ended(void **state)
{
	static const struct {
		enum op_kind kind;
		int64_t pause_ns; /* -1: not asked */
		uint16_t like;	  /* operation of the same stream, or of the same event */
	} expected[] = {
		{ OP_RECORD, -1, 1 }, /* what the launch found in its stream */
		{ OP_LAUNCH, 0, 1 },   { OP_RECORD, -1, 1 },  { OP_WAIT, -1, 4 },
		{ OP_LAUNCH, 50, 4 }, /* the root in stream 15 */
		{ OP_RECORD, -1, 4 },  { OP_LAUNCH, 300, 1 }, { OP_WAIT, -1, 8 },
		{ OP_LAUNCH, 400, 8 }, /* the other branch, after the fork */
		{ OP_RECORD, -1, 8 },  { OP_WAIT, -1, 1 },    { OP_WAIT, -1, 1 },
		{ OP_LAUNCH, 500, 1 }, /* the join: 500 after the longer branch */
	};
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	const int64_t correlation = call(&t, MAIN, 100, "cudaGraphLaunch_v10000");

	node(&t, correlation, 13, 1000, 2000, 0);
	node(&t, correlation, 15, 1050, 2500, 1);
	node(&t, correlation, 13, 2300, 4300, 2);
	node(&t, correlation, 14, 2400, 6400, 3);
	node(&t, correlation, 13, 6900, 7000, 4);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.op_count, sizeof(expected) / sizeof(expected[0]));
	for (size_t k = 0; k < sizeof(expected) / sizeof(expected[0]); k++) {
		assert_int_equal(s.op[k].kind, expected[k].kind);
		assert_int_equal(s.op[k].stream, s.op[expected[k].like].stream);
		if (expected[k].pause_ns >= 0)
			assert_int_equal(s.op[k].value, expected[k].pause_ns * 1000);
		assert_int_equal(!!(s.op[k].flags & OP_INFERRED), s.op[k].kind != OP_LAUNCH);
	}
	assert_int_equal(s.op[3].object, s.op[0].object);
	assert_int_equal(s.op[7].object, s.op[2].object);
	schedule_release(&s);
	trace_release(&t);
}

/* Two launches of a graph whose body runs two and three times: its rows have no call. */
static void kernels_of_a_body_belong_to_the_launch_of_their_graph(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	for (int k = 0; k < 2; k++) {
		const int64_t correlation = call(&t, MAIN, 100 + k * 50, "cudaGraphLaunch_v10000"),
			      at_ns = 1000 + 20000 * k;

		node(&t, correlation, 13, at_ns, at_ns + 100, 0);
		for (int turn = 0; turn < 2 + k; turn++) {
			node(&t, 0, 20, at_ns + 1000 + 5000 * turn, at_ns + 1500 + 5000 * turn, 2);
			node(&t, 0, 20, at_ns + 1600 + 5000 * turn, at_ns + 1700 + 5000 * turn, 3);
		}
	}
	call(&t, MAIN, 90000, "cudaGetLastError_v3020");
	assert_int_equal(trace_join_graph_rows(&t), 10);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(count(&s, OP_LAUNCH), 12);
	assert_int_equal(s.anomaly_count, 0);
	for (int k = 0, turns = 0; k < 12; k++) {
		const struct schedule_op *op = find(&s, OP_LAUNCH, k);

		turns += op->flags & OP_IN_GRAPH && op->flags & OP_TURN;
		assert_int_equal(!(op->flags & OP_IN_GRAPH), k == 0 || k == 5);
		if (k == 4)
			assert_int_equal(turns, 1);
		if (k == 11)
			assert_int_equal(turns, 3);
	}
	/* the second launch waits for the first's body, which is in another stream */
	assert_int_equal(s.op[0].stream, find(&s, OP_LAUNCH, 5)->stream);
	schedule_release(&s);
	trace_release(&t);
}

/* Launches of 16 ns at first, of 10 later, and slow ones again at the end: 10. */
static void a_call_takes_what_it_takes_once_the_recorder_is_warm(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	for (int k = 0; k < 350; k++) {
		launch(&t, MAIN, 100 * k + 1, 0, 7, "k", 50);
		if (k < 120 || k > 240)
			t.api[t.api_count - 1].end_ns += 6;
	}
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.call_recorded_ns[CALL_OF_LAUNCH], 10);
	schedule_release(&s);
	trace_release(&t);
}

/* On virtual GPUs most calls come after a wait for the turn: the tenth that took least says what
 * one takes, and how much slower each was. */
static void calls_on_virtual_gpus_are_told_by_the_fastest(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	trace_set_meta(&t, "virtual_gpus", "2");
	for (int k = 0; k < 40; k++) {
		launch(&t, MAIN, 100 * k + 1, 0, 7, "k", 50);
		t.api[t.api_count - 1].end_ns += k % 8 ? 10 : 2; /* 20 ns, 12 each eighth */
	}
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.call_recorded_ns[CALL_OF_LAUNCH], 12);
	assert_non_null(s.slower);
	assert_true(s.slower[0] == 1 && s.slower[1] > 1.6f && s.slower[1] < 1.7f);
	schedule_release(&s);
	trace_release(&t);
}

/* What a thread that calls sees of its own core is not the host's. */
static void looks_at_the_hosts_cores_are_the_recorders_own(void **state)
{
	static const int64_t additions[] = { 5470, 2800, 0, 5000 };
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	launch(&t, MAIN, 100, 0, 7, "k", 50);
	for (int k = 0; k < 4; k++)
		*trace_add_core(&t) =
			(struct trace_core){ .at_ns = 100 + k,
					     .global_tid = t.api[0].global_tid + (k != 3),
					     .additions = additions[k] };
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.host_looks.count, 2);
	assert_int_equal(s.host_looks.additions[0], 5470);
	assert_int_equal(s.host_looks.additions[1], 2800);
	assert_int_equal(s.own_looks.count, 1);
	assert_int_equal(s.own_looks.additions[0], 5000);
	schedule_release(&s);
	trace_release(&t);
}

/* cudaMemcpy waits where memory of the host is one end. Between GPUs it does not, and is one call
 * even where two copies come of it. */
static void a_copy_from_gpu_to_gpu_keeps_nobody(void **state)
{
	enum { DEVICE = 2, H2D = 1, D2H = 2, D2D = 8 };
	const char *name = "cudaMemcpy_v3020";
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	for (int k = 0; k < 20; k++) {
		const int64_t at_ns = 100 + 30 * US * k, one = call(&t, MAIN, at_ns, name);

		copy_row(&t, one, at_ns + 2 * US, D2H, 0, 0, 4)->target_kind = DEVICE;
		copy_row(&t, one, at_ns + 12 * US, H2D, 1, 0, 4)->source_kind = DEVICE;
	}
	copy(&t, MAIN, 700 * US, name, D2D, 0, 0, 4);
	copy(&t, MAIN, 710 * US, name, D2H, 0, 0, 4);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(count(&s, OP_COPY), 42);
	assert_int_equal(find(&s, OP_COPY, 0)->flags, OP_BY_HOST);
	assert_int_equal(find(&s, OP_COPY, 1)->flags, OP_IN_GRAPH);
	assert_int_equal(find(&s, OP_COPY, 1)->value, (10 * US - 30) * 1000);
	assert_int_equal(find(&s, OP_COPY, 40)->flags, 0);
	assert_int_equal(find(&s, OP_COPY, 41)->flags, OP_BLOCKING);
	assert_int_equal(s.call_recorded_ns[CALL_OF_BY_HOST], 10);
	assert_int_equal(s.call_recorded_ns[CALL_OF_GRAPH], 0);
	schedule_release(&s);
	trace_release(&t);
}

/* A graph of one kernel is a graph; one that begins with a copy up from pageable memory, 80 us
 * after its call, says how long that took, and one from pinned memory does not. */
static void a_graphs_first_node_is_told_apart(void **state)
{
	enum { H2D = 1, PAGEABLE = 0 };
	static const char *const name = "cudaGraphLaunch_v10000";
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	launch(&t, MAIN, 100, 0, 7, "k", 50);
	node(&t, call(&t, MAIN, 1 * US, name), 7, 2 * US, 3 * US, 0); /* since 170 */
	copy_row(&t, call(&t, MAIN, 100 * US, name), 180 * US, H2D, 0, 0, 4096)->source_kind =
		PAGEABLE;
	copy_row(&t, call(&t, MAIN, 300 * US, name), 304 * US, H2D, 0, 0, 4096);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.op_count, 4);
	assert_int_equal(schedule_call_of(&s, &s.op[0]), CALL_OF_LAUNCH);
	for (int k = 1; k < 4; k++) {
		assert_true(schedule_begins_graph(&s.op[k]));
		assert_int_equal(schedule_call_of(&s, &s.op[k]), CALL_OF_GRAPH);
		assert_int_equal(s.op[k].value, k == 1	 ? (2 * US - 170) * 1000
						: k == 2 ? 80 * US * 1000
							 : 0);
	}
	schedule_release(&s);
	trace_release(&t);
}

/* Launches at 120, 2020 and 4020, a memset from 1300 to 1700 before the second. */
static void a_kernel_behind_a_memset_pauses_since_that(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	launch(&t, MAIN, 100, 0, 7, "k", 500);
	*trace_add_memset(&t) =
		(struct trace_memset){ .start_ns = 1300,
				       .end_ns = 1700,
				       .context = 1,
				       .stream = 7,
				       .correlation = call(&t, MAIN, 1200, "cudaMemsetAsync_v3020"),
				       .global_pid = global_pid,
				       .bytes = 8 };
	launch(&t, MAIN, 2000, 0, 7, "k", 500);
	launch(&t, MAIN, 4000, 0, 7, "other", 500);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(find(&s, OP_LAUNCH, 0)->value, 0);
	assert_int_equal(find(&s, OP_LAUNCH, 1)->value, (2020 - 1700) * 1000);
	assert_int_equal(find(&s, OP_LAUNCH, 2)->value, (4020 - 2520) * 1000);
	/* The process's first launch, and those of either kernel. */
	assert_int_equal(s.loading_count, 1);
	assert_int_equal(s.loading[0], 0);
	assert_int_equal(s.first_count, 2);
	assert_int_equal(s.first[1].op, 3);
	assert_int_equal(s.first[1].took_ns, 10);
	schedule_release(&s);
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries_that_fail_and_then_succeed_are_one_wait),
		cmocka_unit_test(a_function_of_the_host_takes_the_hole_that_it_left),
		cmocka_unit_test(a_prefetch_takes_until_who_waits_for_it_goes_on),
		cmocka_unit_test(what_was_called_late_tells_no_length),
		cmocka_unit_test(a_threads_own_default_stream_is_found),
		cmocka_unit_test(a_kernel_seen_to_begin_early_is_launched_so),
		cmocka_unit_test(a_kernel_seen_to_begin_beside_another_need_not_wait_for_it),
		cmocka_unit_test(a_call_takes_what_it_takes_once_the_recorder_is_warm),
		cmocka_unit_test(a_launch_knows_the_pause_that_was_before_it),
		cmocka_unit_test(calls_on_virtual_gpus_are_told_by_the_fastest),
		cmocka_unit_test(looks_at_the_hosts_cores_are_the_recorders_own),
		cmocka_unit_test(a_copy_from_gpu_to_gpu_keeps_nobody),
		cmocka_unit_test(branches_wait_for_what_had_ended),
		cmocka_unit_test(kernels_of_a_body_belong_to_the_launch_of_their_graph),
		cmocka_unit_test(a_graphs_first_node_is_told_apart),
		cmocka_unit_test(a_kernel_behind_a_memset_pauses_since_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
