/* SPDX-License-Identifier: MIT */
#include "untrace.h"

#include <stdbool.h>
#include <string.h>

#include "sim/host/host_cost.h"

/* Time a traced call takes beyond its own record, at the schedule's number of threads; 0 when never
 * measured. */
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

static bool recorded_there(const struct schedule *schedule, const struct platform *p)
{
	const char *device = platform_text(p, "device.name");
	return schedule->device && device && !strcmp(schedule->device, device);
}

/* What a device took from one kernel to the next bounds what it takes; another one it does not. */
static void forget_pauses(struct schedule *schedule, const struct platform *platform)
{
	for (int64_t k = 0; k < schedule->op_count && !recorded_there(schedule, platform); k++)
		if (schedule->op[k].kind == OP_LAUNCH && !(schedule->op[k].flags & OP_IN_GRAPH))
			schedule->op[k].value = 0;
}

static void nothing_between(struct schedule *schedule)
{
	for (int64_t k = 0; k < schedule->op_count; k++)
		schedule->op[k].before_ps = 0;
}

static double more_ns(double traced_ns, double than_ns)
{
	return traced_ns > than_ns ? traced_ns - than_ns : 0;
}

/* Of the time that query calls take by their records, how much more goes to watching them:
 * from a loop of such calls; 0 if never measured. */
static double watched_share(const struct platform *p)
{
	return p->api_query_ns > 0 ? more_ns(p->traced_query_ns, p->query_ns) / p->api_query_ns : 0;
}

static int64_t shorter_ps(int64_t time_ps, double by_ps)
{
	return (double)time_ps > by_ps ? time_ps - (int64_t)by_ps : time_ps < 0 ? time_ps : 0;
}

/* In a program their code and data are seldom in the caches, and both their records and what is not
 * in these grow: so it is a share. */
static void query_less(struct schedule *schedule, const struct schedule_queries *queries,
		       const struct platform *platform)
{
	struct schedule_op *op = &schedule->op[queries->op];
	op->before_ps =
		shorter_ps(op->before_ps, (double)queries->ns * 1000 * watched_share(platform));
}

static void hide_less(struct schedule *schedule, const struct schedule_hidden *hidden,
		      const struct platform *platform)
{
	if (hidden->op >= schedule->op_count)
		return;
	struct schedule_op *op = &schedule->op[hidden->op];
	op->before_ps =
		shorter_ps(op->before_ps, hidden->stretches * platform->note_host_op_ns * 1000);
}

/* The calls a platform file has lists for, and between which numbers of threads the schedule's is
 * held. A wait for another GPU's event was measured with two threads and more. */
static const struct {
	uint8_t kind, least, most;
} calibrated[CALL_OF_COUNT] = {
	[CALL_OF_LAUNCH] = { HOST_LAUNCH, 1, UINT8_MAX },
	[CALL_OF_EARLY] = { HOST_LAUNCH, 1, UINT8_MAX },
	[CALL_OF_BY_HOST] = { HOST_COPY_PEER, 1, UINT8_MAX },
	[CALL_OF_MEMSET] = { HOST_MEMSET, 1, UINT8_MAX },
	[CALL_OF_RECORD] = { HOST_RECORD, 1, UINT8_MAX },
	[CALL_OF_WAIT_OWN] = { HOST_WAIT, 1, 1 },
	[CALL_OF_WAIT_OTHER] = { HOST_WAIT, 2, UINT8_MAX },
	[CALL_OF_COPY + COPY_H2D] = { HOST_COPY_H2D, 1, UINT8_MAX },
	[CALL_OF_COPY + COPY_D2H] = { HOST_COPY_D2H, 1, UINT8_MAX },
	[CALL_OF_COPY + COPY_PEER] = { HOST_COPY_PEER, 1, UINT8_MAX },
	[CALL_OF_COPY + COPY_D2D] = { HOST_COPY_D2D, 1, UINT8_MAX },
};

/* What the recorder adds to the record of any call, at so many threads: what it adds to the
 * cheapest there is, an event's record, which is little else; 0 if never measured. */
static double least_added_ns(const struct platform *p, int threads)
{
	const struct number_list *api = &p->traced_api[HOST_RECORD];
	return api->count ? more_ns(platform_list_ns(p, api, threads, 0),
				    platform_host_ns(p, HOST_RECORD, threads))
			  : 0;
}

