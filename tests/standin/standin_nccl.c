/* SPDX-License-Identifier: MIT
 * A library in NCCL's place: what reaches it was not answered before. Built as libnccl.so.2.
 */
#include <stdio.h>

enum { REACHED = 99 };

int ncclGetVersion(int *version);
int ncclGetVersion(int *version)
{
	*version = 22907;
	return 0;
}

#define REACHES(name)                                                                              \
	int name(void);                                                                            \
	int name(void)                                                                             \
	{                                                                                          \
		fprintf(stderr, "stand-in NCCL: " #name " was called\n");                          \
		return REACHED;                                                                    \
	}
REACHES(ncclGetUniqueId)
REACHES(ncclCommInitAll)
REACHES(ncclCommInitRank)
REACHES(ncclCommInitRankConfig)
REACHES(ncclCommDestroy)
REACHES(ncclCommFinalize)
REACHES(ncclCommAbort)
REACHES(ncclCommCount)
REACHES(ncclCommCuDevice)
REACHES(ncclCommUserRank)
REACHES(ncclCommGetAsyncError)
REACHES(ncclCommSplit)
REACHES(ncclCommShrink)
REACHES(ncclGetLastError)
REACHES(ncclGroupStart)
REACHES(ncclGroupEnd)
REACHES(ncclSend)
REACHES(ncclRecv)
REACHES(ncclAllReduce)
REACHES(ncclReduceScatter)
REACHES(ncclAllGather)
REACHES(ncclBroadcast)
REACHES(ncclBcast)
REACHES(ncclReduce)
REACHES(ncclAlltoAll)
REACHES(ncclGather)
REACHES(ncclScatter)
