/* SPDX-License-Identifier: MIT
 * What is taken out of the time between two recorded calls.
 */
#include "untrace_kit.h"

static void a_call_owes_what_the_recorder_took_behind_the_one_before(void **state)
{
	static const struct {
		const char *key;
		double ns;
	} costs[] = {
		{ "tracer.outside_ns", 200 },
		{ "tracer.outside_launch_ns", 150 },
		{ "tracer.stream_note_host_op_ns", 70 },
		{ "tracer.stream_note_footprint_ns", 60 },
	};
	static const int64_t left_ns[] = { 1000, 590, 800, 0, 800, 800 };
	const struct schedule_access access = { .mode = ACCESS_READ, .bytes = 4 };
	struct platform platform;
	struct schedule s;
	(void)state;
	platform_of(&platform, "free");
	for (size_t k = 0; k < sizeof(costs) / sizeof(costs[0]); k++)
		set(&platform, costs[k].key, costs[k].ns);
	schedule_init(&s);
	s.gpu_count = 1;
	schedule_add_stream(&s, 0, 0);
	for (int thread = 0; thread < 2; thread++) {
		schedule_add_thread(&s, "host", 0);
		const struct schedule_shape shape = {
			.kernel = schedule_add_kernel(&s, "k"), .points = 1, .path = -1, .steps = -1
		};
		add(&s, OP_RECORD, 0, 1000); /* the first of its thread */
		add(&s, OP_LAUNCH, schedule_add_shape(&s, &shape, &access, 1),
		    1000);		   /* the record's 200, its own 150, the footprint's 60 */
		add(&s, OP_POST, 0, 1000); /* the launch's 200 */
		add(&s, OP_RECORD, 0, 50); /* the note's 70: nothing is left */
		add(&s, OP_SYNC, 0, 1000); /* the record's 200 */
		add(&s, OP_SYNC, 0, 1000); /* and another's */
	}
	schedule_untrace(&s, &platform);
	for (int k = 0; k < 12; k++)
		assert_int_equal(s.op[k].before_ps, 1000 * left_ns[k % 6]);
	schedule_release(&s);
	platform_release(&platform);
}

/* A platform on which watching a query call costs 200 ns, 70 of them within its record of
 * 100. */
static void knows_asking(struct platform *platform)
{
	set(platform, "host.query_ns", 30);
	set(platform, "tracer.traced_query_ns", 230);
	set(platform, "tracer.api_query_ns", 100);
}

/* 200 ns longer for each 100 by its record: twice its record is taken out, of what there is. */
static void what_was_asked_goes_by_what_watching_it_cost(void **state)
{
	static const int64_t asked_ns[] = { 100, 150, 600 }, left_ns[] = { 800, 700, 0 };
	struct platform platform;
	struct schedule s;
	(void)state;
	for (int measured = 0; measured < 2; measured++) {
		platform_of(&platform, "free");
		if (measured)
			knows_asking(&platform);
		one_thread(&s);
		for (int k = 0; k < 3; k++)
			add(&s, OP_RECORD, 0, 1000);
		s.queries = xcalloc(3, sizeof(*s.queries));
		for (int k = 0; k < 3; k++)
			s.queries[s.queries_count++] =
				(struct schedule_queries){ .op = k, .ns = asked_ns[k] };
		schedule_untrace(&s, &platform);
		for (int k = 0; k < 3; k++)
			assert_int_equal(s.op[k].before_ps, 1000 * (measured ? left_ns[k] : 1000));
		schedule_release(&s);
		platform_release(&platform);
	}
}

/* What a call without a cost of its own takes longer is what the shortest does: 70 ns within its
 * record, 130 behind it. */
static void a_call_without_a_cost_of_its_own_is_watched_like_the_shortest(void **state)
{
	static const int64_t lasts_ns[] = { 500, 40, -1 }, left_ns[] = { 430, 0, -1 };
	struct platform platform;
	struct schedule s;
	(void)state;
	platform_of(&platform, "free");
	knows_asking(&platform);
	one_thread(&s);
	for (int k = 0; k < 3; k++) {
		struct schedule_op *op = schedule_add_op(&s, OP_HOST, NO_STREAM, 0);
		op->before_ps = 1000000;
		op->duration_ps = lasts_ns[k] < 0 ? -1 : 1000 * lasts_ns[k];
	}
	schedule_untrace(&s, &platform);
	for (int k = 0; k < 3; k++) {
		assert_int_equal(s.op[k].before_ps, k ? 870000 : 1000000);
		assert_int_equal(s.op[k].duration_ps, left_ns[k] < 0 ? -1 : 1000 * left_ns[k]);
	}
	schedule_release(&s);
	platform_release(&platform);
}

