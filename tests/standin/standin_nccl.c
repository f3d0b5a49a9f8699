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

/* ---- puts ---- */

struct waits {
	int count, peer, signal, context;
};
static char *window[RANKS];
static size_t window_bytes[RANKS];
static long long signals[RANKS][RANKS], taken[RANKS][RANKS]; /* [from][to] */

int ncclMemAlloc(void **memory, size_t bytes)
{
	return posix_memalign(memory, 512, bytes) ? UNHANDLED : 0;
}

int ncclMemFree(void *memory)
{
	free(memory);
	return 0;
}

int ncclCommWindowRegister(struct ncclComm *comm, void *memory, size_t bytes, void **made,
			   int flags)
{
	window[comm->rank] = memory;
	window_bytes[comm->rank] = bytes;
	memset(memory, 0xff, bytes);
	for (int k = 0; k < RANKS; k++)
		signals[comm->rank][k] = taken[comm->rank][k] = 0;
	*made = memory;
	return flags == 1 ? 0 : INVALID;
}

int ncclCommWindowDeregister(struct ncclComm *comm, void *made)
{
	return made == window[comm->rank] ? 0 : INVALID;
}

static void raise_signal(int from, int to)
{
	pthread_mutex_lock(&lock);
	signals[from][to]++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

int ncclPutSignal(const void *bytes, size_t count, int type, int peer, void *own, size_t offset,
		  int signal, int context, unsigned flags, struct ncclComm *comm, void *stream)
{
	(void)stream;
	if (type || signal || context || flags || own != window[comm->rank] || peer < 0 ||
	    peer >= RANKS || !window[peer] || offset + count > window_bytes[peer])
		return INVALID;
	memcpy(window[peer] + offset, bytes, count);
	raise_signal(comm->rank, peer);
	return 0;
}

int ncclSignal(int peer, int signal, int context, unsigned flags, struct ncclComm *comm,
	       void *stream)
{
	(void)stream;
	if (signal || context || flags || peer < 0 || peer >= RANKS)
		return INVALID;
	raise_signal(comm->rank, peer);
	return 0;
}

int ncclWaitSignal(int count, struct waits *waits, struct ncclComm *comm, void *stream)
{
	int rc = 0;
	struct timespec end;

	(void)stream;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += PATIENCE_S;
	pthread_mutex_lock(&lock);
	for (int k = 0; k < count && !rc; k++) {
		long long *mine = &taken[waits[k].peer][comm->rank];
		while (signals[waits[k].peer][comm->rank] < *mine + waits[k].count && !rc)
			if (pthread_cond_timedwait(&changed, &lock, &end) == ETIMEDOUT)
				rc = UNHANDLED;
		*mine += waits[k].count;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}
