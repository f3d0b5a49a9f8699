/* SPDX-License-Identifier: MIT
 * Every anomaly of a trace, counted. "Incomplete" are those that a replay cannot make good:
 * something that happened is missing or contradicts itself. The others are worth knowing and may be
 * the program's own doing.
 */
#include "trace_check_internal.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "traces/load/api_calls.h"
#include "traces/profiles/profile_faults.h"

_Static_assert((int)KIND_COUNT <= (int)TRACE_ANOMALY_MAX, "room for every kind");

static const struct trace_anomaly kinds[KIND_COUNT] = {
#define TRACE_ANOMALY(kind, name, meaning, incomplete) [kind] = { name, 0, meaning, incomplete },
#include "trace_anomalies.def"
#undef TRACE_ANOMALY
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

const struct trace_run *check_run_of(const struct trace *t, int64_t at_ns)
{
	for (size_t i = 0; i < t->run_count; i++)
		if (t->run[i].start_ns <= at_ns &&
		    (t->run[i].end_ns == -1 || at_ns <= t->run[i].end_ns))
			return &t->run[i];
	return NULL;
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
	check_collectives(&c);
	check_threads(&c);
	check_values(&c);
	profile_faults(trace, count_fault, &c);
	check_blocks(&c);
	check_losses(&c);
	c.count[ALTERED] = trace->altered_tables;
	c.count[VIRTUAL] = trace_virtual_gpus(trace);
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
