/* SPDX-License-Identifier: MIT */
#include "trace_summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/format/annotate.h"
#include "traces/base/trace_map.h"
#include "traces/base/demangle.h"
#include "traces/base/text_show.h"
#include "traces/base/util.h"

const char *const summary_kind_name[SUMMARY_KIND_COUNT] = {
	[SUMMARY_KERNEL] = "kernel", [SUMMARY_COPY] = "copy", [SUMMARY_MEMSET] = "memset",
	[SUMMARY_API] = "api",	     [SUMMARY_HOST] = "host", [SUMMARY_RANGE] = "range",
	[SUMMARY_BUSY] = "busy",     [SUMMARY_CORE] = "core", [SUMMARY_PROFILE] = "profile",
};

/* ---- durations by name ---- */

struct sample {
	uint32_t name; /* into the collection's names */
	double us;     /* NaN unknown */
};
struct collection {
	enum summary_kind kind;
	char **name;
	size_t name_count, name_capacity;
	struct sample *sample;
	size_t sample_count, sample_capacity;
};

static uint32_t add_name(struct collection *c, char *name)
{
	for (size_t i = 0; i < c->name_count; i++)
		if (strcmp(c->name[i], name) == 0) {
			free(name);
			return (uint32_t)i;
		}
	GROW(c->name, c->name_count, c->name_capacity);
	c->name[c->name_count++] = name;
	return (uint32_t)(c->name_count - 1);
}

static void add_sample(struct collection *c, uint32_t name, int64_t start_ns, int64_t end_ns)
{
	bool known = start_ns != -1 && end_ns != -1;

	GROW(c->sample, c->sample_count, c->sample_capacity);
	c->sample[c->sample_count++] =
		(struct sample){ .name = name,
				 .us = known ? (double)(end_ns - start_ns) / 1000.0 : NAN };
}

static int compare_samples(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	if (isnan(a->us) || isnan(b->us))
		return isnan(a->us) - isnan(b->us); /* unknown ones last */
	return (a->us > b->us) - (a->us < b->us);
}

static struct summary_line *add_line(struct summary *summary, enum summary_kind kind, char *name)
{
	char *shown = text_shown(name);

	free(name);
	GROW(summary->line, summary->line_count, summary->line_capacity);
	summary->line[summary->line_count] = (struct summary_line){ .kind = kind,
								    .name = shown,
								    .total_us = NAN,
								    .median_us = NAN,
								    .min_us = NAN,
								    .max_us = NAN };
	return &summary->line[summary->line_count++];
}

/* Turns the samples into lines and empties the collection. */
static void finish(struct summary *summary, struct collection *c)
{
	if (c->sample)
		qsort(c->sample, c->sample_count, sizeof(*c->sample), compare_samples);
	for (size_t i = 0; i < c->sample_count;) {
		uint32_t name = c->sample[i].name;
		struct summary_line *line = add_line(summary, c->kind, c->name[name]);
		size_t first = i, known;

		while (i < c->sample_count && c->sample[i].name == name && !isnan(c->sample[i].us))
			i++;
		known = i - first;
		while (i < c->sample_count && c->sample[i].name == name)
			i++;
		line->count = (int64_t)(i - first);
		if (!known)
			continue;
		line->min_us = c->sample[first].us;
		line->max_us = c->sample[first + known - 1].us;
		line->median_us = 0.5 * (c->sample[first + (known - 1) / 2].us +
					 c->sample[first + known / 2].us);
		line->total_us = 0;
		for (size_t k = first; k < first + known; k++)
			line->total_us += c->sample[k].us;
	}
	free(c->name);
	free(c->sample);
}

static void add_kernels(struct summary *summary, const struct trace *t)
{
	struct collection c = { .kind = SUMMARY_KERNEL };
	struct map given = { 0 }, known = { 0 };

	for (size_t i = 0; i < t->footprint_count; i++)
		map_put(&given, t->footprint[i].global_pid >> 24, t->footprint[i].correlation,
			t->footprint[i].kernel);
	for (size_t i = 0; i < t->kernel_count; i++) {
		const struct trace_kernel *k = &t->kernel[i];
		uint32_t driver = map_get(&given, k->global_pid >> 24, k->correlation), name;

		driver = driver == MAP_NONE ? 0 : driver;
		name = map_get(&known, k->demangled_name, driver);
		if (name == MAP_NONE) {
			name = add_name(&c, driver ? xstrdup(trace_text(t, driver))
						   : trace_kernel_name(t, k));
			map_put(&known, k->demangled_name, driver, name);
		}
		add_sample(&c, name, k->start_ns, k->end_ns);
	}
	map_release(&given);
	map_release(&known);
	finish(summary, &c);
}

