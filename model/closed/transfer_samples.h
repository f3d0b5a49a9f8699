/* SPDX-License-Identifier: MIT
 * Measured transfers: those of a calibrated platform, of a recorded trace, or of a table.
 */
#ifndef WARPREEL_TRANSFER_SAMPLES_H
#define WARPREEL_TRANSFER_SAMPLES_H

#include "model/platform/platform.h"
#include "transfer_law.h"

struct transfer_samples {
	struct transfer_sample *at; /* ascending by bytes, one a size; owned */
	size_t count, capacity;
};

/* The words of --copy: "h2d|d2h|..." , of the sections [copy.*]. */
#define TRANSFER_KINDS "h2d|d2h|peer|d2d|h2d_pageable|d2h_pageable|h2d_2d|d2h_2d"

/* COPY_CURVE_* of one of these words. */
int transfer_kind(const char *name);

/*
 * Reads `source`: a table with columns `bytes` and `ns` (NAME.tsv; with a column `copy` only the
 * rows of that kind), a trace (NAME.wrt, .zst: medians of the recorded copies), else a platform:
 * its section [copy.KIND], and as the copy of nothing what the call takes. -1 after a message, also
 * where there are none of that kind.
 */
int transfer_samples_read(struct transfer_samples *samples, const char *source, const char *kind);
/* Those of a platform that is open; none: count 0. */
void transfer_samples_of(struct transfer_samples *samples, const struct platform *platform,
			 int kind);
void transfer_samples_release(struct transfer_samples *samples);

#endif
