/* SPDX-License-Identifier: MIT
 * Section [sm] of platform files: a device from the inside as data.
 */
#include "support.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>

#include "../model/calibrate.h"
#include "../model/calibrate_results.h"
#include "../traces/program.h"

/* tests/cases/lib/sm.ini with the line that begins with `key` replaced, or dropped when `line` is NULL; owned by the caller. */
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
	assert_true(sm->sub_partitions == 4 && sm->warp_slots == 64 && sm->block_slots == 32 && sm->block_threads_max == 1024);
	assert_true(sm->register_count == 65536 && sm->register_unit == 256);
	assert_true(sm->shared_bytes == 233472 && sm->shared_unit == 128 && sm->shared_reserved_bytes == 1024);
	assert_true(sm->interval[SASS_FP32] == 1 && sm->latency[SASS_FP32] == 4);
	assert_true(sm->interval[SASS_SPECIAL] == 8 && sm->latency[SASS_TENSOR] == 32);
	assert_true(sm->shared_wavefront_interval == 1 && sm->l1_tag_interval == 1);
	assert_true(sm->l1_miss_bytes == 65536 && sm->l2_port_bytes == 64);
	assert_true(sm->l2.latency_ns == 100 && sm->l2.read_bytes_per_s == 8e12 && sm->l2.write_bytes_per_s == 4e12 && sm->l2.knee == 2);
	assert_true(sm->dram.latency_ns == 400 && sm->dram.read_bytes_per_s == 4e12 && sm->l2_far_latency_ns == 100);
	assert_true(sm->l2_reuse_bytes.count == 3 && sm->l2_reuse_hits.count == 3 && sm->l2_reuse_hits.value[1] == 0.5);
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
	refuses_edit("drain_ns", NULL, "'sm.drain_ns' is missing");
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
	assert_says(&said, "'sm.fp64_interval' is given without 'sm.isa': this platform has no [sm]");
	platform_release(&platform);
}

static void values_that_make_no_sense_are_refused(void **state)
{
	(void)state;
	refuses_edit("warp_slots", "warp_slots = 63.5", "'sm.warp_slots' is 63.5: must be a whole number");
	refuses_edit("clock_mhz", "clock_mhz = 0", "'sm.clock_mhz' is 0: must be above zero");
	refuses_edit("fp32_latency", "fp32_latency = -4", "'sm.fp32_latency' is -4: must not be negative");
	refuses_edit("fp32_latency", "fp32_latency = inf", "'sm.fp32_latency' must be finite");
	refuses_edit("l2_reuse_hits", "l2_reuse_hits = 1 1.5 0", "'sm.l2_reuse_hits' is 1.5: a share is at most 1");
	refuses_edit("l2_reuse_hits", "l2_reuse_hits = 1 0", "'sm.l2_reuse_hits' has 2 entries, 'sm.l2_reuse_bytes' has 3");
	refuses_edit("l2_reuse_bytes", "l2_reuse_bytes = 2 2 3", "'sm.l2_reuse_bytes' is not ascending");
	refuses_edit("dram_knee", "dram_knee = 0", "'sm.dram_knee' is 0: must be above zero");
}

static void every_part_can_be_made_ideal(void **state)
{
	static const char *const rates[] = { "sm.l1_miss_bytes", "sm.l2_port_bytes", "sm.l2_read_bytes_per_s", "sm.l2_write_bytes_per_s",
					     "sm.dram_read_bytes_per_s", "sm.dram_write_bytes_per_s", "sm.atomic_rate_per_s" };
	struct platform platform;
	char assignment[128];
	(void)state;
	platform_of(&platform, "sm");
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		snprintf(assignment, sizeof(assignment), "%s=inf", rates[i]);
		assert_int_equal(platform_set(&platform, assignment), 0);
	}
	assert_true(isinf(platform.sm.dram.read_bytes_per_s) && isinf(platform.sm.l1_miss_bytes) && isinf(platform.sm.atomic_rate_per_s));
