/* SPDX-License-Identifier: MIT
 * The paper's CPU programs (section 2.2): Algorithm 3 by OpenMP threads, over blocks, over patches,
 * or over both, with OpenBLAS's dgemv; and one that multiplies all blocks of a patch at once by
 * dgemm. Without OpenMP each is one thread.
 *
 * Chaotic Gauss-Seidel reads what others are writing; here by relaxed atomic accesses, so that a
 * value is an old or a new one. Over patches the blocks of each go in order, so that this is plain
 * Gauss-Seidel (section 4.1).
 */
#ifdef _OPENMP
#include <omp.h>
#else
static inline int omp_get_max_threads(void)
{
	return 1;
}
static inline void omp_set_max_active_levels(int levels)
{
	(void)levels;
}
#endif
#include <stdlib.h>
#include <string.h>

#include "kernels/kit/blas.h"
#include "patches_relax.h"
#include "traces/base/util.h"

struct job {
	const struct patches_step *step;
	const struct patches_box *box;
	const struct blas *blas;
	bool in_place; /* Gauss-Seidel; else v holds corrections until all are there */
};

static double load(const double *u)
{
	double value;
	__atomic_load(u, &value, __ATOMIC_RELAXED);
	return value;
}

/* The residual of a block, as patches_block_residual. */
static void residual_relaxed(const struct job *job, const struct patches_block *b, double *r)
{
	const struct patches_step *step = job->step;
	const struct patches_box *box = job->box;
	for (int32_t k = 0; k < b->n[2]; k++)
		for (int32_t j = 0; j < b->n[1]; j++) {
			const double *u = step->u + box->origin + patches_u_at(box, b, 0, j, k);
			const double *f = step->f + box->first_cell + patches_f_at(box, b, 0, j, k);
			for (int32_t i = 0; i < b->n[0]; i++, u++)
				*r++ = f[i] - step->stencil[3] * load(u + box->plane) -
				       step->stencil[3] * load(u - box->plane) -
				       step->stencil[2] * load(u + box->pitch) -
				       step->stencil[2] * load(u - box->pitch) -
				       step->stencil[1] * load(u + 1) -
				       step->stencil[1] * load(u - 1) - step->stencil[0] * load(u);
		}
}

static void give(const struct job *job, const struct patches_block *b, const double *e)
{
	const struct patches_step *step = job->step;
	for (int32_t k = b->own[2]; k < b->n[2]; k++)
		for (int32_t j = b->own[1]; j < b->n[1]; j++) {
			const int64_t at = job->box->origin + patches_u_at(job->box, b, 0, j, k);
			const double *line = e + (k * b->n[1] + j) * b->n[0];
			for (int32_t i = b->own[0]; i < b->n[0]; i++) {
				double value = step->omega * line[i];
				if (job->in_place)
					value += step->u[at + i]; /* nobody else writes it */
				__atomic_store(&step->v[at + i], &value, __ATOMIC_RELAXED);
			}
		}
}

static void relax_block(const struct job *job, int32_t index, double *r, double *e)
{
	const struct patches_block b = patches_block_of(job->step, job->box, index);
	if (job->in_place)
		residual_relaxed(job, &b, r);
	else
		patches_block_residual(job->step, job->box, &b, r);
	job->blas->dgemv(BLAS_COLUMNS, BLAS_PLAIN, b.cells, b.cells, 1,
			 job->step->inverse + job->box->inverse[b.cut], b.cells, r, 1, 0, e, 1);
	give(job, &b, e);
}

/* u += v in plane k. */
static void advance_plane(const struct job *job, int32_t k)
{
	double *u = (double *)(uintptr_t)job->step->u;
	for (int32_t j = 0; j < job->box->n[1]; j++) {
		const int64_t at = job->box->origin + (int64_t)k * job->box->plane +
				   (int64_t)j * job->box->pitch;
		for (int32_t i = 0; i < job->box->n[0]; i++)
			u[at + i] += job->step->v[at + i];
	}
}

static struct job job_of(const struct patches_step *step, const struct blas *blas, int32_t patch)
{
	return (struct job){ step, &step->box[patch], blas, step->u == step->v };
}

