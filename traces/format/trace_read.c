/* SPDX-License-Identifier: MIT
 * Reading a trace file: what kind of file it is, then its rows, then what an Nsight Systems export
 * says differently.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/trace_map.h"
#include "graph_rows.h"
#include "trace_read.h"
#include "traces/base/util.h"

enum { SCHEMA_MAJOR = 3 };

/* One value of a name/value table; "" when it is not there. NULL after a message. Owned by the
 * caller. */
static char *look_up(struct trace_source *source, const char *table, const char *name_column,
		     const char *name)
{
	sqlite3_stmt *statement;
	int64_t row = 0;
	char *sql, *value;
	int rc = source_has_table(source, table);

	if (rc <= 0)
		return rc < 0 ? NULL : xstrdup("");
	if (source_has_column(source, table, name_column) != 1 ||
	    source_has_column(source, table, "value") != 1) {
		report("%s: %s lacks column %s or value", source->path, table, name_column);
		return NULL;
	}
	sql = xprintf("SELECT value FROM \"%s\" WHERE \"%s\" = ?1", table, name_column);
	statement = source_prepare(source, sql);
	free(sql);
	if (!statement)
		return NULL;
	sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
	rc = source_step(source, statement, table, &row);
	value = rc < 0 ? NULL
		       : xstrdup(rc > 0 && sqlite3_column_text(statement, 0)
					 ? (const char *)sqlite3_column_text(statement, 0)
					 : "");
	sqlite3_finalize(statement);
	return value;
}

static bool is_version(const char *text, int version)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", version);
	return !strcmp(text, number);
}

/* Which schema wrote the file: -1 after a message, 0 a trace of ours, 1 an Nsight Systems export.
 */
static int check_versions(struct trace_source *source, struct trace *trace)
{
	char *schema = look_up(source, "META_DATA_EXPORT", "name", "EXPORT_SCHEMA_VERSION");
	char *product = look_up(source, "META_DATA_EXPORT", "name", "EXPORT_PRODUCT_VERSION");
	char *ours = look_up(source, "WARPREEL_META", "key", "warpreel-trace-version");
	char *text;
	int rc = -1;

	if (!schema || !product || !ours)
		goto out;
	if (!*schema) {
		report("%s: neither a warpreel trace nor an Nsight Systems export: no "
		       "META_DATA_EXPORT.EXPORT_SCHEMA_VERSION",
		       source->path);
	} else if (atoi(schema) != SCHEMA_MAJOR) {
		report("%s: export schema %.40s; this program reads %d.x", source->path, schema,
		       SCHEMA_MAJOR);
	} else if (*ours && !is_version(ours, WARPREEL_TRACE_VERSION) &&
		   !is_version(ours, WARPREEL_TRACE_COLUMNS_VERSION) &&
		   !is_version(ours, WARPREEL_TRACE_PARTS_VERSION)) {
		report("%s: warpreel trace version %.40s; this program reads %d to %d",
		       source->path, ours, WARPREEL_TRACE_VERSION, WARPREEL_TRACE_PARTS_VERSION);
	} else if (*ours) {
		rc = 0;
	} else {
		rc = 1;
		text = xprintf("Nsight Systems %.60s, export schema %.40s",
			       *product ? product : "(version unknown)", schema);
		trace_set_meta(trace, "recorder", text);
		trace_set_meta(trace, "kind", "recorded");
		free(text);
	}
out:
	free(schema);
	free(product);
	free(ours);
	return rc;
}

/* The version row is the file's, not the trace's: dropped here, written again by trace_write. */
static void drop_version(struct trace *trace)
{
	size_t kept = 0;

	for (size_t i = 0; i < trace->meta_count; i++)
		if (strcmp(trace_text(trace, trace->meta[i].key), "warpreel-trace-version") != 0)
			trace->meta[kept++] = trace->meta[i];
	trace->meta_count = kept;
}

/* Nsight numbers the GPUs of the system; activity rows carry the process's CUDA numbers. */
static int renumber_gpus(struct trace *trace, struct trace_source *source)
{
	struct map cuda = { 0 };
	sqlite3_stmt *statement;
	int64_t row = 0;
	int rc = source_has_table(source, "TARGET_INFO_CUDA_DEVICE");

	if (rc <= 0)
		return rc;
	if (source_has_column(source, "TARGET_INFO_CUDA_DEVICE", "gpuId") != 1 ||
	    source_has_column(source, "TARGET_INFO_CUDA_DEVICE", "cudaId") != 1)
		return report("%s: TARGET_INFO_CUDA_DEVICE lacks column gpuId or cudaId",
			      source->path);
	statement = source_prepare(source, "SELECT gpuId, cudaId FROM TARGET_INFO_CUDA_DEVICE");
	if (!statement)
		return -1;
	while ((rc = source_step(source, statement, "TARGET_INFO_CUDA_DEVICE", &row)) > 0) {
		int64_t id = sqlite3_column_int64(statement, 1);
		uint32_t before;

		if (id < 0 || id > INT32_MAX) {
			rc = report("%s: TARGET_INFO_CUDA_DEVICE, row %" PRId64
				    ": cudaId is out of range",
				    source->path, row);
			break;
		}
		before = map_intern(&cuda, sqlite3_column_int64(statement, 0), 0, (uint32_t)id);
		if (before != id)
			report_warning("%s: processes number the GPUs differently; GPU facts "
				       "follow the first one",
				       source->path);
	}
	sqlite3_finalize(statement);
	for (size_t i = 0; i < trace->gpu_count && rc >= 0; i++) {
		uint32_t id = map_get(&cuda, trace->gpu[i].device, 0);

		if (id != MAP_NONE)
			trace->gpu[i].device = (int32_t)id;
	}
	map_release(&cuda);
	return rc;
}

