/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "sim/answers/sheet.h"

/* What a sheet of one number writes below its header. */
static void assert_number(double value, int digits, const char *expected)
{
	struct sheet sheet;
	char *text;
	size_t length;
	sheet_init(&sheet, "");
	sheet_column(&sheet, "x");
	sheet_number(&sheet, value, digits);
	FILE *out = open_memstream(&text, &length);
	sheet_write_tsv(&sheet, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
	sheet_release(&sheet);
}

static void numbers_keep_their_digits_and_all_before_the_point(void **state)
{
	(void)state;
	assert_number(31.16, 4, "x\n31.16\n");
	assert_number(0.020735, 4, "x\n0.02073\n");
	assert_number(80012.4, 4, "x\n80012\n");
	assert_number(9.9996, 4, "x\n10.000\n");
	assert_number(1000, 4, "x\n1000\n");
	assert_number(412, 1, "x\n412\n");
	assert_number(0, 4, "x\n0.000\n");
}

static void what_is_not_known_is_a_dash(void **state)
{
	(void)state;
	assert_number(NAN, 4, "x\n-\n");
}

static void text_is_aligned_and_numbers_stand_to_the_right(void **state)
{
	(void)state;
	struct sheet sheet;
	char *text;
	size_t length;
	sheet_init(&sheet, "");
	sheet_column(&sheet, "two_words");
	sheet_column(&sheet, "%s", "n");
	sheet_text(&sheet, "long %s here", "text");
	sheet_number(&sheet, 5, 1);
	sheet_text(&sheet, "a");
	sheet_percent(&sheet, 12.34);
	FILE *out = open_memstream(&text, &length);
	sheet_write_text(&sheet, out);
	fclose(out);
	assert_string_equal(text, "| two words      |     n |\n"
				  "|----------------|------:|\n"
				  "| long text here |     5 |\n"
				  "| a              | +12.3 |\n");
	free(text);
	sheet_release(&sheet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_keep_their_digits_and_all_before_the_point),
		cmocka_unit_test(what_is_not_known_is_a_dash),
		cmocka_unit_test(text_is_aligned_and_numbers_stand_to_the_right),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
