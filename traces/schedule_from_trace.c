/* SPDX-License-Identifier: MIT
 * A recorded trace becomes a schedule: the calls of each host thread, in the order in which they were made, each with the
 * device work that its correlation id names.
 *
 * What is assumed: a call that lies within another call of its thread (the driver's below the runtime's) is part of it. A
 * graph launch, and any other call with several device rows, becomes that many operations, the first of which carries the host
 * time; the order among them is that of their streams. A synchronous cudaMemcpy blocks its caller. A thread that only works
 * on the host in a run whose threads meet at barriers (it allocates, it waits for them to end) is not part of the run.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "schedule_load.h"
#include "util.h"

/* One call or host operation of a thread. */
struct item {
	int64_t tid, start_ns, end_ns;
	bool host_op;
	int32_t event_class;
	uint32_t row;
};

static int compare_items(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->host_op != b->host_op)
		return a->host_op ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return !a->host_op == (a->end_ns > b->end_ns) ? -1 : 1; /* the outer call first; a mark before the wait it begins */
	if (a->event_class != b->event_class)
		return a->event_class < b->event_class ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* A thread of the run: its items, and what they are. */
struct lane {
	struct item *item;
	size_t count;
	uint16_t gpu;     /* that most of its device work is on; 0xffff none */
	bool device_work; /* or edges between streams */
	bool barriers;
};

/* A call with the calls inside it: [first, last). */
struct group {
	const struct item *first, *last;
};

static const struct trace_api *api_of(const struct load *load, const struct item *item)
{
	return &load->trace->api[item->row];
}

static struct group group_at(const struct lane *lane, size_t at)
{
	const struct item *first = &lane->item[at], *end = lane->item + lane->count, *next = first + 1;

	while (!first->host_op && next < end && !next->host_op && next->start_ns < first->end_ns && next->end_ns <= first->end_ns)
		next++;
	return (struct group){ first, next };
}

/* What the group asks for: the outermost call that asks for something. */
static struct call call_of_group(const struct load *load, const struct group *group)
{
	for (const struct item *i = group->first; i < group->last; i++)
		if (load->call[api_of(load, i)->name].kind != CALL_OTHER)
			return load->call[api_of(load, i)->name];
	return (struct call){ .kind = CALL_OTHER };
}

/* The first row that a call of the group leads to in a join. */
static uint32_t joined(const struct load *load, const struct map *map, const struct group *group)
{
	uint32_t found = MAP_NONE;

	for (const struct item *i = group->first; i < group->last && found == MAP_NONE; i++)
		found = map_get(map, process_of(i->tid), api_of(load, i)->correlation);
	return found;
}

/* ---- from calls to operations ---- */

static bool first_of_kernel(const struct load *load, uint32_t row)
{
	const struct trace_kernel *k = &load->trace->kernel[row];

	return map_get(&load->first_launch, process_of(k->global_pid), k->demangled_name) == row;
}

static int64_t span_ps(int64_t start_ns, int64_t end_ns)
{
	return start_ns == -1 || end_ns == -1 ? -1 : to_ps(end_ns - start_ns);
}

