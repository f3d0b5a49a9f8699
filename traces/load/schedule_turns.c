/* SPDX-License-Identifier: MIT
 * Threads of a foreign program that take turns. How they wait for each other on the host nobody
 * records (a condition variable, a queue, a future: PyTorch's backward pass runs in threads of its
 * own while its caller sleeps), so what shows is a thread that makes no call for a while, and then
 * one right after another thread's.
 *
 * What is assumed: a thread that made no call for IDLE_NS went on because of the last call that
 * another thread of its process had finished by then, and its own work began there. Where that is
 * wrong, calls keep the order in which they were recorded, which is what happened anyway. Where it
 * is right and not done, threads drift apart, and a synchronization no longer waits for what the
 * other thread launched.
 *
 * What is certain: a thread that waits for an event another thread recorded was told that it had
 * been (a barrier, a lock), since a wait for an event not yet recorded waits for nothing. So it
 * follows that call, however short its own pause was, and its wait means the record it meant then.
 */
#include <stdlib.h>

#include "traces/format/annotate.h"
#include "schedule_load.h"
#include "traces/base/util.h"

/* Between the quarter of a microsecond from call to call of a compiled program and the 6.5 us in
 * which a blocked thread is woken. It was chosen on the one recording that it moves: with 0.6 to 5
 * us that is 12.1 to 13.2 % off, with 20 us 23.3 (docs/lab/programs.md). */
enum { IDLE_NS = 2000 };

struct done {
	int64_t end_ns, process;
	size_t item;
}; /* an outermost call */

static int compare_done(const void *left, const void *right)
{
	const struct done *a = left, *b = right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	return a->item < b->item ? -1 : a->item > b->item;
}

/* The last call of the process that ended in (after, until]; NULL: none. */
static const struct done *last_done(const struct done *done, size_t count, int64_t process,
				    int64_t after_ns, int64_t until_ns)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (done[middle].process < process ||
		    (done[middle].process == process && done[middle].end_ns <= until_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low && done[low - 1].process == process && done[low - 1].end_ns > after_ns
		       ? &done[low - 1]
		       : NULL;
}

/* The call that recorded the event an item waits for; NULL: it waits for none. */
static const struct item *recorded_by(const struct load *load, const struct item *item,
				      const size_t *item_of, uint32_t *event)
{
	const struct trace *t = load->trace;
	const struct trace_api *call = &t->api[item->row];
	const uint32_t sync =
		map_get(&load->joins->sync_of, process_of(item->tid), call->correlation);

	if (sync == MAP_NONE || load->wait_event[sync] == EVENT_NONE)
		return NULL;
	*event = load->wait_event[sync];
	const uint32_t api = map_get(&load->joins->api_of, process_of(t->event[*event].global_pid),
				     t->event[*event].correlation);
	return api == MAP_NONE || !item_of[api] ? NULL : &load->item[item_of[api] - 1];
}

static void load_waits_follow(struct load *load, struct item *item, size_t count)
{
	size_t *item_of = xcalloc(load->trace->api_count + 1, sizeof(*item_of));
	uint32_t event;

	for (size_t i = 0; i < count; i++)
		if (!item[i].host_op && !item[i].collective && !item[i].message)
			item_of[item[i].row] = i + 1;
	for (size_t i = 0; i < count; i++) {
		const struct item *record = item[i].host_op || item[i].collective || item[i].message
						    ? NULL
						    : recorded_by(load, &item[i], item_of, &event);

		if (!record || record->tid == item[i].tid || record->end_ns > item[i].start_ns ||
		    process_of(record->tid) != process_of(item[i].tid))
			continue;
		load->group_split[load->event_group[event]] = true;
		/* what it follows already is no earlier call of that thread */
		if (!item[i].turn_after || item[item[i].turn_after - 1].tid != record->tid)
			item[i].turn_after = (size_t)(record - load->item) + 1;
	}
	free(item_of);
}

void load_turns(struct load *load, struct item *item, size_t count)
{
	struct done *done = xmalloc((count + 1) * sizeof(*done));
	size_t calls = 0;
	int64_t ended_ns = load->begin_ns;

	for (size_t i = 0; i < count; i++) { /* by thread and time; a call that begins before its
						thread's last one ended lies within it */
		const bool first = !i || item[i].tid != item[i - 1].tid;

		ended_ns = first ? load->begin_ns : ended_ns;
		item[i].idle_from_ns = -1;
		if (load_is_hidden(load, &item[i])) /* no pause of the thread's */
			ended_ns += item[i].end_ns - item[i].start_ns;
		if (item[i].message) { /* until it has returned, the thread is in it */
			const int64_t until_ns = load->trace->message[item[i].row].end_ns;

			ended_ns = until_ns > ended_ns ? until_ns : ended_ns;
			continue;
		}
		if (item[i].collective) {
			ended_ns = item[i].end_ns > ended_ns ? item[i].end_ns : ended_ns;
			continue;
		}
		if (item[i].host_op) /* what the program tells of its threads itself is known, and a
					mark takes no time */
			continue;
		item[i].idle_from_ns = item[i].start_ns - ended_ns >= IDLE_NS ? ended_ns : -1;
		if (first || item[i].start_ns >= ended_ns)
			done[calls++] = (struct done){ item[i].end_ns, process_of(item[i].tid), i };
		if (item[i].end_ns > ended_ns)
			ended_ns = item[i].end_ns;
	}
	qsort(done, calls, sizeof(*done), compare_done);
	for (size_t i = 0; i < count; i++) {
		const struct done *before =
			item[i].idle_from_ns < 0
				? NULL
				: last_done(done, calls, process_of(item[i].tid),
					    item[i].idle_from_ns, item[i].start_ns);

		if (!before)
			continue;
		item[i].turn_after = before->item + 1;
	}
	free(done);
	load_waits_follow(load, item, count);
	for (size_t i = 0; i < count; i++)
		if (item[i].turn_after)
			item[item[i].turn_after - 1].turn_ends = true;
}

static uint32_t counter_of(struct load *load, int64_t tid)
{
	uint32_t object = map_intern(&load->turns, tid, 0, load->schedule->counter_count);

	if (object == load->schedule->counter_count) {
		load->schedule->counter_count++;
		map_put(&load->spins, object, 0, 1);
	}
	return object;
}

static void add_turn(struct load *load, enum op_kind kind, int64_t tid, size_t number)
{
	struct schedule_op *op =
		schedule_add_op(load->schedule, kind, 0xffff, counter_of(load, tid));

	op->flags = OP_SPIN | OP_INFERRED;
	op->value = (int64_t)number;
}

void load_turn_begin(struct load *load, const struct item *item)
{
	if (item->turn_after)
		add_turn(load, OP_AWAIT, load->item[item->turn_after - 1].tid, item->turn_after);
}

void load_turn_end(struct load *load, const struct item *item)
{
	if (item->turn_ends)
		add_turn(load, OP_POST, item->tid, (size_t)(item - load->item) + 1);
}
