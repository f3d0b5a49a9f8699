/* SPDX-License-Identifier: MIT
 * Communicators: ranks that came with one id, each on a device of its own.
 */
#include "ranks.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_NS = 250 * 1000 * 1000 };
static const uint64_t rank_magic = 0x77617270726e6b31;
static const char id_magic[8] = "wrpvgpu";

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct nccl_clique *first;
} cliques = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

void nccl_lock(void)
{
	pthread_mutex_lock(&cliques.lock);
}

void nccl_unlock(void)
{
	pthread_mutex_unlock(&cliques.lock);
}

void nccl_changed(void)
{
	pthread_cond_broadcast(&cliques.changed);
}

void nccl_wait(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += WAIT_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&cliques.changed, &cliques.lock, &until);
}

/* ---- reasons ---- */

static _Thread_local char reason[512];

int nccl_refuse(int result, const char *format, ...)
{
	va_list arguments;
	char before[sizeof(reason)];
	bool said;

	memcpy(before, reason, sizeof(before));
	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	said = !strcmp(before, reason);
	notes_say(&said, "%s", reason);
	return result;
}

const char *nccl_last_reason(void)
{
	return reason;
}

/* ---- ids ---- */

struct id_fields { /* of ours */
	char magic[8];
	int64_t process;
	uint64_t number;
};

void nccl_new_id(struct nccl_id *id)
{
	static _Atomic uint64_t made;
	struct id_fields fields = { .process = getpid() };

	memset(id, 0, sizeof(*id));
	memcpy(fields.magic, id_magic, sizeof(fields.magic));
	if (getrandom(&fields.number, sizeof(fields.number), 0) != sizeof(fields.number))
		fields.number = (uint64_t)time(NULL) << 32;
	fields.number ^= atomic_fetch_add(&made, 1);
	memcpy(id, &fields, sizeof(fields));
}

static bool is_of_another_process(const struct nccl_id *id)
{
	struct id_fields fields;

	memcpy(&fields, id, sizeof(fields));
	return !memcmp(fields.magic, id_magic, sizeof(fields.magic)) && fields.process != getpid();
}

/* FNV-1a (Fowler, Noll, Vo) of the id, so that all processes call it the same; positive. */
static uint64_t number_of(const struct nccl_id *id)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < sizeof(id->byte); i++)
		hash = (hash ^ (unsigned char)id->byte[i]) * 0x100000001b3u;
	return hash >> 1;
}

/* ---- joining and leaving ---- */

static struct nccl_clique *find(const struct nccl_id *id, int ranks)
{
	struct nccl_clique *clique = cliques.first;

	while (clique && memcmp(&clique->id, id, sizeof(*id)) != 0)
		clique = clique->next;
	if (clique)
		return clique;
	clique = calloc(1, sizeof(*clique));
	if (!clique)
		return NULL;
	clique->id = *id;
	clique->number = number_of(id);
	clique->ranks = ranks;
	clique->next = cliques.first;
	return cliques.first = clique;
}

static void forget(struct nccl_clique *clique)
{
	struct nccl_clique **at = &cliques.first;

	while (*at != clique)
		at = &(*at)->next;
	*at = clique->next;
	free(clique);
}

/* The context of the device, and events in it; the thread's device is as it was. */
static int open_device(struct nccl_rank *rank, int device)
{
	const struct driver *driver = real_driver();
	const int before = gpus_current();
	int result = NCCL_SUCCESS;

	if (!driver || gpus_set_current(device) != cudaSuccess ||
	    REAL(cudaFree)(NULL) != cudaSuccess || /* older runtimes begin with the first call */
	    driver->cuCtxGetCurrent(&rank->context) || !rank->context ||
	    driver->cuEventCreate(&rank->ready, CU_EVENT_DISABLE_TIMING) ||
	    driver->cuEventCreate(&rank->done, CU_EVENT_DISABLE_TIMING))
		result = nccl_refuse(NCCL_UNHANDLED_CUDA_ERROR,
				     "a rank of a communicator cannot open device %d", device);
	gpus_set_current(before);
	return result;
}

/* Called with the lock. */
static int enter(struct nccl_rank *rank, const struct nccl_id *id, int ranks)
{
	struct nccl_clique *clique = find(id, ranks);

	if (!clique)
		return NCCL_SYSTEM_ERROR;
	rank->clique = clique;
	if (clique->ranks != ranks)
		return nccl_refuse(NCCL_INVALID_ARGUMENT,
				   "ranks of one communicator say it has %d and %d of them",
				   clique->ranks, ranks);
	if (clique->rank[rank->rank])
		return nccl_refuse(NCCL_INVALID_USAGE, "rank %d joined a communicator twice",
				   rank->rank);
	for (int i = 0; i < ranks; i++)
		if (clique->rank[i] && clique->rank[i]->device == rank->device)
			return nccl_refuse(NCCL_INVALID_USAGE,
					   "ranks %d and %d of a communicator are both on device "
					   "%d, which NCCL refuses, too",
					   i, rank->rank, rank->device);
	clique->rank[rank->rank] = rank;
	clique->joined++;
	return NCCL_SUCCESS;
}

