/* SPDX-License-Identifier: MIT
 * The paper's CPU programs (section 2.2): Algorithm 3 by OpenMP threads, over blocks or over
 * patches, with OpenBLAS's dgemv; over both, with a product of our own (docs/lab/kernels.md); and
 * one that multiplies all blocks of a patch at once by dgemm. Without OpenMP each is one thread.
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
static inline int omp_get_num_threads(void)
{
	return 1;
}
static inline int omp_get_thread_num(void)
{
	return 0;
}
#endif
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kit/blas.h"
#include "patches_relax.h"
#include "traces/base/util.h"

struct job {
	const struct patches_step *step;
	const struct patches_box *box;
	const struct blas *blas; /* NULL: a product of our own */
	bool in_place;		 /* Gauss-Seidel; else v holds corrections until all are there */
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

/* e = inverse r; eight columns at a time, so that e is gone over an eighth as often. */
__attribute__((target_clones("avx512f", "avx2", "default"))) static void
multiply_block(const double *inverse, int32_t n, const double *r, double *e)
{
	int32_t g = 0;
	memset(e, 0, (size_t)n * sizeof(*e));
	for (; g + 8 <= n; g += 8, inverse += 8 * (int64_t)n, r += 8) {
		const double *a = inverse, *b = a + n, *c = b + n, *d = c + n, *p = d + n,
			     *q = p + n, *s = q + n, *t = s + n;
		for (int32_t l = 0; l < n; l++)
			e[l] += ((a[l] * r[0] + b[l] * r[1]) + (c[l] * r[2] + d[l] * r[3])) +
				((p[l] * r[4] + q[l] * r[5]) + (s[l] * r[6] + t[l] * r[7]));
	}
	for (; g < n; g++, inverse += n, r++)
		for (int32_t l = 0; l < n; l++)
			e[l] += inverse[l] * *r;
}

static void relax_block(const struct job *job, int32_t index, double *r, double *e)
{
	const struct patches_block b = patches_block_of(job->step, job->box, index);
	if (job->in_place)
		residual_relaxed(job, &b, r);
	else
		patches_block_residual(job->step, job->box, &b, r);
	const double *inverse = job->step->inverse + job->box->inverse[b.cut];
	if (job->blas)
		job->blas->dgemv(BLAS_COLUMNS, BLAS_PLAIN, b.cells, b.cells, 1, inverse, b.cells, r,
				 1, 0, e, 1);
	else
		multiply_block(inverse, b.cells, r, e);
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

/* ---- both levels: groups of threads take patches, their threads share the blocks ---- */

/* One team of all threads and not a team in each thread of another: gcc's library makes the
 * threads of inner teams anew each time, and every team waits for its last one. */
struct groups {
	const struct patches_step *step;
	int threads;	/* of a group */
	int32_t next;	/* patch that nobody has taken */
	int32_t *patch; /* [groups][count + 1]: that each has taken, one after the other; -1 not yet
			 */
	int32_t *arrived; /* [groups]: at all barriers so far */
};

/* The n-th patch of a group, taken by who asks first; past the last: no more. */
static int32_t patch_of_group(struct groups *all, int group, int32_t n)
{
	int32_t *patch = &all->patch[(int64_t)group * (all->step->count + 1) + n], none = -1,
		taking = -2;
	if (__atomic_compare_exchange_n(patch, &none, taking, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		__atomic_store_n(patch, __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED),
				 __ATOMIC_RELAXED);
	int32_t taken;
	while ((taken = __atomic_load_n(patch, __ATOMIC_RELAXED)) < 0)
		sched_yield();
	return taken;
}

/* All threads of a group have come `times` times. */
static void meet_in_group(struct groups *all, int group, int32_t times)
{
	__atomic_add_fetch(&all->arrived[group], 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&all->arrived[group], __ATOMIC_ACQUIRE) < times * all->threads)
		sched_yield();
}

/* Share `rank` of [0, count). */
static int32_t share_begin(int32_t count, int rank, int threads)
{
	return (int32_t)((int64_t)count * rank / threads);
}

static void relax_in_group(struct groups *all, int group, int rank)
{
	const struct patches_step *step = all->step;
	const size_t most = (size_t)(step->block[0] * step->block[1] * step->block[2]);
	double *r = xcalloc(2 * most, sizeof(*r));
	int32_t patch, met = 0;
	for (int32_t n = 0; (patch = patch_of_group(all, group, n)) < step->count; n++) {
		const struct job job = job_of(step, NULL, step->first + patch);
		const int32_t blocks = blocks_of(&job), planes = job.box->n[2],
			      end = share_begin(blocks, rank + 1, all->threads);
		for (int32_t k = share_begin(blocks, rank, all->threads); k < end; k++)
			relax_block(&job, k, r, r + most);
		if (job.in_place) /* patches see nothing of each other in a step */
			continue;
		meet_in_group(all, group, ++met);
		for (int32_t k = share_begin(planes, rank, all->threads);
		     k < share_begin(planes, rank + 1, all->threads); k++)
			advance_plane(&job, k);
	}
	free(r);
}

void patches_nested_cpu(const void *args)
{
	const struct patches_step *step = args;
	const int most = omp_get_max_threads(), outer = step->threads < most ? step->threads : most;
	const size_t places = (size_t)outer * (size_t)(step->count + 1);
	struct groups all = { step, 1, 0, xcalloc(places, sizeof(*all.patch)),
			      xcalloc((size_t)outer, sizeof(*all.arrived)) };
	memset(all.patch, 0xff, places * sizeof(*all.patch));
#pragma omp parallel num_threads(most / outer * outer)
	{
		/* As many as there are: no group waits for a thread that never came. */
		const int team = omp_get_num_threads(), groups = outer < team ? outer : team,
			  thread = omp_get_thread_num();
#pragma omp single
		all.threads = team / groups;
		if (thread < groups * all.threads)
			relax_in_group(&all, thread / all.threads, thread % all.threads);
	}
	free(all.patch);
	free(all.arrived);
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
