/* SPDX-License-Identifier: MIT
 * From a record of a spool to a row of a trace: the fields that both have (records.def), but for
 * those that want a look at more than themselves (HAND).
 */
#ifndef WARPREEL_SPOOL_ROWS_H
#define WARPREEL_SPOOL_ROWS_H

#include "spool_read.h"

/* What numbers of a spool refer to. */
struct spool_row_source {
	struct trace *trace;
	const struct spool *spool;
	const struct spool_calls *calls;
};

/* void spool_row_kernel(struct trace_kernel *row, const struct spool_kernel *record, ...) */
#define RECORDED(table, record, ...)                                                               \
	void spool_row_##record(struct trace_##table *row, const struct spool_##record *from,      \
				const struct spool_row_source *with);
#include "traces/format/records.def"

#endif
