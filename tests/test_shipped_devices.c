/* SPDX-License-Identifier: MIT
 * The devices written by hand from data sheets, against what their own numbers promise: kernels
 * written down by hand, walked by classes of instructions, must reach the rates and show the
 * latencies of the file.
 */
#include "sm_kit.h"

#include "model/platform/platform.h"

static const char *const by_hand[] = {
	"c1060", "gtx480", "c2050", "x2090", "a100", "h100", "b200"
};
enum {
	BY_HAND = sizeof(by_hand) / sizeof(by_hand[0]),
	THREADS = 256,
	BLOCKS = KIT_WARPS * 32 / THREADS
};

/* ns of a grid of BLOCKS blocks, or of one block of one warp. */
static double grid_ns(const struct platform *platform, struct kit *kit, int64_t blocks,
		      double l2_miss)
{
	struct sm_device device = platform->sm;
	struct warp_program program;
	struct grid_answer answer;
	device.isa = (char *)"none";
	kit_program(kit, &program);
	struct grid_launch launch = { .program = &program,
				      .blocks = blocks,
				      .traffic.l2_miss_share = l2_miss };
	assert_int_equal(grid_time(&device, platform->sm_count, &launch, &answer), 0);
	double ns = answer.duration_ns - device.launch_ns - device.drain_ns;
	grid_answer_release(&answer);
	warp_program_release(&program);
	return ns;
}

/* Independent loads of a line each, then a use of all of them. */
static void reads(struct kit *kit, uint32_t threads, int loads)
{
	static const char *const text[][2] = {
		{ "LDG.E R4, [R2.64]", "FADD R12, R4, R4" },
		{ "LDG.E R5, [R2.64]", "FADD R12, R12, R5" },
		{ "LDG.E R6, [R2.64]", "FADD R12, R12, R6" },
		{ "LDG.E R7, [R2.64]", "FADD R12, R12, R7" },
		{ "LDG.E R8, [R2.64]", "FADD R12, R12, R8" },
		{ "LDG.E R9, [R2.64]", "FADD R12, R12, R9" },
		{ "LDG.E R10, [R2.64]", "FADD R12, R12, R10" },
		{ "LDG.E R11, [R2.64]", "FADD R12, R12, R11" },
	};
	kit_begin(kit, threads);
	for (int k = 0; k < loads; k++)
		kit_add(kit, text[k][0], 1, 0, 0, KIT_WARPS)->sectors_global = 4 * KIT_WARPS;
	for (int k = 0; k < loads; k++)
		kit_add(kit, text[k][1], 4, NO_SCOREBOARD, 1, KIT_WARPS);
	kit_add(kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
	kit->profile.l1_load_sectors = kit->profile.l2_read_sectors =
		(int64_t)loads * 4 * KIT_WARPS;
}

static void a_grid_of_reads_reaches_the_rate_of_memory(void **state)
{
	(void)state;
	for (int k = 0; k < BY_HAND; k++) {
		struct platform platform;
		struct kit kit;
		assert_int_equal(platform_read(&platform, by_hand[k]), 0);
		reads(&kit, THREADS, 8);
		double rate = 1e9 * 8 * 128 * KIT_WARPS / grid_ns(&platform, &kit, BLOCKS, 1),
		       share = rate / platform.sm.dram.read_bytes_per_s;
		if (share < 0.7 || /* reads differ: blocks wait for their slowest */ share > 1.001)
			fail_msg("%s reads %.3g bytes/s, %.2f of what its memory gives", by_hand[k],
				 rate, share);
		platform_release(&platform);
	}
}

static void a_lone_read_takes_the_latency_of_memory(void **state)
{
	(void)state;
	for (int k = 0; k < BY_HAND; k++) {
		struct platform platform;
		struct kit kit;
		assert_int_equal(platform_read(&platform, by_hand[k]), 0);
		reads(&kit, 32, 1);
		platform.sm.dram.least_share = 1; /* no chance */
		double ns = grid_ns(&platform, &kit, 1, 1),
		       add_ns = platform.sm.latency[SASS_FP32] / platform.sm.clock_mhz * 1e3;
		if (ns < platform.sm.dram.latency_ns ||
		    ns > platform.sm.dram.latency_ns + 2 * add_ns + 60)
			fail_msg("%s: %.0f ns for a read of %.0f", by_hand[k], ns,
				 platform.sm.dram.latency_ns);
		platform_release(&platform);
	}
}

static void many_warps_reach_the_peak_that_one_chain_cannot(void **state)
{
	enum { ADDS = 60 };
	(void)state;
	for (int k = 0; k < BY_HAND; k++) {
		struct platform platform;
		struct kit kit;
		assert_int_equal(platform_read(&platform, by_hand[k]), 0);
		const struct sm_device *sm = &platform.sm;
		kit_begin(&kit, THREADS);
		for (int n = 0; n < ADDS; n++)
			kit_add(&kit, "FADD R0, R0, R1", 4, NO_SCOREBOARD, 0, KIT_WARPS);
		kit_add(&kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
		double warps_per_ns =
			(double)KIT_WARPS * ADDS / grid_ns(&platform, &kit, BLOCKS, 0);
		double peak = platform.sm_count * sm->sub_partitions * sm->clock_mhz * 1e-3 /
			      fmax(sm->interval[SASS_FP32], sm->issue_interval);
		kit.profile.geometry.block[0] = 32;
		double chain_ns = grid_ns(&platform, &kit, 1, 0),
		       latency_ns = ADDS * sm->latency[SASS_FP32] / sm->clock_mhz * 1e3;
		if (warps_per_ns < 0.5 * peak || warps_per_ns > 1.001 * peak)
			fail_msg("%s: %.2f additions a ns, of %.2f", by_hand[k], warps_per_ns,
				 peak);
		if (fabs(chain_ns / latency_ns - 1) > 0.1)
			fail_msg("%s: %.0f ns for a chain of %.0f", by_hand[k], chain_ns,
				 latency_ns);
		platform_release(&platform);
	}
}

/* Without it an edit of the file would be its own base, and --set's would be the file's. */
static void every_rate_that_others_were_worked_out_of_has_its_base(void **state)
{
	(void)state;
	static const char *const rates[] = {
		"nvlink.bytes_per_s",	     "share.h2d.bytes_per_s",
		"share.d2h.bytes_per_s",     "sm.l2_read_bytes_per_s",
		"sm.l2_write_bytes_per_s",   "sm.l2_copy_bytes_per_s",
		"sm.dram_read_bytes_per_s",  "sm.dram_write_bytes_per_s",
		"sm.dram_copy_bytes_per_s",  "sm.dram_update_bytes_per_s",
		"sm.dram_strips_bytes_per_s"
	};
	for (int k = 0; k < BY_HAND; k++) {
		struct platform platform;
		int known = 0;
		assert_int_equal(platform_read(&platform, by_hand[k]), 0);
		for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
			const char *plain = platform_text(&platform, rates[i]);
			char *name = xprintf("base.%s", rates[i]);
			const char *base = platform_text(&platform, name);
			known += plain != NULL;
			if (plain && (!base || strcmp(plain, base) != 0))
				fail_msg("%s: %s = %s, and its base %s", by_hand[k], rates[i],
					 plain, base ? base : "is not there");
			free(name);
		}
		assert_true(known >= 5);
		platform_release(&platform);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rate_that_others_were_worked_out_of_has_its_base),
		cmocka_unit_test(a_grid_of_reads_reaches_the_rate_of_memory),
		cmocka_unit_test(a_lone_read_takes_the_latency_of_memory),
		cmocka_unit_test(many_warps_reach_the_peak_that_one_chain_cannot),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
