/* SPDX-License-Identifier: MIT
 * Threads of a foreign program that wait for each other where nobody records it.
 */
#include "traces/schedule/schedule.h"
#include "schedule_kit.h"
#include "support.h"

enum { US = 1000 };

/* MAIN launches; SECOND, idle until then, launches more; MAIN, idle meanwhile, waits for the GPU.
 */
static void make(struct trace *t)
{
	trace_init(t);
	launch(t, MAIN, 100, 0, 7, "k", 5 * US);
	launch(t, SECOND, 50 * US, 0, 7, "k", 40 * US);
	launch(t, SECOND, 55 * US, 0, 7, "k", 40 * US);
	sync_row(t, call(t, MAIN, 58 * US, "cudaDeviceSynchronize_v3020"), 0, 0, 4, -1, -1);
}

static int turns_of(const struct schedule *s)
{
	int count = 0;

	for (int64_t k = 0; k < s->op_count; k++)
		count += (s->op[k].kind == OP_POST || s->op[k].kind == OP_AWAIT) &&
			 s->op[k].flags & OP_INFERRED;
	return count;
}

static void a_call_after_a_long_pause_comes_after_the_last_of_another_thread(void **state)
{
	static const struct {
		enum op_kind kind;
		int64_t before_ns;
	} expected[] = {
		{ OP_LAUNCH, 0 },
		{ OP_POST, 0 },
		{ OP_AWAIT, 0 },
		{ OP_SYNC_GPU, 58 * US - (55 * US + 10) }, /* MAIN */
		{ OP_AWAIT, 0 },
		{ OP_LAUNCH, 50 * US - 110 },
		{ OP_LAUNCH, 5 * US - 10 },
		{ OP_POST, 0 }, /* SECOND */
	};
	struct schedule s;
	struct trace t;

	(void)state;
	make(&t);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.op_count, 8);
	for (int k = 0; k < 8; k++) {
		assert_int_equal(s.op[k].kind, expected[k].kind);
		assert_int_equal(s.op[k].before_ps, 1000 * expected[k].before_ns);
	}
	assert_int_equal(s.op[1].object, s.op[4].object); /* SECOND waits for MAIN's launch */
	assert_int_equal(s.op[1].value, s.op[4].value);
	assert_int_equal(s.op[7].object, s.op[2].object); /* MAIN for SECOND's last */
	assert_int_equal(s.op[7].value, s.op[2].value);
	assert_int_not_equal(s.op[1].object, s.op[2].object);
	schedule_release(&s);
	trace_release(&t);
}

/* SECOND waits for what MAIN recorded, twice, each time right after it had made another call: a
 * barrier stood between that nobody saw. Between GPUs, of which the schedule says so. */
static void a_wait_for_another_threads_event_follows_its_record(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t);
	for (int k = 0; k < 2; k++) {
		const int64_t at_ns = 100 + US * k;
		launch(&t, MAIN, at_ns, 0, 7, "k", US / 2);
		record(&t, MAIN, at_ns + 100, 0, 7, 5, 50 + k);
		launch(&t, SECOND, at_ns + 50, 1, 8, "k", US / 2);
		wait(&t, SECOND, at_ns + 200, 1, 8, 5, 50 + k);
		record(&t, SECOND, at_ns + 220, 1, 8, 6, 60 + k);
		wait(&t, SECOND, at_ns + 240, 1, 9, 6, 60 + k);
	}
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(turns_of(&s), 4);
	int64_t met = 0;
	for (int64_t k = 1; k < s.op_count; k++) {
		if (s.op[k].kind != OP_WAIT)
			continue;
		const bool other = s.op[k].flags & OP_OTHER_GPU;
		assert_int_equal(s.op[k - 1].kind, other ? OP_AWAIT : OP_RECORD);
		if (!other) /* its own thread's: nothing to follow */
			continue;
		/* what it did itself began when the record had been made */
		assert_int_equal(s.op[k].before_ps, 1000 * (200 - 110));
		for (int64_t r = 0; r + 1 < s.op_count; r++)
			if (s.op[r].kind == OP_RECORD && s.op[r].object == s.op[k].object) {
				assert_int_equal(s.op[r + 1].kind, OP_POST);
				assert_int_equal(s.op[r + 1].object, s.op[k - 1].object);
				assert_int_equal(s.op[r + 1].value, s.op[k - 1].value);
				met++;
			}
	}
	assert_int_equal(met, 2); /* each record is an event of its own */
	schedule_release(&s);
	trace_release(&t);
}

