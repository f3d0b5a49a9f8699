/* SPDX-License-Identifier: MIT */
#include "profile_faults.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/trace_map.h"
#include "traces/base/util.h"

enum {
	INSTRUCTION_BYTES = 16,
	WARP = 32,
	BLOCK_THREADS_MAX = 1024,
	REGISTERS_MAX = 255,
	ISA_FIRST = 70
};

struct auditing {
	const struct trace *t;
	profile_fault_found *found;
	void *context;
	struct map profiles; /* id -> row */
	struct map code;     /* (symbol, offset) -> row */
	struct map counts;   /* (profile, offset) -> 1 */
	struct map sizes;    /* symbol -> bytes of its code */
};

static void __attribute__((format(printf, 3, 4)))
fault(struct auditing *a, enum profile_fault kind, const char *format, ...)
{
	char text[600];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	a->found(a->context, kind, text);
}

/* "sm_90": code of 128-bit instructions, which began with sm_70. */
static bool profile_isa_known(const char *isa)
{
	int64_t number;

	return strncmp(isa, "sm_", 3) == 0 && parse_i64(isa + 3, &number) == 0 &&
	       number >= ISA_FIRST && number < 1000;
}

int64_t profile_grid_warps(const uint32_t grid[3], const uint32_t block[3])
{
	static const uint32_t grid_max[3] = {
		INT32_MAX, 65535, 65535
	}; /* CUDA C++ Programming Guide, compute capability 3.0 and later */
	int64_t blocks = 1, threads = 1;

	for (int i = 0; i < 3; i++) {
		if (!grid[i] || grid[i] > grid_max[i] || !block[i] || block[i] > BLOCK_THREADS_MAX)
			return -1;
		threads *= block[i];
		blocks *= grid[i];
	}
	if (threads > BLOCK_THREADS_MAX || blocks > INT64_MAX / BLOCK_THREADS_MAX)
		return -1;
	return blocks * ((threads + WARP - 1) / WARP);
}

static int compare_code(const void *left, const void *right, void *context)
{
	const struct trace *t = context;
	uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
	const struct trace_profile_code *a = &t->profile_code[x], *b = &t->profile_code[y];

	if (a->symbol != b->symbol)
		return a->symbol < b->symbol ? -1 : 1;
	if (a->offset_bytes != b->offset_bytes)
		return a->offset_bytes < b->offset_bytes ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The code of each symbol, in address order: 0, 16, 32 and so on, each once. */
static void audit_code(struct auditing *a)
{
	const struct trace *t = a->t;
	uint32_t *order = xmalloc((t->profile_code_count + 1) * sizeof(*order)), expected = 0;

	for (size_t i = 0; i < t->profile_code_count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, t->profile_code_count, sizeof(*order), compare_code, (void *)(uintptr_t)t);
	for (size_t i = 0; i < t->profile_code_count; i++) {
		const struct trace_profile_code *row = &t->profile_code[order[i]];
		bool first = i == 0 || row->symbol != t->profile_code[order[i - 1]].symbol;

		if (first)
			expected = 0;
		if (!first && row->offset_bytes == t->profile_code[order[i - 1]].offset_bytes)
			fault(a, FAULT_CODE,
			      "WARPREEL_PROFILE_CODE, row %" PRIu32
			      ": '%s' has an instruction at offset %" PRIu32 " twice",
			      order[i] + 1, trace_text(t, row->symbol), row->offset_bytes);
		else if (row->offset_bytes != expected)
			fault(a, FAULT_CODE,
			      "WARPREEL_PROFILE_CODE, row %" PRIu32
			      ": '%s' goes on at offset %" PRIu32 " instead of %" PRIu32,
			      order[i] + 1, trace_text(t, row->symbol), row->offset_bytes,
			      expected);
		expected = row->offset_bytes + INSTRUCTION_BYTES;
		map_put(&a->code, row->symbol, row->offset_bytes, order[i]);
		map_put(&a->sizes, row->symbol, 0, expected == MAP_NONE ? 0 : expected);
	}
	free(order);
}

/* Two profiles of one launch shape: which one is meant? Orders them by what a launch is, so that
 * such a pair lies together. */
static int compare_launches(const void *left, const void *right, void *context)
{
	const struct trace *t = context;
	const struct trace_profile *a = &t->profile[*(const uint32_t *)left],
				   *b = &t->profile[*(const uint32_t *)right];
	const int64_t pairs[][2] = {
		{ a->kernel, b->kernel }, { a->symbol, b->symbol },
		{ a->isa, b->isa },	  { a->path, b->path },
		{ a->rows, b->rows },	  { a->columns, b->columns },
		{ a->points, b->points }, { a->dynamic_shared_bytes, b->dynamic_shared_bytes },
		{ a->steps, b->steps },
	};
	int order = memcmp(a->grid, b->grid, sizeof(a->grid));

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]) && order == 0; i++)
		order = (pairs[i][0] > pairs[i][1]) - (pairs[i][0] < pairs[i][1]);
	return order ? order : memcmp(a->block, b->block, sizeof(a->block));
}

