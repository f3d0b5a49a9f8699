/* SPDX-License-Identifier: MIT
 * Borders as messages of the machine's: straight into the halo where a border lies in one piece,
 * else packed before and unpacked behind. No thread waits for another one.
 */
#include "parts_internal.h"

static bool in_one_piece(const struct rectangle *border)
{
	return border->rows == 1;
}

/* What a border of a side that does not lie in one piece is packed into. */
static int make_side(struct parts *s, uint32_t gpu, enum side side, int64_t *most)
{
	struct machine *m = s->m;
	struct part *part = &s->part[gpu];
	const struct rectangle border = parts_border(s, part, side, false);
	const int64_t bytes = border.row_bytes * border.rows;
	*most = bytes > *most ? bytes : *most;
	return !in_one_piece(&border) &&
			       (m->ops->buffer(m, gpu, SPACE_DEVICE, bytes, &part->packed[side]) ||
				m->ops->buffer(m, gpu, SPACE_DEVICE, bytes, &part->arrived[side]))
		       ? -1
		       : 0;
}

int parts_messages_make(struct parts *s)
{
	int64_t most = 0;
	for (uint32_t g = 0; g < s->gpus; g++)
		for (int phase = 0; phase < PART_PHASES; phase++) {
			enum side order[2];
			const bool cut = parts_count(s, phase) > 1;
			const int sides = cut ? parts_sides(s, g, phase, order) : 0;
			for (int k = 0; k < sides; k++)
				if (make_side(s, g, order[k], &most))
					return -1;
		}
	return s->m->ops->channel(s->m, s->gpus, s->channel, most);
}

/* A border between the part and what is packed of it; nothing where it lies in one piece. */
static int pack(const struct parts *s, struct machine_thread *t, enum side side, int which,
		bool arrived)
{
	const struct part *me = &s->part[t->gpu];
	const struct rectangle border = parts_border(s, me, side, arrived);
	struct machine_copy copy = {
		.source = me->buffer[which],
		.target = me->packed[side],
		.source_offset_bytes = border.offset_bytes,
		.row_bytes = border.row_bytes,
		.rows = border.rows,
		.source_pitch_bytes = s->row_bytes,
		.target_pitch_bytes = border.row_bytes,
	};
	if (arrived)
		copy = (struct machine_copy){
			.source = me->arrived[side],
			.target = me->buffer[which],
			.target_offset_bytes = border.offset_bytes,
			.row_bytes = border.row_bytes,
			.rows = border.rows,
			.source_pitch_bytes = border.row_bytes,
			.target_pitch_bytes = s->row_bytes,
		};
	return in_one_piece(&border) ? 0 : s->m->ops->copy(t, me->stream, &copy);
}

static struct machine_message message_of(const struct parts *s, uint32_t gpu, enum side side,
					 int which)
{
	const uint32_t neighbour = parts_neighbour(s, gpu, side);
	const struct part *me = &s->part[gpu], *peer = &s->part[neighbour];
	const enum side theirs = parts_opposite(side);
	const struct rectangle border = parts_border(s, me, side, false),
			       halo = parts_border(s, me, side, true),
			       there = parts_border(s, peer, theirs, true);
	if (!in_one_piece(&border))
		return (struct machine_message){ .peer = neighbour,
						 .bytes = border.row_bytes * border.rows,
						 .send = me->packed[side],
						 .receive = me->arrived[side],
						 .there = peer->arrived[theirs] };
	return (struct machine_message){ .peer = neighbour,
					 .bytes = border.row_bytes,
					 .send = me->buffer[which],
					 .send_offset_bytes = border.offset_bytes,
					 .receive = me->buffer[which],
					 .receive_offset_bytes = halo.offset_bytes,
					 .there = peer->buffer[which],
					 .there_offset_bytes = there.offset_bytes };
}

int parts_messages_exchange(const struct parts *s, struct machine_thread *t, int which, int phase)
{
	struct machine_message message[2];
	enum side order[2];
	const int sides = parts_sides(s, t->gpu, phase, order);
	for (int k = 0; k < sides; k++) {
		if (pack(s, t, order[k], which, false))
			return -1;
		message[k] = message_of(s, t->gpu, order[k], which);
	}
	if (s->m->ops->messages(t, s->part[t->gpu].stream, message, (uint32_t)sides))
		return -1;
	for (int k = 0; k < sides; k++)
		if (pack(s, t, order[k], which, true))
			return -1;
	return 0;
}
