/* SPDX-License-Identifier: MIT
 * What calibrate writes reads back; its raw lines; the pass under the recorder.
 */
#include "platform_kit.h"

#include <math.h>
#include <sys/stat.h>

#include "model/calibrate/calibrate_results.h"
#include "traces/format/trace.h"

static int fail_to_calibrate(void *arg)
{
	(void)arg;
	return -1;
}

static void what_calibrate_writes_reads_back(void **state)
{
	struct platform platform;
	(void)state;
	char *path = make_platform();
	assert_int_equal(platform_read(&platform, path), 0);
	assert_int_equal(platform.gpus, 8);
	assert_false(platform.from_datasheet);
	assert_true(platform.launch_part == 0 && platform.outside_ns == 0);
	assert_int_equal(platform.threads.count, 4);
	assert_true(platform.threads.value[3] == 8);
	assert_int_equal(platform.host[HOST_LAUNCH].count, 4);
	assert_true(fabs(platform.host[HOST_LAUNCH].value[0] - 1234.57) < 0.01);
	/* 24 sizes do not fit in a line: the list went over several. */
	assert_int_equal(platform.copy[COPY_CURVE_H2D].x.count, 24);
	assert_true(platform.copy[COPY_CURVE_H2D].x.value[23] == 8388608);
	assert_string_equal(platform_text(&platform, "device.name"), "Imaginary GPU");
	assert_non_null(platform_text(&platform, "copy.peer.ns"));
	assert_null(platform_text(&platform, "stream.event_duration_ns")); /* evidence */
	/* Without a recorder the gaps come from events: one point where all durations agree. */
	assert_true(platform.kernel_gap.x.count >= 1);
	platform_release(&platform);
	drop(path);
}

static void a_failed_calibration_leaves_no_file(void **state)
{
	const struct program failing = { .calibrate_cuda = fail_to_calibrate,
					 .describe_gpu = fake_describe };
	char *path = xprintf("/tmp/warpreel-test-failed-%ld.ini", (long)getpid());
	char *argv[] = { (char[]){ "calibrate" }, (char[]){ "-o" }, path, NULL };
	(void)state;
	assert_int_equal(cmd_calibrate(&failing, 3, argv), EXIT_BAD);
	assert_int_equal(access(path, F_OK), -1);
	free(path);
}

static void raw_lines_read_back_as_written(void **state)
{
	const double values[] = { 1.0 / 3, 2e12 }, spread[] = { 0.1, 0 };
	struct results written = { 0 }, read = { 0 };
	char path[] = "/tmp/warpreel-test-raw-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	(void)state;
	results_add(&written, "a.x", values, spread, 2, "how it was");
	results_add(&written, "a.name", NULL, NULL, 0, "words");
	assert_int_equal(results_write_raw(&written, file), 0);
	fclose(file);
	assert_int_equal(results_read_raw(&read, path), 0);
	assert_int_equal(read.count, 2);
	assert_true(read.item[0].values[0] == values[0] && read.item[0].values[1] == values[1]);
	assert_true(read.item[0].spread[0] == spread[0]);
	assert_string_equal(read.item[0].how, "how it was");
	assert_string_equal(read.item[1].how, "words");
	assert_int_equal(read.item[1].count, 0);
	results_release(&written);
	results_release(&read);
	unlink(path);
}

