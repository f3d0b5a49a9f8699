/* SPDX-License-Identifier: MIT
 * One multiprocessor against times worked out by hand.
 */
#include "sm_kit.h"

static void a_chain_of_one_warp_takes_its_stall_counts(void **state)
{
	(void)state;
	struct kit kit;
	struct sm_device d = round_device();
	kit_chain(&kit, 32, 20, "FADD R0, R0, R1", 4);
	assert_true(fabs(kit_cycles(&kit, &d, 1, 1, 0) - 81) < 1e-9); /* 20 x 4, and the exit */
}

static void four_warps_of_a_sub_partition_hide_each_others_stalls(void **state)
{
	(void)state;
	struct kit kit;
	struct sm_device d = round_device();
	kit_chain(&kit, 512, 20, "FADD R0, R0, R1", 4); /* 16 warps: 4 each */
	double cycles = kit_cycles(&kit, &d, 1, 1, 0);
	assert_true(cycles >= 81 && cycles < 90);
	kit_chain(&kit, 1024, 20, "FADD R0, R0, R1", 4); /* 8 each: issue is the limit */
	cycles = kit_cycles(&kit, &d, 1, 1, 0);
	assert_true(cycles >= 8 * 21 && cycles < 8 * 21 + 10);
}

/* Blocks of one and of two warps: eight warps at once are two a sub-partition, and stay so when
 * others take the places of those that ended. */
static void small_blocks_use_all_sub_partitions(void **state)
{
	(void)state;
	struct kit kit;
	struct sm_device d = round_device();
	for (uint32_t warps = 1; warps <= 2; warps++) {
		kit_chain(&kit, 32 * warps, 60, "FADD R0, R0, R1", 1);
		double cycles = kit_cycles(&kit, &d, 8 / warps, 8 / (int)warps, 0);
		assert_true(cycles >= 2 * 61 && cycles < 2 * 61 + 5);
		cycles = kit_cycles(&kit, &d, 80 / warps, 8 / (int)warps, 0);
		assert_true(cycles >= 20 * 61 && cycles < 21 * 61);
	}
}

static void a_pipe_of_half_rate_takes_twice_as_long(void **state)
{
	(void)state;
	struct kit kit;
	struct sm_device d = round_device();
	kit_chain(&kit, 1024, 40, "DADD R0, R0, UR4", 1);
	double half = kit_cycles(&kit, &d, 1, 1, 0);
	d.interval[SASS_FP64] = 1;
	double full = kit_cycles(&kit, &d, 1, 1, 0);
	assert_true(half > 1.9 * full && half < 2.1 * full);
}

/* Eight warps a sub-partition: of three pairs of registers a DFMA takes what the device says, or a
 * turn for each bank's third. */
static void operands_of_fp64_hold_up_what_is_beside_them(void **state)
{
	static const struct {
		const char *text;
		double ports[3], cycles;
	} cases[] = {
		{ "DFMA R0, R2, R4, R6", { 1, 1.5, 2.5 }, 2.5 },
		{ "DADD R0, R2, R4", { 1, 1.5, 2.5 }, 1.5 },
		{ "DADD R0, R2, UR4", { 1, 1.5, 2.5 }, 1 },
		{ "DFMA R0, R2, R4, R6", { 0, 0, 0 }, 1 }, /* ideal */
	};
	enum { PAIRS = 30 };
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kit kit;
		struct sm_device d = round_device();
		d.interval[SASS_FP64] = 1;
		memcpy(d.fp64_port_cycles, cases[i].ports, sizeof(d.fp64_port_cycles));
		kit_begin(&kit, 1024);
		for (int k = 0; k < PAIRS; k++) {
			kit_add(&kit, cases[i].text, 1, NO_SCOREBOARD, 0, KIT_WARPS);
			kit_add(&kit, "FADD R9, R9, 1", 1, NO_SCOREBOARD, 0, KIT_WARPS);
		}
		kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
		double cycles = kit_cycles(&kit, &d, 1, 1, 0),
		       wanted = 8 * PAIRS * (cases[i].cycles + 1);
		if (fabs(cycles - wanted) > 0.06 * wanted)
			fail_msg("%s: %g cycles, not %g", cases[i].text, cycles, wanted);
	}
}

