/* SPDX-License-Identifier: MIT
 * What fewer blocks find in L1, by hand.
 */
#include "sm_kit.h"

#include "sim/gpu/l1_crowd.h"

enum { SMS = 4, THREADS = 64, SLOTS = 32, ONCE = 50000, AGAIN = 32000, L1 = 100000 };

/* Of blocks that touch ONCE bytes each and ask for AGAIN more of them a second time; counted on one
 * device with so many on a multiprocessor, and launched on another one with `now`. */
static double scale_on(const struct sm_device *there, int counted_here, double counted_share,
		       const struct sm_device *d, int now)
{
	const struct kernel_profile counted = {
		.registers = 16,
		.l2_read_sectors =
			(int64_t)((ONCE + AGAIN * counted_share) / 32 * counted_here * SMS),
		.geometry = { .grid = { (uint32_t)(counted_here * SMS), 1, 1 },
			      .block = { THREADS, 1, 1 } },
	};
	const struct warp_program program = { .block_threads = THREADS, .registers = 16 };
	const struct schedule_shape shape = { .grid = { (uint32_t)(now * SMS), 1, 1 } };
	const struct residency_shape memory = { .read_bytes = (double)ONCE * now * SMS };
	const struct traffic_launch launch = { .shape = &shape,
					       .memory = &memory,
					       .program = &program,
					       .counted = &counted,
					       .profile = &counted,
					       .counted_on = there,
					       .sm_count = SMS };
	return l1_crowd_scale(d, &launch);
}

static double scale(const struct sm_device *d, int counted_here, double counted_share, int now)
{
	return scale_on(d, counted_here, counted_share, d, now);
}

static struct sm_device device(void)
{
	struct sm_device d = round_device();
	d.l1_shared_bytes = L1 + SLOTS * d.shared_reserved_bytes;
	return d;
}

/* 32 blocks touch 16 times what L1 holds, four of them twice, one of them half. */
static void fewer_blocks_find_more(void **state)
{
	const struct sm_device d = device();
	const double full = 15 / 16.0, counted = ONCE + AGAIN * full;
	(void)state;
	assert_true(fabs(scale(&d, SLOTS, full, SLOTS) - 1) < 1e-6);
	assert_true(fabs(scale(&d, SLOTS, full, 4) - (ONCE + AGAIN / 2.0) / counted) < 1e-3);
	assert_true(fabs(scale(&d, SLOTS, full, 1) - ONCE / counted) < 1e-3);
	/* more than are there at once come after them */
	assert_true(fabs(scale(&d, SLOTS, full, 10 * SLOTS) - 1) < 1e-6);
}

static void what_was_counted_stays_where_it_says_nothing_of_others(void **state)
{
	struct sm_device d = device();
	(void)state;
	assert_true(scale(&d, 1, 1, 1) == 1); /* all fitted */
	assert_true(scale(&d, 1, 1, SLOTS) == 1);
	assert_true(scale(&d, SLOTS, 0, 1) == 1); /* nothing comes again */
	assert_true(scale(&d, 4, 0.5, SLOTS) ==
		    1); /* with more than counted it could only be more */
	d.mechanisms.off[MECHANISM_L1_CROWD] = true;
	assert_true(scale(&d, SLOTS, 0.9, 1) == 1);
	d = device();
	d.l1_shared_bytes = 0;
	assert_true(scale(&d, SLOTS, 0.9, 1) == 1);
}

/* Counted on one device; on another all fits, or shared memory leaves nothing of L1. */
static void another_device_has_its_own_l1(void **state)
{
	const struct sm_device d = device();
	struct sm_device other = d;
	const double full = 15 / 16.0, counted = ONCE + AGAIN * full;
	(void)state;
	other.l1_shared_bytes = 4000000;
	assert_true(fabs(scale_on(&d, SLOTS, full, &other, SLOTS) - ONCE / counted) < 1e-3);
	assert_true(fabs(scale_on(&d, SLOTS, full, &other, 1) - ONCE / counted) < 1e-3);
	other.l1_shared_bytes = SLOTS * d.shared_reserved_bytes;
	assert_true(scale_on(&d, SLOTS, full, &other, 1) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fewer_blocks_find_more),
		cmocka_unit_test(what_was_counted_stays_where_it_says_nothing_of_others),
		cmocka_unit_test(another_device_has_its_own_l1),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
