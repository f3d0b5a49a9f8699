/* SPDX-License-Identifier: MIT
 * Processes that wait for each other by MPI.
 */
#include "simulation_kit.h"

#include "traces/format/annotate.h"
#include "traces/load/schedule_from_trace.h"

enum { US = 1000, BOTH = MESSAGE_BEGINS | MESSAGE_ENDS };

static int64_t process(int rank)
{
	return (int64_t)(100 + rank) << 24;
}

/* A launch whose call takes 2 us and whose kernel begins with it. */
static void work(struct trace *t, int rank, int64_t at_us, int64_t us)
{
	const int64_t correlation = (int64_t)t->api_count + 1;

	*trace_add_api(t) = (struct trace_api){ .start_ns = at_us * US,
						.end_ns = (at_us + 2) * US,
						.global_tid = process(rank) | 1,
						.correlation = correlation,
						.name = trace_string(t, "cudaLaunchKernel_v7000") };
	*trace_add_kernel(t) = (struct trace_kernel){ .start_ns = (at_us + 2) * US,
						      .end_ns = (at_us + 2 + us) * US,
						      .device = rank,
						      .context = 1,
						      .stream = 7,
						      .correlation = correlation,
						      .global_pid = process(rank),
						      .demangled_name = trace_string(t, "work"),
						      .short_name = trace_string(t, "work"),
						      .grid = { 2, 1, 1 },
						      .block = { 32, 1, 1 },
						      .graph_node = -1 };
}

static struct trace_message *message(struct trace *t, int rank, enum message_kind kind, int phase,
				     int peer, int64_t from_us, int64_t to_us)
{
	struct trace_message *row = trace_add_message(t);

	*row = (struct trace_message){ .start_ns = from_us * US,
				       .end_ns = to_us * US,
				       .global_tid = process(rank) | 1,
				       .kind = kind,
				       .phase = phase,
				       .communicator = 77,
				       .rank = rank,
				       .peer = peer,
				       .tag = 3,
				       .number = 1,
				       .bytes = 100000 };
	return row;
}

static void load(struct schedule *schedule, struct trace *trace)
{
	schedule_init(schedule);
	assert_int_equal(schedule_from_trace(schedule, trace, -1), 0);
	trace_release(trace);
}

/* The k-th operation of a thread is of a kind, after so much time of its own. */
static const struct schedule_op *expect(const struct schedule *s, int thread, int k,
					enum op_kind kind, int64_t before_us)
{
	assert_true(k < s->thread[thread].op_count);
	const struct schedule_op *op = &s->op[s->thread[thread].first_op + k];
	assert_int_equal(op->kind, kind);
	assert_int_equal(op->before_ps, before_us * US * 1000);
	return op;
}

/* When a thread's last launch begins on its GPU if thread 0 needs more for its first. */
struct begun {
	const struct schedule *schedule;
	int64_t at_ps[8];
};

static void on_device(void *arg, uint32_t stream, const struct schedule_op *op, int64_t index,
		      sim_time start, sim_time end)
{
	struct begun *begun = arg;

	(void)index;
	(void)end;
	if (op->kind == OP_LAUNCH)
		begun->at_ps[begun->schedule->stream[stream].gpu] = start;
}

static struct begun played(struct schedule *s, int64_t later_us)
{
	struct begun begun = { .schedule = s };
	struct observer observer = { &begun, on_device, NULL };
	struct platform platform;
	struct kernel_model model = { .ops = kernel_model_find("recorded"), .platform = &platform };
	struct simulation_result result;
	const struct simulation_setup setup = {
		.schedule = s, .platform = &platform, .model = &model, .observer = &observer
	};

	platform_of(&platform, "free");
	s->op[s->thread[0].first_op].before_ps += later_us * US * 1000;
	assert_int_equal(simulation_run(&setup, &result), 0);
	s->op[s->thread[0].first_op].before_ps -= later_us * US * 1000;
	simulation_result_release(&result);
	platform_release(&platform);
	return begun;
}

