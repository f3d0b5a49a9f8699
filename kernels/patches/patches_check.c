/* SPDX-License-Identifier: MIT
 * Start values, and what came of them: on the host, patch by patch in the order of the set, so that
 * neither depends on how many GPUs there were.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "patches_cells.h"
#include "patches_ghost.h"
#include "patches_link.h"
#include "patches_work.h"
#include "traces/base/output.h"
#include "traces/base/util.h"

/* splitmix64's finaliser (Steele, Lea, Flood 2014). */
static uint64_t mixed(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static double *values_of(const struct patches_work *w, const struct patch *p)
{
	double *u = patches_ops(w)->address(w->base.m, w->gpu[p->gpu].h_u);
	return u + p->origin;
}

static double *rhs_of(const struct patches_work *w, const struct patch *p)
{
	double *f = patches_ops(w)->address(w->base.m, w->gpu[p->gpu].h_f);
	return f + p->first_cell;
}

/* The links of the set, on the host. */
static void fill_ghosts(const struct patches_work *w)
{
	const struct patch_set *set = &w->set;
	for (int phase = 0; phase < 2; phase++)
		for (int64_t n = 0; n < set->links; n++) {
			const struct patch_link *link = &set->link[n];
			const struct patches_ghost_list here = {
				.target = values_of(w, &set->patch[link->target]),
				.source = values_of(w, &set->patch[link->source])
			};
			const struct patches_ghost ghost = patches_ghost_of(link, 0, 0);
			for (int32_t b = 0; link->phase == phase && b < link->count_b; b++)
				for (int32_t a = 0; a < link->count_a; a++)
					patches_ghost_cell(&here, &ghost, a, b);
		}
}

/* 2-norm of f - A u over all cells of all patches; ghosts are filled. */
static double residual_norm(const struct patches_work *w)
{
	const struct patches_params *p = &w->params;
	const struct patches_step step = { .stencil = { (float)p->stencil[0], (float)p->stencil[1],
							(float)p->stencil[2],
							(float)p->stencil[3] } };
	double sum = 0;
	for (int n = 0; n < w->set.count; n++) {
		const struct patch *patch = &w->set.patch[n];
		const struct patches_box box = { .pitch = patch->pitch, .plane = patch->plane };
		const double *u = values_of(w, patch), *f = rhs_of(w, patch);
		for (int k = 0; k < patch->n[2]; k++) {
			double plane = 0;
			for (int j = 0; j < patch->n[1]; j++)
				for (int i = 0; i < patch->n[0]; i++) {
					const double r = patches_residual(
						&step, &box, u + patch_offset(patch, i, j, k),
						*f++);
					plane += r * r;
				}
			sum += plane;
		}
	}
	return sqrt(sum);
}

void patches_fill(struct solver_work *work, uint64_t seed)
{
	struct patches_work *w = (struct patches_work *)work;
	const struct machine_ops *ops = work->m->ops;
	w->seed = seed;
	for (uint32_t g = 0; g < work->gpus; g++) {
		memset(ops->address(work->m, w->gpu[g].h_u), 0,
		       (size_t)w->set.gpu_elements[g] * sizeof(double));
		memset(ops->address(work->m, w->gpu[g].h_f), 0,
		       (size_t)w->set.gpu_cells[g] * sizeof(double));
	}
	for (int n = 0; n < w->set.count; n++) {
		const struct patch *patch = &w->set.patch[n];
		double *u = values_of(w, patch), *f = rhs_of(w, patch);
		uint64_t cell = mixed(seed + 0x9e3779b97f4a7c15u * (uint64_t)(n + 1));
		for (int k = 0; k < patch->n[2]; k++)
			for (int j = 0; j < patch->n[1]; j++)
				for (int i = 0; i < patch->n[0]; i++) {
					const uint64_t drawn = mixed(cell++);
					u[patch_offset(patch, i, j, k)] =
						(double)(drawn >> 11) * 0x1p-53;
					if (w->params.random_rhs)
						*f++ = (double)(mixed(drawn) >> 11) * 0x1p-53;
				}
	}
	fill_ghosts(w);
	if (!work->steady)
		w->start_norm = residual_norm(w);
}

/* x, y and u of the plane in the middle of the first patch: with f = 0, the error. */
static int write_slice(const struct patches_work *w, const char *path)
{
	const struct patch *patch = &w->set.patch[0];
	const double *u = values_of(w, patch);
	struct output output;
	FILE *file = output_begin(&output, path) ? NULL : output_open(&output);
	if (!file) {
		output_abandon(&output);
		return report("cannot write '%s': %s", path, strerror(errno));
	}
	fprintf(file, "x\ty\tu\n");
	for (int j = 0; j < patch->n[1]; j++)
		for (int i = 0; i < patch->n[0]; i++)
			fprintf(file, "%d\t%d\t%.9g\n", i, j,
				u[patch_offset(patch, i, j, patch->n[2] / 2)]);
	const bool failed = ferror(file);
	if (fclose(file) || failed) {
		output_abandon(&output);
		return report("cannot write '%s'", path);
	}
	return output_commit(&output);
}

int patches_check(struct solver_work *work, struct solver_result *result)
{
	struct patches_work *w = (struct patches_work *)work;
	uint64_t hash = 0xcbf29ce484222325u;
	for (int n = 0; n < w->set.count; n++) {
		const struct patch *patch = &w->set.patch[n];
		const double *u = values_of(w, patch);
		for (int k = 0; k < patch->n[2]; k++)
			for (int j = 0; j < patch->n[1]; j++)
				for (int i = 0; i < patch->n[0]; i++) {
					uint64_t bits;
					memcpy(&bits, u + patch_offset(patch, i, j, k), 8);
					hash = (hash ^ bits) * 0x100000001b3u;
					hash ^= hash >> 29;
				}
	}
	if (w->params.slice && write_slice(w, w->params.slice))
		return -1;
	fill_ghosts(w);
	result->checksum = hash;
	result->residual = residual_norm(w);
	result->extra[0] = result->residual / w->start_norm;
	return 0;
}
