/* SPDX-License-Identifier: MIT
 * Section [sm] as it is calibrated: what is derived of measured numbers, and how the section
 * replaces that of a platform file.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "model/calibrate/calibrate.h"
#include "model/calibrate/calibrate_results.h"
#include "traces/program/program.h"

static void a_knee_is_found_again(void **state)
{
	static const double knees[] = { 1, 2, 3.5, 12 };
	double x[16], rate[16], error;
	(void)state;
	for (size_t k = 0; k < sizeof(knees) / sizeof(knees[0]); k++) {
		for (int i = 0; i < 16; i++) {
			x[i] = 32768 * pow(2, 0.6 * i);
			rate[i] = x[i] / pow(pow(600e-9, knees[k]) + pow(x[i] / 4e12, knees[k]),
					     1 / knees[k]);
		}
		assert_true(fabs(sm_knee_fit(x, rate, 16, 600, 4e12, &error) / knees[k] - 1) <
			    1e-3);
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
	const double latency = 400, clocks = 40, least = 0.7, wait = 250, knee = 2.5, rate = 1.2e12,
		     copy = 4e12, write = 4.5e12, spread = 300;
	struct results results = { 0 };
	(void)state;
	value(&results, "sm.dram_latency_ns", latency);
	value(&results, "sm.dram_knee", knee);
	value(&results, "sm.dram_copy_bytes_per_s", copy);
	value(&results, "sm.dram_write_bytes_per_s", write);
	value(&results, "sm.dram_instrumented_latency_ns", clocks + latency);
	value(&results, "sm.dram_instrumented_least_ns", clocks + least * latency);
	value(&results, "sm.dram_copy_instrumented_bytes_per_s", rate);
	value(&results, "sm.dram_copy_instrumented_latency_ns",
	      clocks + (latency + wait * rate / write) /
			       pow(1 - pow(2 * rate / copy, knee), 1 / knee));
	value(&results, "sm.dram_full_instrumented_latency_ns", clocks + least * latency + 1000);
	value(&results, "sm.dram_full_instrumented_variance_ns2", spread * 1000);
	value(&results, "sm.l2_latency_ns", 130);
	value(&results, "sm.l2_far_latency_ns", 20);
	value(&results, "sm.l2_full_instrumented_latency_ns", clocks + 140 + 500);
	value(&results, "sm.l2_full_instrumented_variance_ns2", 60 * 500 + 100);
	calibrate_sm_derive(&results, NULL);
	size_t count = results.count;
	calibrate_sm_derive(&results, NULL); /* for -o beside --update */
	assert_int_equal(results.count, count);
	const struct {
		const char *key;
		double expected;
	} found[] = {
		{ "sm.dram_write_wait_ns", wait },
		{ "sm.dram_least_share", least },
		{ "sm.dram_spread_ns", spread },
		{ "sm.l2_spread_ns", 60 },
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
		double flying = 32768 * pow(2, 0.6 * i),
		       took = pow(pow(600e-9, 3) + pow(flying / 4e12, 3), 1.0 / 3);
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
	return xprintf(
		"name = Imaginary %u\ndriver = 1.2\nsm_mhz = 1980\nmemory_mhz = 3201\ngpus = 1\n",
		gpu);
}

/* Everything of [sm] but what is derived, with values of its own. */
static int fake_calibrate(void *arg)
{
	struct calibration *calibration = arg;
	const double x[] = { 1e5, 1e6, 1e7 }, rate[] = { 2e11, 1.5e12, 4e12 },
		     share[] = { 1, 0.5, 0 }, most = 4e12, one = 1, seven = 7, spread = 0.25;
	static const char *const plain[] = { "sub_partitions",
					     "warp_slots",
					     "block_slots",
					     "register_count",
					     "register_unit",
					     "shared_bytes",
					     "shared_unit",
					     "shared_reserved_bytes",
					     "block_threads_max",
					     "clock_mhz",
					     "issue_interval",
					     "shared_wavefront_interval",
					     "l1_tag_interval",
					     "l1_bytes",
					     "l1_miss_bytes",
					     "l2_far_latency_ns",
					     "l2_write_bytes_per_s",
					     "dram_write_bytes_per_s",
					     "atomic_same_interval_ns",
					     "fp64_pair_cycles",
					     "fp64_two_pairs_cycles",
					     "fp64_three_pairs_cycles",
					     "l2_far_dirty_latency_ns",
					     "atomic_rate_per_s",
					     "launch_period_ns",
					     "block_dispatch_ns",
					     "block_start_cycles",
					     "drain_ns" };
	assert_int_equal(calibration->parts, CALIBRATE_SM);
	calibration->emit(calibration->sink, "device.gpus", &one, NULL, 1, "made up");
	calibration->emit(calibration->sink, "sm.isa", NULL, NULL, 0, "sm_77");
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		char *key = xprintf("sm.%s", plain[i]);
		calibration->emit(calibration->sink, key, &seven, &spread, 1, "made up");
		free(key);
	}