#define SASS_CLASS(id, name, summary) set(&platform, "sm." name "_interval", 0), set(&platform, "sm." name "_latency", 0);
#include "../traces/sass_classes.def"
#undef SASS_CLASS
	for (int class = 0; class < SASS_CLASS_COUNT; class++)
		assert_true(platform.sm.interval[class] == 0 && platform.sm.latency[class] == 0);
	set(&platform, "sm.l2_reuse_hits", 1);
	assert_true(platform.sm.l2_reuse_hits.count == 3 && platform.sm.l2_reuse_hits.value[2] == 1);
	platform_release(&platform);
}

/* L2 reads and writes side by side: what a copy takes beyond its writes is what reads take of them; DRAM's bus is one. */
static void a_copy_says_what_turning_costs(void **state)
{
	struct platform platform;
	(void)state;
	platform_of(&platform, "sm");
	assert_true(platform.sm.l2.turnaround_s == 0 && platform.sm.l2_wide_turnaround_s == 0);
	set(&platform, "sm.l2_write_bytes_per_s", 4e12);
	set(&platform, "sm.l2_copy_bytes_per_s", 5e12);
	assert_true(fabs(platform.sm.l2.turnaround_s - (2 / 5e12 - 1 / 4e12)) < 1e-18);
	assert_true(platform.sm.l2_wide_turnaround_s == platform.sm.l2.turnaround_s); /* not measured: the same */
	assert_true(platform.sm.l2_updated_turnaround_s == platform.sm.l2.turnaround_s);
	set(&platform, "sm.l2_updated_copy_bytes_per_s", 4.5e12);
	assert_true(fabs(platform.sm.l2_updated_turnaround_s - (2 / 4.5e12 - 1 / 4e12)) < 1e-18);
	assert_true(platform.sm.l2_wide_turnaround_s == platform.sm.l2_updated_turnaround_s);
	set(&platform, "sm.l2_wide_copy_bytes_per_s", 4e12);
	assert_true(fabs(platform.sm.l2_wide_turnaround_s - (2 / 4e12 - 1 / 4e12)) < 1e-18);
	set(&platform, "sm.l2_wide_copy_bytes_per_s", 6e12);
	assert_true(platform.sm.l2_wide_turnaround_s == platform.sm.l2.turnaround_s); /* the way helps nobody */
	set(&platform, "sm.dram_copy_bytes_per_s", 1e12);
	const struct sm_memory_level *dram = &platform.sm.dram;
	assert_true(fabs(dram->turnaround_s - (2e-12 - 1 / dram->read_bytes_per_s - 1 / dram->write_bytes_per_s)) < 1e-18);
	platform_release(&platform);
}

/* Turning costs a written byte as measured for so many read; in between linearly, beyond the last as there, below the first less. */
static void turning_in_dram_depends_on_the_mix(void **state)
{
	struct sm_device d = { .dram = { .read_bytes_per_s = 4e12, .write_bytes_per_s = 4e12, .copy_bytes_per_s = 3.2e12 } };
	double reads[] = { 1, 3 }, rate[] = { 2e12, 3.2e12 };
	(void)state;
	sm_turnarounds(&d);
	assert_true(fabs(d.dram.turnaround_s - 0.125e-12) < 1e-18);
	for (int updated = 0; updated < 2; updated++) /* not measured in place: the same */
		assert_true(sm_dram_turnaround_s(&d, 2, updated) == d.dram.turnaround_s);
	d.dram_update_reads.value = reads;
	d.dram_update_bytes_per_s.value = rate;
	d.dram_update_reads.count = d.dram_update_bytes_per_s.count = 2;
	sm_turnarounds(&d);
	assert_true(fabs(sm_dram_turnaround_s(&d, 1, 1) - 0.5e-12) < 1e-18);
	assert_true(fabs(sm_dram_turnaround_s(&d, 2, 1) - 0.375e-12) < 1e-18);
	assert_true(fabs(sm_dram_turnaround_s(&d, 3, 1) - 0.25e-12) < 1e-18);
	assert_true(fabs(sm_dram_turnaround_s(&d, INFINITY, 1) - 0.25e-12) < 1e-18);
	assert_true(fabs(sm_dram_turnaround_s(&d, 1, 0.5) - 0.3125e-12) < 1e-18);
	assert_true(fabs(sm_dram_turnaround_s(&d, 1.0 / 3, 1) - 0.25e-12) < 1e-18);
	assert_true(sm_dram_turnaround_s(&d, 0, 1) == 0);
}

