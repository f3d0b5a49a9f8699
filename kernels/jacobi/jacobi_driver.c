/* SPDX-License-Identifier: MIT
 * Options, and what a run does. Nothing here names a machine: the same code runs on GPUs, runs on
 * host threads, and is planned for predictions.
 *
 * Each GPU has a part of the grid with `border` points of its neighbours around it. A cycle is
 * `border` iterations, each updating one point less of those, then the parts exchange borders.
 */
#include "kernels/kit/stencil.h"
#include "kernels/kit/stencil_params.h"
#include "jacobi.h"

struct jacobi_params {
	struct stencil_params grid; /* first; what a family is asked besides stands behind */
};

/* Every key of the configuration string is an option of the same name; help, completion and the
 * reading of configurations come from here. */
static const struct option_spec options[] = {
	STENCIL_SIZE,
	STENCIL_PRECISION,
	STENCIL_BORDER,
	STENCIL_TRANSPORT,
	STENCIL_PARTITION,
	STENCIL_ITERATIONS("updates of each point"),
	{ 0 },
};

/* Checks what options cannot know by themselves. */
static int prepare(void *given, uint32_t gpus)
{
	struct jacobi_params *p = given;
	return stencil_prepare(&p->grid, gpus) || stencil_check_halo(&p->grid, gpus, p->grid.border)
		       ? -1
		       : 0;
}

/* The same run, the same string, always: tables of measurements are keyed by it. A key that came
 * later is left out where it has its default. */
static void config(const void *given, char text[CONFIG_BYTES])
{
	stencil_config(&((const struct jacobi_params *)given)->grid, text);
}

/* One iteration, `extension` points into the halo. */
static int sweep(const struct domain_work *w, struct machine_thread *t, int64_t extension)
{
	static const struct stencil_kernel kernels[] = {
		{ "jacobi_f32", jacobi_f32_cpu, stencil_points_geometry },
		{ "jacobi_f64", jacobi_f64_cpu, stencil_points_geometry },
	};
	struct jacobi_sweep args;
	return stencil_launch_points(&w->domain, t, &kernels[w->domain.f64], extension, &args.at,
				     sizeof(args));
}

/* The iterations between two exchanges. */
static int cycle(struct domain_work *w, struct machine_thread *t, int iterations)
{
	int *current = &w->domain.current[t->gpu];
	for (int left = iterations - 1; left >= 0; left--, *current = 1 - *current)
		if (sweep(w, t, left))
			return -1;
	return 0;
}

static int core(struct solver_work *work, struct machine_thread *t)
{
	return domain_work_cycles(work, t, cycle);
}

/* For `warpreel time`: the launches of one iteration, over and over. */
static int iterate(struct solver_work *work, struct machine_thread *t)
{
	return sweep((struct domain_work *)work, t, 0);
}

static int begin(struct solver_work *work)
{
	const struct jacobi_params *p = work->params;
	struct domain_work *w = (struct domain_work *)work;
	stencil_begin(w, &p->grid, p->grid.border);
	w->domain.buffers = 2;
	return domain_make(&w->domain, work->m, work->gpus);
}

/* What is not set here the kit does: start values, the way up and down, checksum and residual. */
extern const struct solver solver_jacobi;
const struct solver solver_jacobi = {
	.name = "jacobi",
	.summary = "2D Laplace, Dirichlet boundary, Jacobi iteration on strips or blocks",
	.params_bytes = sizeof(struct jacobi_params),
	.work_bytes = sizeof(struct domain_work),
	.options = options,
	.columns = stencil_columns,
	.prepare = prepare,
	.config = config,
	.begin = begin,
	.up = domain_work_up,
	.core = core,
	.iterate = iterate,
	DOMAIN_WORK_CALLBACKS,
};
