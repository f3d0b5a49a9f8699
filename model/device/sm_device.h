/* SPDX-License-Identifier: MIT
 * A device from the inside: multiprocessors, pipes, caches, memory; section [sm] of a platform
 * file, and what the `warps` kernel model knows of a device. No value belongs to a kernel. Cycles
 * are of the multiprocessors' clock.
 */
#ifndef WARPREEL_SM_DEVICE_H
#define WARPREEL_SM_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/mechanism/mechanism.h"
#include "traces/profiles/sass.h"

/*
 * A level of memory shared by all multiprocessors. With X bytes in flight on the whole device, an
 * access takes L(X) = (latency^k + (X / rate)^k)^(1/k) so that X / L(X) is what the device moves
 * (Little): latency-bound for small X, rate-bound for large, k (`knee`) how sharp the turn is.
 */
struct sm_memory_level {
	double latency_ns; /* unloaded, from issue of the load to its result */
	double read_bytes_per_s, write_bytes_per_s; /* all multiprocessors together */
	double copy_bytes_per_s; /* as many bytes read as written, both counted; 0 = as reads and
				    writes alone */
	double turnaround_s; /* where reads and writes mix: what a written byte takes longer (DRAM),
				a read one takes of the writes' side (L2) */
	double knee;
	double write_wait_ns; /* a read takes longer by this times the share of time that goes to
				 writes */
	double spread_ns; /* variance of reads' waiting over its mean, where much waits; 0: all wait
			     alike */
	double least_share; /* of latency_ns, that every read takes; the rest, and all waiting, is
			       distributed as Gamma(2) */
};

enum { SM_UPDATES_MOST = 32 };
struct sm_device {
	bool present;			 /* the platform has an [sm] section */
	struct mechanism_set mechanisms; /* of the platform (platform_leave_out) */
	char *isa; /* sm.isa: "sm_90" = profiles of that code may be walked; "none" = instruction
		      classes only; owned */
	double clock_mhz; /* sm.clock_mhz, under load */
	/* what an SM holds */
	int sub_partitions, warp_slots, block_slots;
	int register_count, register_unit; /* 32-bit registers; allocated a warp in multiples of
					      register_unit; a block with one sub-partition */
	int l1_shared_bytes;		   /* together; 0: not known */
	int shared_bytes, shared_unit,
		shared_reserved_bytes; /* for blocks; allocated in multiples; taken from each block
					  by the system */
	int block_threads_max;
	/* issue: a sub-partition issues one warp instruction every issue_interval cycles */
	double issue_interval;
	double fp64_port_cycles[3]; /* for how long one of FP64 that reads one, two or three pairs
				       of registers keeps others from it; at least issue_interval */
	double interval[SASS_CLASS_COUNT]; /* sm.<class>_interval: cycles the pipe of ONE
					    * sub-partition is busy with a warp instruction; memory
					    * classes, shuffle, barrier: cycles of the path ALL
					    * sub-partitions share */
	double latency[SASS_CLASS_COUNT];  /* sm.<class>_latency: issue to the result being usable,
					      cycles (global_load: a hit in L1) */
	double multiply_add_interval; /* as interval[], of integers: half of the FP32 pipe has them;
					 0: as FP32 */
	double shuffle_issue_cycles;  /* for how long a shuffle keeps others from issue; 0: as any
					 instruction */
	double texture_interval; /* cycles that the texture units of a multiprocessor are busy with
				    a warp's 32 texels of 32 bits; 0: as global loads alone */
	double shared_wavefront_interval; /* cycles of shared memory and L1's data stage for one
					     pass of 128 bytes */
	double l1_tag_interval;		  /* cycles to look up one 128-byte line */
	double store_line_interval;	  /* cycles to send a store to one more 128-byte line; 0: as
					     l1_tag_interval */
	double l1_miss_bytes;		  /* most bytes an SM can have in flight to L2 */
	struct sm_memory_level l2, dram;
	/* as dram.copy_bytes_per_s, where every warp walks down a strip of its own; 0 = the same */
	double dram_strips_bytes_per_s, dram_strips_turnaround_s;
	/* as dram.copy_bytes_per_s, of bytes that are written where they are read, by bytes read
	 * for each of them (1 first); none = the same */
	struct {
		double *value;
		size_t count;
	} dram_update_reads, dram_update_bytes_per_s; /* owned; SM_UPDATES_MOST at most */
	double dram_update_turnaround_s[SM_UPDATES_MOST];
	double l2_updated_copy_bytes_per_s,
		l2_updated_turnaround_s; /* as l2.copy_bytes_per_s and turnaround_s, of bytes
					    written before; 0 = the same */
	double l2_wide_copy_bytes_per_s,
		l2_wide_turnaround_s; /* as these, of what goes round beyond l2_near_bytes; 0 = the
					 same */
	double l2_near_bytes;	      /* 0: the same however many */
	double l2_far_latency_ns; /* a hit in the other half, less latency_ns; half of all hits are
				     there. 0: one half */
	double skew_share; /* how far multiprocessors that do the same are apart, of the time that
			      memory has served each; 0: in step */
	double l2_flag_ns; /* flags side by side, raised at once: by how much each is later */
	/* Of lines that another multiprocessor wrote last, the share that a read waits for longer,
	 * and how much. 0: not known */
	double l2_far_dirty_share, l2_far_dirty_latency_ns;
	/* cache residency: bytes touched between two touches of the same byte -> share of the bytes
	 * still in L2 */
	struct {
		double *value;
		size_t count;
	} l2_reuse_bytes, l2_reuse_hits; /* owned */
	double l2_reversed_bytes; /* of what a launch touched last, the one that comes back the
				   other way finds; 0: as l2_reuse_* */
	double l2_slot_bytes,
		l2_write_slot_bytes; /* a request to L2 takes the time of at least so many bytes */
	double code_bytes;	     /* of instructions that a multiprocessor holds */
	double code_line_cycles; /* between two lines of 128 bytes of them on their way there; 0: a
				    launch finds all of them there */
	double code_jump_cycles; /* before that, of a line that was jumped to */
	double code_far_bytes, code_far_line_cycles; /* of a launch with more code than that: what
							 multiprocessors share does not hold it */
	double constant_cold_cycles;	  /* a multiprocessor's first read of a line of a launch's
					     parameters, where all do */
	double constant_alone_cycles;	  /* the same where one does */
	double atomic_same_interval_ns;	  /* threads' atomics on one address, one after the other:
					     what one slice of L2 takes */
	double atomic_rate_per_s;	  /* threads' atomics all over memory, whole device */
	double atomic_beside_interval_ns; /* as atomic_same_interval_ns, while DRAM moves all it
					     can; 0: the same */
	double dram_slice_share; /* of the time of what DRAM moves, that each slice of L2 is busy
				    with it; 0: other work does not wait for it */
	/* grids */
	double launch_ns;	 /* an empty kernel of one block, as the tracer reports it */
	double launch_period_ns; /* period of empty kernels back to back in a graph: launch_ns + the
				    device's own pause */
	double block_dispatch_ns; /* between blocks that have ended, as the device replaces them */
	double block_fill_cycles; /* between the first blocks of a multiprocessor, while it has room
				   */
	double block_start_cycles; /* a block's slot becoming free to the first instruction of its
				      successor */
	double drain_ns; /* the last block's exit to the kernel's end, beyond what launch_ns has */
};

