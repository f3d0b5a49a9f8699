/* SPDX-License-Identifier: MIT
 * What the files of the driver share: lmsor_driver.c (runs), lmsor_iterate.c (until it has
 * converged), lmsor_launch.c (what the machine is asked for).
 */
#ifndef WARPREEL_LMSOR_WORK_H
#define WARPREEL_LMSOR_WORK_H

#include <string.h>

#include "kernels/kit/domain.h"
#include "lmsor_params.h"

/* What a GPU has beside its strip. */
struct lmsor_own {
	uint32_t terms;	       /* device buffer */
	uint32_t norm, h_norm; /* slots 0 .. limit of max|u| after so many iterations; the host's
				  copy is pinned */
	uint32_t saved[2];  /* the strip at the begin of the last two chunks (check=device, several
			       GPUs) */
	uint32_t mailboxes; /* of all iterations in one launch; `norm` is its scoreboard then */
	uint32_t aside,
		event[2]; /* stream and events that bring a chunk's norms while the next one runs */
};

struct lmsor_work {
	struct solver_work base; /* as in struct domain_work; iterations: at most */
	struct domain domain;
	struct lmsor_params params; /* of a steady iteration: with one iteration, all that a slot of
				       the norm is needed for */
	struct lmsor_own *own;
	/* by thread 0, of the last run */
	int done;      /* iterations that were made */
	bool ended;    /* max|u| was small enough, or is no number */
	uint64_t norm; /* max|u| after them over all GPUs, as bits; 0: nobody checked */
};

/* Exactly base.iterations, whatever max|u| is. */
static inline bool lmsor_fixed(const struct lmsor_work *r)
{
	return r->params.iterations > 0 || r->base.warming;
}

static inline const struct machine_ops *lmsor_ops(const struct lmsor_work *r)
{
	return r->base.m->ops;
}

/* Words of the norm, or of the scoreboard. */
static inline int64_t lmsor_slots(const struct lmsor_work *r)
{
	return r->base.iterations + (r->params.method->whole ? SCOREBOARD_COUNTS : 0) + 1;
}

static inline uint64_t lmsor_bits(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* lmsor_launch.c. NULL on the plan machine. */
uint64_t *lmsor_slot(const struct lmsor_work *r, uint32_t buffer, int slot);
/* One colour of a strip and `extension` rows beyond it; slot < 0: no norm. `stops`: does nothing
 * once the norm is small. */
int lmsor_launch_sweep(struct lmsor_work *r, struct machine_thread *t, int colour,
		       int64_t extension, int slot, bool stops);
/* All iterations at once. */
int lmsor_launch_whole(struct lmsor_work *r, struct machine_thread *t);
int lmsor_launch_terms(struct lmsor_work *r, struct machine_thread *t);
/* Slots [from, to) of the norm, to the host or from it. */
int lmsor_copy_norms(struct lmsor_work *r, struct machine_thread *t, uint32_t stream, int from,
		     int to, bool down);

/* lmsor_iterate.c. From the start values to the end, and the thread of GPU 0 notes what that was;
 * work may be left on the stream. */
int lmsor_iterate(struct lmsor_work *r, struct machine_thread *t);

#endif
