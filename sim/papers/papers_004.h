/* SPDX-License-Identifier: MIT
 * What the tables of paper 004 share: D. Spampinato, "Modeling Communication on Multi-GPU Systems",
 * NTNU 2009.
 */
#ifndef WARPREEL_PAPERS_004_H
#define WARPREEL_PAPERS_004_H

#include <stdbool.h>

#include "papers.h"

#define P004_THEN "c1060" /* a Tesla S1070 is four of them behind two slots */

enum { P004_ITERATIONS = 100 };

/* A run of the thesis' program. */
struct p004_run {
	const char *device;
	int64_t rows, columns;
	uint32_t gpus;
	int border;
	bool blocks; /* 2 x 2 of them on four GPUs; else strips */
};

/* What is known of it; NaN: nothing, or it does not fit. */
struct p004_times {
	double kernel_s, sync_s, transfer_s, communication_s,
		elapsed_s; /* simulated, all iterations */
	double core_s;	   /* simulated */
	double measured_core_s,
		measured_total_s; /* of today's machine: plain timing, exact borders */
	double plain_core_s;	  /* the same simulated */
};

const char *p004_today(const struct paper_work *w);
/* -1 after a message. */
int p004_times_of(struct paper_work *w, const struct p004_run *run, struct p004_times *times);
/* Columns of a sheet, from a list of names that NULL ends. */
void p004_columns(struct sheet *sheet, const char *const *name);
/* The sizes of its figures; 0 ends them. */
extern const int64_t p004_sizes[];

/* papers_004_figures.c */
int p004_figure1(struct paper_work *w, struct sheet *sheet);
int p004_figure2(struct paper_work *w, struct sheet *sheet);
int p004_figure7(struct paper_work *w, struct sheet *sheet);
int p004_figure6(struct paper_work *w, struct sheet *sheet);
int p004_figure9(struct paper_work *w, struct sheet *sheet);
int p004_figure10(struct paper_work *w, struct sheet *sheet);
int p004_figure11(struct paper_work *w, struct sheet *sheet);
int p004_appendix(struct paper_work *w, struct sheet *sheet);
/* papers_004_models.c */
int p004_occupancy(struct paper_work *w, struct sheet *sheet);
int p004_figure3_8(struct paper_work *w, struct sheet *sheet);
int p004_figure5_8(struct paper_work *w, struct sheet *sheet);
int p004_table4(struct paper_work *w, struct sheet *sheet);
int p004_regression(struct paper_work *w, struct sheet *sheet);
int p004_partitions(struct paper_work *w, struct sheet *sheet);
/* papers_004_closed.c */
int p004_closed(struct paper_work *w, struct sheet *sheet);
int p004_closed_rows(struct paper_work *w, struct sheet *sheet);
/* papers_004_orders.c */
int p004_orders(struct paper_work *w, struct sheet *sheet);
/* papers_004_statements.c */
int p004_statements(struct paper_work *w, struct sheet *sheet);

#endif
