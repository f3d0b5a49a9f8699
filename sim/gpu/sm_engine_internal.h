/* SPDX-License-Identifier: MIT
 * What the files of the engine share: sm_engine.c issues, sm_control_flow.c finds where a warp goes
 * next, sm_blocks.c has the blocks come and go, sm_access.c meets memory, sm_local.c issues what is
 * nothing to other sub-partitions, sm_snapshot.c goes on with more blocks. Times in cycles.
 */
#ifndef WARPREEL_SM_ENGINE_INTERNAL_H
#define WARPREEL_SM_ENGINE_INTERNAL_H

#include "sm_engine.h"

enum { DEPBAR_DEPTH = 8, REGISTERS = 256, DIVIDED_MAX = 6 };

struct warp {
	const struct warp_step *program;
	int32_t steps;
	int32_t step;	     /* next instruction; NEVER_STEP = none */
	int job, block, sub; /* block: slot */
	int place;	     /* among its sub-partition's; the one behind them = none */
	double ready; /* stall count, scoreboards and barrier allow the next instruction; INFINITY =
			 none, or at a barrier */
	double issued; /* last issue */
	double fixed;  /* stall count alone allows it */
	int32_t back;  /* where a call returns to */
	int others;
	uint8_t reason; /* what `ready` waits for */
	uint8_t scoreboard_reason[WARP_SCOREBOARDS], newest[WARP_SCOREBOARDS];
	double scoreboard[WARP_SCOREBOARDS + 2];       /* and two that nobody waits for: none */
	double recent[WARP_SCOREBOARDS][DEPBAR_DEPTH]; /* completions behind each scoreboard, from
							  the newest on, in a ring */
	double copied;		    /* all of its asynchronous copies so far have arrived */
	double code_at;		    /* its next instruction is there */
	float *visits;		    /* left of each loop, engine.loops */
	int32_t other[DIVIDED_MAX]; /* where threads of this warp that jumped wait, nearest last */
	double *reg;		    /* class mode: when each register is there */
	uint8_t *reg_reason;
};

/* What choosing the next warp looks at, side by side in memory. */
struct candidate {
	double ready;	    /* as in struct warp */
	const double *path; /* when the path of the next instruction is free */
	struct warp *warp;
};

struct partition {	   /* of the SM: a warp scheduler and its pipes */
	double free;	   /* when it may issue again */
	double read;	   /* until when operands hold that up */
	struct warp *last; /* issued last */
	struct candidate *candidate;
	int count; /* its warps, the oldest first; behind the last place, one that is never ready */
	int waiting;		       /* of its warps, at a barrier */
	bool stale;		       /* its next issue has to be chosen again */
	double pipe[SASS_CLASS_COUNT]; /* when each is free */
	double multiply_add; /* when the half of the FP32 pipe is that has integers, too */
	double *path_of[SASS_CLASS_COUNT + 2]; /* its pipe, or a path of the whole SM; two more:
						  sm_local.c */
};

/* A sub-partition's next issue. */
struct next_issue {
	double at;     /* INFINITY = none */
	double served; /* when the sub-partition last had a turn on a path of the whole SM */
	const struct candidate *candidate;
};

struct block {
	int job;
	int live, arrived;
	int64_t serial;	 /* among its job's */
	double released; /* when its last fence was through; 0: none yet */
	struct sm_chance chance;
};

enum { SM_CODE_WAYS = 4 };
/* What an instruction cache holds (sm_code.c). */
struct code {
	double **line_at; /* per job and line: when it is there; 0: it is not */
	struct code_line {
		int job;
		int32_t line;
		int64_t wanted; /* when last, counted; 0: nothing is there */
	} * line;		/* set after set */
	size_t capacity;
	int64_t wanted;
	double free; /* when the next line may be asked for */
};

