/* SPDX-License-Identifier: MIT
 * A grid cut into parts, one a GPU, and the exchange of their borders: what drivers of stencil
 * solvers share. Parts are strips of rows, or blocks: `down` x `across` of them, GPU g in block row
 * g / across. The way through host memory is that of Spampinato, "Modeling Communication on
 * Multi-GPU Systems", Figures 5.21 and 5.23; blocks exchange in two phases (Figure 5.26).
 *
 * A grid is `rows` rows of `columns` columns of column_bytes. In three dimensions a row is a plane
 * and a column a line of it, so that strips are slabs along z and blocks are bars along x; nothing
 * here knows the difference.
 */
#ifndef WARPREEL_PARTS_H
#define WARPREEL_PARTS_H

#include "kernels/machine/machine.h"

/*
 * One dimension of a part, global indices: it owns interior points [begin, end) and stores [begin -
 * low, end + high), where low and high are the halo (toward a neighbour) or the one boundary point.
 */
struct span {
	int64_t begin, end;
	int64_t low, high;
	bool has_low, has_high; /* a neighbour there */
};
/* Part `part` of `parts` of `extent` points, boundary included. */
struct span span_of(int64_t extent, int64_t halo, uint32_t parts, uint32_t part);
static inline int64_t span_owned(const struct span *span)
{
	return span->end - span->begin;
}
static inline int64_t span_stored(const struct span *span)
{
	return span->low + span_owned(span) + span->high;
}

enum side { NORTH, SOUTH, WEST, EAST, SIDES };
enum { PART_BUFFERS = 2, PART_PHASES = 2, PART_WORKERS = 2 };

/* One GPU's part. */
struct part {
	struct span rows, columns;
	int64_t stored_rows, stored_columns;
	uint32_t buffer[PART_BUFFERS]; /* the part on its GPU; the second where asked for */
	uint32_t stream;	       /* all its work is on it */
	uint32_t stage[SIDES]; /* pinned staging of the border sent through that side (host) */
	uint32_t written[SIDES], read[SIDES]; /* counters w and r of that border */
	struct {
		uint32_t done, sent;		 /* events: cycle computed; borders sent (peer) */
		uint32_t done_count, sent_count; /* counters: cycles whose event was recorded */
	} phase[PART_PHASES];
	/* By workers: those of its own, each for the borders of one end of rows and of columns. */
	bool has_workers;
	uint32_t computed; /* event: what they send is there */
	struct {
		uint32_t stream, go, gone; /* counters: exchanges asked for, exchanges made */
	} worker[PART_WORKERS];
	/* By messages: borders that do not lie in one piece. */
	uint32_t packed[SIDES], arrived[SIDES];
};

/* A rectangle of a part, local indices. */
struct region {
	int64_t row_begin, row_end, column_begin, column_end;
};
/* What a part owns, and `extension` points of the halo wherever there is a neighbour. */
struct region part_region(const struct part *part, int64_t extension);

struct parts {
	/* By the caller. */
	struct machine *m;
	uint32_t gpus, across; /* parts; of them side by side: 1 for strips, divides gpus */
	int64_t rows, columns; /* of the whole grid, boundary included */
	int64_t halo;	       /* rows and columns stored beyond a part, toward a neighbour */
	int64_t column_bytes;  /* of a point, or of a line of a plane */
	int64_t row_bytes; /* of a row on the device; 0: the widest part's, in whole 512 bytes */
	int buffers;	   /* of a part: 1 or 2 */
	bool peer;	   /* GPU to GPU; else through host memory */
	bool free_order;   /* each sends to the side before first; else odd ranks do, and even ones
			      to the side behind (Figure 5.23) */
	bool pageable;	   /* the staging in host memory: not page-locked */
	bool workers;  /* through host memory: a part with two neighbours in a row or column has two
			  threads besides its own, one a border (Figure 5.24) */
	bool messages; /* GPU to GPU: by messages of the machine's, through `channel` */
	enum machine_channel channel;
	bool one_thread; /* drives all GPUs, so that nobody waits for another; calls
			    parts_exchange_all */
	/* By parts_make. */
	struct part *part; /* [gpus] */
	uint32_t *fork;	   /* [gpus] of one thread: events by which other streams leave that of GPU
			      0, and come back to it */
	uint32_t helpers;  /* threads of workers */
	/* How threads wait for each other; may be changed before the first run. */
	enum await_policy policy; /* peer: spinning; host: condition variables */
};

/* Reads how a grid is cut: "strips", or blocks as ROWSxCOLUMNS of them, one for each GPU; *across
 * is how many lie side by side. -1 after a message. */
int parts_partition(const char *text, uint32_t gpus, uint32_t *across);

/* Whether every part is at least as thick as its halo; -1 after a message that names both. */
int parts_check(const struct parts *parts, const char *what /* "border 3" */);

/* Makes buffers, streams and what exchanges need; -1 after a message. Release in either case. */
int parts_make(struct parts *parts);
void parts_release(struct parts *parts);
/* Before every run: the cycles of a run count from 0. */
int parts_restart(struct parts *parts);

/*
 * Inside a thread: sends `halo` rows (and columns) of each border of buffer `which` to the
 * neighbours and receives theirs, corners too; in stream order. `cycle` counts exchanges.
 */
int parts_exchange(struct parts *parts, struct machine_thread *t, int64_t cycle, int which);
/* What helper `number` does in a run of so many exchanges; which: [gpus] the buffers that are
 * exchanged, looked at once the GPU's own thread has asked for an exchange. */
int parts_help(struct parts *parts, struct machine_thread *t, uint32_t number, int64_t exchanges,
	       const int *which);
/* All borders of all parts, by the one thread; which: [gpus]. GPU to GPU nothing but events orders
 * them. */
int parts_exchange_all(struct parts *parts, struct machine_thread *t, const int *which);

/*
 * The whole part between the host's row-major grid (rows without padding) and `device`, a buffer
 * with rows of device_row_bytes: halo included on the way up, own and boundary points on the way
 * down.
 */
int parts_transfer(struct parts *parts, struct machine_thread *t, uint32_t h_grid, uint32_t device,
		   int64_t device_row_bytes, bool up);

#endif