/* DMMA is served by the pipe of FP64, HMMA by its own: DADD beside one adds its own time, beside
 * the other it hides in it. */
static void products_in_fp64_keep_the_pipe_of_fp64(void **state)
{
	(void)state;
	struct sm_device d = round_device();
	d.interval[SASS_TENSOR] = d.interval[SASS_TENSOR_FP64] = 16;
	for (int own = 0; own < 2; own++) {
		struct kit kit;
		kit_begin(&kit, 1024);
		for (int k = 0; k < 20; k++) {
			kit_add(&kit,
				own ? "HMMA.16816.F32 R8, R4, R6, R8" : "DMMA.8x8x4 R8, R4, R6, R8",
				1, NO_SCOREBOARD, 0, KIT_WARPS);
			kit_add(&kit, "DADD R0, R2, UR4", 1, NO_SCOREBOARD, 0, KIT_WARPS);
		}
		kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
		const double a_pair = kit_cycles(&kit, &d, 1, 1, 0) / (8 * 20);
		assert_true(fabs(a_pair - (own ? 16 : 18)) < 0.4);
	}
}

/* One in four is another instruction; eight warps a sub-partition. */
static double beside(const char *other, const char *most, double multiply_add, double shuffle)
{
	struct kit kit;
	struct sm_device d = round_device();
	d.multiply_add_interval = multiply_add;
	d.shuffle_issue_cycles = shuffle;
	d.interval[SASS_SHUFFLE] = 0.25;
	kit_begin(&kit, 1024);
	for (int k = 0; k < 40; k++)
		kit_add(&kit, k % 4 ? most : other, 1, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	return kit_cycles(&kit, &d, 1, 1, 0) / (8 * 10);
}

static void half_of_the_pipe_multiplies_integers(void **state)
{
	static const char imad[] = "IMAD.MOV.U32 R8, RZ, RZ, R3", fadd[] = "FADD R9, R9, 1";
	(void)state;
	assert_true(fabs(beside(imad, imad, 2, 0) - 8) < 0.3);
	assert_true(fabs(beside(imad, imad, 0, 0) - 4) < 0.3);
	assert_true(fabs(beside(imad, fadd, 2, 0) - 4) < 0.3); /* the other half has the rest */
}

static void shuffles_hold_up_fp32_alone(void **state)
{
	static const char shuffle[] = "SHFL.IDX PT, R8, R2, R3, 0x1f";
	(void)state;
	assert_true(fabs(beside(shuffle, "FADD R9, R9, 1", 0, 3) - 6) < 0.3);
	assert_true(fabs(beside(shuffle, "FADD R9, R9, 1", 0, 0) - 4) < 0.3);
	assert_true(fabs(beside(shuffle, "DADD R10, R10, UR4", 0, 3) -
			 beside(shuffle, "DADD R10, R10, UR4", 0, 0)) < 0.1);
}

/* A load by every thread, and an instruction that waits for it. */
static void load(struct kit *kit, uint32_t threads, int loads, int sectors)
{
	kit_begin(kit, threads);
	for (int k = 0; k < loads; k++)
		kit_add(kit, "LDG.E R0, [R2.64]", 1, 0, 0, KIT_WARPS)->sectors_global =
			(int64_t)sectors * KIT_WARPS;
	kit_add(kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 1, KIT_WARPS);
	kit_add(kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	kit->profile.l1_load_sectors = kit->profile.l2_read_sectors =
		(int64_t)loads * sectors * KIT_WARPS;
}

static void a_lone_load_takes_the_latency_of_the_level_that_has_it(void **state)
{
	(void)state;
	struct kit kit;
	struct sm_device d = round_device();
	load(&kit, 32, 1, 4);
	double l2 = kit_cycles(&kit, &d, 1, 1, 0), dram = kit_cycles(&kit, &d, 1, 1, 1);
	assert_true(l2 > 200 && l2 < 212);
	assert_true(dram > 500 && dram < 512);
	kit.profile.l2_read_sectors = 0;
	double l1 = kit_cycles(&kit, &d, 1, 1, 0);
	assert_true(l1 > 30 && l1 < 40);
}

static void few_bytes_in_flight_are_latency_bound_and_many_are_rate_bound(void **state)
{
	(void)state;
	struct kit kit;
	struct sm_device d = round_device();
	enum { BLOCKS = 400 };
	/* 64 warps x 128 B over 500 ns: 16.4 B a cycle of the 2000 there are */
	load(&kit, 1024, 1, 4);
	double few = kit_cycles(&kit, &d, BLOCKS, 2, 1), few_rate = BLOCKS * 32.0 * 128 / few;
	assert_true(few_rate > 14 && few_rate < 16.5);
	/* the same with a rate of 10 B a cycle; blocks begin anew together, which costs some of it
	 */
	d.dram.read_bytes_per_s = 1e10;
	double many = kit_cycles(&kit, &d, BLOCKS, 2, 1), many_rate = BLOCKS * 32.0 * 128 / many;
	assert_true(many_rate > 8.5 && many_rate <= 10.01);
}

static void twice_the_loads_in_flight_are_twice_the_rate(void **state)
{
	(void)state;
	struct kit kit;
	struct sm_device d = round_device();
	load(&kit, 256, 1, 4);
	double one = kit_cycles(&kit, &d, 100, 1, 1);
	load(&kit, 256, 4, 4);
	double four = kit_cycles(&kit, &d, 100, 1, 1);
	assert_true(four < 1.1 * one); /* four times the bytes in about the same time */
}

static void a_barrier_waits_for_the_slowest_warp(void **state)
{
	(void)state;
	struct kit kit;
	struct sm_device d = round_device();
	kit_begin(&kit, 64);
	kit_add(&kit, "@P0 BRA 0x60", 1, NO_SCOREBOARD, 0,
		KIT_WARPS); /* every other warp skips the chain */
	for (int k = 0; k < 5; k++)
		kit_add(&kit, "FADD R0, R0, R1", 15, NO_SCOREBOARD, 0, KIT_WARPS / 2);
	kit_add(&kit, "BAR.SYNC 0x0", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	double cycles = kit_cycles(&kit, &d, 1, 1, 0);
	assert_true(cycles > 75 + 10 && cycles < 75 + 20);
}

/* Every other warp never comes to the barrier: it goes its own way, and its end lets the others go.
 */
static void a_barrier_opens_when_the_last_warp_that_is_missing_ends(void **state)
{
	struct kit kit;
	struct sm_device d = round_device();
	(void)state;
	kit_begin(&kit, 64);
	kit_add(&kit, "@P0 BRA 0x30", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(&kit, "BAR.SYNC 0x0", 1, NO_SCOREBOARD, 0, KIT_WARPS / 2);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS / 2);
	for (int k = 0; k < 5; k++)
		kit_add(&kit, "FADD R0, R0, R1", 15, NO_SCOREBOARD, 0, KIT_WARPS / 2);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS / 2);
	double cycles = kit_cycles(&kit, &d, 1, 1, 0); /* asserts that none was forced */
	assert_true(cycles > 75 + 10 && cycles < 75 + 20);
}

/* Two loads raise one scoreboard, of which so many may be under way still: they count as done in
 * order, whichever is first. */
static double waited_for(bool slow_first, int left)
{
	struct kit kit;
	struct sm_device d = round_device();
	char depbar[32];
	snprintf(depbar, sizeof(depbar), "DEPBAR.LE SB0, 0x%d", left);
	kit_begin(&kit, 32);
	for (int k = 0; k < 2; k++) {
		const bool slow = slow_first == (k == 0);
		struct profile_instruction *load = kit_add(
			&kit, slow ? "LDG.E R4, [R2.64]" : "LDS R5, [R2]", 1, 0, 0, KIT_WARPS);
		if (slow)
			load->sectors_global = 4 * (int64_t)KIT_WARPS;
		else
			load->wavefronts_shared = KIT_WARPS;
	}
	kit_add(&kit, depbar, 1, NO_SCOREBOARD, 0, KIT_WARPS);
	for (int k = 0; k < 2; k++) /* long enough that no load ends the run */
		kit_add(&kit, "FADD R0, R0, R1", 15, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	kit.profile.l1_load_sectors = kit.profile.l2_read_sectors = 4 * (int64_t)KIT_WARPS;
	return kit_cycles(&kit, &d, 1, 1, 0);
}

static void scoreboards_count_down_in_order(void **state)
{
	(void)state;
	const double slow = waited_for(false, 0), quick = waited_for(false, 1);
	assert_true(slow > 200 && slow < 260);
	assert_true(quick > 20 && quick < 100);
	assert_true(fabs(waited_for(true, 0) - slow) <
		    5); /* the quick one behind the slow one is not done before it */
	assert_true(fabs(waited_for(true, 1) - slow) < 5);
	assert_true(waited_for(true, 2) < 50);
}

/* LDGDEPBAR has no bytes of its own: it is done when all copies before it are. */
static void asynchronous_copies_are_waited_for(void **state)
{
	double cycles[2];
	(void)state;
	for (int waits = 0; waits < 2; waits++) {
		struct kit kit;
		struct sm_device d = round_device();
		kit_begin(&kit, 32);
		for (int k = 0; k < 3; k++)
			kit_add(&kit, "LDGSTS.E [R4], [R2.64]", 1, NO_SCOREBOARD, 0, KIT_WARPS)
				->sectors_global = 4 * (int64_t)KIT_WARPS;
		kit_add(&kit, "LDGDEPBAR", 1, 0, 0, KIT_WARPS);
		kit_add(&kit, waits ? "DEPBAR.LE SB0, 0x0" : "NOP", 1, NO_SCOREBOARD, 0, KIT_WARPS);
		for (int k = 0; k < 8; k++) /* runs beside the copies, or after them */
			kit_add(&kit, "FADD R0, R0, R1", 15, NO_SCOREBOARD, 0, KIT_WARPS);
		kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
		kit.profile.l1_load_sectors = kit.profile.l2_read_sectors = 12 * (int64_t)KIT_WARPS;
		cycles[waits] = kit_cycles(&kit, &d, 1, 1, 0);
	}
	assert_true(cycles[1] > cycles[0] + 100);
}

static void conflicts_in_shared_memory_cost_a_pass_each(void **state)
{
	(void)state;
	struct kit kit;
	struct sm_device d = round_device();
	double cycles[2];
	for (int k = 0; k < 2; k++) {
		kit_begin(&kit, 1024);
		for (int n = 0; n < 20; n++)
			kit_add(&kit, "LDS R0, [R2]", 1, 0, 0, KIT_WARPS)->wavefronts_shared =
				(int64_t)(k ? 8 : 1) * KIT_WARPS;
		kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
		cycles[k] = kit_cycles(&kit, &d, 2, 2, 0);
	}
	assert_true(cycles[1] > 7.5 * cycles[0] && cycles[1] < 8.5 * cycles[0]);
}

static void two_jobs_share_the_multiprocessor(void **state)
{
	(void)state;
	struct kit kit, other;
	struct sm_device d = round_device();
	struct warp_program a, b;
	struct sm_run run;
	kit_chain(&kit, 512, 60, "FADD R0, R0, R1", 1);
	kit_chain(&other, 512, 60, "FADD R0, R0, R1", 1);
	kit_program(&kit, &a);
	kit_program(&other, &b);
	const struct sm_job jobs[] = { { .program = &a, .blocks = 8, .resident = 1 },
				       { .program = &b, .blocks = -1, .resident = 1 } };
	struct sm_setup setup = {
		.device = &d, .job = jobs, .job_count = 1, .memory = { .sharers = 1 }
	};
	assert_int_equal(sm_engine_run(&setup, &run), 0);
	double alone = run.cycles;
	sm_run_release(&run);
	setup.job_count = 2;
	assert_int_equal(sm_engine_run(&setup, &run), 0);
	assert_true(run.cycles > 1.8 * alone && run.cycles < 2.2 * alone);
	sm_run_release(&run);
	warp_program_release(&a);
	warp_program_release(&b);
}

static void same_run(const struct sm_run *a, const struct sm_run *b)
{
	assert_int_equal(a->block_count, b->block_count);
	assert_true(a->cycles == b->cycles && a->instructions == b->instructions &&
		    a->barriers_forced == b->barriers_forced);
	assert_memory_equal(a->block_end, b->block_end,
			    (size_t)a->block_count * sizeof(*a->block_end));
	assert_memory_equal(a->stalled, b->stalled, sizeof(a->stalled));
	for (int64_t k = 0; k < a->block_count; k++)
		assert_true(a->block[k].begin == b->block[k].begin &&
			    a->block[k].end == b->block[k].end &&
			    a->block[k].slot == b->block[k].slot);
}

/* Loads that miss, a barrier, stores, alone and beside another job: what was begun with fewer
 * blocks and went on is what a run of all would have been. */
static void a_run_that_goes_on_is_one_that_was_never_interrupted(void **state)
{
	(void)state;
	struct kit kit, other;
	struct sm_device d = round_device();
	struct warp_program a, b;
	d.dram.spread_ns = 300;
	d.dram.least_share = 0.8;
	d.l1_miss_bytes = 16384;
	kit_begin(&kit, 192);
	for (int n = 0; n < 4; n++)
		kit_add(&kit, "LDG.E R4, [R2]", 2, n, 0, KIT_WARPS)->sectors_global =
			4 * (int64_t)KIT_WARPS;
	kit_add(&kit, "FADD R0, R0, R4", 4, NO_SCOREBOARD, 15, KIT_WARPS);
	kit_add(&kit, "BAR.SYNC 0x0", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(&kit, "STG.E [R2], R0", 1, NO_SCOREBOARD, 0, KIT_WARPS)->sectors_global =
		4 * (int64_t)KIT_WARPS;
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_chain(&other, 96, 60, "FADD R0, R0, R1", 3);
	kit_program(&kit, &a);
	kit_program(&other, &b);
	for (int jobs = 1; jobs <= 2; jobs++) {
		struct sm_job job[] = { { .program = &a,
					  .blocks = 12,
					  .resident = 3,
					  .every_cycles = 7,
					  .l2_miss_share = 0.4,
					  .dram_write_share = 0.3 },
					{ .program = &b, .blocks = -1, .resident = 2 } };
		struct sm_setup setup = {
			.device = &d, .job = job, .job_count = jobs, .memory = { .sharers = 100 }
		};
		struct sm_run begun, whole, gone_on;
		struct sm_snapshot *snapshot;
		assert_int_equal(sm_engine_begin(&setup, &begun, &snapshot), 0);
		assert_non_null(snapshot);
		assert_int_equal(sm_engine_run(&setup, &whole), 0);
		same_run(&begun, &whole);
		sm_run_release(&whole);
		job[0].blocks = 50;
		assert_int_equal(sm_engine_run(&setup, &whole), 0);
		assert_int_equal(sm_snapshot_run(snapshot, 50, &gone_on), 0);
		same_run(&gone_on, &whole);
		sm_snapshot_release(snapshot);
		sm_run_release(&begun);
		sm_run_release(&whole);
		sm_run_release(&gone_on);
		job[0].blocks = 3; /* all at once */
		assert_int_equal(sm_engine_begin(&setup, &begun, &snapshot), 0);
		assert_null(snapshot);
		sm_run_release(&begun);
	}
	warp_program_release(&a);
	warp_program_release(&b);
}

static void what_warps_waited_for_costs_no_time(void **state)
{
	(void)state;
	struct kit kit;
	struct sm_device d = round_device();
	struct warp_program program;
	struct sm_run run[2];
	kit_chain(&kit, 512, 60, "FADD R0, R0, R1", 3);
	kit_program(&kit, &program);
	const struct sm_job job = { .program = &program, .blocks = 8, .resident = 2 };
	for (int k = 0; k < 2; k++) {
		const struct sm_setup setup = { .device = &d,
						.job = &job,
						.job_count = 1,
						.memory = { .sharers = 1 },
						.duration_only = k };
		assert_int_equal(sm_engine_run(&setup, &run[k]), 0);
	}
	assert_true(run[0].cycles == run[1].cycles && run[0].stalled[STALL_FIXED] > 0);
	for (int k = 0; k < STALL_REASON_COUNT; k++)
		assert_true(run[1].stalled[k] == 0);
	sm_run_release(&run[0]);
	sm_run_release(&run[1]);
	warp_program_release(&program);
}

static void sub_partitions_take_turns_at_shared_memory(void **state)
{
	(void)state;
	struct kit kit;
	struct sm_device d = round_device();
	kit_begin(&kit, 128);
	for (int round = 0; round < 2; round++) {
		for (int n = 0; n < 5; n++)
			kit_add(&kit, "LDS R4, [R2]", 1, 0, 0, KIT_WARPS)->wavefronts_shared =
				8 * (int64_t)KIT_WARPS;
		for (int n = 0; n < 20; n++)
			kit_add(&kit, "FADD R0, R0, R1", 15, NO_SCOREBOARD, 0, KIT_WARPS);
	}
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	/* The first to have its fifth load waits for three others' fifth at most. Were it served
	 * before the others, its chain would hide their passes. */
	double cycles = kit_cycles(&kit, &d, 1, 1, 0);
	assert_true(cycles > 2 * (16 * 8 + 300) && cycles < 2 * (20 * 8 + 300));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_of_one_warp_takes_its_stall_counts),
		cmocka_unit_test(four_warps_of_a_sub_partition_hide_each_others_stalls),
		cmocka_unit_test(small_blocks_use_all_sub_partitions),
		cmocka_unit_test(a_pipe_of_half_rate_takes_twice_as_long),
		cmocka_unit_test(operands_of_fp64_hold_up_what_is_beside_them),
		cmocka_unit_test(products_in_fp64_keep_the_pipe_of_fp64),
		cmocka_unit_test(half_of_the_pipe_multiplies_integers),
		cmocka_unit_test(shuffles_hold_up_fp32_alone),
		cmocka_unit_test(a_lone_load_takes_the_latency_of_the_level_that_has_it),
		cmocka_unit_test(few_bytes_in_flight_are_latency_bound_and_many_are_rate_bound),
		cmocka_unit_test(twice_the_loads_in_flight_are_twice_the_rate),
		cmocka_unit_test(a_barrier_waits_for_the_slowest_warp),
		cmocka_unit_test(a_barrier_opens_when_the_last_warp_that_is_missing_ends),
		cmocka_unit_test(scoreboards_count_down_in_order),
		cmocka_unit_test(asynchronous_copies_are_waited_for),
		cmocka_unit_test(conflicts_in_shared_memory_cost_a_pass_each),
		cmocka_unit_test(two_jobs_share_the_multiprocessor),
		cmocka_unit_test(a_run_that_goes_on_is_one_that_was_never_interrupted),
		cmocka_unit_test(what_warps_waited_for_costs_no_time),
		cmocka_unit_test(sub_partitions_take_turns_at_shared_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
