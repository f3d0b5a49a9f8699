/* SPDX-License-Identifier: MIT
 * Opening a database that nobody vouches for. What a hostile file can try, and what stops it:
 *   not a database, or cut off                  the header's page count against the size
 *   a zst bomb                                  the header is read before the rest is unpacked
 *   views, triggers, virtual or computed tables the schema is not trusted, and only ordinary tables
 * are read pages that point back at themselves         no table may have more rows than fit in the
 * file huge values                                 sqlite3_limit a journal or -wal file beside it
 * immutable=1: never looked at
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sqlite_distrust.h"
#include "trace_read.h"
#include "trace_zst.h"
#include "traces/base/util.h"

static const int64_t standard_max_bytes = (int64_t)4 << 30;
static const int64_t quick_check_bytes = (int64_t)64 << 20; /* larger files: the row limit alone */

static uint32_t big_endian(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Bytes that the header says the database has; 0 when it does not say; -1 after a message. */
static int64_t declared_bytes(const unsigned char *head, const char *path)
{
	int64_t page = head[16] << 8 | head[17];

	if (memcmp(head, "SQLite format 3", 16) != 0)
		return report("%s: not a trace: not an SQLite database", path);
	if (page == 1)
		page = 65536;
	if (page < 512 || (page & (page - 1)))
		return report("%s: damaged: page size %" PRId64, path, page);
	if (big_endian(head + 24) != big_endian(head + 92))
		return 0; /* written by something that did not keep the page count */
	return page * big_endian(head + 28);
}

static int check_whole(const char *path, const unsigned char *head, int64_t size_bytes)
{
	int64_t declared = declared_bytes(head, path);

	if (declared < 0)
		return -1;
	if (declared > size_bytes)
		return report("%s: truncated: %" PRId64 " of %" PRId64 " bytes", path, size_bytes,
			      declared);
	return 0;
}

static char *immutable_uri(const char *path)
{
	static const char hex[] = "0123456789abcdef";
	char *real = realpath(path, NULL);
	const char *from = real ? real : path;
	char *uri = xmalloc(strlen(from) * 3 + 64);
	char *to = uri + sprintf(uri, "file:");

	for (; *from; from++) {
		unsigned char c = (unsigned char)*from;

		if (isalnum(c) || strchr("/-_.", c)) {
			*to++ = (char)c;
		} else {
			*to++ = '%';
			*to++ = hex[c >> 4];
			*to++ = hex[c & 15];
		}
	}
	strcpy(to, "?mode=ro&immutable=1");
	free(real);
	return uri;
}

static int open_plain(struct trace_source *source)
{
	char *uri = immutable_uri(source->path);
	int rc = sqlite3_open_v2(uri, &source->db,
				 SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_PRIVATECACHE |
					 SQLITE_OPEN_NOMUTEX,
				 NULL);

	free(uri);
	return rc == SQLITE_OK
		       ? 0
		       : report("%s: cannot open: %s", source->path, sqlite3_errmsg(source->db));
}

static int open_bytes(struct trace_source *source)
{
	source->bytes[18] = source->bytes[19] =
		1; /* a database in memory cannot be in WAL mode; the pages are the same */
	if (sqlite3_open_v2(":memory:", &source->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK ||
	    sqlite3_deserialize(source->db, "main", source->bytes, source->size_bytes,
				source->size_bytes, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
		return report("%s: cannot open: %s", source->path, sqlite3_errmsg(source->db));
	return 0;
}

static void take_powers(sqlite3 *db)
{
	static const struct {
		int what, limit;
	} limits[] = {
		{ SQLITE_LIMIT_LENGTH, 16 << 20 },   { SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },
		{ SQLITE_LIMIT_COLUMN, 400 },	     { SQLITE_LIMIT_EXPR_DEPTH, 20 },
		{ SQLITE_LIMIT_COMPOUND_SELECT, 2 }, { SQLITE_LIMIT_VDBE_OP, 25000 },
		{ SQLITE_LIMIT_FUNCTION_ARG, 8 },    { SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 1 },   { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50 },
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		sqlite3_limit(db, limits[i].what, limits[i].limit);
	sqlite_distrust(db);
	sqlite3_exec(db,
		     "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA query_only=ON; PRAGMA "
		     "temp_store=MEMORY;"
		     "PRAGMA ignore_check_constraints=ON",
		     NULL, NULL, NULL);
}

/* A column that is computed when it is read is a program of the file's author; nobody exports such
 * a thing. */
static int refuse_computed_columns(struct trace_source *source)
{
	sqlite3_stmt *statement = source_prepare(
		source,
		"SELECT m.name, x.name FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS x"
		" WHERE m.type = 'table' AND m.rootpage > 0 AND x.hidden > 1");
	int64_t row = 0;
	int rc;

	if (!statement)
		return -1;
	rc = source_step(source, statement, "sqlite_schema", &row);
	if (rc > 0)
		rc = report("%s: column %.60s.%.60s is computed, not stored", source->path,
			    (const char *)sqlite3_column_text(statement, 0),
			    (const char *)sqlite3_column_text(statement, 1));
	sqlite3_finalize(statement);
	return rc;
}

static int quick_check(struct trace_source *source)
{
	sqlite3_stmt *statement;
	const char *says;
	int rc = 0;

	if (source->size_bytes > quick_check_bytes)
		return 0;
	statement = source_prepare(source, "PRAGMA quick_check(1)");
	if (!statement)
		return -1;
	if (sqlite3_step(statement) != SQLITE_ROW)
		rc = report("%s: damaged: %s", source->path, sqlite3_errmsg(source->db));
	else if ((says = (const char *)sqlite3_column_text(statement, 0)) == NULL ||
		 strcmp(says, "ok") != 0)
		rc = report("%s: damaged: %.200s", source->path,
			    !says		  ? "no answer"
			    : strrchr(says, '\n') ? strrchr(says, '\n') + 1
						  : says);
	sqlite3_finalize(statement);
	return rc;
}

int source_open(struct trace_source *source, const char *path, int64_t max_bytes, bool known)
{
	unsigned char head[ZST_HEAD_BYTES] = { 0 };
	struct stat status;
	int descriptor =
		open(path, O_RDONLY | O_CLOEXEC |
				   O_NONBLOCK); /* a pipe shall not wait for who writes to it */
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
	size_t got;
	int rc = -1;

	memset(source, 0, sizeof(*source));
	source->path = path;
	if (!file)
		return report("%s: cannot open: %s", path, strerror(errno));
	if (fstat(fileno(file), &status) < 0 || !S_ISREG(status.st_mode)) {
		report("%s: not a regular file", path);
		goto out;
	}
	got = fread(head, 1, sizeof(head), file);
	if (zst_begins(head, got)) {
		rewind(file);
		source->size_bytes =
			zst_read(file, path, max_bytes > 0 ? max_bytes : standard_max_bytes,
				 declared_bytes, &source->bytes);
		if (source->size_bytes < 0 ||
		    check_whole(path, source->bytes, source->size_bytes) < 0 ||
		    open_bytes(source) < 0)
			goto out;
	} else {
		source->size_bytes = status.st_size;
		if (got < sizeof(head)) {
			report("%s: not a trace: only %zu bytes", path, got);
			goto out;
		}
		if (check_whole(path, head, source->size_bytes) < 0 || open_plain(source) < 0)
			goto out;
	}
	take_powers(source->db);
	rc = refuse_computed_columns(source) < 0 ? -1 : known ? 0 : quick_check(source);
out:
	fclose(file);
	if (rc < 0)
		source_close(source);
	return rc;
}

void source_close(struct trace_source *source)
{
	sqlite3_finalize(source->table_query);
	sqlite3_finalize(source->column_query);
	source->table_query = source->column_query = NULL;
	sqlite3_close(source->db);
	free(source->bytes);
	source->db = NULL;
	source->bytes = NULL;
}

sqlite3_stmt *source_prepare(struct trace_source *source, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(source->db, sql, -1, &statement, NULL) != SQLITE_OK) {
		report("%s: %s", source->path, sqlite3_errmsg(source->db));
		return NULL;
	}
	return statement;
}

int source_step(struct trace_source *source, sqlite3_stmt *statement, const char *table,
		int64_t *row)
{
	int rc = sqlite3_step(statement);

	if (rc == SQLITE_DONE)
		return 0;
	if (rc != SQLITE_ROW)
		return report("%s: %s, row %" PRId64 ": %s", source->path, table, *row + 1,
			      sqlite3_errmsg(source->db));
	if (++*row >
	    source->size_bytes /
		    4) /* a row takes at least its length, its number, a header and a pointer */
		return report("%s: %s has more rows than fit in the file: damaged", source->path,
			      table);
	return 1;
}

/* A question that is asked of many names; NULL after a message. */
static sqlite3_stmt *ask(struct trace_source *source, sqlite3_stmt **kept, const char *sql,
			 const char *name)
{
	if (!*kept && !(*kept = source_prepare(source, sql)))
		return NULL;
	sqlite3_reset(*kept);
	sqlite3_bind_text(*kept, 1, name, -1, SQLITE_TRANSIENT);
	return *kept;
}

int source_has_table(struct trace_source *source, const char *table)
{
	sqlite3_stmt *statement = ask(
		source, &source->table_query,
		"SELECT type, rootpage FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE", table);
	int64_t row = 0;
	int rc;

	if (!statement)
		return -1;
	rc = source_step(source, statement, "sqlite_schema", &row);
	if (rc > 0) {
		const char *type = (const char *)sqlite3_column_text(statement, 0);

		if (!type || strcmp(type, "table") != 0 || sqlite3_column_int64(statement, 1) <= 0)
			rc = report("%s: %s is not an ordinary table", source->path, table);
	}
	sqlite3_reset(statement);
	return rc;
}

int source_has_columns(struct trace_source *source, const char *table, const char *const *column,
		       int count, bool *has)
{
	sqlite3_stmt *statement =
		ask(source, &source->column_query, "SELECT name FROM pragma_table_info(?1)", table);
	int64_t row = 0;
	int rc;

	if (!statement)
		return -1;
	memset(has, 0, (size_t)count * sizeof(*has));
	while ((rc = source_step(source, statement, "schema", &row)) > 0) {
		const char *name = (const char *)sqlite3_column_text(statement, 0);

		for (int k = 0; k < count && name; k++)
			has[k] |= sqlite3_stricmp(name, column[k]) == 0;
	}
	sqlite3_reset(statement);
	return rc;
}

int source_has_column(struct trace_source *source, const char *table, const char *column)
{
	bool has;

	return source_has_columns(source, table, &column, 1, &has) < 0 ? -1 : has;
}
