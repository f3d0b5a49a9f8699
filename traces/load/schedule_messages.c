/* SPDX-License-Identifier: MIT
 * Processes that wait for each other by MPI (trace_message), which polls in user space: what is
 * recorded of a wait is how long it was, and that is another length in every replay.
 *
 * A call is taken apart. Where it begins, its rank tells others (a post); once the last of those
 * that it waits for has begun, it goes on (an await). From there to its end it took what messages
 * take, which is in the time before the thread's next operation, as recorded. So what a replay adds
 * or saves before a call moves its partners, and no price of MPI's is needed.
 *
 * Who waits for whom: a receive for its send, each of all for all others, each for the root or the
 * root for all. A send waits for its receive if it is no eager one. The recording tells: a send
 * that had ended before its receive began did not wait, and shorter ones do not either.
 *
 * What has no partner in the recording (its process made no call of CUDA, or not yet) is the time
 * of the host that it took.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/format/annotate.h"
#include "schedule_load.h"
#include "traces/base/util.h"

enum way { WAY_SENT, WAY_RECEIVED, WAY_MET }; /* what a rank posts */

struct member {
	int64_t communicator;
	int32_t rank;
};

struct messages {
	const struct trace *trace;
	struct map places; /* (communicator, tag) -> number */
	struct map lanes;  /* (place and way, rank and peer) -> lane */
	struct map begins; /* (lane, number) -> row that begins it */
	struct member *member;
	size_t members, members_capacity;
	int64_t eager_bytes; /* sends of so many do not wait; -1: none was seen not to */
};

static int by_member(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	if (a->communicator != b->communicator)
		return a->communicator < b->communicator ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static bool is_of_two(const struct trace_message *row)
{
	return row->kind == MESSAGE_SEND || row->kind == MESSAGE_RECEIVE;
}

/* What `rank` posts, by its number among all such; `peer`: whom a message goes to or comes from. */
static uint32_t lane_of(struct messages *m, const struct trace_message *row, enum way way,
			int32_t rank, int32_t peer)
{
	const uint32_t place = map_intern(&m->places, row->communicator,
					  way == WAY_MET ? -1 : row->tag, (uint32_t)m->places.used);

	return map_intern(
		&m->lanes, (int64_t)place << 2 | (int64_t)way,
		(int64_t)((uint64_t)(uint32_t)rank << 32 | (uint32_t)(way == WAY_MET ? 0 : peer)),
		(uint32_t)m->lanes.used);
}

/* The row by which another rank begins what this one waits for; NULL: there is none. */
static const struct trace_message *partner(struct messages *m, const struct trace_message *row,
					   int32_t rank, uint32_t *lane)
{
	const enum way way = row->kind == MESSAGE_SEND	    ? WAY_RECEIVED
			     : row->kind == MESSAGE_RECEIVE ? WAY_SENT
							    : WAY_MET;

	*lane = lane_of(m, row, way, rank, row->rank);
	const uint32_t begun = map_get(&m->begins, *lane, row->number);
	return begun == MAP_NONE ? NULL : &m->trace->message[begun];
}

static bool waits_for_all(const struct trace_message *row)
{
	return row->kind == MESSAGE_OF_ALL ||
	       (row->kind == MESSAGE_TO_ROOT && row->peer == row->rank);
}

static const struct member *first_member(const struct messages *m, int64_t communicator)
{
	size_t low = 0, high = m->members;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (m->member[middle].communicator < communicator)
			low = middle + 1;
		else
			high = middle;
	}
	return &m->member[low];
}

static void begin_rows(struct messages *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->trace->message_count; i++) {
		const struct trace_message *row = &m->trace->message[i];
		const enum way way = row->kind == MESSAGE_SEND	    ? WAY_SENT
				     : row->kind == MESSAGE_RECEIVE ? WAY_RECEIVED
								    : WAY_MET;

		if (!(row->phase & MESSAGE_BEGINS))
			continue;
		map_intern(&m->begins, lane_of(m, row, way, row->rank, row->peer), row->number,
			   (uint32_t)i);
		if (is_of_two(row))
			continue;
		GROW(m->member, m->members, m->members_capacity);
		m->member[m->members++] = (struct member){ row->communicator, row->rank };
	}
	if (m->members)
		qsort(m->member, m->members, sizeof(*m->member), by_member);
	for (size_t i = 0; i < m->members; i++)
		if (!kept || by_member(&m->member[i], &m->member[kept - 1]))
			m->member[kept++] = m->member[i];
	m->members = kept;
}

static void find_eager(struct messages *m)
{
	uint32_t lane;

	m->eager_bytes = -1;
	for (size_t i = 0; i < m->trace->message_count; i++) {
		const struct trace_message *row = &m->trace->message[i];

		if (row->kind != MESSAGE_SEND || !(row->phase & MESSAGE_ENDS) ||
		    row->bytes <= m->eager_bytes)
			continue;
		const struct trace_message *received = partner(m, row, row->peer, &lane);
		if (received && received->start_ns > row->end_ns)
			m->eager_bytes = row->bytes;
	}
}

/* Row `at` waits for `rank`; whoever began after it had ended was not waited for. */
static void add_wait(struct load *load, struct messages *m, size_t at, int32_t rank,
		     int64_t *ready_ns)
{
	const struct trace_message *row = &m->trace->message[at];
	uint32_t lane;
	const struct trace_message *other = partner(m, row, rank, &lane);

	if (!other) {
		load->messages_alone++;
		return;
	}
	if (other->start_ns > row->end_ns)
		return;
	GROW(load->message_wait, load->message_waits, load->message_wait_capacity);
	load->message_wait[load->message_waits++] = (struct message_wait){ (uint32_t)at, lane };
	*ready_ns = other->start_ns > *ready_ns ? other->start_ns : *ready_ns;
}

