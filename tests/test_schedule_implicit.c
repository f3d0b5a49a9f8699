/* SPDX-License-Identifier: MIT
 * What the legacy default stream waits for and who for it, by hand.
 */
#include "traces/schedule/schedule.h"
#include "schedule_kit.h"
#include "support.h"

enum { LEGACY = 7, BLOCKING = 13, OTHER = 14, FREE = 15, US = 1000 };

static void describe(struct trace *t, int gpu, int stream, int flag)
{
	*trace_add_stream(t) = (struct trace_stream){
		.stream = stream, .context = gpu + 1, .flag = flag, .process = PID
	};
}

/* Two blocking streams, one that is not, and the legacy one, of one GPU. */
static void describe_all(struct trace *t)
{
	describe(t, 0, LEGACY, 3);
	describe(t, 0, BLOCKING, 1);
	describe(t, 0, OTHER, 1);
	describe(t, 0, FREE, 2);
}

/* "L7 R13 W7": the operations and the streams they are in; "*" is one of the program's own. */
static void assert_ops(const struct schedule *s, const char *expected)
{
	static const char letter[OP_KIND_COUNT] = {
		[OP_LAUNCH] = 'L', [OP_RECORD] = 'R', [OP_WAIT] = 'W', [OP_COPY] = 'C'
	};
	char said[1024] = "";

	for (int64_t k = 0; k < s->op_count; k++) {
		const struct schedule_op *op = &s->op[k];
		const bool edge = op->kind == OP_RECORD || op->kind == OP_WAIT;

		snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s%c%d%s", k ? " " : "",
			 letter[op->kind] ? letter[op->kind] : '?', (int)s->stream[op->stream].id,
			 edge && !(op->flags & OP_INFERRED) ? "*" : "");
	}
	assert_string_equal(said, expected);
}

static void expect(struct trace *t, const char *expected)
{
	struct schedule s;

	assert_int_equal(load(&s, t, -1), 0);
	assert_int_equal(s.anomaly_count, 0);
	assert_ops(&s, expected);
	schedule_release(&s);
	trace_release(t);
}

static void both_wait_for_each_other(void **state)
{
	struct trace t;

	(void)state;
	trace_init(&t);
	describe_all(&t);
	launch(&t, MAIN, 1 * US, 0, BLOCKING, "k", US);
	launch(&t, MAIN, 2 * US, 0, OTHER, "k", US);
	launch(&t, MAIN, 3 * US, 0, LEGACY, "k", US);
	launch(&t, MAIN, 4 * US, 0, LEGACY, "k", US); /* has waited for all there is */
	launch(&t, MAIN, 5 * US, 0, BLOCKING, "k", US);
	launch(&t, MAIN, 6 * US, 0, BLOCKING, "k", US);
	copy(&t, MAIN, 7 * US, "cudaMemcpyAsync_v3020", 1, 0, 0, 4096); /* in stream 7 */
	expect(&t, "L13 L14 R14 W7 R13 W7 L7 L7 R7 W13 L13 L13 R13 W7 C7");
}

static void a_stream_that_does_not_block_is_left_alone(void **state)
{
	struct trace t;

	(void)state;
	trace_init(&t);
	describe_all(&t);
	launch(&t, MAIN, 1 * US, 0, LEGACY, "k", US);
	launch(&t, MAIN, 2 * US, 0, FREE, "k", US);
	launch(&t, MAIN, 3 * US, 0, LEGACY, "k", US);
	expect(&t, "L7 L15 L7");
}

static void without_a_description_nothing_is_known(void **state)
{
	struct trace t;

	(void)state;
	trace_init(&t);
	launch(&t, MAIN, 1 * US, 0, LEGACY, "k", US);
	launch(&t, MAIN, 2 * US, 0, BLOCKING, "k", US);
	launch(&t, MAIN, 3 * US, 0, LEGACY, "k", US);
	expect(&t, "L7 L13 L7");
}

/* Where nothing is ever put into the legacy stream, nobody waits for it. */
static void blocking_streams_do_not_wait_for_each_other(void **state)
{
	struct trace t;

	(void)state;
	trace_init(&t);
	describe_all(&t);
	launch(&t, MAIN, 1 * US, 0, BLOCKING, "k", US);
	launch(&t, MAIN, 2 * US, 0, OTHER, "k", US);
	launch(&t, MAIN, 3 * US, 0, BLOCKING, "k", US);
	expect(&t, "L13 L14 L13");
}

/* A record there is done when all before it is: how programs time several streams. */
static void a_record_in_it_waits_for_all(void **state)
{
	struct trace t;

	(void)state;
	trace_init(&t);
	describe_all(&t);
	launch(&t, MAIN, 1 * US, 0, BLOCKING, "k", US);
	record(&t, MAIN, 2 * US, 0, LEGACY, 3, -1);
	launch(&t, MAIN, 3 * US, 0, OTHER, "k", US);
	wait(&t, MAIN, 4 * US, 0, OTHER, 3, -1);
	expect(&t, "L13 R13 W7 R7* R7 W14 L14 W14*");
}

static void each_context_has_its_own(void **state)
{
	struct trace t;

	(void)state;
	trace_init(&t);
	describe_all(&t);
	describe(&t, 1, LEGACY, 3);
	describe(&t, 1, BLOCKING, 1);
	launch(&t, MAIN, 1 * US, 0, LEGACY, "k", US);
	launch(&t, MAIN, 2 * US, 1, BLOCKING, "k", US);
	launch(&t, MAIN, 3 * US, 1, LEGACY, "k", US);
	expect(&t, "L7 L13 R13 W7 L7");
}

/* The order is that of the calls, whichever thread makes them. */
static void threads_wait_for_each_other(void **state)
{
	struct trace t;

	(void)state;
	trace_init(&t);
	describe_all(&t);
	launch(&t, MAIN, 1 * US, 0, BLOCKING, "k", US);
	launch(&t, SECOND, 2 * US, 0, LEGACY, "k", US);
	launch(&t, MAIN, 3 * US, 0, BLOCKING, "k", US);
	expect(&t, "L13 R7 W13 L13 R13 W7 L7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_wait_for_each_other),
		cmocka_unit_test(a_stream_that_does_not_block_is_left_alone),
		cmocka_unit_test(without_a_description_nothing_is_known),
		cmocka_unit_test(blocking_streams_do_not_wait_for_each_other),
		cmocka_unit_test(a_record_in_it_waits_for_all),
		cmocka_unit_test(each_context_has_its_own),
		cmocka_unit_test(threads_wait_for_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