static void audit_launches(struct auditing *a)
{
	const struct trace *t = a->t;
	uint32_t *order = xmalloc((t->profile_count + 1) * sizeof(*order));

	for (size_t i = 0; i < t->profile_count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, t->profile_count, sizeof(*order), compare_launches, (void *)(uintptr_t)t);
	for (size_t i = 1; i < t->profile_count; i++)
		if (compare_launches(&order[i - 1], &order[i], (void *)(uintptr_t)t) == 0)
			fault(a, FAULT_DUPLICATE,
			      "kernel %s, WARPREEL_PROFILE, rows %" PRIu32 " and %" PRIu32
			      " are of the same launch",
			      trace_text(t, t->profile[order[i]].kernel), order[i - 1] + 1,
			      order[i] + 1);
	free(order);
}

/* Of a number that is never unknown, as a count: -2 is too little. */
static int64_t below_zero(int64_t number)
{
	return number < 0 ? -2 : 0;
}

static void audit_profile(struct auditing *a, size_t index)
{
	const struct trace_profile *p = &a->t->profile[index];
	/* hits and accesses are counted in different replays of the launch, and need not agree to
	 * the last one */
	const struct {
		const char *name;
		int64_t hits, all;
	} caches[] = { { "l1Load", p->l1_load_hits, p->l1_load_sectors },
		       { "l2Read", p->l2_read_hits, p->l2_read_sectors },
		       { "l2Write", p->l2_write_hits, p->l2_write_sectors } };
	const int64_t counters[] = { p->l1_load_sectors,   p->l1_load_hits,
				     p->l1_store_sectors,  p->l2_read_sectors,
				     p->l2_read_hits,	   p->l2_write_sectors,
				     p->l2_write_hits,	   p->l2_atomic_sectors,
				     p->dram_read_bytes,   p->dram_write_bytes,
				     below_zero(p->rows),  below_zero(p->columns),
				     below_zero(p->points) };
	char *what = xprintf("kernel %s, WARPREEL_PROFILE, row %zu", trace_text(a->t, p->kernel),
			     index + 1);

	if (p->version != WARPREEL_PROFILE_VERSION)
		fault(a, FAULT_FOREIGN, "%s: profile version %" PRId32 "; this program reads %d",
		      what, p->version, WARPREEL_PROFILE_VERSION);
	if (!profile_isa_known(trace_text(a->t, p->isa)))
		fault(a, FAULT_FOREIGN, "%s: code of '%s'; this program decodes sm_%d and later",
		      what, trace_text(a->t, p->isa), ISA_FIRST);
	if (profile_grid_warps(p->grid, p->block) < 0)
		fault(a, FAULT_CONTRADICTION,
		      "%s: a grid of %" PRIu32 "x%" PRIu32 "x%" PRIu32 " blocks of %" PRIu32
		      "x%" PRIu32 "x%" PRIu32 " threads cannot be launched",
		      what, p->grid[0], p->grid[1], p->grid[2], p->block[0], p->block[1],
		      p->block[2]);
	if (p->registers > REGISTERS_MAX)
		fault(a, FAULT_CONTRADICTION, "%s: %" PRIu32 " registers a thread", what,
		      p->registers);
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (counters[i] < -1) {
			fault(a, FAULT_CONTRADICTION, "%s: a count is negative", what);
			break;
		}
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++)
		if (caches[i].all >= 0 &&
		    (double)caches[i].hits > 1.1 * (double)caches[i].all + 1000)
			fault(a, FAULT_CONTRADICTION,
			      "%s: %sHits is %" PRId64 " of %" PRId64 " sectors", what,
			      caches[i].name, caches[i].hits, caches[i].all);
	if (map_get(&a->sizes, p->symbol, 0) == MAP_NONE)
		fault(a, FAULT_CODE, "%s: no code of '%s'", what, trace_text(a->t, p->symbol));
	if (map_intern(&a->profiles, p->id, 0, (uint32_t)index) != index)
		fault(a, FAULT_DUPLICATE, "%s: a second profile %" PRId64, what, p->id);
	free(what);
}

