/* SPDX-License-Identifier: MIT
 * Every anomaly of a trace, counted. "Incomplete" are those that a replay cannot make good:
 * something that happened is missing or contradicts itself. The others are worth knowing and may be
 * the program's own doing.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/recorder/annotate.h"
#include "traces/profiles/profile_faults.h"
#include "traces/schedule/schedule_load.h"
#include "trace.h"
#include "trace_map.h"
#include "traces/base/util.h"

enum kind {
	DROPPED,
	DAMAGED,
	TRUNCATED,
	OTHER_LOSS,
	NOT_RECORDED,
	ZERO_TIME,
	BACKWARDS,
	ORPHAN_WORK,
	ORPHAN_LAUNCH,
	LONE_RECORD,
	UNPAIRED,
	NEVER_RECORDED,
	UNKNOWN_DEVICE,
	UNKNOWN_STREAM,
	OVERLAP,
	BEFORE_CALL,
	OUTSIDE_RUN,
	NO_FOOTPRINT,
	LONE_FOOTPRINT,
	ENDLESS_RUN,
	DUPLICATE,
	UNPOSTED,
	UNEQUAL_BARRIER,
	FAILED_CALL,
	CAPTURED,
	FOREIGN_PROFILE,
	PROFILE_CODE,
	LONE_COUNT,
	PROFILE_COUNTS,
	TWO_PROFILES,
	LONE_BLOCK,
	BLOCK_TIMES,
	KIND_COUNT
};
_Static_assert((int)KIND_COUNT <= (int)TRACE_ANOMALY_MAX, "room for every kind");

static const struct trace_anomaly kinds[KIND_COUNT] = {
	[DROPPED] = { "dropped-records", 0, "records that the tracer lost", true },
	[DAMAGED] = { "damaged-spool", 0, "pieces of the spool that could not be read", true },
	[TRUNCATED] = { "truncated-spool", 0,
			"the program ended before its last records were written", true },
	[OTHER_LOSS] = { "other-losses", 0, "losses of another kind, listed in WARPREEL_LOSS",
			 true },
	[NOT_RECORDED] = { "not-recorded", 0, "things the tracer did not watch, or does not know",
			   false },
	[ZERO_TIME] = { "zero-timestamps", 0, "device rows or calls whose times are unknown",
			true },
	[BACKWARDS] = { "ends-before-start", 0, "rows that end before they start", true },
	[ORPHAN_WORK] = { "orphan-device-work", 0,
			  "kernels, copies and memsets that no API call asked for", true },
	[ORPHAN_LAUNCH] = { "orphan-launches", 0, "successful launch calls without a kernel",
			    true },
	[LONE_RECORD] = { "records-without-row", 0, "event record calls without their row", true },
	[UNPAIRED] = { "unpaired-event-ids", 0, "waits that name a record which is not there",
		       true },
	[NEVER_RECORDED] = { "waits-never-recorded", 0,
			     "waits for an event not recorded before; CUDA does not wait for those",
			     false },
	[UNKNOWN_DEVICE] = { "unknown-devices", 0, "rows of a GPU that the trace does not describe",
			     true },
	[UNKNOWN_STREAM] = { "unknown-streams", 0, "rows without a stream", true },
	[OVERLAP] = { "overlapping-kernels", 0,
		      "kernels that start before the one before them in their stream ends", false },
	[BEFORE_CALL] = { "starts-before-call", 0,
			  "device work that starts before the call that asked for it: clock skew",
			  false },
	[OUTSIDE_RUN] = { "outside-run", 0, "device work of a run outside the time of the run",
			  false },
	[NO_FOOTPRINT] = { "missing-footprints", 0,
			   "launches of our solvers without a data footprint", true },
	[LONE_FOOTPRINT] = { "orphan-footprints", 0, "footprints of launches that are not there",
			     false },
	[ENDLESS_RUN] = { "runs-never-ended", 0, "runs that have no end", true },
	[DUPLICATE] = { "duplicate-correlation", 0, "calls or kernels that share a correlation id",
			true },
	[UNPOSTED] = { "unposted-awaits", 0, "host awaits of a value that nobody posts", true },
	[UNEQUAL_BARRIER] = { "unequal-barriers", 0,
			      "host barriers that the threads of a run do not meet equally often",
			      true },
	[FAILED_CALL] = { "failed-calls", 0, "API calls that returned an error", false },
	[CAPTURED] = { "captured-calls", 0, "calls that added to a graph instead of asking the GPU",
		       false },
	[FOREIGN_PROFILE] = { "foreign-profiles", 0,
			      "kernel profiles of another version, or of code that cannot be "
			      "decoded",
			      true },
	[PROFILE_CODE] = { "profile-code-gaps", 0,
			   "instructions of profiled kernels that are missing, or there twice",
			   true },
	[LONE_COUNT] = { "orphan-profile-counts", 0,
			 "counts of instructions or profiles that are not there", true },
	[PROFILE_COUNTS] = { "contradicting-profiles", 0,
			     "counts of kernel profiles that do not add up", true },
	[TWO_PROFILES] = { "duplicate-profiles", 0,
			   "profiles of the same launch, or counts of the same instruction", true },
	[LONE_BLOCK] = { "orphan-blocks", 0, "noted blocks of launches that are not there", false },
	[BLOCK_TIMES] = { "contradicting-blocks", 0,
			  "noted blocks that end before they begin, are there twice, or outnumber "
			  "their grid",
			  true },
};

/* Losses that the recorder reports, by the anomaly they belong to. Those that rows show too count
 * once. */
