/* SPDX-License-Identifier: MIT */
#include "known_launches.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

enum { BUCKETS_FIRST = 64 };

static bool known_launch_same(const struct known_launch *a, const struct known_launch *b)
{
	return a->profile == b->profile && a->blocks == b->blocks &&
	       a->block_threads == b->block_threads && a->shared_bytes == b->shared_bytes &&
	       a->on_device == b->on_device && a->at_rim[0] == b->at_rim[0] &&
	       a->at_rim[1] == b->at_rim[1] &&
	       !memcmp(&a->sharers, &b->sharers, sizeof(a->sharers)) &&
	       !memcmp(&a->code_bytes, &b->code_bytes, sizeof(a->code_bytes)) &&
	       !memcmp(&a->traffic, &b->traffic, sizeof(a->traffic));
}

/* FNV-1a (Fowler, Noll, Vo), eight bytes a step. */
static uint64_t hash_of(const void *memory, size_t bytes, uint64_t hash)
{
	for (size_t k = 0; k + sizeof(uint64_t) <= bytes; k += sizeof(uint64_t)) {
		uint64_t word;
		memcpy(&word, (const char *)memory + k, sizeof(word));
		hash = (hash ^ word) * 0x100000001b3;
		hash ^= hash >> 29;
	}
	return hash;
}

/* By what is the same in every run: not by the profile, which is a pointer. */
static size_t bucket_of(const struct known_launches *known, const struct known_launch *launch)
{
	uint64_t hash = 0xcbf29ce484222325;
	hash = hash_of(&launch->blocks, sizeof(launch->blocks), hash);
	hash = hash_of(&launch->sharers, sizeof(launch->sharers), hash);
	hash = hash_of(&launch->at_rim, sizeof(launch->at_rim), hash);
	hash = hash_of(&launch->traffic, sizeof(launch->traffic), hash);
	return (size_t)(hash % known->buckets);
}

const struct known_launch *known_launches_find(const struct known_launches *known,
					       const struct known_launch *like)
{
	for (size_t k = known->buckets ? known->first[bucket_of(known, like)] : 0; k;
	     k = known->next[k - 1])
		if (known_launch_same(&known->launch[k - 1], like))
			return &known->launch[k - 1];
	return NULL;
}

static void chain(struct known_launches *known, size_t k)
{
	size_t *first = &known->first[bucket_of(known, &known->launch[k])];
	known->next[k] = *first;
	*first = k + 1;
}

void known_launches_add(struct known_launches *known, const struct known_launch *launch)
{
	GROW(known->launch, known->count, known->capacity);
	GROW(known->next, known->count, known->next_capacity);
	known->launch[known->count++] = *launch;
	if (known->count <= known->buckets) {
		chain(known, known->count - 1);
		return;
	}
	known->buckets = known->buckets ? 2 * known->buckets : BUCKETS_FIRST;
	free(known->first);
	known->first = xcalloc(known->buckets, sizeof(*known->first));
	for (size_t k = 0; k < known->count; k++)
		chain(known, k);
}

void known_launches_release(struct known_launches *known)
{
	free(known->launch);
	free(known->first);
	free(known->next);
	*known = (struct known_launches){ 0 };
}