/* All device rows of one correlation; the first operation carries the host time before the call. */
static int add_work(struct load *load, uint32_t at, struct call call, int64_t before_ps)
{
	const struct trace *t = load->trace;
	const struct work first = load->work[at];

	for (; at < load->work_count && load->work[at].pid == first.pid && load->work[at].correlation == first.correlation; at++) {
		uint32_t row = load->work[at].row;
		struct schedule_op *op;
		int stream;

		if (load->work[at].kind == WORK_KERNEL) {
			const struct trace_kernel *k = &t->kernel[row];

			stream = load_stream(load, first.pid, k->device, k->context, k->stream, "kernel", row);
			if (stream < 0)
				return -1;
			op = schedule_add_op(load->schedule, OP_LAUNCH, (uint16_t)stream, load_shape(load, k));
			op->duration_ps = span_ps(k->start_ns, k->end_ns);
			op->flags = first_of_kernel(load, row) ? OP_FIRST : 0;
		} else if (load->work[at].kind == WORK_COPY) {
			const struct trace_memcpy *c = &t->memcpy[row];

			stream = load_stream(load, first.pid, c->device, c->context, c->stream, "memcpy", row);
			if (stream < 0)
				return -1;
			op = schedule_add_op(load->schedule, OP_COPY, (uint16_t)stream, load_copy(load, c));
			op->duration_ps = span_ps(c->start_ns, c->end_ns);
			op->flags = call.blocking ? OP_BLOCKING : 0;
		} else {
			const struct trace_memset *m = &t->memset[row];

			stream = load_stream(load, first.pid, m->device, m->context, m->stream, "memset", row);
			if (stream < 0)
				return -1;
			op = schedule_add_op(load->schedule, OP_MEMSET, (uint16_t)stream, load_memset(load, m));
			op->duration_ps = span_ps(m->start_ns, m->end_ns);
		}
		op->before_ps = before_ps;
		before_ps = 0;
	}
	return 0;
}

static int add_host(struct load *load, const struct item *item, int64_t before_ps)
{
	struct schedule_op *op = schedule_add_op(load->schedule, OP_HOST, 0xffff, 0);

	op->before_ps = before_ps;
	op->duration_ps = to_ps(item->end_ns - item->start_ns);
	return 0;
}

/* A call whose row is missing keeps the host time it took. */
static int add_unresolved(struct load *load, const struct item *item, int64_t before_ps, enum anomaly anomaly)
{
	load->anomaly[anomaly]++;
	return add_host(load, item, before_ps);
}

static int add_edge(struct load *load, enum op_kind kind, int stream, uint32_t object, int64_t before_ps)
{
	struct schedule_op *op;

	if (stream < 0)
		return -1;
	op = schedule_add_op(load->schedule, kind, (uint16_t)stream, object);
	op->before_ps = before_ps;
	return 0;
}

static int add_sync(struct load *load, const struct group *group, struct call call, int64_t before_ps)
{
	static const int32_t sync_types[] = { [CALL_WAIT] = 2, [CALL_SYNC] = 3, [CALL_SYNC_EVENT] = 1, [CALL_SYNC_GPU] = 4 };
	uint32_t at = joined(load, &load->sync_of, group);
	const struct trace_sync *row = at == MAP_NONE ? NULL : &load->trace->sync[at];
	uint32_t event;

	if (!row || row->sync_type != sync_types[call.kind])
		return add_unresolved(load, group->first, before_ps, call.kind == CALL_WAIT ? ANOMALY_WAIT : ANOMALY_SYNC);
	if (call.kind == CALL_SYNC)
		return add_edge(load, OP_SYNC, load_stream(load, process_of(row->global_pid), row->device, row->context, row->stream, "sync", at),
				0, before_ps);
	if (call.kind == CALL_SYNC_GPU) {
		if (row->device < 0 || row->device >= LOAD_MAX_GPUS)
			return report("%s: sync row %" PRIu32 " names GPU %" PRId32, load->path, at + 1, row->device);
		if ((uint32_t)row->device >= load->schedule->gpu_count)
			load->schedule->gpu_count = (uint32_t)row->device + 1;
		return add_edge(load, OP_SYNC_GPU, 0xffff, (uint32_t)row->device, before_ps);
	}
	event = load->wait_event[at];
	if (event == EVENT_NONE)
		return add_unresolved(load, group->first, before_ps, ANOMALY_WAIT);
	return add_edge(load, call.kind == CALL_WAIT ? OP_WAIT : OP_SYNC_EVENT, call.kind == CALL_WAIT ? load_waiting_stream(load, at) : 0xffff,
			load_event_object(load, event), before_ps);
}

