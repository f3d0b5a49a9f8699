/* SPDX-License-Identifier: MIT
 * What CUDA waits for by itself: the legacy default stream for all that was put into the blocking
 * streams of its context, and they for it. Non-blocking streams do neither.
 *
 * Which stream is what is in the recording (trace_stream); streams that it says nothing of are left
 * alone. A record and a wait of a private event stand before the call that has to wait
 * (OP_INFERRED): no call of the program's, and none is paid for.
 */
#include <stdlib.h>

#include "schedule_load.h"
#include "traces/base/util.h"

enum { FLAG_BLOCKING = 1, FLAG_LEGACY = 3 }; /* CUpti_ActivityStreamFlag */

/* A stream of a context. */
struct line {
	int64_t process;
	int32_t device, context, stream, flag;
	uint32_t owner;	 /* the legacy stream of its context, a line; EVENT_NONE: not used yet */
	uint32_t event;	 /* EVENT_NONE: nobody waits for it */
	uint32_t joined; /* blocking: what it has seen of the legacy stream's `actions` */
	uint32_t actions;
	bool fresh; /* blocking: has work that the legacy stream has not waited for */
	uint32_t next_fresh, first_fresh; /* a list: of a legacy stream */
};
/* A call that puts something into a stream. */
struct action {
	int64_t start_ns;
	uint32_t row, line; /* of the API */
};
struct wait { /* of the call `row` */
	uint32_t row, of, by;
};
struct implicit {
	struct line *line;
	size_t lines, line_capacity;
	struct wait *wait;
	size_t waits, wait_capacity;
	struct map first;   /* API row -> its first wait */
	struct map context; /* (process, context) -> its number */
	struct map line_of; /* (that number, stream) -> line */
};

