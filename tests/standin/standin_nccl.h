/* SPDX-License-Identifier: MIT
 * NCCL's functions as a program sees them, from its user guide (docs.nvidia.com).
 */
#ifndef WARPREEL_STANDIN_NCCL_H
#define WARPREEL_STANDIN_NCCL_H

#include <cuda_runtime_api.h>
#include <stddef.h>

struct ncclComm;
typedef struct ncclComm *ncclComm_t;
typedef struct {
	char internal[128];
} ncclUniqueId;

int ncclGetVersion(int *version);
int ncclGetUniqueId(ncclUniqueId *id);
int ncclCommInitAll(ncclComm_t *all, int count, const int *devices);
int ncclCommInitRank(ncclComm_t *one, int count, ncclUniqueId id, int rank);
int ncclCommInitRankConfig(ncclComm_t *one, int count, ncclUniqueId id, int rank, void *config);
int ncclCommDestroy(ncclComm_t comm);
int ncclCommFinalize(ncclComm_t comm);
int ncclCommAbort(ncclComm_t comm);
int ncclCommCount(ncclComm_t comm, int *count);
int ncclCommCuDevice(ncclComm_t comm, int *device);
int ncclCommUserRank(ncclComm_t comm, int *rank);
int ncclCommGetAsyncError(ncclComm_t comm, int *error);
int ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *made, void *config);
int ncclCommShrink(ncclComm_t comm, int *excluded, int count, ncclComm_t *made, void *config,
		   int flags);
const char *ncclGetLastError(ncclComm_t comm);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclSend(const void *buffer, size_t count, int type, int peer, ncclComm_t comm,
	     cudaStream_t stream);
int ncclRecv(void *buffer, size_t count, int type, int peer, ncclComm_t comm, cudaStream_t stream);
int ncclAllReduce(const void *send, void *receive, size_t count, int type, int operation,
		  ncclComm_t comm, cudaStream_t stream);
int ncclReduceScatter(const void *send, void *receive, size_t count, int type, int operation,
		      ncclComm_t comm, cudaStream_t stream);
int ncclAllGather(const void *send, void *receive, size_t count, int type, ncclComm_t comm,
		  cudaStream_t stream);
int ncclBroadcast(const void *send, void *receive, size_t count, int type, int root,
		  ncclComm_t comm, cudaStream_t stream);
int ncclBcast(void *buffer, size_t count, int type, int root, ncclComm_t comm, cudaStream_t stream);
int ncclReduce(const void *send, void *receive, size_t count, int type, int operation, int root,
	       ncclComm_t comm, cudaStream_t stream);
int ncclAlltoAll(const void *send, void *receive, size_t count, int type, ncclComm_t comm,
		 cudaStream_t stream);
int ncclGather(const void *send, void *receive, size_t count, int type, int root, ncclComm_t comm,
	       cudaStream_t stream);
int ncclScatter(const void *send, void *receive, size_t count, int type, int root, ncclComm_t comm,
		cudaStream_t stream);

#endif
