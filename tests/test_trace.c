/* SPDX-License-Identifier: MIT
 * Trace files: what is written comes back, small, whole or not at all; and the manual says what is
 * in them.
 */
#include <signal.h>
#include <sys/resource.h>

#include "traces/format/trace_schema.h"
#include "traces/views/trace_trim.h"
#include "trace_kit.h"

/* One row in every table, each field of a row different, and unknown times. */
static void fill(struct trace *t)
{
	static const struct {
		double value;
	} real = { 0.1 };

	for (int table = 0; table < SCHEMA_TABLE_COUNT; table++) {
		const struct schema_table *schema = &schema_tables[table];

		for (int row = 0; row < 3; row++) {
			uint32_t text = trace_string(t, row == 0   ? "a \"quoted\"\tname"
							: row == 1 ? "void k<float>(float*)"
								   : "plain");
			void *added = schema_add(t, schema);

			for (int c = 0; c < schema->column_count; c++) {
				const struct schema_column *column = &schema->column[c];

				if (!schema_is_data(column))
					continue;
				if (column->kind == COLUMN_REAL)
					schema_set_real(added, column, real.value * (row + 1));
				else if (schema_is_text(column))
					assert_int_equal(schema_set(added, column, text), 0);
				else if (column->kind == COLUMN_TIME)
					assert_int_equal(
						schema_set(added, column,
							   row == 2 ? -1 : next_time(1000)),
						0);
				else if ((column->kind == COLUMN_ID ||
					  column->kind == COLUMN_COUNT) &&
					 row == 2)
					assert_int_equal(schema_set(added, column, -1), 0);
				else
					assert_int_equal(schema_set(added, column, 100 * row + c),
							 0);
			}
		}
	}
	trace_set_meta(t, "command", "solve --size 512");
}

static void what_is_written_comes_back(void **state)
{
	static const char *const names[] = { "a.sqlite", "a.sqlite.zst" };
	struct trace t;
	char *before;

	(void)state;
	trace_init(&t);
	fill(&t);
	before = dump_of(&t);
	for (int i = 0; i < 2; i++) {
		char *path = in_directory(names[i]), *after;
		struct trace back;

		trace_init(&back);
		assert_int_equal(trace_write(&t, path), 0);
		assert_int_equal(trace_read(&back, path, 0), 0);
		after = dump_of(&back);
		assert_string_equal(before, after);
		assert_string_equal(trace_get_meta(&back, "command"), "solve --size 512");
		assert_null(trace_get_meta(&back, "warpreel-trace-version"));
		free(after);
		free(path);
		trace_release(&back);
	}
	free(before);
	trace_release(&t);
}

static void a_counter_may_be_any_number_but_minus_one(void **state)
{
	static const int64_t values[] = { 0, 4294967295, 4294967296, INT64_MAX, -1 };
	char *path = in_directory("counters.sqlite");
	struct trace t, back;

	(void)state;
	trace_init(&t);
	trace_init(&back);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		*trace_add_profile(&t) =
			(struct trace_profile){ .id = (int64_t)i, .dram_read_bytes = values[i] };
		*trace_add_profile_code(&t) = (struct trace_profile_code){ .code_low = values[i],
									   .code_high = INT64_MIN };
	}
	assert_int_equal(trace_write(&t, path), 0);
	assert_int_equal(trace_read(&back, path, 0), 0);
	assert_int_equal(back.profile_count, t.profile_count);
	assert_int_equal(back.profile_code_count, t.profile_code_count);
	for (size_t i = 0; i < back.profile_count; i++) {
		assert_int_equal(back.profile[i].dram_read_bytes, values[i]);
		assert_int_equal(back.profile_code[i].code_low, values[i]);
		assert_int_equal(back.profile_code[i].code_high, INT64_MIN);
	}
	trace_release(&t);
	trace_release(&back);
	free(path);
}

