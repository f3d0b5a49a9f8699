/* SPDX-License-Identifier: MIT */
#include "parts_internal.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

enum { ROW_ALIGN_BYTES = 512 };

struct span span_of(int64_t extent, int64_t halo, uint32_t parts, uint32_t part)
{
	const int64_t interior = extent - 2;
	struct span span = {
		.begin = 1 + interior * part / parts,
		.end = 1 + interior * (part + 1) / parts,
		.has_low = part > 0,
		.has_high = part + 1 < parts,
	};
	span.low = span.has_low ? halo : 1;
	span.high = span.has_high ? halo : 1;
	return span;
}

struct region part_region(const struct part *part, int64_t extension)
{
	const struct span *r = &part->rows, *c = &part->columns;
	return (struct region){
		.row_begin = r->low - (r->has_low ? extension : 0),
		.row_end = r->low + span_owned(r) + (r->has_high ? extension : 0),
		.column_begin = c->low - (c->has_low ? extension : 0),
		.column_end = c->low + span_owned(c) + (c->has_high ? extension : 0),
	};
}

/* Block row or block column of a part. */
static uint32_t place_of(const struct parts *s, uint32_t g, int phase)
{
	return phase == 0 ? g / s->across : g % s->across;
}

uint32_t parts_count(const struct parts *s, int phase)
{
	return phase == 0 ? s->gpus / s->across : s->across;
}

uint32_t parts_neighbour(const struct parts *s, uint32_t g, enum side side)
{
	const uint32_t step = side < WEST ? s->across : 1;
	return side == NORTH || side == WEST ? g - step : g + step;
}

struct rectangle parts_border(const struct parts *s, const struct part *part, enum side side,
			      bool halo)
{
	const struct span *span = side < WEST ? &part->rows : &part->columns;
	const bool low = side == NORTH || side == WEST;
	const int64_t first =
		low ? (halo ? 0 : span->low) : span->low + span_owned(span) - (halo ? 0 : s->halo);
	if (side >= WEST)
		return (struct rectangle){ first * s->column_bytes, s->halo * s->column_bytes,
					   part->stored_rows };
	if (s->across == 1) /* whole rows lie in one piece */
		return (struct rectangle){ first * s->row_bytes, s->halo * s->row_bytes, 1 };
	return (struct rectangle){ first * s->row_bytes, part->stored_columns * s->column_bytes,
				   s->halo };
}

int parts_sides(const struct parts *s, uint32_t g, int phase, enum side order[2])
{
	const struct span *span = phase == 0 ? &s->part[g].rows : &s->part[g].columns;
	const enum side low = phase == 0 ? NORTH : WEST;
	int count = 0;
	for (uint32_t k = 0; k < 2; k++) {
		const bool low_first = s->free_order || (place_of(s, g, phase) & 1),
			   is_low = low_first == (k == 0);
		if (is_low ? span->has_low : span->has_high)
			order[count++] = is_low ? low : low + 1;
	}
	return count;
}

int parts_transfer(struct parts *s, struct machine_thread *t, uint32_t h_grid, uint32_t device,
		   int64_t device_row_bytes, bool up)
{
	const struct part *part = &s->part[t->gpu];
	const struct span *r = &part->rows, *c = &part->columns;
	const int64_t h_row_bytes = s->columns * s->column_bytes;
	const int64_t top = !up && r->has_low ? r->low : 0,
		      bottom = !up && r->has_high ? r->high : 0,
		      left = !up && c->has_low ? c->low : 0,
		      right = !up && c->has_high ? c->high : 0;
	const int64_t rows = part->stored_rows - top - bottom;
	const int64_t host_offset = (r->begin - r->low + top) * h_row_bytes +
				    (c->begin - c->low + left) * s->column_bytes;
	const int64_t device_offset = top * device_row_bytes + left * s->column_bytes;
	struct machine_copy copy = {
		.source = up ? h_grid : device,
		.target = up ? device : h_grid,
		.source_offset_bytes = up ? host_offset : device_offset,
		.target_offset_bytes = up ? device_offset : host_offset,
		.row_bytes = (part->stored_columns - left - right) * s->column_bytes,
		.rows = rows,
		.source_pitch_bytes = up ? h_row_bytes : device_row_bytes,
		.target_pitch_bytes = up ? device_row_bytes : h_row_bytes,
	};
	if (device_row_bytes == h_row_bytes && s->across == 1) { /* one piece */
		copy.row_bytes *= rows;
		copy.rows = 1;
	}
	return s->m->ops->copy(t, part->stream, &copy);
}

int parts_partition(const char *text, uint32_t gpus, uint32_t *across)
{
	char *end;
	*across = 1;
	if (!strcmp(text, "strips"))
		return 0;
	const long long down = strtoll(text, &end, 10);
	const char *second = end + 1;
	long long side = 0;
	if (*end == 'x')
		side = strtoll(second, &end, 10);
	if (down < 1 || side < 1 || down > UINT16_MAX || side > UINT16_MAX || *end)
		return report("partition '%s' is neither strips nor ROWSxCOLUMNS of blocks", text);
	if (down * side != gpus)
		return report("partition %s makes %lld blocks, not one for each of %u GPUs", text,
			      down * side, gpus);
	*across = (uint32_t)side;
	return 0;
}

