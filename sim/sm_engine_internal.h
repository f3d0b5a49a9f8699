/* SPDX-License-Identifier: MIT
 * What the files of the engine share: sm_engine.c issues, sm_walk.c finds where a warp goes next, sm_blocks.c has the blocks come and go, sm_access.c
 * meets memory. Times in cycles.
 */
#ifndef WARPREEL_SM_ENGINE_INTERNAL_H
#define WARPREEL_SM_ENGINE_INTERNAL_H

#include "sm_engine.h"

enum { NEVER_STEP = -1, DEPBAR_DEPTH = 8, REGISTERS = 256, DIVIDED_MAX = 6 };

/* What choosing the next warp looks at, side by side in memory; one a warp slot, the slots of a sub-partition together. */
struct candidate {
	double ready;            /* stall count, scoreboards and barrier allow the next instruction; INFINITY = none, or at a barrier */
	const double *path;      /* when the path of the next instruction is free */
	int32_t class;           /* of the next instruction */
	int32_t age;
};

struct warp {
	int job, block, sub;     /* block: slot */
	int32_t step;            /* next instruction; NEVER_STEP = none */
	int32_t back;            /* where a call returns to */
	struct candidate *next;  /* its own */
	double issued;           /* last issue */
	double fixed;            /* stall count alone allows it */
	uint8_t reason;          /* what next->ready waits for */
	double board[WARP_SCOREBOARDS];
	uint8_t board_reason[WARP_SCOREBOARDS];
	double recent[WARP_SCOREBOARDS][DEPBAR_DEPTH]; /* completions behind each scoreboard, newest first */
	float visits[WARP_LOOPS_MAX]; /* left */
	int32_t other[DIVIDED_MAX]; int others; /* where threads of this warp that jumped wait, nearest last */
	double *reg;             /* class mode: when each register is there */
	uint8_t *reg_reason;
};

struct block { int job; int live, arrived; int64_t serial; /* among its job's */ struct sm_chance chance; };

struct engine {
	const struct sm_setup *setup;
	const struct sm_device *device;
	struct sm_run *run;
	struct sm_memory memory;
	struct warp *warp; int warp_slots;
	struct block *block; int block_slots;
	struct candidate *candidate;     /* [warp_slots] */
	int sub_slots, sub_used;         /* warps of a sub-partition; those of any that ever had one */
	struct { int warp; double at; bool stale; } *chosen; /* per sub-partition: its next issue, -1 = none */
	double *sub_free;                /* when it may issue again */
	double (*pipe)[SASS_CLASS_COUNT];/* per sub-partition */
	int *greedy;                     /* last issued */
	double *may;                     /* scratch: when each warp of one sub-partition may issue */
	double *served;                  /* when it last had a turn on a path of the whole SM */
	double lsu_free, shuffle_free, constant_free; /* paths of the whole SM */
	float **turn, **l2_turn, **dram_turn, **divided; /* error diffusion: per job and step */
	int64_t *handed, *ended; int *resident; /* per job */
	double *taken_back;    /* per job: when the device had its last ended block */
	int32_t next_age;
	double (*constant_at)[CONSTANT_LINES]; /* per job: when the multiprocessor has a line of the launch's parameters; 0: nobody asked yet */
	bool classes;                    /* no control bits: registers decide */
};

/* The engine at rest: every slot idle. Owned by the caller; sm_engine_release. */
void sm_engine_init(struct engine *e);
void sm_engine_release(struct engine *e);

/* The warp's next instruction is known: what it waits for. */
void sm_look_ahead(struct engine *e, struct warp *w);
/* It waits for something else, too. */
void sm_wait_for(struct warp *w, double until, uint8_t reason);

/* One more block of a job begins, not before `at`; false: none is left, or it has no place. */
bool sm_hand_out(struct engine *e, int job, double at);
/* All warps of a block have come. */
void sm_release_barrier(struct engine *e, int block, double at);
/* A warp has left; with the last one its block, which makes room for others. */
void sm_end_warp(struct engine *e, struct warp *w, double at);

/* Where the warp goes after its instruction `s`; NEVER_STEP: nowhere. Counts its visits. */
int32_t sm_next_step(struct engine *e, struct warp *w, const struct warp_step *s);

/*
 * An instruction that goes to memory at `at`: when its result is there, how long it holds the path, and what its result came from
 * (enum stall_reason).
 */
double sm_access(struct engine *e, const struct warp *w, const struct warp_step *s, double at, double *path_cycles, uint8_t *reason);

#endif
