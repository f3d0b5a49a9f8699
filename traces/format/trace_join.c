/* SPDX-License-Identifier: MIT */
#include "trace_join.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace_schema.h"
#include "traces/base/trace_map.h"
#include "traces/base/util.h"

/* So far may the system's clock be moved against the monotonic one between two processes' starts:
 * as in spool_machine.c. */
enum { STEP_NS = 1000000 };
#define MOST_NS (INT64_MAX / 2) /* of a clock: differences of differences still count */

static bool is_clock(int64_t ns)
{
	return ns >= 0 && ns < MOST_NS;
}

/* The sum, or the latest there is. */
static int64_t later(int64_t ns, int64_t by_ns)
{
	int64_t sum;

	return __builtin_add_overflow(ns, by_ns, &sum) ? INT64_MAX : sum;
}

int trace_span_of(const struct trace *trace, struct trace_span *span)
{
	const char *begin = trace_get_meta(trace, "clock_start"),
		   *end = trace_get_meta(trace, "clock_end");
	int64_t trace_ns, monotonic_ns, realtime_ns;

	*span = (struct trace_span){ 0 };
	if (!begin ||
	    sscanf(begin, "trace %" SCNd64 " ns = monotonic %" SCNd64 " ns = realtime %" SCNd64,
		   &trace_ns, &monotonic_ns, &realtime_ns) != 3 ||
	    !is_clock(trace_ns) || !is_clock(monotonic_ns) || !is_clock(realtime_ns))
		return -1;
	span->offset_ns = monotonic_ns - trace_ns;
	span->realtime_ns = realtime_ns - monotonic_ns;
	span->begin_ns = span->end_ns = monotonic_ns;
	if (end &&
	    sscanf(end, "trace %" SCNd64 " ns = monotonic %" SCNd64, &trace_ns, &monotonic_ns) ==
		    2 &&
	    is_clock(monotonic_ns))
		span->end_ns = monotonic_ns;
	for (size_t i = 0; i < trace->api_count; i++) /* it may have been killed */
		if (later(trace->api[i].end_ns, span->offset_ns) > span->end_ns)
			span->end_ns = later(trace->api[i].end_ns, span->offset_ns);
	return 0;
}

bool trace_span_same_host(const struct trace_span *a, const struct trace_span *b)
{
	const int64_t apart = a->realtime_ns - b->realtime_ns;

	return apart <= STEP_NS && apart >= -STEP_NS;
}

/* ---- GPUs ---- */

static const char *bus_of(const struct trace *trace, const struct trace_gpu *gpu)
{
	return trace_text(trace, gpu->bus_location);
}

/* Whether every process numbers the same GPUs alike; *known: each has a bus location. */
static bool number_alike(const struct trace *part, size_t count, bool *known)
{
	bool alike = true;

	*known = true;
	for (size_t p = 0; p < count; p++) {
		alike &= part[p].gpu_count == part[0].gpu_count;
		for (size_t i = 0; i < part[p].gpu_count; i++) {
			const struct trace_gpu *gpu = &part[p].gpu[i];

			*known &= bus_of(&part[p], gpu)[0] != 0;
			alike &=
				i < part[0].gpu_count && gpu->device == part[0].gpu[i].device &&
				!strcmp(bus_of(&part[p], gpu), bus_of(&part[0], &part[0].gpu[i])) &&
				!strcmp(trace_text(&part[p], gpu->name),
					trace_text(&part[0], part[0].gpu[i].name));
		}
	}
	return alike;
}

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Whether a process gave that GPU of its own anything to do. */
static bool is_used(const struct trace *part, int32_t device)
{
	for (size_t i = 0; i < part->kernel_count; i++)
		if (part->kernel[i].device == device)
			return true;
	for (size_t i = 0; i < part->memcpy_count; i++)
		if (part->memcpy[i].device == device || part->memcpy[i].source_device == device ||
		    part->memcpy[i].target_device == device)
			return true;
	for (size_t i = 0; i < part->memset_count; i++)
		if (part->memset[i].device == device)
			return true;
	return false;
}

/* Puts at bus[from] and on the bus locations of GPUs that are used, or of all, each once, ascending
 * and none that stands before; returns where they end. */
