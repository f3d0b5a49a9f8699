/* SPDX-License-Identifier: MIT
 * Communicators whose ranks are of several processes: each rank joins them in the shared file.
 */
#include "ranks.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* With the lock: the communicator of an id, or a free place for it; NULL: too many. */
static struct ranks_communicator *find(struct ranks_file *file, const struct nccl_id *id, int ranks)
{
	struct ranks_communicator *place = NULL;

	for (int i = 0; i < RANKS_COMMUNICATORS; i++) {
		struct ranks_communicator *shared = &file->communicator[i];

		if (shared->used && !memcmp(&shared->id, id, sizeof(*id)))
			return shared;
		if (!shared->used && !place)
			place = shared;
	}
	if (!place)
		return NULL;
	memset(place->member, 0, sizeof(place->member));
	for (int i = 0; i < ranks; i++)
		memset(place->channel[i], 0, (size_t)ranks * sizeof(place->channel[i][0]));
	place->id = *id;
	place->ranks = ranks;
	place->taken = place->left = 0;
	place->used = 1;
	return place;
}

/* With the lock. Places whose ranks have all left, or died, are free again. */
static void clear_out(struct ranks_file *file)
{
	for (int i = 0; i < RANKS_COMMUNICATORS; i++) {
		struct ranks_communicator *shared = &file->communicator[i];
		int gone = 0;

		for (int r = 0; shared->used && r < shared->ranks; r++)
			gone += shared->member[r].process &&
				(shared->member[r].left ||
				 !ranks_alive(file, shared->member[r].process));
		if (shared->used && gone == shared->taken)
			shared->used = 0;
	}
}

static int refusal(const struct ranks_file *file, const struct ranks_communicator *shared,
		   int ranks, const struct nccl_rank *rank)
{
	if (!shared)
		return nccl_refuse(NCCL_SYSTEM_ERROR,
				   "there are more than %d communicators at one time",
				   RANKS_COMMUNICATORS);
	if (shared->ranks != ranks)
		return nccl_refuse(NCCL_INVALID_ARGUMENT,
				   "ranks of one communicator say it has %d and %d of them",
				   shared->ranks, ranks);
	if (shared->member[rank->rank].process)
		return nccl_refuse(
			NCCL_INVALID_USAGE,
			"rank %d joined a communicator twice, first in process %lld", rank->rank,
			(long long)file->process[shared->member[rank->rank].process - 1].pid);
	for (int i = 0; i < ranks; i++)
		if (shared->member[i].process && !shared->member[i].left &&
		    shared->member[i].device == gpus_number(rank->device))
			return nccl_refuse(
				NCCL_INVALID_USAGE,
				"ranks %d and %d of a communicator are both on device %d, which "
				"NCCL refuses, too: each process sets a device of its own",
				i, rank->rank, shared->member[i].device);
	return NCCL_SUCCESS;
}

int ranks_join(struct ranks_file *file, struct nccl_rank *rank, int ranks, const struct nccl_id *id)
{
	struct ranks_communicator *shared;
	int result;

	ranks_lock(file);
	clear_out(file);
	shared = find(file, id, ranks);
	result = refusal(file, shared, ranks, rank);
	if (result == NCCL_SUCCESS) {
		shared->member[rank->rank].device = gpus_number(rank->device);
		shared->member[rank->rank].process = ranks_self();
		shared->member[rank->rank].pid = getpid();
		shared->taken++;
		rank->shared = shared;
	}
	ranks_unlock(file);
	ranks_wake(&file->calls_changed);
	return result;
}

bool ranks_is_dead(struct ranks_file *file, const struct ranks_communicator *shared, int rank)
{
	const struct ranks_member *member = &shared->member[rank];

	return member->process && !member->left &&
	       (!ranks_alive(file, member->process) ||
		file->process[member->process - 1].pid != member->pid);
}

int ranks_dead(struct ranks_file *file, const struct ranks_communicator *shared)
{
	for (int i = 0; i < shared->ranks; i++)
		if (ranks_is_dead(file, shared, i))
			return i;
	return -1;
}

int ranks_say_dead(const struct ranks_communicator *shared, int rank)
{
	return nccl_refuse(
		NCCL_REMOTE_ERROR,
		"rank %d of %d has ended (process %lld) while others of its communicator "
		"wait for it",
		rank, shared->ranks, (long long)shared->member[rank].pid);
}

static int missing(const struct ranks_communicator *shared)
{
	int rank = 0;

	while (rank < shared->ranks - 1 && shared->member[rank].process)
		rank++;
	return rank;
}

enum { LATE = -1 };

/* Until `all` says of a communicator that its ranks are as far; LATE: they are not after a while.
 */
