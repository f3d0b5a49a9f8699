/* SPDX-License-Identifier: MIT
 * Communicators whose ranks are of several processes: each rank takes its seat in the shared file.
 */
#include "ranks.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* With the lock: the communicator of an id, or a free place for it; NULL: too many. */
static struct ranks_communicator *find(struct ranks_file *file, const struct nccl_id *id, int ranks)
{
	struct ranks_communicator *place = NULL;

	for (int i = 0; i < RANKS_SEATS; i++) {
		struct ranks_communicator *seats = &file->seats[i];

		if (seats->used && !memcmp(&seats->id, id, sizeof(*id)))
			return seats;
		if (!seats->used && !place)
			place = seats;
	}
	if (!place)
		return NULL;
	memset(place->seat, 0, sizeof(place->seat));
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
	for (int i = 0; i < RANKS_SEATS; i++) {
		struct ranks_communicator *seats = &file->seats[i];
		int gone = 0;

		for (int r = 0; seats->used && r < seats->ranks; r++)
			gone += seats->seat[r].process &&
				(seats->seat[r].left || !ranks_alive(file, seats->seat[r].process));
		if (seats->used && gone == seats->taken)
			seats->used = 0;
	}
}

static int refusal(const struct ranks_file *file, const struct ranks_communicator *seats, int ranks,
		   const struct nccl_rank *rank)
{
	if (!seats)
		return nccl_refuse(NCCL_SYSTEM_ERROR,
				   "there are more than %d communicators at one time", RANKS_SEATS);
	if (seats->ranks != ranks)
		return nccl_refuse(NCCL_INVALID_ARGUMENT,
				   "ranks of one communicator say it has %d and %d of them",
				   seats->ranks, ranks);
	if (seats->seat[rank->rank].process)
		return nccl_refuse(
			NCCL_INVALID_USAGE,
			"rank %d joined a communicator twice, first in process %lld", rank->rank,
			(long long)file->process[seats->seat[rank->rank].process - 1].pid);
	for (int i = 0; i < ranks; i++)
		if (seats->seat[i].process && !seats->seat[i].left &&
		    seats->seat[i].device == gpus_number(rank->device))
			return nccl_refuse(
				NCCL_INVALID_USAGE,
				"ranks %d and %d of a communicator are both on device %d, which "
				"NCCL refuses, too: each process sets a device of its own",
				i, rank->rank, seats->seat[i].device);
	return NCCL_SUCCESS;
}

int ranks_sit(struct ranks_file *file, struct nccl_rank *rank, int ranks, const struct nccl_id *id)
{
	struct ranks_communicator *seats;
	int result;

	ranks_lock(file);
	clear_out(file);
	seats = find(file, id, ranks);
	result = refusal(file, seats, ranks, rank);
	if (result == NCCL_SUCCESS) {
		seats->seat[rank->rank].device = gpus_number(rank->device);
		seats->seat[rank->rank].process = ranks_self();
		seats->seat[rank->rank].pid = getpid();
		seats->taken++;
		rank->seats = seats;
	}
	ranks_unlock(file);
	ranks_wake(&file->calls_changed);
	return result;
}

bool ranks_is_dead(struct ranks_file *file, const struct ranks_communicator *seats, int rank)
{
	const struct ranks_member *seat = &seats->seat[rank];

	return seat->process && !seat->left &&
	       (!ranks_alive(file, seat->process) ||
		file->process[seat->process - 1].pid != seat->pid);
}

int ranks_dead(struct ranks_file *file, const struct ranks_communicator *seats)
{
	for (int i = 0; i < seats->ranks; i++)
		if (ranks_is_dead(file, seats, i))
			return i;
	return -1;
}

int ranks_say_dead(const struct ranks_communicator *seats, int rank)
{
	return nccl_refuse(
		NCCL_REMOTE_ERROR,
		"rank %d of %d has ended (process %lld) while others of its communicator "
		"wait for it",
		rank, seats->ranks, (long long)seats->seat[rank].pid);
}

