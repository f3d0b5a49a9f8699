/* SPDX-License-Identifier: MIT
 * Occupancy: the thesis's own examples, and what NVIDIA's cuda_occupancy.h says of a Hopper.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "model/device/sm_device.h"

static const struct sm_device tesla = { .sub_partitions = 1,
					.warp_slots = 32,
					.block_slots = 8,
					.register_count = 16384,
					.register_unit = 512,
					.shared_bytes = 16384,
					.shared_unit = 512,
					.block_threads_max = 512 };
static const struct sm_device hopper = { .sub_partitions = 4,
					 .warp_slots = 64,
					 .block_slots = 32,
					 .register_count = 65536,
					 .register_unit = 256,
					 .shared_bytes = 233472,
					 .shared_unit = 128,
					 .shared_reserved_bytes = 1024,
					 .block_threads_max = 1024 };

struct row {
	uint32_t threads, registers, shared_bytes;
	int blocks;
	const char *limit;
};

static void check(const struct sm_device *device, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *limit;
		int blocks = sm_occupancy(device, rows[i].threads, rows[i].registers,
					  rows[i].shared_bytes, &limit);

		if (blocks != rows[i].blocks || strcmp(limit, rows[i].limit) != 0)
			fail_msg("%u threads, %u registers, %u bytes: %d blocks, %s",
				 rows[i].threads, rows[i].registers, rows[i].shared_bytes, blocks,
				 limit);
	}
}

static void a_tesla_holds_what_the_thesis_says(void **state)
{
	/* section 5.4.2: one thread; figure 5.7: 128 and 256 threads with 16 registers and 2048
	 * bytes give 1024 threads */
	static const struct row rows[] = {
		{ 1, 0, 0, 8, "blocks" },
		{ 128, 16, 2048, 8, "blocks" },
		{ 256, 16, 4096, 4, "warps" },
		{ 256, 17, 4096, 3, "registers" },
		{ 128, 16, 2049, 6, "shared memory" },
		/* (3.7): three warps are given registers for four; (3.8): 4 * 32 * 30 = 3840 is
		   rounded up to 4096 */
		{ 96, 30, 0, 4, "registers" },
		{ 512, 33, 0, 0, "registers" },
		{ 513, 8, 0, 0, "warps" },
	};

	(void)state;
	check(&tesla, rows, sizeof(rows) / sizeof(rows[0]));
}

static void a_hopper_holds_what_the_calculator_says(void **state)
{
	/* registers are rounded up for each warp (33 to 40), and each quarter has its own: 20480 *
	 * 3 / 65536 is 3, but a quarter fits 12 warps */
	static const struct row rows[] = {
		{ 128, 32, 0, 16, "warps" },
		{ 32, 32, 0, 32, "blocks" },
		{ 1024, 32, 0, 2, "warps" },
		{ 1024, 33, 0, 1, "registers" },
		{ 128, 40, 0, 12, "registers" },
		{ 128, 41, 0, 10, "registers" },
		{ 640, 32, 0, 3, "warps" },
		{ 1024, 64, 0, 1, "registers" },
		{ 1024, 65, 0, 0, "registers" },
		{ 256, 32, 28160, 8, "warps" },
		{ 256, 32, 28161, 7, "shared memory" },
		{ 64, 255, 0, 4, "registers" },
		{ 33, 255, 0, 4, "registers" },
		{ 128, 32, 232448, 1, "shared memory" },
		{ 128, 32, 232449, 0, "shared memory" },
		{ 1025, 1, 0, 0, "warps" },
	};

	(void)state;
	check(&hopper, rows, sizeof(rows) / sizeof(rows[0]));
}

static void more_of_anything_never_fits_more_blocks(void **state)
{
	(void)state;
	for (uint32_t threads = 32; threads <= 1024; threads += 32)
		for (uint32_t registers = 16; registers < 255; registers += 8) {
			int before = sm_occupancy(&hopper, threads, registers, 0, NULL);

			assert_true(sm_occupancy(&hopper, threads, registers + 8, 0, NULL) <=
				    before);
			assert_true(sm_occupancy(&hopper, threads, registers, 40000, NULL) <=
				    before);
			assert_true(sm_occupancy(&hopper, threads + 32, registers, 0, NULL) <=
				    before);
		}
}

static void limits_are_given_one_by_one(void **state)
{
	int blocks[SM_LIMIT_COUNT];

	(void)state;
	sm_block_limits(&hopper, 128, 41, 20000, blocks);
	assert_int_equal(blocks[SM_LIMIT_WARPS], 16);
	assert_int_equal(blocks[SM_LIMIT_BLOCKS], 32);
	assert_int_equal(blocks[SM_LIMIT_REGISTERS], 10);
	assert_int_equal(blocks[SM_LIMIT_SHARED], 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tesla_holds_what_the_thesis_says),
		cmocka_unit_test(a_hopper_holds_what_the_calculator_says),
		cmocka_unit_test(more_of_anything_never_fits_more_blocks),
		cmocka_unit_test(limits_are_given_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
