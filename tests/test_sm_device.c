/* SPDX-License-Identifier: MIT
 * Section [sm] of platform files: a device from the inside as data.
 */
#include "support.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>

/* tests/cases/lib/sm.ini with the line that begins with `key` replaced, or dropped when `line` is
 * NULL; owned by the caller. */
static char *edited(const char *key, const char *line)
{
	char *path = xprintf("/tmp/warpreel-test-sm-%ld.ini", (long)getpid()), text[512];
	FILE *in = fopen("tests/cases/lib/sm.ini", "r"), *out = fopen(path, "w");
	bool found = false;
	assert_non_null(in);
	assert_non_null(out);
	while (fgets(text, sizeof(text), in)) {
		bool here = !strncmp(text, key, strlen(key)) && text[strlen(key)] == ' ';
		found = found || here;
		if (!here)
			fputs(text, out);
		else if (line)
			fprintf(out, "%s\n", line);
	}
	fclose(in);
	fclose(out);
	assert_true(found);
	return path;
}

static void refuses_edit(const char *key, const char *line, const char *message)
{
	struct platform platform;
	struct said said;
	char *path = edited(key, line);
	said_begin(&said);
	assert_int_equal(platform_read(&platform, path), -1);
	assert_says(&said, message);
	unlink(path);
	free(path);
}

static void every_member_is_read_from_its_key(void **state)
{
	struct platform platform;
	const struct sm_device *sm = &platform.sm;
	(void)state;
	platform_of(&platform, "sm");
	assert_true(sm->present);
	assert_string_equal(sm->isa, "sm_90");
	assert_true(sm->clock_mhz == 2000 && sm->issue_interval == 1);
	assert_true(sm->sub_partitions == 4 && sm->warp_slots == 64 && sm->block_slots == 32 &&
		    sm->block_threads_max == 1024);
	assert_true(sm->register_count == 65536 && sm->register_unit == 256);
	assert_true(sm->shared_bytes == 233472 && sm->shared_unit == 128 &&
		    sm->shared_reserved_bytes == 1024);
	assert_true(sm->interval[SASS_FP32] == 1 && sm->latency[SASS_FP32] == 4);
	assert_true(sm->interval[SASS_SPECIAL] == 8 && sm->latency[SASS_TENSOR] == 32);
	assert_true(sm->shared_wavefront_interval == 1 && sm->l1_tag_interval == 1);
	assert_true(sm->l1_miss_bytes == 65536);
	assert_true(sm->l2.latency_ns == 100 && sm->l2.read_bytes_per_s == 8e12 &&
		    sm->l2.write_bytes_per_s == 4e12 && sm->l2.knee == 2);
	assert_true(sm->dram.latency_ns == 400 && sm->dram.read_bytes_per_s == 4e12 &&
		    sm->l2_far_latency_ns == 100);
	assert_true(sm->l2_reuse_bytes.count == 3 && sm->l2_reuse_hits.count == 3 &&
		    sm->l2_reuse_hits.value[1] == 0.5);
	assert_true(sm->atomic_same_interval_ns == 2 && sm->atomic_rate_per_s == 1e12);
	assert_true(sm->launch_ns == 1000 && sm->launch_period_ns == 1500 && sm->drain_ns == 200);
	assert_true(sm->block_dispatch_ns == 5 && sm->block_start_cycles == 500);
	platform_release(&platform);
}

static void a_platform_without_the_section_is_whole(void **state)
{
	struct platform platform;
	(void)state;
	platform_of(&platform, "small");
	assert_false(platform.sm.present);
	assert_null(platform.sm.isa);
	platform_release(&platform);
}

static void with_an_isa_every_key_is_needed(void **state)
{
	(void)state;
	refuses_edit("clock_mhz", NULL, "'sm.clock_mhz' is missing");
	refuses_edit("fence_latency", NULL, "'sm.fence_latency' is missing");
	refuses_edit("tensor_interval", NULL, "'sm.tensor_interval' is missing");
	refuses_edit("l2_reuse_hits", NULL, "'sm.l2_reuse_hits' is missing");
	refuses_edit("block_start_cycles", NULL, "'sm.block_start_cycles' is missing");
}

static void keys_without_an_isa_are_refused(void **state)
{
	struct platform platform;
	struct said said;
	(void)state;
	refuses_edit("isa", NULL, "is given without 'sm.isa'");
	platform_of(&platform, "small");
	said_begin(&said);
	assert_int_equal(platform_set(&platform, "sm.fp64_interval=0"), -1);
	assert_says(&said,
		    "'sm.fp64_interval' is given without 'sm.isa': this platform has no [sm]");
	platform_release(&platform);
}

