/* SPDX-License-Identifier: MIT */
#include "rbsor_grid.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/base/util.h"

struct job {
	const struct rbsor_grid *grid;
	int64_t begin, end;
	uint64_t seed;
	uint64_t *row_hash; /* [rows], shared */
	double residual;
	void (*work)(struct job *job);
};

/* splitmix64's finaliser (Steele, Lea, Flood 2014). */
static inline uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static void fill_rows(struct job *job)
{
	const struct rbsor_grid *g = job->grid;
	for (int64_t i = job->begin; i < job->end; i++) {
		uint64_t row = mix(job->seed + 0x9e3779b97f4a7c15u * (uint64_t)(i + 1));
		float *f = (float *)g->h_cells + i * g->columns;
		double *d = (double *)g->h_cells + i * g->columns;
		for (int64_t j = 0; j < g->columns; j++) {
			float value = (float)(mix(row + (uint64_t)j) >> 40) * 0x1p-24f;
			if (g->f64)
				d[j] = value;
			else
				f[j] = value;
		}
	}
}

static inline double cell(const struct rbsor_grid *g, int64_t i, int64_t j)
{
	return g->f64 ? ((const double *)g->h_cells)[i * g->columns + j]
		      : (double)((const float *)g->h_cells)[i * g->columns + j];
}

static void check_rows(struct job *job)
{
	const struct rbsor_grid *g = job->grid;
	int64_t word = g->f64 ? 8 : 4;
	for (int64_t i = job->begin; i < job->end; i++) {
		const unsigned char *bytes =
			(const unsigned char *)g->h_cells + i * g->columns * word;
		uint64_t hash = 0xcbf29ce484222325u;
		for (int64_t j = 0; j < g->columns; j++) {
			uint64_t bits = 0;
			memcpy(&bits, bytes + j * word, (size_t)word);
			hash = (hash ^ bits) * 0x100000001b3u;
			hash ^= hash >> 29;
		}
		job->row_hash[i] = hash;
		if (i == 0 || i == g->rows - 1)
			continue;
		for (int64_t j = 1; j < g->columns - 1; j++) {
			double r = fabs(0.25 * ((cell(g, i, j - 1) + cell(g, i, j + 1)) +
						(cell(g, i - 1, j) + cell(g, i + 1, j))) -
					cell(g, i, j));
			job->residual = larger_or_nan(job->residual, r);
		}
	}
}

static void *start(void *arg)
{
	struct job *job = arg;
	job->work(job);
	return NULL;
}

static double run_jobs(const struct rbsor_grid *grid, struct job prototype)
{
	enum { MOST = 64 };
	struct job job[MOST];
	pthread_t thread[MOST];
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	int64_t wanted = grid->rows * grid->columns / 65536 +
			 1; /* below that a thread costs more than it saves */
	int count = (int)(cores < 1 ? 1 : cores > MOST ? MOST : cores);
	if (wanted < count)
		count = (int)wanted;
	bool started[MOST] = { false };
	for (int k = 0; k < count; k++) {
		job[k] = prototype;
		job[k].grid = grid;
		job[k].begin = grid->rows * k / count;
		job[k].end = grid->rows * (k + 1) / count;
		started[k] = k > 0 && pthread_create(&thread[k], NULL, start, &job[k]) == 0;
	}
	double residual = 0;
	for (int k = 0; k < count; k++) {
		if (started[k])
			pthread_join(thread[k], NULL);
		else
			start(&job[k]);
		residual = larger_or_nan(residual, job[k].residual);
	}
	return residual;
}

void rbsor_grid_fill(const struct rbsor_grid *grid, uint64_t seed)
{
	run_jobs(grid, (struct job){ .seed = seed, .work = fill_rows });
}

uint64_t rbsor_grid_check(const struct rbsor_grid *grid, double *residual)
{
	uint64_t *row_hash = xcalloc((size_t)grid->rows, sizeof(*row_hash)), hash = 0;
	*residual = run_jobs(grid, (struct job){ .row_hash = row_hash, .work = check_rows });
	for (int64_t i = 0; i < grid->rows; i++)
		hash = mix(hash + row_hash[i]);
	free(row_hash);
	return hash;
}
