/* SPDX-License-Identifier: MIT
 * What kernels recorded on virtual GPUs would not have taken on a GPU of their own
 * (docs/lab/as-gpus.md):
 *
 *     tracer.serial_kernel_ns  any, as they are recorded one at a time
 *     tracer.switch_ns         a GPU's first after another one's: contexts change
 *     shared L2                the same and those behind it: what others touched since then, L2 has
 *                              lost to them
 *
 * Of the last the records say time alone. What a GPU held bounds what its kernels can touch between
 * two turns of the others; how much of that L2 would have kept for the GPU alone, and keeps among
 * all, is on the device's curve of reuse. The difference came from memory and not from L2, at most
 * as fast as memory goes: that bounds what one kernel fetched in its time, and what is left over
 * the next one of the turn did.
 */
#include "untrace.h"

#include <stdlib.h>

#include "sim/gpu/residency.h"
#include "traces/base/util.h"

/* What L2 has of a GPU's bytes where it is the GPU's alone, and not among all. */
static double lost_bytes(const struct schedule *schedule, uint32_t gpu, const struct sm_device *sm)
{
	double all = 0, own;
	for (uint32_t g = 0; g < schedule->virtual_gpus; g++)
		all += (double)schedule->virtual_bytes[g];
	own = (double)schedule->virtual_bytes[gpu];
	return own * (residency_hits(sm, own) - residency_hits(sm, all));
}

static double fetched_s_a_byte(const struct sm_device *sm)
{
	const double s = 1 / sm->dram.copy_bytes_per_s - 1 / sm->l2.copy_bytes_per_s;
	return s > 0 ? s : 0;
}

static int64_t less_ps(int64_t ps, double less)
{
	return ps < 0 ? ps : less < (double)ps ? ps - (int64_t)less : 0;
}

/* A launch without what it fetched again, of `left` bytes that the turn has to. */
static void forget_fetching(struct schedule *schedule, struct schedule_op *op, double *left,
			    const struct sm_device *sm)
{
	const double most = (double)op->duration_ps * 1e-12 * sm->dram.copy_bytes_per_s,
		     bytes = *left < most ? *left : most;
	const int64_t before_ps = op->duration_ps;
	if (bytes <= 0)
		return;
	*left -= bytes;
	op->duration_ps = less_ps(op->duration_ps, bytes * fetched_s_a_byte(sm) * 1e12);
	schedule->shared_l2_ps += before_ps - op->duration_ps;
	schedule->shared_l2_kernels++;
}

void schedule_untrace_virtual(struct schedule *schedule, const struct platform *platform)
{
	const bool shares = schedule->virtual_bytes && platform->sm.present &&
			    platform->sm.dram.copy_bytes_per_s > 0 &&
			    platform->sm.l2.copy_bytes_per_s > 0;
	double *left = xcalloc(schedule->virtual_gpus + 1, sizeof(*left));
	for (int64_t k = 0; k < schedule->op_count; k++) {
		struct schedule_op *op = &schedule->op[k];
		const bool switched = op->flags & OP_SWITCHED;
		if (op->kind != OP_LAUNCH)
			continue;
		op->duration_ps = less_ps(
			op->duration_ps,
			(platform->serial_kernel_ns + (switched ? platform->switch_ns : 0)) * 1000);
		const uint32_t gpu = schedule->stream[op->stream].gpu;
		if (!shares || gpu >= schedule->virtual_gpus)
			continue;
		if (switched)
			left[gpu] = lost_bytes(schedule, gpu, &platform->sm);
		forget_fetching(schedule, op, &left[gpu], &platform->sm);
	}
	free(left);
}
