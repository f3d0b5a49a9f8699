/* SPDX-License-Identifier: MIT
 * Operations of several GPUs: all ranks of a communicator call those of all equally often, and each
 * send has a receive.
 */
#include "traces/schedule/schedule.h"
#include "trace_check_internal.h"

static bool is_of_two(const struct trace_collective *c)
{
	return c->kind == COLLECTIVE_SEND || c->kind == COLLECTIVE_RECEIVE;
}

/* A peer of -1 is none, which an operation of two has. */
static bool is_possible(const struct trace_collective *c)
{
	return c->rank >= 0 && c->rank < c->ranks && c->peer >= (is_of_two(c) ? 0 : -1) &&
	       c->peer < c->ranks && c->bytes >= 0;
}

enum { CALLED = 1, MOST, ALL, SENT, RECEIVED, COUNTED };

static int64_t key(int64_t what, int64_t a, int64_t b)
{
	return what << 48 | a << 24 | b;
}

static int64_t get(const struct map *map, int64_t communicator, int64_t at)
{
	const uint32_t value = map_get(map, communicator, at);

	return value == MAP_NONE ? 0 : value;
}

static int64_t add_one(struct map *map, int64_t communicator, int64_t at)
{
	const int64_t more = get(map, communicator, at) + 1;

	map_put(map, communicator, at, (uint32_t)more);
	return more;
}

static int64_t pair_of(const struct trace_collective *c, int64_t what)
{
	return c->kind == COLLECTIVE_SEND ? key(what, c->rank, c->peer)
					  : key(what, c->peer, c->rank);
}

void check_collectives(struct checking *c)
{
	const struct trace *t = c->t;
	struct map counts = { 0 };

	for (size_t i = 0; i < t->collective_count; i++) {
		const struct trace_collective *row = &t->collective[i];

		check_times(c, row->start_ns, row->end_ns);
		if (!is_possible(row)) {
			c->count[IMPOSSIBLE]++;
			continue;
		}
		if (is_of_two(row)) {
			add_one(&counts, row->communicator,
				pair_of(row, row->kind == COLLECTIVE_SEND ? SENT : RECEIVED));
			continue;
		}
		const int64_t called =
			add_one(&counts, row->communicator, key(CALLED, row->rank, 0));

		if (called > get(&counts, row->communicator, key(MOST, 0, 0)))
			map_put(&counts, row->communicator, key(MOST, 0, 0), (uint32_t)called);
		add_one(&counts, row->communicator, key(ALL, 0, 0));
	}
	for (size_t i = 0; i < t->collective_count; i++) {
		const struct trace_collective *row = &t->collective[i];

		if (!is_possible(row))
			continue;
		const int64_t of = is_of_two(row) ? pair_of(row, COUNTED) : key(COUNTED, 0, 0);

		if (add_one(&counts, row->communicator, of) > 1)
			continue; /* once for each */
		const int64_t apart =
			is_of_two(row)
				? get(&counts, row->communicator, pair_of(row, SENT)) -
					  get(&counts, row->communicator, pair_of(row, RECEIVED))
				: get(&counts, row->communicator, key(MOST, 0, 0)) * row->ranks -
					  get(&counts, row->communicator, key(ALL, 0, 0));

		c->count[LONE_COLLECTIVE] += apart < 0 ? -apart : apart;
	}
	map_release(&counts);
}
