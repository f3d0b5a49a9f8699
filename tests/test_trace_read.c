/* SPDX-License-Identifier: MIT
 * Files of others: exports of several schemas read alike, bad files are refused by name.
 */
#include <sqlite3.h>

#include "trace_kit.h"

static void run_sql(const char *path, const char *sql)
{
	char *message = NULL;
	sqlite3 *db;

	unlink(path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s", message);
	sqlite3_close(db);
}

#define COMMON_SQL                                                                                 \
	"CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"           \
	"INSERT INTO StringIds VALUES (1, 'scale(float*, int)'), (2, 'scale'), (3, "               \
	"'cudaLaunchKernel_v7000'), "                                                              \
	"(900000000001, 'worker'),"                                                                \
	" (5, 'cudaStreamWaitEvent_v3020'), (6, 'cudaEventRecord_v3020');"                         \
	"CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER NOT NULL, cudaId INTEGER NOT NULL, "  \
	"pid INTEGER NOT "                                                                         \
	"NULL);"                                                                                   \
	"INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 77);"                                   \
	"CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, "    \
	"busLocation TEXT, "                                                                       \
	"l2CacheSize INTEGER,"                                                                     \
	" totalMemory INTEGER, clockRate INTEGER, smCount INTEGER, asyncEngines INTEGER);"         \
	"INSERT INTO TARGET_INFO_GPU VALUES (1, 3, 'NVIDIA H200', '0000:1b:00.0', 62914560, "      \
	"150000000000, "                                                                           \
	"1980000000, 132, 3);"                                                                     \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, " \
	"eventClass INTEGER "                                                                      \
	"NOT NULL,"                                                                                \
	" globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER " \
	"NOT NULL, "                                                                               \
	"callchainId INTEGER);"                                                                    \
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 200, 0, 1291845710, 1, 3, 0, "       \
	"NULL), (210, 220, 0, "                                                                    \
	"1291845710, 2, 6, 0, NULL),"                                                              \
	" (230, 240, 0, 1291845710, 3, 5, 0, NULL);"                                               \
	"CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);" \
	"INSERT INTO ThreadNames VALUES (900000000001, 20, 1291845710);"                           \
	"CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT "    \
	"NULL, text TEXT, "                                                                        \
	"textId INTEGER,"                                                                          \
	" globalTid INTEGER);"                                                                     \
	"INSERT INTO NVTX_EVENTS VALUES (90, 300, 59, 'step', NULL, 1291845710), (95, NULL, 34, "  \
	"NULL, 2, 1291845710),"                                                                    \
	" (0, NULL, 75, 'a domain', NULL, NULL);"                                                  \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, "  \
	"deviceId INTEGER NOT "                                                                    \
	"NULL,"                                                                                    \
	" contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "         \
	"correlationId INTEGER, "                                                                  \
	"globalPid INTEGER,"                                                                       \
	" value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER);"  \
	"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (0, 0, 0, 1, NULL, 7, 9, 1291845632, 255, " \
	"64, NULL, 2);"

#define KERNEL_COLUMNS                                                                             \
	"start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId "      \
	"INTEGER NOT NULL, "                                                                       \
	"greenContextId INTEGER,"                                                                  \
	"streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName "      \
	"INTEGER NOT NULL, "                                                                       \
	"shortName INTEGER NOT NULL,"                                                              \
	"mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, registersPerThread "        \
	"INTEGER NOT NULL, gridX "                                                                 \
	"INTEGER NOT NULL,"                                                                        \
	"gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER " \
	"NOT NULL, blockZ "                                                                        \
	"INTEGER NOT NULL,"                                                                        \
	"staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, "              \
	"localMemoryPerThread INTEGER NOT "                                                        \
	"NULL,"                                                                                    \
	"localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, sharedMemoryExecuted "        \
	"INTEGER, graphNodeId "                                                                    \
	"INTEGER,"                                                                                 \
	"sharedMemoryLimitConfig INTEGER"
#define KERNEL_VALUES                                                                              \
	"250, 900, 0, 1, NULL, 7, 1, 1291845632, 1, 2, NULL, 1, NULL, 32, 64, 2, 1, 128, 1, 1, "   \
	"16, 32, 0, 0, 5, 0, "                                                                     \
	"NULL, 0"

