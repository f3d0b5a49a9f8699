/* SPDX-License-Identifier: MIT
 * What virtual GPUs do not answer for is refused with the reason, by the error its caller expects.
 */
#include "virtual.h"

HOOK cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer)
{
	static bool said;

	if (!gpus_count())
		return REAL(cudaIpcGetMemHandle)(handle, pointer);
	notes_say(&said,
		  "memory shared between processes (cudaIpcGetMemHandle) is not answered for: "
		  "each process has virtual GPUs of its own");
	return cudaErrorNotSupported;
}
