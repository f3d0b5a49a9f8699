/* SPDX-License-Identifier: MIT
 * One representative multiprocessor: its blocks' warps issue through its sub-partitions under stall
 * counts, scoreboards, pipes and barriers, and meet L1, L2 and DRAM as shared resources
 * (sm_memory.h). What it is representative of is the caller's business (grid_time.h).
 *
 * Time is in cycles. There is no event queue: when an instruction issues, everything it will wait
 * for is already known, because the resources behind it serve in order; so each sub-partition
 * always knows its next issue, and the earliest of those is played.
 */
#ifndef WARPREEL_SM_ENGINE_H
#define WARPREEL_SM_ENGINE_H

#include <stdint.h>

#include "model/device/sm_device.h"
#include "sm_memory.h"
#include "warp_program.h"

/* Why a warp did not issue, by what it waited for last. */
enum stall_reason {
	STALL_NONE /* issued back to back */,
	STALL_FIXED,
	STALL_SHARED,
	STALL_L1,
	STALL_L2,
	STALL_DRAM,
	STALL_OTHER,
	STALL_BARRIER,
	STALL_PIPE,
	STALL_LSU,
	STALL_NOT_SELECTED,
	STALL_REASON_COUNT
};
extern const char *const stall_reason_name[STALL_REASON_COUNT];

/* A kernel's blocks on this SM. */
struct sm_job {
	const struct warp_program *program;
	const struct warp_program *rim; /* of the k-th block where at_rim[k]; the same instructions.
					   NULL: all blocks are alike */
	const bool *at_rim;
	int64_t blocks; /* this SM runs, one after the other or at once; < 0: as long as any other
			   job runs */
	int resident;	/* at most at once */
	double every_cycles;	 /* between two that the device takes back: a place is free when its
				    block has been */
	double l2_miss_share;	 /* of what is read from L2: has to come from DRAM */
	double dram_write_share; /* of what is written to L2: goes on to DRAM */
	double l1_scale;	 /* what loads ask of L2 for each the program says; 0 counts as 1 */
	double work_scale;	 /* bytes a warp moves for each the program says; 0 counts as 1 */
};

struct sm_setup {
	const struct sm_device *device;
	const struct sm_job *job;
	int job_count;
	int job_first; /* is handed out first, so that its warps are the older */
	struct sm_memory_setup memory;
	double code_bytes; /* of all kernels that are launched by turns, if more than the jobs' */
	double constant_cold_cycles; /* from asking for a line of the launch's parameters to having
					it */
	uint32_t chance_first; /* of job 0's first block: blocks of other multiprocessors have other
				  luck */
	float turn_first;      /* of job 0's branches: the share of a turn that warps of other
				  multiprocessors were dealt before; [0, 1) */
	double visits_most[WARP_DEPTHS]; /* loops in so many are cut to; 0 = whole */
	bool duration_only;		 /* nobody asks what warps waited for */
};

struct sm_run {
	double cycles; /* the last block's end, and what it sent has arrived */
	double behind; /* how much later the last multiprocessor may end (SM_SKEW) */
	double *block_end;
	int64_t block_count; /* job 0's, as the device takes them back, in this order; owned */
	struct sm_block {
		double begin, end;
		int64_t instructions; /* its warps issued */
		int slot;
	} * block;			    /* the same blocks in order of beginning; owned */
	int64_t instructions;		    /* warp instructions issued */
	int64_t issued[WARP_DEPTHS];	    /* the same in so many loops */
	double stalled[STALL_REASON_COUNT]; /* warp cycles; 0 if duration_only */
	int64_t barriers_forced; /* released although not everybody came: the walk of some warp went
				    wrong */
};

/* -1 after a message: no block fits, or a warp goes in circles. */
int sm_engine_run(const struct sm_setup *setup, struct sm_run *run);

/*
 * The same, and *snapshot is what going on with more blocks of job 0 takes; NULL where nothing was
 * left to go on with. `setup` and its jobs need not outlive the call, what they point to has to.
 * sm_snapshot_run answers as sm_engine_run would if it played all of `blocks`, more than before, in
 * one go.
 */
struct sm_snapshot;
int sm_engine_begin(const struct sm_setup *setup, struct sm_run *run,
		    struct sm_snapshot **snapshot);
int sm_snapshot_run(struct sm_snapshot *snapshot, int64_t blocks, struct sm_run *run);
void sm_snapshot_release(struct sm_snapshot *snapshot);
void sm_run_release(struct sm_run *run);

#endif
