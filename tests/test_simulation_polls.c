/* SPDX-License-Identifier: MIT
 * When a channel sees what it waits for: as it polls, at a doorbell, and when it comes to it late.
 */
#include "simulation_bench.h"

enum { NO_STREAM = 0xffff };

/* GPU 1 waits for GPU 0's kernel of 10 us, then copies to it; at `called_ns` its host puts a kernel
 * of 1 ns into the stream. */
static double exchange_ends_ns(int64_t called_ns, const char *rung)
{
	struct bench b;
	make(&b, 2);
	b.schedule.event_count = 1;
	say(&b, "doorbell.silent_exchange_ns=65936");
	say(&b, rung);
	say(&b, "doorbell.poll_ns=20");
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

static void a_call_makes_a_waiting_gpu_poll_again(void **state)
{
	(void)state;
	const char *rung = "doorbell.rung_exchange_ns=65736"; /* 100 off each event */
	NEAR(exchange_ends_ns(0, rung), 10000 + 200 + 1000);
	NEAR(exchange_ends_ns(10050, rung), 10050 + 100 + 1000 + 1); /* polls then */
	NEAR(exchange_ends_ns(10150, rung), 10000 + 200 + 1000 + 1); /* would have polled before */
	NEAR(exchange_ends_ns(9990, rung), 10000 + 100 + 1000 + 1);  /* still polling */
	NEAR(exchange_ends_ns(9900, rung), 10000 + 200 + 1000 + 1);  /* no longer */
	NEAR(exchange_ends_ns(10050, "doorbell.rung_exchange_ns=0"),
	     10000 + 200 + 1000 + 1); /* never measured */
}

/* A kernel of nothing lasts 1 there: polls until 501 after its call, then polls at 1501, 2501, ...;
 * 29 from then on. */
static const char polls[] =
	"[copy.d2h]\nidle_bytes = 1 1000\nidle_ns = 1 1000\nbehind_kernel_ns = 1 1000\n"
	"[poll]\ncopy_period_ns = 1000\ncopy_polled_ns = 500\ncopy_least_ns = 30\n";

/* GPU 1 has a kernel, then waits for GPU 0's kernel of 1 us, long over, and has a kernel of 100 ns.
 * A `call_ns` of the host lies before the wait. */
static double passed_ns(int64_t kernel_ns, int64_t call_ns, bool of_other_gpu, bool behind_copy,
			int waits)
{
	struct bench b;
	make_with(&b, 2, polls);
	b.schedule.event_count = 1;
	say(&b, "doorbell.silent_exchange_ns=65936");
	say(&b, "stream.wait_peer_ns=40");
	schedule_add_thread(&b.schedule, "host", 0);
	add_launch(&b.schedule, of_other_gpu ? 0 : 1, 1000);
	add(&b, OP_RECORD, of_other_gpu ? 0 : 1, 0);
	add_launch(&b.schedule, 1, of_other_gpu ? kernel_ns : kernel_ns - 1000);
	if (behind_copy)
		add_copy(&b.schedule, 1, COPY_PEER, 1, 0, 1000);
	schedule_add_op(&b.schedule, OP_HOST, NO_STREAM, 0)->duration_ps = call_ns * 1000;
	for (int k = 0; k < waits; k++)
		add(&b, OP_WAIT, 1, 0);
	add_launch(&b.schedule, 1, 100);
	double end = end_ns(&b.schedule, &b.platform);
	drop(&b);
	return end;
}

static void a_stream_that_is_long_ahead_reads_another_gpus_event(void **state)
{
	(void)state;
	NEAR(passed_ns(5000, 0, true, false, 1), 5000 + 40 + 100);
	NEAR(passed_ns(5000, 0, false, false, 1), 5000 + 100);	 /* an event of its own */
	NEAR(passed_ns(5000, 2000, true, false, 1), 5000 + 100); /* over when it was called */
	NEAR(passed_ns(1800, 900, true, false, 1), 1800 + 100);	 /* it has only just been called */
	NEAR(passed_ns(5000, 0, true, true, 1), 6000 + 100); /* while turning back from a copy */
	NEAR(passed_ns(5000, 0, true, false, 3), 5000 + 40 + 100); /* the others at once */
}

/* From a launch's return to the return of the synchronisation behind a copy down behind it. */
static double copied_ns(const char *sections_more, int64_t kernel_ns)
{
	struct bench b;
	make_with(&b, 1, sections_more);
	schedule_add_thread(&b.schedule, "host", 0);
	add_launch(&b.schedule, 0, kernel_ns);
	add_copy(&b.schedule, 0, COPY_D2H, 0, 0, 1);
	add(&b, OP_SYNC, 0, 0);
	double end = end_ns(&b.schedule, &b.platform);
	drop(&b);
	return end;
}

static void a_copy_behind_a_kernel_goes_on_when_its_channel_polls(void **state)
{
	(void)state;
	NEAR(copied_ns(polls, 100), 100 + 29);
	NEAR(copied_ns(polls, 501), 501 + 29);
	NEAR(copied_ns(polls, 502), 1501 + 29);
	NEAR(copied_ns(polls, 1501), 1501 + 29);
	NEAR(copied_ns(polls, 1502), 2501 + 29);
	NEAR(copied_ns("", 501), 501 + 1); /* never measured: as the chain has it */
}

/* The same where the call of the copy takes 200, of which 50 by itself, on the last of so many
 * threads. */
static double copied_by_ns(int threads, int64_t kernel_ns)
{
	struct bench b;
	char *more = xprintf("%scopy_call_ns = 50\n", polls);
	make_with(&b, (uint32_t)threads, more);
	free(more);
	say(&b, "host.copy_d2h_ns=200");
	for (int t = 0; t < threads; t++) {
		schedule_add_thread(&b.schedule, "host", (uint16_t)t);
		if (t < threads - 1)
			continue;
		add_launch(&b.schedule, (uint16_t)t, kernel_ns);
		add_copy(&b.schedule, (uint16_t)t, COPY_D2H, (uint16_t)t, 0, 1);
		add(&b, OP_SYNC, (uint16_t)t, 0);
	}
	double end = end_ns(&b.schedule, &b.platform);
	drop(&b);
	return end;
}

static void a_channel_polls_from_when_its_call_began_to_work(void **state)
{
	(void)state;
	NEAR(copied_by_ns(1, 501), 501 + 29); /* alone, at once */
	NEAR(copied_by_ns(1, 502), 1501 + 29);
	NEAR(copied_by_ns(2, 651), 651 + 29); /* threads wait for each other first: 150 */
	NEAR(copied_by_ns(2, 652), 1651 + 29);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_makes_a_waiting_gpu_poll_again),
		cmocka_unit_test(a_stream_that_is_long_ahead_reads_another_gpus_event),
		cmocka_unit_test(a_copy_behind_a_kernel_goes_on_when_its_channel_polls),
		cmocka_unit_test(a_channel_polls_from_when_its_call_began_to_work),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
