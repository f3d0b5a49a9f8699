/* SPDX-License-Identifier: MIT
 * What calls and copies cost beyond their price: cold ones, interrupted ones, those among others.
 */
#include "simulation_bench.h"

#include <math.h>

enum { NO_STREAM = 0xffff };

static double spread_ns(struct bench *b, const struct kernel_model_ops *ops)
{
	struct kernel_model model = { .ops = ops, .platform = &b->platform };
	struct simulation_setup setup = {
		.schedule = &b->schedule, .platform = &b->platform, .model = &model, .seed = 1
	};
	struct simulation_result result;
	assert_int_equal(simulation_run(&setup, &result), 0);
	simulation_result_release(&result);
	return (double)result.end_ps / 1000;
}

static double total_ns(struct bench *b)
{
	return spread_ns(b, kernel_model_find("zero"));
}

static void one_call_in_five_hundred_is_interrupted_where_costs_leave_that_out(void **state)
{
	(void)state;
	struct bench b;
	make(&b, 2);
	say(&b, "host.call_quantiles=1 1");
	say(&b, "host.thread_quantiles=1 1");
	schedule_add_thread(&b.schedule, "host 0", 0);
	for (int k = 0; k < 5000; k++) /* of nothing else: a plain mean */
		add_launch(&b.schedule, 0, 0);
	double alone = total_ns(&b);
	say(&b, "host.slowest_call_ns=1e6");
	double more = (total_ns(&b) - alone) / 1e6;
	assert_true(more <= 1); /* the first two are not in a row */
	schedule_add_thread(&b.schedule, "host 1", 1);
	for (int k = 0; k < 5000; k++) {
		add_launch(&b.schedule, 1, 0);
		add(&b, OP_SYNC, 1, 0);
	}
	more = (total_ns(&b) - alone) / 1e6;
	assert_true(more >= 3 && more <= 20);
	drop(&b);
}

/* Calls of 100 ns, over a trimmed mean 1.25 on average. */
static void make_spread(struct bench *b)
{
	make(b, 2);
	say(b, "host.call_quantiles=1 1.5");
	say(b, "host.launch_ns=100");
	say(b, "host.launch_idle_ns=100");
	say(b, "host.record_ns=100");
	b->schedule.event_count = 1;
	schedule_add_thread(&b->schedule, "host 0", 0);
}

static void spread_keeps_what_is_a_mean_already(void **state)
{
	(void)state;
	struct bench b;
	enum { CALLS = 20000 };
	make_spread(&b);
	say(&b, "host.thread_quantiles=3 3");
	for (int k = 0; k < CALLS; k++)
		add_launch(&b.schedule, 0, 0);
	assert_true(fabs(total_ns(&b) / (100.0 * CALLS) - 1) <
		    0.01); /* and by itself it is the median thread */
	schedule_add_thread(&b.schedule, "host 1", 1);
	assert_true(fabs(total_ns(&b) / (100.0 * CALLS) - 3) < 0.03);
	drop(&b);

	make_spread(&b);
	for (int k = 0; k < CALLS; k++) { /* nothing comes in a row: trimmed means */
		add_launch(&b.schedule, 0, 0);
		add(&b, OP_RECORD, 0, 0);
	}
	schedule_add_thread(&b.schedule, "host 1", 1);
	assert_true(fabs(total_ns(&b) / (200.0 * CALLS) - 1.25) < 0.01);
	drop(&b);
}

/* An idle stream's, one among others, and from the third in a row on those of a plain loop; after
 * another call as launches among others. */
static void launches_among_launches_cost_those_of_a_plain_loop(void **state)
{
	static const char costs[] = "[host]\nloop_launch_idle_ns = 1000\n"
				    "loop_launch_ns = 300\nloop_launch_plain_ns = 70\n";
	(void)state;
	struct bench b;
	const double last_ns = 1e6;
	make_with(&b, 2, costs);
	b.schedule.event_count = 1;
	schedule_add_thread(&b.schedule, "host", 0);
	for (int k = 0; k < 4; k++)
		add_launch(&b.schedule, 0, 100000); /* 1000, 300, 70, 70 */
	add(&b, OP_RECORD, 0, 0);
	add_launch(&b.schedule, 0, 1);		      /* 300 */
	add_launch(&b.schedule, 0, 1);		      /* 300 */
	add_launch(&b.schedule, 1, (int64_t)last_ns); /* 70 */
	schedule_add_thread(&b.schedule, "other", 1);
	NEAR(end_ns(&b.schedule, &b.platform) - last_ns, 1000 + 300 + 70 + 70 + 300 + 300 + 70);
	drop(&b);
}

