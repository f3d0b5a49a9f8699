/* SPDX-License-Identifier: MIT
 * Papers computed again: their tables with what they print, what the machine of today measures, and
 * what is simulated.
 */
#ifndef WARPREEL_PAPERS_H
#define WARPREEL_PAPERS_H

#include <stdbool.h>

#include "paper_runs.h"
#include "published.h"
#include "sim/answers/sheet.h"

/* A time that is known, and the one simulated for it. */
struct paper_comparison {
	int table, problem, size;
	double re, known, simulated;
	const char *device, *kernel, *unit; /* borrowed */
};

struct paper_work {
	struct paper_runs runs;
	struct published published;
	struct paper_comparison *comparison;
	size_t comparison_count, comparison_capacity; /* owned */
	unsigned compared; /* bits of the tables whose times are among them */
};

/* One table of a page: fills the sheet, which has its title; -1 after a message. */
struct paper_table {
	const char *name, *title;
	int (*build)(struct paper_work *work, struct sheet *sheet);
};

struct paper {
	const char *name, *solver;
	const struct paper_table *tables; /* ends with a NULL name */
	bool reads_own; /* its tables read what is published themselves, from a file of another
			   form */
	const char *measured; /* table of its measurements; NULL: papers_<name>.tsv */
};

extern const struct paper paper_000, paper_001, paper_002, paper_003, paper_004;

/* Notes a comparison of a table, unless the table was built before; NaN: nothing. */
void paper_compare(struct paper_work *work, const struct paper_comparison *comparison);

#endif
