/* SPDX-License-Identifier: MIT
 * Traces whose large tables lie by column: the same trace, smaller; and what is wrong in one is
 * refused by name.
 */
#include <sqlite3.h>

#include "traces/format/trace_columns.h"
#include "traces/format/trace_seal.h"
#include "trace_kit.h"

enum { ROWS = 100 };

static void differences_are_folded_and_lie_byte_by_byte(void **state)
{
	static const int64_t value[] = { 3, 2, 2, 1026 };
	static const unsigned char expected[] = { 6, 1, 0, 0x00, 0, 0, 0, 0x08 }; /* 2 x 1024 */
	unsigned char bytes[sizeof(value)];
	int planes;

	(void)state;
	assert_int_equal(columns_encode(value, NULL, 4, bytes, &planes), sizeof(expected));
	assert_int_equal(planes, 2);
	assert_memory_equal(bytes, expected, sizeof(expected));
}

static void any_numbers_come_back(void **state)
{
	static const int64_t value[] = { INT64_MIN, INT64_MAX, 0, -1, INT64_MIN, 7 },
			     from[] = { 5, INT64_MIN, INT64_MAX, -1, -2, 7 };
	enum { COUNT = sizeof(value) / sizeof(value[0]) };
	unsigned char bytes[8 * COUNT];

	(void)state;
	for (int against = 0; against < 2; against++) {
		const int64_t *to = against ? from : NULL;
		int64_t back[COUNT];
		int planes;

		columns_encode(value, to, COUNT, bytes, &planes);
		columns_decode(bytes, planes, to, COUNT, back);
		assert_memory_equal(back, value, sizeof(value));
	}
}

/* So many rows in each table, values of all lengths among them, and unknown ones. */
static void fill(struct trace *t)
{
	for (int table = 0; table < SCHEMA_TABLE_COUNT; table++)
		for (int row = 0; row < ROWS; row++) {
			char name[32];
			snprintf(name, sizeof(name), "name %d", row % 7);
			const uint32_t text = trace_string(t, name);
			void *added = schema_add(t, &schema_tables[table]);
			for (int c = 0; c < schema_tables[table].column_count; c++) {
				const struct schema_column *column =
					&schema_tables[table].column[c];
				const int64_t value = row % 9 ? ((int64_t)row << row % 20) + c : -1;
				if (!schema_is_data(column))
					continue;
				if (column->kind == COLUMN_REAL)
					schema_set_real(added, column, 0.1 * row);
				else
					assert_int_equal(schema_set(added, column,
								    schema_is_text(column) ? text
								    : column->type == FIELD_U32
									    ? row
									    : value),
							 0);
			}
		}
}

static void every_table_comes_back_from_columns(void **state)
{
	static const char *const names[] = { "a.wrt", "a.wrt.zst" };
	struct trace t;

	(void)state;
	trace_init(&t);
	fill(&t);
	char *before = dump_of(&t);
	for (int i = 0; i < 2; i++) {
		char *path = in_directory(names[i]);
		struct trace back;
		trace_init(&back);
		assert_int_equal(trace_write_columns(&t, path), 0);
		assert_int_equal(trace_read(&back, path, 0), 0);
		char *after = dump_of(&back);
		assert_string_equal(before, after);
		assert_int_equal(trace_seal_check(&back, 0), 0);
		assert_int_equal(back.altered_tables, 0);
		free(after);
		free(path);
		trace_release(&back);
	}
	free(before);
	trace_release(&t);
}

static void small_tables_and_those_of_text_stay_rows(void **state)
{
	(void)state;
	for (int table = 0; table < SCHEMA_TABLE_COUNT; table++) {
		const struct schema_table *t = &schema_tables[table];
		assert_false(columns_wanted(t, 63));
		assert_int_equal(columns_wanted(t, ((size_t)1 << 20) + 1), columns_part(t) != NULL);
		assert_int_equal(columns_wanted(t, 64),
				 columns_part(t) || (strncmp(t->name, "WARPREEL_PROFILE", 16) &&
						     strcmp(t->name, "WARPREEL_META")));
	}
}

