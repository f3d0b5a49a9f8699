/* SPDX-License-Identifier: MIT */
#include "host_cost.h"

static const uint8_t cost_of_copy[COPY_KIND_COUNT] = {
	[COPY_H2D] = HOST_COPY_H2D, [COPY_D2H] = HOST_COPY_D2H, [COPY_PEER] = HOST_COPY_PEER,
	[COPY_D2D] = HOST_COPY_D2D, [COPY_H2H] = HOST_COPY_D2D, [COPY_MEMSET] = HOST_MEMSET,
};

int host_cost_of(const struct schedule *schedule, const struct schedule_op *op)
{
	switch ((enum op_kind)op->kind) {
	case OP_LAUNCH:
		return HOST_LAUNCH;
	case OP_COPY:
	case OP_MEMSET:
		return cost_of_copy[schedule->copy[op->object].kind];
	case OP_RECORD:
		return HOST_RECORD;
	case OP_WAIT:
		return op->flags & OP_OTHER_GPU ? HOST_WAIT : HOST_WAIT_OWN;
	case OP_SYNC:
	case OP_SYNC_EVENT:
	case OP_SYNC_GPU:
		return HOST_SYNC_IDLE;
	case OP_HOST:
		return op->object == HOST_WORK_LIBRARY ? HOST_LIBRARY : -1;
	default:
		return -1;
	}
}

const struct schedule_op *graph_node_before(const struct schedule_op *op)
{
	do
		op--;
	while (op->flags & OP_INFERRED);
	return op;
}

bool schedule_graphs_priced(const struct schedule *schedule, const struct platform *platform)
{
	return !schedule->config && platform->graph_ns > 0 &&
	       mechanism_on(&platform->mechanisms, MECHANISM_GRAPH_PAUSES);
}

double host_way_back_ns(const struct platform *platform)
{
	const double recorded_ns = platform->recorded_start_latency_ns,
		     timed_ns = platform->base->start_latency_ns;
	return mechanism_on(&platform->mechanisms, MECHANISM_WAY_BACK) && recorded_ns > 0 &&
			       recorded_ns < timed_ns
		       ? timed_ns - recorded_ns
		       : 0;
}

double host_loop_ns(const struct platform *platform, int kind, int threads)
{
	return platform_list_ns(platform, &platform->loop_host[kind], threads,
				platform_host_ns(platform, kind, threads));
}
