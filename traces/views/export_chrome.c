/* SPDX-License-Identifier: MIT
 * Chrome trace JSON: host threads and GPU streams as tracks, an arrow from each launch to its
 * kernel. Times are microseconds with three decimals, so no nanosecond is lost; they count from the
 * first row, because a viewer keeps them in doubles.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/format/annotate.h"
#include "export.h"
#include "traces/base/trace_map.h"
#include "trace_summary.h"
#include "traces/base/util.h"

struct exporting {
	const struct trace *t;
	FILE *out;
	int64_t origin_ns;
	bool first;
	struct map seen, calls; /* (process, device), threads that have rows */
	struct map processes; /* host process -> number */
	struct map gpus;      /* (host process, device) -> number, after the host processes */
	struct map streams;   /* (gpu number and context, stream) -> 1: named */
	struct map threads;   /* global tid -> number within its process */
	struct map api;	      /* (process, correlation) -> row */
	uint32_t numbers, flows;
	int64_t left_out;
};

/* A JSON string; whatever is not UTF-8 becomes the replacement character. */
static void put_string(FILE *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	putc('"', out);
	while (*at) {
		int length = *at < 0x80			 ? 1
			     : *at >= 0xc2 && *at < 0xe0 ? 2
			     : *at >= 0xe0 && *at < 0xf0 ? 3
			     : *at >= 0xf0 && *at < 0xf5 ? 4
							 : 0;
		bool good = length > 0;

		for (int i = 1; i < length && good; i++)
			good = (at[i] & 0xc0) == 0x80;
		if (good && length == 3)
			good = !(*at == 0xe0 && at[1] < 0xa0) && !(*at == 0xed && at[1] > 0x9f);
		if (good && length == 4)
			good = !(*at == 0xf0 && at[1] < 0x90) && !(*at == 0xf4 && at[1] > 0x8f);
		if (!good) {
			fputs("\\ufffd", out);
			at++;
		} else if (*at == '"' || *at == '\\') {
			fprintf(out, "\\%c", *at++);
		} else if (*at < ' ') {
			fprintf(out, "\\u%04x", *at++);
		} else {
			fwrite(at, 1, (size_t)length, out);
			at += length;
		}
	}
	putc('"', out);
}

static void put_us(FILE *out, int64_t ns)
{
	uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	fprintf(out, "%s%" PRIu64 ".%03u", ns < 0 ? "-" : "", size / 1000, (unsigned)(size % 1000));
}

/* Begins an event of phase `ph` at `at_ns`: the caller adds what is special and closes the brace.
 */
static void begin_event(struct exporting *e, char ph, uint32_t pid, int64_t tid,
			const char *category, const char *name, int64_t at_ns)
{
	fprintf(e->out,
		"%s{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRId64 ",\"cat\":\"%s\",\"name\":",
		e->first ? "\n" : ",\n", ph, pid, tid, category);
	e->first = false;
	put_string(e->out, name);
	fputs(",\"ts\":", e->out);
	put_us(e->out, at_ns - e->origin_ns);
}

static void put_name(struct exporting *e, const char *what, uint32_t pid, int64_t tid,
		     const char *name)
{
	fprintf(e->out,
		"%s{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRId64
		",\"name\":\"%s\",\"args\":{\"name\":",
		e->first ? "\n" : ",\n", pid, tid, what);
	e->first = false;
	put_string(e->out, name);
	fputs("}}", e->out);
}

/* Tracks in the order of their numbers, whichever had the first event: threads, then GPUs. */
static void put_place(struct exporting *e, const char *what, uint32_t pid, int64_t tid,
		      int64_t place)
{
	fprintf(e->out,
		",\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRId64
		",\"name\":\"%s\",\"args\":{\"sort_index\":%" PRId64 "}}",
		pid, tid, what, place);
}

/* False when the row has no times: it cannot be shown. */
static bool begin_slice(struct exporting *e, uint32_t pid, int64_t tid, const char *category,
			const char *name, int64_t start_ns, int64_t end_ns)
{
	if (start_ns == -1 || end_ns == -1 || end_ns < start_ns) {
		e->left_out++;
		return false;
	}
	begin_event(e, 'X', pid, tid, category, name, start_ns);
	fputs(",\"dur\":", e->out);
	put_us(e->out, end_ns - start_ns);
	return true;
}

/* ---- tracks ---- */

enum { FIRST_GPU_PLACE = 1000000 }; /* behind all processes */

static uint32_t process_number(struct exporting *e, int64_t process)
{
	uint32_t number = map_get(&e->processes, process, 0);
	char *name;

	if (number != MAP_NONE)
		return number;
	number = ++e->numbers;
	map_put(&e->processes, process, 0, number);
	name = xprintf("process %" PRId64, process & 0xffffff);
	put_name(e, "process_name", number, 0, name);
	put_place(e, "process_sort_index", number, 0, (int64_t)number);
	free(name);
	return number;
}

