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

/* NCCL refuses two ranks on one GPU by itself, in words that would not help. As in its header,
 * which is not needed: a communicator and a configuration are pointers, an id is 128 bytes. */
enum { NCCL_INVALID_USAGE = 5 };
struct nccl_id {
	char byte[128];
};

static bool refuse_nccl(void)
{
	static bool said;

	if (gpus_count() < 2)
		return false;
	notes_say(&said,
		  "communicators of NCCL are not answered for: two ranks would have to share "
		  "one GPU, which NCCL refuses");
	return true;
}

#define COMMUNICATOR(name, parameters, arguments)                                                  \
	HOOK int name parameters;                                                                  \
	HOOK int name parameters                                                                   \
	{                                                                                          \
		static void *_Atomic slot;                                                         \
		int(*real) parameters =                                                            \
			(int(*) parameters)(uintptr_t)real_other(&slot, "libnccl.so", #name);      \
                                                                                                   \
		return refuse_nccl() || !real ? NCCL_INVALID_USAGE : real arguments;               \
	}
COMMUNICATOR(ncclCommInitAll, (void **all, int count, const int *devices), (all, count, devices))
COMMUNICATOR(ncclCommInitRank, (void **one, int count, struct nccl_id id, int rank),
	     (one, count, id, rank))
COMMUNICATOR(ncclCommInitRankConfig,
	     (void **one, int count, struct nccl_id id, int rank, void *configuration),
	     (one, count, id, rank, configuration))
