/* SPDX-License-Identifier: MIT
 * What is wrong with API calls, and with the events they record and wait for.
 */
#include "trace_check_internal.h"

#include "traces/load/api_calls.h"

enum call_kind check_call_kind(struct checking *c, uint32_t name)
{
	uint32_t known = map_get(&c->strings, name, 0);

	if (known == MAP_NONE) {
		known = (uint32_t)call_of_name(trace_text(c->t, name)).kind;
		map_put(&c->strings, name, 0, known);
	}
	return (enum call_kind)known;
}

static bool of_solver(const struct trace *t, int64_t at_ns)
{
	const struct trace_run *run = check_run_of(t, at_ns);

	return run && run->solver;
}

void check_calls(struct checking *c)
{
	const struct trace *t = c->t;
	static const uint32_t sync_type[] = {
		[CALL_WAIT] = 2, [CALL_SYNC] = 3, [CALL_SYNC_EVENT] = 1, [CALL_SYNC_GPU] = 4
	};
	struct map records = { 0 }, waits = { 0 };

	for (size_t i = 0; i < t->event_count; i++)
		map_put(&records, process_of(t->event[i].global_pid), t->event[i].correlation, 1);
	for (size_t i = 0; i < t->sync_count; i++)
		map_intern(&waits, process_of(t->sync[i].global_pid), t->sync[i].correlation,
			   (uint32_t)t->sync[i].sync_type & INT32_MAX); /* MAP_NONE is no type */
	for (size_t i = 0; i < t->api_count; i++) {
		const struct trace_api *a = &t->api[i];
		int64_t process = process_of(a->global_tid);

		check_times(c, a->start_ns, a->end_ns);
		c->count[BACKWARDS] += a->queries_ns < 0;
		c->count[FAILED_CALL] += a->return_value != 0;
		if (a->return_value != 0)
			continue;
		switch (check_call_kind(c, a->name)) {
		case CALL_LAUNCH:
		case CALL_GRAPH:
			c->count[c->captured[i] ? CAPTURED : ORPHAN_LAUNCH] +=
				map_get(&c->work, process, a->correlation) == MAP_NONE;
			break;
		case CALL_RECORD:
			c->count[c->captured[i] ? CAPTURED : LONE_RECORD] +=
				map_get(&records, process, a->correlation) == MAP_NONE;
			break;
		case CALL_COPY: /* an empty one has no row; our solvers make none */
		case CALL_MEMSET:
			c->count[c->captured[i]		     ? CAPTURED
				 : of_solver(t, a->start_ns) ? ORPHAN_COPY
							     : EMPTY_COPY] +=
				map_get(&c->work, process, a->correlation) == MAP_NONE;
			break;
		case CALL_WAIT:
		case CALL_SYNC:
		case CALL_SYNC_EVENT:
		case CALL_SYNC_GPU:
			c->count[c->captured[i] ? CAPTURED : LONE_SYNC] +=
				map_get(&waits, process, a->correlation) !=
				sync_type[check_call_kind(c, a->name)];
			break;
		default:
			break;
		}
	}
	map_release(&records);
	map_release(&waits);
}

/* A wait whose record is not there: within a capture, the record was captured, too. */
static void check_unpaired(struct checking *c, const struct trace_sync *s, enum kind kind)
{
	uint32_t api = map_get(&c->api, process_of(s->global_pid), s->correlation);

	c->count[api != MAP_NONE && c->captured[api] ? CAPTURED : kind]++;
}

void check_events(struct checking *c)
{
	const struct trace *t = c->t;
	struct map sync_ids = { 0 }, ids = { 0 };

	for (size_t i = 0; i < t->event_count; i++) {
		const struct trace_event *e = &t->event[i];

		c->count[UNKNOWN_DEVICE] += map_get(&c->gpu, e->device, 0) == MAP_NONE;
		c->count[UNKNOWN_STREAM] += e->stream < 0;
		map_intern(&ids, process_of(e->global_pid), e->event_id, 1);
		if (e->event_sync_id != -1)
			map_put(&sync_ids, process_of(e->global_pid), e->event_sync_id, 1);
	}
	for (size_t i = 0; i < t->sync_count; i++) {
		const struct trace_sync *s = &t->sync[i];

		check_times(c, s->start_ns, s->end_ns);
		c->count[UNKNOWN_STREAM] +=
			(s->sync_type == 2 || s->sync_type == 3) && s->stream < 0;
		if (s->sync_type != 1 && s->sync_type != 2)
			continue;
		if (s->event_sync_id == -1 &&
		    map_get(&ids, process_of(s->global_pid), s->event_id) == MAP_NONE)
			check_unpaired(c, s, t->event_count ? NEVER_RECORDED : UNPAIRED);
		else if (s->event_sync_id != -1 && map_get(&sync_ids, process_of(s->global_pid),
							   s->event_sync_id) == MAP_NONE)
			check_unpaired(c, s, UNPAIRED);
	}
	map_release(&sync_ids);
	map_release(&ids);
}