static void a_solver_of_ours_does_nothing_between_its_calls(void **state)
{
	struct platform platform;
	struct schedule s;
	(void)state;
	platform_of(&platform, "free");
	for (int ours = 0; ours < 2; ours++) {
		one_thread(&s);
		s.config = ours ? xstrdup("size=8x8") : NULL;
		for (int k = 0; k < 3; k++)
			add(&s, OP_RECORD, 0, 1000 * (k + 1));
		schedule_untrace(&s, &platform);
		for (int k = 0; k < 3; k++)
			assert_int_equal(s.op[k].before_ps, ours ? 0 : 1000000 * (k + 1));
		schedule_release(&s);
	}
	platform_release(&platform);
}

/* A step of three launches by a library that takes 8 us a call, 100 a first one, and 2 between two
 * launches of one call; the solver's own launch and record have no time before them. */
static void a_library_takes_its_time_before_its_launches(void **state)
{
	static const int64_t recorded_ns[] = { 90000, 13000, 2350, 5000, 7000 },
			     priced_ns[] = { 100000, 8000, 2000, 0, 0 },
			     unknown_ns[] = { 89650, 12650, 2000, 0, 0 };
	const struct schedule_access access = { .mode = ACCESS_READ, .bytes = 4 };
	(void)state;
	for (int known = 0; known < 2; known++) {
		struct platform platform;
		struct schedule s;
		platform_of(&platform, "free");
		set(&platform, "tracer.outside_ns", 200);
		set(&platform, "tracer.outside_launch_ns", 150);
		if (known) {
			set(&platform, "host.library_ns", 8000);
			set(&platform, "host.first_library_ns", 100000);
		}
		one_thread(&s);
		s.config = xstrdup("size=8x8");
		const uint32_t kernel = schedule_add_kernel(&s, "k");
		for (int k = 0; k < 4; k++) {
			const struct schedule_shape shape = {
				.kernel = kernel, .points = k + 1, .path = -1, .steps = -1
			};
			add(&s, OP_LAUNCH, schedule_add_shape(&s, &shape, &access, k % 3 == 0),
			    recorded_ns[k]);
		}
		add(&s, OP_RECORD, 0, recorded_ns[4]);
		schedule_untrace(&s, &platform);
		for (int k = 0; k < 5; k++)
			assert_int_equal(s.op[k].before_ps,
					 1000 * (known ? priced_ns : unknown_ns)[k]);
		schedule_release(&s);
		platform_release(&platform);
	}
}

/* The nodes of a graph, and launches of NCCL's, note no footprint either. */
static void a_graph_and_nccl_are_no_library(void **state)
{
	static const uint8_t flags[] = { OP_GRAPH, OP_IN_GRAPH, OP_COLLECTIVE };
	const struct schedule_access access = { .mode = ACCESS_READ, .bytes = 4 };
	struct platform platform;
	(void)state;
	platform_of(&platform, "free");
	for (size_t k = 0; k < sizeof(flags) / sizeof(flags[0]); k++) {
		struct schedule s;
		one_thread(&s);
		s.config = xstrdup("size=8x8");
		const struct schedule_shape noted = { .kernel = schedule_add_kernel(&s, "k"),
						      .points = 1 },
					    other = { .kernel = schedule_add_kernel(&s, "other"),
						      .points = 2 };
		add(&s, OP_LAUNCH, schedule_add_shape(&s, &noted, &access, 1), 9000);
		add(&s, OP_LAUNCH, schedule_add_shape(&s, &other, NULL, 0), 9000);
		s.op[1].flags = flags[k];
		schedule_untrace_solver(&s, &platform);
		assert_int_equal(s.op[0].before_ps, 0);
		assert_int_equal(s.op[1].before_ps, 0);
		schedule_release(&s);
	}
	platform_release(&platform);
}

/* 1000 ns by their records, of which half is the call's. Not for another device, nor where the
 * mechanism is left out, nor where it was never measured. */
