/* SPDX-License-Identifier: MIT
 * Memory beyond L1 as one multiprocessor meets it: its port, its share of L2 and of DRAM, with all
 * others asking for as much.
 *
 * A level is a server with a latency. It takes requests in order at its rate (its share of the
 * device's), and a request's latency grows with what is in flight, as struct sm_memory_level says.
 * Reads wait for whichever is later; writes only take their turn.
 *
 * All others do the same, but not at the same time (SM_SKEW): the longer memory has served them,
 * the further they are apart, and what they ask for now is what this one asks for at some time
 * around now. So it may be served for time that it let pass just before, and finds as much in
 * flight as it had on average.
 */
#ifndef WARPREEL_SM_MEMORY_H
#define WARPREEL_SM_MEMORY_H

#include "model/device/sm_device.h"
#include "traffic.h"

enum { LEVEL_TABLE = 512 };

struct memory_level {
	double latency;			  /* cycles */
	double read_cycles, write_cycles; /* a byte, this SM's share of the rate */
	double busy;			  /* when what was asked so far has been served */
	double served;			  /* cycles that took */
	double skew;			  /* of them, how far multiprocessors are apart */
	double usual, usual_at; /* what is in flight, the mean over as much time, and when that was
				   worked out */
	double in_flight, writes_in_flight; /* this SM's, in cycles at the server */
	double write_wait; /* cycles a read takes longer where writes take all the time */
	double least;	   /* of latency, that every read takes */
	double spread;	   /* variance of the waiting over its mean, where much waits */
	double last;	   /* what the last request took, on average */
	double knee;	   /* of the growth of latency: 0 = it is either bound alone */
	double growth[LEVEL_TABLE + 1]; /* L(X) / latency over X / (rate * latency) from 0 to
					   GROWTH_END; 0 where nobody asked yet */
	struct in_flight *ring;
	size_t head, count, capacity; /* owned; in order of `done`; a power of two */
};

struct sm_memory {
	struct memory_level l2, l2_write, dram; /* L2 takes writes beside reads, which hold up the
						   writes a little; DRAM has one bus for both */
	double far;	    /* cycles a hit in the far half of L2 takes longer */
	double limit_bytes; /* in flight at once, 0 = no limit */
	double read_slot_bytes, write_slot_bytes; /* a request takes at least the time of so many */
	double atomic_cycles, atomic_free;	  /* a thread's */
	/* The slice of L2 that most atomics fall on: how much longer they take beside what DRAM
	 * moves (0: not known), which share of that time it is busy with it, until when it is, and
	 * cycles of DRAM that no atomic has stood behind yet. */
	double slice_longer, slice_dram, slice_busy, slice_in_the_way, slice_lines, slice_turn;
	double pending_bytes;
	struct in_flight *heap;
	size_t heap_count, heap_capacity; /* owned; what limit_bytes counts, by `done` */
	double dirty, dirty_share,
		dirty_turn; /* a line dirty in the far half: cycles more; which share of lines takes
			       them; of requests with such a line, the part not yet seen */
	double far_turn;    /* of requests with a line in the far half, the part not yet seen */
	/* the last request's lines, and how often one of so many is far, or dirty */
	double far_lines, far_lines_share, dirty_lines, dirty_lines_share;
	double acknowledged; /* when L2 has the last write */
};

struct in_flight {
	double done, size;
	bool write;
};

/* Of a block: its number, its warps; zero else. What reads that come at about the same time have in
 * common, and two in a row. */
struct sm_chance {
	uint32_t block, warps, bursts, reads;
	double common, own, until;
};

struct sm_memory_setup {
	double skew;	/* how far multiprocessors are apart: a share of the time that memory served
			   them. 0: they are in step */
	double sharers; /* multiprocessors that ask for as much as this one */
	struct traffic traffic; /* of the launch, or of all on this multiprocessor */
	double dram_read_share; /* of the bytes moved between L2 and DRAM, that are read */
	double background_dram_bytes_per_s; /* taken by copies */
};
void sm_memory_init(struct sm_memory *memory, const struct sm_device *device,
		    const struct sm_memory_setup *setup);
void sm_memory_release(struct sm_memory *memory);
/* With all that is in flight; sm_memory_release. */
struct sm_memory sm_memory_copy(const struct sm_memory *memory);
/* A warp's request for `bytes` in `lines` lines at time `at` (cycles); dram_share: of them, what L2
 * does not have. Returns when the data is back; *accepted: when the request was taken, before which
 * nothing behind it can be. */
double sm_memory_read(struct sm_memory *memory, struct sm_chance *chance, double at, double bytes,
		      double lines, double dram_share, double *accepted);
double sm_memory_write(struct sm_memory *memory, double at, double bytes, double lines, bool dram,
		       double *accepted);
/* How much later than this one, which ends after so many cycles, the last multiprocessor may end
 * for being behind; those that end sooner leave it their part of memory. */
double sm_memory_behind(const struct sm_memory *memory, double cycles);
/* When everything that was sent has arrived. */
double sm_memory_drained(const struct sm_memory *memory);
/* Atomics of `lanes` threads on `sectors` sectors; the result is back at the returned time. */
double sm_memory_atomic(struct sm_memory *memory, double at, double lanes, double sectors,
			double *accepted);

#endif
