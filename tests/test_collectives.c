/* SPDX-License-Identifier: MIT
 * Kernels that wait for each other across GPUs: found in a trace, played, priced on other links.
 */
#include "simulation_kit.h"

#include "sim/answers/collectives.h"
#include "sim/answers/planned_run.h"
#include "traces/load/schedule_from_trace.h"

enum { US = 1000, RANKS = 2 };

/* ---- found ---- */

static const char reduce[] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)";

static void call(struct trace *t, int rank, int64_t at_us, const char *name, int64_t from_us,
		 int64_t to_us)
{
	const int64_t correlation = (int64_t)t->api_count + 1, pid = (int64_t)(100 + rank) << 24;

	*trace_add_api(t) = (struct trace_api){ .start_ns = at_us * US,
						.end_ns = (at_us + 2) * US,
						.global_tid = pid | 1,
						.correlation = correlation,
						.name = trace_string(t, "cudaLaunchKernel_v7000") };
	*trace_add_kernel(t) = (struct trace_kernel){ .start_ns = from_us * US,
						      .end_ns = to_us * US,
						      .device = rank,
						      .context = 1,
						      .stream = 7,
						      .correlation = correlation,
						      .global_pid = pid,
						      .demangled_name = trace_string(t, name),
						      .short_name = trace_string(t, name),
						      .grid = { 2, 1, 1 },
						      .block = { 32, 1, 1 },
						      .graph_node = -1 };
}

static void load(struct schedule *schedule, struct trace *trace)
{
	schedule_init(schedule);
	assert_int_equal(schedule_from_trace(schedule, trace, -1), 0);
	trace_release(trace);
}

static void kernels_that_end_together_are_one_and_the_last_to_come_says_how_long(void **state)
{
	struct trace t;
	struct schedule s;

	(void)state;
	trace_init(&t);
	call(&t, 0, 1, "work", 5, 10);
	call(&t, 0, 4, reduce, 11, 60);
	call(&t, 0, 100, reduce, 110, 130);
	call(&t, 1, 1, "work", 5, 40);
	call(&t, 1, 4, reduce, 41, 61);
	call(&t, 1, 100, reduce, 105, 131);
	load(&s, &t);
	assert_int_equal(s.processes, 2);
	assert_int_equal(s.contending, 1);
	assert_int_equal(s.collective_count, 2);
	assert_int_equal(s.collective[0].participants, 2);
	assert_int_equal(s.collective[0].work_ps, 20000000);
	assert_int_equal(s.collective[1].work_ps, 20000000);
	assert_int_equal(s.participant_count, 4);
	assert_int_equal(s.without_partners, 0);
	schedule_release(&s);
}

static void kernels_apart_other_names_and_one_gpu_meet_nobody(void **state)
{
	struct trace t;
	struct schedule s;

	(void)state;
	trace_init(&t);
	call(&t, 0, 1, reduce, 5, 20);
	call(&t, 1, 31, reduce, 35, 50); /* not at one time */
	call(&t, 0, 101, reduce, 105, 120);
	call(&t, 1, 101, "ncclDevKernel_SendRecv(args)", 105, 120);
	call(&t, 0, 201, reduce, 205, 220);
	call(&t, 0, 203, reduce, 205, 220); /* two on one GPU */
	call(&t, 0, 301, "work", 305, 320);
	call(&t, 1, 301, "work", 305, 320); /* of no library */
	load(&s, &t);
	assert_int_equal(s.collective_count, 0);
	assert_int_equal(s.without_partners, 6);
	schedule_release(&s);
}

static const char sends[] = "ncclDevKernel_SendRecv(args)";

/* A ring of four, twice. In the first all are there at once; in the second rank 2 comes when rank
 * 0, which waits for its neighbours 1 and 3 alone, is done. */
static void make_ring(struct trace *t, bool second)
{
	trace_init(t);
	for (int rank = 0; rank < 4; rank++)
		call(t, rank, 1, sends, 5, 25);
	for (int rank = 0; rank < 4 && second; rank++) {
		static const int64_t from[] = { 40, 42, 80, 41 }, to[] = { 62, 100, 100, 101 };

		call(t, rank, 30, sends, from[rank], to[rank]);
	}
}

