/* SPDX-License-Identifier: MIT
 * Launches of almost as many blocks: which one is played for them, and what is made of it.
 */
#include "sm_kit.h"

#include "sim/gpu/grid_rounded.h"
#include "sim/gpu/warps_play.h"

enum { SMS = 10, SLOTS = 8 };

struct bench {
	struct kit kit;
	struct sm_device device;
	struct warp_program program;
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	b->device = round_device();
	b->device.block_slots = SLOTS;
	kit_chain(&b->kit, 128, 50, "FADD R0, R0, R1", 15);
	kit_program(&b->kit, &b->program);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;
	warp_program_release(&b->program);
	free(b);
	return 0;
}

static struct grid_launch rounded(const struct bench *b, int64_t blocks)
{
	const struct grid_launch launch = { .program = &b->program, .blocks = blocks };
	return grid_rounded(&b->device, SMS, &launch);
}

static struct grid_answer played(const struct bench *b, const struct grid_launch *launch)
{
	struct grid_answer answer;
	assert_int_equal(grid_time(&b->device, SMS, launch, &answer), 0);
	grid_answer_release(&answer);
	return answer;
}

static void few_blocks_are_played_as_they_are_and_many_in_steps(void **state)
{
	const struct bench *b = *state;
	assert_int_equal(rounded(b, SMS).blocks, SMS); /* one each: nothing to be rounded */
	assert_true(rounded(b, SMS).sharers == 0);
	for (int64_t most = 2; most < 8 * SLOTS; most++)
		assert_int_equal(rounded(b, most * SMS).blocks, most * SMS);
	assert_int_equal(rounded(b, 1000 * SMS).blocks, 992 * SMS); /* of 512 to 1024, 32 a step */
	assert_int_equal(rounded(b, 1010 * SMS).blocks, 1024 * SMS);
	assert_true(rounded(b, 1000 * SMS - 9).sharers == SMS);
	assert_true(rounded(b, 2 * SMS - 9).sharers == 6); /* 11 blocks, two at most on each */
	const struct grid_launch other = { .program = &b->program, .blocks = 7 }, beside = {
		.program = &b->program, .blocks = 999, .beside = &other
	};
	assert_int_equal(grid_rounded(&b->device, SMS, &beside).blocks, 999);
}

/* To the last bit: what is known must not depend on who was asked for first. */
static void a_part_that_was_played_serves_every_longer_launch(void **state)
{
	const struct bench *b = *state;
	const struct grid_launch one = rounded(b, 1000 * SMS), longer = rounded(b, 30000 * SMS);
	const struct grid_answer a = played(b, &one), c = played(b, &longer);
	assert_true(a.extrapolated_blocks && c.extrapolated_blocks);
	assert_true(a.played.blocks == c.played.blocks && a.played.blocks < 1000);
	assert_true(grid_played_cycles(&b->device, SMS, &a.played, 30000 * SMS) ==
		    grid_played_cycles(&b->device, SMS, &c.played, 30000 * SMS));

	struct known_launches known = { 0 };
	const struct known_launch asked = { .blocks = one.blocks, .sharers = one.sharers },
				  again = { .blocks = longer.blocks, .sharers = longer.sharers },
				  shorter = { .blocks = a.played.blocks * SMS,
					      .sharers = one.sharers },
				  now = warps_now_known(&asked, &a);
	known_launches_add(&known, &now);
	assert_non_null(warps_find_known(&known, SMS, &asked));
	assert_ptr_equal(warps_find_known(&known, SMS, &again),
			 warps_find_known(&known, SMS, &asked));
	assert_null(warps_find_known(&known, SMS, &shorter)); /* would be played whole */
	known_launches_release(&known);
}

static void blocks_more_or_less_go_at_the_pace(void **state)
{
	const struct bench *b = *state;
	const struct grid_launch launch = rounded(b, 1000 * SMS),
				 exact = { .program = &b->program, .blocks = 1000 * SMS };
	const struct grid_answer a = played(b, &launch), whole = played(b, &exact);
	const double cycles = grid_played_cycles(&b->device, SMS, &a.played, 1000 * SMS),
		     one_more = grid_played_cycles(&b->device, SMS, &a.played, 1001 * SMS);
	assert_true(fabs(cycles / whole.cycles - 1) < 1e-12);
	assert_true(fabs(one_more - cycles - a.played.block_cycles) < 1e-6);
	assert_true(fabs(a.played.block_cycles * SLOTS / (50 * 15 + 1) - 1) < 0.001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_blocks_are_played_as_they_are_and_many_in_steps),
		cmocka_unit_test(a_part_that_was_played_serves_every_longer_launch),
		cmocka_unit_test(blocks_more_or_less_go_at_the_pace),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