#define SASS_CLASS(id, name, summary)                                                              \
	calibration->emit(calibration->sink, "sm." name "_interval", &seven, &spread, 1,           \
			  "made up");                                                              \
	calibration->emit(calibration->sink, "sm." name "_latency", &seven, &spread, 1, "made up");
#include "traces/profiles/sass_classes.def"
#undef SASS_CLASS
	calibration->emit(calibration->sink, "sm.l2_latency_ns", &seven, NULL, 1, "made up");
	calibration->emit(calibration->sink, "sm.dram_latency_ns", (const double[]){ 500 }, NULL, 1,
			  "made up");
	calibration->emit(calibration->sink, "sm.l2_read_bytes_per_s", &most, NULL, 1, "made up");
	calibration->emit(calibration->sink, "sm.dram_read_bytes_per_s", &most, NULL, 1, "made up");
	calibration->emit(calibration->sink, "sm.l2_inflight_bytes", x, NULL, 3, "made up");
	calibration->emit(calibration->sink, "sm.l2_inflight_bytes_per_s", rate, NULL, 3,
			  "made up");
	calibration->emit(calibration->sink, "sm.dram_inflight_bytes", x, NULL, 3, "made up");
	calibration->emit(calibration->sink, "sm.dram_inflight_bytes_per_s", rate, NULL, 3,
			  "made up");
	calibration->emit(calibration->sink, "sm.l2_reuse_bytes", x, NULL, 3, "made up");
	calibration->emit(calibration->sink, "sm.l2_reuse_hits", share, NULL, 3, "made up");
	return 0;
}

static const struct program fake = { .calibrate_cuda = fake_calibrate,
				     .describe_gpu = fake_describe };

/* A copy of `from` with "[provenance]" and a line after it; owned by the caller. */
static char *copy_with_provenance(const char *from)
{
	char *path = xprintf("/tmp/warpreel-test-update-%ld.ini", (long)getpid()),
	     *text = text_of(from);
	FILE *file = fopen(path, "w");
	fprintf(file, "%s[provenance]\nwords = [sm] is not a section here\n", text);
	fclose(file);
	free(text);
	return path;
}

static void update_with(char *path, int expected)
{
	char *argv[] = { (char[]){ "calibrate" }, (char[]){ "--update" }, path,
			 (char[]){ "--only" },	  (char[]){ "sm" },	  NULL };
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
	fprintf(file, "[tracer]\nstream_period_ns = 1500 1600\n");
	fclose(file);
	said_begin(&said);
	update_with(path, EXIT_OK);
	assert_string_equal(said_end(&said), "");
	char *after = text_of(path);
	assert_memory_equal(before, after, (size_t)(strstr(before, "[provenance]") - before));
	assert_non_null(strstr(after, strstr(before, "[provenance]")));
	assert_true(strstr(after, "\n[sm]\n") < strstr(after, "[provenance]"));
	assert_int_equal(platform_read(&platform, path), 0);
	assert_true(platform.sm.present && platform.sm.launch_ns == 1000);
	platform_release(&platform);
	unlink(path);
	free(before);
	free(after);
	free(path);
}

static void an_update_takes_only_whole_sections(void **state)
{
	struct said said;
	char *argv[] = { (char[]){ "calibrate" },
			 (char[]){ "--update" },
			 (char[]){ "tests/cases/lib/sm.ini" },
			 (char[]){ "--only" },
			 (char[]){ "sm,host" },
			 NULL };
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
		cmocka_unit_test(a_knee_is_found_again),
		cmocka_unit_test(a_loop_does_not_soften_the_knee),
		cmocka_unit_test(what_reads_wait_for_is_found_again),
		cmocka_unit_test(an_update_replaces_one_section_and_keeps_the_rest),
		cmocka_unit_test(an_update_adds_the_section_before_provenance),
		cmocka_unit_test(an_update_takes_only_whole_sections),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
