/* SPDX-License-Identifier: MIT
 * A grid cut into strips of rows, one a GPU, and the exchange of their borders: what drivers of
 * stencil solvers share. The way through host memory is that of Spampinato, "Modeling Communication
 * on Multi-GPU Systems", Figures 5.21 and 5.23.
 */
#ifndef WARPREEL_STRIPS_H
#define WARPREEL_STRIPS_H

#include "kernels/machine/machine.h"

/*
 * Rows of a strip, global indices: it owns interior rows [begin, end) and stores [begin - top, end
 * + bottom), where top and bottom are the halo rows (toward a neighbour) or the one boundary row.
 */
struct strip {
	int64_t begin, end;
	int64_t top, bottom; /* stored rows above and below */
	bool has_north, has_south;
};
struct strip strip_of(int64_t rows, int64_t halo, uint32_t gpus,
		      uint32_t gpu); /* rows: of the whole grid, boundary included */

enum side { NORTH, SOUTH, SIDES };

/* One GPU's part. */
struct strip_part {
	struct strip strip;
	int64_t stored_rows;
	uint32_t grid, stream; /* the strip's device buffer, and the stream all its work is on */
	uint32_t done, sent;   /* events: cycle computed; borders sent (peer) */
	uint32_t done_count, sent_count; /* counters: cycles whose event was recorded */
	uint32_t stage[SIDES]; /* pinned staging of the border sent through that side (host) */
	uint32_t written[SIDES], read[SIDES]; /* counters w and r of that border */
};

struct strips {
	struct machine *m;
	uint32_t gpus;
	int64_t rows, halo,
		row_bytes;	 /* of the whole grid; halo rows; bytes of a row on the device */
	bool peer;		 /* GPU to GPU; else through host memory */
	struct strip_part *part; /* [gpus] */
};

/* The caller fills all but `part`. Makes buffers, streams and what exchanges need; -1 after a
 * message. Release in either case. */
int strips_make(struct strips *strips);
void strips_release(struct strips *strips);

/* Runs body(thread, arg) on all GPUs; the times between the last threads to pass the marks of the
 * core loop, and of the whole. */
int strips_run(struct strips *strips, int (*body)(struct machine_thread *t, void *arg), void *arg,
	       struct machine_thread *threads, int64_t *core_ns, int64_t *total_ns);

/*
 * Inside a thread: sends `halo` rows of each border to the neighbours and receives theirs; in
 * stream order. The cycles of a run count from 0.
 */
int strips_exchange(struct strips *strips, struct machine_thread *t, int64_t cycle);

/*
 * The whole strip between the host's row-major grid and `device`, a buffer with rows of
 * device_row_bytes: halo included on the way up, own and boundary rows on the way down.
 */
int strips_transfer(struct strips *strips, struct machine_thread *t, uint32_t h_grid,
		    int64_t h_row_bytes, uint32_t device, int64_t device_row_bytes, bool up);

#endif
