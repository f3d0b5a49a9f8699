/* SPDX-License-Identifier: MIT */
#include "untrace.h"
#include "untrace_cores.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "sim/host/host_cost.h"

/*
 * What a recorded call takes untraced, as a part of its record (docs/model-host.md). A core that is
 * shared makes the call and the recorder slower alike, so that the part is one on both; `sort`: its
 * place in host.shared_longer.
 */
static const struct {
	size_t part; /* in struct platform; 0: not priced by records */
	enum shared_sort sort;
} parts[CALL_OF_COUNT] = {
#define PART(name, sort)                                                                           \
	{                                                                                          \
		offsetof(struct platform, name), sort                                              \
	}
	[CALL_OF_LAUNCH] = PART(launch_part, SHARED_LAUNCH),
	[CALL_OF_EARLY] = PART(launch_part, SHARED_LAUNCH),
	[CALL_OF_BY_HOST] = PART(copy_part, SHARED_COPY),
	[CALL_OF_MEMSET] = PART(memset_part, SHARED_MEMSET),
	[CALL_OF_RECORD] = PART(event_part, SHARED_EVENT),
	[CALL_OF_WAIT_OWN] = PART(event_part, SHARED_EVENT),
	[CALL_OF_WAIT_OTHER] = PART(event_part, SHARED_EVENT),
	[CALL_OF_COPY + COPY_H2D] = PART(copy_part, SHARED_COPY),
	[CALL_OF_COPY + COPY_D2H] = PART(copy_part, SHARED_COPY),
	[CALL_OF_COPY + COPY_PEER] = PART(copy_part, SHARED_COPY),
	[CALL_OF_COPY + COPY_D2D] = PART(copy_part, SHARED_COPY),
#undef PART
};

/* 0: never measured, or not priced by records. */
static double part_of(const struct platform *p, int call)
{
	double part = 0;
	if (parts[call].part)
		memcpy(&part, (const char *)p + parts[call].part, sizeof(part));
	return part;
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

/*
 * The first launch of a kernel loads its code (CUDA_MODULE_LOADING is LAZY unless somebody says
 * otherwise), in 10 to 300 us where others take 5. What it took longer than the others is the
 * program's own time before it; but for what the recorder does when a process loads code at all.
 */
static void first_launches(struct schedule *schedule, const struct platform *platform)
{
	const struct number_list *record = &platform->launch_record;
	for (size_t k = 0; k < schedule->first_count; k++) {
		struct schedule_op *op = &schedule->op[schedule->first[k].op];
		const int64_t usual_ns = schedule->call_recorded_ns[schedule_call_of(schedule, op)];
		const double than_ns = usual_ns > 0    ? (double)usual_ns
				       : record->count ? record->value[0]
						       : (double)schedule->first[k].took_ns;
		op->before_ps +=
			(int64_t)(more_ns((double)schedule->first[k].took_ns, than_ns) * 1000);
	}
	const bool recorded_calls = mechanism_on(&platform->mechanisms, MECHANISM_RECORDED_CALLS);
	for (size_t k = 0; recorded_calls && k < schedule->loading_count; k++) {
		struct schedule_op *op = &schedule->op[schedule->loading[k]];
		op->before_ps = shorter_ps(op->before_ps, platform->code_load_ns * 1000);
	}
}

/* On virtual GPUs a copy to another was one within a device. It costs what the platform says of it
 * beside a launch. 0: nothing is known of launches. */
static int64_t peer_copy_ps(const struct schedule *schedule, const struct platform *p)
{
	const int threads = (int)schedule_contending(schedule);
	const double launch_ns = host_loop_ns(p, HOST_LAUNCH, threads),
		     copy_ns = host_loop_ns(p, HOST_COPY_PEER, threads);
	const int64_t launch_ps = schedule->call_ps[CALL_OF_LAUNCH]
					  ? schedule->call_ps[CALL_OF_LAUNCH]
					  : schedule->call_ps[CALL_OF_EARLY];
	return launch_ns > 0 ? (int64_t)((double)launch_ps * copy_ns / launch_ns) : 0;
}

/* Recorded calls of this program on this device say what they cost it. */
static void price_calls(struct schedule *schedule, const struct platform *p)
{
	if (!recorded_there(schedule, p) || !mechanism_on(&p->mechanisms, MECHANISM_RECORDED_CALLS))
		return;
	cores_tell(schedule, p);
	for (int c = 0; c < CALL_OF_COUNT; c++)
		if (part_of(p, c) > 0)
			schedule->call_ps[c] =
				(int64_t)((double)schedule->call_recorded_ns[c] * 1000 *
					  part_of(p, c) * cores_longer(schedule, p, parts[c].sort));
	if (schedule->virtual_gpus)
		schedule->call_ps[CALL_OF_COPY + COPY_PEER] = peer_copy_ps(schedule, p);
}

/* What the recorder takes before a call's record. */
static double before_record_ns(const struct platform *p, const struct schedule_op *op)
{
	return op->kind == OP_LAUNCH && !(op->flags & OP_IN_GRAPH) ? p->outside_launch_ns : 0;
}

/* What the recorder does around a call takes longer where the call did. */
static double slower(const struct schedule *schedule, const struct schedule_op *op)
{
	const float times = schedule->slower ? schedule->slower[op - schedule->op] : 1;
	return times > 1 ? (double)times : 1;
}

void schedule_untrace(struct schedule *schedule, const struct platform *platform)
{
	if (schedule->virtual_gpus)
		schedule_untrace_virtual(schedule, platform);
	else /* blocks are written down only where kernels may run beside others */
		schedule_untrace_blocks(schedule, platform);
	if (schedule->config) {
		schedule_untrace_solver(schedule, platform);
		return;
	}
	forget_pauses(schedule, platform);
	price_calls(schedule, platform);
	first_launches(schedule, platform);
	const double around = cores_recorder(schedule, platform);
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
			double extra_ns = owed_ns +
					  (kind >= 0 ? around * slower(schedule, op) *
							       before_record_ns(platform, op)
						     : 0) +
					  (has_footprint ? platform->note_footprint_ns : 0);
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
				owed_ns = around * slower(schedule, op) * platform->outside_ns;
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
	cores_pauses(schedule, platform);
}
