/* SPDX-License-Identifier: MIT
 * Operations of NCCL that a program on virtual GPUs called for: which rows meet, and what they take
 * by hand. A byte takes a nanosecond on a link, a kernel of NCCL 1000 ns and 100 for each step
 * after the first.
 */
#include "sim/answers/collectives.h"
#include "sim/answers/planned_run.h"
#include "schedule_kit.h"
#include "support.h"

enum { LEAST = 1000, STEP = 100, RANKS = 4 };

/* Rank r is thread MAIN + r, on GPU r. */
static void part(struct trace *t, uint32_t group, int64_t at_ns, enum collective_kind kind,
		 int rank, int ranks, int peer, int64_t bytes)
{
	*trace_add_collective(t) =
		(struct trace_collective){ .kind = (int32_t)kind,
					   .start_ns = at_ns,
					   .end_ns = at_ns + 5000,
					   .bytes = bytes,
					   .communicator = 77,
					   .context = rank + 1,
					   .stream = 7,
					   .call = group,
					   .peer = peer,
					   .ranks = ranks,
					   .rank = rank,
					   .global_tid = global_pid | (MAIN + rank),
					   .device = rank,
					   .correlation = -1 };
}

/* A kernel of so many ns before, in each rank's stream. */
static void begin_ranks(struct trace *t, const int64_t *kernel_ns, int ranks)
{
	trace_init(t);
	for (int r = 0; r < ranks; r++)
		launch(t, MAIN + r, 0, r, 7, "k", kernel_ns[r]);
}

struct ends {
	int64_t ns[16]; /* of each stream's last work */
};

static void note_end(void *arg, uint32_t stream, const struct schedule_op *op, int64_t index,
		     sim_time start, sim_time end)
{
	struct ends *ends = arg;

	(void)op, (void)index, (void)start;
	ends->ns[stream] = end / 1000;
}

static void price(struct platform *platform)
{
	set(platform, "nccl.least_ns", LEAST);
	set(platform, "nccl.step_ns", STEP);
}

/* When each rank's last operation ended. */
static void play(struct trace *t, struct ends *ends, void (*prices)(struct platform *))
{
	struct platform platform;
	struct kernel_model model = { .ops = kernel_model_find("recorded"), .platform = &platform };
	const struct observer observer = { .arg = ends, .device_op = note_end };
	struct simulation_result result;
	struct schedule s;

	platform_of(&platform, "free");
	prices(&platform);
	assert_int_equal(load(&s, t, -1), 0);
	assert_int_equal(collectives_price_rings(&s, &platform), 0);
	const struct simulation_setup setup = {
		.schedule = &s, .platform = &platform, .model = &model, .observer = &observer
	};
	assert_int_equal(simulation_run(&setup, &result), 0);
	simulation_result_release(&result);
	schedule_release(&s);
	platform_release(&platform);
	trace_release(t);
}

/* An all-reduce of 800 bytes by two ranks whose kernels begin after so long. */
static int64_t all_reduce_ends(int64_t kernel_ns, void (*prices)(struct platform *))
{
	const int64_t both_ns[] = { kernel_ns, kernel_ns };
	struct ends ends;
	struct trace t;

	begin_ranks(&t, both_ns, 2);
	for (int r = 0; r < 2; r++)
		part(&t, 1, 100, COLLECTIVE_ALL_REDUCE, r, 2, -1, 800);
	play(&t, &ends, prices);
	return ends.ns[0];
}

static void each_kind_takes_what_its_ring_takes(void **state)
{
	static const struct {
		enum collective_kind kind;
		int64_t bytes, steps, link_bytes;
	} of[] = {
		{ COLLECTIVE_ALL_REDUCE, 4000, 6, 6000 },
		{ COLLECTIVE_ALL_REDUCE, 4001, 6, 6002 }, /* rounded up */
		{ COLLECTIVE_ALL_GATHER, 1000, 3, 3000 },
		{ COLLECTIVE_REDUCE_SCATTER, 1000, 3, 3000 },
		{ COLLECTIVE_BROADCAST, 4000, 3, 4000 },
		{ COLLECTIVE_REDUCE, 4000, 3, 4000 },
	};
	static const int64_t kernel_ns[RANKS] = { 1000, 4000, 3000, 2000 };

	(void)state;
	for (size_t k = 0; k < sizeof(of) / sizeof(of[0]); k++) {
		struct ends ends;
		struct trace t;

		begin_ranks(&t, kernel_ns, RANKS);
		for (int r = 0; r < RANKS; r++)
			part(&t, 3, 100 + r, of[k].kind, r, RANKS, 1, of[k].bytes);
		play(&t, &ends, price);
		for (int r = 0; r < RANKS; r++) /* all once the last has come */
			assert_int_equal(ends.ns[r], 4000 + LEAST + (of[k].steps - 1) * STEP +
							     of[k].link_bytes);
	}
}