static void rates_in_gb_per_s_set_reading_and_writing(void **state)
{
	struct platform platform;
	struct said said;
	(void)state;
	platform_of(&platform, "sm");
	set(&platform, "device.dram_gb_per_s", 1500);
	assert_true(fabs(platform.sm.dram.read_bytes_per_s - 1.5e12) < 1 && fabs(platform.sm.dram.write_bytes_per_s - 1.5e12) < 1);
	assert_true(platform.sm.l2.read_bytes_per_s == 8e12);
	assert_int_equal(platform_set(&platform, "device.l2_gb_per_s=inf"), 0);
	assert_true(isinf(platform.sm.l2.read_bytes_per_s) && isinf(platform.sm.l2.write_bytes_per_s));
	said_begin(&said);
	assert_int_equal(platform_set(&platform, "device.dram_gb_per_s=fast"), -1);
	assert_says(&said, "--set device.dram_gb_per_s=fast: 'fast' is not a number");
	said_begin(&said);
	assert_int_equal(platform_set(&platform, "device.dram_gb_per_s=0"), -1);
	assert_says(&said, "must be above zero");
	platform_release(&platform);
}

/* What is shipped must be readable, by measurement or by hand; and a device that can be looked into must hold a warp. */
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
			assert_true(sm->warp_slots >= sm->sub_partitions && 32 * sm->warp_slots >= sm->block_threads_max);
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

/* Y. Cotronis et al., "Parallel SOR for Solving the Convection Diffusion Equation Using GPUs with CUDA", table 2: occupancy 0.667 with 25
 * registers a thread, 0.333 with 63, as the profiler gave it on a GTX 480. */
static void a_gtx480_is_as_full_as_its_profiler_said(void **state)
{
	struct platform platform;
	(void)state;
	assert_int_equal(platform_read(&platform, "gtx480"), 0);
	assert_int_equal(sm_occupancy(&platform.sm, 256, 25, 0, NULL) * 8 * 3, platform.sm.warp_slots * 2);
	assert_int_equal(sm_occupancy(&platform.sm, 256, 63, 0, NULL) * 8 * 3, platform.sm.warp_slots);
	platform_release(&platform);
}