static void values_that_make_no_sense_are_refused(void **state)
{
	(void)state;
	refuses_edit("warp_slots", "warp_slots = 63.5",
		     "'sm.warp_slots' is 63.5: must be a whole number");
	refuses_edit("clock_mhz", "clock_mhz = 0", "'sm.clock_mhz' is 0: must be above zero");
	refuses_edit("fp32_latency", "fp32_latency = -4",
		     "'sm.fp32_latency' is -4: must not be negative");
	refuses_edit("fp32_latency", "fp32_latency = inf", "'sm.fp32_latency' must be finite");
	refuses_edit("l2_reuse_hits", "l2_reuse_hits = 1 1.5 0",
		     "'sm.l2_reuse_hits' is 1.5: a share is at most 1");
	refuses_edit("l2_reuse_hits", "l2_reuse_hits = 1 0",
		     "'sm.l2_reuse_hits' has 2 entries, 'sm.l2_reuse_bytes' has 3");
	refuses_edit("l2_reuse_bytes", "l2_reuse_bytes = 2 2 3",
		     "'sm.l2_reuse_bytes' is not ascending");
	refuses_edit("dram_knee", "dram_knee = 2\nl2_far_dirty_share = 1.2",
		     "'sm.l2_far_dirty_share' is 1.2: a share is at most 1");
	refuses_edit("dram_knee", "dram_knee = 0", "'sm.dram_knee' is 0: must be above zero");
	refuses_edit("dram_knee",
		     "dram_knee = 2\ndram_update_reads = 2 3\ndram_update_bytes_per_s = 1 1",
		     "'sm.dram_update_reads' begins with 2, not with 1");
	refuses_edit("dram_knee",
		     "dram_knee = 2\ndram_update_reads = 1 3\ndram_update_bytes_per_s = 1",
		     "'sm.dram_update_bytes_per_s' has 1 entries");
	refuses_edit("dram_knee", "dram_knee = 2\ndram_update_reads = 1 3",
		     "'sm.dram_update_bytes_per_s' is missing");
	refuses_edit("dram_knee",
		     "dram_knee = 2\ndram_update_reads = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 "
		     "18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33\n"
		     "dram_update_bytes_per_s = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
		     "1 1 1 1 1 1 1 1",
		     "'sm.dram_update_reads' has 33 entries, more than 32");
}

static void every_part_can_be_made_ideal(void **state)
{
	static const char *const rates[] = {
		"sm.l1_miss_bytes",	    "sm.l2_read_bytes_per_s",	 "sm.l2_write_bytes_per_s",
		"sm.dram_read_bytes_per_s", "sm.dram_write_bytes_per_s", "sm.atomic_rate_per_s"
	};
	struct platform platform;
	char assignment[128];
	(void)state;
	platform_of(&platform, "sm");
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		snprintf(assignment, sizeof(assignment), "%s=inf", rates[i]);
		assert_int_equal(platform_set(&platform, assignment), 0);
	}
	assert_true(isinf(platform.sm.dram.read_bytes_per_s) && isinf(platform.sm.l1_miss_bytes) &&
		    isinf(platform.sm.atomic_rate_per_s));
#define SASS_CLASS(id, name, summary)                                                              \
	set(&platform, "sm." name "_interval", 0), set(&platform, "sm." name "_latency", 0);
#include "traces/profiles/sass_classes.def"
#undef SASS_CLASS
	for (int class = 0; class < SASS_CLASS_COUNT; class ++)
		assert_true(platform.sm.interval[class] == 0 && platform.sm.latency[class] == 0);
	set(&platform, "sm.l2_reuse_hits", 1);
	assert_true(platform.sm.l2_reuse_hits.count == 3 &&
		    platform.sm.l2_reuse_hits.value[2] == 1);
	platform_release(&platform);
}

/* L2 reads and writes side by side: what a copy takes beyond its writes is what reads take of them;
 * DRAM's bus is one. */
