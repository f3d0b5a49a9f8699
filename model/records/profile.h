/* SPDX-License-Identifier: MIT
 * Kernel times recorded on one GPU, as a table: kernel, updated rows and columns -> duration. Made
 * from the runs of a one-GPU trace; the `scaled` model interpolates in it.
 *
 * Residency is part of the shape: a sweep over R x C points comes round to the same bytes every
 * other launch, so the time recorded at R x C is already the time with that working set in or out
 * of L2.
 */
#ifndef WARPREEL_PROFILE_H
#define WARPREEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/format/trace.h"

/* How a kernel is launched, beside the points it updates. */
struct profile_form {
	int64_t threads, shared_bytes; /* of a block, dynamic; threads 0: not known, which is as any
					*/
};

struct profile_row { /* one recorded shape */
	int64_t rows, columns;
	struct profile_form form;
	double duration_ns; /* trimmed mean over its launches, as the tracer reports it */
	double gap_ns;	    /* the device's own pause after it, traced (traces/views/launch_gaps.h),
			       trimmed mean; -1 never seen */
	int64_t launches;
	double log_points; /* of rows times columns; set when the row is added */
};

struct profile_kernel {
	char *name;		 /* as our drivers call it: rbsor_tuned_f32; owned */
	struct profile_row *row; /* sorted by columns, then rows, then form; owned */
	size_t row_count, row_capacity;
	/* Threads and shared memory follow from rows and columns, as far as was recorded: they
	 * differ from shape to shape, and not between launches of one. Else they are a choice. */
	bool threads_follow, shared_follows;
};

struct profile {
	struct profile_kernel *kernel;
	size_t kernel_count, kernel_capacity;
	char *source; /* file names it came from, comma-separated; owned */
};

static inline struct profile_form profile_form_of(const uint32_t block[3], uint32_t shared_bytes)
{
	return (struct profile_form){ (int64_t)block[0] * block[1] * block[2], shared_bytes };
}

void profile_init(struct profile *profile);
void profile_release(struct profile *profile);
/* Adds every launch with a data footprint of the trace's runs on one GPU (most_gpus = 1) or on up
 * to that many; -1 after a message when there is none. */
int profile_add_trace(struct profile *profile, const struct trace *trace, int most_gpus);
/* What a recording that is played back says of its own launches, on however many GPUs. One that
 * says nothing, such as of a program of others, adds nothing. */
void profile_add_own(struct profile *profile, const struct trace *trace);
/* Reads and adds a trace file. */
int profile_add_file(struct profile *profile, const char *path);
/* The same by hand: the rows of a file, each shape of a kernel once, then its end. */
void profile_add_row(struct profile *profile, const char *kernel, const struct profile_row *row);
void profile_end_file(struct profile *profile, const char *path);

/*
 * Duration of `kernel` over rows x columns, ns. Between recorded shapes: linear in the logarithms;
 * at each of the two neighbouring column counts for the shape of as many points, then over columns.
 * *outside is set when no neighbour covers that many points or `columns` lies beyond the recorded
 * counts. -1 (no message) when the kernel was never recorded in that form, *form then one that was
 * (threads -1: in none). form: NULL is any.
 */
int profile_lookup(const struct profile *profile, const char *kernel, int64_t rows, int64_t columns,
		   struct profile_form *form, double *duration_ns, bool *outside);
/* Whether any launch of the kernel was recorded in that form. */
bool profile_has(const struct profile *profile, const char *kernel,
		 const struct profile_form *form);
/* The traced pause after such a kernel: that of the recorded shape nearest in points, then in
 * columns; -1 when none was ever seen. */
double profile_gap(const struct profile *profile, const char *kernel, int64_t rows,
		   int64_t columns);

#endif
