/* SPDX-License-Identifier: MIT
 * A call (a group, or an operation alone) whose communicators are of several processes. Its parts
 * go on by turns until all are done, as those of a group may be called in any order. It returns
 * when the data have arrived, so streams of one process know nothing of others'.
 */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* As nccl_matching.c has it: so many times the seconds after which a rank is named. */
enum { PATIENCE = 15 };

/* Whether both use the same windows in the same way: then the earlier goes first. */
static bool are_in_order(const struct nccl_part *a, const struct nccl_part *b)
{
	if (a->rank != b->rank || nccl_is_of_two(a->kind) != nccl_is_of_two(b->kind))
		return false;
	return !nccl_is_of_two(a->kind) || (a->kind == b->kind && a->peer == b->peer);
}

static bool must_wait(const struct ranks_step *step, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!step[i].finished && are_in_order(step[i].part, step[at].part))
			return true;
	return false;
}

static bool go_round(struct ranks_file *file, struct ranks_step *step, size_t count)
{
	bool moved = false;

	for (size_t i = 0; i < count; i++)
		while (!step[i].finished && !must_wait(step, i) &&
		       ranks_go_on(file, &step[i]) == RANKS_MOVED)
			moved = true;
	return moved;
}

/* ---- those who wait for ever ---- */

static void mark(struct ranks_file *file, const struct ranks_step *step, size_t count, int64_t ms)
{
	ranks_lock(file);
	for (size_t i = 0; i < count; i++)
		step[i].part->rank->shared->member[step[i].part->rank->rank].waits_since_ms = ms;
	ranks_unlock(file);
}

/* With the lock: a rank that the part waits for. */
static int missing(const struct ranks_step *step)
{
	const struct nccl_part *part = step->part;
	const struct ranks_communicator *shared = part->rank->shared;
	const uint64_t steps = shared->member[part->rank->rank].read;

	if (nccl_is_of_two(part->kind))
		return part->peer;
	for (int i = 0; i < shared->ranks; i++)
		if (step->posted ? shared->member[i].posted <= steps
				 : shared->member[i].read < steps)
			return i;
	return part->rank->rank;
}

/* With the lock: whether all ranks have waited for so long. */
static bool all_wait(const struct ranks_communicator *shared, int64_t now_ms, int64_t limit_ms)
{
	for (int i = 0; i < shared->ranks; i++)
		if (!shared->member[i].waits_since_ms ||
		    now_ms - shared->member[i].waits_since_ms < limit_ms)
			return false;
	return true;
}

static void look_for_deadlock(struct ranks_file *file, const struct ranks_step *step,
			      int64_t since_ms, bool *said)
{
	const int64_t limit_ms = turns_stuck_ms(), now_ms = turns_now_ms(),
		      waited_ms = now_ms - since_ms;
	const struct nccl_rank *rank = step->part->rank;
	long long process;
	bool all;
	int named;

	if (waited_ms < limit_ms)
		return;
	ranks_lock(file);
	all = all_wait(rank->shared, now_ms, limit_ms);
	named = missing(step);
	process = (long long)file->process[rank->shared->member[named].process - 1].pid;
	ranks_unlock(file);
	if (*said && !all && waited_ms < PATIENCE * limit_ms)
		return;
	if (!*said || all)
		fprintf(stderr,
			"warpreel virtual GPUs: rank %d (device %d) of a communicator of %d has "
			"waited %lld s for rank %d (process %lld) to call the same operation%s\n",
			rank->rank, gpus_number(rank->device), rank->shared->ranks,
			(long long)(waited_ms / 1000), named, process,
			all ? ", and all ranks wait: they would on several GPUs, too, or need a "
			      "group (ncclGroupStart). The program is ended."
			    : ". On virtual GPUs a call returns when all ranks have called.");
	*said = true;
	if (all || waited_ms >= PATIENCE * limit_ms)
		_exit(1);
}

/* A rank that died before it came to what the part waits for; else NCCL_SUCCESS. */
static int look_for_dead(struct ranks_file *file, const struct ranks_step *step)
{
	const struct ranks_communicator *shared = step->part->rank->shared;
	int dead = -1;

	ranks_lock(file);
	if (!nccl_is_of_two(step->part->kind))
		dead = ranks_dead(file, shared);
	else if (ranks_is_dead(file, shared,
			       step->part->peer)) /* others' deaths are not its concern */
		dead = step->part->peer;
	ranks_unlock(file);
	if (dead < 0)
		return NCCL_SUCCESS;
	return ranks_say_dead(shared, dead);
}

static int first_stuck(const struct ranks_step *step, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!step[i].finished)
			return (int)i;
	return -1;
}

static int go_all_the_way(struct ranks_file *file, struct ranks_step *step, size_t count)
{
	int64_t since_ms = 0, looked_ms = turns_now_ms();
	bool said = false;

	for (;;) {
		const uint32_t seen = atomic_load(&file->calls_changed);
		const bool moved = go_round(file, step, count);
		const int stuck = first_stuck(step, count);
		int result;

		if (moved && since_ms) {
			mark(file, step, count, 0);
			since_ms = 0;
		}
		if (stuck < 0)
			return NCCL_SUCCESS;
		if (moved)
			continue;
		if (!since_ms) {
			since_ms = turns_now_ms();
			mark(file, step, count, since_ms);
		}
		ranks_wait_awake(&file->calls_changed, seen);
		if (turns_now_ms() - looked_ms < RANKS_WAIT_MS) /* others may be busy for long */
			continue;
		looked_ms = turns_now_ms();
		for (size_t i = (size_t)stuck; i < count; i++) {
			result = step[i].finished ? NCCL_SUCCESS : look_for_dead(file, &step[i]);
			if (result != NCCL_SUCCESS) {
				mark(file, step, count, 0);
				return result;
			}
		}
		look_for_deadlock(file, &step[stuck], since_ms, &said);
	}
}

int ranks_call(const struct nccl_part *part, size_t count)
{
	struct ranks_file *file = ranks_file();
	struct ranks_step *step = calloc(count, sizeof(*step));
	CUcontext before = NULL;
	int result = step ? NCCL_SUCCESS : NCCL_SYSTEM_ERROR;

	real_driver()->cuCtxGetCurrent(&before);
	for (size_t i = 0; i < count && result == NCCL_SUCCESS; i++) {
		const CUresult waited = ranks_windows_wait(&part[i]);

		step[i].part = &part[i];
		result = part[i].rank->error ? part[i].rank->error : NCCL_SUCCESS;
		if (waited && result == NCCL_SUCCESS)
			result = nccl_refuse(NCCL_UNHANDLED_CUDA_ERROR,
					     "a stream of rank %d has the driver's error %d",
					     part[i].rank->rank, (int)waited);
	}
	result = result ? result : go_all_the_way(file, step, count);
	for (size_t i = 0; i < count && step; i++) {
		result = result ? result : step[i].result;
		part[i].rank->error = part[i].rank->error ? part[i].rank->error : result;
	}
	real_driver()->cuCtxSetCurrent(before);
	free(step);
	return result;
}
