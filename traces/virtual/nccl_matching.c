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

static struct nccl_match *find(struct nccl_clique *clique, int source, int target, uint64_t number)
{
	struct nccl_match *match = clique->first;

	while (match &&
	       (match->source != source || match->target != target || match->number != number))
		match = match->next;
	if (match)
		return match;
	match = calloc(1, sizeof(*match));
	if (!match)
		return NULL;
	match->source = source;
	match->target = target;
	match->number = number;
	match->parts = source < 0 ? clique->ranks : 2;
	match->next = clique->first;
	return clique->first = match;
}

static void take_out(struct nccl_clique *clique, struct nccl_match *match)
{
	struct nccl_match **at = &clique->first;

	while (*at != match)
		at = &(*at)->next;
	*at = match->next;
}

/* The match of a part, which has come to it; NULL: no memory. */
static struct nccl_match *come(const struct nccl_part *part)
{
	struct nccl_rank *rank = part->rank;
	struct nccl_match *match;
	int place = rank->rank;

	if (part->kind == COLLECTIVE_SEND) {
		match = find(rank->clique, rank->rank, part->peer, rank->sent[part->peer]++);
		place = 0;
	} else if (part->kind == COLLECTIVE_RECEIVE) {
		match = find(rank->clique, part->peer, rank->rank, rank->received[part->peer]++);
		place = 1;
	} else {
		match = find(rank->clique, -1, -1, rank->collectives++);
	}
	if (!match)
		return NULL;
	match->part[place] = *part;
	match->came[place] = true;
	match->present++;
	match->holders++;
	return match;
}

static int disagreement(const struct nccl_match *match)
{
	const struct nccl_part *first = &match->part[0];

	for (int i = 1; i < match->parts; i++) {
		const struct nccl_part *part = &match->part[i];
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
static int missing(const struct nccl_match *match)
{
	int place = 0;

	while (place < match->parts - 1 && match->came[place])
		place++;
	return match->source < 0 ? place : place ? match->target : match->source;
}

static bool all_wait(const struct nccl_clique *clique)
{
	for (int i = 0; i < clique->ranks; i++)
		if (!clique->rank[i] || !clique->rank[i]->waiting)
			return false;
	return true;
}

/* Nobody may come any more: after a while it is said, and the program ended. */
static void look_for_deadlock(const struct nccl_match *match, const struct nccl_rank *rank,
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
			(long long)(waited_ms / 1000), missing(match),
			all ? ", and all ranks wait: they would on several GPUs, too, or need a "
			      "group (ncclGroupStart). The program is ended."
			    : ". On virtual GPUs a call returns when all ranks have called.");
	*said = true;
	if (all || waited_ms >= PATIENCE * limit_ms)
		_exit(1);
}

static int await(struct nccl_match *match, const struct nccl_rank *rank)
{
	const int64_t since_ms = turns_now_ms();
	bool said = false;
	int result;

	while (!match->done) {
		nccl_wait();
		if (!match->done)
			look_for_deadlock(match, rank, turns_now_ms() - since_ms, &said);
	}
	result = match->result;
	if (!--match->holders)
		free(match);
	return result;
}

int nccl_call(const struct nccl_part *part, size_t count)
{
	struct nccl_match **match = calloc(count + 1, sizeof(struct nccl_match *));
	int result = match ? NCCL_SUCCESS : NCCL_SYSTEM_ERROR;

	if (!match)
		return result;
	nccl_lock();
	for (size_t i = 0; i < count; i++) {
		part[i].rank->waiting++;
		match[i] = come(&part[i]);
		if (!match[i] || match[i]->present < match[i]->parts)
			continue;
		take_out(part[i].rank->clique, match[i]);
		match[i]->result = disagreement(match[i]);
		if (match[i]->result == NCCL_SUCCESS)
			match[i]->result = nccl_transfer(match[i]);
		match[i]->done = true;
		nccl_changed();
	}
	for (size_t i = 0; i < count; i++) {
		const int of_this = match[i] ? await(match[i], part[i].rank) : NCCL_SYSTEM_ERROR;

		result = result ? result : of_this;
		part[i].rank->waiting--;
	}
	nccl_unlock();
	free(match);
	return result;
}
