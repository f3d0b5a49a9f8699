/* SPDX-License-Identifier: MIT
 * A trace reduced to its runs: what happened before, between and after them (warm-ups, allocation,
 * context creation) is dropped.
 */
#ifndef WARPREEL_TRACE_TRIM_H
#define WARPREEL_TRACE_TRIM_H

#include "traces/format/trace.h"

/* Keeps the rows of runs [first, first + count), times unchanged; `trimmed` is initialised by the
 * caller. Facts are all kept. */
void trace_trim(struct trace *trimmed, const struct trace *trace, size_t first, size_t count);
/* The same of any runs: those of these numbers, in this order. */
void trace_trim_to(struct trace *trimmed, const struct trace *trace, const size_t *run,
		   size_t count);

/* Instructions of kernel profiles that none of them counts become NOP, without bits: they did not
 * run, and answers are of those that did. Code of a profile that counts none stays. */
void trace_trim_code(struct trace *trace);

#endif