/* Three profiles, of kernels called name 0 to name 2; of the last instruction nothing is known. */
static void fill_profiles(struct trace *t)
{
	enum { PROFILES = 3, INSTRUCTIONS = 40 };
	for (int64_t k = 0; k < PROFILES; k++) {
		char name[32];
		snprintf(name, sizeof(name), "name %d", (int)k);
		struct trace_profile *profile = trace_add_profile(t);
		*profile = (struct trace_profile){ .id = 7 - k,
						   .version = 1,
						   .kernel = trace_string(t, name),
						   .symbol = trace_string(t, name),
						   .isa = trace_string(t, "sm_90") };
		for (uint32_t i = 0; i < INSTRUCTIONS; i++)
			*trace_add_profile_instruction(t) = (struct trace_profile_instruction){
				.profile = 7 - k,
				.offset_bytes = 16 * i,
				.warps = i + 1 < INSTRUCTIONS ? (int64_t)i << 3 * k : -1,
			};
	}
}

static bool is_second(void *context, const char *symbol)
{
	return !strcmp(symbol, context);
}

static int64_t number(const char *path, const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *statement;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	const int64_t found = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return found;
}

static void counts_lie_in_parts_and_are_read_in_part(void **state)
{
	struct trace t, back, part;
	char name[] = "name 1", *path = in_directory("parts.wrt");
	(void)state;
	trace_init(&t);
	trace_init(&back);
	trace_init(&part);
	fill_profiles(&t);
	unlink(path);
	assert_int_equal(trace_write_columns(&t, path), 0);
	assert_int_equal(number(path, "SELECT value FROM WARPREEL_META WHERE key LIKE '%version'"),
			 WARPREEL_TRACE_PARTS_VERSION);
	assert_int_equal(number(path, "SELECT count(DISTINCT part) FROM WARPREEL_COLUMNS"), 3);
	assert_int_equal(trace_read(&back, path, 0), 0);
	assert_int_equal(trace_seal_check(&back, 0), 0);
	assert_int_equal(back.altered_tables, 0);
	char *before = dump_of(&t), *after = dump_of(&back);
	assert_string_equal(before, after);
	assert_int_equal(trace_read_profiles(&part, path, is_second, name), 0);
	assert_int_equal(part.profile_count, 1);
	assert_int_equal(part.profile_instruction_count, 40);
	for (size_t i = 0; i < 40; i++) {
		const struct trace_profile_instruction *row = &part.profile_instruction[i];
		assert_int_equal(row->profile, 6);
		assert_int_equal(row->offset_bytes, 16 * i);
		assert_int_equal(row->warps, i < 39 ? (int64_t)i << 3 : -1);
	}
	free(before);
	free(after);
	free(path);
	trace_release(&t);
	trace_release(&back);
	trace_release(&part);
}

