/* SPDX-License-Identifier: MIT */
#include "trace_range.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "traces/format/annotate.h"
#include "traces/format/nvtx_order.h"
#include "traces/schedule/schedule.h"
#include "traces/base/trace_map.h"
#include "traces/base/util.h"

enum { MOST_NAMED = 8 };

/* A name of ranges, how many there are, and how far it is from the one that was asked for. */
struct named {
	uint32_t text, count, place;
	size_t edits;
};

static int compare_named(const void *left, const void *right)
{
	const struct named *a = left, *b = right;

	if (a->edits != b->edits)
		return a->edits < b->edits ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

/* The names that there are, for a message: "'a' (3), 'b' (20)", of more than it takes the nearest
 * to what was asked for. Owned by the caller. */
static char *names_of(const struct trace *trace, const char *asked)
{
	struct map seen = { 0 };
	struct named *name = xmalloc((trace->nvtx_count + 1) * sizeof(*name));
	uint32_t names = 0;
	char *text = xstrdup("");

	for (size_t i = 0; i < trace->nvtx_count; i++) {
		const struct trace_nvtx *row = &trace->nvtx[i];

		if (!nvtx_is_range(row))
			continue;
		uint32_t at = map_intern(&seen, row->text, 0, names);
		if (at == names)
			name[names++] =
				(struct named){ row->text, 0, at,
						text_edits(asked, trace_text(trace, row->text)) };
		name[at].count++;
	}
	if (names > MOST_NAMED)
		qsort(name, names, sizeof(*name), compare_named);
	for (uint32_t i = 0; i < names && i <= MOST_NAMED; i++) {
		char *longer = i == MOST_NAMED
				       ? xprintf("%s, ...", text)
				       : xprintf("%s%s'%s' (%u)", text, i ? ", " : "",
						 trace_text(trace, name[i].text), name[i].count);
		free(text);
		text = longer;
	}
	free(name);
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

/* Which occurrences of a name are asked for. */
struct asked {
	char *name; /* owned */
	const char *thread, *process;
	size_t first, end; /* in order of their begins, from 0 */
	bool by_number, all;
};

static bool is_called(const struct trace *trace, int64_t global_tid, const char *thread)
{
	int64_t number;

	if (!parse_i64(thread, &number) && (global_tid & 0xffffff) == number)
		return true;
	for (size_t i = 0; i < trace->thread_count; i++)
		if (trace->thread[i].global_tid == global_tid)
			return !strcmp(trace_text(trace, trace->thread[i].name), thread);
	return false;
}

static bool is_meant(const struct trace *trace, const struct trace_nvtx *row,
		     const struct asked *asked)
{
	int64_t number = 0;

	if (row->start_ns == -1 || nvtx_is_mark(row) ||
	    strcmp(trace_text(trace, row->text), asked->name) != 0)
		return false;
	return (!asked->thread || is_called(trace, row->global_tid, asked->thread)) &&
	       (!asked->process || (!parse_i64(asked->process, &number) &&
				    (process_of(row->global_tid) & 0xffffff) == number));
}

static size_t named(const struct trace *trace, const struct asked *asked)
{
	size_t count = 0;

	for (size_t i = 0; i < trace->nvtx_count; i++)
		count += is_meant(trace, &trace->nvtx[i], asked);
	return count;
}

/* "name", "name#3", "name#-2", "name#all"; a name may itself have a '#'. */
static int parse(struct asked *asked, const struct trace *trace, const struct range_request *range)
{
	const char *text = range->name, *number = strrchr(text, '#');
	char *end = NULL;
	size_t count;

	*asked = (struct asked){ .name = xstrdup(text),
				 .thread = range->thread,
				 .process = range->process };
	asked->end = count = named(trace, asked);
	if (count || !number || !number[1])
		return 0;
	errno = 0;
	const long long which = strtoll(number + 1, &end, 10);
	asked->all = !strcmp(number + 1, "all");
	if (!asked->all && (*end || errno))
		return 0;
	asked->name[number - text] = 0;
	asked->end = count = named(trace, asked);
	if (!count || asked->all)
		return 0;
	if (which >= (long long)count || which < -(long long)count)
		return report("'%s': there is no '%s': %zu NVTX range%s called '%s', counted from "
			      "0 (#-K: the last K)",
			      trace->path, text, count, count == 1 ? " is" : "s are", asked->name);
	asked->by_number = true;
	asked->first = which < 0 ? count - (size_t)-which : (size_t)which;
	asked->end = which < 0 ? count : asked->first + 1;
	return 0;
}

/* From the first begin to the last end of those asked for. */
static int mark_asked(struct trace *trace, const struct asked *asked, struct marked_ranges *marked)
{
	const struct trace_nvtx **row = xmalloc((trace->nvtx_count + 1) * sizeof(*row)),
				*first = NULL, *last = NULL;
	struct map threads = { 0 };
	int64_t shortest_ns = INT64_MAX, longest_ns = 0;
	size_t count = 0, open = 0;
	int rc = -1;

	for (size_t i = 0; i < trace->nvtx_count; i++)
		if (is_meant(trace, &trace->nvtx[i], asked))
			row[count++] = &trace->nvtx[i];
	qsort(row, count, sizeof(*row), nvtx_by_begin);
	for (size_t i = asked->first; i < asked->end; i++) {
		if (!nvtx_is_range(row[i])) {
			open++;
			if (!asked->by_number)
				continue;
			report("'%s': nvtx row %zu: NVTX range '%s#%zu' never closes", trace->path,
			       (size_t)(row[i] - trace->nvtx) + 1, asked->name, i);
			goto out;
		}
		const int64_t ns = row[i]->end_ns - row[i]->start_ns;
		shortest_ns = ns < shortest_ns ? ns : shortest_ns;
		longest_ns = ns > longest_ns ? ns : longest_ns;
		first = first ? first : row[i];
		last = last && last->end_ns >= row[i]->end_ns ? last : row[i];
		map_put(&threads, row[i]->global_tid, 0, 0);
		marked->ranges++;
	}
	marked->threads = (int64_t)threads.used;
	if (!first) {
		report("'%s': none of the %zu NVTX ranges called '%s' ever closes: nvtx row %zu is "
		       "the first",
		       trace->path, count, asked->name, (size_t)(row[0] - trace->nvtx) + 1);
		goto out;
	}
	if (longest_ns / 2 > shortest_ns && !asked->by_number && !asked->all) {
		report("'%s': the %lld NVTX ranges called '%s' take %.1f to %.1f us, so they are "
		       "not one loop: '%s#K' takes one of them (from 0), '#-K' the last K, '#all' "
		       "the first to the last",
		       trace->path, (long long)marked->ranges, asked->name,
		       (double)shortest_ns / 1000, (double)longest_ns / 1000, asked->name);
		goto out;
	}
	if (open)
		report_warning("'%s': %zu of the NVTX ranges called '%s' never close: left out",
			       trace->path, open, asked->name);
	add_mark(trace, first->global_tid, MARK_CORE_BEGIN, first->start_ns);
	add_mark(trace, last->global_tid, MARK_CORE_END, last->end_ns);
	rc = 0;
out:
	map_release(&threads);
	free(row);
	return rc;
}

int trace_mark_range(struct trace *trace, const struct range_request *range,
		     struct marked_ranges *marked)
{
	struct asked asked;
	int rc;

	*marked = (struct marked_ranges){ 0 };
	if (trace->run_count)
		return report("'%s': its runs mark their core loops themselves; a range is for a "
			      "program that does not",
			      trace->path);
	rc = parse(&asked, trace, range);
	if (!rc && !asked.end) {
		char *names = names_of(trace, asked.name);

		rc = report("'%s': no NVTX range%s%s%s%s is called '%s'; there %s %s", trace->path,
			    range->thread ? " of thread " : "", range->thread ? range->thread : "",
			    range->process ? " of process " : "",
			    range->process ? range->process : "", asked.name, *names ? "are" : "is",
			    *names ? names : "none");
		free(names);
	} else if (!rc) {
		rc = mark_asked(trace, &asked, marked);
	}
	free(asked.name);
	return rc;
}
