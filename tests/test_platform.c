/* SPDX-License-Identifier: MIT
 * Platform files: what is accepted, what is refused and how it is said, --set, look-ups, and that calibrate writes them.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../model/calibrate.h"
#include "../model/calibrate_results.h"
#include "../model/platform_internal.h"
#include "../traces/program.h"
#include "../traces/trace.h"
#include "../traces/util.h"

/* Runs platform_read with stderr in `message`. */
static int read_quietly(struct platform *platform, const char *path, char message[1024])
{
	FILE *file = tmpfile();
	assert_non_null(file);
	fflush(stderr);
	int saved = dup(STDERR_FILENO);
	dup2(fileno(file), STDERR_FILENO);
	int rc = platform_read(platform, path);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	size_t length = fread(message, 1, 1023, file);
	message[length] = 0;
	fclose(file);
	return rc;
}

static int set_quietly(struct platform *platform, const char *assignment, char message[1024])
{
	FILE *file = tmpfile();
	assert_non_null(file);
	fflush(stderr);
	int saved = dup(STDERR_FILENO);
	dup2(fileno(file), STDERR_FILENO);
	int rc = platform_set(platform, assignment);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	size_t length = fread(message, 1, 1023, file);
	message[length] = 0;
	fclose(file);
	return rc;
}

/* Stands in for the CUDA side: every numeric key of the table, lists of the length they must have, ascending and fractional. */
static int fake_calibrate(void *arg)
{
	struct calibration *calibration = arg;
	for (const struct platform_key *key = platform_keys; key->name; key++) {
		double values[24], spread[24];
		bool host = key->pairs && !strcmp(key->pairs, "host.threads");
		size_t count = key->kind != KEY_LIST ? 1 : host || !strcmp(key->name, "host.threads") ? 4 : 24;
		char name[64];
		if (key->kind == KEY_TEXT || !strncmp(key->name, "tracer.", 7) || strstr(key->name, "kernel_gap"))
			continue;
		snprintf(name, sizeof(name), "%s", key->name);
		if (name[strlen(name) - 1] == '#')
			name[strlen(name) - 1] = '8';
		for (size_t i = 0; i < count; i++) {
			values[i] = key->kind == KEY_INTEGER ? 8 : key->flags & KEY_ASCENDING ? (double)(1u << i) :
				    key->flags & KEY_SHARE ? 0.5 : 1234.5678 + (double)i;
			spread[i] = 0.25;
		}
		calibration->emit(calibration->sink, name, values, key->flags & KEY_ASCENDING ? NULL : spread, count, "made up");
	}
	calibration->emit(calibration->sink, "device.name", NULL, NULL, 0, "Imaginary GPU");
	calibration->emit(calibration->sink, "sm.isa", NULL, NULL, 0, "sm_1");
	return 0;
}

static int fail_to_calibrate(void *arg)
{
	(void)arg;
	return -1;
}

static char *fake_describe(unsigned gpu)
{
	return xprintf("name = Imaginary %u\ndriver = 1.2\nsm_mhz = 1980\nmemory_mhz = 3201\ngpus = 8\n", gpu);
}

static const struct program fake = { .calibrate_cuda = fake_calibrate, .describe_gpu = fake_describe };

/* A whole platform in a file of its own; the caller unlinks and frees. */
static char *make_platform(void)
{
	char *path = xprintf("/tmp/warpreel-test-platform-%ld.ini", (long)getpid());
	char *argv[] = { (char[]){ "calibrate" }, (char[]){ "-o" }, path, (char[]){ "--trace-pass" }, (char[]){ "no" }, NULL };
	assert_int_equal(cmd_calibrate(&fake, 5, argv), EXIT_OK);
	return path;
}

static void drop(char *path)
{
	unlink(path);
	free(path);
}

static void what_calibrate_writes_reads_back(void **state)
{
	struct platform platform;
	(void)state;
	char *path = make_platform();
	assert_int_equal(platform_read(&platform, path), 0);
	assert_int_equal(platform.gpus, 8);
	assert_false(platform.from_datasheet);
	assert_int_equal(platform.traced_host[HOST_LAUNCH].count, 0);
	assert_int_equal(platform.threads.count, 4);
	assert_true(platform.threads.value[3] == 8);
	assert_int_equal(platform.host[HOST_LAUNCH].count, 4);
	assert_true(fabs(platform.host[HOST_LAUNCH].value[0] - 1234.57) < 0.01);
	/* 24 sizes do not fit in a line: the list went over several. */
	assert_int_equal(platform.copy[COPY_CURVE_H2D].x.count, 24);
	assert_true(platform.copy[COPY_CURVE_H2D].x.value[23] == 8388608);
	assert_string_equal(platform_text(&platform, "device.name"), "Imaginary GPU");
	assert_non_null(platform_text(&platform, "copy.peer.ns_8"));
	assert_null(platform_text(&platform, "copy.peer.ns_4"));
	/* Without a recorder the gaps come from events: one point where all durations agree. */
	assert_true(platform.kernel_gap.x.count >= 1);
	platform_release(&platform);
	drop(path);
}

