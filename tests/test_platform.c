/* SPDX-License-Identifier: MIT
 * Platform files: what is accepted, what is refused and how it is said, --set, look-ups.
 */
#include "platform_kit.h"

#include <dirent.h>
#include <math.h>

static void read_fails(const char *path, const char *message)
{
	struct platform platform;
	struct said said;
	said_begin(&said);
	assert_int_equal(platform_read(&platform, path), -1);
	assert_says(&said, message);
}

static void set_fails(struct platform *platform, const char *assignment, const char *message)
{
	struct said said;
	said_begin(&said);
	assert_int_equal(platform_set(platform, assignment), -1);
	assert_says(&said, message);
}

static const struct {
	const char *file, *message;
} bad[] = {
	{ "platform-not-a-number.ini", "'host.launch_ns': 'fast' is not a number" },
	{ "platform-negative-cost.ini", "'host.launch_ns' is -1: must not be negative" },
	{ "platform-missing-key.ini", "'device.sm_count' is missing" },
	{ "platform-unknown-key.ini",
	  "line 2: unknown key 'host.launch_nss'; near: host.launch_ns" },
	{ "platform-no-section.ini", "line 1: unknown key 'launch_ns'; near: host.launch_ns" },
	{ "platform-no-equals.ini",
	  "line 2 is neither a section, nor 'key = value', nor a comment" },
	{ "platform-open-section.ini", "line 1 begins a section and has no ']'" },
	{ "platform-open-section-with-keys.ini", "line 2 begins a section and has no ']'" },
	{ "platform-not-ascending.ini", "'copy.h2d.bytes' is not ascending: 1024 after 1024" },
	{ "platform-half-an-sm.ini", "'device.sm_count' is 131.5: must be a whole number" },
	{ "platform-no-gpus.ini", "'device.gpus' is 0: must be above zero" },
	{ "platform-list-for-a-number.ini", "'device.gpus' is one number, not 2" },
	{ "platform-given-twice.ini", "line 3: 'host.launch_ns' is given twice" },
	{ "platform-infinite-cost.ini", "'host.launch_ns' must be finite" },
	{ "platform-nan.ini", "'host.launch_ns': 'nan' is not a number" },
	{ "platform-no-value.ini", "'host.launch_ns' has no value" },
	{ "platform-spread-not-a-number.ini", "'host.launch_ns_mad': 'wide' is not a number" },
	{ "platform-negative-spread.ini", "'host.launch_ns_mad' is negative" },
	{ "platform-spread-of-nothing.ini", "'host.lunch_ns_mad' is the spread of no known key" },
	{ "platform-unknown-source.ini",
	  "'platform.source' is 'measured', 'datasheet' or 'extrapolated', not 'guessed'" },
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
		struct said said;
		char *path = xprintf("%s/tests/bad/%s", util_root(), bad[i].file);
		said_begin(&said);
		assert_int_equal(platform_read(&platform, path), -1);
		said_end(&said);
		if (!strstr(said.text, bad[i].message) || !strstr(said.text, bad[i].file))
			fail_msg("%s: expected '%s', got '%s'", bad[i].file, bad[i].message,
				 said.text);
		/* One message, not a cascade. */
		assert_ptr_equal(strchr(said.text, '\n'), said.text + strlen(said.text) - 1);
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
	(void)state;
	read_fails("no-such-platform", "no platform 'no-such-platform'");
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
	char *path = make_platform();
	(void)state;
	edit(path, "\nlaunch_ns = 1234.57", "\nlaunch_ns =");
	read_fails(path, "'host.launch_ns' has 3 entries, 'host.threads' has 4");
	drop(path);
}

static void a_curve_needs_both_halves(void **state)
{
	char *path = make_platform();
	(void)state;
	edit(path, "[copy.h2d_2d]", "[copy.h2d_2d]\nbytes = 1 2\n[provenance]");
	read_fails(path, "'copy.h2d_2d.ns' is missing");
	drop(path);
}

static void several_gpus_need_links_and_one_does_not(void **state)
{
	struct platform platform;
	char *path = make_platform();
	(void)state;
	edit(path, "[nvlink]", "[provenance]");
	read_fails(path, "'nvlink.bytes_per_s' is missing");
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
	char *path = make_platform();
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
	set_fails(&platform, "host.launch_ns=inf", "'host.launch_ns' must be finite");
	set_fails(&platform, "host.launch_ns=-5", "'host.launch_ns' is -5: must not be negative");
	set_fails(&platform, "nvlink.bytes_per_s=0",
		  "'nvlink.bytes_per_s' is 0: must be above zero");
	platform_release(&platform);
	drop(path);
}

static void set_refuses_what_it_does_not_know(void **state)
{
	struct platform platform;
	char *path = make_platform();
	(void)state;
	assert_int_equal(platform_read(&platform, path), 0);
	set_fails(&platform, "host.lanch_ns=0",
		  "unknown key 'host.lanch_ns'; near: host.launch_ns");
	set_fails(&platform, "host.launch_ns", "not KEY=VALUE");
	set_fails(&platform, "host.launch_ns_mad=1", "unknown key 'host.launch_ns_mad'");
	set_fails(&platform, "host.launch_ns=1 2", "2 entries");
	platform_release(&platform);
	drop(path);
}

static void curves_are_power_laws_between_and_beyond_their_points(void **state)
{
	double x[] = { 10, 100, 1000 }, y[] = { 5, 5, 500 };
	const struct curve curve = { { x, 3 }, { y, 3 } }, none = { 0 },
			   one = { { x, 1 }, { y, 1 } };
	(void)state;
	assert_true(curve_at(&curve, 10) == 5 && curve_at(&curve, 1000) == 500 &&
		    curve_at(&curve, 30) == 5);
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
	char *path = xprintf("%s/docs/warpreel-platform.5", util_root()),
	     *raw = xcalloc(1 << 17, 1);
	FILE *file = fopen(path, "r");
	(void)state;
	assert_non_null(file);
	assert_true(fread(raw, 1, (1 << 17) - 1, file) > 0);
	fclose(file);
	char *page = squeezed(raw);
	for (const struct platform_key *key = platform_keys; key->name; key++) {
		const char *name = strrchr(key->name, '.') + 1;
		char *section = xprintf(".Ss[%.*s]", (int)(name - 1 - key->name), key->name);
		char *item = xprintf(".It Ic %s Pq %s%s\n%s.%s%s", name,
				     key->kind == KEY_LIST ? "list, " : "", key->unit, key->help,
				     platform_key_unread(key) ? "For the reader." : "",
				     key->flags & KEY_REQUIRED ? "Required." : "");
		char *packed = squeezed(item), *at = strstr(page, section);
		if (!at || !strstr(at, packed))
			fail_msg("docs/warpreel-platform.5 does not say of %s: %s", key->name,
				 item);
		free(section);
		free(item);
		free(packed);
	}
	free(page);
	free(raw);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
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
