/* SPDX-License-Identifier: MIT
 * NCCL between virtual GPUs, answered at its boundary: nothing of NCCL runs. Ranks are of one
 * process, or of several (ranks.h). What is declared here is its binary interface as the user guide
 * documents it (docs.nvidia.com, NCCL user guide, "NCCL API"): communicators are pointers, numbers
 * do not change between versions.
 *
 *   nccl_ranks.c         communicators: who is in one, on which device
 *   nccl_split.c         communicators made of others
 *   nccl_matching.c      calls of different ranks that are one operation
 *   nccl_transfers.c     what an operation copies and reduces, in stream order
 *   nccl_groups.c        calls between ncclGroupStart and ncclGroupEnd
 *   virtual_hooks_nccl.c the functions the program calls instead
 *
 * A call outside a group, and ncclGroupEnd, return when all ranks have called, which NCCL may do,
 * too ("may perform inter-CPU synchronization", user guide, "Group Calls"); that time is hidden.
 */
#ifndef WARPREEL_VIRTUAL_NCCL_H
#define WARPREEL_VIRTUAL_NCCL_H

#include "nccl_reduce.h"
#include "traces/format/annotate.h"
#include "virtual.h"

_Static_assert((int)REDUCE_RANKS_MAX == (int)VIRTUAL_GPUS_MAX, "a rank a device");

#pragma GCC visibility push(hidden)

enum nccl_result {
	NCCL_SUCCESS,
	NCCL_UNHANDLED_CUDA_ERROR,
	NCCL_SYSTEM_ERROR,
	NCCL_INTERNAL_ERROR,
	NCCL_INVALID_ARGUMENT,
	NCCL_INVALID_USAGE,
	NCCL_REMOTE_ERROR
};

struct nccl_id {
	char byte[128];
};

struct nccl_match;
struct nccl_clique { /* the ranks of one communicator */
	struct nccl_id id;
	uint64_t number; /* of the id; what the trace calls it */
	int ranks, joined, left;
	struct nccl_rank *rank[REDUCE_RANKS_MAX]; /* NULL: not joined, or left */
	struct nccl_split *split;		  /* those that not all ranks have come from */
	struct nccl_match *first;		  /* those that not all ranks have come to */
	struct nccl_clique *next;
};
struct nccl_rank { /* ncclComm_t */
	uint64_t magic;
	struct nccl_clique *clique;
	int rank, device;
	CUcontext context;
	CUevent ready, done;
	CUfunction reduce; /* NULL: not loaded yet */
	int waiting;	   /* threads of it in a call */
	/* How many it has called of: operations of all ranks; by peer, sends and receives. */
	struct ranks_communicator *shared; /* NULL: the process is alone */
	bool spans;			   /* its communicator is of several processes */
	int error;			   /* the first that it was answered, of those */
	uint64_t splits, collectives, sent[REDUCE_RANKS_MAX], received[REDUCE_RANKS_MAX];
};

/* One rank's call. */
struct nccl_part {
	struct nccl_rank *rank;
	enum collective_kind kind;
	const void *send;
	void *receive;
	size_t count; /* elements, of `type` */
	int type, operation, peer;
	CUstream stream;
};
static inline size_t nccl_type_bytes(int type)
{
	static const uint8_t bytes[NCCL_TYPES] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1 };

	return bytes[type];
}

/* Whether only a sender and a receiver take part. */
static inline bool nccl_is_of_two(enum collective_kind kind)
{
	return kind == COLLECTIVE_SEND || kind == COLLECTIVE_RECEIVE;
}

/* One operation: by rank the parts of those who came; of a send and its receive, 0 and 1. */
struct nccl_match {
	struct nccl_part part[REDUCE_RANKS_MAX];
	bool came[REDUCE_RANKS_MAX];
	int parts, present;
	int source, target; /* -1: of all ranks */
	uint64_t number;
	int result;
	bool done;
	int holders; /* threads that will look at it */
	struct nccl_match *next;
};

/* Guards communicators and matches; signalled whenever one of them changed. */
void nccl_lock(void);
void nccl_unlock(void);
void nccl_changed(void);
void nccl_wait(void); /* at most a quarter of a second */

void nccl_new_id(struct nccl_id *id);
/* Makes the calling thread's device, or `device` when it is not -1, a rank. */
int nccl_join(struct nccl_rank **out, int ranks, const struct nccl_id *id, int rank, int device);
/* Until all ranks have joined. */
int nccl_await_ranks(struct nccl_rank *const *rank, size_t count);
void nccl_leave(struct nccl_rank *rank);
bool nccl_is_rank(const struct nccl_rank *rank);

/* A rank calls for a split; once all have, it joins what it asked for (color < 0: nothing). */
struct nccl_split *nccl_split_come(struct nccl_rank *rank, int color, int key);
int nccl_split_join(struct nccl_split *split, struct nccl_rank *rank, struct nccl_rank **out);

/* What several ranks call at once; returns when all of it stands in the streams. */
int nccl_call(const struct nccl_part *part, size_t count);
/* Puts an operation that all have come to into their streams. */
int nccl_transfer(struct nccl_match *match);
/* Runs a reduction in a stream of the rank, whose context is current. */
CUresult nccl_reduce(struct nccl_rank *rank, struct reduce_arguments *arguments, CUstream stream);

/* The calling thread's group. Outside of one a part is called at once. */
int nccl_group_start(void);
int nccl_group_end(void);
int nccl_group_add(const struct nccl_part *part);
int nccl_group_join(struct nccl_rank *rank);
int nccl_group_split(struct nccl_rank *rank, int color, int key, struct nccl_rank **out);
int nccl_group_fail(int result); /* what the end of the group will answer; `result` */

/* The last reason, which ncclGetLastError answers with. Says it to the user, too, once a reason. */
int nccl_refuse(int result, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *nccl_last_reason(void);

#pragma GCC visibility pop
#endif
