/* SPDX-License-Identifier: MIT
 * Occupancy: how many blocks a multiprocessor holds. Equations (3.5) to (3.13) of D. Spampinato,
 * "Modeling Communication on Multi-GPU Systems", 2009, section 3, with the granularity of later
 * devices: from compute capability 2 on registers are given to warps, and each sub-partition has
 * its own (NVIDIA, cuda_occupancy.h); from 8 on the system takes shared memory of each block.
 */
#include "sm_device.h"

#include <assert.h>

static const char *const sm_limit_name[SM_LIMIT_COUNT] = { [SM_LIMIT_WARPS] = "warps",
							   [SM_LIMIT_BLOCKS] = "blocks",
							   [SM_LIMIT_REGISTERS] = "registers",
							   [SM_LIMIT_SHARED] = "shared memory" };

enum { WARP = 32 };

/* ceil[n, s] of the thesis: n rounded up to a multiple of s. */
static int64_t round_up(int64_t n, int64_t unit)
{
	return unit > 1 ? (n + unit - 1) / unit * unit : n;
}

static int at_most(int64_t blocks, int slots)
{
	return blocks < slots ? (int)blocks : slots;
}

/* (3.7), (3.8), (3.10) */
static int blocks_by_registers(const struct sm_device *d, int64_t warps, int64_t registers)
{
	int64_t unit;

	if (registers == 0)
		return d->block_slots;
	if (d->sub_partitions <= 1) {
		/* one scheduler (compute capability 1): registers belong to the block, counted for
		 * pairs of warps */
		unit = round_up(round_up(warps, 2) * WARP * registers, d->register_unit);
		return at_most(d->register_count / unit, d->block_slots);
	}
	unit = round_up(registers * WARP, d->register_unit);
	return at_most(d->register_count / d->sub_partitions / unit * d->sub_partitions / warps,
		       d->block_slots);
}

void sm_block_limits(const struct sm_device *device, uint32_t block_threads, uint32_t registers,
		     uint32_t shared_bytes, int blocks[SM_LIMIT_COUNT])
{
	int64_t warps = ((int64_t)block_threads + WARP - 1) / WARP; /* (3.6) */
	int64_t shared = round_up((int64_t)shared_bytes + device->shared_reserved_bytes,
				  device->shared_unit);

	assert(block_threads > 0);
	if ((int64_t)block_threads > device->block_threads_max)
		warps = INT32_MAX; /* no multiprocessor takes it */
	blocks[SM_LIMIT_WARPS] =
		at_most(device->warp_slots / warps, device->block_slots); /* (3.9) */
	blocks[SM_LIMIT_BLOCKS] = device->block_slots;
	blocks[SM_LIMIT_REGISTERS] = blocks_by_registers(device, warps, registers);
	blocks[SM_LIMIT_SHARED] =
		shared > 0 ? at_most(device->shared_bytes / shared, device->block_slots)
			   : device->block_slots; /* (3.11) */
}

int sm_occupancy(const struct sm_device *device, uint32_t block_threads, uint32_t registers,
		 uint32_t shared_bytes, const char **limit)
{
	/* What allows fewest blocks, (3.12); of several the one that a user changes last. */
	static const int order[] = { SM_LIMIT_BLOCKS, SM_LIMIT_WARPS, SM_LIMIT_REGISTERS,
				     SM_LIMIT_SHARED };
	int blocks[SM_LIMIT_COUNT], least = SM_LIMIT_BLOCKS;

	sm_block_limits(device, block_threads, registers, shared_bytes, blocks);
	for (int i = 0; i < SM_LIMIT_COUNT; i++)
		if (blocks[order[i]] < blocks[least])
			least = order[i];
	if (limit)
		*limit = sm_limit_name[least];
	return blocks[least];
}
