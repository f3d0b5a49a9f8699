/* SPDX-License-Identifier: MIT */
#include "trace_range.h"

#include <stdlib.h>
#include <string.h>

#include "traces/format/annotate.h"
#include "traces/schedule/schedule.h"
#include "traces/base/trace_map.h"
#include "traces/base/util.h"

enum { MOST_NAMED = 8 };

static bool is_range(const struct trace_nvtx *row)
{
	return row->start_ns != -1 && row->end_ns > row->start_ns;
}

/* The names that there are, for a message: "'a' (3), 'b' (20)". Owned by the caller. */
static char *names_of(const struct trace *trace)
{
	struct map seen = { 0 };
	uint32_t *name = xmalloc((trace->nvtx_count + 1) * sizeof(*name)),
		 *count = xcalloc(trace->nvtx_count + 1, sizeof(*count)), names = 0;
	char *text = xstrdup("");

	for (size_t i = 0; i < trace->nvtx_count; i++) {
		const struct trace_nvtx *row = &trace->nvtx[i];

		if (!is_range(row))
			continue;
		uint32_t at = map_intern(&seen, row->text, 0, names);
		if (at == names)
			name[names++] = row->text;
		count[at]++;
	}
	for (uint32_t i = 0; i < names && i <= MOST_NAMED; i++) {
		char *longer = i == MOST_NAMED ? xprintf("%s, ...", text)
					       : xprintf("%s%s'%s' (%u)", text, i ? ", " : "",
							 trace_text(trace, name[i]), count[i]);
		free(text);
		text = longer;
	}
	free(name);
	free(count);
	map_release(&seen);
	return text;
}

static void add_mark(struct trace *trace, int64_t global_tid, enum mark mark, int64_t at_ns)
{
	*trace_add_host_op(trace) = (struct trace_host_op){ .start_ns = at_ns,
							    .end_ns = at_ns,
							    .global_tid = global_tid,
							    .kind = NOTE_MARK,
							    .object = mark };
}

int trace_mark_range(struct trace *trace, const char *name, struct marked_ranges *marked)
{
	const struct trace_nvtx *first = NULL, *last = NULL;
	struct map threads = { 0 };

	*marked = (struct marked_ranges){ 0 };
	if (trace->run_count)
		return report("'%s': its runs mark their core loops themselves; a range is for a "
			      "program that does not",
			      trace->path);
	for (size_t i = 0; i < trace->nvtx_count; i++) {
		const struct trace_nvtx *row = &trace->nvtx[i];

		if (!is_range(row) || strcmp(trace_text(trace, row->text), name) != 0)
			continue;
		first = first && first->start_ns <= row->start_ns ? first : row;
		last = last && last->end_ns >= row->end_ns ? last : row;
		map_put(&threads, row->global_tid, 0, 0);
		marked->ranges++;
	}
	marked->threads = (int64_t)threads.used;
	map_release(&threads);
	if (!first) {
		char *names = names_of(trace);

		report("'%s': no NVTX range is called '%s'; there %s %s", trace->path, name,
		       *names ? "are" : "is", *names ? names : "none");
		free(names);
		return -1;
	}
	add_mark(trace, first->global_tid, MARK_CORE_BEGIN, first->start_ns);
	add_mark(trace, last->global_tid, MARK_CORE_END, last->end_ns);
	return 0;
}
