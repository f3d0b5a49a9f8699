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
		.textures = given->textures,
	};
	return t->machine->ops->launch(t, part->stream, &launch);
}

int stencil_launch_points(const struct domain *domain, struct machine_thread *t,
			  const struct stencil_kernel *kernel, int64_t extension,
			  struct stencil_points *args, size_t args_bytes)
{
	const struct machine_ops *ops = t->machine->ops;
	const struct part *part = &domain->parts.part[t->gpu];
	const int from = domain->current[t->gpu], to = 1 - from;
	const struct region r = part_region(part, extension);
	*args = (struct stencil_points){
		.u = ops->address(t->machine, part->buffer[from]),
		.v = ops->address(t->machine, part->buffer[to]),
		.pitch = domain->pitch,
		.row_begin = (int32_t)r.row_begin,
		.row_end = (int32_t)r.row_end,
		.column_begin = (int32_t)r.column_begin,
		.column_end = (int32_t)r.column_end,
	};
	const struct stencil_launch launch = {
		.kernel = kernel,
		.region = r,
		.from = from,
		.to = to,
		.args = args,
		.args_bytes = args_bytes,
	};
	return stencil_launch(domain, t, &launch);
}
