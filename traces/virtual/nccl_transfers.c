/* SPDX-License-Identifier: MIT
 * What an operation of several ranks moves: copies inside the one device, and reductions by a
 * kernel of ours, in the streams that the ranks named. A rank's stream goes on when all ranks'
 * streams have come this far, and nobody reads or writes its buffers any more.
 */
#include "virtual_nccl.h"

#include <string.h>

/* The kernel as nvcc made it: machine code of the architecture the library was built for, and PTX
 * for others. */
__asm__(".section .rodata\n"
	".balign 16\n"
	".globl warpreel_nccl_reduce_image\n"
	".hidden warpreel_nccl_reduce_image\n"
	"warpreel_nccl_reduce_image:\n"
	".incbin \"" REDUCE_IMAGE "\"\n"
	".previous\n");
extern const char warpreel_nccl_reduce_image[];

enum { BLOCK = 256, BLOCKS_MOST = 4096 };

static CUresult go_to(const struct nccl_part *part)
{
	return real_driver()->cuCtxSetCurrent(part->rank->context);
}

/* The part's stream goes on where all others have come to. */
static CUresult meet(const struct nccl_match *match, const struct nccl_part *part)
{
	CUresult result = go_to(part);

	for (int i = 0; i < match->parts && !result; i++)
		if (&match->part[i] != part)
			result = real_driver()->cuStreamWaitEvent(part->stream,
								  match->part[i].rank->ready, 0);
	return result;
}

static CUresult copy(const struct nccl_part *at, void *target, const void *source, size_t bytes)
{
	if (target == source || !bytes)
		return CUDA_SUCCESS;
	return real_driver()->cuMemcpyAsync((CUdeviceptr)(uintptr_t)target,
					    (CUdeviceptr)(uintptr_t)source, bytes, at->stream);
}

/* Of the current context. */
static CUresult load_kernel(struct nccl_rank *rank)
{
	const struct driver *driver = real_driver();
	CUmodule module;
	CUresult result;

	if (rank->reduce)
		return CUDA_SUCCESS;
	result = driver->cuModuleLoadData(&module, warpreel_nccl_reduce_image);
	return result ? result
		      : driver->cuModuleGetFunction(&rank->reduce, module, "warpreel_nccl_reduce");
}

CUresult nccl_reduce(struct nccl_rank *rank, struct reduce_arguments *arguments, CUstream stream)
{
	const size_t blocks = (arguments->count + BLOCK - 1) / BLOCK;
	void *parameter[] = { arguments };
	CUresult result = load_kernel(rank);

	if (result)
		return result;
	turns_begin();
	result = real_driver()->cuLaunchKernel(
		rank->reduce, (unsigned)(blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST), 1, 1, BLOCK,
		1, 1, 0, stream, parameter, NULL);
	turns_end();
	return result;
}

/* All ranks' elements from `first` on, into the buffer that `at` receives in. */
static CUresult reduce(const struct nccl_match *match, const struct nccl_part *at, size_t first)
{
	const size_t bytes = nccl_type_bytes(at->type);
	struct reduce_arguments arguments = { .target = at->receive,
					      .count = at->count,
					      .ranks = match->parts,
					      .type = at->type,
					      .operation = at->operation };

	for (int i = 0; i < match->parts; i++)
		arguments.source[i] = (const char *)match->part[i].send + first * bytes;
	return nccl_reduce(at->rank, &arguments, at->stream);
}

/* Marks where the part's rank has done what others wait for. */
static CUresult moved(const struct nccl_part *part)
{
	return real_driver()->cuEventRecord(part->rank->done, part->stream);
}

static CUresult move_send(const struct nccl_match *match)
{
	const struct nccl_part *from = &match->part[0], *to = &match->part[1];
	CUresult result = meet(match, to);

	result = result ? result
			: copy(to, to->receive, from->send, to->count * nccl_type_bytes(to->type));
	return result ? result : moved(to);
}

/* The first rank reduces, the others copy what it has: each may receive where it sends from. */
static CUresult move_all_reduce(const struct nccl_match *match)
{
	const struct nccl_part *first = &match->part[0];
	CUresult result = meet(match, first);

	result = result ? result : reduce(match, first, 0);
	result = result ? result : moved(first);
	for (int i = 1; i < match->parts && !result; i++) {
		const struct nccl_part *part = &match->part[i];

		result = go_to(part);
		result = result ? result
				: real_driver()->cuStreamWaitEvent(part->stream, first->rank->done,
								   0);
		result = result ? result
				: copy(part, part->receive, first->receive,
				       part->count * nccl_type_bytes(part->type));
		result = result ? result : moved(part);
	}
	return result;
}

