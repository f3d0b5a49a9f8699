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

static void nothing_between(struct schedule *schedule)
{
	for (int64_t k = 0; k < schedule->op_count; k++)
		schedule->op[k].before_ps = 0;
}

void schedule_untrace(struct schedule *schedule, const struct platform *platform)
{
	if (schedule->config) {
		nothing_between(schedule);
		return;
	}
	for (uint32_t t = 0; t < schedule->thread_count; t++) {
		struct schedule_op *op = &schedule->op[schedule->thread[t].first_op];
		double owed_ns = 0; /* by the call before */
		for (int64_t k = 0; k < schedule->thread[t].op_count; k++, op++) {
			if (op->flags & OP_INFERRED && (op->kind == OP_POST || op->kind == OP_AWAIT))
				continue; /* told to nobody */
			int kind = host_cost_of(schedule, op);
			bool noted = op->kind == OP_POST || op->kind == OP_AWAIT || op->kind == OP_BARRIER || op->kind == OP_MARK;
			bool has_footprint = op->kind == OP_LAUNCH && schedule->shape[op->object].access_count > 0;
			double extra_ns = owed_ns + (has_footprint ? platform->note_footprint_ns : 0);
			op->before_ps -= (int64_t)(extra_ns * 1000);
			if (op->before_ps < 0)
				op->before_ps = 0;
			owed_ns = noted ? platform->note_host_op_ns : kind >= 0 ? outside_record_ns(platform, kind, schedule->thread_count) : 0;
		}
	}
}