/* One loop of the trace pass: its window, and `count` records in it that last `ns` each. */
static int64_t add_loop(struct trace *trace, int64_t at_ns, const char *phase, double x,
			const char *call, int64_t ns)
{
	char *config = xprintf("phase=%s x=%.17g", phase, x);
	int64_t begun_ns = at_ns;
	for (int i = 0; i < 3; i++, at_ns += 2 * ns) {
		if (!strncmp(call, "cuda", 4)) {
			struct trace_api *row = trace_add_api(trace);
			*row = (struct trace_api){ .start_ns = at_ns,
						   .end_ns = at_ns + ns,
						   .name = trace_string(trace, call) };
		} else {
			struct trace_kernel *row = trace_add_kernel(trace);
			*row = (struct trace_kernel){ .start_ns = at_ns,
						      .end_ns = at_ns + ns,
						      .grid = { 1, 1, 1 },
						      .block = { 1, 1, 1 },
						      .demangled_name = trace_string(trace, call),
						      .graph_node = -1 };
			row->short_name = row->demangled_name;
		}
	}
	struct trace_run *run = trace_add_run(trace);
	*run = (struct trace_run){ .start_ns = begun_ns,
				   .end_ns = at_ns,
				   .solver = trace_string(trace, "calibrate"),
				   .config = trace_string(trace, config),
				   .gpus = 1 };
	free(config);
	return at_ns + 1000;
}

/* A recorder of one launch loop and two period loops, played by a script that hands over prepared
 * files. */
static int pass_with(const struct trace *trace, const struct results *traced,
		     struct results *results)
{
	char folder[] = "/tmp/warpreel-test-pass-XXXXXX";
	assert_non_null(mkdtemp(folder));
	char *script = xprintf("%s/warpreel", folder),
	     *recorded = xprintf("%s/recorded.sqlite", folder);
	char *raw = xprintf("%s/raw.tsv", folder), *scratch = xprintf("%s/scratch", folder);
	FILE *file = fopen(script, "w");
	fprintf(file,
		"#!/bin/sh\ntest \"$1 $6\" = \"record calibrate\" && cp '%s' \"$3\" && cp '%s' "
		"\"${10}\"\n",
		recorded, raw);
	fclose(file);
	assert_int_equal(chmod(script, 0700), 0);
	if (trace)
		assert_int_equal(trace_write(trace, recorded), 0);
	file = fopen(raw, "w");
	assert_int_equal(results_write_raw(traced, file), 0);
	fclose(file);
	int rc = calibrate_trace_pass(results, script, scratch, 1, 1);
	unlink(script);
	unlink(recorded);
	unlink(raw);
	assert_int_equal(rmdir(folder), 0); /* nothing of the pass is left behind */
	free(script);
	free(recorded);
	free(raw);
	free(scratch);
	return rc;
}

/* What a new measurement makes of the file is read before it takes the file's place. */
/* As shipped where the multiprocessor runs the same code, a rate by the one that was measured; not
 * what was measured, nor in sections that were not. */
static void what_has_no_benchmark_is_of_a_shipped_platform(void **state)
{
	const double rate = 3e12, interval = 7;
	struct results results = { 0 }, other = { 0 };
	struct platform shipped;
	(void)state;
	results_add(&results, "sm.isa", NULL, NULL, 0, "sm_90");
	results_add(&results, "sm.dram_copy_bytes_per_s", &rate, NULL, 1, "a copy");
	results_add(&results, "sm.texture_interval", &interval, NULL, 1, "measured");
	calibrate_add_unmeasured(&results);
	assert_int_equal(platform_read(&shipped, "h200x4"), 0);
	assert_true(results_find(&results, "sm.code_bytes")->values[0] == shipped.sm.code_bytes);
	assert_true(results_find(&results, "sm.texture_interval")->values[0] == interval);
	assert_null(results_find(&results, "device.copy_channels"));
	const double strips = results_find(&results, "sm.dram_strips_bytes_per_s")->values[0];
	const double theirs = strtod(platform_text(&shipped, "sm.dram_strips_bytes_per_s"), NULL) /
			      strtod(platform_text(&shipped, "sm.dram_copy_bytes_per_s"), NULL);
	assert_true(fabs(strips / rate - theirs) < 1e-6);
	platform_release(&shipped);
	results_add(&other, "sm.isa", NULL, NULL, 0, "sm_80");
	calibrate_add_unmeasured(&other);
	assert_int_equal(other.count, 1);
	/* What the recorder makes of calls hangs on no code of a GPU. */
	results_add(&other, "tracer.outside_ns", &rate, NULL, 1, "measured");
	results_add(&other, "tracer.copy_part", &interval, NULL, 1, "measured");
	calibrate_add_unmeasured(&other);
	assert_true(results_find(&other, "tracer.copy_part")->values[0] == interval);
	assert_true(results_find(&other, "tracer.launch_part")->values[0] == 0.79);
	assert_int_equal(results_find(&other, "tracer.launch_record_ns")->count, 2);
	assert_int_equal(results_find(&other, "host.shared_longer")->count, SHARED_SORTS);
	assert_non_null(results_find(&other, "host.shared_met"));
	assert_non_null(results_find(&other, "tracer.code_load_ns"));
	results_release(&results);
	results_release(&other);
}

