/* SPDX-License-Identifier: MIT
 * Writing a trace: plain tables in time order, no indices, only tables that have rows (as Nsight
 * Systems does). What that costs: see docs/warpreel-trace.5, "Size".
 */
#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "traces/base/trace_map.h"
#include "trace_columns.h"
#include "trace_schema.h"
#include "trace_seal.h"
#include "trace_zst.h"
#include "traces/base/output.h"
#include "traces/base/util.h"

struct writing {
	const struct trace *trace;
	sqlite3 *db;
	const char *path; /* for messages */
	bool by_column, in_parts;
	struct progress progress;
	int64_t done, total;
};

static int db_error(const struct writing *w)
{
	int system = sqlite3_system_errno(w->db);

	if (sqlite3_errcode(w->db) == SQLITE_FULL)
		return report("%s: cannot write: %s", w->path, strerror(ENOSPC));
	if (system)
		return report("%s: cannot write: %s (%s)", w->path, strerror(system),
			      sqlite3_errmsg(w->db));
	return report("%s: cannot write: %s", w->path, sqlite3_errmsg(w->db));
}

static int execute(const struct writing *w, const char *sql)
{
	return sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : db_error(w);
}

/* Rows in the order of a column or two, equal ones as they were added. */
struct sort_key {
	int64_t key[2];
	size_t row;
};

static int compare_keys(const struct sort_key *a, const struct sort_key *b)
{
	for (int k = 0; k < 2; k++)
		if (a->key[k] != b->key[k])
			return a->key[k] < b->key[k] ? -1 : 1;
	return 0;
}

static int compare_sort_keys(const void *left, const void *right)
{
	const struct sort_key *a = left, *b = right;
	const int keys = compare_keys(a, b);

	if (keys)
		return keys;
	return a->row < b->row ? -1 : a->row > b->row;
}

static int64_t key_of(const void *row, const struct schema_table *table, const char *column)
{
	for (int i = 0; i < table->column_count && column; i++)
		if (!strcmp(table->column[i].name, column))
			return schema_get(row, &table->column[i]);
	return 0;
}

/* Numbers of a table's rows as they are written; owned by the caller. unique: whether the table has
 * a key and it tells all of them apart, as it does in all files but broken ones. */
static size_t *order_rows(const struct trace *trace, const struct schema_table *table, bool *unique)
{
	const size_t count = schema_count(trace, table);
	const char *by[2] = { table->key[0] ? table->key[0] : table->order, table->key[1] };
	struct sort_key *order = xmalloc((count + 1) * sizeof(*order));

	for (size_t i = 0; i < count; i++) {
		const void *row = schema_row(trace, table, i);
		order[i] =
			(struct sort_key){ { key_of(row, table, by[0]), key_of(row, table, by[1]) },
					   i };
	}
	qsort(order, count, sizeof(*order), compare_sort_keys);
	size_t *row = xmalloc((count + 1) * sizeof(*row));
	*unique = table->key[0];
	for (size_t i = 0; i < count; i++) {
		row[i] = order[i].row;
		*unique = *unique && (i == 0 || compare_keys(&order[i - 1], &order[i]));
	}
	free(order);
	return row;
}

static const char *sql_type(enum column_kind kind)
{
	return kind == COLUMN_TEXT ? "TEXT" : kind == COLUMN_REAL ? "REAL" : "INTEGER";
}

/* CREATE TABLE, and the prepared INSERT; NULL after a message. With a key the table is one tree by
 * it: rows of a profile are found without those of others, and no row has a number of its own,
 * which would be a third of a compressed file. */
