/* SPDX-License-Identifier: MIT
 * A small hash map from a pair of integers to a 32-bit number: joins rows of a trace.
 * Deterministic; never shrinks.
 */
#ifndef WARPREEL_TRACE_MAP_H
#define WARPREEL_TRACE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAP_NONE UINT32_MAX /* the one value that cannot be stored */

struct map_slot {
	int64_t a, b;
	uint32_t value;
};
struct map {
	struct map_slot *slot;
	size_t used, slots; /* slots is 0 or a power of two */
};

/* Sets (a, b) to value and returns what it was before, MAP_NONE when it was absent. A zeroed map is
 * an empty one. */
uint32_t map_put(struct map *map, int64_t a, int64_t b, uint32_t value);
/* MAP_NONE when absent. */
uint32_t map_get(const struct map *map, int64_t a, int64_t b);
/* The value of (a, b), which becomes `value` when it was absent. */
uint32_t map_intern(struct map *map, int64_t a, int64_t b, uint32_t value);
void map_release(struct map *map);

#endif
