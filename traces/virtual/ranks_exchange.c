/* SPDX-License-Identifier: MIT
 * What ranks of several processes hand each other, a window at a time. In an operation of all ranks
 * each fills its window, where it has something to give, and says so; when all have, each takes
 * what is its own; when all have taken, windows are free for the next. Every rank says what it
 * calls, so all see alike whether they agree.
 */
#include "ranks.h"

static struct ranks_post post_of(const struct nccl_part *part)
{
	return (struct ranks_post){ .kind = (int32_t)part->kind,
				    .type = part->type,
				    .operation = part->operation,
				    .root = part->peer,
				    .count = part->count };
}

/* Elements of the next window. */
static uint64_t next_count(const struct ranks_step *step)
{
	const struct nccl_part *part = step->part;
	const size_t pieces =
		part->kind == COLLECTIVE_REDUCE_SCATTER ? (size_t)part->rank->shared->ranks : 1;
	const uint64_t most = RANKS_WINDOW_BYTES / nccl_type_bytes(part->type) / pieces,
		       left = part->count - step->done;

	return left < most ? left : most;
}

static int failed(CUresult result)
{
	return result ? nccl_refuse(NCCL_UNHANDLED_CUDA_ERROR,
				    "an operation of several processes failed with the driver's "
				    "error %d",
				    (int)result)
		      : NCCL_SUCCESS;
}

/* What a step moved counts, and the last one ends the part. */
static void move_on(struct ranks_step *step, uint64_t count, int result)
{
	step->done += count;
	step->posted = false;
	step->result = step->result ? step->result : result;
	step->finished = step->done >= step->part->count || step->result;
}

/* ---- operations of all ranks ---- */

static CUresult fill(const struct ranks_file *file, const struct ranks_step *step, uint64_t count)
{
	const struct nccl_part *part = step->part;
	const size_t bytes = nccl_type_bytes(part->type);
	struct ranks_communicator *shared = part->rank->shared;
	char *window = ranks_window(file, shared, part->rank->rank);
	const char *send = (const char *)part->send + step->done * bytes;
	CUresult result = CUDA_SUCCESS;

	if (part->kind == COLLECTIVE_BROADCAST && part->peer != part->rank->rank)
		return result;
	if (part->kind != COLLECTIVE_REDUCE_SCATTER)
		return ranks_windows_write(part, window, send, count * bytes);
	for (int i = 0; i < shared->ranks && !result; i++)
		result = ranks_windows_write(part, window + (size_t)i * count * bytes,
					     send + (size_t)i * part->count * bytes, count * bytes);
	return result;
}

static CUresult take_reduced(const struct ranks_file *file, const struct ranks_step *step,
			     uint64_t count)
{
	const struct nccl_part *part = step->part;
	const size_t bytes = nccl_type_bytes(part->type),
		     from = part->kind == COLLECTIVE_REDUCE_SCATTER
				    ? (size_t)part->rank->rank * count * bytes
				    : 0;
	struct ranks_communicator *shared = part->rank->shared;
	struct reduce_arguments arguments = { .target = (char *)part->receive + step->done * bytes,
					      .count = count,
					      .ranks = shared->ranks,
					      .type = part->type,
					      .operation = part->operation };

	for (int i = 0; i < shared->ranks; i++)
		arguments.source[i] = ranks_window(file, shared, i) + from;
	return count ? ranks_windows_reduce(part, &arguments) : CUDA_SUCCESS;
}

static CUresult take(const struct ranks_file *file, const struct ranks_step *step, uint64_t count)
{
	const struct nccl_part *part = step->part;
	const size_t bytes = nccl_type_bytes(part->type);
	struct ranks_communicator *shared = part->rank->shared;
	char *to = (char *)part->receive + step->done * bytes;
	CUresult result = CUDA_SUCCESS;

	switch (part->kind) {
	case COLLECTIVE_BROADCAST:
		return ranks_windows_read(part, to, ranks_window(file, shared, part->peer),
					  count * bytes);
	case COLLECTIVE_ALL_GATHER:
		for (int i = 0; i < shared->ranks && !result; i++)
			result = ranks_windows_read(part, to + (size_t)i * part->count * bytes,
						    ranks_window(file, shared, i), count * bytes);
		return result;
	case COLLECTIVE_REDUCE:
		if (part->peer != part->rank->rank)
			return result;
		return take_reduced(file, step, count);
	default:
		return take_reduced(file, step, count);
	}
}

/* With the lock: whether all have told (or taken) more than `steps`. */
static bool all_told(const struct ranks_communicator *shared, uint64_t steps)
{
	for (int i = 0; i < shared->ranks; i++)
		if (shared->member[i].posted <= steps)
			return false;
	return true;
}
static bool all_took(const struct ranks_communicator *shared, uint64_t steps)
{
	for (int i = 0; i < shared->ranks; i++)
		if (shared->member[i].read < steps)
			return false;
	return true;
}

