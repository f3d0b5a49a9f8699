/* SPDX-License-Identifier: MIT */
#include "strips.h"

#include <stdlib.h>

#include "traces/base/util.h"

struct strip strip_of(int64_t rows, int64_t halo, uint32_t gpus, uint32_t gpu)
{
	int64_t interior = rows - 2;
	struct strip strip = {
		.begin = 1 + interior * gpu / gpus,
		.end = 1 + interior * (gpu + 1) / gpus,
		.has_north = gpu > 0,
		.has_south = gpu + 1 < gpus,
	};
	strip.top = strip.has_north ? halo : 1;
	strip.bottom = strip.has_south ? halo : 1;
	return strip;
}

/* Byte range of the rows this part sends through a side, and of its halo there. */
static int64_t edge_offset(const struct strips *s, const struct strip_part *part, enum side side)
{
	const struct strip *strip = &part->strip;
	int64_t row =
		side == NORTH ? strip->top : strip->top + (strip->end - strip->begin) - s->halo;
	return row * s->row_bytes;
}

static int64_t halo_offset(const struct strips *s, const struct strip_part *part, enum side side)
{
	const struct strip *strip = &part->strip;
	return (side == NORTH ? 0 : strip->top + (strip->end - strip->begin)) * s->row_bytes;
}

/* The sides of GPU g that have a neighbour, in chessboard order (Figure 5.23): odd ranks north
 * first. */
static int sides_of(const struct strips *s, uint32_t g, enum side order[SIDES])
{
	int count = 0;
	for (int k = 0; k < SIDES; k++) {
		enum side side = (g & 1) == (uint32_t)(k == 0) ? NORTH : SOUTH;
		if (side == NORTH ? s->part[g].strip.has_north : s->part[g].strip.has_south)
			order[count++] = side;
	}
	return count;
}

/* GPU to GPU: push borders into the neighbours' halos, ordered by events; counters only say that an
 * event has been recorded. */
static int exchange_peer(struct strips *s, struct machine_thread *t, int64_t cycle)
{
	const struct machine_ops *ops = s->m->ops;
	const struct strip_part *me = &s->part[t->gpu];
	enum side order[SIDES];
	int sides = sides_of(s, t->gpu, order);
	if (ops->record(t, me->stream, me->done) ||
	    ops->post(t, me->done_count, cycle + 1, AWAIT_SPIN))
		return -1;
	for (int k = 0; k < sides; k++) {
		const struct strip_part *peer = order[k] == NORTH ? me - 1 : me + 1;
		const struct machine_copy copy = {
			.source = me->grid,
			.target = peer->grid,
			.source_offset_bytes = edge_offset(s, me, order[k]),
			.target_offset_bytes =
				halo_offset(s, peer, order[k] == NORTH ? SOUTH : NORTH),
			.row_bytes = s->halo * s->row_bytes,
			.rows = 1,
		};
		if (ops->await(t, peer->done_count, cycle + 1, AWAIT_SPIN) ||
		    ops->wait(t, me->stream, peer->done) || ops->copy(t, me->stream, &copy))
			return -1;
	}
	if (ops->record(t, me->stream, me->sent) ||
	    ops->post(t, me->sent_count, cycle + 1, AWAIT_SPIN))
		return -1;
	for (int k = 0; k < sides; k++) {
		const struct strip_part *peer = order[k] == NORTH ? me - 1 : me + 1;
		if (ops->await(t, peer->sent_count, cycle + 1, AWAIT_SPIN) ||
		    ops->wait(t, me->stream, peer->sent))
			return -1;
	}
	return 0;
}

/* Through host memory, Figure 5.21: read and write counters, a mutex and a condition variable each.
 */
static int exchange_host(struct strips *s, struct machine_thread *t, int64_t cycle)
{
	const struct machine_ops *ops = s->m->ops;
	const struct strip_part *me = &s->part[t->gpu];
	int64_t bytes = s->halo * s->row_bytes;
	enum side order[SIDES];
	int sides = sides_of(s, t->gpu, order);
	for (int k = 0; k < sides; k++) {
		enum side mine = order[k], theirs = mine == NORTH ? SOUTH : NORTH;
		const struct strip_part *peer = mine == NORTH ? me - 1 : me + 1;
		const struct machine_copy down = {
			.source = me->grid,
			.target = me->stage[mine],
			.row_bytes = bytes,
			.rows = 1,
			.source_offset_bytes = edge_offset(s, me, mine),
		};
		const struct machine_copy up = {
			.source = peer->stage[theirs],
			.target = me->grid,
			.row_bytes = bytes,
			.rows = 1,
			.target_offset_bytes = halo_offset(s, me, mine),
		};
		if (ops->await(t, me->read[mine], cycle, AWAIT_BLOCK) ||
		    ops->copy(t, me->stream, &down) || ops->sync(t, me->stream) ||
		    ops->post(t, me->written[mine], cycle + 1, AWAIT_BLOCK) ||
		    ops->await(t, peer->written[theirs], cycle + 1, AWAIT_BLOCK) ||
		    ops->copy(t, me->stream, &up) || ops->sync(t, me->stream) ||
		    ops->post(t, peer->read[theirs], cycle + 1, AWAIT_BLOCK))
			return -1;
	}
	return 0;
}

