/* SPDX-License-Identifier: MIT
 * A solver does nothing between its calls. A library that it calls does: cuBLAS chooses a kernel
 * for 8 us before it launches one. A plan has that time as host work (HOST_WORK_LIBRARY), a
 * recording as the time before the launch, with the recorder in it; so it only says which of the
 * platform's prices it was.
 */
#include "untrace.h"

/* A launch by itself that noted no footprint. Graphs note theirs when they are made, and what NCCL
 * launches has a price of its own (collectives.c). */
static bool unnoted(const struct schedule *schedule, const struct schedule_op *op)
{
	return op->kind == OP_LAUNCH && !(op->flags & (OP_IN_GRAPH | OP_GRAPH | OP_COLLECTIVE)) &&
	       !schedule->shape[op->object].access_count;
}

/* Whether a library made the launch: a step of a solver notes its footprint once, with the first of
 * its launches, and launches one kernel if it does so itself. */
static bool by_library(const struct schedule *schedule, const struct schedule_thread *thread,
		       int64_t at)
{
	const struct schedule_op *op = &schedule->op[at];
	const int64_t end = thread->first_op + thread->op_count;
	const bool goes_on = op->kind == OP_LAUNCH && at + 1 < end && unnoted(schedule, op + 1);
	return goes_on || unnoted(schedule, op);
}

/* A call of the library, or a thread's first. Half of either and less is a pause of its own kind:
 * that between two launches of one call. */
static double library_ns(const struct platform *platform, int threads, double recorded_ns)
{
	const double call_ns = platform_host_ns(platform, HOST_LIBRARY, threads),
		     first_ns = platform_list_ns(platform, &platform->first_host[HOST_LIBRARY],
						 threads, 0),
		     recorder_ns = platform->outside_ns + platform->outside_launch_ns,
		     ns = recorded_ns > recorder_ns ? recorded_ns - recorder_ns : 0;
	if (!(call_ns > 0) || ns < 0.5 * call_ns)
		return ns;
	return !(first_ns > 0) || ns < 0.5 * first_ns ? call_ns : first_ns;
}

void schedule_untrace_solver(struct schedule *schedule, const struct platform *platform)
{
	const int threads = (int)schedule->thread_count;
	for (uint32_t t = 0; t < schedule->thread_count; t++) {
		const struct schedule_thread *thread = &schedule->thread[t];
		for (int64_t k = thread->first_op; k < thread->first_op + thread->op_count; k++) {
			struct schedule_op *op = &schedule->op[k];
			op->before_ps =
				by_library(schedule, thread, k)
					? (int64_t)(1000 * library_ns(platform, threads,
								      1e-3 * (double)op->before_ps))
					: 0;
		}
	}
}
