/* SPDX-License-Identifier: MIT */
#include "foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/table_read.h"
#include "traces/base/util.h"

enum {
	COLUMN_SET,
	COLUMN_PROGRAM,
	COLUMN_WHAT,
	COLUMN_TRACES,
	COLUMN_SPAN,
	COLUMN_NAME,
	COLUMN_DEVICE,
	COLUMN_GPUS,
	COLUMN_COUNTED,
	COLUMN_MEASURED,
	COLUMN_LEAST,
	COLUMN_MOST,
	COLUMN_TRACED,
	COLUMN_COUNT
};
static const char *const column_name[COLUMN_COUNT] = {
	"set",	"program", "what",	  "traces",   "span",	 "name",     "device",
	"gpus", "count",   "measured_us", "least_us", "most_us", "traced_us"
};

/* "*" or "-" is any. */
static int parse_device(const char *text, int *device)
{
	int64_t value = -1;
	if (strcmp(text, "*") && strcmp(text, "-") && (parse_i64(text, &value) || value < 0))
		return -1;
	*device = (int)value;
	return 0;
}

static int add_row(void *context, const struct table_row *row)
{
	struct foreign *foreign = context;
	char **of = row->of;
	const char *span = of[COLUMN_SPAN];
	int64_t gpus, count;
	int device;
	double us[COLUMN_COUNT];
	for (int c = COLUMN_MEASURED; c <= COLUMN_TRACED; c++)
		if (parse_double(of[c], &us[c]) || !(us[c] > 0))
			return -1;
	if (parse_i64(of[COLUMN_GPUS], &gpus) || gpus < 1 || gpus > 64 ||
	    parse_i64(of[COLUMN_COUNTED], &count) || count < 1 ||
	    parse_device(of[COLUMN_DEVICE], &device) ||
	    (strcmp(span, "range") && strcmp(span, "kernels")))
		return -1;
	GROW(foreign->row, foreign->count, foreign->capacity);
	foreign->row[foreign->count++] = (struct foreign_row){
		.set = xstrdup(of[COLUMN_SET]),
		.program = xstrdup(of[COLUMN_PROGRAM]),
		.what = xstrdup(of[COLUMN_WHAT]),
		.traces = xstrdup(of[COLUMN_TRACES]),
		.gpus = (int)gpus,
		.span = strcmp(span, "range") ? SPAN_KERNELS : SPAN_RANGE,
		.name = xstrdup(of[COLUMN_NAME]),
		.device = device,
		.count = count,
		.measured_us = us[COLUMN_MEASURED],
		.least_us = us[COLUMN_LEAST],
		.most_us = us[COLUMN_MOST],
		.traced_us = us[COLUMN_TRACED],
	};
	return 0;
}

int foreign_read(struct foreign *foreign, const char *path)
{
	static const struct table_format format = { column_name, COLUMN_COUNT, COLUMN_COUNT,
						    "a measured program", "programs" };
	return table_read(path, &format, NULL, add_row, foreign);
}

void foreign_release(struct foreign *foreign)
{
	for (size_t k = 0; k < foreign->count; k++) {
		struct foreign_row *row = &foreign->row[k];
		free(row->set);
		free(row->program);
		free(row->what);
		free(row->traces);
		free(row->name);
	}
	free(foreign->row);
	*foreign = (struct foreign){ 0 };
}

static bool is_meant(const struct foreign_row *row, const struct trace *trace,
		     const struct trace_kernel *kernel)
{
	return (row->device < 0 || kernel->device == row->device) &&
	       strstr(trace_text(trace, kernel->demangled_name), row->name);
}

static int by_time(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;
	return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

static double share_of(const struct trace *trace, int64_t start_ns, int64_t end_ns, int gpus)
{
	double busy_ns = 0;
	for (size_t k = 0; k < trace->kernel_count; k++) {
		const struct trace_kernel *kernel = &trace->kernel[k];
		int64_t from = kernel->start_ns > start_ns ? kernel->start_ns : start_ns,
			to = kernel->end_ns < end_ns ? kernel->end_ns : end_ns;
		busy_ns += to > from ? (double)(to - from) : 0;
	}
	double share = end_ns > start_ns ? busy_ns / (double)(end_ns - start_ns) / gpus : 0;
	return share < 1 ? share : 1;
}

int foreign_kernels_us(const struct foreign_row *row, const struct trace *trace, int gpus,
		       double *us, double *share)
{
	int64_t(*span)[2] = xmalloc((trace->kernel_count + 1) * sizeof(*span)), end_ns = 0;
	size_t found = 0;
	for (size_t k = 0; k < trace->kernel_count; k++) {
		const struct trace_kernel *kernel = &trace->kernel[k];
		if (!is_meant(row, trace, kernel))
			continue;
		span[found][0] = kernel->start_ns;
		span[found++][1] = kernel->end_ns;
	}
	int rc = 0;
	if (found < (size_t)row->count) {
		rc = report("'%s' has %zu kernels with '%s' in their names, not %lld", row->program,
			    found, row->name, (long long)row->count);
	} else {
		qsort(span, found, sizeof(*span), by_time);
		const size_t first = found - (size_t)row->count;
		for (size_t k = first; k < found; k++)
			end_ns = span[k][1] > end_ns ? span[k][1] : end_ns;
		*us = (double)(end_ns - span[first][0]) * 1e-3;
		*share = share_of(trace, span[first][0], end_ns, gpus);
	}
	free(span);
	return rc;
}
