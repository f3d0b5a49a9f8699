/* SPDX-License-Identifier: MIT
 * Calls between ncclGroupStart and ncclGroupEnd are one call; each thread has its own. What was
 * called is told to the recorder when it has been answered.
 */
#include "ranks.h"

#include <stdatomic.h>
#include <stdlib.h>

static _Thread_local struct {
	int depth, failed;
	struct nccl_part *part;
	size_t parts, part_capacity;
	struct nccl_rank **joined; /* that came in this group */
	size_t joins, join_capacity;
	struct pending_split {
		struct nccl_split *split;
		struct nccl_rank *rank, **out;
	} * split;
	size_t splits, split_capacity;
} group;

static bool make_room(void *array, size_t count, size_t *capacity, size_t bytes)
{
	void **at = array;
	const size_t more = *capacity ? 2 * *capacity : 16;
	void *moved;

	if (count < *capacity)
		return true;
	moved = realloc(*at, more * bytes);
	if (!moved)
		return false;
	*at = moved;
	*capacity = more;
	return true;
}

static bool captures(CUstream stream)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

	return turns_captures() && (real_driver()->cuStreamIsCapturing(stream, &status) ||
				    status != CU_STREAM_CAPTURE_STATUS_NONE);
}

/* Those of communicators of several processes by themselves: they take another way. */
static int call_either(const struct nccl_part *part, size_t count)
{
	struct nccl_part *sorted;
	size_t far = 0, at[2] = { 0 };
	int result;

	for (size_t i = 0; i < count; i++)
		far += part[i].rank->spans;
	if (!far || far == count)
		return (far ? ranks_call : nccl_call)(part, count);
	sorted = calloc(count, sizeof(*sorted));
	if (!sorted)
		return NCCL_SYSTEM_ERROR;
	at[false] = far;
	for (size_t i = 0; i < count; i++)
		sorted[at[part[i].rank->spans]++] = part[i];
	result = nccl_call(sorted + far, count - far);
	result = result ? result : ranks_call(sorted, far);
	free(sorted);
	return result;
}

/* All that was called, at once; the recorder is told what came of it. */
static int call(const struct nccl_part *part, size_t count, uint64_t start_ns)
{
	static _Atomic uint32_t calls;
	const uint32_t number = atomic_fetch_add(&calls, 1);
	int result;

	notes_mute(true); /* all of it is hidden */
	result = call_either(part, count);
	notes_mute(false);
	if (result != NCCL_SUCCESS) {
		notes_hidden_calls(start_ns);
		return result;
	}
	const uint64_t end_ns = start_ns ? notes_now_ns() : 0;

	for (size_t i = 0; i < count && start_ns; i++)
		notes_collective(&(struct note_collective){
			.context = part[i].rank->context,
			.stream = part[i].stream,
			.communicator = part[i].rank->clique->number,
			.bytes = (int64_t)(part[i].count * nccl_type_bytes(part[i].type)),
			.start_ns = start_ns,
			.end_ns = end_ns,
			.kind = part[i].kind,
			.peer = part[i].peer,
			.ranks = part[i].rank->clique->ranks,
			.rank = part[i].rank->rank,
			.call = number });
	notes_hidden(end_ns);
	return NCCL_SUCCESS;
}

int nccl_group_start(void)
{
	group.depth++;
	return NCCL_SUCCESS;
}

int nccl_group_fail(int result)
{
	if (group.depth && !group.failed)
		group.failed = result;
	return result;
}

int nccl_group_add(const struct nccl_part *part)
{
	if (part->stream == CU_STREAM_PER_THREAD) /* whoever comes last would use its own */
		return nccl_group_fail(nccl_refuse(
			NCCL_INVALID_USAGE, "operations of NCCL in the default stream of a thread "
					    "(cudaStreamPerThread) are not answered for"));
	if (captures(part->stream))
		return nccl_group_fail(nccl_refuse(
			NCCL_INVALID_USAGE,
			"operations of NCCL that are captured into a graph are not answered for"));
	if (!group.depth)
		return call(part, 1, notes_now_ns());
	if (!make_room(&group.part, group.parts, &group.part_capacity, sizeof(*part)))
		return nccl_group_fail(NCCL_SYSTEM_ERROR);
	group.part[group.parts++] = *part;
	return NCCL_SUCCESS;
}

int nccl_group_join(struct nccl_rank *rank)
{
	if (!group.depth)
		return nccl_await_ranks(&rank, 1);
	if (!make_room(&group.joined, group.joins, &group.join_capacity,
		       sizeof(struct nccl_rank *)))
		return nccl_group_fail(NCCL_SYSTEM_ERROR);
	group.joined[group.joins++] = rank;
	return NCCL_SUCCESS;
}

/* Of one thread's ranks all have to come before any can join. */
static int join_splits(const struct pending_split *split, size_t count)
{
	int result = NCCL_SUCCESS;

	for (size_t i = 0; i < count; i++) {
		const int joined = nccl_split_join(split[i].split, split[i].rank, split[i].out);

		result = result ? result : joined;
	}
	for (size_t i = 0; i < count && result == NCCL_SUCCESS; i++)
		if (*split[i].out)
			result = nccl_await_ranks(split[i].out, 1);
	return result;
}

int nccl_group_split(struct nccl_rank *rank, int color, int key, struct nccl_rank **out)
{
	const struct pending_split pending = { nccl_split_come(rank, color, key), rank, out };

	if (!pending.split)
		return nccl_group_fail(NCCL_SYSTEM_ERROR);
	if (!group.depth)
		return join_splits(&pending, 1);
	if (!make_room(&group.split, group.splits, &group.split_capacity, sizeof(pending)))
		return nccl_group_fail(NCCL_SYSTEM_ERROR);
	group.split[group.splits++] = pending;
	return NCCL_SUCCESS;
}

int nccl_group_end(void)
{
	const uint64_t start_ns = notes_now_ns();
	int result;

	if (!group.depth)
		return nccl_refuse(NCCL_INVALID_USAGE, "ncclGroupEnd without ncclGroupStart");
	if (--group.depth)
		return NCCL_SUCCESS;
	result = group.failed;
	notes_mute(true);
	if (result == NCCL_SUCCESS && group.joins)
		result = nccl_await_ranks(group.joined, group.joins);
	if (group.splits) { /* others wait for these, whatever failed here */
		const int joined = join_splits(group.split, group.splits);

		result = result ? result : joined;
	}
	notes_mute(false);
	if ((group.joins || group.splits) && !group.parts)
		notes_hidden_calls(start_ns);
	if (result == NCCL_SUCCESS && group.parts)
		result = call(group.part, group.parts, start_ns);
	group.failed = 0;
	group.parts = group.joins = group.splits = 0;
	return result;
}