static const struct {
	const char *loss;
	enum kind kind;
} loss_kinds[] = {
	{ "dropped-records", DROPPED },
	{ "dropped-notes", DROPPED },
	{ "refused-buffers", DROPPED },
	{ "undecodable-buffers", DAMAGED },
	{ "missing-chunks", DAMAGED },
	{ "damaged-chunks", DAMAGED },
	{ "skipped-bytes", DAMAGED },
	{ "bad-records", DAMAGED },
	{ "unknown-spool-records", DAMAGED },
	{ "truncated-spool", TRUNCATED },
	{ "no-end", TRUNCATED },
	{ "not-recorded", NOT_RECORDED },
	{ "unknown-records", NOT_RECORDED },
	{ "open-ranges", NOT_RECORDED },
	{ "blocks-astray", NOT_RECORDED },
	{ "blocks-not-noted", NOT_RECORDED },
	{ "blocks-without-kernel", NOT_RECORDED },
	{ "diagnostics", NOT_RECORDED },
	{ "zero-timestamps", ZERO_TIME },
	{ "orphan-device-records", ORPHAN_WORK },
	{ "launches-without-kernel", ORPHAN_LAUNCH },
	{ "starts-before-call", BEFORE_CALL },
	{ "clock-step", BEFORE_CALL },
	{ "clock-contradiction", BEFORE_CALL },
	{ "footprints-without-launch", LONE_FOOTPRINT },
};

struct checking {
	const struct trace *t;
	int64_t count[KIND_COUNT];
	struct map api;	    /* (process, correlation) -> row */
	struct map work;    /* (process, correlation) -> 1 */
	struct map gpu;	    /* device -> 1 */
	struct map strings; /* string number of an API name -> enum call_kind */
	bool *captured;	    /* by API row */
	bool predicted;
};

static enum call_kind call_kind(struct checking *c, uint32_t name)
{
	uint32_t known = map_get(&c->strings, name, 0);

	if (known == MAP_NONE) {
		known = (uint32_t)call_of_name(trace_text(c->t, name)).kind;
		map_put(&c->strings, name, 0, known);
	}
	return (enum call_kind)known;
}

