/* SPDX-License-Identifier: MIT */
#include "transfer_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/table_read.h"
#include "traces/base/util.h"
#include "traces/format/trace.h"

enum { COPY_H_TO_D = 1, COPY_D_TO_H = 2, COPY_D_TO_D = 8, COPY_P_TO_P = 10, MEMORY_PAGEABLE = 0 };

void transfer_samples_release(struct transfer_samples *s)
{
	free(s->at);
	*s = (struct transfer_samples){ 0 };
}

int transfer_kind(const char *name)
{
	for (int k = 0; k < COPY_CURVE_COUNT; k++)
		if (!strcmp(copy_curve_section[k] + strlen("copy."), name))
			return k;
	return -1;
}

static void add(struct transfer_samples *s, double bytes, double ns)
{
	GROW(s->at, s->count, s->capacity);
	s->at[s->count++] = (struct transfer_sample){ bytes, ns };
}

static int ascending(const void *x, const void *y)
{
	const struct transfer_sample *a = x, *b = y;
	return a->bytes != b->bytes ? (a->bytes > b->bytes) - (a->bytes < b->bytes)
				    : (a->ns > b->ns) - (a->ns < b->ns);
}

/* One sample a size: the median. */
static void fold(struct transfer_samples *s)
{
	size_t kept = 0;
	if (s->count)
		qsort(s->at, s->count, sizeof(*s->at), ascending);
	for (size_t k = 0, end; k < s->count; k = end) {
		for (end = k; end < s->count && s->at[end].bytes == s->at[k].bytes;)
			end++;
		const struct transfer_sample *low = &s->at[k + (end - k - 1) / 2],
					     *high = &s->at[k + (end - k) / 2];
		s->at[kept++] =
			(struct transfer_sample){ s->at[k].bytes, (low->ns + high->ns) / 2 };
	}
	s->count = kept;
}

void transfer_samples_of(struct transfer_samples *s, const struct platform *platform, int kind)
{
	static const int call[COPY_CURVE_COUNT] = {
		[COPY_CURVE_H2D] = HOST_COPY_H2D,
		[COPY_CURVE_D2H] = HOST_COPY_D2H,
		[COPY_CURVE_PEER] = HOST_COPY_PEER,
		[COPY_CURVE_D2D] = HOST_COPY_D2D,
		[COPY_CURVE_H2D_PAGEABLE] = HOST_COPY_H2D,
		[COPY_CURVE_D2H_PAGEABLE] = HOST_COPY_D2H,
		[COPY_CURVE_H2D_2D] = HOST_COPY_H2D,
		[COPY_CURVE_D2H_2D] = HOST_COPY_D2H,
	};
	const struct curve *curve = &platform->copy[kind];
	const double nothing = platform_host_ns(platform, call[kind], 1);
	for (size_t k = 0; k < curve->x.count; k++)
		add(s, curve->x.value[k], curve->y.value[k]);
	if (curve->x.count && !isnan(nothing))
		add(s, 0, nothing);
	fold(s);
}

static int read_platform(struct transfer_samples *s, const char *name, int kind)
{
	struct platform platform = { 0 };
	int rc = platform_read(&platform, name);
	if (!rc)
		transfer_samples_of(s, &platform, kind);
	platform_release(&platform);
	return rc;
}

static int kind_of(const struct trace_memcpy *copy)
{
	switch (copy->copy_kind) {
	case COPY_H_TO_D:
		return copy->source_kind == MEMORY_PAGEABLE ? COPY_CURVE_H2D_PAGEABLE
							    : COPY_CURVE_H2D;
	case COPY_D_TO_H:
		return copy->target_kind == MEMORY_PAGEABLE ? COPY_CURVE_D2H_PAGEABLE
							    : COPY_CURVE_D2H;
	case COPY_D_TO_D:
		return COPY_CURVE_D2D;
	case COPY_P_TO_P:
		return COPY_CURVE_PEER;
	default:
		return -1;
	}
}

static int read_trace(struct transfer_samples *s, const char *path, int kind)
{
	struct trace trace;
	trace_init(&trace);
	int rc = trace_read(&trace, path, 0);
	for (size_t k = 0; !rc && k < trace.memcpy_count; k++) {
		const struct trace_memcpy *copy = &trace.memcpy[k];
		if (kind_of(copy) == kind && copy->bytes > 0 && copy->end_ns > copy->start_ns)
			add(s, (double)copy->bytes, (double)(copy->end_ns - copy->start_ns));
	}
	trace_release(&trace);
	fold(s);
	return rc;
}

enum { BYTES, NS, COPY, COLUMNS };

struct transfer_table {
	struct transfer_samples *samples;
	const char *kind;
};

static int take_row(void *context, const struct table_row *row)
{
	const struct transfer_table *table = context;
	double bytes, ns;
	if (parse_double(row->of[BYTES], &bytes) || parse_double(row->of[NS], &ns) ||
	    !(bytes >= 0) || !(ns > 0) || isinf(bytes) || isinf(ns))
		return -1;
	if (!row->of[COPY] || !strcmp(row->of[COPY], table->kind))
		add(table->samples, bytes, ns);
	return 0;
}

static int read_table(struct transfer_samples *s, const char *path, const char *kind)
{
	static const char *const name[COLUMNS] = { "bytes", "ns", "copy" };
	static const struct table_format format = { name, COLUMNS, COPY, "a transfer",
						    "transfers" };
	struct transfer_table table = { s, kind };
	const int rc = table_read(path, &format, NULL, take_row, &table);
	fold(s);
	return rc;
}

static bool ends_in(const char *text, const char *end)
{
	const size_t length = strlen(text), more = strlen(end);
	return length > more && !strcmp(text + length - more, end);
}

int transfer_samples_read(struct transfer_samples *s, const char *source, const char *kind)
{
	*s = (struct transfer_samples){ 0 };
	int rc = ends_in(source, ".tsv") ? read_table(s, source, kind)
		 : ends_in(source, ".zst") || ends_in(source, ".wrt") || ends_in(source, ".sqlite")
			 ? read_trace(s, source, transfer_kind(kind))
			 : read_platform(s, source, transfer_kind(kind));
	if (!rc && !s->count)
		rc = report("'%s' has no measured copies of kind %s", source, kind);
	if (rc)
		transfer_samples_release(s);
	return rc;
}
