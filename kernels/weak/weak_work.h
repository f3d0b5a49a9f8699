/* SPDX-License-Identifier: MIT
 * What the driver of the image families holds, and what it asks of a family.
 */
#ifndef WARPREEL_WEAK_WORK_H
#define WARPREEL_WEAK_WORK_H

#include "kernels/weak/weak_params.h"

/* A GPU has all arrays, and steps on its rows of blocks; those beside it write into its borders. */
struct weak_gpu {
	uint32_t stream;
	/* buffers; values: where a launch finds them, and the others of synchronous steps */
	uint32_t values[2], constants, status, pack, order, ages, watch;
	uint32_t h_status;
	int first, blocks; /* in the order of ids */
	int current;	   /* of the two values */
	/* of the last run */
	int done;
	float change;	  /* the residual at the last check */
	float changed[2]; /* what its own blocks did, at even and odd checks */
};

struct weak_work {
	struct solver_work base; /* iterations: steps at most */
	const struct weak_params *params;
	struct weak_problem problem;
	struct weak_gpu *gpu; /* [base.gpus] */
	uint32_t h_values, h_constants, h_pack, h_order, h_ages, h_watch;
	double residual_wanted; /* negative: exactly base.iterations steps */
	double omega;
};

static inline const struct machine_ops *weak_ops(const struct weak_work *w)
{
	return w->base.m->ops;
}

/* Blocks note when they were where, for one of the two tables. */
static inline bool weak_watched(const struct weak_params *p)
{
	return p->watch || p->phases;
}

/* Exactly base.iterations steps, whatever the residual is. */
bool weak_fixed(const struct weak_work *w);
void *weak_address(const struct weak_work *w, uint32_t buffer); /* NULL on the plan machine */
int64_t weak_values_bytes(const struct weak_work *w);
int64_t weak_constants_bytes(const struct weak_work *w);
int64_t weak_status_bytes(void);
/* On the thread's own stream. */
int weak_copy(const struct weak_work *w, struct machine_thread *t, uint32_t source, uint32_t target,
	      int64_t bytes);
/* The tables that --ages, --watch and --phases ask for, of what came down; -1 after a message. */
int weak_write_notes(const struct weak_work *w);
/* Left and right borders of all blocks. */
void weak_fill_pack(const struct weak_problem *p, float *pack);

/*
 * The driver: functions of struct solver. A family's own begin() makes work->problem and calls
 * weak_begin; its end() calls weak_end; its check() calls weak_check.
 */
int weak_begin(struct weak_work *w);
void weak_end(struct weak_work *w);
uint32_t weak_stream(const struct solver_work *work, uint32_t gpu);
void weak_fill(struct solver_work *work, uint64_t seed);
int weak_restart(struct solver_work *work);
int weak_up(struct solver_work *work, struct machine_thread *t);
/* Two steps of base, there and back, unchecked: for times of its kernel alone. */
int weak_steady(struct solver_work *work, struct machine_thread *t);
int weak_core(struct solver_work *work, struct machine_thread *t);
int weak_down(struct solver_work *work, struct machine_thread *t);
void weak_result(struct solver_work *work, struct solver_result *result);
int weak_check(const struct weak_work *w, struct solver_result *result);
/* The problem with the values that came down; borrowed. */
struct weak_problem weak_after(const struct weak_work *w);
bool weak_open_ended(const void *params);
extern const struct solver_column weak_columns[];
extern const struct option_standard weak_planned[];

/* What of struct solver is the same for every family. */
#define WEAK_DRIVER                                                                                \
	.alone = true, .columns = weak_columns, .planned = weak_planned,                           \
	.open_ended = weak_open_ended, .stream = weak_stream, .fill = weak_fill,                   \
	.restart = weak_restart, .up = weak_up, .iterate = weak_steady, .core = weak_core,         \
	.down = weak_down, .result = weak_result

#endif
