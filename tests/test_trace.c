/* SPDX-License-Identifier: MIT
 * Trace files: what is written comes back, exports of several schemas read alike, and bad files are refused by name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../traces/annotate.h"
#include "../traces/export.h"
#include "../traces/trace.h"
#include "../traces/trace_compare.h"
#include "../traces/trace_schema.h"
#include "../traces/util.h"

static char directory[] = "/tmp/warpreel-test-XXXXXX";

static char *in_directory(const char *name)
{
	return xprintf("%s/%s", directory, name);
}

/* Text of a file; NUL-terminated, owned by the caller. */
static char *slurp(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t size = 0, capacity = 0;
	char *text = NULL;

	assert_non_null(file);
	do {
		text = grow(text, size + 4096, &capacity, 1);
		if (capacity < size + 4097)
			text = xrealloc(text, capacity = size + 8192, 1);
		size += fread(text + size, 1, 4096, file);
	} while (!feof(file) && !ferror(file));
	text[size] = 0;
	fclose(file);
	return text;
}

/* What `call` reports on standard error, as text. */
static int old_stderr = -1;
static char *message_path;

static void hear(void)
{
	int file;

	fflush(stderr);
	message_path = in_directory("stderr");
	file = open(message_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	old_stderr = dup(2);
	dup2(file, 2);
	close(file);
}

static char *heard(void)
{
	char *text;

	fflush(stderr);
	dup2(old_stderr, 2);
	close(old_stderr);
	text = slurp(message_path);
	free(message_path);
	return text;
}

static char *dump_of(const struct trace *trace)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_int_equal(trace_dump(trace, file), 0);
	fclose(file);
	return text;
}

static int row_counter;

static int64_t next_time(int64_t step)
{
	static int64_t now = 1755000000000000000;

	row_counter++;
	return now += step + row_counter * 37 % 100;
}

