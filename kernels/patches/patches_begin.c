/* SPDX-License-Identifier: MIT
 * Begin and end of block relaxation: whether the machine can, tables, and memory of each GPU.
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

/* Device bytes of GPU g, but for what neighbours send. */
static int64_t device_bytes(const struct patches_work *w, uint32_t g)
{
	const struct patches_params *p = &w->params;
	const int64_t u = 8 * w->set.gpu_elements[g];
	return u * (p->method == METHOD_JACOBI ? 2 : 1) + 8 * w->set.gpu_cells[g] +
	       8 * w->tables.inverse_elements +
	       (p->kernel->gemm ? 16 * (int64_t)w->chunk_blocks * (w->sides ? w->sides : 1) *
					  p->block[0] * p->block[1] * p->block[2]
				: 0);
}

static int check_machine(const struct patches_work *w)
{
	const struct patches_params *p = &w->params;
	const struct machine_ops *ops = patches_ops(w);
	uint32_t trial;
	if (p->use != USE_STEPS && (!ops->computes || ops->on_device))
		return report("--use %s is a program of the host: --backend cpu", p->use_text);
	if (!p->kernel->geometry && !ops->computes)
		return report("kernel %s is a CPU program: it launches nothing that could be "
			      "planned or timed; warpreel solve runs it",
			      p->kernel->option);
	if (!p->kernel->geometry && ops->on_device)
		return report("kernel %s is a CPU program: --backend cpu", p->kernel->option);
	if (p->kernel->blas && !blas_load())
		return -1;
	if (p->method == METHOD_LEXICOGRAPHIC && ops->on_device)
		return report("blocks of a GPU have no order: --method chaotic, or --backend cpu");
	for (int axis = 0; axis < 3 && ops->on_device && !p->kernel->dense; axis++)
		if (p->overlap || (p->block[axis] & (p->block[axis] - 1)) ||
		    p->block[axis] > PATCHES_TILE)
			return report("kernel %s of a GPU takes blocks of 1, 2, 4 and 8 cells a "
				      "side that do not overlap: --kernel gemv-c",
				      p->kernel->option);
	for (uint32_t g = 0; g < w->base.gpus && ops->computes && ops->on_device; g++) {
		const int64_t bytes = device_bytes(w, g);
		if (ops->buffer(w->base.m, g, SPACE_DEVICE, bytes, &trial))
			return report("patches %s need %lld bytes on GPU %u: more GPUs, or fewer "
				      "patches",
				      p->set_text, (long long)bytes, g);
		ops->buffer_free(w->base.m, trial);
	}
	return 0;
}

/* A table of the host's, and room for it on the GPU. */
static int make_table(struct patches_work *w, uint32_t g, const void *from, int64_t bytes,
		      uint32_t *host, uint32_t *device)
{
	struct machine *m = w->base.m;
	if (!bytes)
		return 0;
	if (m->ops->buffer(m, g, SPACE_DEVICE, bytes, device) ||
	    m->ops->buffer(m, g, SPACE_PINNED, bytes, host))
		return -1;
	void *to = m->ops->address(m, *host);
	if (to && from)
		memcpy(to, from, (size_t)bytes);
	return 0;
}

static int make_gpu(struct patches_work *w, uint32_t g)
{
	struct machine *m = w->base.m;
	const struct machine_ops *ops = m->ops;
	const struct patches_params *p = &w->params;
	struct patches_gpu *gpu = &w->gpu[g];
	const int32_t first = w->tables.first[g], count = w->tables.first[g + 1] - first;
	const int64_t u = 8 * w->set.gpu_elements[g], f = 8 * w->set.gpu_cells[g];
	const int64_t cells = p->block[0] * p->block[1] * p->block[2];
	if (ops->buffer(m, g, SPACE_DEVICE, u, &gpu->u) ||
	    (p->method == METHOD_JACOBI && ops->buffer(m, g, SPACE_DEVICE, u, &gpu->v)) ||
	    ops->buffer(m, g, SPACE_DEVICE, f, &gpu->f) ||
	    ops->buffer(m, g, SPACE_PINNED, u, &gpu->h_u) ||
	    ops->buffer(m, g, SPACE_PINNED, f, &gpu->h_f) ||
	    make_table(w, g, w->tables.box + first, (int64_t)sizeof(struct patches_box) * count,
		       &gpu->h_box, &gpu->box) ||
	    make_table(w, g, w->tables.diagonal, 8 * w->tables.diagonal_elements, &gpu->h_diagonal,
		       &gpu->diagonal) ||
	    make_table(w, g, w->tables.inverse, 8 * w->tables.inverse_elements, &gpu->h_inverse,
		       &gpu->inverse) ||
	    (p->kernel->gemm &&
	     ops->buffer(m, g, SPACE_DEVICE,
			 16 * cells * w->chunk_blocks * (w->sides ? w->sides : 1), &gpu->packed)) ||
	    ops->stream(m, g, &gpu->stream))
		return -1;
	if (!w->sides)
		return 0;
	gpu->side = xcalloc((size_t)w->sides, sizeof(*gpu->side));
	gpu->done = xcalloc((size_t)w->sides, sizeof(*gpu->done));
	for (int s = 0; s < w->sides; s++)
		if (ops->stream(m, g, &gpu->side[s]) || ops->event(m, g, &gpu->done[s]))
			return -1;
	return ops->event(m, g, &gpu->begun);
}

/* What the products under way read and write, unless the largest patch is larger or there is no
 * more. Less is slower, whether L2 holds it or not: a product of few columns is. */
enum { PRODUCT_BYTES = 1 << 30 };

int patches_begin(struct solver_work *work)
{
	struct patches_work *w = work_of(work);
	const struct patches_params *p = &w->params;
	w->params = *(const struct patches_params *)work->params;
	work->iterations = p->iterations;
	w->gpu = xcalloc(work->gpus, sizeof(*w->gpu));
	if (patch_set_read(&w->set, p->set_text) || patch_set_place(&w->set, work->gpus))
		return -1;
	patch_set_link(&w->set, p->reflect);
	w->patch_done = xcalloc((size_t)w->set.count, sizeof(*w->patch_done));
	w->sides = p->order != ORDER_WHOLE		? p->streams
		   : p->kernel->gemm && p->products > 1 ? p->products
							: 0;
	const int64_t cells = p->block[0] * p->block[1] * p->block[2],
		      share = PRODUCT_BYTES / 16 / (w->sides ? w->sides : 1),
		      most = w->set.largest > share ? w->set.largest : share;
	int64_t busiest = w->set.largest;
	for (uint32_t g = 0; g < work->gpus; g++)
		busiest = w->set.gpu_cells[g] > busiest ? w->set.gpu_cells[g] : busiest;
	w->chunk_blocks = (int32_t)((most < busiest ? most : busiest) / cells);
	if (patches_tables_make(&w->tables, p, &w->set, work->gpus, work->m->ops->computes) ||
	    check_machine(w) || patches_exchange_make(w))
		return -1;
	for (uint32_t g = 0; g < work->gpus; g++)
		if (make_gpu(w, g))
			return -1;
	return 0;
}

void patches_end(struct solver_work *work)
{
	struct patches_work *w = work_of(work);
	patches_exchange_release(w);
	for (uint32_t g = 0; w->gpu && g < work->gpus; g++) {
		free(w->gpu[g].side);
		free(w->gpu[g].done);
	}
	free(w->gpu);
	free(w->patch_done);
	patches_tables_release(&w->tables);
	patch_set_release(&w->set);
}