/* Of a rank that others of its communicator will not know. */
static void take_back(struct nccl_rank *rank)
{
	nccl_lock();
	rank->clique->rank[rank->rank] = NULL;
	if (!--rank->clique->joined)
		forget(rank->clique);
	nccl_changed();
	nccl_unlock();
}

int nccl_join(struct nccl_rank **out, int ranks, const struct nccl_id *id, int rank, int device)
{
	struct ranks_file *file = ranks_file();
	struct nccl_rank *made;
	int result;

	if (!out || ranks < 1 || rank < 0 || rank >= ranks)
		return nccl_refuse(NCCL_INVALID_ARGUMENT, "rank %d of %d joins a communicator",
				   rank, ranks);
	if (ranks > gpus_all())
		return nccl_refuse(NCCL_INVALID_USAGE,
				   "a communicator of %d ranks wants as many devices, and there "
				   "are %d (--as-gpus)",
				   ranks, gpus_all());
	if (!file && is_of_another_process(id))
		return nccl_refuse(NCCL_INVALID_USAGE,
				   "a communicator spans processes, which is not answered for: "
				   "each process has virtual GPUs of its own");
	made = calloc(1, sizeof(*made));
	if (!made)
		return NCCL_SYSTEM_ERROR;
	made->magic = rank_magic;
	made->rank = rank;
	made->device = device < 0 ? gpus_current() : device;
	result = open_device(made, made->device);
	nccl_lock();
	if (result == NCCL_SUCCESS)
		result = enter(made, id, ranks);
	nccl_changed();
	nccl_unlock();
	if (result == NCCL_SUCCESS && file) {
		result = ranks_join(file, made, ranks, id);
		if (result != NCCL_SUCCESS)
			take_back(made);
	}
	if (result == NCCL_SUCCESS)
		*out = made;
	else
		free(made);
	return result;
}

static int missing_rank(const struct nccl_clique *clique)
{
	int rank = 0;

	while (rank < clique->ranks - 1 && clique->rank[rank])
		rank++;
	return rank;
}

int nccl_await_ranks(struct nccl_rank *const *rank, size_t count)
{
	const int64_t until_ms = turns_now_ms() + turns_stuck_ms();
	int result = NCCL_SUCCESS;

	for (size_t i = 0; i < count && result == NCCL_SUCCESS; i++)
		if (rank[i]->shared)
			result = ranks_await_others(ranks_file(), rank[i]);
	nccl_lock();
	for (size_t i = 0; i < count && result == NCCL_SUCCESS; i++) {
		const struct nccl_clique *clique = rank[i]->clique;

		if (rank[i]->shared)
			continue;

		while (clique->joined < clique->ranks && result == NCCL_SUCCESS)
			if (turns_now_ms() < until_ms)
				nccl_wait();
			else
				result = nccl_refuse(
					NCCL_SYSTEM_ERROR,
					"rank %d of %d has not joined a communicator for %lld s: "
					"ranks of other processes cannot; if it is only slow, "
					"WARPREEL_STUCK_S gives it more seconds",
					missing_rank(clique), clique->ranks,
					(long long)(turns_stuck_ms() / 1000));
	}
	nccl_unlock();
	return result;
}

/* Of a communicator that may be of several processes. */
static void leave_seat(struct nccl_rank *rank)
{
	const struct driver *driver = real_driver();
	CUcontext before = NULL;

	driver->cuCtxGetCurrent(&before);
	driver->cuCtxSetCurrent(rank->context);
	ranks_windows_forget(rank->shared);
	driver->cuCtxSetCurrent(before);
	ranks_leave(ranks_file(), rank);
}

void nccl_leave(struct nccl_rank *rank)
{
	struct nccl_clique *clique = rank->clique;
	const struct driver *driver = real_driver();

	if (rank->shared)
		leave_seat(rank);

	driver->cuEventDestroy_v2(rank->ready);
	driver->cuEventDestroy_v2(rank->done);
	nccl_lock();
	clique->rank[rank->rank] = NULL;
	if (++clique->left == (rank->shared ? clique->joined : clique->ranks))
		forget(clique);
	nccl_changed();
	nccl_unlock();
	rank->magic = 0;
	free(rank);
}

bool nccl_is_rank(const struct nccl_rank *rank)
{
	return rank && rank->magic == rank_magic;
}