struct engine {
	const struct sm_setup *setup;
	const struct sm_device *device;
	struct sm_run *run;
	struct sm_memory memory;
	struct warp *warp;
	int warp_slots, idle; /* the slots of a sub-partition together */
	struct block *block;
	int block_slots;
	struct partition *partition;
	int sub_slots;		 /* warps of one */
	int *dealt, *places;	 /* warps of a block in a sub-partition; of all blocks there */
	size_t loops;		 /* of the job that has most */
	struct next_issue *next; /* per sub-partition */
	int *stale, stale_count; /* sub-partitions whose next issue has to be chosen again */
	double held[2][4];     /* others from issue, by an instruction whose operands take a bank so
				  many cycles; [1]: of FP64 */
	double multiply_add;   /* cycles that one holds its half of the FP32 pipe; 0: as FP32 */
	bool flags;	       /* blocks wait for those of others */
	bool decides;	       /* a block does for its warps, where they meet at a barrier */
	double flag_later;     /* a flag is seen, for each block that raises one beside it */
	double shuffle_held;   /* others from issue, by a shuffle; 0: as by any other */
	double texture_cycles; /* of the texture units, for a texel of 32 bits; 0: as loads */
	double lsu_free, shuffle_free, constant_free, texture_free; /* paths of the whole SM */
	float **turn, **l2_turn, **dram_turn, **divided; /* error diffusion: per job and step */
	int64_t *handed, *ended;
	int *resident;	    /* per job */
	double *taken_back; /* per job: when the device had its last ended block */
	double (*constant_at)[CONSTANT_LINES]; /* per job: when the multiprocessor has a line of the
						  launch's parameters; 0: nobody asked yet */
	struct code *code, code_far;	       /* a sub-partition's, the multiprocessor's */
	struct local_step *local; /* of the one job; NULL: all take their turns (sm_local.c) */
	bool code_fits;		  /* a line that came stays */
	bool depbars;		  /* some instruction waits for all but the last few */
	bool classes;		  /* no control bits: registers decide */
	int64_t turns;		  /* taken by play() */
	struct owned {
		void *memory;
		size_t bytes;
	} * owned;
	size_t owned_count, owned_capacity; /* what the pointers above lead to */
	struct sm_snapshot *snapshot; /* wants to know when there is no more block of job 0; NULL =
					 nobody does */
};

/* The engine at rest: every slot idle. Owned by the caller; sm_engine_release. */
void sm_engine_init(struct engine *e);
void sm_engine_release(struct engine *e);
/* Zeroes, and part of what a snapshot copies. */
void *sm_own(struct engine *e, size_t count, size_t bytes);
/* Hands out the first blocks. */
void sm_engine_fill(struct engine *e);
/* From where the engine is to the end; -1 after a message. */
int sm_engine_finish(struct engine *e);

/* Job 0 would be handed another block, at this time, if there were one. */
void sm_snapshot_keep(struct sm_snapshot *snapshot, const struct engine *e, double at);

static inline bool sm_uses_lsu(int class)
{
	return class >= SASS_SHARED_LOAD && class <= SASS_ASYNC_COPY;
}

static inline bool sm_shared_path(int class)
{
	return sm_uses_lsu(class) || class == SASS_SHUFFLE || class == SASS_CONSTANT;
}

static inline double sm_later(double a, double b)
{
	return a > b ? a : b;
}

static inline void sm_raise_scoreboard(struct warp *w, int scoreboard, double until, uint8_t reason)
{
	if (until > w->scoreboard[scoreboard]) {
		w->scoreboard[scoreboard] = until;
		w->scoreboard_reason[scoreboard] = reason;
	}
	double newest = w->recent[scoreboard][w->newest[scoreboard]];
	w->newest[scoreboard] = (uint8_t)(w->newest[scoreboard] + DEPBAR_DEPTH - 1) % DEPBAR_DEPTH;
	w->recent[scoreboard][w->newest[scoreboard]] =
		newest > until ? newest : until; /* in order */
}

/* When an instruction that waits for all but the last few behind a scoreboard may go on; 0: it
 * does not. */
static inline double sm_depbar(const struct warp *w, const struct warp_step *s)
{
	const int scoreboard = s->depbar_scoreboard, count = s->depbar_count;
	if (scoreboard < 0 || scoreboard >= WARP_SCOREBOARDS || count >= DEPBAR_DEPTH)
		return 0;
	return w->recent[scoreboard]
			[(w->newest[scoreboard] + (count < 0 ? 0 : count)) % DEPBAR_DEPTH];
}

/* The warp's next instruction is known, and what it waits for; at least until `barrier`. */
void sm_look_ahead(struct engine *e, struct warp *w, double barrier);

