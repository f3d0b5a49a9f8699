/* SPDX-License-Identifier: MIT
 * Rows of the validation table and their summary.
 */
#ifndef WARPREEL_VALIDATION_H
#define WARPREEL_VALIDATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/records/interval.h"
#include "measured.h"
#include "splits.h"

struct program;

/* Where the core loop's time went, as struct breakdown has it. */
enum { PART_KERNEL, PART_COPY, PART_SYNC, PART_LAUNCH, PART_COUNT };

struct validation_row {
	char set[16], split[16], model[24];
	char *solver, *config, *inputs; /* owned */
	int gpus;
	double measured_us, mad_us, visit_spread;
	double predicted_us, lo_us, hi_us; /* lo, hi NaN for baselines: they carry no interval */
	double error_pct;		   /* 100 (predicted - measured) / measured */
	double part_us[PART_COUNT]; /* of the answer: what the GPUs did, their mean; NaN where
				       nothing was played */
	char class_name[32];
	char family[32];   /* of a planned run: its solver and kernel, "rbsor/tuned"; or "" */
	bool extrapolated; /* unasked the tool would have refused it: outside what was recorded or
			      measured */
};

struct validation {
	struct validation_row *row; /* owned */
	size_t count, capacity;
	const struct splits *splits; /* borrowed; NULL: all is development */
	bool timed; /* launches timed alone scale `default`; rows of `warps` are as played */
	const struct program *program; /* says what configurations are; borrowed */
};

void validation_release(struct validation *validation);
/* A row without interval, of class "-". Borrowed until the next one is added. */
struct validation_row *validation_add(struct validation *validation,
				      const struct measured_row *measured, const char *set,
				      const char *model, double predicted_us, const char *inputs);
void validation_write(const struct validation *validation, FILE *out);
/*
 * Per set, split and model: n, MAPE, p50, p90, max of |error|, coverage and mean half-width of the
 * interval, and the mean interval score at 90 % (Gneiting and Raftery 2007, section 6.2) divided by
 * the measured time.
 */
void validation_summary(const struct validation *validation, FILE *out);

#endif