int parts_check(const struct parts *s, const char *what)
{
	static const char *const name[PART_PHASES] = { "rows", "columns" };
	const int64_t extent[PART_PHASES] = { s->rows, s->columns };
	for (int phase = 0; phase < PART_PHASES; phase++) {
		const int64_t thinnest = (extent[phase] - 2) / parts_count(s, phase);
		if (parts_count(s, phase) > 1 && thinnest < s->halo)
			return report("%s needs %lld halo %s, more than the %lld %s of a %s "
				      "(%lldx%lld on %u GPUs)",
				      what, (long long)s->halo, name[phase], (long long)thinnest,
				      name[phase], s->across > 1 ? "block" : "strip",
				      (long long)s->rows, (long long)s->columns, s->gpus);
	}
	return 0;
}

static int make_peer_phase(struct parts *s, uint32_t g, int phase)
{
	struct machine *m = s->m;
	const struct machine_ops *ops = m->ops;
	struct part *part = &s->part[g];
	const struct span *span = phase == 0 ? &part->rows : &part->columns;
	const uint32_t step = phase == 0 ? s->across : 1;
	return ops->event(m, g, &part->phase[phase].done) ||
			       ops->event(m, g, &part->phase[phase].sent) ||
			       ops->counter(m, &part->phase[phase].done_count) ||
			       ops->counter(m, &part->phase[phase].sent_count) ||
			       (span->has_low && ops->peer_access(m, g, g - step)) ||
			       (span->has_high && ops->peer_access(m, g, g + step))
		       ? -1
		       : 0;
}

static int make_host_phase(struct parts *s, uint32_t g, int phase)
{
	struct machine *m = s->m;
	struct part *part = &s->part[g];
	for (enum side side = phase == 0 ? NORTH : WEST; side < (phase == 0 ? WEST : SIDES);
	     side++) {
		const struct rectangle border = parts_border(s, part, side, false);
		if (m->ops->buffer(m, g, s->pageable ? SPACE_PAGEABLE : SPACE_PINNED,
				   border.row_bytes * border.rows, &part->stage[side]) ||
		    m->ops->counter(m, &part->written[side]) ||
		    m->ops->counter(m, &part->read[side]))
			return -1;
	}
	return 0;
}

static int make_part(struct parts *s, uint32_t g)
{
	struct machine *m = s->m;
	struct part *part = &s->part[g];
	for (int k = 0; k < s->buffers; k++)
		if (m->ops->buffer(m, g, SPACE_DEVICE, part->stored_rows * s->row_bytes,
				   &part->buffer[k]))
			return -1;
	if (m->ops->stream(m, g, &part->stream) ||
	    (s->one_thread && m->ops->event(m, g, &s->fork[g])) ||
	    (s->workers && parts_workers_make(s, g)))
		return -1;
	for (int phase = 0; phase < PART_PHASES; phase++)
		if (parts_count(s, phase) > 1 && !s->messages &&
		    (s->peer ? make_peer_phase(s, g, phase) : make_host_phase(s, g, phase)))
			return -1;
	return 0;
}

int parts_make(struct parts *s)
{
	int64_t widest = 0;
	s->policy = s->peer ? AWAIT_SPIN : AWAIT_BLOCK;
	s->part = xcalloc(s->gpus, sizeof(*s->part));
	s->fork = xcalloc(s->gpus, sizeof(*s->fork));
	for (uint32_t g = 0; g < s->gpus; g++) {
		struct part *part = &s->part[g];
		part->rows = span_of(s->rows, s->halo, parts_count(s, 0), place_of(s, g, 0));
		part->columns = span_of(s->columns, s->halo, parts_count(s, 1), place_of(s, g, 1));
		part->stored_rows = span_stored(&part->rows);
		part->stored_columns = span_stored(&part->columns);
		if (part->stored_columns > widest)
			widest = part->stored_columns;
	}
	if (!s->row_bytes)
		s->row_bytes = (widest * s->column_bytes + ROW_ALIGN_BYTES - 1) / ROW_ALIGN_BYTES *
			       ROW_ALIGN_BYTES;
	for (uint32_t g = 0; g < s->gpus; g++)
		if (make_part(s, g))
			return -1;
	return s->messages && s->gpus > 1 ? parts_messages_make(s) : 0;
}

static int restart_phase(struct parts *s, struct part *part, int phase)
{
	const struct machine_ops *ops = s->m->ops;
	if (s->peer)
		return ops->counter(s->m, &part->phase[phase].done_count) ||
				       ops->counter(s->m, &part->phase[phase].sent_count)
			       ? -1
			       : 0;
	for (enum side side = phase == 0 ? NORTH : WEST; side < (phase == 0 ? WEST : SIDES); side++)
		if (ops->counter(s->m, &part->written[side]) ||
		    ops->counter(s->m, &part->read[side]))
			return -1;
	return 0;
}

/* New counters are cheaper than resetting old ones safely. */
int parts_restart(struct parts *s)
{
	for (uint32_t g = 0; g < s->gpus; g++) {
		if (parts_workers_restart(s, g))
			return -1;
		for (int phase = 0; phase < PART_PHASES && !s->messages; phase++)
			if (parts_count(s, phase) > 1 && restart_phase(s, &s->part[g], phase))
				return -1;
	}
	return 0;
}

void parts_release(struct parts *s)
{
	free(s->part);
	free(s->fork);
	s->part = NULL;
	s->fork = NULL;
}
