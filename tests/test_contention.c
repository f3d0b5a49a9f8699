/* SPDX-License-Identifier: MIT
 * Two at once on one GPU, against times worked out by hand.
 */
#include "sim/gpu/contention.h"
#include "sm_kit.h"

enum { SMS = 4 };

static struct contender alone(double calls, double busy_ns, double pause_ns)
{
	return (struct contender){ .calls = calls,
				   .busy_ns = busy_ns,
				   .call_ns = busy_ns + pause_ns };
}

/* Both orders alike. */
static struct contention mixed(bool room, double first, double second, double handing_of_second)
{
	struct contention_mix mix = { .room = room, .pace = { first, second } };
	return (struct contention){ .mix = { mix, mix }, .handing = { 0, handing_of_second } };
}

static void check(double is, double should)
{
	if (fabs(is - should) > 1e-6)
		fail_msg("%.9g, not %.9g", is, should);
}

static void who_is_left_goes_on_alone(void **state)
{
	(void)state;
	struct contention half = mixed(true, 0.5, 0.5, 0), none = mixed(true, 1, 1, 0);
	struct contender equal[2] = { alone(1, 10, 0), alone(1, 10, 0) },
			 unequal[2] = { alone(1, 10, 0), alone(1, 20, 0) };
	check(contention_both_ns(equal, &half), 20);
	check(contention_both_ns(unequal, &half), 30); /* 20 at half pace, then the other's 10 */
	check(contention_both_ns(unequal, &none), 20);
}

static void pauses_disturb_nobody(void **state)
{
	(void)state;
	struct contention half = mixed(true, 0.5, 0.5, 0);
	struct contender pair[2] = { alone(2, 10, 5), alone(1, 100, 0) };
	/* slowed in 0..20 and 25..45 of its 100: it has lost 20 */
	check(contention_both_ns(pair, &half), 120);
}

static void launches_without_room_take_turns(void **state)
{
	(void)state;
	struct contention none = mixed(false, 1, 1, 0);
	struct contender pair[2] = { alone(2, 10, 2), alone(2, 10, 2) };
	check(contention_both_ns(pair, &none),
	      42); /* four in a row, their pauses hidden but for the last */
}

static void a_small_grid_waits_for_the_last_blocks_of_a_large_one(void **state)
{
	(void)state;
	struct contention x = mixed(true, 1, 1, 0.9);
	struct contender pair[2] = { alone(2, 10, 0), alone(1, 20, 0) };
	/* The first call beside the large grid; the second begins at 18, has half the room until
	 * 20, and 9 left then. */
	check(contention_both_ns(pair, &x), 29);
}

static void memory_is_shared_where_too_much_is_asked(void **state)
{
	(void)state;
	check(contention_share(3, 3, 4), 2);
	check(contention_share(1, 2, 4), 1);
	check(contention_share(6, 2, 4), 3);
}