/* One row in every table, each field of a row different, and unknown times. */
static void fill(struct trace *t)
{
	static const struct { double value; } real = { 0.1 };

	for (int table = 0; table < SCHEMA_TABLE_COUNT; table++) {
		const struct schema_table *schema = &schema_tables[table];

		for (int row = 0; row < 3; row++) {
			uint32_t text = trace_string(t, row == 0 ? "a \"quoted\"\tname" : row == 1 ? "void k<float>(float*)" : "plain");
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
					assert_int_equal(schema_set(added, column, row == 2 ? -1 : next_time(1000)), 0);
				else if (column->kind == COLUMN_ID && row == 2)
					assert_int_equal(schema_set(added, column, -1), 0);
				else
					assert_int_equal(schema_set(added, column, 100 * row + c), 0);
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

static void a_dump_does_not_know_in_what_order_rows_were_added(void **state)
{
	struct trace a, b;
	char *first, *second;

	(void)state;
	trace_init(&a);
	trace_init(&b);
	trace_string(&b, "another string first");
	for (int i = 0; i < 10; i++) {
		*trace_add_api(&a) = (struct trace_api){ .start_ns = i, .end_ns = i + 1, .name = trace_string(&a, i & 1 ? "odd" : "even") };
		*trace_add_api(&b) = (struct trace_api){ .start_ns = 9 - i, .end_ns = 10 - i, .name = trace_string(&b, i & 1 ? "even" : "odd") };
	}
	first = dump_of(&a);
	second = dump_of(&b);
	assert_string_equal(first, second);
	assert_non_null(strstr(first, "api\t0\t1\t0\t0\t0\teven\t0\n"));
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
		*trace_add_kernel(&t) = (struct trace_kernel){ .start_ns = (i * 17) % 50, .end_ns = 100, .graph_node = -1 };
	assert_int_equal(trace_write(&t, path), 0);
	assert_int_equal(trace_read(&back, path, 0), 0);
	for (size_t i = 1; i < back.kernel_count; i++)
		assert_true(back.kernel[i - 1].start_ns < back.kernel[i].start_ns);
	trace_release(&t);
	trace_release(&back);
	free(path);
}

/* A run as a solver makes it, for sizes. */
static size_t fill_activity(struct trace *t, int rows)
{
	for (int i = 0; i < rows; i++) {
		int64_t tid = ((int64_t)4321 << 24) | (4321 + i % 8), start = next_time(3000), end = next_time(2000);

		*trace_add_api(t) = (struct trace_api){ .start_ns = start, .end_ns = end, .global_tid = tid, .correlation = 100 + i,
							.name = trace_string(t, "cudaLaunchKernel_v7000") };
		start = next_time(1500), end = next_time(20000);
		*trace_add_kernel(t) = (struct trace_kernel){
			.start_ns = start, .end_ns = end, .device = i % 8, .context = i % 8 + 1, .stream = 13, .correlation = 100 + i,
			.global_pid = (int64_t)4321 << 24, .demangled_name = trace_string(t, "rbsor_tuned_f32"),
			.short_name = trace_string(t, "rbsor_tuned_f32"), .grid = { 32, 512, 1 }, .block = { 128, 1, 1 }, .registers = 40,
			.graph_node = -1, .grid_id = 7 + i };
	}
	return (size_t)rows * 2;
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

/* ---- exports of Nsight Systems ---- */

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

#define COMMON_SQL                                                                                                              \
	"CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"                                         \
	"INSERT INTO StringIds VALUES (1, 'scale(float*, int)'), (2, 'scale'), (3, 'cudaLaunchKernel_v7000'), (900000000001, 'worker'),"  \
	" (5, 'cudaStreamWaitEvent_v3020'), (6, 'cudaEventRecord_v3020');"                                                      \
	"CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER NOT NULL, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL);"          \
	"INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 77);"                                                                 \
	"CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT, l2CacheSize INTEGER,"     \
	" totalMemory INTEGER, clockRate INTEGER, smCount INTEGER, asyncEngines INTEGER);"                                       \
	"INSERT INTO TARGET_INFO_GPU VALUES (1, 3, 'NVIDIA H200', '0000:1b:00.0', 62914560, 150000000000, 1980000000, 132, 3);"  \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,"   \
	" globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);"\
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 200, 0, 1291845710, 1, 3, 0, NULL), (210, 220, 0, 1291845710, 2, 6, 0, NULL),"       \
	" (230, 240, 0, 1291845710, 3, 5, 0, NULL);"                                                                              \
	"CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);"                               \
	"INSERT INTO ThreadNames VALUES (900000000001, 20, 1291845710);"                                                         \
	"CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, textId INTEGER,"  \
	" globalTid INTEGER);"                                                                                                   \
	"INSERT INTO NVTX_EVENTS VALUES (90, 300, 59, 'step', NULL, 1291845710), (95, NULL, 34, NULL, 2, 1291845710),"           \
	" (0, NULL, 75, 'a domain', NULL, NULL);"                                                                                \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,"      \
	" contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"       \
	" value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER);"                                \
	"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (0, 0, 0, 1, NULL, 7, 9, 1291845632, 255, 64, NULL, 2);"

#define KERNEL_COLUMNS                                                                                                           \
	"start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"   \
	"streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL," \
	"mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL,"     \
	"gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL,"     \
	"staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL,"              \
	"localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER,"                 \
	"sharedMemoryLimitConfig INTEGER"
#define KERNEL_VALUES "250, 900, 0, 1, NULL, 7, 1, 1291845632, 1, 2, NULL, 1, NULL, 32, 64, 2, 1, 128, 1, 1, 16, 32, 0, 0, 5, 0, NULL, 0"

static const char nsys_3_16[] = COMMON_SQL
	"CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
	"INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2024.6.2.225'), ('EXPORT_SCHEMA_VERSION', '3.16.1');"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (" KERNEL_COLUMNS ");"
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" KERNEL_VALUES ");"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"
	" streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, eventId INTEGER NOT NULL);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, NULL, 7, 2, 1291845632, 12);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,"
	" contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
	" syncType INTEGER NOT NULL, eventId INTEGER NOT NULL);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (231, 239, 0, 1, NULL, 7, 3, 1291845632, 2, 12),"
	" (5000, 5001, 0, 1, NULL, 4294967295, 33, 1291845632, 4, 4294967295);"
	"CREATE TABLE PROFILER_OVERHEAD (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER,"
	" nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);"
	"INSERT INTO PROFILER_OVERHEAD VALUES (10, 20, 1291845710, NULL, 2, 0);";

static const char nsys_3_25[] = COMMON_SQL
	"CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
	"INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2026.1.1.204'), ('EXPORT_SCHEMA_VERSION', '3.25.0');"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (" KERNEL_COLUMNS ", graphId INTEGER, clusterX INTEGER, clusterY INTEGER, clusterZ INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" KERNEL_VALUES ", NULL, 1, 1, 1);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (timestamp INTEGER, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,"
	" greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, eventId INTEGER NOT NULL, eventSyncId INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 0, 1, NULL, 7, 2, 1291845632, 12, 40);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,"
	" contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
	" deprecatedSyncType INTEGER, syncType INTEGER NOT NULL, eventId INTEGER NOT NULL, eventSyncId INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (231, 239, 0, 1, NULL, 7, 3, 1291845632, 2, 2, 12, 40),"
	" (5000, 5001, 0, 1, NULL, 4294967295, 33, 1291845632, 4, 4, 4294967295, 4294967295);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,"
	" globalTid INTEGER, correlationId INTEGER, nameId INTEGER, overheadType INTEGER NOT NULL);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (10, 20, 0, 1291845710, NULL, 2, 0);"
	"CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER NOT NULL, timestampType INTEGER, source INTEGER NOT NULL, severity INTEGER NOT NULL,"
	" text TEXT NOT NULL, globalPid INTEGER);"
	"INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 0, 1, 1, 'Profiling has started.', NULL), (2, 0, 1, 2, '17 CUDA events were dropped.', NULL);";

/* The newest: columns in another order, times of the records known. */
static const char nsys_3_28[] = COMMON_SQL
	"CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
	"INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2026.3.1'), ('EXPORT_SCHEMA_VERSION', '3.28.2');"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (clusterSchedulingPolicy INTEGER, " KERNEL_COLUMNS ", maxActiveClusters INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (NULL, " KERNEL_VALUES ", 0);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (eventSyncId INTEGER, timestamp INTEGER, deviceId INTEGER NOT NULL,"
	" contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
	" eventId INTEGER NOT NULL);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (40, 905, 0, 1, NULL, 7, 2, 1291845632, 12);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,"
	" contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
	" syncType INTEGER NOT NULL, eventId INTEGER NOT NULL, eventSyncId INTEGER, returnValue INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (231, 239, 0, 1, NULL, 7, 3, 1291845632, 2, 12, 40, 0),"
	" (5000, 5001, 0, 1, NULL, 4294967295, 33, 1291845632, 4, 4294967295, NULL, 0);";

static void exports_of_three_schemas_read_alike(void **state)
{
	static const struct { const char *sql; int64_t sync_id, timestamp_ns; size_t overheads, losses; } exports[] = {
		{ nsys_3_16, -1, -1, 1, 0 }, { nsys_3_25, 40, -1, 1, 1 }, { nsys_3_28, 40, 905, 0, 0 },
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
		assert_string_equal(trace_text(&t, t.kernel[0].demangled_name), "scale(float*, int)");
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
	char *path = in_directory("column.sqlite"), *sql = xprintf("%s ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN gridY;", nsys_3_16);

	(void)state;
	run_sql(path, sql);
	refuse(path, "CUPTI_ACTIVITY_KIND_KERNEL lacks column gridY", 0);
	free(sql);
	free(path);
}

static void bad_files_are_refused_by_name(void **state)
{
	static const struct { const char *file, *why; } bad[] = {
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

/* ---- check ---- */

static int64_t count_of(const struct trace *t, const char *kind, int64_t *incomplete)
{
	struct trace_anomaly anomaly[TRACE_ANOMALY_MAX];
	int kinds = trace_check(t, anomaly, incomplete);

	for (int i = 0; i < kinds; i++)
		if (strcmp(anomaly[i].kind, kind) == 0)
			return anomaly[i].count;
	fail_msg("no kind %s", kind);
	return -1;
}

/* A complete trace of one launch in one run; the tests break it. */
static void fill_complete(struct trace *t)
{
	const int64_t pid = (int64_t)7 << 24, tid = pid | 7;

	*trace_add_gpu(t) = (struct trace_gpu){ .device = 0, .name = trace_string(t, "GPU") };
	*trace_add_run(t) = (struct trace_run){ .start_ns = 50, .end_ns = 10000, .solver = trace_string(t, "rbsor"), .gpus = 1 };
	*trace_add_api(t) = (struct trace_api){ .start_ns = 100, .end_ns = 110, .global_tid = tid, .correlation = 1,
						.name = trace_string(t, "cudaLaunchKernel_v7000") };
	*trace_add_api(t) = (struct trace_api){ .start_ns = 120, .end_ns = 130, .global_tid = tid, .correlation = 2,
						.name = trace_string(t, "cudaEventRecord_v3020") };
	*trace_add_api(t) = (struct trace_api){ .start_ns = 140, .end_ns = 150, .global_tid = tid, .correlation = 3,
						.name = trace_string(t, "cudaStreamWaitEvent_v3020") };
	*trace_add_kernel(t) = (struct trace_kernel){ .start_ns = 105, .end_ns = 500, .stream = 7, .context = 1, .correlation = 1,
						      .global_pid = pid, .demangled_name = trace_string(t, "k"), .graph_node = -1 };
	*trace_add_footprint(t) = (struct trace_footprint){ .correlation = 1, .global_pid = pid, .bytes = 8, .mode = ACCESS_READ };
	*trace_add_event(t) = (struct trace_event){ .stream = 7, .context = 1, .correlation = 2, .global_pid = pid, .event_id = 4,
						    .event_sync_id = 9, .timestamp_ns = -1 };
	*trace_add_sync(t) = (struct trace_sync){ .start_ns = 141, .end_ns = 149, .stream = 8, .context = 1, .correlation = 3,
						  .global_pid = pid, .sync_type = 2, .event_id = 4, .event_sync_id = 9 };
	*trace_add_host_op(t) = (struct trace_host_op){ .start_ns = 160, .end_ns = 161, .global_tid = tid, .kind = NOTE_POST, .value = 3 };
	*trace_add_host_op(t) = (struct trace_host_op){ .start_ns = 170, .end_ns = 171, .global_tid = tid, .kind = NOTE_AWAIT_SPIN, .value = 3 };
	*trace_add_host_op(t) = (struct trace_host_op){ .start_ns = 180, .end_ns = 181, .global_tid = tid, .kind = NOTE_BARRIER };
	*trace_add_host_op(t) = (struct trace_host_op){ .start_ns = 180, .end_ns = 181, .global_tid = tid + 1, .kind = NOTE_BARRIER };
}

static void break_dropped(struct trace *t)
{
	*trace_add_loss(t) = (struct trace_loss){ .kind = trace_string(t, "dropped-records"), .count = 5 };
}
static void break_truncated(struct trace *t)
{
	*trace_add_loss(t) = (struct trace_loss){ .kind = trace_string(t, "no-end"), .count = 1 };
}
static void break_damaged(struct trace *t)
{
	*trace_add_loss(t) = (struct trace_loss){ .kind = trace_string(t, "missing-chunks"), .count = 2 };
}
static void break_other(struct trace *t)
{
	*trace_add_loss(t) = (struct trace_loss){ .kind = trace_string(t, "something new"), .count = 1 };
}
static void break_zero(struct trace *t) { t->kernel[0].start_ns = t->kernel[0].end_ns = -1; }
static void break_backwards(struct trace *t) { t->kernel[0].end_ns = 104; }
static void break_orphan_kernel(struct trace *t) { t->kernel[0].correlation = 77; t->footprint[0].correlation = 77; }
static void break_orphan_launch(struct trace *t) { t->kernel_count = 0; t->footprint_count = 0; }
static void break_lone_record(struct trace *t) { t->event[0].correlation = 78; }
static void break_unpaired(struct trace *t) { t->sync[0].event_sync_id = 10; }
static void break_never(struct trace *t) { t->sync[0].event_sync_id = -1; t->sync[0].event_id = 5; }
static void break_device(struct trace *t) { t->kernel[0].device = 3; }
static void break_stream(struct trace *t) { t->kernel[0].stream = -1; }
static void break_overlap(struct trace *t)
{
	struct trace_kernel second = t->kernel[0];

	second.start_ns = 400;
	second.correlation = 4;
	*trace_add_kernel(t) = second;
	*trace_add_api(t) = (struct trace_api){ .start_ns = 190, .end_ns = 195, .global_tid = ((int64_t)7 << 24) | 7, .correlation = 4,
						.name = t->api[0].name };
	*trace_add_footprint(t) = (struct trace_footprint){ .correlation = 4, .global_pid = second.global_pid };
}
static void break_early(struct trace *t) { t->kernel[0].start_ns = 99; }
static void break_outside(struct trace *t) { t->kernel[0].end_ns = 10001; }
static void break_footprint(struct trace *t) { t->footprint_count = 0; }
static void break_lone_footprint(struct trace *t)
{
	*trace_add_footprint(t) = (struct trace_footprint){ .correlation = 99, .global_pid = (int64_t)7 << 24 };
}
static void break_run(struct trace *t) { t->run[0].end_ns = -1; }
static void break_duplicate(struct trace *t)
{
	struct trace_kernel copy = t->kernel[0];

	copy.start_ns = 500;
	copy.end_ns = 501;
	*trace_add_kernel(t) = copy;
}
static void break_await(struct trace *t) { t->host_op[1].value = 4; }
static void break_barrier(struct trace *t)
{
	struct trace_host_op again = t->host_op[2];

	*trace_add_host_op(t) = again;
}
static void break_call(struct trace *t) { t->api[2].return_value = 1; }

static void each_anomaly_is_counted_and_no_other(void **state)
{
	static const struct { const char *kind; void (*break_it)(struct trace *t); int64_t count; bool incomplete; } cases[] = {
		{ "dropped-records", break_dropped, 5, true }, { "truncated-spool", break_truncated, 1, true },
		{ "damaged-spool", break_damaged, 2, true }, { "other-losses", break_other, 1, true },
		{ "zero-timestamps", break_zero, 1, true }, { "ends-before-start", break_backwards, 1, true },
		{ "orphan-device-work", break_orphan_kernel, 1, true }, { "orphan-launches", break_orphan_launch, 1, true },
		{ "records-without-row", break_lone_record, 1, true }, { "unpaired-event-ids", break_unpaired, 1, true },
		{ "waits-never-recorded", break_never, 1, false }, { "unknown-devices", break_device, 1, true },
		{ "unknown-streams", break_stream, 1, true }, { "overlapping-kernels", break_overlap, 1, false },
		{ "starts-before-call", break_early, 1, false }, { "outside-run", break_outside, 1, false },
		{ "missing-footprints", break_footprint, 1, true }, { "orphan-footprints", break_lone_footprint, 1, false },
		{ "runs-never-ended", break_run, 1, true }, { "duplicate-correlation", break_duplicate, 1, true },
		{ "unposted-awaits", break_await, 1, true }, { "unequal-barriers", break_barrier, 1, true },
		{ "failed-calls", break_call, 1, false },
	};
	struct trace_anomaly anomaly[TRACE_ANOMALY_MAX];
	int64_t incomplete;
	struct trace t;
	int kinds;

	(void)state;
	trace_init(&t);
	fill_complete(&t);
	kinds = trace_check(&t, anomaly, &incomplete);
	for (int i = 0; i < kinds; i++)
		if (anomaly[i].count)
			fail_msg("a complete trace has %s", anomaly[i].kind);
	assert_int_equal(incomplete, 0);
	trace_release(&t);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		trace_init(&t);
		fill_complete(&t);
		cases[i].break_it(&t);
		if (count_of(&t, cases[i].kind, &incomplete) < cases[i].count || (incomplete > 0) != cases[i].incomplete)
			fail_msg("%s: %d times, %d incomplete", cases[i].kind, (int)count_of(&t, cases[i].kind, &incomplete), (int)incomplete);
		trace_release(&t);
	}
}

/* ---- export, compare ---- */

/* Just enough JSON to know that it is some: returns what follows the value, NULL when it is not one. */
static const char *json(const char *at);

static const char *json_space(const char *at)
{
	return at ? at + strspn(at, " \n\t\r") : NULL;
}

static const char *json_string(const char *at)
{
	if (!at || *at++ != '"')
		return NULL;
	for (; *at && *at != '"'; at++) {
		if ((unsigned char)*at < ' ')
			return NULL;
		if (*at == '\\' && !strchr("\"\\/bfnrtu", *++at))
			return NULL;
	}
	return *at ? at + 1 : NULL;
}

static const char *json_list(const char *at, char end)
{
	at = json_space(at + 1);
	if (*at == end)
		return at + 1;
	for (;;) {
		if (end == '}') {
			at = json_space(json_string(json_space(at)));
			if (!at || *at++ != ':')
				return NULL;
		}
		at = json_space(json(json_space(at)));
		if (!at || (*at != ',' && *at != end))
			return NULL;
		if (*at++ == end)
			return at;
	}
}

static const char *json(const char *at)
{
	char *end;

	if (*at == '{' || *at == '[')
		return json_list(at, *at == '{' ? '}' : ']');
	if (*at == '"')
		return json_string(at);
	(void)strtod(at, &end);
	return end > at && strchr("-0123456789", *at) ? end : NULL;
}

static void a_chrome_export_is_json_with_threads_streams_and_arrows(void **state)
{
	struct trace t;
	char *text = NULL;
	size_t size;
	FILE *file;

	(void)state;
	trace_init(&t);
	fill_complete(&t);
	t.kernel[0].demangled_name = trace_string(&t, "quote\" slash\\ tab\t not utf8 \xff\xc3( \xc3\xa9");
	trace_set_meta(&t, "com\nmand", "x");
	file = open_memstream(&text, &size);
	assert_int_equal(export_chrome(&t, file), 0);
	fclose(file);
	assert_non_null(json(text));
	assert_int_equal(*json_space(json(text)), 0);
	assert_non_null(strstr(text, "quote\\\" slash\\\\ tab\\u0009 not utf8 \\ufffd\\ufffd"));
	assert_non_null(strstr(text, "\"ts\":0.055,\"dur\":0.395")); /* the run begins at 50 ns, the kernel at 105 */
	assert_non_null(strstr(text, "\"ph\":\"s\""));
	assert_non_null(strstr(text, "\"ph\":\"f\""));
	assert_non_null(strstr(text, "stream 7 (context 1)"));
	assert_non_null(strstr(text, "thread 7"));
	free(text);
	trace_release(&t);
}

static void a_comparison_pairs_names_and_says_the_difference(void **state)
{
	struct trace a, b;
	struct summary first, second;
	struct compare_line *lines;
	size_t count, both = 0, only_b = 0;

	(void)state;
	trace_init(&a);
	trace_init(&b);
	fill_complete(&a);
	fill_complete(&b);
	b.kernel[0].end_ns = 105 + 790;
	*trace_add_memcpy(&b) = (struct trace_memcpy){ .start_ns = 800, .end_ns = 1000, .copy_kind = 10 };
	summary_make(&first, &a);
	summary_make(&second, &b);
	count = trace_compare(&first, &second, &lines);
	for (size_t i = 0; i < count; i++) {
		if (!lines[i].a)
			only_b++;
		if (!lines[i].a || lines[i].a->kind != SUMMARY_KERNEL)
			continue;
		both++;
		assert_string_equal(lines[i].b->name, "k");
		assert_true(compare_percent(lines[i].a->total_us, lines[i].b->total_us) > 99.9);
	}
	assert_int_equal(both, 1);
	assert_int_equal(only_b, 1);
	for (size_t i = 0; i < second.line_count; i++)
		if (second.line[i].kind == SUMMARY_BUSY) /* 105..895 and 800..1000: their union */
			assert_true(second.line[i].total_us > 0.894 && second.line[i].total_us < 0.896);
	free(lines);
	summary_release(&first);
	summary_release(&second);
	trace_release(&a);
	trace_release(&b);
}

static void the_core_loop_is_from_the_last_begin_to_the_last_end(void **state)
{
	struct trace t;

	(void)state;
	trace_init(&t);
	*trace_add_run(&t) = (struct trace_run){ .start_ns = 0, .end_ns = 1000 };
	for (int i = 0; i < 2; i++) {
		*trace_add_host_op(&t) = (struct trace_host_op){ .start_ns = 10 + i, .end_ns = 10 + i, .global_tid = i, .kind = NOTE_MARK, .object = MARK_CORE_BEGIN };
		*trace_add_host_op(&t) = (struct trace_host_op){ .start_ns = 90 - i, .end_ns = 90 - i, .global_tid = i, .kind = NOTE_MARK, .object = MARK_CORE_END };
	}
	assert_int_equal(trace_core_ns(&t, 0), 79);
	trace_release(&t);
}

/* ---- the data dictionary ---- */

static void the_manual_names_every_table_and_column_and_no_other(void **state)
{
	char *path = xprintf("%s/docs/warpreel-trace.5", util_root()), *manual = slurp(path), *next = manual, *line;
	int table = -1, column = 0, tables = 0;

	(void)state;
	while ((line = strsep(&next, "\n"))) {
		char name[64], type[32], absent[32];

		if (sscanf(line, ".Ss %63s", name) == 1) {
			for (table = SCHEMA_TABLE_COUNT - 1; table >= 0 && strcmp(schema_tables[table].name, name) != 0; table--)
				;
			tables += table >= 0;
			column = 0;
		} else if (table >= 0 && sscanf(line, ".It Va %63s Ta %31s Ta %31s Ta", name, type, absent) == 3) {
			const struct schema_table *t = &schema_tables[table];
			const struct schema_column *c;
			bool may_be_null;

			if (column >= t->column_count)
				fail_msg("%s has no column %s", t->name, name);
			c = &t->column[column++];
			if (strcmp(c->name, name) != 0)
				fail_msg("%s: the manual says %s where the schema has %s", t->name, name, c->name);
			assert_string_equal(type, c->kind == COLUMN_TEXT || c->kind == COLUMN_ALTERNATIVE ? "TEXT" : c->kind == COLUMN_REAL ? "REAL" : "INTEGER");
			may_be_null = c->kind == COLUMN_TIME || c->kind == COLUMN_ID || c->kind == COLUMN_KILO || c->kind == COLUMN_ALTERNATIVE;
			if ((strcmp(absent, "NULL") == 0) != may_be_null)
				fail_msg("%s.%s: the manual says \"%s\"", t->name, name, absent);
			if (column == t->column_count)
				table = -2 - table; /* complete */
		} else if (table >= 0 && strncmp(line, ".El", 3) == 0) {
			fail_msg("%s: the manual ends before %s", schema_tables[table].name, schema_tables[table].column[column].name);
		}
	}
	assert_int_equal(tables, SCHEMA_TABLE_COUNT);
	free(manual);
	free(path);
}

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	DIR *listing = opendir(directory);

	(void)state;
	for (struct dirent *entry; (entry = readdir(listing));) {
		char *path = in_directory(entry->d_name);

		unlink(path);
		free(path);
	}
	closedir(listing);
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_comes_back),
		cmocka_unit_test(a_dump_does_not_know_in_what_order_rows_were_added),
		cmocka_unit_test(written_rows_are_in_time_order),
		cmocka_unit_test(a_compressed_activity_row_takes_at_most_40_bytes),
		cmocka_unit_test(an_interrupted_write_leaves_nothing),
		cmocka_unit_test(exports_of_three_schemas_read_alike),
		cmocka_unit_test(a_missing_column_is_named),
		cmocka_unit_test(bad_files_are_refused_by_name),
		cmocka_unit_test(what_unpacks_to_more_than_the_limit_is_refused),
		cmocka_unit_test(each_anomaly_is_counted_and_no_other),
		cmocka_unit_test(a_chrome_export_is_json_with_threads_streams_and_arrows),
		cmocka_unit_test(a_comparison_pairs_names_and_says_the_difference),
		cmocka_unit_test(the_core_loop_is_from_the_last_begin_to_the_last_end),
		cmocka_unit_test(the_manual_names_every_table_and_column_and_no_other),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
