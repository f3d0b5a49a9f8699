/* SPDX-License-Identifier: MIT
 * The multi-GPU driver of red-black SOR, written once on struct machine.
 *
 * A cycle is `border` iterations without communication, then a border exchange. The exact scheme
 * keeps 2b halo rows and lets each colour consume one: sweep c of a cycle of s sweeps updates s - 1
 * - c rows beyond the strip. The thesis' scheme keeps b rows and consumes one an iteration, both
 * colours over the same rows, which is not red-black SOR.
 */
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

static int launch_sweep(const struct domain_work *w, struct machine_thread *t, int colour,
			int64_t extension)
{
	const struct rbsor_params *p = w->base.params;
	const struct parts *parts = &w->domain.parts;
	const struct part *part = &parts->part[t->gpu];
	const struct region region = part_region(part, extension);
	const int64_t word = w->domain.f64 ? 8 : 4;
	const int64_t begin = region.row_begin, end = region.row_end;
	const struct rbsor_sweep args = {
		.grid = t->machine->ops->address(t->machine, part->buffer[0]),
		.pitch = w->domain.pitch,
		.columns = (int32_t)p->columns,
		.strip_rows = (int32_t)part->stored_rows,
		.row_begin = (int32_t)begin,
		.row_end = (int32_t)end,
		.first_row = (int32_t)(part->rows.begin - part->rows.low),
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
		.columns = p->columns,
		.points = rows * p->columns / 2,
		/* split: own colour read and written, the other read;
		   interleaved: every sector is read and written back */
		.dram_bytes = rows * p->columns * word * (p->tuned ? 3 : 4) / 2,
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

static int compute_cycle(struct solver_work *work, struct machine_thread *t, int first,
			 int iterations)
{
	const struct domain_work *w = (const struct domain_work *)work;
	const struct rbsor_params *p = work->params;
	(void)first;
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

static int core(struct solver_work *work, struct machine_thread *t)
{
	return domain_work_cycles(work, t, compute_cycle);
}

static int iterate(struct solver_work *work, struct machine_thread *t)
{
	return compute_cycle(work, t, 0, 1);
}

static int begin(struct solver_work *work)
{
	const struct rbsor_params *p = work->params;
	struct domain *domain = &((struct domain_work *)work)->domain;
	work->iterations = p->iterations;
	work->cycle = p->border;
	*domain = (struct domain){ .rows = p->rows,
				   .columns = p->columns,
				   .halo = rbsor_halo_rows(p),
				   .f64 = p->f64,
				   .peer = p->peer,
				   .layout = p->tuned ? LAYOUT_SPLIT : LAYOUT_ROWS,
				   .random = work->steady };
	return domain_make(domain, work->m, work->gpus);
}

extern const struct solver solver_rbsor;
const struct solver solver_rbsor = {
	.name = "rbsor",
	.summary = "2D Laplace, Dirichlet boundary, red-black SOR on strips of rows",
	.params_bytes = sizeof(struct rbsor_params),
	.work_bytes = sizeof(struct domain_work),
	.options = rbsor_options,
	.columns = rbsor_columns,
	.prepare = rbsor_prepare,
	.config = rbsor_config,
	.begin = begin,
	.core = core,
	.iterate = iterate,
	DOMAIN_WORK_CALLBACKS,
};
