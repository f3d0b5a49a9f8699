/* SPDX-License-Identifier: MIT */
#include "untrace.h"

#include <stdbool.h>

#include "host_cost.h"

/* Time a traced call takes beyond its own record, at the schedule's number of threads; 0 when never measured. */
static double outside_record_ns(const struct platform *p, int kind, uint32_t threads)
{
	const struct number_list *period = &p->traced_host[kind], *api = &p->traced_api[kind];
	if (!period->count || !api->count)
		return 0;
	size_t at = 0;
	while (at + 1 < p->threads.count && p->threads.value[at] < threads)
		at++;
	if (at >= period->count || at >= api->count)
		at = (period->count < api->count ? period->count : api->count) - 1;
	return period->value[at] > api->value[at] ? period->value[at] - api->value[at] : 0;
}

static bool is_note(const struct schedule_op *op)
{
	return op->kind == OP_POST || op->kind == OP_AWAIT || op->kind == OP_BARRIER || op->kind == OP_MARK;
}

/* What the recorder takes next to the record of one operation. */
struct beside { double before_ns, after_ns; };

/* From bursts of equal calls, where no loop of many kinds was measured: all of it behind the call. */
static struct beside beside_in_bursts(const struct platform *p, const struct schedule *schedule, const struct schedule_op *op)
{
	int kind = host_cost_of(schedule, op);
	bool has_footprint = op->kind == OP_LAUNCH && schedule->shape[op->object].access_count > 0;
	return (struct beside){ has_footprint ? p->note_footprint_ns : 0,
				is_note(op) ? p->note_host_op_ns : kind >= 0 ? outside_record_ns(p, kind, schedule->thread_count) : 0 };
}

static double in_loop_ns(const struct platform *p, const struct number_list *list, uint32_t threads)
{
	const struct curve over_threads = { p->gap_threads, *list };
	return list->count ? curve_at_linear(&over_threads, threads) : 0;
}

static int gap_of(const struct schedule *schedule, const struct schedule_op *op)
{
	static const uint8_t gap_of_cost[HOST_COST_COUNT] = {
		[HOST_LAUNCH] = GAP_LAUNCH,       [HOST_RECORD] = GAP_RECORD,     [HOST_WAIT] = GAP_WAIT,
		[HOST_COPY_H2D] = GAP_COPY,       [HOST_COPY_D2H] = GAP_COPY,     [HOST_COPY_D2D] = GAP_COPY,
		[HOST_COPY_PEER] = GAP_COPY_PEER, [HOST_MEMSET] = GAP_COPY,       [HOST_SYNC_IDLE] = GAP_SYNC,
	};
	int kind = host_cost_of(schedule, op);
	return kind >= 0 ? gap_of_cost[kind] : -1;
}

/* `idle`: the thread called nothing since it synchronised. */
static struct beside beside_in_loops(const struct platform *p, const struct schedule *schedule, const struct schedule_op *op, bool idle)
{
	uint32_t threads = schedule->thread_count;
	if (is_note(op)) {
		double half_ns = in_loop_ns(p, &p->gap_note, threads) / 2;
		return (struct beside){ half_ns, half_ns };
	}
	int kind = gap_of(schedule, op);
	if (kind < 0)
		return (struct beside){ 0, 0 };
	bool has_footprint = kind == GAP_LAUNCH && schedule->shape[op->object].access_count > 0;
	const struct number_list *before = &p->gap_before[kind == GAP_LAUNCH && idle && p->gap_before[GAP_LAUNCH_IDLE].count ? GAP_LAUNCH_IDLE : kind];
	return (struct beside){ in_loop_ns(p, before, threads) + (has_footprint ? in_loop_ns(p, &p->gap_footprint, threads) : 0),
				in_loop_ns(p, &p->gap_after[kind], threads) };
}

void schedule_untrace(struct schedule *schedule, const struct platform *platform)
{
	bool loops = platform->gap_threads.count > 0;
	for (uint32_t t = 0; t < schedule->thread_count; t++) {
		struct schedule_op *op = &schedule->op[schedule->thread[t].first_op];
		double owed_ns = 0; /* by the call before */
		int64_t short_ps = 0; /* what the gap before was shorter than its mean: one that is longer makes up for it */
		bool idle = true;
		for (int64_t k = 0; k < schedule->thread[t].op_count; k++, op++) {
			struct beside beside = loops ? beside_in_loops(platform, schedule, op, idle) : beside_in_bursts(platform, schedule, op);
			int64_t extra_ps = (int64_t)((owed_ns + beside.before_ns) * 1000);
			op->before_ps -= extra_ps + short_ps;
			short_ps = 0;
			if (op->before_ps < 0) {
				short_ps = !loops ? 0 : -op->before_ps < extra_ps ? -op->before_ps : extra_ps;
				op->before_ps = 0;
			}
			owed_ns = beside.after_ns;
			if (!is_note(op))
				idle = op->kind == OP_SYNC || op->kind == OP_SYNC_EVENT || op->kind == OP_SYNC_GPU;
		}
	}
}
