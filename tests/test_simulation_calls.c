/* SPDX-License-Identifier: MIT
 * What calls cost and do beyond their price: cold ones, interrupted ones, those that make a waiting GPU look again, and posts with
 * and without sleepers.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>

enum { NO_STREAM = 0xffff };

struct bench { struct schedule schedule; struct platform platform; };

/* Beside what is free: lists whose lengths hang together, so that they cannot be set one by one. */
static const char sections[] = "[cold]\nwaited_ns = 100 1000 10000\nlaunch_ns = 0 0 0\nfirst_launch_ns = 0 0 0\n"
			       "[sleep]\npost_quiet_ns = 0\npost_ns = 0\nawait_quiet_ns = 0\nwake_ns = 0\nafter_ns = 0\nwaited_ns = 1000 3000\nlonger_ns = 0 0\n"
			       "[host]\nloop_copy_h2d_ns = 3000\n[stream]\nexchange_bytes = 65536\nexchange_ns = 65936\n"; /* beyond the copy's 65536: two hops of 200 */

/* A stream a GPU. */
static void make(struct bench *b, uint32_t gpus)
{
	char *path = xprintf("/tmp/warpreel-test-calls-%ld.ini", (long)getpid()), *text = text_of("tests/cases/lib/free.ini");
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n%s", text, sections);
	fclose(file);
	assert_int_equal(platform_read(&b->platform, path), 0);
	unlink(path);
	free(path);
	free(text);
	schedule_init(&b->schedule);
	b->schedule.gpu_count = gpus;
	for (uint32_t g = 0; g < gpus; g++)
		schedule_add_stream(&b->schedule, (uint16_t)g, 0);
}

static void drop(struct bench *b)
{
	schedule_release(&b->schedule);
	platform_release(&b->platform);
}

static void add(struct bench *b, enum op_kind kind, uint16_t stream, uint32_t object)
{
	schedule_add_op(&b->schedule, kind, stream, object);
}

static void say(struct bench *b, const char *assignment)
{
	assert_int_equal(platform_set(&b->platform, assignment), 0);
}

static void a_call_after_a_wait_costs_more_once(void **state)
{
	(void)state;
	struct bench b;
	make(&b, 1);
	say(&b, "cold.launch_ns=7 10 100");
	schedule_add_thread(&b.schedule, "host", 0);
	add_launch(&b.schedule, 0, 5000);
	add(&b, OP_SYNC, 0, 0);
	add_launch(&b.schedule, 0, 1000); /* 5000 waited: 50 more */
	add_launch(&b.schedule, 0, 1000); /* warm again */
	NEAR(end_ns(&b.schedule, &b.platform), 5000 + 50 + 2000);
	say(&b, "cold.first_launch_ns=5 50 500"); /* the first of the thread has waited for nothing */
	NEAR(end_ns(&b.schedule, &b.platform), 5 + 5000 + 50 + 2000);
	say(&b, "host.launch_ns=10"); /* nothing to be in proportion to */
	say(&b, "host.launch_ns=20"); /* these costs follow the plain one ... */
	say(&b, "host.launch_ns=0"); /* ... also to nothing */
	NEAR(end_ns(&b.schedule, &b.platform), 5000 + 2000);
	say(&b, "cold.launch_ns=7 10 100");
	say(&b, "cold.first_launch_ns=5 50 500");
	say(&b, "cold.waited_ns=5000 10000 20000"); /* no longer than the first: warm */
	NEAR(end_ns(&b.schedule, &b.platform), 5 + 5000 + 2000);
	drop(&b);
}

static double total_ns(struct bench *b)
{
	struct kernel_model model = { .ops = kernel_model_find("zero"), .platform = &b->platform };
	struct simulation_setup setup = { .schedule = &b->schedule, .platform = &b->platform, .model = &model, .seed = 1 };
	struct simulation_result result;
	assert_int_equal(simulation_run(&setup, &result), 0);
	simulation_result_release(&result);
	return (double)result.end_ps / 1000;
}

