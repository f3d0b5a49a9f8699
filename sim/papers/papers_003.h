/* SPDX-License-Identifier: MIT
 * Chen, Huang, Su, Peir, Ho, Peng: what the builders of its tables share.
 */
#ifndef WARPREEL_PAPERS_003_H
#define WARPREEL_PAPERS_003_H

#include <stdbool.h>

#include "papers.h"

/* A configuration, and how its runs spread: 5 %, median, 95 %. */
struct p003_row {
	/* "measured"; or the costs it was co-simulated with, "h200" as answered then, "today";
	 * "c1060". Borrowed, as all. */
	const char *by;
	const char *solver, *scheme, *split;
	int n, l, threads, resident;
	double steps[3], us[3];
	int runs;
	double *each_steps, *each_us; /* [runs], of what is measured; owned */
};
struct p003_data {
	struct p003_row *row;
	size_t count, capacity;
	const struct program *program; /* borrowed */
	struct p003_text *text;	       /* what rows borrow from */
};

/* Measured runs and co-simulated ones as they ship; -1 after a message. */
int p003_read(struct p003_data *data, const struct program *program);
void p003_release(struct p003_data *data);
/* NULL: not there. n of base is 1, whatever is asked. */
const struct p003_row *p003_find(const struct p003_data *data, const char *by, const char *solver,
				 const char *scheme, int n, int l, int threads, int resident);

/* The published figures' axes. */
extern const char *const p003_schemes[]; /* the eight, NULL ends */

int p003_statements(struct paper_work *work, struct sheet *sheet);
int p003_pairs(struct paper_work *work, struct sheet *sheet);
int p003_accuracy(struct paper_work *work, struct sheet *sheet);
int p003_ages(struct paper_work *work, struct sheet *sheet);
int p003_whole(struct paper_work *work, struct sheet *sheet);
int p003_search(struct paper_work *work, struct sheet *sheet);

#endif
