/* SPDX-License-Identifier: MIT
 * Programs that are none of our solvers (foreign.tsv): how long each takes untraced, and which part
 * of it that is.
 */
#ifndef WARPREEL_FOREIGN_H
#define WARPREEL_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

#include "traces/format/trace.h"

enum foreign_span { SPAN_RANGE, SPAN_KERNELS };

struct foreign_row {
	char *set, *program, *what;
	char *traces; /* of its processes, separated by blanks; without folder or ".wrt.zst" */
	int gpus;
	enum foreign_span span;
	char *name;    /* of the NVTX ranges; or what the kernels' names have in them */
	int device;    /* of the kernels; -1: all */
	int64_t count; /* ranges: the time is of one of so many; or kernels */
	double measured_us, least_us, most_us; /* untraced: median over processes */
	double traced_us;		       /* under the recorder */
};

struct foreign {
	struct foreign_row *row; /* owned */
	size_t count, capacity;
};

/*
 * -1 after a message naming file and line. Columns are found by name in the header. `span` is
 * "range" (the median of the NVTX ranges called `name`; if `count` is 1, from the begin of the
 * first to the end of the last) or "kernels" (from the begin of the first to the end of the last of
 * the last `count` kernels with `name` in theirs, on GPU `device`, or on all of a process: "*").
 */
int foreign_read(struct foreign *foreign, const char *path);
void foreign_release(struct foreign *foreign);

/* The span of a row's kernels in a trace, in us; -1 after a message when it has fewer. `share`: of
 * that time, in which kernels ran on a GPU, the mean over `gpus`. */
int foreign_kernels_us(const struct foreign_row *row, const struct trace *trace, int gpus,
		       double *us, double *share);

#endif
