/* SPDX-License-Identifier: MIT */
#include "sweep_store.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "sweep_file.h"
#include "traces/base/text_escape.h"
#include "traces/base/util.h"
#include "traces/format/sqlite_distrust.h"

struct sweep_store {
	sqlite3 *db;
	sqlite3_stmt *put;
	char *path, *definition;
	uint64_t points;
	struct sweep_shard shard;
};

static int complain(const struct sweep_store *s)
{
	return report("'%s': %s", s->path, sqlite3_errmsg(s->db));
}

static int run(struct sweep_store *s, const char *sql)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : complain(s);
}

static struct sweep_store *store_new(const char *path, int flags)
{
	struct sweep_store *s = xcalloc(1, sizeof(*s));
	s->path = xstrdup(path);
	if (sqlite3_open_v2(path, &s->db, flags, NULL) != SQLITE_OK) {
		report("cannot open '%s': %s", path, sqlite3_errmsg(s->db));
		sweep_store_close(s);
		return NULL;
	}
	sqlite3_busy_timeout(s->db, 2000);
	sqlite_distrust(s->db);
	return s;
}

void sweep_store_close(struct sweep_store *s)
{
	if (!s)
		return;
	sqlite3_finalize(s->put);
	sqlite3_close(s->db);
	free(s->path);
	free(s->definition);
	free(s);
}

