/* SPDX-License-Identifier: MIT
 * The multi-GPU driver of red-black SOR, written once on struct machine.
 *
 * A cycle is `border` iterations without communication, then a border exchange. The exact scheme
 * keeps 2b halo rows and lets each colour consume one: sweep c of a cycle of s sweeps updates s - 1
 * - c rows beyond the strip. The thesis' scheme keeps b rows and consumes one an iteration, both
 * colours over the same rows, which is not red-black SOR.
 */
#include <string.h>

#include "kernels/kit/domain.h"
#include "traces/base/util.h"
#include "rbsor.h"
#include "rbsor_geometry.h"
#include "rbsor_params.h"

struct kernel_entry {
	const char *name;
	void (*cpu)(const void *args);
	void (*geometry)(const void *args, struct launch_geometry *geometry);
};
static const struct kernel_entry sweep_kernel[2][2] = {
	/* [tuned][f64] */
	{ { "rbsor_paper_f32", rbsor_rows_f32_cpu, rbsor_paper_geometry },
	  { "rbsor_paper_f64", rbsor_rows_f64_cpu, rbsor_paper_geometry } },
	{ { "rbsor_tuned_f32", rbsor_tuned_f32_cpu, rbsor_tuned_f32_geometry },
	  { "rbsor_tuned_f64", rbsor_tuned_f64_cpu, rbsor_tuned_f64_geometry } },
};

/* Global row and column of a part's first stored point, added up: what the colours go by. */
static int64_t first_point(const struct part *part)
{
	return part->rows.begin - part->rows.low + part->columns.begin - part->columns.low;
}

static int launch_sweep(const struct domain_work *w, struct machine_thread *t, int colour,
			int64_t extension)
{
	const struct rbsor_params *p = w->base.params;
	const struct parts *parts = &w->domain.parts;
	const struct part *part = &parts->part[t->gpu];
	const struct region region = part_region(part, extension);
	const int64_t word = w->domain.f64 ? 8 : 4;
	const int64_t begin = region.row_begin, end = region.row_end;
	/* To the kernel the column left of the region is the grid's first. */
	const int64_t left = region.column_begin - 1, columns = region.column_end + 1 - left;
	char *grid = t->machine->ops->address(t->machine, part->buffer[0]);
	const struct rbsor_sweep args = {
		.grid = grid ? grid + left * word : NULL,
		.pitch = w->domain.pitch,
		.columns = (int32_t)columns,
		.strip_rows = (int32_t)part->stored_rows,
		.row_begin = (int32_t)begin,
		.row_end = (int32_t)end,
		.first_row = (int32_t)(first_point(part) + left),
		.colour = colour,
		.omega = p->omega_used,
	};
	const struct kernel_entry *kernel = &sweep_kernel[p->tuned][p->f64];
	int64_t rows = end - begin;
	const uint32_t backward = p->tuned && args.colour
					  ? ACCESS_BACKWARD
					  : 0; /* rbsor_tuned.cuh: black is the reversed sweep */
	const struct machine_launch launch = {
		.name = kernel->name,
		.cpu = kernel->cpu,
		.geometry = kernel->geometry,
		.args = &args,
		.args_bytes = sizeof(args),
		.rows = rows,
		.columns = columns,
		.points = rows * columns / 2,
		/* split: own colour read and written, the other read;
		   interleaved: every sector is read and written back */
		.dram_bytes = rows * columns * word * (p->tuned ? 3 : 4) / 2,
		.resident_bytes = part->stored_rows * parts->row_bytes,
		.access_count = 2,
		.access = {
			{ part->buffer[0], ACCESS_READ | backward, (begin - 1) * parts->row_bytes,
			  (rows + 2) * parts->row_bytes },
			{ part->buffer[0], ACCESS_WRITE | backward, begin * parts->row_bytes,
			  rows * parts->row_bytes },
		},
	};
	return t->machine->ops->launch(t, part->stream, &launch);
}

static int launch_sweeps(const struct domain_work *w, struct machine_thread *t, int iterations)
{
	const struct rbsor_params *p = w->base.params;
	for (int k = 0; k < iterations; k++) {
		for (int colour = 0; colour < 2; colour++) {
			int64_t left = p->thesis ? iterations - 1 - k
						 : 2 * iterations - 1 - (2 * k + colour);
			if (launch_sweep(w, t, colour, left))
				return -1;
		}
	}
	return 0;
}

