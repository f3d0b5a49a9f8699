/* SPDX-License-Identifier: MIT
 * The driver of block relaxation, written once on struct machine. Each GPU has its share of the
 * patches in one piece of memory; a step relaxes all of them, by one launch or by one a patch, and
 * then ghost values are exchanged.
 *
 * Launches a patch go round `streams` streams. Depth-first a patch's transfer, kernel and transfer
 * back follow each other before the next patch is turned to, which lets transfers run beside
 * kernels; breadth-first all transfers are asked for, then all kernels, then all transfers back,
 * which lets kernels run beside each other (section 2.1).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "patches_geometry.h"
#include "patches_work.h"
#include "traces/base/util.h"

static struct patches_work *work_of(const struct solver_work *work)
{
	return (struct patches_work *)(uintptr_t)work;
}

static int copy_all(struct patches_work *w, struct machine_thread *t, uint32_t from, uint32_t to,
		    int64_t bytes)
{
	const struct machine_copy copy = {
		.source = from, .target = to, .row_bytes = bytes, .rows = 1
	};
	return bytes ? patches_ops(w)->copy(t, w->gpu[t->gpu].stream, &copy) : 0;
}

static int up(struct solver_work *work, struct machine_thread *t)
{
	struct patches_work *w = work_of(work);
	const struct patches_gpu *gpu = &w->gpu[t->gpu];
	const int64_t u = 8 * w->set.gpu_elements[t->gpu], f = 8 * w->set.gpu_cells[t->gpu];
	if (copy_all(w, t, gpu->h_box, gpu->box,
		     (int64_t)sizeof(struct patches_box) *
			     (w->tables.first[t->gpu + 1] - w->tables.first[t->gpu])) ||
	    copy_all(w, t, gpu->h_diagonal, gpu->diagonal, 8 * w->tables.diagonal_elements) ||
	    copy_all(w, t, gpu->h_inverse, gpu->inverse, 8 * w->tables.inverse_elements) ||
	    copy_all(w, t, gpu->h_links, gpu->links,
		     gpu->link_count * (int64_t)sizeof(struct patches_ghost)) ||
	    copy_all(w, t, gpu->h_f, gpu->f, f) || copy_all(w, t, gpu->h_u, gpu->u, u))
		return -1;
	/* Ghost cells of the second buffer are those of the first. */
	if (w->params.method == METHOD_JACOBI && copy_all(w, t, gpu->h_u, gpu->v, u))
		return -1;
	/* The first product of a process makes cuBLAS ready, which no graph can hold. */
	if (work->steady && w->params.kernel->gemm && patches_launch(w, t, 0, 1, 0, gpu->stream))
		return -1;
	return 0;
}

static bool after_step(const struct patches_work *w, int step)
{
	return patches_swaps(&w->params) && !w->params.each_step && step % 2;
}

static int down(struct solver_work *work, struct machine_thread *t)
{
	struct patches_work *w = work_of(work);
	const struct patches_gpu *gpu = &w->gpu[t->gpu];
	return w->params.each_step
		       ? 0
		       : copy_all(w, t, after_step(w, work->iterations) ? gpu->v : gpu->u, gpu->h_u,
				  8 * w->set.gpu_elements[t->gpu]);
}

enum part_of_step { TO_GPU, RELAX, TO_HOST };

/* One patch there, relaxed, and back. */
static int part_of_step(struct patches_work *w, struct machine_thread *t, enum part_of_step part,
			int32_t patch, int step)
{
	const struct patches_gpu *gpu = &w->gpu[t->gpu];
	const struct patches_box *box = &w->tables.box[w->tables.first[t->gpu] + patch];
	const uint32_t stream = gpu->side[patch % w->sides];
	if (part == RELAX)
		return patches_launch(w, t, patch, 1, step, stream);
	if (!w->params.each_step)
		return 0;
	const int64_t begin = box->origin - box->plane - box->pitch - 4,
		      bytes = 8 * (4 + (int64_t)box->plane * (box->n[2] + 2));
	struct machine_copy copy = { .source = gpu->h_u,
				     .target = gpu->u,
				     .source_offset_bytes = 8 * begin,
				     .target_offset_bytes = 8 * begin,
				     .row_bytes = bytes,
				     .rows = 1 };
	if (part == TO_HOST) {
		copy.source = patches_swaps(&w->params) ? gpu->v : gpu->u;
		copy.target = gpu->h_u;
		return patches_ops(w)->copy(t, stream, &copy);
	}
	const struct machine_copy f = { .source = gpu->h_f,
					.target = gpu->f,
					.source_offset_bytes = 8 * box->first_cell,
					.target_offset_bytes = 8 * box->first_cell,
					.row_bytes = 8 * (int64_t)box->n[0] * box->n[1] * box->n[2],
					.rows = 1 };
	return patches_ops(w)->copy(t, stream, &copy) || patches_ops(w)->copy(t, stream, &f) ? -1
											     : 0;
}