/* Peak rates of data sheets: 936 GFLOP/s of a C1060 count a multiply beside each multiply-add, which no instruction here asks for. */
static void lanes_and_clocks_give_the_data_sheets_peaks(void **state)
{
	static const struct { const char *name; double fp32, fp64; } peak[] = { /* TFLOP/s */
		{ "c1060", 0.622, 0.078 }, { "gtx480", 1.345, 0.168 }, { "c2050", 1.03, 0.515 }, { "x2090", 1.331, 0.665 },
		{ "a100", 19.5, 9.7 }, { "h100", 67, 34 }, { "b200", 75, 37 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(peak) / sizeof(peak[0]); i++) {
		struct platform platform;
		assert_int_equal(platform_read(&platform, peak[i].name), 0);
		const struct sm_device *sm = &platform.sm;
		double warps_per_s = platform.sm_count * sm->sub_partitions * sm->clock_mhz * 1e6;
		double fp32 = 64e-12 * warps_per_s / sm->interval[SASS_FP32], fp64 = 64e-12 * warps_per_s / sm->interval[SASS_FP64];
		assert_true(platform.from_datasheet && sm->present);
		if (fabs(fp32 / peak[i].fp32 - 1) > 0.02 || fabs(fp64 / peak[i].fp64 - 1) > 0.02)
			fail_msg("%s: %g and %g TFLOP/s", peak[i].name, fp32, fp64);
		platform_release(&platform);
	}
}

static void a_knee_is_found_again(void **state)
{
	static const double knees[] = { 1, 2, 3.5, 12 };
	double x[16], rate[16], error;
	(void)state;
	for (size_t k = 0; k < sizeof(knees) / sizeof(knees[0]); k++) {
		for (int i = 0; i < 16; i++) {
			x[i] = 32768 * pow(2, 0.6 * i);
			rate[i] = x[i] / pow(pow(600e-9, knees[k]) + pow(x[i] / 4e12, knees[k]), 1 / knees[k]);
		}
		assert_true(fabs(sm_knee_fit(x, rate, 16, 600, 4e12, &error) / knees[k] - 1) < 1e-3);
		assert_true(error < 1e-4);
	}
}

static void value(struct results *results, const char *key, double x)
{
	results_add(results, key, &x, NULL, 1, "made up");
}

/* From what warps of such a device would note, the device again. */
static void what_reads_wait_for_is_found_again(void **state)
{
	const double latency = 400, noting = 40, least = 0.7, wait = 250, knee = 2.5, rate = 1.2e12, copy = 4e12, write = 4.5e12, spread = 300;
	struct results results = { 0 };
	(void)state;
	value(&results, "sm.dram_latency_ns", latency);
	value(&results, "sm.dram_knee", knee);
	value(&results, "sm.dram_copy_bytes_per_s", copy);
	value(&results, "sm.dram_write_bytes_per_s", write);
	value(&results, "sm.dram_noted_latency_ns", noting + latency);
	value(&results, "sm.dram_noted_least_ns", noting + least * latency);
	value(&results, "sm.dram_copy_noted_bytes_per_s", rate);
	value(&results, "sm.dram_copy_noted_latency_ns", noting + (latency + wait * rate / write) / pow(1 - pow(2 * rate / copy, knee), 1 / knee));
	value(&results, "sm.dram_full_noted_latency_ns", noting + least * latency + 1000);
	value(&results, "sm.dram_full_noted_variance_ns2", spread * 1000);
	value(&results, "sm.l2_latency_ns", 130);
	value(&results, "sm.l2_far_latency_ns", 20);
	value(&results, "sm.l2_full_noted_latency_ns", noting + 140 + 500);
	value(&results, "sm.l2_full_noted_variance_ns2", 60 * 500 + 100);
	calibrate_sm_derive(&results, NULL);
	size_t count = results.count;
	calibrate_sm_derive(&results, NULL); /* for -o beside --update */
	assert_int_equal(results.count, count);
	const struct { const char *key; double expected; } found[] = {
		{ "sm.dram_write_wait_ns", wait }, { "sm.dram_least_share", least }, { "sm.dram_spread_ns", spread }, { "sm.l2_spread_ns", 60 },
	};
	for (size_t k = 0; k < sizeof(found) / sizeof(found[0]); k++) {
		const struct result *result = results_find(&results, found[k].key);
		assert_non_null(result);
		assert_true(fabs(result->values[0] / found[k].expected - 1) < 1e-9);
	}
	results_release(&results);
}

/* What a round of the loop takes beside its load is not in flight. */
static void a_loop_does_not_soften_the_knee(void **state)
{
	double x[16], rate[16];
	struct results results = { 0 };
	(void)state;
	for (int i = 0; i < 16; i++) {
		double flying = 32768 * pow(2, 0.6 * i), took = pow(pow(600e-9, 3) + pow(flying / 4e12, 3), 1.0 / 3);
		rate[i] = flying / took;
		x[i] = flying + 80e-9 * rate[i];
	}
	value(&results, "sm.dram_latency_ns", 600);
	value(&results, "sm.dram_read_bytes_per_s", 4e12);
	results_add(&results, "sm.dram_inflight_bytes", x, NULL, 16, "made up");
	results_add(&results, "sm.dram_inflight_bytes_per_s", rate, NULL, 16, "made up");
	calibrate_sm_derive(&results, NULL);
	assert_true(fabs(results_find(&results, "sm.dram_knee")->values[0] / 3 - 1) < 0.01);
	results_release(&results);
}

static char *fake_describe(unsigned gpu)
{
	return xprintf("name = Imaginary %u\ndriver = 1.2\nsm_mhz = 1980\nmemory_mhz = 3201\ngpus = 1\n", gpu);
}

/* Everything of [sm] but what is derived, with values of its own. */
static int fake_calibrate(void *arg)
{
	struct calibration *calibration = arg;
	const double x[] = { 1e5, 1e6, 1e7 }, rate[] = { 2e11, 1.5e12, 4e12 }, share[] = { 1, 0.5, 0 }, most = 4e12, one = 1, seven = 7, spread = 0.25;
	static const char *const plain[] = { "sub_partitions", "warp_slots", "block_slots", "register_count", "register_unit", "shared_bytes",
					     "shared_unit", "shared_reserved_bytes", "block_threads_max", "clock_mhz", "issue_interval",
					     "shared_wavefront_interval", "l1_tag_interval", "l1_bytes", "l1_miss_bytes", "l2_port_bytes",
					     "l2_far_latency_ns", "l2_write_bytes_per_s", "dram_write_bytes_per_s", "atomic_same_interval_ns",
					     "atomic_rate_per_s", "launch_period_ns", "block_dispatch_ns", "block_start_cycles", "drain_ns" };
	assert_int_equal(calibration->parts, CALIBRATE_SM);
	calibration->emit(calibration->sink, "device.gpus", &one, NULL, 1, "made up");
	calibration->emit(calibration->sink, "sm.isa", NULL, NULL, 0, "sm_77");
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		char *key = xprintf("sm.%s", plain[i]);
		calibration->emit(calibration->sink, key, &seven, &spread, 1, "made up");
		free(key);
	}
#define SASS_CLASS(id, name, summary)                                                                  \
	calibration->emit(calibration->sink, "sm." name "_interval", &seven, &spread, 1, "made up"); \
	calibration->emit(calibration->sink, "sm." name "_latency", &seven, &spread, 1, "made up");
#include "../traces/sass_classes.def"
#undef SASS_CLASS
	calibration->emit(calibration->sink, "sm.l2_latency_ns", &seven, NULL, 1, "made up");
	calibration->emit(calibration->sink, "sm.dram_latency_ns", (const double[]){ 500 }, NULL, 1, "made up");
	calibration->emit(calibration->sink, "sm.l2_read_bytes_per_s", &most, NULL, 1, "made up");
	calibration->emit(calibration->sink, "sm.dram_read_bytes_per_s", &most, NULL, 1, "made up");
	calibration->emit(calibration->sink, "sm.l2_inflight_bytes", x, NULL, 3, "made up");
	calibration->emit(calibration->sink, "sm.l2_inflight_bytes_per_s", rate, NULL, 3, "made up");
	calibration->emit(calibration->sink, "sm.dram_inflight_bytes", x, NULL, 3, "made up");
	calibration->emit(calibration->sink, "sm.dram_inflight_bytes_per_s", rate, NULL, 3, "made up");
	calibration->emit(calibration->sink, "sm.l2_reuse_bytes", x, NULL, 3, "made up");
	calibration->emit(calibration->sink, "sm.l2_reuse_hits", share, NULL, 3, "made up");
	return 0;
}

