/* SPDX-License-Identifier: MIT
 * The driver of multi-layer SSOR, written once on struct machine: one GPU or strips of subdomain
 * rows. An iteration is a layer.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kit/grid.h"
#include "traces/base/util.h"
#include "mlssor_geometry.h"
#include "mlssor_work.h"

static struct mlssor_work *work_of(const struct solver_work *work)
{
	return (struct mlssor_work *)(uintptr_t)work;
}

/* ---- until no point changes by more than the tolerance ---- */

static int copy_norm(struct mlssor_work *r, struct machine_thread *t, bool down)
{
	const struct mlssor_own *own = &r->own[t->gpu];
	const struct machine_copy copy = {
		.source = down ? own->norm : own->h_norm,
		.target = down ? own->h_norm : own->norm,
		.row_bytes = mlssor_sweep_layers(mlssor_params_of(r)) * (int64_t)sizeof(uint32_t),
		.rows = 1,
	};
	return mlssor_ops(r)->copy(t, r->domain.parts.part[t->gpu].stream, &copy);
}

static int clear_norm(struct mlssor_work *r, struct machine_thread *t)
{
	memset(mlssor_ops(r)->address(r->base.m, r->own[t->gpu].h_norm), 0,
	       (size_t)mlssor_sweep_layers(mlssor_params_of(r)) * sizeof(uint32_t));
	return copy_norm(r, t, false);
}

/* The greatest change of a layer of the last sweep on all GPUs. */
static float change_in(const struct mlssor_work *r, int layer)
{
	uint32_t most = 0;
	float change;
	for (uint32_t g = 0; g < r->base.gpus; g++) {
		const uint32_t *norm = mlssor_ops(r)->address(r->base.m, r->own[g].h_norm);
		most = norm[layer] > most ? norm[layer] : most;
	}
	memcpy(&change, &most, sizeof(change));
	return change;
}

/* Checks the sweep that began with layer `from`: whether it was the last. */
static int check_end(struct mlssor_work *r, struct machine_thread *t, int from, bool *ended)
{
	const struct mlssor_params *p = mlssor_params_of(r);
	const int layers = mlssor_sweep_layers(p);
	int converged = 0;
	if (copy_norm(r, t, true) || mlssor_ops(r)->sync(t, r->domain.parts.part[t->gpu].stream) ||
	    (r->base.gpus > 1 && mlssor_ops(r)->barrier(t)))
		return -1;
	float change = change_in(r, layers - 1);
	for (int q = 0; q < layers && !converged; q++)
		if ((double)change_in(r, q) <= p->tolerance) {
			converged = from + q + 1;
			change = change_in(r, q);
		}
	*ended = (converged || !isfinite(change)) && !r->base.warming;
	/* All have checked before one clears its own for the next sweep. */
	if (r->base.gpus > 1 && mlssor_ops(r)->barrier(t))
		return -1;
	if (t->gpu == 0) {
		r->converged = *ended ? converged : 0;
		r->change = change;
	}
	return 0;
}

static int core(struct solver_work *work, struct machine_thread *t)
{
	struct mlssor_work *r = work_of(work);
	const struct mlssor_params *p = mlssor_params_of(r);
	const int layers = mlssor_sweep_layers(p);
	bool ended = false;
	int layer = 0;
	for (; layer < work->iterations && !ended; layer += layers)
		if ((p->tolerance > 0 && clear_norm(r, t)) || mlssor_make_layers(r, t, layer) ||
		    (p->tolerance > 0 && check_end(r, t, layer, &ended)))
			return -1;
	if (t->gpu == 0)
		r->made = layer;
	return 0;
}

/* One sweep, or one in each direction. */
static int iterate(struct solver_work *work, struct machine_thread *t)
{
	struct mlssor_work *r = work_of(work);
	const struct mlssor_params *p = mlssor_params_of(r);
	const bool turns = p->method->program == PROGRAM_TILES && !p->one_way;
	return mlssor_make_layers(r, t, 0) || (turns && mlssor_make_layers(r, t, p->layers)) ? -1
											     : 0;
}

/* ---- begin and end ---- */

/* What a block of any launch asks for. */
static int check_shared(const struct mlssor_params *p)
{
	const struct mlssor_sweep any = { .columns = p->width,
					  .height = p->height,
					  .width = p->width,
					  .end = 1,
					  .threads = p->threads };
	struct launch_geometry g;
	p->method->geometry(&any, &g);
	if (g.shared_bytes > MLSSOR_MOST_SHARED_BYTES)
		return report("%d threads of %dx%d subdomains want %u bytes of shared memory a "
			      "block, a GPU has %d: fewer --threads, or --kernel rows",
			      p->threads, p->height, p->width, g.shared_bytes,
			      MLSSOR_MOST_SHARED_BYTES);
	return 0;
}