static size_t add_buses(const char **bus, size_t from, const struct trace *part, size_t count,
			bool used)
{
	size_t end = from, kept = from;

	for (size_t p = 0; p < count; p++)
		for (size_t i = 0; i < part[p].gpu_count; i++)
			if (!used || is_used(&part[p], part[p].gpu[i].device))
				bus[end++] = bus_of(&part[p], &part[p].gpu[i]);
	qsort(bus + from, end - from, sizeof(*bus), by_text);
	for (size_t i = from; i < end; i++) {
		bool known = false;

		for (size_t k = 0; k < kept && !known; k++)
			known = !strcmp(bus[k], bus[i]);
		if (!known)
			bus[kept++] = bus[i];
	}
	return kept;
}

/* The bus locations of all GPUs: a GPU's number is its place. Those that some process used come
 * first, so that a run on two GPUs of four is a run on two. */
static const char **all_buses(const struct trace *part, size_t count, size_t *buses)
{
	const char **bus;
	size_t all = 0;

	for (size_t p = 0; p < count; p++)
		all += 2 * part[p].gpu_count;
	bus = xmalloc((all + 1) * sizeof(*bus));
	*buses = add_buses(bus, add_buses(bus, 0, part, count, true), part, count, false);
	return bus;
}

/* (part, GPU of the part) -> GPU; -1 after a message. */
static int map_gpus(struct map *gpu_of, const struct trace *part, size_t count, const char *path)
{
	bool known;
	const bool alike = number_alike(part, count, &known);
	const char **bus;
	size_t buses;

	if (alike && (known || part[0].gpu_count > 1)) {
		if (!known)
			report_warning("%s: its GPUs have no bus locations: equal numbers are "
				       "taken to be equal GPUs in all processes",
				       path);
		for (size_t p = 0; p < count; p++)
			for (size_t i = 0; i < part[p].gpu_count; i++)
				map_put(gpu_of, (int64_t)p, part[p].gpu[i].device,
					(uint32_t)part[p].gpu[i].device);
		return 0;
	}
	if (!known)
		return report("%s: its GPUs have no bus locations, so nobody can say whether GPU 0 "
			      "is the same one in all processes (NVML, libnvidia-ml.so.1, tells "
			      "the recorder)",
			      path);
	bus = all_buses(part, count, &buses);
	for (size_t p = 0; p < count; p++)
		for (size_t i = 0; i < part[p].gpu_count; i++)
			for (size_t b = 0; b < buses; b++)
				if (!strcmp(bus[b], bus_of(&part[p], &part[p].gpu[i])))
					map_put(gpu_of, (int64_t)p, part[p].gpu[i].device,
						(uint32_t)b);
	free(bus);
	return 0;
}

/* ---- rows ---- */

/* Of one part: how its numbers become those of all. */
struct joining {
	struct trace *joined;
	const struct trace *part;
	int64_t number, shift_ns;
	const struct map *gpu_of;  /* (part, its GPU) -> GPU */
	struct map *process_taken; /* process -> part, from 1 */
	struct map process_of;	   /* the part's process -> one that no other part has */
};

static bool names_gpu(const struct schema_table *table, const char *column)
{
	static const char *const columns[] = { "deviceId", "srcDeviceId", "dstDeviceId",
					       "fromDevice", "toDevice" };

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (!strcmp(column, columns[i]))
			return true;
	return !strcmp(table->array, "gpu") && !strcmp(column, "id");
}

/* Process ids are of 24 bits in a row. Two processes share one where they saw it in name spaces of
 * their own, or one after the other. */
static int64_t process_in_all(struct joining *j, int64_t process)
{
	uint32_t known = map_get(&j->process_of, process, 0);
	int64_t free_id = process;

	if (known != MAP_NONE)
		return known;
	while (map_get(j->process_taken, free_id, 0) != MAP_NONE)
		free_id = (free_id + 1) & 0xffffff;
	map_put(j->process_taken, free_id, 0, (uint32_t)j->number + 1);
	map_put(&j->process_of, process, 0, (uint32_t)free_id);
	return free_id;
}

