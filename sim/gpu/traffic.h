/* SPDX-License-Identifier: MIT
 * What a launch asks of L2 and DRAM, in one record: how much it reads and writes, what of it L2
 * lacks, what it finds that was written, re-reads in reverse, updates in place and touches
 * atomically. Built once a launch (traffic_of_launch); what a refinement makes of it is a function
 * of the record (refine.h).
 */
#ifndef WARPREEL_TRAFFIC_H
#define WARPREEL_TRAFFIC_H

#include "model/device/sm_device.h"
#include "traces/profiles/kernel_profile.h"
#include "traces/schedule/schedule.h"
#include "residency.h"
#include "warp_program.h"

/* Doubles only: two launches ask the same where these are the same bytes. */
struct traffic {
	double l2_read_bytes, l2_write_bytes; /* whole launch; 0 where nobody asks */
	double l2_miss_share;		      /* of what is read from L2 */
	double dram_write_share;	      /* of what is written to L2 */
	double over_read, over_write; /* bytes DRAM moves for each it is asked for; 0 counts as 1 */
	double work_scale; /* bytes a warp moves for each the program says: fewer or more of its
			      warps lie beyond the edge. 0 counts as 1 */
	double written;	   /* share of what it finds in L2 that was written there */
	double wide;	   /* the part of that which goes round beyond l2_near_bytes */
	double dirty; /* share of what it finds in L2 that the launch wrote that touched it last */
	double reversed; /* share of what it reads that was touched last by a launch going the
			    other way */
	double updated;	 /* share of what it writes that it reads in the same place */
	double strips; /* share of what it writes whose warps each walk down a strip of their own */
	double l1_scale; /* what it asks of L2 for each it was counted to: fewer warps find more in
			    L1. 0 counts as 1 */
	double atomic_lines; /* of 128 bytes that atomics fall on; 0 = very many */
	double unknown; /* 1: neither footprints nor counters say what DRAM moves, so none is */
};

/* Whose traffic, and what is known of it. */
struct traffic_launch {
	const struct schedule *schedule;
	const struct schedule_shape *shape;
	const struct residency_shape *memory; /* what earlier launches left in L2 */
	const struct warp_program *program;   /* of one warp of it */
	double warps;
	const struct kernel_profile *counted; /* the launch whose hardware counters serve */
	const struct kernel_profile *profile; /* the counts that the program is from */
	int sm_count;
	double l1_scale;		    /* struct traffic */
	double counted_warp_bytes;	    /* through L2, a warp of the counted launch */
	const struct sm_device *counted_on; /* the device these counters are of */
};

struct traffic traffic_of_launch(const struct sm_device *device,
				 const struct traffic_launch *launch);
/*
 * The nearest of those that are told apart: shares of misses come in steps of 1/64, what was
 * written, updated or left dirty, which moves a launch less, in steps of 1/16, and scales have
 * seven binary digits behind the first. Launches that differ by less are answered alike. Bytes stay
 * as they are.
 */
struct traffic traffic_rounded(const struct traffic *traffic);
/* From DRAM and to it, whole launch, over-fetch included. */
double traffic_dram_read_bytes(const struct traffic *traffic);
double traffic_dram_write_bytes(const struct traffic *traffic);
/* part / whole, from 0 to 1; 0 of nothing. */
double traffic_share(double part, double whole);

#endif