static void a_recorded_call_costs_its_part_of_its_record(void **state)
{
	static const int64_t wait_ps[] = { 500000, 0, 0, 0 }, launch_ps[] = { 800000, 0, 0, 0 };
	(void)state;
	for (int way = 0; way < 4; way++) {
		struct platform platform;
		struct schedule s;
		platform_of(&platform, "free");
		assert_int_equal(platform_set(&platform, "device.name=one"), 0);
		if (way != 3) {
			set(&platform, "tracer.event_part", 0.5);
			set(&platform, "tracer.launch_part", 0.8);
		}
		if (way == 2) {
			struct mechanism_set without = { 0 };
			assert_int_equal(mechanism_leave_out(&without, "recorded-calls", "test"),
					 0);
			platform_leave_out(&platform, &without);
		}
		one_thread(&s);
		add(&s, OP_WAIT, 0, 0);
		s.device = xstrdup(way == 1 ? "another" : "one");
		for (int call = 0; call < CALL_OF_COUNT; call++)
			s.call_recorded_ns[call] = 1000;
		schedule_untrace(&s, &platform);
		assert_int_equal(s.call_ps[CALL_OF_WAIT_OWN], wait_ps[way]);
		assert_int_equal(s.call_ps[CALL_OF_WAIT_OTHER], wait_ps[way]);
		assert_int_equal(s.call_ps[CALL_OF_LAUNCH], launch_ps[way]);
		assert_int_equal(s.call_ps[CALL_OF_EARLY], launch_ps[way]);
		assert_int_equal(s.call_ps[CALL_OF_NONE], 0);
		assert_int_equal(s.call_ps[CALL_OF_GRAPH], 0);
		schedule_release(&s);
		platform_release(&platform);
	}
}

/* A first launch is longer by the code it loads: that is the program's, less what the recorder adds
 * to the first of a process. Where a program launches too seldom for a median, a launch is as long
 * as the platform's record of one, and where that is not known nothing is. */
static void loading_code_is_the_programs_own_time(void **state)
{
	static const struct {
		int64_t usual_ns;
		const char *record;
		int64_t before_ns[2]; /* of the process's first launch, of another kernel's */
	} cases[] = {
		{ 4000, "tracer.launch_record_ns=5000 6000", { 10000 + 96000 - 46000, 96000 } },
		{ 0, "tracer.launch_record_ns=5000 6000", { 10000 + 95000 - 46000, 95000 } },
		{ 0, NULL, { 0, 0 } },
	};
	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct platform platform;
		struct schedule s;
		platform_of(&platform, "free");
		if (cases[k].record)
			assert_int_equal(platform_set(&platform, cases[k].record), 0);
		set(&platform, "tracer.code_load_ns", 46000);
		one_thread(&s);
		const struct schedule_shape shape = {
			.kernel = schedule_add_kernel(&s, "k"), .points = 1, .path = -1, .steps = -1
		};
		for (int launch = 0; launch < 2; launch++) {
			add(&s, OP_LAUNCH, schedule_add_shape(&s, &shape, NULL, 0),
			    launch ? 0 : 10000);
			GROW(s.first, s.first_count, s.first_capacity);
			s.first[s.first_count++] = (struct schedule_first){ launch, 100000 };
		}
		GROW(s.loading, s.loading_count, s.loading_capacity);
		s.loading[s.loading_count++] = 0;
		s.call_recorded_ns[CALL_OF_LAUNCH] = cases[k].usual_ns;
		schedule_untrace(&s, &platform);
		for (int launch = 0; launch < 2; launch++)
			assert_int_equal(s.op[launch].before_ps, 1000 * cases[k].before_ns[launch]);
		schedule_release(&s);
		platform_release(&platform);
	}
}

/* What the recorder does around a call takes longer where the call did; a copy to another GPU costs
 * beside this program's launches what it does beside the platform's. */