static int missing(const struct ranks_communicator *seats)
{
	int rank = 0;

	while (rank < seats->ranks - 1 && seats->seat[rank].process)
		rank++;
	return rank;
}

enum { LATE = -1 };

/* Until `all` says of a communicator that its ranks are as far; LATE: they are not after a while.
 */
static int await(struct ranks_file *file, const struct ranks_communicator *seats,
		 bool (*all)(const struct ranks_communicator *, uint64_t), uint64_t at)
{
	const int64_t until_ms = turns_now_ms() + turns_stuck_ms();

	for (;;) {
		const uint32_t seen = atomic_load(&file->calls_changed);
		int dead;
		bool are;

		ranks_lock(file);
		are = all(seats, at);
		dead = are ? -1 : ranks_dead(file, seats);
		ranks_unlock(file);
		if (are)
			return NCCL_SUCCESS;
		if (dead >= 0)
			return ranks_say_dead(seats, dead);
		if (turns_now_ms() >= until_ms)
			return LATE;
		ranks_wait(&file->calls_changed, seen);
	}
}

static bool all_sit(const struct ranks_communicator *seats, uint64_t unused)
{
	(void)unused;
	return seats->taken == seats->ranks;
}

int ranks_await_seats(struct ranks_file *file, struct nccl_rank *rank)
{
	const struct ranks_communicator *seats = rank->seats;
	const int result = await(file, seats, all_sit, 0);

	if (result == LATE)
		return nccl_refuse(NCCL_SYSTEM_ERROR,
				   "rank %d of %d has not joined a communicator for %lld s; if it "
				   "is only slow, WARPREEL_STUCK_S gives it more seconds",
				   missing(seats), seats->ranks,
				   (long long)(turns_stuck_ms() / 1000));
	for (int i = 0; result == NCCL_SUCCESS && i < seats->ranks; i++)
		rank->spans |= seats->seat[i].process != ranks_self();
	return result;
}

void ranks_stand_up(struct ranks_file *file, struct nccl_rank *rank)
{
	struct ranks_communicator *seats = rank->seats;

	ranks_lock(file);
	seats->seat[rank->rank].left = 1;
	if (++seats->left == seats->ranks)
		seats->used = 0;
	ranks_unlock(file);
	ranks_wake(&file->calls_changed);
}

/* ---- communicators made of others ---- */

static bool is_before(const struct ranks_communicator *seats, int a, int b)
{
	return seats->seat[a].key != seats->seat[b].key ? seats->seat[a].key < seats->seat[b].key
							: a < b;
}

/* With the lock: whether all have called the k-th split, or read it. */
static bool all_at(const struct ranks_communicator *seats, uint64_t at)
{
	for (int i = 0; i < seats->ranks; i++)
		if (seats->seat[i].splits < at)
			return false;
	return true;
}

/* Until all ranks' count of splits is at least `at`. */
static int await_splits(struct ranks_file *file, const struct nccl_rank *rank, uint64_t at)
{
	const int result = await(file, rank->seats, all_at, at);

	return result != LATE
		       ? result
		       : nccl_refuse(NCCL_SYSTEM_ERROR,
				     "not all %d ranks of a communicator have split it for "
				     "%lld s",
				     rank->seats->ranks, (long long)(turns_stuck_ms() / 1000));
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
	struct ranks_member *own = &rank->seats->seat[rank->rank];
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
	struct ranks_communicator *seats = rank->seats;
	struct ranks_member *own = &seats->seat[rank->rank];
	const int result = await_splits(file, rank, own->splits);

	ranks_lock(file);
	*ranks = *number = 0;
	for (int i = 0; i < seats->ranks; i++)
		if (seats->seat[i].color == own->color) {
			++*ranks;
			*number += is_before(seats, i, rank->rank);
		}
	derive(id, &seats->id, own->splits, own->color);
	own->splits++;
	ranks_unlock(file);
	ranks_wake(&file->calls_changed);
	return result;
}
