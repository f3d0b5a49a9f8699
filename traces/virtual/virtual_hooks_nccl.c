/* SPDX-License-Identifier: MIT
 * NCCL's functions. On fewer than two virtual GPUs they are the library's own. What is not
 * answered for is refused with the reason.
 */
#include "virtual_nccl.h"

#include <limits.h>
#include <string.h>

/* A function of the real library; NULL: the process has none. */
#define REAL_NCCL(name)                                                                            \
	({                                                                                         \
		static void *_Atomic slot_;                                                        \
		(__typeof__(&name))(uintptr_t)real_other(&slot_, "libnccl.so", #name);             \
	})
/* `otherwise` answers where there are virtual GPUs. */
#define NCCL(name, parameters, arguments, otherwise)                                               \
	HOOK int name parameters;                                                                  \
	HOOK int name parameters                                                                   \
	{                                                                                          \
		int(*real) parameters;                                                             \
                                                                                                   \
		if (gpus_all() > 1)                                                                \
			return otherwise arguments;                                                \
		real = REAL_NCCL(name);                                                            \
		return real ? real arguments : NCCL_SYSTEM_ERROR;                                  \
	}

/* ---- communicators ---- */

static int not_a_rank(void)
{
	return nccl_group_fail(
		nccl_refuse(NCCL_INVALID_ARGUMENT, "what is passed is no communicator"));
}

static int unique_id(struct nccl_id *id)
{
	if (!id)
		return NCCL_INVALID_ARGUMENT;
	nccl_new_id(id);
	return NCCL_SUCCESS;
}
NCCL(ncclGetUniqueId, (struct nccl_id * id), (id), unique_id)

static int init_rank(struct nccl_rank **rank, int ranks, struct nccl_id id, int number)
{
	const uint64_t start_ns = notes_now_ns();
	int result;

	notes_mute(true);
	result = nccl_join(rank, ranks, &id, number, -1);
	result = result ? nccl_group_fail(result) : nccl_group_join(*rank);
	notes_mute(false);
	notes_hidden_calls(start_ns);
	return result;
}
NCCL(ncclCommInitRank, (struct nccl_rank * *rank, int ranks, struct nccl_id id, int number),
     (rank, ranks, id, number), init_rank)

/* What is configured changes how NCCL works, not what comes of it. */
static int init_rank_config(struct nccl_rank **rank, int ranks, struct nccl_id id, int number,
			    void *configuration)
{
	(void)configuration;
	return init_rank(rank, ranks, id, number);
}
NCCL(ncclCommInitRankConfig,
     (struct nccl_rank * *rank, int ranks, struct nccl_id id, int number, void *configuration),
     (rank, ranks, id, number, configuration), init_rank_config)

static int init_rank_scalable(struct nccl_rank **rank, int ranks, int number, int ids,
			      struct nccl_id *id, void *configuration)
{
	(void)configuration;
	return ids < 1 || !id ? NCCL_INVALID_ARGUMENT : init_rank(rank, ranks, *id, number);
}
NCCL(ncclCommInitRankScalable,
     (struct nccl_rank * *rank, int ranks, int number, int ids, struct nccl_id *id,
      void *configuration),
     (rank, ranks, number, ids, id, configuration), init_rank_scalable)

static int init_all(struct nccl_rank **rank, int ranks, const int *device)
{
	const uint64_t start_ns = notes_now_ns();
	struct nccl_id id;
	int result = NCCL_SUCCESS, made = 0;

	for (int i = 0; device && i < ranks; i++)
		if (!gpus_has(device[i]))
			return nccl_refuse(NCCL_INVALID_ARGUMENT,
					   "a communicator is to be on device %d of %d", device[i],
					   gpus_count());
	nccl_new_id(&id);
	notes_mute(true);
	if (ranks < 1 || ranks > gpus_count())
		result = nccl_refuse(NCCL_INVALID_USAGE,
				     "a communicator of %d ranks wants as many devices, and there "
				     "are %d (--as-gpus)",
				     ranks, gpus_count());
	while (made < ranks && result == NCCL_SUCCESS) {
		result = nccl_join(&rank[made], ranks, &id, made, device ? device[made] : made);
		made += result == NCCL_SUCCESS;
	}
	while (result != NCCL_SUCCESS && made)
		nccl_leave(rank[--made]);
	notes_mute(false);
	notes_hidden_calls(start_ns);
	return result;
}
NCCL(ncclCommInitAll, (struct nccl_rank * *rank, int ranks, const int *device),
     (rank, ranks, device), init_all)

static int split(struct nccl_rank *rank, int color, int key, struct nccl_rank **out,
		 void *configuration)
{
	const uint64_t start_ns = notes_now_ns();
	int result;

	(void)configuration;
	if (!nccl_is_rank(rank) || !out)
		return not_a_rank();
	notes_mute(true);
	result = nccl_group_split(rank, color, key, out);
	notes_mute(false);
	notes_hidden_calls(start_ns);
	return result;
}
NCCL(ncclCommSplit,
     (struct nccl_rank * rank, int color, int key, struct nccl_rank **out, void *configuration),
     (rank, color, key, out, configuration), split)

static int leave(struct nccl_rank *rank)
{
	const uint64_t start_ns = notes_now_ns();

	if (!rank)
		return NCCL_SUCCESS;
	if (!nccl_is_rank(rank))
		return not_a_rank();
	nccl_leave(rank);
	notes_hidden_calls(start_ns);
	return NCCL_SUCCESS;
}
NCCL(ncclCommDestroy, (struct nccl_rank * rank), (rank), leave)
NCCL(ncclCommAbort, (struct nccl_rank * rank), (rank), leave)

/* What was called stands in the streams already. */
static int finalize(const struct nccl_rank *rank)
{
	return !rank || nccl_is_rank(rank) ? NCCL_SUCCESS : not_a_rank();
}
NCCL(ncclCommFinalize, (struct nccl_rank * rank), (rank), finalize)

#define ASKS(name, ours, field)                                                                    \
	static int ours(const struct nccl_rank *rank, int *value)                                  \
	{                                                                                          \
		if (!nccl_is_rank(rank) || !value)                                                 \
			return not_a_rank();                                                       \
		*value = rank->field;                                                              \
		return NCCL_SUCCESS;                                                               \
	}                                                                                          \
	NCCL(name, (const struct nccl_rank *rank, int *value), (rank, value), ours)
ASKS(ncclCommCount, ranks_of, clique->ranks)
ASKS(ncclCommCuDevice, device_of, device)
ASKS(ncclCommUserRank, number_of, rank)

static int async_error(const struct nccl_rank *rank, int *error)
{
	if (!nccl_is_rank(rank) || !error)
		return not_a_rank();
	*error = rank->error;
	return NCCL_SUCCESS;
}
NCCL(ncclCommGetAsyncError, (struct nccl_rank * rank, int *error), (rank, error), async_error)

HOOK const char *ncclGetLastError(struct nccl_rank *rank);
HOOK const char *ncclGetLastError(struct nccl_rank *rank)
{
	const char *(*real)(struct nccl_rank *) =
		gpus_all() > 1 ? NULL : REAL_NCCL(ncclGetLastError);

	return real ? real(rank) : nccl_last_reason();
}

/* ---- memory ---- */

static int allocate(void **pointer, size_t bytes)
{
	return cudaMalloc(pointer, bytes) ? NCCL_UNHANDLED_CUDA_ERROR : NCCL_SUCCESS;
}
NCCL(ncclMemAlloc, (void **pointer, size_t bytes), (pointer, bytes), allocate)
static int release(void *pointer)
{
	return cudaFree(pointer) ? NCCL_UNHANDLED_CUDA_ERROR : NCCL_SUCCESS;
}
NCCL(ncclMemFree, (void *pointer), (pointer), release)

/* A hint. */
static int register_buffer(const struct nccl_rank *rank, void *buffer, size_t bytes, void **handle)
{
	(void)bytes;
	if (!nccl_is_rank(rank) || !handle)
		return not_a_rank();
	*handle = buffer;
	return NCCL_SUCCESS;
}
NCCL(ncclCommRegister, (const struct nccl_rank *rank, void *buffer, size_t bytes, void **handle),
     (rank, buffer, bytes, handle), register_buffer)
static int deregister_buffer(const struct nccl_rank *rank, void *handle)
{
	(void)handle;
	return nccl_is_rank(rank) ? NCCL_SUCCESS : not_a_rank();
}
NCCL(ncclCommDeregister, (const struct nccl_rank *rank, void *handle), (rank, handle),
     deregister_buffer)

/* ---- groups ---- */

NCCL(ncclGroupStart, (void), (), nccl_group_start)
NCCL(ncclGroupEnd, (void), (), nccl_group_end)

/* ---- operations ---- */

/* Of parameters that a part has. */
static int add(const struct nccl_part *part, bool has_peer, bool reduces)
{
	if (!nccl_is_rank(part->rank))
		return not_a_rank();
	if (part->type < 0 || part->type >= NCCL_TYPES ||
	    (has_peer && (part->peer < 0 || part->peer >= part->rank->clique->ranks)) ||
	    part->operation < 0 || part->count > (size_t)INT64_MAX / (8 * REDUCE_RANKS_MAX))
		return nccl_group_fail(nccl_refuse(
			NCCL_INVALID_ARGUMENT,
			"an operation of type %d with peer or root %d of %d and %zu elements",
			part->type, part->peer, part->rank->clique->ranks, part->count));
	if (reduces && part->operation >= NCCL_OPERATIONS)
		return nccl_group_fail(nccl_refuse(
			NCCL_INVALID_USAGE, "reductions that a program makes itself "
					    "(ncclRedOpCreatePreMulSum) are not answered for"));
	if (!part->count && part->kind != COLLECTIVE_SEND && part->kind != COLLECTIVE_RECEIVE)
		return NCCL_SUCCESS; /* on several GPUs, too, nothing happens */
	return nccl_group_add(part);
}

/* An operation that is one part: its fields behind the rank and the kind. */
#define PART(name, function, parameters, arguments, kind, has_peer, reduces, ...)                  \
	static int function parameters                                                             \
	{                                                                                          \
		return add(&(struct nccl_part){ rank, kind, __VA_ARGS__, stream }, has_peer,       \
			   reduces);                                                               \
	}                                                                                          \
	NCCL(name, parameters, arguments, function)

PART(ncclAllReduce, all_reduce,
     (const void *send, void *receive, size_t count, int type, int operation,
      struct nccl_rank *rank, CUstream stream),
     (send, receive, count, type, operation, rank, stream), COLLECTIVE_ALL_REDUCE, false, true,
     send, receive, count, type, operation, -1)
PART(ncclReduceScatter, reduce_scatter,
     (const void *send, void *receive, size_t count, int type, int operation,
      struct nccl_rank *rank, CUstream stream),
     (send, receive, count, type, operation, rank, stream), COLLECTIVE_REDUCE_SCATTER, false, true,
     send, receive, count, type, operation, -1)
PART(ncclReduce, reduce,
     (const void *send, void *receive, size_t count, int type, int operation, int root,
      struct nccl_rank *rank, CUstream stream),
     (send, receive, count, type, operation, root, rank, stream), COLLECTIVE_REDUCE, true, true,
     send, receive, count, type, operation, root)
PART(ncclAllGather, all_gather,
     (const void *send, void *receive, size_t count, int type, struct nccl_rank *rank,
      CUstream stream),
     (send, receive, count, type, rank, stream), COLLECTIVE_ALL_GATHER, false, false, send, receive,
     count, type, 0, -1)
PART(ncclBroadcast, broadcast,
     (const void *send, void *receive, size_t count, int type, int root, struct nccl_rank *rank,
      CUstream stream),
     (send, receive, count, type, root, rank, stream), COLLECTIVE_BROADCAST, true, false, send,
     receive, count, type, 0, root)

static int broadcast_in_place(void *buffer, size_t count, int type, int root,
			      struct nccl_rank *rank, CUstream stream)
{
	return broadcast(buffer, buffer, count, type, root, rank, stream);
}
NCCL(ncclBcast,
     (void *buffer, size_t count, int type, int root, struct nccl_rank *rank, CUstream stream),
     (buffer, count, type, root, rank, stream), broadcast_in_place)

PART(ncclSend, send_to,
     (const void *send, size_t count, int type, int peer, struct nccl_rank *rank, CUstream stream),
     (send, count, type, peer, rank, stream), COLLECTIVE_SEND, true, false, send, NULL, count, type,
     0, peer)
PART(ncclRecv, receive_from,
     (void *receive, size_t count, int type, int peer, struct nccl_rank *rank, CUstream stream),
     (receive, count, type, peer, rank, stream), COLLECTIVE_RECEIVE, true, false, NULL, receive,
     count, type, 0, peer)

/* ---- operations that are groups of sends and receives ---- */

static size_t bytes_of(size_t count, int type)
{
	return type >= 0 && type < NCCL_TYPES ? count * nccl_type_bytes(type) : 0;
}

static int all_to_all(const void *send, void *receive, size_t count, int type,
		      struct nccl_rank *rank, CUstream stream)
{
	const size_t bytes = bytes_of(count, type);

	if (!nccl_is_rank(rank))
		return not_a_rank();
	nccl_group_start();
	for (int i = 0; i < rank->clique->ranks; i++) {
		send_to((const char *)send + (size_t)i * bytes, count, type, i, rank, stream);
		receive_from((char *)receive + (size_t)i * bytes, count, type, i, rank, stream);
	}
	return nccl_group_end();
}
NCCL(ncclAlltoAll,
     (const void *send, void *receive, size_t count, int type, struct nccl_rank *rank,
      CUstream stream),
     (send, receive, count, type, rank, stream), all_to_all)

static int gather(const void *send, void *receive, size_t count, int type, int root,
		  struct nccl_rank *rank, CUstream stream)
{
	const size_t bytes = bytes_of(count, type);

	if (!nccl_is_rank(rank))
		return not_a_rank();
	nccl_group_start();
	send_to(send, count, type, root, rank, stream);
	for (int i = 0; rank->rank == root && i < rank->clique->ranks; i++)
		receive_from((char *)receive + (size_t)i * bytes, count, type, i, rank, stream);
	return nccl_group_end();
}
NCCL(ncclGather,
     (const void *send, void *receive, size_t count, int type, int root, struct nccl_rank *rank,
      CUstream stream),
     (send, receive, count, type, root, rank, stream), gather)

static int scatter(const void *send, void *receive, size_t count, int type, int root,
		   struct nccl_rank *rank, CUstream stream)
{
	const size_t bytes = bytes_of(count, type);

	if (!nccl_is_rank(rank))
		return not_a_rank();
	nccl_group_start();
	for (int i = 0; rank->rank == root && i < rank->clique->ranks; i++)
		send_to((const char *)send + (size_t)i * bytes, count, type, i, rank, stream);
	receive_from(receive, count, type, root, rank, stream);
	return nccl_group_end();
}
NCCL(ncclScatter,
     (const void *send, void *receive, size_t count, int type, int root, struct nccl_rank *rank,
      CUstream stream),
     (send, receive, count, type, root, rank, stream), scatter)

/* ---- what is refused, whatever it is passed: the real library would not know our communicators
 * ---- */

#define REFUSED(name, what)                                                                        \
	static int no_##name(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,           \
			     uint64_t f, uint64_t g, uint64_t h, uint64_t i, uint64_t j)           \
	{                                                                                          \
		(void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h, (void)i;   \
		(void)j;                                                                           \
		return nccl_group_fail(nccl_refuse(NCCL_INVALID_USAGE,                             \
						   what " (" #name ") are not answered for"));     \
	}                                                                                          \
	NCCL(name,                                                                                 \
	     (uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,  \
	      uint64_t h, uint64_t i, uint64_t j),                                                 \
	     (a, b, c, d, e, f, g, h, i, j), no_##name)
REFUSED(ncclCommShrink, "communicators made of others")
REFUSED(ncclCommGrow, "communicators made of others")
REFUSED(ncclCommGetUniqueId, "communicators made of others")
REFUSED(ncclCommRevoke, "communicators that are taken back")
REFUSED(ncclCommSuspend, "communicators that are put aside")
REFUSED(ncclCommResume, "communicators that are put aside")
REFUSED(ncclCommMemStats, "questions about NCCL's memory")
REFUSED(ncclCommWindowRegister, "windows of memory")
REFUSED(ncclCommWindowDeregister, "windows of memory")
REFUSED(ncclWinGetUserPtr, "windows of memory")
REFUSED(ncclRedOpCreatePreMulSum, "reductions that a program makes itself")
REFUSED(ncclRedOpDestroy, "reductions that a program makes itself")
REFUSED(ncclPutSignal, "operations of one side")
REFUSED(ncclSignal, "operations of one side")
REFUSED(ncclWaitSignal, "operations of one side")
REFUSED(ncclGroupSimulateEnd, "estimates of NCCL's own")
REFUSED(ncclAllReduceConfig, "operations with a configuration")
REFUSED(ncclBroadcastConfig, "operations with a configuration")
REFUSED(ncclReduceConfig, "operations with a configuration")
REFUSED(ncclAllGatherConfig, "operations with a configuration")
REFUSED(ncclReduceScatterConfig, "operations with a configuration")
REFUSED(ncclAlltoAllConfig, "operations with a configuration")
REFUSED(ncclGatherConfig, "operations with a configuration")
REFUSED(ncclScatterConfig, "operations with a configuration")
REFUSED(ncclDevCommCreate, "communicators in kernels")
REFUSED(ncclDevCommDestroy, "communicators in kernels")
