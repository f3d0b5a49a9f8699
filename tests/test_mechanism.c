/* SPDX-License-Identifier: MIT
 * The table of mechanisms, and the names that leave them out.
 */
#include "support.h"

#include <string.h>

#include "model/mechanism/mechanism.h"
#include "model/platform/platform_internal.h"

static void names_are_words_with_hyphens_and_differ(void **state)
{
	(void)state;
	for (int k = 0; k < MECHANISM_COUNT; k++) {
		const char *name = mechanisms[k].name;
		assert_true(*name && strcmp(name, "all"));
		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-"),
				 strlen(name));
		for (int j = 0; j < k; j++)
			assert_string_not_equal(name, mechanisms[j].name);
	}
}

static void every_row_says_what_it_is_and_names_keys_that_exist(void **state)
{
	(void)state;
	for (int k = 0; k < MECHANISM_COUNT; k++) {
		char keys[512], *save;
		assert_true(*mechanisms[k].what && *mechanisms[k].benchmark);
		assert_true(strlen(mechanisms[k].what) <= 200);
		assert_true(strlen(mechanisms[k].keys) < sizeof(keys));
		strcpy(keys, mechanisms[k].keys);
		for (char *key = strtok_r(keys, " ", &save); key; key = strtok_r(NULL, " ", &save))
			if (!platform_key_find(key))
				fail_msg("%s: no key '%s'", mechanisms[k].name, key);
	}
}

static void named_ones_are_left_out_and_no_others(void **state)
{
	(void)state;
	struct mechanism_set set = { 0 };
	assert_true(mechanism_on(&set, MECHANISM_L2_FAR));
	assert_int_equal(mechanism_leave_out(&set, "l2-far-partition,dram-update", "x"), 0);
	for (int k = 0; k < MECHANISM_COUNT; k++)
		assert_true(mechanism_on(&set, (enum mechanism_id)k) ==
			    (k != MECHANISM_L2_FAR && k != MECHANISM_DRAM_UPDATE));
	assert_int_equal(mechanism_leave_out(&set, "all", "x"), 0);
	for (int k = 0; k < MECHANISM_COUNT; k++)
		assert_false(mechanism_on(&set, (enum mechanism_id)k));
}

static void an_unknown_name_is_refused_with_those_there_are(void **state)
{
	(void)state;
	static const char *const bad[] = { "", "l2-far", "all,", "L2-FAR-PARTITION", "all all" };
	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		struct mechanism_set set = { 0 };
		struct said caught;
		said_begin(&caught);
		int rc = mechanism_leave_out(&set, bad[k], "--without");
		const char *said = said_end(&caught);
		assert_int_equal(rc, -1);
		assert_non_null(strstr(said, "--without: no mechanism '"));
		assert_non_null(strstr(said, "l2-far-partition"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_words_with_hyphens_and_differ),
		cmocka_unit_test(every_row_says_what_it_is_and_names_keys_that_exist),
		cmocka_unit_test(named_ones_are_left_out_and_no_others),
		cmocka_unit_test(an_unknown_name_is_refused_with_those_there_are),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