/* With the lock. All ranks find the same two. */
static int disagreement(const struct ranks_communicator *shared, int *other)
{
	const struct ranks_post *first = &shared->member[0].post;

	for (int i = 1; i < shared->ranks; i++) {
		const struct ranks_post *post = &shared->member[i].post;

		if (post->kind != first->kind || post->type != first->type ||
		    post->operation != first->operation || post->root != first->root ||
		    post->count != first->count) {
			*other = i;
			return -1;
		}
	}
	return 0;
}

static int refuse(const struct ranks_communicator *shared, int one, int other)
{
	return nccl_refuse(NCCL_INVALID_ARGUMENT,
			   "ranks %d and %d of a communicator of %d call different operations, or "
			   "with other counts, types or roots",
			   one, other, shared->ranks);
}

static enum ranks_progress of_all(struct ranks_file *file, struct ranks_step *step)
{
	struct ranks_communicator *shared = step->part->rank->shared;
	struct ranks_member *own = &shared->member[step->part->rank->rank];
	const uint64_t steps = own->read, count = next_count(step);
	int other = 0, result;
	bool may;

	if (!step->posted) {
		ranks_lock(file);
		may = all_took(shared, steps);
		ranks_unlock(file);
		if (!may)
			return RANKS_STUCK;
		step->result = failed(fill(file, step, count));
		ranks_lock(file); /* whatever came of it: others wait */
		own->post = post_of(step->part);
		own->posted = steps + 1;
		ranks_unlock(file);
		step->posted = true;
		ranks_wake(&file->calls_changed);
		return RANKS_MOVED;
	}
	ranks_lock(file);
	may = all_told(shared, steps);
	result = may ? disagreement(shared, &other) : 0;
	ranks_unlock(file);
	if (!may)
		return RANKS_STUCK;
	result = result ? refuse(shared, 0, other) : failed(take(file, step, count));
	ranks_lock(file);
	own->read = steps + 1;
	ranks_unlock(file);
	move_on(step, count, result);
	ranks_wake(&file->calls_changed);
	return RANKS_MOVED;
}

/* ---- sends and receives ---- */

static enum ranks_progress send_on(struct ranks_file *file, struct ranks_step *step)
{
	const struct nccl_part *part = step->part;
	const size_t bytes = nccl_type_bytes(part->type);
	struct ranks_communicator *shared = part->rank->shared;
	struct ranks_channel *channel = &shared->channel[part->rank->rank][part->peer];
	const uint64_t count = next_count(step);
	bool empty, refused;

	ranks_lock(file);
	empty = channel->written == channel->read;
	refused = step->posted && empty && channel->refused;
	if (refused)
		channel->refused = 0;
	ranks_unlock(file);
	if (!empty)
		return RANKS_STUCK;
	if (step->posted) { /* the receiver has it */
		move_on(step, count,
			refused ? refuse(shared, part->rank->rank, part->peer) : NCCL_SUCCESS);
		return RANKS_MOVED;
	}
	step->result = failed(ranks_windows_write(
		part,
		ranks_window(file, shared, ranks_window_of(shared, part->rank->rank, part->peer)),
		(const char *)part->send + step->done * bytes, count * bytes));
	ranks_lock(file);
	channel->post = post_of(part);
	channel->written++;
	ranks_unlock(file);
	step->posted = true;
	ranks_wake(&file->calls_changed);
	return RANKS_MOVED;
}

static enum ranks_progress receive_on(struct ranks_file *file, struct ranks_step *step)
{
	const struct nccl_part *part = step->part;
	const size_t bytes = nccl_type_bytes(part->type);
	struct ranks_communicator *shared = part->rank->shared;
	struct ranks_channel *channel = &shared->channel[part->peer][part->rank->rank];
	const uint64_t count = next_count(step);
	struct ranks_post post;
	bool full, same;
	int result;

	ranks_lock(file);
	full = channel->written != channel->read;
	post = channel->post;
	ranks_unlock(file);
	if (!full)
		return RANKS_STUCK;
	same = post.count == part->count && post.type == part->type;
	result = same ? failed(ranks_windows_read(
				part, (char *)part->receive + step->done * bytes,
				ranks_window(file, shared,
					     ranks_window_of(shared, part->peer, part->rank->rank)),
				count * bytes))
		      : refuse(shared, part->peer, part->rank->rank);
	ranks_lock(file);
	channel->refused = !same;
	channel->read++;
	ranks_unlock(file);
	move_on(step, count, result);
	ranks_wake(&file->calls_changed);
	return RANKS_MOVED;
}

enum ranks_progress ranks_go_on(struct ranks_file *file, struct ranks_step *step)
{
	if (!nccl_is_of_two(step->part->kind))
		return of_all(file, step);
	return step->part->kind == COLLECTIVE_SEND ? send_on(file, step) : receive_on(file, step);
}
