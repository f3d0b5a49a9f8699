/* SPDX-License-Identifier: MIT */
#include "kernel_metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "traces/base/util.h"

enum { INSTRUCTION_BYTES = 16, SCOREBOARDS = 6, WARP = 32 };

/* Does the result come late enough that a warp which wants it has to be set aside? */
static bool long_latency(enum sass_class class)
{
	return class == SASS_GLOBAL_LOAD || class == SASS_ATOMIC || class == SASS_ASYNC_COPY;
}

/* Scoreboards that this instruction waits for, as bits. */
static unsigned waits(const struct sass_instruction *in)
{
	return in->control.wait_mask |
	       (in->depbar_scoreboard >= 0 ? 1u << in->depbar_scoreboard : 0);
}

static unsigned raises(const struct sass_instruction *in)
{
	return long_latency(in->class) && in->control.write_barrier < SCOREBOARDS
		       ? 1u << in->control.write_barrier
		       : 0;
}

/* Merges what may be pending after an instruction into what may be pending before its successor. */
static bool merge(unsigned *before, size_t count, size_t to, unsigned pending)
{
	unsigned merged = to < count ? before[to] | pending : 0;

	if (to >= count || merged == before[to])
		return false;
	before[to] = merged;
	return true;
}

/*
 * Scoreboards that a long latency may have raised and nobody has waited for yet, before each
 * instruction: forward over the flow of control until nothing changes, so that a load at the end of
 * a loop is seen by its consumer at the top. Bits are only added: it ends.
 */
bool *blocking_instructions(const struct kernel_profile *profile)
{
	size_t count = profile->instruction_count;
	struct sass_instruction *decoded = xcalloc(count + 1, sizeof(*decoded));
	unsigned *pending = xcalloc(count + 1, sizeof(*pending));
	bool *blocking = xcalloc(count + 1, sizeof(*blocking)), changed = true;

	for (size_t i = 0; i < count; i++)
		sass_decode(&decoded[i], profile->instruction[i].text, profile->instruction[i].code,
			    profile->instruction[i].offset);
	while (changed) {
		changed = false;
		for (size_t i = 0; i < count; i++) {
			unsigned after = (pending[i] & ~waits(&decoded[i])) | raises(&decoded[i]);

			changed |= merge(pending, count, i + 1, after);
			if (decoded[i].is_branch && decoded[i].target != SASS_TARGET_UNKNOWN)
				changed |= merge(pending, count,
						 decoded[i].target / INSTRUCTION_BYTES, after);
		}
	}
	for (size_t i = 0; i < count; i++)
		blocking[i] = decoded[i].is_barrier || (pending[i] & waits(&decoded[i]));
	free(decoded);
	free(pending);
	return blocking;
}

int kernel_metrics(struct kernel_metrics *metrics, const struct kernel_profile *profile,
		   const struct sm_device *device, int sm_count)
{
	const struct launch_geometry *g = &profile->geometry;
	int64_t block = profile_block_threads(profile),
		shared = (int64_t)profile->static_shared_bytes + g->shared_bytes;
	double blocks = (double)g->grid[0] * g->grid[1] * g->grid[2], executed = 0, blocked = 0;
	bool *blocking = blocking_instructions(profile);
	bool counted = true;

	for (size_t i = 0; i < profile->instruction_count; i++) {
		const int64_t threads = profile->instruction[i].threads;

		counted &= threads >= 0;
		executed += (double)threads;
		blocked += blocking[i] ? (double)threads : 0;
	}
	free(blocking);
	if (!counted || executed <= 0)
		return report("kernel %s: its profile does not say how many threads executed its "
			      "instructions",
			      profile->kernel);
	*metrics = (struct kernel_metrics){ .threads = blocks * (double)block,
					    .warps_per_block = (int)((block + WARP - 1) / WARP),
					    .utilization = NAN };
	metrics->instructions = executed / metrics->threads;
	metrics->regions = 1 + blocked / metrics->threads;
	metrics->efficiency = 1 / (metrics->instructions * metrics->threads); /* (10) */
	if (device) {
		const double warps = metrics->warps_per_block, share = ceil(blocks / sm_count);
		const char *limit;
		int resident = sm_occupancy(device, (uint32_t)block, profile->registers,
					    (uint32_t)shared, &limit);

		if (resident == 0)
			return report("kernel %s: a block of %" PRId64 " threads with %" PRIu32
				      " registers and %" PRId64
				      " bytes of shared memory does not fit the device: %s",
				      profile->kernel, block, profile->registers, shared, limit);
		metrics->blocks_per_sm = share < resident ? (int)share : resident;
		metrics->utilization =
			metrics->instructions / metrics->regions *
			((warps - 1) / 2 + (metrics->blocks_per_sm - 1) * warps); /* (11) */
	}
	return 0;
}
