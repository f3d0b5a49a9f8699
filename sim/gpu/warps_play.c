/* SPDX-License-Identifier: MIT */
#include "warps_play.h"

#include <string.h>

#include "traces/base/util.h"

int warps_play(const struct sm_device *device, int sm_count, struct warps_answer *a)
{
	struct sm_device classes = *device;
	a->classes = !device->isa || strcmp(a->profile->isa, device->isa);
	if (a->classes)
		classes.isa = "none";
	struct grid_answer played[2] = { { 0 } };
	int rc = 0, longer = 0;
	double cycles = 0;
	for (int k = 0; k < a->phases && !rc; k++) {
		struct grid_launch launch = a->launch;
		launch.traffic.l2_miss_share = a->phase[k].l2_miss_share;
		launch.traffic.dram_write_share = a->phase[k].dram_write_share;
		rc = grid_time(&classes, sm_count, &launch, &played[k]);
		cycles += a->phase[k].share * played[k].cycles;
		longer = a->phase[k].share * played[k].cycles > a->phase[0].share * played[0].cycles
				 ? k
				 : longer;
	}
	grid_answer_release(&played[!longer]);
	a->grid = played[longer];
	a->grid.duration_ns += (cycles - a->grid.cycles) / classes.clock_mhz * 1e3;
	a->grid.cycles = cycles;
	if (!rc && a->grid.barriers_forced)
		report("warning: kernel '%s': %lld barriers were passed although some warps never "
		       "came: its counts give no consistent way through",
		       a->profile->kernel, (long long)a->grid.barriers_forced);
	return rc;
}

void warps_bound(const struct sm_device *device, enum sm_order order, double there_ns,
		 struct grid_answer *grid)
{
	if (order == SM_FASTER ? there_ns >= grid->duration_ns
			       : order != SM_SLOWER || there_ns <= grid->duration_ns)
		return;
	grid->cycles += (there_ns - grid->duration_ns) * 1e-3 * device->clock_mhz;
	grid->duration_ns = there_ns;
}

/* As sm_order, of whole devices: more multiprocessors are faster, for those too many may be left
 * without blocks. */
static enum sm_order device_order(const struct platform *before, const struct platform *now)
{
	const enum sm_order inside = sm_order(&before->sm, &now->sm);
	if (before->sm_count == now->sm_count)
		return inside;
	const enum sm_order count = now->sm_count > before->sm_count ? SM_FASTER : SM_SLOWER;
	return inside == SM_EQUAL || inside == count ? count : SM_NEITHER;
}

int warps_play_own(const struct platform *platform, const struct platform *before,
		   struct warps_answer *a)
{
	const struct sm_device *device = &platform->sm;
	const enum sm_order order = before ? device_order(before, platform) : SM_NEITHER;
	struct warps_answer unchanged = *a;
	if (warps_play(device, platform->sm_count, a))
		return -1;
	if (order != SM_FASTER && order != SM_SLOWER)
		return 0;
	unchanged.launch.duration_only = true;
	if (warps_play(&before->sm, before->sm_count, &unchanged)) {
		grid_answer_release(&a->grid);
		return -1;
	}
	warps_bound(device, order, unchanged.grid.duration_ns, &a->grid);
	grid_answer_release(&unchanged.grid);
	return 0;
}