static int add_record(struct load *load, const struct group *group, int64_t before_ps)
{
	uint32_t at = joined(load, &load->event_of, group);
	const struct trace_event *row = at == MAP_NONE ? NULL : &load->trace->event[at];

	if (!row)
		return add_unresolved(load, group->first, before_ps, ANOMALY_RECORD);
	return add_edge(load, OP_RECORD, load_stream(load, process_of(row->global_pid), row->device, row->context, row->stream, "event", at),
			load_event_object(load, at), before_ps);
}

static int add_group(struct load *load, const struct group *group, int64_t before_ps)
{
	struct call call = call_of_group(load, group);
	uint32_t work = joined(load, &load->work_of, group);

	if (api_of(load, group->first)->return_value != 0)
		return add_host(load, group->first, before_ps); /* it failed, or said "not ready" */
	if (work != MAP_NONE)
		return add_work(load, work, call, before_ps);
	switch (call.kind) {
	case CALL_LAUNCH:
	case CALL_COPY:
	case CALL_MEMSET:
		return add_unresolved(load, group->first, before_ps, ANOMALY_ORPHAN_CALL);
	case CALL_RECORD:
		return add_record(load, group, before_ps);
	case CALL_WAIT:
	case CALL_SYNC:
	case CALL_SYNC_EVENT:
	case CALL_SYNC_GPU:
		return add_sync(load, group, call, before_ps);
	case CALL_OTHER:
		break;
	}
	return add_host(load, group->first, before_ps);
}

static int add_lane(struct load *load, const struct lane *lane)
{
	int64_t now_ns = load->begin_ns;
	struct map met = { 0 };
	int rc = 0;

	for (size_t i = 0; i < lane->count && rc == 0;) {
		struct group group = group_at(lane, i);
		int64_t before_ps = to_ps(group.first->start_ns - now_ns);

		if (group.first->host_op)
			load_host_op(load, &load->trace->host_op[group.first->row], &met, before_ps);
		else
			rc = add_group(load, &group, before_ps);
		if (group.first->end_ns > now_ns)
			now_ns = group.first->end_ns;
		i += (size_t)(group.last - group.first);
	}
	map_release(&met);
	return rc;
}

/* ---- from rows to threads ---- */

static int find_run(struct load *load, int run)
{
	const struct trace *t = load->trace;
	const struct trace_run *r;

	load->begin_ns = INT64_MAX;
	load->end_ns = INT64_MAX;
	if (run >= 0 && (size_t)run >= t->run_count)
		return report("%s: run %d was asked for, but it holds %zu", load->path, run, t->run_count);
	r = run >= 0 ? &t->run[run] : t->run_count == 1 ? &t->run[0] : NULL;
	if (r && r->solver) {
		load->schedule->solver = xstrdup(trace_text(t, r->solver));
		load->schedule->config = xstrdup(trace_text(t, r->config));
	}
	if (run < 0)
		return 0;
	if (r->start_ns == -1 || (r->end_ns != -1 && r->end_ns < r->start_ns))
		return report("%s: run %d ends before it starts", load->path, run);
	if (r->gpus > LOAD_MAX_GPUS)
		return report("%s: run %d says it used %" PRId32 " GPUs", load->path, run, r->gpus);
	load->begin_ns = r->start_ns;
	load->end_ns = r->end_ns == -1 ? INT64_MAX : r->end_ns;
	if (r->gpus > 0)
		load->schedule->gpu_count = (uint32_t)r->gpus;
	return 0;
}

static bool inside(const struct load *load, int run, int64_t at_ns)
{
	return run < 0 || (at_ns >= load->begin_ns && at_ns <= load->end_ns);
}