static int32_t blocks_of(const struct job *job)
{
	return job->box->blocks[0] * job->box->blocks[1] * job->box->blocks[2];
}

/* One patch by `threads` threads. */
static void relax_patch(const struct job *job, int threads)
{
	const int32_t blocks = blocks_of(job);
	const size_t most =
		(size_t)(job->step->block[0] * job->step->block[1] * job->step->block[2]);
	(void)threads;
#pragma omp parallel num_threads(threads)
	{
		double *r = xcalloc(2 * most, sizeof(*r));
#pragma omp for schedule(static)
		for (int32_t k = 0; k < blocks; k++)
			relax_block(job, k, r, r + most);
		free(r);
		if (!job->in_place) {
#pragma omp for schedule(static)
			for (int32_t k = 0; k < job->box->n[2]; k++)
				advance_plane(job, k);
		}
	}
}

/* All blocks of a patch in one product; Gauss-Seidel sees nothing new within it. */
static void multiply_patch(const struct job *job)
{
	const struct patches_step *step = job->step;
	const int32_t blocks = blocks_of(job),
		      cells = step->block[0] * step->block[1] * step->block[2];
	double *r = xcalloc(2 * (size_t)cells * (size_t)blocks, sizeof(*r)),
	       *e = r + (int64_t)cells * blocks;
	for (int32_t cut = 0; cut < PATCHES_CUTS; cut++) {
		int32_t many = 0, n = 0, place = 0;
		for (int32_t k = 0; k < blocks; k++) {
			const struct patches_block b = patches_block_of(step, job->box, k);
			if (b.cut != cut)
				continue;
			n = b.cells;
			patches_block_residual(step, job->box, &b, r + (int64_t)many++ * n);
		}
		if (!many)
			continue;
		job->blas->dgemm(BLAS_COLUMNS, BLAS_PLAIN, BLAS_PLAIN, n, many, n, 1,
				 step->inverse + job->box->inverse[cut], n, r, n, 0, e, n);
		for (int32_t k = 0; k < blocks; k++) {
			const struct patches_block b = patches_block_of(step, job->box, k);
			if (b.cut == cut)
				give(job, &b, e + (int64_t)place++ * n);
		}
	}
	for (int32_t k = 0; k < job->box->n[2] && !job->in_place; k++)
		advance_plane(job, k);
	free(r);
}

void patches_by_block_cpu(const void *args)
{
	const struct patches_step *step = args;
	const struct blas *blas = blas_load(); /* begin() asked before, and said so */
	blas->threads(1);
	for (int32_t p = step->first; p < step->first + step->count; p++) {
		const struct job job = job_of(step, blas, p);
		relax_patch(&job, omp_get_max_threads());
	}
}

void patches_by_patch_cpu(const void *args)
{
	const struct patches_step *step = args;
	const struct blas *blas = blas_load();
	blas->threads(1);
	/* Patches come as they are, to the thread that is free: mixed sizes balance themselves. */
#pragma omp parallel for schedule(dynamic, 1)
	for (int32_t p = step->first; p < step->first + step->count; p++) {
		const struct job job = job_of(step, blas, p);
		relax_patch(&job, 1);
	}
}

void patches_nested_cpu(const void *args)
{
	const struct patches_step *step = args;
	const struct blas *blas = blas_load();
	const int all = omp_get_max_threads(), outer = step->threads < all ? step->threads : all,
		  inner = all / outer;
	blas->threads(1);
	omp_set_max_active_levels(2);
#pragma omp parallel for schedule(dynamic, 1) num_threads(outer)
	for (int32_t p = step->first; p < step->first + step->count; p++) {
		const struct job job = job_of(step, blas, p);
		relax_patch(&job, inner);
	}
}

void patches_dgemm_cpu(const void *args)
{
	const struct patches_step *step = args;
	const struct blas *blas = blas_load();
	blas->threads(1);
#pragma omp parallel for schedule(dynamic, 1)
	for (int32_t p = step->first; p < step->first + step->count; p++) {
		const struct job job = job_of(step, blas, p);
		multiply_patch(&job);
	}
}
