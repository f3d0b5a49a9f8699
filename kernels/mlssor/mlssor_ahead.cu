/* SPDX-License-Identifier: MIT
 * The tuned kernels again, with what their first measurement asked for: 16 words of a thread under
 * way at once while boxes come in, where tuned has one, and 255 registers a thread, where tuned has
 * 128: tiles of 16x16 then keep 28 to 560 bytes in memory. 1.3 to 1.8 times as fast (visit BX).
 */
#define MLSSOR_BOUND MLSSOR_AHEAD_THREADS
#include "mlssor_tuned.cuh"

#define NAME_4(kernel, form, tile) mlssor_ahead4_##tile
#define NAME_8(kernel, form, tile) mlssor_ahead8_##tile
#define NAME_16(kernel, form, tile) mlssor_ahead16_##tile
MLSSOR_KERNELS(NAME_4, , , tuned_tile, 4, true)
MLSSOR_KERNELS(NAME_8, , , tuned_tile, 8, true)
MLSSOR_KERNELS(NAME_16, , , tuned_tile, 16, true)

extern "C" const struct cuda_kernel mlssor_ahead_kernels[] = {
	MLSSOR_LAUNCHERS(NAME_4, , , mlssor_tuned_geometry) /**/
	MLSSOR_LAUNCHERS(NAME_8, , , mlssor_tuned_geometry) /**/
	MLSSOR_LAUNCHERS(NAME_16, , , mlssor_tuned_geometry){ 0, 0 },
};
