/* SPDX-License-Identifier: MIT
 * Text of strangers as a terminal may have it.
 */
#include <string.h>

#include "support.h"
#include "traces/base/text_show.h"

static void what_a_terminal_obeys_is_written_out(void **state)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{ "", "" },
		{ "void scale<float>(float*)", "void scale<float>(float*)" },
		{ "\033[2J", "\\x1b[2J" },
		{ "a\tb\nc\r\b\177", "a\\x09b\\x0ac\\x0d\\x08\\x7f" },
		{ "\\x1b", "\\x5cx1b" }, /* no two texts look alike */
		{ "\302\2332J", "\\xc2\\x9b2J" },
		{ "\342\200\256exe", "\\xe2\\x80\\xaeexe" },
		{ "\303\274 \342\202\254 \360\237\230\200",
		  "\303\274 \342\202\254 \360\237\230\200" },
		{ "\377", "\\xff" },
		{ "\303", "\\xc3" },
		{ "\342\202", "\\xe2\\x82" },
		{ "\300\257", "\\xc0\\xaf" },			/* longer than need be */
		{ "\340\200\257", "\\xe0\\x80\\xaf" },		/* likewise */
		{ "\355\240\200", "\\xed\\xa0\\x80" },		/* half a pair */
		{ "\364\220\200\200", "\\xf4\\x90\\x80\\x80" }, /* behind the last character */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *shown = text_shown(cases[i].text);

		assert_string_equal(shown, cases[i].shown);
		assert_int_equal(text_is_plain(cases[i].text),
				 !strcmp(cases[i].text, shown) || !strcmp(cases[i].text, "\\x1b"));
		free(shown);
	}
}

static void messages_keep_their_own_lines(void **state)
{
	char shown[64];

	(void)state;
	assert_int_equal(text_escape(shown, "a\n\tb\\\033", "\n\t\\"), 9);
	assert_string_equal(shown, "a\n\tb\\\\x1b");
}

static void a_cut_does_not_split_a_character(void **state)
{
	(void)state;
	assert_int_equal(text_cut("abc", 8), 8);
	assert_int_equal(text_cut("abcdef", 3), 3);
	assert_int_equal(text_cut("a\342\202\254z", 3), 1);
	assert_int_equal(text_cut("a\342\202\254z", 4), 4);
	assert_int_equal(text_cut("\342\202\254", 2), 0);
}

static void eight_texts_of_a_line_are_good_at_once(void **state)
{
	struct text_show show = { 0 };
	const char *text[8];
	char name[2] = "a";

	(void)state;
	for (int i = 0; i < 8; i++) {
		name[0] = (char)('a' + i);
		text[i] = text_show(&show, name);
	}
	for (int i = 0; i < 8; i++)
		assert_int_equal(text[i][0], 'a' + i);
	text_show_release(&show);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_terminal_obeys_is_written_out),
		cmocka_unit_test(messages_keep_their_own_lines),
		cmocka_unit_test(a_cut_does_not_split_a_character),
		cmocka_unit_test(eight_texts_of_a_line_are_good_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
