/* SPDX-License-Identifier: MIT
 * A communicator is named by who is in it and by which of several with these ranks it is, in the
 * order in which a process first called with them. That is the same in all processes where they use
 * such communicators in one order, which operations of all of them must.
 */
#include "messages.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ranks *known;

static struct seen {
	uint64_t members;
	uint32_t count;
	struct seen *next;
} * seen;

#define REAL(name, ...)                                                                            \
	({                                                                                         \
		static void *_Atomic slot_;                                                        \
		(int (*)(__VA_ARGS__))(uintptr_t) library_function(&slot_, #name);                 \
	})

/* World ranks of `ranks`; false: MPI does not say. */
static bool translate(struct ranks *ranks)
{
	int (*group_of)(mpi_handle, mpi_handle *) = REAL(PMPI_Comm_group, mpi_handle, mpi_handle *);
	int (*free_group)(mpi_handle *) = REAL(PMPI_Group_free, mpi_handle *);
	int (*translate_ranks)(mpi_handle, int, const int *, mpi_handle, int *) =
		REAL(PMPI_Group_translate_ranks, mpi_handle, int, const int *, mpi_handle, int *);
	mpi_handle all = 0, group = 0;
	int *own = messages_room((size_t)ranks->count * sizeof(*own));
	bool done = false;

	for (int i = 0; i < ranks->count; i++)
		own[i] = i;
	if (group_of && free_group && translate_ranks && !group_of(library_world(), &all) &&
	    !group_of(ranks->handle, &group))
		done = !translate_ranks(group, ranks->count, own, all, ranks->world);
	if (group)
		free_group(&group);
	if (all)
		free_group(&all);
	free(own);
	return done;
}

/* FNV-1a of who is in it. */
static uint64_t members_of(const struct ranks *ranks)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (int i = 0; i < ranks->count; i++)
		for (int byte = 0; byte < 4; byte++)
			hash = (hash ^ ((unsigned)ranks->world[i] >> 8 * byte & 0xff)) *
			       0x100000001b3;
	return hash;
}

/* Which of those with these ranks; locked. */
static uint32_t which(uint64_t members)
{
	struct seen *s = seen;

	while (s && s->members != members)
		s = s->next;
	if (!s) {
		s = messages_room(sizeof(*s));
		s->members = members;
		s->next = seen;
		seen = s;
	}
	return s->count++;
}

static struct ranks *look(mpi_handle communicator)
{
	int (*size_of)(mpi_handle, int *) = REAL(PMPI_Comm_size, mpi_handle, int *);
	int (*rank_of)(mpi_handle, int *) = REAL(PMPI_Comm_rank, mpi_handle, int *);
	int (*between)(mpi_handle, int *) = REAL(PMPI_Comm_test_inter, mpi_handle, int *);
	struct ranks *ranks = messages_room(sizeof(*ranks));
	int own = 0, of_two_groups = 0;

	ranks->handle = communicator;
	if (!size_of || !rank_of || !between || between(communicator, &of_two_groups) ||
	    of_two_groups || size_of(communicator, &ranks->count) || ranks->count < 2 ||
	    rank_of(communicator, &own))
		return ranks;
	ranks->world = messages_room((size_t)ranks->count * sizeof(*ranks->world));
	if (!translate(ranks))
		return ranks;
	ranks->own = ranks->world[own];
	const uint64_t members = members_of(ranks);
	ranks->communicator = (members + which(members)) | 1;
	return ranks;
}

const struct ranks *ranks_of(mpi_handle communicator)
{
	struct ranks *ranks;

	pthread_mutex_lock(&lock);
	for (ranks = known; ranks && ranks->handle != communicator;)
		ranks = ranks->next;
	if (!ranks) {
		ranks = look(communicator);
		ranks->next = known;
		known = ranks;
	}
	pthread_mutex_unlock(&lock);
	return ranks->communicator ? ranks : NULL;
}

/* A handle may come again for another one. What was read of it may still be in use: it stays. */
void ranks_forget(mpi_handle communicator)
{
	pthread_mutex_lock(&lock);
	for (struct ranks *r = known; r; r = r->next)
		if (r->handle == communicator)
			r->handle = ~(mpi_handle)0;
	pthread_mutex_unlock(&lock);
}

int ranks_world(const struct ranks *ranks, int rank)
{
	return rank >= 0 && rank < ranks->count ? ranks->world[rank] : -1;
}
