/* SPDX-License-Identifier: MIT */
#include "grid_kinds.h"

#include "traces/base/util.h"

static bool at_rim(const struct grid_kinds *kinds, int64_t block)
{
	const int64_t columns = kinds->grid[0], rows = kinds->grid[1], x = block % columns,
		      y = block / columns;
	return x == 0 || x == columns - 1 || (rows > 1 && (y == 0 || y == rows - 1));
}

bool *grid_kinds_of(const struct grid_kinds *kinds, int sm_count, int64_t sm, int64_t blocks)
{
	bool *rim = xcalloc((size_t)blocks + 1, sizeof(*rim));
	for (int64_t k = 0; k < blocks; k++)
		rim[k] = at_rim(kinds, sm + k * sm_count);
	return rim;
}

int64_t grid_kinds_sm(const struct grid_kinds *kinds, int sm_count, int64_t blocks, bool most)
{
	const int64_t all = (int64_t)kinds->grid[0] * kinds->grid[1],
		      last = all - (blocks - 1) * sm_count;
	int64_t best = 0, at = 0;
	for (int64_t sm = 0; sm < sm_count && sm < last; sm++) {
		int64_t rims = 0;
		for (int64_t k = 0; k < blocks; k++)
			rims += at_rim(kinds, sm + k * sm_count);
		if (!sm || (most ? rims > best : rims < best)) {
			best = rims;
			at = sm;
		}
	}
	return at;
}

void grid_kinds_bits(const struct grid_kinds *kinds, int sm_count, int64_t blocks, uint64_t bits[2])
{
	for (int k = 0; k < 2; k++) {
		const int64_t sm = grid_kinds_sm(kinds, sm_count, blocks, !k);
		bits[k] = 0;
		for (int64_t b = 0; b < blocks && b < 64; b++)
			bits[k] |= (uint64_t)at_rim(kinds, sm + b * sm_count) << b;
	}
}
