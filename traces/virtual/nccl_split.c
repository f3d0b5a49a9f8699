/* SPDX-License-Identifier: MIT
 * Communicators made of others (ncclCommSplit): ranks that name one color become one, in the order
 * of their keys, of equal keys in the order they had. The k-th split that a rank calls is the same
 * one for all.
 */
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

struct nccl_split {
	uint64_t number;
	int result; /* of a communicator of several processes, which the shared file splits */
	int color[REDUCE_RANKS_MAX], key[REDUCE_RANKS_MAX];
	bool came[REDUCE_RANKS_MAX];
	int present, gone;
	struct nccl_id id[REDUCE_RANKS_MAX]; /* by the lowest rank of a color */
	struct nccl_split *next;
};

static struct nccl_split *find(struct nccl_clique *clique, uint64_t number)
{
	struct nccl_split *split = clique->split;

	while (split && split->number != number)
		split = split->next;
	if (split)
		return split;
	split = calloc(1, sizeof(*split));
	if (!split)
		return NULL;
	split->number = number;
	split->next = clique->split;
	return clique->split = split;
}

static struct nccl_split *come_from_afar(struct nccl_rank *rank, int color, int key)
{
	struct nccl_split *split = calloc(1, sizeof(*split));

	if (!split)
		return NULL;
	split->color[0] = color;
	split->result = ranks_split_come(ranks_file(), rank, color, key);
	return split;
}

static int join_from_afar(struct nccl_split *split, struct nccl_rank *rank, struct nccl_rank **out)
{
	const int color = split->color[0];
	int ranks = 0, number = 0, result = split->result;
	struct nccl_id id;

	free(split);
	result = result ? result : ranks_split_join(ranks_file(), rank, &id, &ranks, &number);
	return result || color < 0 ? result : nccl_join(out, ranks, &id, number, rank->device);
}

struct nccl_split *nccl_split_come(struct nccl_rank *rank, int color, int key)
{
	struct nccl_split *split;

	if (rank->spans)
		return come_from_afar(rank, color, key);
	nccl_lock();
	split = find(rank->clique, rank->splits++);
	if (split) {
		split->color[rank->rank] = color;
		split->key[rank->rank] = key;
		split->came[rank->rank] = true;
		nccl_new_id(&split->id[rank->rank]);
		split->present++;
	}
	nccl_changed();
	nccl_unlock();
	return split;
}

static bool is_before(const struct nccl_split *split, int a, int b)
{
	return split->key[a] != split->key[b] ? split->key[a] < split->key[b] : a < b;
}

/* Called with the lock; false: not all came in time. */
static bool all_came(const struct nccl_split *split, const struct nccl_rank *rank)
{
	const int64_t until_ms = turns_now_ms() + turns_stuck_ms();

	while (split->present < rank->clique->ranks && turns_now_ms() < until_ms)
		nccl_wait();
	return split->present == rank->clique->ranks;
}

static void forget(struct nccl_clique *clique, struct nccl_split *split)
{
	struct nccl_split **at = &clique->split;

	while (*at != split)
		at = &(*at)->next;
	*at = split->next;
	free(split);
}

int nccl_split_join(struct nccl_split *split, struct nccl_rank *rank, struct nccl_rank **out)
{
	const int own = rank->rank;
	int ranks = 0, number = 0, first = -1, color;
	struct nccl_id id;

	*out = NULL;
	if (rank->spans)
		return join_from_afar(split, rank, out);
	nccl_lock();
	if (!all_came(split, rank)) {
		nccl_unlock();
		return nccl_refuse(NCCL_SYSTEM_ERROR,
				   "not all %d ranks of a communicator have split it for %lld s",
				   rank->clique->ranks, (long long)(turns_stuck_ms() / 1000));
	}
	color = split->color[own];
	for (int i = 0; i < rank->clique->ranks; i++) {
		if (split->color[i] != color)
			continue;
		first = first < 0 ? i : first;
		ranks++;
		number += is_before(split, i, own);
	}
	id = split->id[first];
	if (++split->gone == rank->clique->ranks)
		forget(rank->clique, split);
	nccl_unlock();
	return color < 0 ? NCCL_SUCCESS : nccl_join(out, ranks, &id, number, rank->device);
}
