/* SPDX-License-Identifier: MIT
 * Exports of Nsight Systems with any rows: the input says which tables there are, and what stands
 * in each column, numbers, texts or nothing. The file is whole, so what is tried is what its values
 * do to the reader, the checks and the schedule.
 */
#include <sqlite3.h>

#include "fuzz_kit.h"
#include "traces/check/trace_check.h"
#include "traces/format/trace_schema.h"
#include "traces/format/trace_seal.h"
#include "traces/load/schedule_from_trace.h"
#include "traces/views/export.h"
#include "traces/views/trace_summary.h"

enum { MOST_ROWS = 64, OF_NSIGHT = 13 }; /* tables of the schema that an export may have */

static const char *const names[] = { "cudaLaunchKernel_v7000",
				     "cudaMemcpyAsync_v3020",
				     "cudaEventRecord_v3020",
				     "cudaStreamWaitEvent_v3020",
				     "cudaStreamSynchronize_v3020",
				     "cudaMemsetAsync_v3020",
				     "cudaStreamBeginCapture_v10000",
				     "cudaGraphLaunch_v10000",
				     "k(float*)",
				     "\033[2J\377" };

static void bind_value(sqlite3_stmt *insert, int at, const struct schema_column *column,
		       struct fuzz_bytes *b)
{
	const uint8_t how = fuzz_byte(b);

	if (how >= 250)
		sqlite3_bind_null(insert, at);
	else if (schema_is_text(column) && column->kind == COLUMN_TEXT)
		sqlite3_bind_text(insert, at, names[how % 10], -1, SQLITE_STATIC);
	else if (how == 249)
		sqlite3_bind_double(insert, at, 0.5);
	else
		sqlite3_bind_int64(insert, at,
				   column->kind == COLUMN_NAME ? how % 12 : fuzz_number(b));
}

/* A table, and how rows come into it. */
static sqlite3_stmt *add_table(sqlite3 *db, const struct schema_table *table)
{
	char sql[2048], marks[256];
	sqlite3_stmt *insert;
	size_t columns = 0, length;

	length = (size_t)snprintf(sql, sizeof(sql), "CREATE TABLE IF NOT EXISTS \"%s\" (",
				  table->name);
	marks[0] = 0;
	for (int i = 0; i < table->column_count; i++) {
		if (table->column[i].kind == COLUMN_ALTERNATIVE)
			continue;
		length += (size_t)snprintf(sql + length, sizeof(sql) - length, "%s\"%s\"",
					   columns ? ", " : "", table->column[i].name);
		strcat(marks, columns++ ? ", ?" : "?");
	}
	snprintf(sql + length, sizeof(sql) - length, ")");
	sqlite3_exec(db, sql, NULL, NULL, NULL);
	snprintf(sql, sizeof(sql), "INSERT INTO \"%s\" VALUES (%s)", table->name, marks);
	if (sqlite3_prepare_v2(db, sql, -1, &insert, NULL) != SQLITE_OK)
		abort();
	return insert;
}

static void add_row(sqlite3_stmt *insert, const struct schema_table *table, struct fuzz_bytes *b)
{
	int at = 0;

	for (int i = 0; i < table->column_count; i++)
		if (table->column[i].kind != COLUMN_ALTERNATIVE)
			bind_value(insert, ++at, &table->column[i], b);
	sqlite3_step(insert);
	sqlite3_reset(insert);
}

static sqlite3 *make(struct fuzz_bytes *b)
{
	sqlite3_stmt *insert[OF_NSIGHT] = { NULL };
	sqlite3 *db;
	char sql[256];

	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		abort();
	sqlite3_exec(db,
		     "PRAGMA page_size=512; BEGIN; CREATE TABLE StringIds (id, value);"
		     "CREATE TABLE META_DATA_EXPORT (name, value);"
		     "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.16.1');"
		     "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId);"
		     "CREATE TABLE DIAGNOSTIC_EVENT (severity, text)",
		     NULL, NULL, NULL);
	for (int i = 0; i < 10; i++) {
		sqlite3_snprintf(sizeof(sql), sql, "INSERT INTO StringIds VALUES (%d, '%q')", i,
				 names[i]);
		sqlite3_exec(db, sql, NULL, NULL, NULL);
	}
	for (int row = 0; row < MOST_ROWS && b->left; row++) {
		const uint8_t which = fuzz_byte(b) % (OF_NSIGHT + 2);

		if (which < OF_NSIGHT) {
			if (!insert[which])
				insert[which] = add_table(db, &schema_tables[which]);
			add_row(insert[which], &schema_tables[which], b);
			continue;
		}
		sqlite3_snprintf(
			sizeof(sql), sql,
			which == OF_NSIGHT
				? "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (%lld, %lld)"
				: "INSERT INTO DIAGNOSTIC_EVENT VALUES (%lld, 'lost %lld')",
			(long long)fuzz_number(b), (long long)fuzz_number(b));
		sqlite3_exec(db, sql, NULL, NULL, NULL);
	}
	for (int table = 0; table < OF_NSIGHT; table++)
		sqlite3_finalize(insert[table]);
	sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	return db;
}

static void use(struct trace *trace, FILE *sink)
{
	struct trace_anomaly anomaly[TRACE_ANOMALY_MAX];
	struct schedule schedule;
	struct summary summary;
	int64_t incomplete;

	trace_seal_check(trace, 1 << 22);
	trace_check(trace, anomaly, &incomplete);
	trace_dump(trace, sink);
	export_chrome(trace, sink);
	summary_make(&summary, trace);
	summary_release(&summary);
	for (int run = -1; run < 1; run++) {
		schedule_init(&schedule);
		schedule_from_trace(&schedule, trace, run);
		schedule_release(&schedule);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes b = { data, size };
	FILE *sink = fopen("/dev/null", "w");
	sqlite3 *db = make(&b);
	sqlite3_int64 bytes = 0;
	unsigned char *image = sqlite3_serialize(db, "main", &bytes, 0);
	struct trace trace;
	char *path;

	if (!image || !sink)
		abort();
	path = fuzz_named_file(image, (size_t)bytes);
	sqlite3_free(image);
	sqlite3_close(db);
	trace_init(&trace);
	if (trace_read(&trace, path, 1 << 22) == 0)
		use(&trace, sink);
	trace_release(&trace);
	unlink(path);
	free(path);
	fclose(sink);
	return 0;
}