static void a_failed_calibration_leaves_no_file(void **state)
{
	const struct program failing = { .calibrate_cuda = fail_to_calibrate, .describe_gpu = fake_describe };
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

static const struct {
	const char *file, *message;
} bad[] = {
	{ "platform-not-a-number.ini", "'host.launch_ns': 'fast' is not a number" },
	{ "platform-negative-cost.ini", "'host.launch_ns' is -1: must not be negative" },
	{ "platform-missing-key.ini", "'device.sm_count' is missing" },
	{ "platform-unknown-key.ini", "line 2: unknown key 'host.launch_nss'; near: host.launch_ns" },
	{ "platform-no-section.ini", "line 1: unknown key 'launch_ns'; near: host.launch_ns" },
	{ "platform-no-equals.ini", "line 2 is neither a section, nor 'key = value', nor a comment" },
	{ "platform-open-section.ini", "line 1 is neither a section" },
	{ "platform-not-ascending.ini", "'copy.h2d.bytes' is not ascending: 1024 after 1024" },
	{ "platform-half-an-sm.ini", "'device.sm_count' is 131.5: must be a whole number" },
	{ "platform-no-gpus.ini", "'device.gpus' is 0: must be above zero" },
	{ "platform-list-for-a-number.ini", "'device.gpus' is one number, not 2" },
	{ "platform-given-twice.ini", "line 3: 'host.launch_ns' is given twice" },
	{ "platform-infinite-cost.ini", "'host.launch_ns' must be finite" },
	{ "platform-nan.ini", "'host.launch_ns': 'nan' is not a number" },
	{ "platform-no-value.ini", "'host.launch_ns' has no value" },
	{ "platform-spread-not-a-number.ini", "'host.launch_ns_mad': 'wide' is not a number" },
	{ "platform-spread-of-nothing.ini", "'host.lunch_ns_mad' is the spread of no known key" },
	{ "platform-unknown-source.ini", "'platform.source' is 'measured', 'datasheet' or 'extrapolated', not 'guessed'" },
	{ "platform-long-line.ini", "line 2 is longer than" },
	{ "platform-zero-bytes.ini", "holds zero bytes" },
	{ "platform-empty.ini", "empty: not a platform file" },
	{ "platform-foreign.ini", "line 1 is neither a section" },
};

static void every_bad_file_is_refused_with_its_message(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct platform platform;
		char message[1024], *path = xprintf("%s/tests/bad/%s", util_root(), bad[i].file);
		assert_int_equal(read_quietly(&platform, path, message), -1);
		if (!strstr(message, bad[i].message) || !strstr(message, bad[i].file))
			fail_msg("%s: expected '%s', got '%s'", bad[i].file, bad[i].message, message);
		/* One message, not a cascade. */
		assert_ptr_equal(strchr(message, '\n'), message + strlen(message) - 1);
		free(path);
	}
}

static void every_bad_platform_has_its_expectation(void **state)
{
	char *folder = xprintf("%s/tests/bad", util_root());
	DIR *list = opendir(folder);
	size_t seen = 0;
	(void)state;
	assert_non_null(list);
	for (struct dirent *file; (file = readdir(list));) {
		bool known = strncmp(file->d_name, "platform-", 9) != 0;
		seen += !known;
		for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
			known = known || !strcmp(bad[i].file, file->d_name);
		if (!known)
			fail_msg("%s has no expectation", file->d_name);
	}
	assert_int_equal(seen, sizeof(bad) / sizeof(bad[0]));
	closedir(list);
	free(folder);
}

static void a_missing_platform_names_itself(void **state)
{
	struct platform platform;
	char message[1024];
	(void)state;
	assert_int_equal(read_quietly(&platform, "no-such-platform", message), -1);
	assert_non_null(strstr(message, "no platform 'no-such-platform'"));
}