static int await(struct ranks_file *file, const struct ranks_communicator *shared,
		 bool (*all)(const struct ranks_communicator *, uint64_t), uint64_t at)
{
	const int64_t until_ms = turns_now_ms() + turns_stuck_ms();

	for (;;) {
		const uint32_t seen = atomic_load(&file->calls_changed);
		int dead;
		bool are;

		ranks_lock(file);
		are = all(shared, at);
		dead = are ? -1 : ranks_dead(file, shared);
		ranks_unlock(file);
		if (are)
			return NCCL_SUCCESS;
		if (dead >= 0)
			return ranks_say_dead(shared, dead);
		if (turns_now_ms() >= until_ms)
			return LATE;
		ranks_wait_awake(&file->calls_changed, seen);
	}
}

static bool all_joined(const struct ranks_communicator *shared, uint64_t unused)
{
	(void)unused;
	return shared->taken == shared->ranks;
}

int ranks_await_others(struct ranks_file *file, struct nccl_rank *rank)
{
	const struct ranks_communicator *shared = rank->shared;
	const int result = await(file, shared, all_joined, 0);

	if (result == LATE)
		return nccl_refuse(NCCL_SYSTEM_ERROR,
				   "rank %d of %d has not joined a communicator for %lld s; if it "
				   "is only slow, WARPREEL_STUCK_S gives it more seconds",
				   missing(shared), shared->ranks,
				   (long long)(turns_stuck_ms() / 1000));
	for (int i = 0; result == NCCL_SUCCESS && i < shared->ranks; i++)
		rank->spans |= shared->member[i].process != ranks_self();
	return result;
}

void ranks_leave(struct ranks_file *file, struct nccl_rank *rank)
{
	struct ranks_communicator *shared = rank->shared;

	ranks_lock(file);
	shared->member[rank->rank].left = 1;
	if (++shared->left == shared->ranks)
		shared->used = 0;
	ranks_unlock(file);
	ranks_wake(&file->calls_changed);
}

/* ---- communicators made of others ---- */

static bool is_before(const struct ranks_communicator *shared, int a, int b)
{
	return shared->member[a].key != shared->member[b].key
		       ? shared->member[a].key < shared->member[b].key
		       : a < b;
}

/* With the lock: whether all have called the k-th split, or read it. */
static bool all_at(const struct ranks_communicator *shared, uint64_t at)
{
	for (int i = 0; i < shared->ranks; i++)
		if (shared->member[i].splits < at)
			return false;
	return true;
}

/* Until all ranks' count of splits is at least `at`. */
static int await_splits(struct ranks_file *file, const struct nccl_rank *rank, uint64_t at)
{
	const int result = await(file, rank->shared, all_at, at);

	return result != LATE
		       ? result
		       : nccl_refuse(NCCL_SYSTEM_ERROR,
				     "not all %d ranks of a communicator have split it for "
				     "%lld s",
				     rank->shared->ranks, (long long)(turns_stuck_ms() / 1000));
}

/* An id that all ranks of a color work out alike. */
static void derive(struct nccl_id *id, const struct nccl_id *of, uint64_t split, int color)
{
	struct {
		uint64_t split;
		int64_t color;
	} more = { split, color };

	*id = *of;
	for (size_t i = 0; i < sizeof(more); i++) /* behind what says whose id it is */
		id->byte[64 + i] = (char)(id->byte[64 + i] * 31 + ((const char *)&more)[i] + 1);
}

/* Counted twice: when a rank has come, and when it has seen what the others ask for. */
int ranks_split_come(struct ranks_file *file, struct nccl_rank *rank, int color, int key)
{
	struct ranks_member *own = &rank->shared->member[rank->rank];
	const int result = await_splits(file, rank, own->splits); /* all have seen the one before */

	if (result != NCCL_SUCCESS)
		return result;
	ranks_lock(file);
	own->color = color;
	own->key = key;
	own->splits++;
	ranks_unlock(file);
	ranks_wake(&file->calls_changed);
	return NCCL_SUCCESS;
}

int ranks_split_join(struct ranks_file *file, struct nccl_rank *rank, struct nccl_id *id,
		     int *ranks, int *number)
{
	struct ranks_communicator *shared = rank->shared;
	struct ranks_member *own = &shared->member[rank->rank];
	const int result = await_splits(file, rank, own->splits);

	ranks_lock(file);
	*ranks = *number = 0;
	for (int i = 0; i < shared->ranks; i++)
		if (shared->member[i].color == own->color) {
			++*ranks;
			*number += is_before(shared, i, rank->rank);
		}
	derive(id, &shared->id, own->splits, own->color);
	own->splits++;
	ranks_unlock(file);
	ranks_wake(&file->calls_changed);
	return result;
}
