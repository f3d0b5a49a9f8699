/* SPDX-License-Identifier: MIT
 * What the files of the driver share: rbsor_driver.c (the order of launches), rbsor_launch.c (what
 * the machine is asked for).
 */
#ifndef WARPREEL_RBSOR_WORK_H
#define WARPREEL_RBSOR_WORK_H

#include "kernels/kit/domain.h"
#include "rbsor_geometry.h"
#include "rbsor_params.h"

/* What a GPU has for kernel store besides its part; of events one a half-sweep by turns, each also
 * a counter's. */
struct rbsor_border {
	uint32_t stream;		/* of the rows next to a neighbour */
	uint32_t edges[2], interior[2]; /* events: updated */
	uint32_t count;			/* half-sweeps whose edges event was recorded */
};

struct rbsor_work {
	struct domain_work w;  /* first */
	uint32_t flags, zeros; /* kernel persistent: buffers of its blocks, and of what they begin
				  with */
	struct rbsor_border *border; /* [gpus] kernel store */
};

/* Each puts one launch on the stream of the thread's GPU; `extension` points beyond its part are
 * updated, too. */
/* A colour, in place. */
int rbsor_launch_sweep(const struct domain_work *w, struct machine_thread *t, int colour,
		       int64_t extension);
/* A colour of the rows next to neighbours, on the stream for those, and into the neighbours' halos.
 */
int rbsor_launch_edges(const struct rbsor_work *r, struct machine_thread *t, int colour);
/* Iterations of both, from buffer `from` to the other. */
int rbsor_launch_pass(const struct domain_work *w, struct machine_thread *t,
		      const struct rbsor_pass_kernel *kernel, int from, int64_t extension);
/* All iterations of a whole grid; rbsor_loop_result() says to which buffer. */
int rbsor_launch_loop(struct rbsor_work *r, struct machine_thread *t, int iterations);

/* The flags of rbsor_launch_loop's blocks: buffers, and zeros to them before a run. */
int rbsor_flags_make(struct rbsor_work *r);
int rbsor_flags_up(struct rbsor_work *r, struct machine_thread *t);

/* rbsor_store.c: what kernel store needs, before every run anew, and its iterations. */
int rbsor_store_make(struct rbsor_work *r);
int rbsor_store_restart(struct rbsor_work *r);
int rbsor_store_core(struct rbsor_work *r, struct machine_thread *t);

#endif
