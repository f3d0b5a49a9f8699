/* SPDX-License-Identifier: MIT
 * What the driver of local modified SOR asks its machine for: each launch with its arguments, shape
 * and the bytes it touches.
 */
#include "lmsor_geometry.h"
#include "lmsor_row.h"
#include "lmsor_work.h"

uint64_t *lmsor_slot(const struct lmsor_work *r, uint32_t buffer, int slot)
{
	uint64_t *slots = lmsor_ops(r)->address(r->base.m, buffer);
	return slots ? slots + slot : NULL;
}

int lmsor_launch_sweep(struct lmsor_work *r, struct machine_thread *t, int colour,
		       int64_t extension, int slot, bool stops)
{
	const struct lmsor_params *p = &r->params;
	const struct lmsor_method *method = p->method;
	const struct part *part = &r->domain.parts.part[t->gpu];
	const struct lmsor_own *own = &r->own[t->gpu];
	const struct span *s = &part->rows;
	const int64_t begin = s->low - (s->has_low ? extension : 0);
	const int64_t end = s->low + (s->end - s->begin) + (s->has_high ? extension : 0),
		      rows = end - begin, row_bytes = r->domain.parts.row_bytes;
	const uint32_t backward = method->reverses && colour ? ACCESS_BACKWARD : 0;
	const int64_t arrays = lmsor_arrays(method->stored), plane_row = r->domain.pitch / 2 * 8,
		      plane = part->stored_rows * plane_row;
	const struct lmsor_sweep args = {
		.grid = lmsor_ops(r)->address(r->base.m, part->buffer[0]),
		.terms = arrays ? lmsor_ops(r)->address(r->base.m, own->terms) : NULL,
		.norm = slot < 0 ? NULL : lmsor_slot(r, own->norm, slot),
		.stop_at = stops ? lmsor_bits(p->tolerance) : LMSOR_NEVER,
		.pitch = (int32_t)r->domain.pitch,
		.columns = p->size,
		.strip_rows = (int32_t)part->stored_rows,
		.row_begin = (int32_t)begin,
		.row_end = (int32_t)end,
		.first_row = (int32_t)(s->begin - s->low),
		.colour = colour,
		.problem = p->p,
	};
	struct machine_launch launch = {
		.name = method->name[slot >= 0],
		.cpu = method->cpu,
		.args = &args,
		.args_bytes = sizeof(args),
		.geometry = method->geometry,
		.rows = rows,
		.columns = p->size,
		.points = rows * p->size / 2,
		/* own colour read and written, the other read once, each stored term read */
		.dram_bytes = rows * p->size / 2 * 8 * (3 + arrays),
		.resident_bytes = part->stored_rows * row_bytes + 2 * arrays * plane,
		.access_count = 2,
		.access = {
			{ part->buffer[0], ACCESS_READ | backward, (begin - 1) * row_bytes,
			  (rows + 2) * row_bytes },
			{ part->buffer[0], ACCESS_WRITE | backward, begin * row_bytes,
			  rows * row_bytes },
		},
	};
	if (arrays)
		launch.access[launch.access_count++] =
			(struct schedule_access){ own->terms, ACCESS_READ | backward,
						  colour * arrays * plane + begin * plane_row,
						  (arrays - 1) * plane + rows * plane_row };
	if (slot >= 0) /* all blocks raise one word; which one it is makes no other launch of it */
		launch.access[launch.access_count++] =
			(struct schedule_access){ own->norm, ACCESS_READ | ACCESS_WRITE, 0,
						  sizeof(uint64_t) };
	return lmsor_ops(r)->launch(t, part->stream, &launch);
}