static void a_dump_does_not_know_in_what_order_rows_were_added(void **state)
{
	struct trace a, b;
	char *first, *second;

	(void)state;
	trace_init(&a);
	trace_init(&b);
	trace_string(&b, "another string first");
	for (int i = 0; i < 10; i++) {
		*trace_add_api(&a) =
			(struct trace_api){ .start_ns = i,
					    .end_ns = i + 1,
					    .name = trace_string(&a, i & 1 ? "odd" : "even") };
		*trace_add_api(&b) =
			(struct trace_api){ .start_ns = 9 - i,
					    .end_ns = 10 - i,
					    .name = trace_string(&b, i & 1 ? "even" : "odd") };
	}
	first = dump_of(&a);
	second = dump_of(&b);
	assert_string_equal(first, second);
	assert_non_null(strstr(first, "api\t0\t1\t0\t0\t0\teven\t0\t0\t0\n"));
	b.api[3].end_ns++;
	free(second);
	second = dump_of(&b);
	assert_string_not_equal(first, second);
	free(first);
	free(second);
	trace_release(&a);
	trace_release(&b);
}

static void written_rows_are_in_time_order(void **state)
{
	char *path = in_directory("order.sqlite");
	struct trace t, back;

	(void)state;
	trace_init(&t);
	trace_init(&back);
	for (int i = 0; i < 50; i++)
		*trace_add_kernel(&t) = (struct trace_kernel){ .start_ns = (i * 17) % 50,
							       .end_ns = 100,
							       .graph_node = -1 };
	assert_int_equal(trace_write(&t, path), 0);
	assert_int_equal(trace_read(&back, path, 0), 0);
	for (size_t i = 1; i < back.kernel_count; i++)
		assert_true(back.kernel[i - 1].start_ns < back.kernel[i].start_ns);
	trace_release(&t);
	trace_release(&back);
	free(path);
}

static void a_compressed_activity_row_takes_at_most_40_bytes(void **state)
{
	char *path = in_directory("size.sqlite.zst");
	struct stat status;
	struct trace t;
	size_t rows;

	(void)state;
	trace_init(&t);
	rows = fill_activity(&t, 10000);
	assert_int_equal(trace_write(&t, path), 0);
	assert_int_equal(stat(path, &status), 0);
	assert_in_range(status.st_size, 1, rows * 40);
	trace_release(&t);
	free(path);
}

static void an_interrupted_write_leaves_nothing(void **state)
{
	char *path = in_directory("full.sqlite"), *message;
	struct rlimit limit = { 20000, 20000 }, before;
	struct trace t;
	DIR *listing;
	int leftovers = 0;

	(void)state;
	trace_init(&t);
	fill_activity(&t, 2000);
	getrlimit(RLIMIT_FSIZE, &before);
	limit.rlim_max = before.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	hear();
	assert_int_equal(trace_write(&t, path), -1);
	message = heard();
	setrlimit(RLIMIT_FSIZE, &before);
	assert_non_null(strstr(message, "full.sqlite"));
	listing = opendir(directory);
	for (struct dirent *entry; (entry = readdir(listing));)
		leftovers += strncmp(entry->d_name, "full.sqlite", 11) == 0;
	closedir(listing);
	assert_int_equal(leftovers, 0);
	free(message);
	free(path);
	trace_release(&t);
}

/* A call, and the row of every table that goes with it or with its time; what a device did began so
 * much later and lasted long. */