/* A copy up, two behind it, one down, whose byte the kernel waits for. */
static double four_copies_ns(void)
{
	static const char costs[] = "[host]\nloop_copy_h2d_ns = 500\nloop_copy_d2h_ns = 60\n"
				    "loop_copies_h2d_ns = 40\nloop_copies_d2h_ns = 7\n";
	struct bench b;
	make_with(&b, 1, costs);
	schedule_add_thread(&b.schedule, "host", 0);
	for (int k = 0; k < 4; k++)
		add_copy(&b.schedule, 0, k < 3 ? COPY_H2D : COPY_D2H, k < 3 ? 0xffff : 0,
			 k < 3 ? 0 : 0xffff, 1);
	add_launch(&b.schedule, 0, (int64_t)1e6);
	double end = end_ns(&b.schedule, &b.platform) - 1e6;
	b.platform.mechanisms.off[MECHANISM_LOOPS] = true;
	NEAR(end_ns(&b.schedule, &b.platform) - 1e6,
	     4); /* a call by itself costs nothing: four bytes in line */
	drop(&b);
	return end;
}

static void copies_among_copies_cost_those_of_a_loop_of_copies(void **state)
{
	(void)state;
	NEAR(four_copies_ns(), 500 + 40 + 40 + 60 + 1);
}

/* A copy that takes 1000 by itself and 300 behind another: 800 after the first was called it has
 * still 200 of its own way to go, and then no less than 300; called later, the rest of its way. */
static double queued_copy_ns(uint16_t stream, int64_t later_ns)
{
	struct bench b;
	make_with(&b, 1,
		  "[copy.h2d]\nidle_bytes = 1 1000\nidle_ns = 1000 1000\n"
		  "behind_kernel_ns = 1000 1000\nbehind_copy_ns = 300 300\n");
	schedule_add_stream(&b.schedule, 0, 1);
	schedule_add_thread(&b.schedule, "host", 0);
	add_copy(&b.schedule, 0, COPY_H2D, 0xffff, 0, 1000);
	if (later_ns)
		schedule_add_op(&b.schedule, OP_HOST, NO_STREAM, 0)->duration_ps = later_ns * 1000;
	add_copy(&b.schedule, stream, COPY_H2D, 0xffff, 0, 1000);
	double end = end_ns(&b.schedule, &b.platform);
	b.platform.mechanisms.off[MECHANISM_COPY_QUEUED] = true;
	NEAR(end_ns(&b.schedule, &b.platform), 2000);
	drop(&b);
	return end;
}

static void a_copy_that_stood_at_its_engine_adds_what_copies_in_line_add(void **state)
{
	(void)state;
	for (uint16_t stream = 0; stream < 2; stream++) {
		NEAR(queued_copy_ns(stream, 0), 1000 + 300);
		NEAR(queued_copy_ns(stream, 200), 1000 + 300);
		NEAR(queued_copy_ns(stream, 900), 900 + 1000);
	}
}

/* Two threads that do nothing but record: their costs are those of threads that exchange, and
 * follow what is set of the plain ones. */
static void exchanging_threads_have_costs_of_their_own(void **state)
{
	(void)state;
	struct bench b;
	make_with(&b, 2, "[base.host]\nrecord_ns = 10\n");
	b.schedule.event_count = 2;
	say(&b, "host.record_ns=10");
	for (uint32_t t = 0; t < 2; t++) {
		schedule_add_thread(&b.schedule, "host", (uint16_t)t);
		for (int k = 0; k < 5; k++)
			add(&b, OP_RECORD, (uint16_t)t, t);
		add_launch(&b.schedule, (uint16_t)t, 1000);
	}
	NEAR(end_ns(&b.schedule, &b.platform), 5 * 10 + 1000);
	say(&b, "peer_exchange.record_ns=30");
	NEAR(end_ns(&b.schedule, &b.platform), 5 * 30 + 1000);
	say(&b, "host.record_ns=20");
	NEAR(end_ns(&b.schedule, &b.platform), 5 * 60 + 1000);
	drop(&b);
}

/* Waits for events that nobody recorded cost the host's calls alone: four for one of the same GPU,
 * four for one of another. */
