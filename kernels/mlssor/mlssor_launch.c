/* SPDX-License-Identifier: MIT
 * What the driver of multi-layer SSOR asks its machine for: each launch with its arguments, shape
 * and the bytes it touches.
 */
#include "mlssor_work.h"

/* Sums over layers: points updated; points of the box that is read; points of the box that is
 * written. rows_only: a box a layer. */
struct mlssor_work_points {
	int64_t updated, read, written;
};

static int64_t length(const struct mlssor_axis *axis, int32_t s, int32_t part, int32_t q)
{
	const struct mlssor_range range = mlssor_tile(axis, s, part, q);
	return range.end - range.begin;
}

/* Points along an axis of all subdomains [begin, end) at layer q; those within are alike. */
static int64_t axis_points(const struct mlssor_axis *axis, int32_t begin, int32_t end, int32_t part,
			   int32_t q)
{
	int64_t points = 0;
	const int32_t inner_begin = begin ? begin : 1,
		      inner_end = end < axis->count ? end : axis->count - 1;
	if (begin == 0 && end > 0)
		points += length(axis, 0, part, q);
	if (end == axis->count && axis->count > 1 && end > begin)
		points += length(axis, axis->count - 1, part, q);
	if (inner_end > inner_begin)
		points += (inner_end - inner_begin) * length(axis, inner_begin, part, q);
	return points;
}

static struct mlssor_work_points count_points(const struct mlssor_sweep *sweep, bool rows_only)
{
	const struct mlssor_axis rows = mlssor_rows(sweep), columns = mlssor_columns(sweep);
	struct mlssor_work_points points = { 0, 0, 0 };
	int64_t most_rows = 0, most_columns = 0;
	const int64_t tall = sweep->end - sweep->begin, wide = columns.count;
	for (int32_t q = 0; q < sweep->layers; q++) {
		const int64_t height = axis_points(&rows, sweep->begin, sweep->end, sweep->tile_row,
						   q),
			      width = axis_points(&columns, 0, columns.count, sweep->tile_column,
						  q);
		points.updated += height * width;
		most_rows = height > most_rows ? height : most_rows;
		most_columns = width > most_columns ? width : most_columns;
		if (rows_only) {
			points.read += (height + 2 * tall) * (width + 2 * wide);
			points.written += height * width;
		}
	}
	if (!rows_only) {
		points.read = (most_rows + 2 * tall) * (most_columns + 2 * wide);
		points.written = most_rows * most_columns;
	}
	return points;
}

int mlssor_launch_tiles(struct mlssor_work *r, struct machine_thread *t,
			const struct mlssor_launch *what)
{
	const struct mlssor_params *p = mlssor_params_of(r);
	const struct mlssor_method *method = what->end - what->begin == 1 ? p->border : p->method;
	const struct parts *parts = &r->domain.parts;
	const struct part *part = &parts->part[t->gpu];
	const struct span *s = &part->rows;
	const int border_row = what->tile_row == p->parts - 1,
		  border_column = what->tile_column == p->parts - 1,
		  index = what->fused ? (int)TILE_1221 : 2 * border_row + border_column;
	const struct mlssor_sweep args = {
		.grid = mlssor_ops(r)->address(r->base.m, part->buffer[0]),
		.norm = p->tolerance > 0 ? mlssor_ops(r)->address(r->base.m, r->own[t->gpu].norm)
					 : NULL,
		.pitch = (int32_t)r->domain.pitch,
		.first_row = (int32_t)(s->begin - s->low),
		.rows = (int32_t)p->rows,
		.columns = (int32_t)p->columns,
		.height = p->height,
		.width = p->width,
		.layers = p->layers,
		.shift = mlssor_shift_of(p, what->backward),
		.parts = p->parts,
		.step = p->tile,
		.backward = what->backward,
		.tile_row = what->tile_row,
		.tile_column = what->tile_column,
		.begin = what->begin,
		.end = what->end,
		.threads = p->threads,
		.fused = what->fused,
		.omega = (float)p->omega,
	};
	if (what->begin >= what->end)
		return 0;
	const struct mlssor_work_points points = count_points(&args, method->rows_only);
	const int64_t times = what->fused ? 2 : 1; /* near enough: K12 and K21 are mirrored */
	/* Subdomain rows with what they drift, in the mesh and then in the strip. */
	const int32_t shift = mlssor_shift_of(p, what->backward);
	int64_t top = (int64_t)what->begin * p->height - shift,
		bottom = (int64_t)what->end * p->height - shift + p->layers + 1;
	if (what->backward) {
		const int64_t above = p->rows + 2 - bottom;
		bottom = p->rows + 2 - top;
		top = above;
	}
	top -= args.first_row;
	bottom -= args.first_row;
	top = top < 0 ? 0 : top;
	bottom = bottom > part->stored_rows ? part->stored_rows : bottom;
	const uint32_t order = what->backward ? ACCESS_BACKWARD : 0;
	const struct machine_launch launch = {
		.name = method->name[index],
		.cpu = method->cpu,
		.args = &args,
		.args_bytes = sizeof(args),
		.geometry = method->geometry,
		.rows = (int64_t)(what->end - what->begin) * p->height,
		.columns = p->columns,
		.points = times * points.updated,
		.dram_bytes = times * 4 * (points.read + points.written),
		.resident_bytes = part->stored_rows * parts->row_bytes,
		.access_count = 2,
		.access = {
			{ part->buffer[0], ACCESS_READ | order, top * parts->row_bytes,
			  (bottom - top) * parts->row_bytes },
			{ part->buffer[0], ACCESS_WRITE | order, top * parts->row_bytes,
			  (bottom - top) * parts->row_bytes },
		},
	};
	return mlssor_ops(r)->launch(t, part->stream, &launch);
}

