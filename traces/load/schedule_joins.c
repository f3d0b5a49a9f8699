/* SPDX-License-Identifier: MIT
 * Which device rows a call asked for, on which stream, of which shape.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schedule_load.h"
#include "traces/base/util.h"

enum { CONTEXT_SEVERAL = 0xfffffffe };

static int compare_work(const void *left, const void *right)
{
	const struct work *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->correlation != b->correlation)
		return a->correlation < b->correlation ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* Records that end before they start, or name no GPU, make no schedule. */
static int check_row(struct trace_joins *joins, const char *table, size_t row, int64_t start_ns,
		     int64_t end_ns, int32_t device)
{
	if (start_ns != -1 && end_ns != -1 && end_ns < start_ns)
		return report("%s: %s row %zu ends %" PRId64 " ns before it starts", joins->path,
			      table, row + 1, start_ns - end_ns);
	if (device < 0 || device >= LOAD_MAX_GPUS)
		return report("%s: %s row %zu names GPU %" PRId32, joins->path, table, row + 1,
			      device);
	if (start_ns != -1 && end_ns != -1)
		joins->work_ns += end_ns - start_ns < LOAD_MAX_NS ? end_ns - start_ns : LOAD_MAX_NS;
	if (joins->work_ns >= LOAD_MAX_NS)
		return report("%s: %s row %zu: device work adds up to %" PRId64 " s", joins->path,
			      table, row + 1, joins->work_ns / 1000000000);
	return 0;
}

static int add_work(struct trace_joins *joins, const char *table, enum work_kind kind, size_t row,
		    int64_t global_pid, int64_t correlation, int64_t start_ns, int64_t end_ns,
		    int32_t device)
{
	if (check_row(joins, table, row, start_ns, end_ns, device) < 0)
		return -1;
	joins->work[joins->work_count++] = (struct work){ .pid = process_of(global_pid),
							  .correlation = correlation,
							  .start_ns = start_ns,
							  .kind = kind,
							  .row = (uint32_t)row };
	return 0;
}

