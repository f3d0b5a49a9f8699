/* SPDX-License-Identifier: MIT
 * Di, Wan, Zhang, Wu, Xue: what the builders of its tables share.
 */
#ifndef WARPREEL_PAPERS_000_H
#define WARPREEL_PAPERS_000_H

#include "model/platform/platform_default.h"
#include "papers.h"

enum {
	P000_POINTS = 8192,
	P000_SIZE = P000_POINTS + 2
}; /* a side of the paper's mesh, and with the boundary */

/* A shipped table of texts: cells by column name. */
struct p000_file {
	char **cell;	      /* row after row, owned; the first row names the columns */
	size_t columns, rows; /* rows: without the first */
	size_t count, capacity;
	char *path; /* owned */
};
/* -1 after a message naming file and line. `folder` is beneath traces/data. */
int p000_read(struct p000_file *file, const char *folder, const char *name);
void p000_release(struct p000_file *file);
/* NULL: no such column. */
const char *p000_cell(const struct p000_file *file, size_t row, const char *column);
/* The first row in which the columns named have these values ("a=b", NULL ends); -1: none. */
long p000_find(const struct p000_file *file, const char *const *keys);

/* A configuration of the paper's kernels, as measured on visit BP; owned by the caller. */
struct p000_run {
	int size, side, launches, threads, iterations;
	const char *kernel, *form; /* form NULL: none */
};
char *p000_config(const struct p000_run *run);
/* us a layer of a whole mesh, from the period of a launch; NaN = not measured. */
double p000_layer_us(const struct paper_work *work, const struct p000_run *run);
/* The same of an iteration of red-black SOR. */
double p000_redblack_us(const struct paper_work *work, int size, const char *points, int threads);
char *p000_redblack_config(int size, const char *points, int threads, int iterations);
/* Layers to convergence, of "MLSSOR 4x8x8" or "RBSOR" ("-" for what it has not); NaN = not counted.
 */
double p000_layers(const struct p000_file *counts, const char *method, const char *planes,
		   const char *sweeps, const char *input);
/* Of Input 1 with the paper's planes, sweeps in turn. */
double p000_side_layers(const struct p000_file *counts, int side);

int p000_table2(struct paper_work *work, struct sheet *sheet);
int p000_table3(struct paper_work *work, struct sheet *sheet);
int p000_figure5(struct paper_work *work, struct sheet *sheet);
int p000_figure7(struct paper_work *work, struct sheet *sheet);
int p000_figure9(struct paper_work *work, struct sheet *sheet);
int p000_figure10(struct paper_work *work, struct sheet *sheet);
int p000_figure11(struct paper_work *work, struct sheet *sheet);
int p000_two_gpus(struct paper_work *work, struct sheet *sheet);
int p000_four_gpus(struct paper_work *work, struct sheet *sheet);
int p000_search(struct paper_work *work, struct sheet *sheet);
int p000_tuned(struct paper_work *work, struct sheet *sheet);
int p000_blind(struct paper_work *work, struct sheet *sheet);

#endif
