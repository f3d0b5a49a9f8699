/* SPDX-License-Identifier: MIT
 * Which of the calls a platform has costs for an operation is.
 */
#ifndef WARPREEL_HOST_COST_H
#define WARPREEL_HOST_COST_H

#include "model/platform/platform.h"
#include "traces/schedule/schedule.h"

/* HOST_LAUNCH, HOST_COPY_H2D, ...; -1 for an operation that is no call of CUDA's or of a library's.
 * A synchronisation is one that finds nothing to wait for. */
int host_cost_of(const struct schedule *schedule, const struct schedule_op *op);

/* The node of a recorded graph that stands before `op`, itself one with OP_IN_GRAPH, in its launch:
 * a launch, copy or memset. */
const struct schedule_op *graph_node_before(const struct schedule_op *op);

/* Whether the platform says what launching a graph costs, and the schedule is one of recorded
 * graphs of which nobody planned anything. */
bool schedule_graphs_priced(const struct schedule *schedule, const struct platform *platform);

/*
 * stream.start_latency_ns ends when the host sees the kernel's first store; where the recorder
 * showed the kernel's real begin, the difference belongs to the way back, host.sync_wake_ns. The
 * sum is the same. In ns; 0: not known.
 */
double host_way_back_ns(const struct platform *platform);

/* What a call of a kind (HOST_LAUNCH, ...) costs among calls of other kinds, of so many threads:
 * its list of loops, else that of calls by themselves. In ns. */
double host_loop_ns(const struct platform *platform, int kind, int threads);

#endif
