/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "model/platform/platform_internal.h"

static void read_h200x4(struct platform *platform)
{
	assert_int_equal(platform_read(platform, "h200x4"), 0);
}

static const struct platform_entry *entry_of(const struct platform *platform, const char *key)
{
	const struct platform_entry *entry = platform_entry_find(platform, key);
	assert_non_null(entry);
	return entry;
}

static void a_list_of_sizes_that_is_left_out_is_the_first_one(void **state)
{
	(void)state;
	struct platform p;
	read_h200x4(&p);
	assert_true(entry_of(&p, "copy.d2h.bytes")->derived);
	assert_string_equal(platform_text(&p, "copy.d2h.bytes"),
			    platform_text(&p, "copy.h2d.bytes"));
	assert_int_equal(p.copy[COPY_CURVE_D2H].x.count, p.copy[COPY_CURVE_H2D].x.count);
	assert_true(p.share_both.x.count == p.threads.count && p.share_both.x.value[2] == 4);
	platform_release(&p);
}

static void sums_and_firsts_are_of_what_they_follow(void **state)
{
	(void)state;
	struct platform p;
	read_h200x4(&p);
	assert_int_equal(p.period.count, p.kernel_gap.x.count);
	NEAR(p.period.value[3], p.kernel_gap.x.value[3] + p.kernel_gap.y.value[3]);
	NEAR(p.sm.launch_ns, p.kernel_gap.x.value[0]);
	platform_release(&p);
}

static void what_follows_goes_with_what_is_set(void **state)
{
	(void)state;
	struct platform p;
	read_h200x4(&p);
	assert_int_equal(platform_set(&p, "sm.shared_load_interval=3"), 0);
	assert_true(p.sm.interval[SASS_SHARED_STORE] == 3 && p.sm.shared_wavefront_interval == 3);
	platform_release(&p);
}

static void what_is_given_has_the_last_word(void **state)
{
	(void)state;
	struct platform p;
	read_h200x4(&p);
	assert_int_equal(platform_set(&p, "sm.shared_store_interval=5"), 0);
	assert_int_equal(platform_set(&p, "sm.shared_load_interval=3"), 0);
	assert_true(p.sm.interval[SASS_SHARED_STORE] == 5 && p.sm.shared_wavefront_interval == 3);
	platform_release(&p);
}

static void what_is_refused_leaves_all_as_it_was(void **state)
{
	(void)state;
	struct platform p;
	struct said said;
	read_h200x4(&p);
	const size_t entries = p.entry_count;
	said_begin(&said);
	assert_int_equal(platform_set(&p, "copy.h2d.bytes=1 2 3"), -1);
	assert_non_null(strstr(said_end(&said), "they must be as many"));
	assert_int_equal(p.entry_count, entries);
	assert_true(p.copy[COPY_CURVE_D2H].x.count == p.copy[COPY_CURVE_D2H].y.count);
	assert_string_equal(platform_text(&p, "copy.d2h.bytes"),
			    platform_text(&p, "copy.h2d.bytes"));
	platform_release(&p);
}

static void nothing_is_made_of_what_is_not_there(void **state)
{
	(void)state;
	struct platform p;
	assert_int_equal(platform_read(&p, "tests/cases/lib/small.ini"), 0);
	assert_null(platform_entry_find(&p, "sm.launch_ns"));
	assert_null(platform_entry_find(&p, "copy.h2d_2d.bytes"));
	assert_null(platform_entry_find(&p, "tracer.stream_note_footprint_ns"));
	platform_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_of_sizes_that_is_left_out_is_the_first_one),
		cmocka_unit_test(sums_and_firsts_are_of_what_they_follow),
		cmocka_unit_test(what_follows_goes_with_what_is_set),
		cmocka_unit_test(what_is_given_has_the_last_word),
		cmocka_unit_test(what_is_refused_leaves_all_as_it_was),
		cmocka_unit_test(nothing_is_made_of_what_is_not_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