static void a_wait_for_an_event_of_the_same_gpu_has_a_price_of_its_own(void **state)
{
	(void)state;
	for (uint32_t threads = 1; threads <= 2; threads++) {
		struct bench b;
		make_with(&b, 2, "[base.host]\nwait_ns = 10\n");
		b.schedule.event_count = 2;
		say(&b, "host.wait_ns=10");
		say(&b, "peer_exchange.wait_ns=30");
		for (uint32_t t = 0; t < threads; t++) {
			schedule_add_thread(&b.schedule, "host", (uint16_t)t);
			for (uint32_t k = 0; k < 8; k++) {
				add(&b, OP_WAIT, (uint16_t)t, k % 2);
				if (k % 2)
					b.schedule.op[b.schedule.op_count - 1].flags |=
						OP_OTHER_GPU;
			}
			add_launch(&b.schedule, (uint16_t)t, 1000);
		}
		const int other_ns = threads > 1 ? 30 : 10;
		NEAR(end_ns(&b.schedule, &b.platform), 8 * other_ns + 1000);
		say(&b, "host.loop_wait_own_ns=5");
		NEAR(end_ns(&b.schedule, &b.platform), 4 * (other_ns + 5) + 1000);
		say(&b, "host.wait_ns=20");
		NEAR(end_ns(&b.schedule, &b.platform), 2 * 4 * (other_ns + 5) + 1000);
		drop(&b);
	}
}

/* Two threads of a solver's run, each of which copies twice, records twice and launches twice. */
static void a_threads_first_call_of_a_kind_takes_longer(void **state)
{
	(void)state;
	struct bench b;
	make_with(&b, 2,
		  "[host]\nfirst_launch_ns = 300\nfirst_copy_ns = 40\nfirst_record_ns = 5\n");
	b.schedule.event_count = 2;
	for (uint16_t t = 0; t < 2; t++) {
		schedule_add_thread(&b.schedule, "host", t);
		for (int k = 0; k < 2; k++) {
			add_copy(&b.schedule, t, COPY_H2D, 0xffff, t, 0);
			add(&b, OP_RECORD, t, t);
		}
		for (int k = 0; k < 2; k++)
			add_launch(&b.schedule, t, 100000);
	}
	const double others = end_ns(&b.schedule, &b.platform);
	b.schedule.config = xstrdup("a solver's");
	/* The two copies take a nanosecond each, now beside the calls. */
	NEAR(end_ns(&b.schedule, &b.platform), others - 2 + 300 + 40 + 5);
	b.platform.mechanisms.off[MECHANISM_FIRST_CALLS] = true;
	NEAR(end_ns(&b.schedule, &b.platform), others);
	drop(&b);
}

/* Two kernels and a copy: with a host and copies that take no time, what the kernels last. */
static void models_that_are_free_leave_the_kernels(void **state)
{
	(void)state;
	struct bench b;
	make(&b, 1);
	say(&b, "host.launch_ns=5000");
	say(&b, "host.launch_idle_ns=7000");
	say(&b, "stream.start_latency_ns=3000");
	schedule_add_thread(&b.schedule, "host", 0);
	add_launch(&b.schedule, 0, 1000);
	add_copy(&b.schedule, 0, COPY_D2H, 0, 0, 1000);
	add_launch(&b.schedule, 0, 1000);
	add(&b, OP_SYNC, 0, 0);
	struct kernel_model model = { .ops = &given_model, .platform = &b.platform };
	struct simulation_setup setup = { .schedule = &b.schedule,
					  .platform = &b.platform,
					  .model = &model,
					  .host = &host_free,
					  .copies = &copy_free };
	struct simulation_result result;
	assert_int_equal(simulation_run(&setup, &result), 0);
	assert_int_equal(result.end_ps, 2000 * 1000);
	simulation_result_release(&result);
	setup.host = NULL;
	assert_int_equal(simulation_run(&setup, &result), 0);
	assert_int_equal(result.end_ps, (7000 + 5000 + 1000) * 1000);
	simulation_result_release(&result);
	drop(&b);
}

/* Up from pageable memory a copy was measured whole, with its call and the return of who waits. */
static void a_copy_from_pageable_memory_costs_what_it_was_measured_at(void **state)
{
	(void)state;
	struct bench b;
	make_of(&b, 1, "tests/cases/lib/small.ini",
		"[copy.h2d_pageable]\nbytes = 1 1000\nns = 9000 9000\n");
	schedule_add_thread(&b.schedule, "host", 0);
	const struct schedule_copy copy = {
		.kind = COPY_H2D, .source_gpu = 0xffff, .bytes = 1000, .rows = 1, .pageable = 1
	};
	schedule_add_op(&b.schedule, OP_COPY, 0, schedule_add_copy(&b.schedule, &copy));
	add(&b, OP_SYNC, 0, 0);
	NEAR(end_ns(&b.schedule, &b.platform), 9000);
	drop(&b);
}

