/* SPDX-License-Identifier: MIT
 * What the files of the driver share: patches_driver.c (a run), patches_begin.c (its memory),
 * patches_launch.c (what the machine is asked for), patches_exchange.c (ghost values),
 * patches_check.c (start values and results).
 */
#ifndef WARPREEL_PATCHES_WORK_H
#define WARPREEL_PATCHES_WORK_H

#include "patches_inverse.h"
#include "patches_params.h"
#include "patches_solve.h"

/* Links of a GPU that are filled together: those from a buffer to another. */
struct patches_links {
	struct patches_ghost *link;
	size_t count, capacity;
	int32_t first[3]; /* of each phase, and the end: in the GPU's table */
	int32_t most[2];  /* cells of the largest link of a phase */
	int64_t cells[2]; /* of a phase */
};

/* Values that one GPU sends another. */
struct patches_message {
	struct patches_links pack, unpack;
	uint32_t send, receive;		    /* buffers: of the sender, of the receiver */
	int64_t from[3];		    /* first element of each phase, and the end */
	uint32_t packed, taken;		    /* events: values are in `send`; have left it */
	uint32_t packed_count, taken_count; /* counters: how often each was recorded */
};

struct patches_gpu {
	uint32_t u, v, f;  /* device buffers; v only where a second one is needed */
	uint32_t h_u, h_f; /* pinned */
	uint32_t inverse, diagonal, box, links, packed;
	uint32_t h_inverse, h_diagonal, h_box, h_links;
	uint32_t stream;	    /* all work, but for launches a patch ... */
	uint32_t *side;		    /* ... and products, which have [work->sides] */
	uint32_t *done;		    /* and an event each */
	uint32_t begun;		    /* event: the step before is done */
	struct patches_links own;   /* within the GPU */
	struct patches_message *to; /* [gpus] */
	int64_t link_count;
};

struct patches_work {
	struct solver_work base; /* first */
	struct patches_params params;
	struct patch_set set;
	struct patches_tables tables;
	struct patches_gpu *gpu;
	uint64_t seed;	      /* of the start values, and of chaotic orders on the CPU */
	int steady_step;      /* steps that were put on the stream, without a run */
	int32_t chunk_blocks; /* blocks of a product at most */
	int sides;	      /* streams beside the one that all else is on */
	int *patch_done;      /* [patches], --use: iterations; negative: and not converged */
	double start_norm;    /* 2-norm of the residual before the first step */
};

static inline const struct machine_ops *patches_ops(const struct patches_work *w)
{
	return w->base.m->ops;
}
/* Whether steps alternate between u and v. */
static inline bool patches_swaps(const struct patches_params *p)
{
	return p->method == METHOD_JACOBI && !p->kernel->advance && !p->kernel->advances;
}

/* patches_launch.c: boxes [first, first + count) of the thread's GPU, step `step`, on `stream`. */
int patches_launch(struct patches_work *w, struct machine_thread *t, int32_t first, int32_t count,
		   int step, uint32_t stream);

/* The side streams wait for the main one; back: it for them. */
int patches_join(struct patches_work *w, struct machine_thread *t, bool back);

/* patches_exchange.c. -1 after a message. */
int patches_exchange_make(struct patches_work *w);
int patches_exchange_restart(struct patches_work *w);
void patches_exchange_release(struct patches_work *w);
/* All ghost values of buffer `second ? v : u`; the k-th time in a run. */
int patches_exchange(struct patches_work *w, struct machine_thread *t, bool second, int64_t k);

/* patches_begin.c: of struct solver. */
int patches_begin(struct solver_work *work);
void patches_end(struct solver_work *work);

/* patches_chaos.c: --method chaotic, for a simulator; -1 after a message. */
int patches_chaos(const void *params, struct chaos_case *c);
bool patches_chaotic(const void *params);

/* patches_check.c. */
void patches_fill(struct solver_work *work, uint64_t seed);
int patches_check(struct solver_work *work, struct solver_result *result);

#endif