/* Rank 1 waits from 10 to 110 us for what rank 0 sends at 100, and 12 us later works. */
static void make_pair(struct trace *t)
{
	trace_init(t);
	work(t, 0, 1, 5);
	message(t, 0, MESSAGE_SEND, BOTH, 1, 100, 103);
	work(t, 1, 1, 5);
	message(t, 1, MESSAGE_RECEIVE, BOTH, 0, 10, 110);
	work(t, 1, 112, 5);
}

static void a_receive_waits_for_its_send_and_takes_what_it_took_after_it(void **state)
{
	struct trace t;
	struct schedule s;

	(void)state;
	make_pair(&t);
	load(&s, &t);
	assert_int_equal(s.messages_alone, 0);
	const struct schedule_op *sent = expect(&s, 0, 1, OP_POST, 97);
	expect(&s, 1, 1, OP_POST, 7);
	const struct schedule_op *received = expect(&s, 1, 2, OP_AWAIT, 0);
	assert_int_equal(sent->object, received->object);
	assert_int_equal(sent->value, received->value);
	expect(&s, 1, 3, OP_LAUNCH, 12);
	const struct begun as_recorded = played(&s, 0), later = played(&s, 50);
	assert_int_equal(later.at_ps[1] - as_recorded.at_ps[1], 50 * US * 1000);
	schedule_release(&s);
}

static void a_send_waits_for_its_receive_unless_one_of_its_size_was_seen_not_to(void **state)
{
	struct trace t;
	struct schedule s;

	(void)state;
	for (int eager = 0; eager < 2; eager++) {
		trace_init(&t);
		work(&t, 0, 1, 5);
		message(&t, 0, MESSAGE_SEND, BOTH, 1, 10, 60)->number = 1;
		work(&t, 0, 62, 5);
		work(&t, 1, 1, 5);
		message(&t, 1, MESSAGE_RECEIVE, BOTH, 0, 50, 61)->number = 1;
		work(&t, 1, 63, 5);
		if (eager) { /* ended before its receive began */
			message(&t, 0, MESSAGE_SEND, BOTH, 1, 70, 71)->number = 2;
			message(&t, 1, MESSAGE_RECEIVE, BOTH, 0, 80, 81)->number = 2;
		}
		load(&s, &t);
		expect(&s, 0, 1, OP_POST, 7);
		if (eager) {
			expect(&s, 0, 2, OP_LAUNCH, 52);
		} else {
			expect(&s, 0, 2, OP_AWAIT, 0);
			expect(&s, 0, 3, OP_LAUNCH, 12);
		}
		schedule_release(&s);
	}
}

/* Requests: what began in one call is waited for in another. */
static void a_request_is_waited_for_where_the_program_does(void **state)
{
	struct trace t;
	struct schedule s;

	(void)state;
	trace_init(&t);
	work(&t, 0, 1, 5);
	message(&t, 0, MESSAGE_SEND, MESSAGE_BEGINS, 1, 40, 41);
	work(&t, 1, 1, 5);
	message(&t, 1, MESSAGE_RECEIVE, MESSAGE_BEGINS, 0, 5, 6);
	work(&t, 1, 10, 5);
	message(&t, 1, MESSAGE_RECEIVE, MESSAGE_ENDS, 0, 20, 45);
	work(&t, 1, 46, 5);
	load(&s, &t);
	expect(&s, 1, 1, OP_POST, 2);
	expect(&s, 1, 2, OP_LAUNCH, 5);
	expect(&s, 1, 3, OP_AWAIT, 8);
	expect(&s, 1, 4, OP_LAUNCH, 6);
	assert_int_equal(s.thread[0].op_count, 2); /* nobody waits for the send's end */
	schedule_release(&s);
}

