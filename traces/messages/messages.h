/* SPDX-License-Identifier: MIT
 * A library that `warpreel record` preloads into programs of several processes: it tells the
 * recorder of each call of MPI by which a rank waits for others, and does nothing else.
 *
 *   messages_hooks.c       the functions of MPI, each as it was called
 *   messages_ranks.c       what a communicator is in all processes, and who is in it
 *   messages_numbers.c     which message between two ranks, which call of all; requests
 *   messages_library.c     what is MPI's own, and the recorder
 *
 * Libraries of MPI differ in what a handle is (a pointer, an int). So it is 64 bits wide here, as
 * it lies in a register, and only handed on.
 */
#ifndef WARPREEL_MESSAGES_H
#define WARPREEL_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "traces/format/annotate.h"

typedef uint64_t mpi_handle;

/* ---- messages_library.c ---- */

/* A function of the MPI that is loaded, by its own name or that of its profiling interface; NULL:
 * it has none. `slot` remembers it. */
void *library_function(void *_Atomic *slot, const char *name);
/* Open MPI's handles are pointers; those of MPICH and its kin are ints. */
bool library_is_open_mpi(void);
/* The communicator of all. */
mpi_handle library_world(void);
enum { STATUS_BYTES = 64 }; /* more than any MPI's */
/* Where the caller wants no status, one of ours. */
void *library_status(void *given, void *ours);
int library_source_of(const void *status);
int library_tag_of(const void *status);
size_t library_status_bytes(void);
mpi_handle library_request_at(const void *requests, int at);
/* 0: nobody records. */
uint64_t library_now_ns(void);
void library_note(const struct note_message *note);

/* ---- messages_ranks.c ---- */

struct ranks {
	mpi_handle handle;
	uint64_t communicator; /* equal for all its ranks; 0: such communicators are not told of */
	int count, own;	       /* of the communicator; own: of all */
	int *world;	       /* by rank: that of all */
	struct ranks *next;
};

/* Of a communicator; NULL: its calls are not told of (it is of one rank, or of two groups). */
const struct ranks *ranks_of(mpi_handle communicator);
void ranks_forget(mpi_handle communicator);
/* Rank of all; -1: of no process. */
int ranks_world(const struct ranks *ranks, int rank);

/* ---- messages_numbers.c ---- */

/* The next number of what `note` names: kind, communicator, ranks, tag. */
uint32_t numbers_next(const struct note_message *note);
/* A request stands for a note until it is waited for; once for each part. */
void numbers_keep(mpi_handle request, mpi_handle communicator, const struct note_message *note);
/* Takes it; false: there is none. */
bool numbers_take(mpi_handle request, mpi_handle *communicator, struct note_message *note);

/* Zeroed. Without memory the program ends. */
static inline void *messages_room(size_t bytes)
{
	void *room = calloc(1, bytes);

	if (!room)
		abort();
	return room;
}

#endif
