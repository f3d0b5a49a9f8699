/* SPDX-License-Identifier: MIT
 * Waits and the records they wait for.
 *
 * CUPTI's event_id is reused once an event is destroyed; event_sync_id is not, and joins a wait to
 * one record. An event of the schedule is all records of one (process, context, event_id), because
 * a wait means "the latest record when the wait is called" in a schedule as it does in CUDA. Where
 * the joins say otherwise (an id was reused with a wait between, or two threads raced) each record
 * of that event becomes an event of its own, and the recorded pairing stands.
 */
#include <stdlib.h>
#include <string.h>

#include "schedule_load.h"
#include "traces/base/util.h"

struct record { /* an event row, with the time of its call */
	int64_t process, event_id, issue_ns;
	int32_t context;
	uint32_t row;
};

static int compare_issue(const struct record *a, const struct record *b)
{
	if (a->issue_ns != b->issue_ns)
		return a->issue_ns < b->issue_ns ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static int compare_ids(const struct record *a, const struct record *b)
{
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->event_id != b->event_id)
		return a->event_id < b->event_id ? -1 : 1;
	return 0;
}

static int compare_in_process(const void *left, const void *right)
{
	int ids = compare_ids(left, right);

	return ids ? ids : compare_issue(left, right);
}

static int compare_in_context(const void *left, const void *right)
{
	const struct record *a = left, *b = right;
	int ids = compare_ids(a, b);

	if (ids)
		return ids;
	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	return compare_issue(a, b);
}

/* The last element that does not come after `key`; NULL when all do. */
static const struct record *last_before(const struct record *sorted, size_t count,
					const struct record *key,
					int (*compare)(const void *, const void *))
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (compare(&sorted[middle], key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &sorted[low - 1] : NULL;
}

static int64_t issue_time(const struct load *load, int64_t global_pid, int64_t correlation,
			  int64_t otherwise)
{
	uint32_t api = map_get(&load->joins->api_of, process_of(global_pid), correlation);

	return api == MAP_NONE ? otherwise : load->trace->api[api].start_ns;
}

struct pairing {
	struct record *by_process, *by_context;
	size_t count;
	struct map by_sync_id; /* (process, event_sync_id) -> event row */
};

/* The record that a wait without a join means; EVENT_NONE. */
static uint32_t latest_record(const struct pairing *p, const struct record *wait)
{
	const struct record *found = last_before(p->by_context, p->count, wait, compare_in_context);

	if (found && compare_ids(found, wait) == 0 && found->context == wait->context)
		return found->row;
	found = last_before(p->by_process, p->count, wait, compare_in_process);
	return found && compare_ids(found, wait) == 0 ? found->row : EVENT_NONE;
}

static void pair_waits(struct load *load, const struct pairing *p)
{
	const struct trace *t = load->trace;

	for (size_t i = 0; i < t->sync_count; i++) {
		const struct trace_sync *s = &t->sync[i];
		struct record wait = { .process = process_of(s->global_pid),
				       .event_id = s->event_id,
				       .context = s->context,
				       .issue_ns = issue_time(load, s->global_pid, s->correlation,
							      s->start_ns),
				       .row = UINT32_MAX };
		const struct record *latest;
		uint32_t joined = MAP_NONE;

		load->wait_event[i] = EVENT_NONE;
		if (s->sync_type != 1 && s->sync_type != 2)
			continue;
		if (s->event_sync_id != -1)
			joined = map_get(&p->by_sync_id, wait.process, s->event_sync_id);
		if (joined == MAP_NONE) {
			if (s->event_id != -1)
				load->wait_event[i] = latest_record(p, &wait);
			continue;
		}
		load->wait_event[i] = joined;
		/* is it the latest record of its event, in the order of the calls? */
		wait.context = t->event[joined].context;
		wait.event_id = t->event[joined].event_id;
		latest = last_before(p->by_context, p->count, &wait, compare_in_context);
		if (!latest || latest->row != joined)
			load->group_split[load->event_group[joined]] = true;
	}
}

void load_events(struct load *load)
{
	const struct trace *t = load->trace;
	struct pairing p = { .count = t->event_count };
	uint32_t groups = 0;

	load->event_object = xmalloc((t->event_count + 1) * sizeof(*load->event_object));
	load->event_group = xmalloc((t->event_count + 1) * sizeof(*load->event_group));
	load->group_object = xmalloc((t->event_count + 1) * sizeof(*load->group_object));
	load->group_split = xcalloc(t->event_count + 1, sizeof(*load->group_split));
	load->wait_event = xmalloc((t->sync_count + 1) * sizeof(*load->wait_event));
	p.by_context = xmalloc((p.count + 1) * sizeof(*p.by_context));
	p.by_process = xmalloc((p.count + 1) * sizeof(*p.by_process));
	for (size_t i = 0; i < p.count; i++) {
		const struct trace_event *e = &t->event[i];

		p.by_context[i] =
			(struct record){ .process = process_of(e->global_pid),
					 .event_id = e->event_id,
					 .context = e->context,
					 .row = (uint32_t)i,
					 .issue_ns = issue_time(load, e->global_pid, e->correlation,
								e->timestamp_ns) };
		load->event_object[i] = EVENT_NONE;
		load->group_object[i] = EVENT_NONE;
		if (e->event_sync_id != -1)
			map_put(&p.by_sync_id, process_of(e->global_pid), e->event_sync_id,
				(uint32_t)i);
	}
	memcpy(p.by_process, p.by_context, p.count * sizeof(*p.by_process));
	qsort(p.by_process, p.count, sizeof(*p.by_process), compare_in_process);
	qsort(p.by_context, p.count, sizeof(*p.by_context), compare_in_context);
	for (size_t i = 0; i < p.count; i++) {
		if (i && (compare_ids(&p.by_context[i], &p.by_context[i - 1]) ||
			  p.by_context[i].context != p.by_context[i - 1].context))
			groups++;
		load->event_group[p.by_context[i].row] = groups;
	}
	pair_waits(load, &p);
	free(p.by_context);
	free(p.by_process);
	map_release(&p.by_sync_id);
}

void load_events_release(struct load *load)
{
	free(load->event_object);
	free(load->event_group);
	free(load->group_object);
	free(load->group_split);
	free(load->wait_event);
}

uint32_t load_event_object(struct load *load, uint32_t event_row)
{
	uint32_t group = load->event_group[event_row];
	uint32_t *object = load->group_split[group] ? &load->event_object[event_row]
						    : &load->group_object[group];

	if (*object == EVENT_NONE)
		*object = load->schedule->event_count++;
	return *object;
}