static void chain(struct kit *kit, struct warp_program *program, uint32_t threads, int count)
{
	kit_begin(kit, threads);
	for (int k = 0; k < count; k++)
		kit_add(kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_program(kit, program);
}

static void the_second_gets_what_the_first_leaves(void **state)
{
	(void)state;
	struct kit kit;
	struct warp_program half, quarter;
	struct contention_mix mix;
	struct sm_device d = round_device();
	chain(&kit, &half, 512, 4);
	chain(&kit, &quarter, 256, 4);
	struct grid_launch small = { .program = &half, .blocks = SMS },
			   large = { .program = &quarter, .blocks = 1000 };
	const struct contender c[2] = { { .launch = &small }, { .launch = &large } };
	contention_fit(&d, SMS, c, 0, &mix);
	assert_int_equal(mix.resident[0], 1);
	assert_int_equal(mix.resident[1], 6); /* 64 - 16 warps, 8 a block */
	contention_fit(&d, SMS, c, 1, &mix);
	assert_int_equal(mix.resident[1], 8);
	assert_false(mix.room);
	half.registers = 112; /* 512 x 112 of 65536 are gone */
	contention_fit(&d, SMS, c, 0, &mix);
	assert_int_equal(mix.resident[1],
			 2); /* 2048 left a sub-partition, 512 a warp: 16 warps, 8 a block */
	half.registers = 16;
	half.shared_bytes = (uint32_t)d.shared_bytes - 2 * 1024; /* and 1024 the system's */
	contention_fit(&d, SMS, c, 0, &mix);
	assert_int_equal(mix.resident[1],
			 1); /* a block without shared memory takes the system's 1024 */
	warp_program_release(&half);
	warp_program_release(&quarter);
}

/* Eight warps a sub-partition issue without a gap: whoever came first keeps its pace, the other
 * gets next to nothing. */
static void issue_slots_belong_to_who_came_first(void **state)
{
	(void)state;
	struct kit kit;
	struct warp_program program;
	struct contention x;
	struct sm_device d = round_device();
	chain(&kit, &program, 1024, 60);
	struct grid_launch launch = { .program = &program, .blocks = SMS };
	const struct contender c[2] = {
		{ .launch = &launch, .call_ns = 1, .busy_ns = 1, .calls = 1 },
		{ .launch = &launch, .call_ns = 1, .busy_ns = 1, .calls = 1 }
	};
	assert_int_equal(contention_paces(&d, SMS, c, &x), 0);
	for (int first = 0; first < 2; first++) {
		assert_true(x.mix[first].room);
		assert_true(x.mix[first].pace[first] > 0.45);
		assert_true(x.mix[first].pace[!first] < 0.6);
		assert_true(x.mix[first].pace[first] >= x.mix[first].pace[!first]);
	}
	check(x.mix[0].pace[0], x.mix[1].pace[1]);
	warp_program_release(&program);
	/* A warp a sub-partition leaves three slots of four. */
	chain(&kit, &program, 128, 60);
	assert_int_equal(contention_paces(&d, SMS, c, &x), 0);
	assert_true(x.mix[0].pace[0] > 0.95 && x.mix[0].pace[1] > 0.95);
	warp_program_release(&program);
}

static void a_copy_and_a_kernel_share_memory(void **state)
{
	(void)state;
	struct kit kit;
	struct warp_program program;
	struct contention x;
	struct sm_device d = round_device();
	kit_begin(&kit, 1024);
	for (int k = 0; k < 8; k++)
		kit_add(&kit, "LDG.E.128 R0, [R8.64]", 1, 0, 0, KIT_WARPS)->sectors_global =
			16 * KIT_WARPS;
	kit_add(&kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 1, KIT_WARPS);
	kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	kit.profile.l1_load_sectors = kit.profile.l2_read_sectors = 8 * 16 * KIT_WARPS;
	kit_program(&kit, &program);
	struct grid_launch launch = { .program = &program,
				      .blocks = 2000,
				      .traffic.l2_miss_share = 1 };
	d.dram.read_bytes_per_s = d.dram.write_bytes_per_s =
		1e11; /* 100 bytes a ns: the kernel is bound by them */
	double bytes = 2000.0 * 32 * 8 * 512;
	struct contender c[2] = {
		{ .launch = &launch,
		  .call_ns = bytes / 100,
		  .busy_ns = bytes / 100,
		  .dram_bytes = bytes,
		  .calls = 1 },
		{ .call_ns = 1000, .busy_ns = 1000, .dram_bytes = 100000, .calls = 1 }
	};
	assert_int_equal(contention_paces(&d, SMS, c, &x), 0);
	assert_true(fabs(x.mix[0].pace[0] - 0.5) < 0.02);
	check(x.mix[0].pace[1], 0.5);
	c[1].dram_bytes = 0.001; /* one that takes next to nothing changes nothing */
	assert_int_equal(contention_paces(&d, SMS, c, &x), 0);
	assert_true(x.mix[0].pace[0] > 0.999 && x.mix[0].pace[1] > 0.999);
	warp_program_release(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_left_goes_on_alone),
		cmocka_unit_test(pauses_disturb_nobody),
		cmocka_unit_test(launches_without_room_take_turns),
		cmocka_unit_test(a_small_grid_waits_for_the_last_blocks_of_a_large_one),
		cmocka_unit_test(memory_is_shared_where_too_much_is_asked),
		cmocka_unit_test(the_second_gets_what_the_first_leaves),
		cmocka_unit_test(issue_slots_belong_to_who_came_first),
		cmocka_unit_test(a_copy_and_a_kernel_share_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
