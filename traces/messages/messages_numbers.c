/* SPDX-License-Identifier: MIT
 * MPI keeps the order of messages between two ranks with one tag, so the k-th sent is the k-th
 * received. They are counted here from the program's start on, recorded or not.
 */
#include "messages.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096 };

struct counted {
	uint64_t communicator;
	int kind, rank, peer, tag;
	uint32_t count;
	struct counted *next;
};
struct kept {
	mpi_handle request, communicator;
	struct note_message note;
	struct kept *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct counted *counted[BUCKETS];
static struct kept *kept[BUCKETS], *spare;

static size_t bucket(uint64_t a, uint64_t b)
{
	return (size_t)((a * 0x9e3779b97f4a7c15 ^ b * 0xc2b2ae3d27d4eb4f) >> 32) % BUCKETS;
}

uint32_t numbers_next(const struct note_message *note)
{
	const bool of_two = note->kind == MESSAGE_SEND || note->kind == MESSAGE_RECEIVE;
	/* all calls of a communicator's ranks are one row of numbers */
	const struct counted key = { .communicator = note->communicator,
				     .kind = of_two ? (int)note->kind : MESSAGE_OF_ALL,
				     .rank = note->rank,
				     .peer = of_two ? note->peer : 0,
				     .tag = of_two ? note->tag : 0 };
	uint32_t number;

	pthread_mutex_lock(&lock);
	struct counted *
		*first = &counted[bucket(key.communicator ^ (uint64_t)key.kind,
					 (uint64_t)(unsigned)key.peer << 32 | (unsigned)key.tag)],
	       *c = *first;

	while (c && (c->communicator != key.communicator || c->kind != key.kind ||
		     c->rank != key.rank || c->peer != key.peer || c->tag != key.tag))
		c = c->next;
	if (!c) {
		c = messages_room(sizeof(*c));
		*c = key;
		c->next = *first;
		*first = c;
	}
	number = ++c->count;
	pthread_mutex_unlock(&lock);
	return number;
}

void numbers_keep(mpi_handle request, mpi_handle communicator, const struct note_message *note)
{
	struct kept **first = &kept[bucket(request, 0)], *k;

	pthread_mutex_lock(&lock);
	k = spare;
	if (k)
		spare = k->next;
	else
		k = messages_room(sizeof(*k));
	*k = (struct kept){ request, communicator, *note, *first };
	*first = k;
	pthread_mutex_unlock(&lock);
}

bool numbers_take(mpi_handle request, mpi_handle *communicator, struct note_message *note)
{
	struct kept **at = &kept[bucket(request, 0)], *k;

	pthread_mutex_lock(&lock);
	while (*at && (*at)->request != request)
		at = &(*at)->next;
	k = *at;
	if (k) {
		*note = k->note;
		*communicator = k->communicator;
		*at = k->next;
		k->next = spare;
		spare = k;
	}
	pthread_mutex_unlock(&lock);
	return k != NULL;
}
