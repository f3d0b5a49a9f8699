/* SPDX-License-Identifier: MIT
 * A recorded trace becomes a schedule: the run, its threads, the calls of each in the order in
 * which they were made.
 *
 * A thread that only works on the host in a run whose threads meet at barriers (it allocates, it
 * waits for them to end) is not part of the run.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/format/annotate.h"
#include "schedule_from_trace.h"
#include "schedule_load.h"
#include "traces/base/util.h"

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
		return !a->host_op == (a->end_ns > b->end_ns)
			       ? -1
			       : 1; /* the outer call first; a mark before the wait it begins */
	if (a->event_class != b->event_class)
		return a->event_class < b->event_class ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static int find_run(struct load *load, int run)
{
	const struct trace *t = load->trace;
	const struct trace_run *r;

	load->begin_ns = INT64_MAX;
	load->end_ns = INT64_MAX;
	if (run >= 0 && (size_t)run >= t->run_count)
		return report("%s: run %d was asked for, but it holds %zu", load->path, run,
			      t->run_count);
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
	struct item *item = xmalloc((t->api_count + t->host_op_count + load->collective_rows +
				     2 * t->message_count + 1) *
				    sizeof(*item));
	size_t count = 0;

	*items = item;
	for (size_t i = 0; i < t->api_count; i++) {
		const struct trace_api *a = &t->api[i];

		if (a->start_ns == -1 || a->end_ns == -1) {
			load->anomaly[ANOMALY_CALL_TIME]++;
			continue;
		}
		if (a->end_ns < a->start_ns)
			return report("%s: api row %zu (%s) ends %" PRId64 " ns before it starts",
				      load->path, i + 1, trace_text(t, a->name),
				      a->start_ns - a->end_ns);
		if (inside(load, run, a->start_ns))
			item[count++] = (struct item){ .tid = a->global_tid,
						       .start_ns = a->start_ns,
						       .end_ns = a->end_ns,
						       .event_class = a->event_class,
						       .row = (uint32_t)i };
	}
	for (size_t i = 0; i < t->host_op_count; i++) {
		const struct trace_host_op *h = &t->host_op[i];

		if (h->start_ns == -1 || h->end_ns < h->start_ns)
			return report("%s: host_op row %zu ends before it starts", load->path,
				      i + 1);
		if (inside(load, run, h->start_ns))
			item[count++] = (struct item){ .tid = h->global_tid,
						       .start_ns = h->start_ns,
						       .end_ns = h->end_ns,
						       .host_op = true,
						       .row = (uint32_t)i };
	}
	for (uint32_t i = 0; i < load->collective_rows; i += load_nccl_call(load, i)) {
		const struct trace_collective *c = &t->collective[load->collective_row[i]];

		if (c->start_ns == -1 || c->end_ns < c->start_ns)
			return report("%s: collective row %" PRIu32 " ends before it starts",
				      load->path, load->collective_row[i] + 1);
		if (inside(load, run, c->start_ns))
			item[count++] = (struct item){ .tid = c->global_tid,
						       .start_ns = c->start_ns,
						       .end_ns = c->end_ns,
						       .collective = true,
						       .row = i };
	}
	for (size_t i = 0; i < t->message_count; i++)
		if (inside(load, run, t->message[i].start_ns))
			count += load_message_items(load, i, &item[count]);
	qsort(item, count, sizeof(*item), compare_items);
	if (load_messages_outside(item, count))
		qsort(item, count, sizeof(*item), compare_items);
	for (size_t i = 0; i < count && run < 0; i++)
		if (item[i].start_ns < load->begin_ns)
			load->begin_ns = item[i].start_ns;
	for (size_t i = 0; i < count; i++)
		if (item[i].end_ns - load->begin_ns > LOAD_MAX_NS)
			return report(
				"%s: %s row %" PRIu32 " ends %" PRId64 " s after the beginning",
				load->path,
				item[i].host_op	     ? "host_op"
				: item[i].message    ? "message"
				: item[i].collective ? "collective"
						     : "api",
				item[i].row + 1, (item[i].end_ns - load->begin_ns) / 1000000000);
	return (int64_t)count;
}

