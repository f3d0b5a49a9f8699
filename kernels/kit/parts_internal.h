/* SPDX-License-Identifier: MIT
 * What the files of parts share: parts.c (where parts and their borders lie), parts_exchange.c,
 * parts_workers.c and parts_messages.c (how borders travel).
 */
#ifndef WARPREEL_PARTS_INTERNAL_H
#define WARPREEL_PARTS_INTERNAL_H

#include "parts.h"

/* A border as a rectangle of a part's buffer. */
struct rectangle {
	int64_t offset_bytes, row_bytes, rows;
};

/* Phase 0 exchanges between block rows, phase 1 between block columns: how many there are. */
uint32_t parts_count(const struct parts *s, int phase);
uint32_t parts_neighbour(const struct parts *s, uint32_t gpu, enum side side);
static inline enum side parts_opposite(enum side side)
{
	return side ^ 1;
}
/*
 * What a part sends through a side, or its halo there. North and south: its own columns with the
 * boundary's; west and east: all stored rows, so that what came from north and south in the first
 * phase goes on to the corners.
 */
struct rectangle parts_border(const struct parts *s, const struct part *part, enum side side,
			      bool halo);
/* The sides of a GPU in a phase that have a neighbour, in chessboard order (Figure 5.23): odd ranks
 * north, or west, first; in free order all do. Returns how many. */
int parts_sides(const struct parts *s, uint32_t gpu, int phase, enum side order[2]);

/* Counters are for other threads. */
static inline int parts_post(const struct parts *s, struct machine_thread *t, uint32_t counter,
			     int64_t value)
{
	return s->one_thread ? 0 : s->m->ops->post(t, counter, value, s->policy);
}

static inline int parts_await(const struct parts *s, struct machine_thread *t, uint32_t counter,
			      int64_t value)
{
	return s->one_thread ? 0 : s->m->ops->await(t, counter, value, s->policy);
}

/* The border of one side through host memory, both ways, on a stream of the GPU (Figure 5.21). */
int parts_exchange_side(const struct parts *s, struct machine_thread *t, uint32_t stream,
			enum side side, int64_t cycle, int which);

/* parts_workers.c: what a part's workers need; asks them for an exchange and waits for it; whether
 * there are any. */
int parts_workers_make(struct parts *s, uint32_t gpu);
int parts_workers_restart(struct parts *s, uint32_t gpu);
int parts_workers_exchange(const struct parts *s, struct machine_thread *t, int64_t cycle,
			   int phase);

/* parts_messages.c */
int parts_messages_make(struct parts *s);
int parts_messages_exchange(const struct parts *s, struct machine_thread *t, int which, int phase);

#endif