int strips_exchange(struct strips *s, struct machine_thread *t, int64_t cycle)
{
	return s->peer ? exchange_peer(s, t, cycle) : exchange_host(s, t, cycle);
}

int strips_transfer(struct strips *s, struct machine_thread *t, uint32_t h_grid,
		    int64_t h_row_bytes, uint32_t device, int64_t device_row_bytes, bool up)
{
	const struct strip_part *part = &s->part[t->gpu];
	const struct strip *strip = &part->strip;
	int64_t skip_top = !up && strip->has_north ? strip->top : 0,
		skip_bottom = !up && strip->has_south ? strip->bottom : 0;
	int64_t rows = part->stored_rows - skip_top - skip_bottom;
	int64_t host_offset = (strip->begin - strip->top + skip_top) * h_row_bytes;
	struct machine_copy copy = {
		.source = up ? h_grid : device,
		.target = up ? device : h_grid,
		.source_offset_bytes = up ? host_offset : skip_top * device_row_bytes,
		.target_offset_bytes = up ? skip_top * device_row_bytes : host_offset,
		.row_bytes = h_row_bytes,
		.rows = rows,
		.source_pitch_bytes = up ? h_row_bytes : device_row_bytes,
		.target_pitch_bytes = up ? device_row_bytes : h_row_bytes,
	};
	if (device_row_bytes == h_row_bytes) { /* one piece */
		copy.row_bytes *= rows;
		copy.rows = 1;
	}
	return s->m->ops->copy(t, part->stream, &copy);
}

static int make_part(struct strips *s, uint32_t g)
{
	struct machine *m = s->m;
	const struct machine_ops *ops = m->ops;
	struct strip_part *part = &s->part[g];
	part->strip = strip_of(s->rows, s->halo, s->gpus, g);
	part->stored_rows =
		part->strip.end - part->strip.begin + part->strip.top + part->strip.bottom;
	if (ops->buffer(m, g, SPACE_DEVICE, part->stored_rows * s->row_bytes, &part->grid) ||
	    ops->stream(m, g, &part->stream))
		return -1;
	if (s->gpus == 1)
		return 0;
	if (s->peer)
		return ops->event(m, g, &part->done) || ops->event(m, g, &part->sent) ||
				       ops->counter(m, &part->done_count) ||
				       ops->counter(m, &part->sent_count) ||
				       (g > 0 && ops->peer_access(m, g, g - 1)) ||
				       (g + 1 < s->gpus && ops->peer_access(m, g, g + 1))
			       ? -1
			       : 0;
	for (int side = 0; side < SIDES; side++)
		if (ops->buffer(m, g, SPACE_PINNED, s->halo * s->row_bytes, &part->stage[side]) ||
		    ops->counter(m, &part->written[side]) || ops->counter(m, &part->read[side]))
			return -1;
	return 0;
}

int strips_make(struct strips *s)
{
	s->part = xcalloc(s->gpus, sizeof(*s->part));
	for (uint32_t g = 0; g < s->gpus; g++)
		if (make_part(s, g))
			return -1;
	return 0;
}

/* Counters of a run start at zero: new ones are cheaper than resetting old ones safely. */
static int restart(struct strips *s)
{
	const struct machine_ops *ops = s->m->ops;
	for (uint32_t g = 0; g < s->gpus && s->gpus > 1; g++) {
		struct strip_part *part = &s->part[g];
		if (s->peer) {
			if (ops->counter(s->m, &part->done_count) ||
			    ops->counter(s->m, &part->sent_count))
				return -1;
			continue;
		}
		for (int side = 0; side < SIDES; side++)
			if (ops->counter(s->m, &part->written[side]) ||
			    ops->counter(s->m, &part->read[side]))
				return -1;
	}
	return 0;
}

int strips_run(struct strips *s, int (*body)(struct machine_thread *t, void *arg), void *arg,
	       struct machine_thread *threads, int64_t *core_ns, int64_t *total_ns)
{
	if (restart(s) || s->m->ops->run(s->m, s->gpus, body, arg, threads))
		return -1;
	int64_t last[MARK_COUNT] = { INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN };
	for (uint32_t g = 0; g < s->gpus; g++)
		for (int mark = 0; mark < MARK_COUNT; mark++)
			if (threads[g].mark_ns[mark] > last[mark])
				last[mark] = threads[g].mark_ns[mark];
	*core_ns = last[MARK_CORE_END] - last[MARK_CORE_BEGIN];
	*total_ns = last[MARK_TOTAL_END] - last[MARK_TOTAL_BEGIN];
	return 0;
}

void strips_release(struct strips *s)
{
	free(s->part);
	s->part = NULL;
}
