/* SPDX-License-Identifier: MIT
 * Calls between ncclGroupStart and ncclGroupEnd are one call; each thread has its own. What was
 * called is told to the recorder when it has been answered.
 */
#include "virtual_nccl.h"

#include <stdatomic.h>
#include <stdlib.h>

static _Thread_local struct {
	int depth, failed;
	struct nccl_part *part;
	size_t parts, part_capacity;
	struct nccl_rank **joined; /* that came in this group */
	size_t joins, join_capacity;
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

/* All that was called, at once; the recorder is told what came of it. */
static int call(const struct nccl_part *part, size_t count, uint64_t start_ns)
{
	static _Atomic uint32_t calls;
	const uint32_t number = atomic_fetch_add(&calls, 1);
	int result;

	notes_mute(true); /* all of it is hidden */
	result = nccl_call(part, count);
	notes_mute(false);
	if (result != NCCL_SUCCESS) {
		notes_hidden(start_ns);
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

int nccl_group_end(void)
{
	const uint64_t start_ns = notes_now_ns();
	int result;

	if (!group.depth)
		return nccl_refuse(NCCL_INVALID_USAGE, "ncclGroupEnd without ncclGroupStart");
	if (--group.depth)
		return NCCL_SUCCESS;
	result = group.failed;
	if (result == NCCL_SUCCESS && group.joins) {
		result = nccl_await_ranks(group.joined, group.joins);
		if (!group.parts)
			notes_hidden(start_ns);
	}
	if (result == NCCL_SUCCESS && group.parts)
		result = call(group.part, group.parts, start_ns);
	group.failed = 0;
	group.parts = group.joins = 0;
	return result;
}
