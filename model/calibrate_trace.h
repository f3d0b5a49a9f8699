/* SPDX-License-Identifier: MIT
 * What the readers of a recorded calibration share.
 */
#ifndef WARPREEL_CALIBRATE_TRACE_H
#define WARPREEL_CALIBRATE_TRACE_H

#include <stdbool.h>

#include "../traces/trace.h"
#include "calibrate_results.h"

/* The window of a phase ("phase=... x=..."); NULL when the recorder was not told. */
const struct trace_run *calibrate_window(const struct trace *trace, const char *phase, double x);
/* Is this a record of `call`, whatever version suffix it has? */
bool calibrate_is_call(const struct trace *trace, const struct trace_api *row, const char *call);

/* tracer.gap.*, where `traced`, the results under the recorder, has tracer.gap.threads; else nothing. -1 after a message. */
int calibrate_add_gaps(struct results *results, const struct results *traced, const struct trace *trace);

#endif
