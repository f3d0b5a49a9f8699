/* SPDX-License-Identifier: MIT
 * What was answered before it was measured (blind.tsv), as it was answered then: beside what is
 * answered now, and beside how well another visit's measurement does.
 */
#ifndef WARPREEL_BLIND_H
#define WARPREEL_BLIND_H

#include "measured.h"
#include "validation.h"

struct blind_row {
	char *visit, *commit, *set, *solver, *config; /* owned */
	int gpus;
	double measured_us;	      /* on that visit */
	double made_us, lo_us, hi_us; /* NaN: refused, or without interval */
};

struct blind {
	struct blind_row *row; /* owned */
	size_t count, capacity;
};

/* -1 after a message naming file and line. Columns are found by name in the header. */
int blind_read(struct blind *blind, const char *path);
void blind_release(struct blind *blind);
/* The row of the validation that answers it unasked now; NULL where nothing does. */
const struct validation_row *blind_now(const struct validation *validation,
				       const struct blind_row *row);

/*
 * A line a visit and set, and one a set over all visits. `made` is the answer of then, `now` that
 * of the validation's rows, `again` the mean over other visits' measurements (of `runs` and
 * `kernels`), each held against the measurement of the blind visit. Where some were measured again:
 * whether the answers of then to those erred no more.
 */
void blind_write(const struct blind *blind, const struct validation *validation,
		 const struct measured *runs, const struct measured *kernels, FILE *out);

#endif
