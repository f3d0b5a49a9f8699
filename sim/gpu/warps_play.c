/* SPDX-License-Identifier: MIT */
#include "warps_play.h"

#include <string.h>

#include "traces/base/util.h"
#include "grid_rounded.h"

/* As it is played. */
static struct traffic traffic_of(const struct warps_answer *a, int phase)
{
	struct traffic traffic = a->launch.traffic;
	traffic.l2_miss_share = a->phase[phase].l2_miss_share;
	traffic.dram_write_share = a->phase[phase].dram_write_share;
	return traffic_rounded(&traffic);
}

struct known_launch warps_known(const struct platform *platform, const struct warps_answer *a,
				int phase, int64_t on_device)
{
	struct grid_launch launch = a->launch;
	launch.program = &a->program; /* answers are copied */
	launch = grid_rounded(&platform->sm, platform->sm_count, &launch);
	struct known_launch key = { .profile = a->derived ? &a->derived->profile : a->profile,
				    .blocks = launch.blocks,
				    .sharers = launch.sharers,
				    .block_threads = a->program.block_threads,
				    .shared_bytes = a->program.shared_bytes,
				    .on_device = on_device,
				    .code_bytes = a->launch.code_bytes,
				    .traffic = traffic_of(a, phase) };
	if (a->kinds) {
		launch.kinds.rim = &a->rim;
		grid_time_kinds(&platform->sm, platform->sm_count, &launch, key.at_rim);
	}
	key.traffic.l2_read_bytes = key.traffic.l2_write_bytes = key.traffic.reversed = 0;
	return key;
}

struct known_launch warps_now_known(const struct known_launch *asked,
				    const struct grid_answer *played)
{
	struct known_launch now = *asked;
	now.played = played->played;
	if (played->extrapolated_blocks && asked->sharers > 0)
		now.blocks = 0;
	return now;
}

const struct known_launch *warps_find_known(const struct known_launches *known, int sm_count,
					    const struct known_launch *asked)
{
	struct known_launch longer = *asked;
	longer.blocks = 0;
	const struct known_launch *steady =
		asked->sharers > 0 ? known_launches_find(known, &longer) : NULL;
	return steady && steady->played.blocks < asked->blocks / sm_count
		       ? steady
		       : known_launches_find(known, asked);
}

int warps_play_phase(const struct sm_device *device, int sm_count, struct warps_answer *a,
		     int phase, struct grid_answer *played)
{
	struct sm_device classes = *device;
	struct grid_launch launch = a->launch;
	a->classes = !device->isa || strcmp(a->profile->isa, device->isa);
	if (a->classes)
		classes.isa = "none";
	launch.traffic = traffic_of(a, phase);
	if (a->kinds) {
		launch.kinds.within = &a->within;
		launch.kinds.rim = &a->rim;
	}
	launch = grid_rounded(&classes, sm_count, &launch);
	if (grid_time(&classes, sm_count, &launch, played))
		return -1;
	played->cycles = grid_played_cycles(device, sm_count, &played->played, a->launch.blocks);
	played->duration_ns = grid_duration_ns(device, played->cycles);
	played->blocks_a_sm = (double)a->launch.blocks / sm_count;
	played->waves = played->blocks_a_sm / played->resident;
	return 0;
}

/* One after the other: which of them takes longer, and the cycles of both. */
static int longer_phase(const struct warps_answer *a, const double cycles[2], double *both)
{
	const double second = a->phases > 1 ? a->phase[1].share * cycles[1] : 0;
	*both = a->phase[0].share * cycles[0] + second;
	return second > a->phase[0].share * cycles[0];
}

static void say_forced(const struct warps_answer *a, int64_t barriers)
{
	if (barriers)
		report("warning: kernel '%s': %lld barriers were passed although some warps never "
		       "came: its counts give no consistent way through",
		       a->profile->kernel, (long long)barriers);
}

int warps_play(const struct sm_device *device, int sm_count, struct warps_answer *a)
{
	struct grid_answer played[2] = { { 0 } };
	int rc = 0;
	for (int k = 0; k < a->phases && !rc; k++)
		rc = warps_play_phase(device, sm_count, a, k, &played[k]);
	double both;
	const int longer = longer_phase(a, (double[]){ played[0].cycles, played[1].cycles }, &both);
	grid_answer_release(&played[!longer]);
	a->grid = played[longer];
	a->grid.duration_ns += (both - a->grid.cycles) / device->clock_mhz * 1e3;
	a->grid.cycles = both;
	if (!rc)
		say_forced(a, a->grid.barriers_forced);
	return rc;
}

/* On the device as it is, 0, or as it was, 1. */
static int duration_on(const struct platform *platform, int64_t on_device,
		       struct known_launches *known, struct warps_answer *a, double *duration_ns)
{
	double cycles[2] = { 0 }, whole_ns[2] = { 0 }, both;
	for (int k = 0; k < a->phases; k++) {
		struct known_launch now = warps_known(platform, a, k, on_device);
		const struct known_launch *old = warps_find_known(known, platform->sm_count, &now);
		if (!old) {
			struct grid_answer played;
			if (warps_play_phase(&platform->sm, platform->sm_count, a, k, &played))
				return -1;
			say_forced(a, played.barriers_forced);
			now = warps_now_known(&now, &played);
			grid_answer_release(&played);
			known_launches_add(known, &now);
			old = &now;
		}
		cycles[k] = grid_played_cycles(&platform->sm, platform->sm_count, &old->played,
					       a->launch.blocks);
		whole_ns[k] = grid_duration_ns(&platform->sm, cycles[k]);
	}
	const int longer = longer_phase(a, cycles, &both);
	*duration_ns = whole_ns[longer] + (both - cycles[longer]) / platform->sm.clock_mhz * 1e3;
	return 0;
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
	if (!before)
		return SM_NEITHER;
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
	const enum sm_order order = device_order(before, platform);
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

bool warps_bounded(const struct platform *platform, const struct platform *before)
{
	const enum sm_order order = device_order(before, platform);
	return order == SM_FASTER || order == SM_SLOWER;
}

int warps_known_duration(const struct platform *platform, const struct platform *before,
			 struct known_launches *known, struct warps_answer *a, double *duration_ns)
{
	const bool faster = device_order(before, platform) == SM_FASTER;
	double before_ns;
	a->launch.duration_only = true;
	if (duration_on(platform, 0, known, a, duration_ns))
		return -1;
	if (!warps_bounded(platform, before))
		return 0;
	if (duration_on(before, 1, known, a, &before_ns))
		return -1;
	if (faster ? before_ns < *duration_ns : before_ns > *duration_ns)
		*duration_ns = before_ns;
	return 0;
}
