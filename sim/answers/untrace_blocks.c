/* SPDX-License-Identifier: MIT
 * CUPTI times a kernel by code that it puts before and after that of every block (activity kind
 * CONCURRENT_KERNEL; docs/recorder.md). A block lives longer by `tracer.block_ns`, so a kernel
 * whose blocks take turns is longer by that for every turn after the first; the first is in every
 * recorded duration, and in the pauses that were measured beside them (stream.kernel_gap_ns).
 *
 * What bounds a kernel from outside its blocks hides it: how fast the device hands out blocks,
 * which is never undercut, and memory. A launch that noted its footprint streams through that, as
 * our solvers do, and keeps what was recorded: with it taken out as well, 130 of their replays were
 * 3.07 % off for 2.57 (docs/lab/programs.md). Of other kernels nobody knows the bytes.
 */
#include "untrace.h"

#include <string.h>

/* Turns of a multiprocessor's blocks; 0: nobody knows. */
static double turns_of(const struct schedule_shape *shape, double blocks, const struct platform *p)
{
	const uint32_t threads = shape->block[0] * shape->block[1] * shape->block[2];
	int resident;
	if (!threads || p->sm_count <= 0)
		return 0;
	resident = sm_occupancy(&p->sm, threads, shape->registers, shape->shared_bytes, NULL);
	return resident > 0 ? blocks / ((double)resident * p->sm_count) : 0;
}

/* In ps; as recorded where nothing is known. */
static int64_t untraced_ps(const struct schedule_shape *shape, int64_t recorded_ps,
			   const struct platform *p)
{
	const double blocks = (double)shape->grid[0] * shape->grid[1] * shape->grid[2],
		     turns = turns_of(shape, blocks, p), recorded_ns = (double)recorded_ps * 1e-3,
		     handed_out_ns = blocks * p->sm.block_dispatch_ns;
	double ns = recorded_ns - (turns - 1) * p->block_ns;
	if (turns <= 1 || handed_out_ns >= recorded_ns)
		return recorded_ps;
	ns = ns > handed_out_ns ? ns : handed_out_ns;
	return (int64_t)(ns * 1000);
}

void schedule_untrace_blocks(struct schedule *schedule, const struct platform *platform)
{
	const char *device = platform_text(platform, "device.name");
	if (!(platform->block_ns > 0) || !platform->sm.present || !schedule->device || !device ||
	    strcmp(schedule->device, device) != 0 ||
	    !mechanism_on(&platform->mechanisms, MECHANISM_RECORDED_BLOCKS))
		return;
	for (int64_t k = 0; k < schedule->op_count; k++) {
		struct schedule_op *op = &schedule->op[k];
		if (op->kind == OP_LAUNCH && op->duration_ps > 0 &&
		    !schedule->shape[op->object].access_count)
			op->duration_ps = untraced_ps(&schedule->shape[op->object], op->duration_ps,
						      platform);
	}
}