static void all_wait_for_the_last_the_root_for_all_and_all_for_the_root(void **state)
{
	static const struct {
		enum message_kind kind;
		int64_t moved_us[3]; /* where rank 0, which is the root, comes 30 us later */
	} cases[] = {
		{ MESSAGE_OF_ALL, { 30, 10, 10 } }, /* rank 2 came 20 us after rank 0 */
		{ MESSAGE_FROM_ROOT, { 30, 30, 10 } },
		{ MESSAGE_TO_ROOT, { 10, 0, 0 } },
	};
	struct trace t;
	struct schedule s;

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		trace_init(&t);
		for (int rank = 0; rank < 3; rank++) {
			work(&t, rank, 1, 5);
			message(&t, rank, cases[k].kind, BOTH,
				cases[k].kind == MESSAGE_OF_ALL ? -1 : 0, rank == 2 ? 40 : 20, 42);
			work(&t, rank, 43, 5);
		}
		load(&s, &t);
		const struct begun before = played(&s, 0), after = played(&s, 30);
		for (int rank = 0; rank < 3; rank++)
			if (cases[k].kind != MESSAGE_OF_ALL || rank)
				assert_int_equal(after.at_ps[rank] - before.at_ps[rank],
						 cases[k].moved_us[rank] * US * 1000);
			else /* it waited 20 us, and is now the last */
				assert_int_equal(after.at_ps[rank] - before.at_ps[rank],
						 10 * US * 1000);
		schedule_release(&s);
	}
}

static void who_has_no_partner_takes_what_it_took(void **state)
{
	struct trace t;
	struct schedule s;

	(void)state;
	trace_init(&t);
	work(&t, 0, 1, 5);
	message(&t, 0, MESSAGE_RECEIVE, BOTH, 1, 10, 60);
	work(&t, 0, 62, 5);
	work(&t, 1, 1, 5);
	load(&s, &t);
	assert_int_equal(s.messages_alone, 1);
	expect(&s, 0, 1, OP_POST, 7);
	expect(&s, 0, 2, OP_LAUNCH, 52);
	schedule_release(&s);
}

/* An MPI that knows of GPUs calls CUDA while it waits. */
static void a_wait_within_a_call_of_cuda_stands_behind_it(void **state)
{
	struct trace t;
	struct schedule s;

	(void)state;
	make_pair(&t);
	work(&t, 1, 50, 5);
	work(&t, 1, 99, 5); /* at 99 to 101; the send began at 100 */
	load(&s, &t);
	expect(&s, 1, 1, OP_POST, 7);
	expect(&s, 1, 2, OP_LAUNCH, 40);
	expect(&s, 1, 3, OP_LAUNCH, 47);
	expect(&s, 1, 4, OP_AWAIT, 0);
	expect(&s, 1, 5, OP_LAUNCH, 11);
	schedule_release(&s);
}

static void rows_that_cannot_be_are_refused_by_number(void **state)
{
	static const struct {
		const char *says;
		int64_t end_us;
		int32_t kind, phase;
	} bad[] = {
		{ "message row 1 ends before it starts", 5, MESSAGE_SEND, BOTH },
		{ "message row 1 is of kind 9 and phase 3", 20, 9, BOTH },
		{ "message row 1 is of kind 1 and phase 4", 20, MESSAGE_SEND, 4 },
	};
	struct trace t;
	struct schedule s;
	struct said said;

	(void)state;
	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		trace_init(&t);
		work(&t, 0, 1, 5);
		message(&t, 0, (enum message_kind)bad[k].kind, bad[k].phase, 1, 10, bad[k].end_us);
		said_begin(&said);
		schedule_init(&s);
		assert_int_equal(schedule_from_trace(&s, &t, -1), -1);
		assert_says(&said, bad[k].says);
		schedule_release(&s);
		trace_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_receive_waits_for_its_send_and_takes_what_it_took_after_it),
		cmocka_unit_test(
			a_send_waits_for_its_receive_unless_one_of_its_size_was_seen_not_to),
		cmocka_unit_test(a_request_is_waited_for_where_the_program_does),
		cmocka_unit_test(all_wait_for_the_last_the_root_for_all_and_all_for_the_root),
		cmocka_unit_test(who_has_no_partner_takes_what_it_took),
		cmocka_unit_test(a_wait_within_a_call_of_cuda_stands_behind_it),
		cmocka_unit_test(rows_that_cannot_be_are_refused_by_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
