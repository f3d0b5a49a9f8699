/* SPDX-License-Identifier: MIT */
#include "sm_device.h"

/* DRAM has one bus: what a byte copied takes beyond a byte read and a byte written, is the price of turning round. */
static double dram_turnaround_s(const struct sm_memory_level *level)
{
	double extra = 2 / level->copy_bytes_per_s - 1 / level->read_bytes_per_s - 1 / level->write_bytes_per_s;
	return level->copy_bytes_per_s > 0 && extra > 0 ? extra : 0;
}

/* L2 takes reads and writes side by side, and yet a copy takes longer than its writes: that is what the reads take of the writes' side. */
static double l2_turnaround_s(const struct sm_memory_level *level, double copy_bytes_per_s)
{
	double extra = 2 / copy_bytes_per_s - 1 / level->write_bytes_per_s;
	return copy_bytes_per_s > 0 && extra > 0 ? extra : 0;
}

static double more(double a, double b)
{
	return a > b ? a : b;
}

void sm_turnarounds(struct sm_device *device)
{
	device->dram.turnaround_s = dram_turnaround_s(&device->dram);
	device->l2.turnaround_s = l2_turnaround_s(&device->l2, device->l2.copy_bytes_per_s);
	device->l2_updated_turnaround_s = more(l2_turnaround_s(&device->l2, device->l2_updated_copy_bytes_per_s), device->l2.turnaround_s);
	device->l2_wide_turnaround_s = device->l2_wide_copy_bytes_per_s > 0 ?
						 more(l2_turnaround_s(&device->l2, device->l2_wide_copy_bytes_per_s), device->l2.turnaround_s) :
						 device->l2_updated_turnaround_s;
}