/* All items of the run, by thread and time; -1 after a message. */
static int64_t collect(struct load *load, int run, struct item **items)
{
	const struct trace *t = load->trace;
	struct item *item = xmalloc((t->api_count + t->host_op_count + 1) * sizeof(*item));
	size_t count = 0;

	*items = item;
	for (size_t i = 0; i < t->api_count; i++) {
		const struct trace_api *a = &t->api[i];

		if (a->start_ns == -1 || a->end_ns == -1) {
			load->anomaly[ANOMALY_CALL_TIME]++;
			continue;
		}
		if (a->end_ns < a->start_ns)
			return report("%s: api row %zu (%s) ends %" PRId64 " ns before it starts", load->path, i + 1,
				      trace_text(t, a->name), a->start_ns - a->end_ns);
		if (inside(load, run, a->start_ns))
			item[count++] = (struct item){ .tid = a->global_tid, .start_ns = a->start_ns, .end_ns = a->end_ns,
						       .event_class = a->event_class, .row = (uint32_t)i };
	}
	for (size_t i = 0; i < t->host_op_count; i++) {
		const struct trace_host_op *h = &t->host_op[i];

		if (h->start_ns == -1 || h->end_ns < h->start_ns)
			return report("%s: host_op row %zu ends before it starts", load->path, i + 1);
		if (inside(load, run, h->start_ns))
			item[count++] = (struct item){ .tid = h->global_tid, .start_ns = h->start_ns, .end_ns = h->end_ns,
						       .host_op = true, .row = (uint32_t)i };
	}
	qsort(item, count, sizeof(*item), compare_items);
	for (size_t i = 0; i < count && run < 0; i++)
		if (item[i].start_ns < load->begin_ns)
			load->begin_ns = item[i].start_ns;
	for (size_t i = 0; i < count; i++)
		if (item[i].end_ns - load->begin_ns > LOAD_MAX_NS)
			return report("%s: %s row %" PRIu32 " ends %" PRId64 " s after the beginning", load->path,
				      item[i].host_op ? "host_op" : "api", item[i].row + 1, (item[i].end_ns - load->begin_ns) / 1000000000);
	return (int64_t)count;
}

/* Which GPU a lane drives: where most of its device work is, the lowest number when equal. */
static void describe_lane(const struct load *load, struct lane *lane)
{
	int64_t *votes = xcalloc(LOAD_MAX_GPUS, sizeof(*votes)), most = 0;

	lane->gpu = 0xffff;
	for (size_t i = 0; i < lane->count; i++) {
		const struct item *item = &lane->item[i];
		struct group one = { item, item + 1 };
		uint32_t work;
		int32_t device = -1;

		if (item->host_op) {
			lane->barriers |= load->trace->host_op[item->row].kind == NOTE_BARRIER;
			continue;
		}
		lane->device_work |= load->call[api_of(load, item)->name].kind != CALL_OTHER;
		work = joined(load, &load->work_of, &one);
		if (work == MAP_NONE)
			continue;
		lane->device_work = true;
		if (load->work[work].kind == WORK_KERNEL)
			device = load->trace->kernel[load->work[work].row].device;
		else if (load->work[work].kind == WORK_COPY)
			device = load->trace->memcpy[load->work[work].row].device;
		else
			device = load->trace->memset[load->work[work].row].device;
		votes[device]++; /* join_work has checked the range */
	}
	for (int g = 0; g < LOAD_MAX_GPUS; g++)
		if (votes[g] > most) {
			most = votes[g];
			lane->gpu = (uint16_t)g;
		}
	free(votes);
}

static int compare_lanes(const void *left, const void *right)
{
	const struct lane *a = left, *b = right;

	if (a->gpu != b->gpu)
		return a->gpu < b->gpu ? -1 : 1;
	return a->item->tid < b->item->tid ? -1 : a->item->tid > b->item->tid;
}

static const char *thread_name(const struct trace *trace, int64_t tid)
{
	for (size_t i = 0; i < trace->thread_count; i++)
		if (trace->thread[i].global_tid == tid)
			return trace_text(trace, trace->thread[i].name);
	return "";
}

