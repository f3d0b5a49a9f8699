/* SPDX-License-Identifier: MIT
 * From calls to operations: each call of a thread with the device work that its correlation id
 * names.
 *
 * What is assumed: a call that lies within another call of its thread (the driver's below the
 * runtime's) is part of it. A graph launch, and any other call with several device rows, becomes
 * that many operations, the first of which carries the host time; the order among them is that of
 * their streams, and the pauses between them are those recorded. A synchronous cudaMemcpy blocks
 * its caller until its last copy is made, one from GPU to GPU does not.
 */
#include <inttypes.h>
#include <string.h>

#include "schedule_load.h"
#include "traces/base/util.h"

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
	const struct item *first = &lane->item[at], *end = lane->item + lane->count,
			  *next = first + 1;

	while (!first->host_op && !first->collective && !first->message && next < end &&
	       !next->host_op && !next->collective && !next->message &&
	       next->start_ns < first->end_ns && next->end_ns <= first->end_ns)
		next++;
	return (struct group){ first, next };
}

/* What the group asks for: the outermost call that asks for something. */
static struct call call_of_group(const struct load *load, const struct group *group)
{
	for (const struct item *i = group->first; i < group->last; i++)
		if (load->joins->call[api_of(load, i)->name].kind != CALL_OTHER)
			return load->joins->call[api_of(load, i)->name];
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

/* Whether it is the first launch of the kernel of that name, or of any, in its process. */
static bool is_first(const struct load *load, uint32_t row, int64_t name)
{
	const struct trace_kernel *k = &load->trace->kernel[row];

	if (trace_get_meta(load->trace, "trimmed"))
		return false; /* what came before is not in the file */
	return map_get(&load->joins->first_launch, process_of(k->global_pid), name) == row;
}

static void note_loading(struct schedule *schedule)
{
	GROW(schedule->loading, schedule->loading_count, schedule->loading_capacity);
	schedule->loading[schedule->loading_count++] = schedule->op_count;
}

static int64_t span_ps(int64_t start_ns, int64_t end_ns)
{
	return start_ns == -1 || end_ns == -1 ? -1 : to_ps(end_ns - start_ns);
}

/* A copy from memory of a GPU to memory of a GPU: its call waits for nothing (CUDA Runtime API, API
 * synchronization behavior, Memcpy, synchronous, 4), even where it is made in two copies, by way
 * of the host. */
static bool from_gpu_to_gpu(const struct trace_memcpy *copy)
{
	return trace_copy_is_between_gpus(copy->copy_kind, copy->source_kind, copy->target_kind);
}

/* The operation of a device row; last: of its call. NULL after a message. */
static struct schedule_op *add_row(struct load *load, const struct work *work, struct call call,
				   bool last)
{
	const struct trace *t = load->trace;
	const uint32_t row = work->row;
	const int stream = load_work_stream(load, work);
	struct schedule_op *op;

	if (stream < 0)
		return NULL;
	if (work->kind == WORK_KERNEL) {
		const struct trace_kernel *k = &t->kernel[row];

		if (is_first(load, row, ANY_KERNEL))
			note_loading(load->schedule);
		op = schedule_add_op(load->schedule, OP_LAUNCH, (uint16_t)stream,
				     load_shape(load, k));
		op->duration_ps = span_ps(k->start_ns, k->end_ns);
		op->flags = is_first(load, row, k->demangled_name) ? OP_FIRST : 0;
		op->flags |= load->joins->switched && load->joins->switched[row] ? OP_SWITCHED : 0;
		op->flags |= load_is_early(load, k) ? OP_EARLY : 0;
		if (op->duration_ps > 0)
			op->duration_ps -= to_ps(load_overlap_ns(load, row));
		op->flags |= load_is_beside(load, k) ? OP_BESIDE : 0;
		load_collective_met(load, row);
	} else if (work->kind == WORK_COPY) {
		const struct trace_memcpy *c = &t->memcpy[row];

		op = schedule_add_op(load->schedule, OP_COPY, (uint16_t)stream, load_copy(load, c));
		op->duration_ps = span_ps(c->start_ns, c->end_ns);
		op->flags = call.blocking && last && !from_gpu_to_gpu(c) ? OP_BLOCKING : 0;
	} else {
		const struct trace_memset *m = &t->memset[row];

		op = schedule_add_op(load->schedule, OP_MEMSET, (uint16_t)stream,
				     load_memset(load, m));
		op->duration_ps = span_ps(m->start_ns, m->end_ns);
	}
	return op;
}

/* Whether rows of a call are the two halves of a copy between GPUs that do not reach each other. */
static bool by_host(const struct load *load, const struct work *work, uint32_t count,
		    struct call call)
{
	return call.kind == CALL_COPY && count == 2 && work[0].kind == WORK_COPY &&
	       work[1].kind == WORK_COPY && from_gpu_to_gpu(&load->trace->memcpy[work[0].row]) &&
	       from_gpu_to_gpu(&load->trace->memcpy[work[1].row]);
}

/* All device rows of one correlation; the first operation carries the host time before the call. */
static int add_work(struct load *load, uint32_t at, struct call call, int64_t called_ns,
		    int64_t before_ps)
{
	const struct work *first = &load->joins->work[at];
	struct schedule_op *op = NULL;
	struct graph *graph;
	uint32_t count = 1;

	while (at + count < load->joins->work_count && first[count].pid == first->pid &&
	       first[count].correlation == first->correlation)
		count++;
	if (load_graph(load, at, count, &graph) < 0)
		return -1;
	load_graph_begin(load, graph);
	for (uint32_t i = 0; i < count; i++) {
		load_graph_node(load, graph, i);
		op = add_row(load, &first[i], call, i + 1 == count);
		if (!op)
			break;
		op->value = graph ? load_graph_pause_ps(graph, i)
			    : op->kind == OP_LAUNCH && !load->schedule->config
				    ? to_ps(load_pause_ns(load, first[i].row))
				    : 0;
		op->flags |= i ? OP_IN_GRAPH : call.kind == CALL_GRAPH ? OP_GRAPH : 0;
		if (op->kind == OP_COPY && schedule_begins_graph(op))
			op->value = load_handed_over_ps(load, op, first[i].row, called_ns);
		op->flags |= !i && by_host(load, first, count, call) ? OP_BY_HOST : 0;
		op->flags |= load_graph_turns(graph, i) ? OP_TURN : 0;
		op->before_ps = before_ps;
		before_ps = 0;
		/* The call that launches such a graph comes back when its last copy is made. */
		if (i && i + 1 == count && op->kind == OP_COPY &&
		    load->schedule->copy[op->object].pageable)
			op->flags |= OP_BLOCKING;
		load_graph_node_end(load, graph, i);
	}
	load_graph_end(load, graph);
	return op ? 0 : -1;
}

static int add_host(struct load *load, const struct item *item, int64_t before_ps)
{
	struct schedule_op *op = schedule_add_op(load->schedule, OP_HOST, 0xffff, 0);

	op->before_ps = before_ps;
	op->duration_ps = to_ps(item->end_ns - item->start_ns);
	return 0;
}

/*
 * A call whose row is missing keeps the host time it took. One that was captured into a graph has
 * none and needs none: the graph's launch brings its work.
 */
static int add_unresolved(struct load *load, const struct item *item, int64_t before_ps,
			  enum anomaly anomaly)
{
	if (!load->joins->captured[item->row] || anomaly == ANOMALY_SYNC)
		load->anomaly[anomaly]++;
	return add_host(load, item, before_ps);
}

static int add_edge(struct load *load, enum op_kind kind, int stream, uint32_t object,
		    int64_t before_ps)
{
	struct schedule_op *op;

	if (stream < 0)
		return -1;
	op = schedule_add_op(load->schedule, kind, (uint16_t)stream, object);
	op->before_ps = before_ps;
	return 0;
}

/*
 * Waiting for the default stream of a thread (--default-stream per-thread), CUPTI names one that
 * nobody uses. It is the stream that the thread used last of those that no other call ever names.
 */
static int synchronised_stream(struct load *load, const struct group *group, uint32_t at)
{
	const struct trace_sync *row = &load->trace->sync[at];
	const int64_t process = process_of(row->global_pid);
	const char *name = trace_text(load->trace, api_of(load, group->first)->name);

	if (strstr(name, "_ptsz") &&
	    map_get(&load->joins->stream_alone, process, row->stream) == MAP_NONE) {
		load_streams_used(load);
		if (load->stream_own != 0xffff)
			return load->stream_own;
	}
	return load_stream(load, process, row->device, row->context, row->stream, "sync", at);
}

static int add_sync(struct load *load, const struct group *group, struct call call,
		    int64_t before_ps)
{
	static const int32_t sync_types[] = {
		[CALL_WAIT] = 2, [CALL_SYNC] = 3, [CALL_SYNC_EVENT] = 1, [CALL_SYNC_GPU] = 4
	};
	uint32_t at = joined(load, &load->joins->sync_of, group);
	const struct trace_sync *row = at == MAP_NONE ? NULL : &load->trace->sync[at];
	uint32_t event;

	if (!row || row->sync_type != sync_types[call.kind])
		return add_unresolved(load, group->first, before_ps,
				      call.kind == CALL_WAIT ? ANOMALY_WAIT : ANOMALY_SYNC);
	if (call.kind == CALL_SYNC)
		return add_edge(load, OP_SYNC, synchronised_stream(load, group, at), 0, before_ps);
	if (call.kind == CALL_SYNC_GPU) {
		if (row->device < 0 || row->device >= LOAD_MAX_GPUS)
			return report("%s: sync row %" PRIu32 " names GPU %" PRId32, load->path,
				      at + 1, row->device);
		if ((uint32_t)row->device >= load->schedule->gpu_count)
			load->schedule->gpu_count = (uint32_t)row->device + 1;
		return add_edge(load, OP_SYNC_GPU, 0xffff, (uint32_t)row->device, before_ps);
	}
	event = load->wait_event[at];
	if (event == EVENT_NONE)
		return add_unresolved(load, group->first, before_ps, ANOMALY_WAIT);
	return add_edge(load, call.kind == CALL_WAIT ? OP_WAIT : OP_SYNC_EVENT,
			call.kind == CALL_WAIT ? load_waiting_stream(load, at) : 0xffff,
			load_event_object(load, event), before_ps);
}

static int add_record(struct load *load, const struct group *group, int64_t before_ps)
{
	uint32_t at = joined(load, &load->joins->event_of, group);
	const struct trace_event *row = at == MAP_NONE ? NULL : &load->trace->event[at];

	if (!row)
		return add_unresolved(load, group->first, before_ps, ANOMALY_RECORD);
	return add_edge(load, OP_RECORD,
			load_stream(load, process_of(row->global_pid), row->device, row->context,
				    row->stream, "event", at),
			load_event_object(load, at), before_ps);
}

static int add_group(struct load *load, const struct group *group, int64_t before_ps)
{
	struct call call = call_of_group(load, group);
	uint32_t work = joined(load, &load->joins->work_of, group);

	if (api_of(load, group->first)->return_value != 0)
		return add_host(load, group->first, before_ps); /* it failed, or said "not ready" */
	if (work != MAP_NONE)
		return add_work(load, work, call, api_of(load, group->first)->start_ns, before_ps);
	switch (call.kind) {
	case CALL_LAUNCH:
	case CALL_GRAPH:
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
	case CALL_UNSEEN:
		add_host(load, group->first, before_ps);
		load_unrecorded(load, group->first);
		return 0;
	case CALL_OTHER:
	case CALL_QUERY:
	case CALL_CAPTURE:
	case CALL_CAPTURE_END:
		break;
	}
	return add_host(load, group->first, before_ps);
}

/*
 * Queries that say "not ready", one right after the other, and then one that says it is: a wait
 * that spins. How many items of the lane it has, from the first query to the last; 0: it is none,
 * and none begins before *none_until.
 * Two at least must have failed: a program that asks once may have had something else to do.
 */
static size_t spinning(const struct load *load, const struct lane *lane, size_t at,
		       size_t *none_until)
{
	enum { NOT_READY = 600, FAILED_AT_LEAST = 2 };
	size_t items = 0, failed = 0, found = 0;

	while (at >= *none_until && at + items < lane->count && !found) {
		const struct group group = group_at(lane, at + items);
		const struct item *first = group.first;

		if (first->host_op || first->collective || first->message ||
		    load_is_hidden(load, first) ||
		    load->joins->call[api_of(load, first)->name].kind != CALL_QUERY)
			break;
		items += (size_t)(group.last - first);
		if (api_of(load, first)->return_value == NOT_READY) {
			failed++;
			continue;
		}
		const uint32_t sync = joined(load, &load->joins->sync_of, &group);

		if (api_of(load, first)->return_value != 0 || failed < FAILED_AT_LEAST ||
		    sync == MAP_NONE || load->trace->sync[sync].sync_type != 1 ||
		    load->wait_event[sync] == EVENT_NONE)
			break;
		found = items;
	}
	if (!found && at + items > *none_until)
		*none_until = at + items;
	return found;
}

/* All of a wait that spins, in one operation. Who came after one of its queries has not waited for
 * what they ask for. */
static int add_spinning(struct load *load, const struct lane *lane, size_t at, size_t items,
			int64_t before_ps)
{
	const struct item *first = &lane->item[at];
	struct group last = { first, first };
	int64_t queries = 0;
	int rc;

	while (last.last < first + items) {
		last = group_at(lane, at + (size_t)(last.last - first));
		if (last.last < first + items)
			load_turn_end(load, last.first);
		queries++;
	}
	if (last.first != first)
		load_turn_begin(load, last.first); /* whoever recorded the event */
	rc = add_edge(load, OP_SYNC_EVENT, 0xffff,
		      load_event_object(
			      load, load->wait_event[joined(load, &load->joins->sync_of, &last)]),
		      before_ps);
	struct schedule_op *op = &load->schedule->op[load->schedule->op_count - 1];

	op->flags = OP_SPIN;
	op->duration_ps = to_ps((last.first->start_ns - first->start_ns) / (queries - 1));
	return rc;
}

/* Of the operation that is added next. */
static void note_queries(struct schedule *schedule, const struct trace_api *call)
{
	if (call->queries_ns <= 0)
		return;
	GROW(schedule->queries, schedule->queries_count, schedule->queries_capacity);
	schedule->queries[schedule->queries_count++] =
		(struct schedule_queries){ schedule->op_count, call->queries_ns };
}

/* Of the operation that is added next: stretches whose notes were written outside of them. */
static void note_hidden(const struct load *load, uint32_t *stretches)
{
	struct schedule *schedule = load->schedule;

	if (!*stretches || trace_get_meta(load->trace, "virtual_notes"))
		return;
	GROW(schedule->hidden, schedule->hidden_count, schedule->hidden_capacity);
	schedule->hidden[schedule->hidden_count++] =
		(struct schedule_hidden){ schedule->op_count, *stretches };
	*stretches = 0;
}

/* What CUDA waits for by itself before a call. */
static int add_implicit(struct load *load, const struct group *group)
{
	int rc = 0;

	if (group->first->host_op || group->first->collective || group->first->message)
		return 0;
	for (const struct item *i = group->first; i < group->last && rc == 0; i++)
		rc = load_implicit_waits(load, i->row);
	return rc;
}

/* Until the call of MPI that the group is. */
static int64_t message_think_ns(const struct load *load, const struct group *group, int64_t now_ns)
{
	return load->trace->message[group->first->row].start_ns - now_ns;
}

int load_lane(struct load *load, const struct lane *lane)
{
	int64_t now_ns = load->begin_ns;
	int64_t before_hidden_ns = 0; /* since the last call, but for what was hidden since */
	uint32_t hidden = 0;	      /* stretches since */
	size_t none_until = 0;	      /* waits that spin */
	struct map met = { 0 };
	int rc = 0;

	load_nvtx_thread(load, lane->item->tid);
	for (size_t i = 0; i < lane->count && rc == 0;) {
		struct group group = group_at(lane, i);
		const struct item *done = group.first; /* the call that ends last */
		size_t spun;
		const struct item *after =
			group.first->turn_after ? &load->item[group.first->turn_after - 1] : NULL;
		const int64_t waited_ns =
			group.first->start_ns -
			(after && after->end_ns > now_ns ? after->end_ns : now_ns);

		if (load_is_hidden(load, group.first)) {
			before_hidden_ns += waited_ns > 0 ? waited_ns : 0;
			now_ns = group.first->end_ns > now_ns ? group.first->end_ns : now_ns;
			hidden++;
			i++;
			continue;
		}
		/* What a call of MPI waited is no time of the thread's. */
		const int64_t think_ns =
			group.first->message ? message_think_ns(load, &group, now_ns) : waited_ns;
		const int64_t before_ps =
			to_ps((after ? 0 : before_hidden_ns) + (think_ns > 0 ? think_ns : 0));
		before_hidden_ns = 0;
		load_turn_begin(load, group.first);
		rc = add_implicit(load, &group);
		if (rc < 0)
			break;
		const int64_t first_op = load->schedule->op_count;
		note_hidden(load, &hidden);
		if (after)
			load_nvtx_until(load, after->end_ns, 2 * first_op - 1);
		load_nvtx_until(load, group.first->start_ns, 2 * first_op);
		if (group.first->host_op) {
			load_host_op(load, &load->trace->host_op[group.first->row], &met,
				     before_ps);
		} else if (group.first->message) {
			load_message(load, group.first, before_ps);
		} else if (group.first->collective) {
			rc = load_nccl_launches(load, group.first->row, before_ps);
		} else if ((spun = spinning(load, lane, i, &none_until))) {
			note_queries(load->schedule, api_of(load, group.first));
			rc = add_spinning(load, lane, i, spun, before_ps);
			while (group.last < lane->item + i + spun) {
				const struct group next =
					group_at(lane, (size_t)(group.last - lane->item));
				done = next.first;
				group.last = next.last;
			}
		} else {
			const int64_t op = load->schedule->op_count;

			note_queries(load->schedule, api_of(load, group.first));
			rc = add_group(load, &group, before_ps);
			load_call_took(load, op, group.first->end_ns - group.first->start_ns);
		}
		load_nvtx_until(load, done->end_ns, 2 * load->schedule->op_count - 1);
		load_turn_end(load, done);
		if (done->end_ns > now_ns)
			now_ns = done->end_ns;
		i += (size_t)(group.last - group.first);
	}
	load_nvtx_rest(load);
	map_release(&met);
	return rc;
}