static void a_copy_says_what_turning_costs(void **state)
{
	struct platform platform;
	(void)state;
	platform_of(&platform, "sm");
	assert_true(platform.sm.l2.turnaround_s == 0 && platform.sm.l2_wide_turnaround_s == 0);
	set(&platform, "sm.l2_write_bytes_per_s", 4e12);
	set(&platform, "sm.l2_copy_bytes_per_s", 5e12);
	assert_true(fabs(platform.sm.l2.turnaround_s - (2 / 5e12 - 1 / 4e12)) < 1e-18);
	assert_true(platform.sm.l2_wide_turnaround_s ==
		    platform.sm.l2.turnaround_s); /* not measured: the same */
	assert_true(platform.sm.l2_updated_turnaround_s == platform.sm.l2.turnaround_s);
	set(&platform, "sm.l2_updated_copy_bytes_per_s", 4.5e12);
	assert_true(fabs(platform.sm.l2_updated_turnaround_s - (2 / 4.5e12 - 1 / 4e12)) < 1e-18);
	assert_true(platform.sm.l2_wide_turnaround_s == platform.sm.l2_updated_turnaround_s);
	set(&platform, "sm.l2_wide_copy_bytes_per_s", 4e12);
	assert_true(fabs(platform.sm.l2_wide_turnaround_s - (2 / 4e12 - 1 / 4e12)) < 1e-18);
	set(&platform, "sm.l2_wide_copy_bytes_per_s", 6e12);
	assert_true(platform.sm.l2_wide_turnaround_s ==
		    platform.sm.l2.turnaround_s); /* the way helps nobody */
	set(&platform, "sm.dram_copy_bytes_per_s", 1e12);
	const struct sm_memory_level *dram = &platform.sm.dram;
	assert_true(fabs(dram->turnaround_s - (2e-12 - 1 / dram->read_bytes_per_s -
					       1 / dram->write_bytes_per_s)) < 1e-18);
	platform_release(&platform);
}

/* Turning costs a written byte as measured for so many read; in between linearly, beyond the last
 * as there, below the first less. */
static void turning_in_dram_depends_on_the_mix(void **state)
{
	struct sm_device d = { .dram = { .read_bytes_per_s = 4e12,
					 .write_bytes_per_s = 4e12,
					 .copy_bytes_per_s = 3.2e12 } };
	double reads[] = { 1, 3 }, rate[] = { 2e12, 3.2e12 };
	(void)state;
	sm_turnarounds(&d);
	assert_true(fabs(d.dram.turnaround_s - 0.125e-12) < 1e-18);
	for (int updated = 0; updated < 2; updated++) /* not measured in place: the same */
		assert_true(sm_dram_turnaround_s(&d, 2, updated, 0) == d.dram.turnaround_s);
	assert_true(d.dram_strips_turnaround_s == d.dram.turnaround_s);
	d.dram_strips_bytes_per_s = 2e12;
	sm_turnarounds(&d);
	assert_true(fabs(sm_dram_turnaround_s(&d, 1, 0, 1) - 0.5e-12) < 1e-18);
	assert_true(fabs(sm_dram_turnaround_s(&d, 1, 0, 0.5) - 0.3125e-12) < 1e-18);
	d.dram_update_reads.value = reads;
	d.dram_update_bytes_per_s.value = rate;
	d.dram_update_reads.count = d.dram_update_bytes_per_s.count = 2;
	sm_turnarounds(&d);
	assert_true(fabs(sm_dram_turnaround_s(&d, 1, 1, 0) - 0.5e-12) < 1e-18);
	assert_true(fabs(sm_dram_turnaround_s(&d, 2, 1, 0) - 0.375e-12) < 1e-18);
	assert_true(fabs(sm_dram_turnaround_s(&d, 3, 1, 0) - 0.25e-12) < 1e-18);
	assert_true(fabs(sm_dram_turnaround_s(&d, INFINITY, 1, 0) - 0.25e-12) < 1e-18);
	assert_true(fabs(sm_dram_turnaround_s(&d, 1, 0.5, 0) - 0.3125e-12) < 1e-18);
	assert_true(fabs(sm_dram_turnaround_s(&d, 1.0 / 3, 1, 0) - 0.25e-12) < 1e-18);
	assert_true(sm_dram_turnaround_s(&d, 0, 1, 0) == 0);
}

static void rates_in_gb_per_s_set_reading_and_writing(void **state)
{
	struct platform platform;
	struct said said;
	(void)state;
	platform_of(&platform, "sm");
	set(&platform, "device.dram_gb_per_s", 1500);
	assert_true(fabs(platform.sm.dram.read_bytes_per_s - 1.5e12) < 1 &&
		    fabs(platform.sm.dram.write_bytes_per_s - 1.5e12) < 1);
	assert_true(platform.sm.l2.read_bytes_per_s == 8e12);
	assert_int_equal(platform_set(&platform, "device.l2_gb_per_s=inf"), 0);
	assert_true(isinf(platform.sm.l2.read_bytes_per_s) &&
		    isinf(platform.sm.l2.write_bytes_per_s));
	said_begin(&said);
	assert_int_equal(platform_set(&platform, "device.dram_gb_per_s=fast"), -1);
	assert_says(&said, "--set device.dram_gb_per_s=fast: 'fast' is not a number");
	said_begin(&said);
	assert_int_equal(platform_set(&platform, "device.dram_gb_per_s=0"), -1);
	assert_says(&said, "must be above zero");
	platform_release(&platform);
}

