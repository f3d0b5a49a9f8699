/* SPDX-License-Identifier: MIT
 * Tables of measurements: measured.tsv, as `warpreel batch` writes it, and kernels.tsv.
 */
#ifndef WARPREEL_MEASURED_H
#define WARPREEL_MEASURED_H

#include <stddef.h>
#include <stdint.h>

struct measured_row {	       /* one configuration; several visits are folded into one row */
	char *solver, *config; /* owned */
	int gpus, visits;
	double core_us;	     /* median over visits of the visit's median */
	double core_mad_us;  /* largest of the visits' */
	double total_us;     /* as core_us; NaN where the table has no such column */
	int64_t iterations;  /* of the first visit; -1 where the table has no such column */
	double visit_spread; /* (max - min) / median over visits; 0 with one visit */
	double *visit_core_us, *visit_total_us; /* owned, [visits] */
	char **visit_name;			/* owned, [visits]; "" where the table names none */
};

struct measured {
	struct measured_row *row; /* owned */
	size_t count, capacity;
};

/*
 * -1 after a message naming file and line. Columns are found by name in the header. Rows of the
 * visits named in `leave_out` (separated by blanks; NULL = none) are skipped: a visit that gave the
 * inputs is no test of them.
 */
int measured_read(struct measured *measured, const char *path, const char *leave_out);
/* The same from a table of kernels alone (kernels.tsv, as `warpreel time` writes it): core_us is a
 * launch's time, on one GPU. */
int measured_read_kernels(struct measured *measured, const char *path, const char *leave_out);
/* Drops the rows of other solvers; how many are left. */
size_t measured_keep(struct measured *measured, const char *solver);
const struct measured_row *measured_find(const struct measured *measured, const char *solver,
					 const char *config, int gpus);
void measured_release(struct measured *measured);

#endif