static void what_is_wrong_in_columns_is_refused_by_name(void **state)
{
#define OF_KERNELS "name = 'CUPTI_ACTIVITY_KIND_KERNEL' AND column = "
	static const struct {
		const char *sql, *says;
	} bad[] = {
		{ "UPDATE WARPREEL_COLUMNS SET bytes = x'00' WHERE " OF_KERNELS "'gridX'",
		  "KERNEL.gridX: not 1 to 8 bytes for each of its rows" },
		{ "UPDATE WARPREEL_COLUMNS SET bytes = NULL WHERE " OF_KERNELS "'gridX'",
		  "KERNEL.gridX: not 1 to 8 bytes for each of its rows" },
		{ "UPDATE WARPREEL_COLUMNS SET bytes = zeroblob(900) WHERE " OF_KERNELS "'gridX'",
		  "KERNEL.gridX: not 1 to 8 bytes for each of its rows" },
		{ "UPDATE WARPREEL_COLUMNS SET rows = 0 WHERE " OF_KERNELS "'start'",
		  "KERNEL.start: not 1 to 8 bytes for each of its rows" },
		{ "UPDATE WARPREEL_COLUMNS SET rows = -100 WHERE " OF_KERNELS "'start'",
		  "KERNEL.start: not 1 to 8 bytes for each of its rows" },
		{ "UPDATE WARPREEL_COLUMNS SET rows = 50, bytes = zeroblob(100) WHERE " OF_KERNELS
		  "'gridX'",
		  "KERNEL.gridX: has other rows than the columns before it" },
		{ "INSERT INTO WARPREEL_COLUMNS SELECT * FROM WARPREEL_COLUMNS WHERE " OF_KERNELS
		  "'gridX'",
		  "KERNEL.gridX: stands twice" },
		{ "UPDATE WARPREEL_COLUMNS SET column = 'other' WHERE " OF_KERNELS "'start'",
		  "KERNEL.end: stands before the time it is counted from" },
		{ "UPDATE WARPREEL_COLUMNS SET bytes = CAST(zeroblob(400) || x'02' || zeroblob(99) "
		  "AS BLOB) WHERE " OF_KERNELS "'gridX'",
		  "KERNEL.gridX: a value is out of range" },
		{ "UPDATE WARPREEL_COLUMNS SET bytes = CAST(x'02' || zeroblob(99) || "
		  "x'01' || zeroblob(99) AS BLOB) WHERE " OF_KERNELS "'shortName'",
		  "KERNEL.shortName: names what is not in StringIds" },
		{ "DELETE FROM WARPREEL_COLUMNS WHERE " OF_KERNELS "'start'",
		  "KERNEL.end: stands before the time it is counted from" },
		{ "DELETE FROM WARPREEL_COLUMNS WHERE " OF_KERNELS "'gridX'",
		  "WARPREEL_COLUMNS lacks CUPTI_ACTIVITY_KIND_KERNEL.gridX, which is needed" },
		{ "UPDATE WARPREEL_COLUMNS SET part = 1 WHERE " OF_KERNELS "'gridX'",
		  "KERNEL.gridX: is in parts, and its table is not" },
		{ "DELETE FROM WARPREEL_COLUMNS WHERE part = 6 AND column = 'warps'",
		  "WARPREEL_COLUMNS lacks WARPREEL_PROFILE_COUNT.warps, which is needed" },
		{ "UPDATE WARPREEL_COLUMNS SET part = 6 WHERE part = 5",
		  "COUNT.offset: stands twice" },
		{ "UPDATE WARPREEL_COLUMNS SET part = NULL WHERE part = 6",
		  "WARPREEL_COLUMNS lacks WARPREEL_PROFILE_COUNT.profile, which is needed" },
		{ "ALTER TABLE WARPREEL_COLUMNS DROP COLUMN rows",
		  "WARPREEL_COLUMNS lacks column rows" },
	};
	struct trace t;
	char *path = in_directory("bad.wrt");

	(void)state;
	trace_init(&t);
	fill(&t);
	t.profile_instruction_count = t.profile_count = 0;
	fill_profiles(&t);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct trace back;
		sqlite3 *db;
		unlink(path);
		assert_int_equal(trace_write_columns(&t, path), 0);
		assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
		assert_int_equal(sqlite3_exec(db, bad[i].sql, NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		trace_init(&back);
		hear();
		const int rc = trace_read(&back, path, 0);
		char *said = heard();
		if (rc == 0 || !strstr(said, bad[i].says) || !strstr(said, path))
			fail_msg("%s: %s", bad[i].sql, *said ? said : "no word");
		free(said);
		trace_release(&back);
	}
	trace_release(&t);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_are_folded_and_lie_byte_by_byte),
		cmocka_unit_test(any_numbers_come_back),
		cmocka_unit_test(every_table_comes_back_from_columns),
		cmocka_unit_test(small_tables_and_those_of_text_stay_rows),
		cmocka_unit_test(counts_lie_in_parts_and_are_read_in_part),
		cmocka_unit_test(what_is_wrong_in_columns_is_refused_by_name),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
