/* SPDX-License-Identifier: MIT
 * The files that a validation is written to.
 */
#ifndef WARPREEL_VALIDATION_TABLES_H
#define WARPREEL_VALIDATION_TABLES_H

#include "validation.h"

/* What `write` prints, as a whole file; -1 after a message. */
int validation_write_file(const struct validation *validation, const char *path,
			  void (*write)(const struct validation *, FILE *));

/* Files that the blind answers are held against; the first and the last need not be there. */
struct blind_inputs {
	const char *blind, *measured, *kernels;
};

/*
 * Into a folder: ranking.tsv, strata.tsv, parts.tsv, and blind.tsv where there are blind answers.
 * -1 after a message. The check is for before the work.
 */
int validation_write_tables(const struct validation *validation, const struct blind_inputs *inputs,
			    const char *folder);
int validation_check_tables(const char *folder);

#endif
