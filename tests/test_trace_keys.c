/* SPDX-License-Identifier: MIT
 * Tables whose rows a key tells apart lie in its order and are found by it; strings that no row
 * names by number are not written.
 */
#include <sqlite3.h>

#include "trace_kit.h"
#include "traces/format/trace_schema.h"
#include "traces/format/trace_seal.h"

static void add_count(struct trace *t, int64_t profile, uint32_t offset, int64_t warps)
{
	*trace_add_profile_instruction(t) = (struct trace_profile_instruction){
		.profile = profile, .offset_bytes = offset, .warps = warps
	};
}

/* The answer's first column, a line a row; owned by the caller. */
static char *answer_of(const char *path, const char *sql)
{
	char *text = xstrdup("");
	sqlite3_stmt *statement;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	while (sqlite3_step(statement) == SQLITE_ROW) {
		char *longer =
			xprintf("%s%s\n", text, (const char *)sqlite3_column_text(statement, 0));
		free(text);
		text = longer;
	}
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return text;
}

static void expect(const char *path, const char *sql, const char *expected)
{
	char *text = answer_of(path, sql);
	assert_string_equal(text, expected);
	free(text);
}

/* Two rows of a broken file may have one key: then all are kept, in a table with a number a row,
 * for `check` to count. */
static void rows_lie_in_the_order_of_their_key(void **state)
{
	static const struct {
		int64_t profile[3];
		const char *warps, *is_tree;
	} cases[] = { { { 2, 1, 0 }, "12\n11\n10\n", "1\n" },
		      { { 1, 0, 1 }, "11\n10\n12\n", "0\n" } };
	char *path = in_directory("keyed.wrt");

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct trace t, back;
		trace_init(&t);
		for (int row = 0; row < 3; row++)
			add_count(&t, cases[k].profile[row], 16, 10 + row);
		assert_int_equal(trace_write(&t, path), 0);
		expect(path, "SELECT warps FROM WARPREEL_PROFILE_COUNT", cases[k].warps);
		expect(path,
		       "SELECT sql LIKE '%WITHOUT ROWID' FROM sqlite_schema WHERE name = "
		       "'WARPREEL_PROFILE_COUNT'",
		       cases[k].is_tree);
		trace_init(&back);
		assert_int_equal(trace_read(&back, path, 0), 0);
		assert_int_equal(back.profile_instruction_count, 3);
		assert_int_equal(trace_seal_check(&back, 0), 0);
		assert_int_equal(back.altered_tables, 0);
		trace_release(&back);
		trace_release(&t);
	}
	free(path);
}

static void strings_are_those_that_rows_name(void **state)
{
	char *rows = in_directory("rows.wrt");
	struct trace t;

	(void)state;
	trace_init(&t);
	trace_string(&t, "nobody");
	*trace_add_profile_code(&t) =
		(struct trace_profile_code){ .symbol = trace_string(&t, "kernel"),
					     .text = trace_string(&t, "EXIT ;") };
	assert_int_equal(trace_write(&t, rows), 0);
	expect(rows, "SELECT value FROM StringIds", "kernel\n");
	expect(rows, "SELECT text FROM WARPREEL_PROFILE_CODE", "EXIT ;\n");
	trace_release(&t);
	free(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_lie_in_the_order_of_their_key),
		cmocka_unit_test(strings_are_those_that_rows_name),
	};
	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
