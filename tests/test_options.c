/* SPDX-License-Identifier: MIT
 * The option table as parser, defaults, range check and help.
 */
#include "support.h"

#include <stdlib.h>

#include "options_kit.h"

/* Parses the words of `line`; what they are kept in lives until the next call. */
static int parse(struct tried_options *target, const char *line, int *words, const char *kept[8])
{
	static char text[512];
	char *argv[64] = { (char *)"try" }, *save;
	int argc = 1;
	snprintf(text, sizeof(text), "%s", line);
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	memset(target, 0, sizeof(*target));
	int rc = options_parse(&tried_help, tried_specs, target, argc, argv, words);
	for (int k = 0; !rc && kept && k < *words; k++)
		kept[k] = argv[k + 1];
	return rc;
}

static void what_is_not_given_has_its_default(void **state)
{
	struct tried_options target;
	int words;
	(void)state;
	assert_int_equal(parse(&target, "", &words, NULL), 0);
	assert_int_equal(words, 0);
	assert_int_equal(target.count, 3);
	assert_true(target.factor == 0.5);
	assert_null(target.name);
	assert_string_equal(target.word, "one");
	assert_false(target.loud);
}

static void values_follow_or_are_joined_by_an_equals_sign(void **state)
{
	struct tried_options target;
	int words;
	(void)state;
	assert_int_equal(
		parse(&target,
		      "--count 7 --factor=1.25 -o file --word=two --loud --many a --many=b", &words,
		      NULL),
		0);
	assert_int_equal(target.count, 7);
	assert_true(target.factor == 1.25);
	assert_string_equal(target.name, "file");
	assert_string_equal(target.word, "two");
	assert_true(target.loud);
	assert_int_equal(target.many.count, 2);
	assert_string_equal(target.many.text[1], "b");
}

static void words_are_kept_in_order_and_a_double_dash_ends_the_options(void **state)
{
	struct tried_options target;
	const char *kept[8];
	int words;
	(void)state;
	assert_int_equal(parse(&target, "one --count 2 - two -- --loud three", &words, kept), 0);
	assert_int_equal(words, 5);
	static const char *const expected[] = { "one", "-", "two", "--loud", "three" };
	for (int k = 0; k < 5; k++)
		assert_string_equal(kept[k], expected[k]);
	assert_false(target.loud);
}

static void what_cannot_be_is_refused_by_name(void **state)
{
	static const struct {
		const char *line, *message;
	} bad[] = {
		{ "--count 11", "--count takes a whole number from 1 to 10, not '11'" },
		{ "--count 0", "--count takes a whole number from 1 to 10, not '0'" },
		{ "--count 2.5", "not '2.5'" },
		{ "--count", "option '--count' needs a value" },
		{ "--factor 3", "--factor takes a number from 0 to 2, not '3'" },
		{ "--factor nan", "not 'nan'" },
		{ "--word three", "--word takes one of one|two, not 'three'" },
		{ "--word on", "not 'on'" },
		{ "--word one|two", "not 'one|two'" },
		{ "--loud=yes", "--loud takes no value" },
		{ "--loudly", "unknown option '--loudly': --loud? (see warpreel try --help)" },
		{ "--coun 3", "unknown option '--coun'" },
		{ "-x", "unknown option '-x'" },
	};
	(void)state;
	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		struct tried_options target;
		struct said said;
		int words;
		said_begin(&said);
		int rc = parse(&target, bad[k].line, &words, NULL);
		assert_says(&said, bad[k].message);
		assert_int_equal(rc, EXIT_USAGE);
	}
}

static void a_list_takes_as_many_as_it_holds_and_no_more(void **state)
{
	struct tried_options target = { 0 };
	struct said said;
	char *argv[2 + 2 * 65] = { (char *)"try" };
	int words;
	(void)state;
	for (int k = 0; k < 65; k++) {
		argv[1 + 2 * k] = (char *)"--many";
		argv[2 + 2 * k] = (char *)"x";
	}
	assert_int_equal(options_parse(&tried_help, tried_specs, &target, 1 + 2 * 64, argv, &words),
			 0);
	assert_int_equal(target.many.count, 64);
	memset(&target, 0, sizeof(target));
	said_begin(&said);
	assert_int_equal(options_parse(&tried_help, tried_specs, &target, 1 + 2 * 65, argv, &words),
			 EXIT_USAGE);
	assert_says(&said, "--many is given too often");
}

static void joined_tables_fill_both_structs_and_the_first_wins_a_name(void **state)
{
	struct second {
		int depth, count;
	};
	static const struct option_spec more[] = {
		{ "depth", OPTION_INT, offsetof(struct second, depth), "8", 0, 100, "N",
		  "how deep" },
		{ "count", OPTION_INT, offsetof(struct second, count), "99", 0, 100, "N",
		  "never seen" },
		{ 0 },
	};
	struct {
		struct tried_options first;
		struct second second;
	} both = { .second.count = -1 };
	struct option_spec *joined =
		options_join(tried_specs, more, offsetof(__typeof__(both), second));
	char *argv[] = { (char *)"try", (char *)"--depth", (char *)"9", (char *)"--count",
			 (char *)"4" };
	int words;
	(void)state;
	assert_int_equal(options_parse(&tried_help, joined, &both, 5, argv, &words), 0);
	assert_int_equal(both.first.count, 4);
	assert_int_equal(both.second.depth, 9);
	assert_int_equal(both.second.count, -1);
	free(joined);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_given_has_its_default),
		cmocka_unit_test(values_follow_or_are_joined_by_an_equals_sign),
		cmocka_unit_test(words_are_kept_in_order_and_a_double_dash_ends_the_options),
		cmocka_unit_test(what_cannot_be_is_refused_by_name),
		cmocka_unit_test(a_list_takes_as_many_as_it_holds_and_no_more),
		cmocka_unit_test(joined_tables_fill_both_structs_and_the_first_wins_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
