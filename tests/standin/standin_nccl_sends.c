/* SPDX-License-Identifier: MIT
 * A library that stands in for NCCL, its sends and its puts, where GPUs' memory is the host's:
 * sends that meet receives, each when its group ends. A message that nobody takes within a while,
 * or of another length, is an error.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RANKS = 64, MOST = 64, PATIENCE_S = 20, UNHANDLED = 1, INVALID = 4 };

struct ncclComm {
	int rank;
};
struct ticket {
	const void *from;
	void *to;
	size_t bytes;
	int peer;
	struct ncclComm *comm;
};
struct box {
	const void *bytes; /* NULL: empty */
	size_t count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct box box[RANKS][RANKS]; /* [from][to] */
static __thread struct ticket asked[MOST];
static __thread int asked_count;

int ncclGetVersion(int *version)
{
	*version = 22902;
	return 0;
}

const char *ncclGetErrorString(int result)
{
	return result == INVALID ? "invalid argument" : "a message that did not meet another one";
}

int ncclCommInitAll(struct ncclComm **comm, int count, const int *devices)
{
	for (int a = 0; a < count; a++) {
		for (int b = 0; b < a; b++)
			if (devices[a] == devices[b])
				return INVALID;
		comm[a] = calloc(1, sizeof(**comm));
		comm[a]->rank = a;
	}
	return count < 1 || count > RANKS ? INVALID : 0;
}

int ncclCommDestroy(struct ncclComm *comm)
{
	free(comm);
	return 0;
}

int ncclGroupStart(void)
{
	asked_count = 0;
	return 0;
}

static int ask(struct ticket ticket)
{
	if (asked_count == MOST || ticket.peer < 0 || ticket.peer >= RANKS ||
	    ticket.peer == ticket.comm->rank)
		return INVALID;
	asked[asked_count++] = ticket;
	return 0;
}

int ncclSend(const void *bytes, size_t count, int type, int peer, struct ncclComm *comm,
	     void *stream)
{
	(void)stream;
	return type ? INVALID
		    : ask((struct ticket){
			      .from = bytes, .bytes = count, .peer = peer, .comm = comm });
}

int ncclRecv(void *bytes, size_t count, int type, int peer, struct ncclComm *comm, void *stream)
{
	(void)stream;
	return type ? INVALID
		    : ask((struct ticket){
			      .to = bytes, .bytes = count, .peer = peer, .comm = comm });
}

/* Until the box is full, or empty; the lock is held. */
static int until(const struct box *b, int full)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += PATIENCE_S;
	while ((b->bytes != NULL) != full)
		if (pthread_cond_timedwait(&changed, &lock, &end) == ETIMEDOUT)
			return UNHANDLED;
	return 0;
}

int ncclGroupEnd(void)
{
	int rc = 0;

	pthread_mutex_lock(&lock);
	for (int k = 0; k < asked_count && !rc; k++) {
		struct box *b = &box[asked[k].comm->rank][asked[k].peer];
		if (!asked[k].from)
			continue;
		rc = until(b, 0);
		*b = (struct box){ asked[k].from, asked[k].bytes };
		pthread_cond_broadcast(&changed);
	}
	for (int k = 0; k < asked_count && !rc; k++) {
		struct box *b = &box[asked[k].peer][asked[k].comm->rank];
		if (!asked[k].to)
			continue;
		rc = until(b, 1);
		if (!rc && b->count != asked[k].bytes)
			rc = INVALID;
		if (!rc)
			memcpy(asked[k].to, b->bytes, b->count);
		b->bytes = NULL;
		pthread_cond_broadcast(&changed);
	}
	for (int k = 0; k < asked_count && !rc; k++)
		if (asked[k].from)
			rc = until(&box[asked[k].comm->rank][asked[k].peer], 0);
	pthread_mutex_unlock(&lock);
	return rc;
}

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