/* Rank 1 between 0 and 2, which comes late: 0 has done before. Rank 1's link takes both. */
static void parts_of_a_group_wait_for_their_own_partners(void **state)
{
	static const int64_t kernel_ns[] = { 1, 1, 9000 };
	struct ends ends;
	struct trace t;

	(void)state;
	begin_ranks(&t, kernel_ns, 3);
	part(&t, 1, 100, COLLECTIVE_SEND, 0, 3, 1, 500);
	part(&t, 1, 100, COLLECTIVE_RECEIVE, 0, 3, 1, 500);
	for (int other = 0; other < 3; other += 2) {
		part(&t, 1, 101, COLLECTIVE_RECEIVE, 1, 3, other, 500);
		part(&t, 1, 101, COLLECTIVE_SEND, 1, 3, other, 500);
	}
	part(&t, 1, 102, COLLECTIVE_SEND, 2, 3, 1, 500);
	part(&t, 1, 102, COLLECTIVE_RECEIVE, 2, 3, 1, 500);
	play(&t, &ends, price);
	assert_true(ends.ns[0] < 9000);
	assert_int_equal(ends.ns[0], 91 + LEAST + 1000); /* rank 1 calls 91 ns after its launch */
	assert_int_equal(ends.ns[1], 9000 + LEAST + 1000);
	assert_int_equal(ends.ns[2], 9000 + LEAST + 1000);
}

static struct number_list list_of(double value)
{
	struct number_list list = { .value = malloc(sizeof(double)), .count = 1 };

	list.value[0] = value;
	return list;
}

static void price_half(struct platform *platform)
{
	price(platform);
	platform->nccl_share.x = list_of(1000);
	platform->nccl_share.y = list_of(0.5);
}

static void nccl_reaches_a_share_of_the_links_rate(void **state)
{
	(void)state;
	assert_int_equal(all_reduce_ends(1000, price_half), 1000 + LEAST + STEP + 2 * 800);
}

/* As between two GPUs that are each other's neighbour on both sides. */
static void sends_of_a_call_to_one_rank_go_one_after_the_other(void **state)
{
	static const int64_t kernel_ns[] = { 1000, 1000 };
	struct ends ends;
	struct trace t;

	(void)state;
	begin_ranks(&t, kernel_ns, 2);
	for (int k = 0; k < 2; k++) {
		part(&t, 1, 100, COLLECTIVE_SEND, 0, 2, 1, 500);
		part(&t, 1, 100, COLLECTIVE_RECEIVE, 1, 2, 0, 500);
	}
	play(&t, &ends, price);
	assert_int_equal(ends.ns[1], 1000 + 2 * LEAST + 2 * 500);
}

/* The second send of 0 meets the second receive of 1, whatever lies between. */
/* Recordings of NCCL show it: ranks of one thread, in a group that calls for 0, 1 and 2. */
static void ranks_of_one_thread_are_launched_last_to_first(void **state)
{
	const int64_t kernel_ns[] = { 10, 10, 10 };
	struct schedule s;
	struct trace t;
	int gpu = 2;

	(void)state;
	begin_ranks(&t, kernel_ns, 3);
	for (int r = 0; r < 3; r++) {
		part(&t, 1, 100, COLLECTIVE_ALL_REDUCE, r, 3, -1, 800);
		t.collective[t.collective_count - 1].global_tid = global_pid | MAIN;
	}
	assert_int_equal(load(&s, &t, -1), 0);
	for (int64_t k = 0; k < s.op_count; k++)
		if (s.op[k].flags & OP_COLLECTIVE)
			assert_int_equal(s.stream[s.op[k].stream].gpu, gpu--);
	assert_int_equal(gpu, -1);
	schedule_release(&s);
	trace_release(&t);
}

static void sends_meet_receives_in_order(void **state)
{
	static const int64_t kernel_ns[] = { 1, 1 };
	struct ends ends;
	struct trace t;

	(void)state;
	begin_ranks(&t, kernel_ns, 2);
	part(&t, 1, 100, COLLECTIVE_SEND, 0, 2, 1, 10);
	part(&t, 2, 6000, COLLECTIVE_SEND, 0, 2, 1, 7000);
	part(&t, 1, 101, COLLECTIVE_RECEIVE, 1, 2, 0, 10);
	part(&t, 2, 6001, COLLECTIVE_RECEIVE, 1, 2, 0, 7000);
	play(&t, &ends, price);
	/* The calls lie 900 ns apart; what they take themselves is the platform's, nothing. */
	assert_int_equal(ends.ns[0], 91 + LEAST + 10 + LEAST + 7000);
	assert_int_equal(ends.ns[1], ends.ns[0]);
}

static void to_itself_a_rank_sends_without_a_link(void **state)
{
	static const int64_t kernel_ns[] = { 50 };
	struct ends ends;
	struct trace t;

	(void)state;
	begin_ranks(&t, kernel_ns, 1);
	part(&t, 1, 100, COLLECTIVE_SEND, 0, 1, 0, 500);
	part(&t, 1, 100, COLLECTIVE_RECEIVE, 0, 1, 0, 500);
	play(&t, &ends, price);
	assert_int_equal(ends.ns[0], 90);
}