static const struct program fake = { .calibrate_cuda = fake_calibrate, .describe_gpu = fake_describe };

/* A copy of `from` with "[provenance]" and a line after it; owned by the caller. */
static char *copy_with_provenance(const char *from)
{
	char *path = xprintf("/tmp/warpreel-test-update-%ld.ini", (long)getpid()), *text = text_of(from);
	FILE *file = fopen(path, "w");
	fprintf(file, "%s[provenance]\nwords = [sm] is not a section here\n", text);
	fclose(file);
	free(text);
	return path;
}

static void update_with(char *path, int expected)
{
	char *argv[] = { (char[]){ "calibrate" }, (char[]){ "--update" }, path, (char[]){ "--only" }, (char[]){ "sm" }, NULL };
	assert_int_equal(cmd_calibrate(&fake, 5, argv), expected);
}

static void an_update_replaces_one_section_and_keeps_the_rest(void **state)
{
	struct platform platform;
	struct said said;
	(void)state;
	char *path = copy_with_provenance("tests/cases/lib/sm.ini"), *before = text_of(path);
	said_begin(&said);
	update_with(path, EXIT_OK);
	assert_says(&said, "'sm.launch_ns' is the whole period");
	char *after = text_of(path);
	size_t head = (size_t)(strstr(before, "[sm]\n") - before);
	assert_memory_equal(before, after, head);
	assert_string_equal(strstr(before, "[provenance]"), strstr(after, "[provenance]"));
	assert_non_null(strstr(after, "# gpu0_name = Imaginary 0\n"));
	assert_null(strstr(after, "sm_90"));
	assert_int_equal(platform_read(&platform, path), 0);
	assert_string_equal(platform.sm.isa, "sm_77");
	assert_string_equal(platform.name, "sm");
	assert_true(platform.sm.dram.knee > 0.5 && platform.sm.launch_ns == 7);
	platform_release(&platform);
	/* Again: still one such section. */
	said_begin(&said);
	update_with(path, EXIT_OK);
	said_end(&said);
	free(after);
	after = text_of(path);
	assert_null(strstr(strstr(after, "\n[sm]\n") + 1, "\n[sm]\n"));
	unlink(path);
	free(before);
	free(after);
	free(path);
}