static int relax_each(struct patches_work *w, struct machine_thread *t, int step)
{
	const int32_t count = w->tables.first[t->gpu + 1] - w->tables.first[t->gpu];
	const bool depth = w->params.order == ORDER_DEPTH;
	for (int32_t outer = 0; outer < (depth ? count : TO_HOST + 1); outer++)
		for (int32_t inner = 0; inner < (depth ? TO_HOST + 1 : count); inner++)
			if (part_of_step(w, t, (enum part_of_step)(depth ? inner : outer),
					 depth ? outer : inner, step))
				return -1;
	return 0;
}

/* Each patch until its residual is small, on the host. */
static int solve_each(struct patches_work *w, struct machine_thread *t)
{
	const struct machine_ops *ops = patches_ops(w);
	const struct patches_gpu *gpu = &w->gpu[t->gpu];
	for (int32_t k = w->tables.first[t->gpu]; k < w->tables.first[t->gpu + 1]; k++) {
		struct patches_params limited = w->params;
		struct patches_solve solve = { .params = &limited,
					       .box = &w->tables.box[k],
					       .u = ops->address(w->base.m, gpu->u),
					       .f = ops->address(w->base.m, gpu->f),
					       .seed = (uint32_t)w->seed };
		struct patches_solve *const pointer = &solve;
		const struct machine_launch launch = { .name = "patches_solve",
						       .cpu = patches_solve_cpu,
						       .args = &pointer,
						       .args_bytes = sizeof(pointer) };
		limited.iterations = w->base.iterations;
		if (ops->launch(t, gpu->stream, &launch))
			return -1;
		w->patch_done[k] = solve.converged ? solve.iterations : -solve.iterations;
	}
	return 0;
}

static int core(struct solver_work *work, struct machine_thread *t)
{
	struct patches_work *w = work_of(work);
	const struct patches_gpu *gpu = &w->gpu[t->gpu];
	const int32_t count = w->tables.first[t->gpu + 1] - w->tables.first[t->gpu];
	const bool each = w->params.order != ORDER_WHOLE, exchanges = w->set.links > 0;
	if (w->params.use != USE_STEPS)
		return solve_each(w, t);
	if (exchanges && patches_exchange(w, t, false, 0))
		return -1;
	for (int step = 0; step < (w->params.kernel->stays ? 1 : work->iterations); step++) {
		/* Patches by themselves keep to their streams: nothing else waits for them. */
		if (each && (exchanges || !step) && patches_join(w, t, false))
			return -1;
		if (each ? relax_each(w, t, step)
			 : patches_launch(w, t, 0, count, step, gpu->stream))
			return -1;
		if (each && (exchanges || step == work->iterations - 1) && patches_join(w, t, true))
			return -1;
		if (exchanges && patches_exchange(w, t, after_step(w, step + 1), step + 1))
			return -1;
	}
	return 0;
}

static int iterate(struct solver_work *work, struct machine_thread *t)
{
	struct patches_work *w = work_of(work);
	const int32_t count = w->tables.first[t->gpu + 1] - w->tables.first[t->gpu];
	const int step = w->params.kernel->stays ? 0 : w->steady_step++;
	if (patches_launch(w, t, 0, count, step, w->gpu[t->gpu].stream))
		return -1;
	return w->set.links ? patches_exchange(w, t, after_step(w, step + 1), 0) : 0;
}

static uint32_t stream(const struct solver_work *work, uint32_t gpu)
{
	return work_of(work)->gpu[gpu].stream;
}

static int restart(struct solver_work *work)
{
	return patches_exchange_restart(work_of(work));
}

static void result(struct solver_work *work, struct solver_result *result)
{
	const struct patches_work *w = work_of(work);
	for (int k = 0; k < w->set.count && w->params.use != USE_STEPS; k++) {
		const int done = abs(w->patch_done[k]);
		result->iterations = k && result->iterations > done ? result->iterations : done;
		result->unconverged |= w->patch_done[k] < 0;
	}
	result->extra[1] = (double)w->tables.invert_ns / 1000;
	result->extra[2] = (double)w->set.cells;
}

static const char *const extra_names[] = { "residual_ratio", "invert_us", "cells", NULL };

extern const struct solver solver_patches;
const struct solver solver_patches = {
	.name = "patches",
	.summary = "3D constant-coefficient stencil on sets of patches, block Jacobi and chaotic "
		   "block Gauss-Seidel with exact inverses",
	.params_bytes = sizeof(struct patches_params),
	.work_bytes = sizeof(struct patches_work),
	.options = patches_options,
	.columns = patches_columns,
	.extra_names = extra_names,
	.prepare = patches_prepare,
	.config = patches_config,
	.begin = patches_begin,
	.end = patches_end,
	.stream = stream,
	.fill = patches_fill,
	.restart = restart,
	.up = up,
	.core = core,
	.down = down,
	.result = result,
	.check = patches_check,
	.iterate = iterate,
	.chaos = patches_chaos,
	.chaotic = patches_chaotic,
};