static void only_event_peer(struct platform *platform)
{
	set(platform, "stream.event_peer_ns", 300);
	assert_false(collectives_are_calibrated(platform));
}

/* A copy of one byte takes 1 ns there. */
static void without_keys_of_nccl_those_of_links_stand_for_them(void **state)
{
	(void)state;
	assert_int_equal(all_reduce_ends(1000, only_event_peer), 1000 + 1 + 300 + 800);
}

static void call_costs(struct platform *platform)
{
	price(platform);
	set(platform, "nccl.call_ns", 5000);
}

static void a_call_takes_the_host_its_time(void **state)
{
	(void)state;
	assert_int_equal(all_reduce_ends(10, call_costs), 90 + 5000 + LEAST + STEP + 800);
}

static void a_platform_without_links_has_no_answer(void **state)
{
	struct platform platform;
	struct schedule s;
	struct said said;
	struct trace t;

	(void)state;
	trace_init(&t);
	launch(&t, MAIN, 0, 0, 7, "k", 5);
	part(&t, 1, 100, COLLECTIVE_REDUCE, 0, 1, 0, 500);
	platform_of(&platform, "free");
	platform.nvlink_bytes_per_s = 0;
	assert_int_equal(load(&s, &t, -1), 0);
	said_begin(&said);
	assert_int_equal(collectives_price_rings(&s, &platform), -1);
	assert_says(&said, "nvlink.bytes_per_s");
	schedule_release(&s);
	platform_release(&platform);
	trace_release(&t);
}

/* A trace that was cut: nobody waits for who is not there. */
static void a_rank_that_never_calls_is_counted(void **state)
{
	static const int64_t kernel_ns[] = { 10, 10 };
	struct ends ends;
	struct schedule s;
	struct trace t;

	(void)state;
	begin_ranks(&t, kernel_ns, 2);
	part(&t, 1, 100, COLLECTIVE_ALL_REDUCE, 0, 2, -1, 800);
	assert_int_equal(load(&s, &t, -1), 0);
	assert_int_equal(s.anomaly_count, 1);
	schedule_release(&s);
	play(&t, &ends, price);
	assert_int_equal(ends.ns[0], 90 + LEAST + STEP + 800);
}

/* Participants name operations by number: none may be left out. */
static void a_long_run_whose_launches_meet_is_played_in_full(void **state)
{
	enum { TURNS = 300000 };
	struct planned_run run = { 0 };
	struct trace t;

	(void)state;
	trace_init(&t);
	for (int k = 0; k < TURNS; k++)
		for (int r = 0; r < 2; r++) {
			launch(&t, MAIN + r, 1000 * k, r, 7, "k", 500);
			part(&t, (uint32_t)k, 1000 * k + 100, COLLECTIVE_ALL_REDUCE, r, 2, -1, 8);
		}
	assert_int_equal(load(&run.schedule, &t, -1), 0);
	assert_int_equal(run.schedule.op_count, 4 * TURNS);
	planned_run_shorten(&run);
	assert_false(run.skips);
	assert_int_equal(schedule_validate(&run.schedule, "test"), 0);
	assert_int_equal(run.schedule.op_count, 4 * TURNS);
	planned_run_release(&run);
	trace_release(&t);
}

static void rows_that_make_no_sense_are_refused(void **state)
{
	struct schedule s;
	struct trace t;

	(void)state;
	for (int wrong = 0; wrong < 5; wrong++) {
		struct trace_collective *row;

		trace_init(&t);
		launch(&t, MAIN, 0, 0, 7, "k", 5);
		part(&t, 1, 100, COLLECTIVE_SEND, 0, 2, 1, 500);
		row = &t.collective[0];
		if (wrong == 0)
			row->kind = COLLECTIVE_KIND_COUNT;
		else if (wrong == 1)
			row->rank = 2;
		else if (wrong == 2)
			row->peer = -1;
		else if (wrong == 3)
			row->bytes = -1;
		else
			row->end_ns = 5;
		assert_int_equal(load(&s, &t, -1), -1);
		schedule_release(&s);
		trace_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_takes_what_its_ring_takes),
		cmocka_unit_test(parts_of_a_group_wait_for_their_own_partners),
		cmocka_unit_test(nccl_reaches_a_share_of_the_links_rate),
		cmocka_unit_test(sends_of_a_call_to_one_rank_go_one_after_the_other),
		cmocka_unit_test(ranks_of_one_thread_are_launched_last_to_first),
		cmocka_unit_test(sends_meet_receives_in_order),
		cmocka_unit_test(to_itself_a_rank_sends_without_a_link),
		cmocka_unit_test(without_keys_of_nccl_those_of_links_stand_for_them),
		cmocka_unit_test(a_call_takes_the_host_its_time),
		cmocka_unit_test(a_platform_without_links_has_no_answer),
		cmocka_unit_test(a_rank_that_never_calls_is_counted),
		cmocka_unit_test(a_long_run_whose_launches_meet_is_played_in_full),
		cmocka_unit_test(rows_that_make_no_sense_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