static void calls_after_a_turn_are_slow_all_around(void **state)
{
	struct platform platform;
	struct schedule s;
	(void)state;
	platform_of(&platform, "free");
	assert_int_equal(platform_set(&platform, "device.name=one"), 0);
	set(&platform, "tracer.outside_ns", 200);
	set(&platform, "tracer.launch_part", 0.5);
	set(&platform, "host.launch_ns", 2000);
	set(&platform, "host.copy_peer_ns", 1000);
	one_thread(&s);
	s.virtual_gpus = 2;
	for (int k = 0; k < 3; k++)
		add(&s, OP_RECORD, 0, 1000);
	s.device = xstrdup("one");
	s.slower = xcalloc(3, sizeof(*s.slower));
	s.slower[0] = 2;
	s.slower[1] = 0.5f;
	s.call_recorded_ns[CALL_OF_LAUNCH] = 3000;
	schedule_untrace(&s, &platform);
	assert_int_equal(s.op[1].before_ps, 600 * 1000);
	assert_int_equal(s.op[2].before_ps, 800 * 1000);
	assert_int_equal(s.call_ps[CALL_OF_LAUNCH], 1500 * 1000);
	assert_int_equal(s.call_ps[CALL_OF_COPY + COPY_PEER], 750 * 1000);
	schedule_release(&s);
	platform_release(&platform);
}

/* On virtual GPUs: what noting left in a pause, what a change of contexts added to a kernel. */
static void what_virtual_gpus_cost_is_taken_out(void **state)
{
	struct platform platform;
	struct schedule s;
	(void)state;
	platform_of(&platform, "free");
	set(&platform, "tracer.stream_note_host_op_ns", 150);
	set(&platform, "tracer.serial_kernel_ns", 1000);
	set(&platform, "tracer.switch_ns", 300);
	one_thread(&s);
	s.virtual_gpus = 2;
	const struct schedule_shape shape = {
		.kernel = schedule_add_kernel(&s, "k"), .points = 1, .path = -1, .steps = -1
	};
	for (int k = 0; k < 3; k++) {
		add(&s, OP_LAUNCH, schedule_add_shape(&s, &shape, NULL, 0), 1000);
		s.op[k].duration_ps = 5000 * 1000;
	}
	s.op[1].flags = OP_SWITCHED;
	s.op[2].flags = OP_SWITCHED;
	s.op[2].duration_ps = 200 * 1000;
	s.hidden = xcalloc(1, sizeof(*s.hidden));
	s.hidden[0] = (struct schedule_hidden){ 1, 2 };
	s.hidden_count = 1;
	schedule_untrace(&s, &platform);
	assert_int_equal(s.op[0].before_ps, 1000 * 1000);
	assert_int_equal(s.op[1].before_ps, 700 * 1000);
	assert_int_equal(s.op[0].duration_ps, 4000 * 1000);
	assert_int_equal(s.op[1].duration_ps, 3700 * 1000);
	assert_int_equal(s.op[2].duration_ps, 0);
	schedule_release(&s);
	platform_release(&platform);
}

/* L2 keeps 60 bytes. Two GPUs hold 40 and 20: all fit, nothing is taken off. They hold 50 and 20:
 * of 50 none is left when their turn comes again; memory has 1 byte a us and L2 2, so 25 us of what
 * the turn's kernels take are that, of the first as many as it had time for. */
static void what_others_left_of_l2_is_taken_off(void **state)
{
	static const int64_t held[] = { 40, 50 }, first_us[] = { 30, 15 },
			     second_us[] = { 200, 190 };
	double curve[2][2] = { { 60, 61 }, { 1, 0 } };
	(void)state;
	for (int way = 0; way < 2; way++) {
		struct platform platform;
		struct schedule s;
		platform_of(&platform, "free");
		set(&platform, "tracer.serial_kernel_ns", 0);
		set(&platform, "tracer.switch_ns", 0);
		platform.sm.present = true;
		platform.sm.l2_reuse_bytes.value = curve[0];
		platform.sm.l2_reuse_hits.value = curve[1];
		platform.sm.l2_reuse_bytes.count = platform.sm.l2_reuse_hits.count = 2;
		platform.sm.dram.copy_bytes_per_s = 1e6;
		platform.sm.l2.copy_bytes_per_s = 2e6;
		one_thread(&s);
		s.virtual_gpus = 2;
		s.virtual_bytes = xcalloc(2, sizeof(*s.virtual_bytes));
		s.virtual_bytes[0] = held[way];
		s.virtual_bytes[1] = 20;
		const struct schedule_shape shape = {
			.kernel = schedule_add_kernel(&s, "k"), .points = 1, .path = -1, .steps = -1
		};
		for (int k = 0; k < 3; k++) {
			add(&s, OP_LAUNCH, schedule_add_shape(&s, &shape, NULL, 0), 0);
			s.op[k].duration_ps = (k ? 200 : 30) * 1000000;
		}
		s.op[0].flags = OP_SWITCHED;
		schedule_untrace(&s, &platform);
		platform.sm.l2_reuse_bytes.value = platform.sm.l2_reuse_hits.value = NULL;
		assert_int_equal((s.op[0].duration_ps + 500) / 1000, first_us[way] * 1000);
		assert_int_equal((s.op[1].duration_ps + 500) / 1000, second_us[way] * 1000);
		assert_int_equal(s.op[2].duration_ps / 1000, 200 * 1000);
		assert_int_equal((s.shared_l2_ps + 500) / 1000, way * 25 * 1000);
		assert_int_equal(s.shared_l2_kernels, way * 2);
		schedule_release(&s);
		platform_release(&platform);
	}
}