static int compare_actions(const void *left, const void *right)
{
	const struct action *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* Into which stream a call puts something: false when into none. */
static bool place_of(const struct load *load, const struct trace_api *call, struct line *line)
{
	const struct trace *t = load->trace;
	const int64_t process = process_of(call->global_tid);
	uint32_t at = map_get(&load->joins->work_of, process, call->correlation);

#define PLACE(array, row)                                                                          \
	*line = (struct line)                                                                      \
	{                                                                                          \
		.process = process, .device = t->array[row].device,                                \
		.context = t->array[row].context, .stream = t->array[row].stream                   \
	}
	if (at != MAP_NONE) {
		const struct work *work = &load->joins->work[at];

		if (work->kind == WORK_KERNEL)
			PLACE(kernel, work->row);
		else if (work->kind == WORK_COPY)
			PLACE(memcpy, work->row);
		else
			PLACE(memset, work->row);
		return true;
	}
	at = map_get(&load->joins->event_of, process, call->correlation);
	if (at != MAP_NONE) {
		PLACE(event, at);
		return true;
	}
	at = map_get(&load->joins->sync_of, process, call->correlation);
	if (at == MAP_NONE || t->sync[at].sync_type != 2)
		return false;
	PLACE(sync, at);
#undef PLACE
	return true;
}

static void add_wait(struct implicit *made, uint32_t row, uint32_t of, uint32_t by)
{
	map_intern(&made->first, row, 0, (uint32_t)made->waits);
	GROW(made->wait, made->waits, made->wait_capacity);
	made->wait[made->waits++] = (struct wait){ row, of, by };
}

/* The legacy stream waits for all streams with work that is new to it. */
static void legacy_action(struct implicit *made, uint32_t row, uint32_t at)
{
	struct line *legacy = &made->line[at];

	for (uint32_t k = legacy->first_fresh; k != EVENT_NONE; k = made->line[k].next_fresh) {
		made->line[k].fresh = false;
		add_wait(made, row, k, at);
	}
	legacy->first_fresh = EVENT_NONE;
	legacy->actions++;
}

static void blocking_action(struct implicit *made, uint32_t row, uint32_t at)
{
	struct line *line = &made->line[at];
	struct line *legacy = &made->line[line->owner];

	if (line->joined != legacy->actions)
		add_wait(made, row, line->owner, at);
	line->joined = legacy->actions;
	if (line->fresh)
		return;
	line->fresh = true;
	line->next_fresh = legacy->first_fresh;
	legacy->first_fresh = at;
}

/* Exports have more than its number in a process's id. */
static int64_t number_of(int64_t process)
{
	return process & 0xffffff;
}

/* The lines that the recording tells of. */
static void know_lines(struct load *load, struct implicit *made)
{
	const struct trace *t = load->trace;

	for (size_t i = 0; i < t->stream_count; i++) {
		const struct trace_stream *s = &t->stream[i];

		if (s->flag != FLAG_BLOCKING && s->flag != FLAG_LEGACY)
			continue;
		GROW(made->line, made->lines, made->line_capacity);
		made->line[made->lines] = (struct line){ .process = s->process,
							 .device = -1,
							 .context = s->context,
							 .stream = s->stream,
							 .flag = s->flag,
							 .owner = EVENT_NONE,
							 .event = EVENT_NONE,
							 .first_fresh = EVENT_NONE };
		/* The number of one that is gone may come again. */
		map_intern(&made->line_of,
			   map_intern(&made->context, number_of(s->process), s->context,
				      (uint32_t)made->context.used),
			   s->stream, (uint32_t)made->lines);
		made->lines++;
	}
}

/* The calls that put something into a stream that waits by itself, in order. */
static size_t find_actions(const struct load *load, struct implicit *made, struct action *action)
{
	size_t count = 0;

	for (size_t i = 0; i < load->trace->api_count; i++) {
		const struct trace_api *call = &load->trace->api[i];
		struct line place;

		if (call->start_ns == -1 || call->return_value || load->joins->captured[i] ||
		    !place_of(load, call, &place) || place.device < 0 ||
		    place.device >= LOAD_MAX_GPUS)
			continue;
		const uint32_t at =
			map_get(&made->line_of,
				map_get(&made->context, number_of(place.process), place.context),
				place.stream);
		if (at == MAP_NONE)
			continue;
		made->line[at].device = place.device;
		made->line[at].process = place.process;
		action[count++] = (struct action){ call->start_ns, (uint32_t)i, at };
	}
	qsort(action, count, sizeof(*action), compare_actions);
	return count;
}

/* Whose context has a legacy stream that is used. */
static void find_owners(struct implicit *made)
{
	struct map legacy = { 0 };

	for (size_t i = 0; i < made->lines; i++)
		if (made->line[i].flag == FLAG_LEGACY && made->line[i].device >= 0)
			map_put(&legacy, made->line[i].process, made->line[i].context, (uint32_t)i);
	for (size_t i = 0; i < made->lines; i++) {
		const uint32_t owner =
			map_get(&legacy, made->line[i].process, made->line[i].context);

		made->line[i].owner = owner == MAP_NONE ? EVENT_NONE : owner;
	}
	map_release(&legacy);
}

void load_implicit(struct load *load)
{
	struct implicit *made;

	if (!load->trace->stream_count)
		return;
	load->implicit = made = xcalloc(1, sizeof(*made));
	know_lines(load, made);
	struct action *action = xmalloc((load->trace->api_count + 1) * sizeof(*action));
	const size_t count = find_actions(load, made, action);

	find_owners(made);
	for (size_t i = 0; i < count; i++) {
		const struct line *line = &made->line[action[i].line];

		if (line->flag == FLAG_LEGACY)
			legacy_action(made, action[i].row, action[i].line);
		else if (line->owner != EVENT_NONE)
			blocking_action(made, action[i].row, action[i].line);
	}
	free(action);
}

static int stream_of(struct load *load, const struct line *line)
{
	return load_stream(load, line->process, line->device, line->context, line->stream, "stream",
			   0);
}

int load_implicit_waits(struct load *load, uint32_t row)
{
	struct implicit *made = load->implicit;
	const uint32_t first = made ? map_get(&made->first, row, 0) : MAP_NONE;

	for (size_t k = first; first != MAP_NONE && k < made->waits && made->wait[k].row == row;
	     k++) {
		struct line *of = &made->line[made->wait[k].of];
		const int from = stream_of(load, of),
			  to = stream_of(load, &made->line[made->wait[k].by]);

		if (from < 0 || to < 0)
			return -1;
		if (of->event == EVENT_NONE)
			of->event = load->schedule->event_count++;
		schedule_add_op(load->schedule, OP_RECORD, (uint16_t)from, of->event)->flags =
			OP_INFERRED;
		schedule_add_op(load->schedule, OP_WAIT, (uint16_t)to, of->event)->flags =
			OP_INFERRED;
	}
	return 0;
}

void load_implicit_release(struct load *load)
{
	if (!load->implicit)
		return;
	free(load->implicit->line);
	free(load->implicit->wait);
	map_release(&load->implicit->first);
	map_release(&load->implicit->context);
	map_release(&load->implicit->line_of);
	free(load->implicit);
	load->implicit = NULL;
}
