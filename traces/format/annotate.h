/* SPDX-License-Identifier: MIT
 * What a program may tell the recorder while it runs. The recorder (libwarpreel-recorder.so, loaded
 * by the CUDA driver through CUDA_INJECTION64_PATH) exports `warpreel_annotate_table`; a program
 * finds it with dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOLOAD | RTLD_LAZY) and dlsym. Not
 * recorded: no table, no cost.
 */
#ifndef WARPREEL_ANNOTATE_H
#define WARPREEL_ANNOTATE_H

#include <stddef.h>
#include <stdint.h>
#include "traces/schedule/schedule.h"

#define WARPREEL_ANNOTATE_ABI 7

enum note_host_kind {
	NOTE_POST = 1,
	NOTE_AWAIT_BLOCK = 2,
	NOTE_AWAIT_SPIN = 3,
	NOTE_BARRIER = 4,
	NOTE_MARK = 5,
	/* Of a program on virtual GPUs (docs/as-gpus.md). What the thread did meanwhile, it would
	 * not do on several GPUs. */
	NOTE_HIDDEN = 6,
	/* Hidden, too; and the thread's next call copies between devices: object is source << 16 |
	 * target (0xffff: unknown), value 1 where the program called cudaMemcpyPeer. */
	NOTE_PEER_COPY = 7,
	/* What memory a virtual device, object, holds from now on: value, bytes. */
	NOTE_MEMORY = 8
};

/* The object of NOTE_BARRIER from which on barriers are met by threads of all processes, not of
 * one.
 */
enum { NOTE_BARRIER_OF_PROCESSES = 0x7f000000 };

/* A launch's data footprint and shape; belongs to the next kernel launch of the calling thread. */
struct note_footprint {
	char kernel[32]; /* what our drivers call it, NUL-terminated: rbsor_tuned_f32 */
	int64_t rows, columns, points, dram_bytes, resident_bytes;
	uint32_t access_count; /* <= 8 */
	struct schedule_access access[8];
	int32_t path, steps; /* struct launch_geometry; -1 = unknown */
};

/* Where and when the blocks of one launch ran, on the device's own clocks: known after the run, so
 * it names the launch itself. */
struct note_block {
	uint32_t block, sm;
	uint64_t begin_ns, end_ns, begin_clock, end_clock;
};
struct note_blocks {
	char kernel[32];
	uint32_t device;
	uint64_t grid; /* what the launch is called on the device; the tracer has the same number. 0
			  = unknown */
	uint64_t grid_blocks;
	size_t count;
	const struct note_block *block;
};

/* One rank's part in an operation of several GPUs. The call, whose time is hidden, was answered
 * without them (docs/as-gpus.md). */
struct note_collective {
	void *context, *stream; /* CUcontext, CUstream */
	uint64_t communicator;	/* equal for all ranks */
	int64_t bytes;		/* trace_collective.bytes */
	uint64_t start_ns, end_ns;
	enum collective_kind kind;
	int peer; /* partner or root; -1: none */
	int ranks, rank;
	uint32_t call; /* parts of one group have one number */
};

/* Calls of MPI by which a rank waits for others (docs/processes.md). */
enum message_kind {
	MESSAGE_SEND = 1,
	MESSAGE_RECEIVE,
	MESSAGE_OF_ALL,	   /* each rank waits for all others: barrier, all-reduce */
	MESSAGE_FROM_ROOT, /* each waits for peer: broadcast */
	MESSAGE_TO_ROOT	   /* peer waits for all: reduce */
};
/* A blocking call is both. */
enum message_phase { MESSAGE_BEGINS = 1, MESSAGE_ENDS = 2 };
struct note_message {
	enum message_kind kind;
	int phase; /* enum message_phase */
	uint64_t communicator;
	int rank, peer, tag; /* ranks are those of MPI_COMM_WORLD */
	uint32_t number;
	int64_t bytes;
	uint64_t start_ns, end_ns; /* of the call */
};

struct warpreel_annotate {
	int abi;		  /* WARPREEL_ANNOTATE_ABI */
	uint64_t (*now_ns)(void); /* the clock of the trace */
	/* One host-side operation of the calling thread. object: counter or barrier id, or enum
	 * mark. */
	void (*host_op)(enum note_host_kind kind, uint32_t object, int64_t value, uint64_t start_ns,
			uint64_t end_ns);
	void (*footprint)(const struct note_footprint *footprint);
	/* A run begins/ends (batch: several in one process). `solver` and `config` name it; end:
	 * both NULL. */
	void (*run)(const char *solver, const char *config, uint32_t gpus);
	void (*blocks)(const struct note_blocks *blocks);
	/* From now on `context` (a CUcontext) stands for a virtual device. */
	void (*virtual_device)(void *context, uint32_t device);
	void (*collective)(const struct note_collective *collective);
	void (*message)(const struct note_message *message);
};

#endif