static int64_t in_all(struct joining *j, const struct schema_table *table,
		      const struct schema_column *column, int64_t value)
{
	if (schema_is_text(column))
		return trace_string(j->joined, trace_text(j->part, (uint32_t)value));
	if (column->kind == COLUMN_TIME)
		return value == -1 ? -1 : later(value, j->shift_ns);
	if (!strcmp(column->name, "globalPid") || !strcmp(column->name, "globalTid"))
		return value < 0 ? value
				 : process_in_all(j, process_of(value)) << 24 | (value & 0xffffff);
	if (!strcmp(column->name, "processId"))
		return value < 0 ? value : process_in_all(j, value);
	if (value >= 0 && names_gpu(table, column->name)) {
		const uint32_t gpu = map_get(j->gpu_of, j->number, value);

		return gpu == MAP_NONE ? value : (int64_t)gpu;
	}
	return value;
}

static bool has_gpu(const struct trace *trace, int32_t device)
{
	for (size_t i = 0; i < trace->gpu_count; i++)
		if (trace->gpu[i].device == device)
			return true;
	return false;
}

static bool has_link(const struct trace *trace, int32_t from, int32_t to)
{
	for (size_t i = 0; i < trace->link_count; i++)
		if (trace->link[i].from_device == from && trace->link[i].to_device == to)
			return true;
	return false;
}

static int32_t gpu_in_all(const struct joining *j, int32_t device)
{
	return device < 0 ? device : (int32_t)map_get(j->gpu_of, j->number, device);
}

/* Another process may have told of the same GPU and link. */
static bool is_known(struct joining *j, const struct schema_table *table, const void *row)
{
	if (!strcmp(table->array, "gpu"))
		return has_gpu(j->joined, gpu_in_all(j, ((const struct trace_gpu *)row)->device));
	if (!strcmp(table->array, "link")) {
		const struct trace_link *link = row;

		return has_link(j->joined, gpu_in_all(j, link->from_device),
				gpu_in_all(j, link->to_device));
	}
	return false;
}

static void add_rows(struct joining *j)
{
	for (int t = 0; t < SCHEMA_TABLE_COUNT; t++) {
		const struct schema_table *table = &schema_tables[t];

		if (!strcmp(table->array, "meta"))
			continue;
		for (size_t i = 0; i < schema_count(j->part, table); i++) {
			const void *row = schema_row(j->part, table, i);

			if (is_known(j, table, row))
				continue;
			char *added = schema_add(j->joined, table);
			memcpy(added, row, table->row_bytes);
			for (int c = 0; c < table->column_count; c++) {
				const struct schema_column *column = &table->column[c];

				if (schema_is_data(column) && column->kind != COLUMN_REAL)
					schema_set(
						added, column,
						in_all(j, table, column, schema_get(row, column)));
			}
		}
	}
}

/* ---- meta data ---- */

static bool all_have(const struct trace *part, size_t count, const char *key, const char *value)
{
	for (size_t p = 0; p < count; p++) {
		const char *other = trace_get_meta(&part[p], key);

		if (!other || strcmp(other, value))
			return false;
	}
	return true;
}

static const char *pid_of(const struct trace *trace)
{
	const char *pid = trace_get_meta(trace, "pid");

	return pid ? pid : "?";
}

/* What each virtual device held, "0 4096, 1 0": of all processes together, which may have had it at
 * different times. */
static void join_virtual_bytes(struct trace *joined, const struct trace *part, size_t count,
			       const char *key)
{
	const uint32_t gpus = trace_virtual_gpus(&part[0]);
	int64_t *held = xcalloc(gpus + 1, sizeof(*held));
	char *all = NULL;
	bool said = false;

	for (size_t p = 0; p < count; p++) {
		const char *text = trace_get_meta(&part[p], key);
		long long bytes;
		unsigned gpu;

		said |= text != NULL;
		for (; text && sscanf(text, "%u %lld", &gpu, &bytes) == 2;
		     text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL)
			if (gpu < gpus && bytes > 0)
				held[gpu] = later(held[gpu], bytes);
	}
	for (uint32_t i = 0; i < gpus; i++) {
		char *longer = xprintf("%s%s%u %" PRId64, all ? all : "", all ? ", " : "",
				       (unsigned)i, held[i]);

		free(all);
		all = longer;
	}
	if (all && said)
		trace_set_meta(joined, key, all);
	free(all);
	free(held);
}

