/* SPDX-License-Identifier: MIT */
#include "ideal.h"

#include <math.h>
#include <string.h>

static void free_class(struct sm_device *d, enum sass_class class)
{
	d->interval[class] = d->latency[class] = 0;
}

static void launch(struct sm_device *d)
{
	d->launch_period_ns -= d->launch_ns; /* what is left is the pause between launches */
	d->launch_ns = d->drain_ns = 0;
}

static void blocks(struct sm_device *d)
{
	d->block_dispatch_ns = d->block_start_cycles = d->block_fill_cycles = 0;
}

static void issue(struct sm_device *d)
{
	d->issue_interval = 0;
}

static void fp64(struct sm_device *d)
{
	free_class(d, SASS_FP64);
	free_class(d, SASS_TENSOR_FP64);
	memset(d->fp64_port_cycles, 0, sizeof(d->fp64_port_cycles));
}

static void arithmetic(struct sm_device *d)
{
	static const enum sass_class classes[] = { SASS_FP32,	 SASS_INTEGER, SASS_HALF,
						   SASS_CONVERT, SASS_SPECIAL, SASS_UNIFORM,
						   SASS_TENSOR };
	for (unsigned k = 0; k < sizeof(classes) / sizeof(classes[0]); k++)
		free_class(d, classes[k]);
	d->multiply_add_interval = 0;
	fp64(d);
}

static void special(struct sm_device *d)
{
	free_class(d, SASS_SPECIAL);
	free_class(d, SASS_CONVERT);
}

static void shared(struct sm_device *d)
{
	free_class(d, SASS_SHARED_LOAD);
	free_class(d, SASS_SHARED_STORE);
	free_class(d, SASS_SHARED_ATOMIC);
	free_class(d, SASS_SHUFFLE);
	d->shuffle_issue_cycles = 0;
	d->shared_wavefront_interval = 0;
}

static void barrier(struct sm_device *d)
{
	d->latency[SASS_BARRIER] = 0;
}

static void l1(struct sm_device *d)
{
	free_class(d, SASS_GLOBAL_LOAD);
	free_class(d, SASS_GLOBAL_STORE);
	d->shared_wavefront_interval = d->l1_tag_interval = d->texture_interval = 0;
	d->l1_miss_bytes = INFINITY;
}

static void l2_latency(struct sm_device *d)
{
	d->l2.latency_ns = d->l2_far_latency_ns = d->l2_far_dirty_latency_ns = d->l2_flag_ns = 0;
}

static void l2_rate(struct sm_device *d)
{
	d->l2.read_bytes_per_s = d->l2.write_bytes_per_s = INFINITY;
}

static void dram_latency(struct sm_device *d)
{
	d->dram.latency_ns = d->l2.latency_ns;
	d->dram.write_wait_ns = 0;
}

static void dram_rate(struct sm_device *d)
{
	d->dram.read_bytes_per_s = d->dram.write_bytes_per_s = INFINITY;
}

static void atomics(struct sm_device *d)
{
	d->atomic_rate_per_s = INFINITY;
	d->atomic_same_interval_ns = d->atomic_beside_interval_ns = d->dram_slice_share = 0;
}

const struct ideal_part ideal_parts[] = {
	{ "launch", "launch and drain of the grid", launch },
	{ "blocks", "handing out and starting blocks", blocks },
	{ "issue", "one instruction a cycle and sub-partition", issue },
	{ "arithmetic", "all arithmetic pipes", arithmetic },
	{ "fp64", "the FP64 pipe and its operands", fp64 },
	{ "special", "special functions and conversions", special },
	{ "shared", "shared memory and shuffles", shared },
	{ "barrier", "block barriers", barrier },
	{ "l1", "load/store path and L1", l1 },
	{ "l2-latency", "latency of L2", l2_latency },
	{ "l2-rate", "rate of L2 and of the port to it", l2_rate },
	{ "dram-latency", "latency of DRAM beyond L2's", dram_latency },
	{ "dram-rate", "rate of DRAM", dram_rate },
	{ "atomics", "rate of atomics", atomics },
	{ 0 },
};