static void check_times(struct checking *c, int64_t start_ns, int64_t end_ns)
{
	c->count[ZERO_TIME] += start_ns == -1 || end_ns == -1;
	c->count[BACKWARDS] += start_ns != -1 && end_ns != -1 && end_ns < start_ns;
}

static const struct trace_run *run_of(const struct trace *t, int64_t at_ns)
{
	for (size_t i = 0; i < t->run_count; i++)
		if (t->run[i].start_ns <= at_ns &&
		    (t->run[i].end_ns == -1 || at_ns <= t->run[i].end_ns))
			return &t->run[i];
	return NULL;
}

/* What kernels, copies and memsets have in common. Returns the run whose call asked for it. */
static const struct trace_run *check_work(struct checking *c, int64_t start_ns, int64_t end_ns,
					  int32_t device, int32_t stream, int64_t global_pid,
					  int64_t correlation)
{
	uint32_t row = map_get(&c->api, process_of(global_pid), correlation);
	const struct trace_run *run;
	int64_t call_ns;

	check_times(c, start_ns, end_ns);
	c->count[UNKNOWN_DEVICE] += map_get(&c->gpu, device, 0) == MAP_NONE;
	c->count[UNKNOWN_STREAM] += stream < 0;
	map_put(&c->work, process_of(global_pid), correlation, 1);
	if (row == MAP_NONE) {
		c->count[ORPHAN_WORK]++;
		return NULL;
	}
	call_ns = c->t->api[row].start_ns;
	if (call_ns == -1 || start_ns == -1 || end_ns == -1)
		return NULL;
	c->count[BEFORE_CALL] += start_ns < call_ns;
	run = run_of(c->t, call_ns);
	c->count[OUTSIDE_RUN] +=
		run && (start_ns < run->start_ns || (run->end_ns != -1 && end_ns > run->end_ns));
	return run;
}

static void check_device(struct checking *c)
{
	const struct trace *t = c->t;
	struct map kernels = { 0 }, footprints = { 0 };

	for (size_t i = 0; i < t->footprint_count; i++)
		map_put(&footprints, process_of(t->footprint[i].global_pid),
			t->footprint[i].correlation, 1);
	for (size_t i = 0; i < t->kernel_count; i++) {
		const struct trace_kernel *k = &t->kernel[i];
		const struct trace_run *run = check_work(c, k->start_ns, k->end_ns, k->device,
							 k->stream, k->global_pid, k->correlation);

		if (map_put(&kernels, process_of(k->global_pid), k->correlation, 1) != MAP_NONE &&
		    k->graph_node == -1)
			c->count[DUPLICATE]++;
		if (run && run->solver && !c->predicted &&
		    map_get(&footprints, process_of(k->global_pid), k->correlation) == MAP_NONE)
			c->count[NO_FOOTPRINT]++;
	}
	for (size_t i = 0; i < t->footprint_count; i++)
		c->count[LONE_FOOTPRINT] +=
			map_get(&kernels, process_of(t->footprint[i].global_pid),
				t->footprint[i].correlation) == MAP_NONE;
	for (size_t i = 0; i < t->memcpy_count; i++) {
		const struct trace_memcpy *m = &t->memcpy[i];

		check_work(c, m->start_ns, m->end_ns, m->device, m->stream, m->global_pid,
			   m->correlation);
	}
	for (size_t i = 0; i < t->memset_count; i++) {
		const struct trace_memset *m = &t->memset[i];

		check_work(c, m->start_ns, m->end_ns, m->device, m->stream, m->global_pid,
			   m->correlation);
	}
	map_release(&kernels);
	map_release(&footprints);
}

