/* SPDX-License-Identifier: MIT
 * What belongs together in a trace, the same for each of its runs: made once by who loads several.
 */
#ifndef WARPREEL_TRACE_JOINS_H
#define WARPREEL_TRACE_JOINS_H

#include "traces/format/trace.h"

struct trace_joins;
/* The trace stays as it is meanwhile. NULL after a message. */
struct trace_joins *trace_joins_new(const struct trace *trace);
void trace_joins_free(struct trace_joins *joins); /* NULL: nothing */

#endif