static const char nsys_3_16[] = COMMON_SQL
	"CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
	"INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2024.6.2.225'), "
	"('EXPORT_SCHEMA_VERSION', "
	"'3.16.1');"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (" KERNEL_COLUMNS ");"
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" KERNEL_VALUES ");"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER NOT NULL, contextId INTEGER "
	"NOT NULL, "
	"greenContextId INTEGER,"
	" streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, eventId INTEGER NOT "
	"NULL);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, NULL, 7, 2, 1291845632, 12);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT "
	"NULL, deviceId "
	"INTEGER NOT NULL,"
	" contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
	"correlationId INTEGER, "
	"globalPid INTEGER,"
	" syncType INTEGER NOT NULL, eventId INTEGER NOT NULL);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (231, 239, 0, 1, NULL, 7, 3, "
	"1291845632, 2, 12),"
	" (5000, 5001, 0, 1, NULL, 4294967295, 33, 1291845632, 4, 4294967295);"
	"CREATE TABLE PROFILER_OVERHEAD (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid "
	"INTEGER, "
	"correlationId INTEGER,"
	" nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);"
	"INSERT INTO PROFILER_OVERHEAD VALUES (10, 20, 1291845710, NULL, 2, 0);";

static const char nsys_3_25[] = COMMON_SQL
	"CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
	"INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2026.1.1.204'), "
	"('EXPORT_SCHEMA_VERSION', "
	"'3.25.0');"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (" KERNEL_COLUMNS
	", graphId INTEGER, clusterX INTEGER, clusterY INTEGER, clusterZ INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" KERNEL_VALUES ", NULL, 1, 1, 1);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (timestamp INTEGER, deviceId INTEGER NOT "
	"NULL, contextId INTEGER "
	"NOT NULL,"
	" greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid "
	"INTEGER, eventId INTEGER "
	"NOT NULL, eventSyncId INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 0, 1, NULL, 7, 2, 1291845632, 12, "
	"40);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT "
	"NULL, deviceId "
	"INTEGER NOT NULL,"
	" contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
	"correlationId INTEGER, "
	"globalPid INTEGER,"
	" deprecatedSyncType INTEGER, syncType INTEGER NOT NULL, eventId INTEGER NOT NULL, "
	"eventSyncId INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (231, 239, 0, 1, NULL, 7, 3, "
	"1291845632, 2, 2, 12, 40),"
	" (5000, 5001, 0, 1, NULL, 4294967295, 33, 1291845632, 4, 4, 4294967295, 4294967295);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (start INTEGER NOT NULL, end INTEGER NOT NULL, "
	"eventClass INTEGER "
	"NOT NULL,"
	" globalTid INTEGER, correlationId INTEGER, nameId INTEGER, overheadType INTEGER NOT NULL);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (10, 20, 0, 1291845710, NULL, 2, 0);"
	"CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER NOT NULL, timestampType INTEGER, source "
	"INTEGER NOT NULL, "
	"severity INTEGER NOT NULL,"
	" text TEXT NOT NULL, globalPid INTEGER);"
	"INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 0, 1, 1, 'Profiling has started.', NULL), (2, 0, "
	"1, 2, '17 CUDA "
	"events were dropped.', NULL);";

/* The newest: columns in another order, times of the records known. */
static const char nsys_3_28[] = COMMON_SQL
	"CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
	"INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2026.3.1'), "
	"('EXPORT_SCHEMA_VERSION', "
	"'3.28.2');"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (clusterSchedulingPolicy INTEGER, " KERNEL_COLUMNS
	", maxActiveClusters INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (NULL, " KERNEL_VALUES ", 0);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (eventSyncId INTEGER, timestamp INTEGER, "
	"deviceId INTEGER NOT "
	"NULL,"
	" contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
	"correlationId INTEGER, "
	"globalPid INTEGER,"
	" eventId INTEGER NOT NULL);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (40, 905, 0, 1, NULL, 7, 2, 1291845632, "
	"12);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT "
	"NULL, deviceId "
	"INTEGER NOT NULL,"
	" contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
	"correlationId INTEGER, "
	"globalPid INTEGER,"
	" syncType INTEGER NOT NULL, eventId INTEGER NOT NULL, eventSyncId INTEGER, returnValue "
	"INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (231, 239, 0, 1, NULL, 7, 3, "
	"1291845632, 2, 12, 40, 0),"
	" (5000, 5001, 0, 1, NULL, 4294967295, 33, 1291845632, 4, 4294967295, NULL, 0);";

static void exports_of_three_schemas_read_alike(void **state)
{
	static const struct {
		const char *sql;
		int64_t sync_id, timestamp_ns;
		size_t overheads, losses;
	} exports[] = {
		{ nsys_3_16, -1, -1, 1, 0 },
		{ nsys_3_25, 40, -1, 1, 1 },
		{ nsys_3_28, 40, 905, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(exports) / sizeof(exports[0]); i++) {
		char *path = in_directory("nsys.sqlite");
		struct trace t;

		trace_init(&t);
		run_sql(path, exports[i].sql);
		assert_int_equal(trace_read(&t, path, 0), 0);
		assert_int_equal(t.kernel_count, 1);
		assert_int_equal(t.kernel[0].end_ns, 900);
		assert_string_equal(trace_text(&t, t.kernel[0].demangled_name),
				    "scale(float*, int)");
		assert_int_equal(t.kernel[0].grid[1], 2);
		assert_int_equal(t.kernel[0].graph_node, -1);
		assert_int_equal(t.api_count, 3);
		assert_int_equal(t.event_count, 1);
		assert_int_equal(t.event[0].timestamp_ns, exports[i].timestamp_ns);
		assert_int_equal(t.event[0].event_sync_id, exports[i].sync_id);
		assert_int_equal(t.sync_count, 2);
		assert_int_equal(t.sync[0].event_sync_id, exports[i].sync_id);
		assert_int_equal(t.sync[1].stream, -1); /* CUPTI's "does not apply" */
		assert_int_equal(t.sync[1].event_id, -1);
		assert_int_equal(t.memset[0].start_ns, -1); /* 0 and 0: not known */
		assert_int_equal(t.memset[0].end_ns, -1);
		assert_int_equal(t.nvtx_count, 2); /* ranges and marks, not the domain's name */
		assert_string_equal(trace_text(&t, t.nvtx[0].text), "step");
		assert_string_equal(trace_text(&t, t.nvtx[1].text), "scale");
		assert_string_equal(trace_text(&t, t.thread[0].name), "worker");
		assert_int_equal(t.gpu[0].device, 0); /* GPU 3 of the system is CUDA's device 0 */
		assert_int_equal(t.gpu[0].clock_khz, 1980000);
		assert_int_equal(t.gpu[0].max_warps_per_sm, -1);
		assert_int_equal(t.overhead_count, exports[i].overheads);
		assert_int_equal(t.loss_count, exports[i].losses);
		assert_non_null(strstr(trace_get_meta(&t, "recorder"), "Nsight Systems"));
		trace_release(&t);
		free(path);
	}
}

/* Reads a file that must be refused; the message must name the file and contain `why`. */
static void refuse(const char *path, const char *why, int64_t max_bytes)
{
	const char *base = strrchr(path, '/') + 1;
	struct trace t;
	char *message;
	int rc;

	trace_init(&t);
	hear();
	rc = trace_read(&t, path, max_bytes);
	message = heard();
	if (rc != -1 || !strstr(message, base) || !strstr(message, why))
		fail_msg("%s: expected \"%s\", got %d and \"%s\"", base, why, rc, message);
	free(message);
	trace_release(&t);
}

static void a_missing_column_is_named(void **state)
{
	char *path = in_directory("column.sqlite"),
	     *sql = xprintf("%s ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN gridY;",
			    nsys_3_16);

	(void)state;
	run_sql(path, sql);
	refuse(path, "CUPTI_ACTIVITY_KIND_KERNEL lacks column gridY", 0);
	free(sql);
	free(path);
}

static void bad_files_are_refused_by_name(void **state)
{
	static const struct {
		const char *file, *why;
	} bad[] = {
		{ "trace-truncated.sqlite", "truncated" },
		{ "trace-truncated.sqlite.zst", "truncated" },
		{ "trace-text.sqlite", "not an SQLite database" },
		{ "trace-empty.sqlite", "only 0 bytes" },
		{ "trace-foreign.sqlite", "neither a warpreel trace nor an Nsight Systems export" },
		{ "trace-bomb-zeros.sqlite.zst", "not an SQLite database" },
		{ "trace-bomb-declared.sqlite.zst", "more than the limit" },
		{ "trace-bomb-silent.sqlite.zst", "unpacks to more than" },
		{ "trace-schema-4.sqlite", "export schema 4.0.0" },
		{ "trace-version-99.sqlite", "version 99" },
		{ "trace-view.sqlite", "is not an ordinary table" },
		{ "trace-computed-column.sqlite", "is computed, not stored" },
		{ "trace-missing-column.sqlite", "lacks column streamId" },
		{ "trace-text-in-number.sqlite", "is not an integer" },
		{ "trace-number-too-large.sqlite", "is out of range" },
		{ "trace-dangling-string.sqlite", "is not in StringIds" },
		{ "trace-page-cycle.sqlite", "damaged" },
		{ "trace-garbage-page.sqlite", "damaged" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *path = xprintf("%s/tests/bad/%s", util_root(), bad[i].file);

		refuse(path, bad[i].why, 0);
		free(path);
	}
	refuse("/nonexistent/trace.sqlite", "cannot open", 0);
	refuse("/tmp/.", "not a regular file", 0);
}

static void what_unpacks_to_more_than_the_limit_is_refused(void **state)
{
	char *path = in_directory("limit.sqlite.zst");
	struct trace t;

	(void)state;
	trace_init(&t);
	fill_activity(&t, 2000);
	assert_int_equal(trace_write(&t, path), 0);
	refuse(path, "more than the limit of 100000", 100000);
	trace_release(&t);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exports_of_three_schemas_read_alike),
		cmocka_unit_test(a_missing_column_is_named),
		cmocka_unit_test(bad_files_are_refused_by_name),
		cmocka_unit_test(what_unpacks_to_more_than_the_limit_is_refused),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
