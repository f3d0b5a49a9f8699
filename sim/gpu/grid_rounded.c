/* SPDX-License-Identifier: MIT */
#include "grid_rounded.h"

#include <math.h>

enum { ROUNDS_EXACT = 8, STEPS_AN_OCTAVE = 16 };

static int64_t blocks_most(int64_t blocks, int sm_count)
{
	return (blocks + sm_count - 1) / sm_count;
}

/* The nearest of sixteen an octave. */
static int64_t to_step(int64_t blocks)
{
	int64_t step = 1;
	while (blocks / step >= 2 * STEPS_AN_OCTAVE)
		step *= 2;
	return (blocks + step / 2) / step * step;
}

struct grid_launch grid_rounded(const struct sm_device *device, int sm_count,
				const struct grid_launch *launch)
{
	const struct warp_program *p = launch->program;
	struct grid_launch rounded = *launch;
	const int64_t most = blocks_most(launch->blocks, sm_count);
	const int resident =
		sm_occupancy(device, p->block_threads, p->registers, p->shared_bytes, NULL);
	if (most < 2 || resident < 1 || launch->beside)
		return rounded;
	rounded.sharers = round((double)launch->blocks / (double)most);
	rounded.blocks =
		sm_count * (most < (int64_t)resident * ROUNDS_EXACT ? most : to_step(most));
	return rounded;
}

/* In block_fill_cycles every empty multiprocessor is given a block, one after the other: when the
 * last of those with most blocks has its first. */
static double begins_late(const struct sm_device *device, int sm_count, int64_t blocks)
{
	if (!mechanism_on(&device->mechanisms, MECHANISM_BLOCK_FILL))
		return 0;
	return device->block_fill_cycles * (double)((blocks - 1) % sm_count + 1) / sm_count;
}

double grid_played_cycles(const struct sm_device *device, int sm_count,
			  const struct grid_played *played, int64_t blocks)
{
	const double most = (double)blocks_most(blocks, sm_count);
	return played->cycles + (most - (double)played->blocks) * played->block_cycles +
	       fmin(most * played->behind_cycles, played->behind_most) +
	       begins_late(device, sm_count, blocks);
}

double grid_duration_ns(const struct sm_device *device, double cycles)
{
	return device->launch_ns + cycles / device->clock_mhz * 1e3 + device->drain_ns;
}