/* A recorded call of this program, times what the same call takes untraced over what its record
 * says, both from calibrate's loops; and shorter than its record by what the recorder adds to any,
 * whatever two loops in two processes make of it. */
static void price_calls(struct schedule *schedule, const struct platform *p)
{
	if (!recorded_there(schedule, p) || !mechanism_on(&p->mechanisms, MECHANISM_RECORDED_CALLS))
		return;
	for (int c = 0; c < CALL_OF_COUNT; c++) {
		const int threads = (int)schedule_contending(schedule),
			  at = threads < calibrated[c].least  ? calibrated[c].least
			       : threads > calibrated[c].most ? calibrated[c].most
							      : threads;
		const struct number_list *api = &p->traced_api[calibrated[c].kind];
		if (!calibrated[c].least || !api->count)
			continue;
		/* On virtual GPUs such a copy was one within a device, and kernels were launched
		 * one at a time. */
		if (schedule->virtual_gpus &&
		    (c == CALL_OF_COPY + COPY_PEER || c == CALL_OF_LAUNCH || c == CALL_OF_EARLY))
			continue;
		const double recorded_ns = platform_list_ns(p, api, at, 0),
			     untraced_ns = platform_host_ns(p, calibrated[c].kind, at);
		const double call_ns = (double)schedule->call_recorded_ns[c],
			     less_ns = call_ns - least_added_ns(p, threads);
		if (!(recorded_ns > 0) || call_ns <= 0)
			continue;
		const double scaled_ns = call_ns * untraced_ns / recorded_ns;
		schedule->call_ps[c] =
			(int64_t)(1000 *
				  (less_ns > 0 && less_ns < scaled_ns ? less_ns : scaled_ns));
	}
}

void schedule_untrace(struct schedule *schedule, const struct platform *platform)
{
	if (schedule->virtual_gpus)
		schedule_untrace_virtual(schedule, platform);
	else /* blocks are written down only where kernels may run beside others */
		schedule_untrace_blocks(schedule, platform);
	if (schedule->config) {
		nothing_between(schedule);
		return;
	}
	const uint32_t threads = schedule_contending(schedule);
	forget_pauses(schedule, platform);
	price_calls(schedule, platform);
	for (uint32_t t = 0; t < schedule->thread_count; t++) {
		struct schedule_op *op = &schedule->op[schedule->thread[t].first_op];
		double owed_ns = 0; /* by the call before */
		for (int64_t k = 0; k < schedule->thread[t].op_count; k++, op++) {
			const bool message = (op->kind == OP_POST || op->kind == OP_AWAIT) &&
					     op->flags & OP_MESSAGE;
			if (op->kind == OP_UNSEEN || (op->flags & OP_INFERRED && !message))
				continue; /* no call */
			int kind = host_cost_of(schedule, op);
			bool annotated = op->kind == OP_POST || op->kind == OP_AWAIT ||
					 op->kind == OP_BARRIER || op->kind == OP_MARK ||
					 /* of NCCL, on virtual GPUs */
					 (op->flags & OP_COLLECTIVE && op->duration_ps < 0);
			bool has_footprint = op->kind == OP_LAUNCH &&
					     schedule->shape[op->object].access_count > 0;
			double extra_ns =
				owed_ns + (has_footprint ? platform->note_footprint_ns : 0);
			op->before_ps = shorter_ps(op->before_ps, extra_ns * 1000);
			if (op->kind == OP_HOST)
				op->duration_ps = shorter_ps(
					op->duration_ps,
					more_ns(platform->api_query_ns, platform->query_ns) * 1000);
			const bool polls = op->kind == OP_SYNC_EVENT && op->flags & OP_SPIN;
			if (polls) /* a query, all that its watching takes with it */
				op->duration_ps = shorter_ps(
					op->duration_ps,
					more_ns(platform->traced_query_ns, platform->query_ns) *
						1000);
			if (annotated)
				owed_ns = platform->note_host_op_ns;
			else if (kind >= 0 && !polls)
				owed_ns = outside_record_ns(platform, kind, threads);
			else if (op->kind == OP_HOST || polls)
				owed_ns =
					more_ns(platform->traced_query_ns, platform->api_query_ns);
			else
				owed_ns = 0;
		}
	}
	for (size_t k = 0; k < schedule->hidden_count; k++)
		hide_less(schedule, &schedule->hidden[k], platform);
	for (size_t k = 0; k < schedule->queries_count; k++)
		query_less(schedule, &schedule->queries[k], platform);
}
