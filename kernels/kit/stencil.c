/* SPDX-License-Identifier: MIT */
#include "stencil.h"

int stencil_launch(const struct domain *domain, struct machine_thread *t,
		   const struct stencil_launch *given)
{
	const struct parts *parts = &domain->parts;
	const struct part *part = &parts->part[t->gpu];
	const struct region r = given->region;
	const int64_t rows = r.row_end - r.row_begin, columns = r.column_end - r.column_begin,
		      reach = given->reach ? given->reach : 1, row_bytes = parts->row_bytes,
		      top = r.row_begin > reach ? r.row_begin - reach : 0,
		      bottom = part->stored_rows - r.row_end > reach ? r.row_end + reach
								     : part->stored_rows;
	const struct machine_launch launch = {
		.name = given->kernel->name,
		.cpu = given->kernel->cpu,
		.geometry = given->kernel->geometry,
		.args = given->args,
		.args_bytes = given->args_bytes,
		.rows = rows,
		.columns = columns,
		.points = given->points ? given->points : rows * columns,
		.dram_bytes = given->dram_bytes ? given->dram_bytes
						: 2 * rows * columns * (domain->f64 ? 8 : 4),
		.resident_bytes = parts->buffers * part->stored_rows * row_bytes,
		.access_count = 2,
		.access = {
			{ part->buffer[given->from], ACCESS_READ | given->access, top * row_bytes,
			  (bottom - top) * row_bytes },
			{ part->buffer[given->to], ACCESS_WRITE | given->access,
			  r.row_begin * row_bytes, rows * row_bytes },
		},
	};
	return t->machine->ops->launch(t, part->stream, &launch);
}