/* The host is free here: without turns MAIN would be back before SECOND has launched anything. */
static void a_synchronization_waits_for_what_the_other_thread_had_launched(void **state)
{
	struct platform platform;
	struct kernel_model model = { .ops = kernel_model_find("recorded"), .platform = &platform };
	struct simulation_result result;
	struct schedule s;
	struct trace t;

	(void)state;
	platform_of(&platform, "free");
	make(&t);
	note(&t, MAIN, 0, NOTE_MARK, MARK_CORE_BEGIN, 0);
	note(&t, MAIN, 59 * US, NOTE_MARK, MARK_CORE_END, 0);
	assert_int_equal(load(&s, &t, -1), 0);
	for (int64_t k = 0; k < s.op_count; k++)
		s.op[k].before_ps = 0;
	const struct simulation_setup setup = { .schedule = &s,
						.platform = &platform,
						.model = &model };
	assert_int_equal(simulation_run(&setup, &result), 0);
	assert_true(result.core_ps >= 85 * US * 1000 && result.core_ps < 87 * US * 1000);
	assert_int_equal(result.gpu[0].kernel_ps, 85 * US * 1000);
	simulation_result_release(&result);
	schedule_release(&s);
	trace_release(&t);
	platform_release(&platform);
}

static void nothing_is_guessed_of_those_that_do_not_pause_or_tell_themselves(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	trace_init(&t); /* calls all along */
	for (int k = 0; k < 20; k++) {
		launch(&t, MAIN, 100 + US * k, 0, 7, "k", US / 2);
		launch(&t, SECOND, 500 + US * k, 0, 8, "k", US / 2);
	}
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(turns_of(&s), 0);
	schedule_release(&s);
	trace_release(&t);
	make(&t); /* threads of two processes */
	for (size_t k = 0; k < t.api_count; k++)
		if ((t.api[k].global_tid & 0xffffff) == SECOND)
			t.api[k].global_tid = (int64_t)77 << 24 | SECOND;
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(turns_of(&s), 0);
	schedule_release(&s);
	trace_release(&t);
	make(&t); /* threads that meet at barriers */
	note(&t, MAIN, 40 * US, NOTE_BARRIER, 1, 0);
	note(&t, SECOND, 40 * US, NOTE_BARRIER, 1, 0);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(turns_of(&s), 0);
	schedule_release(&s);
	trace_release(&t);
	make(&t); /* a solver of ours */
	*trace_add_run(&t) = (struct trace_run){ .start_ns = 1,
						 .end_ns = 200 * US,
						 .solver = trace_string(&t, "rbsor"),
						 .config = trace_string(&t, "size=8x8"),
						 .gpus = 1 };
	assert_int_equal(load(&s, &t, 0), 0);
	assert_int_equal(turns_of(&s), 0);
	schedule_release(&s);
	trace_release(&t);
	make(&t); /* a mark is no call, neither of those that wait nor of those waited for */
	note(&t, MAIN, 57 * US, NOTE_MARK, MARK_CORE_BEGIN, 0);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(turns_of(&s), 4);
	schedule_release(&s);
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_after_a_long_pause_comes_after_the_last_of_another_thread),
		cmocka_unit_test(a_wait_for_another_threads_event_follows_its_record),
		cmocka_unit_test(a_synchronization_waits_for_what_the_other_thread_had_launched),
		cmocka_unit_test(nothing_is_guessed_of_those_that_do_not_pause_or_tell_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