static int check_machine(const struct mlssor_work *r)
{
	const struct mlssor_params *p = mlssor_params_of(r);
	const struct machine_ops *ops = mlssor_ops(r);
	if (!p->method->geometry && !ops->computes)
		return report("kernel %s is a CPU program: it launches nothing that could be "
			      "planned or timed; warpreel solve runs it",
			      p->kernel);
	if (!p->method->geometry && ops->on_device)
		return report("kernel %s is a CPU program: --backend cpu", p->kernel);
	if (p->tolerance > 0 && (ops->on_device || !ops->computes))
		return report("a tolerance is for --backend cpu, which counts the layers it takes: "
			      "give --iterations");
	if (p->method->program == PROGRAM_TILES && (ops->on_device || !ops->computes))
		return check_shared(p);
	return 0;
}

static int make_own(struct mlssor_work *r, uint32_t gpu)
{
	const struct mlssor_params *p = mlssor_params_of(r);
	struct machine *m = r->base.m;
	struct mlssor_own *own = &r->own[gpu];
	const int64_t bytes = mlssor_sweep_layers(p) * (int64_t)sizeof(uint32_t);
	if (p->tolerance > 0 && (m->ops->buffer(m, gpu, SPACE_DEVICE, bytes, &own->norm) ||
				 m->ops->buffer(m, gpu, SPACE_PINNED, bytes, &own->h_norm)))
		return -1;
	return r->base.gpus > 1 && p->method->program == PROGRAM_TILES
		       ? mlssor_exchange_make(r, gpu)
		       : 0;
}

static int begin(struct solver_work *work)
{
	struct mlssor_work *r = work_of(work);
	const struct mlssor_params *p = work->params;
	const bool tiles = p->method->program == PROGRAM_TILES;
	work->iterations = p->iterations;
	work->cycle = mlssor_sweep_layers(p);
	r->own = xcalloc(work->gpus, sizeof(*r->own));
	if (check_machine(r))
		return -1;
	r->domain = (struct domain){ .rows = p->rows + 2,
				     .columns = p->columns + 2,
				     .halo = tiles ? p->layers : 1,
				     .peer = p->peer,
				     .layout = LAYOUT_ROWS,
				     .random = work->steady };
	if (domain_make(&r->domain, work->m, work->gpus))
		return -1;
	for (uint32_t g = 0; g < work->gpus; g++)
		if (make_own(r, g))
			return -1;
	return 0;
}

static void end(struct solver_work *work)
{
	domain_work_end(work);
	free(work_of(work)->own);
}

/* The inputs of the paper are not published; these are ours. Uniform in [-1,
 * 1), or the mean of two such; 0 on the boundary, as section III says. */
static void fill(struct solver_work *work, uint64_t seed)
{
	struct mlssor_work *r = work_of(work);
	const struct grid *grid = &r->domain.grid;
	const char input = *mlssor_params_of(r)->input;
	float *u = grid->h_cells;
	const int64_t points = grid->rows * grid->columns;
	grid_fill(grid, input == '3' ? seed + 2 : seed);
	if (work->steady)
		return;
	if (input == '2') {
		struct grid other = *grid;
		float *v = other.h_cells = xmalloc((size_t)points * sizeof(*v));
		grid_fill(&other, seed + 1);
		for (int64_t k = 0; k < points; k++)
			u[k] = 0.5f * (u[k] + v[k]);
		free(v);
	}
	for (int64_t i = 0; i < grid->rows; i++)
		for (int64_t j = 0; j < grid->columns; j++) {
			const bool edge =
				i == 0 || i == grid->rows - 1 || j == 0 || j == grid->columns - 1;
			float *at = u + i * grid->columns + j;
			*at = edge ? 0 : 2 * *at - 1;
		}
}

static int restart(struct solver_work *work)
{
	struct mlssor_work *r = work_of(work);
	for (uint32_t g = 0; g < work->gpus; g++)
		if (work->gpus > 1 && mlssor_params_of(r)->method->program == PROGRAM_TILES &&
		    mlssor_exchange_restart(r, g))
			return -1;
	return parts_restart(&r->domain.parts);
}

/* With a tolerance, iterations are the layers it took, whatever was left of the sweep. */
static void result(struct solver_work *work, struct solver_result *result)
{
	const struct mlssor_work *r = work_of(work);
	if (!(mlssor_params_of(r)->tolerance > 0))
		return;
	result->iterations = r->converged ? r->converged : r->made;
	result->unconverged = !r->converged;
	result->extra[0] = (double)r->change;
}

static bool open_ended(const void *params)
{
	return ((const struct mlssor_params *)params)->tolerance > 0;
}

static const char *const extra_names[] = { "max_change", NULL };

extern const struct solver solver_mlssor;
const struct solver solver_mlssor = {
	SOLVER_NAMED(mlssor),
	.summary = "2D Laplace, multi-layer SSOR in slanted tiles (and the methods it is compared "
		   "with), single precision",
	.columns = mlssor_said,
	.extra_names = extra_names,
	.open_ended = open_ended,
	.begin = begin,
	.end = end,
	.stream = domain_work_stream,
	.fill = fill,
	.restart = restart,
	.up = domain_work_up,
	.core = core,
	.down = domain_work_down,
	.result = result,
	.check = domain_work_check,
	.iterate = iterate,
};