/* 0: the file is new; -1 after a message: it is somebody's database. */
static int check_empty(struct sweep_store *s)
{
	sqlite3_stmt *q = NULL;
	int rc = sqlite3_prepare_v2(s->db, "SELECT count(*) FROM sqlite_master", -1, &q, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(q);
	const bool holds = rc == SQLITE_ROW && sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	if (rc != SQLITE_ROW)
		return complain(s);
	return holds ? report("'%s' is a database, but not of a sweep: it is left as it is",
			      s->path)
		     : 0;
}

/* 1: read; 0: the file holds no sweep yet; -1 after a message. */
static int read_meta(struct sweep_store *s)
{
	sqlite3_stmt *q = NULL;
	int rc = sqlite3_prepare_v2(s->db, "SELECT definition, points, shard, shards FROM sweep",
				    -1, &q, NULL);
	if (rc != SQLITE_OK) {
		const bool empty = rc == SQLITE_ERROR; /* no such table */
		return empty ? check_empty(s) : complain(s);
	}
	rc = sqlite3_step(q);
	if (rc == SQLITE_ROW) {
		const unsigned char *text = sqlite3_column_text(q, 0);
		s->definition = xstrdup(text ? (const char *)text : "");
		s->points = (uint64_t)sqlite3_column_int64(q, 1);
		s->shard =
			(struct sweep_shard){ sqlite3_column_int(q, 2), sqlite3_column_int(q, 3) };
		if (s->points < 1 || s->points > SWEEP_POINTS_MOST || s->shard.index < 1 ||
		    s->shard.index > s->shard.of || s->shard.of > SWEEP_POINTS_MOST) {
			sqlite3_finalize(q);
			return report("'%s': table sweep: shard %d/%d of %llu points: no sweep "
				      "wrote that",
				      s->path, s->shard.index, s->shard.of,
				      (unsigned long long)s->points);
		}
	}
	sqlite3_finalize(q);
	return rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : complain(s);
}

static int make_tables(struct sweep_store *s, const char *definition, uint64_t points,
		       struct sweep_shard shard)
{
	char *insert = sqlite3_mprintf("INSERT INTO sweep VALUES (%Q, %lld, %d, %d)", definition,
				       (long long)points, shard.index, shard.of);
	s->definition = xstrdup(definition);
	s->points = points;
	s->shard = shard;
	int rc = run(s, "BEGIN IMMEDIATE") ||
		 run(s, "CREATE TABLE sweep (definition TEXT, points INTEGER, shard INTEGER, "
			"shards INTEGER)") ||
		 run(s, "CREATE TABLE row (point INTEGER PRIMARY KEY"
#define SWEEP_TEXT(name) ", \"" #name "\" TEXT"
#define SWEEP_WHOLE(name) ", \"" #name "\" INTEGER"
#define SWEEP_REAL(name, digits) ", \"" #name "\" REAL"
#include "sweep_columns.def"
#undef SWEEP_TEXT
#undef SWEEP_WHOLE
#undef SWEEP_REAL
			")") ||
		 run(s, insert) || run(s, "COMMIT");
	sqlite3_free(insert);
	return rc ? -1 : 0;
}

uint64_t sweep_shard_points(uint64_t points, struct sweep_shard shard)
{
	const uint64_t first = (uint64_t)shard.index - 1, of = (uint64_t)shard.of;
	return points > first ? (points - first + of - 1) / of : 0;
}

/* Whether nothing but answers that are in a table already would be lost; -1 after a message. */
static int is_answered(struct sweep_store *s)
{
	sqlite3_stmt *q = NULL;
	uint64_t rows = 0;
	int rc = sqlite3_prepare_v2(s->db, "SELECT count(*) FROM row", -1, &q, NULL);
	if (rc == SQLITE_OK && (rc = sqlite3_step(q)) == SQLITE_ROW)
		rows = (uint64_t)sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return rc != SQLITE_ROW ? complain(s) : rows >= sweep_shard_points(s->points, s->shard);
}

/* In place of what another sweep had: 1, or -1 after a message. */
static int begin_anew(struct sweep_store *s, const char *definition, uint64_t points,
		      struct sweep_shard shard)
{
	report_warning("'%s' had all answers of another sweep, or of another state of a platform's "
		       "file: it is begun anew",
		       s->path);
	free(s->definition);
	s->definition = NULL;
	return run(s, "DROP TABLE row; DROP TABLE sweep") ||
			       make_tables(s, definition, points, shard)
		       ? -1
		       : 1;
}

struct sweep_store *sweep_store_open(const char *path, const char *definition, uint64_t points,
				     struct sweep_shard shard)
{
	struct sweep_store *s = store_new(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
	if (!s)
		return NULL;
	int there = read_meta(s);
	const bool other = there > 0 && strcmp(s->definition, definition),
		   other_shard =
			   there > 0 && (s->shard.index != shard.index || s->shard.of != shard.of);
	const int answered = other ? is_answered(s) : 0;
	if (there == 0)
		there = make_tables(s, definition, points, shard) ? -1 : 1;
	else if (answered > 0)
		there = begin_anew(s, definition, points, shard);
	else if (other)
		there = answered < 0 ? -1
				     : report("'%s' holds answers of another sweep, or of another "
					      "state of a platform's file, and not all of them: "
					      "remove it, or name another with -o",
					      path);
	else if (other_shard)
		there = report("'%s' holds shard %d/%d, not %d/%d", path, s->shard.index,
			       s->shard.of, shard.index, shard.of);
	if (there > 0)
		return s;
	sweep_store_close(s);
	return NULL;
}

struct sweep_store *sweep_store_read(const char *path)
{
	struct sweep_store *s = store_new(path, SQLITE_OPEN_READONLY);
	if (!s)
		return NULL;
	int there = read_meta(s);
	if (there > 0)
		return s;
	if (there == 0)
		report("'%s' holds no sweep", path);
	sweep_store_close(s);
	return NULL;
}

const char *sweep_store_definition(const struct sweep_store *s)
{
	return s->definition;
}

struct sweep_shard sweep_store_shard(const struct sweep_store *s)
{
	return s->shard;
}

uint64_t sweep_store_points(const struct sweep_store *s)
{
	return s->points;
}

int sweep_store_begin(struct sweep_store *s)
{
	return run(s, "BEGIN IMMEDIATE");
}

int sweep_store_commit(struct sweep_store *s)
{
	return run(s, "COMMIT");
}

int sweep_store_put(struct sweep_store *s, const struct sweep_row *row)
{
	if (!s->put && sqlite3_prepare_v2(s->db,
					  "INSERT OR REPLACE INTO row VALUES (?"
#define SWEEP_TEXT(name) ", ?"
#define SWEEP_WHOLE(name) ", ?"
#define SWEEP_REAL(name, digits) ", ?"
#include "sweep_columns.def"
#undef SWEEP_TEXT
#undef SWEEP_WHOLE
#undef SWEEP_REAL
					  ")",
					  -1, &s->put, NULL) != SQLITE_OK)
		return complain(s);
	int at = 1;
	sqlite3_bind_int64(s->put, at++, (sqlite3_int64)row->point);
#define SWEEP_TEXT(name) sqlite3_bind_text(s->put, at++, row->name, -1, SQLITE_STATIC);
#define SWEEP_WHOLE(name) sqlite3_bind_int64(s->put, at++, (sqlite3_int64)row->name);
#define SWEEP_REAL(name, digits) sqlite3_bind_double(s->put, at++, row->name);
#include "sweep_columns.def"
#undef SWEEP_TEXT
#undef SWEEP_WHOLE
#undef SWEEP_REAL
	int rc = sqlite3_step(s->put);
	sqlite3_reset(s->put);
	return rc == SQLITE_DONE ? 0 : complain(s);
}

int64_t sweep_store_done(struct sweep_store *s, bool *done)
{
	sqlite3_stmt *q = NULL;
	int64_t count = 0;
	int rc = sqlite3_prepare_v2(s->db, "SELECT point FROM row", -1, &q, NULL);
	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(q);
		if (rc != SQLITE_ROW)
			break;
		uint64_t point = (uint64_t)sqlite3_column_int64(q, 0);
		if (point < s->points && !done[point]) {
			done[point] = true;
			count++;
		}
	}
	sqlite3_finalize(q);
	return rc == SQLITE_DONE ? count : complain(s);
}

/* As a table and a terminal may have it; to read it again changes nothing. */
static void copy_text(char *to, size_t room, const unsigned char *text)
{
	const char *as_is = text ? (const char *)text : "";
	char *shown = xmalloc(strlen(as_is) * TEXT_SHOW_BYTES + 1);
	text_escape(shown, as_is, "\\");
	snprintf(to, room, "%s", shown);
	free(shown);
}

static double real_at(sqlite3_stmt *q, int at)
{
	return sqlite3_column_type(q, at) == SQLITE_NULL ? NAN : sqlite3_column_double(q, at);
}

static void row_of(sqlite3_stmt *q, struct sweep_row *row)
{
	int at = 1;
	*row = (struct sweep_row){ .point = (uint64_t)sqlite3_column_int64(q, 0) };
#define SWEEP_TEXT(name) copy_text(row->name, sizeof(row->name), sqlite3_column_text(q, at++));
#define SWEEP_WHOLE(name) row->name = (__typeof__(row->name))sqlite3_column_int64(q, at++);
#define SWEEP_REAL(name, digits) row->name = real_at(q, at++);
#include "sweep_columns.def"
#undef SWEEP_TEXT
#undef SWEEP_WHOLE
#undef SWEEP_REAL
}

int sweep_store_each(struct sweep_store *s, int (*take)(void *arg, const struct sweep_row *row),
		     void *arg)
{
	sqlite3_stmt *q = NULL;
	int rc = sqlite3_prepare_v2(s->db,
				    "SELECT point"
#define SWEEP_TEXT(name) ", \"" #name "\""
#define SWEEP_WHOLE(name) ", \"" #name "\""
#define SWEEP_REAL(name, digits) ", \"" #name "\""
#include "sweep_columns.def"
#undef SWEEP_TEXT
#undef SWEEP_WHOLE
#undef SWEEP_REAL
				    " FROM row ORDER BY point",
				    -1, &q, NULL);
	int failed = 0;
	while (!failed && (rc == SQLITE_OK || rc == SQLITE_ROW)) {
		struct sweep_row row;
		rc = sqlite3_step(q);
		if (rc != SQLITE_ROW)
			break;
		row_of(q, &row);
		failed = row.point >= s->points
				 ? report("'%s': table row: point %lld, of %llu", s->path,
					  (long long)row.point, (unsigned long long)s->points)
				 : take(arg, &row);
	}
	sqlite3_finalize(q);
	return failed ? -1 : rc == SQLITE_DONE ? 0 : complain(s);
}

void sweep_row_header(FILE *out)
{
	fputs("point", out);
#define SWEEP_TEXT(name) fputs("\t" #name, out);
#define SWEEP_WHOLE(name) SWEEP_TEXT(name)
#define SWEEP_REAL(name, digits) SWEEP_TEXT(name)
#include "sweep_columns.def"
#undef SWEEP_TEXT
#undef SWEEP_WHOLE
#undef SWEEP_REAL
	fputc('\n', out);
}

static void print_real(FILE *out, double value, int digits)
{
	if (isnan(value))
		fputs("\t-", out);
	else
		fprintf(out, "\t%.*f", digits, value);
}

void sweep_row_print(FILE *out, const struct sweep_row *row)
{
	fprintf(out, "%llu", (unsigned long long)row->point);
#define SWEEP_TEXT(name) fprintf(out, "\t%s", *row->name ? row->name : "-");
#define SWEEP_WHOLE(name) fprintf(out, "\t%lld", (long long)row->name);
#define SWEEP_REAL(name, digits) print_real(out, row->name, digits);
#include "sweep_columns.def"
#undef SWEEP_TEXT
#undef SWEEP_WHOLE
#undef SWEEP_REAL
	fputc('\n', out);
}