static void ranks_of_a_ring_wait_for_their_neighbours(void **state)
{
	struct trace t;
	struct schedule s;

	(void)state;
	make_ring(&t, true);
	load(&s, &t);
	assert_int_equal(s.without_partners, 0);
	/* 0-1, 0-3, 1-2, 1-3, 2-3, twice: that 1 and 3 do not wait for each other nobody saw */
	assert_int_equal(s.collective_count, 10);
	assert_int_equal(s.participant_count, 20);
	for (uint32_t c = 0; c < s.collective_count; c++) {
		assert_int_equal(s.collective[c].participants, 2);
		assert_int_equal(s.collective[c].work_ps, 20000000);
	}
	schedule_release(&s);
}

static void where_nobody_was_seen_not_to_wait_all_wait_for_all(void **state)
{
	struct trace t;
	struct schedule s;

	(void)state;
	make_ring(&t, false);
	load(&s, &t);
	assert_int_equal(s.collective_count, 1);
	assert_int_equal(s.collective[0].participants, 4);
	schedule_release(&s);
	make_ring(&t, true); /* and where one has more of them: who overlaps */
	call(&t, 0, 200, sends, 205, 220);
	load(&s, &t);
	assert_int_equal(s.collective[0].participants, 4);
	schedule_release(&s);
}

/* Of a launch that is lost, its neighbours wait for the others. */
static void a_lost_launch_of_a_ring_is_waited_for_by_nobody(void **state)
{
	struct trace t;
	struct schedule s;
	struct said said;

	(void)state;
	make_ring(&t, true);
	t.kernel[5].correlation = 77; /* rank 1's second */
	said_begin(&said);
	load(&s, &t);
	assert_says(&said, "that no API call asked for");
	assert_int_equal(s.collective_count, 7);
	for (int64_t k = 0; k < s.op_count; k++)
		assert_true(s.op[k].kind != OP_LAUNCH || s.op[k].flags & OP_COLLECTIVE);
	schedule_release(&s);
}

static void what_no_call_asked_for_meets_nobody(void **state)
{
	struct trace t;
	struct schedule s;
	struct said said;

	(void)state;
	trace_init(&t);
	call(&t, 0, 1, reduce, 5, 20);
	call(&t, 1, 1, reduce, 6, 20);
	t.kernel[1].correlation = 77;
	said_begin(&said);
	load(&s, &t);
	assert_says(&said, "that no API call asked for");
	assert_int_equal(s.collective_count, 0);
	assert_int_equal(s.without_partners, 1);
	schedule_release(&s);
}

/* ---- played ---- */

static void add_collective(struct bench *b, int64_t work_ns)
{
	struct schedule *s = &b->schedule;
	GROW(s->collective, s->collective_count, s->collective_capacity);
	s->collective[s->collective_count++] =
		(struct schedule_collective){ .kernel = schedule_add_kernel(s, "reduce"),
					      .participants = RANKS,
					      .blocks = 2,
					      .steps = -1,
					      .work_ps = work_ns * 1000 };
}

static void meet(struct bench *b, uint16_t stream, uint32_t collective)
{
	struct schedule *s = &b->schedule;
	add_launch(s, stream, 1000000); /* what the kernel model says of it is not asked */
	s->op[s->op_count - 1].flags |= OP_COLLECTIVE;
	GROW(s->participant, s->participant_count, s->participant_capacity);
	s->participant[s->participant_count++] =
		(struct schedule_participant){ s->op_count - 1, collective };
}

static void all_wait_for_the_last_and_end_with_it(void **state)
{
	struct bench *b = *state;
	struct simulation_result result;

	with_streams(b, RANKS, 1);
	add_collective(b, 500);
	next_thread(b, 0);
	add_launch(&b->schedule, 0, 100);
	meet(b, 0, 0);
	add(b, OP_SYNC, 0, 0);
	next_thread(b, 1);
	add_launch(&b->schedule, 1, 3000);
	meet(b, 1, 0);
	add(b, OP_SYNC, 1, 0);
	assert_int_equal(schedule_validate(&b->schedule, "test"), 0);
	assert_int_equal(simulate_observed(&b->schedule, &b->platform, NULL, &result), 0);
	assert_int_equal(result.end_ps, 3500000);
	/* the wait is no work */
	assert_int_equal(result.gpu[0].kernel_ps, 600000);
	assert_int_equal(result.gpu[0].sync_ps, 2900000);
	assert_int_equal(result.gpu[1].kernel_ps, 3500000);
	simulation_result_release(&result);
}