static void add_copies(struct summary *summary, const struct trace *t)
{
	struct collection copies = { .kind = SUMMARY_COPY }, sets = { .kind = SUMMARY_MEMSET };

	for (size_t i = 0; i < t->memcpy_count; i++)
		add_sample(&copies,
			   add_name(&copies, xstrdup(trace_copy_kind_name(t->memcpy[i].copy_kind))),
			   t->memcpy[i].start_ns, t->memcpy[i].end_ns);
	for (size_t i = 0; i < t->memset_count; i++)
		add_sample(&sets, add_name(&sets, xstrdup("memset")), t->memset[i].start_ns,
			   t->memset[i].end_ns);
	finish(summary, &copies);
	finish(summary, &sets);
}

/* The ABI version is no part of what a call is. */
static char *api_name(const char *name)
{
	const char *version = strstr(name, "_v");

	return version && strspn(version + 2, "0123456789") == strlen(version + 2)
		       ? xprintf("%.*s", (int)(version - name), name)
		       : xstrdup(name);
}

/* Calls without rows of their own: how many, and how long together. */
static void add_queries(struct summary *summary, const struct trace *t)
{
	int64_t calls = 0;
	double us = 0;

	for (size_t i = 0; i < t->api_count; i++) {
		calls += t->api[i].queries;
		us += (double)t->api[i].queries_ns / 1000;
	}
	if (!calls)
		return;
	struct summary_line *line = add_line(summary, SUMMARY_API, xstrdup("query calls"));
	line->count = calls;
	line->total_us = us;
}

/* Calls of a communication library; on virtual GPUs all of their time is hidden. */
static void add_collectives(struct collection *host, const struct trace *t)
{
	static const char *const names[COLLECTIVE_KIND_COUNT] = {
		[COLLECTIVE_SEND] = "NCCL send",
		[COLLECTIVE_RECEIVE] = "NCCL receive",
		[COLLECTIVE_ALL_REDUCE] = "NCCL all-reduce",
		[COLLECTIVE_ALL_GATHER] = "NCCL all-gather",
		[COLLECTIVE_REDUCE_SCATTER] = "NCCL reduce-scatter",
		[COLLECTIVE_BROADCAST] = "NCCL broadcast",
		[COLLECTIVE_REDUCE] = "NCCL reduce",
	};

	for (size_t i = 0; i < t->collective_count; i++) {
		const struct trace_collective *c = &t->collective[i];

		if (c->kind >= 0 && c->kind < COLLECTIVE_KIND_COUNT)
			add_sample(host, add_name(host, xstrdup(names[c->kind])), c->start_ns,
				   c->end_ns);
	}
}

static void add_host(struct summary *summary, const struct trace *t)
{
	static const char *const notes[] = { [NOTE_POST] = "post",
					     [NOTE_AWAIT_BLOCK] = "await, blocking",
					     [NOTE_AWAIT_SPIN] = "await, spinning",
					     [NOTE_BARRIER] = "barrier" };
	struct collection calls = { .kind = SUMMARY_API }, host = { .kind = SUMMARY_HOST };
	struct map known = { 0 };

	for (size_t i = 0; i < t->api_count; i++) {
		uint32_t name = map_get(&known, t->api[i].name, 0);

		if (name == MAP_NONE) {
			name = add_name(&calls, api_name(trace_text(t, t->api[i].name)));
			map_put(&known, t->api[i].name, 0, name);
		}
		add_sample(&calls, name, t->api[i].start_ns, t->api[i].end_ns);
	}
	for (size_t i = 0; i < t->host_op_count; i++) {
		const struct trace_host_op *h = &t->host_op[i];

		if (h->kind >= NOTE_POST && h->kind <= NOTE_BARRIER)
			add_sample(&host, add_name(&host, xstrdup(notes[h->kind])), h->start_ns,
				   h->end_ns);
	}
	add_collectives(&host, t);
	map_release(&known);
	finish(summary, &calls);
	add_queries(summary, t);
	finish(summary, &host);
}

static void add_ranges(struct summary *summary, const struct trace *t)
{
	struct collection c = { .kind = SUMMARY_RANGE };
	struct map known = { 0 };

	for (size_t i = 0; i < t->nvtx_count; i++) {
		const struct trace_nvtx *n = &t->nvtx[i];
		uint32_t name = map_get(&known, n->text, 0);

		if (name == MAP_NONE) {
			name = add_name(&c, xstrdup(trace_text(t, n->text)));
			map_put(&known, n->text, 0, name);
		}
		add_sample(&c, name, n->start_ns, n->end_ns);
	}
	map_release(&known);
	finish(summary, &c);
}

/* ---- busy time: when at least one kernel or copy of the GPU runs ---- */

struct interval {
	int32_t device;
	int64_t start_ns, end_ns;
};

