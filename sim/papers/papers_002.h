/* SPDX-License-Identifier: MIT
 * Cotronis, Konstantinidis, Louka, Missirlis: what the builders of its tables share.
 */
#ifndef WARPREEL_PAPERS_002_H
#define WARPREEL_PAPERS_002_H

#include "papers.h"

/* Devices that are no platforms. */
#define P002_CPU "opteron6180se" /* the paper's */
#define P002_HOST "host"	 /* of the machine of today */
#define P002_TODAY NULL		 /* stands for the platform of today */

#define P002_NO_NORM "1000" /* the check of launches that have no norm to raise */
enum { P002_MOST_ITERATIONS = 20000 };

enum p002_quantity {
	P002_ITERATIONS,
	P002_COMPUTATION,
	P002_EXECUTION,
	P002_ITERATION,
	P002_RATE,
	P002_SPEEDUP,
	P002_QUANTITIES
};
enum p002_source { P002_PUBLISHED, P002_MEASURED, P002_SIMULATED, P002_SOURCES };

/* Where in a table: a problem on a grid. */
struct p002_place {
	int table, problem, size;
	double re;
	const char *omega;
};
/* What runs there. */
struct p002_line {
	const char *device, *kernel, *check; /* check NULL: every */
};

struct p002_values {
	double value[P002_QUANTITIES]
		    [P002_SOURCES]; /* s, but iteration: ms, rate: Melem/s; NaN = not known */
	const char *text[P002_QUANTITIES]; /* as published; NULL = not in this table */
	double error_pct;		   /* simulated over what is known, minus one */
};

/* The distinct places of a table, in the order of its rows; calls `visit` for each until one fails.
 */
int p002_places(struct paper_work *work, int table,
		int (*visit)(struct paper_work *, const struct p002_place *, void *),
		void *argument);
/* Platform, or name of what is no platform. */
const char *p002_device(const struct paper_work *work, const struct p002_line *line);
/* The kernel as tables name it: with the check, where that is not the paper's. Static. */
const char *p002_kernel(const struct p002_line *line);
/* The configuration of a line, to convergence where `iterations` is 0; owned by the caller. */
char *p002_config(const struct p002_place *place, const struct p002_line *line, int iterations);
int p002_values_of(struct paper_work *work, const struct p002_place *place,
		   const struct p002_line *line, struct p002_values *values);

int p002_table1(struct paper_work *work, struct sheet *sheet);
int p002_table2(struct paper_work *work, struct sheet *sheet);
int p002_table3(struct paper_work *work, struct sheet *sheet);
int p002_table4(struct paper_work *work, struct sheet *sheet);
int p002_figure1(struct paper_work *work, struct sheet *sheet);
int p002_counts(struct paper_work *work, struct sheet *sheet);
int p002_errors(struct paper_work *work, struct sheet *sheet);
int p002_summary(struct paper_work *work, struct sheet *sheet);
int p002_norm(struct paper_work *work, struct sheet *sheet);
int p002_ranking(struct paper_work *work, struct sheet *sheet);
int p002_bounds(struct paper_work *work, struct sheet *sheet);

#endif