static void one_call_in_five_hundred_is_interrupted_where_costs_leave_that_out(void **state)
{
	(void)state;
	struct bench b;
	make(&b, 2);
	say(&b, "host.call_quantiles=1 1");
	say(&b, "host.thread_quantiles=1 1");
	schedule_add_thread(&b.schedule, "host 0", 0); /* 5000 launches */
	for (int k = 0; k < 5000; k++) {
		add_launch(&b.schedule, 0, 0);
		add(&b, OP_SYNC, 0, 0);
	}
	double alone = total_ns(&b);
	say(&b, "cold.slowest_call_ns=1e6");
	NEAR(total_ns(&b), alone); /* the loop of one thread is a plain mean */
	schedule_add_thread(&b.schedule, "host 1", 1);
	double more = (total_ns(&b) - alone) / 1e6;
	assert_true(more >= 3 && more <= 20);
	drop(&b);
}

/* GPU 1 waits for GPU 0's kernel of 10 us, then copies to it; at `called_ns` its host puts a kernel of 1 ns into the stream. */
static double exchange_ends_ns(int64_t called_ns, const char *rung)
{
	struct bench b;
	make(&b, 2);
	b.schedule.event_count = 1;
	say(&b, "ring.silent_exchange_ns=65936");
	say(&b, rung);
	say(&b, "ring.look_ns=20");
	schedule_add_thread(&b.schedule, "host", 0);
	add_launch(&b.schedule, 0, 10000);
	add(&b, OP_RECORD, 0, 0);
	add(&b, OP_WAIT, 1, 0);
	add_copy(&b.schedule, 1, COPY_PEER, 1, 0, 1000);
	if (called_ns) {
		schedule_add_op(&b.schedule, OP_HOST, NO_STREAM, 0)->duration_ps = called_ns * 1000;
		add_launch(&b.schedule, 1, 1);
	}
	double end = end_ns(&b.schedule, &b.platform);
	drop(&b);
	return end;
}

static void a_call_makes_a_waiting_gpu_look_again(void **state)
{
	(void)state;
	const char *rung = "ring.rung_exchange_ns=65736"; /* 100 off each hop */
	NEAR(exchange_ends_ns(0, rung), 10000 + 200 + 1000);
	NEAR(exchange_ends_ns(10050, rung), 10050 + 100 + 1000 + 1);  /* looks then */
	NEAR(exchange_ends_ns(10150, rung), 10000 + 200 + 1000 + 1);  /* would have looked before */
	NEAR(exchange_ends_ns(9990, rung), 10000 + 100 + 1000 + 1);   /* still looking */
	NEAR(exchange_ends_ns(9900, rung), 10000 + 200 + 1000 + 1);   /* no longer */
	NEAR(exchange_ends_ns(10050, "ring.rung_exchange_ns=0"), 10000 + 200 + 1000 + 1); /* never measured */
}

static void add_counter_op(struct bench *b, enum op_kind kind, int64_t value, unsigned flags)
{
	struct schedule_op *op = schedule_add_op(&b->schedule, kind, NO_STREAM, 0);
	op->value = value;
	op->flags = (uint8_t)flags;
}

static void add_host(struct bench *b, int64_t ns)
{
	schedule_add_op(&b->schedule, OP_HOST, NO_STREAM, 0)->duration_ps = ns * 1000;
}

/* One thread posts 1 at 1000 and 2 after `more_ns`; the other awaits `value` from `since_ns` on. */
static void tell(struct bench *b, int64_t since_ns, int64_t value, int64_t more_ns, unsigned flags)
{
	make(b, 2);
	b->schedule.counter_count = 1;
	schedule_add_thread(&b->schedule, "waits", 0);
	add_host(b, since_ns);
	add_counter_op(b, OP_AWAIT, value, flags);
	schedule_add_thread(&b->schedule, "posts", 1);
	add_host(b, 1000);
	add_counter_op(b, OP_POST, 1, flags);
	add_host(b, more_ns);
	add_counter_op(b, OP_POST, 2, flags);
}

