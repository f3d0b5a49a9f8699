/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "model/platform/platform_internal.h"
#include "model/platform/platform_part.h"

static void every_key_is_of_a_part(void **state)
{
	(void)state;
	int of[PLATFORM_PART_COUNT] = { 0 };
	for (const struct platform_key *key = platform_keys; key->name; key++)
		of[platform_part_of(key->name)]++;
	for (int part = 0; part < PLATFORM_PART_COUNT; part++)
		assert_true(of[part] > 0);
	assert_int_equal(platform_part_of("base.nvlink.bytes_per_s"), PART_OF_LINK);
	assert_int_equal(platform_part_of("device.gpus"), PART_OF_COUNT);
}

static void a_platform_takes_all_parts_of_another_and_is_that(void **state)
{
	(void)state;
	struct platform a, b;
	assert_int_equal(platform_read(&a, "h200x8"), 0);
	assert_int_equal(platform_read(&b, "h200x4"), 0);
	assert_int_equal(platform_take_parts(&a, &b, (1u << PLATFORM_PART_COUNT) - 1), 0);
	assert_int_equal(a.gpus, b.gpus);
	assert_int_equal(a.entry_count, b.entry_count);
	for (size_t k = 0; k < b.entry_count; k++)
		assert_string_equal(platform_text(&a, b.entry[k].key), b.entry[k].text);
	assert_true(a.base->host[HOST_LAUNCH].value[0] == b.base->host[HOST_LAUNCH].value[0]);
	platform_release(&a);
	platform_release(&b);
}

static void a_part_that_is_taken_leaves_the_others(void **state)
{
	(void)state;
	struct platform a, b;
	assert_int_equal(platform_read(&a, "h200x4"), 0);
	assert_int_equal(platform_read(&b, "h100x1"), 0);
	const double launch = a.host[HOST_LAUNCH].value[0], link = a.nvlink_bytes_per_s;
	assert_int_equal(platform_take_parts(&a, &b, 1u << PART_OF_DEVICE), 0);
	assert_true(a.host[HOST_LAUNCH].value[0] == launch && a.nvlink_bytes_per_s == link);
	assert_true(a.sm.dram.read_bytes_per_s == b.sm.dram.read_bytes_per_s);
	assert_int_equal(a.gpus, 4);
	platform_release(&a);
	platform_release(&b);
}

static void edits_are_of_the_part_that_was_changed(void **state)
{
	(void)state;
	struct platform p;
	struct platform_edits edits;
	assert_int_equal(platform_read(&p, "h200x4"), 0);
	platform_edits_find(&edits, &p, NULL);
	assert_int_equal(edits.parts, 0);
	assert_null(edits.text);
	assert_int_equal(platform_set(&p, "nvlink.bytes_per_s=2x"), 0);
	assert_int_equal(platform_set(&p, "device.gpus=8"), 0);
	platform_edits_find(&edits, &p, NULL);
	assert_int_equal(edits.parts, 1u << PART_OF_LINK);
	assert_non_null(strstr(edits.text, "nvlink.bytes_per_s"));
	platform_edits_release(&edits);
	assert_int_equal(platform_set(&p, "nvlink.bytes_per_s=0.5x"), 0);
	platform_edits_find(&edits, &p, NULL);
	assert_int_equal(edits.parts, 0);
	platform_edits_release(&edits);
	platform_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_of_a_part),
		cmocka_unit_test(a_platform_takes_all_parts_of_another_and_is_that),
		cmocka_unit_test(a_part_that_is_taken_leaves_the_others),
		cmocka_unit_test(edits_are_of_the_part_that_was_changed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
