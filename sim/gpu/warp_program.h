/* SPDX-License-Identifier: MIT
 * One warp's way through a kernel: the instructions of a profile with what the engine needs of
 * each, and where control goes, recovered from how often each instruction ran.
 *
 * A branch knows the share of its visits that fall through, a loop how often its body runs an
 * entry. Shares are dealt out to warps by error diffusion, so that any number of warps runs each
 * instruction as often as the profile says, to within one, and the same way every time.
 */
#ifndef WARPREEL_WARP_PROGRAM_H
#define WARPREEL_WARP_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/profiles/kernel_profile.h"
#include "traces/profiles/sass.h"

enum {
	WARP_LOOPS_MAX = UINT16_MAX, /* of a kernel: warp_step.loop counts them */
	WARP_SCOREBOARDS = 6,
	WARP_DEPTHS = 4 /* 0: outside all loops; further in than 3 counts as 3 */
};
enum {
	CONSTANT_LINE_BYTES = 64,
	CONSTANT_LINES = SASS_CONSTANT_BYTES / CONSTANT_LINE_BYTES
};			  /* words 60 and 64 bytes in are two reads, on Hopper */
enum { NEVER_STEP = -1 }; /* no instruction comes next: the warp has ended */
enum warp_flow {
	FLOW_NEXT,   /* on to the next instruction */
	FLOW_BRANCH, /* falls through with `share`, else to `target` */
	FLOW_LOOP, /* back to `target` until its `share`-th visit since the loop was entered; always
		      when share is 0 */
	FLOW_LEAVE,   /* a way out of a loop: falls through until its `share`-th visit, then on to
			 `target`, or the warp ends */
	FLOW_CALL,    /* to `target`, one level deep */
	FLOW_RETURN,  /* behind the call */
	FLOW_EXIT,    /* ends the warp, unless it falls through with `share` */
	FLOW_BARRIER, /* waits for the block */
};

struct warp_step {
	uint8_t class; /* enum sass_class */
	uint8_t flow;  /* enum warp_flow */
	uint8_t stall, wait_mask;
	uint8_t write_barrier, read_barrier; /* 7 = none */
	int8_t depbar_scoreboard, depbar_count;
	int16_t destination, source[4];
	uint8_t destination_count;
	uint16_t constant_line; /* of launch dimensions and parameters, that it reads;
				   CONSTANT_LINES: none */
	uint16_t loop;		/* FLOW_LOOP, FLOW_LEAVE: which of a warp's counters */
	uint16_t own;		/* FLOW_BRANCH, FLOW_EXIT, FLOW_LOOP: all warps of a block go the
				   same way (find_own), and 1 + which of a warp's counters deals its
				   share; 0: it is dealt to one warp after the other */
	uint8_t depth;		/* loops around it, also those that call its function */
	uint8_t port_cycles;	/* to read its operands: the registers of a bank come one a cycle */
	int32_t target;		/* step */
	float share;
	float diverges; /* FLOW_BRANCH: share of visits after which the warp also comes to `target`,
			   with the threads that jumped */
	/* memory, per execution by a warp */
	float sectors;	   /* 32-byte sectors asked of L1, or changed */
	float tags;	   /* lines looked up */
	float wavefronts;  /* passes over shared memory */
	float lanes;	   /* threads that take part */
	float texels;	   /* of 32 bits, by the texture units */
	bool multiply_add; /* of integers: half of the FP32 pipe has it */
	float l2_share;	   /* of the sectors, that goes on to L2 */
	float l2_asks;	   /* of the executions, that go on to L2 with some of their lines */
	bool fence;	   /* holds its warp until L2 has what was written before */
	float poll_cycles; /* looks at what another block writes, over and over until it is there:
			      a round of that loop, beyond the access; 0: it does not */
};

struct warp_program {
	const char *kernel; /* borrowed from the profile */
	struct warp_step *step;
	size_t count; /* owned */
	size_t loops; /* counters a warp needs: loops, and ways out of them, and `own` turns */
	struct warp_own {
		uint16_t counter;
		float a_block; /* how far the turn comes with a block; [0, 1) */
	} * own;	       /* owned */
	size_t owns;
	uint32_t block_threads, registers, shared_bytes; /* of a block: static and dynamic */
	double warps;			      /* of the profiled launch, as counted at the entry */
	double instructions;		      /* a warp, average */
	double instructions_at[WARP_DEPTHS];  /* the same by depth */
	int depths;			      /* of the innermost loop */
	double l2_read_bytes, l2_write_bytes; /* a warp, average */
	double strips;	 /* share of l2_write_bytes by stores that a warp comes back to */
	double atomics;	 /* threads' atomics, a warp, average */
	bool polls;	 /* waits for what another block writes */
	int64_t unknown; /* executed instructions, a launch, whose opcode the decoder does not know
			  */
	char first_unknown[16];
};

/* -1 after a message: nothing was executed, or more loops than can be counted. Names the file of
 * the profile in messages. */
int warp_program_build(struct warp_program *program, const struct kernel_profile *profile,
		       const char *file);
void warp_program_release(struct warp_program *program);

#endif
