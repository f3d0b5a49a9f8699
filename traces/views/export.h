/* SPDX-License-Identifier: MIT
 * Formats of other viewers.
 */
#ifndef WARPREEL_EXPORT_H
#define WARPREEL_EXPORT_H

#include "traces/format/trace.h"

/* Chrome trace JSON, row by row. -1 with errno set when the file cannot be written. Rows without
 * times are left out, counted, and told. */
int export_chrome(const struct trace *trace, FILE *out);

#endif
