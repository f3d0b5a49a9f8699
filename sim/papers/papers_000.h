/* SPDX-License-Identifier: MIT
 * Di, Wan, Zhang, Wu, Xue: what the builders of its tables share.
 */
#ifndef WARPREEL_PAPERS_000_H
#define WARPREEL_PAPERS_000_H

#include "model/platform/platform_default.h"
#include "papers.h"
#include "text_table.h"

enum {
	P000_POINTS = 8192,
	P000_SIZE = P000_POINTS + 2
}; /* a side of the paper's mesh, and with the boundary */

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
double p000_layers(const struct text_table *counts, const char *method, const char *planes,
		   const char *sweeps, const char *input);
/* Of Input 1 with the paper's planes, sweeps in turn. */
double p000_side_layers(const struct text_table *counts, int side);

int p000_figure11(struct paper_work *work, struct sheet *sheet);
int p000_two_gpus(struct paper_work *work, struct sheet *sheet);
int p000_four_gpus(struct paper_work *work, struct sheet *sheet);
int p000_search(struct paper_work *work, struct sheet *sheet);
int p000_tuned(struct paper_work *work, struct sheet *sheet);
int p000_blind(struct paper_work *work, struct sheet *sheet);

#endif