/* A kernel of another stream that fills the GPU goes on beside those that wait. */
static void waiting_holds_up_nobody_else(void **state)
{
	struct bench *b = *state;

	with_streams(b, RANKS, 2);
	add_collective(b, 500);
	next_thread(b, 0);
	meet(b, 0, 0);
	add_launch(&b->schedule, 1, 2000);
	add(b, OP_SYNC, 0, 0);
	next_thread(b, 1);
	add_launch(&b->schedule, 2, 1800);
	meet(b, 2, 0);
	add(b, OP_SYNC, 2, 0);
	NEAR(end(b), 2300);
}

static void a_partner_that_never_comes_is_named(void **state)
{
	struct bench *b = *state;
	struct simulation_result result;
	struct said said;

	with_streams(b, RANKS, 1);
	add_collective(b, 500);
	add_collective(b, 500);
	next_thread(b, 0); /* each begins with the other's second */
	meet(b, 0, 0);
	meet(b, 0, 1);
	next_thread(b, 1);
	meet(b, 1, 1);
	meet(b, 1, 0);
	assert_int_equal(schedule_validate(&b->schedule, "test"), 0);
	said_begin(&said);
	const int rc = simulate_observed(&b->schedule, &b->platform, NULL, &result);
	assert_says(&said, "'reduce' on GPU 0 waits for 1 more of its 2 partners");
	assert_int_equal(rc, -1);
}

static void a_schedule_with_too_few_partners_is_refused(void **state)
{
	struct bench *b = *state;
	struct said said;

	with_streams(b, RANKS, 1);
	add_collective(b, 500);
	next_thread(b, 0);
	meet(b, 0, 0);
	said_begin(&said);
	const int rc = schedule_validate(&b->schedule, "test");
	assert_says(&said, "collective 0 of 2 has 1 launches");
	assert_int_equal(rc, -1);
	b->schedule.participant_count = 0;
	said_begin(&said);
	assert_int_equal(schedule_validate(&b->schedule, "test"), -1);
	assert_says(&said, "operation 0 meets in no collective");
}

/* A node of the graph that a rank launches first. */
static void node(struct trace *t, int rank, int stream, const char *name, int64_t from_us,
		 int64_t to_us)
{
	call(t, rank, 1, name, from_us, to_us);
	struct trace_kernel *k = &t->kernel[t->kernel_count - 1];
	if (t->kernel_count > 1 && k[-1].device == rank) {
		t->api_count--;
		k->correlation = k[-1].correlation;
	} else {
		t->api[t->api_count - 1].name = trace_string(t, "cudaGraphLaunch_v10000");
	}
	k->stream = stream;
	k->grid[0] = (uint32_t)(to_us - from_us); /* no two alike */
	k->graph_node = (int64_t)7 << 32 | (int64_t)t->kernel_count;
}

/*
 * In each rank's graph: a boundary, then NCCL in a second stream beside the interior, then what
 * waits for both. Rank 1 is 30 us late, and its interior 25 us shorter. The exchange takes 19 us
 * from when the last has come, 1 us after its boundary: 36 + 19, and 1 us until the last kernel. On
 * rank 0 that waited for the interior until 45 only.
 */
static void branches_of_graphs_meet_beside_other_kernels(void **state)
{
	struct bench *b = *state;
	struct trace t;

	schedule_release(&b->schedule);
	trace_init(&t);
	node(&t, 0, 13, "boundary", 5, 10);
	node(&t, 0, 13, "interior", 10, 50);
	node(&t, 0, 14, reduce, 11, 60);
	node(&t, 0, 13, "last", 61, 62);
	node(&t, 1, 13, "boundary", 5, 40);
	node(&t, 1, 13, "interior", 40, 55);
	node(&t, 1, 14, reduce, 41, 60);
	node(&t, 1, 13, "last", 61, 62);
	load(&b->schedule, &t);
	assert_int_equal(b->schedule.collective_count, 1);
	for (int64_t k = 0; k < b->schedule.op_count; k++)
		if (b->schedule.op[k].kind == OP_LAUNCH)
			b->schedule.shape[b->schedule.op[k].object].points =
				b->schedule.op[k].duration_ps / 1000;
	NEAR(end(b), 57 * US);
	/* quicker, and rank 1's interior is the last: 35 + 15, a pause of 1, 1 */
	b->schedule.collective[0].work_ps = 1000000;
	NEAR(end(b), 52 * US);
}