/* From buffer `from` to the other, `extension` points beyond the part. */
static int launch_pass(const struct domain_work *w, struct machine_thread *t,
		       const struct rbsor_pass_kernel *kernel, int from, int64_t extension)
{
	const struct rbsor_params *p = w->base.params;
	const struct machine_ops *ops = t->machine->ops;
	const struct parts *parts = &w->domain.parts;
	const struct part *part = &parts->part[t->gpu];
	const struct region region = part_region(part, extension);
	const int64_t rows = region.row_end - region.row_begin, columns = part->stored_columns,
		      reach = 2 * kernel->depth;
	const int64_t top = region.row_begin > reach ? region.row_begin - reach : 0,
		      bottom = part->stored_rows - region.row_end > reach ? region.row_end + reach
									  : part->stored_rows;
	const uint32_t source = part->buffer[from], target = part->buffer[1 - from];
	const struct rbsor_pass args = {
		.from = ops->address(t->machine, source),
		.to = ops->address(t->machine, target),
		.pitch = w->domain.pitch,
		.columns = (int32_t)columns,
		.strip_rows = (int32_t)part->stored_rows,
		.row_begin = (int32_t)region.row_begin,
		.row_end = (int32_t)region.row_end,
		.first = (int32_t)first_point(part),
		.depth = kernel->depth,
		.omega = p->omega_used,
	};
	const struct machine_launch launch = {
		.name = kernel->name[p->f64],
		.cpu = p->f64 ? rbsor_pass_f64_cpu : rbsor_pass_f32_cpu,
		.geometry = p->f64 ? rbsor_pass_f64_geometry : rbsor_pass_f32_geometry,
		.args = &args,
		.args_bytes = sizeof(args),
		.rows = rows,
		.columns = columns,
		.points = rows * columns * kernel->depth,
		.dram_bytes = 2 * rows * columns * (p->f64 ? 8 : 4), /* once in, once out */
		.resident_bytes = 2 * part->stored_rows * parts->row_bytes,
		.access_count = 2,
		.access = {
			{ source, ACCESS_READ, top * parts->row_bytes,
			  (bottom - top) * parts->row_bytes },
			{ target, ACCESS_WRITE, region.row_begin * parts->row_bytes,
			  rows * parts->row_bytes },
		},
	};
	return ops->launch(t, part->stream, &launch);
}

/* The iterations of a cycle in passes as deep as may be; *which is the buffer that has the grid. */
static int launch_passes(const struct domain_work *w, struct machine_thread *t, int iterations,
			 int *which)
{
	const struct rbsor_params *p = w->base.params;
	while (iterations > 0) {
		const struct rbsor_pass_kernel *kernel = rbsor_pass_kernel_of(
			iterations < p->pass_depth ? iterations : p->pass_depth);

		iterations -= kernel->depth;
		if (t && launch_pass(w, t, kernel, *which, 2 * (int64_t)iterations))
			return -1;
		*which = 1 - *which;
	}
	return 0;
}

/* All cycles, with an exchange between; without a thread, only to know where the grid ends up. */
static int cycles(const struct domain_work *w, struct machine_thread *t, int *which)
{
	const struct rbsor_params *p = w->base.params;
	for (int done = 0, cycle = 0; done < w->base.iterations; cycle++) {
		const int left = w->base.iterations - done,
			  now = left < w->base.cycle ? left : w->base.cycle;
		if (p->passes ? launch_passes(w, t, now, which) : t && launch_sweeps(w, t, now))
			return -1;
		done += now;
		if (t && done < w->base.iterations &&
		    domain_exchange((struct domain *)(uintptr_t)&w->domain, t, cycle, *which))
			return -1;
	}
	return 0;
}

/* What the work of this family has. */
struct rbsor_work {
	struct domain_work w;  /* first */
	uint32_t flags, zeros; /* kernel persistent: of its blocks, and what they begin with */
};

enum { FLAGS_BYTES = 1024 };

static int launch_loop(struct rbsor_work *r, struct machine_thread *t, int iterations)
{
	const struct domain_work *w = &r->w;
	const struct rbsor_params *p = w->base.params;
	const struct machine_ops *ops = t->machine->ops;
	const struct part *part = &w->domain.parts.part[t->gpu];
	const int64_t row_bytes = w->domain.parts.row_bytes, bytes = p->rows * row_bytes;
	const struct rbsor_persistent_kernel *kernel =
		rbsor_persistent_kernel_of(p->rows, p->columns);
	const struct rbsor_loop args = {
		.grid = { ops->address(t->machine, part->buffer[0]),
			  ops->address(t->machine, part->buffer[1]) },
		.flags = ops->address(t->machine, r->flags),
		.pitch = w->domain.pitch,
		.columns = (int32_t)p->columns,
		.rows = (int32_t)p->rows,
		.iterations = iterations,
		.omega = p->omega_used,
	};
	const struct machine_launch launch = {
		.name = kernel->name[p->f64],
		.cpu = p->f64 ? rbsor_loop_f64_cpu : rbsor_loop_f32_cpu,
		.geometry = rbsor_persistent_geometry,
		.args = &args,
		.args_bytes = sizeof(args),
		.rows = p->rows,
		.columns = p->columns,
		.points = p->rows * p->columns * iterations,
		.dram_bytes = 2 * p->rows * p->columns * (p->f64 ? 8 : 4),
		.resident_bytes = 2 * bytes,
		.access_count = 2,
		.access = {
			{ part->buffer[0], ACCESS_READ | ACCESS_WRITE, 0, bytes },
			{ part->buffer[1], ACCESS_READ | ACCESS_WRITE, 0, bytes },
		},
	};
	return ops->launch(t, part->stream, &launch);
}

