/* SPDX-License-Identifier: MIT
 * The launches of red-black SOR: arguments, and what models must know of each.
 */
#include <string.h>

#include "kernels/kit/stencil.h"
#include "rbsor_work.h"

static int64_t flags_bytes(const struct rbsor_work *r)
{
	const struct rbsor_params *p = r->w.base.params;
	return p->resident ? RESIDENT_FLAGS_BYTES : PERSISTENT_FLAGS_BYTES;
}

static void *address(const struct machine_thread *t, uint32_t buffer)
{
	return t->machine->ops->address(t->machine, buffer);
}

/* Global row and column of a part's first stored point, added up: what the colours go by. */
static int64_t first_point(const struct part *part)
{
	return part->rows.begin - part->rows.low + part->columns.begin - part->columns.low;
}

/* The kernel of a colour: rbsor_sweeps.def, else both colours'. */
static const struct stencil_kernel *sweep_kernel(const struct rbsor_params *p, int colour)
{
	static const struct stencil_kernel both[2][2] = {
		/* [tuned][f64] */
		{ { "rbsor_paper_f32", rbsor_rows_f32_cpu, rbsor_paper_geometry },
		  { "rbsor_paper_f64", rbsor_rows_f64_cpu, rbsor_paper_geometry } },
		{ { "rbsor_tuned_f32", rbsor_tuned_f32_cpu, rbsor_tuned_f32_geometry },
		  { "rbsor_tuned_f64", rbsor_tuned_f64_cpu, rbsor_tuned_f64_geometry } },
	};
	static const struct stencil_kernel one[][2][2] = {
	/* [sweep][colour][f64] */
#define OF(name, colour)                                                                           \
	{                                                                                          \
		{ "rbsor_" #name "_" #colour "_f32", rbsor_rows_f32_cpu, rbsor_paper_geometry },   \
		{                                                                                  \
			"rbsor_" #name "_" #colour "_f64", rbsor_rows_f64_cpu,                     \
				rbsor_paper_geometry                                               \
		}                                                                                  \
	}
#define SWEEP(kernel, indices, name, strips) { OF(name, red), OF(name, black) },
#include "rbsor_sweeps.def"
#undef SWEEP
#undef OF
	};
	return p->sweep < 0 ? &both[p->tuned][p->grid.f64] : &one[p->sweep][colour][p->grid.f64];
}

int rbsor_launch_sweep(const struct domain_work *w, struct machine_thread *t, int colour,
		       int64_t extension)
{
	const struct rbsor_params *p = w->base.params;
	const struct part *part = &w->domain.parts.part[t->gpu];
	struct region region = part_region(part, extension);
	if (p->store) { /* the others are edges */
		region.row_begin += part->rows.has_low;
		region.row_end -= part->rows.has_high;
		if (region.row_end <= region.row_begin)
			return 0;
	}
	/* To the kernel the column left of the region is the grid's first. */
	region.column_begin--;
	region.column_end++;
	const int64_t word = w->domain.f64 ? 8 : 4, left = region.column_begin,
		      columns = region.column_end - left,
		      points = (region.row_end - region.row_begin) * columns;
	char *grid = address(t, part->buffer[0]);
	const struct rbsor_area args = {
		.sweep = { .grid = grid ? grid + left * word : NULL,
			   .pitch = w->domain.pitch,
			   .columns = (int32_t)columns,
			   .strip_rows = (int32_t)part->stored_rows,
			   .row_begin = (int32_t)region.row_begin,
			   .row_end = (int32_t)region.row_end,
			   .first_row = (int32_t)(first_point(part) + left),
			   .colour = colour,
			   .omega = p->omega_used },
		.first_row = (int32_t)(part->rows.begin - part->rows.low),
		.first_column = (int32_t)(part->columns.begin - part->columns.low + left),
	};
	const struct stencil_launch launch = {
		.kernel = sweep_kernel(p, colour),
		.region = region,
		.args = &args,
		.args_bytes = p->sweep < 0 ? sizeof(args.sweep) : sizeof(args),
		.points = points / 2,
		/* split: own colour read and written, the other read;
		   interleaved: every sector is read and written back */
		.dram_bytes = points * word * (p->tuned ? 3 : 4) / 2,
		/* rbsor_tuned.cuh: black is the reversed sweep */
		.access = p->tuned && colour ? ACCESS_BACKWARD : 0,
		.textures = p->texture,
	};
	return stencil_launch(&w->domain, t, &launch);
}

int rbsor_launch_edges(const struct rbsor_work *r, struct machine_thread *t, int colour)
{
	const struct rbsor_params *p = r->w.base.params;
	const struct domain *domain = &r->w.domain;
	const struct part *part = &domain->parts.part[t->gpu];
	const struct span *rows = &part->rows;
	const int64_t row_bytes = domain->parts.row_bytes, edges = rows->has_low + rows->has_high,
		      last = rows->low + span_owned(rows) - 1;
	char *north = rows->has_low ? address(t, part[-1].buffer[0]) : NULL,
	     *south = rows->has_high ? address(t, part[1].buffer[0]) : NULL;
	const struct rbsor_rim args = {
		.sweep = { .grid = address(t, part->buffer[0]),
			   .pitch = domain->pitch,
			   .columns = (int32_t)p->grid.columns,
			   .strip_rows = (int32_t)part->stored_rows,
			   .row_begin = (int32_t)rows->low,
			   .row_end = (int32_t)last + 1,
			   .first_row = (int32_t)first_point(part),
			   .colour = colour,
			   .omega = p->omega_used },
		/* the neighbour's halo row behind its last, and before its first */
		.north = north ? north + (part[-1].stored_rows - 1) * row_bytes : NULL,
		.south = south,
	};
	const struct machine_launch launch = {
		.name = p->grid.f64 ? "rbsor_rim_f64" : "rbsor_rim_f32",
		.cpu = p->grid.f64 ? rbsor_rim_f64_cpu : rbsor_rim_f32_cpu,
		.geometry = rbsor_rim_geometry,
		.args = &args,
		.args_bytes = sizeof(args),
		.rows = edges,
		.columns = p->grid.columns,
		.points = edges * p->grid.columns / 2,
		/* rows of the other colour above, beside and below, the own in and out; what is
		   stored at the neighbour's is none of this GPU's */
		.dram_bytes = edges * row_bytes * 5 / 2,
		.resident_bytes = part->stored_rows * row_bytes,
		.access_count = 2,
		.access = {
			{ part->buffer[0], ACCESS_READ | ACCESS_WRITE, 0, 3 * row_bytes },
			{ part->buffer[0], ACCESS_READ | ACCESS_WRITE, (last - 1) * row_bytes,
			  3 * row_bytes },
		},
	};
	return t->machine->ops->launch(t, r->border[t->gpu].stream, &launch);
}

int rbsor_launch_pass(const struct domain_work *w, struct machine_thread *t,
		      const struct rbsor_pass_kernel *pass, int from, int64_t extension)
{
	const struct rbsor_params *p = w->base.params;
	const struct part *part = &w->domain.parts.part[t->gpu];
	struct region region = part_region(part, extension);
	region.column_begin = 0;
	region.column_end = part->stored_columns;
	const struct rbsor_pass args = {
		.from = address(t, part->buffer[from]),
		.to = address(t, part->buffer[1 - from]),
		.pitch = w->domain.pitch,
		.columns = (int32_t)part->stored_columns,
		.strip_rows = (int32_t)part->stored_rows,
		.row_begin = (int32_t)region.row_begin,
		.row_end = (int32_t)region.row_end,
		.first = (int32_t)first_point(part),
		.depth = pass->depth,
		.omega = p->omega_used,
	};
	const struct stencil_kernel kernel = {
		.name = pass->name[p->grid.f64],
		.cpu = p->grid.f64 ? rbsor_pass_f64_cpu : rbsor_pass_f32_cpu,
		.geometry = pass->geometry[p->grid.f64],
	};
	const struct stencil_launch launch = {
		.kernel = &kernel,
		.region = region,
		.from = from,
		.to = 1 - from,
		.args = &args,
		.args_bytes = sizeof(args),
		.reach = 2 * pass->depth,
		.points = (region.row_end - region.row_begin) * part->stored_columns * pass->depth,
	};
	return stencil_launch(&w->domain, t, &launch);
}

int rbsor_launch_loop(struct rbsor_work *r, struct machine_thread *t, int iterations)
{
	const struct domain *domain = &r->w.domain;
	const struct rbsor_params *p = r->w.base.params;
	const struct part *part = &domain->parts.part[t->gpu];
	const int64_t bytes = p->grid.rows * domain->parts.row_bytes;
	const struct rbsor_persistent_kernel *kernel =
		rbsor_persistent_kernel_of(p->grid.rows, p->grid.columns);
	const struct rbsor_loop args = {
		.grid = { address(t, part->buffer[0]), address(t, part->buffer[1]) },
		.flags = address(t, r->flags),
		.pitch = domain->pitch,
		.columns = (int32_t)p->grid.columns,
		.rows = (int32_t)p->grid.rows,
		.iterations = iterations,
		.omega = p->omega_used,
	};
	const struct machine_launch launch = {
		.name = kernel->name[p->resident][p->grid.f64],
		.cpu = p->grid.f64 ? rbsor_loop_f64_cpu : rbsor_loop_f32_cpu,
		.geometry = rbsor_persistent_geometry,
		.args = &args,
		.args_bytes = sizeof(args),
		.rows = p->grid.rows,
		.columns = p->grid.columns,
		.points = p->grid.rows * p->grid.columns * iterations,
		.dram_bytes = 2 * p->grid.rows * p->grid.columns * (p->grid.f64 ? 8 : 4),
		.resident_bytes = 2 * bytes,
		.access_count = 2,
		.access = {
			{ part->buffer[0], ACCESS_READ | ACCESS_WRITE, 0, bytes },
			{ part->buffer[1], ACCESS_READ | ACCESS_WRITE, 0, bytes },
		},
	};
	return t->machine->ops->launch(t, part->stream, &launch);
}

int rbsor_flags_make(struct rbsor_work *r)
{
	struct machine *m = r->w.base.m;
	const int64_t bytes = flags_bytes(r);
	if (m->ops->buffer(m, 0, SPACE_DEVICE, bytes, &r->flags) ||
	    m->ops->buffer(m, 0, SPACE_PINNED, bytes, &r->zeros))
		return -1;
	if (m->ops->computes)
		memset(m->ops->address(m, r->zeros), 0, (size_t)bytes);
	return 0;
}

int rbsor_flags_up(struct rbsor_work *r, struct machine_thread *t)
{
	const struct machine_copy copy = {
		.source = r->zeros, .target = r->flags, .row_bytes = flags_bytes(r), .rows = 1
	};
	return t->machine->ops->copy(t, r->w.domain.parts.part[t->gpu].stream, &copy);
}