int mlssor_launch_layer(struct mlssor_work *r, struct machine_thread *t, bool backward)
{
	const struct mlssor_params *p = mlssor_params_of(r);
	const struct parts *parts = &r->domain.parts;
	const struct part *part = &parts->part[t->gpu];
	const int64_t bytes = part->stored_rows * parts->row_bytes;
	const struct mlssor_sweep args = {
		.grid = mlssor_ops(r)->address(r->base.m, part->buffer[0]),
		.norm = p->tolerance > 0 ? mlssor_ops(r)->address(r->base.m, r->own[t->gpu].norm)
					 : NULL,
		.pitch = (int32_t)r->domain.pitch,
		.rows = (int32_t)p->rows,
		.columns = (int32_t)p->columns,
		.layers = 1,
		.backward = backward,
		.omega = (float)p->omega,
	};
	const struct machine_launch launch = {
		.name = p->method->name[0],
		.cpu = p->method->cpu,
		.args = &args,
		.args_bytes = sizeof(args),
		.rows = p->rows,
		.columns = p->columns,
		.points = p->rows * p->columns,
		.dram_bytes = 2 * bytes,
		.resident_bytes = bytes,
		.access_count = 2,
		.access = { { part->buffer[0], ACCESS_READ, 0, bytes },
			    { part->buffer[0], ACCESS_WRITE, 0, bytes } },
	};
	return mlssor_ops(r)->launch(t, part->stream, &launch);
}

int mlssor_launch_colour(struct mlssor_work *r, struct machine_thread *t, int colour)
{
	const struct mlssor_params *p = mlssor_params_of(r);
	const struct parts *parts = &r->domain.parts;
	const struct part *part = &parts->part[t->gpu];
	const struct span *s = &part->rows;
	const int64_t begin = s->low, end = s->low + span_owned(s), rows = end - begin;
	const struct mlssor_colour args = {
		.grid = mlssor_ops(r)->address(r->base.m, part->buffer[0]),
		.norm = p->tolerance > 0 ? mlssor_ops(r)->address(r->base.m, r->own[t->gpu].norm)
					 : NULL,
		.pitch = (int32_t)r->domain.pitch,
		.first_row = (int32_t)(s->begin - s->low),
		.columns = (int32_t)p->columns,
		.row_begin = (int32_t)begin,
		.row_end = (int32_t)end,
		.colour = colour,
		.point_rows = p->point_rows,
		.point_columns = p->point_columns,
		.threads = p->threads,
		.omega = (float)p->omega,
	};
	const struct machine_launch launch = {
		.name = p->method->name[0],
		.cpu = p->method->cpu,
		.args = &args,
		.args_bytes = sizeof(args),
		.geometry = p->method->geometry,
		.rows = rows,
		.columns = p->columns,
		.points = rows * p->columns / 2,
		.dram_bytes = 2 * rows * parts->row_bytes, /* every sector read and written back */
		.resident_bytes = part->stored_rows * parts->row_bytes,
		.access_count = 2,
		.access = {
			{ part->buffer[0], ACCESS_READ, (begin - 1) * parts->row_bytes,
			  (rows + 2) * parts->row_bytes },
			{ part->buffer[0], ACCESS_WRITE, begin * parts->row_bytes,
			  rows * parts->row_bytes },
		},
	};
	return mlssor_ops(r)->launch(t, part->stream, &launch);
}