int lmsor_launch_whole(struct lmsor_work *r, struct machine_thread *t)
{
	const struct lmsor_params *p = &r->params;
	const struct part *part = &r->domain.parts.part[t->gpu];
	const struct lmsor_own *own = &r->own[t->gpu];
	const struct span *s = &part->rows;
	const int64_t rows = s->end - s->begin,
		      split_bytes = part->stored_rows * r->domain.parts.row_bytes,
		      scoreboard_bytes = 8 * lmsor_slots(r);
	const int32_t bands = lmsor_bands((int32_t)rows);
	const int64_t mailbox_bytes = 8 * lmsor_mailbox_words(bands);
	const struct lmsor_loop args = {
		.grid = lmsor_ops(r)->address(r->base.m, part->buffer[0]),
		.scoreboard = lmsor_slot(r, own->norm, 0),
		.mailboxes = lmsor_slot(r, own->mailboxes, 0),
		.stop_at = lmsor_fixed(r) ? LMSOR_NEVER : lmsor_bits(p->tolerance),
		.pitch = (int32_t)r->domain.pitch,
		.columns = p->size,
		.row_begin = (int32_t)s->low,
		.row_end = (int32_t)(s->low + rows),
		.first_row = (int32_t)(s->begin - s->low),
		.iterations = r->base.iterations,
		.check_every = lmsor_check_interval(p),
		.bands = bands,
		.problem = p->p,
	};
	const struct machine_launch launch = {
		.name = p->method->name[1],
		.cpu = p->method->cpu,
		.args = &args,
		.args_bytes = sizeof(args),
		.geometry = p->method->geometry,
		.rows = rows,
		.columns = p->size,
		.points = rows * p->size,
		.dram_bytes = 2 * 8 * rows * p->size, /* u once in and once out */
		.resident_bytes = split_bytes + mailbox_bytes,
		.access_count = 5,
		.access = {
			{ part->buffer[0], ACCESS_READ, 0, split_bytes },
			{ part->buffer[0], ACCESS_WRITE, 0, split_bytes },
			{ own->mailboxes, ACCESS_READ, 0, mailbox_bytes },
			{ own->mailboxes, ACCESS_WRITE, 0, mailbox_bytes },
			{ own->norm, ACCESS_WRITE, 0, scoreboard_bytes },
		},
	};
	return lmsor_ops(r)->launch(t, part->stream, &launch);
}

int lmsor_launch_terms(struct lmsor_work *r, struct machine_thread *t)
{
	const struct lmsor_method *method = r->params.method;
	const struct part *part = &r->domain.parts.part[t->gpu];
	const int64_t bytes =
		part->stored_rows * r->domain.parts.row_bytes * lmsor_arrays(method->stored);
	const struct lmsor_setup args = {
		.terms = lmsor_ops(r)->address(r->base.m, r->own[t->gpu].terms),
		.pitch = (int32_t)r->domain.pitch,
		.strip_rows = (int32_t)part->stored_rows,
		.first_row = (int32_t)(part->rows.begin - part->rows.low),
		.stored = (int32_t)method->stored,
		.problem = r->params.p,
	};
	const struct machine_launch launch = {
		.name = "lmsor_terms",
		.cpu = method->rows ? lmsor_terms_rows_cpu : lmsor_terms_cpu,
		.args = &args,
		.args_bytes = sizeof(args),
		.geometry = lmsor_terms_geometry,
		.rows = part->stored_rows,
		.columns = r->params.size,
		.points = part->stored_rows * r->params.size,
		.dram_bytes = bytes,
		.resident_bytes = bytes,
		.access_count = 1,
		.access = { { r->own[t->gpu].terms, ACCESS_WRITE, 0, bytes } },
	};
	return bytes ? lmsor_ops(r)->launch(t, part->stream, &launch) : 0;
}

int lmsor_copy_norms(struct lmsor_work *r, struct machine_thread *t, uint32_t stream, int from,
		     int to, bool down)
{
	const struct lmsor_own *own = &r->own[t->gpu];
	const struct machine_copy copy = {
		.source = down ? own->norm : own->h_norm,
		.target = down ? own->h_norm : own->norm,
		.source_offset_bytes = from * (int64_t)sizeof(uint64_t),
		.target_offset_bytes = from * (int64_t)sizeof(uint64_t),
		.row_bytes = (to - from) * (int64_t)sizeof(uint64_t),
		.rows = 1,
	};
	return lmsor_ops(r)->copy(t, stream, &copy);
}
