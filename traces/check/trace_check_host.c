/* SPDX-License-Identifier: MIT
 * What is wrong with what the host threads told of themselves, and with the order of their calls.
 */
#include "trace_check_internal.h"

#include <stdlib.h>

#include "traces/base/util.h"
#include "traces/format/annotate.h"

/* Counters and barriers belong to a run: 0 is outside any. */
static int64_t run_number(const struct trace *t, int64_t at_ns)
{
	const struct trace_run *run = check_run_of(t, at_ns);

	return run ? run - t->run + 1 : 0;
}

static void check_counters(struct checking *c)
{
	const struct trace *t = c->t;
	struct map counters = { 0 };
	int64_t *posted = xcalloc(t->host_op_count + 1, sizeof(*posted));

	for (size_t i = 0; i < t->host_op_count; i++) {
		const struct trace_host_op *h = &t->host_op[i];
		uint32_t number;

		check_times(c, h->start_ns, h->end_ns);
		if (h->kind != NOTE_POST)
			continue;
		number = map_intern(&counters, run_number(t, h->start_ns), h->object,
				    (uint32_t)counters.used);
		posted[number] = h->value > posted[number] ? h->value : posted[number];
	}
	for (size_t i = 0; i < t->host_op_count; i++) {
		const struct trace_host_op *h = &t->host_op[i];
		uint32_t number;

		if (h->kind != NOTE_AWAIT_BLOCK && h->kind != NOTE_AWAIT_SPIN)
			continue;
		number = map_get(&counters, run_number(t, h->start_ns), h->object);
		c->count[UNPOSTED] += h->value > (number == MAP_NONE ? 0 : posted[number]);
	}
	free(posted);
	map_release(&counters);
}

/* How often a thread met a barrier. */
struct arrivals {
	int64_t run, process, tid;
	uint32_t barrier;
	int64_t times;
};

static int compare_arrivals(const void *left, const void *right)
{
	const struct arrivals *a = left, *b = right;

	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return (a->barrier > b->barrier) - (a->barrier < b->barrier);
}

/* Threads that a run is made of: they meet at barriers, or ask a GPU for something. */
static void take_part(struct map *threads, struct map *members, int64_t tid, int64_t run)
{
	uint32_t before;

	if (map_put(threads, tid, run, 1) != MAP_NONE)
		return;
	before = map_get(members, process_of(tid), run);
	map_put(members, process_of(tid), run, before == MAP_NONE ? 1 : before + 1);
}

/* Each thread of a run meets each barrier as often as any. Outside of runs, who meets whom is not
 * known. */
static void check_barriers(struct checking *c)
{
	const struct trace *t = c->t;
	struct map threads = { 0 }, members = { 0 }, places = { 0 };
	struct arrivals *arrivals = xcalloc(t->host_op_count + 1, sizeof(*arrivals));
	size_t count = 0;

	for (size_t i = 0; i < t->host_op_count; i++) {
		const struct trace_host_op *h = &t->host_op[i];
		int64_t run = h->kind == NOTE_BARRIER ? run_number(t, h->start_ns) : 0;
		uint32_t at;

		if (!run)
			continue;
		take_part(&threads, &members, h->global_tid, run);
		at = map_intern(&places, h->global_tid, run << 32 ^ h->object, (uint32_t)count);
		if (at == count)
			arrivals[count++] = (struct arrivals){ .run = run,
							       .process = process_of(h->global_tid),
							       .tid = h->global_tid,
							       .barrier = h->object };
		arrivals[at].times++;
	}
	for (size_t i = 0; i < t->api_count && count; i++) {
		const struct trace_api *a = &t->api[i];
		int64_t run =
			check_call_kind(c, a->name) != CALL_OTHER ? run_number(t, a->start_ns) : 0;

		if (run)
			take_part(&threads, &members, a->global_tid, run);
	}
	for (size_t i = 0; i < t->host_op_count && count; i++) {
		const struct trace_host_op *h = &t->host_op[i];
		int64_t run = run_number(t, h->start_ns);

		/* A thread that takes no part is left out of a run whose threads meet. */
		c->count[STRAY_NOTE] +=
			run && map_get(&members, process_of(h->global_tid), run) != MAP_NONE &&
			map_get(&threads, h->global_tid, run) == MAP_NONE;
	}
	qsort(arrivals, count, sizeof(*arrivals), compare_arrivals);
	for (size_t i = 0, next; i < count; i = next) {
		int64_t most = 0, sum = 0;
		uint32_t of = map_get(&members, arrivals[i].process, arrivals[i].run);

		for (next = i; next < count && !compare_arrivals(&arrivals[i], &arrivals[next]);
		     next++) {
			most = arrivals[next].times > most ? arrivals[next].times : most;
			sum += arrivals[next].times;
		}
		c->count[UNEQUAL_BARRIER] += most * (int64_t)of - sum;
	}
	free(arrivals);
	map_release(&threads);
	map_release(&members);
	map_release(&places);
}

void check_host(struct checking *c)
{
	check_counters(c);
	check_barriers(c);
}

static int compare_calls(const void *left, const void *right, void *context)
{
	const struct trace *t = context;
	const uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
	const struct trace_api *a = &t->api[x], *b = &t->api[y];

	if (a->global_tid != b->global_tid)
		return a->global_tid < b->global_tid ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* A thread makes one call at a time. A call within another is the driver's below the runtime's, and
 * only one of them asks for device work: a replay has no other. */
void check_threads(struct checking *c)
{
	const struct trace *t = c->t;
	uint32_t *order = xmalloc((t->api_count + 1) * sizeof(*order));
	const struct trace_api *outer = NULL;
	int64_t asked = -1; /* what the outer call or one within it asked for */
	size_t count = 0;

	for (size_t i = 0; i < t->api_count; i++)
		if (t->api[i].start_ns != -1 && t->api[i].end_ns != -1)
			order[count++] = (uint32_t)i;
	qsort_r(order, count, sizeof(*order), compare_calls, (void *)(uintptr_t)t);
	for (size_t i = 0; i < count; i++) {
		const struct trace_api *a = &t->api[order[i]];
		bool asks =
			map_get(&c->work, process_of(a->global_tid), a->correlation) != MAP_NONE;
		bool within =
			outer && outer->global_tid == a->global_tid && a->start_ns < outer->end_ns;

		if (!within) {
			outer = a;
			asked = asks ? a->correlation : -1;
			continue;
		}
		c->count[ENTANGLED] += a->end_ns > outer->end_ns ||
				       (asks && asked != -1 && asked != a->correlation);
		asked = asks && asked == -1 ? a->correlation : asked;
		outer = a->end_ns > outer->end_ns ? a : outer;
	}
	free(order);
}