/* 132 multiprocessors hold 2 blocks of 1024 threads each: 2640 blocks take 10 turns, and 9 of them
 * are longer by 100 ns; blocks are handed out every 0.6 ns. */
static void a_kernel_is_longer_by_what_the_recorder_adds_to_each_turn_of_its_blocks(void **state)
{
	static const struct {
		uint32_t blocks;
		int64_t recorded_ns, left_ns;
		bool footprint, other_device, left_out;
	} kernels[] = {
		{ 2640, 20000, 20000 - 900, false, false, false },
		{ 264, 2000, 2000, false, false, false },   /* one turn */
		{ 2640, 2000, 1584, false, false, false },  /* as fast as blocks are handed out */
		{ 2640, 1500, 1500, false, false, false },  /* never longer than recorded */
		{ 2640, 20000, 20000, true, false, false }, /* known to stream memory */
		{ 2640, 20000, 20000, false, true, false }, /* not this device's */
		{ 2640, 20000, 20000, false, false, true },
	};
	(void)state;
	for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
		struct schedule_shape shape = { .grid = { kernels[k].blocks, 1, 1 },
						.block = { 1024, 1, 1 },
						.registers = 16,
						.path = -1,
						.steps = -1 };
		const struct schedule_access access = { 0, ACCESS_READ, 0, 4096 };
		struct platform platform;
		struct schedule s;
		platform_of(&platform, "free");
		assert_int_equal(platform_set(&platform, "device.name=one"), 0);
		platform.sm_count = 132;
		platform.block_ns = 100;
		platform.sm = round_device();
		platform.sm.isa = NULL; /* the platform frees its own */
		platform.sm.block_dispatch_ns = 0.6;
		if (kernels[k].left_out) {
			struct mechanism_set without = { 0 };
			assert_int_equal(mechanism_leave_out(&without, "recorded-blocks", "test"),
					 0);
			platform_leave_out(&platform, &without);
		}
		one_thread(&s);
		s.device = xstrdup(kernels[k].other_device ? "another" : "one");
		shape.kernel = schedule_add_kernel(&s, "kernel");
		struct schedule_op *op = schedule_add_op(
			&s, OP_LAUNCH, 0,
			schedule_add_shape(&s, &shape, &access, kernels[k].footprint));
		op->duration_ps = kernels[k].recorded_ns * 1000;
		schedule_untrace_blocks(&s, &platform);
		assert_int_equal(s.op[0].duration_ps, kernels[k].left_ns * 1000);
		schedule_release(&s);
		platform_release(&platform);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_owes_what_the_recorder_took_behind_the_one_before),
		cmocka_unit_test(what_was_asked_goes_by_what_watching_it_cost),
		cmocka_unit_test(a_call_without_a_cost_of_its_own_is_watched_like_the_shortest),
		cmocka_unit_test(a_library_takes_its_time_before_its_launches),
		cmocka_unit_test(a_graph_and_nccl_are_no_library),
		cmocka_unit_test(a_recorded_call_costs_its_part_of_its_record),
		cmocka_unit_test(loading_code_is_the_programs_own_time),
		cmocka_unit_test(calls_after_a_turn_are_slow_all_around),
		cmocka_unit_test(what_virtual_gpus_cost_is_taken_out),
		cmocka_unit_test(what_others_left_of_l2_is_taken_off),
		cmocka_unit_test(
			a_kernel_is_longer_by_what_the_recorder_adds_to_each_turn_of_its_blocks),
		cmocka_unit_test(a_solver_of_ours_does_nothing_between_its_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