static void a_post_costs_more_when_someone_sleeps(void **state)
{
	(void)state;
	struct bench b;
	tell(&b, 5000, 1, 100, 0); /* nobody is there yet */
	say(&b, "sleep.post_ns=1500");
	say(&b, "sleep.post_quiet_ns=30");
	say(&b, "sleep.await_quiet_ns=7");
	NEAR(end_ns(&b.schedule, &b.platform), 5007);
	b.schedule.op[0].duration_ps = 0;
	b.schedule.op[4].duration_ps = 9000 * 1000;
	NEAR(end_ns(&b.schedule, &b.platform), 1000 + 1500 + 9000 + 30);
	b.schedule.op[1].value = 2; /* woken in vain by the first */
	NEAR(end_ns(&b.schedule, &b.platform), 1000 + 1500 + 9000 + 1500);
	say(&b, "host.post_block_ns=10"); /* nothing to be in proportion to: taken for both */
	NEAR(end_ns(&b.schedule, &b.platform), 1000 + 10 + 9000 + 10);
	drop(&b);
	tell(&b, 0, 1, 9000, OP_SPIN); /* spinners are none of its business */
	say(&b, "sleep.post_ns=1500");
	say(&b, "sleep.post_quiet_ns=30");
	say(&b, "sleep.wake_ns=700");
	NEAR(end_ns(&b.schedule, &b.platform), 1000 + 9000);
	drop(&b);
}

static void waking_takes_longer_the_longer_one_sleeps(void **state)
{
	(void)state;
	struct bench b;
	tell(&b, 0, 2, 1000, 0); /* sleeps 2000 */
	say(&b, "sleep.wake_ns=500");
	NEAR(end_ns(&b.schedule, &b.platform), 2000 + 500);
	say(&b, "sleep.longer_ns=-100 300");
	NEAR(end_ns(&b.schedule, &b.platform), 2000 + 500 + 100);
	b.schedule.op[0].duration_ps = 1500 * 1000; /* sleeps 500: no less than for the first length */
	NEAR(end_ns(&b.schedule, &b.platform), 2000 + 500 - 100);
	say(&b, "sleep.longer_ns=-1000 300");
	NEAR(end_ns(&b.schedule, &b.platform), 2000);
	drop(&b);
}

static void a_call_behind_a_sleep_costs_more_once(void **state)
{
	(void)state;
	struct bench b;
	tell(&b, 5000, 1, 100, 0);
	uint32_t end = (uint32_t)b.schedule.op_count;
	schedule_add_thread(&b.schedule, "sleeps", 0);
	add_counter_op(&b, OP_AWAIT, 2, 0); /* until 1100 */
	add_counter_op(&b, OP_AWAIT, 1, 0); /* there; it has slept all the same */
	add_launch(&b.schedule, 0, 0);
	add_launch(&b.schedule, 0, 0);
	add_host(&b, 8000);
	say(&b, "sleep.after_ns=400");
	NEAR(end_ns(&b.schedule, &b.platform), 1100 + 400 + 8000);
	b.schedule.op[end].value = b.schedule.op[end + 1].value = 0; /* late for both */
	NEAR(end_ns(&b.schedule, &b.platform), 8000);
	for (int value = 0; value < 2; value++) { /* the loop's copies up have half of it in them */
		drop(&b);
		tell(&b, 5000, 1, 100, 0);
		schedule_add_thread(&b.schedule, "copies up", 0);
		add_counter_op(&b, OP_AWAIT, value, 0);
		add_copy(&b.schedule, 0, COPY_H2D, 0, 0, 1);
		add_host(&b, 8000);
		say(&b, "sleep.after_ns=400");
		NEAR(end_ns(&b.schedule, &b.platform), value ? 1000 + 3000 + 200 + 8000 : 3000 - 200 + 8000);
	}
	drop(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_after_a_wait_costs_more_once),
		cmocka_unit_test(one_call_in_five_hundred_is_interrupted_where_costs_leave_that_out),
		cmocka_unit_test(a_call_makes_a_waiting_gpu_look_again),
		cmocka_unit_test(a_post_costs_more_when_someone_sleeps),
		cmocka_unit_test(waking_takes_longer_the_longer_one_sleeps),
		cmocka_unit_test(a_call_behind_a_sleep_costs_more_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