static double copy_alone_ns(enum copy_kind kind, const char *links)
{
	struct bench b;
	make(&b, 1);
	if (links)
		say(&b, links);
	schedule_add_thread(&b.schedule, "host", 0);
	add_copy(&b.schedule, 0, kind, 0, 0, 1000);
	double end = end_ns(&b.schedule, &b.platform);
	drop(&b);
	return end;
}

/* A copy of rows takes its bytes' time and each row's own; one in a piece has no row. */
static void each_row_of_a_copy_has_its_price(void **state)
{
	(void)state;
	for (int rows = 1; rows <= 50; rows += 49) {
		struct bench b;
		make(&b, 1);
		say(&b, "copy.h2d.row_ns=20");
		schedule_add_thread(&b.schedule, "host", 0);
		const struct schedule_copy copy = {
			.kind = COPY_H2D, .source_gpu = 0xffff, .bytes = 1000, .rows = rows
		};
		schedule_add_op(&b.schedule, OP_COPY, 0, schedule_add_copy(&b.schedule, &copy));
		NEAR(end_ns(&b.schedule, &b.platform), rows > 1 ? 1000 + 50 * 20 : 1000);
		drop(&b);
	}
}

/* Bytes at one a ns were measured on links of eight; on links of another rate they take as much
 * more or less as the links do. */
static void a_copy_alone_follows_the_links_that_are_set(void **state)
{
	(void)state;
	NEAR(copy_alone_ns(COPY_H2D, NULL), 1000);
	NEAR(copy_alone_ns(COPY_H2D, "share.h2d.bytes_per_s=4e9 8e9"), 1000 + 125);
	NEAR(copy_alone_ns(COPY_H2D, "share.h2d.bytes_per_s=16e9 16e9"), 1000 - 62.5);
	NEAR(copy_alone_ns(COPY_H2D, "share.d2h.bytes_per_s=4e9 8e9"),
	     1000); /* not its direction */
	NEAR(copy_alone_ns(COPY_D2H, NULL), 1000);
	NEAR(copy_alone_ns(COPY_D2H, "share.d2h.bytes_per_s=4e9 8e9"), 1000 + 125);
	NEAR(copy_alone_ns(COPY_D2H, "share.h2d.bytes_per_s=4e9 8e9"), 1000);
}

/* A copy that takes 700 behind a kernel and 1000 in a chain: 300 are a gap after it, for what stood
 * waiting then. */
static double launched_after_copy_ns(int64_t called_ns)
{
	struct bench b;
	make_with(&b, 1,
		  "[copy.h2d]\nidle_bytes = 1 1000\nidle_ns = 1 700\nbehind_kernel_ns = 1 700\n");
	schedule_add_thread(&b.schedule, "host", 0);
	add_copy(&b.schedule, 0, COPY_H2D, 0xffff, 0, 1000);
	if (called_ns)
		schedule_add_op(&b.schedule, OP_HOST, NO_STREAM, 0)->duration_ps = called_ns * 1000;
	add_launch(&b.schedule, 0, 50);
	double end = end_ns(&b.schedule, &b.platform);
	drop(&b);
	return end;
}

static void the_gap_after_a_copy_is_not_for_a_launch_that_comes_later(void **state)
{
	(void)state;
	NEAR(launched_after_copy_ns(0), 700 + 300 + 50);
	NEAR(launched_after_copy_ns(690), 700 + 300 + 50);
	NEAR(launched_after_copy_ns(800), 800 + 50);
	NEAR(launched_after_copy_ns(2000), 2000 + 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_from_pageable_memory_costs_what_it_was_measured_at),
		cmocka_unit_test(a_copy_alone_follows_the_links_that_are_set),
		cmocka_unit_test(each_row_of_a_copy_has_its_price),
		cmocka_unit_test(the_gap_after_a_copy_is_not_for_a_launch_that_comes_later),
		cmocka_unit_test(spread_keeps_what_is_a_mean_already),
		cmocka_unit_test(
			one_call_in_five_hundred_is_interrupted_where_costs_leave_that_out),
		cmocka_unit_test(launches_among_launches_cost_those_of_a_plain_loop),
		cmocka_unit_test(copies_among_copies_cost_those_of_a_loop_of_copies),
		cmocka_unit_test(a_copy_that_stood_at_its_engine_adds_what_copies_in_line_add),
		cmocka_unit_test(models_that_are_free_leave_the_kernels),
		cmocka_unit_test(exchanging_threads_have_costs_of_their_own),
		cmocka_unit_test(a_wait_for_an_event_of_the_same_gpu_has_a_price_of_its_own),
		cmocka_unit_test(a_threads_first_call_of_a_kind_takes_longer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