/* When the call of a row could go on; -1: it did not wait for anybody that is known. */
static int64_t ready(struct load *load, struct messages *m, size_t at)
{
	const struct trace_message *row = &m->trace->message[at];
	int64_t ready_ns = -1;

	if (row->kind == MESSAGE_SEND && row->bytes <= m->eager_bytes)
		return -1;
	if (is_of_two(row) || (row->kind == MESSAGE_FROM_ROOT && row->peer != row->rank)) {
		add_wait(load, m, at, row->peer, &ready_ns);
	} else if (waits_for_all(row)) {
		const struct member *member = first_member(m, row->communicator),
				    *end = m->member + m->members;

		for (; member < end && member->communicator == row->communicator; member++)
			if (member->rank != row->rank)
				add_wait(load, m, at, member->rank, &ready_ns);
	}
	return ready_ns;
}

static int check_row(const struct load *load, size_t at)
{
	const struct trace_message *row = &load->trace->message[at];

	if (row->start_ns == -1 || row->end_ns < row->start_ns)
		return report("%s: message row %zu ends before it starts", load->path, at + 1);
	if (row->kind < MESSAGE_SEND || row->kind > MESSAGE_TO_ROOT ||
	    !(row->phase & (MESSAGE_BEGINS | MESSAGE_ENDS)))
		return report("%s: message row %zu is of kind %d and phase %d", load->path, at + 1,
			      (int)row->kind, (int)row->phase);
	return 0;
}

int load_messages(struct load *load)
{
	struct messages m = { .trace = load->trace };
	const size_t count = load->trace->message_count;

	for (size_t i = 0; i < count; i++)
		if (check_row(load, i))
			return -1;
	load->message = xcalloc(count + 1, sizeof(*load->message));
	begin_rows(&m);
	find_eager(&m);
	for (size_t i = 0; i < count; i++) {
		const struct trace_message *row = &load->trace->message[i];
		struct message *message = &load->message[i];

		message->ready_ns = -1;
		message->first_wait = load->message_waits;
		if (row->phase & MESSAGE_BEGINS)
			message->lane = lane_of(&m, row,
						row->kind == MESSAGE_SEND      ? WAY_SENT
						: row->kind == MESSAGE_RECEIVE ? WAY_RECEIVED
									       : WAY_MET,
						row->rank, row->peer);
		if (row->phase & MESSAGE_ENDS)
			message->ready_ns = ready(load, &m, i);
		message->waits = load->message_waits - message->first_wait;
	}
	map_release(&m.places);
	map_release(&m.lanes);
	map_release(&m.begins);
	free(m.member);
	return 0;
}

static void add(struct load *load, enum op_kind kind, uint32_t lane, uint32_t number,
		int64_t before_ps)
{
	struct schedule *s = load->schedule;
	const uint32_t counter = map_intern(&load->message_counter, lane, 0, s->counter_count);
	struct schedule_op *op;

	if (counter == s->counter_count) {
		s->counter_count++;
		map_put(&load->spins, counter, 0, 1);
	}
	op = schedule_add_op(s, kind, 0xffff, counter);
	op->flags = OP_SPIN | OP_INFERRED | OP_MESSAGE;
	op->value = number;
	op->before_ps = before_ps;
}

void load_message(struct load *load, const struct item *item, int64_t before_ps)
{
	const struct trace_message *row = &load->trace->message[item->row];
	const struct message *message = &load->message[item->row];

	if (item->event_class == MESSAGE_BEGINS) {
		add(load, OP_POST, message->lane, row->number, before_ps);
		return;
	}
	for (size_t k = 0; k < message->waits; k++) {
		add(load, OP_AWAIT, load->message_wait[message->first_wait + k].lane, row->number,
		    before_ps);
		before_ps = 0;
	}
}

size_t load_message_items(const struct load *load, size_t at, struct item *item)
{
	const struct trace_message *row = &load->trace->message[at];
	const int64_t ready_ns = load->message[at].ready_ns;
	size_t count = 0;

	if (row->phase & MESSAGE_BEGINS)
		item[count++] = (struct item){ .tid = row->global_tid,
					       .start_ns = row->start_ns,
					       .end_ns = row->start_ns,
					       .message = true,
					       .event_class = MESSAGE_BEGINS,
					       .row = (uint32_t)at };
	if (ready_ns < 0)
		return count;
	const int64_t goes_on_ns = ready_ns > row->start_ns ? ready_ns : row->start_ns;
	item[count++] = (struct item){ .tid = row->global_tid,
				       .start_ns = goes_on_ns,
				       .end_ns = goes_on_ns,
				       .message = true,
				       .event_class = MESSAGE_ENDS,
				       .row = (uint32_t)at };
	return count;
}

/* A wait within a call of CUDA (of a library of MPI's that knows of GPUs) is placed behind it. */
bool load_messages_outside(struct item *item, size_t count)
{
	int64_t until_ns = INT64_MIN;
	bool moved = false;

	for (size_t i = 0; i < count; i++) {
		if (!i || item[i].tid != item[i - 1].tid)
			until_ns = INT64_MIN;
		if (item[i].message && item[i].start_ns < until_ns) {
			item[i].start_ns = item[i].end_ns = until_ns;
			moved = true;
		} else if (!item[i].message && !item[i].host_op && !item[i].collective &&
			   item[i].end_ns > until_ns) {
			until_ns = item[i].end_ns;
		}
	}
	return moved;
}

void load_messages_release(struct load *load)
{
	free(load->message);
	free(load->message_wait);
	map_release(&load->message_counter);
}
