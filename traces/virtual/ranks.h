/* SPDX-License-Identifier: MIT
 * One process a GPU (docs/as-gpus.md): the processes that one `warpreel record --as-gpus` started
 * share a file in memory, by which their kernels take turns and their communicators find each
 * other. Data go through windows of that file. WARPREEL_RANKS names it.
 *
 *   ranks_session.c       the file, its lock, who is in it and who has died
 *   ranks_turns.c         which process may run kernels
 *   ranks_communicators.c communicators whose ranks are of several processes
 *   ranks_exchange.c      what ranks tell and hand each other, a window at a time
 *   ranks_call.c          operations of such communicators, and deadlocks
 *   ranks_windows.c       copies and reductions between a window and a GPU
 *
 * A process that dies gives its lock back and is known to be dead: locks are robust (POSIX.1-2008,
 * pthread_mutexattr_setrobust), and each process holds one as long as it lives. Waiting is by futex
 * words of our own: a process that dies in pthread_cond_wait may leave that unusable.
 */
#ifndef WARPREEL_RANKS_H
#define WARPREEL_RANKS_H

#include <pthread.h>
#include <stdatomic.h>

#include "virtual_nccl.h"

#pragma GCC visibility push(hidden)

enum {
	RANKS_PROCESSES = 256,
	RANKS_COMMUNICATORS = 64, /* communicators at one time */
	RANKS_WINDOW_BYTES = 8 << 20,
	RANKS_WAIT_MS = 100
};

/* What a rank calls, as all have to call it. */
struct ranks_post {
	int32_t kind, type, operation, root;
	uint64_t count; /* elements */
};

/* Between two ranks, one way: a window is written, then read. */
struct ranks_channel {
	uint64_t written, read; /* windows */
	struct ranks_post post;
	int32_t refused; /* the receiver wants something else */
	int32_t unused;
};

struct ranks_member {
	int32_t process; /* slot, from 1; 0: not taken */
	int32_t device;
	int32_t left;
	int32_t color, key; /* of a split */
	int32_t unused;
	int64_t pid;		/* the slot may be another process's by now */
	uint64_t posted, read;	/* steps of operations of all ranks */
	uint64_t splits;	/* how many it has called of them */
	int64_t waits_since_ms; /* 0: does not wait */
	struct ranks_post post;
};

struct ranks_communicator { /* a communicator */
	struct nccl_id id;
	int32_t used, ranks, taken, left;
	struct ranks_member member[REDUCE_RANKS_MAX];
	struct ranks_channel channel[REDUCE_RANKS_MAX][REDUCE_RANKS_MAX]; /* [source][target] */
};

struct ranks_file {
	uint64_t magic;
	uint32_t bytes, ready;
	pthread_mutex_t lock;
	_Atomic uint32_t calls_changed, turns_changed;
	struct ranks_process {
		pthread_mutex_t alive; /* held by a thread of it */
		int64_t pid;
		int32_t used, unused;
		uint64_t wants; /* a turn: the ticket; 0: none */
	} process[RANKS_PROCESSES];
	_Atomic int32_t owner; /* whose turn it is, slot from 1; 0: nobody's */
	uint64_t tickets;
	struct ranks_communicator communicator[RANKS_COMMUNICATORS];
};

/* The file, which the process is then in; NULL: there is none, so the process is alone. */
struct ranks_file *ranks_file(void);
int ranks_self(void); /* slot, from 1 */
void ranks_lock(struct ranks_file *file);
void ranks_unlock(struct ranks_file *file);
/* Without the lock: until *changed is no longer `seen`, or RANKS_WAIT_MS are over. */
void ranks_wait(_Atomic uint32_t *changed, uint32_t seen);
/* The same for threads of the program, which are slow for a while when they have slept: these spin
 * first (queue_may_spin). */
void ranks_wait_awake(_Atomic uint32_t *changed, uint32_t seen);
void ranks_wake(_Atomic uint32_t *changed);
/* With the lock: whether the process of a slot still runs. */
bool ranks_alive(struct ranks_file *file, int slot);
/* Windows of a communicator, mapped into this process: first one a rank, then one a channel. */
char *ranks_window(const struct ranks_file *file, const struct ranks_communicator *shared,
		   int window);
/* Where the window begins that a place is in. */
char *ranks_window_begin(const struct ranks_file *file, const char *place);
static inline int ranks_window_of(const struct ranks_communicator *shared, int source, int target)
{
	return shared->ranks * (1 + source) + target;
}

/* Until it is this process's turn. */
void ranks_turn_begin(struct ranks_file *file);
/* Gives the turn to others where they want it; called by a thread of its own. */
void ranks_turn_watch(struct ranks_file *file);

/* virtual_turns.c: what this process has launched has ended, and the turn is nobody's. */
void turns_hand_on(struct ranks_file *file);
/* How many turns its threads have asked for. */
uint64_t turns_given(void);

/* A rank of this process joins a communicator; the rank's `shared` is set. */
int ranks_join(struct ranks_file *file, struct nccl_rank *rank, int ranks,
	       const struct nccl_id *id);
/* Until all ranks have joined; `rank` knows then whether they are of several processes. */
int ranks_await_others(struct ranks_file *file, struct nccl_rank *rank);
void ranks_leave(struct ranks_file *file, struct nccl_rank *rank);
/* A rank asks for a split; once all have, which part of it is the rank's. */
int ranks_split_come(struct ranks_file *file, struct nccl_rank *rank, int color, int key);
int ranks_split_join(struct ranks_file *file, struct nccl_rank *rank, struct nccl_id *id,
		     int *ranks, int *number);
/* With the lock: whether a rank's process has died before it left; a rank of which that is so, -1:
 * none. */
bool ranks_is_dead(struct ranks_file *file, const struct ranks_communicator *shared, int rank);
int ranks_dead(struct ranks_file *file, const struct ranks_communicator *shared);
int ranks_say_dead(const struct ranks_communicator *shared, int rank);

/* Part of a call of this process, and how far it has come. */
struct ranks_step {
	const struct nccl_part *part;
	uint64_t done; /* elements (of a reduce-scatter or all-gather: of one rank) */
	bool posted;   /* this window's data are told, and others' not yet read */
	bool finished;
	int result;
};
enum ranks_progress { RANKS_STUCK, RANKS_MOVED };
/* Goes on with one part as far as it can without waiting. */
enum ranks_progress ranks_go_on(struct ranks_file *file, struct ranks_step *step);
/* All of a call whose communicators are of several processes. */
int ranks_call(const struct nccl_part *part, size_t count);

/* Between GPU and windows, in the part's stream; done when they return. */
CUresult ranks_windows_wait(const struct nccl_part *part);
CUresult ranks_windows_write(const struct nccl_part *part, char *window, const void *source,
			     size_t bytes);
CUresult ranks_windows_read(const struct nccl_part *part, void *target, const char *window,
			    size_t bytes);
CUresult ranks_windows_reduce(const struct nccl_part *part, struct reduce_arguments *arguments);
void ranks_windows_forget(const struct ranks_communicator *shared);

#pragma GCC visibility pop
#endif