static void add_rows(struct trace *t, int64_t correlation, int64_t at_ns, int64_t later_ns)
{
	const int64_t from = at_ns + later_ns, to = from + 5000;

	*trace_add_api(t) = (struct trace_api){ .start_ns = at_ns,
						.end_ns = at_ns + 5,
						.correlation = correlation,
						.name = trace_string(t, "call") };
	*trace_add_kernel(t) = (struct trace_kernel){
		.start_ns = from, .end_ns = to, .correlation = correlation, .graph_node = -1
	};
	*trace_add_memcpy(t) = (struct trace_memcpy){
		.start_ns = from, .end_ns = to, .correlation = correlation, .graph_node = -1
	};
	*trace_add_memset(t) =
		(struct trace_memset){ .start_ns = from, .end_ns = to, .correlation = correlation };
	*trace_add_sync(t) =
		(struct trace_sync){ .start_ns = from, .end_ns = to, .correlation = correlation };
	*trace_add_event(t) =
		(struct trace_event){ .correlation = correlation, .timestamp_ns = -1 };
	*trace_add_footprint(t) = (struct trace_footprint){ .correlation = correlation };
	*trace_add_block(t) = (struct trace_block){ .correlation = correlation };
	*trace_add_host_op(t) = (struct trace_host_op){ .start_ns = at_ns,
							.end_ns = at_ns + 5,
							.value = correlation };
	*trace_add_overhead(t) = (struct trace_overhead){ .start_ns = at_ns,
							  .end_ns = at_ns + 5,
							  .global_tid = correlation };
	*trace_add_nvtx(t) = (struct trace_nvtx){ .start_ns = at_ns,
						  .end_ns = at_ns + 5,
						  .global_tid = correlation };
}