static uint32_t thread_number(struct exporting *e, int64_t global_tid)
{
	uint32_t pid = process_number(e, process_of(global_tid));
	uint32_t number = map_get(&e->threads, global_tid, 0);
	char *name = NULL;

	if (number != MAP_NONE)
		return number;
	number = (uint32_t)(global_tid & 0xffffff);
	map_put(&e->threads, global_tid, 0, number);
	for (size_t i = 0; i < e->t->thread_count && !name; i++)
		if (e->t->thread[i].global_tid == global_tid)
			name = xprintf("%s (%" PRIu32 ")", trace_text(e->t, e->t->thread[i].name),
				       number);
	if (!name)
		name = xprintf("thread %" PRIu32, number);
	put_name(e, "thread_name", pid, number, name);
	put_place(e, "thread_sort_index", pid, number, number);
	free(name);
	return number;
}

static uint32_t gpu_number(struct exporting *e, int64_t process, int32_t device)
{
	uint32_t number = map_get(&e->gpus, process, device);
	const char *model = "";
	char *name;

	if (number != MAP_NONE)
		return number;
	number = ++e->numbers;
	map_put(&e->gpus, process, device, number);
	for (size_t i = 0; i < e->t->gpu_count; i++)
		if (e->t->gpu[i].device == device)
			model = trace_text(e->t, e->t->gpu[i].name);
	name = *model ? xprintf("GPU %" PRId32 " (%s)", device, model)
		      : xprintf("GPU %" PRId32, device);
	put_name(e, "process_name", number, 0, name);
	put_place(e, "process_sort_index", number, 0, FIRST_GPU_PLACE + (int64_t)device);
	free(name);
	return number;
}

/* Contexts number their streams alike: the context is part of the track. */
static int64_t stream_number(struct exporting *e, uint32_t gpu, int32_t context, int32_t stream)
{
	int64_t number =
		(int64_t)(((uint32_t)context & 0xffff) << 15) + ((uint32_t)stream & 0x7fff);
	char *name;

	if (map_put(&e->streams, gpu, number, 1) != MAP_NONE)
		return number;
	name = xprintf("stream %" PRId32 " (context %" PRId32 ")", stream, context);
	put_name(e, "thread_name", gpu, number, name);
	put_place(e, "thread_sort_index", gpu, number, number);
	free(name);
	return number;
}

static int compare_devices(const void *a, const void *b)
{
	const int64_t *left = a, *right = b; /* device, process */
	const int k = left[0] == right[0];

	return (left[k] > right[k]) - (left[k] < right[k]);
}

/* Threads as the trace lists them and GPUs by number, whichever has the first row: viewers that do not
 * look at places show tracks in the order in which they are named. */