static int up(struct solver_work *work, struct machine_thread *t)
{
	struct rbsor_work *r = (struct rbsor_work *)work;
	const struct rbsor_params *p = work->params;
	const struct machine_copy copy = {
		.source = r->zeros, .target = r->flags, .row_bytes = FLAGS_BYTES, .rows = 1
	};
	if (domain_up(&r->w.domain, t))
		return -1;
	if (!p->persistent)
		return 0;
	return t->machine->ops->copy(t, r->w.domain.parts.part[t->gpu].stream, &copy);
}

static int core(struct solver_work *work, struct machine_thread *t)
{
	const struct rbsor_params *p = work->params;
	int which = 0;
	return p->persistent ? launch_loop((struct rbsor_work *)work, t, work->iterations)
			     : cycles((struct domain_work *)work, t, &which);
}

static int down(struct solver_work *work, struct machine_thread *t)
{
	const struct rbsor_params *p = work->params;
	struct domain_work *w = (struct domain_work *)work;
	int which = 0;
	if (p->persistent)
		which = rbsor_loop_result(work->iterations);
	else if (cycles(w, NULL, &which))
		return -1;
	return domain_down(&w->domain, t, which);
}

/* The launches of an iteration; where one launch makes several iterations, that one. */
static int iterate(struct solver_work *work, struct machine_thread *t)
{
	const struct domain_work *w = (struct domain_work *)work;
	const struct rbsor_params *p = work->params;
	return p->persistent ? launch_loop((struct rbsor_work *)work, t, p->iterations)
	       : p->passes   ? launch_pass(w, t, rbsor_pass_kernel_of(p->pass_depth), 0, 0)
			     : launch_sweeps(w, t, 1);
}

static int make_flags(struct rbsor_work *r)
{
	struct machine *m = r->w.base.m;
	if (m->ops->buffer(m, 0, SPACE_DEVICE, FLAGS_BYTES, &r->flags) ||
	    m->ops->buffer(m, 0, SPACE_PINNED, FLAGS_BYTES, &r->zeros))
		return -1;
	if (m->ops->computes)
		memset(m->ops->address(m, r->zeros), 0, FLAGS_BYTES);
	return 0;
}

static int begin(struct solver_work *work)
{
	const struct rbsor_params *p = work->params;
	struct rbsor_work *r = (struct rbsor_work *)work;
	struct domain *domain = &r->w.domain;
	work->iterations = p->iterations;
	/* Where nothing is exchanged, passes need not end. */
	work->cycle = (p->passes && work->gpus == 1) || p->persistent ? p->iterations : p->border;
	work->timed = p->timed;
	*domain = (struct domain){ .rows = p->rows,
				   .columns = p->columns,
				   .halo = rbsor_halo_rows(p),
				   .across = p->across,
				   .buffers = p->passes || p->persistent ? 2 : 1,
				   .f64 = p->f64,
				   .peer = p->peer,
				   .layout = p->tuned ? LAYOUT_SPLIT : LAYOUT_ROWS,
				   .pageable = p->timed,
				   .random = work->steady };
	if (domain_make(domain, work->m, work->gpus) || (p->persistent && make_flags(r)))
		return -1;
	if (strcmp(p->sync, "usual"))
		domain->parts.policy = !strcmp(p->sync, "spin") ? AWAIT_SPIN : AWAIT_BLOCK;
	return 0;
}

extern const struct solver solver_rbsor;
const struct solver solver_rbsor = {
	.name = "rbsor",
	.summary = "2D Laplace, Dirichlet boundary, red-black SOR on strips or blocks",
	.params_bytes = sizeof(struct rbsor_params),
	.work_bytes = sizeof(struct rbsor_work),
	.options = rbsor_options,
	.columns = rbsor_columns,
	.prepare = rbsor_prepare,
	.config = rbsor_config,
	.begin = begin,
	.core = core,
	.iterate = iterate,
	.end = domain_work_end,
	.stream = domain_work_stream,
	.fill = domain_work_fill,
	.grid = domain_work_grid,
	.restart = domain_work_restart,
	.up = up,
	.down = down,
	.check = domain_work_check,
};