static int compare_intervals(const void *left, const void *right)
{
	const struct interval *a = left, *b = right;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

static void add_busy(struct summary *summary, const struct trace *t)
{
	struct interval *work =
		xmalloc((t->kernel_count + t->memcpy_count + t->memset_count + 1) * sizeof(*work));
	size_t count = 0;

#define ADD(array)                                                                                 \
	for (size_t i = 0; i < t->array##_count; i++)                                              \
		if (t->array[i].start_ns != -1 && t->array[i].end_ns != -1)                        \
			work[count++] =                                                            \
				(struct interval){ t->array[i].device, t->array[i].start_ns,       \
						   t->array[i].end_ns };
	ADD(kernel)
	ADD(memcpy)
	ADD(memset)
#undef ADD
	qsort(work, count, sizeof(*work), compare_intervals);
	for (size_t i = 0; i < count;) {
		int32_t device = work[i].device;
		struct summary_line *line =
			add_line(summary, SUMMARY_BUSY, xprintf("GPU %" PRId32, device));
		int64_t busy_ns = 0, until_ns = INT64_MIN;

		for (; i < count && work[i].device == device; i++) {
			int64_t from_ns = work[i].start_ns > until_ns ? work[i].start_ns : until_ns;

			if (work[i].end_ns > from_ns) {
				busy_ns += work[i].end_ns - from_ns;
				until_ns = work[i].end_ns;
			}
			line->count++;
		}
		line->total_us = (double)busy_ns / 1000.0;
	}
	free(work);
}

int64_t trace_core_ns(const struct trace *trace, size_t run)
{
	const struct trace_run *r = &trace->run[run];
	int64_t begin_ns = INT64_MIN, end_ns = INT64_MIN;

	for (size_t i = 0; i < trace->host_op_count; i++) {
		const struct trace_host_op *h = &trace->host_op[i];

		if (h->kind != NOTE_MARK || h->start_ns < r->start_ns ||
		    (r->end_ns != -1 && h->start_ns > r->end_ns))
			continue;
		if (h->object == MARK_CORE_BEGIN && h->start_ns > begin_ns)
			begin_ns = h->start_ns;
		if (h->object == MARK_CORE_END && h->start_ns > end_ns)
			end_ns = h->start_ns;
	}
	return begin_ns == INT64_MIN || end_ns == INT64_MIN ? -1 : end_ns - begin_ns;
}

static void add_cores(struct summary *summary, const struct trace *t)
{
	for (size_t i = 0; i < t->run_count; i++) {
		int64_t core_ns = trace_core_ns(t, i);
		struct summary_line *line = add_line(summary, SUMMARY_CORE, xprintf("run %zu", i));

		line->count = 1;
		if (core_ns >= 0)
			line->total_us = (double)core_ns / 1000.0;
	}
}

/* "8x4" of 8x4x1. Owned by the caller. */
static char *extent(const uint32_t size[3])
{
	if (size[2] != 1)
		return xprintf("%" PRIu32 "x%" PRIu32 "x%" PRIu32, size[0], size[1], size[2]);
	return size[1] != 1 ? xprintf("%" PRIu32 "x%" PRIu32, size[0], size[1])
			    : xprintf("%" PRIu32, size[0]);
}

static void add_profiles(struct summary *summary, const struct trace *t)
{
	struct map lines = { 0 }; /* profile id -> line */

	for (size_t i = 0; i < t->profile_count; i++) {
		const struct trace_profile *p = &t->profile[i];
		char *path = p->path >= 0 ? xprintf(" path %" PRId32, p->path) : xstrdup("");
		char *grid = extent(p->grid), *block = extent(p->block),
		     *full = demangle(trace_text(t, p->kernel)), *name = kernel_plain_name(full);

		map_put(&lines, p->id, 0, (uint32_t)summary->line_count);
		add_line(summary, SUMMARY_PROFILE,
			 xprintf("%s %s of %s%s", name, grid, block, path));
		free(full);
		free(name);
		free(path);
		free(grid);
		free(block);
	}
	for (size_t i = 0; i < t->profile_instruction_count; i++) {
		const struct trace_profile_instruction *at = &t->profile_instruction[i];
		uint32_t line = map_get(&lines, at->profile, 0);

		if (line != MAP_NONE && at->warps > 0 &&
		    __builtin_add_overflow(summary->line[line].count, at->warps,
					   &summary->line[line].count))
			summary->line[line].count = INT64_MAX;
	}
	map_release(&lines);
}

static int compare_lines(const void *left, const void *right)
{
	const struct summary_line *a = left, *b = right;
	bool numbered = a->kind == SUMMARY_BUSY || a->kind == SUMMARY_CORE;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (!numbered && a->total_us != b->total_us && !(isnan(a->total_us) && isnan(b->total_us)))
		return isnan(b->total_us) || a->total_us > b->total_us ? -1 : 1;
	return strverscmp(a->name, b->name);
}

void summary_make(struct summary *summary, const struct trace *trace)
{
	memset(summary, 0, sizeof(*summary));
	add_kernels(summary, trace);
	add_copies(summary, trace);
	add_host(summary, trace);
	add_ranges(summary, trace);
	add_busy(summary, trace);
	add_cores(summary, trace);
	add_profiles(summary, trace);
	if (summary->line)
		qsort(summary->line, summary->line_count, sizeof(*summary->line), compare_lines);
}

void summary_release(struct summary *summary)
{
	for (size_t i = 0; i < summary->line_count; i++)
		free(summary->line[i].name);
	free(summary->line);
	memset(summary, 0, sizeof(*summary));
}
