/* SPDX-License-Identifier: MIT
 * Efficiency and Utilization: which instructions block, and numbers worked out by hand.
 */
#include <math.h>

#include "model/device/kernel_metrics.h"
#include "profile_kit.h"
#include "trace_kit.h"

/* Control bits of one instruction, as the encoding has them. */
static uint64_t control(unsigned write_barrier, unsigned wait_mask)
{
	return 1ULL << 41 | (uint64_t)write_barrier << 46 | 7ULL << 49 | (uint64_t)wait_mask << 52;
}

struct line {
	const char *text;
	unsigned write_barrier, wait_mask;
	bool blocks;
};

static void check_blocking(const struct line *lines, size_t count)
{
	struct profile_instruction code[16];
	const struct kernel_profile profile = { .instruction = code, .instruction_count = count };
	bool *blocking;

	assert_true(count <= 16);
	for (size_t i = 0; i < count; i++)
		code[i] = (struct profile_instruction){
			.offset = (uint32_t)(16 * i),
			.text = lines[i].text,
			.code = { 0, control(lines[i].write_barrier, lines[i].wait_mask) }
		};
	blocking = blocking_instructions(&profile);
	for (size_t i = 0; i < count; i++)
		if (blocking[i] != lines[i].blocks)
			fail_msg("%s: %s", lines[i].text,
				 blocking[i] ? "blocks" : "does not block");
	free(blocking);
}

static void loads_waited_for_together_block_once(void **state)
{
	static const struct line lines[] = {
		{ "LDG.E R4, desc[UR4][R2.64]", 7, 0, false },
		{ "LDG.E R5, desc[UR4][R2.64+0x4]", 2, 0, false },
		{ "IADD3 R7, R8, 0x1, RZ", 7, 0, false },
		{ "FADD R6, R4, R5", 7, 1 << 2, true },
		{ "FADD R6, R4, R5", 7, 1 << 2, false }, /* nothing is pending any more */
		{ "EXIT", 7, 0, false },
	};

	(void)state;
	check_blocking(lines, sizeof(lines) / sizeof(lines[0]));
}

static void short_latencies_do_not_block(void **state)
{
	static const struct line lines[] = {
		{ "LDS R4, [R2]", 0, 0, false },
		{ "MUFU.RCP R5, R4", 1, 1, false },
		{ "FADD R6, R4, R5", 7, 3, false },
		{ "STG.E desc[UR4][R2.64], R4", 7, 0, false },
		{ "BAR.SYNC.DEFER_BLOCKING 0x0", 7, 0, true },
		{ "BAR.ARV 0x1, 0x40", 7, 0, false },
		{ "EXIT", 7, 0, false },
	};

	(void)state;
	check_blocking(lines, sizeof(lines) / sizeof(lines[0]));
}

static void a_load_at_the_end_of_a_loop_blocks_its_top(void **state)
{
	static const struct line lines[] = {
		{ "IMAD.MOV.U32 R4, RZ, RZ, RZ", 7, 0, false },
		{ "FADD R6, R4, R6", 7, 1 << 3, true }, /* 0x10 */
		{ "LDG.E R4, desc[UR4][R2.64]", 3, 0, false },
		{ "@P0 BRA 0x10", 7, 0, false },
		{ "FADD R6, R4, R6", 7, 1 << 3, true },
		{ "EXIT", 7, 0, false },
		{ "BRA 0x60", 7, 0, false },
		{ "RET.REL.NODEC R8 0x0", 7, 0, false },
	};

	(void)state;
	check_blocking(lines, sizeof(lines) / sizeof(lines[0]));
}

static void asynchronous_copies_block_at_their_depbar(void **state)
{
	static const struct line lines[] = {
		{ "LDGSTS.E.BYPASS.128 [R11], desc[UR6][R2.64]", 7, 0, false },
		{ "LDGDEPBAR", 0, 0, false },
		{ "DEPBAR.LE SB0, 0x0", 7, 0, true },
		{ "EXIT", 7, 0, false },
	};

	(void)state;
	check_blocking(lines, sizeof(lines) / sizeof(lines[0]));
}

static void the_numbers_are_those_of_the_equations(void **state)
{
	const struct sm_device device = { .sub_partitions = 4,
					  .warp_slots = 64,
					  .block_slots = 32,
					  .register_count = 65536,
					  .register_unit = 256,
					  .shared_bytes = 4096,
					  .shared_unit = 128,
					  .block_threads_max = 1024 };
	struct kernel_metrics m;
	struct kernel_profiles all;
	struct trace t;
	char *said;

	(void)state;
	trace_init(&t);
	fill_profile(&t); /* 512 threads: 8 blocks of two warps */
	kernel_profiles_init(&all);
	assert_int_equal(kernel_profiles_add_trace(&all, &t, "x"), 0);
	assert_int_equal(kernel_metrics(&m, &all.profile[0], NULL, 0), 0);
	/* 6 instructions once (one of them by 448 of 512), 2 four times, the branch four times by
	 * 384 */
	assert_true(fabs(m.instructions - (5 + 448.0 / 512 + 8 + 3)) < 1e-12);
	assert_true(fabs(m.regions - (3)) <
		    1e-12); /* the store waits for the load, then the barrier */
	assert_true(fabs(m.efficiency * m.instructions * 512 - (1)) < 1e-12);
	assert_true(isnan(m.utilization));
	assert_int_equal(kernel_metrics(&m, &all.profile[0], &device, 2), 0);
	assert_int_equal(m.blocks_per_sm,
			 4); /* 4096 / 1024 bytes; the grid has 4 for each of two */
	assert_true(fabs(m.utilization - (m.instructions / 3 * (0.5 + 3 * 2))) < 1e-9);
	assert_int_equal(kernel_metrics(&m, &all.profile[0], &device, 5), 0);
	assert_int_equal(m.blocks_per_sm, 2);
	all.profile[0].geometry.shared_bytes = 3073;
	hear();
	assert_int_equal(kernel_metrics(&m, &all.profile[0], &device, 2), -1);
	said = heard();
	assert_non_null(strstr(said,
			       "kernel toy: a block of 64 threads with 20 registers and 4097 bytes "
			       "of shared memory does not fit the device: shared memory"));
	free(said);
	all.profile[0].instruction[2].threads = -1;
	hear();
	assert_int_equal(kernel_metrics(&m, &all.profile[0], NULL, 0), -1);
	said = heard();
	assert_non_null(strstr(said, "kernel toy: its profile does not say"));
	free(said);
	kernel_profiles_release(&all);
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_waited_for_together_block_once),
		cmocka_unit_test(short_latencies_do_not_block),
		cmocka_unit_test(a_load_at_the_end_of_a_loop_blocks_its_top),
		cmocka_unit_test(asynchronous_copies_block_at_their_depbar),
		cmocka_unit_test(the_numbers_are_those_of_the_equations),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
