/* SPDX-License-Identifier: MIT
 * The CPU program one would write today: colours split, rows shared among OpenMP threads, vectors.
 * Of the four ways to store terms it takes the one that moves least while no root is left in the
 * loop. Without OpenMP it is one thread.
 */
#include "kernels/kit/vector_clones.h"
#include "lmsor_row.h"

/* Not inlined into the parallel region: the compiler takes regions apart before it makes clones. */
VECTOR_CLONES("avx512f", "avx2", "default")
__attribute__((noinline)) static uint64_t row_openmp(const struct lmsor_sweep *sweep, int32_t row)
{
	lmsor_row_update(sweep, row, STORED_OMEGA);
	return sweep->norm ? lmsor_row_norm(sweep, row) : 0;
}

void lmsor_openmp_cpu(const void *args)
{
	const struct lmsor_sweep *sweep = args;
	uint64_t most = 0;

	if (!lmsor_goes_on(sweep))
		return;
#pragma omp parallel for schedule(static) reduction(max : most)
	for (int32_t row = sweep->row_begin; row < sweep->row_end; row++) {
		const uint64_t norm = row_openmp(sweep, row);
		most = norm > most ? norm : most;
	}
	if (sweep->norm && most > *sweep->norm)
		*sweep->norm = most;
}