/* What is shipped must be readable, by measurement or by hand; and a device that can be looked into
 * must hold a warp. */
static void every_shipped_platform_is_whole(void **state)
{
	char *folder = xprintf("%s/model/platforms", util_root());
	DIR *list = opendir(folder);
	int seen = 0;
	(void)state;
	assert_non_null(list);
	for (struct dirent *file; (file = readdir(list));) {
		struct platform platform;
		size_t length = strlen(file->d_name);
		if (length < 5 || strcmp(file->d_name + length - 4, ".ini"))
			continue;
		char *path = xprintf("%s/%s", folder, file->d_name);
		if (platform_read(&platform, path))
			fail_msg("%s cannot be read", path);
		file->d_name[length - 4] = 0;
		assert_string_equal(platform.name, file->d_name);
		if (platform.sm.present) {
			const struct sm_device *sm = &platform.sm;
			assert_true(sm->warp_slots >= sm->sub_partitions &&
				    32 * sm->warp_slots >= sm->block_threads_max);
			assert_true(sm->launch_period_ns >= sm->launch_ns);
			assert_true(sm->dram.latency_ns >= sm->l2.latency_ns);
		}
		platform_release(&platform);
		free(path);
		seen++;
	}
	assert_true(seen > 1);
	closedir(list);
	free(folder);
}

/* Y. Cotronis et al., "Parallel SOR for Solving the Convection Diffusion Equation Using GPUs with
 * CUDA", table 2: occupancy 0.667 with 25 registers a thread, 0.333 with 63, as the profiler gave
 * it on a GTX 480. */
static void a_gtx480_is_as_full_as_its_profiler_said(void **state)
{
	struct platform platform;
	(void)state;
	assert_int_equal(platform_read(&platform, "gtx480"), 0);
	assert_int_equal(sm_occupancy(&platform.sm, 256, 25, 0, NULL) * 8 * 3,
			 platform.sm.warp_slots * 2);
	assert_int_equal(sm_occupancy(&platform.sm, 256, 63, 0, NULL) * 8 * 3,
			 platform.sm.warp_slots);
	platform_release(&platform);
}

/* Peak rates of data sheets: 936 GFLOP/s of a C1060 count a multiply beside each multiply-add,
 * which no instruction here asks for. */
static void lanes_and_clocks_give_the_data_sheets_peaks(void **state)
{
	static const struct {
		const char *name;
		double fp32, fp64;
	} peak[] = {
		/* TFLOP/s */
		{ "c1060", 0.622, 0.078 }, { "gtx480", 1.345, 0.168 }, { "c2050", 1.03, 0.515 },
		{ "x2090", 1.331, 0.665 }, { "a100", 19.5, 9.7 },      { "h100", 67, 34 },
		{ "b200", 75, 37 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(peak) / sizeof(peak[0]); i++) {
		struct platform platform;
		assert_int_equal(platform_read(&platform, peak[i].name), 0);
		const struct sm_device *sm = &platform.sm;
		double warps_per_s = platform.sm_count * sm->sub_partitions * sm->clock_mhz * 1e6;
		double fp32 = 64e-12 * warps_per_s / sm->interval[SASS_FP32],
		       fp64 = 64e-12 * warps_per_s / sm->interval[SASS_FP64];
		assert_true(platform.from_datasheet && sm->present);
		if (fabs(fp32 / peak[i].fp32 - 1) > 0.02 || fabs(fp64 / peak[i].fp64 - 1) > 0.02)
			fail_msg("%s: %g and %g TFLOP/s", peak[i].name, fp32, fp64);
		platform_release(&platform);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_is_read_from_its_key),
		cmocka_unit_test(a_platform_without_the_section_is_whole),
		cmocka_unit_test(with_an_isa_every_key_is_needed),
		cmocka_unit_test(keys_without_an_isa_are_refused),
		cmocka_unit_test(values_that_make_no_sense_are_refused),
		cmocka_unit_test(every_part_can_be_made_ideal),
		cmocka_unit_test(a_copy_says_what_turning_costs),
		cmocka_unit_test(turning_in_dram_depends_on_the_mix),
		cmocka_unit_test(rates_in_gb_per_s_set_reading_and_writing),
		cmocka_unit_test(every_shipped_platform_is_whole),
		cmocka_unit_test(a_gtx480_is_as_full_as_its_profiler_said),
		cmocka_unit_test(lanes_and_clocks_give_the_data_sheets_peaks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