static void an_update_that_does_not_read_back_leaves_the_file(void **state)
{
	const double launch_ns[] = { 7, 8 }, threads[] = { 1, 2 };
	struct results results = { 0 };
	struct platform platform;
	struct said said;
	char *path = make_platform(), *before = text_of(path), *after;
	(void)state;
	results_add(&results, "host.launch_ns", launch_ns, NULL, 2,
		    "of two threads, where the others are of four");
	said_begin(&said);
	int rc = calibrate_update(&results, path, "");
	said_end(&said);
	assert_int_equal(rc, -1);
	assert_true(said.text[0] != 0);
	after = text_of(path);
	assert_string_equal(before, after);
	free(after);
	results_release(&results);
	results_add(&results, "nvlink.bytes_per_s", threads, NULL, 1, "one that does");
	assert_int_equal(calibrate_update(&results, path, ""), 0);
	assert_int_equal(platform_read(&platform, path), 0);
	assert_true(platform.nvlink_bytes_per_s == 1);
	platform_release(&platform);
	results_release(&results);
	free(before);
	drop(path);
}

static void write_part(char *path, const char *text)
{
	strcpy(path, "/tmp/warpreel-test-merge-XXXXXX.ini");
	int fd = mkstemps(path, 4);
	FILE *file = fdopen(fd, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void files_merge_to_their_medians(void **state)
{
	static const char *const text[] = {
		"[platform]\nname = a\nsource = measured\ninput_visits = A B\n[host]\nthreads = 1 "
		"2\nlaunch_ns = 1000 2000\nlaunch_ns_mad = 1 1\n[stream]\nrecord_ns = "
		"7\nkernel_gap_duration_ns = 10 20\nkernel_gap_ns = 1 2\n",
		"[platform]\nname = b\ninput_visits = B C\n[host]\nthreads = 1 2\nlaunch_ns = 1100 "
		"9000\n[stream]\nkernel_gap_duration_ns = 10 20 30\nkernel_gap_ns = 5 5 5\n",
		"[platform]\nname = c\n[host]\nthreads = 1 2\nlaunch_ns = 1400 2600\nwait_ns = 5 "
		"6\n[stream]\nkernel_gap_duration_ns = 12 22\nkernel_gap_ns = 3 4\n",
		"[host]\nthreads = 1 2 4\nlaunch_ns = 1 2 3\n",
		"[host]\nthreads = 1 4\nlaunch_ns = 1 2\n",
		"[platform]\ninput_visits = A\nsource = datasheet\n[host]\nthreads = 1 2\n",
		"[host]\nthreads = 1 2\nlaunch_ns = 1200 2000\n[stream]\nkernel_gap_duration_ns = "
		"50 60\nkernel_gap_ns = 8 9\n[tracer]\noutside_ns = 3\n",
	};
	char path[7][64];
	struct results results = { 0 };
	(void)state;
	for (int i = 0; i < 7; i++)
		write_part(path[i], text[i]);
	char *three = xprintf("%s,%s,%s", path[0], path[1], path[2]);
	assert_int_equal(calibrate_merge(&results, three, NULL), 0);
	const struct result *launch = results_find(&results, "host.launch_ns"),
			    *wait = results_find(&results, "host.wait_ns");
	assert_true(launch->values[0] == 1100 && launch->values[1] == 2600 &&
		    launch->spread[0] == 100 && launch->spread[1] == 600);
	assert_true(wait->count == 2 && wait->values[1] == 6 && !wait->spread);
	assert_true(results_find(&results, "stream.record_ns")->values[0] == 7);
	const struct result *gap = results_find(&results, "stream.kernel_gap_ns"),
			    *place = results_find(&results, "stream.kernel_gap_duration_ns");
	assert_true(gap->count == 2 && gap->values[0] == 2 && gap->values[1] == 3 &&
		    place->values[1] == 21); /* of the two with two points */
	assert_string_equal(results_find(&results, "platform.input_visits")->how, "A B C");
	assert_null(results_find(&results, "platform.name"));
	results_release(&results);
	/* Gaps are of the file with a pass under the recorder, whose places are others. */
	char *traced = xprintf("%s,%s", path[0], path[6]);
	assert_int_equal(calibrate_merge(&results, traced, NULL), 0);
	assert_true(results_find(&results, "stream.kernel_gap_ns")->values[0] == 8 &&
		    results_find(&results, "stream.kernel_gap_duration_ns")->values[0] == 50 &&
		    results_find(&results, "host.launch_ns")->values[0] == 1100);
	results_release(&results);
	free(traced);
	/* Lists of other lengths, curves of other places, other words, a single file. */
	static const struct {
		int with;
		const char *why;
	} bad[] = {
		{ 3, "'host.threads' has 3 entries, but 2 in" },
		{ 4, "'host.threads' has 4 for 2 in" },
		{ -1, "there is nothing to merge it with" },
		{ 5, "'platform.source' is 'datasheet', but 'measured' in" },
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *paths = bad[i].with < 0 ? xstrdup(path[0])
					      : xprintf("%s,%s", path[0], path[bad[i].with]);
		struct said said;
		said_begin(&said);
		int rc = calibrate_merge(&results, paths, NULL);
		assert_non_null(strstr(said_end(&said), bad[i].why));
		assert_int_equal(rc, -1);
		results_release(&results);
		free(paths);
	}
	for (int i = 0; i < 7; i++)
		remove(path[i]);
	free(three);
}

static void measured_for_the_pass(struct results *results, double launch_ns, double first_period_ns,
				  double additions)
{
	const double threads = 1, bytes[] = { 0, 65536 }, period[] = { first_period_ns, 9000 },
		     spread[] = { 1, 1 };
	results_add(results, "host.threads", &threads, NULL, 1, "threads");
	results_add(results, "host.launch_ns", &launch_ns, spread, 1, "loop");
	results_add(results, "host.core_launch", &additions, NULL, 1, "its core");
	results_add(results, "stream.period_bytes", bytes, NULL, 2, "sizes");
	results_add(results, "stream.period_ns", period, spread, 2, "chain");
}

static void the_trace_pass_finds_its_records_by_their_windows(void **state)
{
	struct results results = { 0 }, traced = { 0 };
	struct trace trace;
	(void)state;
	measured_for_the_pass(&results, 3400, 2400, 5400);
	measured_for_the_pass(&traced, 6800, 3000, 5000);
	trace_init(&trace);
	int64_t at_ns = add_loop(&trace, 1000, "host.launch_ns", 1, "cudaLaunchKernel_v7000", 5000);
	at_ns = add_loop(&trace, at_ns, "host.record_ns", 1, "cudaLaunchKernel_v7000",
			 70000); /* another loop's launches */
	at_ns = add_loop(&trace, at_ns, "stream.period_ns", 0,
			 "calibrate_period_empty(arguments64)", 1300);
	at_ns = add_loop(&trace, at_ns, "stream.period_ns", 65536,
			 "calibrate_period_copy(float4 *)", 8500);
	/* Waits of 40 us, in each of which a kernel ends 2.5 us before the return. */
	const int64_t waits_ns = at_ns;
	at_ns = add_loop(&trace, at_ns, "stream.start_latency_ns", 1, "cudaStreamSynchronize_v3020",
			 40000);
	for (int k = 0; k < 3; k++) {
		struct trace_kernel *row = trace_add_kernel(&trace);
		*row = (struct trace_kernel){ .start_ns = waits_ns + 80000 * k + 5000,
					      .end_ns = waits_ns + 80000 * k + 37500,
					      .grid = { 1, 1, 1 },
					      .block = { 1, 1, 1 },
					      .demangled_name = trace_string(&trace, "spin"),
					      .graph_node = -1 };
		row->short_name = row->demangled_name;
	}
	assert_int_equal(pass_with(&trace, &traced, &results), 0);
	assert_true(results_find(&results, "tracer.recorded_wake_ns")->values[0] == 2500);
	assert_true(results_find(&results, "tracer.traced_launch_ns")->values[0] == 6800);
	assert_true(results_find(&results, "tracer.api_launch_ns")->values[0] == 5000);
	/* 3400 of 5000, where the cores of both passes gave the same; 1800 are behind its record.
	 */
	assert_true(fabs(results_find(&results, "tracer.launch_part")->values[0] - 0.68) < 1e-9);
	assert_true(results_find(&results, "tracer.outside_launch_ns")->values[0] == 1800);
	assert_null(results_find(&results, "tracer.event_part"));
	assert_true(results_find(&results, "tracer.stream_period_ns")->values[0] == 3000);
	assert_true(results_find(&results, "tracer.recorded_period_ns")->values[1] == 8500);
	/* Untraced period less recorded duration. */
	assert_true(results_find(&results, "stream.kernel_gap_duration_ns")->values[0] == 1300);
	assert_true(results_find(&results, "stream.kernel_gap_ns")->values[0] == 1100);
	assert_true(results_find(&results, "stream.kernel_gap_ns")->values[1] == 500);
	for (size_t i = 0; i < results.count; i++)
		assert_true(platform_key_find(results.item[i].key) ||
			    platform_key_is_evidence(results.item[i].key));
	/* On another kind of core the recorder's part cannot be told. */
	struct results again = { 0 }, shared = { 0 };
	measured_for_the_pass(&again, 3400, 2400, 5400);
	measured_for_the_pass(&shared, 6800, 3000, 2800);
	assert_int_equal(pass_with(&trace, &shared, &again), 0);
	assert_null(results_find(&again, "tracer.launch_part"));
	assert_true(results_find(&again, "tracer.api_launch_ns")->values[0] == 5000);
	results_release(&again);
	results_release(&shared);
	trace_release(&trace);
	results_release(&results);
	results_release(&traced);
}

static void a_trace_pass_without_its_records_adds_nothing(void **state)
{
	struct results results = { 0 }, traced = { 0 };
	struct trace trace;
	(void)state;
	measured_for_the_pass(&results, 3400, 2400, 5400);
	measured_for_the_pass(&traced, 6800, 3000, 2800);
	size_t before = results.count;
	trace_init(&trace);
	add_loop(&trace, 1000, "host.launch_ns", 1, "cudaLaunchKernel_v7000", 5000);
	assert_int_equal(pass_with(&trace, &traced, &results), -1); /* no kernels */
	assert_int_equal(results.count, before);
	assert_int_equal(pass_with(NULL, &traced, &results),
			 -1); /* the recorder fails: the script cannot copy */
	assert_int_equal(results.count, before);
	trace_release(&trace);
	results_release(&results);
	results_release(&traced);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_calibrate_writes_reads_back),
		cmocka_unit_test(a_failed_calibration_leaves_no_file),
		cmocka_unit_test(raw_lines_read_back_as_written),
		cmocka_unit_test(what_has_no_benchmark_is_of_a_shipped_platform),
		cmocka_unit_test(an_update_that_does_not_read_back_leaves_the_file),
		cmocka_unit_test(files_merge_to_their_medians),
		cmocka_unit_test(the_trace_pass_finds_its_records_by_their_windows),
		cmocka_unit_test(a_trace_pass_without_its_records_adds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
