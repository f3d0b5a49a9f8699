/* SPDX-License-Identifier: MIT */
#include "sm_device.h"

double sm_turnaround_s(const struct sm_memory_level *level)
{
	if (!(level->copy_bytes_per_s > 0))
		return 0;
	double extra = 2 / level->copy_bytes_per_s - 1 / level->read_bytes_per_s - 1 / level->write_bytes_per_s;
	return extra > 0 ? extra : 0;
}