static sqlite3_stmt *create(const struct writing *w, const struct schema_table *table, bool keyed)
{
	char *columns = xstrdup(""), *marks = xstrdup(""), *sql, *longer;
	sqlite3_stmt *insert = NULL;

	for (int i = 0; i < table->column_count; i++) {
		const struct schema_column *column = &table->column[i];
		const char *comma = *columns ? ", " : "";

		if (column->kind == COLUMN_ALTERNATIVE)
			continue;
		longer = xprintf("%s%s\"%s\" %s", columns, comma, column->name,
				 sql_type(column->kind));
		free(columns);
		columns = longer;
		longer = xprintf("%s%s?", marks, comma);
		free(marks);
		marks = longer;
	}
	sql = keyed ? xprintf("CREATE TABLE \"%s\" (%s, PRIMARY KEY (\"%s\", \"%s\")) WITHOUT "
			      "ROWID",
			      table->name, columns, table->key[0], table->key[1])
		    : xprintf("CREATE TABLE \"%s\" (%s)", table->name, columns);
	if (execute(w, sql) == 0) {
		free(sql);
		sql = xprintf("INSERT INTO \"%s\" VALUES (%s)", table->name, marks);
		if (sqlite3_prepare_v2(w->db, sql, -1, &insert, NULL) != SQLITE_OK)
			db_error(w);
	}
	free(sql);
	free(columns);
	free(marks);
	return insert;
}

static void bind(sqlite3_stmt *insert, int at, const struct trace *trace, const void *row,
		 const struct schema_column *column)
{
	int64_t value = column->kind == COLUMN_REAL ? 0 : schema_get(row, column);

	switch (column->kind) {
	case COLUMN_REAL:
		sqlite3_bind_double(insert, at, schema_get_real(row, column));
		break;
	case COLUMN_TEXT:
		sqlite3_bind_text(insert, at, trace_text(trace, (uint32_t)value), -1,
				  SQLITE_STATIC);
		break;
	case COLUMN_KILO:
		if (value > 0)
			value *= 1000;
		/* fall through */
	case COLUMN_COUNT:
	case COLUMN_ID:
	case COLUMN_TIME:
		if (value == -1) {
			sqlite3_bind_null(insert, at);
			break;
		}
		/* fall through */
	default:
		sqlite3_bind_int64(insert, at, value);
	}
}

static int write_rows(struct writing *w, const struct schema_table *table, const size_t *order,
		      bool keyed)
{
	const size_t count = schema_count(w->trace, table);
	sqlite3_stmt *insert = create(w, table, keyed);
	int rc = 0;

	if (!insert)
		return -1;
	for (size_t i = 0; i < count && rc == 0; i++) {
		const void *row = schema_row(w->trace, table, order[i]);
		int at = 0;

		for (int c = 0; c < table->column_count; c++)
			if (table->column[c].kind != COLUMN_ALTERNATIVE)
				bind(insert, ++at, w->trace, row, &table->column[c]);
		if (sqlite3_step(insert) != SQLITE_DONE)
			rc = db_error(w);
		sqlite3_reset(insert);
		if ((++w->done & 0xffff) == 0)
			progress_at(&w->progress, w->done, w->total);
	}
	sqlite3_finalize(insert);
	return rc;
}

static bool is_by_column(const struct writing *w, const struct schema_table *table)
{
	return w->by_column && columns_wanted(table, schema_count(w->trace, table));
}

static int write_table(struct writing *w, const struct schema_table *table)
{
	bool unique;
	int rc;

	if (schema_count(w->trace, table) == 0)
		return 0;
	size_t *order = order_rows(w->trace, table, &unique);
	const bool parts = columns_part(table);
	if (!is_by_column(w, table) || (parts && !unique)) {
		rc = write_rows(w, table, order, unique);
	} else {
		w->in_parts |= parts;
		rc = columns_write(w->db, w->trace, table, order) == SQLITE_OK ? 0 : db_error(w);
	}
	free(order);
	return rc;
}

/* Two-column tables that have no array in the trace. */
static int write_pair(const struct writing *w, const char *sql, int64_t number, const char *text)
{
	sqlite3_stmt *insert;
	int rc = 0;

	if (sqlite3_prepare_v2(w->db, sql, -1, &insert, NULL) != SQLITE_OK)
		return db_error(w);
	sqlite3_bind_int64(insert, 1, number);
	sqlite3_bind_text(insert, 2, text, -1, SQLITE_STATIC);
	if (sqlite3_step(insert) != SQLITE_DONE)
		rc = db_error(w);
	sqlite3_finalize(insert);
	return rc;
}

