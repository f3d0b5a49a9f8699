/* SPDX-License-Identifier: MIT
 * Which calls of different ranks are one operation. The k-th that a rank calls of all is the same
 * one for all ranks; the k-th send of one rank to another meets that one's k-th receive from it.
 * Who comes last puts it into everybody's streams.
 */
#include "virtual_nccl.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A rank that others wait for may have something else to do: so many times the seconds after which
 * it is named. */
enum { PATIENCE = 15 };

static struct nccl_meeting *find(struct nccl_clique *clique, int source, int target,
				 uint64_t number)
{
	struct nccl_meeting *meeting = clique->first;

	while (meeting && (meeting->source != source || meeting->target != target ||
			   meeting->number != number))
		meeting = meeting->next;
	if (meeting)
		return meeting;
	meeting = calloc(1, sizeof(*meeting));
	if (!meeting)
		return NULL;
	meeting->source = source;
	meeting->target = target;
	meeting->number = number;
	meeting->parts = source < 0 ? clique->ranks : 2;
	meeting->next = clique->first;
	return clique->first = meeting;
}

static void take_out(struct nccl_clique *clique, struct nccl_meeting *meeting)
{
	struct nccl_meeting **at = &clique->first;

	while (*at != meeting)
		at = &(*at)->next;
	*at = meeting->next;
}

/* The meeting of a part, which has come to it; NULL: no memory. */
static struct nccl_meeting *come(const struct nccl_part *part)
{
	struct nccl_rank *rank = part->rank;
	struct nccl_meeting *meeting;
	int place = rank->rank;

	if (part->kind == COLLECTIVE_SEND) {
		meeting = find(rank->clique, rank->rank, part->peer, rank->sent[part->peer]++);
		place = 0;
	} else if (part->kind == COLLECTIVE_RECEIVE) {
		meeting = find(rank->clique, part->peer, rank->rank, rank->received[part->peer]++);
		place = 1;
	} else {
		meeting = find(rank->clique, -1, -1, rank->collectives++);
	}
	if (!meeting)
		return NULL;
	meeting->part[place] = *part;
	meeting->came[place] = true;
	meeting->present++;
	meeting->holders++;
	return meeting;
}

static int disagreement(const struct nccl_meeting *meeting)
{
	const struct nccl_part *first = &meeting->part[0];

	for (int i = 1; i < meeting->parts; i++) {
		const struct nccl_part *part = &meeting->part[i];
		const bool same_kind = nccl_is_of_two(first->kind) || part->kind == first->kind;

		if (!same_kind || part->count != first->count || part->type != first->type ||
		    (!nccl_is_of_two(first->kind) &&
		     (part->operation != first->operation || part->peer != first->peer)))
			return nccl_refuse(NCCL_INVALID_ARGUMENT,
					   "ranks %d and %d of a communicator of %d call different "
					   "operations, or with other counts, types or roots",
					   first->rank->rank, part->rank->rank,
					   first->rank->clique->ranks);
	}
	return NCCL_SUCCESS;
}

/* A rank that has not come. */
static int missing(const struct nccl_meeting *meeting)
{
	int place = 0;

	while (place < meeting->parts - 1 && meeting->came[place])
		place++;
	return meeting->source < 0 ? place : place ? meeting->target : meeting->source;
}

static bool all_wait(const struct nccl_clique *clique)
{
	for (int i = 0; i < clique->ranks; i++)
		if (!clique->rank[i] || !clique->rank[i]->waiting)
			return false;
	return true;
}

/* Nobody may come any more: after a while it is said, and the program ended. */
static void look_for_deadlock(const struct nccl_meeting *meeting, const struct nccl_rank *rank,
			      int64_t waited_ms, bool *said)
{
	const int64_t limit_ms = turns_stuck_ms();
	const bool all = all_wait(rank->clique);

	if (waited_ms < limit_ms || (*said && !all && waited_ms < PATIENCE * limit_ms))
		return;
	if (!*said || all)
		fprintf(stderr,
			"warpreel virtual GPUs: rank %d (device %d) of a communicator of %d has "
			"waited %lld s for rank %d to call the same operation%s\n",
			rank->rank, rank->device, rank->clique->ranks,
			(long long)(waited_ms / 1000), missing(meeting),
			all ? ", and all ranks wait: they would on several GPUs, too, or need a "
			      "group (ncclGroupStart). The program is ended."
			    : ". On virtual GPUs a call returns when all ranks have called.");
	*said = true;
	if (all || waited_ms >= PATIENCE * limit_ms)
		_exit(1);
}

static int await(struct nccl_meeting *meeting, const struct nccl_rank *rank)
{
	const int64_t since_ms = turns_now_ms();
	bool said = false;
	int result;

	while (!meeting->done) {
		nccl_wait();
		if (!meeting->done)
			look_for_deadlock(meeting, rank, turns_now_ms() - since_ms, &said);
	}
	result = meeting->result;
	if (!--meeting->holders)
		free(meeting);
	return result;
}

int nccl_call(const struct nccl_part *part, size_t count)
{
	struct nccl_meeting **meeting = calloc(count + 1, sizeof(struct nccl_meeting *));
	int result = meeting ? NCCL_SUCCESS : NCCL_SYSTEM_ERROR;

	if (!meeting)
		return result;
	nccl_lock();
	for (size_t i = 0; i < count; i++) {
		part[i].rank->waiting++;
		meeting[i] = come(&part[i]);
		if (!meeting[i] || meeting[i]->present < meeting[i]->parts)
			continue;
		take_out(part[i].rank->clique, meeting[i]);
		meeting[i]->result = disagreement(meeting[i]);
		if (meeting[i]->result == NCCL_SUCCESS)
			meeting[i]->result = nccl_move(meeting[i]);
		meeting[i]->done = true;
		nccl_changed();
	}
	for (size_t i = 0; i < count; i++) {
		const int of_this =
			meeting[i] ? await(meeting[i], part[i].rank) : NCCL_SYSTEM_ERROR;

		result = result ? result : of_this;
		part[i].rank->waiting--;
	}
	nccl_unlock();
	free(meeting);
	return result;
}
