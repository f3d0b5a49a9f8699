/* SPDX-License-Identifier: MIT
 * Work in a stream that no recorder has a row of: functions of the host (cudaLaunchHostFunc), and
 * managed memory that is fetched (cudaMemPrefetchAsync), whose migrations CUPTI does not list as
 * copies. What is seen is the hole that it leaves in its stream: from the end of what went before,
 * or from its call, until what comes behind begins, or until a thread that waits for the stream
 * goes on.
 *
 * Limits: a call does not say its stream in its record, so that is taken to be the one its thread
 * used last. Several in one hole share it evenly. Where what comes behind was called late, the hole
 * is but a bound, and the work takes no longer than elsewhere in the program (the median).
 */
#include <stdlib.h>

#include "schedule_load.h"
#include "traces/base/util.h"

enum { NO_STREAM = 0xffff };

void load_unrecorded(struct load *load, const struct item *item)
{
	struct schedule *schedule = load->schedule;

	load_streams_used(load);
	if (load->stream_used == NO_STREAM)
		return;
	GROW(load->unrecorded, load->unrecorded_count, load->unrecorded_capacity);
	load->unrecorded[load->unrecorded_count++] =
		(struct unrecorded){ .op = schedule->op_count,
				     .called_ns = item->start_ns,
				     .ended_ns = item->end_ns,
				     .stream = load->stream_used };
	schedule_add_op(schedule, OP_UNSEEN, load->stream_used, 0)->duration_ps = 0;
}

/* What is known of a stream: a device row by its call, or a thread that waited for it. */
struct seen {
	uint16_t stream;
	bool waited;
	int64_t called_ns, called_until_ns, start_ns, end_ns; /* start of a wait: -1 */
};