static void put_tracks(struct exporting *e)
{
	const struct trace *t = e->t;
	const size_t rows = t->kernel_count + t->memcpy_count + t->memset_count;
	int64_t(*gpu)[2] = xcalloc(rows + 1, sizeof(*gpu));
	size_t count = 0;

	for (size_t i = 0; i < t->api_count; i++)
		map_put(&e->calls, t->api[i].global_tid, 0, 1);
	for (size_t i = 0; i < t->host_op_count; i++)
		map_put(&e->calls, t->host_op[i].global_tid, 0, 1);
	for (size_t i = 0; i < t->thread_count; i++)
		if (map_get(&e->calls, t->thread[i].global_tid, 0) != MAP_NONE)
			thread_number(e, t->thread[i].global_tid);
#define GPUS_OF(table)                                                                             \
	for (size_t i = 0; i < t->table##_count; i++)                                              \
		if (map_put(&e->seen, process_of(t->table[i].global_pid), t->table[i].device,      \
			    1) == MAP_NONE) {                                                      \
			gpu[count][0] = t->table[i].device;                                        \
			gpu[count++][1] = process_of(t->table[i].global_pid);                      \
		}
	GPUS_OF(kernel)
	GPUS_OF(memcpy)
	GPUS_OF(memset)
#undef GPUS_OF
	qsort(gpu, count, sizeof(*gpu), compare_devices);
	for (size_t i = 0; i < count; i++)
		gpu_number(e, gpu[i][1], (int32_t)gpu[i][0]);
	free(gpu);
}

/* ---- rows ---- */

/* An arrow from the call to its work. */
static void put_flow(struct exporting *e, int64_t process, int64_t correlation, uint32_t pid,
		     int64_t tid, int64_t start_ns)
{
	uint32_t row = map_get(&e->api, process, correlation);
	const struct trace_api *call;

	if (row == MAP_NONE || e->t->api[row].start_ns == -1)
		return;
	call = &e->t->api[row];
	e->flows++;
	begin_event(e, 's', process_number(e, process), thread_number(e, call->global_tid),
		    "launch", "launch", call->start_ns);
	fprintf(e->out, ",\"id\":%" PRIu32 "}", e->flows);
	begin_event(e, 'f', pid, tid, "launch", "launch", start_ns);
	fprintf(e->out, ",\"id\":%" PRIu32 ",\"bp\":\"e\"}", e->flows);
}

static void put_kernels(struct exporting *e)
{
	for (size_t i = 0; i < e->t->kernel_count; i++) {
		const struct trace_kernel *k = &e->t->kernel[i];
		uint32_t gpu = gpu_number(e, process_of(k->global_pid), k->device);
		int64_t track = stream_number(e, gpu, k->context, k->stream);
		char *name = trace_kernel_name(e->t, k);

		if (begin_slice(e, gpu, track, "kernel", name, k->start_ns, k->end_ns)) {
			fprintf(e->out,
				",\"args\":{\"correlation\":%" PRId64
				",\"grid\":\"%u,%u,%u\",\"block\":\"%u,%u,%u\",",
				k->correlation, k->grid[0], k->grid[1], k->grid[2], k->block[0],
				k->block[1], k->block[2]);
			if (k->registers) /* a plan knows none */
				fprintf(e->out, "\"registers\":%u,", k->registers);
			fprintf(e->out, "\"shared_bytes\":%" PRIu64 "}}",
				(uint64_t)k->static_shared_bytes + k->dynamic_shared_bytes);
			put_flow(e, process_of(k->global_pid), k->correlation, gpu, track,
				 k->start_ns);
		}
		free(name);
	}
}

static void put_copies(struct exporting *e)
{
	for (size_t i = 0; i < e->t->memcpy_count; i++) {
		const struct trace_memcpy *m = &e->t->memcpy[i];
		uint32_t gpu = gpu_number(e, process_of(m->global_pid), m->device);
		int64_t track = stream_number(e, gpu, m->context, m->stream);
		char *name = m->copy_kind == 10
				     ? xprintf("copy GPU %" PRId32 " to GPU %" PRId32,
					       m->source_device, m->target_device)
				     : xprintf("copy %s", trace_copy_kind_name(m->copy_kind));

		if (begin_slice(e, gpu, track, "copy", name, m->start_ns, m->end_ns)) {
			fprintf(e->out,
				",\"args\":{\"correlation\":%" PRId64 ",\"bytes\":%" PRId64 "}}",
				m->correlation, m->bytes);
			put_flow(e, process_of(m->global_pid), m->correlation, gpu, track,
				 m->start_ns);
		}
		free(name);
	}
	for (size_t i = 0; i < e->t->memset_count; i++) {
		const struct trace_memset *m = &e->t->memset[i];
		uint32_t gpu = gpu_number(e, process_of(m->global_pid), m->device);
		int64_t track = stream_number(e, gpu, m->context, m->stream);

		if (begin_slice(e, gpu, track, "memset", "memset", m->start_ns, m->end_ns)) {
			fprintf(e->out,
				",\"args\":{\"correlation\":%" PRId64 ",\"bytes\":%" PRId64 "}}",
				m->correlation, m->bytes);
			put_flow(e, process_of(m->global_pid), m->correlation, gpu, track,
				 m->start_ns);
		}
	}
}

static void put_events(struct exporting *e)
{
	for (size_t i = 0; i < e->t->event_count; i++) {
		const struct trace_event *v = &e->t->event[i];
		uint32_t gpu;

		if (v->timestamp_ns == -1)
			continue; /* most tracers do not time records: nothing to show, nothing lost
				   */
		gpu = gpu_number(e, process_of(v->global_pid), v->device);
		begin_event(e, 'i', gpu, stream_number(e, gpu, v->context, v->stream), "event",
			    "record", v->timestamp_ns);
		fprintf(e->out, ",\"s\":\"t\",\"args\":{\"event\":%" PRId64 "}}", v->event_id);
	}
}

static void put_calls(struct exporting *e)
{
	for (size_t i = 0; i < e->t->api_count; i++) {
		const struct trace_api *a = &e->t->api[i];

		if (begin_slice(e, process_number(e, process_of(a->global_tid)),
				thread_number(e, a->global_tid), "api", trace_text(e->t, a->name),
				a->start_ns, a->end_ns))
			fprintf(e->out,
				",\"args\":{\"correlation\":%" PRId64 ",\"result\":%" PRId32 "}}",
				a->correlation, a->return_value);
	}
	for (size_t i = 0; i < e->t->overhead_count; i++) {
		const struct trace_overhead *o = &e->t->overhead[i];

		if (begin_slice(e, process_number(e, process_of(o->global_tid)),
				thread_number(e, o->global_tid), "overhead", "tracer", o->start_ns,
				o->end_ns))
			fprintf(e->out, ",\"args\":{\"kind\":%" PRId32 "}}", o->kind);
	}
	for (size_t i = 0; i < e->t->nvtx_count; i++) {
		const struct trace_nvtx *n = &e->t->nvtx[i];
		int64_t end_ns = n->end_ns == -1 ? n->start_ns : n->end_ns;

		if (begin_slice(e, process_number(e, process_of(n->global_tid)),
				thread_number(e, n->global_tid), "nvtx", trace_text(e->t, n->text),
				n->start_ns, end_ns))
			putc('}', e->out);
	}
}

static void put_host_ops(struct exporting *e)
{
	static const char *const notes[] = { "unknown", "post", "await", "await (spin)",
					     "barrier" };
	static const char *const marks[MARK_COUNT] = { "total begins", "core begins", "core ends",
						       "total ends" };

	for (size_t i = 0; i < e->t->host_op_count; i++) {
		const struct trace_host_op *h = &e->t->host_op[i];
		uint32_t pid = process_number(e, process_of(h->global_tid)),
			 tid = thread_number(e, h->global_tid);

		if (h->kind == NOTE_MARK && h->start_ns != -1) {
			begin_event(e, 'i', pid, tid, "mark",
				    h->object < MARK_COUNT ? marks[h->object] : "mark",
				    h->start_ns);
			fputs(",\"s\":\"t\"}", e->out);
		} else if (begin_slice(
				   e, pid, tid, "host",
				   notes[h->kind >= NOTE_POST && h->kind <= NOTE_BARRIER ? h->kind
											 : 0],
				   h->start_ns, h->end_ns)) {
			fprintf(e->out, ",\"args\":{\"object\":%" PRIu32 ",\"value\":%" PRId64 "}}",
				h->object, h->value);
		}
	}
}

static void put_runs(struct exporting *e)
{
	uint32_t number = e->t->run_count ? ++e->numbers : 0;

	if (number)
		put_name(e, "process_name", number, 0, "runs");
	for (size_t i = 0; i < e->t->run_count; i++) {
		const struct trace_run *r = &e->t->run[i];

		if (begin_slice(e, number, 0, "run", trace_text(e->t, r->solver), r->start_ns,
				r->end_ns)) {
			fputs(",\"args\":{\"config\":", e->out);
			put_string(e->out, trace_text(e->t, r->config));
			fprintf(e->out, ",\"gpus\":%" PRId32 "}}", r->gpus);
		}
	}
}

static void find_origin(struct exporting *e)
{
	e->origin_ns = INT64_MAX;
#define EARLIER(array)                                                                             \
	for (size_t i = 0; i < e->t->array##_count; i++)                                           \
		if (e->t->array[i].start_ns != -1 && e->t->array[i].start_ns < e->origin_ns)       \
			e->origin_ns = e->t->array[i].start_ns;
	EARLIER(kernel)
	EARLIER(memcpy)
	EARLIER(memset)
	EARLIER(api)
	EARLIER(host_op)
	EARLIER(run)
	EARLIER(nvtx)
#undef EARLIER
	if (e->origin_ns == INT64_MAX)
		e->origin_ns = 0;
}

int export_chrome(const struct trace *trace, FILE *out)
{
	struct exporting e = { .t = trace, .out = out, .first = true };

	find_origin(&e);
	for (size_t i = 0; i < trace->api_count; i++)
		map_intern(&e.api, process_of(trace->api[i].global_tid), trace->api[i].correlation,
			   (uint32_t)i);
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
	put_tracks(&e); /* host processes first: they come first in the viewer */
	put_calls(&e);
	put_host_ops(&e);
	put_kernels(&e);
	put_copies(&e);
	put_events(&e);
	put_runs(&e);
	fputs("\n],\"otherData\":{", out);
	for (size_t i = 0; i < trace->meta_count; i++) {
		if (i)
			putc(',', out);
		put_string(out, trace_text(trace, trace->meta[i].key));
		putc(':', out);
		put_string(out, trace_text(trace, trace->meta[i].value));
	}
	fputs("}}\n", out);
	map_release(&e.seen);
	map_release(&e.calls);
	map_release(&e.processes);
	map_release(&e.gpus);
	map_release(&e.streams);
	map_release(&e.threads);
	map_release(&e.api);
	if (e.left_out)
		report_warning("%s: %" PRId64 " rows without times cannot be shown",
			       trace->path ? trace->path : "trace", e.left_out);
	return ferror(out) || fflush(out) != 0 ? -1 : 0;
}