/* Replaces `from` by `to` in the file; the text must be there. */
static void edit(const char *path, const char *from, const char *to)
{
	char *text = xcalloc(1 << 16, 1);
	FILE *file = fopen(path, "r");
	assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
	fclose(file);
	char *at = strstr(text, from);
	assert_non_null(at);
	file = fopen(path, "w");
	fprintf(file, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	fclose(file);
	free(text);
}

static void lists_that_belong_together_are_as_long(void **state)
{
	struct platform platform;
	char message[1024], *path = make_platform();
	(void)state;
	edit(path, "\nlaunch_ns = 1234.57", "\nlaunch_ns =");
	assert_int_equal(read_quietly(&platform, path, message), -1);
	assert_non_null(strstr(message, "'host.launch_ns' has 3 entries, 'host.threads' has 4"));
	drop(path);
}

static void a_curve_needs_both_halves(void **state)
{
	struct platform platform;
	char message[1024], *path = make_platform();
	(void)state;
	edit(path, "[copy.h2d_2d]", "[copy.h2d_2d]\nbytes = 1 2\n[provenance]");
	assert_int_equal(read_quietly(&platform, path, message), -1);
	assert_non_null(strstr(message, "'copy.h2d_2d.ns' is missing"));
	drop(path);
}

static void several_gpus_need_links_and_one_does_not(void **state)
{
	struct platform platform;
	char message[1024], *path = make_platform();
	(void)state;
	edit(path, "[nvlink]", "[provenance]");
	assert_int_equal(read_quietly(&platform, path, message), -1);
	assert_non_null(strstr(message, "'nvlink.bytes_per_s' is missing"));
	edit(path, "\ngpus = 8", "\ngpus = 1");
	assert_int_equal(platform_read(&platform, path), 0);
	platform_release(&platform);
	drop(path);
}

static void set_replaces_a_list_by_one_number(void **state)
{
	struct platform platform;
	char *path = make_platform();
	(void)state;
	assert_int_equal(platform_read(&platform, path), 0);
	assert_int_equal(platform_set(&platform, "host.launch_ns=0"), 0);
	assert_int_equal(platform.host[HOST_LAUNCH].count, 4);
	for (int threads = 1; threads <= 16; threads++)
		assert_true(platform_host_ns(&platform, HOST_LAUNCH, threads) == 0);
	assert_int_equal(platform_set(&platform, "host.launch_ns=1 2,3 5"), 0);
	assert_true(platform_host_ns(&platform, HOST_LAUNCH, 2) == 2);
	assert_true(platform_host_ns(&platform, HOST_LAUNCH, 6) == 4);
	assert_int_equal(platform_set(&platform, "copy.h2d.ns=0"), 0);
	assert_true(curve_at(&platform.copy[COPY_CURVE_H2D], 5000) == 0);
	assert_true(curve_at(&platform.copy[COPY_CURVE_H2D], 1e12) == 0);
	platform_release(&platform);
	drop(path);
}

static void rates_may_be_infinite_and_gaps_negative(void **state)
{
	struct platform platform;
	char message[1024], *path = make_platform();
	(void)state;
	assert_int_equal(platform_read(&platform, path), 0);
	assert_int_equal(platform_set(&platform, "nvlink.bytes_per_s=900e9"), 0);
	assert_true(platform.nvlink_bytes_per_s == 900e9);
	assert_int_equal(platform_set(&platform, "nvlink.bytes_per_s=inf"), 0);
	assert_true(isinf(platform.nvlink_bytes_per_s));
	assert_int_equal(platform_set(&platform, "memory.copy_bytes_per_s=inf"), 0);
	assert_true(isinf(curve_at(&platform.memory, 12345)));
	assert_int_equal(platform_set(&platform, "stream.kernel_gap_ns=-100"), 0);
	assert_true(curve_at_linear(&platform.kernel_gap, 1e5) == -100);
	assert_int_equal(set_quietly(&platform, "host.launch_ns=inf", message), -1);
	assert_int_equal(set_quietly(&platform, "host.launch_ns=-5", message), -1);
	assert_int_equal(set_quietly(&platform, "nvlink.bytes_per_s=0", message), -1);
	platform_release(&platform);
	drop(path);
}

static void set_refuses_what_it_does_not_know(void **state)
{
	struct platform platform;
	char message[1024], *path = make_platform();
	(void)state;
	assert_int_equal(platform_read(&platform, path), 0);
	assert_int_equal(set_quietly(&platform, "host.lanch_ns=0", message), -1);
	assert_non_null(strstr(message, "unknown key 'host.lanch_ns'; near: host.launch_ns"));
	assert_int_equal(set_quietly(&platform, "host.launch_ns", message), -1);
	assert_non_null(strstr(message, "not KEY=VALUE"));
	assert_int_equal(set_quietly(&platform, "host.launch_ns_mad=1", message), -1);
	assert_int_equal(set_quietly(&platform, "host.launch_ns=1 2", message), -1);
	assert_non_null(strstr(message, "2 entries"));
	platform_release(&platform);
	drop(path);
}

static void curves_are_power_laws_between_and_beyond_their_points(void **state)
{
	double x[] = { 10, 100, 1000 }, y[] = { 5, 5, 500 };
	const struct curve curve = { { x, 3 }, { y, 3 } }, none = { 0 }, one = { { x, 1 }, { y, 1 } };
	(void)state;
	assert_true(curve_at(&curve, 10) == 5 && curve_at(&curve, 1000) == 500 && curve_at(&curve, 30) == 5);
	assert_true(fabs(curve_at(&curve, sqrt(1e5)) - 50) < 1e-9);
	assert_true(fabs(curve_at(&curve, 10000) - 50000) < 1e-6);
	assert_true(curve_at(&curve, 1) == 5);
	assert_true(fabs(curve_at_linear(&curve, 550) - 252.5) < 1e-9);
	assert_true(curve_at_linear(&curve, 1e9) == 500 && curve_at_linear(&curve, 0) == 5);
	assert_true(isnan(curve_at(&none, 1)) && curve_at(&one, 77) == 5);
}

static char *squeezed(const char *text)
{
	char *out = xcalloc(strlen(text) + 1, 1), *at = out;
	for (; *text; text++)
		if (*text != ' ' && *text != '\n' && *text != '\t')
			*at++ = *text;
	return out;
}

/* The table is the truth: key, unit, meaning and whether it is required. */
static void the_manual_page_has_every_key_as_the_table_has_it(void **state)
{
	char *path = xprintf("%s/docs/warpreel-platform.5", util_root()), *raw = xcalloc(1 << 17, 1);
	FILE *file = fopen(path, "r");
	(void)state;
	assert_non_null(file);
	assert_true(fread(raw, 1, (1 << 17) - 1, file) > 0);
	fclose(file);
	char *page = squeezed(raw);
	for (const struct platform_key *key = platform_keys; key->name; key++) {
		const char *name = strrchr(key->name, '.') + 1;
		char *section = xprintf(".Ss[%.*s]", (int)(name - 1 - key->name), key->name);
		char *item = xprintf(".It Ic %s Pq %s%s\n%s.%s", name, key->kind == KEY_LIST ? "list, " : "", key->unit, key->help,
				     key->flags & KEY_REQUIRED ? "Required." : "");
		char *packed = squeezed(item), *at = strstr(page, section);
		if (!at || !strstr(at, packed))
			fail_msg("docs/warpreel-platform.5 does not say of %s: %s", key->name, item);
		free(section);
		free(item);
		free(packed);
	}
	free(page);
	free(raw);
	free(path);
}

/* One loop of the trace pass: its window, and `count` records in it that last `ns` each. */
static int64_t add_loop(struct trace *trace, int64_t at_ns, const char *phase, double x, const char *call, int64_t ns)
{
	char *config = xprintf("phase=%s x=%.17g", phase, x);
	int64_t begun_ns = at_ns;
	for (int i = 0; i < 3; i++, at_ns += 2 * ns) {
		if (!strncmp(call, "cuda", 4)) {
			struct trace_api *row = trace_add_api(trace);
			*row = (struct trace_api){ .start_ns = at_ns, .end_ns = at_ns + ns, .name = trace_string(trace, call) };
		} else {
			struct trace_kernel *row = trace_add_kernel(trace);
			*row = (struct trace_kernel){ .start_ns = at_ns, .end_ns = at_ns + ns, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 },
						      .demangled_name = trace_string(trace, call), .graph_node = -1 };
			row->short_name = row->demangled_name;
		}
	}
	struct trace_run *run = trace_add_run(trace);
	*run = (struct trace_run){ begun_ns, at_ns, trace_string(trace, "calibrate"), trace_string(trace, config), 1 };
	free(config);
	return at_ns + 1000;
}