static int by_stream_and_call(const void *left, const void *right)
{
	const struct seen *a = left, *b = right;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	if (a->called_ns != b->called_ns)
		return a->called_ns < b->called_ns ? -1 : 1;
	return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

static int unrecorded_by_stream_and_call(const void *left, const void *right)
{
	const struct unrecorded *a = left, *b = right;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return (a->called_ns > b->called_ns) - (a->called_ns < b->called_ns);
}

/* All that is known of the streams with unrecorded work, by stream and call. */
struct holes {
	struct load *load;
	struct map streams; /* with unrecorded work */
	struct seen *seen;
	size_t count, capacity;
};

static void add_seen(struct holes *holes, int stream, int64_t process, int64_t correlation,
		     int64_t start_ns, int64_t end_ns)
{
	const uint32_t api = map_get(&holes->load->joins->api_of, process, correlation);

	if (stream < 0 || end_ns == -1 || api == MAP_NONE ||
	    map_get(&holes->streams, stream, 0) == MAP_NONE)
		return;
	GROW(holes->seen, holes->count, holes->capacity);
	holes->seen[holes->count++] =
		(struct seen){ .stream = (uint16_t)stream,
			       .waited = start_ns == -1,
			       .called_ns = holes->load->trace->api[api].start_ns,
			       .called_until_ns = holes->load->trace->api[api].end_ns,
			       .start_ns = start_ns,
			       .end_ns = end_ns };
}

static void add_rows(struct holes *holes)
{
	struct load *load = holes->load;

	for (uint32_t i = 0; i < load->joins->work_count; i++) {
		const struct work *w = &load->joins->work[i];

		add_seen(holes, load_work_stream(load, w), w->pid, w->correlation, w->start_ns,
			 load_work_end(load, w));
	}
}

/* Threads that waited for a stream, for its GPU, or for an event of it, which was behind what had
 * been called before its record. */
static void add_waits(struct holes *holes)
{
	struct load *load = holes->load;
	const struct trace *t = load->trace;

	for (size_t i = 0; i < t->sync_count; i++) {
		const struct trace_sync *s = &t->sync[i];
		const int64_t process = process_of(s->global_pid);

		if (s->sync_type == 1 && load->wait_event[i] != EVENT_NONE) {
			const struct trace_event *e = &t->event[load->wait_event[i]];

			add_seen(holes,
				 load_stream(load, process, e->device, e->context, e->stream,
					     "event", load->wait_event[i]),
				 process, e->correlation, -1, s->end_ns);
		} else if (s->sync_type == 3) {
			add_seen(holes,
				 load_stream(load, process, s->device, s->context, s->stream,
					     "sync", i),
				 process, s->correlation, -1, s->end_ns);
		} else if (s->sync_type == 4) {
			for (uint32_t k = 0; k < load->schedule->stream_count; k++)
				if (load->schedule->stream[k].gpu == (uint16_t)s->device)
					add_seen(holes, (int)k, process, s->correlation, -1,
						 s->end_ns);
		}
	}
}

/* The quickest that a thread went on after the end of the last row it waited for. */
static int64_t quickest_wake_ns(const struct holes *holes)
{
	int64_t quickest_ns = INT64_MAX, ended_ns = INT64_MAX;

	for (size_t i = 0; i < holes->count; i++) {
		const struct seen *s = &holes->seen[i];

		if (!i || s->stream != s[-1].stream)
			ended_ns = INT64_MAX;
		if (!s->waited)
			ended_ns = ended_ns == INT64_MAX || s->end_ns > ended_ns ? s->end_ns
										 : ended_ns;
		else if (ended_ns != INT64_MAX && s->end_ns > ended_ns &&
			 s->end_ns - ended_ns < quickest_ns)
			quickest_ns = s->end_ns - ended_ns;
	}
	return quickest_ns == INT64_MAX ? 0 : quickest_ns;
}

/* A hole in a stream, and the unrecorded work in it: [first, last). */
struct hole {
	size_t first, last;
	int64_t begin_ns, end_ns; /* end -1: nothing is known of what came behind */
	bool device_bound;	  /* what came behind stood waiting for most of it */
};

/* How far the rows of a stream have been walked, and when the last of these ended. */
struct walk {
	size_t at;
	uint16_t stream;
	int64_t ended_ns;
};

/* The hole of the unrecorded work from `first` on; the walk goes on from hole to hole. */
static struct hole hole_at(const struct holes *holes, size_t first, int64_t wake_ns,
			   struct walk *walk)
{
	const struct load *load = holes->load;
	const struct unrecorded *u = &load->unrecorded[first];
	struct hole hole = { first, first + 1, u->ended_ns, -1, false };
	int64_t behind_ns = INT64_MAX; /* when what came behind was called */

	if (walk->stream != u->stream)
		*walk = (struct walk){ walk->at, u->stream, INT64_MIN };
	for (; walk->at < holes->count; walk->at++) {
		const struct seen *s = &holes->seen[walk->at];

		if (s->stream > u->stream ||
		    (s->stream == u->stream && s->called_ns > u->called_ns))
			break;
		if (s->stream == u->stream && !s->waited && s->end_ns > walk->ended_ns)
			walk->ended_ns = s->end_ns;
	}
	if (walk->ended_ns > hole.begin_ns)
		hole.begin_ns = walk->ended_ns;
	if (walk->at < holes->count && holes->seen[walk->at].stream == u->stream) {
		const struct seen *s = &holes->seen[walk->at];

		hole.end_ns = s->waited ? s->end_ns - wake_ns : s->start_ns;
		hole.device_bound = s->waited || s->called_until_ns - hole.begin_ns <
							 hole.end_ns - s->called_until_ns;
		behind_ns = s->called_ns;
	}
	while (hole.last < load->unrecorded_count &&
	       load->unrecorded[hole.last].stream == u->stream &&
	       load->unrecorded[hole.last].called_ns < behind_ns)
		hole.last++;
	return hole;
}

static int compare_ns(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

void load_unrecorded_finish(struct load *load)
{
	if (!load->unrecorded_count)
		return;
	struct holes holes = { .load = load };
	int64_t *took_ns = xmalloc((load->unrecorded_count + 1) * sizeof(*took_ns)),
		usual_ns = INT64_MAX;
	size_t took = 0;

	qsort(load->unrecorded, load->unrecorded_count, sizeof(*load->unrecorded),
	      unrecorded_by_stream_and_call);
	for (size_t k = 0; k < load->unrecorded_count; k++)
		map_put(&holes.streams, load->unrecorded[k].stream, 0, 1);
	add_rows(&holes);
	add_waits(&holes);
	if (holes.count)
		qsort(holes.seen, holes.count, sizeof(*holes.seen), by_stream_and_call);
	const int64_t wake_ns = quickest_wake_ns(&holes);
	struct hole hole;

	for (int known = 1; known >= 0; known--) { /* those that are bounds take what others took */
		struct walk walk = { 0, NO_STREAM, INT64_MIN };

		for (size_t k = 0; k < load->unrecorded_count; k = hole.last) {
			hole = hole_at(&holes, k, wake_ns, &walk);
			int64_t each_ns = hole.end_ns > hole.begin_ns
						  ? (hole.end_ns - hole.begin_ns) /
							    (int64_t)(hole.last - hole.first)
						  : 0;
			if (hole.device_bound != known)
				continue;
			if (known)
				took_ns[took++] = each_ns;
			else if (each_ns > usual_ns)
				each_ns = usual_ns;
			for (size_t i = hole.first; i < hole.last; i++)
				load->schedule->op[load->unrecorded[i].op].duration_ps =
					to_ps(each_ns);
		}
		qsort(took_ns, took, sizeof(*took_ns), compare_ns);
		usual_ns = took ? took_ns[took / 2] : INT64_MAX;
	}
	free(took_ns);
	free(holes.seen);
	map_release(&holes.streams);
}
