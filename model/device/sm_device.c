/* SPDX-License-Identifier: MIT */
#include "sm_device.h"

#include <assert.h>

/* DRAM has one bus: what a byte written and so many read take beyond what they take alone, is the
 * price of turning round. */
static double dram_turnaround_s(const struct sm_memory_level *level, double reads,
				double bytes_per_s)
{
	double extra = (reads + 1) / bytes_per_s - reads / level->read_bytes_per_s -
		       1 / level->write_bytes_per_s;
	return bytes_per_s > 0 && extra > 0 ? extra : 0;
}

/* L2 takes reads and writes side by side, and yet a copy takes longer than its writes: that is what
 * the reads take of the writes' side. */
static double l2_turnaround_s(const struct sm_memory_level *level, double copy_bytes_per_s)
{
	double extra = 2 / copy_bytes_per_s - 1 / level->write_bytes_per_s;
	return copy_bytes_per_s > 0 && extra > 0 ? extra : 0;
}

static double more(double a, double b)
{
	return a > b ? a : b;
}

void sm_fill_in(struct sm_device *device)
{
	if (device->present && !device->block_threads_max)
		device->block_threads_max = 1024; /* CUDA's since compute capability 2.0 */
	if (!(device->interval[SASS_TENSOR_FP64] > 0 || device->latency[SASS_TENSOR_FP64] > 0)) {
		device->interval[SASS_TENSOR_FP64] = device->interval[SASS_TENSOR];
		device->latency[SASS_TENSOR_FP64] = device->latency[SASS_TENSOR];
	}
	for (int pairs = 1; pairs <= 3; pairs++)
		if (!(device->fp64_port_cycles[pairs - 1] > 0))
			device->fp64_port_cycles[pairs - 1] = pairs;
}

void sm_turnarounds(struct sm_device *device)
{
	device->dram.turnaround_s =
		dram_turnaround_s(&device->dram, 1, device->dram.copy_bytes_per_s);
	device->dram_strips_turnaround_s =
		more(dram_turnaround_s(&device->dram, 1, device->dram_strips_bytes_per_s),
		     device->dram.turnaround_s);
	assert(device->dram_update_reads.count <= SM_UPDATES_MOST); /* platform_validate */
	for (size_t k = 0; k < device->dram_update_reads.count; k++)
		device->dram_update_turnaround_s[k] =
			dram_turnaround_s(&device->dram, device->dram_update_reads.value[k],
					  device->dram_update_bytes_per_s.value[k]);
	device->l2.turnaround_s = l2_turnaround_s(&device->l2, device->l2.copy_bytes_per_s);
	device->l2_updated_turnaround_s =
		more(l2_turnaround_s(&device->l2, device->l2_updated_copy_bytes_per_s),
		     device->l2.turnaround_s);
	device->l2_wide_turnaround_s =
		device->l2_wide_copy_bytes_per_s > 0
			? more(l2_turnaround_s(&device->l2, device->l2_wide_copy_bytes_per_s),
			       device->l2.turnaround_s)
			: device->l2_updated_turnaround_s;
}

/* Of writes elsewhere one mix is measured. In full from as many reads as writes on. */
double sm_dram_turnaround_s(const struct sm_device *d, double reads, double updated, double strips)
{
	const bool known = mechanism_on(&d->mechanisms, MECHANISM_DRAM_UPDATE);
	const double *x = d->dram_update_reads.value, *y = d->dram_update_turnaround_s,
		     band = mechanism_on(&d->mechanisms, MECHANISM_DRAM_TURNAROUND)
				    ? d->dram.turnaround_s
				    : 0,
		     apart = mechanism_on(&d->mechanisms, MECHANISM_DRAM_STRIPS)
				     ? band + strips * (d->dram_strips_turnaround_s - band)
				     : band;
	size_t n = known ? d->dram_update_reads.count : 0, k = 0;
	double in_place = apart;
	while (k < n && reads > x[k])
		k++;
	if (n)
		in_place = k == 0   ? y[0]
			   : k == n ? y[n - 1]
				    : y[k - 1] + (y[k] - y[k - 1]) * (reads - x[k - 1]) /
							 (x[k] - x[k - 1]);
	return (apart + updated * (in_place - apart)) * (reads < 1 ? 2 * reads / (1 + reads) : 1);
}
