/* SPDX-License-Identifier: MIT */
#include "trace_map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

static size_t hash_pair(int64_t a, int64_t b)
{
	uint64_t h = (uint64_t)a * 0x9e3779b97f4a7c15u ^
		     ((uint64_t)b + 0x7f4a7c15u) * 0xc2b2ae3d27d4eb4fu;

	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	return (size_t)(h ^ (h >> 32));
}

static struct map_slot *find(const struct map *map, int64_t a, int64_t b)
{
	size_t at = hash_pair(a, b) & (map->slots - 1);

	while (map->slot[at].value != MAP_NONE && (map->slot[at].a != a || map->slot[at].b != b))
		at = (at + 1) & (map->slots - 1);
	return &map->slot[at];
}

static void enlarge(struct map *map)
{
	struct map old = *map;

	map->slots = old.slots ? old.slots * 2 : 64;
	map->slot = xmalloc(map->slots * sizeof(*map->slot));
	memset(map->slot, 0xff, map->slots * sizeof(*map->slot)); /* every value MAP_NONE */
	for (size_t i = 0; i < old.slots; i++)
		if (old.slot[i].value != MAP_NONE)
			*find(map, old.slot[i].a, old.slot[i].b) = old.slot[i];
	free(old.slot);
}

uint32_t map_put(struct map *map, int64_t a, int64_t b, uint32_t value)
{
	struct map_slot *slot;
	uint32_t before;

	assert(value != MAP_NONE);
	if (map->used * 3 >= map->slots * 2)
		enlarge(map);
	slot = find(map, a, b);
	before = slot->value;
	if (before == MAP_NONE)
		map->used++;
	*slot = (struct map_slot){ .a = a, .b = b, .value = value };
	return before;
}

uint32_t map_get(const struct map *map, int64_t a, int64_t b)
{
	return map->slots ? find(map, a, b)->value : MAP_NONE;
}

uint32_t map_intern(struct map *map, int64_t a, int64_t b, uint32_t value)
{
	uint32_t before = map_get(map, a, b);

	if (before != MAP_NONE)
		return before;
	map_put(map, a, b, value);
	return value;
}

void map_release(struct map *map)
{
	free(map->slot);
	memset(map, 0, sizeof(*map));
}
