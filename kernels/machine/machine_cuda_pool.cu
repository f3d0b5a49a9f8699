/* SPDX-License-Identifier: MIT
 * Memory of the CUDA machine. A freed block stays with its pool and serves the next request it
 * fits.
 */
#include "machine_cuda.cuh"

static const char *const space_name[] = { "GPU", "pinned host", "pageable host" };

/* A small request does not take a large block away from the next large one. */
static bool block_fits(const struct pool_block *block, int64_t bytes)
{
	const int64_t small = 16 << 20;

	return !block->used && block->bytes >= bytes &&
	       (block->bytes <= small || block->bytes / 8 <= bytes);
}

static cudaError_t allocate(const struct pool *pool, void **address, int64_t bytes)
{
	cudaError_t error;

	*address = NULL;
	if (pool->space == SPACE_PAGEABLE)
		return posix_memalign(address, 4096, (size_t)bytes) ? cudaErrorMemoryAllocation
								    : cudaSuccess;
	error = cudaSetDevice(pool->gpu);
	if (error)
		return error;
	error = pool->space == SPACE_DEVICE
			? cudaMalloc(address, (size_t)bytes)
			: cudaHostAlloc(address, (size_t)bytes, cudaHostAllocPortable);
	if (error)
		(void)cudaGetLastError(); /* reported or retried here: not the next call's business
					   */
	return error;
}

static void release(const struct pool *pool, void *address)
{
	if (pool->space == SPACE_PAGEABLE) {
		free(address);
		return;
	}
	(void)cudaSetDevice(pool->gpu);
	if (pool->space == SPACE_DEVICE)
		(void)cudaFree(address);
	else
		(void)cudaFreeHost(address);
}

/* Frees the unused blocks of at least `least` bytes. */
static void pool_shrink(struct pool *pool, int64_t least)
{
	size_t kept = 0;

	for (size_t i = 0; i < pool->count; i++) {
		if (!pool->block[i].used && pool->block[i].bytes >= least)
			release(pool, pool->block[i].address);
		else
			pool->block[kept++] = pool->block[i];
	}
	pool->count = kept;
}

void *pool_take(struct pool *pool, int64_t bytes)
{
	const int64_t large = 64 << 20;
	struct pool_block *best = NULL;
	void *address;
	cudaError_t error;

	if (bytes < 1)
		bytes = 1;
	for (size_t i = 0; i < pool->count; i++) {
		struct pool_block *block = &pool->block[i];
		if (block_fits(block, bytes) && (!best || block->bytes < best->bytes))
			best = block;
	}
	if (best) {
		best->used = true;
		return best->address;
	}
	if (bytes >= large) /* sizes have changed: what is left of the old ones would pile up */
		pool_shrink(pool, large);
	error = allocate(pool, &address, bytes);
	if (error == cudaErrorMemoryAllocation) {
		pool_shrink(pool, 0);
		error = allocate(pool, &address, bytes);
	}
	if (error) {
		if (pool->space == SPACE_DEVICE)
			report("GPU %d: %lld bytes of memory: %s", pool->gpu, (long long)bytes,
			       cudaGetErrorString(error));
		else
			report("%lld bytes of %s memory: %s", (long long)bytes,
			       space_name[pool->space], cudaGetErrorString(error));
		return NULL;
	}
	pool->block = (struct pool_block *)grow(pool->block, pool->count, &pool->capacity,
						sizeof(*pool->block));
	pool->block[pool->count].address = address;
	pool->block[pool->count].bytes = bytes;
	pool->block[pool->count++].used = true;
	return address;
}

void pool_give(struct pool *pool, void *address)
{
	for (size_t i = 0; i < pool->count; i++)
		if (pool->block[i].address == address)
			pool->block[i].used = false;
}

void pool_release(struct pool *pool)
{
	for (size_t i = 0; i < pool->count; i++)
		release(pool, pool->block[i].address);
	free(pool->block);
	pool->block = NULL;
	pool->count = pool->capacity = 0;
}
