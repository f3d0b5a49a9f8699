/* SPDX-License-Identifier: MIT
 * Which runs of two traces are of one configuration.
 */
#ifndef WARPREEL_RUN_PAIRS_H
#define WARPREEL_RUN_PAIRS_H

#include "traces/format/trace.h"

#define RUN_ALONE SIZE_MAX
struct run_pair {
	size_t a, b;   /* numbers of runs; RUN_ALONE: the other trace has none like it */
	bool one_each; /* their configurations differ, but neither trace has another run */
};

/* Runs of one solver, configuration and number of GPUs, the k-th of a with the k-th of b; then what
 * is alone in a, and in b. Returns how many, *paired those with both; *pairs is the caller's. */
size_t run_pairs(const struct trace *a, const struct trace *b, struct run_pair **pairs,
		 size_t *paired);
/* "rbsor on 2 GPUs, size=...", as text_shown has it; the caller's. */
char *run_text(const struct trace *trace, size_t run);

#endif