static int join_work(struct trace_joins *joins)
{
	const struct trace *t = joins->trace;

	joins->work = xmalloc((t->kernel_count + t->memcpy_count + t->memset_count + 1) *
			      sizeof(*joins->work));
#define ADD(array, kind)                                                                           \
	for (size_t i = 0; i < t->array##_count; i++)                                              \
		if (add_work(joins, #array, kind, i, t->array[i].global_pid,                       \
			     t->array[i].correlation, t->array[i].start_ns, t->array[i].end_ns,    \
			     t->array[i].device) < 0)                                              \
			return -1;
	ADD(kernel, WORK_KERNEL)
	ADD(memcpy, WORK_COPY)
	ADD(memset, WORK_MEMSET)
#undef ADD
	qsort(joins->work, joins->work_count, sizeof(*joins->work), compare_work);
	for (uint32_t i = 0; i < joins->work_count; i++)
		map_intern(&joins->work_of, joins->work[i].pid, joins->work[i].correlation, i);
	return 0;
}

static int compare_footprints(const void *left, const void *right, void *context)
{
	const struct trace *t = context;
	uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
	const struct trace_footprint *a = &t->footprint[x], *b = &t->footprint[y];

	if (a->global_pid != b->global_pid)
		return a->global_pid < b->global_pid ? -1 : 1;
	if (a->correlation != b->correlation)
		return a->correlation < b->correlation ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* A stream number means something within a context; a wait may name the event's context with the
 * waiting stream. */
static void know_stream(struct trace_joins *joins, int64_t process, int32_t device, int32_t context,
			int32_t stream)
{
	uint32_t known =
		map_intern(&joins->stream_alone, process, stream, (uint32_t)context & 0x7fffffff);

	if (known != ((uint32_t)context & 0x7fffffff) && known != CONTEXT_SEVERAL)
		map_put(&joins->stream_alone, process, stream, CONTEXT_SEVERAL);
	map_intern(&joins->context, process, context, (uint32_t)joins->context.used);
	if (device >= 0)
		map_intern(&joins->context_device, process, (uint32_t)context & 0x7fffffff,
			   (uint32_t)device);
}

/* Of a kernel, or of any, in its process. */
static void keep_first(struct trace_joins *joins, const struct trace *t, uint32_t row, int64_t name)
{
	const int64_t process = process_of(t->kernel[row].global_pid);
	const uint32_t first = map_intern(&joins->first_launch, process, name, row);

	if (t->kernel[row].start_ns < t->kernel[first].start_ns)
		map_put(&joins->first_launch, process, name, row);
}

static int join(struct trace_joins *joins)
{
	const struct trace *t = joins->trace;
	struct trace *unqualified = (struct trace *)(uintptr_t)t;

	if (join_work(joins) < 0)
		return -1;
	for (size_t i = 0; i < t->api_count; i++)
		map_intern(&joins->api_of, process_of(t->api[i].global_tid), t->api[i].correlation,
			   (uint32_t)i);
	for (size_t i = 0; i < t->event_count; i++)
		map_intern(&joins->event_of, process_of(t->event[i].global_pid),
			   t->event[i].correlation, (uint32_t)i);
	for (size_t i = 0; i < t->sync_count; i++)
		map_intern(&joins->sync_of, process_of(t->sync[i].global_pid),
			   t->sync[i].correlation, (uint32_t)i);

	joins->footprint = xmalloc((t->footprint_count + 1) * sizeof(*joins->footprint));
	for (size_t i = 0; i < t->footprint_count; i++)
		joins->footprint[i] = (uint32_t)i;
	joins->footprint_count = (uint32_t)t->footprint_count;
	qsort_r(joins->footprint, t->footprint_count, sizeof(*joins->footprint), compare_footprints,
		unqualified);
	for (uint32_t i = 0; i < joins->footprint_count; i++)
		map_intern(&joins->footprint_of,
			   process_of(t->footprint[joins->footprint[i]].global_pid),
			   t->footprint[joins->footprint[i]].correlation, i);

	for (size_t i = 0; i < t->kernel_count; i++) {
		const struct trace_kernel *k = &t->kernel[i];

		keep_first(joins, t, (uint32_t)i, k->demangled_name);
		keep_first(joins, t, (uint32_t)i, ANY_KERNEL);
		know_stream(joins, process_of(k->global_pid), k->device, k->context, k->stream);
	}
	for (size_t i = 0; i < t->memcpy_count; i++)
		know_stream(joins, process_of(t->memcpy[i].global_pid), t->memcpy[i].device,
			    t->memcpy[i].context, t->memcpy[i].stream);
	for (size_t i = 0; i < t->memset_count; i++)
		know_stream(joins, process_of(t->memset[i].global_pid), t->memset[i].device,
			    t->memset[i].context, t->memset[i].stream);
	for (size_t i = 0; i < t->event_count; i++)
		know_stream(joins, process_of(t->event[i].global_pid), t->event[i].device,
			    t->event[i].context, t->event[i].stream);
	for (size_t i = 0; i < t->event_count; i++)
		map_put(&joins->stream_named, process_of(t->event[i].global_pid),
			t->event[i].stream, 1);
	for (size_t i = 0; i < t->sync_count; i++)
		if (t->sync[i].sync_type == 2 || t->sync[i].sync_type == 3)
			map_put(&joins->stream_named, process_of(t->sync[i].global_pid),
				t->sync[i].stream, 1);
	load_begins(joins);
	return 0;
}

struct trace_joins *trace_joins_new(const struct trace *trace)
{
	const char *path = trace->path ? trace->path : "trace";
	struct trace_joins *joins;

	if (trace->api_count == 0) {
		report("%s: holds no API calls, so nobody can say in what order its work was asked "
		       "for",
		       path);
		return NULL;
	}
	joins = xcalloc(1, sizeof(*joins));
	joins->trace = trace;
	joins->path = path;
	joins->call = xmalloc(trace->string_count * sizeof(*joins->call));
	for (size_t i = 0; i < trace->string_count; i++)
		joins->call[i] = call_of_name(trace->string[i]);
	joins->captured = captured_calls(trace);
	joins->switched = load_switched(trace);
	if (join(joins)) {
		trace_joins_free(joins);
		return NULL;
	}
	return joins;
}

void trace_joins_free(struct trace_joins *joins)
{
	if (!joins)
		return;
	free(joins->call);
	free(joins->captured);
	free(joins->switched);
	free(joins->work);
	free(joins->footprint);
	map_release(&joins->work_of);
	map_release(&joins->api_of);
	map_release(&joins->event_of);
	map_release(&joins->sync_of);
	map_release(&joins->footprint_of);
	map_release(&joins->context);
	map_release(&joins->stream_alone);
	map_release(&joins->stream_named);
	map_release(&joins->early);
	map_release(&joins->overlap);
	map_release(&joins->pause);
	map_release(&joins->beside);
	map_release(&joins->context_device);
	map_release(&joins->first_launch);
	free(joins);
}

void load_joins_release(struct load *load)
{
	map_release(&load->context);
	map_release(&load->stream);
	map_release(&load->stream_id);
	map_release(&load->kernel_name);
	map_release(&load->kernel_owner);
}

int load_stream(struct load *load, int64_t process, int32_t device, int32_t context, int32_t stream,
		const char *table, size_t row)
{
	const struct map *known = &load->joins->context;
	uint32_t context_number = map_get(known, process, context);
	if (context_number == MAP_NONE)
		context_number = map_intern(&load->context, process, context,
					    (uint32_t)(known->used + load->context.used));
	int64_t place = (int64_t)context_number << 16 | (device & 0xffff);
	uint32_t at;
	int64_t id = stream;

	if (stream < 0 || device < 0 || device >= LOAD_MAX_GPUS)
		return report("%s: %s row %zu names stream %" PRId32 " of GPU %" PRId32, load->path,
			      table, row + 1, stream, device);
	at = map_get(&load->stream, place, stream);
	if (at != MAP_NONE)
		return (int)at;
	if (load->schedule->stream_count >= 0xfffe)
		return report("%s: more than 65534 streams", load->path);
	/* Other contexts on the same GPU use the same numbers: theirs are told apart by the
	 * context. */
	if (map_get(&load->stream_id, device, id) != MAP_NONE)
		id |= (int64_t)(context_number + 1) << 32;
	at = schedule_add_stream(load->schedule, (uint16_t)device, id);
	map_put(&load->stream_id, device, id, at);
	map_put(&load->stream, place, stream, at);
	return (int)at;
}

int64_t load_work_end(const struct load *load, const struct work *work)
{
	const struct trace *t = load->trace;

	return work->kind == WORK_KERNEL ? t->kernel[work->row].end_ns
	       : work->kind == WORK_COPY ? t->memcpy[work->row].end_ns
					 : t->memset[work->row].end_ns;
}

int load_work_stream(struct load *load, const struct work *work)
{
	const struct trace *t = load->trace;

#define ROW(kind_, array)                                                                          \
	if (work->kind == kind_)                                                                   \
		return load_stream(load, work->pid, t->array[work->row].device,                    \
				   t->array[work->row].context, t->array[work->row].stream,        \
				   #array, work->row);
	ROW(WORK_KERNEL, kernel)
	ROW(WORK_COPY, memcpy)
	ROW(WORK_MEMSET, memset)
#undef ROW
	return -1;
}

int load_waiting_stream(struct load *load, size_t sync_row)
{
	const struct trace_sync *row = &load->trace->sync[sync_row];
	int64_t process = process_of(row->global_pid);
	uint32_t context = map_get(&load->joins->stream_alone, process, row->stream);
	uint32_t device;

	if (context != MAP_NONE && context != CONTEXT_SEVERAL) {
		device = map_get(&load->joins->context_device, process, context);
		if (device != MAP_NONE)
			return load_stream(load, process, (int32_t)device, (int32_t)context,
					   row->stream, "sync", sync_row);
	}
	return load_stream(load, process, row->device, row->context, row->stream, "sync", sync_row);
}

uint32_t load_kernel(struct load *load, const struct trace_kernel *kernel)
{
	uint32_t known = map_get(&load->kernel_name, kernel->demangled_name, kernel->short_name);
	char *name;

	if (known != MAP_NONE)
		return known;
	name = trace_kernel_name(load->trace, kernel);
	known = schedule_add_kernel(load->schedule, name);
	free(name);
	/* two overloads of one name keep their parameters */
	if (map_intern(&load->kernel_owner, known, 0, kernel->demangled_name) !=
	    kernel->demangled_name)
		known = schedule_add_kernel(load->schedule,
					    trace_text(load->trace, kernel->demangled_name));
	map_put(&load->kernel_name, kernel->demangled_name, kernel->short_name, known);
	return known;
}

static int compare_access(const void *left, const void *right)
{
	const struct schedule_access *a = left, *b = right;

	if (a->buffer != b->buffer)
		return a->buffer < b->buffer ? -1 : 1;
	return a->offset_bytes < b->offset_bytes ? -1 : a->offset_bytes > b->offset_bytes;
}

static int64_t distinct_bytes(const struct schedule_access *access, uint32_t count)
{
	struct schedule_access *sorted = xmalloc((count + 1) * sizeof(*sorted));
	int64_t total = 0, covered = INT64_MIN;

	memcpy(sorted, access, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_access);
	for (uint32_t i = 0; i < count; i++) {
		int64_t begin = sorted[i].offset_bytes, end;

		if (i == 0 || sorted[i].buffer != sorted[i - 1].buffer)
			covered = INT64_MIN;
		if (sorted[i].bytes <= 0 || __builtin_add_overflow(begin, sorted[i].bytes, &end))
			continue;
		if (begin < covered)
			begin = covered;
		if (end > begin && !__builtin_add_overflow(total, end - begin, &total))
			covered = end;
	}
	free(sorted);
	return total < 0 ? 0 : total;
}

static int64_t at_least_zero(int64_t value)
{
	return value > 0 ? value : 0;
}

uint32_t load_shape(struct load *load, const struct trace_kernel *kernel)
{
	const struct trace *t = load->trace;
	int64_t process = process_of(kernel->global_pid);
	uint32_t first = map_get(&load->joins->footprint_of, process, kernel->correlation),
		 count = 0, added;
	struct schedule_shape shape = { .path = -1,
					.steps = -1,
					.registers = kernel->registers,
					.shared_bytes = kernel->static_shared_bytes +
							kernel->dynamic_shared_bytes };
	struct schedule_access *access = NULL;

	memcpy(shape.grid, kernel->grid, sizeof(shape.grid));
	memcpy(shape.block, kernel->block, sizeof(shape.block));
	for (uint32_t i = first; first != MAP_NONE && i < load->joins->footprint_count;
	     i++, count++) {
		const struct trace_footprint *f = &t->footprint[load->joins->footprint[i]];

		if (process_of(f->global_pid) != process || f->correlation != kernel->correlation)
			break;
	}
	if (count) {
		const struct trace_footprint *f = &t->footprint[load->joins->footprint[first]];

		if (f->kernel) /* what its driver calls it, and so what a plan calls it */
			shape.kernel =
				schedule_add_kernel(load->schedule, trace_text(t, f->kernel));
		else
			shape.kernel = load_kernel(load, kernel);
		shape.rows = at_least_zero(f->rows);
		shape.columns = at_least_zero(f->columns);
		shape.points = at_least_zero(f->points);
		shape.dram_bytes = at_least_zero(f->dram_bytes);
		shape.resident_bytes = at_least_zero(f->resident_bytes);
		shape.path = f->path;
		shape.steps = f->steps;
		access = xmalloc(count * sizeof(*access));
		for (uint32_t i = 0; i < count; i++) {
			f = &t->footprint[load->joins->footprint[first + i]];
			access[i] = (struct schedule_access){ .buffer = f->buffer,
							      .mode = f->mode,
							      .offset_bytes = f->offset_bytes,
							      .bytes = f->bytes };
		}
		shape.footprint_bytes = distinct_bytes(access, count);
	} else {
		shape.kernel = load_kernel(load, kernel);
	}
	added = schedule_add_shape(load->schedule, &shape, access, count);
	free(access);
	return added;
}

uint32_t load_copy(struct load *load, const struct trace_memcpy *copy)
{
	enum {
		HOST_TO_DEVICE = 1,
		DEVICE_TO_HOST = 2,
		DEVICE_TO_DEVICE = 8,
		HOST_TO_HOST = 9,
		PEER = 10,
		PAGEABLE = 0
	};
	uint16_t gpu = (uint16_t)copy->device;
	bool source_known = copy->source_device >= 0 && copy->source_device < LOAD_MAX_GPUS;
	bool target_known = copy->target_device >= 0 && copy->target_device < LOAD_MAX_GPUS;
	uint16_t source = source_known ? (uint16_t)copy->source_device : gpu;
	uint16_t target = target_known ? (uint16_t)copy->target_device : gpu;
	struct schedule_copy c = { .bytes = at_least_zero(copy->bytes),
				   .rows = 1,
				   .source_gpu = source,
				   .target_gpu = target };

	switch (trace_copy_kind_of(copy->copy_kind, copy->source_kind, copy->target_kind)) {
	case HOST_TO_DEVICE:
		c.kind = COPY_H2D;
		c.source_gpu = 0xffff;
		c.pageable = copy->source_kind == PAGEABLE;
		break;
	case DEVICE_TO_HOST:
		c.kind = COPY_D2H;
		c.target_gpu = 0xffff;
		c.pageable = copy->target_kind == PAGEABLE;
		break;
	case HOST_TO_HOST:
		c.kind = COPY_H2H;
		c.source_gpu = c.target_gpu = 0xffff;
		c.pageable = copy->source_kind == PAGEABLE || copy->target_kind == PAGEABLE;
		break;
	default: /* within one GPU, between two, or arrays */
		c.kind = source == target ? COPY_D2D : COPY_PEER;
	}
	if (source_known && c.source_gpu != 0xffff && source >= load->schedule->gpu_count)
		load->schedule->gpu_count = source + 1u;
	if (target_known && c.target_gpu != 0xffff && target >= load->schedule->gpu_count)
		load->schedule->gpu_count = target + 1u;
	return schedule_add_copy(load->schedule, &c);
}

uint32_t load_memset(struct load *load, const struct trace_memset *row)
{
	uint16_t gpu = (uint16_t)row->device;
	struct schedule_copy c = { .kind = COPY_MEMSET,
				   .bytes = at_least_zero(row->bytes),
				   .rows = 1,
				   .source_gpu = gpu,
				   .target_gpu = gpu };

	return schedule_add_copy(load->schedule, &c);
}