/* Strings whose numbers are in the file: names, and by column all texts. */
static bool *named_strings(const struct writing *w)
{
	bool *named = xcalloc(w->trace->string_count + 1, sizeof(*named));

	for (int i = 0; i < SCHEMA_TABLE_COUNT; i++) {
		const struct schema_table *table = &schema_tables[i];
		const bool texts = is_by_column(w, table);
		for (int c = 0; c < table->column_count; c++) {
			const struct schema_column *column = &table->column[c];
			if (column->kind != COLUMN_NAME && !(texts && column->kind == COLUMN_TEXT))
				continue;
			for (size_t k = 0; k < schema_count(w->trace, table); k++)
				named[schema_get(schema_row(w->trace, table, k), column)] = true;
		}
	}
	return named;
}

static int write_strings(const struct writing *w)
{
	bool *named = named_strings(w);
	sqlite3_stmt *insert = NULL;
	int rc = execute(w, "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT)");

	if (rc == 0 && sqlite3_prepare_v2(w->db, "INSERT INTO StringIds VALUES (?1, ?2)", -1,
					  &insert, NULL) != SQLITE_OK)
		rc = db_error(w);
	for (size_t i = 0; i < w->trace->string_count && rc == 0; i++) {
		if (!named[i])
			continue;
		sqlite3_bind_int64(insert, 1, (int64_t)i);
		sqlite3_bind_text(insert, 2, w->trace->string[i], -1, SQLITE_STATIC);
		if (sqlite3_step(insert) != SQLITE_DONE)
			rc = db_error(w);
		sqlite3_reset(insert);
	}
	sqlite3_finalize(insert);
	free(named);
	return rc;
}

static int write_meta(const struct writing *w)
{
	char *sql =
		xprintf("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
			"INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT', 'warpreel'), "
			"('EXPORT_PRODUCT_VERSION', '0'),"
			" ('EXPORT_SCHEMA_VERSION', '" NSYS_SCHEMA_VERSION "');"
			"CREATE TABLE IF NOT EXISTS WARPREEL_META (\"key\" TEXT, \"value\" TEXT);"
			"INSERT INTO WARPREEL_META VALUES ('warpreel-trace-version', '%d');",
			w->in_parts    ? WARPREEL_TRACE_PARTS_VERSION
			: w->by_column ? WARPREEL_TRACE_COLUMNS_VERSION
				       : WARPREEL_TRACE_VERSION);
	int rc = execute(w, sql);

	free(sql);
	return rc;
}

/* PROCESSES and TARGET_INFO_CUDA_DEVICE say nothing new in our traces; scripts made for Nsight's
 * exports join on them.
 */
static int write_processes(const struct writing *w)
{
	const struct trace *t = w->trace;
	struct map seen = { 0 };
	int rc = execute(w, "CREATE TABLE PROCESSES (globalPid INTEGER, name TEXT, pid INTEGER)");

	for (size_t i = 0; i < t->api_count && rc == 0; i++) {
		int64_t pid = t->api[i].global_tid >> 24;
		char *sql;

		if (map_put(&seen, pid, 0, 1) != MAP_NONE)
			continue;
		sql = xprintf("INSERT INTO PROCESSES VALUES (?1, ?2, %" PRId64 ")", pid & 0xffffff);
		rc = write_pair(w, sql, (int64_t)((uint64_t)pid << 24),
				trace_get_meta(t, "command"));
		free(sql);
	}
	map_release(&seen);
	if (rc == 0)
		rc = execute(w, "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId "
				"INTEGER, pid INTEGER, "
				"numMultiprocessors INTEGER)");
	for (size_t i = 0; i < t->gpu_count && rc == 0; i++) {
		char *sql = xprintf("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (%" PRId32
				    ", %" PRId32 ", NULL, %" PRId32 ")",
				    t->gpu[i].device, t->gpu[i].device, t->gpu[i].sm_count);

		rc = execute(w, sql);
		free(sql);
	}
	return rc;
}