static CUresult move_all_gather(const struct nccl_match *match)
{
	CUresult result = CUDA_SUCCESS;

	for (int i = 0; i < match->parts && !result; i++) {
		const struct nccl_part *part = &match->part[i];
		const size_t bytes = part->count * nccl_type_bytes(part->type);

		result = meet(match, part);
		for (int j = 0; j < match->parts && !result; j++)
			result = copy(part, (char *)part->receive + (size_t)j * bytes,
				      match->part[j].send, bytes);
		result = result ? result : moved(part);
	}
	return result;
}

/* Each reads of the others what is its own, so it may receive there. */
static CUresult move_reduce_scatter(const struct nccl_match *match)
{
	CUresult result = CUDA_SUCCESS;

	for (int i = 0; i < match->parts && !result; i++) {
		const struct nccl_part *part = &match->part[i];

		result = meet(match, part);
		result = result ? result : reduce(match, part, (size_t)i * part->count);
		result = result ? result : moved(part);
	}
	return result;
}

static CUresult move_broadcast(const struct nccl_match *match)
{
	CUresult result = CUDA_SUCCESS;

	for (int i = 0; i < match->parts && !result; i++) {
		const struct nccl_part *part = &match->part[i];

		result = meet(match, part);
		result = result ? result
				: copy(part, part->receive, match->part[part->peer].send,
				       part->count * nccl_type_bytes(part->type));
		result = result ? result : moved(part);
	}
	return result;
}

static CUresult move_reduce(const struct nccl_match *match)
{
	const struct nccl_part *root = &match->part[match->part[0].peer];
	CUresult result = meet(match, root);

	result = result ? result : reduce(match, root, 0);
	return result ? result : moved(root);
}

/* Whether the part's rank has marked where it is done. */
static bool moves(const struct nccl_match *match, int place)
{
	switch (match->part[0].kind) {
	case COLLECTIVE_SEND:
	case COLLECTIVE_RECEIVE:
		return place == 1;
	case COLLECTIVE_REDUCE:
		return place == match->part[0].peer;
	default:
		return true;
	}
}

/* No stream goes on before all are done: its buffers are others', too. */
static CUresult part_ways(const struct nccl_match *match)
{
	CUresult result = CUDA_SUCCESS;

	for (int i = 0; i < match->parts && !result; i++) {
		result = go_to(&match->part[i]);
		for (int j = 0; j < match->parts && !result; j++)
			if (i != j && moves(match, j))
				result = real_driver()->cuStreamWaitEvent(
					match->part[i].stream, match->part[j].rank->done, 0);
	}
	return result;
}

int nccl_transfer(struct nccl_match *match)
{
	static CUresult (*const move[COLLECTIVE_KIND_COUNT])(const struct nccl_match *) = {
		[COLLECTIVE_SEND] = move_send,
		[COLLECTIVE_RECEIVE] = move_send,
		[COLLECTIVE_ALL_REDUCE] = move_all_reduce,
		[COLLECTIVE_ALL_GATHER] = move_all_gather,
		[COLLECTIVE_REDUCE_SCATTER] = move_reduce_scatter,
		[COLLECTIVE_BROADCAST] = move_broadcast,
		[COLLECTIVE_REDUCE] = move_reduce,
	};
	const struct driver *driver = real_driver();
	CUcontext before = NULL;
	CUresult result = driver->cuCtxGetCurrent(&before);

	for (int i = 0; i < match->parts && !result; i++) {
		result = go_to(&match->part[i]);
		result = result ? result
				: driver->cuEventRecord(match->part[i].rank->ready,
							match->part[i].stream);
	}
	result = result ? result : move[match->part[0].kind](match);
	result = result ? result : part_ways(match);
	driver->cuCtxSetCurrent(before);
	return result ? nccl_refuse(NCCL_UNHANDLED_CUDA_ERROR,
				    "an operation of %d ranks failed with the driver's error %d",
				    match->parts, (int)result)
		      : NCCL_SUCCESS;
}