static int add_lanes(struct load *load, struct item *item, size_t count)
{
	struct lane *lane = xcalloc(count + 1, sizeof(*lane));
	size_t lanes = 0;
	bool barriers = false;
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		if (i == 0 || item[i].tid != item[i - 1].tid)
			lane[lanes++].item = &item[i];
		lane[lanes - 1].count++;
	}
	for (size_t i = 0; i < lanes; i++) {
		describe_lane(load, &lane[i]);
		barriers |= lane[i].barriers;
	}
	qsort(lane, lanes, sizeof(*lane), compare_lanes);
	for (size_t i = 0; i < lanes && rc == 0; i++) {
		const char *given = thread_name(load->trace, lane[i].item->tid);
		char *name;

		if (barriers && !lane[i].barriers && !lane[i].device_work)
			continue;
		name = *given ? xstrdup(given) : xprintf("thread %" PRId64, lane[i].item->tid & 0xffffff);
		schedule_add_thread(load->schedule, name, lane[i].gpu);
		free(name);
		rc = add_lane(load, &lane[i]);
	}
	free(lane);
	return rc;
}

/* ---- what could not be placed ---- */

static void count_orphans(struct load *load, int run)
{
	for (uint32_t i = 0; i < load->work_count; i++) {
		const struct work *w = &load->work[i];

		if (map_get(&load->api_of, w->pid, w->correlation) == MAP_NONE && inside(load, run, w->start_ns))
			load->anomaly[ANOMALY_ORPHAN_WORK]++;
	}
}

static void tell_anomalies(const struct load *load)
{
	static const char *const meaning[ANOMALY_COUNT] = {
		[ANOMALY_ORPHAN_WORK] = "kernels or copies that no API call asked for: left out",
		[ANOMALY_ORPHAN_CALL] = "launch or copy calls without device work: host time only",
		[ANOMALY_RECORD] = "event records without their row: host time only",
		[ANOMALY_WAIT] = "waits for an event that was never recorded: host time only",
		[ANOMALY_SYNC] = "synchronizations without their row: host time only",
		[ANOMALY_AWAIT] = "host awaits that nobody posts: host time only",
		[ANOMALY_BARRIER] = "host barriers that not every thread meets: host time only",
		[ANOMALY_CALL_TIME] = "API calls without times: left out",
	};

	for (int i = 0; i < ANOMALY_COUNT; i++) {
		if (!load->anomaly[i])
			continue;
		load->schedule->anomaly_count += load->anomaly[i];
		report_warning("%s: %" PRId64 " %s", load->path, load->anomaly[i], meaning[i]);
	}
}

int schedule_from_trace(struct schedule *schedule, const struct trace *trace, int run)
{
	struct load load = { .schedule = schedule, .trace = trace, .path = trace->path ? trace->path : "trace" };
	struct item *item = NULL;
	int64_t count;
	int rc = -1;

	if (trace->api_count == 0)
		return report("%s: holds no API calls, so nobody can say in what order its work was asked for", load.path);
	load.call = xmalloc(trace->string_count * sizeof(*load.call));
	for (size_t i = 0; i < trace->string_count; i++)
		load.call[i] = call_of_name(trace->string[i]);
	if (find_run(&load, run) < 0 || load_joins(&load) < 0)
		goto out;
	load_events(&load);
	count = collect(&load, run, &item);
	if (count < 0 || add_lanes(&load, item, (size_t)count) < 0)
		goto out;
	if (schedule->thread_count == 0) {
		report("%s: run %d holds no API calls", load.path, run);
		goto out;
	}
	load_host_finish(&load);
	count_orphans(&load, run);
	tell_anomalies(&load);
	rc = schedule_validate(schedule, load.path);
out:
	free(load.call);
	free(item);
	load_events_release(&load);
	load_host_release(&load);
	load_joins_release(&load);
	return rc;
}