static int compare_stream_order(const void *left, const void *right, void *context)
{
	const struct trace *t = context;
	uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
	const struct trace_kernel *a = &t->kernel[x], *b = &t->kernel[y];

	if (a->global_pid != b->global_pid)
		return a->global_pid < b->global_pid ? -1 : 1;
	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void check_overlap(struct checking *c)
{
	const struct trace *t = c->t;
	uint32_t *order = xmalloc((t->kernel_count + 1) * sizeof(*order));
	size_t count = 0;

	for (size_t i = 0; i < t->kernel_count; i++)
		if (t->kernel[i].graph_node == -1 && t->kernel[i].start_ns != -1 &&
		    t->kernel[i].end_ns != -1)
			order[count++] = (uint32_t)
				i; /* nodes of a graph may share a stream number and overlap */
	qsort_r(order, count, sizeof(*order), compare_stream_order, (void *)(uintptr_t)t);
	for (size_t i = 1; i < count; i++) {
		const struct trace_kernel *a = &t->kernel[order[i - 1]], *b = &t->kernel[order[i]];

		c->count[OVERLAP] += a->global_pid == b->global_pid && a->context == b->context &&
				     a->stream == b->stream && b->start_ns < a->end_ns;
	}
	free(order);
}

static void check_calls(struct checking *c)
{
	const struct trace *t = c->t;
	struct map records = { 0 }, waits = { 0 };

	for (size_t i = 0; i < t->event_count; i++)
		map_put(&records, process_of(t->event[i].global_pid), t->event[i].correlation, 1);
	for (size_t i = 0; i < t->sync_count; i++)
		map_put(&waits, process_of(t->sync[i].global_pid), t->sync[i].correlation, 1);
	for (size_t i = 0; i < t->api_count; i++) {
		const struct trace_api *a = &t->api[i];
		int64_t process = process_of(a->global_tid);

		check_times(c, a->start_ns, a->end_ns);
		c->count[BACKWARDS] += a->asked_ns < 0;
		c->count[FAILED_CALL] += a->return_value != 0;
		if (a->return_value != 0)
			continue;
		switch (call_kind(c, a->name)) {
		case CALL_LAUNCH:
			c->count[c->captured[i] ? CAPTURED : ORPHAN_LAUNCH] +=
				map_get(&c->work, process, a->correlation) == MAP_NONE;
			break;
		case CALL_RECORD:
			c->count[c->captured[i] ? CAPTURED : LONE_RECORD] +=
				map_get(&records, process, a->correlation) == MAP_NONE;
			break;
		case CALL_COPY: /* outside a capture these are not checked: an empty one may have no
				   row */
		case CALL_MEMSET:
			c->count[CAPTURED] += c->captured[i] && map_get(&c->work, process,
									a->correlation) == MAP_NONE;
			break;
		case CALL_WAIT:
			c->count[CAPTURED] += c->captured[i] &&
					      map_get(&waits, process, a->correlation) == MAP_NONE;
			break;
		default:
			break;
		}
	}
	map_release(&records);
	map_release(&waits);
}

/* A wait whose record is not there: within a capture, the record was captured, too. */
static void check_unpaired(struct checking *c, const struct trace_sync *s, enum kind kind)
{
	uint32_t api = map_get(&c->api, process_of(s->global_pid), s->correlation);

	c->count[api != MAP_NONE && c->captured[api] ? CAPTURED : kind]++;
}

static void check_events(struct checking *c)
{
	const struct trace *t = c->t;
	struct map sync_ids = { 0 }, ids = { 0 };

	for (size_t i = 0; i < t->event_count; i++) {
		const struct trace_event *e = &t->event[i];

		c->count[UNKNOWN_DEVICE] += map_get(&c->gpu, e->device, 0) == MAP_NONE;
		c->count[UNKNOWN_STREAM] += e->stream < 0;
		map_intern(&ids, process_of(e->global_pid), e->event_id, 1);
		if (e->event_sync_id != -1)
			map_put(&sync_ids, process_of(e->global_pid), e->event_sync_id, 1);
	}
	for (size_t i = 0; i < t->sync_count; i++) {
		const struct trace_sync *s = &t->sync[i];

		check_times(c, s->start_ns, s->end_ns);
		c->count[UNKNOWN_STREAM] +=
			(s->sync_type == 2 || s->sync_type == 3) && s->stream < 0;
		if (s->sync_type != 1 && s->sync_type != 2)
			continue;
		if (s->event_sync_id == -1 &&
		    map_get(&ids, process_of(s->global_pid), s->event_id) == MAP_NONE)
			check_unpaired(c, s, t->event_count ? NEVER_RECORDED : UNPAIRED);
		else if (s->event_sync_id != -1 && map_get(&sync_ids, process_of(s->global_pid),
							   s->event_sync_id) == MAP_NONE)
			check_unpaired(c, s, UNPAIRED);
	}
	map_release(&sync_ids);
	map_release(&ids);
}

/* Counters and barriers belong to a run: 0 is outside any. */
static int64_t run_number(const struct trace *t, int64_t at_ns)
{
	const struct trace_run *run = run_of(t, at_ns);

	return run ? run - t->run + 1 : 0;
}

static void check_host(struct checking *c)
{
	const struct trace *t = c->t;
	struct map counters = { 0 }, meetings = { 0 }, barriers = { 0 };
	int64_t *posted = xcalloc(t->host_op_count + 1, sizeof(*posted));

	for (size_t i = 0; i < t->host_op_count; i++) {
		const struct trace_host_op *h = &t->host_op[i];
		int64_t run = run_number(t, h->start_ns);
		uint32_t number;

		check_times(c, h->start_ns, h->end_ns);
		if (h->kind == NOTE_POST) {
			number = map_intern(&counters, run, h->object, (uint32_t)counters.used);
			posted[number] = h->value > posted[number] ? h->value : posted[number];
		} else if (h->kind == NOTE_BARRIER) {
			number = map_get(&meetings, h->global_tid, run);
			map_put(&meetings, h->global_tid, run, number == MAP_NONE ? 1 : number + 1);
		}
	}
	for (size_t i = 0; i < t->host_op_count; i++) {
		const struct trace_host_op *h = &t->host_op[i];
		int64_t run = run_number(t, h->start_ns);
		uint32_t number;

		if (h->kind == NOTE_AWAIT_BLOCK || h->kind == NOTE_AWAIT_SPIN) {
			number = map_get(&counters, run, h->object);
			c->count[UNPOSTED] += h->value > (number == MAP_NONE ? 0 : posted[number]);
		} else if (h->kind == NOTE_BARRIER &&
			   run) { /* outside, who meets whom is not known */
			number = map_get(&meetings, h->global_tid, run);
			if (map_intern(&barriers, run, 0, number) != number)
				c->count[UNEQUAL_BARRIER]++;
		}
	}
	free(posted);
	map_release(&counters);
	map_release(&meetings);
	map_release(&barriers);
}

static void check_losses(struct checking *c)
{
	const struct trace *t = c->t;
	int64_t lost[KIND_COUNT] = { 0 };

	for (size_t i = 0; i < t->loss_count; i++) {
		enum kind kind = OTHER_LOSS;

		for (size_t k = 0; k < sizeof(loss_kinds) / sizeof(loss_kinds[0]); k++)
			if (strcmp(loss_kinds[k].loss, trace_text(t, t->loss[i].kind)) == 0)
				kind = loss_kinds[k].kind;
		if (t->loss[i].count > 0 && lost[kind] < INT64_MAX / 2)
			lost[kind] +=
				t->loss[i].count < INT64_MAX / 4 ? t->loss[i].count : INT64_MAX / 4;
	}
	for (int k = 0; k < KIND_COUNT; k++)
		c->count[k] = lost[k] > c->count[k] ? lost[k] : c->count[k];
}

static void count_fault(void *context, enum profile_fault fault, const char *what)
{
	static const enum kind kind_of[FAULT_KIND_COUNT] = { [FAULT_FOREIGN] = FOREIGN_PROFILE,
							     [FAULT_CODE] = PROFILE_CODE,
							     [FAULT_ALONE] = LONE_COUNT,
							     [FAULT_CONTRADICTION] = PROFILE_COUNTS,
							     [FAULT_DUPLICATE] = TWO_PROFILES };
	struct checking *c = context;

	(void)what;
	c->count[kind_of[fault]]++;
}

static int compare_block(const void *left, const void *right)
{
	const struct trace_block *a = left, *b = right;

	if (a->launch != b->launch)
		return a->launch < b->launch ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

static void check_blocks(struct checking *c)
{
	const struct trace *t = c->t;
	struct trace_block *block = xmalloc((t->block_count + 1) * sizeof(*block));
	struct map grids = { 0 };

	for (size_t i = 0; i < t->kernel_count; i++) {
		const struct trace_kernel *k = &t->kernel[i];
		uint64_t blocks = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];

		map_put(&grids, process_of(k->global_pid), k->correlation,
			blocks < MAP_NONE ? (uint32_t)blocks : MAP_NONE - 1);
	}
	for (size_t i = 0; i < t->block_count; i++)
		block[i] = t->block[i];
	qsort(block, t->block_count, sizeof(*block), compare_block);
	for (size_t i = 0; i < t->block_count; i++) {
		const struct trace_block *b = &block[i];
		uint32_t blocks = b->correlation == -1 ? MAP_NONE
						       : map_get(&grids, process_of(b->global_pid),
								 b->correlation);

		c->count[LONE_BLOCK] += b->correlation != -1 && blocks == MAP_NONE;
		c->count[BLOCK_TIMES] += b->end_ns < b->begin_ns ||
					 (b->begin_clock != -1 && b->end_clock < b->begin_clock) ||
					 b->block >= blocks ||
					 (i > 0 && compare_block(b - 1, b) == 0);
	}
	map_release(&grids);
	free(block);
}

static void prepare(struct checking *c)
{
	const struct trace *t = c->t;
	const char *kind = trace_get_meta(t, "kind");

	c->captured = captured_calls(t);
	c->predicted = kind && strcmp(kind, "predicted") == 0;
	for (size_t i = 0; i < t->api_count; i++) {
		const struct trace_api *a = &t->api[i];
		uint32_t first =
			map_intern(&c->api, process_of(a->global_tid), a->correlation, (uint32_t)i);

		/* a driver call below a runtime call may share its id; two of one kind may not */
		c->count[DUPLICATE] += first != i && t->api[first].event_class == a->event_class;
	}
	for (size_t i = 0; i < t->gpu_count; i++)
		map_put(&c->gpu, t->gpu[i].device, 0, 1);
	for (size_t i = 0; i < t->run_count; i++) {
		c->count[ENDLESS_RUN] += t->run[i].end_ns == -1;
		c->count[BACKWARDS] +=
			t->run[i].end_ns != -1 && t->run[i].end_ns < t->run[i].start_ns;
	}
}

int trace_check(const struct trace *trace, struct trace_anomaly anomaly[TRACE_ANOMALY_MAX],
		int64_t *incomplete_count)
{
	struct checking c = { .t = trace };

	prepare(&c);
	check_device(&c);
	check_overlap(&c);
	check_calls(&c);
	check_events(&c);
	check_host(&c);
	profile_faults(trace, count_fault, &c);
	check_blocks(&c);
	check_losses(&c);
	*incomplete_count = 0;
	for (int k = 0; k < KIND_COUNT; k++) {
		anomaly[k] = kinds[k];
		anomaly[k].count = c.count[k];
		if (kinds[k].incomplete && c.count[k] > 0)
			*incomplete_count += c.count[k];
	}
	map_release(&c.api);
	map_release(&c.work);
	map_release(&c.gpu);
	map_release(&c.strings);
	free(c.captured);
	return KIND_COUNT;
}