static void join_meta(struct trace *joined, const struct trace *part, size_t count)
{
	char *processes = xprintf("%zu:", count);

	for (size_t p = 0; p < count; p++) {
		const char *rank = trace_get_meta(&part[p], "rank");
		char *longer = xprintf("%s%s %s%s%s%s", processes, p ? "," : "", pid_of(&part[p]),
				       rank ? " (rank " : "", rank ? rank : "", rank ? ")" : "");

		free(processes);
		processes = longer;
	}
	trace_set_meta(joined, "kind", "recorded");
	trace_set_meta(joined, "processes", processes);
	free(processes);
	for (size_t p = 0; p < count; p++)
		for (size_t i = 0; i < part[p].meta_count; i++) {
			const char *key = trace_text(&part[p], part[p].meta[i].key),
				   *value = trace_text(&part[p], part[p].meta[i].value);

			if (!strcmp(key, "pid") || !strcmp(key, "rank") ||
			    !strcmp(key, "virtual_bytes") || !strcmp(key, "virtual_turn_bytes"))
				continue;
			if (all_have(part, count, key, value)) {
				trace_set_meta(joined, key, value);
				continue;
			}
			char *own = xprintf("%s.%s", pid_of(&part[p]), key);
			trace_set_meta(joined, own, value);
			free(own);
		}
}

/* ---- all of it ---- */

static int check_part(const struct trace *part, const struct trace *first)
{
	const char *kind = trace_get_meta(part, "kind");

	if (part->run_count || (kind && strcmp(kind, "recorded")))
		return report("%s: %s; only recordings of programs that are none of our solvers "
			      "are joined",
			      part->path,
			      part->run_count ? "its runs are whole by themselves"
					      : "it is no recording");
	if (trace_virtual_gpus(part) && !trace_get_meta(part, "virtual_processes"))
		return report("%s: recorded on one GPU as if there were more, by a version whose "
			      "processes did not share it in turns: such recordings are not joined",
			      part->path);
	if (trace_virtual_gpus(part) != trace_virtual_gpus(first))
		return report("%s: recorded as if there were %u GPUs, and %s as if there were %u: "
			      "they are not of one run",
			      part->path, (unsigned)trace_virtual_gpus(part), first->path,
			      (unsigned)trace_virtual_gpus(first));
	if (part->profile_count || part->block_count)
		return report("%s: holds profiles, which warpreel profile --join joins",
			      part->path);
	return 0;
}

static int find_spans(struct trace_span *span, const struct trace *part, size_t count)
{
	for (size_t p = 0; p < count; p++) {
		if (check_part(&part[p], &part[0]))
			return -1;
		if (trace_span_of(&part[p], &span[p]))
			return report("%s: does not say how its clock lies against the host's "
				      "(clock_start), so it cannot be joined with others",
				      part[p].path);
		if (!trace_span_same_host(&span[p], &span[0]))
			return report("%s: its host was booted at another time than that of %s: "
				      "processes of several hosts are not joined",
				      part[p].path, part[0].path);
		for (size_t q = 0; q < p; q++)
			if (span[q].begin_ns == span[p].begin_ns &&
			    !strcmp(pid_of(&part[q]), pid_of(&part[p])))
				return report("%s: the recording of process %s that %s is, too",
					      part[p].path, pid_of(&part[p]), part[q].path);
	}
	return 0;
}

int trace_join(struct trace *joined, const struct trace *part, size_t count, const char *path)
{
	struct trace_span *span = xcalloc(count + 1, sizeof(*span));
	struct map gpu_of = { 0 }, process_taken = { 0 };
	int64_t first_ns = INT64_MAX;
	int rc = -1;

	free(joined->path);
	joined->path = xstrdup(path);
	if (find_spans(span, part, count) || map_gpus(&gpu_of, part, count, path))
		goto out;
	for (size_t p = 0; p < count; p++) /* the earliest trace keeps its clock */
		first_ns = span[p].offset_ns < first_ns ? span[p].offset_ns : first_ns;
	join_meta(joined, part, count);
	join_virtual_bytes(joined, part, count, "virtual_bytes");
	join_virtual_bytes(joined, part, count, "virtual_turn_bytes");
	for (size_t p = 0; p < count; p++) {
		struct joining j = { .joined = joined,
				     .part = &part[p],
				     .number = (int64_t)p,
				     .shift_ns = span[p].offset_ns - first_ns,
				     .gpu_of = &gpu_of,
				     .process_taken = &process_taken };

		add_rows(&j);
		map_release(&j.process_of);
		joined->altered_tables += part[p].altered_tables;
	}
	rc = 0;
out:
	map_release(&gpu_of);
	map_release(&process_taken);
	free(span);
	return rc;
}