/* Which GPU a lane drives: where most of its device work is, the lowest number when equal. */
static void describe_lane(const struct load *load, struct lane *lane)
{
	int64_t *votes = xcalloc(LOAD_MAX_GPUS, sizeof(*votes)), most = 0;

	lane->gpu = 0xffff;
	for (size_t i = 0; i < lane->count; i++) {
		const struct item *item = &lane->item[i];
		uint32_t work;
		int32_t device = -1;

		if (item->host_op) {
			lane->barriers |= load->trace->host_op[item->row].kind == NOTE_BARRIER;
			continue;
		}
		if (item->message) {
			lane->device_work = true;
			continue;
		}
		if (item->collective) {
			lane->device_work = true;
			device = load->trace->collective[load->collective_row[item->row]].device;
			if (device >= 0 && device < LOAD_MAX_GPUS)
				votes[device]++;
			continue;
		}
		lane->device_work |=
			load->joins->call[load->trace->api[item->row].name].kind != CALL_OTHER;
		work = map_get(&load->joins->work_of, process_of(item->tid),
			       load->trace->api[item->row].correlation);
		if (work == MAP_NONE)
			continue;
		lane->device_work = true;
		if (load->joins->work[work].kind == WORK_KERNEL)
			device = load->trace->kernel[load->joins->work[work].row].device;
		else if (load->joins->work[work].kind == WORK_COPY)
			device = load->trace->memcpy[load->joins->work[work].row].device;
		else
			device = load->trace->memset[load->joins->work[work].row].device;
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
		name = *given ? xstrdup(given)
			      : xprintf("thread %" PRId64, lane[i].item->tid & 0xffffff);
		const uint32_t thread = schedule_add_thread(load->schedule, name, lane[i].gpu);
		load->schedule->thread[thread].process = process_of(lane[i].item->tid);
		free(name);
		rc = load_lane(load, &lane[i]);
	}
	free(lane);
	return rc;
}

/* How many processes the run had, and where there are several, the most threads of one. */
static void count_processes(struct schedule *schedule)
{
	struct map threads = { 0 };
	uint32_t most = 0;

	for (uint32_t t = 0; t < schedule->thread_count; t++) {
		const int64_t process = schedule->thread[t].process;
		const uint32_t before = map_intern(&threads, process, 0, 0), count = before + 1;

		map_put(&threads, process, 0, count);
		most = count > most ? count : most;
	}
	schedule->processes = (uint32_t)threads.used;
	if (threads.used > 1)
		schedule->contending = most;
	map_release(&threads);
}

static void count_orphans(struct load *load, int run)
{
	for (uint32_t i = 0; i < load->joins->work_count; i++) {
		const struct work *w = &load->joins->work[i];

		if (map_get(&load->joins->api_of, w->pid, w->correlation) == MAP_NONE &&
		    inside(load, run, w->start_ns))
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
		[ANOMALY_COLLECTIVE] =
			("operations of several GPUs that not all ranks called: they "
			 "wait for nobody else"),
		[ANOMALY_CALL_TIME] = "API calls without times: left out",
	};

	for (int i = 0; i < ANOMALY_COUNT; i++) {
		if (!load->anomaly[i])
			continue;
		load->schedule->anomaly_count += load->anomaly[i];
		report_warning("%s: %" PRId64 " %s", load->path, load->anomaly[i], meaning[i]);
	}
}

/* Only threads that tell of themselves have them: these need no guess at who waits for whom. */
static bool has_barriers(const struct trace *trace)
{
	for (size_t i = 0; i < trace->host_op_count; i++)
		if (trace->host_op[i].kind == NOTE_BARRIER)
			return true;
	return false;
}

int schedule_from_joins(struct schedule *schedule, const struct trace_joins *joins, int run)
{
	const struct trace *trace = joins->trace;
	struct load load = {
		.schedule = schedule, .trace = trace, .joins = joins, .path = joins->path
	};
	struct item *item = NULL;
	int64_t count;
	int rc = -1;

	schedule->virtual_gpus = trace_virtual_gpus(trace);
	load_virtual_memory(&load);
	if (find_run(&load, run) < 0 || load_nccl(&load) < 0 || load_messages(&load) < 0)
		goto out;
	load_events(&load);
	load_implicit(&load);
	count = collect(&load, run, &item);
	load.item = item;
	if (count > 0 && !schedule->config && !has_barriers(trace))
		load_turns(&load, item, (size_t)count);
	if (count >= 0 && !schedule->config)
		load_collectives(&load);
	if (count >= 0)
		load_nvtx(&load, run);
	if (count < 0 || add_lanes(&load, item, (size_t)count) < 0)
		goto out;
	if (schedule->thread_count == 0) {
		report("%s: run %d holds no API calls", load.path, run);
		goto out;
	}
	load_nccl_finish(&load);
	load_collectives_finish(&load);
	count_processes(schedule);
	load_host_finish(&load);
	load_calls_finish(&load);
	load_cores(&load);
	load_unrecorded_finish(&load);
	if (trace->gpu_count)
		schedule->device = xstrdup(trace_text(trace, trace->gpu[0].name));
	schedule->messages_alone = load.messages_alone;
	count_orphans(&load, run);
	tell_anomalies(&load);
	rc = schedule_validate(schedule, load.path);
out:
	free(load.took);
	free(load.unrecorded);
	free(load.collective_of);
	free(load.collective_part);
	load_nccl_release(&load);
	load_messages_release(&load);
	free(item);
	load_events_release(&load);
	load_implicit_release(&load);
	load_nvtx_release(&load);
	load_host_release(&load);
	load_joins_release(&load);
	return rc;
}

int schedule_from_trace(struct schedule *schedule, const struct trace *trace, int run)
{
	struct trace_joins *joins = trace_joins_new(trace);
	const int rc = joins ? schedule_from_joins(schedule, joins, run) : -1;

	trace_joins_free(joins);
	return rc;
}