static inline void sm_choose_again(struct engine *e, int sub)
{
	e->stale[e->stale_count] = sub;
	e->stale_count += !e->partition[sub].stale;
	e->partition[sub].stale = true;
}

/* One more block of a job begins, not before `at`; false: none is left, or it has no place. */
bool sm_hand_out(struct engine *e, int job, double at);
/* All warps of a block have come. */
void sm_release_barrier(struct engine *e, int block, double at);
/* A warp has left; with the last one its block, which makes room for others. */
void sm_end_warp(struct engine *e, struct warp *w, double at);

enum { SM_CODE_LINE_STEPS = 8 }; /* instructions of a line, of 16 bytes each */
/* When the instruction `step` is there, asked for at `at` by a warp that comes from `from`, -1:
 * from nowhere; 0: it is. */
double sm_code_there(struct engine *e, const struct warp *w, int32_t from, int32_t step, double at);
size_t sm_code_lines(size_t steps);
/* Lines that a sub-partition holds; 0: all, from the beginning. And the multiprocessor. */
size_t sm_code_capacity(const struct sm_device *d);
size_t sm_code_far_capacity(const struct engine *e);

/* The condition of `s` is the block's: its warp's own turns say which way it goes. */
static inline bool sm_decides(const struct engine *e, const struct warp_step *s)
{
	return s->own && e->decides;
}
/* Of a loop, or a way out of one, before it is left: cut, where loops are. */
static inline double sm_visits(const struct engine *e, const struct warp_step *s)
{
	const double most = e->setup->visits_most[s->depth];
	return most > 0 && s->share > most ? most : (double)s->share;
}
/* Where the warp goes after its instruction `s`; NEVER_STEP: nowhere. Counts its visits. */
int32_t sm_next_step(struct engine *e, struct warp *w, const struct warp_step *s);

/*
 * An instruction that goes to memory at `at`: when its result is there, how long it holds the path,
 * and what its result came from (enum stall_reason).
 */
double sm_access(struct engine *e, const struct warp *w, const struct warp_step *s, double at,
		 double *path_cycles, uint8_t *reason);

/*
 * Instructions that are nothing to the other sub-partitions (sm_local.c). Three of four take a pipe
 * of their own and come back to a register. A sub-partition issues them ahead of the others' turns,
 * up to where the others could first reach it: with a barrier that they come to last, or with a
 * block in the place of one that they end, either of which takes its time (lookahead: Chandy and
 * Misra, 1979). It is the same run as by turns, to the last bit.
 */
enum local {
	LOCAL_NEVER = 0,
	LOCAL = 1,	    /* it is nothing to them, if of the following ... */
	LOCAL_LEAVES = 2,   /* ... the line of code that comes next is there */
	LOCAL_COUNTED = 4,  /* ... its loop has been entered */
	LOCAL_CONSTANT = 8, /* ... the line of parameters has been asked for */
};

/* What issuing such an instruction takes, side by side: a kernel's stay in the L1 of whoever runs
 * this. */
struct local_step {
	uint8_t local; /* of enum local */
	uint8_t class, write_barrier, read_barrier, wait_mask, stall;
	uint8_t ports; /* of engine.held, row after row */
	uint8_t path;  /* of partition.path_of, and the two behind it */
};

/* Once a run, when all else is there. */
void sm_local_init(struct engine *e);
/* Whether the warp's next instruction is so. */
bool sm_local_if(const struct engine *e, const struct warp *w, unsigned local);
static inline bool sm_is_local(const struct engine *e, const struct warp *w)
{
	const unsigned local = e->local[w->step].local;
	return local == LOCAL ? !w->others : local != LOCAL_NEVER && sm_local_if(e, w, local);
}
/* Before this nothing that the others do can come to a sub-partition; all have their next issue. */
double sm_local_until(const struct engine *e, int sub);
static inline void sm_count_issue(struct engine *e, const struct warp *w)
{
	e->run->issued[w->program[w->step].depth]++;
	if (!w->job)
		e->run->block[e->block[w->block].serial].instructions++;
}
/* As any other is issued, less what is not of such instructions; with what it waits for next. */
void sm_issue_local(struct engine *e, struct partition *p, struct warp *w, double at);

#endif