static void an_update_adds_the_section_before_provenance(void **state)
{
	struct platform platform;
	struct said said;
	(void)state;
	char *path = copy_with_provenance("tests/cases/lib/small.ini"), *before = text_of(path);
	FILE *file = fopen(path, "a");
	fprintf(file, "[stream]\nperiod_bytes = 0 100\nperiod_ns = 1500 1600\n[tracer]\nrecorded_period_ns = 600 700\n");
	fclose(file);
	said_begin(&said);
	update_with(path, EXIT_OK);
	assert_string_equal(said_end(&said), "");
	char *after = text_of(path);
	assert_memory_equal(before, after, (size_t)(strstr(before, "[provenance]") - before));
	assert_non_null(strstr(after, strstr(before, "[provenance]")));
	assert_true(strstr(after, "\n[sm]\n") < strstr(after, "[provenance]"));
	assert_int_equal(platform_read(&platform, path), 0);
	assert_true(platform.sm.present && platform.sm.launch_ns == 600);
	platform_release(&platform);
	unlink(path);
	free(before);
	free(after);
	free(path);
}

static void an_update_takes_only_whole_sections(void **state)
{
	struct said said;
	char *argv[] = { (char[]){ "calibrate" }, (char[]){ "--update" }, (char[]){ "tests/cases/lib/sm.ini" }, (char[]){ "--only" }, (char[]){ "sm,host" }, NULL };
	(void)state;
	said_begin(&said);
	assert_int_equal(cmd_calibrate(&fake, 5, argv), EXIT_USAGE);
	assert_says(&said, "--update replaces whole sections");
	said_begin(&said);
	update_with((char[]){ "tests/bad/platform-missing-key.ini" }, EXIT_BAD);
	assert_says(&said, "'device.sm_count' is missing");
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
		cmocka_unit_test(a_knee_is_found_again),
		cmocka_unit_test(a_loop_does_not_soften_the_knee),
		cmocka_unit_test(what_reads_wait_for_is_found_again),
		cmocka_unit_test(an_update_replaces_one_section_and_keeps_the_rest),
		cmocka_unit_test(an_update_adds_the_section_before_provenance),
		cmocka_unit_test(an_update_takes_only_whole_sections),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
