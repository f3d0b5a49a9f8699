/* SPDX-License-Identifier: MIT */
#include "l1_crowd.h"

#include <math.h>

/* Blocks of a launch, on a device. */
struct crowd {
	const struct sm_device *device;
	double blocks, threads /* of one */;
	uint32_t registers, shared_bytes;
};

/* The share of W that L1 does not hold; a_thread: bytes that a thread touches. L1 is what shared
 * memory leaves of it, of as many blocks as could be there. */
static double beyond_l1(const struct crowd *c, int sm_count, double a_thread)
{
	const int resident =
		sm_occupancy(c->device, (uint32_t)c->threads, c->registers, c->shared_bytes, NULL);
	const double here = fmin(ceil(c->blocks / sm_count), resident),
		     touched = here * c->threads * a_thread,
		     shared = (double)c->shared_bytes + c->device->shared_reserved_bytes,
		     l1 = fmax(c->device->l1_shared_bytes - resident * shared, 0);
	return touched > l1 ? 1 - l1 / touched : 0;
}

double l1_crowd_scale(const struct sm_device *device, const struct traffic_launch *l)
{
	const struct launch_geometry *g = &l->counted->geometry;
	const struct crowd now = {
		.device = device,
		.blocks = (double)l->shape->grid[0] * l->shape->grid[1] * l->shape->grid[2],
		.threads = l->program->block_threads,
		.registers = l->program->registers,
		.shared_bytes = l->program->shared_bytes,
	};
	const struct crowd then = {
		.device = l->counted_on,
		.blocks = (double)g->grid[0] * g->grid[1] * g->grid[2],
		.threads = (double)g->block[0] * g->block[1] * g->block[2],
		.registers = l->counted->registers,
		.shared_bytes = l->counted->static_shared_bytes + g->shared_bytes,
	};
	if (!mechanism_on(&device->mechanisms, MECHANISM_L1_CROWD) ||
	    device->l1_shared_bytes <= 0 || l->counted_on->l1_shared_bytes <= 0 ||
	    l->counted->l2_read_sectors <= 0 || l->memory->read_bytes <= 0)
		return 1;
	const double once = l->memory->read_bytes / now.blocks / now.threads,
		     counted =
			     32 * (double)l->counted->l2_read_sectors / then.blocks / then.threads,
		     before = beyond_l1(&then, l->sm_count, once),
		     again = before > 0 ? (counted - once) / before : 0;
	if (again <= 0)
		return 1;
	return fmin((once + again * beyond_l1(&now, l->sm_count, once)) / counted, 1);
}
