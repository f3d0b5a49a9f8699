/* SPDX-License-Identifier: MIT
 * From a recorded trace to the schedule of a run.
 */
#ifndef WARPREEL_SCHEDULE_FROM_TRACE_H
#define WARPREEL_SCHEDULE_FROM_TRACE_H

#include "traces/schedule/schedule.h"
#include "trace_joins.h"

/*
 * Loads run number `run` of the trace (-1: the whole trace) into an initialised schedule, with
 * recorded times. -1 after a message; the caller releases the schedule either way.
 */
int schedule_from_trace(struct schedule *schedule, const struct trace *trace, int run);

/* The same of a trace whose joins are made. */
int schedule_from_joins(struct schedule *schedule, const struct trace_joins *joins, int run);

#endif