/* Every table holds just the rows of these calls, which are ascending. */
static void assert_rows_of(const struct trace *t, const int64_t *correlation, size_t count)
{
#define ASSERT_ROWS(table, key)                                                                    \
	assert_int_equal(t->table##_count, count);                                                 \
	for (size_t i = 0; i < count; i++)                                                         \
		assert_int_equal(t->table[i].key, correlation[i]);
	ASSERT_ROWS(api, correlation)
	ASSERT_ROWS(kernel, correlation)
	ASSERT_ROWS(memcpy, correlation)
	ASSERT_ROWS(memset, correlation)
	ASSERT_ROWS(sync, correlation)
	ASSERT_ROWS(event, correlation)
	ASSERT_ROWS(footprint, correlation)
	ASSERT_ROWS(block, correlation)
	ASSERT_ROWS(host_op, value)
	ASSERT_ROWS(overhead, global_tid)
	ASSERT_ROWS(nvtx, global_tid)
#undef ASSERT_ROWS
}

/* Calls before, in, at the ends of, between and behind two runs; the device is late with each, also
 * beyond the run's end. */
static void a_trimmed_trace_has_the_rows_of_its_runs(void **state)
{
	static const int64_t at_ns[] = { 50,  99,   100,  150,	200,  201,
					 300, 1000, 1500, 2000, 2001, 3000 };
	static const int64_t first[] = { 3, 4, 5 }, second[] = { 8, 9, 10 },
			     both[] = { 3, 4, 5, 8, 9, 10 };
	static const struct {
		size_t first, count;
		const int64_t *kept;
		size_t rows;
	} trims[] = {
		{ 0, 1, first, 3 },
		{ 1, 1, second, 3 },
		{ 0, 2, both, 6 },
	};
	struct trace t;

	(void)state;
	trace_init(&t);
	for (size_t i = 0; i < sizeof(at_ns) / sizeof(at_ns[0]); i++)
		add_rows(&t, (int64_t)i + 1, at_ns[i], 900);
	*trace_add_run(&t) = (struct trace_run){
		.start_ns = 100, .end_ns = 200, .solver = trace_string(&t, "one"), .gpus = 1
	};
	*trace_add_run(&t) = (struct trace_run){
		.start_ns = 1000, .end_ns = 2000, .solver = trace_string(&t, "two"), .gpus = 2
	};
	*trace_add_gpu(&t) = (struct trace_gpu){ .name = trace_string(&t, "GPU") };
	*trace_add_thread(&t) =
		(struct trace_thread){ .global_tid = 7, .name = trace_string(&t, "host") };
	for (size_t k = 0; k < sizeof(trims) / sizeof(trims[0]); k++) {
		struct trace trimmed;

		trace_init(&trimmed);
		trace_trim(&trimmed, &t, trims[k].first, trims[k].count);
		assert_rows_of(&trimmed, trims[k].kept, trims[k].rows);
		assert_int_equal(trimmed.kernel[0].end_ns - trimmed.kernel[0].start_ns,
				 5000); /* whole */
		assert_int_equal(trimmed.run_count, trims[k].count);
		assert_string_equal(trace_text(&trimmed, trimmed.run[0].solver),
				    trims[k].first ? "two" : "one");
		assert_string_equal(trace_text(&trimmed, trimmed.api[0].name), "call");
		assert_int_equal(trimmed.gpu_count, 1);
		assert_int_equal(trimmed.thread_count, 1);
		assert_non_null(trace_get_meta(&trimmed, "trimmed"));
		trace_release(&trimmed);
	}
	t.run[1].end_ns = -1; /* never ended: all from its begin on */
	{
		static const int64_t open[] = { 8, 9, 10, 11, 12 };
		struct trace trimmed;

		trace_init(&trimmed);
		trace_trim(&trimmed, &t, 1, 1);
		assert_rows_of(&trimmed, open, 5);
		trace_release(&trimmed);
	}
	trace_release(&t);
}

static void the_manual_names_every_table_and_column_and_no_other(void **state)
{
	char *path = xprintf("%s/docs/warpreel-trace.5", util_root()), *manual = slurp(path),
	     *next = manual, *line;
	int table = -1, column = 0, tables = 0;

	(void)state;
	while ((line = strsep(&next, "\n"))) {
		char name[64], type[32], absent[32];

		if (sscanf(line, ".Ss %63s", name) == 1) {
			for (table = SCHEMA_TABLE_COUNT - 1;
			     table >= 0 && strcmp(schema_tables[table].name, name) != 0; table--)
				;
			tables += table >= 0;
			column = 0;
		} else if (table >= 0 && sscanf(line, ".It Va %63s Ta %31s Ta %31s Ta", name, type,
						absent) == 3) {
			const struct schema_table *t = &schema_tables[table];
			const struct schema_column *c;
			bool may_be_null;

			if (column >= t->column_count)
				fail_msg("%s has no column %s", t->name, name);
			c = &t->column[column++];
			if (strcmp(c->name, name) != 0)
				fail_msg("%s: the manual says %s where the schema has %s", t->name,
					 name, c->name);
			assert_string_equal(type,
					    c->kind == COLUMN_TEXT || c->kind == COLUMN_ALTERNATIVE
						    ? "TEXT"
					    : c->kind == COLUMN_REAL ? "REAL"
								     : "INTEGER");
			may_be_null = c->kind == COLUMN_TIME || c->kind == COLUMN_COUNT ||
				      c->kind == COLUMN_ID || c->kind == COLUMN_KILO ||
				      c->kind == COLUMN_ALTERNATIVE;
			if ((strcmp(absent, "NULL") == 0) != may_be_null)
				fail_msg("%s.%s: the manual says \"%s\"", t->name, name, absent);
			if (column == t->column_count)
				table = -2 - table; /* complete */
		} else if (table >= 0 && strncmp(line, ".El", 3) == 0) {
			fail_msg("%s: the manual ends before %s", schema_tables[table].name,
				 schema_tables[table].column[column].name);
		}
	}
	assert_int_equal(tables, SCHEMA_TABLE_COUNT);
	free(manual);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_comes_back),
		cmocka_unit_test(a_counter_may_be_any_number_but_minus_one),
		cmocka_unit_test(a_dump_does_not_know_in_what_order_rows_were_added),
		cmocka_unit_test(written_rows_are_in_time_order),
		cmocka_unit_test(a_compressed_activity_row_takes_at_most_40_bytes),
		cmocka_unit_test(an_interrupted_write_leaves_nothing),
		cmocka_unit_test(a_trimmed_trace_has_the_rows_of_its_runs),
		cmocka_unit_test(the_manual_names_every_table_and_column_and_no_other),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
