/* SPDX-License-Identifier: MIT
 * Multi-layer SSOR as a Hopper multiprocessor wants it: a thread takes a tile, as in the paper, but
 * makes its layers in registers.
 *
 * The box of every tile goes through shared memory once in and once out, in rows of the whole
 * block. In between a thread works down its rows: when row r has come in, layer 0 takes row r - 1,
 * layer 1 row r - 2 and so on, and row r - K is done and goes back. A point still finds its lower
 * neighbours with the layer it gets and its upper ones with the layer before, which is all that
 * lexicographic order says, so the values are the same to the last bit. All loops are written out:
 * K + 1 rows of a tile are in registers, and the compiler sees which updates are independent.
 *
 * Subdomains at the edge of the mesh have tiles of other shapes: those are made in shared memory
 * with loops. They come first in a launch, being slower.
 */
#include "mlssor_tuned.cuh"

#define NAME_4(kernel, form, tile) mlssor_tuned4_##tile
#define NAME_8(kernel, form, tile) mlssor_tuned8_##tile
#define NAME_16(kernel, form, tile) mlssor_tuned16_##tile
MLSSOR_KERNELS(NAME_4, , , tuned_tile, 4, false)
MLSSOR_KERNELS(NAME_8, , , tuned_tile, 8, false)
MLSSOR_KERNELS(NAME_16, , , tuned_tile, 16, false)

extern "C" const struct cuda_kernel mlssor_tuned_kernels[] = {
	MLSSOR_LAUNCHERS(NAME_4, , , mlssor_tuned_geometry) /**/
	MLSSOR_LAUNCHERS(NAME_8, , , mlssor_tuned_geometry) /**/
	MLSSOR_LAUNCHERS(NAME_16, , , mlssor_tuned_geometry){ 0, 0 },
};