/* A long recording is played in part where its operations repeat: not one whose launches meet,
 * as they are told by their numbers. */
static void a_long_run_of_collectives_is_played_whole(void **state)
{
	enum { ITERATIONS = 1 << 18 };
	(void)state;
	for (int meets = 0; meets < 2; meets++) {
		struct planned_run run = { 0 };
		struct bench b = { 0 };
		schedule_init(&b.schedule);
		with_streams(&b, RANKS, 1);
		for (int k = 0; meets && k < ITERATIONS; k++)
			add_collective(&b, 500);
		for (uint16_t gpu = 0; gpu < RANKS; gpu++) {
			next_thread(&b, gpu);
			for (uint32_t k = 0; k < ITERATIONS; k++) {
				add_launch(&b.schedule, gpu, 100);
				if (meets)
					meet(&b, gpu, k);
				else
					add_launch(&b.schedule, gpu, 200);
			}
		}
		run.schedule = b.schedule;
		planned_run_shorten(&run);
		assert_true(run.skips == !meets);
		planned_run_release(&run);
	}
}

/* ---- priced ---- */

static void on_other_links_bytes_take_longer_and_latency_does_not(void **state)
{
	struct bench *b = *state;
	struct platform asked;

	platform_of(&asked, "free");
	set(&b->platform, "nvlink.bytes_per_s", 100e9);
	set(&b->platform, "nccl.least_ns", 10000);
	set(&asked, "nccl.least_ns", 10000);
	add_collective(b, 9000); /* alike, their median at the latency: noise is no bytes */
	add_collective(b, 10000);
	add_collective(b, 11000);
	add_collective(b, 30000);
	b->schedule.collective[3].blocks = 24;
	set(&asked, "nvlink.bytes_per_s", 100e9);
	collectives_price(&b->schedule, &b->platform, &asked);
	assert_int_equal(b->schedule.collective[3].work_ps, 30000000);
	set(&asked, "nvlink.bytes_per_s", 50e9);
	collectives_price(&b->schedule, &b->platform, &asked);
	assert_int_equal(b->schedule.collective[0].work_ps, 9000000);
	assert_int_equal(b->schedule.collective[2].work_ps, 11000000);
	assert_int_equal(b->schedule.collective[3].work_ps, 50000000);
	set(&asked, "nvlink.bytes_per_s", 100e9);
	set(&asked, "nccl.least_ns", 20000);
	collectives_price(&b->schedule, &b->platform, &asked);
	assert_int_equal(b->schedule.collective[0].work_ps, 19000000);
	assert_int_equal(b->schedule.collective[3].work_ps, 60000000);
	platform_release(&asked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			kernels_that_end_together_are_one_and_the_last_to_come_says_how_long),
		cmocka_unit_test(kernels_apart_other_names_and_one_gpu_meet_nobody),
		cmocka_unit_test(ranks_of_a_ring_wait_for_their_neighbours),
		cmocka_unit_test(where_nobody_was_seen_not_to_wait_all_wait_for_all),
		cmocka_unit_test(a_lost_launch_of_a_ring_is_waited_for_by_nobody),
		cmocka_unit_test(what_no_call_asked_for_meets_nobody),
		TEST(all_wait_for_the_last_and_end_with_it),
		TEST(waiting_holds_up_nobody_else),
		TEST(branches_of_graphs_meet_beside_other_kernels),
		TEST(a_partner_that_never_comes_is_named),
		TEST(a_schedule_with_too_few_partners_is_refused),
		cmocka_unit_test(a_long_run_of_collectives_is_played_whole),
		TEST(on_other_links_bytes_take_longer_and_latency_does_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