/* Warnings that Nsight kept about its own capture: losses become WARPREEL_LOSS rows. */
static int read_diagnostics(struct trace *trace, struct trace_source *source)
{
	enum { SEVERITY_WARNING = 2 };
	sqlite3_stmt *statement;
	int64_t row = 0;
	int rc = source_has_table(source, "DIAGNOSTIC_EVENT");

	if (rc <= 0)
		return rc;
	if (source_has_column(source, "DIAGNOSTIC_EVENT", "severity") != 1 ||
	    source_has_column(source, "DIAGNOSTIC_EVENT", "text") != 1)
		return 0;
	statement = source_prepare(source, "SELECT severity, text FROM DIAGNOSTIC_EVENT");
	if (!statement)
		return -1;
	while ((rc = source_step(source, statement, "DIAGNOSTIC_EVENT", &row)) > 0) {
		const char *text = (const char *)sqlite3_column_text(statement, 1);
		struct trace_loss *loss;
		bool lost;

		if (!text || sqlite3_column_int(statement, 0) < SEVERITY_WARNING)
			continue;
		lost = strcasestr(text, "dropped") || strcasestr(text, "lost");
		loss = trace_add_loss(trace);
		loss->kind = trace_string(trace, lost ? "dropped-records" : "diagnostics");
		loss->count = 1;
		loss->detail = trace_string(trace, text);
	}
	sqlite3_finalize(statement);
	return rc;
}

int trace_read(struct trace *trace, const char *path, int64_t max_bytes)
{
	struct trace_source source;
	int foreign, rc = -1;

	free(trace->path);
	trace->path = xstrdup(path);
	if (source_open(&source, path, max_bytes, false) < 0)
		return -1;
	foreign = check_versions(&source, trace);
	if (foreign >= 0 && trace_read_rows(trace, &source, foreign > 0) == 0) {
		drop_version(trace);
		rc = foreign ? renumber_gpus(trace, &source) : 0;
		if (foreign && rc >= 0)
			rc = read_diagnostics(trace, &source);
		trace_join_graph_rows(trace);
	}
	source_close(&source);
	return rc < 0 ? -1 : 0;
}

/* "(3,17)": the wanted symbols' numbers in StringIds. NULL after a message; owned by the caller. */
static char *wanted_symbols(struct trace_source *source, trace_wanted *wanted, void *context)
{
	sqlite3_stmt *statement =
		source_prepare(source, "SELECT id, value FROM StringIds WHERE id IN (SELECT symbol "
				       "FROM WARPREEL_PROFILE)");
	char *list = NULL;
	size_t bytes;
	int64_t row = 0;
	int rc;

	if (!statement)
		return NULL;
	FILE *out = open_memstream(&list, &bytes);
	fprintf(out, "(-1");
	while ((rc = source_step(source, statement, "StringIds", &row)) > 0) {
		const char *symbol = (const char *)sqlite3_column_text(statement, 1);

		if (symbol && wanted(context, symbol))
			fprintf(out, ",%" PRId64, (int64_t)sqlite3_column_int64(statement, 0));
	}
	fprintf(out, ")");
	fclose(out);
	sqlite3_finalize(statement);
	if (rc == 0)
		return list;
	free(list);
	return NULL;
}

int trace_read_profiles(struct trace *trace, const char *path, trace_wanted *wanted, void *context)
{
	static const struct {
		const char *table, *column, *before, *after; /* of the list of symbols */
	} parts[] = {
		{ "WARPREEL_PROFILE", "symbol", "", "" },
		{ "WARPREEL_PROFILE_CODE", "symbol", "", "" },
		{ "WARPREEL_PROFILE_COUNT", "profile",
		  "(SELECT id FROM WARPREEL_PROFILE WHERE symbol IN ", ")" },
	};
	struct trace_source source;
	char *symbols = NULL;
	int rc = -1;

	free(trace->path);
	trace->path = xstrdup(path);
	if (source_open(&source, path, 0, true) < 0)
		return -1;
	if (check_versions(&source, trace) == 0)
		symbols = wanted_symbols(&source, wanted, context);
	if (symbols) /* and what the file says of itself */
		rc = trace_read_where(trace, &source, "WARPREEL_META", NULL, NULL);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && rc == 0; i++) {
		char *set = xprintf("%s%s%s", parts[i].before, symbols, parts[i].after);

		rc = trace_read_where(trace, &source, parts[i].table, parts[i].column, set);
		free(set);
	}
	free(symbols);
	source_close(&source);
	return rc;
}