static int write_all(struct writing *w)
{
	int rc = execute(w, "PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA "
			    "synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
			    "PRAGMA auto_vacuum=NONE; BEGIN");

	progress_begin(&w->progress, "writing");
	for (int i = 0; i < SCHEMA_TABLE_COUNT; i++)
		w->total += (int64_t)schema_count(w->trace, &schema_tables[i]);
	for (int i = 0; i < SCHEMA_TABLE_COUNT && rc == 0; i++)
		rc = write_table(w, &schema_tables[i]);
	if (rc == 0)
		rc = write_strings(w);
	if (rc == 0)
		rc = write_meta(w);
	if (rc == 0)
		rc = write_processes(w);
	if (rc == 0 && trace_seal_write(w->db) < 0)
		rc = db_error(w);
	if (rc == 0)
		rc = execute(w, "COMMIT");
	if (rc == 0 && w->by_column) /* a tree by a key grows by halves of pages */
		rc = execute(w, "VACUUM");
	progress_end(&w->progress);
	return rc;
}

/* A megabyte takes a second at level 19 and a twentieth of it at level 9, which gives a tenth more
 * bytes: large recordings are not waited for, and what is to be kept is written by column. */
enum { TIGHT_LEVEL = 19, QUICK_LEVEL = 9, TIGHT_BYTES = 2 << 20 };

static int write_compressed(const struct writing *w, const char *target)
{
	sqlite3_int64 count = 0;
	unsigned char *bytes = sqlite3_serialize(w->db, "main", &count, 0);
	int rc;

	if (!bytes)
		return report("%s: too large to compress in memory; write it without .zst",
			      w->path);
	rc = zst_write(target, w->path, bytes, (size_t)count,
		       w->by_column || count <= TIGHT_BYTES ? TIGHT_LEVEL : QUICK_LEVEL);
	sqlite3_free(bytes);
	return rc;
}

static bool is_compressed(const char *path)
{
	size_t length = strlen(path);

	return length > 4 && strcmp(path + length - 4, ".zst") == 0;
}

/* A database is written to and fro: it needs a file of its own, or one that takes all and keeps
 * nothing. */
static int check_place(const struct output *output, const char *path)
{
	struct stat status, nothing;

	if (!output->in_place || is_compressed(path))
		return 0;
	if (stat(path, &status) == 0 && S_ISCHR(status.st_mode) &&
	    stat("/dev/null", &nothing) == 0 && status.st_rdev == nothing.st_rdev)
		return 0;
	return report("%s: cannot write: a trace is a database and needs a file of its own, not a "
		      "descriptor, pipe or device",
		      path);
}

int trace_check_output(const char *path)
{
	struct output output;
	int rc;

	if (output_check(path) < 0 || output_begin(&output, path) < 0)
		return -1;
	rc = check_place(&output, path);
	output_abandon(&output);
	return rc;
}

static int write_to(const struct trace *trace, const char *path, bool by_column)
{
	bool compressed = is_compressed(path);
	struct writing w = { .trace = trace, .path = path, .by_column = by_column };
	struct output output = { 0 };
	int rc;

	if (output_begin(&output, path) < 0)
		return -1;
	/* SQLite says of a folder that it cannot open the file, not why. */
	if (output_check(path) < 0 || check_place(&output, path) < 0)
		rc = -1;
	else if (sqlite3_open_v2(compressed ? ":memory:" : output.part_path, &w.db,
				 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
		rc = db_error(&w);
	else
		rc = write_all(&w);
	if (rc == 0 && compressed)
		rc = write_compressed(&w, output.part_path);
	sqlite3_close(w.db);
	if (rc < 0) {
		output_abandon(&output);
		return -1;
	}
	return output_commit(&output);
}

int trace_write(const struct trace *trace, const char *path)
{
	return write_to(trace, path, false);
}

int trace_write_columns(const struct trace *trace, const char *path)
{
	return write_to(trace, path, true);
}