/* A recorder of one launch loop and two period loops, played by a script that hands over prepared files. */
static int pass_with(const struct trace *trace, const struct results *traced, struct results *results)
{
	char folder[] = "/tmp/warpreel-test-pass-XXXXXX";
	assert_non_null(mkdtemp(folder));
	char *script = xprintf("%s/warpreel", folder), *recorded = xprintf("%s/recorded.sqlite", folder);
	char *raw = xprintf("%s/raw.tsv", folder), *scratch = xprintf("%s/scratch", folder);
	FILE *file = fopen(script, "w");
	fprintf(file, "#!/bin/sh\ntest \"$1 $6\" = \"record calibrate\" && cp '%s' \"$3\" && cp '%s' \"${10}\"\n", recorded, raw);
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

static void measured_for_the_pass(struct results *results, double launch_ns, double first_period_ns)
{
	const double threads = 1, bytes[] = { 0, 65536 }, period[] = { first_period_ns, 9000 }, spread[] = { 1, 1 };
	results_add(results, "host.threads", &threads, NULL, 1, "threads");
	results_add(results, "host.launch_ns", &launch_ns, spread, 1, "loop");
	results_add(results, "stream.period_bytes", bytes, NULL, 2, "sizes");
	results_add(results, "stream.period_ns", period, spread, 2, "chain");
}

static void the_trace_pass_finds_its_records_by_their_windows(void **state)
{
	struct results results = { 0 }, traced = { 0 };
	struct trace trace;
	(void)state;
	measured_for_the_pass(&results, 3400, 2400);
	measured_for_the_pass(&traced, 6800, 3000);
	trace_init(&trace);
	int64_t at_ns = add_loop(&trace, 1000, "host.launch_ns", 1, "cudaLaunchKernel_v7000", 5000);
	at_ns = add_loop(&trace, at_ns, "host.record_ns", 1, "cudaLaunchKernel_v7000", 70000); /* another loop's launches */
	at_ns = add_loop(&trace, at_ns, "stream.period_ns", 0, "calibrate_period_empty(arguments64)", 1300);
	at_ns = add_loop(&trace, at_ns, "stream.period_ns", 65536, "calibrate_period_copy(float4 *)", 8500);
	assert_int_equal(pass_with(&trace, &traced, &results), 0);
	assert_true(results_find(&results, "tracer.traced_launch_ns")->values[0] == 6800);
	assert_true(results_find(&results, "tracer.api_launch_ns")->values[0] == 5000);
	assert_true(results_find(&results, "tracer.stream_period_ns")->values[0] == 3000);
	assert_true(results_find(&results, "tracer.recorded_period_ns")->values[1] == 8500);
	/* Untraced period less recorded duration. */
	assert_true(results_find(&results, "stream.kernel_gap_duration_ns")->values[0] == 1300);
	assert_true(results_find(&results, "stream.kernel_gap_ns")->values[0] == 1100);
	assert_true(results_find(&results, "stream.kernel_gap_ns")->values[1] == 500);
	for (size_t i = 0; i < results.count; i++)
		assert_true(platform_key_find(results.item[i].key) != NULL);
	trace_release(&trace);
	results_release(&results);
	results_release(&traced);
}

static void a_trace_pass_without_its_records_adds_nothing(void **state)
{
	struct results results = { 0 }, traced = { 0 };
	struct trace trace;
	(void)state;
	measured_for_the_pass(&results, 3400, 2400);
	measured_for_the_pass(&traced, 6800, 3000);
	size_t before = results.count;
	trace_init(&trace);
	add_loop(&trace, 1000, "host.launch_ns", 1, "cudaLaunchKernel_v7000", 5000);
	assert_int_equal(pass_with(&trace, &traced, &results), -1); /* no kernels */
	assert_int_equal(results.count, before);
	assert_int_equal(pass_with(NULL, &traced, &results), -1); /* the recorder fails: the script cannot copy */
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
		cmocka_unit_test(the_trace_pass_finds_its_records_by_their_windows),
		cmocka_unit_test(a_trace_pass_without_its_records_adds_nothing),
		cmocka_unit_test(every_bad_file_is_refused_with_its_message),
		cmocka_unit_test(every_bad_platform_has_its_expectation),
		cmocka_unit_test(a_missing_platform_names_itself),
		cmocka_unit_test(lists_that_belong_together_are_as_long),
		cmocka_unit_test(a_curve_needs_both_halves),
		cmocka_unit_test(several_gpus_need_links_and_one_does_not),
		cmocka_unit_test(set_replaces_a_list_by_one_number),
		cmocka_unit_test(rates_may_be_infinite_and_gaps_negative),
		cmocka_unit_test(set_refuses_what_it_does_not_know),
		cmocka_unit_test(curves_are_power_laws_between_and_beyond_their_points),
		cmocka_unit_test(the_manual_page_has_every_key_as_the_table_has_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