/* What nobody measured and has a usual value: fp64_port_cycles, a cycle for each pair. */
void sm_fill_in(struct sm_device *device);
/* turnaround_s of both levels from their rates. Kept when a what-if changes one of those, so that a
 * faster part never costs. */
void sm_turnarounds(struct sm_device *device);

/* What a byte written to device memory takes longer since so many are read for it; `updated`: the
 * share of what is written that is written where it is read. */
double sm_dram_turnaround_s(const struct sm_device *device, double reads, double updated,
			    double strips);

/* Occupancy: blocks of `block_threads` threads an SM holds at once; 0 = none fits. *limit names
 * what stops one more: "warps", "blocks", "registers", "shared memory". */
int sm_occupancy(const struct sm_device *device, uint32_t block_threads, uint32_t registers,
		 uint32_t shared_bytes, const char **limit);

/* The same, each limit by itself: blocks an SM could hold if nothing else were scarce; at most its
 * block slots. */
enum { SM_LIMIT_WARPS, SM_LIMIT_BLOCKS, SM_LIMIT_REGISTERS, SM_LIMIT_SHARED, SM_LIMIT_COUNT };
void sm_block_limits(const struct sm_device *device, uint32_t block_threads, uint32_t registers,
		     uint32_t shared_bytes, int blocks[SM_LIMIT_COUNT]);

/*
 * The knee of a level from a measured curve: bytes in flight -> bytes/s, least squares of the
 * logarithm of the time X / rate. *error is the root mean square of what is left (0.05: five per
 * cent).
 */
double sm_knee_fit(const double *inflight_bytes, const double *bytes_per_s, size_t count,
		   double latency_ns, double most_bytes_per_s, double *error);

#endif