/* Of a row of counts: which row it is is written down only when something is wrong with it. */
static void __attribute__((format(printf, 4, 5)))
count_fault(struct auditing *a, enum profile_fault kind, size_t index, const char *format, ...)
{
	const struct trace_profile_instruction *c = &a->t->profile_instruction[index];
	const struct trace_profile *p = &a->t->profile[map_get(&a->profiles, c->profile, 0)];
	char text[600];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fault(a, kind, "kernel %s, WARPREEL_PROFILE_COUNT, row %zu: offset %" PRIu32 "%s",
	      trace_text(a->t, p->kernel), index + 1, c->offset_bytes, text);
}

static void audit_count(struct auditing *a, size_t index)
{
	const struct trace_profile_instruction *c = &a->t->profile_instruction[index];
	uint32_t row = map_get(&a->profiles, c->profile, 0);
	const struct trace_profile *p;
	int64_t least = c->warps, grid_warps;

	if (row == MAP_NONE) {
		fault(a, FAULT_ALONE,
		      "WARPREEL_PROFILE_COUNT, row %zu: there is no profile %" PRId64, index + 1,
		      c->profile);
		return;
	}
	p = &a->t->profile[row];
	if (map_get(&a->code, p->symbol, c->offset_bytes) == MAP_NONE)
		count_fault(a, FAULT_ALONE, index, " is not in the code of '%s'",
			    trace_text(a->t, p->symbol));
	if (map_put(&a->counts, c->profile, c->offset_bytes, 1) != MAP_NONE)
		count_fault(a, FAULT_DUPLICATE, index, " is counted twice");
	for (const int64_t *value = &c->warps; value <= &c->wavefronts_shared_ideal; value++)
		least = *value < least ? *value : least;
	grid_warps = profile_grid_warps(p->grid, p->block);
	if (least < -1)
		count_fault(a, FAULT_CONTRADICTION, index, " has a negative count");
	else if (c->warps >= 0 && c->threads > 0 && c->warps < INT64_MAX / WARP &&
		 c->threads > c->warps * WARP)
		count_fault(a, FAULT_CONTRADICTION, index,
			    " ran in %" PRId64 " warps with %" PRId64 " threads, more than %d each",
			    c->warps, c->threads, WARP);
	else if (c->offset_bytes == 0 && grid_warps >= 0 && c->warps > grid_warps)
		count_fault(a, FAULT_CONTRADICTION, index,
			    ", the entry, ran in %" PRId64 " warps; the grid has %" PRId64,
			    c->warps, grid_warps);
}

void profile_faults(const struct trace *trace, profile_fault_found *found, void *context)
{
	struct auditing a = { .t = trace, .found = found, .context = context };

	audit_code(&a);
	for (size_t i = 0; i < trace->profile_count; i++)
		audit_profile(&a, i);
	audit_launches(&a);
	for (size_t i = 0; i < trace->profile_instruction_count; i++)
		audit_count(&a, i);
	map_release(&a.profiles);
	map_release(&a.code);
	map_release(&a.counts);
	map_release(&a.sizes);
}
