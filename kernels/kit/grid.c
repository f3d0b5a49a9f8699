/* SPDX-License-Identifier: MIT */
#include "grid.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/base/util.h"

int grid_parse_size(const char *text, int64_t *rows, int64_t *columns)
{
	char *end;
	long long r = strtoll(text, &end, 10), c = r;
	if (end != text && *end == 'x') {
		char *second = end + 1;
		c = strtoll(second, &end, 10);
		if (end == second)
			end = (char *)text;
	}
	if (end == text || *end)
		return report("size '%s' is neither N nor ROWSxCOLUMNS", text);
	/* Whether a machine's GPUs hold it is theirs to say. */
	if (r < 3 || c < 3 || r > (1 << 24) || c > (1 << 24) || r * c > ((int64_t)1 << 40))
		return report("size '%s' is outside 3 to 16777216 a side and 2^40 points", text);
	*rows = r;
	*columns = c;
	return 0;
}

struct job {
	const struct grid *grid;
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
	const struct grid *g = job->grid;
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

static inline double cell(const struct grid *g, int64_t i, int64_t j)
{
	return g->f64 ? ((const double *)g->h_cells)[i * g->columns + j]
		      : (double)((const float *)g->h_cells)[i * g->columns + j];
}

/* Rows of all planes, one after the other. */
static int64_t all_rows(const struct grid *g)
{
	return g->rows * (g->planes ? g->planes : 1);
}

static bool interior(const struct grid *g, int64_t i)
{
	const int64_t row = i % g->rows, plane = i / g->rows;
	return row > 0 && row < g->rows - 1 && (!g->planes || (plane > 0 && plane < g->planes - 1));
}

static void check_rows(struct job *job)
{
	const struct grid *g = job->grid;
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
		if (!interior(g, i))
			continue;
		for (int64_t j = 1; j < g->columns - 1; j++) {
			double sum = (cell(g, i, j - 1) + cell(g, i, j + 1)) +
				     (cell(g, i - 1, j) + cell(g, i + 1, j));
			if (g->planes)
				sum += cell(g, i - g->rows, j) + cell(g, i + g->rows, j);
			double r = fabs((g->planes ? sum / 6 : 0.25 * sum) - cell(g, i, j));
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

static double run_jobs(const struct grid *grid, struct job prototype)
{
	enum { MOST = 64 };
	struct job job[MOST];
	pthread_t thread[MOST];
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	int64_t wanted = all_rows(grid) * grid->columns / 65536 +
			 1; /* below that a thread costs more than it saves */
	int count = (int)(cores < 1 ? 1 : cores > MOST ? MOST : cores);
	if (wanted < count)
		count = (int)wanted;
	bool started[MOST] = { false };
	for (int k = 0; k < count; k++) {
		job[k] = prototype;
		job[k].grid = grid;
		job[k].begin = all_rows(grid) * k / count;
		job[k].end = all_rows(grid) * (k + 1) / count;
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

void grid_fill(const struct grid *grid, uint64_t seed)
{
	run_jobs(grid, (struct job){ .seed = seed, .work = fill_rows });
}

uint64_t grid_check(const struct grid *grid, double *residual)
{
	uint64_t *row_hash = xcalloc((size_t)all_rows(grid), sizeof(*row_hash)), hash = 0;
	*residual = run_jobs(grid, (struct job){ .row_hash = row_hash, .work = check_rows });
	for (int64_t i = 0; i < all_rows(grid); i++)
		hash = mix(hash + row_hash[i]);
	free(row_hash);
	return hash;
}
